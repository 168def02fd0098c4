"""The answer first: every question with its answer, the claims of the current one below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static

from robodata_core.answers.text import result_text
from robodata_core.model import Claim
from robodata_core.text import clean_text
from robodata_tui.records import Record, View
from robodata_tui.widgets.exchange import MOST_TEXT, Divider, Exchange
from robodata_tui.widgets.line import Line
from robodata_tui.widgets.pane import Pane, Rows
from robodata_tui.widgets.ways import ToClaim
from robodata_tui.widgets.welcome import Welcome
from robodata_tui.words import (
    STATUS_MARKS,
    claim_line,
    clean,
    run_figures,
)

__all__ = ["AnswerPane", "ClaimRows", "Conversation"]

_MOST_SHOWN: Final = 30
_MOST_MEMBERS: Final = 500
_MOST_WAITING: Final = 5
_BESIDE: Final = 3
"""Cells of a row that its text does not have: padding, and what scrolls."""


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
    """The claims of the answer, one line each; whole where they are unfolded."""

    BINDINGS: ClassVar = [
        Binding("right", "cursor_down", "Next claim", show=False),
        Binding("h,left", "cursor_up", "Previous claim", show=False),
    ]


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
        " n and N go to later and earlier answers, o unfolds a long question and long claims."
    )

    BINDINGS: ClassVar = [
        Binding("o", "unfold", "Whole", tooltip="Unfold long questions and claims", show=False),
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
        yield Conversation(last, Static(id="queued", markup=False), id="conversation")
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
    def _current(self) -> Exchange | None:
        """The question whose claims are shown."""
        number = self.view.number if self.view is not None else -1
        return next((one for one in self.query(Exchange) if one.number == number), None)

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
        last.display = scroll.at_end = view.fresh and view.number == len(view.records) - 1
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
            exchange.put(record, view if current else None, self._has_keyboard)
            # The claims stand below the last one: they are those of the current one.
            exchange.display = exchange.number <= view.number and (
                current or not self.filter or self.matches(record.question, str(exchange.content))
            )
            if current and before != exchange.seen:
                self.call_after_refresh(exchange.scroll_visible, animate=False, top=True)
        for divider in scroll.query(Divider).exclude(".-last"):
            divider.display = divider.number <= view.number
        queued = view.queued if view.number == len(view.records) - 1 else ()
        self._say_queued([f"❯ {clean(text, 300)}" for text in queued])

    def _say_queued(self, lines: list[str]) -> None:
        more = f"… and {len(lines) - _MOST_WAITING} more" if lines[_MOST_WAITING:] else ""
        told = "\n".join(["Asked next:", *lines[:_MOST_WAITING], *([more] if more else [])])
        part = self.query_one("#queued", Static)
        part.display = bool(lines)
        if lines and told != str(part.content):
            part.update(told)

    @property
    def _has_keyboard(self) -> bool:
        focused = self.screen.focused
        return focused is not None and self in focused.ancestors

    def on_descendant_focus(self) -> None:
        """Say which key unfolds the question, where it does."""
        if self.view is not None and (exchange := self._current) is not None:
            exchange.put(self.view.records[exchange.number], self.view, self._has_keyboard)

    def on_descendant_blur(self) -> None:
        """Say nothing of a key that is none here any more."""
        self.on_descendant_focus()

    def on_resize(self) -> None:
        """Keep what is current in sight: lines that break elsewhere push it away."""
        if self.view is None:
            return
        self.call_after_refresh(self._draw_again)
        if self.view.fresh:
            self.scroller.scroll_end(animate=False)
            return
        if (exchange := self._current) is not None:
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
        if view.number + 1 < len(view.records):
            place += ", n goes to the next"
        self.noted(" · ".join(part for part in (place, run_figures(view.state)) if part))

    def action_unfold(self) -> None:
        """Show the whole of the current question and of its claims, or what fits."""
        exchange = self._current
        if exchange is not None:
            exchange.unfold()
            self._draw_again()

    def on_exchange_unfolded(self, event: Exchange.Unfolded) -> None:
        """Show the claims as the question is shown."""
        event.stop()
        self._draw_again()

    # -- the claims ---------------------------------------------------------------------------

    def _claims(self, view: View) -> None:
        current = self._current
        whole = current is not None and current.unfolded
        self._rows.set_class(whole, "-unfolded")
        room = None if whole else self.content_size.width - _BESIDE
        rows = [row for claim in view.state.claims for row in self._rows_of(claim, view, room)]
        before = self._rows.texts, self._rows.targets
        # The keyboard may be ahead of what is shown, so only a change of claims rebuilds rows.
        with self.prevent(OptionList.OptionHighlighted):
            self._rows.put(rows)
        if before != (self._rows.texts, self._rows.targets):
            self._told.clear()
            self._place = self._rows.highlighted
        self._rows.display = bool(view.state.claims)
        self.scroller.set_class(not view.state.claims, "-unclaimed")
        self._mark((view.claim, view.member))

    def _rows_of(
        self, claim: Claim, view: View, room: int | None
    ) -> Iterator[tuple[Content, tuple[str, str]]]:
        """Yield a row for a claim, and one for each of the results where it is about many."""
        style = "" if claim.supported else "$error"
        members = view.members(claim)[:_MOST_MEMBERS]
        names = [clean(result_text(item), 200) for item in members]
        if self.matches(claim_line(claim)):
            yield Content.styled(claim_line(claim, room, names), style), (claim.id, "")
        for item, name in zip(members, names, strict=True):
            text = f"     · {name}"
            if self.matches(text):
                yield Content.styled(text, style), (claim.id, item.id or "")

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
        return clean_text(self.view.state.answer.text, limit=MOST_TEXT, multiline=True)


def _divided(fresh: Sequence[Exchange], records: Sequence[Record]) -> list[Widget]:
    """Return exchanges with a line before each that opens another conversation."""
    parts: list[Widget] = []
    for exchange in fresh:
        parts += [Divider(exchange.number)] if records[exchange.number].opens else []
        parts.append(exchange)
    return parts
