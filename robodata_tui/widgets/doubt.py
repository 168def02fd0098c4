"""How far the claims can be relied on, and what changed since another run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import ClassVar, Final

from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList

from robodata_core.model import Claim
from robodata_core.run_state import RunState
from robodata_tui.doubts import Doubt, claim_doubt, compare, other_run, summary
from robodata_tui.records import View
from robodata_tui.widgets.pane import Pane, Rows
from robodata_tui.widgets.ways import ToClaim
from robodata_tui.words import claim_line, clean, looked_up, source_name

__all__ = ["DoubtPane"]

_MOST_CLAIMS: Final = 200
_MOST_RUNS: Final = 50
_Row = tuple[Content, str | int | None]


class DoubtPane(Pane):
    """Per claim the sources; and two runs side by side."""

    NUMBER = 5
    TITLE = "Doubt"
    HELP: ClassVar = (
        "For every claim which sources agree, which say something else, which are silent; the data"
        " sets that its triples are from, their rank, and how long ago they were fetched."
        " Enter goes to the proof. d (or 5) once more compares this run with the last one that"
        " asked the same, or else with one that is chosen: what was added (+), lost (-) and"
        " changed (~)."
    )

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.comparing = False
        self._chosen: tuple[object, int] | None = None
        """A run, and the place of the one that it is to be compared with."""

    def body(self) -> Widget:
        """Return the list."""
        return Rows(id=f"{self.id}-body")

    def next_tab(self) -> None:
        """Show the sources, or the comparison."""
        self.comparing, self._chosen = not self.comparing, None
        if self.view is not None:
            self.render_view(self.view)

    def render_view(self, view: View) -> None:
        """Bring the list up to date."""
        self.titled("two runs" if self.comparing else "by source")
        self.noted("d: by source" if self.comparing else "d: compare runs")
        rows = self._compared(view) if self.comparing else self._by_source(view)
        self.query_one(Rows).put(row for row in rows if not row[1] or self.matches(row[0].plain))

    # -- sources ------------------------------------------------------------------------------

    def _by_source(self, view: View) -> Iterator[_Row]:
        answer = view.state.answer
        said = answer.said if answer is not None else ()
        for text in answer.notes if answer is not None else ():
            yield Content.styled(f"! {clean(text)}", "$text-warning"), None
        for claim in view.state.claims[:_MOST_CLAIMS]:
            absence = view.absence(claim)
            if absence is not None:
                lines = [(looked_up(absence), "$foreground-muted")]
            else:
                doubt = claim_doubt(claim, said, view.state.source)
                lines = list(_doubt_lines(doubt, view.state))
            parts = [Content(claim_line(claim))]
            parts += [Content.styled(f"\n    {line}", style) for line, style in lines]
            yield Content.assemble(*parts), claim.id
        if not view.state.claims:
            yield Content.styled("There are no claims to doubt.", "$foreground-muted"), None

    # -- two runs -----------------------------------------------------------------------------

    def _compared(self, view: View) -> Iterator[_Row]:
        states = [record.state for record in view.records]
        other = other_run(states, view.number)
        if self._chosen is not None and self._chosen[0] is view.record:
            other = self._chosen[1]
        if other is None:
            yield from _earlier(states[: view.number])
            return
        before = view.records[other].full
        found = compare(before, view.state)
        head = f"with run {other + 1}: {clean(before.question, 200)}"
        if before.started is not None:
            head += f" ({before.started:%Y-%m-%d %H:%M} UTC, {source_name(before.source)})"
        yield Content.styled(f"{head}\n{summary(found)}", "bold"), None
        for claim in found.added[:_MOST_CLAIMS]:
            yield Content.styled(f"+ {claim_line(claim)}", "$text-success"), claim.id
        for claim in found.lost[:_MOST_CLAIMS]:
            yield Content.styled(f"- {claim_line(claim)}", "$text-error"), None
        for old, new in found.changed[:_MOST_CLAIMS]:
            yield Content.styled(_change(old, new), "$text-warning"), new.id

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the claim's proof, or compare with the run that was chosen."""
        event.stop()
        target = self.query_one(Rows).targets[event.option_index]
        if isinstance(target, str):
            self.post_message(ToClaim(target))
        elif self.view is not None:
            self._chosen = self.view.record, target
            self.render_view(self.view)

    def yank(self) -> str:
        """Return all that is shown."""
        return "\n".join(self.query_one(Rows).texts)


def _earlier(states: list[RunState]) -> Iterator[_Row]:
    """Yield the runs before one that asked what none of them did, the last first."""
    text = "There is no earlier run to compare with: ask again, or open a journal (F8)."
    if states:
        text = "No run before asked the same. Enter on one compares with it all the same:"
    yield Content.styled(text, "$foreground-muted"), None
    for place, state in list(enumerate(states))[: -_MOST_RUNS - 1 : -1]:
        yield Content(f"run {place + 1}: {clean(state.question, 200)}"), place


def _change(old: Claim, new: Claim) -> str:
    return f"~ {claim_line(new)}\n    was: {claim_line(old)}"


def _doubt_lines(doubt: Doubt, state: RunState) -> Iterator[tuple[str, str]]:
    muted = "$foreground-muted"
    if doubt.agree:
        alone = len(doubt.agree) == 1 and not (doubt.some or doubt.differ or doubt.silent)
        one = " (nobody else was asked)" if alone else ""
        yield f"agree: {', '.join(map(source_name, doubt.agree))}{one}", muted
    if doubt.some:
        yield f"agree in part: {', '.join(map(source_name, doubt.some))}", muted
    for text in doubt.differ:
        yield f"differs: {clean(text)}", "$text-warning"
    if doubt.silent:
        yield f"silent, or not asked: {', '.join(map(source_name, doubt.silent))}", muted
    if doubt.data:
        yield f"data of: {', '.join(doubt.data)}", muted
    if doubt.ranks:
        yield f"{', '.join(doubt.ranks)} rank · {_age(doubt.oldest, state)}", muted


def _age(oldest: datetime | None, state: RunState) -> str:
    if oldest is None:
        return "no date"
    days = (state.time - oldest).days if state.time is not None else 0
    fresh = state.started is None or oldest >= state.started
    ago = "fetched in this run" if fresh else f"{days} days old" if days > 1 else "a day old"
    return f"{ago if fresh or days else 'fetched before'} ({oldest:%Y-%m-%d %H:%M})"
