"""What every step is, and programs made of steps.

A step kind is one class: its fields are told by annotations (``fields``), what it does, how it is
written as SPARQL and in words by its methods. Executor, compiler, verbaliser, codec and check know
no single kind; they find what they need here, so a new kind is a new class and nothing else.
"""

from __future__ import annotations

import enum
from abc import ABC
from collections.abc import Mapping
from dataclasses import Field, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from robodata_core.model import Value
from robodata_core.programs.fields import Role, SetName, held, renamed

if TYPE_CHECKING:
    from typing_extensions import Self

    from robodata_core.programs._keys import Key
    from robodata_core.programs._sets import NodeSet
    from robodata_core.programs.compiler import QueryWriter
    from robodata_core.programs.describe import Phrase, Reader
    from robodata_core.programs.result import ProgramResult
    from robodata_core.programs.world import World

__all__ = ["End", "Gives", "Program", "Step", "step_kinds"]


class Gives(str, enum.Enum):
    """What a step gives."""

    SET = "set"
    NUMBER = "number"
    TRUTH = "truth"


class Step(ABC):
    """One step of a program: a frozen dataclass with slots.

    A step that gives a set has ``run``, ``pattern`` and ``phrase``; one that gives a number or a
    truth has ``conclude``, ``query`` and ``reading``, and a truth also ``told``.

    Attributes:
        out: The name of what it writes.
        gives: What that is.
        reckoned: Whether what it gives is computed from statements, not stated itself.
        carries: Kinds of operator words (of the lexicon) that it gives their due.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    out: str
    gives: ClassVar[Gives] = Gives.SET
    reckoned: ClassVar[bool] = False
    carries: ClassVar[frozenset[str]] = frozenset()

    def closed(self) -> bool:
        """Whether one more statement in the world could make what it gives untrue."""
        return False

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of the sets it reads, in order."""
        return tuple(held(self, Role.SET, Role.OPTIONAL_SET))

    @property
    def relations(self) -> tuple[str, ...]:
        """The properties it looks at."""
        return tuple(held(self, Role.RELATION))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes it names."""
        return tuple(held(self, Role.CLASS))

    @property
    def named(self) -> tuple[Value, ...]:
        """The values it names."""
        return tuple(held(self, Role.VALUE))

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the step reading other sets: those in ``names`` by their new names."""
        changed: Self = renamed(self, names)
        return changed

    def check(self) -> None:
        """Return if it is well formed beyond what its annotations say.

        Raises:
            ProgramError: In one sentence, if not.
        """
        return

    # -- steps that give a set ------------------------------------------------------------------

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Return its nodes.

        Args:
            sets: What it reads, as in ``reads``.
            world: Reads the source.
        """
        raise NotImplementedError

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Return lines of SPARQL that bind the variable ``node`` to its nodes."""
        raise NotImplementedError

    def known_nodes(self, query: QueryWriter, node: str) -> list[str]:
        """Return the filter that its nodes need where unknown values matter, if any."""
        return []

    @property
    def starts(self) -> tuple[Value, ...]:
        """The values that it gives as they are."""
        return ()

    @property
    def is_single(self) -> bool:
        """Whether it gives one node at most, by its form alone."""
        return False

    @property
    def spreads(self) -> bool:
        """Whether several nodes may lead it to the same one."""
        return False

    def phrase(self, reader: Reader) -> Phrase:
        """Return its set in words."""
        raise NotImplementedError

    # -- steps that give a number or a truth ------------------------------------------------------

    def conclude(self, sets: tuple[NodeSet, ...], excluded: frozenset[Key]) -> ProgramResult:
        """Return the result; ``excluded`` are nodes that do not count."""
        raise NotImplementedError

    def query(self, query: QueryWriter) -> list[str]:
        """Return the lines of a whole query, without its declarations."""
        raise NotImplementedError

    def reading(self, reader: Reader) -> str:
        """Return what it asks for, as a noun phrase."""
        raise NotImplementedError

    def told(self, reader: Reader, truth: bool, examples: tuple[Value, ...]) -> str:
        """Return its outcome as a clause.

        Args:
            reader: Makes phrases.
            truth: The outcome.
            examples: Nodes that show it, if any do.
        """
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
