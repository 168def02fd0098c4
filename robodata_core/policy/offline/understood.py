"""The learned reading of a question (``language``) beside what the rules of this package say.

For questions of one relation the learned reading is the better one on what strangers ask, for
questions with more structure the rules are. So a plain learned reading, one that leaves no word
unread, answers where the rules are not sure, and where they go along another single relation to
other things. Below the settings' confidence it is never taken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.language import Understanding, Understood
from robodata_core.model import EntityValue, QuantityValue, TimeValue
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.entailed import is_plain
from robodata_core.policy.offline.mentions import Linked, Linking, Mention
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.question import Kind, Question, Request
from robodata_core.policy.offline.solve import Scored
from robodata_core.programs.executor import Executor, ProgramResult
from robodata_core.programs.steps import Follow, Start
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import wide_form

__all__ = ["best_of", "learned"]

#: From this probability on a learned reading is likely, and from the next on it is an answer.
_LIKELY: Final = 0.8
_SURE: Final = 0.9
#: From this one on it goes before a plain reading by rules that leads elsewhere.
_SURER: Final = 0.9
#: Kinds of literals that a question word asks for.
_LITERALS: Final[dict[str, type]] = {"time": TimeValue, "number": QuantityValue}


def learned(
    plan: Plan,
    text: str,
    understanding: Understanding,
    source: KnowledgeSource,
    settings: Settings,
    cancel: CancelToken | None = None,
) -> Part | None:
    """Return the learned reading of a question as a part, where it is plain and likely.

    Args:
        plan: What the rules made of it; learned readings are of questions with one request.
        text: The question.
        understanding: Reads it.
        source: What its program is run on.
        settings: Say from which probability on a reading is taken.
        cancel: Asked between steps.

    Raises:
        SourceError: If the source fails.
        CancelledError: If ``cancel`` says so; DeadlineExceededError likewise.
    """
    asked = plan.question.requests
    if len(asked) != 1 or asked[0].kind is not Kind.SET or asked[0].back:
        return None
    if wide_form(source) is not None:
        return None  # It looks around every name one by one: too dear where a look is a request.
    if any(token.ids for token in plan.question.tokens):
        return None  # A conversation has bound its names; rules take them as bound.
    best = understanding.understand(text)[0]
    if not isinstance(best, Understood) or best.unexplained:
        return None
    if best.probability < max(_LIKELY, settings.confidence):
        return None
    result = Executor(source, cancel=cancel).run(best.program)
    literal = _LITERALS.get(asked[0].wanted, object)
    if not any(isinstance(value, literal) for value in result.members):
        return None
    part = _part(plan.question, asked[0], best, result)
    named = {i for mention in part.linking.mentions for i in mention.span}
    return part if is_plain(plan.question, asked[0], named) else None


def best_of(plan: Plan, part: Part | None) -> Plan:
    """Return a plan with the learned reading in place of that of the rules, where it is better.

    Args:
        plan: What the rules made of the question.
        part: The learned reading, if there is one.
    """
    if part is None:
        return plan
    if any(known.failure for known in plan.parts):
        return plan  # Rules know what the answer lacks.
    sure = any(known.sure for known in plan.parts)
    if sure and not (len(plan.parts) == 1 and _goes_before(part, plan.parts[0])):
        return plan
    return replace(plan, parts=(part,))


def _goes_before(part: Part, known: Part) -> bool:
    """Tell whether rules lead along one relation to nothing of what the learned reading gives."""
    if known.best is None or known.result is None or part.result is None:
        return False
    candidate = known.best.candidate
    if part.confidence < _SURER or candidate.final != "set" or len(candidate.path) > 1:
        return False
    if part.best is not None and _relations(candidate) & _relations(part.best.candidate):
        return False  # The same relation the other way round: word order is read by rules.
    return set(known.result.values).isdisjoint(part.result.values)


def _relations(candidate: Candidate) -> set[str]:
    return {name for use in candidate.edges for name, _ in use.hop}


def _part(question: Question, request: Request, best: Understood, result: ProgramResult) -> Part:
    missing: tuple[str, ...] = ()
    if best.probability < _SURE:
        sure = round(100 * best.probability)
        missing = (f"That this is what was asked is likely, not certain ({sure} %).",)
    links = tuple(_link(question, words, value) for words, value in best.mentions)
    candidate = _candidate(best, result, tuple(link for link in links if link is not None))
    scored = Scored(candidate, best.probability, best.probability)
    linking = Linking(tuple(link.mention for link in candidate.links))
    return Part(
        request, linking, (), scored, result, True, missing=missing,
        probability=best.probability,
    )  # fmt: skip


def _link(question: Question, words: str, value: object) -> Link | None:
    if not isinstance(value, EntityValue):
        return None
    at = question.text.find(words)
    tokens = question.tokens
    span = [i for i, token in enumerate(tokens) if at <= token.start < at + len(words)]
    start, end = (span[0], span[-1] + 1) if at >= 0 and span else (0, 0)
    mention = Mention(start, end, words, (Linked(value.id, words, 1.0),), True)
    return Link(mention, (value.id,), 1.0)


def _candidate(best: Understood, result: ProgramResult, links: tuple[Link, ...]) -> Candidate:
    steps = best.program.steps[:-1]
    edges = tuple(
        EdgeUse(tuple((name, step.direction) for name in step.properties))
        for step in steps
        if isinstance(step, Follow)
    )
    outs = tuple(step.out for step in steps if isinstance(step, (Start, Follow)))
    last = best.program.steps[-1]
    return Candidate(
        steps, str(getattr(last, "source", "")), result.members, outs, edges=edges, links=links
    )
