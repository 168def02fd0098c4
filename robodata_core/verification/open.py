"""From settings to the model that investigates triples, and to what it may quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robodata_core.policy.llm.open import prices_of
from robodata_core.policy.llm.policy import Roles
from robodata_core.policy.llm.prompt import PromptBudget
from robodata_core.policy.offline.embeddings import open_embedder
from robodata_core.texts.open import Texts, open_texts
from robodata_core.verification.investigation import Agent
from robodata_core.verification.trajectories import Trajectories, own_path

if TYPE_CHECKING:
    from robodata_core.config import Settings
    from robodata_core.policy.llm.client import OpenAIClient
    from robodata_core.sources.http import Traffic

__all__ = ["investigator"]


def investigator(
    settings: Settings, client: OpenAIClient, traffic: Traffic | None
) -> tuple[Texts, Agent]:
    """Return the texts there are, and who investigates.

    Raises:
        ConfigurationError: If texts or trajectories cannot be opened.
    """
    memory = Trajectories(own_path(settings.trajectories))
    budget = PromptBudget(settings.context_tokens, settings.reply_tokens, settings.view_tokens)
    roles = Roles(settings.model, **settings.models)
    agent = Agent(
        client,
        roles.model("investigation"),
        budget,
        prices_of(settings),
        memory,
        open_embedder(settings),
    )
    return open_texts(settings, traffic), agent
