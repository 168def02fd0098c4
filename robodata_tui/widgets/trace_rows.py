"""The rows of the trace: visits with their calls and requests, readings, decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from statistics import median
from typing import Final

from robodata_core.events import RankedReading
from robodata_core.run_state import CallView, RequestView, TurnView
from robodata_core.text import plural
from robodata_tui.widgets._sync import Row
from robodata_tui.words import (
    call_mark,
    call_summary,
    clean,
    compact,
    model_call_line,
    request_line,
    sparkline,
    state_name,
)

__all__ = ["decision_row", "observation_row", "readings_row", "request_rows", "turn_rows"]

_MOST_BARS: Final = 20
_ALIKE: Final = 4
"""Calls alike, one after the other, from which on they stand in one row."""


def _call_rows(calls: Sequence[CallView], now: datetime | None) -> Iterator[Row]:
    """Yield the calls of a visit; those alike, one after the other, stand in one row."""
    for (tool, ok), group in groupby(calls, key=lambda call: (call.tool, call.ok)):
        alike = [_call_row(call, now) for call in group]
        if len(alike) < _ALIKE or ok is None:
            yield from alike
            continue
        own = [row.data for row in alike if isinstance(row.data, CallView)]
        seconds = sum(call.seconds for call in own)
        title = f"{call_mark(own[-1])} {clean(tool, 60)} ×{len(own)}  {seconds:.2f} s"
        yield Row(title, "red" if ok is False else "", own[-1], tuple(alike), open=False)


def request_rows(requests: Sequence[RequestView], now: datetime | None) -> tuple[Row, ...]:
    """Return what is waited for, one row each, then what was asked of every service."""
    rows = [Row(request_line(item, now), "yellow", item) for item in requests if item.goes_on]
    done = sorted((item for item in requests if not item.goes_on), key=lambda item: item.target)
    for target, group in groupby(done, key=lambda item: item.target):
        items = list(group)
        failed = sum(item.phase == "failed" for item in items)
        times = sparkline([item.seconds for item in items[-_MOST_BARS:]])
        middle = median(item.seconds for item in items)
        title = f"⇄ {clean(target, 60)} ×{len(items)}" + (f"  {failed} failed" if failed else "")
        title += f"  {times}  {middle:.2f} s in the middle"
        below = tuple(Row(request_line(item, now), "dim", item) for item in items)
        rows.append(Row(title, "red" if failed else "dim", items[-1], below, open=False))
    return tuple(rows)


def readings_row(readings: Sequence[RankedReading]) -> Row:
    """Return how the question was read, and why the others lost."""
    below = tuple(
        Row(
            f"{item.probability:.0%} {clean(item.text, 200)}"
            + (f"  (not taken: {clean(item.lost, 200)})" if item.lost else "  (taken)"),
            "dim" if item.lost else "",
        )
        for item in readings
    )
    first = readings[0]
    how = "nearest reading, not taken:" if first.lost else "read as"
    title = f"{how} {clean(first.text, 160)}  {first.probability:.0%}"
    return Row(title, "bold", None, below, open=False)


def _call_row(call: CallView, now: datetime | None) -> Row:
    return Row(call_summary(call, now), "red" if call.ok is False else "", call)


def turn_rows(turn: TurnView, now: datetime | None) -> Iterator[Row]:
    """Yield what happened in a visit: calls, what was refused, triples, where it went."""
    yield from _call_rows(turn.calls, now)
    for text in turn.rejections:
        yield Row(f"! refused: {clean(text)}", "yellow", turn)
    if turn.added or turn.removed:
        parts = [f"+{plural(len(turn.added), 'triple')}"] if turn.added else []
        parts += [f"-{plural(len(turn.removed), 'triple')}"] if turn.removed else []
        yield Row(", ".join(parts), "green", turn)
    if turn.next_state:
        reason = f": {clean(turn.reason)}" if turn.reason else ""
        yield Row(f"→ {state_name(turn.next_state)}{reason}", "dim", turn)
    elif turn.reason and not turn.calls:
        yield Row(f"→ {clean(turn.reason)}", "dim", turn)


def observation_row(turn: TurnView) -> Row:
    """Return the row of what metacognition saw and changed."""
    seen = turn.observation
    assert seen is not None
    rows = [Row(f"changed: {clean(seen.changed)}" if seen.changed else "changed nothing", "dim")]
    if seen.signals:
        rows.append(Row("saw: " + clean(", ".join(seen.signals)), "dim"))
    strategy = f" {clean(seen.strategy, 60)}" if seen.strategy else ""
    return Row(f"◆ META{strategy}: {clean(seen.observation)}", "magenta", seen, tuple(rows))


def decision_row(turn: TurnView) -> Row:
    """Return the row of what a policy was asked and decided."""
    tokens = turn.tokens
    cost = (
        f" · {compact(tokens.prompt)} + {compact(tokens.completion)} tok" if tokens.prompt else ""
    )
    title = (
        f"turn {turn.number} {state_name(turn.state)} · asked {turn.decided} ×"
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
