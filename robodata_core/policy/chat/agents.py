"""Asking a model for one structured thing: by schema, validated, with bounded retries.

Every agent of the pipeline is a prompt, what it is told, and a reader that asserts what a reply
must be. A reply that does not pass goes back with the reason, ``THETA`` times in all, and a
question takes ``MOST_CALLS`` in all; then the failure has a type and nothing is guessed. Source:
Chatty-KG paper, sections 3 and 4 (assertions, retry threshold).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from robodata_core.cancellation import CancelToken
from robodata_core.errors import ModelReplyError
from robodata_core.events import ModelCall
from robodata_core.policy.llm.client import ModelClient
from robodata_core.policy.llm.ledger import Prices, ask
from robodata_core.policy.llm.replies import objects_in
from robodata_core.prompts import load
from robodata_core.text import clean_text

__all__ = ["MOST_CALLS", "THETA", "Agent", "Agents", "strict"]

THETA: Final = 3
"""How often an agent is asked before its failure stands."""

MOST_CALLS: Final = 8
"""Most calls of one question, repeats and those of its conversation included.

Twice what the pipeline takes where every reply passes: conversation, question, linking, planning.
"""

_MOST_REPLY: Final = 2_000
_WARMTH: Final = 0.7
"""Temperature where a reply was the same as the one refused; all others are asked for at 0."""

_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class Agent:
    """What one agent is.

    Attributes:
        role: Its name in the ledger.
        prompts: Names of the prompts that instruct it.
        schema: JSON schema of its replies.
        reply_tokens: Most tokens of a reply.
    """

    role: str
    prompts: tuple[str, ...]
    schema: Mapping[str, Any]
    reply_tokens: int = 600


@dataclass(slots=True)
class Agents:
    """Asks agents, and keeps what that took until somebody collects it.

    Attributes:
        client: Completes conversations.
        model: Which model.
        prices: What models cost.
    """

    client: ModelClient
    model: str
    prices: Prices = Prices()
    _calls: list[ModelCall] = field(default_factory=list)
    _left: int = MOST_CALLS

    def go_on_from(self, calls: Sequence[ModelCall], told: int) -> None:
        """Count calls that were made for the question before; the first ``told`` are told of."""
        self._left -= len(calls)
        self._calls += calls[told:]

    def taken(self) -> tuple[ModelCall, ...]:
        """Return the calls since this was last asked for."""
        calls, self._calls = tuple(self._calls), []
        return calls

    def ask(
        self,
        agent: Agent,
        told: Mapping[str, Any],
        read: Callable[[Mapping[str, Any]], _Read],
        *,
        state: str = "",
        cancel: CancelToken | None = None,
    ) -> _Read:
        """Return what an agent's reply says, once it passes.

        Args:
            agent: Whom to ask.
            told: What it is told, as JSON.
            read: Asserts what a reply must be and returns what it says; raises
                ``ModelReplyError`` with one sentence for the model where it is not that.
            state: The state of the run, for the ledger.
            cancel: Ends the wait.

        Raises:
            ModelReplyError: If no reply passes, or the question has taken all its calls.
            PolicyError: If the model refuses, fails or cannot be reached.
        """
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": "\n\n".join(load(name) for name in agent.prompts)},
            {"role": "user", "content": json.dumps(told, ensure_ascii=False)},
        ]
        before, problem = "", ""
        warmth = 0.0
        for _ in range(THETA):
            if not self._left:
                raise ModelReplyError(
                    f"The question took {MOST_CALLS} calls of the language model, which is the"
                    f" most for one, before {agent.role} was through.",
                    hint="Try another model, or --policy llm.",
                )
            self._left -= 1
            completion, call = ask(
                self.client,
                messages,
                role=agent.role,
                state=state,
                model=self.model,
                prices=self.prices,
                cancel=cancel,
                most_tokens=agent.reply_tokens,
                schema=agent.schema,
                temperature=warmth,
            )
            self._calls.append(call)
            if completion.finish == "content_filter":
                raise ModelReplyError("The language model's reply was withheld by a filter.")
            try:
                return read(_object(completion.text))
            except ModelReplyError as error:
                problem = error.message
            warmth = _WARMTH if completion.text == before else 0.0
            before = completion.text
            messages = messages[:2] + [
                {"role": "assistant", "content": completion.text[:_MOST_REPLY] or "(nothing)"},
                {"role": "user", "content": f"{problem} Reply again, with the JSON object alone."},
            ]
        raise ModelReplyError(
            f"The language model's replies for {agent.role} could not be used, {THETA} times"
            f" in a row: {clean_text(problem, limit=300)}",
            hint="Try another model, or --policy llm.",
        )


def strict(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    """Return the JSON schema of an object with some properties."""
    return {"type": "object", "properties": dict(properties), "required": list(required)}


def _object(text: str) -> Mapping[str, Any]:
    found = next(objects_in(text), None)
    if found is None:
        raise ModelReplyError("That was no JSON object." if text.strip() else "That was nothing.")
    return found
