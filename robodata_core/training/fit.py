"""Fitting the weights: sparse, online, in plain Python, the same for the same seed.

For every question two things are wanted. The positives together should get nearly all of the
probability that a softmax over the scores gives (so that one of them is ranked first, whichever
it is), and the best of them should lie above the threshold of confidence, while a negative that
is ranked first lies below it (so that the policy knows what it knows). Weights start at zero;
AdaGrad, with a small decay towards zero, takes a few passes.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.policy.offline.weights import Weights
from robodata_core.training.examples import Example, Option

__all__ = ["Fitting", "fit", "hits_at_1", "score"]

_SMALL: Final = 1e-3
_START: Final = 1e-2
_DIGITS: Final = 3

Words = Mapping[str, Mapping[str, float]]
Kept = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Fitting:
    """How to fit.

    Attributes:
        rarest: Word groups seen with a walk in fewer questions say nothing of it.
        least: Weights nearer to zero than this are not kept.
    """

    epochs: int = 6
    rate: float = 1.0
    decay: float = 1e-4
    confidence: float = 0.5
    rarest: int = 5
    least: float = 0.02


def fit(
    examples: Sequence[Example], weights: Weights, seed: int, how: Fitting = Fitting()
) -> dict[str, dict[str, float]]:
    """Return weights by walk and word group."""
    kept = _frequent(examples, how.rarest)
    learner = _Learner(weights, how, kept)
    order = [i for i, example in enumerate(examples) if example.options]
    chance = random.Random(seed)
    for _ in range(how.epochs):
        chance.shuffle(order)
        for i in order:
            learner.learn(examples[i].options)
    return learner.result()


def score(option: Option, words: Words) -> float:
    """Return the score of an option with what was learnt."""
    total = option.score
    for walk in option.walks:
        known = words.get(walk)
        if known:
            total += sum([known.get(group, 0.0) for group in option.groups])
    return total


def hits_at_1(examples: Sequence[Example], words: Words) -> float:
    """Return the share of questions whose best option is a positive one."""
    right = sum(
        max(example.options, key=lambda option: score(option, words)).positive
        for example in examples
        if example.options
    )
    return right / len(examples) if examples else 0.0


def _frequent(examples: Sequence[Example], rarest: int) -> Kept:
    """Return the word groups that were seen often enough with each walk to say something of it."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for example in examples:
        pairs = {(walk, option.groups) for option in example.options for walk in option.walks}
        for walk, groups in pairs:
            seen[walk].update(groups)
    return {
        walk: frozenset(group for group, count in counts.items() if count >= rarest)
        for walk, counts in seen.items()
    }


class _Learner:
    """Weights and the sums of squared gradients they were found with."""

    def __init__(self, weights: Weights, how: Fitting, kept: Kept) -> None:
        self._slope, self._middle = weights.slope, weights.middle
        self._how = how
        self._kept = kept
        self._words: dict[str, dict[str, float]] = {}
        self._squares: dict[str, dict[str, float]] = {}

    def learn(self, options: Sequence[Option]) -> None:
        """Take one step for one question."""
        scores = [score(option, self._words) for option in options]
        pulls = self._pulls(options, scores)
        by_walk: dict[tuple[str, tuple[str, ...]], float] = {}
        for option, pull in zip(options, pulls, strict=True):
            if abs(pull) > _SMALL:
                for walk in option.walks:
                    key = (walk, option.groups)
                    by_walk[key] = by_walk.get(key, 0.0) + pull
        for (walk, groups), pull in by_walk.items():
            self._step(walk, groups, pull)

    def _pulls(self, options: Sequence[Option], scores: Sequence[float]) -> list[float]:
        """Return by how much each score is too high."""
        top = max(scores)
        weight = [math.exp(value - top) for value in scores]
        total = sum(weight)
        share = [value / total for value in weight]
        right = sum(p for p, option in zip(share, options, strict=True) if option.positive)
        if right:
            pulls = [
                p - (p / right if option.positive else 0.0)
                for p, option in zip(share, options, strict=True)
            ]
        else:
            pulls = [0.0] * len(options)
        first = max(range(len(options)), key=lambda i: scores[i])
        good = [i for i, option in enumerate(options) if option.positive]
        best = max(good, key=lambda i: scores[i], default=first)
        for place in sorted({first, best}):
            sure = _sigmoid(self._slope * (scores[place] - self._middle))
            pulls[place] += self._how.confidence * (sure - options[place].positive)
        return pulls

    def _step(self, walk: str, groups: Sequence[str], pull: float) -> None:
        words = self._words.setdefault(walk, {})
        squares = self._squares.setdefault(walk, {})
        rate, decay = self._how.rate, self._how.decay
        kept = self._kept.get(walk, frozenset())
        for group in groups:
            if group not in kept:
                continue
            old = words.get(group, 0.0)
            slope = pull + decay * old
            square = squares.get(group, _START) + slope * slope
            squares[group] = square
            words[group] = old - rate * slope / math.sqrt(square) / len(groups)

    def result(self) -> dict[str, dict[str, float]]:
        """Return the weights that say something, rounded."""
        found = {}
        for walk, words in sorted(self._words.items()):
            kept = {
                group: round(weight, _DIGITS)
                for group, weight in sorted(words.items())
                if abs(weight) >= self._how.least
            }
            if kept:
                found[walk] = kept
        return found


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, value))))
