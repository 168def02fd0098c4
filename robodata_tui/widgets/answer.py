"""The answer first: every question with its answer, the claims of the current one below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.style import Style
from textual.widget import Widget
from textual.widgets import OptionList, Static

from robodata_core.answers.text import result_text
from robodata_core.model import Answer, AnswerStatus, Claim
from robodata_core.run_state import RunState
from robodata_core.text import clean_text, told_name
from robodata_tui.citing import sentence_parts, spare_words
from robodata_tui.records import Record, View, asked_in
from robodata_tui.widgets.line import Line
from robodata_tui.widgets.pane import Pane, Rows
from robodata_tui.widgets.ways import ToClaim
from robodata_tui.widgets.welcome import Welcome
from robodata_tui.words import (
    STATUS_MARKS,
    claim_line,
    clean,
    live_lines,
    reading_line,
    run_figures,
)

__all__ = ["AnswerPane", "ClaimRows", "Conversation", "Exchange"]

_MOST_TEXT: Final = 20_000
_MOST_SHOWN: Final = 30
_MOST_RESULTS: Final = 12
_MOST_NOTES: Final = 6
_QUESTION_LINES: Final = 3
_MOST_MEMBERS: Final = 500


class Conversation(VerticalScroll, can_focus=True):
    """The scrolling part of the pane.

    Attributes:
        at_end: Whether its end stays in sight when it grows.
    """

    BINDINGS: ClassVar = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
    ]

    at_end = False

    def watch_virtual_size(self) -> None:
        """Keep the end in sight; only here is it known that what was put there has its place."""
        if self.at_end:
            self.scroll_end(animate=False)


class ClaimRows(Rows):
    """The claims of the answer, one line each."""

    BINDINGS: ClassVar = [
        Binding("right", "cursor_down", "Next claim", show=False),
        Binding("h,left", "cursor_up", "Previous claim", show=False),
    ]


class Exchange(Static):
    """One question and its answer.

    Attributes:
        number: Place of the run in the conversation.
        unfolded: Whether a long question is shown whole.
    """

    def __init__(self, number: int) -> None:
        super().__init__(classes="exchange", markup=False)
        self.number = number
        self.unfolded = False
        self.seen: object = None
        self._of: tuple[Record, View | None, Sequence[Record]] | None = None

    def put(self, record: Record, view: View | None, records: Sequence[Record]) -> None:
        """Show a run of ``records``; ``view`` is set where it is the current one."""
        self._of = record, view, records
        state = view.state if view is not None else record.shown
        width = self.size.width or 70
        live = live_lines(state, view.now) if view is not None and view.live else []
        key = (
            record.question, state.understood_as, state.status, state.answer, state.error,
            view is not None, view.live if view is not None else None, tuple(live),
            self.unfolded, width,
        )  # fmt: skip
        if key == self.seen:
            return
        self.seen = key
        self.set_class(view is not None, "-current")
        lines = [Content.styled(f"❯ {self._question(record.question, width)}", "bold")]
        if asked := asked_in(state, records):
            lines.append(Content.styled(f"  understood as: {asked}", "$foreground-muted"))
        if state.answer is not None:
            lines += _answer_lines(state.answer, self.number, whole=view is not None)
            asked_here = _only_here(state) if view is not None and not record.watched else 0
            if asked_here:
                only = "this snapshot was" if asked_here == 1 else "these snapshots were"
                told = f"  Only {only} asked; Esc, then w asks live Wikidata."
                lines.append(Content.styled(told, "$foreground-muted"))
        else:
            lines += _without_answer(record, state, view, live)
        self.update(Content("\n").join(lines))

    def _question(self, text: str, width: int) -> str:
        text = clean(text, 20_000)
        room = max(20, _QUESTION_LINES * (width - 2) - 14)
        if self.unfolded or len(text) <= room + 14:
            return text
        return f"{text[:room].rstrip()}… (o unfolds)"

    def on_click(self, event: Click) -> None:
        """Unfold the question at a click on its last words."""
        if event.y < _QUESTION_LINES:
            self.unfold()

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


class AnswerPane(Pane):
    """Questions and answers, the current one marked, its claims below."""

    NUMBER = 1
    TITLE = "Answer"
    LIVE = True
    HELP: ClassVar = (
        "The answer, and below it its claims, one line each with the sign of how it holds:"
        " ✓ stated of this very thing, ≈ typical of its kind, ◉ observed by a robot, ∑ reckoned"
        " from stated values, ∅ absent (a complete look-up found nothing), ✗ not supported."
        " ? likely stands beside a reading that is not sure."
        " Moving over the claims shows the proof of each; Enter goes into it, p draws it whole."
        " n and N go to later and earlier answers, o unfolds a long question."
    )

    BINDINGS: ClassVar = [
        Binding("N", "app.other(-1)", "Earlier", tooltip="Go to the answer before", show=False),
        Binding("n", "app.other(1)", "Later", tooltip="Go to the answer after", show=False),
        Binding("o", "unfold", "Whole question", tooltip="Unfold a long question", show=False),
    ]

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._told: list[tuple[str, str]] = []
        self._seen = ("", "")
        self._place: int | None = None

    def compose(self) -> ComposeResult:
        """Put the conversation above the claims."""
        last = Divider()
        last.display = False
        yield Welcome(id="welcome")
        yield Conversation(last, id="conversation")
        yield ClaimRows(id="claims")
        yield Line(placeholder="filter; Esc clears", classes="filter", select_on_focus=False)

    def on_mount(self) -> None:
        """Begin with what is held here to be asked."""
        self.scroller.display = self._rows.display = False
        self.titled("")

    @property
    def main(self) -> Widget:
        """What takes the focus: the claims where there are some."""
        if self.welcome.display:
            return self.welcome.rows
        return self._rows if self._rows.display else self.scroller

    @property
    def scroller(self) -> Conversation:
        """What scrolls through the conversation."""
        return self.query_one(Conversation)

    @property
    def welcome(self) -> Welcome:
        """What is shown before the first question."""
        return self.query_one(Welcome)

    @property
    def _rows(self) -> ClaimRows:
        return self.query_one(ClaimRows)

    @property
    def _exchanges(self) -> list[Exchange]:
        return list(self.query(Exchange))

    def render_view(self, view: View) -> None:
        """Bring exchanges and claims up to date."""
        # The screen knows at once who has the keyboard, widgets only after their messages.
        focus = self.screen.focused is self.main
        self.welcome.display, self.scroller.display = False, True
        self._converse(view)
        self._claims(view)
        if focus and self.screen.focused is not self.main:
            self.main.focus()
        self._title(view)

    # -- the conversation ---------------------------------------------------------------------

    def _converse(self, view: View) -> None:
        scroll = self.scroller
        # Around the current one: a widget for each of hundreds would cost memory and time.
        first = max(0, min(view.number - _MOST_SHOWN // 2, len(view.records) - _MOST_SHOWN))
        wanted = range(first, min(len(view.records), first + _MOST_SHOWN))
        shown: dict[int, Exchange] = {}
        for part in [*scroll.query(Exchange), *scroll.query(Divider).exclude(".-last")]:
            if part.number not in wanted:
                part.remove()
            elif isinstance(part, Exchange):
                shown[part.number] = part
        last = self.query_one(".divider.-last", Divider)
        last.display = scroll.at_end = view.fresh
        fresh = [Exchange(number) for number in wanted if number not in shown]
        newest = max(shown, default=-1)
        later = [exchange for exchange in fresh if exchange.number > newest]
        if len(later) < len(fresh):
            scroll.mount_all(_divided(fresh[: -len(later) or None], view.records), before=0)
        if later:
            scroll.mount_all(_divided(later, view.records), before=last)
        for exchange in [*shown.values(), *fresh]:
            record = view.records[exchange.number]
            current = exchange.number == view.number
            before = exchange.seen
            exchange.put(record, view if current else None, view.records)
            exchange.display = (
                current or not self.filter or self.matches(record.question, str(exchange.content))
            )
            if current and before != exchange.seen:
                self.call_after_refresh(exchange.scroll_visible, animate=False, top=True)

    def on_resize(self) -> None:
        """Keep what is current in sight: lines that break elsewhere push it away."""
        if self.view is None:
            return
        self.call_after_refresh(self._draw_again)
        if self.view.fresh:
            self.scroller.scroll_end(animate=False)
            return
        for exchange in self._exchanges:
            if exchange.number == self.view.number:
                self.call_after_refresh(exchange.scroll_visible, animate=False, top=True)

    def _draw_again(self) -> None:
        """Draw what is shown by then: news may have come since it was asked for."""
        if self.view is not None:
            self.render_view(self.view)

    def _title(self, view: View) -> None:
        status = view.state.status
        mark = STATUS_MARKS.get(status, "○")
        self.titled(f"{mark} {status}" if status else "")
        place = f"{view.number + 1} of {len(view.records)}" if len(view.records) > 1 else ""
        self.noted(" · ".join(part for part in (place, run_figures(view.state)) if part))

    def action_unfold(self) -> None:
        """Show the whole of the current question, or its first lines."""
        for exchange in self._exchanges:
            if self.view is not None and exchange.number == self.view.number:
                exchange.unfold()

    # -- the claims ---------------------------------------------------------------------------

    def _claims(self, view: View) -> None:
        rows = [row for claim in view.state.claims for row in self._rows_of(claim, view)]
        before = self._rows.texts, self._rows.targets
        # The keyboard may be ahead of what is shown, so only a change of claims rebuilds rows.
        with self.prevent(OptionList.OptionHighlighted):
            self._rows.put(rows)
        if before != (self._rows.texts, self._rows.targets):
            self._told.clear()
            self._place = self._rows.highlighted
        self._rows.display = bool(view.state.claims)
        self._mark((view.claim, view.member))

    def _rows_of(self, claim: Claim, view: View) -> Iterator[tuple[Content, tuple[str, str]]]:
        """Yield a row for a claim, and one for each of the results where it is about many."""
        style = "" if claim.supported else "$error"
        rows = [(claim_line(claim), "")]
        for item in view.members(claim)[:_MOST_MEMBERS]:
            rows.append((f"     · {clean(result_text(item), 200)}", item.id or ""))
        for text, member in rows:
            if self.matches(text):
                yield Content.styled(text, style), (claim.id, member)

    def _mark(self, wanted: tuple[str, str]) -> None:
        """Put the cursor on the row that is shown, unless the keyboard is further by now."""
        if wanted in self._told:
            del self._told[: self._told.index(wanted) + 1]
        elif wanted != self._seen:
            self._told.clear()  # somebody else chose it
        self._seen = wanted
        there = self._rows.targets
        place = there.index(wanted) if wanted in there else None
        if place is None or self._told or self._rows.highlighted != self._place:
            return
        with self.prevent(OptionList.OptionHighlighted):
            self._rows.highlighted = self._place = place

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the claim's proof while moving."""
        if event.option_list is not self._rows:
            return
        event.stop()
        self._place = event.option_index
        if self._rows.has_focus and event.option_index < len(self._rows.targets):
            claim, member = self._rows.targets[event.option_index]
            self._told.append((claim, member))
            self.post_message(ToClaim(claim, member, enter=False))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the claim's proof."""
        if event.option_list is not self._rows:
            return
        event.stop()
        if event.option_index < len(self._rows.targets):
            self.post_message(ToClaim(*self._rows.targets[event.option_index]))

    def yank(self) -> str:
        """Return the claim under the cursor, or the answer's text."""
        if self.view is None or self.view.state.answer is None:
            return ""
        if self._rows.has_focus and self._rows.target is not None:
            claim = self.view.claim_by_id(self._rows.target[0])
            if claim is not None and not self._rows.target[1]:
                return clean(claim.text, 4_000)
            return self._rows.text.strip(" ·")
        return clean_text(self.view.state.answer.text, limit=_MOST_TEXT, multiline=True)


def _divided(fresh: Sequence[Exchange], records: Sequence[Record]) -> list[Widget]:
    """Return exchanges with a line before each that opens another conversation."""
    parts: list[Widget] = []
    for exchange in fresh:
        parts += [Divider(exchange.number)] if records[exchange.number].opens else []
        parts.append(exchange)
    return parts


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


def _answer_lines(answer: Answer, number: int, whole: bool) -> list[Content]:
    lines: list[Content] = []
    if answer.reading and whole:
        lines.append(Content("  ") + reading_line(answer))
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
        hits = answer.suggestions[:8]
        names = ", ".join(clean(told_name(hit.label, hit.id, hit.description), 120) for hit in hits)
        lines.append(Content(f"Did you mean: {clean(names)}?"))
    return lines


def _cited(answer: Answer, number: int) -> Content:
    """Return the answer's text; citations of claims are links."""
    parts: list[Content | tuple[str, Style]] = []
    for text, place in sentence_parts(answer, _MOST_TEXT):
        if place is None:
            parts.append(Content(text))
            continue
        # Numbers, not names: a forged journal must not get words into an action.
        style = Style.from_meta({"@click": f"app.open_citation({number}, {place})"})
        mark = "✓" if answer.claims[place].supported else "✗"
        parts.append((f"[{clean(answer.claims[place].id, 20)}{mark}]", style + Style(bold=True)))
    return Content.assemble(*parts)
