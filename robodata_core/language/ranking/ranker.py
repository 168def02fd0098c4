"""Orders readings by learned weights and says how probable the best of them is.

Two models: one over the features of a reading, which orders readings; and one over what tells a
sure winner from a doubtful one, which gives the probability that the best reading is right. Both
are log-linear, with small trees where these are clearly better (docs/TRAINING.md says by how much).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from robodata_core.language.ranking.features import Features, Signals
from robodata_core.language.ranking.trees import Scorer, read_scorers, write_scorers
from robodata_core.language.types import Reading

__all__ = ["Ranked", "Ranker", "Weights", "confidence_features", "is_structured"]

_FORM: Final = "robodata-ranker-3"
_PARTS: Final = ("order", "sure", "structured")
_SURE: Final = (
    "u_share", "u_words", "u_worst", "u_strange", "u_named", "u_named_strange", "h_unsaid",
    "h_there", "u_phrases", "t_auxiliary", "a_mixed", "m_variant_short", "h_chance",
    "h_best", "h_gap", "h_many", "h_unseen", "h_unsaid_other",
    "h_other", "h_label", "h_phrase", "h_turned", "h_tied",
    "h_back", "h_rival",
    "m_words", "m_cover", "m_inside", "m_rare", "m_less_known", "m_same", "m_slip", "m_part",
    "m_variant", "m_distance", "a_noun", "a_head", "a_named", "a_none", "a_size", "a_not_person",
    "a_not_place", "a_not_time", "h_unseen_label", "h_unseen_phrase", "h_description",
    "mentions", "hops", "rules", "h_unnamed", "no_hop", "no_mention",
)  # fmt: skip


#: Most probability of a reading that leaves a denial, a quantifier or a unit unread.
_MISREAD: Final = 0.4
#: How names of further features begin that tell it: of structure, of rules, of other hops.
_KINDS: Final = ("s_", "j_", "rule:", "oh_", "left_", "u_")


@dataclass(frozen=True, slots=True)
class Weights:
    """What training found.

    Attributes:
        order: What readings are ordered by.
        sure: What makes a best reading of one relation sure: log-odds that it is right.
        structured: The same for one with structure.
    """

    order: Scorer
    sure: Scorer
    structured: Scorer

    @classmethod
    def read(cls, path: Path) -> Weights:
        """Read weights.

        Raises:
            ConfigurationError: If the file holds none.
        """
        return cls(*read_scorers(path, _FORM, _PARTS, "weights"))

    def chance(self, sure: Mapping[str, float]) -> float:
        """Return how probable it is that a best reading is right, by ``confidence_features``."""
        return (self.structured if is_structured(sure) else self.sure).chance(sure)

    def write(self, path: Path) -> None:
        """Write the weights; the same weights give the same bytes."""
        parts = (self.order, self.sure, self.structured)
        write_scorers(path, _FORM, dict(zip(_PARTS, parts, strict=True)))


@dataclass(frozen=True, slots=True)
class Ranked:
    """A reading with its score and its probability.

    Attributes:
        reading: What was ranked.
        score: What orders it, higher is better.
        probability: 0 to 1, calibrated: that this reading is right, not that it is the best.
        unexplained: Places of words that nothing in the reading accounts for.
        unread: Places of words that change what is asked, of which it says nothing.
        broader: Places of words that say more than the relation that it follows.
    """

    reading: Reading
    score: float
    probability: float
    unexplained: frozenset[int] = frozenset()
    unread: frozenset[int] = frozenset()
    broader: frozenset[int] = frozenset()


class Ranker:
    """Ranks the readings of a text.

    Args:
        weights: What training found.
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights

    def rank(self, signals: Signals, readings: Sequence[Reading]) -> tuple[Ranked, ...]:
        """Return readings with their probabilities, the best first.

        Args:
            signals: What features need to know of the text.
            readings: What it may mean.
        """
        signals.look_up(readings)
        found = [signals.features(reading) for reading in readings]
        scores = [self._weights.order.score(item.values) for item in found]
        places = sorted(range(len(found)), key=lambda i: -scores[i])
        if not places:
            return ()
        best = places[0]
        chance = self._sure([found[i] for i in places], [scores[i] for i in places])
        if found[best].misread:
            chance = min(chance, _MISREAD)
        whole = _spread(scores)
        # The rest is shared out; none is told likelier beside the best than the order has it.
        rest = min((1.0 - chance) / (1.0 - whole[best] or 1.0), chance / whole[best])
        return tuple(
            Ranked(
                readings[i],
                scores[i],
                chance if i == best else rest * whole[i],
                found[i].unexplained,
                found[i].unread,
                found[i].broader,
            )
            for i in places
        )

    def _sure(self, found: Sequence[Features], scores: Sequence[float]) -> float:
        sure = confidence_features(found, scores)
        return self._weights.chance(sure)


def confidence_features(found: Sequence[Features], scores: Sequence[float]) -> dict[str, float]:
    """Return what tells a sure winner from a doubtful one.

    Args:
        found: Features of the readings, the best first.
        scores: Their scores, in the same order.
    """
    best = found[0].values
    values = {name: value for name, value in best.items() if value and _tells(name)}
    whole = _spread(scores)
    same = [i for i, item in enumerate(found) if i == 0 or _agree(item, found[0])]
    others = [scores[i] for i in range(len(scores)) if i not in set(same)]
    values["c_share"] = whole[0]
    values["c_agree"] = sum(whole[i] for i in same)
    values["c_score"] = max(-6.0, min(10.0, scores[0])) / 3
    values["c_margin"] = min(8.0, scores[0] - max(others)) / 4 if others else 2.0
    values["c_number"] = math.log(len(scores)) / 5
    return values


def is_structured(values: Mapping[str, float]) -> bool:
    """Tell by what makes it sure whether a reading has structure: whether rules built it."""
    return values.get("rules", 0.0) > 0


def _agree(one: Features, other: Features) -> bool:
    return one.denotation is not None and one.denotation == other.denotation


def _tells(name: str) -> bool:
    return name in _SURE or name.startswith(_KINDS)


def _spread(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    whole = sum(powers)
    return [power / whole for power in powers]
