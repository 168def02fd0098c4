"""Examples from questions with answers, and weights fitted to them, the same for a seed.

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

from robodata_core.errors import RoboDataError
from robodata_core.evaluation.datasets import GoldQuestion, keys_of
from robodata_core.model import EntityValue, ResultItem, Value
from robodata_core.policy.offline.candidate import Candidate, Scored
from robodata_core.policy.offline.question import analyse
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.resources import OfflineResources
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.weights import Weights
from robodata_core.policy.offline.wording import Wording
from robodata_core.programs.executor import Executor
from robodata_core.programs.result import ProgramResult
from robodata_core.sources.base import KnowledgeSource
from robodata_core.values import format_value

__all__ = ["Example", "Fitting", "Option", "fit", "hits_at_1", "make_example", "score"]

_MOST_OPTIONS: Final = 30
_MAX_NODES: Final = 5_000
_SAMPLE: Final = 24
_PROMISING: Final = 0.3
_GOOD: Final = 0.5


@dataclass(frozen=True, slots=True)
class Option:
    """One candidate of a question.

    Attributes:
        score: Its untrained score.
        walks: Names of where it leads; see ``Wording.walks``.
        groups: The word groups of the question, as seen from its starting point.
        positive: Whether no other candidate matches the gold better, and it does well.
    """

    score: float
    walks: tuple[str, ...]
    groups: tuple[str, ...]
    positive: bool


@dataclass(frozen=True, slots=True)
class Example:
    """One question with its options, best untrained score first.

    Attributes:
        question: Its words.
        options: May be empty, and may hold no positive.
        skipped: Why the question teaches nothing, or empty.
    """

    question: str
    options: tuple[Option, ...]
    skipped: str = ""


def make_example(
    question: GoldQuestion, source: KnowledgeSource, resources: OfflineResources
) -> Example:
    """Solve a question and mark the candidates that give its gold answer.

    A failure of the source, or a question that cannot be read, is a skipped example.
    """
    try:
        return _example(question, source, resources)
    except RoboDataError as error:
        return Example(question.text, (), f"failed: {error.message}")


def _example(
    question: GoldQuestion, source: KnowledgeSource, resources: OfflineResources
) -> Example:
    read = analyse(question.text)
    if len(read.requests) != 1:
        return Example(question.text, (), "it asks for several things")
    request = read.requests[0]
    solver = Solver(source, resources.index, read, weights=resources.weights, teaching=True)
    linking, matches = solver.link(request)
    scored = solver.candidates(request, linking, matches)
    wording = Wording(read.tokens, request, resources.index)
    kept = _distinct(scored, wording)
    if not kept:
        return Example(question.text, (), "no candidate was found")
    judge = _Judge(source, solver.reader, question.gold)
    quality = [judge.quality(item.candidate) for item in kept]
    best = max(quality)
    return Example(
        question.text,
        tuple(
            Option(
                item.score,
                wording.walks(item.candidate),
                wording.groups(item.candidate),
                best >= _GOOD and value >= best - 1e-9,
            )
            for item, value in zip(kept, quality, strict=True)
        ),
        "" if best >= _GOOD else "no candidate gives the gold answer",
    )


def _distinct(scored: Sequence[Scored], wording: Wording) -> list[Scored]:
    """Return the best of all candidates that do the same, as far as the ranker can tell."""
    seen = set()
    kept = []
    for item in scored:
        ids = tuple(link.ids for link in item.candidate.links)
        key = (wording.walks(item.candidate), wording.groups(item.candidate), ids)
        if key not in seen:
            seen.add(key)
            kept.append(item)
    return kept[:_MOST_OPTIONS]


class _Judge:
    """Compares the results of candidates with the gold of one question."""

    def __init__(self, source: KnowledgeSource, reader: Reader, gold: frozenset[str]) -> None:
        self._reader = reader
        self._gold = gold
        self._executor = Executor(source, max_nodes=_MAX_NODES)

    def quality(self, candidate: Candidate) -> float:
        """Return F1 of a candidate's results; 0 at once where a sample shows that it is low."""
        if candidate.final == "set" and candidate.nodes:
            keys = self._keys(candidate.nodes[:_SAMPLE])
            right = sum(bool(item & self._gold) for item in keys)
            if right < _PROMISING * len(keys):
                return 0.0
        result = self._executor.run(candidate.program())
        return self._f1(self._results(result))

    def _results(self, result: ProgramResult) -> list[frozenset[str]]:
        if result.boolean is not None:
            return [keys_of(ResultItem(result.boolean))]
        if result.number is not None:
            return [keys_of(ResultItem(result.number))]
        return self._keys(result.members)

    def _keys(self, values: Sequence[Value]) -> list[frozenset[str]]:
        ids = [value.id for value in values if isinstance(value, EntityValue)]
        known = self._reader.entities(ids)
        found = []
        for value in values:
            if isinstance(value, EntityValue):
                entity = known.get(value.id)
                label = entity.name if entity else value.id
            else:
                label = format_value(value)
            found.append(keys_of(ResultItem(value, label)))
        return found

    def _f1(self, results: Sequence[frozenset[str]]) -> float:
        if not results or not self._gold:
            return 0.0
        right = sum(bool(item & self._gold) for item in results)
        reached = len(self._gold & frozenset().union(*results))
        if not right:
            return 0.0
        precision, recall = right / len(results), reached / len(self._gold)
        return 2 * precision * recall / (precision + recall)


_SMALL: Final = 1e-3
_START: Final = 1e-2
_DIGITS: Final = 3

Words = Mapping[str, Mapping[str, float]]
Kept = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Fitting:
    """How to fit.

    Attributes:
        epochs: Passes over the examples.
        rate: Step size.
        decay: How strongly weights are drawn to zero.
        confidence: How much confidence counts beside rank.
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
