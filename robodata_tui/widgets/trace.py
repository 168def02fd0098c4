"""The run as it went: turns and calls, decisions with the prompts behind them, and the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.app import ComposeResult
from textual.events import MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Log, Tree
from textual.widgets.tree import TreeNode

from robodata_core.narrate import narrate
from robodata_core.run_state import CallView, RequestView, TurnView
from robodata_tui.records import Record, View
from robodata_tui.widgets._sync import Row, sync_rows
from robodata_tui.widgets.line import Line
from robodata_tui.widgets.pane import Pane, RowsTree
from robodata_tui.widgets.trace_rows import (
    decision_row,
    observation_row,
    readings_row,
    request_rows,
    turn_rows,
)
from robodata_tui.words import (
    arguments_text,
    clean,
    turn_title,
)

__all__ = ["TracePane"]

_TABS: Final = ("trace", "prompts", "log")
_MOST_LINES: Final = 5_000
_MOST_OPEN: Final = 60


class FollowTree(RowsTree):
    """A tree that says when the reader moved away from its end or came back."""

    @dataclass
    class Moved(Message):
        """The reader moved; ``away`` tells whether from the end."""

        away: bool

    def _on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        super()._on_mouse_scroll_up(event)
        self.post_message(self.Moved(True))

    def _on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        super()._on_mouse_scroll_down(event)
        self.post_message(self.Moved(self.scroll_offset.y < self.max_scroll_y))

    def action_cursor_up(self) -> None:
        """Go up, which leaves the end."""
        super().action_cursor_up()
        self.post_message(self.Moved(True))

    def action_cursor_down(self) -> None:
        """Go down; at the last row the end is reached."""
        super().action_cursor_down()
        self.post_message(self.Moved(self.cursor_line < self.last_line))

    def action_page_up(self) -> None:
        """Go up a page, which leaves the end."""
        super().action_page_up()
        self.post_message(self.Moved(True))

    def action_scroll_home(self) -> None:
        """Go to the first row, which leaves the end."""
        super().action_scroll_home()
        self.post_message(self.Moved(True))

    def action_scroll_end(self) -> None:
        """Go to the last row."""
        self.action_to_end()

    def action_to_end(self) -> None:
        """Go to the last row and follow again."""
        super().action_to_end()
        self.post_message(self.Moved(False))


class _LogLines(Log):
    """The log; a line that is too long ends in an ellipsis until it is scrolled to."""

    def render_line(self, y: int) -> Strip:
        """Return a line as it is drawn."""
        strip = super().render_line(y)
        across, down = self.scroll_offset
        room = self.scrollable_content_region.width
        there = self.lines[y + down : y + down + 1]
        if room < 2 or not there or cell_len(there[0]) - across <= room:
            return strip
        style = self.rich_style
        return Strip.join([strip.crop(0, room - 1), Strip([Segment("…", style)]), strip.crop(room)])


class TracePane(Pane):
    """Turns with their calls; two more tabs show the prompts and the log."""

    NUMBER = 3
    TITLE = "Trace"
    LIVE = True
    HELP: ClassVar = (
        "Every visit of a state and its tool calls, each with the requests it makes, from the"
        " moment they start. ✓ worked, ✗ failed, ↺ answered from memory, … goes on (with its age),"
        " ◆ metacognition; calls alike stand in one row (×5) that opens. Enter on a row opens all"
        " about it: arguments, result, prompt. The list follows the run; scrolling up pauses it,"
        " End follows again. Pressing 3 once more shows what the policy was asked and decided,"
        " then the log."
    )

    @dataclass
    class Opened(Message):
        """A row was opened."""

        row: object

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.following = True
        self._record: Record | None = None
        self._rows: list[Row] = []
        self._made: dict[int, tuple[TurnView, object, tuple[Row, ...]]] = {}
        self._logged = 0
        self._folded = 0

    def compose(self) -> ComposeResult:
        """Put the tabs above the filter."""
        with ContentSwitcher(initial="trace-body"):
            yield FollowTree(id="trace-body")
            yield RowsTree(id="prompts-body")
            yield _LogLines(id="log-body", max_lines=_MOST_LINES, highlight=False)
        yield Line(placeholder="filter; Esc clears", classes="filter", select_on_focus=False)

    @property
    def tab(self) -> str:
        """Name of the tab that is shown."""
        current = self.query_one(ContentSwitcher).current or ""
        return current.removesuffix("-body")

    @property
    def main(self) -> Widget:
        """The tab that is shown."""
        return self.query_one(f"#{self.tab}-body")

    def next_tab(self) -> None:
        """Go to the next tab."""
        self.go_tab(_TABS[(_TABS.index(self.tab) + 1) % len(_TABS)])

    def go_tab(self, name: str) -> None:
        """Go to a tab by name."""
        self.query_one(ContentSwitcher).current = f"{name}-body"
        if self.view is not None:
            self.show(self.view)
        self.main.focus()

    def titled(self, note: str) -> None:
        """Write the tabs into the frame, the current one in brackets."""
        names = [f"[{name.title()}]" if name == self.tab else name.title() for name in _TABS]
        self._frame("border_title", f"{self.NUMBER} {' │ '.join(names)}")

    def render_view(self, view: View) -> None:
        """Bring the tab that is shown up to date."""
        if view.record is not self._record:
            self._record, self._logged, self._folded = view.record, 0, 0
            self._made.clear()
            self.query_one(Log).clear()
            self.following = not view.state.ended
        {"trace": self._trace, "prompts": self._prompts, "log": self._log}[self.tab](view)
        self.titled("")
        self._say_following(view)

    def _say_following(self, view: View) -> None:
        if view.record.step is not None:
            visits = len(view.record.state.timeline)
            self.noted(f"visit {view.record.step} of {visits} · ] forward")
        elif view.state.ended:
            self.noted(clean(view.record.notice, 120))
        else:
            self.noted("▼ following" if self.following else "paused · End follows again")

    # -- trace --------------------------------------------------------------------------------

    def _trace(self, view: View) -> None:
        tree = self.query_one("#trace-body", FollowTree)
        rows: list[Row] = []
        if view.state.readings:
            rows.append(readings_row(view.state.readings))
        asked = sorted(view.state.requests, key=lambda item: item.turn)
        requests = {n: tuple(group) for n, group in groupby(asked, key=lambda item: item.turn)}
        if 0 in requests:
            rows.append(
                Row("before the first turn", "bold", None, request_rows(requests[0], view.now))
            )
        last = {turn.number: place for place, turn in enumerate(view.state.timeline, 1)}
        for place, turn in enumerate(view.state.timeline, 1):
            passed = last[turn.number] != place
            made = () if passed else requests.get(turn.number, ())
            rows += self._rows_of(turn, place, made, view.now, passed)
        sync_rows(tree.root, rows, self._rows)
        self._rows = rows
        self._fold(tree)
        if self.following and rows:
            self._to_end()  # at once, or all is drawn here and then once more at the end
            self.call_after_refresh(self._to_end)  # where it had no place on the screen yet

    def _fold(self, tree: FollowTree) -> None:
        """Close visits long past, each once: every open row costs time at every change."""
        children = tree.root.children
        end = len(children) - _MOST_OPEN
        for child in children[self._folded : max(0, end)]:
            child.collapse()
        self._folded = max(self._folded, end, 0)

    def _to_end(self) -> None:
        tree = self.query_one("#trace-body", FollowTree)
        if self.following:
            tree.cursor_line = tree.last_line
            tree.scroll_end(animate=False, immediate=True)

    def _rows_of(
        self,
        turn: TurnView,
        place: int,
        requests: tuple[RequestView, ...],
        now: datetime | None,
        passed: bool,
    ) -> tuple[Row, ...]:
        """Return the rows of a visit: the same objects as before while it has not changed."""
        goes_on = any(call.ok is None for call in turn.calls) or any(
            item.goes_on for item in requests
        )
        second = int(now.timestamp()) if now is not None and goes_on else 0
        seen = (self.filter, second, requests, passed)
        known = self._made.get(place)
        if known is None or known[0] is not turn or known[1] != seen:
            row = self._turn(turn, turn_title(turn, passed), requests, now)
            rows = (row,) if row is not None else ()
            if turn.observation is not None:
                rows = (*rows, observation_row(turn))
            known = self._made[place] = (turn, seen, rows)
        return known[2]

    def _turn(
        self, turn: TurnView, title: str, requests: tuple[RequestView, ...], now: datetime | None
    ) -> Row | None:
        rows = tuple(
            row
            for row in (*turn_rows(turn, now), *request_rows(requests, now))
            if self.matches(row.text, title, *(child.text for child in row.rows))
        )
        if self.filter and not rows and not self.matches(title):
            return None
        return Row(title, "bold", turn, rows)

    def on_follow_tree_moved(self, event: FollowTree.Moved) -> None:
        """Pause or follow."""
        event.stop()
        self.following = not event.away
        if self.view is not None:
            self._say_following(self.view)

    def go_call(self, call_id: str) -> bool:
        """Put the cursor on a call; tell whether it is there."""
        return self._go(lambda data: isinstance(data, CallView) and data.id == call_id)

    def go_state(self, state: str) -> bool:
        """Put the cursor on the last visit of a state; tell whether there was one."""
        return self._go(lambda data: isinstance(data, TurnView) and data.state == state)

    def _go(self, wanted: Callable[[object], bool]) -> bool:
        self.clear_filter()
        self.go_tab("trace")
        tree = self.query_one("#trace-body", FollowTree)
        found = None
        for node in _all_nodes(tree.root):
            if wanted(node.data):
                found = node
        if found is None:
            return False
        self.following = False
        parent = found.parent
        while parent is not None and parent is not tree.root:
            parent.expand()
            parent = parent.parent
        self.call_after_refresh(self._show_node, tree, found)
        return True

    def _show_node(self, tree: FollowTree, node: TreeNode[object]) -> None:
        tree.move_cursor(node)
        tree.scroll_to_node(node, animate=False)

    # -- prompts and log ----------------------------------------------------------------------

    def _prompts(self, view: View) -> None:
        tree = self.query_one("#prompts-body", RowsTree)
        rows = [
            row
            for turn in view.state.timeline
            if turn.decided
            for row in [decision_row(turn)]
            if self.matches(row.text, *(child.text for child in row.rows))
        ]
        sync_rows(tree.root, rows)

    def _log(self, view: View) -> None:
        log = self.query_one(Log)
        seq = view.state.seq
        if self.filter or seq < self._logged:
            log.clear()
            self._logged = 0
        fresh = (narrate(event) for event in view.record.events[self._logged : seq])
        lines = [line for line in fresh if line and self.matches(line)]
        self._logged = 0 if self.filter else seq
        log.write_lines(lines)

    # -- opening ------------------------------------------------------------------------------

    def on_tree_node_selected(self, event: Tree.NodeSelected[object]) -> None:
        """Open what the row stands for."""
        event.stop()
        if event.node.data is not None:
            self.post_message(self.Opened(event.node.data))

    def on_click(self, event: object) -> None:
        """Go to the next tab when the frame's title is clicked."""
        if getattr(event, "y", -1) == 0 and getattr(event, "widget", None) is self:
            self.next_tab()

    def yank(self) -> str:
        """Return the row under the cursor, or the whole log."""
        main = self.main
        if isinstance(main, Log):
            return "\n".join(main.lines)
        node = main.cursor_node if isinstance(main, RowsTree) else None
        if node is None:
            return ""
        if isinstance(node.data, CallView):
            return f"{node.data.tool}({arguments_text(node.data.arguments, 4_000)})"
        return str(node.label)


def _all_nodes(node: TreeNode[object]) -> Iterator[TreeNode[object]]:
    for child in node.children:
        yield child
        yield from _all_nodes(child)
