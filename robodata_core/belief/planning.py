"""Typed questions of planners about the map and what is known of its things; no language.

Find objects, where a thing belongs, what an activity lacks, the bindings of a pattern. Every
result carries the statements it rests on: what was observed of the very thing, and what is typical
of its kind. Which relations say so is a setting, because ontologies differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from robodata_core.belief import vocabulary as v
from robodata_core.belief.evidence import Call, evidence_for
from robodata_core.belief.geometry import box_of, distance, is_near
from robodata_core.belief.model import MapObject, ObjectState, Pose, Region
from robodata_core.belief.source import MapSource
from robodata_core.belief.uses import Uses, is_form
from robodata_core.belief.world import WorldSource
from robodata_core.cancellation import CancelToken
from robodata_core.errors import InvalidRequestError, NotFoundError
from robodata_core.iris import is_id
from robodata_core.model import (
    EXACT_MATCHES,
    Direction,
    Entity,
    EntityValue,
    Statement,
    SupportSet,
)
from robodata_core.text import normalise_name

__all__ = ["FindQuery", "Found", "Missing", "Place", "PlanRelations", "Planning"]

_MOST_VALUES = 200
_MET = 0.5
"""What it counts that things of a kind are met somewhere, beside that they belong there."""
_MOST_NEAR = 4
_HOUSEHOLD = "urn:robodata:household:"


@dataclass(frozen=True, slots=True)
class PlanRelations:
    """Which relations of the ontologies say what planners ask for.

    Attributes:
        places: From a class to where its things are kept.
        met: Those of ``places`` that tell only where things are met, which counts for less.
        uses: From a class to what its things are for, or what can be done to them.
        needs: From an activity to the kinds of things it takes.
        parts: From anything to what it is made of, where nothing says what it takes.
    """

    places: tuple[str, ...] = (v.USUAL_PLACE.id, "P276", _HOUSEHOLD + "found-at")
    met: tuple[str, ...] = (_HOUSEHOLD + "found-at",)
    uses: tuple[str, ...] = ("P366", "P1552", _HOUSEHOLD + "capable-of", _HOUSEHOLD + "can-be")
    needs: tuple[str, ...] = ("P2283",)
    parts: tuple[str, ...] = ("P527",)


@dataclass(frozen=True, slots=True)
class FindQuery:
    """What objects are wanted; what is empty narrows nothing down.

    Attributes:
        class_id: A class: detector's label, name or id.
        affordance: A use or property, by name or id: what it is for ("cut"), or what can be done
            to it ("cuttable", "be cut").
        region: Id or name of a region or object it is in or on.
        near: Id or name of a thing it is near to.
        pose: From where distance is measured.
        frame: Frame of ``pose``.
        max_distance: Metres; 0 for the map's ``near`` with ``near``, else any.
        seen_only: Leave out what was lost from sight.
        include_gone: Also what is gone.
    """

    class_id: str = ""
    affordance: str = ""
    region: str = ""
    near: str = ""
    pose: Pose | None = None
    frame: str = ""
    max_distance: float = 0.0
    seen_only: bool = False
    include_gone: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """An object with what says that it is one of those wanted, and how far it is (metres)."""

    item: MapObject
    support: SupportSet
    distance: float | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing may go.

    Attributes:
        kind: The kind of place.
        things: Objects and regions of that kind in the map.
        score: 0 to 1: nearer kinds and more statements speak louder.
        reason: One sentence.
        support: Alternatives.
        observed: Whether such a thing was seen there, besides what is typical.
    """

    kind: Entity
    things: tuple[MapObject | Region, ...]
    score: float
    reason: str
    support: tuple[SupportSet, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """What an activity needs: kinds with their support, and the objects there are of each.

    Attributes:
        activity: The activity.
        needed: Kinds of things, each with what says so.
        present: What there is of each kind, by its id.
        note: What the name was taken for, where the activity is called otherwise.
    """

    activity: Entity
    needed: tuple[tuple[Entity, SupportSet], ...]
    present: Mapping[str, tuple[MapObject, ...]]
    note: str = ""


class Planning:
    """Answers typed questions over a map and ontologies. Thread-safe.

    Args:
        world: Both.
        relations: What the ontologies' relations are called.
        small: Whether a word of a name says nothing of what is meant ("the").
    """

    def __init__(
        self,
        world: WorldSource,
        relations: PlanRelations = PlanRelations(),
        small: Callable[[str], bool] = lambda word: False,
    ) -> None:
        self._world = world
        self._map: MapSource = world.map
        self._belief = world.map.belief
        self._relations = relations
        self._small = small
        self._kinds = world.kinds
        self._uses = Uses(world, relations.uses)

    # -- objects --------------------------------------------------------------------------------

    def find(
        self, query: FindQuery, call: Call, cancel: CancelToken, most: int = 0
    ) -> tuple[Found, ...]:
        """Return the objects wanted, the nearest first where there is something to be near to.

        Args:
            query: What is wanted.
            call: Who asks.
            cancel: Asked between objects.
            most: So many come with what says so, the others only count; 0: all of them do.

        Raises:
            NotFoundError: If a region or thing named in the query is not in the map, or nothing is
                of its class or called like that.
            InvalidRequestError: If a distance is asked for from nowhere, or from another frame
                than the map's.
            SourceError: If an ontology cannot answer.
        """
        region = self.thing(query.region) if query.region else None
        near = self.thing(query.near) if query.near else None
        kinds = self._kinds_named(query.class_id) if query.class_id else None
        self._check_origin(query)
        held = self._belief.layout().contents(region) if region is not None else frozenset()
        found = []
        for item in self._belief.objects(gone=query.include_gone):
            cancel.check()
            if query.seen_only and item.state is not ObjectState.SEEN:
                continue
            if region is not None and item.id not in held:
                continue
            apart = self._apart(item, query, near)
            if self._close_enough(item, apart, query, near):
                reasons = self._reasons(item, query, kinds)
                if reasons is not None:
                    found.append((apart, item, reasons))
        found.sort(key=lambda one: (one[0] is None, one[0] or 0.0, one[1].id))
        return tuple(
            Found(item, self._told(reasons, call) if not most or n < most else SupportSet(), apart)
            for n, (apart, item, reasons) in enumerate(found)
        )

    def _told(self, reasons: tuple[Statement, ...], call: Call) -> SupportSet:
        """Return why an object is one of those wanted, and where it is, as evidence."""
        where = self._map.statements(reasons[0].subject, property=v.LOCATION, limit=1)
        return SupportSet(evidence_for((*reasons, *where.statements), self._world, call))

    def looked_at(self, query: FindQuery) -> str:
        """Return in a sentence or two among what a query looked, for where it found nothing.

        Raises:
            NotFoundError: As ``find`` does; SourceError likewise.
        """
        region = self.thing(query.region) if query.region else None
        held = self._belief.layout().contents(region) if region is not None else None
        items = [
            item
            for item in self._belief.objects(gone=query.include_gone)
            if held is None or item.id in held
        ]
        where = f" in or on {region.name}" if region is not None else ""
        if not items:
            return f"Nothing was seen{where}."
        seen = sum(item.state is ObjectState.SEEN for item in items)
        told = f"Objects looked at{where}: {len(items)}, {seen} of them in sight."
        kinds = self._kinds_named(query.class_id) if query.class_id else frozenset()
        wider = {above for kind in kinds for above in self._kinds.above(kind)} - kinds
        maybe = [one for one in items if self._map.class_of(one.class_id).id in wider]
        if maybe:
            ids = ", ".join(f"{one.id} ({one.class_id})" for one in maybe[:_MOST_NEAR])
            told += f" Of a wider kind, so that it may be one: {ids}."
        return told

    def _check_origin(self, query: FindQuery) -> None:
        """Refuse to find nothing where nobody has said from where one measures."""
        if query.pose is None:
            if query.max_distance and not query.near:
                raise InvalidRequestError("max_distance is measured from near, or from a pose.")
            return
        frames = sorted({thing.frame for thing in self._belief.things().values()})
        if frames and query.frame not in frames:
            told = ", ".join(map(repr, frames))
            raise InvalidRequestError(
                f"The pose's frame {query.frame[:100]!r} is none of the map's: {told}."
            )

    def thing(self, name: str) -> MapObject | Region:
        """Return the thing of an id or of a name that only one has.

        Raises:
            NotFoundError: If there is none, or more than one.
        """
        thing = self._belief.thing(v.id_of(name) or name)
        if thing is not None:
            return thing
        form = normalise_name(name)
        named = [
            item
            for item in self._belief.things().values()
            if form in map(normalise_name, (item.name, item.id, item.class_id))
        ]
        if len(named) != 1:
            count = "nothing" if not named else f"{len(named)} things"
            raise NotFoundError(f"The map has {count} called {name[:100]!r}; give an id.")
        return named[0]

    @staticmethod
    def _apart(item: MapObject, query: FindQuery, near: MapObject | Region | None) -> float | None:
        if near is not None:
            return distance(box_of(item), box_of(near))
        if query.pose is None:
            return None
        origin = Region("", "", frame=query.frame, pose=query.pose)
        return distance(box_of(item), box_of(origin))

    def _close_enough(
        self,
        item: MapObject,
        apart: float | None,
        query: FindQuery,
        near: MapObject | Region | None,
    ) -> bool:
        if near is not None and item.id == near.id:
            return False
        if query.max_distance:
            return apart is not None and apart <= query.max_distance
        return near is None or is_near(box_of(item), box_of(near), self._belief.settings)

    def _reasons(
        self, item: MapObject, query: FindQuery, kinds: frozenset[str] | None
    ) -> tuple[Statement, ...] | None:
        """Return why an object is one of those wanted; None if it is not."""
        own = self._map.class_of(item.class_id).id
        more: tuple[Statement, ...] = ()
        if kinds is not None:
            same = normalise_name(item.class_id) == normalise_name(query.class_id)
            above = {} if same else self._kinds.above(own)
            path = () if same else next((above[id_] for id_ in above if id_ in kinds), None)
            if path is None:
                return None
            more = path
        if query.affordance:
            use = self._uses.reason(own, query.affordance)
            if use is None:
                return None
            more = (*more, *(reason for reason in use if reason not in more))
        # The look-ups on the map come last: of most objects they are not needed.
        return (self._of_class(item), *more)

    def _of_class(self, item: MapObject) -> Statement:
        page = self._map.statements(v.instance_iri(item.id), property=v.INSTANCE_OF)
        if page.statements:
            return page.statements[0]
        # A gone thing is nothing the graph knows any more, but its class is still the reason.
        class_ = self._map.class_of(item.class_id)
        return Statement(v.instance_iri(item.id), v.INSTANCE_OF, EntityValue(class_.id))

    # -- classes --------------------------------------------------------------------------------

    def _kinds_named(self, name: str) -> frozenset[str]:
        own = self._map.class_of(name).id
        if is_id(name):
            kinds = {name} if self._world.entities([name]) else set()
        else:
            hits = self._world.ontology.search(name.replace("_", " "), limit=20)
            exact = {hit.id for hit in hits if hit.match in EXACT_MATCHES}
            kinds = {own, *(id_ for id_ in exact if v.id_of(id_) is None)}
        seen = {normalise_name(one.class_id) for one in self._belief.objects(gone=True)}
        if not any(map(self._world.entities, ([id_] for id_ in kinds))) and (
            normalise_name(name) not in seen
        ):
            raise NotFoundError(f"No class is called {name[:100]!r}, and nothing seen is of it.")
        return frozenset(kinds)

    def _statements(self, id_: str, relations: Iterable[str]) -> list[Statement]:
        found: list[Statement] = []
        for relation in relations:
            page = self._world.statements(id_, property=relation, limit=_MOST_VALUES)
            found += page.statements
        return found

    # -- places ---------------------------------------------------------------------------------

    def places(self, name: str, call: Call, cancel: CancelToken) -> tuple[Place, ...]:
        """Return where a thing belongs, by what is known of its kind, best first.

        Args:
            name: Id of an object in the map, or a class by label, name or id.
            call: Who asks.
            cancel: Asked between look-ups.

        Raises:
            NotFoundError: If nothing is called so.
            SourceError: If an ontology cannot answer.
        """
        item = self._belief.thing(v.id_of(name) or name)
        first: tuple[Statement, ...] = ()
        if isinstance(item, MapObject):
            classes: Sequence[str] = [self._map.class_of(item.class_id).id]
            first = (self._of_class(item),)
        else:
            classes = sorted(self._kinds_named(name))
        reasons: dict[str, list[tuple[float, tuple[Statement, ...]]]] = {}
        for class_id in classes:
            for above, path in self._kinds.above(class_id).items():
                cancel.check()
                for statement in self._statements(above, self._relations.places):
                    value = statement.value
                    if isinstance(value, EntityValue):
                        belongs = statement.property not in self._relations.met
                        weight = (1.0 if belongs else _MET) / (1 + len(path))
                        chain = (*first, *path, statement)
                        reasons.setdefault(value.id, []).append((weight, chain))
        return self._ranked(reasons, call)

    def _ranked(
        self,
        reasons: Mapping[str, Sequence[tuple[float, tuple[Statement, ...]]]],
        call: Call,
    ) -> tuple[Place, ...]:
        names = self._world.entities(reasons)
        total = sum(weight for found in reasons.values() for weight, _ in found) or 1.0
        places = []
        for id_, found in reasons.items():
            kind = names.get(id_) or Entity(id_, id_)
            ordered = sorted(found, key=lambda one: -one[0])
            support = tuple(
                SupportSet(evidence_for(chain, self._world, call)) for _, chain in ordered[:3]
            )
            last = support[0].evidence[-1]
            reason = f"{last.subject_label}: {last.predicate_label} {last.object_label}."
            score = sum(weight for weight, _ in found) / total
            places.append(Place(kind, self._things_of(id_), score, reason, support))
        # Of places equally good, one that is there comes first.
        places.sort(key=lambda place: (-place.score, not place.things, place.kind.name))
        return tuple(places)

    def _things_of(self, kind: str) -> tuple[MapObject | Region, ...]:
        """Return what of a kind is in the map, regions first."""
        things = self._map.of_kind(kind)
        return tuple(sorted(things, key=lambda thing: (isinstance(thing, MapObject), thing.id)))

    # -- activities -----------------------------------------------------------------------------

    def missing(self, activity: str, region: str, call: Call, cancel: CancelToken) -> Missing:
        """Return what an activity needs, and what there is of it.

        Args:
            activity: Its name or id.
            region: Count only what is in or on that; empty for anywhere.
            call: Who asks.
            cancel: Asked between look-ups.

        Raises:
            NotFoundError: If no activity of that name is known, or nothing about what it needs;
                it tells what is called nearly so.
            SourceError: If an ontology cannot answer.
        """
        entity, statements, note = self._activity(activity)
        held = self._belief.layout().contents(self.thing(region)) if region else None
        needed: dict[str, SupportSet] = {}
        for statement in statements:
            kind = statement.value
            if statement.property in self._relations.uses:
                kind = EntityValue(statement.subject)
            if isinstance(kind, EntityValue) and kind.id not in needed:
                needed[kind.id] = SupportSet(evidence_for((statement,), self._world, call))
        names = self._world.entities(needed)
        present: dict[str, tuple[MapObject, ...]] = {}
        for kind_id in needed:
            cancel.check()
            present[kind_id] = tuple(
                thing
                for thing in self._things_of(kind_id)
                if isinstance(thing, MapObject) and (held is None or thing.id in held)
            )
        kinds = tuple((names.get(id_) or Entity(id_, id_), s) for id_, s in needed.items())
        return Missing(entity, kinds, present, note)

    def _activity(self, name: str) -> tuple[Entity, list[Statement], str]:
        """Return what is called so and about whose needs something is known, and a remark."""
        near: list[str] = []
        if is_id(name):
            exact = [name]
        else:
            hits = self._world.search(name.replace("_", " "), limit=20)
            hits = tuple(hit for hit in hits if v.id_of(hit.id) is None)
            exact = [hit.id for hit in hits if hit.match in EXACT_MATCHES]
            near = [hit.id for hit in hits if hit.match not in EXACT_MATCHES]
        # What is only called something like it must be an activity: a board is not what ironing is.
        activities = [id_ for id_ in near if self._statements(id_, self._relations.needs)]
        names = self._world.entities(activities)
        whole = [id_ for id_ in activities if id_ in names and self._says_all(name, names[id_])]
        for ids, relations, uses in (
            (exact, self._relations.needs, self._relations.uses),
            (whole, self._relations.needs, ()),
            (exact, self._relations.parts, ()),
        ):
            for id_ in ids:
                statements = self._statements(id_, relations)
                for relation in uses:
                    page = self._world.statements(
                        id_, direction=Direction.IN, property=relation, limit=_MOST_VALUES
                    )
                    statements += page.statements
                if statements:
                    entity = self._world.entity(id_)
                    others = [names[other].name for other in whole if other != id_]
                    more = f"; it may also be {', '.join(others[:_MOST_NEAR])}" if others else ""
                    note = f"{name[:100]!r} was taken as {entity.name!r}{more}."
                    return entity, statements, note if ids is whole else ""
        called = ", ".join([names[id_].name for id_ in activities if id_ in names][:_MOST_NEAR])
        told = f" Activities whose names are like it: {called}." if called else ""
        raise NotFoundError(f"What {name[:100]!r} needs is not known.{told}")

    def _says_all(self, wanted: str, entity: Entity) -> bool:
        """Tell whether a name of an entity has every word that says what is meant."""
        words = normalise_name(wanted.replace("_", " ")).split()
        words = [word for word in words if not self._small(word)] or words
        names = (normalise_name(name).split() for name in (entity.label, *entity.aliases))
        return any(all(any(is_form(word, own) for own in name) for word in words) for name in names)
