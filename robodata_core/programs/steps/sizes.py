"""Sizes of sets: counting, comparing, and keeping things by how many others they are joined to."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from robodata_core.errors import ProgramError
from robodata_core.model import Direction, Statement, Value
from robodata_core.programs import english
from robodata_core.programs._conditions import known
from robodata_core.programs._sparql import extremes, indented
from robodata_core.programs.comparison import OPERATORS, Comparison
from robodata_core.programs.fields import OptionalSet, Properties, SetName, Sizes, Values
from robodata_core.programs.keys import Key, key_of
from robodata_core.programs.nodes import Derived, Kept, NodeSet, Shared, entities, entity_ids
from robodata_core.programs.phrases import Phrase, Reader
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.step import Gives, Step
from robodata_core.programs.world import World

__all__ = [
    "Count",
    "CountDifference",
    "ExtremeCount",
    "ExtremeSize",
    "FilterByCount",
    "JudgeSize",
]

_MAX_COUNTED: Final = 10**9


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

    def others(self, reader: Reader) -> str:
        """Return what is counted, in words."""
        relation = reader.relation(self.properties)
        back = self.direction is Direction.IN
        single = len(self.properties) == 1
        verb = english.verb(relation) if single else None
        told = single and english.plural(relation) or f"values of {relation}"
        if verb:
            told = f"things that {verb} it" if back else f"things that it {verb}"
        elif back:
            told = f"things that it is the {relation} of"
        return f"{told} among ({reader.of(self.among).whole})" if self.among else told


@dataclass(frozen=True, slots=True)
class FilterByCount(_Joined, Step):
    """Nodes that relations join to so many others ("more than two official languages").

    Nodes without any drop out, whatever the comparison. With ``source`` empty it starts a set:
    all entities with such a number. With ``among`` only others of that set are counted.
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
                result.why[id_] = tuple(others.values())[:most]
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
        return reader.of(self.source).narrowed(f"that has {number} {self.others(reader)}")


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
                result.why[id_] = tuple(others.values())
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the numbers, and the best of them."""
        write = partial(self.numbered, query)
        return extremes(query.text, write, node, largest=self.largest, number="n")

    def phrase(self, reader: Reader) -> Phrase:
        """Write "one of (any person) with the most values of child"."""
        size = "most" if self.largest else "fewest"
        return Phrase(reader.of(self.source).best(f"with the {size} {self.others(reader)}"))


@dataclass(frozen=True, slots=True)
class ExtremeSize(Step):
    """Of some values, each with a set of its own, those whose set is largest or smallest.

    "Do more people play the violin or the accordion": the two instruments, and for each the set
    of its players. Ties are all kept.
    """

    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"share", "order", "measure", "choice"})
    hangs_on_all: ClassVar[bool] = True
    out: str
    values: Values
    sources: Sizes
    largest: bool

    def check(self) -> None:
        """Refuse values without sets."""
        if len(self.sources) != len(self.values):
            raise ProgramError("it needs a set for each of its values.")
        if len({key_of(value) for value in self.values}) < len(self.values):
            raise ProgramError("it has the same value twice.")

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Give the values whose sets are largest."""
        result = Derived(truncated=any(parent.truncated for parent in sets))
        sizes = [len(parent.nodes) for parent in sets]
        best = (max if self.largest else min)(sizes)
        for value, parent, size in zip(self.values, sets, sizes, strict=True):
            if size == best:
                result.add(value, tuple((parent, key) for key in parent.nodes), ())
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the sizes, and the best of them."""
        write = partial(self._sizes, query)
        return extremes(query.text, write, node, largest=self.largest, number="n")

    def _sizes(self, query: QueryWriter, node: str, number: str) -> list[str]:
        lines: list[str] = []
        for value, name in zip(self.values, self.sources, strict=True):
            counted = query.text.variable()
            lines += [
                "} UNION {" if lines else "{",
                f"  {{ SELECT (COUNT(DISTINCT {counted}) AS {number}) WHERE {{",
                *indented(indented(query.set(name, counted))),
                "  } }",
                "  " + query.text.values(node, [query.text.term(value)]),
            ]
        return [*lines, "}"]

    def phrase(self, reader: Reader) -> Phrase:
        """Write "larger of A by the number of (...); B by the number of (...)"."""
        each = [
            f"{reader.words.value(value)} by the number of ({reader.of(name).whole})"
            for value, name in zip(self.values, self.sources, strict=True)
        ]
        return Phrase(f"{'larger' if self.largest else 'smaller'} of {'; '.join(each)}")


# -- numbers and truths ---------------------------------------------------------------------------


def _left(nodes: NodeSet, excluded: frozenset[Key]) -> int:
    return len(nodes.nodes.keys() - excluded)


def _any(sets: Iterable[NodeSet]) -> NodeSet:
    parents = tuple(sets)
    nodes = {key: value for one in parents for key, value in one.nodes.items()}
    return Shared(nodes, any(one.truncated for one in parents), parents)


@dataclass(frozen=True, slots=True)
class Count(Step):
    """``count``: the number of distinct nodes."""

    gives: ClassVar[Gives] = Gives.NUMBER
    carries: ClassVar[frozenset[str]] = frozenset({"share", "measure"})
    out: str
    source: SetName

    def conclude(self, sets: tuple[NodeSet, ...], excluded: frozenset[Key]) -> ProgramResult:
        """Count."""
        return ProgramResult(sets[0], excluded=excluded, number=_left(sets[0], excluded))

    def query(self, query: QueryWriter) -> list[str]:
        """Write a SELECT for the number."""
        head = "SELECT (COUNT(DISTINCT ?x) AS ?count) WHERE {"
        return [head, *indented(query.kept([self.source], "?x")), "}"]

    def reading(self, reader: Reader) -> str:
        """Write "the number of ..."."""
        return f"the number of {reader.judged().several}"


@dataclass(frozen=True, slots=True)
class CountDifference(Step):
    """How many more nodes ``source`` has than ``minus``."""

    gives: ClassVar[Gives] = Gives.NUMBER
    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"share", "measure"})
    hangs_on_all: ClassVar[bool] = True
    out: str
    source: SetName
    minus: SetName

    def conclude(self, sets: tuple[NodeSet, ...], excluded: frozenset[Key]) -> ProgramResult:
        """Subtract one size from the other."""
        number = _left(sets[0], excluded) - _left(sets[1], excluded)
        return ProgramResult(_any(sets), excluded=excluded, number=number)

    def query(self, query: QueryWriter) -> list[str]:
        """Write a SELECT for the difference."""
        lines = query.sizes(([self.source], "?more"), ([self.minus], "?less"))
        return ["SELECT (?more - ?less AS ?count) WHERE {", *indented(lines), "}"]

    def reading(self, reader: Reader) -> str:
        """Write "how many more there are of ... than of ..."."""
        more, less = reader.kept(self.source), reader.kept(self.minus)
        return f"how many more there are of {more.inner} than of {less.inner}"


def _counted(reader: Reader) -> str:
    """Return what there are so many of: "children of Ann", "of (any of Ann and Bob)"."""
    phrase = reader.judged()
    return f"of {phrase.inner}" if phrase.several == phrase.inner else phrase.several


@dataclass(frozen=True, slots=True)
class JudgeSize(Step):
    """Whether the number of nodes compares so: at least, at most, exactly."""

    gives: ClassVar[Gives] = Gives.TRUTH
    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"share", "measure", "denial"})
    out: str
    source: SetName
    comparison: Comparison
    number: int

    def closed(self) -> bool:
        """One more may be too many, unless any number above another will do."""
        return not self.comparison.grows

    def check(self) -> None:
        """Refuse numbers that no set has."""
        _check_number(self.number)

    def conclude(self, sets: tuple[NodeSet, ...], excluded: frozenset[Key]) -> ProgramResult:
        """Count and compare."""
        truth = OPERATORS[self.comparison](_left(sets[0], excluded), self.number)
        return ProgramResult(sets[0], excluded=excluded, boolean=truth)

    def query(self, query: QueryWriter) -> list[str]:
        """Write an ASK for the comparison."""
        lines = query.sizes(([self.source], "?n"))
        test = f"FILTER(?n {self.comparison.value} {self.number})"
        return ["ASK {", *indented([*lines, test]), "}"]

    def reading(self, reader: Reader) -> str:
        """Write "whether there are at least 3 of ..."."""
        return f"whether {self._clause(reader, self.comparison)}"

    def _clause(self, reader: Reader, comparison: Comparison) -> str:
        if self.number == 1 or comparison is Comparison.NE:
            compared = "is not" if comparison is Comparison.NE else english.COMPARISONS[comparison]
            return f"the number of {reader.judged().several} {compared} {self.number:,}"
        compared = english.NUMBER_COMPARISONS[comparison]
        return f"there are {compared} {self.number:,} {_counted(reader)}"

    def told(self, reader: Reader, truth: bool, examples: tuple[Value, ...]) -> str:
        """Say that there are so many, or not, and which."""
        told = self._clause(reader, self.comparison if truth else self.comparison.contrary)
        return f"{told}: {reader.words.names(examples)}" if examples else told
