"""What counts how much: the weights of a candidate's features, and of a question's words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from robodata_core.policy.offline.question import IMPERATIVES, Request
from robodata_core.policy.offline.words import (
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    LIGHT_VERBS,
    PRONOUNS,
    SHARING,
    STEP_WORDS,
    WH_WORDS,
    Token,
    said,
)

__all__ = ["Weights", "content_of"]

_NO_FEATURES: Final = frozenset({"slope", "middle", "_named"})
_WEIGHTS: Final = ((GENERIC_NOUNS, 0.15), (LIGHT_VERBS, 0.05), (SHARING, 0.7))


#: Words before "own" where it only adds force: "her own label".
_OWNERS: Final = PRONOUNS | said("weightless")

#: What the exponential function is asked of at most: of more it is no number any more.
_LARGEST: Final = 700.0


@dataclass(frozen=True, slots=True)
class Weights:
    """What each feature counts; see ``rank.Ranker.features`` for their meaning."""

    coverage: float = 6.0
    open: float = -1.6
    negated: float = -4.0
    strength: float = 1.5
    agreement: float = 5.0
    order: float = 2.5
    link: float = 1.5
    hops: float = -0.3
    beyond: float = -4.0
    silent: float = -3.0
    returning: float = -0.8
    width: float = -0.06
    type_fit: float = 1.0
    focus: float = 1.0
    truth: float = 0.6
    relaxed: float = -0.5
    lost: float = -2.0
    popularity: float = 0.2
    slope: float = 1.6
    middle: float = 15.9
    _named: tuple[tuple[str, float], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        features = (item.name for item in fields(self) if item.name not in _NO_FEATURES)
        named = tuple((name, float(getattr(self, name))) for name in features)
        object.__setattr__(self, "_named", named)

    def score(self, features: Mapping[str, float]) -> float:
        """Return the weighted sum."""
        return sum([weight * features.get(name, 0.0) for name, weight in self._named])

    def confidence(self, score: float) -> float:
        """Map a score to [0, 1]."""
        exponent = -self.slope * (score - self.middle)
        return 1.0 / (1.0 + math.exp(min(exponent, _LARGEST)))


def content_of(tokens: Sequence[Token], request: Request) -> dict[int, float]:
    """Return the weight of every token of the request that carries meaning."""
    weights = {i: _weight(tokens, i, request) for i in range(request.start, request.end)}
    return {index: weight for index, weight in weights.items() if weight}


def _weight(tokens: Sequence[Token], index: int, request: Request) -> float:
    word = tokens[index].norm
    if not tokens[index].word or (index == request.start and word in IMPERATIVES):
        return 0.0
    for words, weight in _WEIGHTS:
        if word in words:
            return weight
    if word in ("world", "earth") and _is_filler(tokens, index):
        return 0.0
    if word in STEP_WORDS and _before_content(tokens, index, request.end):
        return 0.0
    if word == "own" and index and tokens[index - 1].norm not in _OWNERS:
        return 1.0  # "which label does X own": a verb
    if word in IMPERATIVES and index > request.start and tokens[index].capitalised:
        return 1.0  # "The Return of the King"
    return 0.0 if word in FUNCTION_WORDS else 1.0


def _is_filler(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether words only add force: "who in the world wrote X"."""
    before = [token.norm for token in tokens[max(0, index - 3) : index]]
    while before and before[-1] in ("the", "in", "on"):
        before.pop()
    return bool(before) and before[-1] in WH_WORDS


def _before_content(tokens: Sequence[Token], index: int, end: int) -> bool:
    following = tokens[index + 1] if index + 1 < end else None
    return following is not None and following.word and following.norm not in FUNCTION_WORDS
