"""The plainest readings: one relation from one thing that is named, either way.

Every relation that is really there around every thing that may be meant is proposed; the ranker
tells which is asked for, or that none is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from robodata_core.language.lexicon.relations import Evidence, RelationScore
from robodata_core.language.types import (
    Candidate,
    Edge,
    Hop,
    Mention,
    MentionKind,
    Reading,
    denotation,
)
from robodata_core.language.view import View
from robodata_core.model import Direction, EntityValue
from robodata_core.programs.steps import End, Follow, Program, Start

__all__ = ["one_hop_readings"]

_THINGS: Final = 6
_MOST: Final = 48
_SAMPLE: Final = 12


def one_hop_readings(
    mentions: Sequence[Mention], evidence: Evidence, view: View
) -> tuple[Reading, ...]:
    """Return the likeliest readings of one hop, by what words say of relations.

    Args:
        mentions: What the text names.
        evidence: What its words say of relations.
        view: What is really there.
    """
    found = []
    for mention in mentions:
        for candidate in _things(mention):
            assert isinstance(candidate.value, EntityValue)
            around = view.relations(candidate.value.id)
            scores = evidence.offered(around, (mention.start, mention.end))
            length = sum(evidence.rarity.get(i, 0.0) for i in range(mention.start, mention.end))
            for edge, score in scores.items():
                found.append((_promise(score) + 0.5 * length, mention, candidate, edge, score))
    found.sort(key=lambda item: -item[0])
    return tuple(
        _reading(mention, candidate, edge, score, view)
        for _, mention, candidate, edge, score in found[:_MOST]
    )


def _things(mention: Mention) -> Iterator[Candidate]:
    named = (c for c in mention.candidates if c.kind is MentionKind.THING)
    for _, candidate in zip(range(_THINGS), named, strict=False):
        yield candidate


def _promise(score: RelationScore) -> float:
    seen = score.log if score.seen else -6.0
    return seen + 3 * max(score.label, score.alias) + 3 * score.phrase


def _reading(
    mention: Mention, candidate: Candidate, edge: Edge, score: RelationScore, view: View
) -> Reading:
    assert isinstance(candidate.value, EntityValue)
    name, way = edge
    program = Program(
        (
            Start("start", (candidate.value,)),
            Follow("found", "start", (name,), way),
            End("found"),
        )
    )
    ends = view.ends((candidate.value.id,), edge, _SAMPLE)
    size = view.relations(candidate.value.id)[edge]
    label = view.properties((name,))[name].name
    words = (
        f"{label} of {candidate.label}"
        if way is Direction.OUT
        else (f"what has {candidate.label} as {label}")
    )
    return Reading(
        program,
        ((mention, candidate),),
        (Hop((edge,), score.explained),),
        sample=ends[:_SAMPLE],
        size=size,
        words=words,
        denotation=denotation(ends, size),
    )
