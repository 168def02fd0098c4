"""A policy that has a language model investigate one triple: plan, at most ten steps, judgement.

Source: the KGV-Agent paper, section 2 and algorithm 1. It walks ``machine.INVESTIGATION``:

- PLANNING looks at what the triple names and at what the measured verifier makes of it (together
  observation 0), recalls investigations of triples like it, and asks for an impression and a plan.
- INVESTIGATING asks for a step, carries it out, and keeps what was observed. A step names the step
  of the plan that it carries out, or corrects the plan.
- JUDGEMENT asks for the judgement if no step gave it, and fetches the statements that it cites.
- PRODUCE_ANSWER hands in what it cites; claims are made of statements only.

A reply that does not fit is refused with a sentence and asked for again, thrice at most; where no
judgement comes, the run fails, and nothing is guessed.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from robodata_core.answers.facts import program_of_relation
from robodata_core.errors import PolicyError
from robodata_core.events import ModelCall
from robodata_core.model import EntityValue
from robodata_core.orchestrator.machine import State
from robodata_core.policy.base import Decision, Turn
from robodata_core.policy.llm.client import Completion, ContextOverflowError, ModelClient
from robodata_core.policy.llm.ledger import Prices, ask
from robodata_core.policy.llm.prompt import PromptBudget
from robodata_core.policy.llm.schemas import shown_schema, signatures
from robodata_core.policy.offline.fetching import fetch_calls
from robodata_core.policy.offline.needed import missing_in
from robodata_core.policy.offline.vectors import Embedder
from robodata_core.programs.describe import Verbaliser
from robodata_core.prompts import load
from robodata_core.text import clean_text, estimate_tokens, plural
from robodata_core.tools.base import ToolCall, ToolResult
from robodata_core.tools.known_ids import STRUCTURAL_IDS, ids_in_text
from robodata_core.values import format_value
from robodata_core.verification.case import Case
from robodata_core.verification.findings import Finding, Ground
from robodata_core.verification.policy import Labels, draft_of
from robodata_core.verification.replies import (
    JUDGEMENT_SCHEMA,
    PLAN_SCHEMA,
    Judged,
    Plan,
    Stepping,
    read_judgement,
    read_plan,
    read_step,
    step_schema,
)
from robodata_core.verification.trajectories import Schema, Step, Trajectories, Trajectory
from robodata_core.verification.verdict import Judgement
from robodata_core.verification.weighing import bounds_of, unfair

__all__ = ["MOST_STEPS", "Agent", "InvestigationPolicy"]

_log = logging.getLogger("robodata.llm")
MOST_STEPS: Final = 10
"""The paper's T_max."""

_TRIES: Final = 3
_TOLD: Final = 2
_FETCHES: Final = 2
_OTHER_TURNS: Final = 3
_SHRINKS: Final = (1.0, 0.6, 0.35, 0.2)
_LONG: Final = 3_000
_SHORT: Final = 300
_QUOTED: Final = 240
_LONG_IRI: Final = re.compile(r" \((https?://[^\s()]{48,})\)")
_NO_MODEL_WORD: Final = "The language model gave no usable {} in {} tries, so nothing is judged"
_UNBORNE: Final = (
    "The model said {}, {:.2f}; what it cites does not bear that out, so the probability is {:.2f}."
)
_EVEN: Final = 0.5
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Agent:
    """Who investigates, and what it remembers.

    Attributes:
        client: Completes conversations.
        model: Which model.
        budget: Tokens a prompt may take.
        prices: What models cost.
        memory: Investigations that were made before.
        embedder: Compares relations by meaning, where an embedding model is set.
    """

    client: ModelClient
    model: str
    budget: PromptBudget
    prices: Prices
    memory: Trajectories
    embedder: Embedder | None = None


class InvestigationPolicy:
    """Decides the turns of one investigation.

    Args:
        agent: Who investigates.
        case: The triple, and what may be seen.
        decide: Decide even where the judgement is unknown.

    Attributes:
        finding: What came out; None before the judgement.
        cited: For each drafted claim, in order: whether it speaks for the triple, and the place of
            its ground among the reasons (or objections).
        plan: What was planned; None before.
        steps: What was done.
        schema: What kind of triple it is.
    """

    name = "investigation"
    reads_view = False

    def __init__(self, agent: Agent, case: Case, *, decide: bool) -> None:
        self._agent = agent
        self._case = case
        self._decide = decide
        self._labels = Labels(case.knowledge.source, case.named)
        self.finding: Finding | None = None
        self.cited: list[tuple[bool, int]] = []
        self.plan: Plan | None = None
        self.steps: list[Step] = []
        self.schema = Schema(case.named.predicate_label)
        self._left: tuple[str, ...] = ()
        self._opening: tuple[ToolResult, ...] = ()
        self._recalled: tuple[Trajectory, ...] = ()
        self._judged: Judged | None = None
        self._pending = False
        self._fetches = 0
        self._exchange: list[Mapping[str, Any]] = []
        self._problem = ""

    @property
    def because(self) -> str:
        """Why it was judged so, in the model's words; empty before."""
        return self._judged.because if self._judged else ""

    def decide(self, turn: Turn) -> Decision:
        """Return what to do next; see ``Policy``."""
        if not turn.rejection and not turn.results:
            self._exchange = []
        handlers: dict[State, Callable[[Turn], Decision]] = {
            State.PLANNING: self._planning,
            State.INVESTIGATING: self._investigating,
            State.JUDGEMENT: self._judging,
            State.PRODUCE_ANSWER: self._answering,
        }
        return handlers[turn.state](turn)

    # -- phase 1: plan ----------------------------------------------------------------------------

    def _planning(self, turn: Turn) -> Decision:
        if not self._opening:
            if not turn.results:
                return Decision(calls=self._first_looks(), reason="look at what the triple names")
            self._opening = tuple(turn.results)
            self.schema = self._schema_of()
            agent = self._agent
            self._recalled = agent.memory.recall(self.schema, _TOLD, agent.embedder, turn.cancel)
        plan, call = self._ask(turn, "PLANNING", PLAN_SCHEMA, read_plan)
        if plan is None:
            return self._refused(call)
        self.plan, self._left = plan, plan.steps
        return _decided(
            call,
            Decision(
                next_state=State.INVESTIGATING,
                reason=f"first impression: {plan.impression}",
                reflection="; ".join(plan.steps),
            ),
        )

    def _first_looks(self) -> tuple[ToolCall, ...]:
        triple = self._case.triple
        ids = [triple.predicate, triple.subject]
        if isinstance(triple.object, EntityValue):
            ids.append(triple.object.id)
        looks = [ToolCall("kg_definition", {"id": id_}) for id_ in ids]
        return (*looks, ToolCall("measured_verdict"))

    def _schema_of(self) -> Schema:
        source, triple = self._case.knowledge.source, self._case.triple
        relation = source.properties((triple.predicate,)).get(triple.predicate)
        names = [self._case.named.predicate_label, *(relation.aliases[:5] if relation else ())]
        ends = [triple.subject]
        if isinstance(triple.object, EntityValue):
            ends.append(triple.object.id)
        found = source.entities(ends)
        classes = [
            tuple(self._labels.of(one) for one in (found[id_].types if id_ in found else ())[:5])
            for id_ in ends
        ]
        return Schema(" ".join(names), *classes)

    # -- phase 2: think, act, observe -------------------------------------------------------------

    def _investigating(self, turn: Turn) -> Decision:
        if self.plan is None:
            raise PolicyError(f"{_NO_MODEL_WORD.format('plan', _TRIES)}: {self._problem}")
        if self._pending and turn.results:
            return self._observed(turn, turn.results[-1])
        plan = self.plan
        schema = step_schema(self._parameters(turn))
        step, call = self._ask(turn, "INVESTIGATING", schema, lambda got: self._step(got, plan))
        if step is None:
            return self._refused(call)
        if step.judged is not None:
            self._judged = step.judged
            decision = Decision(next_state=State.JUDGEMENT, reason="the evidence is enough")
            return _decided(call, decision)
        assert step.call is not None
        if step.correction:
            self.plan = replace(plan, steps=step.correction)
        self.steps.append(
            Step(step.thought, step.plan_step, step.call.tool, dict(step.call.arguments))
        )
        self._pending = True
        reason = (
            "the plan is corrected" if step.correction else f"step {step.plan_step} of the plan"
        )
        return _decided(call, Decision(calls=(step.call,), reason=reason))

    def _step(self, got: Completion, plan: Plan) -> Stepping | str:
        step = read_step(got, plan, self._handles())
        if isinstance(step, str) or step.judged is None:
            return step
        judged = self._fair(step.judged)
        return judged if isinstance(judged, str) else step

    def _fair(self, judged: Judged | str) -> Judged | str:
        return judged if isinstance(judged, str) else unfair(self._case, judged) or judged

    def _observed(self, turn: Turn, result: ToolResult) -> Decision:
        self._pending = False
        self.steps[-1] = replace(self.steps[-1], observation=result.output.text, ok=result.ok)
        most = min(MOST_STEPS, max(1, turn.max_turns - _OTHER_TURNS))
        is_last = len(self.steps) >= most
        return Decision(
            next_state=State.JUDGEMENT if is_last else State.INVESTIGATING,
            reason=f"{plural(most, 'step')} were taken"
            if is_last
            else f"observation {len(self.steps)}",
            reflection=self.steps[-1].thought,
        )

    # -- phase 3: judge ---------------------------------------------------------------------------

    def _judging(self, turn: Turn) -> Decision:
        spent: ModelCall | None = None
        if self._judged is None:
            self._judged, spent = self._ask(
                turn,
                "JUDGEMENT",
                JUDGEMENT_SCHEMA,
                lambda got: self._fair(read_judgement(got, self._handles())),
            )
            if self._judged is None:
                return self._refused(spent)
        if self.finding is None:
            self.finding = self._finding_of(self._judged)
        absent = missing_in(turn.store, self.finding.statements)
        if absent and self._fetches < _FETCHES:
            self._fetches += 1
            calls = fetch_calls(absent, self._shown(turn))
            if calls:
                return _decided(spent, Decision(calls=calls, reason="fetch what is cited"))
        reason = f"judged {self._judged.judgement.value}"
        return _decided(spent, Decision(next_state=State.PRODUCE_ANSWER, reason=reason))

    def _answering(self, turn: Turn) -> Decision:
        if self.finding is None:
            raise PolicyError(f"{_NO_MODEL_WORD.format('judgement', _TRIES)}: {self._problem}")
        draft, self.cited = draft_of(self.finding, turn)
        return Decision(draft=draft, reason=f"hand in: {self.finding.judgement.value}")

    def _finding_of(self, judged: Judged) -> Finding:
        prior, forced = self._case.finding, False
        judgement, probability = bounds_of(self._case, judged).judge(judged)
        bounded = round(judged.probability - probability, 2)
        unborne = judgement is not judged.judgement or bounded * (judged.probability - _EVEN) > 0
        if judgement is Judgement.UNKNOWN and self._decide:
            judgement = Judgement.SUPPORTED if probability >= _EVEN else Judgement.REFUTED
            forced = True
        sure = {
            Judgement.SUPPORTED: probability,
            Judgement.REFUTED: 1 - probability,
            Judgement.UNKNOWN: 0.0,
        }[judgement]
        cited = len({*judged.cited_for, *judged.cited_against})
        text = (
            f"Judged by {clean_text(self._agent.model, limit=80)} after"
            f" {plural(len(self.steps), 'step')}, citing {plural(cited, 'piece')} of evidence."
        )
        if forced:
            text = f"Decided because a decision was asked for. {text}"
        notes = [f"In the model's words: {judged.because}"] if judged.because else []
        if unborne:
            said = judged.judgement.value
            notes.append(_UNBORNE.format(said, judged.probability, probability))
        if prior is not None:
            notes.append(f"Without the model: {prior.judgement.value}, {prior.probability:.2f}.")
        return Finding(
            judgement,
            sure,
            probability,
            text,
            self._grounds(judged.cited_for, probability),
            self._grounds(judged.cited_against, 1 - probability),
            tuple(notes),
            forced,
        )

    def _grounds(self, handles: Sequence[str], confidence: float) -> tuple[Ground, ...]:
        words, exhibits = Verbaliser(self._labels.of), self._case.exhibits
        found = []
        for handle in handles:
            if handle in exhibits.chains:
                chain = exhibits.chains[handle]
                told = (
                    words.clause(
                        program_of_relation(EntityValue(one.subject), one.property), (one.value,)
                    )
                    for one in chain
                )
                found.append(Ground("statements", "; ".join(told), confidence, (chain,)))
            elif handle in exhibits.sentences:
                sentence = exhibits.sentences[handle]
                text = f"{sentence.document}: “{sentence.text}”"
                found.append(Ground("text", text, confidence, sentences=(sentence,)))
            else:
                step = self.steps[int(handle[1:]) - 1] if handle != "O0" else None
                text = step.observation if step else self._opening_text()
                named = step.tool if step else "the first looks"
                told_ = " ".join(text.split())[:_QUOTED]
                found.append(Ground("observation", f"{named}: {told_}", confidence))
        return tuple(found)

    def _shown(self, turn: Turn) -> frozenset[str]:
        results = (*turn.memory.results(), *turn.results, *self._opening)
        shown = {id_ for result in results for id_ in result.output.ids}
        return frozenset(shown | STRUCTURAL_IDS | set(ids_in_text(turn.question)))

    # -- asking the model -------------------------------------------------------------------------

    def _handles(self) -> frozenset[str]:
        seen = (f"O{number}" for number in range(len(self.steps) + 1))
        exhibits = self._case.exhibits
        return frozenset((*exhibits.chains, *exhibits.sentences, *seen))

    def _parameters(self, turn: Turn) -> dict[str, Mapping[str, Any]]:
        return {one["name"]: one["parameters"] for one in self._specs(turn)}

    def _ask(
        self,
        turn: Turn,
        phase: str,
        schema: Mapping[str, Any],
        read: Callable[[Completion], _T | str],
    ) -> tuple[_T | None, ModelCall]:
        """Ask the model once; what does not fit is kept as the problem, for the next try."""
        completion, call = self._complete(turn, phase, schema)
        if completion.finish == "content_filter":
            raise PolicyError("The language model refused to reply (its content filter).")
        found = read(completion)
        if isinstance(found, str):
            self._problem = found
            said = clean_text(completion.text, limit=1_000, multiline=True) or "(nothing)"
            self._exchange += [
                {"role": "assistant", "content": said},
                {"role": "user", "content": found},
            ]
            return None, call
        self._exchange, self._problem = [], ""
        return found, call

    def _refused(self, call: ModelCall | None) -> Decision:
        return _decided(call, Decision(reason=self._problem[:200]))

    def _complete(
        self, turn: Turn, phase: str, schema: Mapping[str, Any]
    ) -> tuple[Completion, ModelCall]:
        for factor in _SHRINKS:
            budget = self._agent.budget.shrunk(factor)
            messages = self._messages(turn, phase, budget)
            try:
                return ask(
                    self._agent.client,
                    messages,
                    role="investigation",
                    state=turn.state.value,
                    model=self._agent.model,
                    prices=self._agent.prices,
                    cancel=turn.cancel,
                    most_tokens=budget.reply,
                    schema=schema,
                )
            except ContextOverflowError:
                _log.info("the prompt was too long; shrinking it")
        raise PolicyError("The prompt does not fit the model's context however small it is made.")

    def _messages(self, turn: Turn, phase: str, budget: PromptBudget) -> list[Mapping[str, Any]]:
        system = f"{load('investigation')}\n\n{load(phase)}"
        if phase != "JUDGEMENT":
            specs = self._specs(turn)
            system = f"{system}\n{signatures(specs)}"
        room = budget.context - budget.reply - estimate_tokens(system)
        room -= sum(estimate_tokens(str(one["content"])) for one in self._exchange)
        examples = self._recalled if phase == "PLANNING" else ()  # they are for the plan
        user = self._told(_LONG, examples)
        for most, recalled in ((1_200, examples), (1_200, ()), (_SHORT, ()), (100, ())):
            if estimate_tokens(user) <= room:
                break
            user = self._told(most, recalled)
        return [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
            *self._exchange,
        ]

    def _specs(self, turn: Turn) -> list[dict[str, Any]]:
        """Return the tools of the investigation, also where the state itself offers them not."""
        return [
            {
                "name": one.name,
                "description": one.description,
                "parameters": shown_schema(one.parameters),
            }
            for one in turn.toolbox.specs(told=True)
        ]

    def _told(self, most: int, recalled: Sequence[Trajectory]) -> str:
        """Return all that the model is told of the triple, each observation cut to a length."""
        named, triple = self._case.named, self._case.triple
        object_ = named.object_label or format_value(triple.object, lambda _: named.unit_label)
        if isinstance(triple.object, EntityValue):
            object_ = f"{object_} ({triple.object.id})"
        parts = [
            f"Triple: {named.subject_label} ({triple.subject}) / {named.predicate_label}"
            f" ({triple.predicate}) / {object_}"
        ]
        if recalled:
            parts.append("Earlier investigations of triples like it, as examples of method only:")
            parts += [one.text() for one in recalled]
        parts.append(f"Observation O0 (first looks):\n{self._opening_text()[: 2 * most]}")
        if self.plan is not None:
            parts.append(
                f"Your first impression: {self.plan.impression}. {self.plan.because}\nPlan:\n"
                + "\n".join(
                    f"{n}. {one}{self._done(n)}" for n, one in enumerate(self.plan.steps, 1)
                )
            )
        for number, step in enumerate(self.steps, 1):
            arguments = json.dumps(dict(step.arguments), ensure_ascii=False)[:_SHORT]
            parts.append(
                f"Step {number}: {step.thought[:_SHORT]}\nAction: {step.tool}({arguments})\n"
                f"Observation O{number}: {step.observation[:most]}"
            )
        if self.plan is not None:
            left = MOST_STEPS - len(self.steps)
            parts.append(f"Steps left: {left}.")
        return _long_ids_once("\n\n".join(parts))

    def _done(self, place: int) -> str:
        since = 0
        for number, step in enumerate(self.steps):
            if step.plan_step == 0:
                since = number + 1
        done = any(one.plan_step == place and one.ok for one in self.steps[since:])
        return " [done]" if done else ""

    def _opening_text(self) -> str:
        return "\n".join(result.output.text for result in self._opening)


def _decided(call: ModelCall | None, decision: Decision) -> Decision:
    """Return a decision with what it cost."""
    if call is None:
        return decision
    return replace(decision, tokens=call.tokens, role=call.role, model_calls=(call,))


def _long_ids_once(text: str) -> str:
    """Return a text in which each long IRI behind a label stands whole once, then by its end."""
    seen: set[str] = set()

    def _again(found: re.Match[str]) -> str:
        iri = found[1]
        if iri not in seen:
            seen.add(iri)
            return found[0]
        return f" (…/{re.split('[/#]', iri)[-1]})"

    return _LONG_IRI.sub(_again, text)
