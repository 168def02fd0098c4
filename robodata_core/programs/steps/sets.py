"""Sets that are given, and what is made of sets: intersection, union, difference."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import ClassVar

from robodata_core.model import Value
from robodata_core.programs import english
from robodata_core.programs._sparql import indented
from robodata_core.programs.fields import SetName, Sets, Values
from robodata_core.programs.keys import Key, key_of
from robodata_core.programs.nodes import NodeSet, Shared, common, united
from robodata_core.programs.phrases import MAX_LISTED, Phrase, Reader, first_places
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.step import Step
from robodata_core.programs.world import World

__all__ = ["Difference", "Intersect", "Start", "Union"]


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
        text = f"any of {names}" if len(self.values) > 1 else names
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
        is_not = "is not" if minus.name else "is not stated to be"
        source = reader.of(self.source)
        # A class alone is said as one, and of a narrower set what narrows it.
        told = minus.inner if minus.restrictions or not minus.kind else minus.kind
        more = minus.beyond(source) if set(source.conditions) < set(minus.conditions) else ()
        if more and source.kind:
            told = f"one {' and '.join(more)}"
        return source.without(minus, f"that {is_not} {told}")
