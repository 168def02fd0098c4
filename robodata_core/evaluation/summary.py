"""Adding rows up: the figures of a report, each with its group."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from robodata_core.evaluation.metrics import harmonic, percentile
from robodata_core.evaluation.results import Row
from robodata_core.text import plural

__all__ = [
    "OUTCOMES",
    "Summary",
    "Verification",
    "by_hops",
    "by_kind",
    "by_turn",
    "outcome_of",
    "stages_of",
    "summarise",
    "verification",
]

_Key = TypeVar("_Key")

OUTCOMES: Final = ("right", "partly right", "wrong", "abstained", "error")
"""What ``outcome_of`` says, best first."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures over some rows; abstention is counted apart from error.

    Attributes:
        questions: How many.
        hits_at_1: Share with the first result right; a right "nothing" counts too.
        precision_at_1: The same over questions that something is expected of.
        mrr: Mean reciprocal rank over these.
        hit_at_5: Share of these with a right result among the first five.
        accuracy: Share with exactly the gold.
        precision: Macro precision.
        recall: Macro recall.
        f1: Mean of each question's F1 (GERBIL's macro F1).
        f1_of_means: Harmonic mean of macro precision and macro recall.
        f1_qald: The same with precision 1 where nothing was answered (QALD's macro F1).
        right: Share answered exactly, or rightly with nothing.
        partly: Share answered with something right and something wrong or missing.
        wrong: Share answered with nothing right.
        abstained: Share without an answer ("unknown").
        abstained_rightly: Share without an answer where nothing was expected (part of ``right``).
        errors: Share that failed, was cancelled or could not be asked.
        claims: Claims stated as supported.
        support: Share of them whose every triple holds in the source; 1 if there are none.
        unsound: Answers that state a claim as supported of which a triple does not hold.
        wrong_unsound: Answers with nothing right among these.
        wrong_supported: Answers with nothing right whose claims all hold: true facts that do
            not answer the question.
        median_seconds: Median time.
        p95_seconds: 95th percentile.
        tokens: Mean tokens a question.
    """

    questions: int
    hits_at_1: float
    precision_at_1: float
    mrr: float
    hit_at_5: float
    accuracy: float
    precision: float
    recall: float
    f1: float
    f1_of_means: float
    f1_qald: float
    right: float
    partly: float
    wrong: float
    abstained: float
    abstained_rightly: float
    errors: float
    claims: int
    support: float
    unsound: int
    wrong_unsound: int
    wrong_supported: int
    median_seconds: float
    p95_seconds: float
    tokens: float


def outcome_of(row: Row) -> str:
    """Say in a word how an answer turned out: five outcomes that exclude each other."""
    if row.answered:
        return "right" if row.exact else "partly right" if row.f1 > 0 else "wrong"
    if row.abstained:
        return "right" if row.exact else "abstained"
    return "error"


def summarise(rows: Sequence[Row]) -> Summary:
    """Add rows up.

    Raises:
        ValueError: If there are none.
    """
    if not rows:
        raise ValueError("no rows")

    def _mean(value: Callable[[Row], float], of: Sequence[Row] = rows) -> float:
        return statistics.fmean(map(value, of)) if of else 0.0

    asked = [row for row in rows if row.expected]
    precision, recall = _mean(lambda row: row.precision), _mean(lambda row: row.recall)
    generous = _mean(lambda row: 1.0 if row.abstained else row.precision)
    outcomes = Counter(map(outcome_of, rows))
    claims = sum(row.claims for row in rows)
    unsound = [row for row in rows if row.supported < row.claims]
    wrong = [row for row in rows if outcome_of(row) == "wrong"]
    times = [row.seconds for row in rows]
    return Summary(
        questions=len(rows),
        hits_at_1=_mean(lambda row: row.hit),
        precision_at_1=_mean(lambda row: row.hit, asked),
        mrr=_mean(lambda row: row.reciprocal_rank, asked),
        hit_at_5=_mean(lambda row: row.hit_at_5, asked),
        accuracy=_mean(lambda row: row.exact),
        precision=precision,
        recall=recall,
        f1=_mean(lambda row: row.f1),
        f1_of_means=harmonic(precision, recall),
        f1_qald=harmonic(generous, recall),
        right=outcomes["right"] / len(rows),
        partly=outcomes["partly right"] / len(rows),
        wrong=outcomes["wrong"] / len(rows),
        abstained=_mean(lambda row: float(row.abstained)),
        abstained_rightly=_mean(lambda row: float(row.abstained and row.exact > 0)),
        errors=outcomes["error"] / len(rows),
        claims=claims,
        support=sum(row.supported for row in rows) / claims if claims else 1.0,
        unsound=len(unsound),
        wrong_unsound=sum(row.supported < row.claims for row in wrong),
        wrong_supported=sum(0 < row.claims == row.supported for row in wrong),
        median_seconds=statistics.median(times),
        p95_seconds=percentile(times, 0.95),
        tokens=_mean(lambda row: row.tokens),
    )


def by_kind(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Group rows by kind, the largest group first."""
    groups = _grouped(rows, lambda row: row.kind or "-")
    return dict(sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])))


def by_hops(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Group the rows whose hops are known, fewest first."""
    known = [row for row in rows if row.hops]
    groups = _grouped(known, lambda row: row.hops)
    return {plural(hops, "hop"): groups[hops] for hops in sorted(groups)}


def by_turn(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Group the turns of dialogues by their number in the dialogue."""

    def _number(row: Row) -> str:
        return row.id.rpartition(".")[2]

    turns = [row for row in rows if row.task == "dialogues" and _number(row).isdecimal()]
    groups = _grouped(turns, lambda row: int(_number(row)))
    return {f"turn {number}": groups[number] for number in sorted(groups)}


def stages_of(rows: Sequence[Row]) -> dict[str, int]:
    """Count where answers went wrong, the most frequent stage first."""
    return dict(Counter(row.stage for row in rows if row.stage).most_common())


def _grouped(rows: Sequence[Row], key: Callable[[Row], _Key]) -> dict[_Key, list[Row]]:
    groups: dict[_Key, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


@dataclass(frozen=True, slots=True)
class Verification:
    """Figures of triple classification; "holds" is the positive class, no verdict is wrong.

    Attributes:
        accuracy: Share of right decisions, forced ones included.
        precision: Of "holds".
        recall: Of "holds".
        f1: Of "holds".
        forced: Share that the graph left open: decided only because a decision had to be made.
        open_accuracy: Share of right decisions among these.
        free_accuracy: Share of right decisions among the others.
    """

    accuracy: float
    precision: float
    recall: float
    f1: float
    forced: float = 0.0
    open_accuracy: float = 0.0
    free_accuracy: float = 0.0


def verification(rows: Sequence[Row]) -> Verification:
    """Add verdicts on triples up.

    Raises:
        ValueError: If there are none.
    """
    if not rows:
        raise ValueError("no rows")
    pairs = Counter((row.gold[:1] == ("true",), row.found[:1]) for row in rows)
    hits, false_hits = pairs[True, ("true",)], pairs[False, ("true",)]
    holding = sum(count for (holds, _), count in pairs.items() if holds)
    precision = hits / (hits + false_hits) if hits + false_hits else 0.0
    recall = hits / holding if holding else 0.0
    accuracy = (hits + pairs[False, ("false",)]) / len(rows)
    forced = [row.exact for row in rows if row.status == "partial"]
    free = [row.exact for row in rows if row.status == "answered"]
    return Verification(
        accuracy,
        precision,
        recall,
        harmonic(precision, recall),
        len(forced) / len(rows),
        statistics.fmean(forced) if forced else 0.0,
        statistics.fmean(free) if free else 0.0,
    )
