"""Fits the model of words that mean relations: multinomial logistic regression over word groups.

The weights are rounded to eight bits, as they are shipped.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.lexicon.word_model import Relation, WordModel, groups_of

__all__ = ["fit_word_model"]

_LEAST: Final = 3
_LEAST_WORD: Final = 4
_STEP: Final = 1 / 16


def fit_word_model(
    rows: Sequence[tuple[tuple[str, ...], Relation]], lexicon: Lexicon, strength: float = 2.0
) -> WordModel:
    """Learn from masked questions and their relations.

    Args:
        rows: Masked words, and the relation they mean.
        lexicon: For stems.
        strength: Inverse of the regularisation.
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
    fitted = LogisticRegression(C=strength, max_iter=60, tol=1e-3).fit(matrix, target)
    weights = np.clip(np.rint(fitted.coef_.T / _STEP), -127, 127).astype(np.int8)
    used = [i for i in range(len(vocabulary)) if np.abs(weights[i]).max() > 1]
    names = sorted(vocabulary)
    counts = Counter(place[relation] for _, relation in rows)
    prior = [math.log(counts[i] / len(rows)) for i in range(len(relations))]
    words, lifts, rarity = _lifts(rows, place, counts, lexicon)
    return WordModel(
        tuple(relations),
        _STEP,
        [float(b) for b in fitted.intercept_],
        prior,
        {names[i]: weights[i].tobytes() for i in used},
        dict(zip(words, lifts, strict=True)),
        rarity,
        math.log(len(rows)),
    )


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
