"""Orders readings by learned weights and says how probable the best of them is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.lexicon.relations import RelationModel
from robodata_core.language.text import Text
from robodata_core.language.types import Reading
from robodata_core.language.view import View

__all__ = ["Ranked", "Ranker"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A reading with its score and, for the best, its probability.

    Attributes:
        reading: What was ranked.
        score: Log-linear score, higher is better.
        probability: 0 to 1, calibrated: that this reading is right, not that it is the best.
        unexplained: Tokens that nothing in the reading accounts for.
    """

    reading: Reading
    score: float
    probability: float
    unexplained: frozenset[int] = frozenset()


class Ranker:
    """Ranks the readings of a text.

    Args:
        view: What is really there.
        lexicon: Of the language of the texts.
        relations: Scores relations against words.
    """

    def __init__(self, view: View, lexicon: Lexicon, relations: RelationModel) -> None:
        self._view = view
        self._lexicon = lexicon
        self._relations = relations

    def rank(self, text: Text, readings: Sequence[Reading]) -> tuple[Ranked, ...]:
        """Return readings with their probabilities, the best first."""
        ranked = []
        for reading in readings:
            taken = set(reading.structure)
            for mention, _ in reading.mentions:
                taken |= mention.span
            for hop in reading.hops:
                taken |= hop.words
            left = frozenset(
                place
                for place, token in enumerate(text.tokens)
                if place not in taken and token.is_word and not self._lexicon.is_small(token.norm)
            )
            score = -2.0 * len(left) - 0.3 * len(reading.hops)
            ranked.append((score, left, reading))
        ranked.sort(key=lambda item: -item[0])
        total = sum(math.exp(score) for score, _, _ in ranked) or 1.0
        return tuple(
            Ranked(reading, score, math.exp(score) / total * 0.9 ** len(left), left)
            for score, left, reading in ranked
        )
