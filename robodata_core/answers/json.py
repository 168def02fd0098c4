"""An answer as JSON: the contract of ``robodata ask --json``.

The keys of the contract are always there. ``understood_as``, ``absences``, ``missing``,
``suggestions``, ``attempt``, ``notes``, ``program`` and ``sparql`` appear only when they have
something to say; ``cost`` and ``spending`` stand among the statistics where a language model was
asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from robodata_core.answers.origins import as_of
from robodata_core.model import (
    Absence,
    Answer,
    Claim,
    EntityValue,
    Evidence,
    MonolingualTextValue,
    Provenance,
    QuantityValue,
    ResultItem,
    RunStatistics,
    Spending,
    TimeValue,
    Triple,
    Value,
)
from robodata_core.values import datatype_of, format_value, iso_time, precision_name

__all__ = [
    "answer_to_json",
    "claim_to_json",
    "evidence_to_json",
    "statistics_to_json",
    "value_to_json",
]


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """Return ``answer`` as the documented JSON object."""
    data: dict[str, Any] = {
        "question": answer.question,
        "status": answer.status.value,
        "answer": answer.text,
        "reading": answer.reading,
        "probability": answer.probability,
        "comment": answer.comment or None,
        "policy": answer.policy,
        "claims": [claim_to_json(claim) for claim in answer.claims],
        "results": [_result(item) for item in answer.results],
        "completeness": {
            "found": answer.completeness.found if answer.completeness else len(answer.results),
            "reported": answer.completeness.reported if answer.completeness else None,
        },
        "statistics": statistics_to_json(answer.statistics),
        "trace": list(answer.trace),
    }
    if answer.understood_as:
        data["understood_as"] = answer.understood_as
    if answer.absences:
        data["absences"] = [_absence(item) for item in answer.absences]
    if answer.missing:
        data["missing"] = list(answer.missing)
    if answer.suggestions:
        data["suggestions"] = [{"id": hit.id, "label": hit.label} for hit in answer.suggestions]
    if answer.attempt:
        data["attempt"] = answer.attempt
    if answer.notes:
        data["notes"] = list(answer.notes)
    if answer.program:
        data["program"] = answer.program
    if answer.sparql:
        data["sparql"] = answer.sparql
    return data


def evidence_to_json(evidence: Evidence) -> dict[str, Any]:
    """Return one supporting triple with labels and its first provenance record."""
    triple = evidence.triple
    data: dict[str, Any] = {
        "handle": evidence.handle,
        "subject": {"id": triple.subject, "label": evidence.subject_label},
        "predicate": {"id": triple.predicate, "label": evidence.predicate_label},
        "object": value_to_json(triple.object, evidence.object_label, evidence.unit_label),
    }
    if evidence.provenance:
        data["provenance"] = _provenance(evidence.provenance[0], evidence.statement)
    return data


def value_to_json(value: Value, label: str = "", unit_label: str = "") -> dict[str, Any]:
    """Return an entity as id and label, a literal as value and datatype (and what it needs)."""
    if isinstance(value, EntityValue):
        return {"id": value.id, "label": label}
    data: dict[str, Any] = {"value": format_value(value), "datatype": datatype_of(value)}
    if isinstance(value, QuantityValue):
        data["value"] = _number(value.amount)
        if value.unit:
            data["unit"] = {"id": value.unit, "label": unit_label}
    elif isinstance(value, TimeValue):
        data["value"] = iso_time(value)
        data["precision"] = precision_name(value.precision)
    elif isinstance(value, MonolingualTextValue):
        data["language"] = value.language
    return data


def _number(amount: Decimal) -> int | float | str:
    if amount == amount.to_integral_value() and abs(amount) < 2**53:
        return int(amount)
    as_float = float(amount)
    return as_float if Decimal(repr(as_float)) == amount else str(amount)


def _absence(item: Absence) -> dict[str, Any]:
    data: dict[str, Any] = {
        "handle": item.handle,
        "text": item.text,
        "provenance": {
            "source": item.source,
            "tool": item.tool,
            "arguments": dict(item.arguments),
            "retrieved": item.retrieved.isoformat(),
            "run": item.run_id,
            "call": item.call_id,
        },
    }
    if item.triple is not None:
        data["looked_for"] = _triple(item.triple, item.labels)
    return data


def _triple(triple: Triple, labels: Mapping[str, str]) -> dict[str, Any]:
    subject, predicate = triple.subject, triple.predicate
    label = labels.get(triple.object.id, "") if isinstance(triple.object, EntityValue) else ""
    return {
        "subject": {"id": subject, "label": labels.get(subject, "")},
        "predicate": {"id": predicate, "label": labels.get(predicate, "")},
        "object": value_to_json(triple.object, label),
    }


def claim_to_json(claim: Claim) -> dict[str, Any]:
    """Return a claim with its support."""
    data: dict[str, Any] = {
        "id": claim.id,
        "text": claim.text,
        "kind": claim.kind.value,
        "supported": claim.supported,
        "support": [evidence_to_json(item) for item in claim.support.evidence],
    }
    if when := as_of(claim.support.evidence):
        data["as_of"] = when
    if claim.problem:
        data["problem"] = claim.problem
    return data


def _result(item: ResultItem) -> dict[str, Any]:
    if isinstance(item.value, (bool, int)):
        plain: dict[str, Any] = {"value": item.value, "datatype": datatype_of(item.value)}
        # A number that is a lower bound says so.
        return plain | {"label": item.label} if item.label.startswith("at least") else plain
    return value_to_json(item.value, item.label, item.unit_label)


def _provenance(record: Provenance, statement: str) -> dict[str, Any]:
    data: dict[str, Any] = {
        "source": record.source,
        "statement": record.statement_id or statement,
        "rank": record.rank.value,
        "retrieved": record.retrieved.isoformat(),
        "run": record.run_id,
        "call": record.call_id,
        "tool": record.tool,
    }
    if record.origin:
        data["origin"] = record.origin
    if record.revision is not None:
        data["revision"] = record.revision
    return data


def statistics_to_json(statistics: RunStatistics) -> dict[str, Any]:
    """Return the figures of a run."""
    data: dict[str, Any] = {
        "turns": statistics.turns,
        "tool_calls": statistics.tool_calls,
        "tokens": {"prompt": statistics.tokens.prompt, "completion": statistics.tokens.completion},
        "seconds": round(statistics.seconds, 3),
        "nodes": statistics.nodes,
        "edges": statistics.edges,
    }
    if statistics.spending:
        data["cost"] = statistics.cost
        data["spending"] = [_spending(row) for row in statistics.spending]
    return data


def _spending(row: Spending) -> dict[str, Any]:
    return {
        "role": row.role,
        "state": row.state,
        "model": row.model,
        "calls": row.calls,
        "uncounted_calls": row.uncounted,
        "tokens": {"prompt": row.tokens.prompt, "completion": row.tokens.completion},
        "cost": row.cost,
    }
