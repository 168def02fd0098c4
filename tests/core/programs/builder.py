"""Putting a program together without names: equal steps are written once."""

from __future__ import annotations

from typing import Any

from robodata_core.programs.check import check
from robodata_core.programs.step import End, Program, Step

__all__ = ["ProgramBuilder"]


class ProgramBuilder:
    """Writes steps and names what they write.

    ::

        build = ProgramBuilder()
        ann = build.add(Start, (EntityValue("Q1"),))
        children = build.add(Follow, ann, ("P40",))
        players = build.add(FilterByConstraint, children, "P1303", Comparison.EQ, guitar)
        program = build.program(build.add(JudgeShare, children, players, Quantifier.EVERY))
    """

    def __init__(self) -> None:
        self._names: dict[Step, str] = {}
        self._steps: list[Step] = []

    def add(self, kind: type[Step], *parts: Any, **more: Any) -> str:
        """Write a step, unless an equal one is there, and return the name of what it writes.

        Args:
            kind: The class of the step.
            parts: Its fields after ``out``, in order.
            more: Others of its fields, by name.
        """
        nameless = kind("", *parts, **more)  # type: ignore[call-arg]
        name = self._names.get(nameless)
        if name is None:
            name = f"x{len(self._steps) + 1}"
            self._names[nameless] = name
            self._steps.append(kind(name, *parts, **more))  # type: ignore[call-arg]
        return name

    def program(self, name: str, *, exclude_start: bool = False) -> Program:
        """Return the program that ends with what ``name`` names.

        Raises:
            ProgramError: If it is not well formed.
        """
        program = Program((*self._steps, End(name)), exclude_start)
        check(program)
        return program
