"""Telling what was counted, compared and reckoned: sentences with all that they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from robodata_core.model import (
    Direction,
    EntityValue,
    QuantityValue,
    ResultItem,
    Statement,
    Value,
)
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.claims import Sentence, Wording
from robodata_core.policy.offline.parts import Part
from robodata_core.programs.steps import (
    CountDifference,
    Elapsed,
    ExtremeCount,
    ExtremeSize,
    Follow,
    Start,
    Union,
)

__all__ = ["contest", "is_contest", "outcome", "reckoned", "tallies"]

_MOST_TALLIES: Final = 40
_MOST_RECKONED: Final = 8


def tallies(part: Part, values: Sequence[Value], wording: Wording, most: int) -> list[Sentence]:
    """Return what was counted for each answer, if that is how they were picked.

    Args:
        part: The part.
        values: Its answers.
        wording: Words statements.
        most: Most statements to show beside what was counted.
    """
    assert part.result is not None and part.best is not None
    counted = _counted_along(part.best.candidate)
    found: list[Sentence] = []
    for value in values[:_MOST_TALLIES] if counted else ():
        support = part.result.support(value)
        own = [
            one for one in support
            if one.property in counted and value in (one.value, EntityValue(one.subject))
        ]  # fmt: skip
        if not own:
            return []
        found.append(wording.of_tally(value, own))
        found += wording.beside([one for one in support if one not in own][:most])
    return found


def _counted_along(candidate: Candidate) -> frozenset[str]:
    """Return the relations by which the answers have most or fewest others; none where not so."""
    counts = [one for one in candidate.steps if isinstance(one, ExtremeCount)]
    if not counts or not isinstance(candidate.steps[-1], (ExtremeCount, Union)):
        return frozenset()
    return frozenset(counts[-1].properties)


# -- comparisons of how many ----------------------------------------------------------------------


def is_contest(candidate: Candidate) -> bool:
    """Tell whether the sizes of sets are compared, so that all of these are to be shown."""
    return any(isinstance(one, (ExtremeSize, CountDifference)) for one in candidate.steps)


def contest(part: Part, wording: Wording, most: int) -> list[Sentence]:
    """Return the number of each side with all that was counted, then what else backs it."""
    assert part.best is not None
    candidate = part.best.candidate
    told: set[Statement] = set()
    found: list[Sentence] = []
    for link in candidate.links:
        value = EntityValue(link.ids[0])
        own = _of_side(candidate, value, part.related)
        told.update(own)
        found += [wording.of_tally(value, own)] if own else []
    rest = [one for one in part.related if one not in told]
    return [*found, *wording.beside(rest[:most])]


def outcome(part: Part) -> tuple[ResultItem | None, str]:
    """Return the result of a comparison that is no thing, and a sentence that says it."""
    assert part.result is not None and part.best is not None
    final = part.best.candidate.final
    if final in ("yes", "no"):
        holds = bool(part.result.boolean)
        text = "Yes." if holds else "No, by what the graph states."
        return ResultItem(holds, "yes" if holds else "no"), text
    if final == "difference":
        number = part.result.number or 0
        return ResultItem(number, f"{number:,}"), f"{number:,} more."
    return None, ""


def _of_side(
    candidate: Candidate, value: Value, statements: Iterable[Statement]
) -> list[Statement]:
    """Return the statements along which things were counted for one side of a comparison."""
    starts = {one.out for one in candidate.steps if isinstance(one, Start) and value in one.values}
    walks = [one for one in candidate.steps if isinstance(one, Follow) and one.source in starts]
    return [
        one
        for one in statements
        for walk in walks
        if one.property in walk.properties
        and value == (EntityValue(one.subject) if walk.direction is Direction.OUT else one.value)
    ]


# -- what was reckoned ----------------------------------------------------------------------------


def reckoned(part: Part, wording: Wording) -> tuple[list[Sentence], list[ResultItem]]:
    """Return sentences for what was reckoned; and results where these stand in no sentence.

    A number that goes by today's date does not: what today is stands in no triple.
    """
    assert part.result is not None and part.best is not None
    candidate = part.best.candidate
    if candidate.final == "age":
        numbers = [v for v in part.result.values if isinstance(v, QuantityValue)]
        results = [ResultItem(int(v.amount), f"{v.amount}") for v in numbers]
        return wording.beside(part.result.evidence), results
    step = candidate.steps[-1]
    unit = f" {step.stretch.value}" if isinstance(step, Elapsed) else ""
    sentences = [
        wording.reckoned(f"{wording.value(value)}{unit}", part.result.support(value))
        for value in part.result.values[:_MOST_RECKONED]
    ]
    return sentences, []
