"""The run as it went: turns and calls, decisions with the prompts behind them, and the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.events import MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Log, Tree

from robodata_core.narrate import narrate
from robodata_core.run_state import CallView, RunState, TurnView
from robodata_tui.records import Record, View
from robodata_tui.widgets._sync import Row, sync_rows
from robodata_tui.widgets.line import Line
from robodata_tui.widgets.pane import Pane, RowsTree, frame
from robodata_tui.words import (
    arguments_text,
    call_summary,
    clean,
    compact,
    many,
    model_call_line,
    state_name,
    turn_title,
)

__all__ = ["TimelinePane"]

_TABS: Final = ("timeline", "prompts", "log")
_MOST_LINES: Final = 5_000
_MOST_OPEN: Final = 60


class FollowTree(RowsTree):
    """A tree that says when the reader moved away from its end or came back."""

    class Moved(Message):
        """The reader moved; ``away`` tells whether from the end."""

        def __init__(self, away: bool) -> None:
            super().__init__()
            self.away = away

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


class TimelinePane(Pane):
    """Turns with their calls; two more tabs show the prompts and the log."""

    NUMBER = 2
    TITLE = "Timeline"
    HELP: ClassVar = (
        "Every visit of a state and its tool calls. ✓ worked, ✗ failed, ↺ answered from memory,"
        " … still running, ◆ metacognition. Enter on a row opens all about it: arguments, result,"
        " prompt. The list follows the run; scrolling up pauses it, End follows again. Pressing 2"
        " once more shows what the policy was asked and decided, then the log."
    )

    class Opened(Message):
        """A row was opened."""

        def __init__(self, row: object) -> None:
            super().__init__()
            self.row = row

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.following = True
        self._record: Record | None = None
        self._rows: list[Row] = []
        self._made: dict[int, tuple[TurnView, str, tuple[Row, ...]]] = {}
        self._logged = 0
        self._folded = 0

    def compose(self) -> ComposeResult:
        """Put the tabs above the filter."""
        with ContentSwitcher(initial="timeline-body"):
            yield FollowTree(id="timeline-body")
            yield RowsTree(id="prompts-body")
            yield Log(id="log-body", max_lines=_MOST_LINES, highlight=False)
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
        frame(self, title=f"{self.NUMBER} {' │ '.join(names)}")

    def render_view(self, view: View) -> None:
        """Bring the tab that is shown up to date."""
        if view.record is not self._record:
            self._record, self._logged, self._folded = view.record, 0, 0
            self._made.clear()
            self.query_one(Log).clear()
            self.following = not view.state.ended
        {"timeline": self._timeline, "prompts": self._prompts, "log": self._log}[self.tab](view)
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

    # -- timeline -----------------------------------------------------------------------------

    def _timeline(self, view: View) -> None:
        tree = self.query_one("#timeline-body", FollowTree)
        rows: list[Row] = []
        for place, turn in enumerate(view.state.timeline, 1):
            rows += self._rows_of(turn, place)
        sync_rows(tree.root, rows, self._rows)
        self._rows = rows
        self._fold(tree)
        if self.following and rows:
            self.call_after_refresh(self._to_end)

    def _fold(self, tree: FollowTree) -> None:
        """Close visits long past, each once: every open row costs time at every change."""
        children = tree.root.children
        end = len(children) - _MOST_OPEN
        for child in children[self._folded : max(0, end)]:
            child.collapse()
        self._folded = max(self._folded, end, 0)

    def _to_end(self) -> None:
        tree = self.query_one("#timeline-body", FollowTree)
        if self.following:
            tree.cursor_line = tree.last_line
            tree.scroll_end(animate=False)

    def _rows_of(self, turn: TurnView, place: int) -> tuple[Row, ...]:
        """Return the rows of a visit: the same objects as before while it has not changed."""
        known = self._made.get(place)
        if known is None or known[0] is not turn or known[1] != self.filter:
            row = self._turn(turn, place)
            rows = (row,) if row is not None else ()
            if turn.observation is not None:
                rows = (*rows, _observation(turn))
            known = self._made[place] = (turn, self.filter, rows)
        return known[2]

    def _turn(self, turn: TurnView, place: int) -> Row | None:
        title = turn_title(turn, place)
        rows = tuple(row for row in _turn_rows(turn) if self.matches(row.text, title))
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

    def _go(self, wanted: object) -> bool:
        assert callable(wanted)
        self.clear_filter()
        self.go_tab("timeline")
        tree = self.query_one("#timeline-body", FollowTree)
        found = None
        for node in tree.root.children:
            for candidate in (node, *node.children):
                if wanted(candidate.data):
                    found = candidate
        if found is None:
            return False
        self.following = False
        if found.parent is not None:
            found.parent.expand()
        target = found
        self.call_after_refresh(lambda: (tree.move_cursor(target), tree.scroll_to_node(target)))
        return True

    # -- prompts and log ----------------------------------------------------------------------

    def _prompts(self, view: View) -> None:
        tree = self.query_one("#prompts-body", RowsTree)
        rows = [
            row
            for place, turn in enumerate(view.state.timeline, 1)
            if turn.decided
            for row in [_decision(turn, place)]
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


def _turn_rows(turn: TurnView) -> Iterator[Row]:
    for call in turn.calls:
        yield Row(call_summary(call), "red" if call.ok is False else "", call)
    for text in turn.rejections:
        yield Row(f"! refused: {clean(text)}", "yellow", turn)
    if turn.added or turn.removed:
        parts = [f"+{many(len(turn.added), 'triple')}"] if turn.added else []
        parts += [f"-{many(len(turn.removed), 'triple')}"] if turn.removed else []
        yield Row(", ".join(parts), "green", turn)
    if turn.next_state:
        reason = f": {clean(turn.reason)}" if turn.reason else ""
        yield Row(f"→ {state_name(turn.next_state)}{reason}", "dim", turn)
    elif turn.reason and not turn.calls:
        yield Row(f"→ {clean(turn.reason)}", "dim", turn)


def _observation(turn: TurnView) -> Row:
    seen = turn.observation
    assert seen is not None
    rows = [Row(f"changed: {clean(seen.changed)}" if seen.changed else "changed nothing", "dim")]
    if seen.signals:
        rows.append(Row("saw: " + clean(", ".join(seen.signals)), "dim"))
    strategy = f" {clean(seen.strategy, 60)}" if seen.strategy else ""
    return Row(f"◆ META{strategy}: {clean(seen.observation)}", "magenta", seen, tuple(rows))


def _decision(turn: TurnView, place: int) -> Row:
    tokens = turn.tokens
    cost = (
        f" · {compact(tokens.prompt)} + {compact(tokens.completion)} tok" if tokens.prompt else ""
    )
    title = (
        f"{place:02d} {state_name(turn.state)} · asked {turn.decided} ×"
        f" · {turn.thinking:.2f} s{cost}"
    )
    rows = [Row(model_call_line(call), "", call) for call in turn.model_calls]
    if turn.reason:
        rows.append(Row(f"reason: {clean(turn.reason)}", "", turn))
    if turn.reflection:
        rows.append(Row(f"reflection: {clean(turn.reflection)}", "", turn))
    rows += [Row(f"! refused: {clean(text)}", "yellow", turn) for text in turn.rejections]
    if turn.observation is not None:
        rows += [
            Row(f"◆ META {model_call_line(call)}", "magenta", call)
            for call in turn.observation.model_calls
        ]
    rows.append(
        Row(f"→ {state_name(turn.next_state) if turn.next_state else 'stays'}", "dim", turn)
    )
    return Row(title, "bold", turn, tuple(rows))


def reason_of(state: RunState) -> str:
    """Return the policy's last phrase for watchers."""
    return clean(state.turn.reason, 160) if state.turn else ""
