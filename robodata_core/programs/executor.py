"""Running a reasoning program on a source: its result, and the statements it rests on.

What a step means is said in its class (``steps``). For all of them holds:

- Truthy statements alone count; one about an unknown subject, or one that only says how its
  subject is encoded (``rdf:type wikibase:Item``), does not.
- Nodes are entities and literals. Two values are the same node when their direct triples write
  them alike (``keys``). *somevalue* and *novalue* are never nodes. Sets keep their nodes in order
  of discovery, which is stable for a source that answers in a stable order.
- ``exclude_start`` takes the start nodes of all steps the answer depends on out of the set that
  the program ends with, before it is counted or judged.
- Every cap that is hit shows in ``truncated``. Labels play no part here.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.programs.check import check
from robodata_core.programs.fields import parameters
from robodata_core.programs.keys import Key, key_of
from robodata_core.programs.nodes import NodeSet
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.step import Gives, Program, Step
from robodata_core.programs.world import World
from robodata_core.sources.base import KnowledgeSource, QueryLimits

__all__ = ["MAX_CLASS_DEPTH", "MAX_NODES", "Executor", "ProgramResult", "execute"]

MAX_NODES: Final = 20_000
MAX_CLASS_DEPTH: Final = 32
_SECONDS: Final = QueryLimits().seconds
#: Nodes remembered over all sets; above it the memory of sets starts afresh.
_KEEP_NODES: Final = 1_000_000


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
        seconds: Most wall time of one query; what takes longer raises ``QueryLimitError``.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        *,
        cancel: CancelToken | None = None,
        max_nodes: int = MAX_NODES,
        max_class_depth: int = MAX_CLASS_DEPTH,
        seconds: float = _SECONDS,
    ) -> None:
        self._world = World(source, cancel, max_nodes, max_class_depth, seconds)
        self._sets: dict[Hashable, NodeSet] = {}
        self._kept = 0

    def clear(self) -> None:
        """Forget statements and sets, e.g. before the next question."""
        self._world.clear()
        self._sets.clear()
        self._kept = 0

    def run(self, program: Program) -> ProgramResult:
        """Run one program; see ``execute``."""
        check(program)
        if self._kept > _KEEP_NODES:
            self._sets.clear()
            self._kept = 0
        final = program.final
        is_set = final.gives is Gives.SET
        needed = _needed((final.out,) if is_set else final.reads, program.written)
        built = self._build(needed)
        excluded: frozenset[Key] = frozenset()
        if program.exclude_start:
            excluded = frozenset(key_of(value) for step in needed for value in step.starts)
        if is_set:
            return ProgramResult(built[final.out], excluded=excluded)
        return final.conclude(tuple(built[name] for name in final.reads), excluded)

    def having(self, ids: Sequence[str], property_: str) -> int:
        """Return of how many things any value of a property is stated."""
        return len({id_ for id_, _ in self._world.statements(ids, (property_,), NodeSet())})

    def _build(self, steps: Sequence[Step]) -> dict[str, NodeSet]:
        """Carry out steps in order, from memory where possible; return their sets by name."""
        built: dict[str, NodeSet] = {}
        for step in steps:
            parents = tuple(built[name] for name in step.reads)
            # A set stays in memory while those made from it do, so its address identifies it.
            known = (type(step), *map(id, parents), *parameters(step))
            nodes = self._sets.get(known)
            if nodes is None:
                self._world.check()
                nodes = step.run(parents, self._world)
                self._sets[known] = nodes
                self._kept += len(nodes.nodes)
            built[step.out] = nodes
        return built


def _needed(names: Sequence[str], named: dict[str, Step]) -> list[Step]:
    """Return the steps that some sets depend on, in the order of the program."""
    wanted = set(names)
    steps: list[Step] = []
    for step in reversed(named.values()):
        if step.out in wanted:
            steps.append(step)
            wanted.update(step.reads)
    return steps[::-1]
