"""What steps read of a source: statements in batches, look-ups by value, classes within classes.

Statements around nodes are kept for the other programs of a question. What the steps mean says
``executor``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from robodata_core.cancellation import CancelToken
from robodata_core.model import Direction, EntityValue, Statement, Value
from robodata_core.programs._conditions import candidates
from robodata_core.programs._relations import TYPE, joins_entities, says_something
from robodata_core.programs._sparql import Text, indented
from robodata_core.programs.comparison import Comparison
from robodata_core.programs.keys import key_of
from robodata_core.programs.nodes import Followed, NodeSet, entity_ids
from robodata_core.programs.query import Queried, QueryWriter
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.store.terms import lookup_terms, term_to_value

__all__ = ["BATCH", "Lookup", "Pages", "World", "batches"]

#: Alternatives in one query: engines plan long ones badly.
_ALTERNATIVES = 16
#: Rows that are read of a ranking, whose first places are wanted.
_LEADING = 200


class Lookup:
    """Asks a source's SPARQL for entities by value.

    Args:
        source: What to ask.
        limit: Most entities to take.
        seconds: Most wall time of one query.
        cancel: Handed to the source.
    """

    def __init__(
        self, source: KnowledgeSource, limit: int, seconds: float, cancel: CancelToken | None
    ) -> None:
        self._source = source
        self._limits = QueryLimits(rows=limit, seconds=seconds)
        self._cancel = cancel

    def holders(self, values: Sequence[Value], properties: Sequence[str]) -> tuple[list[str], bool]:
        """Return the entities that have one of ``values`` as it is, and whether some were cut."""
        terms = list(dict.fromkeys(term for value in values for term in lookup_terms(value)))
        pairs = [(property_, term) for term in terms for property_ in properties]
        found: set[str] = set()
        cut = False
        for start in range(0, len(pairs), _ALTERNATIVES):
            text = Text()
            parts = [
                f"{{ ?x {text.predicate(property_)} {text.serialised(term)} }}"
                for property_, term in pairs[start : start + _ALTERNATIVES]
            ]
            ids, more = self._entities(text, [" UNION ".join(parts)])
            found.update(ids)
            cut = cut or more
        return sorted(found), cut

    def passing(
        self, property_: str, comparison: Comparison, value: Value
    ) -> tuple[list[str], bool]:
        """Return the entities that may pass a constraint, and whether some were cut."""
        text = Text()
        ids, cut = self._entities(text, candidates(text, "?x", property_, comparison, value))
        return sorted(ids), cut

    def all_of(self, step: Queried) -> NodeSet:
        """Return the entities that a step without a source set keeps."""
        writer = QueryWriter({step.out: step})
        lines = writer.select(step.out)
        ids, cut = self._asked("\n".join([*writer.text.prologue(), *lines]))
        return NodeSet({id_: EntityValue(id_) for id_ in sorted(ids)}, cut)

    def leading(
        self, write: Callable[[QueryWriter, str, str], list[str]], *, largest: bool
    ) -> NodeSet | None:
        """Return the entities with the largest or smallest number of all; ties are all kept.

        Engines do this far faster than they compare every number with the largest.

        Args:
            write: Gives lines that bind, for two variables, entities and their numbers.
            largest: Whether the largest are meant.

        Returns:
            None if so many share the first place that this is no way to find them.
        """
        writer = QueryWriter({})
        node, number = (writer.text.variable(stem) for stem in ("x", "n"))
        lines = [
            f"SELECT {node} {number} WHERE {{", *indented(write(writer, node, number)),
            f"}} ORDER BY {'DESC' if largest else 'ASC'}({number}) LIMIT {_LEADING}",
        ]  # fmt: skip
        query = "\n".join([*writer.text.prologue(), *lines])
        rows = self._source.sparql(query, limits=self._limits, cancel=self._cancel).rows
        ids = [
            row[0].id for row in rows if row[1] == rows[0][1] and isinstance(row[0], EntityValue)
        ]
        if len(ids) == _LEADING:
            return None
        return NodeSet({id_: EntityValue(id_) for id_ in sorted(ids)})

    def _entities(self, text: Text, lines: Sequence[str]) -> tuple[set[str], bool]:
        body = ["SELECT DISTINCT ?x WHERE {", *indented(lines), "}"]
        return self._asked("\n".join([*text.prologue(), *body]))

    def _asked(self, query: str) -> tuple[set[str], bool]:
        # One row more than taken would tell nothing: the source says itself if it cut.
        result = self._source.sparql(query, limits=self._limits, cancel=self._cancel)
        named = (row[0] for row in result.rows)
        return {value.id for value in named if isinstance(value, EntityValue)}, result.truncated


#: Nodes asked for at once: big enough for few round trips, small enough to stop in time.
BATCH: Final = 128
#: First look at each node of a batch: a batch of hubs must not bring in millions at once.
_FIRST_LOOK: Final = 500
#: Statements kept in all; above it the memory starts afresh.
_KEEP: Final = 400_000


def batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Cut ``ids`` into batches."""
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]


@dataclass(slots=True)
class _Shelf:
    """What is known along one property in one direction."""

    pages: dict[str, tuple[Statement, ...]] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)


class Pages:
    """Reads a source and remembers what it read.

    Args:
        source: Where statements come from.
        limit: Most statements of one node along one property.
        cancel: Asked before every round trip.
    """

    def __init__(self, source: KnowledgeSource, limit: int, cancel: CancelToken | None) -> None:
        self._source = source
        self._limit = limit
        self._cancel = cancel
        self._shelves: dict[tuple[Direction, str | None], _Shelf] = {}
        self._kept = 0

    def clear(self) -> None:
        """Forget everything."""
        self._shelves.clear()
        self._kept = 0

    def read(
        self, ids: Sequence[str], direction: Direction, property_: str | None
    ) -> tuple[Mapping[str, tuple[Statement, ...]], bool]:
        """Return the statements of at least ``ids``, and whether any of these was cut."""
        shelf = self._shelf(direction, property_)
        missing = [id_ for id_ in ids if id_ not in shelf.pages]
        if missing:
            if self._kept > _KEEP:
                self.clear()
                shelf, missing = self._shelf(direction, property_), list(ids)
            self._fetch(shelf, missing, direction, property_)
        return shelf.pages, bool(shelf.cut) and not shelf.cut.isdisjoint(ids)

    def _shelf(self, direction: Direction, property_: str | None) -> _Shelf:
        return self._shelves.setdefault((direction, property_), _Shelf())

    def _fetch(
        self, shelf: _Shelf, ids: Sequence[str], direction: Direction, property_: str | None
    ) -> None:
        first = self._limit if len(ids) == 1 else min(self._limit, _FIRST_LOOK)
        for hub in self._fill(shelf, ids, direction, property_, first):
            self._fill(shelf, (hub,), direction, property_, self._limit)

    def _fill(
        self,
        shelf: _Shelf,
        ids: Sequence[str],
        direction: Direction,
        property_: str | None,
        limit: int,
    ) -> list[str]:
        """Put pages on the shelf; return the ids that need a longer one, which are not on it."""
        if self._cancel is not None:
            self._cancel.check()
        found = self._source.statements_many(
            ids, direction=direction, property=property_, limit=limit
        )
        hubs = []
        # The other pages hold nothing that says nothing: their subjects were asked for by name.
        mixed = direction is Direction.IN or property_ in (None, TYPE)
        for id_ in ids:
            page = found[id_]
            if page.total > len(page.statements):
                if limit < self._limit:
                    hubs.append(id_)
                    continue
                shelf.cut.add(id_)
            kept = filter(says_something, page.statements) if mixed else page.statements
            shelf.pages[id_] = tuple(kept)
            self._kept += len(page.statements)
        return hubs


_Pages: TypeAlias = Mapping[str, tuple[Statement, ...]]


class World:
    """Reads one source for steps, within caps; every cap that is hit is noted in a set.

    Attributes:
        lookup: Finds entities by value.
        max_nodes: Most nodes of a set.
        max_class_depth: Most steps of subclass of.

    Args:
        source: What to read.
        cancel: Asked before every round trip.
        max_nodes: See above.
        max_class_depth: See above.
        seconds: Most wall time of one query.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        cancel: CancelToken | None,
        max_nodes: int,
        max_class_depth: int,
        seconds: float,
    ) -> None:
        self._pages = Pages(source, max_nodes, cancel)
        self._cancel = cancel
        self.lookup = Lookup(source, max_nodes, seconds, cancel)
        self.max_nodes = max_nodes
        self.max_class_depth = max_class_depth

    def clear(self) -> None:
        """Forget what was read."""
        self._pages.clear()

    def check(self) -> None:
        """Return if nobody has cancelled."""
        if self._cancel is not None:
            self._cancel.check()

    # -- statements -----------------------------------------------------------------------------

    def pages(
        self,
        ids: Sequence[str],
        direction: Direction,
        properties: Sequence[str | None],
        result: NodeSet,
    ) -> Iterator[tuple[str, tuple[Statement, ...]]]:
        """Give a page of statements for each of many nodes and each property, node by node."""
        for batch in batches(ids):
            found = self._read_all(batch, direction, properties, result)
            for id_ in batch:
                for pages in found:
                    yield id_, pages[id_]

    def statements(
        self,
        ids: Sequence[str],
        properties: Sequence[str],
        result: NodeSet,
        direction: Direction = Direction.OUT,
    ) -> Iterator[tuple[str, Statement]]:
        """Give the statements of many nodes along ``properties``, node by node."""
        for id_, page in self.pages(ids, direction, tuple(dict.fromkeys(properties)), result):
            for one in page:
                yield id_, one

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

    def classes_from(
        self,
        classes: Collection[str],
        direction: Direction,
        properties: Sequence[str],
        result: NodeSet,
        stop: Collection[str] = (),
    ) -> Iterator[tuple[str, Statement]]:
        """Give the statements that join classes to others above or below, level by level.

        Args:
            classes: Where to begin.
            direction: OUT for the classes above, IN for those below.
            properties: What says that one class lies within another.
            result: Where a cap that is hit is noted.
            stop: Classes not to go on from.
        """
        seen, level = {*classes, *stop}, list(classes)
        for _ in range(self.max_class_depth):
            if not level or len(seen) > self.max_nodes:
                break
            found: dict[str, None] = {}
            for class_, one in self.statements(level, properties, result, direction):
                other = one.subject if direction is Direction.IN else one.value
                other_id = other.id if isinstance(other, EntityValue) else other
                if isinstance(other_id, str):
                    yield class_, one
                    found[other_id] = None
            level = [class_ for class_ in found if class_ not in seen]
            seen.update(level)
        result.truncated = result.truncated or bool(level)

    # -- following ------------------------------------------------------------------------------

    def follow(self, parent: NodeSet, properties: Sequence[str], direction: Direction) -> NodeSet:
        """Return the nodes that relations lead to from those of ``parent``."""
        result = Followed(truncated=parent.truncated, parent=parent)
        ids = entity_ids(parent)
        along: tuple[str | None, ...] = tuple(dict.fromkeys(properties)) or (None,)
        for id_, page in self.pages(ids, direction, along, result):
            if not self._reach(id_, page, direction, result, anything=not properties):
                return result
        if direction is Direction.IN and properties and len(ids) < len(parent.nodes):
            self._follow_literals(parent, properties, result)
        return result

    def _reach(
        self,
        id_: str,
        page: Sequence[Statement],
        direction: Direction,
        result: Followed,
        *,
        anything: bool,
    ) -> bool:
        """Add what lies one statement away from a node; return False when the set is full."""
        nodes, came, inwards = result.nodes, result.came, direction is Direction.IN
        for one in page:
            if anything and not joins_entities(one):
                continue
            value: Value = EntityValue(one.subject) if inwards else one.value
            key = value.id if type(value) is EntityValue else key_of(value)
            if key is not None and key not in nodes:
                if len(nodes) >= self.max_nodes:
                    result.truncated = True
                    return False
                nodes[key] = value
                came[key] = (id_, one)
        return True

    def _follow_literals(
        self, parent: NodeSet, properties: Sequence[str], result: Followed
    ) -> None:
        """Add the entities that have a literal of ``parent`` as a value."""
        literals = {
            key: value for key, value in parent.nodes.items() if type(value) is not EntityValue
        }
        keys = {key: key for key in literals}
        if type(parent) is NodeSet:  # given, perhaps by a person: any spelling will do
            for key, value in literals.items():
                for spelling in lookup_terms(value):
                    keys.setdefault(key_of(term_to_value(spelling)), key)
        subjects, cut = self.lookup.holders(tuple(literals.values()), properties)
        result.truncated = result.truncated or cut
        for subject, one in self.statements(subjects, properties, result):
            key = keys.get(key_of(one.value))
            if key is None or subject in result.nodes:
                continue
            if len(result.nodes) >= self.max_nodes:
                result.truncated = True
                return
            result.nodes[subject] = EntityValue(subject)
            result.came[subject] = (key, one)
