"""Short descriptions derived from facts: "human; philosopher, mathematician; Germany".

For entities whose data brings no description. A description says what the thing is, what it does
or who made it, and where it belongs, as far as facts say so; where none of this is known, the
first facts themselves serve ("release year 1971; directed by Richard Brooks"), else what points
to the thing ("sibling of Ann Lee").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from robodata_core.iris import WDT, iri_of
from robodata_core.model import (
    Direction,
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.sources.predicates import SUBCLASS, TYPE, Role, role_of, says_nothing
from robodata_core.sources.snapshot._graph import Graph
from robodata_core.text import clean_text

N = TypeVar("N")
Labels = Callable[[Iterable[str]], Mapping[str, str]]

_LIMIT: Final = 120
_LOOKED_AT: Final = 8

# (predicate, what stands before, most values); the first of a group that has values serves.
_Group = tuple[tuple[str, str, int], ...]
_KINDS: Final[_Group] = (
    (WDT + "P31", "", 2),
    (TYPE, "", 2),
    (WDT + "P279", "kind of", 2),
    (SUBCLASS, "kind of", 2),
)
_DETAILS: Final[_Group] = (
    (WDT + "P106", "", 2),  # occupation
    (WDT + "P50", "by", 1),  # author
    (WDT + "P57", "by", 1),  # director
    (WDT + "P86", "by", 1),  # composer
    (WDT + "P170", "by", 1),  # creator
    (WDT + "P175", "by", 1),  # performer
    (WDT + "P136", "", 1),  # genre
    (WDT + "P361", "part of", 1),
)
_PLACES: Final[_Group] = (
    (WDT + "P27", "", 1),  # country of citizenship
    (WDT + "P17", "", 1),  # country
    (WDT + "P495", "", 1),  # country of origin
    (WDT + "P131", "in", 1),  # administrative unit
    (WDT + "P276", "in", 1),  # location
    (WDT + "P159", "in", 1),  # headquarters
)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a description: ids (to be labelled) or a text, after a word or a property."""

    ids: tuple[str, ...] = ()
    text: str = ""
    before: str = ""
    property: str = ""
    after: str = ""


def describe(graph: Graph[N], id_: str, labels_of: Labels) -> str:
    """Return a description of ``id_``, or an empty string where nothing is known.

    Args:
        graph: Where the facts are.
        id_: What to describe.
        labels_of: Gives the labels of ids; one without a label may be missing.
    """
    try:
        node = graph.find(iri_of(id_))
    except ValueError:
        return ""
    if node is None:
        return ""
    there = {predicate for predicate, _ in graph.runs(node, Direction.OUT)}
    found = (_first(graph, node, group, there) for group in (_KINDS, _DETAILS, _PLACES))
    parts = [part for part in found if part is not None]
    parts = parts or _facts(graph, node) or _mentions(graph, node)
    wanted = {id_ for part in parts for id_ in (*part.ids, part.property) if id_}
    labels = labels_of(sorted(wanted))
    texts = (_spell(part, labels) for part in parts)
    return clean_text("; ".join(text for text in texts if text), limit=_LIMIT)


def _spell(part: _Part, labels: Mapping[str, str]) -> str:
    value = part.text or ", ".join(labels[id_] for id_ in part.ids if labels.get(id_))
    before = labels.get(part.property, "") if part.property else part.before
    if not value or (part.property and not before):
        return ""
    return " ".join(piece for piece in (before, part.after, value) if piece)


def _first(graph: Graph[N], node: N, group: _Group, there: set[str]) -> _Part | None:
    for predicate, before, most in group:
        if predicate not in there:
            continue
        ids = _ids(graph, node, Direction.OUT, predicate)
        ids = [item for item in ids if not says_nothing(item)]
        if ids:
            return _Part(ids=tuple(ids[:most]), before=before)
    return None


def _ids(graph: Graph[N], node: N, direction: Direction, predicate: str) -> list[str]:
    edges = graph.edges(node, direction, predicate, 0, _LOOKED_AT)
    values = (graph.value(far) for far, _ in edges)
    return [value.id for value in values if isinstance(value, EntityValue)]


def _facts(graph: Graph[N], node: N) -> list[_Part]:
    parts = []
    for predicate, _ in graph.runs(node, Direction.OUT)[:_LOOKED_AT]:
        role, property_ = role_of(predicate)
        if role is not Role.FACT or property_ == TYPE:
            continue
        value = graph.value(graph.edges(node, Direction.OUT, predicate, 0, 1)[0][0])
        if isinstance(value, EntityValue):
            parts.append(_Part(ids=(value.id,), property=property_))
        elif text := _text(value):
            parts.append(_Part(text=text, property=property_))
    return parts[:2]


def _mentions(graph: Graph[N], node: N) -> list[_Part]:
    for predicate, _ in graph.runs(node, Direction.IN)[:_LOOKED_AT]:
        role, property_ = role_of(predicate)
        ids = _ids(graph, node, Direction.IN, predicate) if role is Role.FACT else []
        if ids:
            return [_Part(ids=tuple(ids[:1]), property=property_, after="of")]
    return []


def _text(value: Value) -> str:
    if isinstance(value, StringValue | MonolingualTextValue):
        return value.text if len(value.text) <= 60 else ""
    if isinstance(value, QuantityValue) and value.unit is None:
        return str(value.amount)
    return str(value.year) if isinstance(value, TimeValue) else ""
