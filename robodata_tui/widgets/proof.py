"""The proof of a claim as a path and its triples; or a triple, and the claims it supports."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Final

from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList

from robodata_core.model import Absence, Claim, Evidence, Provenance
from robodata_core.run_state import RunState
from robodata_core.text import plural
from robodata_tui.drawing import path_lines, question_line
from robodata_tui.proof import Edge
from robodata_tui.records import View, find_call
from robodata_tui.widgets.pane import Pane, Rows
from robodata_tui.widgets.ways import ToAnswer, ToCall, ToTriple
from robodata_tui.words import (
    claim_line,
    claim_mark,
    clean,
    evidence_title,
    looked_up,
    origin_line,
    provenance_lines,
    reading_line,
)

__all__ = ["ProofPane"]

_MOST_CAVEATS: Final = 4
_MOST_ORIGINS: Final = 4
_MOST_AROUND: Final = 120
"""Cells of a question between the words that are answered: the path stands below it, in sight."""
_Row = tuple[Content, Evidence | ToAnswer | ToCall | None]


class ProofPane(Pane):
    """The triples of the selected claim, or the selected triple with its claims."""

    NUMBER = 2
    TITLE = "Proof"
    HELP: ClassVar = (
        "How a claim holds. On top the question with the words that each triple answers, then the"
        " triples as a path: ═ is the one that decides, a gap says what is not stated. Below them"
        " the triples, the deciding one first; Enter unfolds what is behind it (the call, its"
        " query, ids, qualifiers, references), Enter on the call jumps to it, b comes back. For a"
        " triple chosen in the graph: the claims it supports. Backspace goes back and forth"
        " between a triple and its claims; p draws the whole proof."
    )
    BINDINGS: ClassVar = [
        Binding("backspace", "turn_around", "Claim or triple", tooltip="From a triple to the"
                " claims it supports, and back", show=False),
    ]  # fmt: skip

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._open: set[str] = set()
        self._of: object = None

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
        rows: list[_Row] = []
        if claim is not None:
            rows = self._of_claim(claim, view)
            self.titled(f"of {clean(claim.id, 20)}")
        elif item is not None:
            rows = self._of_triple(item, view)
            self.titled(f"of {clean(item.handle, 20)}")
        else:
            self.titled("")
            rows = self._of_nothing(view)
        of, self._of = self._of, (view.record, view.claim, view.handle, view.member)
        shown = [row for row in rows if row[1] is None or self.matches(row[0].plain)]
        self._rows.put(shown, stay=of == self._of)

    def _of_nothing(self, view: View) -> list[_Row]:
        answer = view.state.answer
        rows = [_look_up(item) for item in answer.absences] if answer is not None else []
        text = "Choose a claim or a triple: how it holds stands here."
        if answer is not None and not answer.claims:
            text = "Nothing is claimed, so there is nothing to prove; t shows what was asked."
        return rows or [(Content.styled(text, "$foreground-muted"), None)]

    def _of_claim(self, claim: Claim, view: View) -> list[_Row]:
        proof = view.proof(claim)
        head = [question_line(proof, _MOST_AROUND)]
        if view.state.answer is not None and view.state.answer.reading:
            head.append(reading_line(view.state))
        head += [Content(""), *path_lines(proof), Content("")]
        mark, word = claim_mark(claim)
        absence = view.absence(claim)
        why = f": {clean(claim.problem)}" if claim.problem else ""
        why = f": {looked_up(absence)}" if absence is not None else why
        style = "$text-success" if claim.supported else "$text-error"
        style = "$text-warning" if absence is not None else style
        head.append(Content.styled(f"{mark} {word}{why}", f"bold {style}"))
        head += [Content.styled(f"! {text}", "$text-warning") for text in _caveats(claim, view)]
        rows: list[_Row] = [(Content("\n").join(head), None)]
        stated = [edge for edge in proof.edges if not edge.gap]
        if absence is not None and stated:
            rows.append((Content.styled("In its place is stated:", "$foreground-muted"), None))
        for edge in stated:
            rows += self._triple(edge.item, view, edge, without=claim.id)
        more = len(claim.support.evidence) - len(stated)
        if more > 0:
            members = bool(view.members(claim))
            where = " of the claim's other results: choose one below it" if members else ""
            text = f"{plural(more, 'more triple')}{where}"
            rows.append((Content.styled(text, "$foreground-muted"), None))
        return rows

    def _of_triple(self, item: Evidence, view: View) -> list[_Row]:
        rows = self._triple(item, view, None, without="")
        names = view.supports.get(item.handle, ())
        claims = [claim for claim in view.state.claims if claim.id in names]
        text = "supports:" if claims else "supports no claim of this answer"
        rows.append((Content.styled(text, "$foreground-muted"), None))
        return [
            *rows,
            *((Content(f"▸ {claim_line(claim)}"), ToAnswer(claim.id)) for claim in claims),
        ]

    def _triple(self, item: Evidence, view: View, edge: Edge | None, without: str) -> list[_Row]:
        """Return the rows of a triple: short, and what is behind it where it was unfolded."""
        open_ = item.handle in self._open
        decides = edge is not None and edge.decides
        parts = [
            Content(f"{'▾' if open_ else '▸'} "),
            Content.styled(f"{edge.raised} ", edge.style) if edge is not None else Content(""),
            Content.styled(evidence_title(item), edge.style if edge is not None else ""),
        ]
        told = f"decides · {origin_line(item)}" if decides else origin_line(item)
        parts.append(Content.styled(f"\n  {told}", "$foreground-muted"))
        others = [name for name in view.supports.get(item.handle, ()) if name != without]
        if others and without:
            text = f"\n  also supports {clean(', '.join(others[:8]))}"
            text += " …" if others[8:] else ""
            parts.append(Content.styled(text, "$foreground-muted"))
        rows: list[_Row] = [(Content.assemble(*parts), item)]
        for record in item.provenance[:_MOST_ORIGINS] if open_ else ():
            rows += _behind(item, record, view)
        return rows

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Unfold a triple, jump to its call, or go to a claim."""
        event.stop()
        target = self._rows.targets[event.option_index]
        if isinstance(target, Evidence) and self.view is not None:
            self._open ^= {target.handle}
            self.render_view(self.view)
        elif isinstance(target, (ToAnswer, ToCall)):
            self.post_message(replace(target))

    def action_turn_around(self) -> None:
        """From a claim's triple to all claims it supports, or back to the first of them."""
        target = self._rows.target
        if self.view is None or not isinstance(target, Evidence):
            return
        if self.view.claim:
            self.post_message(ToTriple(target.handle))
            return
        claims = self.view.supports.get(target.handle, ())
        if claims:
            self.post_message(ToAnswer(claims[0]))

    def yank(self) -> str:
        """Return the row under the cursor with all its lines."""
        return self._rows.text


def _look_up(item: Absence) -> _Row:
    """Return the row of a look-up that found nothing."""
    told = Content.styled(f"\n  {looked_up(item)}", "$foreground-muted")
    return Content.assemble(f"∅ {clean(item.text)}", told), ToCall(item.run_id, item.call_id)


def _behind(item: Evidence, record: Provenance, view: View) -> list[_Row]:
    """Return what is behind a triple: where it came from, then the call as a row of its own."""
    state = _run(view, record.run_id)
    found = find_call(state, record.call_id) if state is not None else None
    lines = provenance_lines(item, record, found[1] if found else None)
    text = "\n".join(f"    {line}" for line in lines)
    turn = f"turn {found[0].number}, " if found else ""
    call = f"    ↪ go to {turn}call {clean(record.call_id, 40)} · {clean(record.tool, 64)}"
    return [
        (Content.styled(text, "$foreground-muted"), None),
        (Content(call), ToCall(record.run_id, record.call_id)),
    ]


def _caveats(claim: Claim, view: View) -> list[str]:
    """Return what limits a claim: ranks, what the answer lacks, where sources differ."""
    ranks = {r.rank.value for item in claim.support.evidence for r in item.provenance}
    answer = view.state.answer
    texts = ["a triple is of deprecated rank"] if "deprecated" in ranks else []
    if answer is not None:
        texts += [clean(text, 240) for text in (*answer.notes, *answer.missing)]
        full = answer.completeness
        if full is not None and full.reported is not None and full.found < full.reported:
            texts.append(f"{full.found:,} of {full.reported:,} that the source reports were found")
    return texts[:_MOST_CAVEATS]


def _run(view: View, run_id: str) -> RunState | None:
    if view.state.run_id == run_id:
        return view.record.state
    return next((item.state for item in view.records if item.state.run_id == run_id), None)
