"""The tables that questions about things at home are read by: forms, and words of one meaning.

Nothing of a graph is known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from robodata_core.language.grammar.abilities import gerunds_of
from robodata_core.language.lexicon import open_lexicon
from robodata_core.policy.offline.forms import Form, read_forms
from robodata_core.policy.offline.tables import packaged, rows_in, rows_of

__all__ = ["KIND", "MANY", "PRONOUNS", "QUALITIES", "WHICH", "Phrase", "UsageTables",
           "open_usage", "verbs_by_gerund"]  # fmt: skip

#: What has to be known of a quality: what things do, what they are, what is done to them, and the
#: same behind "be".
QUALITIES: Final = ("q", "j", "d", "p")
#: What asks for things, and for how many; the rows that tell how.
WHICH: Final = "n"
MANY: Final = "m"
#: The row that tells how things of any kind are called.
KIND: Final = "kind"
#: The row that tells what stands for what was named.
PRONOUNS: Final = "it"
_NONE: Final = "-"
_OPENS: Final = "things;"
_TOLD: Final = "="
_NAMED: Final = "$"
#: What is said of things, in the order of the rows that tell how they are asked for.
_ROLES: Final = ("at", "for", "that", "also")


@dataclass(frozen=True, slots=True)
class UsageTables:
    """The forms, and the words of one meaning.

    Attributes:
        asked: Forms of questions.
        things: Forms of words for things.
        told: How things are asked for by what is said of them.
        qualities: Labels of qualities by slot and words.
        kinds: What kind things are of, by slot and words.
        alike: Words of one meaning by their role.
    """

    asked: tuple[Form, ...]
    things: tuple[Form, ...]
    told: dict[str, str]
    qualities: dict[tuple[str, str], tuple[str, ...]]
    kinds: dict[tuple[str, str], str]
    alike: dict[str, dict[str, tuple[str, ...]]]


@lru_cache(maxsize=1)
def open_usage() -> UsageTables:
    """Return the tables, read once."""
    text = packaged("usage.tsv")
    told = {cells[0][1:]: cells[1] for cells in rows_in(text) if cells[0].startswith(_TOLD)}
    lines = [line for line in text.splitlines() if not line.startswith(_TOLD)]
    header = next(line for line in lines if line and not line.startswith("#"))
    things = [line for line in lines if line.startswith((_OPENS, _NAMED))]
    asked = [line for line in lines if not line.startswith(_OPENS)]
    qualities: dict[tuple[str, str], tuple[str, ...]] = {}
    kinds: dict[tuple[str, str], str] = {}
    for slot, word, names, kind in _words_for_qualities():
        if kind != _NONE:
            kinds[slot, word] = kind
        else:
            qualities[slot, word] = tuple(names.split("|"))
    alike: dict[str, dict[str, tuple[str, ...]]] = {}
    for words, role in rows_of("activities.tsv"):
        of = alike.setdefault(role, {})
        for word in words.split("|"):
            of[word] = (*of.get(word, ()), *words.split("|"))
    parts = "\n".join([header, *(line.removeprefix(_OPENS) for line in things)])
    forms = tuple(read_forms("\n".join(asked))), tuple(read_forms(parts))
    return UsageTables(*forms, told, qualities, kinds, alike)


def _words_for_qualities() -> Iterator[tuple[str, str, str, str]]:
    for *ways, names, kind in rows_of("qualities.tsv"):
        for slot, words in zip(QUALITIES, ways, strict=True):
            yield from ((slot, word, names, kind) for word in words.split("|") if word != _NONE)


@lru_cache(maxsize=1)
def verbs_by_gerund(language: str) -> dict[str, tuple[str, ...]]:
    """Return the verbs of the tables by how doing that is spelled."""
    lexicon = open_lexicon(language)
    return {name: (one,) for one in open_usage().alike["verb"] for name in gerunds_of(one, lexicon)}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Things of a kind, by what is said of them."""

    kind: str
    said: tuple[tuple[str, str], ...] = ()

    def told(self, told: dict[str, str], asks: str) -> str:
        """Return what asks for them; "" where too much is said of them, or nothing."""
        found: dict[str, str] = {}
        for role, words in self.said:
            found["also" if role in found and role == "that" else role] = words
        form = told.get(" ".join(sorted(found, key=_ROLES.index)))
        whole = form is not None and len(found) == len(self.said)
        whole = whole and (asks == WHICH or bool(found))
        return form.format(w=told[asks], k=self.kind, **found) if form and whole else ""
