"""The statements that the answers of a plan rest on, and those the local graph lacks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from robodata_core.model import EntityValue, QuantityValue, Statement
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.parts import Part
from robodata_core.programs.steps import Count, ExtremeCount, JudgeSize
from robodata_core.store.graph import LocalGraph

__all__ = ["MAX_RELATED", "MAX_RESULTS", "entity_ids", "evidence_of", "is_contest", "missing_in"]

#: Most results of an answer.
MAX_RESULTS: Final = 2_000
#: Most statements shown beside the evidence.
MAX_RELATED: Final = 12


def is_contest(candidate: Candidate) -> bool:
    """Tell whether the sizes of sets are compared, so that all of these are to be shown."""
    return any(
        isinstance(one, ExtremeCount) or (isinstance(one, (Count, JudgeSize)) and bool(one.minus))
        for one in candidate.steps
    )


def evidence_of(parts: Iterable[Part]) -> tuple[Statement, ...]:
    """Return every statement that the sure parts of a plan rest on."""
    found: dict[Statement, None] = {}
    for part in parts:
        if part.sure and part.result is not None:
            found.update(dict.fromkeys(part.result.evidence))
            whole = part.best is not None and is_contest(part.best.candidate)
            shown = part.related[: MAX_RESULTS if whole else MAX_RELATED]
            found.update(dict.fromkeys(shown))
    return tuple(found)


def missing_in(graph: LocalGraph, statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """Return the statements that do not stand in the local graph."""
    return tuple(s for s in statements if not graph.contains(s.triple))


def entity_ids(statements: Iterable[Statement]) -> tuple[str, ...]:
    """Return the ids of all entities in some statements."""
    found: dict[str, None] = {}
    for statement in statements:
        found[statement.subject] = None
        if isinstance(statement.value, EntityValue):
            found[statement.value.id] = None
        if isinstance(statement.value, QuantityValue) and statement.value.unit:
            found[statement.value.unit] = None
    return tuple(found)
