"""What a claim rests on, and what a triple supports."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from robodata_core.model import Claim, Evidence
from robodata_core.run_state import RunState
from robodata_tui.records import View, find_call
from robodata_tui.widgets.pane import Pane, Rows
from robodata_tui.words import claim_line, clean, evidence_title, many, provenance_lines

__all__ = ["EvidencePane"]


class EvidencePane(Pane):
    """The triples of the selected claim, or the selected triple with its claims."""

    NUMBER = 3
    TITLE = "Evidence"
    HELP: ClassVar = (
        "For a claim: the triples it rests on, each with the call that fetched it, the query, the"
        " source, the time, rank and qualifiers; Enter on a triple jumps to its call. For a"
        " triple chosen in the graph: the same, and the claims it supports; Enter on a claim"
        " goes to it. Backspace goes back and forth between a triple and its claims."
    )
    BINDINGS: ClassVar = [Binding("backspace", "turn_around", "Claim or triple", show=False)]

    class CallWanted(Message):
        """The reader wants to see the call that fetched a triple."""

        def __init__(self, run_id: str, call_id: str) -> None:
            super().__init__()
            self.run_id = run_id
            self.call_id = call_id

    class ClaimWanted(Message):
        """The reader wants to see a claim."""

        def __init__(self, claim_id: str) -> None:
            super().__init__()
            self.claim_id = claim_id

    class TripleWanted(Message):
        """The reader wants to see a triple and the claims it supports."""

        def __init__(self, handle: str) -> None:
            super().__init__()
            self.handle = handle

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._targets: list[Evidence | Claim | None] = []
        self._texts: list[str] = []

    def body(self) -> Widget:
        """Return the list."""
        return Rows(id=f"{self.id}-body")

    @property
    def _rows(self) -> Rows:
        return self.query_one(Rows)

    def render_view(self, view: View) -> None:
        """Bring the list up to date."""
        claim = view.claim_by_id(view.claim)
        item = view.graph.get(view.handle) if view.handle else None
        rows: list[tuple[Content, Evidence | Claim | None]] = []
        if claim is not None:
            rows = self._of_claim(claim, view)
            self.titled(f"of {clean(claim.id, 20)}")
        elif item is not None:
            rows = self._of_triple(item, view)
            self.titled(f"of {clean(item.handle, 20)}")
        else:
            self.titled("")
            text = "Choose a claim or a triple: what it rests on stands here."
            rows = [(Content.styled(text, "$foreground-muted"), None)]
        self._put(rows)

    def _put(self, rows: list[tuple[Content, Evidence | Claim | None]]) -> None:
        rows = [row for row in rows if row[1] is None or self.matches(row[0].plain)]
        texts = [content.plain for content, _ in rows]
        self._targets = [target for _, target in rows]
        if texts == self._texts:
            return
        self._texts = texts
        self._rows.clear_options()
        self._rows.add_options(Option(content, disabled=target is None) for content, target in rows)
        first = next((n for n, target in enumerate(self._targets) if target is not None), None)
        self._rows.highlighted = first

    def _of_claim(self, claim: Claim, view: View) -> list[tuple[Content, Evidence | Claim | None]]:
        count = len(claim.support.evidence)
        if claim.supported and count:
            verdict = Content.styled(f"✓ supported · {many(count, 'triple')}", "$success")
        else:
            why = f" · {clean(claim.problem)}" if claim.problem else ""
            verdict = Content.styled(f"✗ unsupported{why}", "$error")
        head = Content.assemble(Content(f"“{clean(claim.text)}”\n"), verdict)
        rows: list[tuple[Content, Evidence | Claim | None]] = [(head, None)]
        for item in claim.support.evidence:
            rows.append((self._triple(item, view, without=claim.id), item))
        return rows

    def _of_triple(
        self, item: Evidence, view: View
    ) -> list[tuple[Content, Evidence | Claim | None]]:
        rows: list[tuple[Content, Evidence | Claim | None]] = [
            (self._triple(item, view, without=None), item)
        ]
        claims = [
            claim for claim in view.state.claims if claim.id in view.supports.get(item.handle, ())
        ]
        text = "supports:" if claims else "supports no claim of this answer"
        rows.append((Content.styled(text, "$foreground-muted"), None))
        rows += [(Content(f"▸ {claim_line(claim)}"), claim) for claim in claims]
        return rows

    def _triple(self, item: Evidence, view: View, without: str | None) -> Content:
        parts: list[Content] = [Content("▸ "), evidence_title(item)]
        for number, record in enumerate(item.provenance[:4]):
            state = _run(view, record.run_id)
            found = find_call(state, record.call_id) if state is not None else None
            lines = provenance_lines(item, record, found[1] if found else None)
            if found:
                lines[0] = f"turn {found[0].number} · {lines[0]}"
            if number:
                lines[0] = "also " + lines[0]
            parts += [Content.styled(f"\n  {line}", "$foreground-muted") for line in lines]
        if not item.provenance:
            parts.append(Content.styled("\n  origin unknown", "$foreground-muted"))
        others = [name for name in view.supports.get(item.handle, ()) if name != without]
        if others and without is not None:
            parts.append(Content(f"\n  also supports: {clean(', '.join(others))}"))
        return Content.assemble(*parts)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Jump to the call of a triple, or to a claim."""
        event.stop()
        target = self._targets[event.option_index]
        if isinstance(target, Claim):
            self.post_message(self.ClaimWanted(target.id))
        elif target is not None and target.provenance:
            first = target.provenance[0]
            self.post_message(self.CallWanted(first.run_id, first.call_id))
        else:
            self.notify("Nothing says which call fetched this triple.", markup=False)

    def action_turn_around(self) -> None:
        """From a claim's triple to all claims it supports, or back to the first of them."""
        place = self._rows.highlighted
        target = self._targets[place] if place is not None else None
        if self.view is None or not isinstance(target, Evidence):
            return
        if self.view.claim:
            self.post_message(self.TripleWanted(target.handle))
            return
        claims = self.view.supports.get(target.handle, ())
        if claims:
            self.post_message(self.ClaimWanted(claims[0]))

    def yank(self) -> str:
        """Return the row under the cursor with all its lines."""
        place = self._rows.highlighted
        return self._texts[place] if place is not None and place < len(self._texts) else ""


def _run(view: View, run_id: str) -> RunState | None:
    if view.state.run_id == run_id:
        return view.record.state
    return next((item.state for item in view.records if item.state.run_id == run_id), None)
