"""Yes/no questions about the only thing that a phrase means: "was the founder of X married to Y".

What the phrase means is found first; where it means several, or nothing, nothing is judged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from robodata_core.model import EntityValue
from robodata_core.policy.offline.nesting import Phrase, chained, named, put_in
from robodata_core.policy.offline.question import Kind, Question, Request
from robodata_core.policy.offline.solved import Failure, Solved, related_to

if TYPE_CHECKING:
    from robodata_core.policy.offline.deep import Deep

__all__ = ["of_subject"]

_MOST_TRIED: Final = 3


def of_subject(deep: Deep, question: Question, request: Request, phrase: Phrase) -> Solved | None:
    """Judge something of the only one that a phrase means."""
    inner = deep.set_of(question, range(phrase.start, phrase.end), 1)
    if isinstance(inner, Failure) or len(inner.result.members) != 1 or inner.missing:
        return None
    outer = put_in(question, request, phrase)
    if outer is None or not isinstance(inner.result.members[0], EntityValue):
        return None
    shorter, plain, place = outer
    plain = replace(plain, kind=Kind.BOOLEAN)
    linking, matches = deep.link(shorter, plain)
    linking = named(linking, place, [inner.result.members[0]])
    for scored in deep.solver.on(shorter).solve(plain, linking, matches).ranked[:_MOST_TRIED]:
        whole = chained(inner.candidate, scored.candidate)
        if whole is None or scored.confidence < deep.threshold or whole.narrowed.missing:
            continue
        begun = replace(inner, question=shorter, request=plain, linking=linking)
        outcome = begun.then(whole, deep.executor)
        related = () if outcome.result.boolean else related_to(whole, deep.executor)
        if whole.final in ("yes", "no") and (outcome.result.boolean or related):
            sure = min(inner.confidence, scored.confidence)
            return replace(outcome, related=related, matches=matches, confidence=sure)
    return None
