"""Along which relations a program looks."""

from __future__ import annotations

from collections.abc import Iterator

from robodata_core.programs.steps import FilterByType, Program

__all__ = ["relations_of"]


def relations_of(program: Program) -> Iterator[str]:
    """Yield the ids of the relations that a program looks along; of classes the first alone."""
    for step in program.steps:
        if isinstance(step, FilterByType):
            yield from step.via[:1]
            continue
        yield from getattr(step, "properties", ()) or ()
        property_ = getattr(step, "property", "")
        if property_:
            yield property_
