"""Signals of a run, and observers: one from signals alone, one that also asks a model.

``SignalObserver`` needs no model. ``ModelObserver`` asks for the paper's strategic assessment and
meta-observation in one call, on top of the signals; if the model cannot be had, the signals speak
alone. Every observation is compared with the one before, and what it changed is recorded,
also when that is nothing. Source: RoboData paper, "Metacognition".
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from robodata_core.errors import CancelledError, DeadlineExceededError, PolicyError
from robodata_core.events import ModelCall
from robodata_core.model import TokenCount
from robodata_core.orchestrator.budget import urgency_text
from robodata_core.orchestrator.observer import Observation
from robodata_core.policy.llm.ledger import Prices, ask
from robodata_core.policy.llm.replies import objects_in
from robodata_core.prompts import load
from robodata_core.run_state import CallView, RunState, TurnView
from robodata_core.text import clean_text, plural
from robodata_core.tools.registry import ALL_TOOLS

if TYPE_CHECKING:
    from robodata_core.policy.base import Turn
    from robodata_core.policy.llm.client import ModelClient
    from robodata_core.store.graph import LocalGraph

__all__ = ["ModelObserver", "SignalObserver", "Signals", "read_signals", "strategy_of"]

_WINDOW: Final = 8
_GRAPH_LIMIT: Final = 5_000


@dataclass(frozen=True, slots=True)
class Signals:
    """What can be counted about a run so far.

    Attributes:
        barren_turns: Latest turns in a row that called tools and brought no new triple.
        barren_visits: Visits of remote exploration since the last new triple.
        repeated_calls: Calls among the recent ones that had been answered before.
        failed_calls: Calls among the recent ones that failed.
        empty_calls: Calls among the recent ones that found nothing.
        monotonous_tool: A tool that makes up nearly all recent calls, or empty.
        rejections: Decisions refused in the recent turns.
        isolated_nodes: Nodes of the local graph without a triple.
        components: Connected components of the local graph.
    """

    barren_turns: int = 0
    barren_visits: int = 0
    repeated_calls: int = 0
    failed_calls: int = 0
    empty_calls: int = 0
    monotonous_tool: str = ""
    rejections: int = 0
    isolated_nodes: int = 0
    components: int = 0

    @property
    def stagnating(self) -> bool:
        """Whether the run is clearly getting nowhere."""
        return (
            self.barren_visits >= 2
            or self.barren_turns >= 3
            or self.repeated_calls >= 2
            or self.failed_calls >= 3
        )

    @property
    def notable(self) -> bool:
        """Whether something asks for a look at the strategy; one slip alone does not."""
        return (
            self.stagnating
            or self.barren_visits >= 1
            or self.barren_turns >= 3
            or self.repeated_calls >= 1
            or self.failed_calls >= 2
            or self.empty_calls >= 2
            or self.rejections >= 2
            or self.isolated_nodes > 0
            or self.components > 1
        )

    def sentences(self) -> tuple[str, ...]:
        """Return what is worth saying, most pressing first."""
        found = []
        if self.barren_visits:
            found.append(f"{plural(self.barren_visits, 'exploration')} brought no new triple")
        elif self.barren_turns >= 2:
            found.append(f"{self.barren_turns} turns in a row brought no new triple")
        if self.repeated_calls:
            found.append(f"{plural(self.repeated_calls, 'call')} had been answered before")
        if self.failed_calls:
            found.append(f"{plural(self.failed_calls, 'recent call')} failed")
        if self.empty_calls:
            found.append(f"{plural(self.empty_calls, 'recent call')} found nothing")
        if self.monotonous_tool:
            found.append(f"nearly all recent calls were {self.monotonous_tool}")
        if self.rejections:
            found.append(f"{plural(self.rejections, 'decision')} had to be refused")
        if self.isolated_nodes:
            found.append(f"{plural(self.isolated_nodes, 'isolated node')} in the local graph")
        if self.components > 1:
            found.append(f"the local graph falls into {self.components} components")
        return tuple(found)


def read_signals(run: RunState, graph: LocalGraph) -> Signals:
    """Count the signals of ``run`` as it stands.

    Args:
        run: The fold of the run's events; its current turn has just begun.
        graph: The local graph; its topology is left out when it is very large.
    """
    turns = run.past[-_WINDOW:]
    calls = [call for turn in turns for call in turn.calls]
    small = graph.edge_count <= _GRAPH_LIMIT
    return Signals(
        barren_turns=_barren_turns(run.past),
        barren_visits=_barren_visits(run.past),
        repeated_calls=_repeated(run, len(turns)),
        failed_calls=sum(call.ok is False for call in calls),
        empty_calls=sum(bool(call.ok) and call.total == 0 for call in calls),
        monotonous_tool=_monotonous(calls),
        rejections=sum(len(turn.rejections) for turn in turns),
        isolated_nodes=len(graph.isolated()) if small else 0,
        components=graph.components() if small else 0,
    )


def _repeated(run: RunState, window: int) -> int:
    """Count the calls of the last turns that repeat one before them.

    A call answered from what a policy had looked up by itself is the first of its kind.
    """
    seen: set[str] = set()
    count = 0
    first = len(run.past) - window
    for number, turn in enumerate(run.past):
        for call in turn.calls:
            key = repr((call.tool, call.arguments))
            count += number >= first and call.repeated and key in seen
            seen.add(key)
    return count


def strategy_of(run: RunState) -> str:
    """Name the strategy that the recent turns show, from their calls alone."""
    turns = run.past[-_WINDOW:]
    tools = Counter(call.tool for turn in turns for call in turn.calls)
    if not tools:
        return "nothing tried yet"
    added = sum(len(turn.added) for turn in turns)
    main = ", ".join(f"{tool} x{count}" for tool, count in tools.most_common(3))
    gain = f"{plural(added, 'triple')} added" if added else "no triple added"
    return f"{main}; {gain}"


def _barren_turns(turns: Sequence[TurnView]) -> int:
    count = 0
    for turn in reversed(turns):
        if turn.added:
            break
        count += bool(turn.calls)
    return count


def _barren_visits(turns: Sequence[TurnView]) -> int:
    """Count explorations after the last gain that the graph never grew from."""
    count = 0
    for turn in reversed(turns):
        if turn.added:
            break
        count += turn.state == "REMOTE_GRAPH_EXPLORATION" and bool(turn.calls)
    # The one exploration that is just being judged may still bear fruit.
    return max(0, count - 1)


def _monotonous(calls: Sequence[CallView]) -> str:
    if len(calls) < 4:
        return ""
    tool, count = Counter(call.tool for call in calls).most_common(1)[0]
    return tool if count >= 0.8 * len(calls) else ""


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

    Args:
        client: Completes conversations.
        model: Model for this role.
        prices: What models cost.
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
