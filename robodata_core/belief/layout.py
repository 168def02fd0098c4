"""How the things of one state of a map lie to each other: in, on, near, in front of.

``geometry`` says when a relation holds between two boxes; here is which pairs come into question at
all. Things are kept in a grid, so that what is far away is never compared. A ``Layout`` is made for
one state of the map and thrown away with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, TypeAlias

from robodata_core.belief import geometry
from robodata_core.belief.geometry import Box, box_of
from robodata_core.belief.model import MapObject, MapSettings, Region, RegionKind

__all__ = ["Layout", "Relation", "Thing"]

Thing: TypeAlias = "MapObject | Region"

_HOLDS: Final = {
    "in": geometry.is_in,
    "on": geometry.is_on,
    "near": geometry.is_near,
    "in_front_of": geometry.in_front_of,
}
_SMALLEST_CELL: Final = 0.5
_LATER: Final = ((1, -1), (1, 0), (1, 1), (0, 1))
"""Half of a cell's neighbours: the other half has this cell among theirs."""


@dataclass(frozen=True, slots=True)
class Relation:
    """How a thing lies to another one (a name of ``geometry``); metres between the centres."""

    name: str
    target: str
    apart: float


@dataclass(frozen=True, slots=True)
class _Placed:
    """A thing with its box, and how far along x or y what it holds may be from its centre."""

    thing: Thing
    box: Box
    reach: float


class Layout:
    """The things of a map as they lie now. Does not change.

    Args:
        things: Objects and regions, each with an id of its own.
        settings: The map's tolerances.
    """

    def __init__(self, things: Iterable[Thing], settings: MapSettings) -> None:
        self._settings = settings
        self._cell = max(settings.near, _SMALLEST_CELL)
        self._cells: dict[tuple[int, int], list[_Placed]] = {}
        self._placed: list[_Placed] = []
        # What holds things farther away than this is looked at always: rooms, mostly.
        self._usual = 2 * self._cell
        self._wide: list[_Placed] = []
        for thing in things:
            box = box_of(thing)
            reach = math.hypot(box.size[0], box.size[1]) / 2 + settings.edge
            placed = _Placed(thing, box, reach)
            self._placed.append(placed)
            self._cells.setdefault(self._cell_of(box), []).append(placed)
            if reach > self._usual:
                self._wide.append(placed)

    def things(self) -> Iterator[Thing]:
        """Yield the things."""
        return (placed.thing for placed in self._placed)

    def relations(self, item: Thing, names: Sequence[str]) -> tuple[Relation, ...]:
        """Return how a thing lies to every other one, nearest first.

        Args:
            item: The thing; it need not be one of the layout's.
            names: Which relations are wanted.
        """
        box = box_of(item)
        x, y, _ = box.pose.position
        free = self._free(names)
        found = []
        for other in self._around(box, max(free, self._usual), self._wide):
            reach = max(free, other.reach)
            place = other.box.pose.position
            if abs(place[0] - x) > reach or abs(place[1] - y) > reach or other.thing.id == item.id:
                continue
            for name in names:
                if self._lies(item, box, other.thing, other.box, name):
                    found.append(Relation(name, other.thing.id, _apart(box, other.box)))
        return _nearest_first(found)

    def related(self, target: Thing, name: str) -> tuple[Relation, ...]:
        """Return the things that lie so to ``target``, nearest first; ``target`` names each."""
        box = box_of(target)
        found = []
        for other in self._reached(box, name):
            if self._lies(other.thing, other.box, target, box, name):
                found.append(Relation(name, other.thing.id, _apart(other.box, box)))
        return _nearest_first(found)

    def contents(self, holder: Thing) -> frozenset[str]:
        """Return the ids of what is in or on a thing, or in or on something that is."""
        things = {placed.thing.id: placed.thing for placed in self._placed}
        open_, found = [holder], {holder.id}
        while open_:
            thing = open_.pop()
            for name in ("in", "on"):
                for relation in self.related(thing, name):
                    if relation.target not in found:
                        found.add(relation.target)
                        if any(things[relation.target].size):
                            open_.append(things[relation.target])
        return frozenset(found - {holder.id})

    def lies(self) -> Mapping[str, set[tuple[str, str]]]:
        """Return how everything lies: by id, the names of relations with the ids they lead to."""
        found: dict[str, set[tuple[str, str]]] = {placed.thing.id: set() for placed in self._placed}
        for one, other in self._pairs():
            if self._lies(one.thing, one.box, other.thing, other.box, "near"):
                found[one.thing.id].add(("near", other.thing.id))
                found[other.thing.id].add(("near", one.thing.id))  # it is the same both ways
        for holder in self._placed:
            for name in self._held_by(holder):
                for other in self._reached(holder.box, name):
                    if self._lies(other.thing, other.box, holder.thing, holder.box, name):
                        found[other.thing.id].add((name, holder.thing.id))
        return found

    # -- candidates -----------------------------------------------------------------------------

    def _cell_of(self, box: Box) -> tuple[int, int]:
        x, y, _ = box.pose.position
        return math.floor(x / self._cell), math.floor(y / self._cell)

    def _around(self, box: Box, far: float, besides: Sequence[_Placed]) -> Iterator[_Placed]:
        """Yield what lies within some metres of a box, with more; and once each of ``besides``."""
        steps = math.ceil(far / self._cell)
        if (2 * steps + 1) ** 2 >= len(self._cells):
            yield from self._placed
            return
        yield from besides
        column, row = self._cell_of(box)
        for x in range(column - steps, column + steps + 1):
            for y in range(row - steps, row + steps + 1):
                for placed in self._cells.get((x, y), ()):
                    if not besides or placed.reach <= self._usual:
                        yield placed

    def _reached(self, box: Box, name: str) -> Iterator[_Placed]:
        """Yield what may lie so to a target."""
        held = math.hypot(box.size[0], box.size[1]) / 2 + self._settings.edge
        reach = max(self._free((name,)), held)
        x, y, _ = box.pose.position
        for other in self._around(box, reach, ()):
            place = other.box.pose.position
            if abs(place[0] - x) <= reach and abs(place[1] - y) <= reach:
                yield other

    def _pairs(self) -> Iterator[tuple[_Placed, _Placed]]:
        """Yield every two things that may be near each other, once."""
        for (x, y), here in self._cells.items():
            yield from combinations(here, 2)
            for right, up in _LATER:
                for other in self._cells.get((x + right, y + up), ()):
                    for one in here:
                        yield one, other

    def _held_by(self, holder: _Placed) -> Iterator[str]:
        """Yield the relations besides near in which anything can lie to a thing."""
        if holder.box.has_size:
            if holder.box.holds_in:
                yield "in"
            if holder.box.holds_on:
                yield "on"
        if _faces(holder.thing):
            yield "in_front_of"

    # -- pairs ----------------------------------------------------------------------------------

    def _free(self, names: Sequence[str]) -> float:
        """Return how far away something may be where the size of the other does not matter."""
        reaches = {"near": self._settings.near, "in_front_of": self._settings.in_front}
        return max((reaches.get(name, 0.0) for name in names), default=0.0)

    def _lies(self, item: Thing, box: Box, target: Thing, other: Box, name: str) -> bool:
        return _HOLDS[name](box, other, self._settings) and _may(item, target, name)


def _may(item: Thing, target: Thing, name: str) -> bool:
    """Tell whether a relation makes sense: a region lies on or in regions only.

    Rooms stand before nothing and near nothing, nor does anything before or near them: what is
    near the middle of a room is in it.
    """
    if name in ("near", "in_front_of"):
        regions = isinstance(item, Region) and isinstance(target, Region)
        faces = name == "near" or _faces(target)
        return faces and not (regions or _is_room(item) or _is_room(target))
    return isinstance(item, MapObject) or isinstance(target, Region)


def _faces(target: Thing) -> bool:
    """Tell whether it is known where something faces."""
    return target.faces if isinstance(target, MapObject) else not _is_room(target)


def _is_room(thing: Thing) -> bool:
    return isinstance(thing, Region) and thing.kind is RegionKind.VOLUME


def _apart(one: Box, other: Box) -> float:
    return geometry.distance(one, other) or 0.0


def _nearest_first(relations: list[Relation]) -> tuple[Relation, ...]:
    return tuple(sorted(relations, key=lambda relation: (relation.apart, relation.target)))
