"""From settings to a policy with a model."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError
from robodata_core.events import ModelCall
from robodata_core.metacognition.observer import ModelObserver
from robodata_core.orchestrator.observer import Observer
from robodata_core.policy.base import Policy
from robodata_core.policy.llm.asides import Rephraser, decompose
from robodata_core.policy.llm.client import ModelLimits, OpenAIClient
from robodata_core.policy.llm.ledger import Price, Prices
from robodata_core.policy.llm.policy import LLMPolicy, Roles
from robodata_core.policy.llm.prompt import PromptBudget

if TYPE_CHECKING:
    import httpx2 as httpx

    from robodata_core.sources.http import Traffic

__all__ = ["decomposer", "open_client", "policy_factory", "prices_of", "rephraser"]


def open_client(settings: Settings, traffic: Traffic | None = None) -> OpenAIClient:
    """Return a client for the model that the settings name.

    Args:
        settings: Name the model and its server.
        traffic: A recorder or a recording, if there is one.

    Raises:
        ConfigurationError: If no model is named, or the openai package or a key is missing.
    """
    if not settings.model:
        raise ConfigurationError(
            "No language model is named.", hint="Give --model NAME, or use --policy offline."
        )
    limits = ModelLimits(
        bytes=settings.answer_bytes,
        connect_seconds=min(10.0, settings.model_timeout),
        read_seconds=settings.model_timeout,
        tries=settings.model_tries,
    )
    transport: httpx.BaseTransport | None = None
    if traffic is not None:
        from robodata_core.policy.llm.transport import (
            BoundedTransport,
            RecordingTransport,
            ReplayingTransport,
        )

        if traffic.recorder is not None:
            key = {"OPENAI_API_KEY": os.environ.get("OPENAI_API_KEY", "")}
            network = BoundedTransport(None, settings.answer_bytes, key)
            transport = RecordingTransport(traffic.recorder, network)
        elif traffic.replay is not None:
            transport = ReplayingTransport(traffic.replay)
    return OpenAIClient(settings.base_url, limits=limits, transport=transport)


def policy_factory(
    settings: Settings, client: OpenAIClient
) -> Callable[[], tuple[Policy, Observer | None]]:
    """Return a function that makes a policy and its observer for one run.

    All runs share ``client``. The observer is there only with ``settings.metacognition``.
    """
    roles = Roles(settings.model, **settings.models)
    budget = PromptBudget(settings.context_tokens, settings.reply_tokens, settings.view_tokens)
    prices = prices_of(settings)

    def _make() -> tuple[Policy, Observer | None]:
        native = settings.tool_calls == "native"
        policy = LLMPolicy(
            client,
            roles,
            budget,
            prices=prices,
            native_tools=native,
            looks_again=settings.second_look,
        )
        if not settings.metacognition:
            return policy, None
        return policy, ModelObserver(client, roles.model("metacognition"), prices)

    return _make


def decomposer(
    settings: Settings, client: OpenAIClient
) -> Callable[[str, CancelToken], tuple[tuple[str, ...], ModelCall | None]]:
    """Return a function that takes a question apart, and says what that took."""
    prices = prices_of(settings)
    return lambda question, cancel: decompose(
        client, settings.model, question, prices=prices, cancel=cancel
    )


def rephraser(settings: Settings, client: OpenAIClient) -> Rephraser:
    """Return what makes the questions of conversations stand alone."""
    return Rephraser(client, settings.model, prices_of(settings))


def prices_of(settings: Settings) -> Prices:
    """Return what models cost."""
    return Prices({name: Price(*pair) for name, pair in settings.prices.items()})
