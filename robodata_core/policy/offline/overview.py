"""What else to tell where it is asked who or what something is.

The answer is what the thing is, its class or occupation; that alone tells little. The few facts
that tell most are shown beside it, of different relations, each cited. Which these are is data:
``telling.tsv``, and where a graph has other relations, those with the fewest values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from robodata_core.errors import ConfigurationError
from robodata_core.model import (
    Direction,
    Entity,
    EntityValue,
    QuantityValue,
    Statement,
    TimeValue,
    Value,
)
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.tables import packaged, rows_in
from robodata_core.sources.base import KnowledgeSource

__all__ = ["described_as", "read_telling", "subject_of", "telling"]

_COLUMNS: Final = 2
_MOST: Final = 8
#: With fewer facts than these, relations that no table knows are shown, too.
_ENOUGH: Final = 3
#: A relation with more values than these says little by one of them.
_FEW: Final = 3
_LOOKED_AT: Final = 300
_SHOWABLE: Final = (EntityValue, TimeValue, QuantityValue)


def subject_of(candidate: Candidate, evidence: Iterable[Statement]) -> str:
    """Return the id of the one thing that a definition is about, or an empty string."""
    ids = {id_ for link in candidate.links for id_ in link.ids}
    about = {one.subject for one in evidence} & ids
    return about.pop() if len(about) == 1 and len(candidate.path) == 1 else ""


def telling(
    subject: str, told: Sequence[Statement], index: RelationIndex, source: KnowledgeSource
) -> tuple[Statement, ...]:
    """Return the facts that tell most of a thing, at most eight.

    Args:
        subject: Its id.
        told: What the answer says already.
        index: The relations of the graph.
        source: Where facts are read.
    """
    page = source.statements(subject, direction=Direction.OUT, limit=_LOOKED_AT)
    told_by = {one.property for one in told}
    held: dict[str, list[Statement]] = {}
    for one in page.statements:
        known = index.properties.get(one.property)
        if known is not None and one.property not in told_by and _showable(one.value):
            held.setdefault(one.property, []).append(one)
    found: list[Statement] = []
    for labels, most in telling_relations():
        names = (name for label in labels for name in sorted(index.named(label)))
        name = next((name for name in names if name in held), "")
        found += held.pop(name, [])[:most]
    if len(found) < _ENOUGH:
        rest = sorted(held.values(), key=len)
        found += [some[0] for some in rest if len(some) <= _FEW]
    return tuple(found[:_MOST])


def described_as(entity: Entity | None) -> tuple[str, ...]:
    """Return how the graph describes a thing, as a note; none where it does not."""
    text = entity.description.strip() if entity is not None else ""
    return (f"The graph describes {entity.name} as: {text}.",) if entity and text else ()


def _showable(value: Value) -> bool:
    return isinstance(value, _SHOWABLE)


@lru_cache(maxsize=1)
def telling_relations() -> tuple[tuple[tuple[str, ...], int], ...]:
    """Return the rows of ``telling.tsv``: labels of a relation, and how many values to show."""
    return tuple(read_telling(packaged("telling.tsv")))


def read_telling(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the rows of a table.

    Raises:
        ConfigurationError: If a line is not labels and a number.
    """
    for cells in rows_in(text):
        names = tuple(label.strip() for label in cells[0].split("|") if label.strip())
        if not names or len(cells) != _COLUMNS or not cells[1].isdigit():
            line = "\t".join(cells)
            raise ConfigurationError(f"This line of telling.tsv cannot be read: {line[:100]}")
        yield names, int(cells[1])
