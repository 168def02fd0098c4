"""Observers of a run: one from signals alone, one that also asks a language model.

``SignalObserver`` needs no model. ``ModelObserver`` asks for the paper's strategic assessment and
meta-observation in one call, on top of the signals; if the model cannot be had, the signals speak
alone. Every observation is compared with the one before, and what it changed is recorded,
also when that is nothing. Source: RoboData paper, "Metacognition".
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from robodata_core.errors import CancelledError, DeadlineExceededError, PolicyError
from robodata_core.events import ModelCall
from robodata_core.metacognition.signals import Signals, read_signals, strategy_of
from robodata_core.model import TokenCount
from robodata_core.orchestrator.budget import urgency_text
from robodata_core.orchestrator.observer import Observation
from robodata_core.policy.llm.ledger import Prices, ask
from robodata_core.policy.llm.replies import objects_in
from robodata_core.prompts import load
from robodata_core.run_state import RunState
from robodata_core.text import clean_text, plural
from robodata_core.tools.registry import ALL_TOOLS

if TYPE_CHECKING:
    from robodata_core.policy.base import Turn
    from robodata_core.policy.llm.client import ModelClient

__all__ = ["ModelObserver", "SignalObserver"]

_log = logging.getLogger("robodata.metacognition")
_MOST_TEXT: Final = 1_200
_MOST_MEMORY: Final = 6_000
_REPLY_TOKENS: Final = 400
_MOST_UNSEEN: Final = 5
"""Turns after which the strategy is looked at even if no signal asks for it."""

_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"strategy": {"type": "string"}, "plan": {"type": "string"}},
    "required": ["strategy", "plan"],
}
_TOOL_NAMES: Final = ", ".join(tool.name for tool in ALL_TOOLS if tool.told)
NOTHING_CHANGED: Final = "nothing changed"


@dataclass(frozen=True, slots=True)
class _Mark:
    """How the run stood at an observation, to see later what became different."""

    tools: frozenset[str]
    edges: int
    calls: int
    stagnating: bool


class SignalObserver:
    """Observes from counted signals alone; silent while there is nothing to say.

    One object serves one run.
    """

    def __init__(self) -> None:
        self._mark: _Mark | None = None

    def __call__(self, turn: Turn, run: RunState) -> Observation | None:
        """Return an observation when the signals give reason for one; see ``Observer``."""
        signals = read_signals(run, turn.store)
        changed = self._changed(run, signals)
        sentences = signals.sentences()
        if not sentences and not changed:
            return None
        self._mark = _mark(run, signals)
        advice = _advice(signals)
        urgent = urgency_text(turn.urgency, turn.number, turn.max_turns)
        text = " ".join(part for part in (advice, urgent) if part)
        return Observation(strategy_of(run), text, sentences, changed)

    def effect(self, turn: Turn, run: RunState) -> str:
        """Return what became different since the last observation, without observing anew."""
        return self._changed(run, read_signals(run, turn.store))

    def _changed(self, run: RunState, signals: Signals) -> str:
        """Say what became different since the last observation (empty before the first)."""
        before = self._mark
        if before is None or run.tool_calls == before.calls:
            return ""
        now = _mark(run, signals)
        found = []
        new_tools = sorted(_recent_tools(run, before.calls) - before.tools)
        if new_tools:
            found.append(f"other tools were used: {', '.join(new_tools)}")
        if now.edges > before.edges:
            added = now.edges - before.edges
            verb = "was" if added == 1 else "were"
            found.append(f"{plural(added, 'triple')} {verb} added")
        if before.stagnating and not now.stagnating:
            found.append("the run no longer stagnates")
        return "; ".join(found) or NOTHING_CHANGED


def _mark(run: RunState, signals: Signals) -> _Mark:
    tools = frozenset(call.tool for turn in run.past for call in turn.calls)
    return _Mark(tools, run.edges, run.tool_calls, signals.stagnating)


def _recent_tools(run: RunState, calls_before: int) -> frozenset[str]:
    calls = [call for turn in run.past for call in turn.calls]
    return frozenset(call.tool for call in calls[calls_before:])


def _advice(signals: Signals) -> str:
    parts = []
    if signals.repeated_calls:
        parts.append("Do not repeat calls; their answers will not change.")
    if signals.barren_visits >= 2 or signals.barren_turns >= 3:
        parts.append(
            "This way of searching brings nothing: start from another entity of the question,"
            " follow another relation, or go the relation backwards."
        )
    if signals.failed_calls >= 2:
        parts.append("Use another tool than the one that keeps failing, or simpler arguments.")
    if signals.empty_calls >= 2:
        parts.append("Look at which relations are really there before following one.")
    if signals.isolated_nodes or signals.components > 1:
        parts.append("Connect or remove nodes that nothing links to the rest.")
    return " ".join(parts)


class ModelObserver:
    """Observes with a language model at evaluations, on top of the signals.

    The model is asked when the signals give reason, and at the latest every ``_MOST_UNSEEN``
    turns: a question that goes straight to its answer needs no advice.
    """

    def __init__(self, client: ModelClient, model: str, prices: Prices | None = None) -> None:
        self._client = client
        self._model = model
        self._prices = prices or Prices()
        self._signals = SignalObserver()
        self._previous: Observation | None = None
        self._last_turn = 0
        self._awaits_effect = False

    def __call__(self, turn: Turn, run: RunState) -> Observation | None:
        """Assess the strategy, compare it with the last one, advise; see ``Observer``."""
        if not self._is_due(turn, run):
            return self._effect(turn, run)
        self._last_turn = turn.number
        counted = self._signals(turn, run)
        signals = counted.signals if counted else ()
        changed = counted.changed if counted else ""
        actions = f"Actions so far:\n{turn.memory.render(_MOST_MEMORY)}"
        context = f"{_situation(turn, signals)}\n{actions}"
        asked: list[ModelCall] = []
        try:
            before = self._previous
            comparison = (
                f"Strategy before: {before.strategy}\nAdvice given then: {before.observation}\n"
                f"What changed since: {changed or NOTHING_CHANGED}\n"
                if before
                else "There is no earlier observation.\n"
            )
            text = f"{context}\nTools of the agent: {_TOOL_NAMES}\n{comparison}"
            strategy, advice = self._ask(text, turn, asked)
        except (CancelledError, DeadlineExceededError):
            raise
        except PolicyError as error:
            _log.warning("metacognition goes on with its signals alone: %s", error)
            seen = counted or (Observation("not assessed", "", signals, changed) if asked else None)
            return _with_cost(seen, asked) if seen else None
        self._previous = _with_cost(Observation(strategy, advice, signals, changed), asked)
        self._awaits_effect = True
        return self._previous

    def _effect(self, turn: Turn, run: RunState) -> Observation | None:
        """Record, once, that advice changed something; the advice itself stays as it is."""
        changed = self._signals.effect(turn, run) if self._awaits_effect else ""
        if changed in ("", NOTHING_CHANGED):
            return None
        self._awaits_effect = False
        return Observation(strategy_of(run), "", (), changed)

    def _is_due(self, turn: Turn, run: RunState) -> bool:
        """Tell whether observing is worth a call: new signals, or some turns without a look."""
        if not run.tool_calls:
            return False
        if turn.number - self._last_turn >= _MOST_UNSEEN:
            return True
        # What was there at the last look has been spoken about.
        past = tuple(visit for visit in run.past if visit.number >= self._last_turn)
        return read_signals(replace(run, past=past), turn.store).notable

    def _ask(self, context: str, turn: Turn, asked: list[ModelCall]) -> tuple[str, str]:
        """Return the strategy and the plan that the model names."""
        messages = [
            {"role": "system", "content": load("metacognition")},
            {"role": "user", "content": context},
        ]
        completion, call = ask(
            self._client,
            messages,
            role="metacognition",
            state=turn.state.value,
            model=self._model,
            prices=self._prices,
            cancel=turn.cancel,
            most_tokens=_REPLY_TOKENS,
            schema=_SCHEMA,
        )
        asked.append(call)
        found = next(objects_in(completion.text), {})
        strategy, plan = (_words(found.get(name)) for name in ("strategy", "plan"))
        # A model that keeps to no form has said something all the same.
        plan = plan or _words(completion.text if not strategy else "")
        if not plan:
            raise PolicyError("The model had nothing to say about the strategy.")
        return strategy or "not named", plan


def _words(value: object) -> str:
    return clean_text(value, limit=_MOST_TEXT).strip() if isinstance(value, str) else ""


def _with_cost(seen: Observation, asked: Sequence[ModelCall]) -> Observation:
    tokens = sum((call.tokens for call in asked), TokenCount())
    return replace(seen, tokens=tokens, model_calls=tuple(asked))


def _situation(turn: Turn, signals: tuple[str, ...]) -> str:
    lines = [
        f"Question: {turn.question}",
        f"State: {turn.state}. Turn {turn.number} of {turn.max_turns}.",
        urgency_text(turn.urgency, turn.number, turn.max_turns),
        f"Local graph: {plural(turn.store.node_count, 'node')},"
        f" {plural(turn.store.edge_count, 'triple')}.",
        "Signals: " + ("; ".join(signals) if signals else "none"),
    ]
    return "\n".join(line for line in lines if line)
