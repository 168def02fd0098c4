"""What a call to a model is remembered as: prompt, reply, tokens, time and price.

Made here and nowhere else, for the policy as for metacognition. Adding calls up is the business
of ``run_state``, which every watcher reads. Keys and headers are no part of a prompt, so there is
no secret to take out; what the question and the graph hold stands here as it was sent.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from robodata_core.events import ModelCall, PromptMessage
from robodata_core.model import TokenCount
from robodata_core.policy.llm.client import Completion, ModelClient
from robodata_core.text import estimate_tokens

__all__ = ["MAX_PROMPT", "MAX_REPLY", "Price", "Prices", "ask", "call_of", "shown_prompt"]

MAX_PROMPT: Final = 24_000
"""Most characters of one prompt that are kept, all its messages together."""

MAX_REPLY: Final = 4_000
"""Most characters of a reply that are kept."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, per million tokens, in whatever currency the user thinks in."""

    prompt: float
    completion: float


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by name of the model."""

    by_model: Mapping[str, Price] = field(default_factory=dict)

    def cost(self, model: str, tokens: TokenCount) -> float | None:
        """Return what ``tokens`` cost, or None where the model has no price."""
        price = self.by_model.get(model)
        if price is None:
            return None
        return (tokens.prompt * price.prompt + tokens.completion * price.completion) / 1_000_000


def call_of(
    completion: Completion,
    *,
    role: str,
    state: str,
    model: str,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] = (),
    seconds: float,
    prices: Prices,
) -> ModelCall:
    """Return how a call that was answered is remembered; its size is bounded.

    Where the server counted no tokens (many count none when they stream), they are estimated.
    """
    tokens, reply = completion.tokens, _shown_reply(completion)
    estimated = tokens == TokenCount()
    if estimated:
        sent = sum(estimate_tokens(_text(message)) for message in messages)
        sent += estimate_tokens(json.dumps(list(tools))) if tools else 0
        tokens = TokenCount(sent, estimate_tokens(reply))
    return ModelCall(
        role=role,
        state=state,
        model=model,
        messages=shown_prompt(messages),
        tools=tuple(str(tool["function"]["name"]) for tool in tools),
        reply=reply,
        finish=completion.finish[:60],
        tokens=tokens,
        seconds=seconds,
        cost=prices.cost(model, tokens),
        estimated=estimated,
    )


def ask(
    client: ModelClient,
    messages: Sequence[Mapping[str, Any]],
    *,
    role: str,
    model: str,
    prices: Prices,
    state: str = "",
    **options: Any,
) -> tuple[Completion, ModelCall]:
    """Complete a conversation; return the reply and how the call is remembered.

    Args:
        client: Completes it.
        messages: The conversation.
        role: Whose call it is.
        model: Which model.
        prices: What models cost.
        state: The state of the run, if there is one.
        options: Whatever else ``ModelClient.complete`` takes.

    Raises:
        PolicyError: See ``ModelClient.complete``.
    """
    started = time.monotonic()
    completion = client.complete(messages, model=model, **options)
    call = call_of(
        completion,
        role=role,
        state=state,
        model=model,
        messages=messages,
        tools=options.get("tools", ()),
        seconds=time.monotonic() - started,
        prices=prices,
    )
    return completion, call


def shown_prompt(messages: Sequence[Mapping[str, Any]]) -> tuple[PromptMessage, ...]:
    """Return ``messages`` cut so that all their texts together have ``MAX_PROMPT`` characters.

    The longest ones are cut, and cut equally; short ones (instructions, question) stay whole.
    """
    texts = [_text(message) for message in messages]
    most = _fair_share([len(text) for text in texts], MAX_PROMPT)
    return tuple(
        PromptMessage(str(message.get("role", "")), text[:most], max(0, len(text) - most))
        for message, text in zip(messages, texts, strict=True)
    )


def _fair_share(sizes: Sequence[int], total: int) -> int:
    """Return the largest size that all may have without their sum passing ``total``."""
    left = total
    for index, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - index)
        if size > share:
            return share
        left -= size
    return total


def _text(message: Mapping[str, Any]) -> str:
    text = str(message.get("content") or "")
    calls = message.get("tool_calls")
    if not calls:
        return text
    asked = "\n".join(
        f"{call['function']['name']}({call['function']['arguments']})" for call in calls
    )
    return f"{text}\n{asked}" if text else asked


def _shown_reply(completion: Completion) -> str:
    parts = [completion.text] if completion.text else []
    parts += [f"{call.name}({call.arguments})" for call in completion.calls]
    text = "\n".join(parts)
    return text if len(text) <= MAX_REPLY else f"{text[:MAX_REPLY]}…"
