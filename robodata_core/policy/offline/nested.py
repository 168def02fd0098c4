"""Questions with a description in them: "Which bands began in the city where Frost died?".

What is described is asked for on its own, by rules and by what was learned alike, and the rest of
the question with what was found in its place. The two programs become one, which is run as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Final

from robodata_core.language.grammar.clauses import truths
from robodata_core.language.grammar.nesting import Description, descriptions, only_one
from robodata_core.language.lexicon import Lexicon
from robodata_core.language.text import Text, read_text
from robodata_core.model import EntityValue
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import JudgeShare, Quantifier, Start
from robodata_core.question import BOUND_IDS, bound_name

__all__ = ["names_in", "nested", "of_each", "sole"]

#: Questions that are asked for what is described, and things that may be it.
_TRIED: Final = 6
_MANY: Final = 5


def nested(
    plan: Plan, decided: Callable[[str], Plan], executor: Executor, lexicon: Lexicon
) -> Plan | None:
    """Return the plan of a question whose description was asked for on its own; None without one.

    Args:
        plan: What was made of the question as a whole.
        decided: Solves a question.
        executor: Runs programs.
        lexicon: Of its language.

    Raises:
        SourceError: If the source fails.
    """
    text = read_text(plan.question.text)
    for description, inner in _described(text, plan, decided, lexicon):
        assert inner.result is not None
        one = inner.result.members[0]
        assert isinstance(one, EntityValue)
        before = text.raw[: text.tokens[description.start].start]
        behind = text.raw[text.tokens[description.end - 1].end :]
        outer = decided(before + bound_name(plan.reader.label(one.id), one.id) + behind)
        found = _joined(inner, outer, one, executor)
        if found is not None:
            return found
    return None


def of_each(plan: Plan, decided: Callable[[str], Plan], lexicon: Lexicon) -> Plan | None:
    """Return the plan of a question for several truths, each asked for on its own; None if one.

    Args:
        plan: What was made of the question as a whole.
        decided: Solves a question.
        lexicon: Of its language.

    Raises:
        SourceError: If the source fails.
    """
    text = read_text(plan.question.text)
    parts: list[Part] = []
    for asked in truths(text, names_in(text, plan), lexicon):
        one = decided(asked)
        part = _sure(one)
        if part is None or part.result is None or part.result.boolean is None:
            return None
        parts.append(replace(part, question=part.question or one.question))
    return replace(plan, parts=tuple(parts), together=True) if parts else None


def sole(plan: Plan, decided: Callable[[str], Plan], executor: Executor, lexicon: Lexicon) -> Plan:
    """Return the plan of a question for the only thing of a description: not so if others fit.

    That a graph states no other shows nothing of what it does not state.

    Args:
        plan: What was made of the question as a whole.
        decided: Solves a question.
        executor: Runs programs.
        lexicon: Of its language.

    Raises:
        SourceError: If the source fails.
    """
    text = read_text(plan.question.text)
    found = only_one(text, names_in(text, plan), lexicon)
    named = [one for part in plan.parts for one in part.linking.mentions if one.proper]
    if found is None or not named:
        return plan
    name, ways = found
    start, end = text.tokens[name[0]].start, text.tokens[name[1] - 1].end
    tokens = plan.question.tokens
    meant = [e for m in named if start <= tokens[m.start].start < end for e in m.entities]
    for asked in ways:
        other = decided(asked)
        part = _sure(other)
        if part is None or part.best is None or part.result is None or not meant:
            continue
        members = part.result.members
        this = next((e for e in meant if EntityValue(e.id) in members), meant[0])
        if part.best.candidate.final != "set" or not members or part.result.truncated:
            continue
        if members == (EntityValue(this.id),):
            why = f"The graph states no other than {this.label}; whether there is one is open."
            return replace(other, parts=(replace(part, sure=False, failure=why),))
        set_, judged = part.best.candidate, f"{part.best.candidate.fresh}j"
        steps = (
            Start(f"{judged}s", (EntityValue(this.id),)),
            JudgeShare(judged, set_.out, f"{judged}s", Quantifier.EVERY),
        )
        whole = replace(set_, steps=(*set_.steps, *steps), out=judged, final="no")
        request = replace(part.request, kind=AnswerKind.YES_OR_NO)
        return replace(other, parts=(replace(part, request=request).narrowed(whole, executor),))
    return plan


def _described(
    text: Text, plan: Plan, decided: Callable[[str], Plan], lexicon: Lexicon
) -> Iterator[tuple[Description, Part]]:
    """Yield descriptions with what they describe, where that is known and few."""
    tried, known = 0, set[int]()
    names = names_in(text, plan)
    for description in descriptions(text, names, lexicon):
        if description.start in known or not _is_said_of(text, description, lexicon):
            continue
        if _is_cut(text, description.end, names, lexicon):
            continue
        for asked in description.asked:
            if tried >= _TRIED:
                return
            tried += 1
            part = _found(decided(asked))
            if part is not None:
                known.add(description.start)
                yield description, part
                break


def names_in(text: Text, plan: Plan) -> Sequence[tuple[int, int]]:
    """Return where names stand in a text, in its tokens: those with capitals, if there are any.

    The ids that names are bound to belong to them.
    """
    tokens = plan.question.tokens
    mentions = [
        mention
        for part in plan.parts if part.question is None
        for mention in part.linking.mentions
        if mention.entities and mention.start < mention.end and not mention.demonym
    ]  # fmt: skip
    named = [m for m in mentions if m.proper] or [m for m in mentions if m.is_name]
    spans = {(tokens[m.start].start, tokens[m.end - 1].end) for m in named}
    bound = {match.start(): match.end() for match in BOUND_IDS.finditer(text.raw)}
    found = []
    for start, end in sorted(spans):
        places = [
            i for i, token in enumerate(text.tokens)
            if start <= token.start and token.end <= bound.get(end, end) and not token.possessive
            and (token.is_word or token.start >= end)
        ]  # fmt: skip
        if places:
            found.append((places[0], places[-1] + 1))
    return found


def _is_said_of(text: Text, description: Description, lexicon: Lexicon) -> bool:
    """Tell whether more is asked than who or what it is."""
    outer = (*text.tokens[: description.start], *text.tokens[description.end :])
    return any(token.is_word and not lexicon.is_small(token.norm) for token in outer)


def _is_cut(text: Text, end: int, names: Sequence[tuple[int, int]], lexicon: Lexicon) -> bool:
    """Tell whether a phrase may end between a noun and what it is like: "official | language"."""
    inside = text.tokens[end - 1 : end + 1]
    content = all(token.is_word and not lexicon.is_small(token.norm) for token in inside)
    return content and len(inside) > 1 and all(end != last for _, last in names)


def _sure(plan: Plan) -> Part | None:
    """Return the only part of a plan, if the plan is sure of it."""
    return plan.parts[0] if len(plan.parts) == 1 and plan.sure else None


def _found(plan: Plan) -> Part | None:
    """Return what describes a few things, if a plan is sure of it."""
    part = _sure(plan)
    if part is None or part.result is None or part.best is None:
        return None
    members, final = part.result.members, part.best.candidate.final
    few = 0 < len(members) <= _MANY and all(isinstance(m, EntityValue) for m in members)
    return part if few and final == "set" and not part.missing[part.likely :] else None


def _joined(inner: Part, plan: Plan, one: EntityValue, executor: Executor) -> Plan | None:
    """Return the plan that goes on from a description, where the rest is understood too."""
    part = _sure(plan)
    if part is None or part.best is None or inner.best is None:
        return None
    whole = _onwards(inner.best.candidate, part.best.candidate, one)
    if whole is None:
        return None
    narrowed = part.narrowed(whole, executor)
    result = narrowed.result
    if result is None or (not result.members and result.number is None and result.boolean is None):
        return None
    chances = [p.probability for p in (inner, part) if p.probability is not None]
    joined = replace(
        narrowed,
        linking=replace(part.linking, mentions=tuple(link.mention for link in whole.links)),
        probability=prod(chances) if chances else None,
        likely=inner.likely or part.likely,
        notes=(*inner.notes, *part.notes),
        missing=tuple(dict.fromkeys((*inner.missing, *part.missing))),
    )
    return replace(plan, parts=(joined,))


def _onwards(inner: Candidate, outer: Candidate, one: EntityValue) -> Candidate | None:
    """Return one program: wherever the outer one begins at something, it goes on from the inner."""
    begun = [s for s in outer.steps if isinstance(s, Start) and s.values == (one,)]
    if len(begun) != 1:
        return None
    rest = replace(
        outer,
        steps=tuple(step for step in outer.steps if step is not begun[0]),
        links=tuple(link for link in outer.links if link.ids != (one.id,)),
    )
    return combine.onwards(inner, begun[0].out, rest) if rest.steps else None
