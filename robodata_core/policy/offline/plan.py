"""The plan of a run: for every request of a question its best program, run in full.

A question that is not understood as it stands is tried in other words, surest first, and by its
meaning where that is set up. What is not sure enough stays in the plan as an attempt, never as an
answer.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Final

from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.errors import QueryLimitError
from robodata_core.language.grammar.abilities import of_abilities, of_means
from robodata_core.language.grammar.framing import (
    after_own,
    as_question,
    asked_straight,
    evened,
    in_context,
    resumed,
    stranded,
    stripped,
    unframed,
    unfronted,
    untitled,
    without_number,
)
from robodata_core.language.lexicon import Lexicon, open_lexicon
from robodata_core.language.text import Text, read_text
from robodata_core.model import EntityValue
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.answer_kinds import AnswerKinds
from robodata_core.policy.offline.beside import place_beside
from robodata_core.policy.offline.candidate import Link
from robodata_core.policy.offline.correcting import corrected, in_full, surnamed
from robodata_core.policy.offline.deciding import Read
from robodata_core.policy.offline.done_to import done_with
from robodata_core.policy.offline.effort import Effort, EffortSpentError
from robodata_core.policy.offline.entailed import held_back
from robodata_core.policy.offline.excluding import without_named
from robodata_core.policy.offline.introduced import introduced
from robodata_core.policy.offline.kind_beside import kind_beside
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.nested import names_in, nested, of_each, sole
from robodata_core.policy.offline.of_class import without_kinds_of_predicates
from robodata_core.policy.offline.offered import offered
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.peopled import people_there
from robodata_core.policy.offline.planner import Planner
from robodata_core.policy.offline.present import holding_now, without_former
from robodata_core.policy.offline.qualified import Qualified, qualified
from robodata_core.policy.offline.question import analyse
from robodata_core.policy.offline.resources import OfflineResources
from robodata_core.policy.offline.slots import who_is_right
from robodata_core.policy.offline.solve import defines
from robodata_core.policy.offline.spelling import respelled
from robodata_core.policy.offline.understood import Learned
from robodata_core.policy.offline.usage import Usage
from robodata_core.policy.offline.words import INDEFINITE, tokenize
from robodata_core.programs.executor import Executor
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import wide_form

if TYPE_CHECKING:
    from robodata_core.policy.offline.similar import Similar

__all__ = ["make_plan", "read_twice"]

_log = logging.getLogger("robodata.understanding")
_TAKEN: Final = "The graph states what that takes, not how it is done."
_WIDELY: Final = "The graph states what that is done with, not to what it is done."
_TOO_DEAR: Final = "To find that out takes longer than one question may; ask for less."
_LANGUAGE: Final = "en"
#: Ends of readings that reckon with what day it is.
_RECKONED: Final = frozenset(["age", "reckoned"])


def make_plan(
    text: str,
    source: KnowledgeSource,
    resources: OfflineResources,
    settings: Settings,
    cancel: CancelToken | None = None,
    today: date | None = None,
) -> Plan:
    """Solve all requests of a question: by its words, and by their meaning where these fail.

    Raises:
        SourceError: If the source fails.
        CancelledError: If ``cancel`` says so; DeadlineExceededError likewise.
    """
    text = _evened(text)
    planning = _Planning(source, resources, settings, cancel, today)
    # What was seen is told by the words that it is asked in.
    plan = None if resources.is_map else planning.of_abilities(text) or planning.moved(text)
    plan = plan or planning.decided(text)
    if resources.is_map and not plan.sure:
        plan = planning.of_abilities(text) or plan  # What was seen goes before it.
    told_apart = qualified(text)
    if told_apart is not None:
        plan = _read_whole(plan, told_apart)
        if not plan.sure:
            plan = _told_apart(planning.decided(told_apart.text), told_apart) or plan
    if not resources.is_map:
        plan = planning.beside(planning.at_present(text, planning.without_kind(plan)))
        less = None if plan.certain else planning.with_less(text)
        if less is not None and (less.certain or not plan.sure):
            plan = less
        plan = planning.offered(text, planning.introduced(plan))
        plan = planning.of_usage(text, plan)
        plan = plan if plan.sure else planning.by_means(text) or planning.of_people(plan)
        for apart in (planning.in_context, planning.sole, planning.nested, planning.of_each):
            plan = plan if plan.sure else apart(plan)
        plan = planning.others(planning.of_today(planning.done_with(plan)))
    if not plan.certain:
        read, lexicon = read_text(text), open_lexicon(_LANGUAGE)
        moved = unfronted(read, lexicon) or planning.behind(read, lexicon)
        other = planning.decided(moved) if moved else plan
        plan = other if other.certain or (other.sure and not plan.sure) else plan
    similar = resources.similar
    if similar is None or plan.sure:
        return plan
    other = held_back(planning.plan(text, similar), resources.index)
    if other.sure:
        return other
    return replace(plan, notices=(*plan.notices, *other.notices))


def read_twice(
    text: str,
    source: KnowledgeSource,
    resources: OfflineResources,
    settings: Settings,
    today: date | None = None,
) -> tuple[Plan, Sequence[Read]]:
    """Return what rules make of a question and what was learned, before anything is decided.

    Raises:
        SourceError: If the source fails.
    """
    text = _evened(text)
    planning = _Planning(source, resources, settings, None, today)
    learned = Learned(text, resources, source, settings)
    return held_back(planning.by_words(text), resources.index), learned.found


def _links(plan: Plan) -> list[Link]:
    return [link for part in plan.parts if part.best for link in part.best.candidate.links]


def _read_whole(plan: Plan, told: Qualified) -> Plan:
    """Keep back what passes over a name that tells another apart: "Paris, Texas" is not Paris."""
    if not any(part.sure for part in plan.parts):
        return plan
    name = told.passed_over(_links(plan), plan.reader)
    if not name:
        return plan
    return _kept_back(plan, f"What “{name}” changes in the question was not understood.")


def _kept_back(plan: Plan, why: str) -> Plan:
    """Return a plan that nothing is sure of any more."""
    return replace(plan, parts=tuple(replace(p, sure=False, failure=why) for p in plan.parts))


def _told_apart(plan: Plan, told: Qualified) -> Plan | None:
    """Return the plan of a question without parentheses where its names fit what stood in them."""
    sure = bool(plan.parts) and plan.sure
    return plan if sure and told.fits(_links(plan), plan.reader) else None


def _evened(text: str) -> str:
    """Return a question without capitals that tell nothing, else as it was written."""
    read = read_text(text)
    other = evened(read, _LANGUAGE)
    return text if other is read else other.raw


@dataclass(frozen=True, slots=True)
class _Planning:
    """Makes the plans of one question, in the words that it may be put in."""

    source: KnowledgeSource
    resources: OfflineResources
    settings: Settings
    cancel: CancelToken | None
    today: date | None
    effort: Effort = field(default_factory=Effort)
    executor: Executor = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "executor", Executor(self.source, cancel=self.cancel))

    def decided(self, text: str) -> Plan:
        """Solve a question by rules and by the learned reading."""
        learned = Learned(text, self.resources, self.source, self.settings, self.cancel)
        plan = learned.decided(held_back(self.by_words(text), self.resources.index))
        return without_kinds_of_predicates(plan, self.resources.index)

    def of_abilities(self, text: str) -> Plan | None:
        """Solve what asks for what anybody can do, where the source names what that needs."""
        view = self.resources.understanding.view if self.resources.understanding else None
        asked = of_abilities(read_text(text), open_lexicon(_LANGUAGE))
        named = view.names(asked) if view and asked else {}
        # What the graph calls it is put in the place of how it was said.
        put = (asked[one].replace(one, named[one][0].label) for one in asked if named.get(one))
        plans = map(self.decided, dict.fromkeys(put))
        return next((plan for plan in plans if plan.sure), None)

    def by_means(self, text: str) -> Plan | None:
        """Solve what asks how something is done by what that takes, where no more is known."""
        read, lexicon = unframed(read_text(text), _LANGUAGE).text, open_lexicon(_LANGUAGE)
        asked = of_means(read, lexicon)
        plan = self._sure(asked)
        if asked and plan is None:
            plan = self.of_usage(asked, self.decided(asked))
        if plan is None or not plan.sure:
            return None
        first = replace(plan.parts[0], missing=(*plan.parts[0].missing, _TAKEN))
        return replace(plan, parts=(first, *plan.parts[1:]))

    def of_usage(self, text: str, plan: Plan) -> Plan:
        """Solve what asks what things are for, where they are and what they undergo."""
        understanding = self.resources.understanding
        # What is stated goes before a no to what is not.
        denied = any(p.result is not None and p.result.boolean is False for p in plan.parts)
        settled = plan.certain and not denied
        if settled or understanding is None or not understanding.view.is_near:
            return plan
        usage = Usage(understanding.view, open_lexicon(_LANGUAGE))
        best = plan
        for asked in usage.asked(unframed(read_text(text), _LANGUAGE).text.raw):
            other = self._sure(asked.text)
            if other is None or (best.sure and not other.certain):
                continue
            result = other.parts[0].result
            if (denied or asked.by_kind) and (result is None or result.boolean is False):
                continue  # What is no food may be eaten all the same.
            if asked.widely:
                first = replace(other.parts[0], missing=(*other.parts[0].missing, _WIDELY))
                other = replace(other, parts=(first, *other.parts[1:]))
            best = other
            if best.certain:
                break
        return best

    def moved(self, text: str) -> Plan | None:
        """Solve a question with what it begins with put where it belongs.

        That is where its pronoun stands, or behind the verb that has its preposition.
        """
        framed, lexicon = unframed(read_text(text), _LANGUAGE).text, open_lexicon(_LANGUAGE)
        taken_up = resumed(framed, lexicon)
        if taken_up:
            plan = self.decided(taken_up)
            return plan if plan.parts and plan.sure else None
        behind = self.behind(framed, lexicon)
        # "In what year" may tell when, whatever "die in" is; "of what" is of the verb alone.
        plain = behind and lexicon.is_small(tokenize(behind)[1].norm)
        return self.decided(behind) if plain else None

    def at_present(self, text: str, plan: Plan) -> Plan:
        """Solve a question for what holds now as the question for what holds, and look whether."""
        plain, said = stripped(read_text(text), "now", _LANGUAGE)
        if not plain:
            return plan
        words = {word for one in _links(plan) for word in one.mention.text.casefold().split()}
        if plan.sure and words & set(said.casefold().split()):
            return plan  # It is part of a name.
        if any(p.best and p.best.candidate.final in _RECKONED for p in plan.parts):
            return plan  # Now is what it was reckoned to.
        judged = any(part.request.kind is AnswerKind.YES_OR_NO for part in plan.parts)
        other = plan if judged else self.decided(plain)
        return holding_now(other, self.resources.index) if other.sure else plan

    def without_kind(self, plan: Plan) -> Plan:
        """Solve a question without a noun that says what its name is anyway."""
        text, at = kind_beside(plan, self.resources.index)
        other = self.decided(text) if text else plan
        passed = all(p.best and not p.question and at not in p.best.candidate.covered
                     for p in plan.parts)  # fmt: skip
        # "Is Colombia a republic" asks what it is; "a city in France" may be left at "in France".
        asked = at > 0 and plan.question.tokens[at - 1].norm in INDEFINITE
        if not text or other.sure or passed or asked:
            return other if other.sure else plan
        why = f"What “{plan.question.tokens[at].text}” changes was not understood."
        return _kept_back(plan, why)

    def beside(self, plan: Plan) -> Plan:
        """Take a place with a larger one beside it for the one that lies there."""
        found = place_beside(plan, self.resources.index)
        if found is None:
            return plan
        text, said = found
        if text:
            other = self.decided(text)
            return _noted(other, said) if other.sure else plan
        return _kept_back(plan, f"No place of that name is known to lie in “{said}”.")

    def introduced(self, plan: Plan) -> Plan:
        """Solve a question without what introduces its names, which are what that says."""
        other = self._sure(introduced(plan, self.resources.index))
        return other if other is not None and (other.certain or not plan.certain) else plan

    def offered(self, text: str, plan: Plan) -> Plan:
        """Solve a question that offers what to choose from by asking each of that."""
        understanding = self.resources.understanding
        if understanding is None or wide_form(self.source) is not None:
            return plan  # Each name is looked up, which is too dear where a look is a request.
        read, lexicon = unframed(read_text(text), _LANGUAGE).text, open_lexicon(_LANGUAGE)

        def decided(asked: str) -> Plan:
            return self.of_usage(asked, self.decided(asked))

        return offered(plan, read, understanding.view, decided, self.executor, lexicon)

    def of_people(self, plan: Plan) -> Plan:
        """Solve a question about the people of a place as one about what people do there."""
        return self._sure(people_there(plan, self.resources.index)) or plan

    def in_context(self, plan: Plan) -> Plan:
        """Solve a question with the name that is said before it where its pronoun stands."""
        text = read_text(plan.question.text)
        names = names_in(text, plan)
        return self._sure(in_context(text, names, open_lexicon(_LANGUAGE))) or plan

    def nested(self, plan: Plan) -> Plan:
        """Solve a question with what is described in it asked for on its own."""
        return nested(plan, self.decided, self.executor, open_lexicon(_LANGUAGE)) or plan

    def sole(self, plan: Plan) -> Plan:
        """Solve a question whether something is the only one as one for all."""
        return sole(plan, self.decided, self.executor, open_lexicon(_LANGUAGE))

    def of_each(self, plan: Plan) -> Plan:
        """Solve a question for several truths as one for each of them."""
        return of_each(plan, self.decided, open_lexicon(_LANGUAGE)) or plan

    def done_with(self, plan: Plan) -> Plan:
        """Leave out of what something is done with what that is done to."""
        return done_with(plan, self.source, self.executor, open_lexicon(_LANGUAGE))

    def of_today(self, plan: Plan) -> Plan:
        """Leave what is of its kind no more out of what is asked for as it is now."""
        if wide_form(self.source) is not None:
            return plan  # What kinds are called is not asked for where a look is a request.
        return without_former(plan, self.source, self.executor)

    def others(self, plan: Plan) -> Plan:
        """Leave what is named out of what others than it are asked for."""
        return without_named(plan, self.executor, open_lexicon(_LANGUAGE))

    def with_less(self, text: str) -> Plan | None:
        """Solve a question without what adds nothing to it, where it is not understood with it."""
        read, lexicon = unframed(read_text(text), _LANGUAGE).text, open_lexicon(_LANGUAGE)
        plain, _ = stripped(read, "aside", _LANGUAGE)
        if found := self._sure(plain) or self._sure(after_own(read, lexicon)):
            return found
        if (named := self._sure(untitled(read, lexicon))) and self._is_of_people(named):
            return named
        uncounted, number = without_number(read, lexicon)
        counted = self._sure(uncounted)
        if counted is None or defines(counted.parts[0].matches):
            return None  # What somebody is is no number of people.
        return _with_fewer(counted, number)

    def _sure(self, text: str) -> Plan | None:
        """Solve a question put otherwise; None where nothing is put so, or it is not sure."""
        plan = self.decided(text) if text else None
        return plan if plan is not None and plan.parts and plan.sure else None

    def _is_of_people(self, plan: Plan) -> bool:
        """Tell whether a plan begins at somebody, and not at a work with a title in its name."""
        kinds = AnswerKinds(plan.reader, self.resources.index)
        named = (kinds.of_values([EntityValue(i) for i in one.ids]) for one in _links(plan))
        return "person" in named

    def behind(self, text: Text, lexicon: Lexicon) -> str:
        """Return a question with its preposition behind the verb that it makes another of."""
        moved = stranded(text, lexicon)
        return moved if moved and self._says_more(moved) else ""

    def _says_more(self, text: str) -> bool:
        """Tell whether the last word makes another of what stands before: "die of" is not "die"."""
        tokens = tokenize(text)
        end = len(tokens)
        read = self.resources.index.matches(tokens, frozenset())
        said = {
            at: {edge for m in read if m.end == at and m.start < end - 1
                 for hop in m.reading.hops for edge in hop}
            for at in (end, end - 1)
        }  # fmt: skip
        return not said[end] <= said[end - 1]

    def by_words(self, text: str) -> Plan:
        """Solve a question without what only stands round it; spelt otherwise if need be."""
        framed = unframed(read_text(text), _LANGUAGE)
        lexicon = open_lexicon(_LANGUAGE)
        bare = asked_straight(framed.text, lexicon) or framed.text.raw or text
        if framed.judges:
            bare = as_question(framed.text, lexicon)
        plan = self.plan(bare)
        # Words that stand for others ("us" for "US") are not tried as they were typed.
        if bare != text and bare in text and not framed.judges and not plan.sure:
            whole = self.plan(text)
            plan = whole if any(part.sure for part in whole.parts) else plan
        if not plan.sure:
            for changed, note in self._other_forms(plan):
                other = self.plan(changed)
                if other.sure:
                    return _noted(other, note)
            plan = self._surnamed(plan) or plan
        return plan

    def _surnamed(self, plan: Plan) -> Plan | None:
        """Solve a question for the only one of those who bear a surname that answers it."""
        if any(part.request.kind is AnswerKind.YES_OR_NO for part in plan.parts):
            return None
        linkings = [part.linking for part in plan.parts if not part.sure]
        found = []
        kinds = AnswerKinds(plan.reader, self.resources.index)
        bearers = surnamed(plan.question, linkings, self.source, self.settings.language)
        for text, note, id_ in bearers:
            if kinds.of_values((EntityValue(id_),)) != "person":
                continue
            other = self.plan(text)
            if other.sure:
                found.append(_noted(other, note))
        return found[0] if len(found) == 1 else None

    def _other_forms(self, plan: Plan) -> Iterator[tuple[str, str]]:
        """Yield what a question that is not understood may have meant, with notes, surest first.

        Most of them take searches, which are made only when nothing before was understood.
        """
        source, language = self.source, self.settings.language
        read = frozenset(i for part in plan.parts for match in part.matches for i in match.span)
        linkings = [part.linking for part in plan.parts if not part.sure]
        right = corrected(plan.question, linkings, read, source, language)
        if right is not None:
            yield right
        yield from in_full(plan.question, linkings, source, language)
        relations = self.resources.index.properties.values()
        spelt = respelled(plan.question, linkings, read, relations, source, language)
        if spelt is not None:
            yield spelt

    def plan(self, text: str, similar: Similar | None = None) -> Plan:
        """Solve the requests of one wording; ``similar`` also by their meaning."""
        question = analyse(text)
        planner = Planner(
            self.source, self.resources, self.settings, question, self.cancel, similar, self.today,
            self.effort,
        )  # fmt: skip
        try:
            solved = [planner.solve(request) for request in question.requests]
            parts = [part for part in solved if part is not None]
            # "Who is the father and who is the mother of X": the name may come later.
            parts = [planner.solve(p.request) or p if p.nameless else p for p in parts]
        except (EffortSpentError, QueryLimitError) as error:
            _log.info("The rules gave a question up: %s", error)
            why = str(error) if isinstance(error, EffortSpentError) else _TOO_DEAR
            parts = [Part(r, Linking(()), failure=why) for r in question.requests[:1]]
        if who_is_right(text):
            why = "Which of the claims is right was not understood."
            parts = [Part(p.request, p.linking, p.matches, failure=why) for p in parts]
        notices = tuple(planner.solver.notices)
        if similar is not None:
            notices += similar.notes(question, parts)
        return Plan(question, tuple(parts), planner.solver.reader, notices)


def _with_fewer(plan: Plan, number: int) -> Plan:
    """Tell with a plan that there are not as many as its question takes for granted."""
    found = plan.parts[0].result
    if found is None or len(found.members) == number or found.boolean is not None:
        return plan
    told = f"The question speaks of {number}; the graph states {len(found.members):,}."
    if len(found.members) > number:
        return _noted(plan, told)
    first = replace(plan.parts[0], missing=(*plan.parts[0].missing, told))
    return replace(plan, parts=(first, *plan.parts[1:]))


def _noted(plan: Plan, note: str) -> Plan:
    """Add to a plan how its question was read."""
    if not plan.parts:
        return plan
    first = replace(plan.parts[0], notes=(note, *plan.parts[0].notes))
    return replace(plan, parts=(first, *plan.parts[1:]))
