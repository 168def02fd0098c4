"""The policy that asks a language model what to do in each turn.

Within a turn the conversation goes on: the model's calls and their results are kept as messages
until it chooses a state. Every reply goes through ``replies``; nothing in it is followed that is
not a well-formed call, choice or answer. Errors of the model end the run truthfully.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import PolicyError, RoboDataError
from robodata_core.events import ModelCall
from robodata_core.model import AnswerStatus
from robodata_core.orchestrator.machine import State
from robodata_core.policy.base import AnswerDraft, Decision, Turn
from robodata_core.policy.llm.asides import SecondLook
from robodata_core.policy.llm.client import (
    Completion,
    ContextOverflowError,
    ModelClient,
    ToolsUnsupportedError,
)
from robodata_core.policy.llm.handing_in import read_answer
from robodata_core.policy.llm.ledger import Prices, ask
from robodata_core.policy.llm.prompt import PromptBudget, as_offered, build_prompt
from robodata_core.policy.llm.replies import Reply, may_answer, read_reply
from robodata_core.text import parse_json
from robodata_core.tools.base import ToolResult

__all__ = ["LLMPolicy", "Roles", "role_of"]

_log = logging.getLogger("robodata.llm")
_MAX_CALLS: Final = 32
_MAX_ECHO: Final = 2_000
_MOST_PROSE: Final = 2
_NO_CALLS: Final = "the model makes no tool calls: going on with the JSON protocol"
_SHRINKS: Final = (0.6, 0.35, 0.2)
_AGAIN: Final = (
    "You replied exactly this just before, and nothing came of it. Do something else: another"
    " tool, another name or relation, or another step."
)
_TOO_EARLY: Final = "Nothing has been looked up yet. Call a tool first, such as search_entities."
_WARMTH: Final = 0.7
"""Temperature of the reply after two identical ones; all others are asked for at 0."""
_ROLES: Final[Mapping[State, str]] = {
    State.LOCAL_DATA_EVALUATION: "evaluation",
    State.REMOTE_DATA_EVALUATION: "evaluation",
    State.LOCAL_GRAPH_EXPLORATION: "exploration",
    State.REMOTE_GRAPH_EXPLORATION: "exploration",
    State.LOCAL_GRAPH_UPDATE: "update",
    State.PRODUCE_ANSWER: "evaluation",
}


@dataclass(frozen=True, slots=True)
class Roles:
    """Which model plays which role; an empty name means ``default``."""

    default: str
    exploration: str = ""
    evaluation: str = ""
    update: str = ""
    metacognition: str = ""
    second_look: str = ""
    chat: str = ""
    investigation: str = ""

    def model(self, role: str) -> str:
        """Return the model for ``role``."""
        return getattr(self, role, "") or self.default


def role_of(state: State) -> str:
    """Return the role that is played in ``state``."""
    return _ROLES[state]


@dataclass(slots=True)
class _Thread:
    """The exchange within one turn."""

    turn: int = 0
    state: State | None = None
    messages: list[Mapping[str, Any]] = field(default_factory=list)
    answered: int = 0
    ids: list[str] = field(default_factory=list)
    problem: str = ""
    note: str = ""


class LLMPolicy:
    """Decides with a language model; one object serves one run.

    Args:
        client: Completes conversations.
        roles: Which model to ask for what.
        budget: Tokens a prompt may take.
        prices: What models cost.
        native_tools: Whether to start with native tool calls; without them, or when the server
            does not take them, the JSON protocol is used.
        looks_again: Whether an answer's reading is held against the question once more.
    """

    name = "llm"

    def __init__(
        self,
        client: ModelClient,
        roles: Roles,
        budget: PromptBudget,
        *,
        prices: Prices | None = None,
        native_tools: bool = True,
        looks_again: bool = False,
    ) -> None:
        self._looks_again = looks_again
        self._client = client
        self._roles = roles
        self._budget = budget
        self._native = native_tools
        self._thread = _Thread()
        self._answer: Mapping[str, Any] | None = None
        self._prose = 0
        self._calls_seen = False
        self._last: tuple[object, ...] = ()
        self._again = False
        self._ahead: Mapping[str, Any] | None = None
        self._prices = prices or Prices()

    def decide(self, turn: Turn) -> Decision:
        """Ask the model and return what it wants; see ``Policy``."""
        ahead = self._taken_ahead(turn)
        if ahead is not None:
            return self._hand_in(turn, ahead)
        thread = self._thread_of(turn)
        _show_results(thread, turn.results[thread.answered :], self._native)
        thread.answered = len(turn.results)
        if turn.rejection:
            _refuse(thread, turn)
        if thread.note:
            thread.messages.append({"role": "user", "content": thread.note})
            thread.note = ""
        completion, call = self._complete(turn, thread)
        reply = read_reply(completion)
        if completion.finish == "content_filter":
            decision = _withheld(turn, reply)
        else:
            self._remember(thread, completion, reply)
            decision = self._decision(turn, thread, reply)
            self._notice_repeats(thread, completion)
            if self._is_deaf(completion, reply):
                self._speak_json(thread)
                decision = replace(decision, reason=_NO_CALLS)
        return replace(decision, tokens=call.tokens, role=call.role, model_calls=(call,))

    def second_look(
        self, question: str, reading: str, cancel: CancelToken | None
    ) -> tuple[str, ModelCall | None]:
        """Return what speaks against a reading of the question; see ``LooksAgain``."""
        if not self._looks_again:
            return "", None
        look = SecondLook(self._client, self._roles.model("second_look"), self._prices)
        return look.objection(question, reading, cancel)

    def _taken_ahead(self, turn: Turn) -> Mapping[str, Any] | None:
        """Return the answer that was handed in beside the last calls, if its time has come."""
        ahead, self._ahead = self._ahead, None
        in_time = turn.state is State.LOCAL_DATA_EVALUATION and not turn.rejection
        return ahead if in_time and not turn.results else None

    def _hand_in(self, turn: Turn, answer: Mapping[str, Any], reflection: str = "") -> Decision:
        self._answer = answer
        state = None if turn.state is State.PRODUCE_ANSWER else State.PRODUCE_ANSWER
        try:
            draft = read_answer(answer, turn)
        except RoboDataError as error:
            self._thread.problem = str(error)
            return Decision(reflection=reflection, reason=str(error))
        return Decision(next_state=state, draft=draft, reflection=reflection)

    def _notice_repeats(self, thread: _Thread, completion: Completion) -> None:
        said = (completion.text, *((call.name, call.arguments) for call in completion.calls))
        self._again = said == self._last
        self._last = said
        if self._again:
            thread.note = _AGAIN

    def _thread_of(self, turn: Turn) -> _Thread:
        thread = self._thread
        fresh = (thread.turn, thread.state) != (turn.number, turn.state)
        if fresh or (turn.problems and not turn.rejection and turn.state is thread.state):
            note, answered = thread.note, len(turn.results)
            self._thread = thread = _Thread(turn.number, turn.state, answered=answered, note=note)
            if turn.problems and self._answer is not None:
                said = json.dumps({"answer": self._answer}, ensure_ascii=False)
                thread.messages.append({"role": "assistant", "content": said})
                thread.messages.append({"role": "user", "content": "Mend this answer."})
        return thread

    def _complete(self, turn: Turn, thread: _Thread) -> tuple[Completion, ModelCall]:
        role, budget = role_of(turn.state), self._budget
        model = self._roles.model(role)
        for factor in (*_SHRINKS, None):
            prompt = build_prompt(turn, thread.messages, budget, native_tools=self._native)
            try:
                return ask(
                    self._client,
                    prompt.messages,
                    role=role,
                    state=turn.state.value,
                    model=model,
                    prices=self._prices,
                    tools=prompt.tools,
                    cancel=turn.cancel,
                    most_tokens=budget.reply,
                    schema=None if self._native else prompt.schema,
                    temperature=_WARMTH if self._again else 0.0,
                )
            except ToolsUnsupportedError:
                if not self._native:
                    raise
                _log.info("the server takes no tools")
                self._speak_json(thread)
            except ContextOverflowError:
                if factor is None:
                    raise
                _log.info("the prompt was too long; shrinking it to %d%%", factor * 100)
                budget = self._budget.shrunk(factor)
        raise PolicyError("The prompt does not fit the model's context however small it is made.")

    def _is_deaf(self, completion: Completion, reply: Reply) -> bool:
        """Tell whether the model seems not to see the tools it is offered.

        Some servers take tool definitions and drop them, because the model's template has no
        place for them.
        """
        self._calls_seen = self._calls_seen or bool(completion.calls)
        if not self._native or self._calls_seen or not reply.problem:
            return False
        self._prose += 1
        return self._prose >= _MOST_PROSE

    def _speak_json(self, thread: _Thread) -> None:
        _log.info("going on with the JSON protocol")
        self._native = False
        thread.messages = [_as_text(message) for message in thread.messages]
        thread.ids = []

    def _remember(self, thread: _Thread, completion: Completion, reply: Reply) -> None:
        """Append the reply to the turn's exchange, in the form the server expects it back."""
        thread.ids = []
        if not self._native or not completion.calls:
            thread.messages.append({"role": "assistant", "content": completion.text or "(nothing)"})
            return
        names = [call.tool for call in reply.calls]
        calls = []
        for raw in completion.calls:
            calls.append(
                {
                    "id": raw.id,
                    "type": "function",
                    "function": {"name": raw.name, "arguments": _sound(raw.arguments)},
                }
            )
        thread.messages.append(
            {"role": "assistant", "content": completion.text or None, "tool_calls": calls}
        )
        waiting = list(names)
        for raw in completion.calls:
            if waiting and raw.name == waiting[0] and len(thread.ids) < _MAX_CALLS:
                waiting.pop(0)
                thread.ids.append(raw.id)
            else:
                thread.messages.append(
                    {
                        "role": "tool",
                        "tool_call_id": raw.id,
                        "content": _reason_left_out(raw.name, reply),
                    }
                )

    def _decision(self, turn: Turn, thread: _Thread, reply: Reply) -> Decision:
        thread.problem = "" if reply.calls else reply.problem
        chosen = reply.next_state
        if reply.calls:
            if reply.answer is not None and not reply.problem:
                self._ahead = reply.answer
                chosen = State.LOCAL_DATA_EVALUATION
            return Decision(calls=reply.calls, next_state=chosen, reflection=reply.reflection)
        if reply.answer is not None and may_answer(turn.state):
            return self._hand_in(turn, reply.answer, reply.reflection)
        if turn.legal and not as_offered(turn).legal and (chosen or reply.answer is not None):
            thread.problem, chosen = _TOO_EARLY, None
        elif reply.answer is not None and State.LOCAL_DATA_EVALUATION in turn.legal:
            # Handed in where facts are gathered: it is taken where they are judged, one step on.
            self._ahead, chosen = reply.answer, State.LOCAL_DATA_EVALUATION
        return Decision(next_state=chosen, reflection=reply.reflection)


def _refuse(thread: _Thread, turn: Turn) -> None:
    """Say why the last reply led nowhere: once, and in the place of the result of its calls."""
    text = turn.rejection
    if thread.problem:
        legal = ", ".join(choice.value for choice in as_offered(turn).legal)
        text = thread.problem + (f" Or end this turn: next_state is one of {legal}." * bool(legal))
    for id_ in thread.ids:  # calls beyond what a turn may make: servers want a result of each
        thread.messages.append({"role": "tool", "tool_call_id": id_, "content": ""})
    thread.ids = []
    place = len(thread.messages)
    while place and thread.messages[place - 1].get("role") == "tool":
        place -= 1
        thread.messages[place] = {**thread.messages[place], "content": text}
    if place == len(thread.messages):
        thread.messages.append({"role": "user", "content": text})


def _withheld(turn: Turn, reply: Reply) -> Decision:
    if turn.state is State.PRODUCE_ANSWER:
        draft = AnswerDraft(AnswerStatus.UNKNOWN, missing=(reply.problem,))
        return Decision(draft=draft, reason="withheld by a content filter")
    raise PolicyError(reply.problem)


def _reason_left_out(name: str, reply: Reply) -> str:
    if reply.problem:
        return reply.problem
    if reply.calls:
        return f"{name} was left out: not all of your calls succeeded."
    return "Taken."


def _sound(arguments: str) -> str:
    """Return ``arguments`` if they are JSON of a decent size, else an empty object.

    Servers parse them again, and what is oversized must not fill the next prompt.
    """
    if len(arguments) > _MAX_ECHO:
        return "{}"
    try:
        parse_json(arguments)
    except ValueError:
        return "{}"
    return arguments


def _show_results(thread: _Thread, results: Sequence[ToolResult], native: bool) -> None:
    if not results:
        return
    if native and thread.ids:
        for id_, result in zip(thread.ids, results, strict=False):
            thread.messages.append(
                {"role": "tool", "tool_call_id": id_, "content": _outcome(result)}
            )
        for id_ in thread.ids[len(results) :]:
            thread.messages.append(
                {"role": "tool", "tool_call_id": id_, "content": "Too many calls; left out."}
            )
        thread.ids = []
        return
    text = "\n\n".join(f"{result.call.tool}: {_outcome(result)}" for result in results)
    thread.messages.append({"role": "user", "content": f"Results of your calls (data):\n{text}"})


def _outcome(result: ToolResult) -> str:
    prefix = "" if result.ok else "FAILED: "
    if result.repeated:
        prefix += "(answered before) "
    return prefix + result.output.text


def _as_text(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Rewrite a message of a native exchange for a server that knows no tools."""
    if message.get("role") == "tool":
        return {"role": "user", "content": f"Result: {message.get('content')}"}
    if message.get("tool_calls"):
        return {"role": "assistant", "content": json.dumps(message["tool_calls"])}
    return message
