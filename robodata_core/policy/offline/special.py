"""What every form of question that is answered in a way of its own is answered with."""

from __future__ import annotations

from dataclasses import dataclass

from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.solved import SetOf
from robodata_core.programs.executor import Executor

__all__ = ["Special"]


@dataclass(frozen=True, slots=True)
class Special:
    """Answers questions of one form.

    Attributes:
        solver: Gives the source and its relations.
        executor: Runs programs.
        set_of: Solves words of the question as a question of their own.
    """

    solver: Solver
    executor: Executor
    set_of: SetOf
