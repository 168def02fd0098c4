"""Everything about one row of the timeline, as text."""

from __future__ import annotations

import json
from typing import Any

from textual.content import Content

from robodata_core.events import ObservationMade
from robodata_core.run_state import CallView, TurnView
from robodata_core.text import clean_text
from robodata_tui.words import call_mark, clean, many, state_name

__all__ = ["describe_row"]

_MOST = 200_000


def describe_row(row: object) -> tuple[str, Content] | None:
    """Return the title and text of a row that was opened, or None for a plain one."""
    if isinstance(row, CallView):
        return f"call {clean(row.id, 40)}", _call(row)
    if isinstance(row, TurnView):
        return f"turn {row.number}: {state_name(row.state)}", _turn(row)
    if isinstance(row, ObservationMade):
        return "metacognition", _observation(row)
    return None


def _sections(*sections: tuple[str, str]) -> Content:
    parts: list[Content] = []
    for heading, text in sections:
        if text:
            parts.append(Content.styled(f"{heading}\n", "bold"))
            parts.append(Content(clean_text(text, limit=_MOST, multiline=True).rstrip() + "\n\n"))
    return Content.assemble(*parts)


def _call(call: CallView) -> Content:
    outcome = {None: "running", True: "worked", False: "failed"}[call.ok]
    if call.repeated:
        outcome += ", answered from memory"
    if call.total is not None:
        outcome += f", {call.shown if call.shown is not None else call.total:,} of {call.total:,}"
    head = f"{call_mark(call)} {call.tool}: {outcome}, {call.seconds:.3f} s"
    started = f"{call.started:%Y-%m-%d %H:%M:%S} UTC"
    return _sections(
        (head, started),
        ("Arguments", _arguments(dict(call.arguments))),
        ("Result", call.text),
    )


def _arguments(arguments: dict[str, Any]) -> str:
    """Return arguments for reading: queries and other long texts stand with their lines."""
    lines = []
    for name, value in arguments.items():
        if isinstance(value, str) and ("\n" in value or len(value) > 80):
            lines.append(f"{name}:\n{value}")
        else:
            lines.append(f"{name}: {json.dumps(value, ensure_ascii=False, indent=2, default=str)}")
    return "\n".join(lines) or "(none)"


def _turn(turn: TurnView) -> Content:
    tokens = turn.tokens
    cost = f"{tokens.prompt:,} tokens sent, {tokens.completion:,} received"
    return _sections(
        (turn.state, f"{turn.seconds:.3f} s, {turn.thinking:.3f} s of it deciding"),
        ("Not chosen", turn.forced),
        ("Calls", many(len(turn.calls), "call") if turn.calls else ""),
        ("Tokens", cost if tokens.prompt or tokens.completion else ""),
        ("Reason", turn.reason),
        ("Reflection", turn.reflection),
        ("Refused", "\n".join(turn.rejections)),
        ("Added", ", ".join(turn.added)),
        ("Removed", ", ".join(turn.removed)),
        ("Next state", turn.next_state),
    )


def _observation(seen: ObservationMade) -> Content:
    return _sections(
        (f"Strategy: {clean(seen.strategy, 80)}", f"turn {seen.turn}"),
        ("Observation", seen.observation),
        ("What it changed", seen.changed or "nothing"),
        ("What it saw", "\n".join(seen.signals)),
    )
