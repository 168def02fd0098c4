"""Fits the two models of the ranker: one orders readings, one tells how sure the best is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from language_training.decisions import WEIGHT as DECIDED
from language_training.decisions import Decided
from language_training.examples import Example
from language_training.trees import grow_decision, grow_order, grow_sure, matrix
from robodata_core.language.ranking import Scorer, Weights
from robodata_core.language.ranking.ranker import confidence_features, is_structured
from robodata_core.policy.offline.deciding import Decision

__all__ = ["WEIGHT", "fit_decision", "fit_order", "fit_sure", "fit_weights", "ranked"]

_Array = NDArray[np.float64]

#: How much an example of each form counts where sureness is learned.
WEIGHT: Final = {
    "plain": 1.0,
    "gone": 1.8,
    "unseen": 0.4,
    "changed": 0.7,
    "web": 1.0,
    "own": 1.0,
    "written": 1.0,
    "without": 1.0,
}
#: The same where readings are put in order: what has structure is rarer and harder to order.
ORDER: Final = {"plain": 0.5, "unseen": 0.3, "web": 0.7, "own": 1.0, "written": 1.0}

#: What can only speak for a reading, and what only against it, whatever a sample says.
_FOR: Final = (
    "h_log", "h_chance", "h_there", "h_label", "h_alias", "h_phrase", "h_description",
    "h_unseen_label", "h_unseen_phrase", "m_words", "m_cover", "m_rare", "m_marked",
    "a_noun", "a_head", "a_person", "a_place", "a_time", "a_group", "a_number",
    "c_share", "c_agree", "c_score", "c_margin", "oh_log", "oh_chance", "oh_label", "oh_alias",
    "oh_phrase", "j_way", "j_log", "j_phrase", "s_count_log", "s_count_label", "s_count_phrase",
)  # fmt: skip
_AGAINST: Final = (
    "u_", "left_", "m_inside", "m_slip", "m_part", "m_variant", "m_distance", "m_less_known",
    "m_same", "h_gap", "h_back", "h_rival", "h_unsaid", "h_other", "h_tied", "h_turned",
    "h_unnamed", "a_none", "a_not_", "a_named", "a_mixed", "no_", "t_auxiliary", "hops",
    "mentions", "oh_gap", "oh_unsaid", "oh_other", "oh_tied", "oh_turned", "s_gap", "s_apart",
    "s_across", "s_rank", "s_turned", "s_bare", "s_vacuous", "s_inside", "h_many",
    "j_turned", "j_unseen", "s_exists_", "s_count_turned",
)  # fmt: skip


#: The same for who is right: rules, or the learned model.
_RULES: Final = (
    ("r_conf", "r_logit", "r_sure", "r_weakest", "r_agreement", "r_link", "b_same", "b_chance"),
    ("r_left", "r_unlinked", "r_unread", "r_failed", "r_relaxed", "r_silent", "r_others",
     "r_missing", "b_turned"),
)  # fmt: skip
_LEARNED: Final = (
    ("l_chance", "l_logit", "b_same"),
    ("l_left", "l_unexplained", "l_unread", "l_leaves", "l_wide", "r_failed", "b_turned"),
)


def fit_order(examples: Sequence[Example]) -> Scorer:
    """Return what puts first what was meant (conditional likelihood): weights, then trees.

    Args:
        examples: Those without a reading that was meant are passed over.
    """
    weights = _fit_weights_of_order(examples)
    return Scorer(weights, grow_order(examples, weights, ORDER))


def _fit_weights_of_order(examples: Sequence[Example], strength: float = 1.0) -> dict[str, float]:
    """Return weights under which what was meant comes first.

    Args:
        examples: Those without a reading that was meant are passed over.
        strength: Of the regularisation.
    """
    useful = [example for example in examples if any(example.meant)]
    names = sorted({name for e in useful for f in e.found for name in f.values})
    rows = matrix([f.values for example in useful for f in example.found], names)
    wanted = np.array([m for example in useful for m in example.meant], dtype=float)
    counts = np.array([ORDER[example.form] for example in useful])
    sizes = np.array([len(example.found) for example in useful])
    shares = np.repeat(counts, sizes)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))

    def loss(weights: _Array) -> tuple[float, _Array]:
        scores = rows @ weights
        powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        chance = powers / np.repeat(np.add.reduceat(powers, starts), sizes)
        hit = np.add.reduceat(chance * wanted, starts) + 1e-12
        total = 0.5 * strength * float(weights @ weights) - float(counts @ np.log(hit))
        push = shares * (chance * wanted / np.repeat(hit, sizes) - chance)
        return total, strength * weights - rows.T @ push

    fitted = _minimise(loss, names)
    return dict(zip(names, map(float, fitted), strict=True))


def fit_weights(order: Scorer, cases: Sequence[tuple[Mapping[str, float], bool, float]]) -> Weights:
    """Return weights with a model of sureness for plain readings and one for structured ones.

    Trees tell the structured ones better, and the plain ones no better.

    Args:
        order: What orders readings.
        cases: As for ``fit_sure``; best readings found with weights that had not seen them.
    """
    plain = [case for case in cases if not is_structured(case[0])]
    structured = [case for case in cases if is_structured(case[0])]
    return Weights(order, Scorer(fit_sure(plain)), Scorer({}, grow_sure(structured, _sign)))


def fit_sure(
    cases: Sequence[tuple[Mapping[str, float], bool, float]], strength: float = 1.0
) -> dict[str, float]:
    """Return weights of a logistic model: that the best reading is right.

    Args:
        cases: What tells it, whether it was right, and how much the case counts.
        strength: Of the regularisation (not of the constant).
    """
    names = sorted({name for values, _, _ in cases for name in values})
    rows = np.hstack([matrix([v for v, _, _ in cases], names), np.ones((len(cases), 1))])
    right = np.array([1.0 if r else -1.0 for _, r, _ in cases])
    counts = np.array([weight for _, _, weight in cases])
    ridge = np.array([strength] * len(names) + [0.0])

    def loss(weights: _Array) -> tuple[float, _Array]:
        margin = right * (rows @ weights)
        wrong = 1.0 / (1.0 + np.exp(np.clip(margin, -60, 60)))
        total = float(counts @ np.logaddexp(0, -margin)) + 0.5 * float(ridge @ weights**2)
        return total, ridge * weights - rows.T @ (counts * right * wrong)

    fitted = _minimise(loss, [*names, ""])
    return dict(zip([*names, ""], map(float, fitted), strict=True))


def fit_decision(found: Sequence[Decided]) -> Decision:
    """Return what tells whether rules, and whether the learned model, read a question rightly.

    Args:
        found: Questions read twice, by weights that had not seen them.
    """
    rules = [(one.values, one.rules, DECIDED[one.form]) for one in found if one.rules is not None]
    learned = [
        (one.values, one.learned, DECIDED[one.form]) for one in found if one.learned is not None
    ]
    return Decision(
        Scorer({}, grow_decision(rules, partial(_sign_of, _RULES))),
        Scorer({}, grow_decision(learned, partial(_sign_of, _LEARNED))),
    )


def ranked(example: Example, order: Scorer) -> tuple[Mapping[str, float], bool] | None:
    """Return what tells how sure the best reading is, and whether it is right."""
    if not example.found:
        return None
    scores = [order.score(item.values) for item in example.found]
    places = sorted(range(len(scores)), key=lambda i: -scores[i])
    sure = confidence_features([example.found[i] for i in places], [scores[i] for i in places])
    return sure, example.right[places[0]]


def _sign_of(signs: tuple[tuple[str, ...], tuple[str, ...]], name: str) -> int:
    return 1 if name in signs[0] else -1 if name.startswith(signs[1]) else 0


_sign = partial(_sign_of, (_FOR, _AGAINST))


def _minimise(loss: Callable[[_Array], tuple[float, _Array]], names: Sequence[str]) -> _Array:
    bounds = [(0.0 if sign > 0 else None, 0.0 if sign < 0 else None) for sign in map(_sign, names)]
    found = minimize(
        loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxiter": 400},
    )  # fmt: skip
    result: _Array = found.x
    return result
