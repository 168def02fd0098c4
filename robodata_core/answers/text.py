"""An answer as lines for people, in a terminal or a pipe. No colours here, only style names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from robodata_core.model import (
    Answer,
    AnswerStatus,
    Claim,
    EntityValue,
    Evidence,
    ResultItem,
    RunStatistics,
    Spending,
    TokenCount,
    TruthKind,
)
from robodata_core.question import BOUND_IDS
from robodata_core.text import clean_text, plural
from robodata_core.values import format_value

__all__ = [
    "answer_lines",
    "claim_lines",
    "evidence_line",
    "is_sure",
    "labelled",
    "read_as",
    "result_text",
    "shown_question",
    "spending_lines",
    "status_line",
]

_MARKS: Final = {True: "✓", False: "✗ unsupported:"}
_MOST_RESULTS: Final = 12
_MOST_IDS: Final = 3
_MOST_READ: Final = 400
_MOST_SUPPORT: Final = 40
_MOST_TOLD: Final = 4_000
_MOST_LINE: Final = 100_000
#: Above this a reading is not called likely.
_SURE: Final = 0.9
_KINDS: Final = {
    TruthKind.STATED: "",
    TruthKind.TYPICAL: " (usual for its kind)",
    TruthKind.OBSERVED: " (observed)",
    TruthKind.RECKONED: " (reckoned)",
    TruthKind.ABSENT: " (not stated, after a complete look-up)",
}


def answer_lines(
    answer: Answer,
    *,
    explain: bool = False,
    most_claims: int | None = 30,
    label: Callable[[str], str] = str,
) -> Iterator[tuple[str, str]]:
    """Yield (style, line) pairs: the answer, its numbered claims, and their support sets.

    Args:
        answer: What to show.
        explain: Also show the reasoning program and its SPARQL.
        most_claims: Claims shown at most; None shows all.
        label: What things are called that the question points back to, see ``labelled``.
    """
    if answer.understood_as:
        yield "dim", f"understood as: {shown_question(answer.understood_as, label)}"
    for style, line in _answer_lines(answer, explain, most_claims):
        yield style, _safe(line)


def _answer_lines(
    answer: Answer, explain: bool, most_claims: int | None
) -> Iterator[tuple[str, str]]:
    yield "bold", _headline(answer)
    if answer.reading:
        yield "dim", read_as(answer)
    for text in answer.missing if answer.claims or answer.results else ():
        yield "", clean_text(text)
    for text in answer.notes:
        yield "dim", clean_text(text)
    shown = answer.claims if most_claims is None else answer.claims[:most_claims]
    for claim in shown:
        yield "", ""
        yield from claim_lines(claim)
    yield from _absence_lines(answer)
    if answer.comment:
        yield "", ""
        yield "dim", f"In the model's words, not checked: {clean_text(answer.comment, limit=2_000)}"
    if len(shown) < len(answer.claims):
        yield "", ""
        yield "dim", f"… {plural(len(answer.claims) - len(shown), 'more claim')} (--all shows all)"
    if explain and answer.sparql:
        yield "", ""
        yield "bold", "As a query"
        yield "dim", answer.sparql


def _absence_lines(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield look-ups that found nothing and that no claim tells of."""
    claimed = {claim.text for claim in answer.claims}
    for item in answer.absences:
        if item.text in claimed:
            continue
        yield "", ""
        yield "", f"{item.handle} nothing found: {clean_text(item.text)}"
        asked = f"{item.source} · asked {item.retrieved:%Y-%m-%d %H:%M} UTC by {item.tool}"
        yield "dim", f"       {clean_text(asked)}"


def _safe(line: str) -> str:
    """Return a line without what steers a terminal: ids and handles may come from any journal."""
    return clean_text(line, limit=_MOST_LINE, multiline=True)


def read_as(answer: Answer) -> str:
    """Return what the question was taken to ask, and how probable that is; empty if not told."""
    if not answer.reading:
        return ""
    told = f"Read as: {clean_text(answer.reading, limit=_MOST_READ)}"
    if answer.probability is None:
        return told
    return f"{told}  {'' if is_sure(answer) else '? likely '}{answer.probability:.0%}"


def is_sure(answer: Answer) -> bool:
    """Tell whether the reading is more than likely, as far as is known."""
    return answer.probability is None or answer.probability >= _SURE


def shown_question(text: str, label: Callable[[str], str] = str) -> str:
    """Return a question as people read it: of sets some names, in the place of all their ids.

    Args:
        text: The question, as it was asked.
        label: What things are called, see ``labelled``.
    """

    def few(match: re.Match[str]) -> str:
        ids = match[1].split(", ")
        if len(ids) == 1:
            return match[0]
        names = [clean_text(label(id_.strip("<>"))) for id_ in ids[:_MOST_IDS]]
        more = len(ids) - len(names)
        return f" ({', '.join(names)}{f' and {more:,} more' if more else ''})"

    return clean_text(BOUND_IDS.sub(few, text), limit=2_000)


def labelled(evidence: Iterable[Evidence]) -> Callable[[str], str]:
    """Return what gives the label of something that stands in one of these triples, or its id."""
    labels: dict[str, str] = {}
    for item in evidence:
        labels[item.triple.subject] = item.subject_label
        if isinstance(item.triple.object, EntityValue):
            labels[item.triple.object.id] = item.object_label
    return lambda id_: labels.get(id_) or id_


def _headline(answer: Answer) -> str:
    if answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL) and answer.results:
        names = [clean_text(result_text(item)) for item in answer.results[:_MOST_RESULTS]]
        more = len(answer.results) - len(names)
        return ", ".join(names) + (f" and {more} more" if more else "")
    return clean_text(answer.text, limit=4_000) or "There is no answer."


def result_text(item: ResultItem) -> str:
    """Return one result in words."""
    if isinstance(item.value, bool):
        return "Yes" if item.value else "No"
    if isinstance(item.value, int):
        return item.label or str(item.value)
    if isinstance(item.value, EntityValue):
        return item.label or item.value.id
    return format_value(item.value, lambda id_: item.unit_label or id_)


def claim_lines(claim: Claim) -> Iterator[tuple[str, str]]:
    """Yield (style, line) pairs: a claim, its triples, and where each came from."""
    mark = _MARKS[claim.supported]
    text = clean_text(claim.text, limit=_MOST_TOLD) + (
        _KINDS[claim.kind] if claim.supported else ""
    )
    yield ("green" if claim.supported else "red"), f"{_safe(claim.id)} {mark} {text}"
    if claim.problem:
        yield "dim", f"     {clean_text(claim.problem)}"
    shown = claim.support.evidence[:_MOST_SUPPORT]
    for evidence in shown:
        yield "", f"     {evidence_line(evidence)}"
        yield "dim", f"       {_origin(evidence)}"
    if len(shown) < len(claim.support.evidence):
        yield "dim", f"     … {len(claim.support.evidence) - len(shown):,} more triples (in --json)"


def evidence_line(evidence: Evidence) -> str:
    """Return one supporting triple on a line: handle, labels, ids."""
    triple = evidence.triple
    subject = _named(evidence.subject_label, triple.subject)
    predicate = _named(evidence.predicate_label, triple.predicate)
    if isinstance(triple.object, EntityValue):
        object_ = _named(evidence.object_label, triple.object.id)
    else:
        object_ = clean_text(format_value(triple.object, lambda id_: evidence.unit_label or id_))
    return _safe(f"{evidence.handle}  {subject} — {predicate} → {object_}")


def _named(label: str, id_: str) -> str:
    clean = clean_text(label)
    return f"{clean} ({id_})" if clean and clean != id_ else id_


def _origin(evidence: Evidence) -> str:
    if not evidence.provenance:
        return "origin unknown"
    record = evidence.provenance[0]
    parts = [record.source]
    if record.origin:
        parts.append(record.origin.rsplit(":", 1)[-1])
    parts.append(f"{record.rank.value} rank")
    parts.append(f"fetched {record.retrieved:%Y-%m-%d %H:%M} UTC by {record.tool}")
    return " · ".join(clean_text(part) for part in parts)


def status_line(answer: Answer) -> str:
    """Return how the run went, on one line for the narration."""
    stats = answer.statistics
    parts = [answer.status.value]
    if answer.completeness is not None and answer.completeness.reported is not None:
        parts.append(f"{answer.completeness.found} of {answer.completeness.reported} found")
    parts.append(plural(stats.turns, "turn"))
    parts.append(plural(stats.tool_calls, "tool call"))
    parts.append(f"{plural(stats.nodes, 'node')} and {plural(stats.edges, 'edge')} added")
    tokens = stats.tokens.prompt + stats.tokens.completion
    if tokens:
        parts.append(plural(tokens, "token"))
    if stats.cost is not None:
        parts.append(f"cost {stats.cost:.4f}")
    parts.append(f"{stats.seconds:.2f} s")
    offline = " (no language model)" if answer.policy == "offline" else ""
    parts.append(f"policy {answer.policy}{offline}")
    return _safe(" · ".join(parts))


def spending_lines(statistics: RunStatistics) -> Iterator[str]:
    """Yield a table of what model calls took, by role and state; nothing without a model.

    The cost stands in it where prices are set; calls that the server did not count are named.
    """
    rows = statistics.spending
    if not rows:
        return
    head = ("role", "state", "model", "calls", "sent", "received", "cost")
    total = Spending(
        "total", "", "", sum(row.calls for row in rows), sum(row.uncounted for row in rows),
        sum((row.tokens for row in rows), TokenCount()), statistics.cost,
    )  # fmt: skip
    table = [head, *(_spending_cells(row) for row in (*rows, total))]
    if all(row.cost is None for row in rows):
        table = [cells[:-1] for cells in table]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for cells in table:
        texts = (
            cell.ljust(width) if index < 3 else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        yield "  ".join(texts).rstrip()
    if total.uncounted:
        counted = plural(total.uncounted, "call")
        yield f"The server did not count the tokens of {counted}: those are estimated."


def _spending_cells(row: Spending) -> tuple[str, ...]:
    return (
        row.role,
        row.state,
        clean_text(row.model, limit=40),
        f"{row.calls:,}",
        f"{row.tokens.prompt:,}",
        f"{row.tokens.completion:,}",
        "-" if row.cost is None else f"{row.cost:.4f}",
    )
