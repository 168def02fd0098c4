"""One decision between the learned reading of a question (``language``) and that of the rules.

Both are asked. Where what the rules found goes along one relation at most, both have to doubt it
before it is kept back: the chance that it is wrong is reckoned from their confidence and from the
probability of the learned reading that gives the same. A learned reading answers where the rules
are not sure, and in place of theirs where it leads elsewhere and is likely enough. What is likely
but not sure is told as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.belief.vocabulary import SPATIAL
from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.language import Understood
from robodata_core.model import Direction, EntityValue, QuantityValue, TimeValue, Value
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.entailed import is_plain, passed_over
from robodata_core.policy.offline.mentions import Linked, Linking, Mention
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.question import Kind, Question, Request, analyse
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.resources import OfflineResources
from robodata_core.policy.offline.solve import Scored, defines
from robodata_core.policy.offline.tables import operators, superlatives
from robodata_core.policy.offline.weights import content_of
from robodata_core.policy.offline.words import ARTICLES
from robodata_core.programs.executor import Executor, ProgramResult
from robodata_core.programs.steps import (
    FilterByConstraint,
    FilterByType,
    Follow,
    Judge,
    Start,
    Union,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import wide_form

__all__ = ["Learned"]

#: From this probability on a learned reading goes before a plain one by rules that leads elsewhere.
_BEFORE_RULES: Final = 0.7
#: The same of a reading with structure, where rules are not sure.
_STRUCTURED: Final = 0.75
#: The same of one that leaves a word out, and of what is true or false.
_SURER: Final = 0.9
#: From this chance on that rules and the learned model are both wrong an answer is kept back.
_DOUBT: Final = 0.06
#: From this probability on a doubtful reading that both have is likely.
_AGREED: Final = 0.4
#: From this probability on it speaks against the rules that the learned reading is of other things.
_OTHER_THINGS: Final = 0.3
#: Least probability of the learned reading that a walk from all of a class is kept with.
_FROM_A_CLASS: Final = 0.2
#: Steps of a program that goes along one relation. Readings of longer ones have to be sure.
_ONE_RELATION: Final = 3
#: Kinds of literals that a question word asks for.
_LITERALS: Final[dict[str, type]] = {"time": TimeValue, "number": QuantityValue}
#: Steps of readings that go along one relation and keep what fits.
_PLAIN: Final = (Start, Follow, FilterByType, FilterByConstraint, Union)


@dataclass(slots=True)
class _Read:
    """A learned reading with what it gives, which is looked up when somebody asks."""

    reading: Understood
    executor: Executor
    _found: ProgramResult | None = None

    @property
    def result(self) -> ProgramResult:
        """What the reading gives."""
        if self._found is None:
            self._found = self.executor.run(self.reading.program)
        return self._found


class Learned:
    """What the learned model reads a question as, asked once.

    Args:
        text: The question.
        resources: Hold what reads it; without one nothing is read.
        source: What programs are run on.
        settings: Say from which probability on a reading is likely, and from which it is sure.
        cancel: Asked between steps.

    Raises:
        SourceError: If the source fails.
        CancelledError: If ``cancel`` says so; DeadlineExceededError likewise.
    """

    def __init__(
        self,
        text: str,
        resources: OfflineResources,
        source: KnowledgeSource,
        settings: Settings,
        cancel: CancelToken | None = None,
    ) -> None:
        self._settings = settings
        self._source = source
        self._question = analyse(text)
        self._index = resources.index
        self._understanding = resources.understanding
        self._found: tuple[_Read, ...] = ()
        if resources.understanding is not None and _is_readable(self._question, source):
            executor = Executor(source, cancel=cancel)
            self._found = tuple(
                _Read(item, executor)
                for item in resources.understanding.understand(text, cancel=cancel)
                if isinstance(item, Understood)
            )

    def decided(self, plan: Plan) -> Plan:
        """Return a plan with what rules and the learned reading come to together.

        Args:
            plan: What the rules made of the question; others than of one request are left to them.
        """
        part = self._whole(plan)
        if part is not None:
            return replace(plan, parts=(part,))
        one = len(plan.parts) == 1 and _is_open(plan.question, self._source)
        if any(not part.sure for part in plan.parts):
            # Where rules know what the answer lacks, that is the answer.
            part = self._read(plan, plan.parts[0]) if one and not plan.parts[0].failure else None
            return replace(plan, parts=(part,)) if part is not None else plan
        return self._weighed(plan, plan.parts[0]) if one else plan

    def _weighed(self, plan: Plan, known: Part) -> Plan:
        """Return a plan whose one relation rules are sure of, weighed by the learned reading."""
        if not _is_one_relation(known):
            return plan
        part, found = self._read(plan, known), self._found
        plainer = part is not None and (_is_plainer(part, known) or _goes_before(part, known))
        if part is not None and plainer and not known.notes:
            return replace(plan, parts=(part,))
        if not _asks(plan.question, known):
            return plan  # "What is a knife?" asks for no relation that could be doubted.
        over = _passes_over(plan.question, known, found)
        doubted = _is_read_by_both(known) and not self._is_of_kinds(
            plan.question, known, plan.reader
        )
        if over or (doubted and _is_doubtful(known, found)):
            if part is not None and _is_of_same(known, part):
                return plan
            if part is None or part.confidence < _BEFORE_RULES or _turns(part.best, known.best):
                part = _as_doubted(known, found)
            return replace(plan, parts=(part,))
        return plan

    def _is_of_kinds(self, question: Question, known: Part, reader: Reader) -> bool:
        """Tell whether rules go along what is usual for a kind of things.

        The learned model has seen questions about persons, places and works alone.
        """
        assert known.best is not None
        told = known.best.candidate.covered.union(*(m.span for m in known.linking.mentions))
        content = content_of(question.tokens, known.request)
        if any(weight >= 1.0 and i not in told for i, weight in content.items()):
            return False
        starts = [EntityValue(id_) for one in known.best.candidate.links for id_ in one.ids]
        above, types = (
            tuple((name, Direction.OUT) for name in self._index.called(label))
            for label in ("subclass of", "instance of")
        )
        return bool(starts) and all(
            reader.any_along((one,), above) and not reader.any_along((one,), types)
            for one in starts
        )

    def _whole(self, plan: Plan) -> Part | None:
        """Return the learned reading as a part, where rules are not sure and it has read all.

        Where rules know what the answer lacks, that is the answer. A no is theirs alone: they know
        where a graph may lack something.
        """
        if not self._found or not plan.parts:
            return None
        if any(one.sure or (one.failure and not one.unread) for one in plan.parts):
            return None
        best = self._found[0].reading
        judged = any(isinstance(step, Judge) for step in best.program.steps)
        least = self._least(plan, best, judged=judged)
        if best.probability < least or best.unread or (judged and best.unexplained):
            return None
        if best.unexplained and any(one.failure for one in plan.parts):
            return None
        result = self._found[0].result
        if result.truncated or result.boolean is False:
            return None
        if not _asks(plan.question, plan.parts[0]):
            return None  # "What about X?" asks for nothing that could be read.
        part = _part(plan.question, plan.parts[0].request, best, result, self._settings.sure)
        if _turns(part.best, plan.parts[0].best):
            return None
        tokens, left = plan.question.tokens, set(best.unexplained)
        if any(tokens[i].text in left for m in plan.parts[0].linking.mentions for i in m.span):
            return None  # It leaves out something that is named.
        leaves = _leaves_asked(plan.question, part.request, part.linking.mentions, best)
        return None if leaves else part

    def _least(self, plan: Plan, best: Understood, *, judged: bool) -> float:
        """Return from which probability on a reading answers where rules are not sure."""
        least = _STRUCTURED if _is_structured(best) else self._settings.likely
        back = any(one.request.back for one in plan.parts)
        failed = any(one.failure for one in plan.parts)
        if len(plan.parts) > 1 or back or failed:
            least = self._settings.sure
        if judged or best.unexplained:
            least = max(least, _SURER)
        elif plan.parts[0].request.kind is Kind.BOOLEAN:
            # What is found is no answer to whether it is so; what was offered is.
            least = max(least, self._settings.sure)
        if self._settings.confidence > self._settings.sure:
            least = max(least, self._settings.confidence)
        return least

    def _read(self, plan: Plan, known: Part) -> Part | None:
        """Return the learned reading as a part, where it may be taken."""
        if defines(known.matches) or not _asks(plan.question, known):
            return None  # "What is a monarchy" asks for no members, "what about X" for nothing.
        part = _learned(plan.question, plan.question.requests[0], self._found, self._settings)
        over = part and passed_over(part, known.linking.mentions, plan, self._index)
        return None if over else part


def _is_open(question: Question, source: KnowledgeSource) -> bool:
    """Tell whether a question is one that both read: one request for things, nothing bound."""
    asked = question.requests
    if len(asked) != 1 or asked[0].kind is not Kind.SET or asked[0].back:
        return False
    return _is_readable(question, source)


def _is_readable(question: Question, source: KnowledgeSource) -> bool:
    """Tell whether a question may be read without rules."""
    if wide_form(source) is not None:
        return False  # It looks around every name one by one: too dear where a look is a request.
    # A conversation has bound its names; rules take them as bound.
    return not any(token.ids for token in question.tokens)


def _learned(
    question: Question, request: Request, found: Sequence[_Read], settings: Settings
) -> Part | None:
    """Return the best learned reading as a part, where it is likely and fits what is asked."""
    if not found or found[0].reading.probability < max(settings.likely, settings.confidence):
        return None
    best = found[0].reading
    part = _part(question, request, best, found[0].result, settings.sure)
    idle = _apposed(question, part.linking.mentions) | _of_all(question)
    if best.unread or (set(best.unexplained) - idle and best.probability < settings.sure):
        return None  # "Which label dropped X" is not which one X is with.
    if _leaves_asked(question, request, part.linking.mentions, best):
        return None
    if _is_structured(best) and best.probability < settings.sure:
        return None
    # Rules take "what time zone" for a question about a time: they speak where nothing is sure.
    literal = object if best.probability >= settings.sure else _LITERALS.get(request.wanted, object)
    if not any(isinstance(value, literal) for value in found[0].result.members):
        return None
    named = {i for mention in part.linking.mentions for i in mention.span}
    # "The film X was filmed in": who says what X is does not say it twice.
    named |= {i for i, token in enumerate(question.tokens) if token.text in idle}
    return part if is_plain(question, request, named) else None


def _leaves_asked(
    question: Question, request: Request, mentions: Sequence[Mention], best: Understood
) -> bool:
    """Tell whether a reading leads away from what "which" asks for.

    "Which diseases cause death" asks for diseases, not for those who had them.
    """
    if len(mentions) != 1 or not isinstance(best.program.steps[0], Start):
        return False
    asked = question.tokens[mentions[0].start - 1].norm if mentions[0].start else ""
    return asked in ("which", "what") and max(request.focus, default=-1) in mentions[0].span


def _apposed(question: Question, mentions: Sequence[Mention]) -> set[str]:
    """Return the words that say what a name is of, before it: "the artist X" asks no more than X.

    Only a noun stands between an article and a name.
    """
    tokens = question.tokens
    starts = [mention.start for mention in mentions if mention.start > 1]
    return {tokens[at - 1].text for at in starts if tokens[at - 2].norm in ARTICLES}


def _of_all(question: Question) -> set[str]:
    """Return the words that leave nothing out of what an extreme is of: "in the world"."""
    words = [token.norm for token in question.tokens]
    if not any(key[0] in words for key in superlatives()):
        return set()
    everywhere = [
        key for key, known in operators().items() if any(o.kind == "everywhere" for o in known)
    ]
    return {
        question.tokens[i].text
        for key in everywhere
        for at in range(len(words))
        if tuple(words[at : at + len(key)]) == key
        for i in range(at, at + len(key))
    }


def _is_one_relation(part: Part) -> bool:
    """Tell whether rules went along one relation at most, and only kept what fits."""
    candidate = part.best.candidate if part.best else None
    if candidate is None or part.result is None or candidate.final != "set":
        return False
    if part.question is not None:
        return False  # It was put together from questions of its own.
    return len(candidate.path) <= 1 and all(isinstance(step, _PLAIN) for step in candidate.steps)


def _is_read_by_both(part: Part) -> bool:
    """Tell whether the learned reading could be what rules found, had it been what is asked."""
    assert part.best is not None
    steps = part.best.candidate.steps
    unions = any(isinstance(step, Follow) and len(step.properties) > 1 for step in steps)
    return not unions and not any(isinstance(step, (FilterByConstraint, Union)) for step in steps)


def _asks(question: Question, part: Part) -> bool:
    """Tell whether a question says anything beside names: "Who is X?" asks who X is."""
    mentions = part.linking.mentions
    named = {i for mention in mentions for i in mention.span}
    if part.question is not None:
        return True  # Its places are those of a question that it was put together from.
    left = content_of(question.tokens, part.request).keys() - named
    return bool(left) or len(mentions) > 1


def _is_of_same(known: Part, part: Part) -> bool:
    """Tell whether both go along the same relation, from other names."""
    assert known.best is not None and part.best is not None
    return bool(_relations(known.best.candidate) & _relations(part.best.candidate))


def _is_plainer(part: Part, known: Part) -> bool:
    """Tell whether a sure learned reading gives what rules found, by one relation of what is named.

    "The capital of Canada" goes before "any capital that is capital of Canada".
    """
    assert known.best is not None and known.result is not None and part.result is not None
    assert part.best is not None
    if part.likely or len(known.best.candidate.steps) <= len(part.best.candidate.steps):
        return False
    return set(known.result.values) == set(part.result.values)


def _goes_before(part: Part, known: Part) -> bool:
    """Tell whether rules lead along another relation to nothing of what the learned one gives."""
    assert known.best is not None and known.result is not None
    assert part.best is not None and part.result is not None
    if not any(isinstance(step, Start) for step in known.best.candidate.steps):
        # Rules walk from all of a class: what is likely from a thing that is named goes before.
        return set(known.result.values).isdisjoint(part.result.values)
    if part.confidence < _BEFORE_RULES or not _is_read_by_both(known):
        return False
    if _is_of_same(known, part):
        return False  # The same relation the other way round: word order is read by rules.
    return set(known.result.values).isdisjoint(part.result.values)


def _is_doubtful(part: Part, found: Sequence[_Read]) -> bool:
    """Tell whether what rules found is doubtful to them and to the learned model alike."""
    assert part.best is not None and part.result is not None
    candidate = part.best.candidate
    if candidate.edges and _relations(candidate) <= SPATIAL.keys():
        return False  # No question it learned from was about what a robot sees.
    values = set(part.result.values)
    same = [
        one.reading.probability
        for one in found
        if set(one.result.values) == values
        or (_is_structured(one.reading) and _turns(_scored(one), part.best))
    ]
    learned = max(same, default=0.0)
    # What lists a class goes along no relation that the learned model could doubt.
    starts = any(isinstance(step, Start) for step in candidate.steps)
    known = bool(candidate.path) and (bool(same) or not starts)
    if known and (1.0 - part.confidence) * (1.0 - learned) > _DOUBT:
        return True
    classes_alone = all(isinstance(step, (FilterByType, Follow)) for step in candidate.steps)
    if classes_alone and candidate.path and learned < _FROM_A_CLASS:
        return True  # "Who directed the film X" asks nothing of all films.
    best = found[0].reading if found else None
    if best is None or best.unexplained or best.probability < _OTHER_THINGS:
        return False
    meant: set[Value] = {value for _, value in best.mentions}
    taken = {EntityValue(id_) for link in candidate.links for id_ in link.ids}
    return bool(meant) and meant.isdisjoint(taken)


def _passes_over(question: Question, part: Part, found: Sequence[_Read]) -> bool:
    """Tell whether rules leave out a phrase for a relation, or a word that only they leave out.

    "What is a towel used for" asks for no kinds of towels.
    """
    assert part.best is not None
    told = part.best.candidate.covered.union(*(one.span for one in part.linking.mentions))
    content = content_of(question.tokens, part.request)
    verbs = [one.span for one in part.matches if one.reading.kind == "verb" and len(one.span) > 1]
    over = [sum(content.get(i, 0.0) for i in span) for span in verbs if span.isdisjoint(told)]
    if any(weight >= 1.0 for weight in over):
        return True
    best = found[0].reading if found else None
    if best is None or best.unexplained or best.probability < _AGREED:
        return False
    left = any(weight >= 1.0 and at not in told for at, weight in content.items())
    return left or any(over)


def _is_structured(reading: Understood) -> bool:
    return len(reading.program.steps) > _ONE_RELATION


def _turns(learned: Scored | None, known: Scored | None) -> bool:
    """Tell whether a learned reading goes a relation of the rules the other way round.

    Which way a relation goes is read from the order of words, and by rules alone.
    """
    if learned is None or known is None:
        return False
    there = {hop for use in learned.candidate.edges for hop in use.hop}
    here = {hop for use in known.candidate.edges for hop in use.hop}
    other = {Direction.OUT: Direction.IN, Direction.IN: Direction.OUT}
    return any((name, other[way]) in there and (name, way) not in there for name, way in here)


def _scored(one: _Read) -> Scored:
    share = one.reading.probability
    return Scored(_candidate(one.reading, one.result, ()), share, share)


def _as_doubted(part: Part, found: Sequence[_Read]) -> Part:
    """Return a doubtful part as a likely one where both agree, else as none."""
    assert part.result is not None
    best = found[0] if found else None
    if best is None or best.reading.probability < _AGREED:
        return replace(part, sure=False)
    if set(best.result.values) != set(part.result.values):
        return replace(part, sure=False)
    share = best.reading.probability
    missing = (*part.missing, _likely(share))
    return replace(part, likely=True, probability=share, missing=missing)


def _likely(probability: float) -> str:
    share = round(100 * probability)
    return f"That this is what was asked is likely ({share} %), not certain."


def _relations(candidate: Candidate) -> set[str]:
    return {name for use in candidate.edges for name, _ in use.hop}


def _part(
    question: Question, request: Request, best: Understood, result: ProgramResult, sure: float
) -> Part:
    missing: tuple[str, ...] = ()
    if best.probability < sure:
        missing = (_likely(best.probability),)
    links = tuple(_link(question, words, value) for words, value in best.mentions)
    candidate = _candidate(best, result, tuple(link for link in links if link is not None))
    if candidate.final in ("yes", "no"):
        request = replace(request, kind=Kind.BOOLEAN)
    scored = Scored(candidate, best.probability, best.probability)
    linking = Linking(tuple(link.mention for link in candidate.links))
    return Part(
        request, linking, (), scored, result, True, missing=missing,
        probability=best.probability, likely=best.probability < sure,
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
    final = "set" if result.number is None else "count"
    if result.boolean is not None:
        final = "yes" if result.boolean else "no"
    return Candidate(
        steps, str(getattr(last, "source", "")), result.members, outs, edges=edges, links=links,
        final=final,
    )  # fmt: skip
