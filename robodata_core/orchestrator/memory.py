"""What a run has tried: its finished turns, and the results that need not be fetched again.

Policies read it (``turns``, ``results``, ``render``); only the loop writes to it.
Not thread-safe: one run, one thread. The local graph is not copied here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from robodata_core._codec import plain
from robodata_core.orchestrator.machine import State
from robodata_core.text import clean_text
from robodata_core.tools.base import ToolCall, ToolResult

__all__ = ["Memory", "TurnRecord", "call_key"]

_MOST_TEXT: Final = 240
_SHORT_TEXT: Final = 80
_MOST_ARGUMENTS: Final = 120
_MOST_LATEST: Final = 1_500
"""Characters of a result of the latest turn that made calls."""

_LATEST_SHARE: Final = 2 / 3


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One finished turn.

    Attributes:
        number: Turn number.
        state: The state it was spent in.
        results: Its calls with their outcomes, in the order they were asked for.
        reflection: What the policy wanted to keep, if reflections are kept.
        next_state: Where it went, or None if the run ended in it.
    """

    number: int
    state: State
    results: tuple[ToolResult, ...]
    reflection: str
    next_state: State | None


def call_key(call: ToolCall) -> str:
    """Return what makes two calls the same: tool and arguments, whatever their order."""
    return json.dumps([str(call.tool), plain(call.arguments)], sort_keys=True)


class Memory:
    """The turns so far and every call made in them.

    Args:
        keep_reflections: Whether reflections are kept between turns.
    """

    def __init__(self, *, keep_reflections: bool = True) -> None:
        self._keep_reflections = keep_reflections
        self._turns: list[TurnRecord] = []
        self._reusable: dict[str, tuple[ToolResult, int | None]] = {}

    @property
    def turns(self) -> tuple[TurnRecord, ...]:
        """The finished turns, oldest first."""
        return tuple(self._turns)

    def results(self, tool: str | None = None) -> tuple[ToolResult, ...]:
        """Return the results of all finished turns, or those of one tool, oldest first."""
        return tuple(
            result
            for turn in self._turns
            for result in turn.results
            if tool is None or result.call.tool == tool
        )

    def note(self, result: ToolResult, *, reusable: bool, version: int | None = None) -> None:
        """Remember a result as soon as it is there.

        Args:
            result: The result.
            reusable: Whether an identical call may be answered with it.
            version: The local graph's version it holds for, or None if that does not matter.
        """
        if reusable:
            self._reusable[call_key(result.call)] = (result, version)

    def reuse(self, call: ToolCall, version: int) -> ToolResult | None:
        """Return the result that answers ``call`` again, if it still holds."""
        kept = self._reusable.get(call_key(call))
        if kept is None or kept[1] not in (None, version):
            return None
        return kept[0]

    def add(self, turn: TurnRecord) -> None:
        """Remember a finished turn."""
        if not self._keep_reflections and turn.reflection:
            turn = TurnRecord(turn.number, turn.state, turn.results, "", turn.next_state)
        self._turns.append(turn)

    def _block(self, index: int, max_chars: int, at_length: bool) -> str:
        """Return a turn in words; the latest one with calls at length, where there is room."""
        turn = self._turns[index]
        if not at_length:
            return _block(turn, _SHORT_TEXT)
        if turn.results and not any(later.results for later in self._turns[index + 1 :]):
            long = _block(turn, _MOST_LATEST)
            if len(long) <= max_chars * _LATEST_SHARE:
                return long
        return _block(turn)

    def render(self, max_chars: int, *, at_length: bool = True) -> str:
        """Return the turns for a prompt: the latest in full, what came before as counts.

        The results of the latest turn that made calls stand there at length: the state after an
        exploration judges them, and sees them nowhere else.

        Args:
            max_chars: Never exceeded. What does not fit is counted, not dropped silently,
                unless there is not even room for the count.
            at_length: Whether results are told, or only what came of each call in a few words.
        """
        shown: list[str] = []
        used = 0
        for index in range(len(self._turns) - 1, -1, -1):
            block = self._block(index, max_chars, at_length)
            rest = _summary(self._turns[:index])
            needed = used + len(block) + 1 + (len(rest) + 1 if rest else 0)
            if needed > max_chars:
                rest = _summary(self._turns[: index + 1])
                break
            shown.append(block)
            used += len(block) + 1
        else:
            rest = ""
        lines = ([rest] if rest else []) + shown[::-1]
        text = "\n".join(lines)
        return text if len(text) <= max_chars else text[: max(0, max_chars - 1)] + "…"[:max_chars]


def _block(turn: TurnRecord, most_text: int = _MOST_TEXT) -> str:
    where = f" -> {turn.next_state}" if turn.next_state else ""
    lines = [f"Turn {turn.number}: {turn.state}{where}"]
    lines += [_line(result, most_text) for result in turn.results]
    if turn.reflection:
        lines.append(f"  reflection: {clean_text(turn.reflection, limit=_MOST_TEXT)}")
    return "\n".join(lines)


def _line(result: ToolResult, most_text: int) -> str:
    outcome = "ok" if result.ok else "failed"
    if result.repeated:
        outcome += ", repeated"
    arguments = _arguments(result.call.arguments)
    text = " | ".join(result.output.text.splitlines()) if result.output.text else ""
    text = clean_text(text, limit=most_text)
    return f"  {clean_text(result.call.tool, limit=64)}({arguments}) [{outcome}] {text}"


def _arguments(arguments: Any) -> str:
    if not isinstance(arguments, Mapping):
        return clean_text(json.dumps(plain(arguments), ensure_ascii=False), limit=_MOST_ARGUMENTS)
    parts = (
        f"{name}={json.dumps(plain(value), ensure_ascii=False)}"
        for name, value in arguments.items()
    )
    return clean_text(", ".join(parts), limit=_MOST_ARGUMENTS)


def _summary(turns: Sequence[TurnRecord]) -> str:
    """Count what ``turns`` did, in one line; empty if there are none."""
    if not turns:
        return ""
    results = [result for turn in turns for result in turn.results]
    span = (
        f"Turns {turns[0].number} to {turns[-1].number}"
        if len(turns) > 1
        else (f"Turn {turns[0].number}")
    )
    failed = sum(not result.ok for result in results)
    repeated = sum(result.repeated for result in results)
    parts = [f"{span}, in short: states {_counts(str(turn.state) for turn in turns)}"]
    if results:
        parts.append(f"calls {_counts(result.call.tool for result in results)}")
        parts.append(f"{failed} failed, {repeated} repeated")
    return "; ".join(parts) + "."


def _counts(names: Iterable[str]) -> str:
    return ", ".join(
        f"{clean_text(name, limit=64)} x{number}" for name, number in Counter(names).items()
    )
