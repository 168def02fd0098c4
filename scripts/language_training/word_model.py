"""Fits the model of words that mean relations: multinomial logistic regression over word groups.

The weights are rounded to eight bits, as they are shipped.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.lexicon.word_model import Relation, WordModel, groups_of

__all__ = ["fit_word_model"]

_LEAST: Final = 2
_LEAST_WORD: Final = 4
_STEP: Final = 1 / 16
#: Least weight (in steps) by which a group of words is worth keeping.
_TELLS: Final = 12
#: Exponent by which the number of a relation's questions makes each of them count less.
_EVEN: Final = 0.35
_ROUNDS: Final = 5
_BATCH: Final = 256
_RATE: Final = 0.3
_SHRINK: Final = 1e-6

_Floats: TypeAlias = NDArray[np.float32]
_Ints: TypeAlias = NDArray[Any]


def fit_word_model(
    rows: Sequence[tuple[tuple[str, ...], Relation]], lexicon: Lexicon, seed: int = 0
) -> WordModel:
    """Learn from masked questions and their relations.

    Multinomial logistic regression by AdaGrad (Duchi et al. 2011) over small batches. Relations
    that are asked for often count less each time, so that rare ones are learned at all.

    Args:
        rows: Masked words, and the relation they mean.
        lexicon: For stems.
        seed: Of the order in which batches are drawn.
    """
    groups = [groups_of(words, lexicon) for words, _ in rows]
    seen: Counter[str] = Counter(g for found in groups for g in set(found))
    vocabulary = {g: i for i, g in enumerate(sorted(g for g, n in seen.items() if n >= _LEAST))}
    kept = [sorted({vocabulary[g] for g in found if g in vocabulary}) for found in groups]
    ends = np.cumsum([0, *map(len, kept)])
    columns = np.fromiter((c for row in kept for c in row), dtype=np.int32, count=int(ends[-1]))
    matrix = sp.csr_matrix(
        (np.ones(len(columns), dtype=np.float32), columns, ends), (len(rows), len(vocabulary))
    )
    relations = sorted({relation for _, relation in rows})
    place = {relation: i for i, relation in enumerate(relations)}
    target = np.array([place[relation] for _, relation in rows])
    counts = Counter(place[relation] for _, relation in rows)
    weight = np.array([counts[i] ** -_EVEN for i in target], dtype=np.float32)
    coefficients, bias = _descend(matrix, target, weight / weight.mean(), len(relations), seed)
    weights = np.clip(np.rint(coefficients / _STEP), -127, 127).astype(np.int8)
    used = [i for i in range(len(vocabulary)) if np.abs(weights[i]).max() >= _TELLS]
    names = sorted(vocabulary)
    prior = [math.log(counts[i] / len(rows)) for i in range(len(relations))]
    words, lifts, rarity = _lifts(rows, place, counts, lexicon)
    return WordModel(
        tuple(relations),
        _STEP,
        [float(b) for b in bias],
        prior,
        {names[i]: weights[i].tobytes() for i in used},
        dict(zip(words, lifts, strict=True)),
        rarity,
        math.log(len(rows)),
    )


def _descend(
    matrix: sp.csr_matrix, target: _Ints, weight: _Floats, classes: int, seed: int
) -> tuple[_Floats, _Floats]:
    """Return coefficients (words by relations) and constants."""
    rows, width = matrix.shape
    found = np.zeros((width, classes), np.float32)
    squares = np.full((width, classes), 1e-3, np.float32)
    bias, bias_squares = np.zeros(classes, np.float32), np.full(classes, 1e-3, np.float32)
    chance = np.random.RandomState(seed)
    for _ in range(_ROUNDS):
        order = chance.permutation(rows)
        for start in range(0, rows, _BATCH):
            some = order[start : start + _BATCH]
            part = matrix[some]
            used = np.unique(part.indices)
            part = part[:, used]
            scores = part @ found[used] + bias
            powers = np.exp(scores - scores.max(1, keepdims=True))
            error = powers / powers.sum(1, keepdims=True)
            error[np.arange(len(some)), target[some]] -= 1
            error *= weight[some, None]
            slope = part.T @ error + _SHRINK * _BATCH * found[used]
            squares[used] += slope * slope
            found[used] -= _RATE * slope / np.sqrt(squares[used])
            total = error.sum(0)
            bias_squares += total * total
            bias -= _RATE * total / np.sqrt(bias_squares)
    return found, bias


def _lifts(
    rows: Sequence[tuple[tuple[str, ...], Relation]],
    place: dict[Relation, int],
    counts: Counter[int],
    lexicon: Lexicon,
) -> tuple[list[str], list[bytes], dict[str, float]]:
    """Return for each known word how much likelier it is beside each relation (log, rounded)."""
    both: Counter[tuple[str, int]] = Counter()
    alone: Counter[str] = Counter()
    for words, relation in rows:
        for word in {lexicon.stem(w) for w in words}:
            both[word, place[relation]] += 1
            alone[word] += 1
    total = len(rows)
    known = sorted(word for word, n in alone.items() if n >= _LEAST_WORD)
    lifts = {word: np.full(len(place), -4 / _STEP, dtype=np.float32) for word in known}
    for (word, relation), number in both.items():
        if word in lifts:
            share = counts[relation] / total
            lift = math.log((number + 0.5 * share) / ((alone[word] + 0.5) * share))
            lifts[word][relation] = lift / _STEP
    rounded = [np.clip(np.rint(lifts[w]), -127, 127).astype(np.int8).tobytes() for w in known]
    return known, rounded, {word: round(math.log(total / alone[word]), 2) for word in known}
