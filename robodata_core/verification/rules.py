"""Path rules, mined bottom-up from the source's own graph, property by property.

A rule reads: where a path leads from X to Y, the property holds between X and Y. Paths have up to
three steps. They are collected around some statements of the property (bottom-up, as AnyBURL and
PRA do), and each is then measured on subjects of the property: of all the ends it leads to, how
many are values. Subjects without any value are not counted (AMIE's partial completeness), the
statement under test never takes part, and the confidence is drawn towards zero where little was
seen. What is read is bounded by counts, not by time, so that the same graph gives the same rules.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.verification.neighbourhoods import (
    Edge,
    Neighbourhoods,
    Pairs,
    back,
    property_of,
)

__all__ = ["Gauge", "Hidden", "Path", "PathRule", "find_path", "hidden_edges", "mine", "reach",
           "sample"]  # fmt: skip

Path = tuple[str, ...]
Hidden = frozenset[tuple[str, str, str]]
"""Steps that must not be taken: where from, which step, where to; both directions of an edge."""

NOTHING_HIDDEN: Final[Hidden] = frozenset()

_SEED: Final = 0

_EXAMPLES: Final = 200
_MEASURED: Final = 120
_HUB: Final = 300
"""Ends of one step that are looked at while collecting paths."""
_NARROW: Final = 60
_MIDDLE: Final = 400
_WIDE: Final = 2_000
_REACH: Final = 500
"""A path with more ends from one start says little about any one of them: it has none."""
_WORK: Final = 200_000
"""Steps taken while the paths of one property are collected."""
_LEAST_SEEN: Final = 3
_MOST_PATHS: Final = 120
_CASES: Final = 2_000
"""Ends of a path after which its confidence is known well enough (to about 0.01)."""
_CHECKED: Final = 3
_MOST_RULES: Final = 100
_LEAST_HITS: Final = 2
_LEAST_CONFIDENCE: Final = 0.01
_DOUBT: Final = 5
"""Added to what was predicted: a rule seen to hold once in one case is not sure."""


@dataclass(frozen=True, slots=True)
class PathRule:
    """Where ``path`` leads from a subject, the property leads too; as often as was measured.

    Attributes:
        path: Steps from subject to value.
        hits: Ends of the path that were values, over the subjects measured.
        cases: All ends of the path.
    """

    path: Path
    hits: int
    cases: int

    @property
    def confidence(self) -> float:
        """Share of ends that were values, drawn towards zero where few were seen."""
        return self.hits / (self.cases + _DOUBT)


def hidden_edges(edges: Iterable[Edge]) -> Hidden:
    """Return what may not be walked if these statements must not be seen."""
    found = set()
    for subject, property_, value in edges:
        found.add((subject, property_, value))
        found.add((value, back(property_), subject))
    return frozenset(found)


def sample(items: Sequence[str], size: int) -> list[str]:
    """Return at most ``size`` items spread evenly over all; always the same ones."""
    if len(items) <= size:
        return list(items)
    step = len(items) / size
    return [items[int(index * step)] for index in range(size)]


def mine(
    graph: Neighbourhoods, property_: str, pairs: Pairs, cancel: CancelToken | None = None
) -> tuple[PathRule, ...]:
    """Return the rules of a property, the surest first.

    Raises:
        SourceError: If the source cannot be read.
        CancelledError: If the run was cancelled.
        DeadlineExceededError: If its time is over.
    """
    paths = _Collector(graph, property_, cancel).collect(pairs)
    gauge = Gauge(graph, property_, pairs)
    rules = []
    for path in paths:
        if cancel is not None:
            cancel.check()
        rule = gauge.measure(path)
        if rule.hits >= _LEAST_HITS and rule.confidence > _LEAST_CONFIDENCE:
            rules.append(rule)
    rules.sort(key=lambda rule: (-rule.confidence, -rule.hits, len(rule.path), rule.path))
    return tuple(rules[:_MOST_RULES])


class _Collector:
    """Collects the paths that join subjects and values of a property."""

    def __init__(self, graph: Neighbourhoods, property_: str, cancel: CancelToken | None) -> None:
        self._graph = graph
        self._property = property_
        self._cancel = cancel
        self._work = 0

    def collect(self, pairs: Pairs) -> list[Path]:
        """Return the paths met most often."""
        statements = [(s, o) for s, values in pairs.values.items() for o in sorted(values)]
        step = max(1.0, len(statements) / _EXAMPLES)
        counts: Counter[Path] = Counter()
        for index in range(min(len(statements), _EXAMPLES)):
            if self._work > _WORK:
                break
            counts.update(self._between(*statements[int(index * step)]))
        often = [path for path, count in counts.items() if count >= _LEAST_SEEN]
        often.sort(key=lambda path: (-counts[path], len(path), path))
        return often[:_MOST_PATHS]

    def _between(self, subject: str, value: str) -> set[Path]:
        graph = self._graph
        near: dict[str, list[str]] = defaultdict(list)
        found: set[Path] = set()
        for step, ends in graph.around(value, self._cancel).items():
            if subject in ends and step != back(self._property):
                found.add((back(step),))
            if len(ends) <= _WIDE:
                last = back(step)
                for end in ends:
                    near[end].append(last)
        ends_of_path = {subject, value}
        for first, middles in graph.around(subject, self._cancel).items():
            for middle in sorted(middles)[:_HUB]:
                if middle in ends_of_path:
                    continue
                found.update((first, last) for last in near.get(middle, ()))
                if self._work <= _WORK:
                    self._longer(found, first, middle, near, ends_of_path)
        return found

    def _longer(
        self,
        found: set[Path],
        first: str,
        middle: str,
        near: dict[str, list[str]],
        ends_of_path: set[str],
    ) -> None:
        """Add the paths of three steps through a node next to the subject."""
        looked = 0
        for second, nodes in self._graph.around(middle, self._cancel).items():
            if len(nodes) > _NARROW:
                continue
            for node in nodes:
                if node in near and node not in ends_of_path and node != middle:
                    found.update((first, second, third) for third in near[node])
            looked += len(nodes)
            if looked > _MIDDLE:
                break
        self._work += looked


class Gauge:
    """Measures paths on some subjects; each path, and what two begin with, is walked once.

    Args:
        graph: What is walked.
        property_: The property that paths may lead to the values of.
        pairs: Its statements.
        cancel: Ends it early.
    """

    def __init__(
        self,
        graph: Neighbourhoods,
        property_: str,
        pairs: Pairs,
        cancel: CancelToken | None = None,
    ) -> None:
        self._graph = graph
        self._property = property_
        self._pairs = pairs
        self._subjects = sample(list(pairs.values), _MEASURED)
        random.Random(_SEED).shuffle(self._subjects)  # so that the first ones stand for all
        self._cancel = cancel
        self._begun: dict[tuple[str, Path], frozenset[str]] = {}
        self._measured: dict[Path, PathRule] = {}

    def measure(self, path: Path) -> PathRule:
        """Return a path with how often it is right."""
        if path not in self._measured:
            self._measured[path] = self._walked(path)
        return self._measured[path]

    def _walked(self, path: Path) -> PathRule:
        circular = any(property_of(step) == self._property for step in path)
        hits, cases = 0.0, 0
        for subject in self._subjects:
            ends = self._step(self._beginning(subject, path[:-1]), path[-1])
            right = ends & self._pairs.values[subject]
            share = 1.0
            if right and circular:
                share = _independent(self._graph, (subject, self._property), path, right)
            hits += share * len(right)
            cases += len(ends)
            if cases > _CASES:
                break
        return PathRule(path, round(hits), cases)

    def _beginning(self, subject: str, path: Path) -> frozenset[str]:
        if not path:
            return frozenset((subject,))
        found = self._begun.get((subject, path))
        if found is None:
            before = self._beginning(subject, path[:-1])
            found = self._begun[subject, path] = self._step(before, path[-1])
        return found

    def _step(self, nodes: frozenset[str], step: str) -> frozenset[str]:
        return _step(self._graph, nodes, step, cancel=self._cancel)


def _independent(
    graph: Neighbourhoods, start: tuple[str, str], path: Path, ends: frozenset[str]
) -> float:
    """Return the share of ends that a path reaches without the statement it is to imply."""
    looked = sample(sorted(ends), _CHECKED)
    subject, property_ = start
    reached = sum(
        end in reach(graph, subject, path, hidden_edges([(subject, property_, end)]))
        for end in looked
    )
    return reached / len(looked)


def reach(
    graph: Neighbourhoods,
    start: str,
    path: Path,
    hidden: Hidden = NOTHING_HIDDEN,
    cancel: CancelToken | None = None,
) -> frozenset[str]:
    """Return where a path leads; nowhere, if to more than ``_REACH`` ends."""
    current = frozenset((start,))
    for step in path:
        current = _step(graph, current, step, hidden, cancel)
        if not current:
            break
    return current


def _step(
    graph: Neighbourhoods,
    nodes: Iterable[str],
    step: str,
    hidden: Hidden = NOTHING_HIDDEN,
    cancel: CancelToken | None = None,
) -> frozenset[str]:
    following: set[str] = set()
    for node in nodes:
        ends = graph.around(node, cancel).get(step)
        if not ends:
            continue
        if hidden:
            ends = frozenset(end for end in ends if (node, step, end) not in hidden)
        following |= ends
        if len(following) > _REACH:
            return frozenset()
    return frozenset(following)


def find_path(
    graph: Neighbourhoods, start: str, path: Path, end: str, hidden: Hidden = NOTHING_HIDDEN
) -> tuple[Edge, ...]:
    """Return one chain of statements along a path, the first in the order of ids; or nothing."""
    if not path:
        return ()
    step = path[0]
    ends = graph.to(start, step)
    if len(path) == 1:
        there = end in ends and (start, step, end) not in hidden
        return (_edge(start, step, end),) if there else ()
    back_from_end = reach(graph, end, tuple(back(one) for one in reversed(path[1:])), hidden)
    for node in sorted(ends & back_from_end):
        if (start, step, node) not in hidden:
            rest = find_path(graph, node, path[1:], end, hidden)
            if rest:
                return (_edge(start, step, node), *rest)
    return ()


def _edge(start: str, step: str, end: str) -> Edge:
    if step.startswith("^"):
        return (end, step[1:], start)
    return (start, step, end)
