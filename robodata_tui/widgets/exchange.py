"""One question with its answer as the conversation shows it, and what divides conversations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from robodata_core.answers.text import result_text
from robodata_core.model import Answer, AnswerStatus
from robodata_core.run_state import RunState
from robodata_core.text import told_name
from robodata_tui.citing import sentence_parts, spare_words
from robodata_tui.records import Record, View
from robodata_tui.words import STATUS_MARKS, clean, live_lines, reading_line

__all__ = ["MOST_TEXT", "Divider", "Exchange"]

MOST_TEXT: Final = 20_000
"""Characters of an answer's text that are shown."""
_MOST_RESULTS: Final = 12
_MOST_NOTES: Final = 6
_QUESTION_LINES: Final = 3


class Exchange(Static):
    """One question and its answer.

    Attributes:
        number: Place of the run in the conversation.
        unfolded: Whether a long question is shown whole, and its claims.
    """

    class Unfolded(Message):
        """It was unfolded, or folded again, by a click."""

    def __init__(self, number: int) -> None:
        super().__init__(classes="exchange", markup=False)
        self.number = number
        self.unfolded = False
        self.seen: object = None
        self._of: tuple[Record, View | None, bool] | None = None

    def put(self, record: Record, view: View | None, keyboard: bool = False) -> None:
        """Show a run.

        Args:
            record: The run.
            view: What the panes show, where it is the current one.
            keyboard: Whether its pane has the keyboard, so that its keys work.
        """
        self._of = record, view, keyboard
        state = view.state if view is not None else record.shown
        width = self.size.width or 70
        live = live_lines(state, view.now) if view is not None and view.live else []
        key = (
            record.question, record.asked, state.status, state.answer, state.error,
            view is not None, view.live if view is not None else None, tuple(live),
            self.unfolded, width, keyboard,
        )  # fmt: skip
        if key == self.seen:
            return
        self.seen = key
        self.set_class(view is not None, "-current")
        hint = " (o unfolds)" if keyboard and view is not None else ""
        question = self._question(record.question, width, hint)
        lines = [Content.styled(f"❯ {question}", "bold")]
        if record.asked:
            lines.append(Content.styled(f"  understood as: {record.asked}", "$foreground-muted"))
        if state.answer is not None:
            lines += _answer_lines(state, state.answer, self.number, whole=view is not None)
            asked_here = _only_here(state) if view is not None and not record.watched else 0
            if asked_here:
                only = "this snapshot was" if asked_here == 1 else "these snapshots were"
                told = f"  Only {only} asked; Esc, then w asks live Wikidata."
                lines.append(Content.styled(told, "$foreground-muted"))
        else:
            lines += _without_answer(record, state, view, live)
        self.update(Content("\n").join(lines))
        self.call_after_refresh(self._make_room)

    def _make_room(self) -> None:
        """Take the lines that are needed: Textual misses a text that comes during a layout."""
        if not self.is_attached:
            return
        needed = self.get_content_height(self.container_size, self.app.size, self.size.width)
        if self.size.height != needed:
            self.refresh(layout=True)

    def _question(self, text: str, width: int, hint: str) -> str:
        text = clean(text, 20_000)
        room = max(20, _QUESTION_LINES * (width - 2) - 14)
        if self.unfolded or len(text) <= room + 14:
            return text
        return f"{text[:room].rstrip()}…{hint}"

    def on_click(self, event: Click) -> None:
        """Unfold the question at a click on its last words."""
        if event.y < _QUESTION_LINES:
            self.unfold()
            self.post_message(self.Unfolded())

    def unfold(self) -> None:
        """Show the whole of the question, or its first lines again."""
        self.unfolded = not self.unfolded
        if self._of is not None:
            self.put(*self._of)


class Divider(Static):
    """The line between two conversations.

    Attributes:
        number: Place of the run below it, or -1 where there is none yet.
    """

    def __init__(self, number: int = -1) -> None:
        super().__init__(
            "── A new conversation begins ──",
            classes="divider -last" if number < 0 else "divider",
            markup=False,
        )
        self.number = number


def _without_answer(
    record: Record, state: RunState, view: View | None, live: Sequence[str]
) -> list[Content]:
    if state.error:
        mark = STATUS_MARKS.get(state.status, "✗")
        style = "" if state.status == "cancelled" else "$error"
        return [Content.styled(f"{mark} {clean(state.error, 2_000)}", style)]
    if state.ended:
        return [Content.styled(f"no answer ({state.status})", "$foreground-muted")]
    if record.step is not None:
        return [Content.styled("… no answer yet at this step", "$foreground-muted")]
    if record.path is not None:
        return [Content.styled("no answer: the journal ends before it", "$foreground-muted")]
    lines = live or ["… starting" if not record.events else "… working"]
    return [Content.styled(line, "$foreground-muted") for line in lines]


def _only_here(state: RunState) -> int:
    """Return how many were asked where nothing was found: 0 if others than snapshots were."""
    unknown = state.answer is not None and state.answer.status is AnswerStatus.UNKNOWN
    asked = [str(name) for name in state.settings.get("source", ())]
    only = all(name.startswith("snapshot:") for name in asked)
    return len(asked) if unknown and only and state.tool_calls > 0 else 0


def _answer_lines(state: RunState, answer: Answer, number: int, whole: bool) -> list[Content]:
    lines: list[Content] = []
    if answer.reading and whole:
        lines.append(Content("  ") + reading_line(state))
    head = _headline(answer, number)
    if answer.status is not AnswerStatus.ANSWERED:
        mark = STATUS_MARKS[answer.status.value]
        reason = answer.missing[0] if answer.missing else ""
        said = " ".join(reason.split()) in " ".join(answer.text.split())
        if said and answer.status is not AnswerStatus.PARTIAL:
            head[0] = Content.assemble(f"{mark} ", head[0])  # what follows says the rest
        else:
            why = f": {clean(reason)}" if not said else ""
            lines.append(Content.styled(f"{mark} {answer.status.value}{why}", "bold"))
    lines += head
    return [*lines, *_besides(answer)] if whole else lines


def _headline(answer: Answer, number: int) -> list[Content]:
    """Return what answers the question: the results, or the text with its citations."""
    spare = spare_words(answer)
    if not answer.results or spare is None:
        return [_cited(answer, number)]
    names = [clean(result_text(item), 200) for item in answer.results[:_MOST_RESULTS]]
    more = len(answer.results) - len(names)
    text = ", ".join(names) + (f" and {more:,} more" if more else "")
    if re.search(rf"\b{re.escape(text)}\b", spare, re.IGNORECASE):
        text, spare = spare, ""
    full = answer.completeness
    if full is not None and full.reported is not None and full.reported > 1:
        text += f"  ({full.found:,} of {full.reported:,} the source reports)"
    lines = [Content.styled(text, "bold")]
    return [*lines, Content.styled(spare, "$foreground-muted")] if spare else lines


def _besides(answer: Answer) -> list[Content]:
    """Return the caveats, what a model added, the best attempt and what else was meant."""
    told = " ".join(answer.text.split())
    reason = answer.missing[:1] if answer.status is not AnswerStatus.ANSWERED else ()
    texts = [*(text for text in answer.missing if text not in reason), *answer.notes]
    fresh = [text for text in texts if " ".join(text.split()) not in told]
    lines = [Content.styled(f"! {clean(text)}", "$text-warning") for text in fresh[:_MOST_NOTES]]
    if answer.comment:
        said = f"The model adds, unchecked: {clean(answer.comment, 1_000)}"
        lines.append(Content.styled(said, "italic $foreground-muted"))
    if answer.attempt and " ".join(answer.attempt.split()) not in told:
        lines.append(Content(f"Best attempt, not an answer: {clean(answer.attempt, 2_000)}"))
    if answer.suggestions:
        hits = answer.suggestions[:5]
        names = ", ".join(clean(told_name(hit.label, hit.id, hit.description), 120) for hit in hits)
        if (meant := f"Did you mean: {clean(names)}?") not in told:
            lines.append(Content(meant))
    return lines


def _cited(answer: Answer, number: int) -> Content:
    """Return the answer's text; citations of claims are links."""
    parts: list[Content | tuple[str, Style]] = []
    for text, place in sentence_parts(answer, MOST_TEXT):
        if place is None:
            parts.append(Content(text))
            continue
        # Numbers, not names: a forged journal must not get words into an action.
        style = Style.from_meta({"@click": f"app.open_citation({number}, {place})"})
        mark = "✓" if answer.claims[place].supported else "✗"
        parts.append((f"[{clean(answer.claims[place].id, 20)}{mark}]", style + Style(bold=True)))
    return Content.assemble(*parts)
