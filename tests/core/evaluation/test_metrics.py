"""Every measure against a naive definition of it."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.evaluation.metrics import harmonic, marks, mcnemar_exact, percentile, score
from robodata_core.evaluation.results import Row
from robodata_core.evaluation.summary import OUTCOMES, outcome_of, summarise, verification

_NAMES = st.sampled_from("abcdefgh")
_RANKED = st.lists(_NAMES, unique=True, max_size=8)
_SHARES = st.floats(0, 1)


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_scores_are_those_of_the_definition(found: set[int], gold: set[int]) -> None:
    got = score(found, gold)
    assert 0 <= got.f1 <= 1
    assert (got.f1 == 1) == (found == gold)
    if found and gold:
        assert got.precision == len(found & gold) / len(found)
        assert got.recall == len(found & gold) / len(gold)


@given(_RANKED, st.sets(_NAMES, min_size=1))
def test_marks_are_those_of_the_definition(ranked: list[str], gold: set[str]) -> None:
    got = marks([{name} for name in ranked], gold)
    right_ranks = [rank for rank, name in enumerate(ranked, 1) if name in gold]
    assert got.hit == float(bool(ranked) and ranked[0] in gold)
    assert got.reciprocal_rank == (1 / right_ranks[0] if right_ranks else 0)
    assert got.hit_at_5 == float(any(name in gold for name in ranked[:5]))
    assert got.precision == (len(right_ranks) / len(ranked) if ranked else 0)
    assert got.recall == len(right_ranks) / len(gold)
    assert got.f1 == pytest.approx(score(set(ranked), gold).f1)
    assert got.exact == float(set(ranked) == gold)


@given(_RANKED)
def test_where_nothing_is_expected_only_nothing_is_right(ranked: list[str]) -> None:
    got = marks([{name} for name in ranked], set())
    assert {got.hit, got.f1, got.exact, got.precision, got.recall} == {float(not ranked)}


@given(st.lists(st.sets(_NAMES, min_size=1, max_size=3), max_size=6), st.sets(_NAMES, min_size=1))
def test_a_result_is_right_by_any_of_its_names(ranked: list[set[str]], gold: set[str]) -> None:
    got = marks(ranked, gold)
    right = [any(name in gold for name in names) for names in ranked]
    assert got.precision == (sum(right) / len(right) if right else 0)
    assert got.recall == sum(any(one in names for names in ranked) for one in gold) / len(gold)
    assert all(0 <= value <= 1 for value in (got.hit, got.f1, got.exact, got.reciprocal_rank))


@given(_SHARES, _SHARES)
def test_the_harmonic_mean_lies_between(one: float, other: float) -> None:
    got = harmonic(one, other)
    assert min(one, other) - 1e-9 <= got <= max(one, other) + 1e-9
    if one > 0.001 and other > 0.001:
        assert got == pytest.approx(statistics.harmonic_mean([one, other]))


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0.01, 1))
def test_a_percentile_is_the_smallest_value_that_covers_its_share(
    values: list[float], share: float
) -> None:
    got = percentile(values, share)
    assert got in values
    assert sum(value <= got for value in values) >= share * len(values) - 1e-6
    below = [value for value in values if value < got]
    assert len(below) < share * len(values) + 1e-6


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_sum_of_binomials(gained: int, lost: int) -> None:
    n = gained + lost
    tail = sum(Fraction(math.comb(n, k), 2**n) for k in range(min(gained, lost) + 1))
    assert mcnemar_exact(gained, lost) == pytest.approx(float(min(Fraction(1), 2 * tail)))
    assert mcnemar_exact(gained, lost) == mcnemar_exact(lost, gained)


def test_mcnemar_holds_for_many_questions() -> None:
    near, far = mcnemar_exact(5_050, 4_950), mcnemar_exact(5_500, 4_500)
    z = 99 / math.sqrt(10_000)  # normal approximation, continuity corrected
    assert near == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.002)
    assert 0 < far < 1e-20
    whole = sum(math.comb(1_200, k) for k in range(551)) / 2**1_199
    assert mcnemar_exact(550, 650) == pytest.approx(whole, rel=1e-9)


_STATUS = st.sampled_from(["answered", "partial", "unknown", "failed", "cancelled", "error"])


@st.composite
def _rows(draw: st.DrawFn) -> Row:
    status = draw(_STATUS)
    gold = draw(st.sets(_NAMES, max_size=4))
    given_ = draw(_RANKED) if status in ("answered", "partial") else []
    got = marks([{name} for name in given_], gold)
    broken = status in ("failed", "cancelled", "error")
    claims = draw(st.integers(0, 4)) if given_ else 0
    return Row(
        id=draw(st.text(max_size=3)),
        question="?",
        kind="",
        status=status,
        found=tuple(given_),
        gold=tuple(gold),
        hit=0 if broken else got.hit,
        reciprocal_rank=0 if broken else got.reciprocal_rank,
        hit_at_5=0 if broken else got.hit_at_5,
        precision=0 if broken else got.precision,
        recall=0 if broken else got.recall,
        f1=0 if broken else got.f1,
        exact=0 if broken else got.exact,
        claims=claims,
        supported=draw(st.integers(0, claims)),
        seconds=draw(st.floats(0, 10)),
        expected=len(gold),
    )


@given(st.lists(_rows(), min_size=1, max_size=12))
def test_sums_are_those_of_the_definition(rows: list[Row]) -> None:
    got = summarise(rows)
    n = len(rows)
    assert got.questions == n
    assert got.f1 == pytest.approx(sum(row.f1 for row in rows) / n)
    p, r = sum(row.precision for row in rows) / n, sum(row.recall for row in rows) / n
    assert got.f1_of_means == pytest.approx(2 * p * r / (p + r) if p + r else 0)
    assert got.f1_qald >= got.f1_of_means - 1e-9
    asked = [row for row in rows if row.gold]
    expected_rank = sum(row.reciprocal_rank for row in asked) / len(asked) if asked else 0
    assert got.mrr == pytest.approx(expected_rank)
    assert got.precision_at_1 <= got.mrr + 1e-9
    assert got.mrr <= got.hit_at_5 + 1 / 6 + 1e-9
    claims = sum(row.claims for row in rows)
    held = sum(row.supported for row in rows)
    assert got.support == (held / claims if claims else 1)
    assert (got.unsound == 0) == (held == claims)
    assert got.wrong_unsound <= got.unsound


@given(st.lists(_rows(), min_size=1, max_size=12))
def test_every_answer_has_one_outcome_and_abstention_is_no_error(rows: list[Row]) -> None:
    got = summarise(rows)
    assert all(outcome_of(row) in OUTCOMES for row in rows)
    over = ("answered", "partial", "unknown")
    abstained = sum(row.status in over and not (row.found or row.claims) for row in rows)
    abstained /= len(rows)
    failed = sum(row.status in ("failed", "cancelled", "error") for row in rows) / len(rows)
    assert (got.abstained, got.errors) == (pytest.approx(abstained), pytest.approx(failed))
    wrongly = got.abstained - got.abstained_rightly
    assert got.right + got.partly + got.wrong + wrongly + got.errors == pytest.approx(1)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["true", "false", ""])), min_size=1))
def test_verdicts_are_counted_like_a_classifier(pairs: list[tuple[bool, str]]) -> None:
    rows = [
        Row(str(n), "?", "", "answered", (said,) if said else (), (str(holds).lower(),))
        for n, (holds, said) in enumerate(pairs)
    ]
    got = verification(rows)
    tp = sum(holds and said == "true" for holds, said in pairs)
    fp = sum(not holds and said == "true" for holds, said in pairs)
    fn = sum(holds and said != "true" for holds, said in pairs)
    assert got.accuracy == sum(str(h).lower() == s for h, s in pairs) / len(pairs)
    assert got.f1 == pytest.approx(2 * tp / (2 * tp + fp + fn) if tp else 0)


def test_nothing_cannot_be_added_up() -> None:
    with pytest.raises(ValueError, match="no rows"):
        summarise([])
    with pytest.raises(ValueError, match="no rows"):
        verification([])
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)
