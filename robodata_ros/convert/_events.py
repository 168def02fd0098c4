"""The events of a run as messages, and back, so that a terminal can watch a robot.

Times keep their microseconds. Arguments of tool calls and settings become text, lists of text
where they were lists: a watcher shows them and nothing reads them back. Prompts and replies of
a language model (``model_calls``) stay where the run is: its journal has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from robodata_core import events as e
from robodata_core.errors import InvalidRequestError
from robodata_core.model import AnswerStatus, TokenCount
from robodata_core.narrate import narrate
from robodata_msgs import msg as m
from robodata_ros.convert._answers import (
    answer_from_msg,
    answer_to_msg,
    claim_from_msg,
    claim_to_msg,
    evidence_from_msg,
    evidence_to_msg,
)
from robodata_ros.convert._basic import clean, count, stamp_from_msg, stamp_to_msg

__all__ = ["event_from_msg", "event_to_msg"]

_MOST_TEXT: Final = 2_000
_MOST_ITEMS: Final = 50


def event_to_msg(event: e.RunEvent) -> Any:
    """Return an event as a message."""
    header = event.header
    kind, fill, _ = _KINDS[type(event)]
    message = m.RunEvent(
        kind=kind, run_id=clean(header.run_id), seq=count(header.seq), total=-1, shown=-1
    )
    message.stamp = stamp_to_msg(header.time)
    fill(message, event)
    return message


def event_from_msg(message: Any) -> e.RunEvent:
    """Return the event of a message.

    Raises:
        InvalidRequestError: If it is malformed.
    """
    known = _BY_NUMBER.get(message.kind)
    if known is None:
        raise InvalidRequestError(f"There is no event of kind {message.kind}.")
    header = e.Header(message.run_id, message.seq, stamp_from_msg(message.stamp))
    return known(header, message)


# -- parts --------------------------------------------------------------------------------------


def _arguments(given: Mapping[str, Any]) -> list[Any]:
    return [_argument(name, value) for name, value in list(given.items())[:_MOST_ITEMS]]


def _argument(name: str, value: Any) -> Any:
    is_list = isinstance(value, (list, tuple))
    items = list(value)[:_MOST_ITEMS] if is_list else [value]
    texts = [clean("" if item is None else str(item))[:_MOST_TEXT] for item in items]
    return m.Argument(name=clean(name), is_list=is_list, values=texts)


def _plain(arguments: list[Any]) -> dict[str, Any]:
    return {
        item.name: list(item.values) if item.is_list else (item.values[0] if item.values else "")
        for item in arguments
    }


def _set_tokens(message: Any, tokens: TokenCount) -> None:
    message.prompt_tokens = count(tokens.prompt, 2**64 - 1)
    message.completion_tokens = count(tokens.completion, 2**64 - 1)


def _tokens(message: Any) -> TokenCount:
    return TokenCount(message.prompt_tokens, message.completion_tokens)


def _set_amount(number: int | None) -> int:
    return -1 if number is None else count(number, 2**31 - 1)


def _amount(number: int) -> int | None:
    return None if number < 0 else number


# -- one pair for each kind ---------------------------------------------------------------------


def _put_run_started(message: Any, event: e.RunStarted) -> None:
    message.text, message.policy = clean(event.question), clean(event.policy)
    message.source, message.max_turns = clean(event.source), count(event.max_turns)
    message.arguments = _arguments(event.settings)


def _run_started(header: e.Header, message: Any) -> e.RunStarted:
    return e.RunStarted(
        header,
        message.text,
        message.policy,
        message.source,
        message.max_turns,
        _plain(message.arguments),
    )


def _put_understood(message: Any, event: e.QuestionUnderstood) -> None:
    told = event.rewriting
    message.text, message.source = clean(told.understood_as), clean(told.question)
    message.signals = [clean(reason) for reason in told.reasons]
    message.name, message.reflection = clean(told.by), clean(told.note)
    message.seconds = float(told.seconds)


def _understood(header: e.Header, message: Any) -> e.QuestionUnderstood:
    told = e.Rewriting(
        message.source,
        message.text,
        tuple(message.signals),
        message.name,
        message.reflection,
        message.seconds,
    )
    return e.QuestionUnderstood(header, told)


def _put_state_entered(message: Any, event: e.StateEntered) -> None:
    message.state, message.turn = clean(event.state), count(event.turn)
    message.urgency, message.text = clean(event.urgency), clean(event.forced)


def _state_entered(header: e.Header, message: Any) -> e.StateEntered:
    return e.StateEntered(header, message.state, message.turn, message.urgency, message.text)


def _put_policy_decided(message: Any, event: e.PolicyDecided) -> None:
    message.turn, message.calls = count(event.turn), [clean(call) for call in event.calls]
    message.state, message.reflection = clean(event.next_state), clean(event.reflection)
    message.text, message.seconds = clean(event.reason), float(event.seconds)
    message.name = clean(event.role)
    _set_tokens(message, event.tokens)


def _policy_decided(header: e.Header, message: Any) -> e.PolicyDecided:
    return e.PolicyDecided(
        header,
        message.turn,
        tuple(message.calls),
        message.state,
        message.reflection,
        message.text,
        message.seconds,
        _tokens(message),
        message.name,
    )


def _put_decision_rejected(message: Any, event: e.DecisionRejected) -> None:
    message.turn, message.text = count(event.turn), clean(event.problem)
    message.state = clean(event.default)


def _decision_rejected(header: e.Header, message: Any) -> e.DecisionRejected:
    return e.DecisionRejected(header, message.turn, message.text, message.state)


def _put_tool_called(message: Any, event: e.ToolCalled) -> None:
    message.turn, message.call_id = count(event.turn), clean(event.call_id)
    message.name, message.arguments = clean(event.tool), _arguments(event.arguments)


def _tool_called(header: e.Header, message: Any) -> e.ToolCalled:
    arguments = _plain(message.arguments)
    return e.ToolCalled(header, message.turn, message.call_id, message.name, arguments)


def _put_tool_returned(message: Any, event: e.ToolReturned) -> None:
    message.turn, message.call_id = count(event.turn), clean(event.call_id)
    message.name, message.ok, message.text = clean(event.tool), event.ok, clean(event.text)
    message.total, message.shown = _set_amount(event.total), _set_amount(event.shown)
    message.repeated, message.seconds = event.repeated, float(event.seconds)


def _tool_returned(header: e.Header, message: Any) -> e.ToolReturned:
    return e.ToolReturned(
        header,
        message.turn,
        message.call_id,
        message.name,
        message.ok,
        message.text,
        _amount(message.total),
        _amount(message.shown),
        message.repeated,
        message.seconds,
    )


def _put_graph_changed(message: Any, event: e.GraphChanged) -> None:
    message.turn, message.call_id = count(event.turn), clean(event.call_id)
    message.added = [evidence_to_msg(item) for item in event.added]
    message.removed = [clean(handle) for handle in event.removed]
    message.nodes, message.edges = count(event.nodes), count(event.edges)


def _graph_changed(header: e.Header, message: Any) -> e.GraphChanged:
    return e.GraphChanged(
        header,
        message.turn,
        message.call_id,
        tuple(evidence_from_msg(item) for item in message.added),
        tuple(message.removed),
        message.nodes,
        message.edges,
    )


def _put_urgency_changed(message: Any, event: e.UrgencyChanged) -> None:
    message.turn, message.urgency = count(event.turn), clean(event.urgency)


def _urgency_changed(header: e.Header, message: Any) -> e.UrgencyChanged:
    return e.UrgencyChanged(header, message.turn, message.urgency)


def _put_observation(message: Any, event: e.ObservationMade) -> None:
    message.turn, message.name = count(event.turn), clean(event.strategy)
    message.text, message.reflection = clean(event.observation), clean(event.changed)
    message.signals = [clean(signal) for signal in event.signals]
    _set_tokens(message, event.tokens)


def _observation(header: e.Header, message: Any) -> e.ObservationMade:
    return e.ObservationMade(
        header,
        message.turn,
        message.name,
        message.text,
        tuple(message.signals),
        message.reflection,
        _tokens(message),
    )


def _put_claim(message: Any, event: e.ClaimValidated) -> None:
    message.claim = [claim_to_msg(event.claim)]


def _claim(header: e.Header, message: Any) -> e.ClaimValidated:
    if not message.claim:
        raise InvalidRequestError("An event says that a claim was validated, and holds none.")
    return e.ClaimValidated(header, claim_from_msg(message.claim[0]))


def _put_answer(message: Any, event: e.AnswerReady) -> None:
    message.answer = [answer_to_msg(event.answer)]
    message.status = event.answer.status.value


def _answer(header: e.Header, message: Any) -> e.AnswerReady:
    known = {status.value: status for status in AnswerStatus}
    if not message.answer or message.status not in known:
        raise InvalidRequestError("An event says that an answer is ready, and holds none.")
    return e.AnswerReady(header, answer_from_msg(message.answer[0], known[message.status]))


def _put_told(message: Any, event: e.RequestTold | e.ReadingsRanked) -> None:
    message.name = "trace"
    message.text = clean((narrate(event) or "").strip())


def _put_noticed(message: Any, event: e.Noticed) -> None:
    message.name, message.text = clean(event.level), clean(event.text)


def _noticed(header: e.Header, message: Any) -> e.Noticed:
    return e.Noticed(header, message.name, message.text)


def _put_run_ended(message: Any, event: e.RunEnded) -> None:
    message.status, message.seconds = clean(event.status), float(event.seconds)
    message.text = clean(event.error)


def _run_ended(header: e.Header, message: Any) -> e.RunEnded:
    return e.RunEnded(header, message.status, message.seconds, message.text)


_Reader = Callable[[e.Header, Any], e.RunEvent]
_KINDS: Final[Mapping[type, tuple[int, Callable[[Any, Any], None], _Reader]]] = {
    e.RunStarted: (m.RunEvent.RUN_STARTED, _put_run_started, _run_started),
    e.QuestionUnderstood: (m.RunEvent.QUESTION_UNDERSTOOD, _put_understood, _understood),
    e.StateEntered: (m.RunEvent.STATE_ENTERED, _put_state_entered, _state_entered),
    e.PolicyDecided: (m.RunEvent.POLICY_DECIDED, _put_policy_decided, _policy_decided),
    e.DecisionRejected: (m.RunEvent.DECISION_REJECTED, _put_decision_rejected, _decision_rejected),
    e.ToolCalled: (m.RunEvent.TOOL_CALLED, _put_tool_called, _tool_called),
    e.ToolReturned: (m.RunEvent.TOOL_RETURNED, _put_tool_returned, _tool_returned),
    e.GraphChanged: (m.RunEvent.GRAPH_CHANGED, _put_graph_changed, _graph_changed),
    e.UrgencyChanged: (m.RunEvent.URGENCY_CHANGED, _put_urgency_changed, _urgency_changed),
    e.ObservationMade: (m.RunEvent.OBSERVATION_MADE, _put_observation, _observation),
    e.ClaimValidated: (m.RunEvent.CLAIM_VALIDATED, _put_claim, _claim),
    e.AnswerReady: (m.RunEvent.ANSWER_READY, _put_answer, _answer),
    # A robot's watchers see these as notices: they are told to people, not to programs.
    e.RequestTold: (m.RunEvent.NOTICED, _put_told, _noticed),
    e.ReadingsRanked: (m.RunEvent.NOTICED, _put_told, _noticed),
    e.Noticed: (m.RunEvent.NOTICED, _put_noticed, _noticed),
    e.RunEnded: (m.RunEvent.RUN_ENDED, _put_run_ended, _run_ended),
}
_BY_NUMBER: Final[Mapping[int, _Reader]] = {number: read for number, _, read in _KINDS.values()}
