"""Statements of sources as evidence outside of a run's local graph: for facts and typed answers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from robodata_core.belief.source import MAP_SOURCE
from robodata_core.belief.vocabulary import AUTHOR, INSTANCE_OF, POINT_IN_TIME
from robodata_core.model import (
    EntityValue,
    Evidence,
    Provenance,
    QuantityValue,
    Statement,
    StringValue,
    TruthKind,
)
from robodata_core.values import format_value

if TYPE_CHECKING:
    from robodata_core.sources.base import KnowledgeSource

__all__ = ["Call", "evidence_for", "kind_of", "said_by"]


class Call:
    """Who asks: stands in the provenance of what is found.

    Args:
        tool: What asks, for example ``find_objects``.
        run_id: Id of the request.
        call_id: Id of the look-up in it.
    """

    __slots__ = ("call_id", "run_id", "tool")

    def __init__(self, tool: str, run_id: str = "", call_id: str = "c1") -> None:
        self.tool = tool
        self.run_id = run_id
        self.call_id = call_id if run_id else ""


def evidence_for(
    statements: Iterable[Statement], source: KnowledgeSource, call: Call
) -> tuple[Evidence, ...]:
    """Return statements with their names and where they came from, in their order.

    Raises:
        SourceError: If the source cannot be asked for the names.
    """
    given = tuple(statements)
    ids: set[str] = set()
    for item in given:
        ids.add(item.subject)
        if isinstance(item.value, EntityValue):
            ids.add(item.value.id)
        elif isinstance(item.value, QuantityValue) and item.value.unit:
            ids.add(item.value.unit)
    names = {id_: entity.name for id_, entity in source.entities(ids).items()} if ids else {}
    relations = source.properties({item.property for item in given}) if given else {}
    now = datetime.now(timezone.utc)
    found = []
    for item in given:
        relation = relations.get(item.property)
        record = Provenance(
            source=item.source or source.name,
            retrieved=now,
            run_id=call.run_id,
            call_id=call.call_id,
            tool=call.tool,
            statement_id=item.id,
            rank=item.rank,
            qualifiers=item.qualifiers,
            references=item.references,
            origin=item.origin,
            revision=item.revision,
        )
        found.append(
            Evidence(
                "",
                item.triple,
                "",
                names.get(item.subject, item.subject),
                relation.name if relation else item.property,
                format_value(item.value, lambda id_: names.get(id_, id_)),
                (record,),
            )
        )
    return tuple(found)


def said_by(evidence: Iterable[Evidence]) -> str:
    """Return who said what is told of things of a map; empty where it was seen.

    What somebody calls a thing makes what was seen of it no word of theirs, unless nothing else is
    told.
    """
    of_map = [
        (item.triple.predicate, {snak.property: snak.value for snak in record.qualifiers})
        for item in evidence
        for record in item.provenance
        if record.source == MAP_SOURCE
    ]
    told = [one for one in of_map if one[0] != INSTANCE_OF and POINT_IN_TIME in one[1]] or of_map
    authors = (said.get(AUTHOR) for _, said in told)
    return next((who.text for who in authors if isinstance(who, StringValue)), "")


def kind_of(evidence: Iterable[Evidence], *, of_class: bool = False) -> TruthKind:
    """Return what kind of truth evidence tells: observed if any of it is, unless somebody said so.

    Args:
        evidence: What a claim rests on.
        of_class: Whether it says what is usual of a kind of things.
    """
    if of_class:
        return TruthKind.TYPICAL
    given = tuple(evidence)
    if said_by(given):
        return TruthKind.STATED
    seen = any(record.source == MAP_SOURCE for item in given for record in item.provenance)
    return TruthKind.OBSERVED if seen else TruthKind.STATED
