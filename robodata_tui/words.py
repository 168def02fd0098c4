"""How runs read in the panes: short names, durations, one-line summaries, styled pieces.

Pure functions from the core's data to text. Everything that came from outside passes through
``clean`` here, and no text is ever handed on to be read as markup.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.cells import cell_len, chop_cells
from textual.content import Content

from robodata_core import narrate
from robodata_core.answers.text import evidence_line, is_sure, read_as
from robodata_core.events import ModelCall
from robodata_core.model import (
    Absence,
    Claim,
    EntityValue,
    Evidence,
    Provenance,
    Snak,
    TruthKind,
)
from robodata_core.run_state import CallView, RequestView, RunState, TurnView
from robodata_core.text import clean_text, plural
from robodata_core.values import format_value

__all__ = [
    "KINDS",
    "STATUS_MARKS",
    "arguments_text",
    "call_mark",
    "call_summary",
    "claim_line",
    "claim_mark",
    "clean",
    "clock",
    "compact",
    "data_sets",
    "evidence_title",
    "fitted",
    "live_lines",
    "looked_up",
    "model_call_line",
    "named",
    "origin_line",
    "provenance_lines",
    "reading_line",
    "request_line",
    "run_figures",
    "source_name",
    "sparkline",
    "state_name",
    "steady",
    "triple_tail",
    "turn_title",
]

_STATES: Final = {
    "LOCAL_DATA_EVALUATION": "EVAL",
    "LOCAL_GRAPH_EXPLORATION": "LOCAL",
    "REMOTE_GRAPH_EXPLORATION": "REMOTE",
    "REMOTE_DATA_EVALUATION": "EVAL REMOTE",
    "LOCAL_GRAPH_UPDATE": "UPDATE",
    "PLANNING": "PLAN",
    "INVESTIGATING": "INVESTIGATE",
    "JUDGEMENT": "JUDGE",
    "PRODUCE_ANSWER": "ANSWER",
}
_EMOJI: Final = "[\U0001f000-\U0001faff\u2190-\u2bff\ufe0f]"
_JOINED: Final = re.compile(f"(?<={_EMOJI})\u200d|\u200d(?={_EMOJI})")
_MODIFIERS: Final = re.compile("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
_BARS: Final = "▁▂▃▄▅▆▇█"
_MOST_WAITING: Final = 4
_BETWEEN: Final = 6
"""Characters between two names of a list, as in ``A, B and C``."""
STATUS_MARKS: Final = {
    "": "○",
    "running": "●",
    "answered": "✓",
    "partial": "◐",
    "unknown": "?",
    "cancelled": "■",
    "failed": "✗",
}
KINDS: Final = {
    TruthKind.STATED: ("✓", "stated"),
    TruthKind.TYPICAL: ("≈", "typical"),
    TruthKind.OBSERVED: ("◉", "observed"),
    TruthKind.RECKONED: ("∑", "reckoned"),
    TruthKind.ABSENT: ("∅", "absent"),
}
"""The sign and the word of every kind of truth."""


def reading_line(state: RunState) -> Content:
    """Return what a question was taken to ask, and how sure that is: if only likely, as a caveat.

    Where nobody reckoned a probability, it is told what the rules gave, as the trace has it.
    """
    if (answer := state.answer) is None:
        return Content()
    style = "$foreground-muted" if is_sure(answer) else "$text-warning"
    told = [item for item in state.readings if item.text == answer.reading and not item.lost]
    rules = f"  {told[0].probability:.0%} by rules" if told and answer.probability is None else ""
    return Content.styled(clean(read_as(answer)) + rules, style)


def clean(text: str, limit: int = 500) -> str:
    """Return ``text`` on one line, harmless to a terminal."""
    return steady(clean_text(str(text), limit=limit))


def steady(text: str) -> str:
    """Return text whose width all terminals agree on: joined and coloured emoji stand apart.

    Joiners stay where scripts need them.
    """
    if text.isascii():
        return text
    return _MODIFIERS.sub("", _JOINED.sub("", text))


def state_name(state: str) -> str:
    """Return the short name of a state, as the rail shows it."""
    return _STATES.get(state) or clean(state.replace("_", " "), 20)


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
    return clean(narrate.arguments_text(arguments), limit)


def call_mark(call: CallView) -> str:
    """Return the sign of a call's outcome."""
    if call.ok is None:
        return "…"
    if not call.ok:
        return "✗"
    return "↺" if call.repeated else "✓"


def call_summary(call: CallView, now: datetime | None = None) -> str:
    """Return a call in one line: sign, tool, duration, what came of it.

    Args:
        call: The call.
        now: What time it is, for the age of a call that goes on.
    """
    first = next((line for line in call.text.splitlines() if line.strip()), "")
    parts = [f"{call_mark(call)} {clean(call.tool, 60)}"]
    if call.ok is None:
        parts.append(f"since {(now - call.started).total_seconds():.0f} s" if now else "goes on")
        parts.append(arguments_text(call.arguments, 80))
    else:
        parts.append(f"{call.seconds:.2f} s")
        parts += ["from memory"] if call.repeated else []
        parts.append(("failed: " if not call.ok else "") + clean(first, 160))
    return "  ".join(part for part in parts if part)


def turn_title(turn: TurnView, passed: bool = False) -> str:
    """Return the heading of a visit; one that was passed through is before the turn it led to."""
    seconds = f"  {clock(turn.seconds)}" if turn.seconds else ""
    tokens = turn.tokens.prompt + turn.tokens.completion
    cost = f"  {compact(tokens)} tok" if tokens else ""
    forced = f"  (not chosen: {clean(turn.forced, 120)})" if turn.forced else ""
    number = f"before turn {turn.number}:" if passed else f"turn {turn.number}"
    return f"{number} {state_name(turn.state)}{seconds}{cost}{forced}"


def claim_mark(claim: Claim) -> tuple[str, str]:
    """Return the sign and the word that say how a claim holds."""
    return KINDS[claim.kind] if claim.supported else ("✗", "not supported")


def claim_line(claim: Claim, room: int | None = None, listed: Sequence[str] = ()) -> str:
    """Return a claim in one line: how it holds as a sign (and a word, where it is not stated).

    Args:
        claim: The claim.
        room: Cells it has; of a longer one something is left out. None leaves nothing out.
        listed: Names that stand in rows of their own: of these it is left out first.
    """
    mark, word = claim_mark(claim)
    told = "" if claim.supported and claim.kind is TruthKind.STATED else f" ({word})"
    before, text = f"{mark} {clean(claim.id, 20)} ", clean(claim.text, 4_000)
    if room is not None:
        room -= cell_len(before + told)
        text = fitted(text if cell_len(text) <= room else _without_list(text, listed), room)
    return f"{before}{text}{told}"


def _without_list(text: str, names: Sequence[str]) -> str:
    """Return text with the first alone of names that stand in it one behind the other."""
    first = names[0] if names else ""
    start = end = text.find(first) + len(first) if first in text else 0
    for name in names[1:] if start else ():
        place = text.find(name, end, end + len(name) + _BETWEEN)
        if not name or place < 0:
            break
        end = place + len(name)
    return f"{text[:start]} …{text[end:]}" if end > start else text


def fitted(text: str, room: int) -> str:
    """Return text in so many cells: its middle goes, for names stand at both ends."""
    if cell_len(text) <= room:
        return text
    last = chop_cells(text[::-1], max((room - 1) * 3 // 5, 1))[0][::-1]
    last = last.partition(" ")[2] or last
    first = chop_cells(text, max(room - 1 - cell_len(last), 1))[0]
    return f"{(first.rpartition(' ')[0] or first).rstrip(' …')}…{last}"


def model_call_line(call: ModelCall) -> str:
    """Return a call to a language model in one line."""
    size = sum(len(message.text) + message.left_out for message in call.messages)
    parts = [
        f"prompt of {plural(len(call.messages), 'message')}, {size:,} characters",
        clean(call.model, 60),
        f"{compact(call.tokens.prompt)} + {compact(call.tokens.completion)} tok",
        f"{call.seconds:.2f} s",
    ]
    return " · ".join(part for part in parts if part)


def named(label: str, id_: str) -> str:
    """Return a label with its id, or the id alone."""
    text = clean(label, 200)
    return f"{text} ({clean(id_, 200)})" if text and text != id_ else clean(id_, 200)


def triple_tail(item: Evidence, *, ids: bool = False, most: int = 120) -> str:
    """Return a triple as seen from its subject: predicate and object.

    Args:
        item: The triple.
        ids: Whether the object's id stands behind its name.
        most: How many characters of the predicate are told.
    """
    predicate = clean(item.predicate_label or item.triple.predicate, most)
    object_ = item.triple.object
    if isinstance(object_, EntityValue):
        text = named(item.object_label, object_.id)
        text = text if ids else clean(item.object_label or object_.id, 200)
    else:
        text = clean(format_value(object_, lambda id_: item.unit_label or id_), 200)
    return f"{predicate} → {text}"


def provenance_lines(item: Evidence, record: Provenance, call: CallView | None) -> list[str]:
    """Return where a triple came from, down to the call and its query."""
    lines = [
        f"from call {clean(record.call_id, 40)} · {clean(record.tool, 64)}"
        f" · {record.retrieved:%Y-%m-%d %H:%M:%S} UTC",
        f"source {clean(record.source, 120)}"
        + (f" · {', '.join(data_sets(record))}" if record.origin else "")
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
    lines.append(clean(evidence_line(item), 600))
    if record.statement_id:
        lines.append(f"statement {clean(record.statement_id, 120)}")
    return lines


def _snak(snak: Snak) -> str:
    return f"{clean(snak.property, 80)} {clean(format_value(snak.value), 160)}"


def _at(state: RunState) -> str:
    """Return what a run that goes on is at, or waits for."""
    running = [call.tool for call in state.turn.calls if call.ok is None] if state.turn else []
    if running:
        more = f" and {len(running) - 1} more" if running[1:] else ""
        return f"waiting for {clean(running[0], 64)}{more}"
    if state.policy in ("auto", "chat", "llm"):
        return "waiting for model"
    return "working out the next step" if state.readings else "reading the question"


def sparkline(values: Sequence[float]) -> str:
    """Return figures as bars, each in proportion to the largest."""
    most = max(values, default=0.0)
    return "".join(_BARS[min(7, int(8 * value / most))] for value in values) if most else ""


def request_line(item: RequestView, now: datetime | None) -> str:
    """Return a request in one line; what is asked comes last, as a query fills any row."""
    text = clean(item.text, 120)
    if item.goes_on:
        age = f"since {max(0.0, (now - item.started).total_seconds()):.0f} s" if now else "goes on"
        parts = [f"… {age}"]
        if item.phase == "waiting":
            parts = [f"↻ {age}", f"try {item.attempt} in {item.wait:.1f} s: {text}"]
    else:
        tries = f", {item.attempt} tries" if item.attempt > 1 else ""
        mark = "✗ failed after" if item.phase == "failed" else "✓"
        parts = [f"{mark} {item.seconds:.2f} s{tries}", text]
    parts += [clean(item.target, 60), clean(item.what, 120)]
    return "  ".join(part for part in parts if part)


def run_figures(state: RunState) -> str:
    """Return a run in figures, for a frame: claims, calls, triples, tokens, time."""
    if not state.run_id:
        return ""
    parts = [plural(len(state.claims), "claim")] if state.claims else []
    parts.append(plural(state.tool_calls, "call"))
    parts += [f"{state.failed_calls} failed"] if state.failed_calls else []
    parts.append(f"+{plural(state.edges_added, 'triple')}")
    tokens = state.tokens.prompt + state.tokens.completion
    parts += [f"{compact(tokens)} tok"] if tokens else []
    parts += [f"urgency {state.urgency}"] if state.urgency not in ("", "none") else []
    return " · ".join([*parts, *([clock(state.seconds)] if state.seconds else [])])


def live_lines(state: RunState, now: datetime | None) -> list[str]:
    """Return what a run that goes on is at, in few lines: its state and what it waits for."""
    if state.ended or not (state.run_id or state.requests):
        return []
    waiting = [item for item in state.requests if item.goes_on]
    since = state.time if state.time is not None else state.started
    waited = max(0.0, (now - since).total_seconds()) if now and since else 0.0
    number = state.turn.number if state.turn is not None else 0
    asked = [item for item in state.requests if item.turn == number]
    over = sum(not item.goes_on for item in asked)
    parts = [state_name(state.state)] if state.state else []
    parts += [f"{over} of {plural(len(asked), 'request')} over"] if asked else []
    parts += [f"{plural(state.edges_added, 'triple')} found"] if state.edges_added else []
    lines = [f"… {', '.join(parts)}"] if parts else []
    if waiting:
        return [*lines, *(request_line(item, now) for item in waiting[-_MOST_WAITING:])]
    return [*lines, f"… {_at(state)}  {waited:.0f} s"]


def evidence_title(item: Evidence) -> str:
    """Return a triple on one line by its names alone."""
    return clean(f"{clean(item.subject_label or item.triple.subject, 200)} — {triple_tail(item)}")


def source_name(name: str) -> str:
    """Return the name of a source, or of several joined by ``+``, as it is shown."""
    return clean(name, 120).replace("snapshot:", "")


def looked_up(item: Absence) -> str:
    """Return where and when a look-up that found nothing was made."""
    return (
        f"nothing found in all of {source_name(item.source)} · {item.retrieved:%Y-%m-%d %H:%M} UTC"
    )


def data_sets(record: Provenance) -> list[str]:
    """Return the names of the data sets that the source has a triple from."""
    return [clean(name, 60) for name in record.origin.rsplit(":", 1)[-1].split("+") if name]


def origin_line(item: Evidence) -> str:
    """Return where a triple came from, in short: handle, sources, rank, data sets or date."""
    if not item.provenance:
        return f"{clean(item.handle, 20)} · origin unknown"
    first = item.provenance[0]
    names = ", ".join(dict.fromkeys(source_name(record.source) for record in item.provenance))
    told = ", ".join(data_sets(first)) or f"{first.retrieved:%Y-%m-%d}"
    parts = [item.handle, names, f"{first.rank.value} rank", told]
    return " · ".join(clean(part, 120) for part in parts)
