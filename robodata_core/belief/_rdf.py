"""The map's statements as RDF, and the store in which they meet the ontologies' graphs.

A robot's map changes many times a second, and most of what it says stays as it was. ``MapGraph``
therefore remembers the triples of each thing with what they were made from, and tells what came and
went; nothing that did not change is made, removed or stored anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import pyoxigraph as ox

from robodata_core.belief import vocabulary as v
from robodata_core.belief.model import MapObject, Message
from robodata_core.iris import RDFS, SKOS, WD, XSD, iri_of, predicate_iri
from robodata_core.model import Entity, EntityValue, QuantityValue, TimeValue, Value
from robodata_core.sources.base import QueryLimits
from robodata_core.store.queries import QueryProcesses, run_bounded
from robodata_core.values import format_value, iso_time

if TYPE_CHECKING:
    from robodata_core.belief.layout import Thing
    from robodata_core.belief.map import BeliefMap
    from robodata_core.cancellation import CancelToken
    from robodata_core.model import SparqlResult

__all__ = ["GRAPH", "JoinedStore", "MapGraph"]

GRAPH: Final = ox.NamedNode("urn:robodata:graph:map")
_LABEL: Final = ox.NamedNode(RDFS + "label")
_ALIAS: Final = ox.NamedNode(SKOS + "altLabel")
_DATE_TIME: Final = ox.NamedNode(XSD + "dateTime")
_DECIMAL: Final = ox.NamedNode(XSD + "decimal")
_PREDICATES: Final = {
    item.id: ox.NamedNode(predicate_iri(item.id)) for item in (*v.PROPERTIES, *v.PROVENANCE)
}
_LIES: Final = {name: _PREDICATES[id_] for id_, name in v.SPATIAL.items()} | {
    v.LOCATION: _PREDICATES[v.LOCATION]
}
_POSITION, _X, _Y, _Z = (_PREDICATES[id_] for id_ in (v.POSITION, *v.AXES))
_FACING: Final = tuple(_PREDICATES[id_] for id_ in v.FACING)
_HELD: Final = ("in", "on")
_NAMES, _PLACE = "names", "place"
_PARTS: Final = (
    _NAMES,
    _PLACE,
    v.INSTANCE_OF,
    v.FRAME,
    v.STATE,
    v.FIRST_SEEN,
    v.LAST_SEEN,
    v.SCORE,
    v.DETECTED,
    v.AUTHOR,
    v.MESSAGE,
)
"""What is said of a thing in parts that change on their own; most are one property."""
_MOST_BEHIND: Final = 100_000
"""Changes kept for a process that has the graph; beyond them it is loaded anew."""
_MOST_REMOVED: Final = 50_000
"""Quads taken out of a store after which it is made anew: Oxigraph's memory keeps every one."""

_Quads: TypeAlias = "tuple[ox.Quad, ...]"


class _Written:
    """What stands in the graph about one thing, part by part, and what it was made from."""

    __slots__ = ("keys", "lies", "node", "parts")

    def __init__(self, id_: str) -> None:
        self.node = ox.NamedNode(v.instance_iri(id_))
        self.keys: tuple[Hashable, ...] = (None,) * len(_PARTS)
        self.parts: list[_Quads] = [()] * len(_PARTS)
        self.lies: dict[tuple[str, str], ox.Quad] = {}

    def quads(self) -> Iterator[ox.Quad]:
        """Yield all that is written of the thing."""
        for quads in self.parts:
            yield from quads
        yield from self.lies.values()


class Mapped(Protocol):
    """What a map says of its things.

    Attributes:
        belief: The map itself.
    """

    belief: BeliefMap

    def class_of(self, label: str) -> Entity:
        """Return the entity of a detector's label."""
        ...

    def unlinked_classes(self, labels: Iterable[str]) -> Sequence[Entity]:
        """Return an entity for each detector's label that no ontology knows."""
        ...

    def entity_of(self, thing: Thing) -> Entity:
        """Return a thing with its names, and what it is."""
        ...

    def plain_value(self, thing: Thing, property_: str) -> Value | None:
        """Return the value of a property that no other thing has a part in; None for none."""
        ...


class MapGraph:
    """The quads of a map in ``GRAPH``, kept up to date: direct triples and names.

    Args:
        source: The map.
    """

    def __init__(self, source: Mapped) -> None:
        self._source = source
        self._written: dict[str, _Written] = {}
        self._classes: dict[str, _Quads] = {}
        self._messages: dict[Message, _Quads] = {}
        self._names: _Quads = ()

    def changes(self) -> tuple[list[ox.Quad], list[ox.Quad]]:
        """Return what is no more in the graph, and what is new in it, since the last call."""
        layout = self._source.belief.layout()
        lies = layout.lies()
        removed: list[ox.Quad] = []
        added: list[ox.Quad] = []
        if not self._names:
            # Relations that ontologies have already, too, have their names there.
            known = (*v.PROPERTIES, *v.PROVENANCE)
            own = [item for item in known if not predicate_iri(item.id).startswith(WD)]
            named = [_names(ox.NamedNode(iri_of(one.id)), one.label, one.aliases) for one in own]
            self._names = tuple(quad for quads in named for quad in quads)
            added += self._names
        there = {thing.id: thing for thing in layout.things()}
        robot = self._source.belief.robot
        if robot is not None:
            there.setdefault(robot.id, robot)
        for id_ in self._written.keys() - there.keys():
            removed += self._written.pop(id_).quads()
        labels = {thing.class_id for thing in there.values()}
        classes = {label: self._source.class_of(label) for label in labels}
        for id_, thing in there.items():
            written = self._written.get(id_)
            if written is None:
                written = self._written[id_] = _Written(id_)
            keys = _keys(thing, classes[thing.class_id])
            if keys != written.keys:
                self._rewrite(written, thing, keys, removed, added)
            _relate(written, lies.get(id_, set()), removed, added)
        self._name_classes(classes, removed, added)
        self._tell_messages(there.values(), removed, added)
        return removed, added

    def _rewrite(
        self,
        written: _Written,
        thing: Thing,
        keys: tuple[Hashable, ...],
        removed: list[ox.Quad],
        added: list[ox.Quad],
    ) -> None:
        for number, (before, now) in enumerate(zip(written.keys, keys, strict=True)):
            if before == now:
                continue
            part = _PARTS[number]
            if part == _NAMES:
                quads = _names_of(written.node, self._source.entity_of(thing))
            elif part == _PLACE:
                quads = _place(written.node, thing)
            elif part == v.MESSAGE:
                quads = _link(written.node, thing.message)
            else:
                quads = self._plain(written.node, thing, part)
            removed += written.parts[number]
            added += quads
            written.parts[number] = quads
        written.keys = keys

    def _plain(self, node: ox.NamedNode, thing: Thing, property_: str) -> _Quads:
        value = self._source.plain_value(thing, property_)
        return (
            () if value is None else (ox.Quad(node, _PREDICATES[property_], _term(value), GRAPH),)
        )

    def _name_classes(
        self, labels: Iterable[str], removed: list[ox.Quad], added: list[ox.Quad]
    ) -> None:
        """Write the names of the classes that no ontology knows."""
        unlinked = {entity.id: entity for entity in self._source.unlinked_classes(labels)}
        for id_ in self._classes.keys() - unlinked.keys():
            removed += self._classes.pop(id_)
        for id_ in unlinked.keys() - self._classes.keys():
            quads = _names_of(ox.NamedNode(id_), unlinked[id_])
            self._classes[id_] = quads
            added += quads

    def _tell_messages(
        self, things: Iterable[Thing], removed: list[ox.Quad], added: list[ox.Quad]
    ) -> None:
        """Write of each message once what it was, however many things it told of."""
        told = {thing.message for thing in things if thing.message is not None}
        for gone in self._messages.keys() - told:
            removed += self._messages.pop(gone)
        for message in told - self._messages.keys():
            node = _node_of(message)
            self._messages[message] = quads = tuple(
                ox.Quad(node, _PREDICATES[fact.property], _term(fact.value), GRAPH)
                for fact in v.message_facts(message)
            )
            added += quads


def _keys(thing: Thing, class_: Entity) -> tuple[Hashable, ...]:
    """Return what each of the parts depends on."""
    own = thing if isinstance(thing, MapObject) else None
    return (
        (thing.name, thing.class_id, class_.id, class_.label),
        v.is_placed(thing) and (*v.coordinate_texts(thing), thing.frame, v.facing_texts(thing)),
        class_.id,
        thing.frame,
        own and (own.state, own.author),
        own and int(own.first_seen),
        own and int(own.last_seen),
        own and own.score and round(own.score, 3),
        own and own.detected,
        own and (own.author, own.settled),
        thing.message,
    )


@lru_cache(maxsize=64)
def _node_of(message: Message) -> ox.NamedNode:
    return ox.NamedNode(v.message_iri(message))


def _link(node: ox.NamedNode, message: Message | None) -> _Quads:
    """Return what leads from a thing to what told of it last."""
    if message is None:
        return ()
    return (ox.Quad(node, _PREDICATES[v.MESSAGE], _node_of(message), GRAPH),)


def _place(node: ox.NamedNode, thing: Thing) -> _Quads:
    """Return where a thing is, without a detour over values: it changes with every look."""
    if not v.is_placed(thing):
        return ()
    x, y, z = v.coordinate_texts(thing)
    faced = zip(_FACING, v.facing_texts(thing) or (), strict=False)
    return (
        *(ox.Quad(node, name, ox.Literal(x, datatype=_DECIMAL), GRAPH) for name, x in faced),
        ox.Quad(node, _POSITION, ox.Literal(v.position_text(thing)), GRAPH),
        ox.Quad(node, _X, ox.Literal(x, datatype=_DECIMAL), GRAPH),
        ox.Quad(node, _Y, ox.Literal(y, datatype=_DECIMAL), GRAPH),
        ox.Quad(node, _Z, ox.Literal(z, datatype=_DECIMAL), GRAPH),
    )


@lru_cache(maxsize=64)
def _time(value: TimeValue) -> ox.Literal:
    """Return a time as it is written; what is seen together has one."""
    return ox.Literal(iso_time(value), datatype=_DATE_TIME)


def _relate(
    written: _Written,
    lies: set[tuple[str, str]],
    removed: list[ox.Quad],
    added: list[ox.Quad],
) -> None:
    now = lies | {(v.LOCATION, target) for name, target in lies if name in _HELD}
    before = written.lies
    if now == before.keys():
        return
    removed += [before.pop(pair) for pair in before.keys() - now]
    for name, target in now - before.keys():
        other = ox.NamedNode(v.instance_iri(target))
        quad = before[name, target] = ox.Quad(written.node, _LIES[name], other, GRAPH)
        added.append(quad)


def _names_of(node: ox.NamedNode, entity: Entity) -> _Quads:
    return tuple(_names(node, entity.label, entity.aliases))


def _names(node: ox.NamedNode, label: str, aliases: Iterable[str]) -> list[ox.Quad]:
    named = [ox.Quad(node, _LABEL, ox.Literal(label, language="en"), GRAPH)]
    return named + [ox.Quad(node, _ALIAS, ox.Literal(a, language="en"), GRAPH) for a in aliases]


def _term(value: Value) -> ox.NamedNode | ox.Literal:
    if isinstance(value, EntityValue):
        return ox.NamedNode(iri_of(value.id))
    if isinstance(value, TimeValue):
        return _time(value)
    if isinstance(value, QuantityValue):
        return ox.Literal(str(value.amount), datatype=_DECIMAL)
    return ox.Literal(format_value(value))


class JoinedStore:
    """Graphs that do not change, copied once, and a map's, brought up to date before each query.

    Thread-safe; queries take turns, because the graph must not change under one. A query that may
    take long runs in a process that has the same graphs and hears of what changed.

    Args:
        fixed: Give the graphs that stay as they are.
        source: The map.
    """

    def __init__(self, fixed: Iterable[Callable[[], Iterable[ox.Quad]]], source: Mapped) -> None:
        self._fixed = tuple(fixed)
        self._source = source
        self._graph = MapGraph(source)
        self._store: ox.Store | None = None
        self._stored = -1
        self._removed = 0
        self._behind: list[list[ox.Quad]] | None = None
        self._processes = QueryProcesses.for_changing(self._dump, self._missed)
        self._turn = threading.Lock()

    def query(self, query: str, limits: QueryLimits, cancel: CancelToken | None) -> SparqlResult:
        """Run a read-only query; raises what ``KnowledgeSource.sparql`` does."""
        with self._turn:
            return run_bounded(
                self._current(), query, limits=limits, cancel=cancel, processes=self._processes
            )

    def warm(self) -> None:
        """Copy the graphs, which the first query would do."""
        with self._turn:
            self._current()

    def close(self) -> None:
        """End the process."""
        self._processes.close()

    def _current(self) -> ox.Store:
        if self._store is None or self._removed > _MOST_REMOVED:
            self._store = ox.Store()
            for graph in self._fixed:
                self._store.bulk_extend(graph())
            self._graph = MapGraph(self._source)
            self._stored, self._removed, self._behind = -1, 0, None
        generation = self._source.belief.generation
        if generation != self._stored:
            removed, added = self._graph.changes()
            for quad in removed:
                self._store.remove(quad)
            self._store.extend(added)
            self._stored = generation
            self._removed += len(removed)
            self._remember(removed, added)
        return self._store

    # -- the process's copy: asked for while a query has its turn --------------------------------

    def _remember(self, *changes: list[ox.Quad]) -> None:
        """Note what a process that has the graph does not know yet."""
        if self._behind is not None:
            self._behind += changes
            if sum(map(len, self._behind)) > _MOST_BEHIND:
                self._behind = None

    def _dump(self) -> bytes:
        assert self._store is not None
        self._behind = []
        return self._store.dump(format=ox.RdfFormat.N_QUADS) or b""

    def _missed(self) -> list[bytes] | None:
        """Return what a process was not told: removed and added in turns; None: too much."""
        if self._behind is None:
            return None
        missed, self._behind = self._behind, []
        return [ox.serialize(part, format=ox.RdfFormat.N_QUADS) or b"" for part in missed]
