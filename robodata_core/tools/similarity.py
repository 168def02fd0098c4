"""How alike a question's words and a name are, without a model.

Words count as alike when their stems agree or they are spelled nearly the same. That finds
"wrote" for neither "author" nor "writer": bridging such gaps is what aliases are for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz

from robodata_core.text import normalise_name

_STOP_WORDS: Final = (
    "a all an and any are at be by did do does find for from give had has have he her him his how"
    " i in is it its list me my name of on or our s she show tell that the their there these they"
    " this those to was we were what when where which who whom whose with you your"
)
_STOP: Final = frozenset(_STOP_WORDS.split())
_ENDINGS: Final = "ations ation ings ing ies ers er ors or ed es s"
_SUFFIXES: Final = tuple(_ENDINGS.split())
_SHORTEST: Final = 4
_ALIKE: Final = 0.85
_MOST_WORDS: Final = 64


def content_words(text: str) -> tuple[str, ...]:
    """Return the words of ``text`` that carry meaning, normalised; all if none does."""
    words = normalise_name(text).split()[:_MOST_WORDS]
    return tuple(word for word in words if word not in _STOP) or tuple(words)


def stem(word: str) -> str:
    """Return ``word`` without a common English ending."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST:
            return word[: -len(suffix)]
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST else word


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase or question that names are compared with."""

    words: tuple[str, ...]
    stems: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Phrase:
        """Return the phrase of a text."""
        words = content_words(text)
        return cls(words, tuple(stem(word) for word in words))

    def likeness(self, names: Sequence[str]) -> float:
        """Return 0 to 1: how well the best of ``names`` is found in the phrase.

        The first name is the label; aliases count a little less.
        """
        best = 0.0
        for index, name in enumerate(names):
            best = max(best, self._one(name) * (0.95 if index else 1.0))
        return round(best, 3)

    def overlap(self, texts: Iterable[str]) -> float:
        """Return 0 to 1: which part of the phrase's words occurs in any of ``texts``."""
        if not self.stems:
            return 0.0
        there = {stem(word) for text in texts for word in content_words(text)}
        return sum(1 for own in self.stems if own in there) / len(self.stems)

    def without(self, text: str) -> Phrase:
        """Return the phrase less the words of ``text``."""
        gone = {stem(word) for word in content_words(text)}
        kept = [word for word in self.words if stem(word) not in gone]
        return Phrase(tuple(kept), tuple(stem(word) for word in kept))

    def _one(self, name: str) -> float:
        words = content_words(name)
        if not words or not self.words:
            return 0.0
        found = sum(self._word(word) for word in words) / len(words)
        # A name that says more of what the phrase says is the better one.
        said = sum(1 for own in self.stems if own in {stem(word) for word in words})
        return found * (0.85 + 0.15 * said / len(self.stems))

    def _word(self, word: str) -> float:
        if word in self.words:
            return 1.0
        if stem(word) in self.stems:
            return 0.95
        alike = max(fuzz.ratio(word, own) / 100 for own in self.words)
        return alike * 0.9 if alike >= _ALIKE else 0.0
