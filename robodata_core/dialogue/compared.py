"""Comparisons of what was answered before: "which has more?", "by how much?".

Two questions that are the same but for what they are asked of, each answered with a number, are
compared by these numbers. Nothing is looked up: both stand with their support.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from robodata_core.dialogue._words import words
from robodata_core.dialogue.degrees import degrees_in
from robodata_core.dialogue.ellipsis import says
from robodata_core.dialogue.history import Heard, History
from robodata_core.dialogue.names import Read
from robodata_core.dialogue.reading import Knowledge
from robodata_core.language.grammar import ANY
from robodata_core.model import (
    Answer,
    AnswerStatus,
    Completeness,
    EntityValue,
    QuantityValue,
    ResultItem,
)
from robodata_core.policy.offline.words import WH_WORDS
from robodata_core.text import normalise_name

__all__ = ["Compared", "asked_to_compare", "compared_reply"]

_MOST_BACK: Final = 3


@dataclass(frozen=True, slots=True)
class Compared:
    """Two answers with a number each, and what is asked of them.

    Attributes:
        turns: The two, as they were asked.
        high: Which end of the two is asked for; None where it is their difference.
    """

    turns: tuple[Heard, Heard]
    high: bool | None


def asked_to_compare(read: Read, history: History) -> Compared | None:
    """Return what a question compares of the last answers; None where it asks for anything else."""
    two = _in_turn(history)
    if two is None or read.proper():
        return None
    said = normalise_name(read.text)
    if said in words("difference"):
        return Compared(two, None)
    degrees, rest = degrees_in(read)
    asks = {token.norm for token in read.tokens} & WH_WORDS
    if not degrees or not asks or not says(two[1].read, replace(rest, names=())):
        return None
    stated = {e.predicate_label for c in two[1].turn.answer.claims for e in c.support.evidence}
    of_that = [one for one in degrees if ANY in one.relations or stated & set(one.relations)]
    return Compared(two, of_that[0].high) if of_that else None


def _in_turn(history: History) -> tuple[Heard, Heard] | None:
    """Return the last two answers with a number that were asked alike of two things."""
    asked = [heard for heard in history.back() if heard.turn.ran][:_MOST_BACK]
    last = asked[0] if asked else None
    if last is None or _number(last) is None or len(last.topics) != 1:
        return None
    for heard in asked[1:]:
        alike = _number(heard) is not None and _unnamed(heard) == _unnamed(last)
        if alike and len(heard.topics) == 1 and heard.topics != last.topics:
            return heard, last
    return None


def _number(heard: Heard) -> tuple[Decimal, str] | None:
    """Return the one number an answer gives, with its unit."""
    results = heard.turn.answer.results
    value = results[0].value if len(results) == 1 else None
    if isinstance(value, QuantityValue):
        return Decimal(value.amount), value.unit or ""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return (Decimal(str(value)), "") if number else None


def _unnamed(heard: Heard) -> str:
    """Return a question without what it names."""
    text = heard.read.text
    for name in reversed(heard.read.proper()):
        text = f"{text[: name.start]}□{text[name.end :]}"
    return text.strip(" ?!.").casefold()


def compared_reply(compared: Compared, question: str, knowledge: Knowledge) -> Answer | None:
    """Return which of two has more, or by how much; None where the two cannot be compared."""
    first, second = (_number(heard) for heard in compared.turns)
    if first is None or second is None or first[1] != second[1]:
        return None
    ids = [heard.topics[0] for heard in compared.turns]
    names = [knowledge.label(id_) for id_ in ids]
    both = [claim for heard in compared.turns for claim in heard.turn.answer.claims]
    claims = tuple(replace(claim, id=f"c{n}") for n, claim in enumerate(both, 1))
    support = tuple(claim.id for claim in claims)
    told = [f"{name}: {number[0]:,}" for name, number in zip(names, (first, second), strict=True)]
    if compared.high is None:
        by = abs(first[0] - second[0])
        results: tuple[ResultItem, ...] = (
            ResultItem(QuantityValue(by, first[1] or None), f"{by:,}", claims=support),
        )
    else:
        ends = sorted(zip((first[0], second[0]), ids, names, strict=True), reverse=compared.high)
        kept = ends if ends[0][0] == ends[1][0] else ends[:1]
        results = tuple(ResultItem(EntityValue(id_), name, claims=support) for _, id_, name in kept)
    partial = any(h.turn.answer.status is AnswerStatus.PARTIAL for h in compared.turns)
    return Answer(
        question,
        AnswerStatus.PARTIAL if partial else AnswerStatus.ANSWERED,
        f"{' and '.join(item.label for item in results)} ({'; '.join(told)}).",
        claims=claims,
        results=results,
        completeness=Completeness(len(results)),
        notes=("Compared from the last two answers, not looked up again.",),
    )
