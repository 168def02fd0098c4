"""What every step is, and programs made of steps.

A step kind is one class: its fields are told by annotations (``fields``), what it does, how it is
written as SPARQL (``query``) and in words (``phrases``) by its methods. Executor, compiler,
verbaliser, codec and check know no single kind; they find what they need here, so a new kind is a
new class and nothing else, as long as it gives what is known already (``Gives``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from robodata_core.programs.fields import Gives, SetName
from robodata_core.programs.keys import Key
from robodata_core.programs.nodes import NodeSet
from robodata_core.programs.phrases import Told
from robodata_core.programs.query import Queried
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.world import World

__all__ = ["End", "Gives", "Program", "Step", "step_kinds"]


class Step(Queried, Told):
    """One step of a program: a frozen dataclass with slots.

    A step that gives a set has ``run``, ``pattern`` and ``phrase``; one that gives a number or a
    truth has ``conclude``, ``query`` and ``reading``, a number also ``counted``, a truth ``told``.

    Attributes:
        reckoned: Whether what it gives is computed from statements, not stated itself.
        hangs_on_all: Whether one more statement in the world could make what it gives untrue; a
            step with which that depends on its fields has ``closed``.
        carries: Kinds of operator words (of the lexicon) that it gives their due.
    """

    __slots__ = ()
    reckoned: ClassVar[bool] = False
    hangs_on_all: ClassVar[bool] = False
    carries: ClassVar[frozenset[str]] = frozenset()

    @property
    def along(self) -> tuple[str, ...]:
        """The relations it looks along; of those that tell a class the first alone."""
        return self.relations

    @property
    def quantity(self) -> str:
        """How much of a set it judges: a quantifier or a comparison; empty where it does not."""
        return ""

    def closed(self) -> bool:
        """Whether one more statement in the world could make what it gives untrue."""
        return self.hangs_on_all

    def check(self) -> None:
        """Return if it is well formed beyond what its annotations say.

        Raises:
            ProgramError: In one sentence, if not.
        """
        return

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Return its nodes.

        Args:
            sets: What it reads, as in ``reads``.
            world: Reads the source.
        """
        raise NotImplementedError

    def conclude(self, sets: tuple[NodeSet, ...], excluded: frozenset[Key]) -> ProgramResult:
        """Return the result; ``excluded`` are nodes that do not count."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class End(Step):
    """``end``: the named set (or number, or boolean) is the answer."""

    source: SetName


def step_kinds() -> dict[str, type[Step]]:
    """Return all kinds of steps by their names."""
    # A dataclass with slots replaces the class it was made from, which may linger a while.
    return {kind.__name__: kind for kind in Step.__subclasses__() if "__slots__" in vars(kind)}


@dataclass(frozen=True, slots=True)
class Program:
    """Steps in order; every name is written once, before it is read; the last step is End.

    ``exclude_start`` removes the start entities from the answer ("people born in the same
    place as X" does not mean X).
    """

    steps: tuple[Step, ...]
    exclude_start: bool = False

    @property
    def written(self) -> dict[str, Step]:
        """The steps by the names of what they write."""
        return {step.out: step for step in self.steps if not isinstance(step, End)}

    @property
    def final(self) -> Step:
        """The step whose outcome is the answer.

        Raises:
            KeyError: If the program is not well formed.
        """
        last = self.steps[-1]
        if not isinstance(last, End):
            raise KeyError("a program ends with End")
        return self.written[last.source]

    @property
    def along(self) -> tuple[str, ...]:
        """The relations it looks along, in order."""
        return tuple(dict.fromkeys(id_ for step in self.steps for id_ in step.along))

    @property
    def mentioned(self) -> tuple[str, ...]:
        """The ids of the entities it names."""
        return tuple(dict.fromkeys(id_ for step in self.steps for id_ in step.mentioned))

    @property
    def needs_everything(self) -> bool:
        """Whether one more statement in the world could make the result untrue.

        A chain of relations holds whatever else may be true. A difference, an extreme or a
        number does not, so it needs a complete look-up (closed world).
        """
        return any(step.closed() for step in self.steps)

    @property
    def is_reckoned(self) -> bool:
        """Whether the result is computed from statements, not stated itself."""
        return any(step.reckoned for step in self.steps)
