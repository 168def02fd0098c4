"""Whether it is asked if something is of a class, and when that it is not shows nothing.

Whoever asks that names the class by a noun, behind the thing: "is a tomato a fruit". That what is
asked of it otherwise ("is a stone breakable") is no class of it says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.language.text import words_of
from robodata_core.model import Direction, EntityValue
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.links import above_links, type_links
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.parts import Plan
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    COPULAS,
    FUNCTION_WORDS,
    INDEFINITE,
    Token,
    singular,
)
from robodata_core.programs.steps import FilterByType, Follow, Judge, Start, Step

__all__ = ["gives_kinds", "is_turned", "not_by_class", "without_kinds_of_predicates"]

#: Steps of a walk from something to what it is compared with.
_WALKED: Final = 3


@dataclass(frozen=True, slots=True)
class _Judged:
    """A thing and a class that it may be of, with where each is named."""

    things: tuple[str, ...]
    classes: tuple[str, ...]
    via: tuple[str, ...]
    thing: Mention | None
    class_: Mention | None


def is_turned(candidate: Candidate, tokens: Sequence[Token], index: RelationIndex) -> bool:
    """Tell whether a reading goes along classes as the words do not ask.

    That an apple is a fruit says not that a fruit is an apple, nor does it that some kinds of it
    are: what begins at the members of a class leads back to it.

    Args:
        candidate: The reading.
        tokens: The question.
        index: The relations of the graph.
    """
    judged = _judged(candidate, tokens, index)
    if judged is None:
        turned = _leads_back(candidate, index) or _gives_object(candidate, tokens)
        return candidate.final == "set" and turned
    thing, class_ = judged.thing, judged.class_
    return thing is None or (class_ is not None and thing.start > class_.start)


def gives_kinds(
    candidate: Candidate,
    tokens: Sequence[Token],
    request: Request,
    matches: Sequence[Match],
    index: RelationIndex,
) -> bool:
    """Tell whether kinds are given of what a kind is asked for: "what kind of animal is a dolphin".

    Args:
        candidate: The reading.
        tokens: The question.
        request: What is asked for.
        matches: Readings of its phrases.
        index: The relations of the graph.
    """
    if candidate.final != "set":
        return False
    asked = {i for one in candidate.links if _ends(one.mention, tokens, request) for i in one.ids}
    above = above_links(index)
    kinds = (m for m in matches if m.start in request.focus and m.reading.relations & above)
    if not asked or next(kinds, None) is None:
        return False
    up = above.union(type_links(index))
    return any(
        (isinstance(step, FilterByType) and not asked.isdisjoint(step.type_ids))
        or (isinstance(step, Follow) and step.direction is Direction.IN
            and up.issuperset(step.properties) and not asked.isdisjoint(_begun(before)))
        for before, step in zip((Start("", ()), *candidate.steps), candidate.steps, strict=False)
    )  # fmt: skip


def _ends(mention: Mention, tokens: Sequence[Token], request: Request) -> bool:
    """Tell whether a thing with "a" and a copula before it ends a question: "... is a dolphin"."""
    before = [token.norm for token in tokens[max(0, mention.start - 2) : mention.start]]
    behind = any(token.word for token in tokens[mention.end : request.end])
    asked = len(before) > 1 and before[0] in COPULAS and before[1] in INDEFINITE
    return asked and not behind


def not_by_class(
    candidate: Candidate, tokens: Sequence[Token], reader: Reader, index: RelationIndex
) -> str:
    """Return why a "no" to what something is does not hold; an empty string where it does.

    Args:
        candidate: What was judged.
        tokens: The question.
        reader: Of the graph.
        index: The relations of the graph.
    """
    judged = _judged(candidate, tokens, index) if candidate.final == "no" else None
    if judged is None:
        return ""
    return _half_stated(judged, reader) or _of_no_noun(judged, tokens)


def without_kinds_of_predicates(plan: Plan, index: RelationIndex) -> Plan:
    """Return a plan that tells not what "can cut" is a kind of where it is asked what can cut.

    Args:
        plan: Of a question.
        index: The relations of the graph.
    """
    parts = []
    for part in plan.parts:
        candidate = part.settled
        said = _led_up(candidate, plan.question.tokens, index) if candidate is not None else ""
        why = f"What “{said}” is said of is not stated."
        parts.append(replace(part, sure=False, failure=why) if said else part)
    return replace(plan, parts=tuple(parts))


def _led_up(candidate: Candidate, tokens: Sequence[Token], index: RelationIndex) -> str:
    """Return the predicate that begins with a verb, as "can cut", and of which the kind is told."""
    first = candidate.steps[1] if len(candidate.steps) > 1 else None
    if not isinstance(first, Follow) or not above_links(index).issuperset(first.relations):
        return ""
    names = (link.mention for link in candidate.links)
    return next((one.text for one in names if tokens[one.start].norm in AUXILIARIES), "")


def _judged(candidate: Candidate, tokens: Sequence[Token], index: RelationIndex) -> _Judged | None:
    """Return what is judged to be of what class; None where something else is judged."""
    steps = candidate.steps
    if candidate.final not in ("yes", "no") or len(steps) < _WALKED - 1:
        return None
    start, kept, judge = steps[0], steps[1], steps[-1]
    begun = _begun(start)
    if isinstance(kept, FilterByType):
        if begun and kept.source != start.out:
            return None  # It judges where something is, or the like, among things of a class.
        begins = begun or _is_of_kind(candidate, tokens)
        return _named(candidate, begun, kept.type_ids, kept.via) if begins else None
    ended = judge.value if isinstance(judge, Judge) else None
    if not isinstance(kept, Follow) or not isinstance(ended, EntityValue) or len(steps) > _WALKED:
        return None
    if not {*above_links(index), *type_links(index)}.issuperset(kept.properties):
        return None
    if not begun:
        back = isinstance(start, FilterByType) and set(kept.properties) <= set(start.via)
        return _named(candidate, (), (ended.id,), kept.properties) if back else None
    said = {tokens[i].norm for use in candidate.edges for i in use.span if i < len(tokens)}
    if not said <= FUNCTION_WORDS:
        return None  # It is said which is the class: "does fruit have the subclass apple".
    if kept.direction is Direction.IN:
        return _named(candidate, (ended.id,), begun, kept.properties)
    return _named(candidate, begun, (ended.id,), kept.properties)


def _leads_back(candidate: Candidate, index: RelationIndex) -> bool:
    """Tell whether it is told what the kinds of a class are kinds of: "what are the tools"."""
    steps = candidate.steps
    if len(steps) < _WALKED - 1 or not isinstance(steps[0], FilterByType) or steps[0].source:
        return False
    follow = steps[1]
    outward = isinstance(follow, Follow) and follow.direction is Direction.OUT
    return outward and above_links(index).issuperset(follow.relations)


def _gives_object(candidate: Candidate, tokens: Sequence[Token]) -> bool:
    """Tell whether it is told what something is done to: "what in the kitchen can cut bread".

    The class of that stands right behind the verb, and what does it is named before.
    """
    last = candidate.steps[-1]
    done = candidate.edges[-1].span if candidate.edges else frozenset()
    if not isinstance(last, FilterByType) or not last.source or not done:
        return False
    behind = max(done) + 1
    while behind < len(tokens) and tokens[behind].norm in ARTICLES:
        behind += 1
    objects = [link for link in candidate.links if set(link.ids) & set(last.type_ids)]
    named = any(link.mention.end <= min(done) for link in candidate.links)
    return named and any(link.mention.start == behind for link in objects)


def _is_of_kind(candidate: Candidate, tokens: Sequence[Token]) -> bool:
    """Tell whether a kind is asked about, and not whether there are some: "is a fruit an apple"."""
    first = min((link.mention.start for link in candidate.links), default=0)
    before = {token.norm for token in tokens[:first] if token.word}
    return before <= COPULAS | ARTICLES and bool(before & COPULAS)


def _begun(step: Step) -> tuple[str, ...]:
    values = step.values if isinstance(step, Start) else ()
    return tuple(value.id for value in values if isinstance(value, EntityValue))


def _named(
    candidate: Candidate, things: Sequence[str], classes: Sequence[str], via: Sequence[str]
) -> _Judged:
    thing, class_ = (
        next((link.mention for link in candidate.links if not set(ids).isdisjoint(link.ids)), None)
        for ids in (things, classes)
    )
    return _Judged(tuple(things), tuple(classes), tuple(via), thing, class_)


def _half_stated(judged: _Judged, reader: Reader) -> str:
    """Return why a "no" does not hold: the thing's own kinds are called like the class.

    What is stated to be an island nation may well be an island; that it is not stated shows
    nothing.
    """
    things = tuple(map(EntityValue, judged.things))
    kinds = [v for name in judged.via for v in reader.along(things, (name, Direction.OUT))]
    names = {v.id: reader.label(v.id) for v in kinds if isinstance(v, EntityValue)}
    for asked in judged.classes:
        words = set(words_of(reader.label(asked)))
        near = next((n for n in names.values() if words and words < set(words_of(n))), "")
        if near:
            label = reader.label(asked)
            return f"Whether what is stated to be “{near}” is “{label}” is not stated."
    return ""


def _of_no_noun(judged: _Judged, tokens: Sequence[Token]) -> str:
    """Return why a "no" does not hold: what is asked is no noun, and a quality is no class."""
    thing, class_ = judged.thing, judged.class_
    if thing is None or class_ is None:
        return ""
    between = tokens[thing.end : class_.start]
    last = tokens[class_.end - 1].norm if class_.end <= len(tokens) else ""
    noun = class_.proper or last != singular(last) or any(t.norm in ARTICLES for t in between)
    return "" if noun else f"Whether “{thing.text}” is “{class_.text}” is not stated."
