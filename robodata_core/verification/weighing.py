"""What a model's judgement is worth by what it cites, against what was measured without it.

What was measured stands unless cited evidence moves it, upwards or downwards, and at most as far as
that evidence was measured to be right. A model's own knowledge moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.model import EntityValue, Statement, Value
from robodata_core.verification.case import Case
from robodata_core.verification.findings import Ground
from robodata_core.verification.judging import SURE, beside
from robodata_core.verification.neighbourhoods import back
from robodata_core.verification.replies import Judged
from robodata_core.verification.verdict import Judgement

__all__ = ["Bounds", "bounds_of", "unfair"]

_EVEN: Final = 0.5
_LONGEST: Final = 3
#: Reasons that state a triple, and do not only imply it.
_STATED: Final = frozenset({"stated", "inverse"})


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far what is cited moves a probability from what was measured.

    Attributes:
        low: The least it may be.
        high: The most it may be.
        supports: Whether the triple may be said to be supported.
        refutes: Whether it may be said to be refuted.
    """

    low: float
    high: float
    supports: bool
    refutes: bool

    def judge(self, judged: Judged) -> tuple[Judgement, float]:
        """Return judgement and probability within the bounds; else the judgement is unknown."""
        probability = min(max(judged.probability, self.low), self.high)
        allowed = {
            Judgement.SUPPORTED: self.supports and probability >= _EVEN,
            Judgement.REFUTED: self.refutes and probability <= _EVEN,
        }
        kept = allowed.get(judged.judgement, True)
        return judged.judgement if kept else Judgement.UNKNOWN, probability


def bounds_of(case: Case, judged: Judged) -> Bounds:
    """Return how far what a judgement cites moves the probability.

    Upwards do the triple itself or a copy of it, a sentence that names both ends, and a path from
    the subject to the object; the path as far as the relation was measured to hold at the ends of
    such paths, weighed against what objects, and not at all where what was measured refutes the
    triple. Downwards do what objects to the triple, as far as it was measured to be right, and a
    sentence that names both ends. What the source is seen to state is not lowered.
    """
    prior = case.finding
    measured = prior.probability if prior is not None else _EVEN
    judgement = prior.judgement if prior is not None else Judgement.UNKNOWN
    objections = prior.objections if prior is not None else ()
    worth = 1.0 if _told(case, judged.cited_for) else _worth(case, judged.cited_for)
    if worth < 1:
        refuted = judgement is Judgement.REFUTED
        worth = 0.0 if refuted else beside(worth, objections)
    supports = judgement is Judgement.SUPPORTED or worth >= _EVEN
    high = max(measured, worth)
    if prior is not None and any(one.kind == "stated" for one in prior.reasons):
        return Bounds(measured, high, supports, False)
    against = 1.0 if _told(case, judged.cited_against) else _against(case, judged, objections)
    calibrated = case.knowledge.calibration is not None and case.knowledge.mining
    refutes = against > 0 or judgement is Judgement.REFUTED
    refutes = refutes or (calibrated and measured <= 1 - SURE)
    return Bounds(min(measured, 1 - against) if against else measured, high, supports, refutes)


def unfair(case: Case, judged: Judged) -> str:
    """Say which handle is cited for what it speaks against, or the other way; else nothing."""
    prior = case.finding
    if prior is None:
        return ""
    stated = [one for one in prior.reasons if one.kind in _STATED]
    for handles, grounds, wrong in (
        (judged.cited_for, prior.objections, "against the triple; it cannot be cited for it."),
        (judged.cited_against, stated, "for the triple; it cannot be cited against it."),
    ):
        told = {_key(one) for ground in grounds for one in ground.statements}
        for handle in handles:
            chain = case.exhibits.chains.get(handle, ())
            if chain and all(_key(one) in told for one in chain):
                return f"{handle} speaks {wrong}"
    return ""


def _told(case: Case, handles: Sequence[str]) -> bool:
    sentences = case.exhibits.sentences
    return any(case.names_both(sentences[one]) for one in handles if one in sentences)


def _against(case: Case, judged: Judged, objections: Sequence[Ground]) -> float:
    """Return how often what is cited against the triple was measured to be right."""
    cited = set(map(_key, _cited(case, judged.cited_against)))
    rights = [
        ground.confidence
        for ground in objections
        if any(_key(one) in cited for one in ground.statements)
    ]
    return max(rights, default=0.0)


def _worth(case: Case, handles: Sequence[str]) -> float:
    """Return how far cited statements bear the triple out: what states it wholly."""
    cited = _cited(case, handles)
    if any(map(case.states, cited)):
        return 1.0
    best = 0.0
    for path in _paths(case, cited):
        turned = path[0].removeprefix("^")
        if path == (back(turned),) and turned in case.profile.copies():
            share = case.profile.share_turned(turned)
            best = max(best, 1.0 if share >= SURE else share)
        else:
            best = max(best, case.rate(path).confidence)
    return best


def _paths(case: Case, cited: Sequence[Statement]) -> set[tuple[str, ...]]:
    """Return the steps of all ways over cited statements from the subject to the object."""
    if not isinstance(case.triple.object, EntityValue):
        return set()
    edges = [
        (one.subject, one.property, one.value.id)
        for one in cited
        if isinstance(one.value, EntityValue)
    ]
    steps = set(edges) | {(end, back(name), start) for start, name, end in edges}
    goal = case.triple.object.id

    def _on(at: str, seen: frozenset[str]) -> Iterator[tuple[str, ...]]:
        for start, step, end in steps:
            if start != at or end in seen:
                continue
            if end == goal:
                yield (step,)
            elif len(seen) < _LONGEST:
                yield from ((step, *rest) for rest in _on(end, seen | {end}))

    return set(_on(case.triple.subject, frozenset({case.triple.subject})))


def _cited(case: Case, handles: Sequence[str]) -> list[Statement]:
    return [one for handle in handles for one in case.exhibits.chains.get(handle, ())]


def _key(one: Statement) -> tuple[str, str, Value]:
    return one.subject, one.property, one.value
