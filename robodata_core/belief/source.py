"""The map as a knowledge source: instances with their classes and places, as they are right now.

Nothing is kept here. Every call looks at the map as it is, so two calls may differ; whoever
remembers what a source said compares ``generation``. Statements say when, where and with which
score a thing was seen (qualifiers), and which topic told so (reference).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from robodata_core.belief import vocabulary as v
from robodata_core.belief._rdf import JoinedStore, MapGraph
from robodata_core.belief.model import ROBOT, MapObject, ObjectState, Region, RegionKind
from robodata_core.belief.names import Names
from robodata_core.belief.past import MOVED_AND_STAYED, Past
from robodata_core.model import (
    Direction,
    Entity,
    EntityKind,
    EntityValue,
    Property,
    QuantityValue,
    Reference,
    RelationCount,
    SearchHit,
    Snak,
    SparqlResult,
    Statement,
    StatementPage,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.sources.base import QueryLimits, SourceBase
from robodata_core.sources.capabilities import Capabilities
from robodata_core.text import normalise_name

if TYPE_CHECKING:
    import pyoxigraph as ox

    from robodata_core.belief.kinds import Kinds
    from robodata_core.belief.layout import Relation
    from robodata_core.belief.map import BeliefMap
    from robodata_core.cancellation import CancelToken

__all__ = ["MAP_SOURCE", "MapSource", "time_value"]

MAP_SOURCE: Final = "map"
"""Name of the source in provenance: what comes from it was observed."""

_ROBOT: Final = Entity(v.instance_iri(ROBOT), "robot base", "the robot itself", (ROBOT,))
"""The robot as long as it has not said where it is."""
_HELD: Final = ("in", "on")
"""The relations of a thing to what it is located in."""
_RELATED: Final = {v.LOCATION: _HELD, **{id_: (name,) for id_, name in v.SPATIAL.items()}}
"""What relations of the map the statements of a property need."""


@dataclass(slots=True)
class _Made:
    """What is made of a map in one state.

    Attributes:
        generation: Of the map.
        kinds: What classes were kinds of.
        linked: The class of each label.
        names: Of things and classes.
        by_kind: Things by each of their kinds; None: nobody has asked yet.
    """

    generation: int
    kinds: Kinds | None
    linked: Mapping[str, Entity | None]
    names: Names
    by_kind: Mapping[str, list[MapObject | Region]] | None = None


class MapSource(SourceBase):
    """A ``KnowledgeSource`` over a map. Thread-safe.

    Args:
        belief: The map.
        class_of: Gives the entity that a detector's label is linked to, at once, or None.

    Attributes:
        name: ``map``.
        belief: The map.
        kinds: What classes are kinds of, where an ontology says so: a cup is then one of the
            containers, too, for whoever asks for those.
    """

    name = MAP_SOURCE

    def __init__(self, belief: BeliefMap, class_of: Callable[[str], Entity | None]) -> None:
        self.belief = belief
        self.kinds: Kinds | None = None
        self._class_of = class_of
        self._properties = {item.id: item for item in v.PROPERTIES}
        self._past = Past(belief, time_value, MAP_SOURCE)
        self._known = {item.id: item for item in (*v.PROPERTIES, *v.PAST, *v.PROVENANCE)}
        self._store = JoinedStore((), self)
        self._made: _Made | None = None

    def capabilities(self) -> Capabilities:
        """Return what a map can: it is at hand, and it changes."""
        return Capabilities(
            all_properties=self.all_properties,
            lookup_names=self.lookup_names,
            generation=lambda: self.belief.generation,
            now=lambda: self.belief.now,
            beside=lambda: (self.belief.settings.in_front, self.belief.settings.cone),
            gone=self.gone,
            quads=self.quads,
        )

    def close(self) -> None:
        """End the process that runs long queries."""
        self._store.close()

    def gone(self, name: str) -> str:
        """Return what became of what was called so, or was of a kind called so; empty for none."""
        form = normalise_name(name)
        for item in self.belief.objects(gone=True):
            names = (item.id, item.name, item.class_id, self.class_of(item.class_id).label)
            called = {normalise_name(one.replace("_", " ")) for one in names}
            if item.state is ObjectState.GONE and form in called:
                told = f"{item.name} was seen last {_clock(item.last_seen)}"
                if not item.gone_at:
                    return f"{told}, and not for so long that it counts as gone."
                who = item.author or "somebody"
                return f"{told}, and {who} said {_clock(item.gone_at)} that it is gone."
        return ""

    # -- names ----------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        *,
        kind: EntityKind = EntityKind.ITEM,
        limit: int = 10,
        language: str = "en",
    ) -> tuple[SearchHit, ...]:
        """Find things by name or id: exact names, then names that begin with or hold the text."""
        return self._names(kind).search(text, limit)

    def lookup_names(
        self, names: Iterable[str], *, kind: EntityKind = EntityKind.ITEM
    ) -> Mapping[str, tuple[SearchHit, ...]]:
        """Find exact labels and aliases; names without a match are left out."""
        return self._names(kind).lookup(names)

    def _names(self, kind: EntityKind) -> Names:
        return _relation_names() if kind is EntityKind.PROPERTY else self._now().names

    def _now(self) -> _Made:
        """Return what there is now; made anew only after something changed."""
        generation, made = self.belief.generation, self._made
        known = made is not None and (made.generation, made.kinds) == (generation, self.kinds)
        # Labels are linked by and by.
        if made is None or not known or made.linked != self._linked(made.linked):
            things, robot = self.belief.things(), self.belief.robot
            linked = self._linked({label for one in things.values() for label in _labels(one)})
            # It has its name also while nobody has told where it is.
            own = _ROBOT if robot is None else self.entity_of(robot)
            named = {own.id: own} | {v.instance_iri(id_): self.entity_of(thing)
                                     for id_, thing in things.items()}  # fmt: skip
            names = Names([*named.values(), *self.unlinked_classes(linked)])
            made = self._made = _Made(generation, self.kinds, linked, names)
        return made

    def _linked(self, labels: Iterable[str]) -> dict[str, Entity | None]:
        return {label: self._class_of(label) for label in labels}

    def unlinked_classes(self, labels: Iterable[str]) -> list[Entity]:
        """Return an entity of the map's own for each detector's label that is linked to nothing."""
        return [self._unlinked(label) for label in labels if self._class_of(label) is None]

    @staticmethod
    def _unlinked(label: str) -> Entity:
        return Entity(v.class_iri(label), label.replace("_", " "), "a class of the detector's")

    # -- entities -------------------------------------------------------------------------------

    def entities(self, ids: Iterable[str]) -> Mapping[str, Entity]:
        """Return the things of ``ids`` that there are, by id."""
        found: dict[str, Entity] = {}
        for id_ in dict.fromkeys(ids):
            if not v.is_of_map(id_):
                continue
            thing = self._thing(id_)
            if thing is not None:
                found[id_] = self.entity_of(thing)
                continue
            named = self._past.entity(id_) or self._names(EntityKind.ITEM).entities.get(id_)
            if named is not None:
                found[id_] = named
        return found

    def _thing(self, iri: str) -> MapObject | Region | None:
        id_ = v.id_of(iri)
        thing = self.belief.thing(id_) if id_ is not None else None
        if isinstance(thing, MapObject) and thing.state is ObjectState.GONE:
            return None
        return thing

    def class_of(self, label: str) -> Entity:
        """Return the entity of a detector's label: what it is linked to, else one of the map."""
        return self._class_of(label) or self._unlinked(label)

    def entity_of(self, thing: MapObject | Region) -> Entity:
        """Return a thing with its names, and what it is."""
        class_ = self.class_of(thing.class_id)
        kind = class_.label or thing.class_id.replace("_", " ")
        names = (thing.id, thing.id.replace("_", " "))
        aliases = tuple(dict.fromkeys(name for name in names if name != thing.name))
        what = "a part of the robot's surroundings" if isinstance(thing, Region) else "seen"
        description = f"{kind}, {what}"
        if isinstance(thing, MapObject):
            description = f"{kind}, last seen {_clock(thing.last_seen)}"
        return Entity(v.instance_iri(thing.id), thing.name, description, aliases, (class_.id,))

    def properties(self, ids: Iterable[str]) -> Mapping[str, Property]:
        """Return the relations of ``ids`` that the map has, by id."""
        return {id_: self._known[id_] for id_ in dict.fromkeys(ids) if id_ in self._known}

    def all_properties(self) -> tuple[Property, ...]:
        """Return every relation of the map that tells what is, not what was in the past."""
        return v.PROPERTIES

    # -- statements -----------------------------------------------------------------------------

    def statements(
        self,
        id_: str,
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
        offset: int = 0,
        all_ranks: bool = False,
    ) -> StatementPage:
        """Return what the map says about a thing (OUT), or of which things it says so (IN)."""
        if direction is Direction.OUT:
            thing = self._thing(id_)
            found = self._about(thing, property) if thing is not None else []
            found += self._past.about(id_, property)
        else:
            found = [*self._pointing(id_, property), *self._past.pointing(id_, property)]
        return StatementPage(tuple(found[offset : offset + limit]), len(found))

    def relations(
        self, ids: Iterable[str], *, direction: Direction | None = None
    ) -> tuple[RelationCount, ...]:
        """Return the relations that are there around ``ids``, most frequent first."""
        counts: Counter[tuple[str, Direction]] = Counter()
        ways = (Direction.OUT, Direction.IN) if direction is None else (direction,)
        for id_ in dict.fromkeys(ids):
            for way in ways:
                page = self.statements(id_, direction=way, limit=100_000)
                counts.update((item.property, way) for item in page.statements)
        return RelationCount.ranked(counts)

    def _about(self, thing: MapObject | Region, property_: str | None) -> list[Statement]:
        if property_ in MOVED_AND_STAYED:
            return self._past.of_thing(thing, property_) if isinstance(thing, MapObject) else []
        found = []
        related: tuple[Relation, ...] = ()
        wanted = tuple(v.SPATIAL.values()) if property_ is None else _RELATED.get(property_, ())
        if wanted:
            related = self.belief.relations(thing, wanted)
        for name in (property_,) if property_ else self._properties:
            if name == v.LOCATION:
                places = self._places(thing, related)
                found += [self._state(thing, name, value) for value in places]
            elif name in v.SPATIAL:
                for relation in related:
                    if relation.name == v.SPATIAL[name]:
                        value = EntityValue(v.instance_iri(relation.target))
                        found.append(self._state(thing, name, value))
            else:
                plain = self.plain_value(thing, name)
                if plain is not None:
                    found.append(self._state(thing, name, plain))
        return found

    def _places(self, thing: MapObject | Region, related: Iterable[Relation]) -> list[Value]:
        """Return what a thing is in or on, the smallest region first."""
        smallest = self.belief.region_of(thing)
        held = [relation.target for relation in related if relation.name in _HELD]
        ordered = dict.fromkeys([id_ for id_ in (smallest, *held) if id_ and id_ != thing.id])
        return [EntityValue(v.instance_iri(id_)) for id_ in ordered]

    def plain_value(self, thing: MapObject | Region, property_: str) -> Value | None:
        """Return the value of a property that no other thing has a part in; None for none."""
        if property_ == v.INSTANCE_OF:
            return EntityValue(self.class_of(thing.class_id).id)
        if property_ == v.POSITION and v.is_placed(thing):
            return StringValue(v.position_text(thing))
        if property_ in v.AXES and v.is_placed(thing):
            return QuantityValue(Decimal(v.coordinate_texts(thing)[v.AXES.index(property_)]))
        if property_ in v.FACING and (facing := v.facing_texts(thing)):
            return QuantityValue(Decimal(facing[v.FACING.index(property_)]))
        if property_ == v.FRAME and thing.frame:
            return StringValue(thing.frame)
        if isinstance(thing, Region) or thing == self.belief.robot:
            return None  # neither is seen: a region is given, and the robot says where it is
        return self._seen_value(thing, property_)

    @staticmethod
    def _seen_value(thing: MapObject, property_: str) -> Value | None:
        if property_ == v.LAST_SEEN:
            return time_value(thing.last_seen)
        if property_ == v.FIRST_SEEN:
            return time_value(thing.first_seen)
        if property_ == v.STATE and not thing.author:  # nobody sees what somebody says
            return StringValue(thing.state.value)
        if property_ == v.AUTHOR and (author := said_by(thing, v.LOCATION)):
            return StringValue(author)
        if property_ == v.DETECTED and thing.detected:
            return StringValue(thing.detected)
        if property_ == v.SCORE and thing.score is not None:
            return QuantityValue(Decimal(f"{thing.score:.3f}"))
        return None

    def _state(self, thing: MapObject | Region, property_: str, value: Value) -> Statement:
        qualifiers: tuple[Snak, ...] = (Snak(v.FRAME, StringValue(thing.frame or "?")),)
        author = said_by(thing, property_)
        if isinstance(thing, MapObject):
            told = [Snak(v.POINT_IN_TIME, time_value(thing.last_seen))]
            if author:  # nobody has seen it so, and no detector was how sure of it
                told.append(Snak(v.AUTHOR, StringValue(author)))
            else:
                told.append(Snak(v.STATE, StringValue(thing.state.value)))
                if thing.score is not None:
                    told.append(Snak(v.SCORE, QuantityValue(Decimal(f"{thing.score:.3f}"))))
            qualifiers = (*told, *qualifiers)
        message = None if author else thing.message
        source = author or (message.topic if message else thing.source) or "?"
        reference = v.told_by(source, message)
        return Statement(
            v.instance_iri(thing.id),
            property_,
            value,
            qualifiers=qualifiers,
            references=(reference,),
            source=MAP_SOURCE,
            origin=source,
        )

    def _pointing(self, id_: str, property_: str | None) -> list[Statement]:
        """Return the statements whose value is ``id_``."""
        found: list[Statement] = []
        if property_ in (None, v.INSTANCE_OF):
            for thing in self.of_kind(id_):
                stated = self._state(thing, v.INSTANCE_OF, EntityValue(id_))
                own = self.class_of(thing.class_id).id
                found.append(stated if own == id_ else _inferred(stated, own))
        target = self._thing(id_)
        if target is None:
            return found
        for name, relation in v.SPATIAL.items():
            if property_ in (None, name, v.LOCATION):
                things = self._related(target, relation)
                if property_ in (None, name):
                    found += [self._state(item, name, EntityValue(id_)) for item in things]
                if property_ in (None, v.LOCATION) and relation in _HELD:
                    found += [self._state(item, v.LOCATION, EntityValue(id_)) for item in things]
        return found

    def of_kind(self, id_: str) -> list[MapObject | Region]:
        """Return the things of a class, and of the classes below it."""
        if v.id_of(id_) is not None:
            return []
        made = self._now()
        if made.by_kind is None:  # walks over many kinds ask for the things of each
            found: dict[str, list[MapObject | Region]] = {}
            for thing in self.belief.things().values():
                for kind in {kind for label in _labels(thing) for kind in self._kinds_of(label)}:
                    found.setdefault(kind, []).append(thing)
            made.by_kind = found
        return made.by_kind.get(id_, [])

    def _kinds_of(self, label: str) -> Iterable[str]:
        own = self.class_of(label).id
        return (own,) if self.kinds is None else self.kinds.above(own)

    def _related(self, target: MapObject | Region, name: str) -> list[MapObject | Region]:
        things = self.belief.things()
        found = self.belief.layout().related(target, name)
        return [things[item.target] for item in found if item.target in things]

    # -- SPARQL ---------------------------------------------------------------------------------

    def sparql(
        self,
        query: str,
        *,
        limits: QueryLimits = QueryLimits(),
        cancel: CancelToken | None = None,
    ) -> SparqlResult:
        """Run a read-only query over the map alone.

        Raises:
            QuerySyntaxError: If it does not parse.
            QueryRefusedError: For updates, SERVICE and LOAD.
            QueryLimitError: If it runs over its time.
        """
        return self._store.query(query, limits, cancel)

    def quads(self) -> list[ox.Quad]:
        """Return the map in RDF, in a graph of its own: direct triples and names."""
        return MapGraph(self).changes()[1]


@lru_cache(maxsize=1)
def _relation_names() -> Names:
    return Names(
        Entity(item.id, item.label, item.description, item.aliases) for item in v.PROPERTIES
    )


def _labels(thing: MapObject | Region) -> tuple[str, ...]:
    """Return what a thing may be called by: its class, and a surface is one whatever its class."""
    surface = isinstance(thing, Region) and thing.kind is RegionKind.SURFACE
    return (thing.class_id, "surface") if surface else (thing.class_id,)


def said_by(thing: MapObject | Region, property_: str) -> str:
    """Return which person or planner said so of a thing; empty where it was seen."""
    if isinstance(thing, Region):
        return ""
    if property_ in (v.SCORE, v.DETECTED):
        return ""
    return thing.said_by("class_id" if property_ == v.INSTANCE_OF else "pose")


def _inferred(statement: Statement, class_id: str) -> Statement:
    """Return a statement about a wider class with what it follows from: the class that was seen."""
    (reference,) = statement.references
    because = Snak(v.INFERRED_FROM, EntityValue(class_id))
    return replace(statement, references=(Reference((*reference.snaks, because)),))


@lru_cache(maxsize=64)
def time_value(stamp: float) -> TimeValue:
    """Return a stamp (seconds since 1970) as a time of a statement, to the second, in UTC."""
    at = datetime.fromtimestamp(min(max(stamp, 0.0), 4e9), timezone.utc)
    return TimeValue(at.year, at.month, at.day, at.hour, at.minute, at.second, precision=14)


def _clock(stamp: float) -> str:
    at = datetime.fromtimestamp(min(max(stamp, 0.0), 4e9), timezone.utc)
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
