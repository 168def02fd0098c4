"""What understanding needs of a source: names, relations really there, ends, kinds of things.

Built on ``KnowledgeSource`` and nothing else; optional abilities of a source only save time. All
that was read is remembered within bounds, so a view may serve many questions on a source that
does not change; for one that does, make a view for each question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from robodata_core.cache import BoundedCache
from robodata_core.cancellation import CancelToken
from robodata_core.iris import predicate_iri
from robodata_core.language.text import words_of
from robodata_core.language.types import Edge
from robodata_core.model import (
    Direction,
    Entity,
    EntityKind,
    EntityValue,
    NoValue,
    Property,
    QuantityValue,
    SearchHit,
    SomeValue,
    Value,
)
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.sources.capabilities import generation, lookup_names, near_form

__all__ = ["View", "has_one_each", "may_be_alike"]

_FEW_VALUES: Final = 5
_LEAST_HAVING: Final = 5
#: Values that things have on the average of a relation with one.
_ONE_EACH: Final = 1.2
#: Of each kind. Questions of one conversation share little beyond what a few of them ask.
_KEPT: Final = 10_000
_NAME_HITS: Final = 20
_NOT_NODES: Final = (SomeValue, NoValue)
_CLASS_STEPS: Final = 12
_SAMPLED: Final = QueryLimits(5, 2.0)


def has_one_each(
    source: KnowledgeSource,
    ids: Sequence[str],
    property_: str,
    direction: Direction = Direction.OUT,
) -> bool:
    """Tell whether things have one value of a property each, as far as they have any.

    So it is with places of birth: where none is stated, there is one all the same.

    Args:
        source: What to look at.
        ids: Some things of one kind; with too few of them that have it, nothing is told.
        property_: The property.
        direction: Inwards, what has them as values is counted: a country is the one that one
            city is the capital of.

    Raises:
        SourceError: If the source fails.
    """
    if not ids:
        return False
    pages = source.statements_many(ids, direction=direction, property=property_, limit=_FEW_VALUES)
    having = [len(page.statements) for page in pages.values() if page.statements]
    return len(having) >= _LEAST_HAVING and sum(having) <= _ONE_EACH * len(having)


def may_be_alike(
    some: AbstractSet[str], others: AbstractSet[str], above: Callable[[str], AbstractSet[str]]
) -> bool:
    """Tell whether things may be of one kind: one class is the other or above it.

    Args:
        some: Classes of some things; where none are known they may be anything.
        others: Classes of others.
        above: Gives a class and everything above it.
    """
    if not some or not others:
        return True
    return any(not others.isdisjoint(above(kind)) for kind in some) or any(
        not some.isdisjoint(above(kind)) for kind in others
    )


class View:
    """Remembered, bounded access to one source. Thread-safe.

    Args:
        source: What is looked at.
        roles: Labels of the relations that have a part in understanding, by role (see the
            table of roles of a lexicon); None knows none.
        cancel: Asked before every round trip to the source.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        *,
        roles: Callable[[str], Sequence[str]] | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        self.source = source
        self._cancel = cancel
        self._roles = roles or (lambda _: ())
        self._near = near_form(source)
        self._generation = generation(source)
        self._names: BoundedCache[str, tuple[SearchHit, ...]] = BoundedCache(_KEPT)
        self._property_names: BoundedCache[str, tuple[str, ...]] = BoundedCache(_KEPT)
        self._around: BoundedCache[str, Mapping[Edge, int]] = BoundedCache(_KEPT)
        self._reached: BoundedCache[tuple[str, Edge, int], tuple[Value, ...]] = BoundedCache(_KEPT)
        self._entities: BoundedCache[str, Entity] = BoundedCache(_KEPT)
        self._properties: BoundedCache[str, Property] = BoundedCache(_KEPT)
        self._kinds: BoundedCache[str, tuple[str, ...]] = BoundedCache(_KEPT)
        self._superclasses: BoundedCache[str, frozenset[str]] = BoundedCache(_KEPT)
        self._units: BoundedCache[str, frozenset[str | None]] = BoundedCache(_KEPT)
        self._telling: BoundedCache[str, frozenset[str]] = BoundedCache(_KEPT)

    def _check(self) -> None:
        if self._cancel is not None:
            self._cancel.check()

    def refresh(self) -> int:
        """Forget everything where the source says that it has changed; return how often it has."""
        now = generation(self.source)
        if now != self._generation:
            self._generation = now
            for kept in (
                self._names, self._property_names, self._around, self._reached, self._entities,
                self._properties, self._kinds, self._superclasses, self._telling,
                self._units,
            ):  # fmt: skip
                kept.clear()
        return now

    # -- names --------------------------------------------------------------------------------

    def names(self, texts: Iterable[str]) -> dict[str, tuple[SearchHit, ...]]:
        """Return the things with exactly such a label or alias, by text; others are left out."""
        wanted = dict.fromkeys(text for text in texts if text.strip())
        found: dict[str, tuple[SearchHit, ...]] = {}
        unknown = []
        for text in wanted:
            known = self._names.get(text)
            if known is None:
                unknown.append(text)
            elif known:
                found[text] = known
        if unknown:
            self._check()
            hits = lookup_names(self.source, unknown)
            for text in unknown:
                mine = tuple(hits.get(text, ()))[:_NAME_HITS]
                self._names.put(text, mine, 1 + len(mine))
                if mine:
                    found[text] = mine
        return found

    def search(self, text: str, limit: int = 8) -> tuple[SearchHit, ...]:
        """Return things with such or similar names, the best match first."""
        key = f"?{limit}?{text}"
        known = self._names.get(key)
        if known is None:
            self._check()
            known = self.source.search(text, limit=limit)
            self._names.put(key, known, 1 + len(known))
        return known

    def properties_named(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return the relations that go by one of the labels."""
        wanted = dict.fromkeys(labels)
        kept = {label: self._property_names.get(label) for label in wanted}
        new = [label for label, known in kept.items() if known is None]
        if new:
            self._check()
            named = lookup_names(self.source, new, kind=EntityKind.PROPERTY)
            for label in new:
                kept[label] = known = tuple(hit.id for hit in named.get(label, ()))
                self._property_names.put(label, known, 1 + len(known))
        return tuple(dict.fromkeys(id_ for known in kept.values() for id_ in known or ()))

    # -- things -------------------------------------------------------------------------------

    def entities(self, ids: Iterable[str]) -> dict[str, Entity]:
        """Return labels and classes of things, by id; unknown ones are left out."""
        found, new = {}, []
        for id_ in dict.fromkeys(ids):
            known = self._entities.get(id_)
            if known is None:
                new.append(id_)
            else:
                found[id_] = known
        if new:
            self._check()
            for id_, entity in self.source.entities(new).items():
                self._entities.put(id_, entity)
                found[id_] = entity
        return found

    def label(self, id_: str) -> str:
        """Return the label of a thing, or its id."""
        known = self.entities((id_,)).get(id_)
        return known.name if known else id_

    def properties(self, ids: Iterable[str]) -> dict[str, Property]:
        """Return names of relations, by id; unknown ones are left out."""
        found, new = {}, []
        for id_ in dict.fromkeys(ids):
            known = self._properties.get(id_)
            if known is None:
                new.append(id_)
            else:
                found[id_] = known
        if new:
            self._check()
            read = self.source.properties(new)
            for id_ in new:
                known = read.get(id_) or Property(id_)
                self._properties.put(id_, known)
                found[id_] = known
        return found

    def relations(self, id_: str) -> Mapping[Edge, int]:
        """Return the relations that are really there around a thing, with counts."""
        known = self._around.get(id_)
        if known is None:
            self._check()
            counts = self.source.relations((id_,))
            known = {(item.property, item.direction): item.count for item in counts}
            self._around.put(id_, known, 1 + len(known))
        return known

    def ends(self, ids: Iterable[str], edge: Edge, limit: int = 60) -> tuple[Value, ...]:
        """Return what an edge leads to from some things, each value once.

        Args:
            ids: From where.
            edge: Which relation, which way.
            limit: Most values read of each thing.
        """
        # In the order asked for, whatever was remembered.
        pages = self._ends_each(dict.fromkeys(ids), edge, limit).values()
        return tuple(dict.fromkeys(value for page in pages for value in page))

    def _ends_each(
        self, ids: Iterable[str], edge: Edge, limit: int
    ) -> dict[str, tuple[Value, ...]]:
        pages = {id_: self._reached.get((id_, edge, limit)) for id_ in ids}
        new = [id_ for id_, known in pages.items() if known is None]
        if new:
            self._check()
            for id_, values in self._read(new, edge, limit).items():
                kept = tuple(v for v in values if not isinstance(v, _NOT_NODES))
                self._reached.put((id_, edge, limit), kept, 1 + len(kept))
                pages[id_] = kept
        return {id_: known or () for id_, known in pages.items()}

    def _read(self, ids: Sequence[str], edge: Edge, limit: int) -> Mapping[str, Sequence[Value]]:
        name, way = edge
        if self._near is not None:
            return self._near.ends_many(ids, direction=way, property=name, limit=limit)
        pages = self.source.statements_many(ids, direction=way, property=name, limit=limit)
        found: dict[str, Sequence[Value]] = {}
        for id_ in ids:
            page = pages.get(id_)
            statements = page.statements[:limit] if page else ()
            if way is Direction.IN:
                found[id_] = [EntityValue(item.subject) for item in statements]
            else:
                found[id_] = [item.value for item in statements]
        return found

    def units(self, property_: str) -> frozenset[str | None]:
        """Return the units in which some of the values of a relation are given."""
        known = self._units.get(property_)
        if known is None:
            self._check()
            found = self.source.sparql(
                f"SELECT ?s {{ ?s <{predicate_iri(property_)}> ?v }}", limits=_SAMPLED
            )
            ids = [row[0].id for row in found.rows if isinstance(row[0], EntityValue)]
            values = self.ends(ids, (property_, Direction.OUT))
            known = frozenset(v.unit for v in values if isinstance(v, QuantityValue))
            self._units.put(property_, known, 1 + len(known))
        return known

    # -- classes ------------------------------------------------------------------------------

    @property
    def type_relations(self) -> tuple[str, ...]:
        """The relations by which the graph says what a thing is (instance of, occupation)."""
        return self.properties_named(self._roles("type"))

    @property
    def class_relations(self) -> tuple[str, ...]:
        """The relations by which the graph orders its classes (subclass of)."""
        return self.properties_named(self._roles("above"))

    @property
    def belonging_relations(self) -> tuple[str, ...]:
        """The relations by which things belong to a place or a group (country, member of)."""
        return self.properties_named(self._roles("belonging"))

    @property
    def time_relations(self) -> tuple[str, ...]:
        """The relations to the time that a thing is usually told by (publication date)."""
        return self.properties_named(self._roles("times"))

    @property
    def birth_relations(self) -> tuple[str, ...]:
        """The relations to the time when a thing began (date of birth, inception)."""
        return self.properties_named(self._roles("births"))

    @property
    def death_relations(self) -> tuple[str, ...]:
        """The relations to the time when a life ended (date of death)."""
        return self.properties_named(self._roles("deaths"))

    @property
    def identities(self) -> tuple[str, ...]:
        """Relations that say that two names stand for one thing."""
        return self.properties_named(self._roles("identity"))

    @property
    def containments(self) -> tuple[str, ...]:
        """Relations that say in which larger place a place lies."""
        return self.properties_named(self._roles("within"))

    def kinds(self, id_: str) -> tuple[str, ...]:
        """Return the classes a thing is stated to belong to."""
        return self.kinds_of((id_,))[id_]

    def kinds_of(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the classes that things are stated to belong to, looked up together."""
        found = {id_: self._kinds.get(id_) for id_ in ids}
        new = [id_ for id_, known in found.items() if known is None]
        read: dict[str, dict[str, None]] = {id_: {} for id_ in new}
        for name in (*self.type_relations, *self.class_relations) if new else ():
            edge = (name, Direction.OUT)
            asked = [id_ for id_ in new if self._may_have(id_, edge)]
            for id_, values in self._ends_each(asked, edge, 12).items():
                read[id_].update({v.id: None for v in values if isinstance(v, EntityValue)})
        bare = self.entities(id_ for id_ in new if not read[id_])
        for id_ in new:
            known = tuple(read[id_]) or (bare[id_].types if id_ in bare else ())
            self._kinds.put(id_, known, 1 + len(known))
            found[id_] = known
        return {id_: known or () for id_, known in found.items()}

    def _may_have(self, id_: str, edge: Edge) -> bool:
        """Tell whether an edge is worth looking up: afar its absence is told with all others."""
        return self._near is not None or edge in self.relations(id_)

    @property
    def is_near(self) -> bool:
        """Whether a look is no request."""
        return self._near is not None

    def labels(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the labels of things."""
        return tuple(one.label for one in self.entities(ids).values())

    def telling(self, id_: str) -> frozenset[str]:
        """Return the folded words of a thing's classes and of its description."""
        return self.telling_of((id_,))[id_]

    def telling_of(self, ids: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return the words that tell what things are, looked up together (see ``telling``)."""
        found = {id_: self._telling.get(id_) for id_ in ids}
        new = [id_ for id_, known in found.items() if known is None]
        kinds = self.kinds_of(new)
        named = self.entities((*new, *(kind for id_ in new for kind in kinds[id_]))) if new else {}
        for id_ in new:
            texts = [named[kind].label for kind in kinds[id_] if kind in named]
            texts += [named[id_].description] if id_ in named else []
            known = frozenset(word for text in texts for word in words_of(text))
            self._telling.put(id_, known, 1 + len(known))
            found[id_] = known
        return {id_: known or frozenset() for id_, known in found.items()}

    def is_class(self, id_: str) -> bool:
        """Tell whether the graph uses a thing as a class."""
        around = self.relations(id_)
        names = (*self.type_relations, *self.class_relations)
        return any((name, Direction.IN) in around for name in names)

    def membership(self, id_: str) -> tuple[str, ...]:
        """Return the relations by which a class has members: classes, where it has none else."""
        around = self.relations(id_)
        typed = self.type_relations
        has = any((name, Direction.IN) in around for name in typed)
        return typed if has else self.class_relations

    def superclasses(self, id_: str) -> frozenset[str]:
        """Return a class and all that is stated to be above it."""
        known = self._superclasses.get(id_)
        if known is None:
            above, frontier = {id_}, [id_]
            for _ in range(_CLASS_STEPS):
                upper: dict[str, None] = {}
                for name in self.class_relations:
                    values = self.ends(frontier, (name, Direction.OUT), 12)
                    upper.update({v.id: None for v in values if isinstance(v, EntityValue)})
                frontier = [one for one in upper if one not in above]
                if not frontier:
                    break
                above.update(frontier)
            known = frozenset(above)
            self._superclasses.put(id_, known, len(known))
        return known
