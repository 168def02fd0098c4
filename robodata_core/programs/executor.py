"""Running a reasoning program on a source: its result, and the statements it rests on.

What the steps mean (truthy statements only, throughout; a statement about an unknown subject, or
one that only says how its subject is encoded (``rdf:type wikibase:Item``), does not count):

- **Nodes** are entities and literals. Two values are the same node when their direct triples
  write them alike (``_keys``). *somevalue* and *novalue* are never nodes. Sets keep their nodes
  in order of discovery, which is stable for a source that answers in a stable order.
- **Start** gives its values as they are, whether the source knows them or not.
- **Follow** along named properties: OUT gives all values, literals too; IN gives the entities
  that have the node as a value (for a literal they are looked up with one query). Along any
  relation (no properties) it gives the neighbours: entities only, over relations that join
  entities (``_relations``).
- **FilterByType** keeps entities with a value, along one of ``via``, that is one of the classes
  or a subclass of one, over any number of steps of subclass of (P279, rdfs:subClassOf). A class
  is not an instance of itself, nor of its superclass; ``via`` with P279 keeps subclasses.
  Without a source set it gives all of these entities.
- **FilterByConstraint** keeps entities with at least one value of the property that compares
  so. ``!=`` means: has a value that is different. Kinds are never mixed. Quantities compare
  within one unit, a constraint without unit with quantities without unit. Texts compare by code
  point; a plain string with texts of any language. Times compare when it is certain at their
  precision: 11 March 1952 equals the year 1952, lies before 1953 and not before 1952; the year
  1952 does not equal 11 March 1952. ``<=`` is "over by the end of", ``>=`` "not begun before".
  A time known to 10,000 years or worse is never after one known better. Without a source set
  it gives all entities of the source that pass (looked up with one query).
- **Extreme** keeps entities whose value is largest or smallest among the set's, ties included;
  entities without a value drop out. Times rank by when they begin. Quantities rank within one
  unit: a set that mixes units has an extreme in each.
- **FilterByCount** and **ExtremeCount** count what Follow would reach from each entity alone
  (and what of it is in a set to count among), and keep those with such a number, or with the
  largest or smallest; entities without any drop out. Without a source set: of all entities.
- **FilterBySame** keeps entities that have a same node as a value along one of two lists of
  properties and along one of the other. Without a source set: all of these entities.
- **ExtremeSize** gives the values whose sets have most nodes, or fewest; ties included.
- **ExtremeSpan** keeps entities with the longest (or shortest) time, in days, from a value of one
  property to a later one of another, ties included.
- **Coarsen** gives the times of a property at a precision; less precise ones drop out.
- **Elapsed** gives the whole years or days from each time of one set to each later one of
  another, by the dates alone; unknown months and days count as the first.
- **Aggregate** gives the sum, average or range (largest less smallest) of a property's numbers,
  each number of an entity once; a set that mixes units has one in each. Averages have six places.
- **Intersect**, **Union**, **Difference** are set operations on nodes, in the order of the first
  set. **Count** counts nodes, **CountDifference** how many more one set has than another.
  **Judge** tells whether a set has nodes, or one certain node.
- **exclude_start** takes the start nodes of all steps the answer depends on out of the set that
  the program ends with, before it is counted or judged.

Every cap that is hit shows in ``truncated``. Labels play no part here.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import fields
from typing import Final, TypeAlias, get_args

from robodata_core.cancellation import CancelToken
from robodata_core.model import Value
from robodata_core.programs._extract import Extraction, ExtractionStep
from robodata_core.programs._keys import Key, key_of
from robodata_core.programs._reckon import elapsed, extreme_size
from robodata_core.programs._sets import NodeSet, Shared
from robodata_core.programs.check import check, reads
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.steps import (
    Count,
    CountDifference,
    Difference,
    Elapsed,
    End,
    ExtremeCount,
    ExtremeSize,
    FilterByCount,
    Intersect,
    Judge,
    JudgeKind,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.sources.base import KnowledgeSource

__all__ = ["MAX_CLASS_DEPTH", "MAX_NODES", "Executor", "ProgramResult", "execute"]

MAX_NODES: Final = 20_000
MAX_CLASS_DEPTH: Final = 32
#: Nodes remembered over all sets; above it the memory of sets starts afresh.
_KEEP_NODES: Final = 1_000_000

_NAMES: Final = ("out", "source", "sources", "minus", "target", "among")
#: The fields of each step that are not names of sets.
_PARAMETERS: Final[dict[type, tuple[str, ...]]] = {
    kind: tuple(part.name for part in fields(kind) if part.name not in _NAMES)
    for kind in get_args(Step)
}

#: Steps that write a node set.
_SetStep: TypeAlias = (
    ExtractionStep | Start | Intersect | Union | Difference | Elapsed | ExtremeSize
)
_NamedStep: TypeAlias = _SetStep | Count | CountDifference | Judge


def execute(
    program: Program,
    source: KnowledgeSource,
    *,
    cancel: CancelToken | None = None,
    max_nodes: int = MAX_NODES,
    max_class_depth: int = MAX_CLASS_DEPTH,
) -> ProgramResult:
    """Run one program.

    Args:
        program: What to run.
        source: What to run it on.
        cancel: Asked before every round trip to the source.
        max_nodes: Most nodes in any set, and most statements read of a node along a property.
        max_class_depth: Most steps of subclass of between a type and a class.

    Raises:
        ProgramError: If the program is not well formed.
        SourceError: If the source fails.
        CancelledError: If ``cancel`` says so; DeadlineExceededError likewise.
    """
    executor = Executor(source, cancel=cancel, max_nodes=max_nodes, max_class_depth=max_class_depth)
    return executor.run(program)


class Executor:
    """Runs many programs on one source and shares what they have in common.

    Statements read and sets built are kept until ``clear``, so programs that begin with the same
    steps (under whatever names) pay for them once. For one thread; results stay valid after
    ``clear``.

    Args:
        source: As for ``execute``, like the other arguments.
        cancel: See ``execute``.
        max_nodes: See ``execute``.
        max_class_depth: See ``execute``.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        *,
        cancel: CancelToken | None = None,
        max_nodes: int = MAX_NODES,
        max_class_depth: int = MAX_CLASS_DEPTH,
    ) -> None:
        self._cancel = cancel
        self._extraction = Extraction(source, cancel, max_nodes, max_class_depth)
        self._sets: dict[Hashable, NodeSet] = {}
        self._kept = 0

    def clear(self) -> None:
        """Forget statements and sets, e.g. before the next question."""
        self._extraction.clear()
        self._sets.clear()
        self._kept = 0

    def run(self, program: Program) -> ProgramResult:
        """Run one program; see ``execute``."""
        check(program)
        if self._kept > _KEEP_NODES:
            self._sets.clear()
            self._kept = 0
        named = {step.out: step for step in program.steps if not isinstance(step, End)}
        final = named[program.steps[-1].source]  # type: ignore[union-attr]
        numbers = isinstance(final, (Count, CountDifference, Judge))
        about = reads(final) if numbers else (final.out,)
        needed = _needed(about, named)
        built = self._build(needed)
        nodes = built[about[0]]
        excluded: frozenset[Key] = frozenset()
        if program.exclude_start:
            starts = (step for step in needed if isinstance(step, Start))
            excluded = frozenset(key_of(value) for step in starts for value in step.values)
        if isinstance(final, CountDifference):
            return _difference_of_sizes(nodes, built[final.minus], excluded)
        return _result(final, nodes, excluded)

    def _build(self, steps: Sequence[_SetStep]) -> dict[str, NodeSet]:
        """Carry out steps in order, from memory where possible; return their sets by name."""
        built: dict[str, NodeSet] = {}
        for step in steps:
            parents = tuple(built[name] for name in reads(step))
            # A set stays in memory while those made from it do, so its address identifies it.
            known = (*map(id, parents), *_signature(step))
            nodes = self._sets.get(known)
            if nodes is None:
                nodes = self._apply(step, parents)
                self._sets[known] = nodes
                self._kept += len(nodes.nodes)
            built[step.out] = nodes
        return built

    def _apply(self, step: _SetStep, parents: tuple[NodeSet, ...]) -> NodeSet:
        if self._cancel is not None:
            self._cancel.check()
        if isinstance(step, Start):
            return _given(step.values)
        if isinstance(step, Intersect):
            return _intersection(parents)
        if isinstance(step, Union):
            return _union(parents)
        if isinstance(step, Difference):
            return _difference(*parents)
        if isinstance(step, Elapsed):
            return elapsed(parents[0], parents[1], step)
        if isinstance(step, ExtremeSize):
            return extreme_size(parents, step)
        if isinstance(step, (FilterByCount, ExtremeCount)):
            source = parents[0] if step.source else None
            return self._extraction.apply(step, source, parents[-1] if step.among else None)
        return self._extraction.apply(step, parents[0] if parents else None)


def _needed(names: Sequence[str], named: dict[str, _NamedStep]) -> list[_SetStep]:
    """Return the steps that some sets depend on, in the order of the program."""
    wanted = set(names)
    steps: list[_SetStep] = []
    for step in reversed(named.values()):
        if step.out in wanted and not isinstance(step, (Count, CountDifference, Judge)):
            steps.append(step)
            wanted.update(reads(step))
    return steps[::-1]


def _signature(step: Step) -> tuple[Hashable, ...]:
    """Return what a step does, whatever its sets are called."""
    kind = type(step)
    # A set to count among is no set to count of, though each is the only one read.
    started = (bool(step.source),) if isinstance(step, (FilterByCount, ExtremeCount)) else ()
    return (kind, *started, *(getattr(step, name) for name in _PARAMETERS[kind]))


def _given(values: Sequence[Value]) -> NodeSet:
    nodes: dict[Key, Value] = {}
    for value in values:
        nodes.setdefault(key_of(value), value)
    return NodeSet(nodes)


def _intersection(parents: tuple[NodeSet, ...]) -> NodeSet:
    first, *others = parents
    nodes = {
        key: value
        for key, value in first.nodes.items()
        if all(key in other.nodes for other in others)
    }
    return Shared(nodes, _any_truncated(parents), parents, every=True)


def _union(parents: tuple[NodeSet, ...]) -> NodeSet:
    nodes: dict[Key, Value] = {}
    for parent in parents:
        for key, value in parent.nodes.items():
            nodes.setdefault(key, value)
    return Shared(nodes, _any_truncated(parents), parents)


def _difference(source: NodeSet, minus: NodeSet) -> NodeSet:
    nodes = {key: value for key, value in source.nodes.items() if key not in minus.nodes}
    return Shared(nodes, _any_truncated((source, minus)), (source,))


def _any_truncated(sets: Sequence[NodeSet]) -> bool:
    return any(one.truncated for one in sets)


def _result(final: _NamedStep, nodes: NodeSet, excluded: frozenset[Key]) -> ProgramResult:
    if isinstance(final, Count):
        number = len(nodes.nodes.keys() - excluded)
        return ProgramResult(nodes, excluded=excluded, number=number)
    if isinstance(final, Judge):
        witnesses = _witnesses(final, nodes, excluded)
        return ProgramResult(nodes, excluded=excluded, boolean=bool(witnesses), witnesses=witnesses)
    return ProgramResult(nodes, excluded=excluded)


def _difference_of_sizes(nodes: NodeSet, minus: NodeSet, excluded: frozenset[Key]) -> ProgramResult:
    number = len(nodes.nodes.keys() - excluded) - len(minus.nodes.keys() - excluded)
    return ProgramResult(_union((nodes, minus)), excluded=excluded, number=number)


def _witnesses(judge: Judge, nodes: NodeSet, excluded: frozenset[Key]) -> tuple[Key, ...]:
    """Return one node that makes the judgement true, or nothing."""
    if judge.kind is JudgeKind.NOT_EMPTY:
        return tuple(itertools.islice((key for key in nodes.nodes if key not in excluded), 1))
    assert judge.value is not None
    key = key_of(judge.value)
    return (key,) if key in nodes.nodes and key not in excluded else ()
