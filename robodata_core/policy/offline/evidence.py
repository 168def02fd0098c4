"""What shows who is meant where nothing states it: who is somebody's mother is a woman.

The data are ``evidence.tsv``; labels that a graph does not have are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from robodata_core.model import Direction
from robodata_core.policy.offline.relations import Edge
from robodata_core.policy.offline.tables import packaged, rows_in

__all__ = ["Evidence", "evidence_for"]

_COLUMNS: Final = 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """The relations of a graph that tell for or against a value.

    Attributes:
        shown: Those that tell for it, seen from the one it is told of.
        against: Those that tell the opposite.
    """

    shown: tuple[Edge, ...] = ()
    against: tuple[Edge, ...] = ()


def evidence_for(
    values: Sequence[str],
    find: Callable[[str], Sequence[str]],
    is_label: Callable[[str, str], bool],
) -> Evidence:
    """Return what tells whether somebody has one of some values.

    Args:
        values: Names of the value.
        find: Properties by a label or alias.
        is_label: Whether a property is labelled so; an alias may be of a broader one.
    """

    def _labelled(label: str) -> list[str]:
        return [name for name in find(label) if is_label(name, label)]

    for names, shown, against in _rows():
        if set(values) & set(names):
            return Evidence(_edges(shown, _labelled), _edges(against, _labelled))
    return Evidence()


def _edges(labels: Sequence[str], find: Callable[[str], Sequence[str]]) -> tuple[Edge, ...]:
    found = (
        (name, Direction.IN if label.startswith("^") else Direction.OUT)
        for label in labels
        for name in find(label.lstrip("^"))
    )
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1)
def _rows() -> tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...]:
    table = []
    for cells in rows_in(packaged("evidence.tsv")):
        assert len(cells) == _COLUMNS, cells
        one, two, three = (tuple(part.strip() for part in cell.split("|")) for cell in cells)
        table.append((one, two, three))
    return tuple(table)
