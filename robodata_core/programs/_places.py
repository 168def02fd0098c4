"""Where things are, as programs reckon with it: places that compare, read and written as SPARQL.

A place is what properties with numbers, the axes, say of a thing (metres, as REP 103 has them). Two
places compare if both are given in one frame: if both things share a value of its property.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Final

from robodata_core.model import EntityValue, QuantityValue, SomeValue, Statement
from robodata_core.programs.keys import Key, key_of
from robodata_core.programs.nodes import Derived, NodeSet, entity_ids
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.world import World

__all__ = [
    "DIGITS",
    "FARTHEST",
    "MOST_PAIRS",
    "WIDEST",
    "Place",
    "combined",
    "dot",
    "keep",
    "places_of",
    "way",
    "write_along",
    "write_combined",
]

MOST_PAIRS: Final = 200_000
FARTHEST: Final = 10**9
"""Most metres from the origin; beyond, squares leave the decimals of some engines."""
WIDEST: Final = 10**4
"""Most metres from the origin where fourth powers are reckoned with, for the same reason."""
DIGITS: Final = 100


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing is: its numbers along the axes, the frames, and the statements that say so."""

    owner: str
    numbers: tuple[Decimal, ...]
    frames: frozenset[Key]
    why: tuple[Statement, ...]


def places_of(
    nodes: NodeSet, axes: Sequence[str], frame: str, world: World, result: NodeSet
) -> list[Place]:
    """Return where nodes are, with the statements that say so."""
    found: dict[str, dict[str, list[Statement]]] = {}
    for id_, one in world.statements(entity_ids(nodes), (*axes, frame), result):
        found.setdefault(id_, {}).setdefault(one.property, []).append(one)
    return [place for id_, said in found.items() for place in _of(id_, said, axes, frame)]


def _of(
    id_: str, said: dict[str, list[Statement]], axes: Sequence[str], frame: str
) -> Iterator[Place]:
    frames = [one for one in said.get(frame, ()) if not isinstance(one.value, SomeValue)]
    along = [
        [
            (one.value.amount, one)
            for one in said.get(axis, ())
            if isinstance(one.value, QuantityValue) and abs(one.value.amount) <= FARTHEST
        ]
        for axis in axes
    ]
    for combination in itertools.product(*along):
        yield Place(
            id_,
            tuple(number for number, _ in combination),
            frozenset(key_of(one.value) for one in frames),
            (*(one for _, one in combination), *frames),
        )


def dot(one: Sequence[Decimal], other: Sequence[Decimal]) -> Decimal:
    """Return the inner product of two vectors of the same length."""
    return sum((a * b for a, b in zip(one, other, strict=True)), Decimal(0))


def way(begin: Place, end: Place) -> list[Decimal]:
    """Return the vector from one place to another."""
    return [b - a for a, b in zip(begin.numbers, end.numbers, strict=True)]


def combined(
    sets: tuple[NodeSet, ...], axes: Sequence[str], frame: str, world: World, result: Derived
) -> Iterator[tuple[Place, ...]]:
    """Yield places of things, one of each set, that are not the same and have one frame."""
    with localcontext() as context:
        context.prec = DIGITS
        each = [
            [
                place
                for place in places_of(nodes, axes, frame, world, result)
                if all(abs(number) <= WIDEST for number in place.numbers)
            ]
            for nodes in sets
        ]
        if math.prod(map(len, each)) > MOST_PAIRS:
            result.truncated = True
            return
        for places in itertools.product(*each):
            apart = len({place.owner for place in places}) == len(places)
            if apart and frozenset.intersection(*(place.frames for place in places)):
                yield places


def keep(
    result: Derived, sets: tuple[NodeSet, ...], places: tuple[Place, ...], *more: Statement
) -> None:
    """Take the first of some things, for what is stated of all of them."""
    came = tuple((nodes, place.owner) for nodes, place in zip(sets, places, strict=True))
    why = (*(one for place in places for one in place.why), *more)
    result.add(EntityValue(places[0].owner), came, why)


def write_combined(
    query: QueryWriter, things: Mapping[str, str], axes: Sequence[str], frame: str
) -> tuple[list[str], list[list[str]]]:
    """Write what ``combined`` yields, and for each axis the variables of the things' numbers.

    Args:
        query: The query.
        things: The sets by the variables of their things.
        axes: The properties of coordinates.
        frame: The property of what these refer to.
    """
    text = query.text
    common, lines = text.variable("f"), []
    for name, source in things.items():
        lines += query.set(source, name)
    lines += [f"FILTER({a} != {b})" for a, b in itertools.combinations(things, 2)]
    lines += [f"{one} {text.predicate(frame)} {common} ." for one in things]
    return lines, [write_along(query, axis, [*things], WIDEST, lines) for axis in axes]


def write_along(
    query: QueryWriter, axis: str, things: Sequence[str], most: int, lines: list[str]
) -> list[str]:
    """Write what an axis says of some things to lines, and return the variables of its numbers."""
    text = query.text
    numbers = [text.variable("v") for _ in things]
    for one, number in zip(things, numbers, strict=True):
        lines += [
            f"{one} {text.predicate(axis)} {number} .",
            f"FILTER(isNumeric({number}) && ABS({number}) <= {most})",
        ]
    return numbers
