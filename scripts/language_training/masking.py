"""Hides what a question names, so that only the words for the relation are learned from.

Where the label of the named thing is known, it is found in the question; else the run of words
that are likelier in names than outside of them is taken for it, as estimated from the others.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from language_training.questions import Asked
from robodata_core.language.lexicon.word_model import masked
from robodata_core.language.text import words_of

__all__ = ["mask_all"]

_VOCABULARY: Final = 30_000


def mask_all(
    questions: Iterable[Asked], labels: Mapping[str, frozenset[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the masked words of each question, by its id."""
    found: dict[str, tuple[str, ...]] = {}
    inside: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    open_: list[tuple[str, tuple[str, ...]]] = []
    for asked in questions:
        words = words_of(asked.question)
        span = _longest(words, labels.get(asked.subject, ()))
        if span is None:
            open_.append((asked.id, words))
            continue
        found[asked.id] = masked(words, *span)
        inside.update(words[slice(*span)])
        outside.update(found[asked.id])
    total_in, total_out = sum(inside.values()), sum(outside.values())

    def odds(word: str) -> float:
        named = (inside[word] + 0.3) / (total_in + 0.3 * _VOCABULARY)
        said = (outside[word] + 0.1) / (total_out + 0.1 * _VOCABULARY)
        return math.log(named) - math.log(said)

    for id_, words in open_:
        span = _likeliest([odds(word) for word in words])
        found[id_] = masked(words, *span) if span else masked(words, len(words), len(words))
    return found


def _longest(words: tuple[str, ...], names: Iterable[str]) -> tuple[int, int] | None:
    best: tuple[int, int] | None = None
    for name in names:
        for form in {words_of(name), words_of(name.partition("(")[0])}:
            for start in range(len(words) - len(form) + 1):
                if form and words[start : start + len(form)] == form:
                    if best is None or len(form) > best[1] - best[0]:
                        best = (start, start + len(form))
                    break
    return best


def _likeliest(odds: list[float]) -> tuple[int, int] | None:
    best, span = 0.0, None
    for start in range(len(odds)):
        total = 0.0
        for end in range(start, len(odds)):
            total += odds[end]
            if total > best:
                best, span = total, (start, end + 1)
    return span
