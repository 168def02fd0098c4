"""Where things were before: each stay of a thing as a node of its own, with its places and times.

A stay is no thing of the map and is found by no name: it is reached from its thing alone
(``STAY``), and says from when to when the thing was seen there and which regions that place is in
or on. What else stood near it then is not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from robodata_core.belief import vocabulary as v
from robodata_core.belief.model import MapObject, Pose, Region, Stay
from robodata_core.model import (
    Entity,
    EntityValue,
    QuantityValue,
    Snak,
    Statement,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.values import format_time

if TYPE_CHECKING:
    from robodata_core.belief.map import BeliefMap

__all__ = ["MOVED_AND_STAYED", "Past"]

#: What is said of a thing's past only where it is asked for.
MOVED_AND_STAYED: Final = (v.STAY, v.MOVED)
_START, _END = "P580", "P582"
_PLACES: Final = {v.WAS_IN: ("in",), v.WAS_ON: ("on",), v.WAS_AT: ("in", "on")}


@dataclass(frozen=True, slots=True)
class Past:
    """Tells of the stays of a map's things.

    Attributes:
        belief: The map.
        time: Makes a value of a stamp.
        name: What the map's statements name as their source.
    """

    belief: BeliefMap
    time: Callable[[float], TimeValue]
    name: str

    def entity(self, iri: str) -> Entity | None:
        """Return a stay with its name; None for what is none, or none any more."""
        found = self._found(iri)
        if found is None:
            return None
        item, stay = found
        since, until = format_time(self.time(stay.since)), format_time(self.time(stay.until))
        told = f"at {since}" if since == until else f"from {since} until {until}"
        return Entity(iri, f"{item.name} {told}", f"where {item.name} was seen")

    def of_thing(self, item: MapObject, property_: str) -> list[Statement]:
        """Return the stays of a thing, or when each but the first of them began."""
        found = []
        for number, stay in enumerate(item.history):
            if property_ == v.STAY:
                value: Value = EntityValue(_iri(item, stay))
            elif number:
                value = self.time(stay.since)
            else:
                continue
            found.append(self._said(item, stay, v.instance_iri(item.id), property_, value))
        return found

    def about(self, iri: str, property_: str | None) -> list[Statement]:
        """Return what is said of a stay."""
        found = self._found(iri)
        if found is None:
            return []
        item, stay = found
        told = []
        for name in (property_,) if property_ else (*_PLACES, v.SINCE, v.UNTIL, v.UNSEEN):
            for value in self._values(item, stay, name):
                told.append(self._said(item, stay, iri, name, value))
        return told

    def pointing(self, iri: str, property_: str | None) -> list[Statement]:
        """Return the statements that lead to a stay, or to a region that things were at."""
        found = self._found(iri)
        if found is not None and property_ in (None, v.STAY):
            item, stay = found
            return [self._said(item, stay, v.instance_iri(item.id), v.STAY, EntityValue(iri))]
        if property_ not in _PLACES or v.id_of(iri) is None:
            return []
        value = EntityValue(iri)
        return [
            self._said(item, stay, _iri(item, stay), property_, value)
            for item in self.belief.objects()
            for stay in item.history
            if value in self._values(item, stay, property_)
        ]

    def _values(self, item: MapObject, stay: Stay, property_: str) -> Iterator[Value]:
        if property_ == v.SINCE:
            yield self.time(stay.since)
        elif property_ == v.UNTIL:
            yield self.time(stay.until)
        elif property_ == v.UNSEEN:
            yield QuantityValue(Decimal(round(stay.gap)))
        elif property_ in _PLACES:
            then = replace(item, frame=stay.frame, pose=Pose(stay.position), history=())
            for relation in self.belief.relations(then, _PLACES[property_]):
                if isinstance(self.belief.thing(relation.target), Region):
                    yield EntityValue(v.instance_iri(relation.target))

    def _said(
        self, item: MapObject, stay: Stay, subject: str, property_: str, value: Value
    ) -> Statement:
        qualifiers: tuple[Snak, ...] = (
            Snak(_START, self.time(stay.since)),
            Snak(_END, self.time(stay.until)),
            Snak(v.FRAME, StringValue(stay.frame or "?")),
        )
        origin = item.source or "?"
        author = item.said_by("pose") if stay is item.history[-1] else ""
        if author:
            origin, qualifiers = author, (*qualifiers, Snak(v.AUTHOR, StringValue(author)))
        reference = v.told_by(origin, None if author else stay.message)
        return Statement(
            subject, property_, value, qualifiers=qualifiers, references=(reference,),
            source=self.name, origin=origin,
        )  # fmt: skip

    def _found(self, iri: str) -> tuple[MapObject, Stay] | None:
        if not iri.startswith(v.STAY_IRI):
            return None
        id_, _, _ = iri[len(v.STAY_IRI) :].partition("/")
        item = self.belief.thing(unquote(id_))
        if not isinstance(item, MapObject):
            return None
        return next(((item, one) for one in item.history if _iri(item, one) == iri), None)


def _iri(item: MapObject, stay: Stay) -> str:
    """Return the IRI of a stay: by when it began, since older ones are put together."""
    return f"{v.STAY_IRI}{quote(item.id, safe='')}/{round(stay.since * 1000)}"
