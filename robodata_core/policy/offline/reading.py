"""Reading the source while candidates grow: samples of node sets, remembered for one question.

Growing only needs to know whether a relation is there and what kind of nodes it leads to, so
sets are cut to a sample. The winning program is run in full by ``programs.executor``.

Where requests are dear, what will be asked for can be asked for together beforehand (``ahead``
and its like). That changes no answer, only how many requests there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.iris import is_property_id
from robodata_core.model import (
    Direction,
    Entity,
    EntityValue,
    NoValue,
    SomeValue,
    StatementPage,
    Value,
)
from robodata_core.policy.offline.effort import Effort
from robodata_core.policy.offline.relations import Edge, Hop
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import near_form, wide_form
from robodata_core.text import told_name

__all__ = ["Reader", "distinct"]

_NODES: Final = 48
_PER_NODE: Final = 60
_PER_START: Final = 400
_CLASSED: Final = 400
_FEW: Final = 4
_CLASS_STEPS: Final = 12
_AHEAD: Final = 500
_MOST_AHEAD: Final = 2_000
_NAMED_AHEAD: Final = 500
_ONE_REQUEST: Final = 50
_MOST_POINTING: Final = 5_000
_NOT_NODES: Final = (SomeValue, NoValue)


class Reader:
    """Sampled, remembered access to one source during one question.

    Attributes:
        effort: What is counted while reading.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        subclass: Iterable[str] = (),
        cancel: CancelToken | None = None,
        effort: Effort | None = None,
    ) -> None:
        self._source = source
        self.effort = effort or Effort()
        self._wide = wide_form(source)
        self._near = near_form(source)
        self._pages: dict[Edge, dict[str, StatementPage]] = {}
        self._cancel = cancel
        self._subclass = tuple(subclass)
        self._values: dict[Edge, dict[str, tuple[Value, ...]]] = {}
        self._neighbours: dict[str, tuple[Value, ...]] = {}
        self._entities: dict[str, Entity] = {}
        self._above: dict[str, frozenset[str]] = {}
        self._around: dict[str, dict[Edge, int]] = {}
        self._pointers: dict[tuple[Edge, str], set[str]] = {}

    @property
    def source(self) -> KnowledgeSource:
        """What is read."""
        return self._source

    # -- together, beforehand -----------------------------------------------------------------

    @property
    def looks_ahead(self) -> bool:
        """Whether requests are dear, so that it is worth to say beforehand what will be asked."""
        return self._wide is not None

    def ahead(self, values: Iterable[Value], edges: Iterable[Edge]) -> None:
        """Ask together for what edges lead to, as far as that is not known."""
        if self._wide is None:
            return
        ids = dict.fromkeys(value.id for value in values if isinstance(value, EntityValue))
        asked = []
        missing: dict[str, None] = {}
        for edge in dict.fromkeys(edges):
            known, read = self._values.get(edge, {}), self._pages.get(edge, {})
            new = [id_ for id_ in ids if id_ not in known and id_ not in read]
            if new and edge[0]:
                asked.append(edge)
                missing.update(dict.fromkeys(new))
        wanted = list(missing)[:_MOST_AHEAD]
        for at in range(0, len(wanted), _AHEAD):
            if self._cancel is not None:
                self._cancel.check()
            some = wanted[at : at + _AHEAD]
            for edge, pages in self._wide.statements_along(some, asked, limit=_PER_START).items():
                self._pages.setdefault(edge, {}).update(pages)

    def relations_ahead(self, ids: Iterable[str]) -> None:
        """Ask together for the relations around entities."""
        if self._wide is None:
            return
        wanted = [id_ for id_ in dict.fromkeys(ids) if id_ not in self._around]
        if wanted:
            for id_, found in self._wide.relations_each(wanted).items():
                self._around[id_] = {(item.property, item.direction): item.count for item in found}

    def superclasses_ahead(self, ids: Iterable[str]) -> None:
        """Ask together for what is above some classes."""
        if self._wide is None:
            return
        wanted = [id_ for id_ in dict.fromkeys(ids) if id_ not in self._above][:_AHEAD]
        for name in self._subclass if wanted else ():
            edge = (name, Direction.OUT)
            known, read = self._values.get(edge, {}), self._pages.setdefault(edge, {})
            new = [id_ for id_ in wanted if id_ not in known and id_ not in read]
            if new:
                read.update(self._wide.statements_above(new, name))
                self._climb([id_ for id_ in new if id_ not in read], edge)

    def _climb(self, frontier: Sequence[str], edge: Edge) -> None:
        """Ask for what is above classes, all of a level together, where it is not had at once."""
        seen = set(frontier)
        for _ in range(_CLASS_STEPS if frontier else 0):
            self.ahead([EntityValue(id_) for id_ in frontier], (edge,))
            read = self._pages.get(edge, {})
            upper = (s.value for id_ in frontier if id_ in read for s in read[id_].statements)
            above = dict.fromkeys(value.id for value in upper if isinstance(value, EntityValue))
            frontier = [id_ for id_ in above if id_ not in seen]
            seen.update(frontier)
            if not frontier:
                return

    def kinds_ahead(self, values: Iterable[Value], edges: Iterable[Edge]) -> None:
        """Ask together for what is above the kinds of nodes, as far as these are known."""
        if self._wide is None:
            return
        ids = dict.fromkeys(value.id for value in values if isinstance(value, EntityValue))
        kinds: dict[str, None] = {}
        for edge in edges:
            known, read = self._values.get(edge, {}), self._pages.get(edge, {})
            for id_ in ids:
                page = read.get(id_)
                found = known.get(id_) or [s.value for s in (page.statements if page else ())]
                kinds.update({v.id: None for v in found if isinstance(v, EntityValue)})
        self.superclasses_ahead(kinds)

    def names_ahead(self, sets: Iterable[Sequence[Value]], first: int) -> None:
        """Ask together for the names of the first few of each set, or of all they hold.

        All of them are named where one request is enough for that, and all of a large set: who
        names a few of hundreds will name the others, too.
        """
        if self._wide is None:
            return
        some: dict[str, None] = {}
        all_: dict[str, None] = {}
        for values in sets:
            ids = [value.id for value in values if isinstance(value, EntityValue)]
            all_.update(dict.fromkeys(ids))
            some.update(dict.fromkeys(ids if len(values) >= _NODES else ids[:first]))
        new = [id_ for id_ in all_ if id_ not in self._entities]
        self.entities(all_ if len(new) <= _ONE_REQUEST else list(some)[:_NAMED_AHEAD])

    # -- step by step -------------------------------------------------------------------------

    def along(self, values: Sequence[Value], edge: Edge) -> tuple[Value, ...]:
        """Return what an edge leads to from (a sample of) ``values``, each once."""
        ids = _ids(values, _NODES)
        if not ids:
            return ()
        found = self._edge(ids, edge, _PER_NODE if len(ids) > _FEW else _PER_START)
        return found[0] if len(found) == 1 else distinct(found)

    def neighbours(self, values: Sequence[Value]) -> tuple[Value, ...]:
        """Return what any relation leads to from (a sample of) ``values``."""
        ids = _ids(values, _NODES)
        return tuple(dict.fromkeys(v for id_ in ids for v in self._around_values(id_)))

    def any_along(self, values: Sequence[Value], hop: Hop) -> bool:
        """Tell whether ``hop`` leads anywhere from (a sample of) ``values``."""
        if self._wide is not None:
            self.ahead(values[:_NODES], hop)
        return any(self.along(values, edge) for edge in hop)

    def _edge(
        self, ids: Sequence[str], edge: Edge, limit: int = _PER_NODE
    ) -> list[tuple[Value, ...]]:
        known = self._values.get(edge)
        if known is None:
            known = self._values[edge] = {}
        wanted = [id_ for id_ in ids if id_ not in known]
        if wanted:
            for id_, values in self._ends(wanted, edge, limit).items():
                known[id_] = tuple([v for v in values if not isinstance(v, _NOT_NODES)])
        return [known[id_] for id_ in ids]

    def _ends(self, ids: Sequence[str], edge: Edge, limit: int) -> Mapping[str, Sequence[Value]]:
        """Return what an edge leads to from each of ``ids``, as the source has it."""
        name, way = edge
        if self._near is not None and name:
            if self._cancel is not None:
                self._cancel.check()
            return self._near.ends_many(ids, direction=way, property=name, limit=limit)
        pages = self._read(ids, edge, limit)
        found: dict[str, Sequence[Value]] = {}
        for id_ in ids:
            page = pages.get(id_)
            statements = page.statements[:limit] if page else ()
            if way is Direction.IN:
                found[id_] = [EntityValue(item.subject) for item in statements]
            else:
                found[id_] = [item.value for item in statements]
        return found

    def _read(self, ids: Sequence[str], edge: Edge, limit: int) -> Mapping[str, StatementPage]:
        """Return the pages of an edge: those read beforehand, and the others' from the source."""
        read = self._pages.get(edge, {})
        unread = [id_ for id_ in ids if id_ not in read] if read else ids
        if not unread:
            return read
        if self._cancel is not None:
            self._cancel.check()
        name, way = edge
        pages = self._source.statements_many(unread, direction=way, property=name, limit=limit)
        return {**read, **pages} if read else pages

    def _around_values(self, id_: str) -> tuple[Value, ...]:
        if id_ not in self._neighbours:
            page = self._source.statements(id_, limit=200)
            self._neighbours[id_] = tuple(
                dict.fromkeys(s.value for s in page.statements if isinstance(s.value, EntityValue))
            )
        return self._neighbours[id_]

    def relations(self, id_: str) -> dict[Edge, int]:
        """Return the relations that are really there around one entity, with counts."""
        if id_ not in self._around:
            found = self._source.relations([id_])
            self._around[id_] = {(item.property, item.direction): item.count for item in found}
        return self._around[id_]

    def entities(self, ids: Iterable[str]) -> dict[str, Entity]:
        """Return labels and types of entities."""
        wanted = dict.fromkeys(ids)
        known = self._entities
        new = [id_ for id_ in wanted if id_ not in known]
        if new:
            known.update(self._source.entities(new))
        return {id_: known[id_] for id_ in wanted if id_ in known}

    def label(self, id_: str) -> str:
        """Return the label of an entity or a property, or its id."""
        known = self._source.properties((id_,)).get(id_) if is_property_id(id_) else None
        found = known or self.entities((id_,)).get(id_)
        return found.name if found else id_

    def told(self, id_: str) -> str:
        """Return an entity with what tells it from others of its name."""
        found = self.entities((id_,)).get(id_)
        return told_name(found.name, id_, found.description) if found else id_

    def is_a(
        self, values: Sequence[Value], classes: frozenset[str], via: Sequence[str]
    ) -> tuple[Value, ...]:
        """Return the sampled ``values`` that belong to one of ``classes`` (subclasses count)."""
        passing: list[Value] = []
        sample = [value for value in values if isinstance(value, EntityValue)][:_CLASSED]
        edges = tuple((name, Direction.OUT) for name in via)
        if self._wide is not None:
            self.ahead(sample, edges)
            self.kinds_ahead(sample, edges)
        for edge in edges:
            self._edge([value.id for value in sample], edge)
        for value in sample:
            types = {
                kind.id
                for edge in edges
                for kind in self._values[edge][value.id]
                if isinstance(kind, EntityValue)
            }
            if any(classes & self.superclasses(kind) for kind in types):
                passing.append(value)
        return tuple(passing)

    def holding(
        self, values: Sequence[Value], edge: Edge, wanted: Iterable[Value]
    ) -> tuple[Value, ...]:
        """Return the sampled ``values`` from which ``edge`` leads to one of ``wanted``."""
        sample = [value for value in values if isinstance(value, EntityValue)][:_CLASSED]
        targets = set(wanted)
        pointing = self._pointing(targets, edge)
        if pointing is not None:
            sample = [value for value in sample if value.id in pointing]
        self._edge([value.id for value in sample], edge)
        known = self._values[edge] if sample else {}
        return tuple(v for v in sample if not targets.isdisjoint(known[v.id]))

    def _pointing(self, targets: Iterable[Value], edge: Edge) -> set[str] | None:
        """Return from where ``edge`` leads to some targets; None where that is not known at once.

        Few things point to a target, so that hundreds need not be read to see which of them do.
        """
        name, way = edge
        if self._near is None or not name or way is not Direction.OUT:
            return None
        found: set[str] = set()
        for target in targets:
            if not isinstance(target, EntityValue):
                return None
            back = (name, Direction.IN)
            count = self.relations(target.id).get(back, 0)
            if count > _MOST_POINTING:
                return None
            if count and (edge, target.id) not in self._pointers:
                ends = self._near.ends_many(
                    (target.id,), direction=back[1], property=name, limit=count
                )
                ids = {value.id for value in ends[target.id] if isinstance(value, EntityValue)}
                self._pointers[edge, target.id] = ids
            found |= self._pointers.get((edge, target.id), set())
        return found

    def any_of(self, values: Sequence[Value], hop: Hop, *, nodes: int = 6) -> bool:
        """Tell whether any edge of ``hop`` is there at the first few ``values``."""
        ids = _ids(values, nodes)
        if self._wide is not None:
            self.ahead([EntityValue(id_) for id_ in ids], hop)
        return bool(ids) and any(found for edge in hop for found in self._edge(ids, edge))

    def above(self, ids: Iterable[str]) -> list[frozenset[str]]:
        """Return what is above each of some classes; nothing if one of them is an instance."""
        found = self.entities(ids)
        if any(item.types for item in found.values()):
            return []
        return [self.superclasses(id_) - {id_} for id_ in found]

    def superclasses(self, id_: str) -> frozenset[str]:
        """Return a class and everything above it."""
        if id_ not in self._above:
            if self._wide is not None:
                self.superclasses_ahead((id_,))
            seen, frontier = {id_}, [id_]
            for _ in range(_CLASS_STEPS):
                upper: list[str] = []
                for name in self._subclass:
                    for values in self._edge(frontier, (name, Direction.OUT)):
                        upper += [v.id for v in values if isinstance(v, EntityValue)]
                frontier = [kind for kind in dict.fromkeys(upper) if kind not in seen]
                if not frontier:
                    break
                seen.update(frontier)
            self._above[id_] = frozenset(seen)
        return self._above[id_]


def distinct(groups: Iterable[Sequence[Value]]) -> tuple[Value, ...]:
    """Return the values of some groups, each once, in order."""
    values = [value for group in groups for value in group]
    if all([type(value) is EntityValue for value in values]):
        # The hash of a text is known, that of a value is worked out each time.
        return tuple({value.id: value for value in values}.values())  # type: ignore[union-attr]
    return tuple(dict.fromkeys(values))


def _ids(values: Sequence[Value], most: int) -> list[str]:
    """Return the ids of the first few entities among some values."""
    ids = [value.id for value in values[:most] if isinstance(value, EntityValue)]
    if len(ids) < most < len(values):  # something else is among them
        ids = [value.id for value in values if isinstance(value, EntityValue)][:most]
    return ids
