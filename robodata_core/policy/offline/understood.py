"""One decision between the learned reading of a question (``language``) and that of the rules.

Both are asked, and how probable it is that either is right is learned (``deciding``). The likelier
one answers; what is likely but not sure is told as such, and what is neither is kept back.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.belief.vocabulary import SPATIAL
from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.errors import QueryLimitError, SourceTimeoutError
from robodata_core.language import Understood
from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.text import fold
from robodata_core.model import Direction, EntityValue
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.answer_kinds import AnswerKinds
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.deciding import (
    Read,
    is_of_one_relation,
    is_plain,
    left_of,
    outcome,
    result_form,
    signals,
)
from robodata_core.policy.offline.grow import goes_against
from robodata_core.policy.offline.joint import has_either
from robodata_core.policy.offline.mentions import Linked, Linking, Mention
from robodata_core.policy.offline.misread import counts_instead, leads_past_own
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.passing import (
    names_doing,
    names_more,
    passes_over,
    reads_all,
    says_less,
)
from robodata_core.policy.offline.question import Question, Request, analyse
from robodata_core.policy.offline.resources import OfflineResources
from robodata_core.policy.offline.solve import Scored, defines
from robodata_core.policy.offline.weights import content_of
from robodata_core.policy.offline.words import MODALS, WH_WORDS
from robodata_core.programs.executor import Executor, ProgramResult
from robodata_core.programs.nodes import NodeSet
from robodata_core.programs.steps import (
    Difference,
    End,
    Extreme,
    ExtremeCount,
    FilterByConstraint,
    Follow,
    Intersect,
    Judge,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import wide_form

__all__ = ["Learned"]

_log = logging.getLogger("robodata.understanding")
#: Least probability of what rules are sure of, and of sets that they put together from several
#: names. It is lower than that of learned readings: words that no question of the training had may
#: stand behind it, as of kin and ages.
_KEPT: Final = 0.15
_KEPT_JOINED: Final = 0.3
#: The same of walks along a relation or two, of which learned readings know much.
_KEPT_PLAIN: Final = 0.28
#: Least probability of what rules only tried; a truth is not said on a trial.
_TRIED: Final = 0.7
#: How sure relations are that no word says and that are only guessed.
_GUESSED: Final = 0.8
#: Least probability of a learned reading that leaves words unexplained, and of one that says yes
#: or goes along relations one after the other.
_UNEXPLAINED: Final = 0.6
_DOUBTFUL: Final = 0.7
#: Least probability of one that there is any at all: "did X die a natural death" asks for more.
_ANY: Final = 0.9
#: Least probability where a question says nothing but names: "what did X have".
_UNASKED: Final = 0.85
#: How much likelier a learned reading has to be than an answer of the rules to go before it: one
#: along one relation, and a composed one.
_AHEAD: Final = 0.15
_FAR_AHEAD: Final = 0.4
#: Least that is taken to be open beside a reading.
_LEAST_OPEN: Final = 1e-6
#: Relations along which things are counted at most.
_COUNTED_ALONG: Final = 4
#: Relations in a row that learned readings go along at most.
_HOPS: Final = 2


@dataclass(slots=True)
class _Read:
    """A learned reading with what it gives, which is looked up when somebody asks."""

    reading: Understood
    executor: Executor
    _found: ProgramResult | None = None

    @property
    def result(self) -> ProgramResult:
        """What the reading gives; nothing, and that it was cut, if finding out takes too long."""
        if self._found is None:
            try:
                self._found = self.executor.run(self.reading.program)
            except (QueryLimitError, SourceTimeoutError) as error:
                _log.info("What a reading gives was too dear to look up: %s", error)
                self._found = ProgramResult(NodeSet({}, truncated=True))
        return self._found

    def compares_nothing(self) -> bool:
        """Tell whether the extreme of a set with one member is asked for: that is no extreme.

        Raises:
            SourceError: If the source fails.
            CancelledError: If the run is to end; DeadlineExceededError likewise.
        """
        steps = self.reading.program.steps
        for at, step in enumerate(steps):
            if isinstance(step, (Extreme, ExtremeCount)) and step.source:
                whole = self.executor.run(Program((*steps[:at], End(step.source))))
                if len(whole.members) == 1:
                    return True
        return False


class Learned:
    """What the learned model reads a question as, asked once.

    Attributes:
        found: Its readings, the likeliest first.

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
        self._strict = settings.confidence if settings.confidence > settings.sure else 0.0
        self._decision, self._index = resources.decision, resources.index
        # Of a robot's map what is typical of things may be no answer: less than sure will not do.
        self._is_map = resources.is_map
        self._understanding = resources.understanding
        self._likely = settings.sure if self._is_map else settings.likely
        self.found: tuple[_Read, ...] = ()
        if resources.understanding is not None and _is_readable(analyse(text), source):
            executor = Executor(source, cancel=cancel)
            self.found = tuple(
                _Read(item, executor)
                for item in resources.understanding.understand(text, cancel=cancel)
                if isinstance(item, Understood)
            )

    def decided(self, plan: Plan) -> Plan:
        """Return a plan with what rules or the learned reading found, whichever is likelier.

        What asks for nothing that could be learned ("What is a knife?") and what a robot sees are
        left to the rules: no question it was learned from is of these. Where nothing is said but
        names ("What about X?"), the learned reading has to be sure.

        Args:
            plan: What the rules made of the question.
        """
        if not plan.parts or not self.found or not self._is_open(plan):
            return plan
        if any(part.failure and not part.unread for part in plan.parts):
            return plan  # Where rules know what the graph lacks, that is the answer.
        known, best = plan.parts[0], self.found[0]
        left = passes_over(best, known, plan.question, plan.reader) or says_less(best, known)
        # What passes over a name, or takes for one what is said, says nothing of what was read.
        if names_doing(best, known, plan.question) or (left and reads_all(known, plan.question)):
            return plan
        if names_more(best, known, plan.question, self._index):
            return plan
        values = signals(plan, self.found)
        rules, learned = self._decision.chances(values)
        near = learned < rules + _FAR_AHEAD if known.sure else "b_same" in values
        turned = "b_turned" in values and near
        if _affirms_against(known) and result_form(best.result) == "yes":
            turned = turned or not values.get("b_turned")
        if len(plan.parts) > 1 or not _asks(plan.question, known):
            return plan if plan.sure else self._read(plan, learned, _UNASKED) or plan
        misses = known.sure and self._misses_kind(plan)
        if misses:
            rules = _without_rival(rules, learned)
        kept = self._is_kept(plan, known, rules, turned=turned)
        # Which way a relation goes is read from the order of words; and rules may be wrong, what
        # passes over a name is.
        read = None if turned or left or misses else self._read(plan, learned, self._likely)
        if read is not None and self._fits_less(plan, known, read):
            alone = _without_rival(rules, learned)
            kept = kept or self._is_kept(plan, known, alone, turned=turned)
            read = None
        if read is None or (kept and not self._goes_before(known, rules, learned)):
            return replace(plan, parts=(replace(known, sure=kept),))
        return read

    def _is_kept(self, plan: Plan, known: Part, rules: float, *, turned: bool) -> bool:
        """Tell whether what rules found is probable enough to be an answer."""
        if known.failure:
            return False  # Only another reading may have read what the rules could not.
        if known.best is not None and (
            _counts(known.best.candidate, known) or _is_wide(known.best.candidate)
        ):
            return False
        if turned:
            return known.sure and rules >= _KEPT
        kept = known.result is not None and rules >= max(_least(known), self._strict)
        if (rules < self._settings.likely or not known.sure) and self._is_doubtful(plan, known):
            return False
        if kept and known.best is not None and (known.question is not None or not known.sure):
            # What a description stands for was put into the question, which then asks for less;
            # and what was only tried was not held against what is asked for.
            wanted = plan.question.requests[0].wanted
            return not self._is_of_other_kind(plan, wanted, known.best.candidate)
        return kept

    def _goes_before(self, known: Part, rules: float, learned: float) -> bool:
        """Tell whether the learned reading goes before what rules found."""
        assert known.result is not None
        best = self.found[0]
        if not known.sure:
            return True
        if outcome(best.result) == outcome(known.result):
            # "The capital of Canada" goes before "any capital that is capital of Canada".
            plainer = not known.notes and _is_plainer(best, known)
            return plainer and learned >= self._settings.sure
        if self._is_map or best.reading.broader or _leads_on(best, known):
            return False
        if self._goes_further(known, learned):
            return False
        ahead = _AHEAD if is_of_one_relation(known) else _FAR_AHEAD
        # A no is not said against what is stated of the very thing.
        judged = known.result.boolean is False and _is_stated(best) and not _narrows(known)
        alike = judged or result_form(best.result) == result_form(known.result)
        return alike and learned > rules + ahead

    def _goes_further(self, known: Part, learned: float) -> bool:
        """Tell whether rules went further, and the learned reading gives less or is not sure."""
        if known.result is None or not _is_beyond(known):
            return False
        given = self.found[0].result.members
        return learned < self._settings.sure or set(given) <= set(known.result.members)

    def _read(self, plan: Plan, probability: float, least: float) -> Plan | None:
        """Return a plan with the best learned reading, where it is likely and can be an answer."""
        best, result = self.found[0].reading, self.found[0].result
        open_ = _ranked(best.program)
        if any(step.direction is Direction.IN for step in open_):
            return None  # Most of those a graph has is not most there are; of two it may be.
        least = max(least, self._least_of(plan, best, result), self._strict)
        if probability < least or best.unread or result.truncated:
            return None
        if _is_its_own(best, result) or self.found[0].compares_nothing():
            return None
        if best.broader and (result.boolean or result.number is not None):
            return None  # Of what is broader than what was said neither a yes nor a number holds.
        if result.boolean is False or (result.boolean and has_either(best.program)):
            return None  # A no is the rules' alone: they know where a graph may lack something.
        request, sure = plan.parts[0].request, self._settings.sure
        part = _part(plan.question, request, best, result, probability, sure)
        if part.best is None or self._is_misread(plan, part.best.candidate):
            return None
        if open_ and self._ranks_others(plan, part.best.candidate):
            return None
        return replace(plan, parts=(replace(part, likely=True) if open_ else part,))

    def _least_of(self, plan: Plan, best: Understood, result: ProgramResult) -> float:
        """Return how probable a reading has to be, by what it goes along and what it leaves."""
        begun = _begun(best.program)
        chained = any(
            step.source not in begun for step in best.program.steps if isinstance(step, Follow)
        )
        least = self._least_unexplained(plan, best)
        if chained or result.boolean is not None:
            least = max(least, _DOUBTFUL)
        if _is_of_any(best.program.steps, (Follow, Intersect, Difference)):
            least = max(least, _ANY)
        return least

    def _misses_kind(self, plan: Plan) -> bool:
        """Tell whether the learned reading gives something of another kind than is asked for."""
        best, result = self.found[0].reading, self.found[0].result
        request = plan.parts[0].request
        part = _part(plan.question, request, best, result, 0.0, self._settings.sure)
        if part.best is None:
            return False
        return self._is_of_other_kind(plan, request.wanted, part.best.candidate)

    def _is_misread(self, plan: Plan, candidate: Candidate) -> bool:
        """Tell whether what a learned reading gives is no answer to what is asked for."""
        said = replace(candidate, covered=frozenset(range(len(plan.question.tokens))))
        if _counts(said, plan.parts[0]) or self._numbers(plan, candidate):
            return True
        return self._is_of_other_kind(plan, plan.parts[0].request.wanted, candidate)

    def _ranks_others(self, plan: Plan, candidate: Candidate) -> bool:
        """Tell whether what has most is of another kind than the noun behind "which" says.

        "Which country has the most cities" asks for no city of most countries.
        """
        tokens, focus = plan.question.tokens, plan.parts[0].request.focus
        if not focus or min(focus) < 1 or tokens[min(focus) - 1].norm not in WH_WORDS:
            return False
        kinds = AnswerKinds(plan.reader, self._index)
        if kinds.told(candidate) == "person":
            return False  # People are called by what they do.
        return kinds.are_none(candidate, tokens[max(focus)].stem)

    def _numbers(self, plan: Plan, candidate: Candidate) -> bool:
        """Tell whether it is given how many there are where they themselves are asked for."""
        request = plan.parts[0].request
        if request.kind is not AnswerKind.THINGS or request.wanted or self._index is None:
            return False
        heads = {phrase.split()[0] for phrase in open_lexicon("en").said("number")}
        along = {name for use in candidate.edges for name, _ in use.hop}
        labels = [self._index.name_of(name).split() for name in along]
        asked = heads.intersection(token.norm for token in plan.question.tokens)
        return not asked and any(label[0] in heads for label in labels)

    def _is_of_other_kind(self, plan: Plan, wanted: str, candidate: Candidate) -> bool:
        """Tell whether people are given where a time is asked for, or the like."""
        kinds = AnswerKinds(plan.reader, self._index)
        if wanted == "person" and kinds.are_idle(candidate):
            return True
        first, tokens = plan.parts[0], plan.question.tokens
        if not first.question and (
            leads_past_own(candidate, tokens, first.matches)
            or kinds.lies_elsewhere(candidate, tokens, first.request)
        ):
            return True
        if not wanted:
            return False
        told = kinds.told(candidate)
        if wanted == "place" and not told:
            return False  # Of what has no class it is not known that it is no place.
        return kinds.misses(candidate, wanted, told or kinds.of_relation(candidate))

    def _fits_less(self, plan: Plan, known: Part, read: Plan) -> bool:
        """Tell whether rules found what is asked for, as people for "who", and reading did not."""
        wanted = plan.question.requests[0].wanted
        kinds = AnswerKinds(plan.reader, self._index)
        mine, its = (part.best.candidate if part.best else None for part in (known, read.parts[0]))
        if not wanted or not known.sure or mine is None or its is None:
            return False
        return kinds.kind(mine) == wanted != kinds.kind(its)

    def _is_doubtful(self, plan: Plan, known: Part) -> bool:
        """Tell whether rules join things by a guess, or leave a word that may be of a name."""
        told = known.result is not None and result_form(known.result) not in ("yes", "no")
        if not told or known.best is None or self._understanding is None:
            return False
        edges = known.best.candidate.edges
        if any(not use.span and use.strength < _GUESSED for use in edges):
            return True
        if known.question is not None:
            return False  # Its places are those of another question.
        tokens = plan.question.tokens
        left = left_of(content_of(tokens, known.request), known, known.best.candidate)
        words = {tokens[at].norm for at, some in left.items() if some >= 1.0}
        along = known.program.along if known.program is not None else ()
        asks_else = not known.sure and _asks_else(plan, words, along)
        return asks_else or any(map(self._is_strange, words))

    def _least_unexplained(self, plan: Plan, reading: Understood) -> float:
        """Return how probable a reading has to be that leaves words: they may change anything.

        A word for a relation that is left asks for something else: the capital was not born, and
        the husband is not his mother.
        """
        left = {fold(word) for word in reading.unexplained}
        if _asks_else(plan, left, reading.program.along):
            return 1.0
        if any(self._is_strange(word) for word in reading.unexplained):
            return 1.0
        return _UNEXPLAINED if reading.unexplained or reading.broader else 0.0

    def _is_strange(self, word: str) -> bool:
        """Tell whether no question that was learned from has a word."""
        if self._understanding is None or self._understanding.models.words is None:
            return False
        stem = self._understanding.lexicon.stem(fold(word))
        return not self._understanding.models.words.knows(stem)

    def _is_open(self, plan: Plan) -> bool:
        """Tell whether a question is of a kind that was learned."""
        part = plan.parts[0]
        if part.program is not None and not SPATIAL.keys().isdisjoint(part.program.along):
            return False
        return not defines(part.matches)


def _asks_else(plan: Plan, left: Set[str], along: Sequence[str]) -> bool:
    """Tell whether words that are left name a relation that leads to what is asked for."""
    tokens, wanted = plan.question.tokens, plan.question.requests[0].wanted
    asking = (
        match.reading.relations for match in plan.parts[0].matches
        if match.reading.kind in ("verb", "noun") and match.reading.answer == wanted != ""
        and {tokens[i].norm for i in match.span} <= left
    )  # fmt: skip
    return any(relations.isdisjoint(along) for relations in asking)


def _affirms_against(part: Part) -> bool:
    """Tell whether a yes rests on a relation that the order of words turns the other way."""
    if part.best is None or part.result is None or result_form(part.result) != "yes":
        return False
    return goes_against(part.best.candidate)


def _begun(program: Program) -> set[str]:
    """Return the sets that a program starts from."""
    return {step.out for step in program.steps if isinstance(step, Start)}


def _ranked(program: Program) -> list[ExtremeCount]:
    """Return the steps that look for most of what is not named."""
    begun = _begun(program)
    unions = [step for step in program.steps if isinstance(step, Union)]
    named = begun | {step.out for step in unions if begun.issuperset(step.reads)}
    most = [step for step in program.steps if isinstance(step, ExtremeCount)]
    return [step for step in most if step.source not in named]


def _counts(candidate: Candidate, known: Part) -> bool:
    """Tell whether things are counted where the question asks for a number that is stated."""
    return known.question is None and counts_instead(candidate, known.matches)


def _is_wide(candidate: Candidate) -> bool:
    """Tell whether most is counted along so many relations that no word says which is meant."""
    counted = (step for step in candidate.steps if isinstance(step, ExtremeCount))
    return any(len(step.properties) > _COUNTED_ALONG for step in counted)


def _least(part: Part) -> float:
    """Return how probable what rules found has to be to be kept."""
    if not part.sure:
        judged = part.result is not None and result_form(part.result) in ("yes", "no")
        return 1.0 if judged else _TRIED
    if part.program is not None and _is_of_any(part.program.steps):
        return _DOUBTFUL
    names = sum(mention.proper for mention in part.linking.mentions)
    alone = is_of_one_relation(part) or names <= 1 or _is_beyond(part)
    joined = part.result is not None and result_form(part.result) == "set" and not alone
    if joined:
        return _KEPT_JOINED
    return _KEPT_PLAIN if _is_learned_of(part) else _KEPT


def _is_learned_of(part: Part) -> bool:
    """Tell whether rules went along a relation or two to a set, as learned readings do."""
    candidate = part.best.candidate if part.best is not None else None
    if candidate is None or candidate.final != "set" or _is_beyond(part):
        return False
    return bool(candidate.edges) and all(use.hop for use in candidate.edges)


def _is_of_any(steps: Sequence[Step], kinds: tuple[type[Step], ...] = (Follow,)) -> bool:
    """Tell whether it is judged that a step of some kinds leads to anything at all."""
    judged = {one.source for one in steps if isinstance(one, Judge) and one.value is None}
    return any(isinstance(one, kinds) and one.out in judged for one in steps)


def _leads_on(read: Read, part: Part) -> bool:
    """Tell whether a part goes on from what a reading gives: "the spouse of the daughter of X"."""
    mine, theirs = (
        [(step.properties, step.direction) for step in steps if isinstance(step, Follow)]
        for steps in (read.reading.program.steps, part.program.steps if part.program else ())
    )
    return len(mine) < len(theirs) and theirs[: len(mine)] == mine


def _is_its_own(reading: Understood, result: ProgramResult) -> bool:
    """Tell whether what is asked about is all of the answer: nobody is his own brother."""
    steps = reading.program.steps
    starts = {value for step in steps if isinstance(step, Start) for value in step.values}
    leads_on = any(isinstance(step, Follow) for step in steps)
    return leads_on and bool(result.members) and starts.issuperset(result.members)


def _narrows(part: Part) -> bool:
    """Tell whether a part holds to more than its relations: a brother is a sibling who is male."""
    steps = part.program.steps if part.program is not None else ()
    return any(isinstance(step, FilterByConstraint) for step in steps)


def _is_stated(read: Read) -> bool:
    """Tell whether a reading says yes because a relation leads to the thing that is named."""
    judges = (step for step in read.reading.program.steps if isinstance(step, Judge))
    return read.result.boolean is True and any(step.value is not None for step in judges)


def _is_beyond(part: Part) -> bool:
    """Tell whether rules went where no learned reading goes: deep, or along several at once."""
    candidate = part.best.candidate if part.best is not None else None
    if candidate is None:
        return False
    return len(candidate.path) > _HOPS or any(len(use.hop) > 1 for use in candidate.edges)


def _is_plainer(read: Read, part: Part) -> bool:
    """Tell whether a learned reading takes fewer steps than rules that went along one relation."""
    if not is_plain(part) or part.best is None:
        return False
    return len(read.reading.program.steps) <= len(part.best.candidate.steps)


def _is_readable(question: Question, source: KnowledgeSource) -> bool:
    """Tell whether a question may be read without rules."""
    if wide_form(source) is not None:
        return False  # It looks around every name one by one: too dear where a look is a request.
    # What is said of several things at once, and what has no words, is the rules' alone.
    return not any(len(token.ids) > 1 or token.is_id for token in question.tokens)


def _asks(question: Question, part: Part) -> bool:
    """Tell whether a question says anything beside names: "Who is X?" asks who X is.

    "What can be X?" asks for what is.
    """
    mentions = part.linking.mentions
    named = {i for mention in mentions for i in mention.span}
    if part.question is not None:
        return True  # Its places are those of a question that it was put together from.
    left = content_of(question.tokens, part.request).keys() - named
    helped = any(token.norm in MODALS for token in question.tokens)
    return bool(left) or len(mentions) > 1 or helped


def _without_rival(probability: float, rival: float) -> float:
    """Return how probable a reading is where another one, no less at odds with it, is none."""
    return min(1.0, probability / max(1.0 - rival, _LEAST_OPEN))


def _likely(probability: float) -> str:
    share = round(100 * probability)
    return f"That this is what was asked is likely ({share} %), not certain."


def _vague(words: Sequence[str]) -> str:
    said = "the word" if len(words) == 1 else "all of"
    return (
        f"The graph states a broader relation here, not whether {said} “{' '.join(words)}” holds."
    )


def _part(
    question: Question,
    request: Request,
    best: Understood,
    result: ProgramResult,
    probability: float,
    sure: float,
) -> Part:
    missing = (_vague(best.broader),) if best.broader else ()
    if probability < sure:
        missing = (_likely(probability), *missing)
    links = tuple(_link(question, words, value) for words, value in best.mentions)
    candidate = _candidate(best, result, tuple(link for link in links if link is not None))
    if candidate.final in ("yes", "no"):
        request = replace(request, kind=AnswerKind.YES_OR_NO)
    scored = Scored(candidate, probability, probability)
    linking = Linking(tuple(link.mention for link in candidate.links))
    return Part(
        request, linking, (), scored, result, True, missing=missing,
        probability=probability, likely=probability < sure,
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
