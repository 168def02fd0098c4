"""What stands at the top of a source's classes."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from robodata_core.errors import RoboDataError
from robodata_core.iris import predicate_iri
from robodata_core.model import EntityValue
from robodata_core.sources.base import KnowledgeSource, QueryLimits

__all__ = ["top_class"]

_log = logging.getLogger("robodata.language")
_CANDIDATES: Final = 5


def top_class(source: KnowledgeSource, relations: Iterable[str]) -> str:
    """Return the class without superclass that has most subclasses.

    Empty where the source has no hierarchy or cannot be queried.

    Args:
        source: The source.
        relations: Those from a class to the one above it.
    """
    best: tuple[int, str] | None = None
    for name in relations:
        relation = predicate_iri(name)
        query = (
            f"SELECT ?top (COUNT(DISTINCT ?low) AS ?n) WHERE {{ ?low <{relation}> ?top ."
            f" FILTER NOT EXISTS {{ ?top <{relation}> ?above . FILTER(?above != ?top) }} }}"
            f" GROUP BY ?top ORDER BY DESC(?n) ?top LIMIT {_CANDIDATES}"
        )
        try:
            result = source.sparql(query, limits=QueryLimits(_CANDIDATES, 5.0))
        except RoboDataError as error:
            _log.info("no root was found: %s", error)
            continue
        for row in result.rows[:1]:
            top, count = row[0], row[1]
            number = int(getattr(count, "amount", 0))
            if isinstance(top, EntityValue) and (best is None or number > best[0]):
                best = (number, top.id)
    return best[1] if best else ""
