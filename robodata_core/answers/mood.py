"""How a question asks, held against what was found: "who" for people, "will" for what is not yet.

Needs no reading of the question, so answers of every policy are held against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from robodata_core.language.asked_kind import sorts_of
from robodata_core.language.lexicon import Lexicon
from robodata_core.language.lexicon.lexicon import Kind
from robodata_core.language.text import Text, words_of
from robodata_core.language.view import View
from robodata_core.model import EntityValue

__all__ = ["asked_kind", "modal", "other_kinds"]

#: Of so many results it is looked at what they are.
_LOOKED_AT: Final = 20
_OTHER: Final = {"person": "place", "place": "person"}


def asked_kind(text: Text, lexicon: Lexicon) -> Kind | None:
    """Return the kind of thing that the first word of a question asks for, if it asks for one."""
    first = next((token.norm for token in text.tokens if token.is_word), "")
    return next((one for one in lexicon.kinds if first in one.asked), None)


def other_kinds(text: Text, values: Sequence[object], view: View, lexicon: Lexicon) -> str:
    """Return what was asked for where something of another kind was found, else nothing.

    Groups act as people do, and are somewhere. What nobody says the kind of may be of any.
    """
    asked = asked_kind(text, lexicon)
    if asked is None or asked.name not in _OTHER:
        return ""
    ids = [value.id for value in values[:_LOOKED_AT] if isinstance(value, EntityValue)]
    found = view.entities(ids) if ids else {}
    # Most bring their classes with them; the others are asked for theirs where that is cheap.
    open_ = [id_ for id_, one in found.items() if not one.types]
    bare = view.kinds_of(open_) if view.is_near else {}
    classes = {id_: one.types or bare.get(id_, ()) for id_, one in found.items()}
    named = view.entities({kind for kinds in classes.values() for kind in kinds})
    for id_, one in found.items():
        labels = [named[kind].label for kind in classes[id_] if kind in named]
        sorts = sorts_of(labels or (one.description,), lexicon)
        if _OTHER[asked.name] in sorts and sorts.isdisjoint((asked.name, "group")):
            return asked.name
    return ""


def modal(text: Text, readings: Sequence[str], lexicon: Lexicon) -> str:
    """Return a word that asks for what will, might or should be, and not for what is.

    Args:
        text: The question, without what frames it.
        readings: What it was read as; a word of a name stands in there, too.
        lexicon: Says which words these are.
    """
    said = {word for reading in readings for word in words_of(reading)}
    return next(iter(_modals(text, lexicon, said)), "")


def _modals(text: Text, lexicon: Lexicon, said: set[str]) -> Iterator[str]:
    for place, token in enumerate(text.tokens):
        written = place == 0 or token.text[:1].islower()
        if written and token.norm in lexicon.said("modal") and token.norm not in said:
            yield token.text
