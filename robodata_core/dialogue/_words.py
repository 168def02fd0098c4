"""The words of conversation, as the grammar table ``dialogue`` names them; English for now."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from robodata_core.language.lexicon.lexicon import read_table
from robodata_core.policy.offline.words import PREPOSITIONS, WH_WORDS, said

__all__ = [
    "ASKING",
    "BACK",
    "FEMALE",
    "MALE",
    "ORDINALS",
    "POSSESSIVES",
    "REFLEXIVE",
    "THINGS",
    "called_alike",
    "words",
]


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[frozenset[str], ...]]:
    found: dict[str, tuple[frozenset[str], ...]] = {}
    for row in read_table("en", "dialogue", "robodata_core.language.grammar"):
        row_words = frozenset(word.replace("_", " ") for word in row["words"].split("|"))
        found[row["kind"]] = (*found.get(row["kind"], ()), row_words)
    return found


def words(kind: str) -> frozenset[str]:
    """Return the words of a kind: ``male``, ``called``, ``opening``, ..."""
    return frozenset().union(*_table().get(kind, ()))


def called_alike(noun: str) -> frozenset[str]:
    """Return the nouns that call a thing again as ``noun`` does; none where it is no such noun."""
    rows = (row for row in _table().get("called", ()) if noun in row)
    return next(rows, frozenset())


REFLEXIVE: Final = words("reflexive")
MALE: Final = words("male")
FEMALE: Final = words("female")
THINGS: Final = words("thing")
POSSESSIVES: Final = words("possessive")
BACK: Final = MALE | FEMALE | THINGS | words("several") | words("place")
"""Words that point back unless the question itself says to what."""

ASKING: Final = WH_WORDS | PREPOSITIONS | said("asked behind")
"""What a question of nothing but question words is made of: "When?", "Since when?"."""


def _ordinals() -> dict[str, int]:
    rows = list(read_table("en", "numbers"))
    endings = [end for row in rows if row["kind"] == "ordinal" for end in row["word"].split("|")]
    found = dict.fromkeys(words("final"), -1)
    for row in rows:
        if row["kind"] == "rank":
            said = (row["word"], *(f"{row['value']}{end}" for end in endings))
            found |= dict.fromkeys(said, int(row["value"]) - 1)
    return found


ORDINALS: Final = _ordinals()
"""Words for a place in a row, with that place."""
