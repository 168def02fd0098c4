"""What the source states of a triple itself, and what it states instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from robodata_core.model import (
    Direction,
    EntityValue,
    NoValue,
    Rank,
    SomeValue,
    Statement,
    TimeValue,
    Triple,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.values import format_value
from robodata_core.verification.values import Agreement, compare

__all__ = ["Stated", "look_up", "qualifier_notes"]

_MOST: Final = 1_000
_QUALIFIERS: Final = 3


@dataclass(slots=True)
class Stated:
    """What stands under a subject and property.

    Attributes:
        same: Statements of the triple that count.
        within: Statements that are more precise than the triple and agree with it.
        beyond: Statements that are less precise than the triple and agree as far as they go.
        outranked: Statements of the triple beside which another is preferred.
        deprecated: Statements of the triple that the source has withdrawn.
        others: Statements with another value that count.
        apart: Statements whose value is of another kind or unit.
        changing: Whether values hold for a time only, or several were stated over time.
        denied: Statements that say that there is no value.
        cut: Whether not all statements could be looked through.
    """

    same: list[Statement] = field(default_factory=list)
    within: list[Statement] = field(default_factory=list)
    beyond: list[Statement] = field(default_factory=list)
    outranked: list[Statement] = field(default_factory=list)
    deprecated: list[Statement] = field(default_factory=list)
    others: list[Statement] = field(default_factory=list)
    apart: list[Statement] = field(default_factory=list)
    changing: bool = False
    denied: list[Statement] = field(default_factory=list)
    cut: bool = False


def look_up(source: KnowledgeSource, triple: Triple) -> Stated:
    """Look at everything stated under the subject and property of a triple.

    Raises:
        SourceError: If the source cannot be read.
    """
    subject, property_ = triple.subject, triple.predicate
    page = source.statements(subject, property=property_, limit=_MOST)
    every = source.statements(subject, property=property_, limit=_MOST, all_ranks=True)
    statements = list(page.statements)
    found = Stated(cut=page.truncated)
    if page.truncated and isinstance(triple.object, EntityValue):
        # A subject with more values than can be looked at: the value may know it.
        into = source.statements(
            triple.object.id, direction=Direction.IN, property=property_, limit=_MOST
        )
        statements += [one for one in into.statements if one.subject == subject]
        found.cut = into.truncated
    for statement in dict.fromkeys(statements):
        _sort(found, statement, triple)
    counting = set(statements)
    for statement in every.statements:
        if statement in counting or compare(triple.object, statement.value) is not Agreement.SAME:
            continue
        withdrawn = statement.rank is Rank.DEPRECATED
        (found.deprecated if withdrawn else found.outranked).append(statement)
    kept = [one for one in every.statements if one.rank is not Rank.DEPRECATED]
    found.changing = len(kept) > len(page.statements) or any(map(_dated, statements))
    return found


def _sort(found: Stated, statement: Statement, triple: Triple) -> None:
    if isinstance(statement.value, NoValue):
        found.denied.append(statement)
        return
    if isinstance(statement.value, SomeValue):
        return
    place = {
        Agreement.SAME: found.same,
        Agreement.WITHIN: found.within,
        Agreement.BEYOND: found.beyond,
        Agreement.OTHER: found.others,
        Agreement.APART: found.apart,
    }
    place[compare(triple.object, statement.value)].append(statement)


def _dated(statement: Statement) -> bool:
    return any(isinstance(snak.value, TimeValue) for snak in statement.qualifiers)


def qualifier_notes(
    statements: Iterable[Statement],
    property_label: Callable[[str], str],
    entity_label: Callable[[str], str],
) -> tuple[str, ...]:
    """Say what narrows statements down: "end time: 1984"."""
    notes = []
    for statement in statements:
        told = [
            f"{property_label(snak.property)}: {format_value(snak.value, entity_label)}"
            for snak in statement.qualifiers[:_QUALIFIERS]
        ]
        if told:
            notes.append(f"It is stated with {'; '.join(told)}.")
    return tuple(notes[:_QUALIFIERS])
