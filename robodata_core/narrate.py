"""A run told line by line: one event in, at most one line of plain text out.

Shared by ``ask --trace`` and ``replay --trace``. No colours, no printing; every text that came
from outside is cleaned before it gets near a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from robodata_core.events import (
    AnswerReady,
    ClaimValidated,
    DecisionRejected,
    GraphChanged,
    Noticed,
    ObservationMade,
    PolicyDecided,
    QuestionUnderstood,
    ReadingsRanked,
    RequestTold,
    RunEnded,
    RunEvent,
    RunStarted,
    StateEntered,
    ToolCalled,
    ToolReturned,
    UrgencyChanged,
)
from robodata_core.text import clean_text, plural

__all__ = ["narrate"]

_MOST_ARGUMENTS: Final = 160
_MOST_RESULT: Final = 200
_MOST_TEXT: Final = 500
_MOST_LINE: Final = 100_000


def narrate(event: RunEvent) -> str | None:
    """Return the line that tells ``event``, or None where there is nothing worth a line."""
    line = _TELLERS[type(event)](event)
    return clean_text(line, limit=_MOST_LINE, multiline=True) if line else line


def _clean(text: str, limit: int = _MOST_TEXT) -> str:
    return clean_text(text, limit=limit)


def _run_started(event: RunStarted) -> str:
    return (
        f"run {_clean(event.header.run_id, 80)}: {_clean(event.question)}"
        f" (policy {_clean(event.policy, 40)}, source {_clean(event.source, 120)},"
        f" at most {plural(event.max_turns, 'turn')})"
    )


def _question_understood(event: QuestionUnderstood) -> str | None:
    told = event.rewriting
    lines = []
    if told.understood_as:
        why = f" ({_clean('; '.join(told.reasons))})" if told.reasons else ""
        lines.append(f"understood as: {_clean(told.understood_as)}{why}, by {_clean(told.by, 20)}")
    if told.note:
        lines.append(_clean(told.note))
    return f"    {'. '.join(lines)}" if lines else None


def _state_entered(event: StateEntered) -> str:
    why = f" (not chosen: {_clean(event.forced)})" if event.forced else ""
    return f"[{event.turn}] {_clean(event.state, 60)}{why}"


def _policy_decided(event: PolicyDecided) -> str | None:
    if not event.next_state:
        return f"    {_clean(event.reason)}" if event.reason else None
    reason = f": {_clean(event.reason)}" if event.reason else ""
    return f"    -> {_clean(event.next_state, 60)}{reason}"


def _decision_rejected(event: DecisionRejected) -> str:
    default = f" {_clean(event.default)} applies." if event.default else ""
    return f"    refused: {_clean(event.problem)}{default}"


def _tool_called(event: ToolCalled) -> str:
    arguments = _clean(arguments_text(event.arguments), _MOST_ARGUMENTS)
    return f"    {_clean(event.call_id, 20)} {_clean(event.tool, 64)}({arguments})"


def arguments_text(arguments: Mapping[str, Any]) -> str:
    """Return a call's arguments as it was made with them, neither cut nor cleaned."""
    parts = (
        f"{name}={json.dumps(value, ensure_ascii=False, default=str)}"
        for name, value in arguments.items()
    )
    return ", ".join(parts)


def _tool_returned(event: ToolReturned) -> str:
    outcome = "ok" if event.ok else "failed"
    if event.repeated:
        outcome += " from memory"
    if event.total is not None:
        shown = event.total if event.shown is None else event.shown
        outcome += f", {shown:,} of {event.total:,}"
    first = next((line for line in event.text.splitlines() if line.strip()), "")
    text = _clean(first, _MOST_RESULT)
    return f"    {_clean(event.call_id, 20)} {outcome}, {event.seconds:.3f} s: {text}"


def _request_told(event: RequestTold) -> str | None:
    if event.phase == "started":
        return f"    ⇄ {_clean(event.target, 80)}: {_clean(event.what, _MOST_RESULT)}"
    if event.phase == "waiting":
        why = _clean(event.text, _MOST_RESULT)
        return f"    ⇄ try {event.attempt} in {event.wait:.1f} s: {why}"
    return f"    ⇄ failed: {_clean(event.text, _MOST_RESULT)}" if event.phase == "failed" else None


def _readings_ranked(event: ReadingsRanked) -> str | None:
    told = (f"{item.probability:.0%} {_clean(item.text, 120)}" for item in event.readings[:3])
    return f"    read as: {'; '.join(told)}" if event.readings else None


def _graph_changed(event: GraphChanged) -> str:
    size = f"{plural(event.nodes, 'node')}, {plural(event.edges, 'triple')}"
    if not event.call_id:
        return f"    local graph: {size} from before"
    parts = []
    if event.added:
        parts.append(f"+{plural(len(event.added), 'triple')}")
    if event.removed:
        parts.append(f"-{plural(len(event.removed), 'triple')}")
    return f"    local graph: {', '.join(parts) or 'changed'} ({size})"


def _observation_made(event: ObservationMade) -> str:
    if not event.observation and event.changed:
        return f"    metacognition: since its advice {_clean(event.changed)}"
    return f"    metacognition: {_clean(event.observation)}"


def _claim_validated(event: ClaimValidated) -> str:
    claim = event.claim
    name, text = _clean(claim.id, 20), _clean(claim.text)
    if not claim.supported:
        return f"    {name} unsupported: {text} ({_clean(claim.problem)})"
    handles = ", ".join(item.handle for item in claim.support.evidence)
    return f"    {name} supported by {_clean(handles, 120)}: {text}"


def _run_ended(event: RunEnded) -> str:
    error = f": {_clean(event.error)}" if event.error else ""
    return f"run ended: {_clean(event.status, 20)} after {event.seconds:.2f} s{error}"


_TELLERS: Final[Mapping[type, Callable[[Any], str | None]]] = {
    RunStarted: _run_started,
    QuestionUnderstood: _question_understood,
    StateEntered: _state_entered,
    PolicyDecided: _policy_decided,
    DecisionRejected: _decision_rejected,
    ToolCalled: _tool_called,
    ToolReturned: _tool_returned,
    RequestTold: _request_told,
    ReadingsRanked: _readings_ranked,
    GraphChanged: _graph_changed,
    UrgencyChanged: lambda event: f"    urgency: {_clean(event.urgency, 20)}",
    ObservationMade: _observation_made,
    ClaimValidated: _claim_validated,
    AnswerReady: lambda event: None,  # whoever narrates shows the answer itself
    Noticed: lambda event: f"    {_clean(event.level, 20)}: {_clean(event.text)}",
    RunEnded: _run_ended,
}
