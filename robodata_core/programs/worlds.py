"""What a program's result rests on: statements that are there, or also that no others are.

A chain of relations holds whatever else may be true. A difference, an extreme or a number does
not: one more statement may change it, so it needs a complete look-up (closed world).
"""

from __future__ import annotations

from robodata_core.programs.steps import (
    Aggregate,
    Coarsen,
    Comparison,
    CountDifference,
    Difference,
    Elapsed,
    Extreme,
    ExtremeCount,
    ExtremeSize,
    ExtremeSpan,
    FilterByCount,
    Program,
)

__all__ = ["is_reckoned", "needs_everything"]

_CLOSED = (
    Aggregate,
    CountDifference,
    Difference,
    Extreme,
    ExtremeCount,
    ExtremeSize,
    ExtremeSpan,
)
_RECKONED = (
    Aggregate,
    Coarsen,
    CountDifference,
    Elapsed,
    Extreme,
    ExtremeCount,
    ExtremeSize,
    ExtremeSpan,
)


def needs_everything(program: Program) -> bool:
    """Tell whether one more statement in the world could make the program's result untrue."""
    return any(
        isinstance(step, _CLOSED)
        or (
            isinstance(step, FilterByCount)
            and step.comparison not in (Comparison.GT, Comparison.GE)
        )
        for step in program.steps
    )


def is_reckoned(program: Program) -> bool:
    """Tell whether the result is computed from statements, not stated itself."""
    return any(isinstance(step, _RECKONED) for step in program.steps)
