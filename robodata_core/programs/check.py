"""Whether a program is well formed, before anything runs it or turns it into a query.

Only the program itself is looked at: whether its entities and properties exist is for a source
to say. Bounds are here too, because programs come from models and files.
"""

from __future__ import annotations

from typing import Final

from robodata_core.errors import ProgramError
from robodata_core.programs.fields import check_fields, check_name
from robodata_core.programs.step import End, Gives, Program, Step

__all__ = ["MAX_STEPS", "check"]

MAX_STEPS: Final = 128


def check(program: Program) -> None:
    """Return if ``program`` is well formed.

    Raises:
        ProgramError: With one sentence that names the step (numbered from 1).
    """
    steps = program.steps
    if not steps or not isinstance(steps[-1], End):
        raise ProgramError("A program must end with the step End.")
    if len(steps) > MAX_STEPS:
        raise ProgramError(f"A program has at most {MAX_STEPS} steps, this one has {len(steps)}.")
    written: dict[str, Gives] = {}
    for number, step in enumerate(steps, 1):
        try:
            _check_step(step, written, last=number == len(steps))
        except ProgramError as error:
            name = type(step).__name__
            raise ProgramError(f"Step {number} ({name}): {error}", hint=error.hint) from None


def _check_step(step: Step, written: dict[str, Gives], *, last: bool) -> None:
    if not isinstance(step, Step):
        raise ProgramError("this is not a step.")
    if isinstance(step, End) and not last:
        raise ProgramError("End must be the last step.")
    check_fields(step)
    step.check()
    for name in step.reads:
        check_name(name)
        if name not in written:
            raise ProgramError(f"it reads {name!r}, which no earlier step has written.")
        if written[name] is not Gives.SET and not isinstance(step, End):
            raise ProgramError(f"{name!r} is a number or a boolean, not a set of nodes.")
    if not isinstance(step, End):
        check_name(step.out)
        if step.out in written:
            raise ProgramError(f"{step.out!r} was written before; a name is written once.")
        written[step.out] = step.gives
