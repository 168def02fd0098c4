"""The conversation: every question with its answer, citations that can be followed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from robodata_core.answers.text import shown_question, status_line
from robodata_core.model import Answer
from robodata_core.run_state import RunState
from robodata_core.text import clean_text
from robodata_tui.records import Record, View
from robodata_tui.widgets.pane import Pane
from robodata_tui.words import STATUS_MARKS, clean

__all__ = ["AnswerPane", "citations", "other_citation"]

_CITED: Final = re.compile(r"\[(c\d{1,6})\]")
_MOST_TEXT: Final = 20_000


def citations(answer: Answer | None) -> list[str]:
    """Return the ids of the claims an answer's text cites, in order, each once."""
    if answer is None:
        return []
    known = {claim.id for claim in answer.claims}
    return [name for name in dict.fromkeys(_CITED.findall(answer.text)) if name in known]


def other_citation(state: RunState, claim: str, by: int) -> str:
    """Return the claim cited so far after ``claim``, in a circle; empty where there is none."""
    claims = [item.id for item in state.claims]
    if not by and claims:
        return claim if claim in claims else claims[0]
    names = citations(state.answer) or claims
    if not names:
        return ""
    here = names.index(claim) if claim in names else -(by > 0)
    return names[(here + by) % len(names)]


class Conversation(VerticalScroll, can_focus=True):
    """The scrolling part of the pane.

    Attributes:
        at_end: Whether its end stays in sight when it grows.
    """

    BINDINGS: ClassVar = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("l,right", "cite(1)", "Next citation", show=False),
        Binding("h,left", "cite(-1)", "Previous citation", show=False),
        Binding("enter", "follow", "Show the triples", show=False),
        Binding("p", "other(-1)", "Earlier answer", show=False),
        Binding("n", "other(1)", "Later answer", show=False),
    ]

    at_end = False

    class Cited(Message):
        """The reader moved to another citation."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Followed(Message):
        """The reader follows the citation."""

    class Other(Message):
        """The reader wants an earlier or later answer."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def watch_virtual_size(self) -> None:
        """Keep the end in sight; only here is it known that what was put there has its place."""
        if self.at_end:
            self.scroll_end(animate=False)

    def action_cite(self, by: int) -> None:
        """Go to the next or previous citation."""
        self.post_message(self.Cited(by))

    def action_follow(self) -> None:
        """Show the triples of the citation."""
        self.post_message(self.Followed())

    def action_other(self, by: int) -> None:
        """Go to an earlier or later answer."""
        self.post_message(self.Other(by))


class Exchange(Static):
    """One question and its answer."""

    def __init__(self, number: int) -> None:
        super().__init__(classes="exchange", markup=False)
        self.number = number
        self.seen: object = None

    def put(self, record: Record, state: RunState, current: bool, claim: str) -> None:
        """Show the run as far as ``state`` goes."""
        key = (
            record.question, state.understood_as, state.status, state.answer, state.error,
            current, claim,
        )  # fmt: skip
        if key == self.seen:
            return
        self.seen = key
        self.set_class(current, "-current")
        lines = [Content.styled(f"❯ {clean(record.question, 2_000)}", "bold")]
        if state.understood_as:
            told = f"  understood as: {shown_question(state.understood_as)}"
            lines.append(Content.styled(clean(told, 2_000), "dim"))
        lines += _answer_lines(state, self.number, claim if current else "")
        self.update(Content("\n").join(lines))


class Divider(Static):
    """The line between two conversations."""

    def __init__(self, *, last: bool = False) -> None:
        super().__init__(
            "── A new conversation begins ──",
            classes="divider -last" if last else "divider",
            markup=False,
        )


class AnswerPane(Pane):
    """Questions and answers, the current one marked."""

    NUMBER = 4
    TITLE = "Answer"
    HELP: ClassVar = (
        "The conversation. Left and right (or h and l) go from citation to citation, Enter shows"
        " the triples of the citation; a click on [c1] does both. p and n go to earlier and later"
        " answers, up and down scroll."
    )

    class CiteWanted(Message):
        """The reader wants the citation so far from the current one (0: that one itself)."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class RecordWanted(Message):
        """The reader wants another answer."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def body(self) -> Widget:
        """Return the scrolling part."""
        hint = Static(
            "Ask below, in plain English. Every claim of the answer comes with its triples.\n"
            "For example: What is the capital of Canada?",
            classes="hint",
            markup=False,
        )
        last = Divider(last=True)
        last.display = False
        return Conversation(hint, last, id=f"{self.id}-body")

    @property
    def _exchanges(self) -> list[Exchange]:
        return list(self.query(Exchange))

    def render_view(self, view: View) -> None:
        """Bring all exchanges up to date."""
        scroll = self.query_one(Conversation)
        self.query_one(".hint").display = not view.records
        shown = self._exchanges
        fresh = [Exchange(number) for number in range(len(shown), len(view.records))]
        for extra in shown[len(view.records) :]:
            extra.remove()
        last = self.query_one(".divider.-last", Divider)
        last.display = scroll.at_end = view.fresh
        if fresh:
            scroll.mount_all(_divided(fresh, view.records), before=last)
        for exchange, record in zip([*shown, *fresh], view.records, strict=False):
            current = exchange.number == view.number
            state = view.state if current else record.state
            before = exchange.seen
            exchange.put(record, state, current, view.claim)
            exchange.display = self.matches(record.question, str(exchange.content))
            if current and before != exchange.seen:
                self.call_after_refresh(exchange.scroll_visible, animate=False, top=True)
        self._title(view)

    def on_resize(self) -> None:
        """Keep what is current in sight: lines that break elsewhere push it away."""
        if self.view is not None and self.view.fresh:
            self.query_one(Conversation).scroll_end(animate=False)
        elif self.view is not None:
            for exchange in self._exchanges:
                if exchange.number == self.view.number:
                    self.call_after_refresh(exchange.scroll_visible, animate=False, top=True)

    def _title(self, view: View) -> None:
        status = view.state.status
        mark = STATUS_MARKS.get(status, "○")
        self.titled(f"{mark} {status}" if status else "")
        place = f"{view.number + 1} of {len(view.records)}" if len(view.records) > 1 else ""
        self.noted(place)

    def on_conversation_cited(self, event: Conversation.Cited) -> None:
        """Go to another citation."""
        event.stop()
        self.post_message(self.CiteWanted(event.by))

    def on_conversation_followed(self, event: Conversation.Followed) -> None:
        """Show the triples of the citation."""
        event.stop()
        self.post_message(self.CiteWanted(0))

    def on_conversation_other(self, event: Conversation.Other) -> None:
        """Go to another answer."""
        event.stop()
        self.post_message(self.RecordWanted(event.by))

    def yank(self) -> str:
        """Return the current answer's text."""
        if self.view is None or self.view.state.answer is None:
            return ""
        return clean_text(self.view.state.answer.text, limit=_MOST_TEXT, multiline=True)


def _divided(fresh: Sequence[Exchange], records: Sequence[Record]) -> list[Widget]:
    """Return exchanges with a line before each that opens another conversation."""
    parts: list[Widget] = []
    for exchange in fresh:
        parts += [Divider()] if records[exchange.number].opens else []
        parts.append(exchange)
    return parts


def _answer_lines(state: RunState, number: int, claim: str) -> list[Content]:
    answer = state.answer
    if answer is None:
        if state.error:
            return [Content.styled(f"✗ {clean(state.error, 2_000)}", "$error")]
        if state.running:
            return [Content.styled("… working", "$foreground-muted")]
        return [Content.styled(f"no answer ({state.status or 'not started'})", "$foreground-muted")]
    mark = STATUS_MARKS[answer.status.value]
    lines = [Content.styled(f"{mark} {status_line(answer)}", "$foreground-muted")]
    lines.append(_cited(answer, number, claim))
    if answer.claims or answer.results:
        told = " ".join(answer.text.split())
        fresh = [text for text in answer.missing if " ".join(text.split()) not in told]
        lines += [Content(clean(text)) for text in fresh]
    if answer.attempt:
        lines.append(Content(f"Best attempt, not an answer: {clean(answer.attempt, 2_000)}"))
    if answer.suggestions:
        names = ", ".join(f"{clean(hit.label, 80)} ({hit.id})" for hit in answer.suggestions[:8])
        lines.append(Content(f"Did you mean: {clean(names)}?"))
    return lines


def _cited(answer: Answer, number: int, selected: str) -> Content:
    """Return the answer's text; citations of claims are links."""
    text = clean_text(answer.text, limit=_MOST_TEXT, multiline=True) or "There is no answer."
    places = {claim.id: place for place, claim in enumerate(answer.claims)}
    parts: list[Content | tuple[str, Style]] = []
    end = 0
    for match in _CITED.finditer(text):
        place = places.get(match[1])
        if place is None:
            continue
        parts.append(Content(text[end : match.start()]))
        # Numbers, not names: a forged journal must not get words into an action.
        style = Style.from_meta({"@click": f"app.open_citation({number}, {place})"})
        mark = "✓" if answer.claims[place].supported else "✗"
        shown = f"[{match[1]}{mark}]"
        parts.append((shown, style + Style(bold=True, reverse=match[1] == selected)))
        end = match.end()
    parts.append(Content(text[end:]))
    return Content.assemble(*parts)
