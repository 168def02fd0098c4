"""Sides: what lies between two things, and what lies left or right of one, before or behind it."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import ClassVar, Final

from robodata_core.errors import ProgramError
from robodata_core.iris import XSD
from robodata_core.model import QuantityValue, Statement
from robodata_core.programs._places import (
    DIGITS,
    WIDEST,
    Place,
    combined,
    dot,
    keep,
    places_of,
    way,
    write_along,
    write_combined,
)
from robodata_core.programs._sparql import indented
from robodata_core.programs.fields import (
    AnyProperties,
    OptionalSet,
    Properties,
    PropertyId,
    SetName,
)
from robodata_core.programs.nodes import Derived, NodeSet
from robodata_core.programs.phrases import Phrase, Reader
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.step import Step
from robodata_core.programs.world import World

__all__ = ["Between", "OnSide", "Side"]

_ASIDE: Final = 4
"""What lies between two things is this part of their distance aside of the line, at most."""
_LEVEL: Final = 2
"""So many axes, the first ones, lie level (REP 103: x and y)."""
_SQUARE: Final = 90
"""Degrees."""


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
        for places in combined(sets, self.axes, self.frame, world, result):
            if _lies_between(*places):
                keep(result, sets, places)
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the three places, and where the first one's foot is on the line."""
        text = query.text
        decimal = text.iri(XSD + "decimal")
        things = {node: self.source, text.variable(): self.first, text.variable(): self.second}
        lines, axes = write_combined(query, things, self.axes, self.frame)
        along, own, length = [], [], []
        for numbers in axes:
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


def _lies_between(thing: Place, first: Place, second: Place) -> bool:
    line, path = way(first, second), way(first, thing)
    foot, whole = dot(path, line), dot(line, line)
    return 0 < foot < whole and (dot(path, path) * whole - foot**2) * _ASIDE**2 <= whole**2


class Side(str, enum.Enum):
    """Where a thing lies to another one, as somebody sees both."""

    LEFT = "left"
    RIGHT = "right"
    FRONT = "front"
    BEHIND = "behind"


_SAID: Final = {
    Side.LEFT: "left of",
    Side.RIGHT: "right of",
    Side.FRONT: "in front of",
    Side.BEHIND: "behind",
}


@dataclass(frozen=True, slots=True)
class OnSide(Step):
    """Things of ``source`` that lie on a side of one of ``target``.

    Left and right, before and behind are told by a direction: that in which one of ``viewer`` sees
    the target, or, where there is no such set, that in which the target faces. Only the first two
    of ``axes`` count, the level ones. The thing is at most ``metres`` away along the side, and its
    direction at most ``cone`` degrees off it.

    Attributes:
        axes: The properties of coordinates.
        frame: That of what these refer to.
        facing: Those of a vector along which things face.
    """

    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"measure"})
    out: str
    source: SetName
    target: SetName
    axes: Properties
    frame: PropertyId
    side: Side
    metres: QuantityValue
    cone: QuantityValue
    facing: AnyProperties = ()
    viewer: OptionalSet = ""

    def check(self) -> None:
        """Refuse what tells no direction, or no sector of a plane."""
        if self.metres.unit is not None or not 0 <= self.metres.amount <= WIDEST:
            raise ProgramError("a distance is a number of metres without a unit.")
        if self.cone.unit is not None or not 0 < self.cone.amount < _SQUARE:
            raise ProgramError("a cone is a number of degrees between 0 and 90 without a unit.")
        if len(self.axes) < _LEVEL or len(self.facing) not in (0, _LEVEL):
            raise ProgramError("sides need two level axes, and facing two of a vector or none.")
        if not self.viewer and not self.facing:
            raise ProgramError("a side is told by a viewer, or by where a thing faces.")

    @property
    def _slope(self) -> Decimal:
        """How far aside something may be for each metre along the side."""
        return Decimal(f"{math.tan(math.radians(self.cone.amount)):.6f}")

    @property
    def _part(self) -> tuple[str, str]:
        """Which of ahead and left the side goes along, and with which sign."""
        if self.side in (Side.LEFT, Side.RIGHT):
            return "left", "" if self.side is Side.LEFT else "-"
        # What a viewer has before it is before a thing that faces it.
        return "ahead", "" if (self.side is Side.BEHIND) == bool(self.viewer) else "-"

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep what lies so."""
        result = Derived(truncated=any(one.truncated for one in sets))
        faced = () if self.viewer else places_of(sets[1], self.facing, self.frame, world, result)
        for places in combined(sets, self.axes[:_LEVEL], self.frame, world, result):
            thing, target, *viewers = places
            if viewers:
                self._decide(way(viewers[0], target), places, (), sets, result)
                continue
            for one in faced:
                if one.owner == target.owner and all(abs(n) <= WIDEST for n in one.numbers):
                    self._decide(one.numbers, places, one.why, sets, result)
        return result

    def _decide(
        self,
        direction: Sequence[Decimal],
        places: tuple[Place, ...],
        why: tuple[Statement, ...],
        sets: tuple[NodeSet, ...],
        result: Derived,
    ) -> None:
        with localcontext() as context:
            context.prec = DIGITS
            path = way(places[1], places[0])
            parts = {"ahead": dot(path, direction)}
            parts["left"] = direction[0] * path[1] - direction[1] * path[0]
            name, sign = self._part
            far = -parts.pop(name) if sign else parts.pop(name)
            (aside,) = parts.values()
            most = self.metres.amount**2 * dot(direction, direction)
            if far > 0 and far**2 <= most and abs(aside) <= self._slope * far:
                keep(result, sets, places, *why)

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the places, the direction, and how far along it and aside the thing is."""
        text = query.text
        decimal, target = text.iri(XSD + "decimal"), text.variable()
        things = {node: self.source, target: self.target}
        if self.viewer:
            things[text.variable()] = self.viewer
        lines, axes = write_combined(query, things, self.axes[:_LEVEL], self.frame)
        along = [[f"{decimal}({number})" for number in numbers] for numbers in axes]
        path = [f"({numbers[0]} - {numbers[1]})" for numbers in along]
        if self.viewer:
            direction = [f"({numbers[1]} - {numbers[2]})" for numbers in along]
        else:
            faced = [write_along(query, one, [target], WIDEST, lines)[0] for one in self.facing]
            direction = [f"{decimal}({number})" for number in faced]
        ahead, left, square = (text.variable("d") for _ in range(3))
        (x, y), (u, w) = path, direction
        lines.append(f"BIND({x} * {u} + {y} * {w} AS {ahead})")
        lines.append(f"BIND({u} * {y} - {w} * {x} AS {left})")
        lines.append(f"BIND({u} * {u} + {w} * {w} AS {square})")
        name, sign = self._part
        far, aside = (ahead, left) if name == "ahead" else (left, ahead)
        most, slope = f'{decimal}("{self.metres.amount:f}")', f'{decimal}("{self._slope:f}")'
        lines.append(
            f"FILTER({sign}{far} > 0 && {far} * {far} <= {most} * {most} * {square}"
            f" && ABS({aside}) <= {slope} * ({sign}{far}))"
        )
        return ["{", *indented(lines), "}"]

    def phrase(self, reader: Reader) -> Phrase:
        """Write "any cup that is left of the plate as the robot sees it"."""
        how = f"as {reader.of(self.viewer).inner} sees it" if self.viewer else "as it faces"
        told = f"that is {_SAID[self.side]} {reader.of(self.target).inner}, {how}"
        return reader.of(self.source).narrowed(told)
