"""The steps that read a source: following relations, filtering, ranking. See ``executor``."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias

from robodata_core.cancellation import CancelToken
from robodata_core.model import Direction, EntityValue, Statement, Value
from robodata_core.programs._classes import Chains, ways_down
from robodata_core.programs._compare import OPERATORS, matcher, measure
from robodata_core.programs._keys import key_of
from robodata_core.programs._lookup import Lookup
from robodata_core.programs._pages import Pages, batches
from robodata_core.programs._reckon import Reckoner
from robodata_core.programs._relations import joins_entities, subclass_properties
from robodata_core.programs._sets import Followed, Kept, NodeSet, entity_ids
from robodata_core.programs._times import Instant
from robodata_core.programs.steps import (
    Aggregate,
    Coarsen,
    Comparison,
    Extreme,
    ExtremeCount,
    ExtremeSpan,
    FilterByConstraint,
    FilterByCount,
    FilterBySame,
    FilterByType,
    Follow,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.store._terms import lookup_terms, term_to_value

__all__ = ["Extraction", "ExtractionStep"]

ExtractionStep: TypeAlias = (
    Follow
    | FilterByType
    | FilterByConstraint
    | Extreme
    | FilterByCount
    | FilterBySame
    | ExtremeCount
    | ExtremeSpan
    | Coarsen
    | Aggregate
)

_Pages: TypeAlias = Mapping[str, tuple[Statement, ...]]
_Size: TypeAlias = Decimal | Instant


class Extraction:
    """Carries out single steps on a source.

    Args:
        source: What to read.
        cancel: Asked before every round trip.
        max_nodes: Most nodes of a set.
        max_class_depth: Most steps of subclass of.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        cancel: CancelToken | None,
        max_nodes: int,
        max_class_depth: int,
    ) -> None:
        self._pages = Pages(source, max_nodes, cancel)
        self._lookup = Lookup(source, max_nodes, cancel)
        self._max_nodes = max_nodes
        self._max_class_depth = max_class_depth
        self._reckoner = Reckoner(self._in_batches)

    def clear(self) -> None:
        """Forget what was read."""
        self._pages.clear()

    def apply(
        self, step: ExtractionStep, parent: NodeSet | None, among: NodeSet | None = None
    ) -> NodeSet:
        """Carry out one step.

        Args:
            step: The step.
            parent: The set it reads, None where it starts one.
            among: What others are counted among, None for all.
        """
        if isinstance(step, (FilterByCount, ExtremeCount)):
            return self._counted(parent, step, among)
        if isinstance(step, FilterByType):
            return self._instances(step) if parent is None else self._of_type(parent, step)
        if isinstance(step, FilterByConstraint):
            return self._constrained(parent, step)
        if isinstance(step, FilterBySame):
            near = parent if parent is not None else self._all_of(step)
            return self._reckoner.same(near, step, parent)
        assert parent is not None
        if isinstance(step, Extreme):
            return self._extreme(parent, step)
        if isinstance(step, Follow):
            return self._follow(parent, step)
        return self._reckoned(parent, step)

    def _reckoned(self, parent: NodeSet, step: ExtremeSpan | Coarsen | Aggregate) -> NodeSet:
        if isinstance(step, Coarsen):
            return self._reckoner.coarsen(parent, step)
        if isinstance(step, Aggregate):
            return self._reckoner.aggregate(parent, step)
        return self._reckoner.extreme_span(parent, step)

    # -- following --------------------------------------------------------------------------

    def _follow(self, parent: NodeSet, step: Follow) -> NodeSet:
        result = Followed(truncated=parent.truncated, parent=parent)
        ids = entity_ids(parent)
        properties: tuple[str | None, ...] = tuple(dict.fromkeys(step.properties)) or (None,)
        for batch in batches(ids):
            pages = self._read_all(batch, step.direction, properties, result)
            if not self._reach(batch, pages, step, result):
                return result
        if step.direction is Direction.IN and step.properties and len(ids) < len(parent.nodes):
            self._follow_literals(parent, step, result)
        return result

    def _read_all(
        self,
        ids: Sequence[str],
        direction: Direction,
        properties: Sequence[str | None],
        result: NodeSet,
    ) -> list[_Pages]:
        """Return one mapping of pages a property; note in ``result`` if any page was cut."""
        pages = []
        for property_ in properties:
            found, cut = self._pages.read(ids, direction, property_)
            result.truncated = result.truncated or cut
            pages.append(found)
        return pages

    def _reach(
        self, ids: Sequence[str], pages: Sequence[_Pages], step: Follow, result: Followed
    ) -> bool:
        """Add what lies one statement away from ``ids``; return False when the set is full."""
        nodes, came = result.nodes, result.came
        inwards, anything = step.direction is Direction.IN, not step.properties
        for id_ in ids:
            for found in pages:
                for one in found[id_]:
                    if anything and not joins_entities(one):
                        continue
                    value: Value = EntityValue(one.subject) if inwards else one.value
                    key = value.id if type(value) is EntityValue else key_of(value)
                    if key is not None and key not in nodes:
                        if len(nodes) >= self._max_nodes:
                            result.truncated = True
                            return False
                        nodes[key] = value
                        came[key] = (id_, one)
        return True

    def _follow_literals(self, parent: NodeSet, step: Follow, result: Followed) -> None:
        """Add the entities that have a literal of ``parent`` as a value."""
        literals = {
            key: value for key, value in parent.nodes.items() if type(value) is not EntityValue
        }
        keys = {key: key for key in literals}
        if type(parent) is NodeSet:  # given, perhaps by a person: any spelling will do
            for key, value in literals.items():
                for spelling in lookup_terms(value):
                    keys.setdefault(key_of(term_to_value(spelling)), key)
        subjects, cut = self._lookup.holders(tuple(literals.values()), step.properties)
        result.truncated = result.truncated or cut
        for batch in batches(subjects):
            for subject, one in self._statements(batch, step.properties, result):
                key = keys.get(key_of(one.value))
                if key is None or subject in result.nodes:
                    continue
                if len(result.nodes) >= self._max_nodes:
                    result.truncated = True
                    return
                result.nodes[subject] = EntityValue(subject)
                result.came[subject] = (key, one)

    def _statements(
        self, ids: Sequence[str], properties: Sequence[str], result: NodeSet
    ) -> Iterator[tuple[str, Statement]]:
        """Give the statements of ``ids`` along ``properties``, node by node."""
        pages = self._read_all(ids, Direction.OUT, tuple(dict.fromkeys(properties)), result)
        for id_ in ids:
            for found in pages:
                for one in found[id_]:
                    yield id_, one

    def _in_batches(
        self, ids: Sequence[str], properties: Sequence[str], result: NodeSet
    ) -> Iterator[tuple[str, Statement]]:
        """Give the statements of ``ids`` along ``properties``, many nodes at once."""
        for batch in batches(ids):
            yield from self._statements(batch, properties, result)

    # -- types ------------------------------------------------------------------------------

    def _of_type(self, parent: NodeSet, step: FilterByType) -> NodeSet:
        result = Kept(truncated=parent.truncated, parent=parent)
        ids = entity_ids(parent)
        typed = [
            (id_, one.value.id, one)
            for batch in batches(ids)
            for id_, one in self._statements(batch, step.via, result)
            if type(one.value) is EntityValue
        ]
        wanted = set(step.type_ids)
        direct = {id_ for id_, class_, _ in typed if class_ in wanted}
        open_ = {class_: None for id_, class_, _ in typed if id_ not in direct}
        chains = self._chains_from(list(open_), step, result)
        why: dict[str, tuple[Statement, ...]] = {}
        for id_, class_, one in typed:
            chain = chains.get(class_)
            if chain is not None and (id_ not in why or len(chain) + 1 < len(why[id_])):
                why[id_] = (one, *chain)
        for id_ in ids:
            if id_ in why:
                result.nodes[id_], result.why[id_] = parent.nodes[id_], why[id_]
        return result

    def _chains_from(self, classes: Collection[str], step: FilterByType, result: NodeSet) -> Chains:
        """Return the shortest way up from each of ``classes`` that leads to a wanted class."""
        below: dict[str, list[tuple[str, Statement]]] = {}
        seen = {*classes, *step.type_ids}
        level = list(classes)
        for _ in range(self._max_class_depth):
            if not level:
                break
            above: dict[str, None] = {}
            for class_, one in self._class_statements(level, Direction.OUT, step, result):
                if type(one.value) is EntityValue:
                    below.setdefault(one.value.id, []).append((class_, one))
                    above[one.value.id] = None
            level = [class_ for class_ in above if class_ not in seen]
            seen.update(level)
        result.truncated = result.truncated or bool(level)
        return ways_down(step.type_ids, lambda class_: below.get(class_, ()))

    def _class_statements(
        self, classes: Sequence[str], direction: Direction, step: FilterByType, result: NodeSet
    ) -> Iterator[tuple[str, Statement]]:
        for batch in batches(classes):
            for pages in self._read_all(batch, direction, subclass_properties(step), result):
                for class_ in batch:
                    for one in pages[class_]:
                        yield class_, one

    def _instances(self, step: FilterByType) -> NodeSet:
        result = Kept()
        chains: Chains = {class_: () for class_ in step.type_ids}
        level = list(chains)
        for _ in range(self._max_class_depth):
            if not level or len(chains) > self._max_nodes:
                break
            below: dict[str, None] = {}
            for class_, one in self._class_statements(level, Direction.IN, step, result):
                if one.subject not in chains:
                    chains[one.subject] = (one, *chains[class_])
                    below[one.subject] = None
            level = list(below)
        result.truncated = result.truncated or bool(level)
        self._fill_instances(chains, step, result)
        return result

    def _fill_instances(self, chains: Chains, step: FilterByType, result: Kept) -> None:
        via = tuple(dict.fromkeys(step.via))
        for batch in batches(list(chains)):
            pages = self._read_all(batch, Direction.IN, via, result)
            for class_ in batch:
                for found in pages:
                    for one in found[class_]:
                        if one.subject in result.nodes:
                            continue
                        if len(result.nodes) >= self._max_nodes:
                            result.truncated = True
                            return
                        result.nodes[one.subject] = EntityValue(one.subject)
                        result.why[one.subject] = (one, *chains[class_])

    # -- values -----------------------------------------------------------------------------

    def _constrained(self, parent: NodeSet | None, step: FilterByConstraint) -> NodeSet:
        result = Kept(parent=parent)
        if parent is None:
            ids, result.truncated = self._lookup.passing(step)
        else:
            ids, result.truncated = entity_ids(parent), parent.truncated
        passes = matcher(step.comparison, step.value)
        for batch in batches(ids):
            for id_, one in self._statements(batch, (step.property,), result):
                if id_ not in result.nodes and passes(one.value):
                    result.nodes[id_] = EntityValue(id_)
                    result.why[id_] = (one,)
        return result

    def _extreme(self, parent: NodeSet, step: Extreme) -> NodeSet:
        result = Kept(truncated=parent.truncated, parent=parent)
        best: dict[Hashable, _Size] = {}
        sizes: list[tuple[str, Statement, Hashable, _Size]] = []
        for batch in batches(entity_ids(parent)):
            for id_, one in self._statements(batch, (step.property,), result):
                measured = measure(one.value)
                if measured is None:
                    continue
                among, size = measured
                sizes.append((id_, one, among, size))
                record = best.get(among)
                # Sizes are only compared within one kind, which mypy cannot see.
                if record is None or (size > record if step.largest else size < record):  # type: ignore[operator]
                    best[among] = size
        for id_, one, among, size in sizes:
            if size == best[among] and id_ not in result.nodes:
                result.nodes[id_] = parent.nodes[id_]
                result.why[id_] = (one,)
        return result

    # -- numbers of others --------------------------------------------------------------------

    def _counted(
        self, parent: NodeSet | None, step: FilterByCount | ExtremeCount, among: NodeSet | None
    ) -> NodeSet:
        near = parent if parent is not None else self._joined_at_all(step, among)
        result = Kept(truncated=near.truncated, parent=parent)
        result.truncated = result.truncated or (among is not None and among.truncated)
        joined = self._joined(near, step, among, result)
        sizes = {id_: len(others) for id_, others in joined.items() if others}
        if isinstance(step, FilterByCount):
            holds = OPERATORS[step.comparison]
            kept = [id_ for id_, size in sizes.items() if holds(size, step.number)]
        else:
            best = (max if step.largest else min)(sizes.values(), default=0)
            kept = [id_ for id_, size in sizes.items() if size == best]
        for id_ in kept:
            result.nodes[id_] = near.nodes[id_]
            result.why[id_] = tuple(joined[id_].values())[: _enough(step)]
        return result

    def _joined_at_all(self, step: FilterByCount | ExtremeCount, among: NodeSet | None) -> NodeSet:
        """Return the entities a step without a source set has to look at."""
        if among is not None:
            back = Direction.IN if step.direction is Direction.OUT else Direction.OUT
            near = self._follow(among, Follow("", "", step.properties, back))
            return NodeSet({id_: EntityValue(id_) for id_ in entity_ids(near)}, near.truncated)
        return self._all_of(step)

    def _all_of(self, step: FilterByCount | ExtremeCount | FilterBySame) -> NodeSet:
        ids, cut = self._lookup.all_of(step)
        return NodeSet({id_: EntityValue(id_) for id_ in ids}, cut)

    def _joined(
        self,
        parent: NodeSet,
        step: FilterByCount | ExtremeCount,
        among: NodeSet | None,
        result: NodeSet,
    ) -> dict[str, dict[Hashable, Statement]]:
        """Return for each node what relations join it to, each once, with the statement."""
        found: dict[str, dict[Hashable, Statement]] = {}
        properties = tuple(dict.fromkeys(step.properties))
        inwards = step.direction is Direction.IN
        for batch in batches(entity_ids(parent)):
            pages = self._read_all(batch, step.direction, properties, result)
            for id_ in batch:
                others = found.setdefault(id_, {})
                for page in pages:
                    for one in page[id_]:
                        key = one.subject if inwards else key_of(one.value)
                        if key is not None and (among is None or key in among.nodes):
                            others.setdefault(key, one)
        return found


def _enough(step: FilterByCount | ExtremeCount) -> int | None:
    """Return how many statements show that a number is reached; None for all of them."""
    if isinstance(step, FilterByCount) and step.comparison is Comparison.GT:
        return step.number + 1
    if isinstance(step, FilterByCount) and step.comparison is Comparison.GE:
        return max(1, step.number)
    return None
