"""The calls of one decision as they are carried out: which of them may run at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robodata_core.tools.base import ToolCall


@dataclass(frozen=True, slots=True)
class Job:
    """A numbered call with what is known about it.

    Attributes:
        call: The call, with its id.
        key: What makes it the same as another one.
        writes: Whether it changes the local graph.
        local: Whether it reads the local graph.
        texts: Every string among its arguments.
    """

    call: ToolCall
    key: str
    writes: bool
    local: bool
    texts: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """The named results (``$x``) it reads or writes."""
        return frozenset(text for text in self.texts if text.startswith("$"))

    def waits_for(self, other: Job) -> bool:
        """Tell whether ``other``, asked for before, must have ended first."""
        if self.writes or self.key == other.key:
            return True  # a call repeated at once is answered like its elder
        # A name may be given without its dollar sign where a result is stored.
        return any(name in other.texts or name[1:] in other.texts for name in self.names)


def groups(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Split calls into groups that may run at the same time; their order is kept."""
    group: list[Job] = []
    for job in jobs:
        if group and (group[-1].writes or any(job.waits_for(other) for other in group)):
            yield group
            group = []
        group.append(job)
    if group:
        yield group


def texts(arguments: Any) -> Iterator[str]:
    """Yield every string in a call's arguments, at any depth."""
    if isinstance(arguments, str):
        yield arguments
    elif isinstance(arguments, Mapping):
        for item in arguments.values():
            yield from texts(item)
    elif isinstance(arguments, (list, tuple)):
        for item in arguments:
            yield from texts(item)
