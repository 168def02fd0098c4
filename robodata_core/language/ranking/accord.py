"""Words that say once more what the structure of a reading says, so that it reads them.

"Both" is read by whatever joins two conditions, "all" by a set that is asked for as a whole, "else"
by what leaves something out. Where the structure says nothing of the kind such words stay unread.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from robodata_core.language.grammar import Operators
from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.lexicon.relations import Evidence
from robodata_core.language.text import Text
from robodata_core.language.types import Reading
from robodata_core.model import QuantityValue

__all__ = ["Accord"]

#: Rules that say that two things hold, and those of which each adds something that has to hold.
_BOTH: Final = frozenset(("intersection", "paired", "distributed"))
_JOINING: Final = _BOTH | {"of_kind", "where", "minus", "lacking"}
#: Words by what they do, and the rules that say it, too.
_SAYING: Final = {
    "jointly": _BOTH,
    "distinct": frozenset(("linked", "most_linked")),
    "stress": frozenset(("minus", "lacking")),
}
#: Kinds of small words behind which "all" is said of something within what is asked.
_ASKING: Final = frozenset(("question", "auxiliary"))


class Accord:
    """The words of one text that a reading may read by its structure.

    Args:
        found: The operators of the text.
        text: The text.
        evidence: Says which of its words have content.
        lexicon: Of its language.
    """

    def __init__(self, found: Operators, text: Text, evidence: Evidence, lexicon: Lexicon) -> None:
        self._joints = found.joints
        self._leaving_out = [
            frozenset(range(denial.start, denial.end))
            for denial in found.denials
            if denial.leaves_out
        ]
        self._content = sorted(evidence.content)
        asking = (i for i, token in enumerate(text.tokens) if lexicon.kind(token.norm) in _ASKING)
        self._asking = min(asking, default=len(text.tokens))

    def read(self, reading: Reading, taken: AbstractSet[int]) -> frozenset[int]:
        """Return the places of words that the structure of a reading says.

        Args:
            reading: The reading.
            taken: Places that its names and rules read.
        """
        said = frozenset(i for hop in reading.hops for i in hop.words)
        return frozenset(self._read(reading, frozenset(taken) | said))

    def _read(self, reading: Reading, used: frozenset[int]) -> Iterator[int]:
        rules = frozenset(reading.rules)
        if rules & _JOINING or reading.judged:
            yield from (i for i in self._at("intersection") if self._is_between(i, used))
        for kind, saying in _SAYING.items():
            if rules & saying or (kind == "stress" and reading.judged):
                yield from self._at(kind)
        if not self._at("union").isdisjoint(used):
            yield from self._at("option")
        for hop in reading.hops:
            for kind in ("intersection", "union"):
                yield from (i for i in self._at(kind) if self._is_between(i, hop.words))
        if any(places <= used for places in self._leaving_out):
            yield from self._at("rest")
        if not reading.judged:
            entire = self._at("entire")
            first = min((self._asking, *(used - entire)))
            yield from (i for i in entire if i < first)
        if reading.sample and isinstance(reading.sample[0], QuantityValue):
            yield from self._at("count")

    def _at(self, kind: str) -> frozenset[int]:
        return self._joints.get(kind, frozenset())

    def _is_between(self, place: int, words: AbstractSet[int]) -> bool:
        """Tell whether the nearest words with content on either side are among some words."""
        joints = self._at("jointly") | {place}
        before = [i for i in self._content if i < place and i not in joints]
        behind = [i for i in self._content if i > place and i not in joints]
        return bool(before and behind) and before[-1] in words and behind[0] in words
