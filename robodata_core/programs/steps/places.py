"""Places: how far apart things are, which is nearest, what is within a distance."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import partial
from typing import ClassVar, Final

from robodata_core.errors import ProgramError
from robodata_core.iris import XSD
from robodata_core.model import EntityValue, QuantityValue, Value
from robodata_core.programs._places import (
    DIGITS,
    FARTHEST,
    MOST_PAIRS,
    Place,
    places_of,
    write_along,
)
from robodata_core.programs._sparql import extremes, indented
from robodata_core.programs.fields import Properties, PropertyId, SetName
from robodata_core.programs.nodes import Derived, NodeSet
from robodata_core.programs.phrases import Phrase, Reader
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.step import Step
from robodata_core.programs.world import World

__all__ = ["Distance", "Nearest", "Within"]

_ROUNDS: Final = 20
"""Steps of Newton's method, enough for a root from a centimetre to ten kilometres."""


def _pairs(
    sets: tuple[NodeSet, ...], axes: Sequence[str], frame: str, world: World, result: Derived
) -> Iterator[tuple[Place, Place, Decimal]]:
    """Yield places of two sets that compare, and the squares of their distances."""
    first, last = (places_of(nodes, axes, frame, world, result) for nodes in sets)
    if len(first) * len(last) > MOST_PAIRS:
        result.truncated = True
        return
    with localcontext() as context:
        context.prec = DIGITS
        for one, other in itertools.product(first, last):
            if one.owner != other.owner and one.frames & other.frames:
                both = zip(one.numbers, other.numbers, strict=True)
                yield one, other, sum(((a - b) ** 2 for a, b in both), Decimal(0))


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
        numbers = write_along(query, axis, (node, other), FARTHEST, lines)
        apart = f"({decimal}({numbers[0]}) - {decimal}({numbers[1]}))"
        squares.append(f"{apart} * {apart}")
    return [*lines, f"BIND({' + '.join(squares)} AS {size})"]


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
        if self.metres.unit is not None or not 0 <= self.metres.amount <= FARTHEST:
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
