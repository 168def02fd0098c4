"""Sizes of sets: counting, comparing, and keeping things by how many others they are joined to."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import ClassVar, Final

from robodata_core.errors import ProgramError
from robodata_core.model import Direction, Statement, Value
from robodata_core.programs import english
from robodata_core.programs._conditions import known
from robodata_core.programs._sparql import extremes, indented
from robodata_core.programs.comparison import OPERATORS, Comparison
from robodata_core.programs.fields import OptionalSet, Properties, SetName
from robodata_core.programs.keys import Key, key_of
from robodata_core.programs.nodes import Collector, Kept, NodeSet, entities, entity_ids, united
from robodata_core.programs.phrases import Phrase, Reader
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.step import Gives, Step
from robodata_core.programs.world import World

__all__ = ["Count", "ExtremeCount", "FilterByCount", "JudgeSize"]

_MAX_COUNTED: Final = 10**9
#: How two sizes compare, where that is not told as for other numbers.
_ALIKE: Final = {Comparison.EQ: "is the same as", Comparison.NE: "is not the same as"}


def _check_number(number: int) -> None:
    if not 0 <= number <= _MAX_COUNTED:
        raise ProgramError(f"{number!r} is not a number of things.")


class _Joined:
    """What steps share that look at how many others relations join a node to."""

    __slots__ = ()
    source: str
    properties: tuple[str, ...]
    direction: Direction
    among: str

    def joined(
        self, step: Step, sets: tuple[NodeSet, ...], world: World
    ) -> tuple[Kept, NodeSet, dict[str, dict[Hashable, Statement]]]:
        """Return a set to fill, what to look at, and what each of it is joined to, each once."""
        among = sets[-1] if self.among else None
        near = sets[0] if self.source else self._all(step, among, world)
        result = Kept(truncated=near.truncated, parent=sets[0] if self.source else None)
        result.truncated = result.truncated or (among is not None and among.truncated)
        found: dict[str, dict[Hashable, Statement]] = {}
        inwards = self.direction is Direction.IN
        along = tuple(dict.fromkeys(self.properties))
        for id_, page in world.pages(entity_ids(near), self.direction, along, result):
            others = found.setdefault(id_, {})
            for one in page:
                key = one.subject if inwards else key_of(one.value)
                if key is not None and (among is None or key in among.nodes):
                    others.setdefault(key, one)
        return result, near, {id_: others for id_, others in found.items() if others}

    def because(
        self, others: dict[Hashable, Statement], sets: tuple[NodeSet, ...], most: int | None = None
    ) -> tuple[Statement, ...]:
        """Return what shows that a node is joined to others, and why these count."""
        into = Collector()
        for key, statement in islice(others.items(), most):
            if self.among:
                sets[-1].collect(key, into)
            into.add((statement,))
        return into.statements

    def _all(self, step: Step, among: NodeSet | None, world: World) -> NodeSet:
        """Return the entities to look at without a source set."""
        if among is None:
            return world.lookup.all_of(step)
        back = Direction.IN if self.direction is Direction.OUT else Direction.OUT
        return entities(world.follow(among, self.properties, back))

    def numbered(self, query: QueryWriter, node: str, number: str) -> list[str]:
        """Return patterns that bind the nodes of a set, each with how many others it is joined to.

        A node that is joined to none has no number and is left out.
        """
        outwards = self.direction is Direction.OUT
        far = query.text.variable()
        subjects = outwards and query.is_wikidata(*self.properties)
        ends = (node, far) if outwards else (far, node)
        inner = [
            *(query.set(self.source, node, subjects=subjects) if self.source else []),
            *(query.set(self.among, far) if self.among else []),
            *query.edges(ends[0], self.properties, ends[1]),
            *query.far_ends(self.properties, self.direction, far),
        ]
        if not subjects:
            inner.append(known(query.text, node, entity=True))
        head = f"{{ SELECT {node} (COUNT(DISTINCT {far}) AS {number}) WHERE {{"
        return [head, *indented(inner), f"}} GROUP BY {node} }}"]

    def others(self, reader: Reader, *, one: bool = False) -> str:
        """Return what is counted, in words, as one of them or as several."""
        relation = reader.relation(self.properties)
        back = self.direction is Direction.IN
        single = len(self.properties) == 1
        verb = english.verb(relation, many=back and not one) if single else None
        noun = relation if one and single else english.plural(relation) if single else ""
        thing, value = ("thing", "value") if one else ("things", "values")
        told = noun or f"{value} of {relation}"
        if verb:
            told = f"{thing} that {verb} it" if back else f"{thing} that it {verb}"
        elif back:
            told = f"{thing} that it is the {relation} of"
        return f"{told} among ({reader.of(self.among).whole})" if self.among else told


@dataclass(frozen=True, slots=True)
class FilterByCount(_Joined, Step):
    """Nodes that relations join to so many others ("more than two official languages").

    Counted is what Follow would reach from each alone. Nodes without any drop out, whatever the
    comparison. With ``source`` empty it starts a set: all entities with such a number. With
    ``among`` only others of that set are counted.
    """

    carries: ClassVar[frozenset[str]] = frozenset({"share", "measure"})
    out: str
    source: OptionalSet
    properties: Properties
    direction: Direction
    comparison: Comparison
    number: int
    among: OptionalSet = ""

    def closed(self) -> bool:
        """One more may be too many, unless any number above another will do."""
        return not self.comparison.grows

    def check(self) -> None:
        """Refuse numbers that no set has."""
        _check_number(self.number)

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep what has such a number."""
        result, near, joined = self.joined(self, sets, world)
        holds = OPERATORS[self.comparison]
        # So many statements show that the number is reached.
        enough = max(1, self.number + (self.comparison is Comparison.GT))
        most = enough if self.comparison.grows else None
        for id_, others in joined.items():
            if holds(len(others), self.number):
                result.nodes[id_] = near.nodes[id_]
                result.why[id_] = self.because(others, sets, most)
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the number and its test."""
        number = query.text.variable("n")
        lines = self.numbered(query, node, number)
        return [*lines, f"FILTER({number} {self.comparison.value} {self.number})"]

    def phrase(self, reader: Reader) -> Phrase:
        """Write "that has more than 2 values of official language"."""
        any_ = self.number == 1 and self.comparison is Comparison.GE
        if any_ and self.direction is Direction.OUT and not self.among:
            told = f"of which any {reader.relation(self.properties)} is stated"
            return reader.of(self.source).narrowed(told)
        number = f"{english.NUMBER_COMPARISONS[self.comparison]} {self.number:,}"
        others = self.others(reader, one=self.number == 1)
        return reader.of(self.source).narrowed(f"that has {number} {others}")


@dataclass(frozen=True, slots=True)
class ExtremeCount(_Joined, Step):
    """Nodes that relations join to most others (or fewest); ties are all kept.

    Nodes without any drop out. ``source`` and ``among`` are as in FilterByCount.
    """

    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"share", "order", "measure", "choice"})
    hangs_on_all: ClassVar[bool] = True
    out: str
    source: OptionalSet
    properties: Properties
    direction: Direction
    largest: bool
    among: OptionalSet = ""

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep what is joined to most."""
        result, near, joined = self.joined(self, sets, world)
        best = (max if self.largest else min)(map(len, joined.values()), default=0)
        for id_, others in joined.items():
            if len(others) == best:
                result.nodes[id_] = near.nodes[id_]
                result.why[id_] = self.because(others, sets)
        return result

    def _all(self, step: Step, among: NodeSet | None, world: World) -> NodeSet:
        """Return the entities that come first, without a source set."""
        first = world.lookup.leading(self.numbered, largest=self.largest) if among is None else None
        return _Joined._all(self, step, among, world) if first is None else first

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the numbers, and the best of them."""
        write = partial(self.numbered, query)
        return extremes(query.text, write, node, largest=self.largest, number="n")

    def phrase(self, reader: Reader) -> Phrase:
        """Write "one of (any person) with the most values of child"."""
        size = "most" if self.largest else "fewest"
        return reader.of(self.source).ordered(f"{size} {self.others(reader)}")


# -- numbers and truths ---------------------------------------------------------------------------


class _Sized:
    """What steps share that look at the size of a set, or by how much it is above another's."""

    __slots__ = ()
    source: str
    minus: str

    def size(self, sets: tuple[NodeSet, ...], excluded: frozenset[Key]) -> tuple[NodeSet, int]:
        """Return the nodes of the sets, and how many more the first has than the other."""
        sizes = [len(one.nodes.keys() - excluded) for one in sets]
        if not self.minus:
            return sets[0], sizes[0]
        return united(sets, every=True), sizes[0] - sizes[1]

    def sized(self, query: QueryWriter) -> tuple[list[str], str]:
        """Return lines that bind the sizes, and the expression for the one less the other."""
        if not self.minus:
            return query.sizes(([self.source], "?n")), "?n"
        return query.sizes(([self.source], "?n"), ([self.minus], "?m")), "?n - ?m"

    def numbers(self, reader: Reader) -> tuple[str, str]:
        """Return the size in words, and that of the other set; nothing where there is none."""
        other = f"that of {reader.kept(self.minus).several}" if self.minus else ""
        return f"the number of {reader.kept(self.source).several}", other


@dataclass(frozen=True, slots=True)
class Count(_Sized, Step):
    """``count``: the number of distinct nodes; with ``minus`` how many more than that set has."""

    gives: ClassVar[Gives] = Gives.NUMBER
    carries: ClassVar[frozenset[str]] = frozenset({"share", "measure"})
    out: str
    source: SetName
    minus: OptionalSet = ""

    def closed(self) -> bool:
        """One more takes from a difference, while a number only grows."""
        return bool(self.minus)

    def conclude(self, sets: tuple[NodeSet, ...], excluded: frozenset[Key]) -> ProgramResult:
        """Count."""
        nodes, number = self.size(sets, excluded)
        return ProgramResult(nodes, excluded=excluded, number=number)

    def query(self, query: QueryWriter) -> list[str]:
        """Write a SELECT for the number."""
        if self.minus:
            lines, number = self.sized(query)
            return [f"SELECT ({number} AS ?count) WHERE {{", *indented(lines), "}"]
        head = "SELECT (COUNT(DISTINCT ?x) AS ?count) WHERE {"
        return [head, *indented(query.kept([self.source], "?x")), "}"]

    def reading(self, reader: Reader) -> str:
        """Write "the number of ...", or "how many more there are of ... than of ..."."""
        if not self.minus:
            return self.numbers(reader)[0]
        more, less = reader.kept(self.source), reader.kept(self.minus)
        return f"how many more there are of {more.inner} than of {less.inner}"

    def counted(self, reader: Reader, number: int, size: str, named: str) -> str:
        """Write "the number of children of Ann is 1: Bo", or "... is 1 more than that of ..."."""
        own, other = self.numbers(reader)
        if not self.minus:
            return f"{own} is {size}: {named}" if named else f"{own} is {size}"
        if not number:
            return f"{own} {_ALIKE[Comparison.EQ]} {other}"
        return f"{own} is {abs(number):,} {'more' if number > 0 else 'less'} than {other}"


def _counted(reader: Reader) -> str:
    """Return what there are so many of: "children of Ann", "of (any of Ann and Bob)"."""
    phrase = reader.judged()
    return f"of {phrase.inner}" if phrase.several == phrase.inner else phrase.several


@dataclass(frozen=True, slots=True)
class JudgeSize(_Sized, Step):
    """Whether the number of nodes compares so: at least, at most, exactly.

    With ``minus``: whether the number by which there are more than in that set does. "Has Ann more
    children than Bob" asks whether it is above 0.
    """

    gives: ClassVar[Gives] = Gives.TRUTH
    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"share", "measure", "denial"})
    out: str
    source: SetName
    comparison: Comparison
    number: int
    minus: OptionalSet = ""

    @property
    def quantity(self) -> str:
        """The comparison."""
        return self.comparison.value

    def closed(self) -> bool:
        """One more may be too many, unless any number above another will do."""
        return bool(self.minus) or not self.comparison.grows

    def check(self) -> None:
        """Refuse numbers that no set has."""
        _check_number(self.number)

    def conclude(self, sets: tuple[NodeSet, ...], excluded: frozenset[Key]) -> ProgramResult:
        """Count and compare."""
        nodes, number = self.size(sets, excluded)
        truth = OPERATORS[self.comparison](number, self.number)
        return ProgramResult(nodes, excluded=excluded, boolean=truth)

    def query(self, query: QueryWriter) -> list[str]:
        """Write an ASK for the comparison."""
        lines, number = self.sized(query)
        test = f"FILTER({number} {self.comparison.value} {self.number})"
        return ["ASK {", *indented([*lines, test]), "}"]

    def reading(self, reader: Reader) -> str:
        """Write "whether there are at least 3 of ..."."""
        return f"whether {self._clause(reader, self.comparison)}"

    def _clause(self, reader: Reader, comparison: Comparison) -> str:
        own, other = self.numbers(reader)
        if self.minus and not self.number:
            return f"{own} {_ALIKE.get(comparison, english.COMPARISONS[comparison])} {other}"
        if self.minus or self.number == 1 or comparison is Comparison.NE:
            compared = "is not" if comparison is Comparison.NE else english.COMPARISONS[comparison]
            return f"{own}{f' less {other}' if other else ''} {compared} {self.number:,}"
        compared = english.NUMBER_COMPARISONS[comparison]
        return f"there are {compared} {self.number:,} {_counted(reader)}"

    def told(self, reader: Reader, truth: bool, examples: tuple[Value, ...]) -> str:
        """Say that there are so many, or not, and which."""
        told = self._clause(reader, self.comparison if truth else self.comparison.contrary)
        return f"{told}: {reader.words.names(examples)}" if examples and not self.minus else told
