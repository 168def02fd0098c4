"""Everything about one row of the timeline, as text."""

from __future__ import annotations

import json
from typing import Any

from textual.content import Content

from robodata_core.events import ModelCall, ObservationMade
from robodata_core.run_state import CallView, RequestView, RunState, TurnView
from robodata_core.text import clean_text, plural
from robodata_tui.records import find_call
from robodata_tui.words import call_mark, clean, state_name

__all__ = ["describe_row"]

_MOST = 200_000


def describe_row(row: object, state: RunState) -> tuple[str, Content] | None:
    """Return the title and text of a row that was opened, or None for a plain one.

    Args:
        row: What the row stands for.
        state: The run it is of: the prompt that led to a call is looked for there.
    """
    if isinstance(row, CallView):
        found = find_call(state, row.id)
        return f"call {clean(row.id, 40)}", _call(row, _asked_for(row, found[0] if found else None))
    if isinstance(row, ModelCall):
        return f"prompt: {clean(row.role or row.model, 40)}", _sections(*_prompt(row))
    if isinstance(row, RequestView):
        return f"request to {clean(row.target, 60)}", _request(row)
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


def _asked_for(call: CallView, turn: TurnView | None) -> ModelCall | None:
    """Return the model's reply that asked for a call: the last that names it, or None."""
    asked = turn.model_calls if turn is not None else ()
    named = [model for model in asked if f"{call.tool}(" in model.reply]
    return named[-1] if named else None


def _prompt(call: ModelCall) -> list[tuple[str, str]]:
    """Return a prompt message by message, and the reply."""
    tokens = f"{call.tokens.prompt:,} tokens sent, {call.tokens.completion:,} received"
    cost = f", cost {call.cost:.4f}" if call.cost is not None else ""
    where = " · ".join(part for part in (call.role, call.state, call.model) if part)
    sections = [
        (f"Prompt: {clean(where, 200)}", f"{tokens}{cost}, {call.seconds:.3f} s"),
        ("Tools offered", clean(", ".join(call.tools), 2_000)),
    ]
    for number, message in enumerate(call.messages, 1):
        cut = f"\n… {message.left_out:,} more characters" if message.left_out else ""
        sections.append((f"{number}. {clean(message.role, 20)}", message.text + cut))
    finish = f" ({clean(call.finish, 60)})" if call.finish else ""
    return [*sections, (f"Reply{finish}", call.reply or "(nothing)")]


def _call(call: CallView, asked: ModelCall | None) -> Content:
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
        *(_prompt(asked) if asked is not None else ()),
    )


def _request(item: RequestView) -> Content:
    took = "goes on" if item.goes_on else f"{item.seconds:.3f} s"
    tries = f", try {item.attempt}" if item.attempt > 1 else ""
    return _sections(
        (f"{item.phase}: {took}{tries}", f"{item.started:%Y-%m-%d %H:%M:%S} UTC"),
        ("Asked", item.what),
        ("What came of it", item.text),
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
        ("Calls", plural(len(turn.calls), "call") if turn.calls else ""),
        ("Tokens", cost if tokens.prompt or tokens.completion else ""),
        ("Reason", turn.reason),
        ("Reflection", turn.reflection),
        ("Refused", "\n".join(turn.rejections)),
        ("Added", ", ".join(turn.added)),
        ("Removed", ", ".join(turn.removed)),
        ("Next state", turn.next_state),
        *(section for call in turn.model_calls for section in _prompt(call)),
    )


def _observation(seen: ObservationMade) -> Content:
    return _sections(
        (f"Strategy: {clean(seen.strategy, 80)}", f"turn {seen.turn}"),
        ("Observation", seen.observation),
        ("What it changed", seen.changed or "nothing"),
        ("What it saw", "\n".join(seen.signals)),
        *(section for call in seen.model_calls for section in _prompt(call)),
    )
