"""Reasoning programs drawn from a graph, along relations that are really there.

A program is grown around one statement that the graph holds: from its subject or its value along
further relations, through types, comparisons, extremes and set operations, to a set, a number or
a yes or no. Every program was executed while it grew; what gave nothing, too much, or what a step
did not change is not handed out. Which words ask for it is ``corpus``'s business.

Source: KG-Agent paper, section 4.2, where programs come from the queries of question sets; those
are read by ``queries``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from robodata_core.errors import ProgramError
from robodata_core.iris import predicate_iri
from robodata_core.model import (
    Direction,
    EntityValue,
    Property,
    QuantityValue,
    Statement,
    TimeValue,
    Value,
)
from robodata_core.programs.executor import Executor, ProgramResult
from robodata_core.programs.steps import (
    Comparison,
    Count,
    End,
    Extreme,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.sources.base import KnowledgeSource, QueryLimits

__all__ = ["KINDS", "Drawn", "GraphSource", "Sampler"]

#: Most nodes of a set on the way, and of one that is an answer.
MAX_ON_THE_WAY: Final = 100
MAX_ANSWER: Final = 50
_EDGES: Final = 300
_MAX_LOOKED_AT: Final = 200
#: Members of a set that are looked at for something to compare.
_MEMBERS: Final = 5
_TYPE: Final = "P31"
_SUBCLASS: Final = "P279"

#: Kinds of programs with how often each is tried, relative to the others.
KINDS: Final[Mapping[str, int]] = {
    "1 hop": 3,
    "2 hops": 4,
    "3 hops": 3,
    "type": 2,
    "comparison": 2,
    "extreme": 1,
    "intersection": 2,
    "union": 1,
    "count": 2,
    "yes or no": 2,
}


class GraphSource(KnowledgeSource, Protocol):
    """A source that can say which relations its whole graph has, as snapshots can."""

    def all_properties(self) -> tuple[Property, ...]:
        """Return every property with the number of its uses."""
        ...


@dataclass(frozen=True, slots=True)
class Drawn:
    """A program that was drawn, with what it gives.

    Attributes:
        kind: One of ``KINDS``.
        program: The program.
        values: The answer where it is a set.
        number: The answer where something was counted, else None.
        boolean: The answer where something was judged, else None.
    """

    kind: str
    program: Program
    values: tuple[Value, ...] = ()
    number: int | None = None
    boolean: bool | None = None


@dataclass(frozen=True, slots=True)
class _Grown:
    """Steps so far, the name of the set they lead to, and its nodes."""

    steps: tuple[Step, ...]
    name: str
    nodes: tuple[Value, ...]

    @property
    def entities(self) -> list[str]:
        """The ids of the nodes that are entities."""
        return [node.id for node in self.nodes if isinstance(node, EntityValue)]


class Sampler:
    """Draws programs from one graph. The same seed and graph give the same programs.

    Args:
        source: The graph.
        random_: Where chance comes from.

    Raises:
        SourceError: If the graph cannot be read.
    """

    def __init__(self, source: GraphSource, random_: random.Random) -> None:
        self._source = source
        self._random = random_
        self._executor = Executor(source)
        self._edges: dict[str, list[tuple[str, str]]] = {}
        properties = [one for one in source.all_properties() if one.uses > 0 and one.label]
        self._named = {one.id: one for one in properties}
        self._properties = [one for one in properties if self._edges_of(one)]
        #: Frequent relations come more often, but do not crowd out the others.
        self._weights = [one.uses**0.5 for one in self._properties]
        self._draws = 0
        self._makers: dict[str, Callable[[], _Grown | Drawn | None]] = {
            "1 hop": lambda: self._chain(1),
            "2 hops": lambda: self._chain(2),
            "3 hops": lambda: self._chain(3),
            "type": self._typed,
            "comparison": self._compared,
            "extreme": self._extreme,
            "intersection": self._intersection,
            "union": self._union,
            "count": self._count,
            "yes or no": self._judged,
        }

    def __iter__(self) -> Iterator[Drawn | None]:
        """Draw without end; None stands for a try that led to nothing."""
        kinds, weights = list(KINDS), list(KINDS.values())
        while self._properties:
            yield self.draw(self._random.choices(kinds, weights)[0])

    def draw(self, kind: str) -> Drawn | None:
        """Try once to draw a program of ``kind``; None if the try led to nothing."""
        self._draws += 1
        if self._draws % 200 == 0:
            self._executor.clear()
        try:
            made = self._makers[kind]()
        except ProgramError:
            # Ids of a foreign graph that a program cannot hold.
            return None
        if made is None or isinstance(made, Drawn):
            return made
        if not 0 < len(made.nodes) <= MAX_ANSWER:
            return None
        return Drawn(kind, Program((*made.steps, End(made.name))), made.nodes)

    # -- sets ----------------------------------------------------------------------------------

    def _chain(self, hops: int) -> _Grown | None:
        property_ = self._random.choices(self._properties, self._weights)[0]
        subject, value = self._random.choice(self._edges_of(property_))
        outward = self._random.random() < 0.5
        start = subject if outward else value
        grown = _Grown((Start("s", (EntityValue(start),)),), "s", (EntityValue(start),))
        direction = Direction.OUT if outward else Direction.IN
        grown_on = self._followed(grown, property_.id, direction)
        for _ in range(hops - 1):
            if grown_on is None:
                return None
            grown_on = self._further(grown_on)
        # A chain that comes back to where it began is no question anybody asks.
        if grown_on is None or EntityValue(start) in grown_on.nodes:
            return None
        return grown_on

    def _further(self, grown: _Grown) -> _Grown | None:
        entities = grown.entities
        if not entities or len(entities) > MAX_ON_THE_WAY:
            return None
        around = self._source.relations([self._random.choice(entities)])
        last = grown.steps[-1]
        ways = [
            (one.property, one.direction)
            for one in around
            if one.count <= _MAX_LOOKED_AT
            and one.property in self._named
            and not (isinstance(last, Follow) and one.property in last.properties)
        ]
        return self._followed(grown, *self._random.choice(ways)) if ways else None

    def _followed(self, grown: _Grown, property_: str, direction: Direction) -> _Grown | None:
        name = f"h{len(grown.steps)}"
        return self._run(grown, Follow(name, grown.name, (property_,), direction))

    def _typed(self) -> _Grown | None:
        grown = self._wide_chain()
        if grown is None:
            return None
        member = self._random.choice(grown.entities)
        classes = [
            statement.value.id
            for statement in self._statements(member, _TYPE)
            if isinstance(statement.value, EntityValue)
        ]
        if not classes:
            return None
        step = FilterByType("t", grown.name, (self._random.choice(classes),))
        return self._narrowed(grown, step)

    def _compared(self) -> _Grown | None:
        grown = self._wide_chain()
        if grown is None:
            return None
        statement = self._some_statement(grown.entities)
        if statement is None:
            return None
        condition = self._condition(statement.value)
        if condition is None:
            return None
        comparison, value = condition
        step = FilterByConstraint("c", grown.name, statement.property, comparison, value)
        return self._narrowed(grown, step)

    def _condition(self, value: Value) -> tuple[Comparison, Value] | None:
        if isinstance(value, EntityValue):
            return Comparison.EQ, value
        if isinstance(value, TimeValue) and value.precision >= 9:
            way = self._random.choice((Comparison.LT, Comparison.GT, Comparison.EQ, Comparison.GE))
            return way, TimeValue(value.year, precision=9)
        if isinstance(value, QuantityValue):
            way = self._random.choice((Comparison.GE, Comparison.LE))
            return way, QuantityValue(value.amount, value.unit)
        return None

    def _extreme(self) -> _Grown | None:
        grown = self._wide_chain()
        if grown is None:
            return None
        statement = self._some_statement(grown.entities, (QuantityValue, TimeValue))
        if statement is None:
            return None
        largest = self._random.random() < 0.5
        return self._narrowed(grown, Extreme("x", grown.name, statement.property, largest))

    def _intersection(self) -> _Grown | None:
        one = self._wide_chain()
        if one is None:
            return None
        statement = self._some_statement(one.entities, (EntityValue,))
        if statement is None:
            return None
        steps = (
            *one.steps,
            Start("s2", (statement.value,)),
            Follow("o", "s2", (statement.property,), Direction.IN),
        )
        return self._narrowed(_Grown(steps, one.name, one.nodes), Intersect("i", (one.name, "o")))

    def _union(self) -> _Grown | None:
        property_ = self._random.choices(self._properties, self._weights)[0]
        outward = self._random.random() < 0.5
        place = 0 if outward else 1
        edges = self._edges_of(property_)
        first, second = (self._random.choice(edges)[place] for _ in range(2))
        if first == second:
            return None
        direction = Direction.OUT if outward else Direction.IN
        steps: tuple[Step, ...] = ()
        for number, start in enumerate((first, second), 1):
            steps += (
                Start(f"s{number}", (EntityValue(start),)),
                Follow(f"f{number}", f"s{number}", (property_.id,), direction),
            )
        return self._run(_Grown(steps, "f1", ()), Union("u", ("f1", "f2")))

    def _wide_chain(self) -> _Grown | None:
        """Return a chain to several entities, so that something can be picked out of them."""
        grown = self._chain(self._random.choice((1, 1, 2)))
        if grown is None or not 2 <= len(grown.nodes) <= MAX_ON_THE_WAY or not grown.entities:
            return None
        return grown

    def _narrowed(self, grown: _Grown, step: Step) -> _Grown | None:
        """Take a step that must leave something and take something away."""
        after = self._run(grown, step)
        if after is None or not 0 < len(after.nodes) < len(grown.nodes):
            return None
        return after

    # -- numbers, yes and no -------------------------------------------------------------------

    def _count(self) -> Drawn | None:
        grown = self._random.choice((self._wide_chain, self._typed, self._compared))()
        if grown is None:
            return None
        program = Program((*grown.steps, Count("n", grown.name), End("n")))
        result = self._executor.run(program)
        if result.truncated or not result.number:
            return None
        return Drawn("count", program, number=result.number)

    def _judged(self) -> Drawn | None:
        grown = self._chain(self._random.choice((1, 1, 2)))
        if grown is None or not 0 < len(grown.nodes) <= MAX_ON_THE_WAY or not grown.entities:
            return None
        asked = self._random.choice(grown.entities)
        if self._random.random() < 0.5:
            other = self._relative(grown)
            if other is None:
                return None
            asked = other
        judge = Judge("j", grown.name, JudgeKind.CONTAINS, EntityValue(asked))
        program = Program((*grown.steps, judge, End("j")))
        result = self._executor.run(program)
        if result.truncated or result.boolean is None:
            return None
        return Drawn("yes or no", program, boolean=result.boolean)

    def _relative(self, grown: _Grown) -> str | None:
        """Return an entity that the last relation leads to elsewhere: a likely wrong one."""
        last = grown.steps[-1]
        if not isinstance(last, Follow):
            return None
        property_ = self._named[last.properties[0]]
        edges = self._edges_of(property_)
        if not edges:
            return None
        place = 1 if last.direction is Direction.OUT else 0
        return self._random.choice(edges)[place]

    # -- what the graph holds ------------------------------------------------------------------

    def _run(self, grown: _Grown, step: Step) -> _Grown | None:
        assert not isinstance(step, End)
        steps = (*grown.steps, step)
        result: ProgramResult = self._executor.run(Program((*steps, End(step.out))))
        if result.truncated or not result.values:
            return None
        return _Grown(steps, step.out, result.values)

    def _some_statement(
        self, ids: Sequence[str], kinds: tuple[type, ...] = (EntityValue, QuantityValue, TimeValue)
    ) -> Statement | None:
        """Return a statement about one of some entities, with a value of one of some kinds."""
        for id_ in self._random.sample(ids, min(len(ids), _MEMBERS)):
            found = [
                statement
                for statement in self._statements(id_)
                if isinstance(statement.value, kinds)
                and statement.property in self._named
                and statement.property not in (_TYPE, _SUBCLASS)
            ]
            if found:
                return self._random.choice(found)
        return None

    def _statements(self, id_: str, property_: str | None = None) -> Sequence[Statement]:
        page = self._source.statements(id_, property=property_, limit=_MAX_LOOKED_AT)
        return page.statements

    def _edges_of(self, property_: Property) -> list[tuple[str, str]]:
        """Return some statements of a relation that join two entities, from all over the graph."""
        known = self._edges.get(property_.id)
        if known is None:
            known = self._edges[property_.id] = self._read_edges(property_)
        return known

    def _read_edges(self, property_: Property) -> list[tuple[str, str]]:
        offset = self._random.randrange(max(1, property_.uses - _EDGES))
        query = (
            f"SELECT ?s ?o WHERE {{ ?s <{predicate_iri(property_.id)}> ?o }}"
            f" OFFSET {offset} LIMIT {_EDGES}"
        )
        result = self._source.sparql(query, limits=QueryLimits(rows=_EDGES, seconds=30.0))
        return [
            (subject.id, value.id)
            for subject, value in result.rows
            if isinstance(subject, EntityValue) and isinstance(value, EntityValue)
        ]
