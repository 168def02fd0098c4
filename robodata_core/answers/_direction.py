"""Does a sentence say a relation of the right end of its triple?

Only the two forms are judged that leave no doubt in English: "the REL of NAME" and "NAME's REL",
where REL is the label of a cited relation. In both NAME must be the triple's subject; a sentence
that has only its object there turns the relation round. Everything else - verbs, passives,
pronouns, aliases, other languages, relations that hold both ways - is left alone: no objection
here says nothing about the direction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from robodata_core.answers._words import fold, tokens
from robodata_core.model import EntityValue, Evidence

__all__ = ["turned_round"]

# A label with one of these words holds both ways, or may.
_MUTUAL_WORDS: Final = """
    spouse spouses partner partners married sibling siblings brother sister twin twins twinned
    relative relatives relation cousin friend friends colleague colleagues neighbour neighbor
    neighbours neighbors border borders shares opposite different same equivalent similar
    connected connects adjacent related synonym antonym homonym rival rivals opponent contact
    interacts interaction
"""
_MUTUAL: Final = frozenset(_MUTUAL_WORDS.split())
# "REL of NAME" means something else where REL ends in a word that asks for an object itself.
_OPEN_ENDED: Final = frozenset(
    ["of", "by", "in", "to", "at", "from", "for", "on", "with", "as", "than", "into"]
)

_GOES_ON: Final = re.compile(r"[\w'-]")

NamesOf: TypeAlias = Callable[[str, str], frozenset[str]]


def turned_round(text: str, evidence: Sequence[Evidence], names_of: NamesOf) -> str:
    """Return what is the wrong way round in ``text``, as a sentence, or nothing.

    Args:
        text: The claim.
        evidence: The triples it cites.
        names_of: Folded names of an entity, from its id and label.
    """
    folded = fold(text)
    for label in dict.fromkeys(fold(item.predicate_label) for item in evidence):
        words = tokens(label)
        if not words or words[-1] in _OPEN_ENDED or _MUTUAL.intersection(words):
            continue
        forms = (f"{label} of ", f"'s {label}", f"' {label}")
        if not any(form in folded for form in forms):
            continue  # as in most sentences, for which no pattern is made then
        cited = [item for item in evidence if fold(item.predicate_label) == label]
        name = _wrong_owner(folded, label, cited, names_of)
        if name:
            return f"it says “{label}” of {name}; the triples it cites say it the other way round."
    return ""


def _wrong_owner(folded: str, label: str, cited: Iterable[Evidence], names_of: NamesOf) -> str:
    """Return the object that ``folded`` takes for a subject of ``label``, or nothing."""
    subjects: set[str] = set()
    objects: dict[str, str] = {}
    for item in cited:
        subjects |= names_of(item.triple.subject, item.subject_label)
        if isinstance(item.triple.object, EntityValue):
            label_ = item.object_label or item.triple.object.id
            for name in names_of(item.triple.object.id, item.object_label):
                objects[name] = label_
    for found in re.finditer(rf"(?<!\w){re.escape(label)} of (?:the )?", folded):
        rest = folded[found.end() :]
        owner = _longest(name for name in objects if _begins(rest, name))
        if len(owner) > len(_longest(name for name in subjects if _begins(rest, name))):
            return objects[owner]
    for found in re.finditer(rf"(?:'s|') {re.escape(label)}(?!\w|'| of )", folded):
        rest = folded[: found.start()]
        owner = _longest(name for name in objects if _ends(rest, name))
        if len(owner) > len(_longest(name for name in subjects if _ends(rest, name))):
            return objects[owner]
    return ""


def _longest(names: Iterable[str]) -> str:
    return max(names, key=len, default="")


def _begins(text: str, name: str) -> bool:
    """Tell whether ``text`` begins with ``name``, as a name that owns nothing itself."""
    return any(
        rest.startswith(name) and not _GOES_ON.match(rest, len(name))
        for rest in (text, text.removeprefix("the "))
    )


def _ends(text: str, name: str) -> bool:
    return text.endswith(name) and not _GOES_ON.match(text[: -len(name)][-1:])
