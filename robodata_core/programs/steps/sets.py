"""Sets that are given, what is made of sets, and judgements of them."""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Final

from robodata_core.errors import ProgramError
from robodata_core.model import Value
from robodata_core.programs import english
from robodata_core.programs._sparql import indented
from robodata_core.programs.fields import SetName, Sets, Values
from robodata_core.programs.keys import Key, key_of
from robodata_core.programs.nodes import NodeSet, Shared, common, united
from robodata_core.programs.phrases import (
    ANY_OF,
    ANYTHING,
    MAX_LISTED,
    Phrase,
    Reader,
    first_places,
)
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.step import Gives, Step
from robodata_core.programs.world import World

__all__ = [
    "Difference",
    "Intersect",
    "Judge",
    "JudgeKind",
    "JudgeShare",
    "Quantifier",
    "Start",
    "Union",
]


@dataclass(frozen=True, slots=True)
class Start(Step):
    """Begin with entities (or, for reverse look-ups, literals), known to the source or not."""

    out: str
    values: Values

    @property
    def starts(self) -> tuple[Value, ...]:
        """The values."""
        return self.values

    @property
    def is_single(self) -> bool:
        """Whether it is one value."""
        return len(self.values) == 1

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Give the values as they are."""
        nodes: dict[Key, Value] = {}
        for value in self.values:
            nodes.setdefault(key_of(value), value)
        return NodeSet(nodes)

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """List the values."""
        query.starts[self.out] = self.values
        terms = dict.fromkeys(query.text.term(value) for value in self.values)
        return [query.text.values(node, list(terms))]

    def phrase(self, reader: Reader) -> Phrase:
        """Name them; a digest tells long rows apart."""
        names = reader.words.names(self.values)
        labels = {*map(reader.words.given, self.values)}
        number = len({*map(key_of, self.values)})
        if len(labels) == 1 < number:
            # Of what goes by one name any may be meant.
            return Phrase(f"{labels.pop()} (any of {number:,})", plain=True, name=True)
        if len(self.values) <= MAX_LISTED:
            names = english.listed(map(reader.words.given, self.values))
        else:
            keys = repr([key_of(value) for value in self.values]).encode()
            names += f" [{hashlib.sha256(keys).hexdigest()[:8]}]"
        text = f"{ANY_OF}{names}" if len(self.values) > 1 else names
        return Phrase(text, plain=True, name=True)


@dataclass(frozen=True, slots=True)
class Intersect(Step):
    """``intersect``: nodes in all of the named sets."""

    carries: ClassVar[frozenset[str]] = frozenset({"share", "choice"})
    out: str
    sources: Sets

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep what is in all of them, in the order of the first."""
        return common(sets)

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Join their patterns."""
        return [line for name in dict.fromkeys(self.sources) for line in query.set(name, node)]

    def phrase(self, reader: Reader) -> Phrase:
        """Put the conditions of those that only have conditions behind the first."""
        parts = [reader.of(name) for name in dict.fromkeys(self.sources)]
        first, *others = sorted(parts, key=lambda part: bool(part.conditions))
        if all(part.conditions for part in others) and parts.index(first) == 0:
            return first.narrowed(*(f"also {cond}" for part in others for cond in part.conditions))
        both = "both" if len(parts) == 2 else "all of"
        common = f"{both} {english.listed(part.inner for part in parts)}"
        return Phrase(f"what is {common}", common=common)


@dataclass(frozen=True, slots=True)
class Union(Step):
    """``union``: nodes in any of the named sets."""

    carries: ClassVar[frozenset[str]] = frozenset({"share", "choice"})
    out: str
    sources: Sets

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Put them together, in the order of the first."""
        return united(sets)

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write alternatives."""
        lines: list[str] = []
        names = dict.fromkeys(self.sources)
        if len(names) == 1:
            return query.set(self.sources[0], node)
        for name in names:
            lines += ["} UNION {" if lines else "{", *indented(query.set(name, node))]
        return [*lines, "}"]

    def phrase(self, reader: Reader) -> Phrase:
        """Name all of them, each in brackets unless it is a plain chain."""
        parts = [reader.of(name) for name in dict.fromkeys(self.sources)]
        if len(parts) == 1:
            return parts[0]
        return first_places(parts) or Phrase(" or ".join(part.inner for part in parts))


@dataclass(frozen=True, slots=True)
class Difference(Step):
    """Nodes of ``source`` that are not in ``minus`` (negation; our addition to the toolbox)."""

    carries: ClassVar[frozenset[str]] = frozenset({"denial", "share", "measure"})
    hangs_on_all: ClassVar[bool] = True
    out: str
    source: SetName
    minus: SetName

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Take one set from the other."""
        source, minus = sets
        nodes = {key: value for key, value in source.nodes.items() if key not in minus.nodes}
        return Shared(nodes, source.truncated or minus.truncated, (source,))

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Subtract a pattern."""
        lines = query.set(self.source, node)
        return [*lines, "MINUS {", *indented(query.set(self.minus, node)), "}"]

    def phrase(self, reader: Reader) -> Phrase:
        """Say what it is not, or what is not stated of it, where no name is left out."""
        minus = reader.of(self.minus)
        is_not = "is not" if minus.name and not minus.restrictions else "is not stated to be"
        source = reader.of(self.source)
        # A class alone is said as one, and of a narrower set what narrows it.
        told = minus.inner if minus.restrictions or not minus.kind else minus.kind
        more = minus.beyond(source) if set(source.conditions) < set(minus.conditions) else ()
        if source.name and source.text.startswith(ANY_OF):
            more = minus.beyond(source)
        if more and (source.kind or source.name):
            told = f"one {' and '.join(more)}"
        return source.without(minus, f"that {is_not} {told}")


class JudgeKind(str, enum.Enum):
    """What a yes/no question asks of a node set."""

    NOT_EMPTY = "not_empty"
    CONTAINS = "contains"


@dataclass(frozen=True, slots=True)
class Judge(Step):
    """``judge``: whether the set is not empty, or contains ``value``."""

    gives: ClassVar[Gives] = Gives.TRUTH
    out: str
    source: SetName
    kind: JudgeKind
    value: Value | None = None

    def check(self) -> None:
        """Refuse a value that nothing is done with, and none where one is needed."""
        if (self.value is None) == (self.kind is JudgeKind.CONTAINS):
            raise ProgramError("a value belongs to the question 'contains', and only to that one.")

    def conclude(self, sets: tuple[NodeSet, ...], excluded: frozenset[Key]) -> ProgramResult:
        """Look for one node that makes it true."""
        nodes = sets[0]
        if self.value is None:
            witnesses = tuple(islice((key for key in nodes.nodes if key not in excluded), 1))
        else:
            key = key_of(self.value)
            witnesses = (key,) if key in nodes.nodes and key not in excluded else ()
        return ProgramResult(nodes, excluded=excluded, boolean=bool(witnesses), witnesses=witnesses)

    def query(self, query: QueryWriter) -> list[str]:
        """Write an ASK."""
        lines = query.kept([self.source], "?x")
        if self.value is not None:
            lines.insert(0, query.text.values("?x", [query.text.term(self.value)]))
        return ["ASK {", *indented(lines), "}"]

    def reading(self, reader: Reader) -> str:
        """Write "whether the capital of France is Paris"."""
        if self.value is None:
            phrase = reader.judged()
            return f"whether {phrase.clause or f'there is {phrase.whole}'}"
        return f"whether {reader.whether((self.value,))}"

    def told(self, reader: Reader, truth: bool, examples: tuple[Value, ...]) -> str:
        """Say what is there, or that it is not stated."""
        if self.value is not None:
            fact = reader.whether((self.value,))
            return fact if truth else f"it is not stated that {fact}"
        if truth and examples:
            return reader.whether(examples[:1])
        phrase = reader.judged()
        if phrase.clause:
            return f"it is not stated that {phrase.clause}"
        return f"nothing is stated for “{phrase.whole}”"


class Quantifier(str, enum.Enum):
    """How much of a set is meant."""

    EVERY = "every"
    NO = "no"
    MOST = "most"


#: How much of a set, before "of them", before a noun, and of anything.
_WORDS: Final = {
    Quantifier.EVERY: ("every one", "every", "everything"),
    Quantifier.NO: ("none", "no", "nothing"),
    Quantifier.MOST: ("most", "most", "most things"),
}


@dataclass(frozen=True, slots=True)
class JudgeShare(Step):
    """Whether every node of ``source`` is in ``within``, or none, or more than half of them.

    False of an empty set. "Every X is Y"; "B is the only child of A" (every child of A is in B);
    "A is neither X nor Y" (none of A is in the union of both).
    """

    gives: ClassVar[Gives] = Gives.TRUTH
    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"share", "denial"})
    hangs_on_all: ClassVar[bool] = True
    out: str
    source: SetName
    within: SetName
    quantifier: Quantifier

    @property
    def quantity(self) -> str:
        """The quantifier."""
        return self.quantifier.value

    def conclude(self, sets: tuple[NodeSet, ...], excluded: frozenset[Key]) -> ProgramResult:
        """Compare the set with what of it is in the other."""
        source, within = sets
        left = [key for key in source.nodes if key not in excluded]
        inside = [key for key in left if key in within.nodes]
        outside = [key for key in left if key not in within.nodes]
        if self.quantifier is Quantifier.NO:
            truth, against, wanted = bool(left) and not inside, inside, outside
        else:
            every = self.quantifier is Quantifier.EVERY
            truth = bool(left) and (not outside if every else len(inside) > len(outside))
            against, wanted = outside, inside
        # One exception says no; a yes, and a no to most of them, rest on what was looked at.
        one = not truth and self.quantifier is not Quantifier.MOST
        shown = tuple(against[:1]) if one else tuple(wanted if truth else against)
        both = (self.quantifier is Quantifier.NO) != truth
        nodes = common(sets) if both else source
        cut = source.truncated or within.truncated
        return ProgramResult(
            nodes, excluded=excluded, boolean=truth, witnesses=shown, truncated=cut
        )

    def query(self, query: QueryWriter) -> list[str]:
        """Write an ASK that compares two sizes."""
        lines = query.sizes(([self.source], "?all"), ([self.source, self.within], "?inside"))
        tests = {
            Quantifier.EVERY: "?inside = ?all",
            Quantifier.NO: "?inside = 0",
            Quantifier.MOST: "2 * ?inside > ?all",
        }
        test = f"FILTER(?all > 0 && {tests[self.quantifier]})"
        return ["ASK {", *indented([*lines, test]), "}"]

    def reading(self, reader: Reader) -> str:
        """Write "whether every child of Ann is one whose instrument is guitar"."""
        return f"whether {self._clause(reader)}"

    def _clause(self, reader: Reader) -> str:
        source, within = reader.kept(self.source), reader.of(self.within)
        of_them, noun, anything = _WORDS[self.quantifier]
        many = self.quantifier is Quantifier.MOST
        several = source.several if many else source.each
        if several == source.inner:
            much = f"{of_them} of {several}"
        elif source.kind == ANYTHING.kind:
            much = f"{anything} {' and '.join(source.restrictions)}"
        else:
            much = f"{noun} {several}"
        verb, one = ("are", "ones") if many else ("is", "one")
        conditions = within.beyond(source)
        if conditions:
            told = map(english.of_several, conditions) if many else conditions
            return f"{much} {verb} {one} {' and '.join(told)}"
        if within.name and not within.restrictions:
            return f"{much} {verb} {within.text}"
        return f"{much} {verb} among {within.inner}"

    def told(self, reader: Reader, truth: bool, examples: tuple[Value, ...]) -> str:
        """Say how much of it is, with the exception where there is one."""
        clause = self._clause(reader)
        if truth:
            return f"{clause}: {reader.words.names(examples)}" if examples else clause
        if not examples:
            return f"it is not stated that {clause}"
        names = reader.words.names(examples[:1])
        if self.quantifier is Quantifier.NO:
            return f"it is not so that {clause}: {names} is"
        return f"not {clause}: {names} is not stated to be"
