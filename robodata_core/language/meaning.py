"""What a text may mean: a small tree over the steps of ``programs``, lowered to a Program.

A meaning is frozen and hashable, so that equal meanings are one, whatever words they were read
from. ``lower`` turns it into steps; equal parts become one step. Nothing here knows words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from robodata_core.language.types import Edge
from robodata_core.model import Direction, Value
from robodata_core.programs import steps
from robodata_core.programs.steps import Comparison, JudgeKind, Program, Step

__all__ = [
    "AllOf",
    "AnyOf",
    "Applied",
    "Except",
    "Given",
    "Holds",
    "Kind",
    "Linked",
    "Meaning",
    "Most",
    "MostLinked",
    "Number",
    "OfKind",
    "Reach",
    "Where",
    "flipped",
    "lower",
    "parts_of",
    "with_parts",
]


@dataclass(frozen=True, slots=True)
class Given:
    """Things or literals that the text names."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """All instances of classes; ``via`` are the relations that say what a thing is."""

    classes: tuple[str, ...]
    via: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """What any of some edges leads to from a set."""

    of: Meaning
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class OfKind:
    """Those of a set that are instances of classes."""

    of: Meaning
    classes: tuple[str, ...]
    via: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Where:
    """Those of a set (of all things, without one) with a value that compares so."""

    of: Meaning | None
    property: str
    comparison: Comparison
    value: Value


@dataclass(frozen=True, slots=True)
class Linked:
    """Those of a set (of all things, without one) that relations join to so many others."""

    of: Meaning | None
    properties: tuple[str, ...]
    direction: Direction
    comparison: Comparison
    number: int


@dataclass(frozen=True, slots=True)
class AllOf:
    """What is in all of some sets."""

    sets: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """What is in any of some sets."""

    sets: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class Except:
    """What is in a set and not in another."""

    of: Meaning
    minus: Meaning


@dataclass(frozen=True, slots=True)
class Most:
    """Those of a set with the largest or smallest value of a property."""

    of: Meaning
    property: str
    largest: bool


@dataclass(frozen=True, slots=True)
class MostLinked:
    """Those of a set (of all things, without one) that are joined to most others, or fewest."""

    of: Meaning | None
    properties: tuple[str, ...]
    direction: Direction
    largest: bool


@dataclass(frozen=True, slots=True)
class Applied:
    """A step of ``programs`` over parts: what has no form of its own here (ages, sums, spans).

    ``make`` is the step with its names of sets left empty; ``roles`` names the fields that the
    parts fill, in order.
    """

    make: Step
    parts: tuple[Meaning, ...]
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """How many are in a set."""

    of: Meaning


@dataclass(frozen=True, slots=True)
class Holds:
    """Whether a set has members, or one certain member."""

    of: Meaning
    member: Value | None = None


Meaning: TypeAlias = (
    Given
    | Kind
    | Reach
    | OfKind
    | Where
    | Linked
    | AllOf
    | AnyOf
    | Except
    | Most
    | MostLinked
    | Applied
    | Number
    | Holds
)


def flipped(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """Return edges followed the other way."""
    back = {Direction.OUT: Direction.IN, Direction.IN: Direction.OUT}
    return tuple((name, back[way]) for name, way in edges)


def lower(meaning: Meaning) -> Program:
    """Return the program of a meaning."""
    lowering = _Lowering()
    out = lowering.name(meaning)
    return Program((*lowering.steps, steps.End(out)))


def parts_of(meaning: Meaning) -> tuple[Meaning, ...]:
    """Return the meanings that a meaning is directly made of."""
    if isinstance(meaning, (AllOf, AnyOf)):
        return meaning.sets
    if isinstance(meaning, Except):
        return (meaning.of, meaning.minus)
    if isinstance(meaning, Applied):
        return meaning.parts
    if isinstance(meaning, (Given, Kind)) or meaning.of is None:
        return ()
    return (meaning.of,)


def with_parts(meaning: Meaning, parts: tuple[Meaning, ...]) -> Meaning:
    """Return a meaning made of other parts, in the order of ``parts_of``."""
    if isinstance(meaning, (AllOf, AnyOf)):
        return replace(meaning, sets=parts)
    if isinstance(meaning, Except):
        return replace(meaning, of=parts[0], minus=parts[1])
    if isinstance(meaning, Applied):
        return replace(meaning, parts=parts)
    if isinstance(meaning, (Given, Kind)) or not parts:
        return meaning
    return replace(meaning, of=parts[0])


class _Lowering:
    """Names the parts of a meaning and collects their steps, innermost first."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._names: dict[Meaning, str] = {}

    def name(self, meaning: Meaning) -> str:
        """Return the name of the set (number, truth) of a meaning, its steps written before."""
        known = self._names.get(meaning)
        if known is None:
            known = self._reach(meaning) if isinstance(meaning, Reach) else self._plain(meaning)
            self._names[meaning] = known
        return known

    def _add(self, make: Callable[[str], Step]) -> str:
        name = f"n{len(self.steps)}"
        self.steps.append(make(name))
        return name

    def _reach(self, meaning: Reach) -> str:
        of = self.name(meaning.of)
        outs = []
        for way in (Direction.OUT, Direction.IN):
            names = tuple(name for name, direction in meaning.edges if direction is way)
            if names:
                outs.append(self._follow(of, names, way))
        if len(outs) == 1:
            return outs[0]
        return self._add(lambda out: steps.Union(out, tuple(outs)))

    def _follow(self, of: str, names: tuple[str, ...], way: Direction) -> str:
        return self._add(lambda out: steps.Follow(out, of, names, way))

    def _plain(self, meaning: Meaning) -> str:
        build = _BUILDERS[type(meaning)]
        parts = tuple(self.name(part) for part in parts_of(meaning))
        return self._add(lambda out: build(meaning, out, parts))


def _first(parts: tuple[str, ...]) -> str:
    return parts[0] if parts else ""


def _applied(m: Applied, out: str, parts: tuple[str, ...]) -> Step:
    fields: dict[str, Any] = {"out": out, **dict(zip(m.roles, parts, strict=True))}
    make: Any = m.make
    step: Step = replace(make, **fields)
    return step


def _holds(m: Holds, out: str, parts: tuple[str, ...]) -> Step:
    kind = JudgeKind.NOT_EMPTY if m.member is None else JudgeKind.CONTAINS
    return steps.Judge(out, parts[0], kind, m.member)


_BUILDERS: Final[Mapping[type, Callable[[Any, str, tuple[str, ...]], Step]]] = MappingProxyType(
    {
        Given: lambda m, out, p: steps.Start(out, m.values),
        Kind: lambda m, out, p: steps.FilterByType(out, "", m.classes, m.via),
        OfKind: lambda m, out, p: steps.FilterByType(out, p[0], m.classes, m.via),
        Where: lambda m, out, p: steps.FilterByConstraint(
            out, _first(p), m.property, m.comparison, m.value
        ),
        Linked: lambda m, out, p: steps.FilterByCount(
            out, _first(p), m.properties, m.direction, m.comparison, m.number
        ),
        AllOf: lambda m, out, p: steps.Intersect(out, p),
        AnyOf: lambda m, out, p: steps.Union(out, p),
        Except: lambda m, out, p: steps.Difference(out, p[0], p[1]),
        Most: lambda m, out, p: steps.Extreme(out, p[0], m.property, m.largest),
        MostLinked: lambda m, out, p: steps.ExtremeCount(
            out, _first(p), m.properties, m.direction, m.largest
        ),
        Applied: _applied,
        Number: lambda m, out, p: steps.Count(out, p[0]),
        Holds: _holds,
    }
)
