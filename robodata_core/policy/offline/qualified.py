"""Names with what tells them apart behind them: "The Mission (1986 film)", "Bayonne, New Jersey".

Titles of encyclopedias and addresses are written so; a graph has the plain name and says by its
facts what it is and where. A question is read without what stands in parentheses or behind a comma,
and what it takes the name for has to fit that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.language.text import words_of
from robodata_core.model import EntityValue, TimeValue
from robodata_core.policy.offline.candidate import Link
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.words import FUNCTION_WORDS, stem

__all__ = ["YEAR", "Qualified", "is_called", "qualified"]

_QUALIFIER: Final = re.compile(
    r"(?<=[^\s(,;:])(?:[ ]?\((?P<inside>[^()<>?]{3,60})\)"
    r"|,[ ](?P<behind>[^\W\d_][^\W\d_ .'-]{1,40})(?=,|[?.!]*\s*\Z))"
)
_ID: Final = re.compile(r"[QPL][0-9]+\Z")
YEAR: Final = re.compile(r"[12][0-9]{3}\Z")
_STATEMENTS: Final = 200


@dataclass(frozen=True, slots=True)
class Qualified:
    """A question without what tells its names apart.

    Attributes:
        text: The question without it.
        told: What stood in parentheses, each with the text before it.
    """

    text: str
    told: tuple[tuple[str, str], ...]

    def fits(self, links: Sequence[Link], reader: Reader) -> bool:
        """Tell whether what every such name was taken for fits what stood behind it."""
        return all(
            any(
                one.ids
                and before.endswith(one.mention.text.casefold())
                and all(is_called(id_, words, reader) for id_ in one.ids)
                for one in links
            )
            for before, words in self.told
        )

    def passed_over(self, links: Sequence[Link], reader: Reader) -> str:
        """Return a name that stood behind one and was neither read nor fits it; "" for none."""
        for before, words in self.told:
            name = words.casefold()
            if any(name in one.mention.text.casefold() for one in links):
                continue
            of = [one for one in links if before.endswith(one.mention.text.casefold())]
            ids = [id_ for one in of for id_ in one.ids]
            if not ids or any(is_called(id_, words, reader) for id_ in ids):
                continue
            if any(hit.label.casefold() == name for hit in reader.source.search(words, limit=3)):
                return words
        return ""


def qualified(text: str) -> Qualified | None:
    """Return a question without what tells its names apart; None where nothing does."""
    told, plain, at = [], "", 0
    for match in _QUALIFIER.finditer(text):
        words = (match["inside"] or match["behind"]).strip()
        if _ID.match(words) or not words[0].isalnum():
            continue
        plain += text[at : match.start()]
        at = match.end()
        told.append((plain.casefold(), words))
    return Qualified(plain + text[at:], tuple(told)) if told else None


def is_called(
    id_: str, words: str, reader: Reader, along: Collection[str] = (), *, alone: bool = True
) -> bool:
    """Tell whether every word is one of what something is, or a year that its facts state.

    Where they state no year at all, it is left open of what alone goes by its name.

    Args:
        id_: The thing.
        words: What it is said to be.
        reader: What the graph holds.
        along: Relations to what tells it besides label, description and classes: its countries,
            genres, occupations.
        alone: Whether nothing else goes by its name.
    """
    item = reader.entities((id_,)).get(id_)
    wanted = [word for word in words_of(words) if word not in FUNCTION_WORDS]
    if item is None or not wanted:
        return False
    kinds = reader.entities(item.types).values()
    names = (item.label, item.description, *item.aliases, *(kind.label for kind in kinds))
    known = {stem(word) for name in names for word in words_of(name)}
    left = [word for word in wanted if stem(word) not in known]
    if not left:
        return True
    stated = reader.source.statements(id_, limit=_STATEMENTS).statements
    years = {str(one.value.year) for one in stated if isinstance(one.value, TimeValue)}
    told = (one.value.id for one in stated
            if one.property in along and isinstance(one.value, EntityValue))  # fmt: skip
    things = reader.entities(told).values()
    called = [words_of(name) for one in things for name in (one.label, *one.aliases)]
    head = left[-1] if left[-1] == wanted[-1] and not YEAR.match(left[-1]) else ""
    if head and not any(name[-1:] == (head,) for name in called):
        return False  # No state is what is in the United States.
    known |= {stem(word) for name in called for word in name}
    return all(
        stem(word) in known or bool(YEAR.match(word) and (word in years or alone and not years))
        for word in left
    )
