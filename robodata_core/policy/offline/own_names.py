"""Phrases that a relation's own name gives: "has part" gives "part" as well."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from robodata_core.policy.offline.words import MODALS, PREPOSITIONS, said, stems

__all__ = ["RELATING", "facing_of", "forms_of", "signatures"]

#: Prepositions that end a label which is read from what it leads to.
RELATING: Final = PREPOSITIONS | said("about or after")
#: What a label begins with that is a predicate, as in "can slice".
_LIGHT_HEADS: Final = said("light head")

#: What stands before what is done to something: "be sliced".
_PASSIVE: Final = stems("be")


@lru_cache(maxsize=20_000)
def signatures(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the stem sequences under which a label is found."""
    whole = stems(name)
    found = [whole]
    if len(whole) > 1 and name.lower().split()[0] in _LIGHT_HEADS:
        found.append(whole[1:])
    return tuple(key for key in found if key)


def facing_of(label: str) -> tuple[str, str]:
    """Return which way a label is read, and as what: "child" is a noun, "lived in" a verb."""
    words = label.lower().replace("_", " ").split()
    if len(words) > 1 and (words[-1] in RELATING or words[0] in MODALS):
        return "in", "verb"
    return "out", "noun"


def forms_of(
    name: str, own: frozenset[tuple[str, ...]] = frozenset(), doer: bool = True
) -> list[tuple[tuple[str, ...], str, str]]:
    """Return the phrases a property's own name gives, with facing and kind.

    Args:
        name: Label or alias.
        own: All names of the property: "author of" is the noun "author" where that is one.
        doer: Whether what stands after "by" does something ("influenced by" -> "who influenced").
    """
    facing, kind = facing_of(name)
    whole = stems(name)
    if whole[-1:] == ("of",) and whole[:-1] in own:
        facing, kind = "out", "noun"
    done = any(one[1:] == whole and one[0] in MODALS for one in own if one)
    if done:
        facing, kind = "in", "verb"  # Where a label is "can slice", "slice" is what it does.
    forms = [(key, facing, kind) for key in signatures(name)]
    if done:
        forms.append(((*_PASSIVE, *whole), "out", "verb"))
    if doer and len(whole) == 2 and name.lower().replace("_", " ").endswith(" by"):
        forms.append((whole[:-1], "out", "verb"))
    return forms
