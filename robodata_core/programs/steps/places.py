"""Places: how far apart things are, which is nearest, what is within a distance or between others.

A place is what properties with numbers, the axes, say of a thing (metres, as REP 103 has them). Two
places compare if both are given in one frame: if both things share a value of its property.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import partial
from typing import ClassVar, Final

from robodata_core.errors import ProgramError
from robodata_core.iris import XSD
from robodata_core.model import EntityValue, QuantityValue, SomeValue, Statement, Value
from robodata_core.programs._sparql import extremes, indented
from robodata_core.programs.fields import Properties, PropertyId, SetName
from robodata_core.programs.keys import Key, key_of
from robodata_core.programs.nodes import Derived, NodeSet, entity_ids
from robodata_core.programs.phrases import Phrase, Reader
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.step import Step
from robodata_core.programs.world import World

__all__ = ["Between", "Distance", "Nearest", "Within"]

_MOST_PAIRS: Final = 200_000
_FARTHEST: Final = 10**9
"""Most metres from the origin; beyond, squares leave the decimals of some engines."""
_WIDEST: Final = 10**4
"""Most metres from the origin where fourth powers are reckoned with, for the same reason."""
_ASIDE: Final = 4
"""What lies between two things is this part of their distance aside of the line, at most."""
_ROUNDS: Final = 20
"""Steps of Newton's method, enough for a root from a centimetre to ten kilometres."""
_DIGITS: Final = 100


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a thing is: its numbers along the axes, the frames, and the statements that say so."""

    owner: str
    numbers: tuple[Decimal, ...]
    frames: frozenset[Key]
    why: tuple[Statement, ...]


def _places(
    nodes: NodeSet, axes: Sequence[str], frame: str, world: World, result: NodeSet
) -> list[_Place]:
    found: dict[str, dict[str, list[Statement]]] = {}
    for id_, one in world.statements(entity_ids(nodes), (*axes, frame), result):
        found.setdefault(id_, {}).setdefault(one.property, []).append(one)
    return [place for id_, said in found.items() for place in _of(id_, said, axes, frame)]


def _of(
    id_: str, said: dict[str, list[Statement]], axes: Sequence[str], frame: str
) -> Iterator[_Place]:
    frames = [one for one in said.get(frame, ()) if not isinstance(one.value, SomeValue)]
    along = [
        [
            (one.value.amount, one)
            for one in said.get(axis, ())
            if isinstance(one.value, QuantityValue) and abs(one.value.amount) <= _FARTHEST
        ]
        for axis in axes
    ]
    for combination in itertools.product(*along):
        yield _Place(
            id_,
            tuple(number for number, _ in combination),
            frozenset(key_of(one.value) for one in frames),
            (*(one for _, one in combination), *frames),
        )


def _pairs(
    sets: tuple[NodeSet, ...], axes: Sequence[str], frame: str, world: World, result: Derived
) -> Iterator[tuple[_Place, _Place, Decimal]]:
    """Yield places of two sets that compare, and the squares of their distances."""
    first, last = (_places(nodes, axes, frame, world, result) for nodes in sets)
    if len(first) * len(last) > _MOST_PAIRS:
        result.truncated = True
        return
    with localcontext() as context:
        context.prec = _DIGITS
        for one, other in itertools.product(first, last):
            if one.owner != other.owner and one.frames & other.frames:
                both = zip(one.numbers, other.numbers, strict=True)
                yield one, other, sum(((a - b) ** 2 for a, b in both), Decimal(0))


def _dot(one: Sequence[Decimal], other: Sequence[Decimal]) -> Decimal:
    return sum((a * b for a, b in zip(one, other, strict=True)), Decimal(0))


def _square(
    query: QueryWriter, step: Distance | Nearest | Within, node: str, size: str, other: str = ""
) -> list[str]:
    """Write two things that compare, and the square of their distance."""
    text = query.text
    other = other or text.variable()
    frame, decimal = text.variable("f"), text.iri(XSD + "decimal")
    lines = [
        *query.set(step.source, node),
        *query.set(step.target, other),
        f"FILTER({node} != {other})",
        *(f"{one} {text.predicate(step.frame)} {frame} ." for one in (node, other)),
    ]
    squares = []
    for axis in step.axes:
        numbers = _along(query, axis, (node, other), _FARTHEST, lines)
        apart = f"({decimal}({numbers[0]}) - {decimal}({numbers[1]}))"
        squares.append(f"{apart} * {apart}")
    return [*lines, f"BIND({' + '.join(squares)} AS {size})"]


def _along(
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


@dataclass(frozen=True, slots=True)
class Distance(Step):
    """How many metres lie between things of ``source`` and of ``target``, to the centimetre.

    ``axes`` are the properties of their coordinates, ``frame`` that of what these refer to.
    """

    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"measure"})
    out: str
    source: SetName
    target: SetName
    axes: Properties
    frame: PropertyId

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Give the distance of each from each other one."""
        result = Derived(truncated=any(one.truncated for one in sets))
        for one, other, square in _pairs(sets, self.axes, self.frame, world, result):
            # Halves go up, as ROUND in SPARQL does.
            hundredths = (square.sqrt() * 100 + Decimal("0.5")).to_integral_value("ROUND_FLOOR")
            came = ((sets[0], one.owner), (sets[1], other.owner))
            result.add(QuantityValue(hundredths / 100), came, (*one.why, *other.why))
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the root of the square; SPARQL has none, so it is reckoned by Newton's method."""
        text = query.text
        square, decimal = text.variable("d"), text.iri(XSD + "decimal")
        root = text.variable("r")
        lines = _square(query, self, text.variable(), square)
        lines.append(f"BIND(({text.iri(XSD + 'double')}({square}) + 1) / 2 AS {root})")
        for _ in range(_ROUNDS):
            better = text.variable("r")
            lines.append(f"BIND(({root} + {square} / {root}) / 2 AS {better})")
            root = better
        return [
            f"{{ SELECT DISTINCT {node} WHERE {{",
            *indented(lines),
            f"  BIND({decimal}(ROUND({root} * 100)) / 100 AS {node})",
            "} }",
        ]

    def phrase(self, reader: Reader) -> Phrase:
        """Write "metres from the cup to the sink"."""
        source, target = reader.of(self.source), reader.of(self.target)
        return Phrase(f"metres from {source.inner} to {target.inner}", counts=True)


@dataclass(frozen=True, slots=True)
class Nearest(Step):
    """Things of ``source`` that are nearest to one of ``target``, or farthest; ties are all kept.

    ``axes`` are the properties of their coordinates, ``frame`` that of what these refer to.
    """

    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"order", "measure", "choice"})
    hangs_on_all: ClassVar[bool] = True
    out: str
    source: SetName
    target: SetName
    axes: Properties
    frame: PropertyId
    farthest: bool = False

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep what is nearest, or farthest."""
        result = Derived(truncated=any(one.truncated for one in sets))
        pairs = list(_pairs(sets, self.axes, self.frame, world, result))
        best = max if self.farthest else min
        wanted = best((square for _, _, square in pairs), default=None)
        for one, other, square in pairs:
            if square == wanted:
                value: Value = EntityValue(one.owner)
                came = ((sets[0], one.owner), (sets[1], other.owner))
                result.add(value, came, (*one.why, *other.why))
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the squares of the distances, and the least or largest of them."""
        write = partial(_square, query, self)
        return extremes(query.text, write, node, largest=self.farthest, number="d")

    def phrase(self, reader: Reader) -> Phrase:
        """Write "one nearest to the sink of (any cup)"."""
        target, source = reader.of(self.target), reader.of(self.source)
        how = "farthest from" if self.farthest else "nearest to"
        return Phrase(f"one {how} {target.inner} of ({source.whole})")


@dataclass(frozen=True, slots=True)
class Within(Step):
    """Things of ``source`` that are at most so many metres from one of ``target``, itself left out.

    ``axes`` are the properties of their coordinates, ``frame`` that of what these refer to.
    """

    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"measure"})
    out: str
    source: SetName
    target: SetName
    axes: Properties
    frame: PropertyId
    metres: QuantityValue

    def check(self) -> None:
        """Refuse distances that are none."""
        if self.metres.unit is not None or not 0 <= self.metres.amount <= _FARTHEST:
            raise ProgramError("a distance is a number of metres without a unit.")

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep what is so near."""
        result = Derived(truncated=any(one.truncated for one in sets))
        most = self.metres.amount**2
        for one, other, square in _pairs(sets, self.axes, self.frame, world, result):
            if square <= most:
                came = ((sets[0], one.owner), (sets[1], other.owner))
                result.add(EntityValue(one.owner), came, (*one.why, *other.why))
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the squares of the distances, and the largest that will do."""
        text = query.text
        square, most = text.variable("d"), f"{self.metres.amount:f}"
        lines = _square(query, self, node, square)
        decimal = text.iri(XSD + "decimal")
        lines.append(f'FILTER({square} <= {decimal}("{most}") * {decimal}("{most}"))')
        return ["{", *indented(lines), "}"]

    def phrase(self, reader: Reader) -> Phrase:
        """Write "any cup that is within 2 metres of the sink"."""
        amount = f"{self.metres.amount.normalize():f}"
        unit = "metre" if amount == "1" else "metres"
        told = f"that is within {amount} {unit} of {reader.of(self.target).inner}"
        return reader.of(self.source).narrowed(told)


@dataclass(frozen=True, slots=True)
class Between(Step):
    """Things of ``source`` that lie between one of ``first`` and one of ``second``.

    Such a thing is beside the line from one to the other, no farther from it than a quarter of its
    length. ``axes`` are the properties of their coordinates, ``frame`` that of what these refer to.
    """

    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"measure"})
    out: str
    source: SetName
    first: SetName
    second: SetName
    axes: Properties
    frame: PropertyId

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep what lies so."""
        result = Derived(truncated=any(one.truncated for one in sets))
        with localcontext() as context:
            context.prec = _DIGITS
            each = [
                [
                    place
                    for place in _places(nodes, self.axes, self.frame, world, result)
                    if all(abs(number) <= _WIDEST for number in place.numbers)
                ]
                for nodes in sets
            ]
            if math.prod(map(len, each)) > _MOST_PAIRS:
                result.truncated = True
                return result
            for places in itertools.product(*each):
                if _lies_between(*places):
                    came = tuple(
                        (nodes, place.owner) for nodes, place in zip(sets, places, strict=True)
                    )
                    why = tuple(one for place in places for one in place.why)
                    result.add(EntityValue(places[0].owner), came, why)
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the three places, and where the first one's foot is on the line."""
        text = query.text
        names = (node, text.variable(), text.variable())
        frame, decimal = text.variable("f"), text.iri(XSD + "decimal")
        lines = []
        for source, name in zip((self.source, self.first, self.second), names, strict=True):
            lines += query.set(source, name)
        lines += [f"FILTER({a} != {b})" for a, b in itertools.combinations(names, 2)]
        lines += [f"{one} {text.predicate(self.frame)} {frame} ." for one in names]
        along, own, length = [], [], []
        for axis in self.axes:
            numbers = _along(query, axis, names, _WIDEST, lines)
            thing, begin, end = (f"{decimal}({number})" for number in numbers)
            along.append(f"({thing} - {begin}) * ({end} - {begin})")
            own.append(f"({thing} - {begin}) * ({thing} - {begin})")
            length.append(f"({end} - {begin}) * ({end} - {begin})")
        foot, apart, whole = (text.variable("d") for _ in range(3))
        for terms, name in ((along, foot), (own, apart), (length, whole)):
            lines.append(f"BIND({' + '.join(terms)} AS {name})")
        aside = f"({apart} * {whole} - {foot} * {foot}) * {_ASIDE**2}"
        lines.append(f"FILTER({foot} > 0 && {foot} < {whole} && {aside} <= {whole} * {whole})")
        return ["{", *indented(lines), "}"]

    def phrase(self, reader: Reader) -> Phrase:
        """Write "anything that is between the cup and the sink"."""
        first, second = reader.of(self.first).inner, reader.of(self.second).inner
        return reader.of(self.source).narrowed(f"that is between {first} and {second}")


def _lies_between(thing: _Place, first: _Place, second: _Place) -> bool:
    if len({thing.owner, first.owner, second.owner}) < 3:
        return False
    if not thing.frames & first.frames & second.frames:
        return False
    line, way = (
        [b - a for a, b in zip(first.numbers, other.numbers, strict=True)]
        for other in (second, thing)
    )
    foot, whole = _dot(way, line), _dot(line, line)
    return 0 < foot < whole and (_dot(way, way) * whole - foot**2) * _ASIDE**2 <= whole**2
