"""Things written into a question: a name a person can read with the id it is bound to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from robodata_core.question import BOUND_IDS, written_id
from robodata_core.text import clean_text

__all__ = [
    "carried", "described", "ids_in", "is_carried", "name_of", "names_of", "set_of", "text_of",
]  # fmt: skip

_MOST_LABEL: Final = 120
_MOST_NAMED: Final = 4


class Labels(Protocol):
    """What gives the label of an id."""

    def label(self, id_: str) -> str:
        """Return the label, empty where there is none."""
        ...


def carried(text: str) -> str:
    """Return what stands for an id where no graph knows a name: the name, marked."""
    return f"?{text.strip(' ?!.')}"


def described(text: str, person: bool) -> str:
    """Return what stands for the id of something asked for and not found: "the author of X"."""
    return f"?{'!' if person else '.'}{text.strip(' ?!.')}"


def is_carried(id_: str) -> bool:
    """Tell whether an id is only a name or a description."""
    return id_.startswith("?")


def text_of(id_: str) -> str:
    """Return the name or description that stands for an id."""
    return id_.lstrip("?!.")


def name_of(id_: str, knowledge: Labels) -> str:
    """Return "John Smith (Q123)"; IRIs stand in angle brackets, unknown names alone."""
    if is_carried(id_):
        return text_of(id_)
    label = clean_text(knowledge.label(id_), limit=_MOST_LABEL).strip(" ?!.") or id_
    return f"{label} ({written_id(id_)})"


def set_of(ids: Sequence[str], noun: str = "") -> str:
    """Return "these 5 singers (Q1, Q2, ...)"; what only words stand for as it was said."""
    if len(ids) == 1 and is_carried(ids[0]):
        return text_of(ids[0])
    what = f"these {len(ids)} {noun}".rstrip()
    return f"{what} ({', '.join(map(written_id, ids))})"


def names_of(ids: Sequence[str], knowledge: Labels) -> str:
    """Return "A (Q1) and B (Q2)" for a few things, a set for more."""
    if len(ids) > _MOST_NAMED:
        return set_of([id_ for id_ in ids if not is_carried(id_)])
    names = [name_of(id_, knowledge) for id_ in ids]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def ids_in(text: str) -> tuple[str, ...]:
    """Return the ids that names of a text are bound to."""
    found = [id_.strip("<>") for match in BOUND_IDS.finditer(text) for id_ in match[1].split(", ")]
    return tuple(dict.fromkeys(found))
