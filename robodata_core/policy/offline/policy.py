"""The offline policy: drives the state machine without a model, deterministically.

It makes one plan per run (``plan``) at the first visit of remote exploration, carries it out with
the agent's tools, decides in evaluation states by the plan's confidence and by what stands in the
local graph, and hands in the draft. It keeps to the same states and tools as any other policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from robodata_core.clock import Clock
from robodata_core.config import Settings
from robodata_core.events import RankedReading
from robodata_core.orchestrator.machine import State
from robodata_core.policy.base import Decision, StatePolicy, Turn
from robodata_core.policy.offline import ahead
from robodata_core.policy.offline.candidate import Scored
from robodata_core.policy.offline.draft import Drafter
from robodata_core.policy.offline.fetching import fetch_calls, hurried_calls, reveal_calls
from robodata_core.policy.offline.moves import (
    Exploration,
    neighbour_calls,
    search_calls,
)
from robodata_core.policy.offline.needed import entity_ids, evidence_of, missing_in
from robodata_core.policy.offline.parts import Plan
from robodata_core.policy.offline.plan import make_plan
from robodata_core.policy.offline.question import Question
from robodata_core.policy.offline.resources import OfflineResources
from robodata_core.policy.offline.words import FUNCTION_WORDS, Token
from robodata_core.programs.describe import describe
from robodata_core.programs.executor import Executor
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import wide_form
from robodata_core.text import plural
from robodata_core.tools.base import ToolCall

__all__ = ["OfflinePolicy", "OfflineResources"]

_ROUNDS: Final = 7
_REVEALS: Final = 3
_MOST_CALLS: Final = 32
_READINGS: Final = 3
_FITS_LESS: Final = "its words fit it less"
_TURNS_AFTER_EXPLORING: Final = 3


class OfflinePolicy(StatePolicy):
    """Decides the turns of one run without a model.

    Args:
        source: The remote ontology.
        settings: What shapes the run.
        resources: Shared between runs; built here where left out.
        clock: Tells today's date, for ages; without one no age is told.
    """

    name = "offline"

    def __init__(
        self,
        source: KnowledgeSource,
        settings: Settings,
        resources: OfflineResources | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._clock = clock
        self._source = source
        self._settings = settings
        self._resources = resources or OfflineResources.build(source, settings)
        self._plan: Plan | None = None
        self._explorations: list[Exploration] | None = None
        self._rounds = 0
        self._calls = 0
        self._looked = False
        self._reveals = 0
        self._fetched = False

    def _make_plan(self, turn: Turn) -> Plan:
        if self._plan is None:
            today = self._clock.now().date() if self._clock is not None else None
            plan = make_plan(
                turn.question, self._source, self._resources, self._settings, turn.cancel, today
            )
            executor = Executor(self._source, cancel=turn.cancel)
            parts = tuple(part.sharpened(executor) for part in plan.parts)
            self._plan = replace(plan, parts=parts)
            ahead.names_shown(self._plan.reader, self._plan.parts)
            ahead.names_found(self._plan.reader, self._plan.parts, turn.names)
        return self._plan

    # -- local ----------------------------------------------------------------------------------

    def _evaluate_local(self, turn: Turn) -> Decision:
        if self._plan is None:
            return Decision(
                next_state=State.REMOTE_GRAPH_EXPLORATION,
                reason="the local graph has not been filled for this question",
            )
        needed = evidence_of(self._plan.parts)
        absent = missing_in(turn.store, needed)
        if not needed:
            reason = "nothing sure enough was found"
        else:
            reason = f"{len(needed) - len(absent)} of {len(needed)} triples needed stand"
        return Decision(next_state=State.PRODUCE_ANSWER, reason=reason, reflection=reason)

    # -- remote ---------------------------------------------------------------------------------

    def _explore_remote(self, turn: Turn) -> Decision:
        first = self._plan is None
        plan = self._make_plan(turn)
        decision = self._explore(turn, plan)
        return replace(decision, readings=self._readings(plan)) if first else decision

    def _readings(self, plan: Plan) -> tuple[RankedReading, ...]:
        """Return how the question was read, with why a reading is not what is answered."""
        if len(plan.parts) != 1 or plan.parts[0].best is None:
            return ()
        part, best = plan.parts[0], plan.parts[0].best
        # Where a look is a request, runners-up are not named: their names would be looked up.
        others = part.others[:_READINGS] if wide_form(self._source) is None else ()
        sure = part.probability if part.probability is not None else best.confidence
        unsure = "" if part.sure or part.likely else "not sure enough to be answered"
        first = self._asked(best, plan)
        told = {first: RankedReading(first, sure, unsure)}
        for item in others:
            if _way(item) == _way(best):
                continue  # the same reading, before it was told by what its answer rests on
            text, chance = self._asked(item, plan), min(item.confidence, sure)
            # What was put into the question of a part has no places in what was asked.
            whole = part.question is None and _places(item, best) <= len(plan.question.tokens)
            why = _why_not(item, best, plan.question, plan.reader.told) if whole else _FITS_LESS
            told.setdefault(text, RankedReading(text, chance, why))
        return tuple(told.values())

    @staticmethod
    def _asked(scored: Scored, plan: Plan) -> str:
        return describe(scored.candidate.program(), plan.reader.label)

    def _explore(self, turn: Turn, plan: Plan) -> Decision:
        calls = self._exploring(turn, plan)
        if calls:
            self._calls += len(calls)
            self._rounds += 1
            return Decision(calls=calls, reason="follow the best program step by step")
        self._rounds = 0
        hurry = self._hurry(turn, plan)
        if hurry:
            return Decision(calls=hurry, reason="turns run out: fetch the evidence at once")
        unfinished = any(not item.done for item in self._explorations or ())
        unfinished = unfinished or bool(self._reveal(self._known(turn), plan))
        if unfinished and self._room(turn):
            return Decision(
                next_state=State.REMOTE_GRAPH_EXPLORATION, reason="more steps of the program"
            )
        return Decision(
            next_state=State.REMOTE_DATA_EVALUATION,
            reason=f"explored with {self._calls} calls",
        )

    def _hurry(self, turn: Turn, plan: Plan) -> tuple[ToolCall, ...]:
        """Return calls that fetch the evidence here, where no turn is left for the update."""
        if self._fetched or turn.max_turns - turn.number >= _TURNS_AFTER_EXPLORING:
            return ()
        self._fetched = True
        return hurried_calls(missing_in(turn.store, evidence_of(plan.parts)))

    def _room(self, turn: Turn) -> bool:
        """Tell whether there are turns for more exploring and for everything after it."""
        left = turn.max_turns - turn.number
        return left > _TURNS_AFTER_EXPLORING and self._calls < _MOST_CALLS

    def _exploring(self, turn: Turn, plan: Plan) -> tuple[ToolCall, ...]:
        if not self._looked:
            self._looked = True
            first = search_calls(plan.parts)
            if first:
                return first
        if self._rounds >= _ROUNDS or self._calls >= _MOST_CALLS:
            return ()
        if self._explorations is None:
            self._explorations = self._begin(plan)
            extra = tuple(call for part in plan.parts for call in neighbour_calls(part))
            if extra:
                return extra
        known = self._known(turn)
        calls = tuple(call for item in self._explorations for call in item.next(known))
        if not calls:
            calls = self._reveal(known, plan)
            self._reveals += bool(calls)
        return calls

    def _reveal(self, known: frozenset[str], plan: Plan) -> tuple[ToolCall, ...]:
        """Return calls that show ids of the evidence no step has shown, a few times at most."""
        if self._reveals >= _REVEALS:
            return ()
        return reveal_calls(evidence_of(plan.parts), known, plan.reader.label)

    def _begin(self, plan: Plan) -> list[Exploration]:
        labels, names = self._names(plan)
        return [
            Exploration(number, part, labels, names)
            for number, part in enumerate(plan.parts, 1)
            if part.best is not None
        ]

    def _names(self, plan: Plan) -> tuple[dict[str, str], dict[str, str]]:
        ids: dict[str, None] = {}
        for part in plan.parts:
            if part.best is None:
                continue
            for link in part.best.candidate.links:
                ids.update(dict.fromkeys(link.ids[:100]))
        labels = {id_: plan.reader.label(id_) for id_ in ids}
        names = {id_: item.name for id_, item in self._resources.index.properties.items()}
        return labels, names

    @staticmethod
    def _known(turn: Turn) -> frozenset[str]:
        """Return every id that a result of this run has shown, and those in the question."""
        shown = {id_ for result in (*turn.memory.results(), *turn.results)
                 for id_ in result.output.ids}  # fmt: skip
        words = {word.strip("?!.,;:()[]'\"") for word in turn.question.split()}
        return frozenset(shown | words | {"P31", "P279"})

    def _evaluate_remote(self, turn: Turn) -> Decision:
        plan = self._make_plan(turn)
        needed = evidence_of(plan.parts)
        confidence = f"confidence {plan.confidence:.2f}, threshold {self._settings.confidence:.2f}"
        if needed:
            return Decision(
                next_state=State.LOCAL_GRAPH_UPDATE,
                reason=f"relevant: {plural(len(needed), 'triple')} ({confidence})",
            )
        return Decision(
            next_state=State.LOCAL_DATA_EVALUATION, reason=f"nothing relevant ({confidence})"
        )

    # -- update and answer ------------------------------------------------------------------------

    def _update(self, turn: Turn) -> Decision:
        plan = self._make_plan(turn)
        if not self._fetched:
            self._fetched = True
            absent = missing_in(turn.store, evidence_of(plan.parts))
            calls = fetch_calls(absent, self._known(turn))
            if calls:
                return Decision(calls=calls, reason=f"fetch {len(absent)} triples")
        return Decision(next_state=State.LOCAL_DATA_EVALUATION, reason="the evidence is fetched")

    def _answer(self, turn: Turn) -> Decision:
        hurried = self._plan is None or not self._fetched
        plan = self._make_plan(turn)
        statements = evidence_of(plan.parts)
        plan.reader.entities(entity_ids(statements))
        reader = plan.reader
        drafter = Drafter(turn.store, reader.label, self._property_label, reader.told)
        draft = drafter.draft(plan, hurried=hurried)
        draft = replace(draft, notes=(*draft.notes, *plan.notices))
        return Decision(draft=draft, reason="hand in the answer")

    def _property_label(self, id_: str) -> str:
        known = self._resources.index.properties.get(id_)
        if known is None:
            known = self._source.properties((id_,)).get(id_)
        return known.name if known else id_


def _way(scored: Scored) -> tuple[object, ...]:
    """Return how a reading takes the words."""
    return scored.candidate.final, scored.candidate.links, scored.candidate.edges


def _places(*readings: Scored) -> int:
    """Return how many words a question has at least that readings have places in."""
    spans = [one.candidate.covered for one in readings]
    spans += [use.span for one in readings for use in one.candidate.edges]
    return 1 + max((at for span in spans for at in span), default=-1)


def _leaves_out(words: Sequence[Token]) -> str:
    return "leaves out " + ", ".join(dict.fromkeys(f"“{one.text}”" for one in words))


def _why_not(scored: Scored, best: Scored, question: Question, told: Callable[[str], str]) -> str:
    """Return why a reading lost against the best one: the plainest difference between them."""
    item, first = scored.candidate, best.candidate
    unsaid = first.covered - item.covered
    words = [one for n, one in enumerate(question.tokens) if n in unsaid and one.word]
    told_of = [one for one in words if one.norm not in FUNCTION_WORDS]
    if told_of:
        return _leaves_out(told_of)
    taken = {link.mention.span: link for link in first.links}
    for link in item.links:
        other = taken.get(link.mention.span, link)
        if link.ids and not set(link.ids) & set(other.ids):
            return f"takes “{link.mention.text}” for another: {told(link.ids[0])}"
    for use in item.edges:
        said = " ".join(question.tokens[n].text for n in sorted(use.span))
        if said and use.agreement < min((one.agreement for one in first.edges), default=1.0):
            return f"takes “{said}” the other way round"
        if not (said or use.origin or use.constraint or use.silent):
            return "takes a step that no word names"
    if first.nodes and not item.nodes:
        return "nothing was found for it"
    if first.typed and not item.typed:
        return "what it finds is not of the kind asked for"
    if words:
        return _leaves_out(words)
    weak, strong = (min((one.strength for one in way.edges), default=1.0) for way in (item, first))
    return "its words name its relations less surely" if weak < strong else _FITS_LESS
