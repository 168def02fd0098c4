"""Ways from a class down to the classes within it, with the statements that say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from robodata_core.model import Statement

__all__ = ["Chains", "ways_down"]

Chains: TypeAlias = dict[str, tuple[Statement, ...]]
"""For every class the statements that lead from it up to a wanted one; none for that one."""


def ways_down(
    wanted: Sequence[str], below: Callable[[str], Sequence[tuple[str, Statement]]]
) -> Chains:
    """Return for every class from which a wanted one can be reached the shortest way to it."""
    chains: Chains = {class_: () for class_ in wanted}
    level = list(chains)
    while level:
        found: list[str] = []
        for class_ in level:
            for child, one in below(class_):
                if child not in chains:
                    chains[child] = (one, *chains[class_])
                    found.append(child)
        level = found
    return chains
