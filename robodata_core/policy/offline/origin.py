"""A word of origin on what is asked for: "in which German state is X", "which Swedish king ...".

On a kind of place it only says again where the answer lies: the question is asked without it, and
each answer has to be of that place. On an office it is the place of the office, and behind
"native" the place where somebody was born.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.errors import SourceError
from robodata_core.model import EntityValue, Statement, Value
from robodata_core.policy.offline.lexicon import demonyms
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.words import singular
from robodata_core.text import normalise_name

__all__ = ["Within", "of_origin", "within"]

_MOST: Final = 12
_STATEMENTS: Final = 200
_KINDS: Final = (
    "federal state|state|province|region|district|county|canton|department|prefecture|city|town"
    "|village|municipality|municipal district|administrative region|administrative district|place"
    "|voivodeship|oblast|republic|island"
)
_WITHIN: Final = re.compile(
    rf"(?P<a>(?:in |to |of )?(?:which|what)) (?P<w>[\w-]+) (?P<n>{_KINDS}) (?P<z>.+)",
    re.IGNORECASE,
)
_OFFICE: Final = re.compile(
    r"(?P<a>which|what|whose|who was the|who is the|the) (?P<w>[\w-]+) "
    r"(?P<o>prime minister|president|king|queen|chancellor|emperor|monarch|foreign minister)"
    r"(?P<s>s?) (?P<z>.+)",
    re.IGNORECASE,
)
_NATIVE: Final = re.compile(
    r"(?P<a>.+) (?P<be>is|are|was|were) (?:a |an )?native (?:of )?(?P<w>[\w-]+)(?P<z>\b.*)",
    re.IGNORECASE,
)
_END: Final = " \t?!."


@dataclass(frozen=True, slots=True)
class Within:
    """A question without a word that says where its answers lie.

    Attributes:
        text: The question without the word.
        places: Labels of what the word may stand for.
    """

    text: str
    places: tuple[str, ...]

    def backing(self, values: Sequence[Value], reader: Reader) -> tuple[Statement, ...]:
        """Return what states of every answer that it is of the place; nothing if one is not."""
        wanted = {normalise_name(one) for one in self.places}
        found: list[Statement] = []
        if len(values) > _MOST:
            return ()
        for value in values:
            if not isinstance(value, EntityValue):
                return ()
            try:
                page = reader.source.statements(value.id, limit=_STATEMENTS)
            except SourceError:
                return ()
            ends = {
                one: one.value.id for one in page.statements if isinstance(one.value, EntityValue)
            }
            known = reader.entities(tuple(dict.fromkeys(ends.values())))
            # "federated state of Germany" says it, too
            named = {i for i, one in known.items() if _of(normalise_name(one.label), wanted)}
            own = [one for one, end in ends.items() if end in named]
            if not own:
                return ()
            found.append(own[0])
        return tuple(found)


def within(question: str) -> Within | None:
    """Return a question without the word of origin on the kind of place it asks for, if it has one.

    Args:
        question: As asked.
    """
    match = _WITHIN.fullmatch(question.strip(_END))
    places = _places(match["w"]) if match else ()
    if match is None or not places:
        return None
    return Within(f"{match['a']} {match['n']} {match['z']}?", places)


def of_origin(question: str) -> Iterator[tuple[str, str]]:
    """Yield a question with a place instead of a word of origin, with a note that says so.

    Args:
        question: As asked.
    """
    bare = question.strip(_END)
    office = _OFFICE.fullmatch(bare)
    for place in _places(office["w"])[:1] if office else ():
        assert office is not None
        text = f"{office['a']} {office['o']} of {place} {office['z']}?"
        yield text, f"The question was read as “{text}”."
    native = _NATIVE.fullmatch(bare)
    for place in _places(native["w"])[:1] if native else ():
        assert native is not None
        text = f"{native['a']} {native['be']} born in {place}{native['z']}?"
        yield text, f"The question was read as “{text}”."


def _of(label: str, places: set[str]) -> bool:
    return any(label == place or label.endswith(f" of {place}") for place in places)


def _places(word: str) -> tuple[str, ...]:
    known = demonyms()
    if not word[:1].isupper():
        return ()
    return known.get(word.lower(), ()) or known.get(singular(word.lower()), ())
