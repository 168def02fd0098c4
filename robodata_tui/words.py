"""How runs read in the panes: short names, durations, one-line summaries, styled pieces.

Pure functions from the core's data to text. Everything that came from outside passes through
``clean`` here, and no text is ever handed on to be read as markup.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from textual.content import Content

from robodata_core.answers.text import evidence_line
from robodata_core.events import ModelCall
from robodata_core.model import Claim, EntityValue, Evidence, Provenance, Snak
from robodata_core.run_state import CallView, RunState, TurnView
from robodata_core.text import clean_text, plural
from robodata_core.values import format_value

__all__ = [
    "STATUS_MARKS",
    "arguments_text",
    "call_mark",
    "call_summary",
    "claim_line",
    "clean",
    "clock",
    "compact",
    "many",
    "model_call_line",
    "named",
    "provenance_lines",
    "state_name",
    "triple_tail",
    "turn_title",
    "waiting_for",
]

_STATES: Final = {
    "LOCAL_DATA_EVALUATION": "EVAL",
    "LOCAL_GRAPH_EXPLORATION": "LOCAL",
    "REMOTE_GRAPH_EXPLORATION": "REMOTE",
    "REMOTE_DATA_EVALUATION": "EVAL REMOTE",
    "LOCAL_GRAPH_UPDATE": "UPDATE",
    "PRODUCE_ANSWER": "ANSWER",
}
STATUS_MARKS: Final = {
    "": "○",
    "running": "●",
    "answered": "✓",
    "partial": "◐",
    "unknown": "?",
    "cancelled": "■",
    "failed": "✗",
}


def clean(text: str, limit: int = 500) -> str:
    """Return ``text`` on one line, harmless to a terminal."""
    return clean_text(str(text), limit=limit)


def state_name(state: str) -> str:
    """Return the short name of a state, as the rail shows it."""
    return _STATES.get(state) or clean(state.replace("_", " "), 20)


def many(count: int, noun: str) -> str:
    """Return a count with its noun: ``1 call``, ``1,204 triples``."""
    return plural(count, noun)


def compact(number: int) -> str:
    """Return a number in few characters: ``940``, ``41k``, ``1.2M``."""
    if number < 1_000:
        return str(number)
    if number < 1_000_000:
        return f"{number / 1_000:.1f}k" if number < 10_000 else f"{number // 1_000}k"
    return f"{number / 1_000_000:.1f}M"


def clock(seconds: float) -> str:
    """Return a duration: ``0.4 s`` below ten seconds, then ``02:14`` or ``1:02:14``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    text = f"{minutes:02d}:{whole % 60:02d}"
    return f"{hours}:{text}" if hours else text


def arguments_text(arguments: Mapping[str, Any], limit: int = 160) -> str:
    """Return a call's arguments on one line."""
    parts = (
        f"{name}={json.dumps(value, ensure_ascii=False, default=str)}"
        for name, value in arguments.items()
    )
    return clean(", ".join(parts), limit)


def call_mark(call: CallView) -> str:
    """Return the sign of a call's outcome."""
    if call.ok is None:
        return "…"
    if not call.ok:
        return "✗"
    return "↺" if call.repeated else "✓"


def call_summary(call: CallView) -> str:
    """Return a call in one line: sign, tool, duration, what came of it."""
    first = next((line for line in call.text.splitlines() if line.strip()), "")
    parts = [f"{call_mark(call)} {clean(call.tool, 60)}"]
    if call.ok is None:
        parts.append("running")
    else:
        parts.append(f"{call.seconds:.2f} s")
        if call.repeated:
            parts.append("from memory")
        parts.append(("failed: " if not call.ok else "") + clean(first, 160))
    return "  ".join(part for part in parts if part)


def turn_title(turn: TurnView, place: int) -> str:
    """Return the heading of a visit."""
    seconds = f"  {clock(turn.seconds)}" if turn.seconds else ""
    tokens = turn.tokens.prompt + turn.tokens.completion
    cost = f"  {compact(tokens)} tok" if tokens else ""
    forced = f"  (not chosen: {clean(turn.forced, 120)})" if turn.forced else ""
    return f"{place:02d} {state_name(turn.state)}{seconds}{cost}{forced}"


def claim_line(claim: Claim) -> str:
    """Return a claim in one line; the sign and the word carry what colour would."""
    count = len(claim.support.evidence)
    verdict = f"✓ {count}" if claim.supported and count else "✗ unsupported"
    return f"{clean(claim.id, 20)} {verdict}  {clean(claim.text)}"


def model_call_line(call: ModelCall) -> str:
    """Return a call to a language model in one line."""
    size = sum(len(message.text) + message.left_out for message in call.messages)
    parts = [
        f"prompt of {many(len(call.messages), 'message')}, {size:,} characters",
        clean(call.model, 60),
        f"{compact(call.tokens.prompt)} + {compact(call.tokens.completion)} tok",
        f"{call.seconds:.2f} s",
    ]
    return " · ".join(part for part in parts if part)


def named(label: str, id_: str) -> str:
    """Return a label with its id, or the id alone."""
    text = clean(label, 200)
    return f"{text} ({clean(id_, 200)})" if text and text != id_ else clean(id_, 200)


def triple_tail(item: Evidence) -> str:
    """Return a triple as seen from its subject: predicate and object."""
    predicate = clean(item.predicate_label or item.triple.predicate, 120)
    object_ = item.triple.object
    if isinstance(object_, EntityValue):
        text = named(item.object_label, object_.id)
    else:
        text = clean(format_value(object_, lambda id_: item.unit_label or id_), 200)
    return f"{predicate} → {text}"


def provenance_lines(item: Evidence, record: Provenance, call: CallView | None) -> list[str]:
    """Return where a triple came from, down to the call and its query."""
    lines = [
        f"from call {clean(record.call_id, 40)} · {clean(record.tool, 64)}"
        f" · {record.retrieved:%Y-%m-%d %H:%M:%S} UTC",
        f"source {clean(record.source, 120)}"
        + (f" · {clean(record.origin.rsplit(':', 1)[-1], 120)}" if record.origin else "")
        + f" · {record.rank.value} rank"
        + (f" · revision {record.revision}" if record.revision is not None else ""),
    ]
    if call is not None:
        lines.insert(1, f"query {arguments_text(call.arguments, 240)}")
    if record.qualifiers:
        lines.append("qualifiers " + "; ".join(_snak(snak) for snak in record.qualifiers[:8]))
    for reference in record.references[:3]:
        snaks = "; ".join(_snak(snak) for snak in reference.snaks[:4])
        lines.append("reference " + (snaks or clean(reference.hash, 80)))
    if record.statement_id:
        lines.append(f"statement {clean(record.statement_id, 120)}")
    return lines


def _snak(snak: Snak) -> str:
    return f"{clean(snak.property, 80)} {clean(format_value(snak.value), 160)}"


def waiting_for(state: RunState) -> str:
    """Return what a run that goes on waits for."""
    running = [call.tool for call in state.turn.calls if call.ok is None] if state.turn else []
    if running:
        return clean(running[0], 64) + (f" and {len(running) - 1} more" if running[1:] else "")
    return "model" if state.policy == "llm" else "the next decision"


def evidence_title(item: Evidence) -> Content:
    """Return a triple on one line: handle, labels, ids."""
    return Content(clean(evidence_line(item), 600))
