"""From settings to the pipeline, one for all runs of an opened RoboData."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robodata_core.language.understanding import Understanding
from robodata_core.policy.chat.agents import Agents
from robodata_core.policy.chat.matching import Matcher
from robodata_core.policy.chat.policy import ChatPolicy
from robodata_core.policy.chat.understanding import Reader
from robodata_core.policy.llm.ledger import Price, Prices
from robodata_core.policy.llm.policy import Roles

if TYPE_CHECKING:
    from robodata_core.config import Settings
    from robodata_core.policy.llm.client import ModelClient
    from robodata_core.sources.base import KnowledgeSource

__all__ = ["Pipeline"]


class Pipeline:
    """Makes a policy for each run; what they share is read once, when the first begins.

    Args:
        settings: Name the model and its prices.
        source: What questions are about.
        client: Completes conversations; shared by all runs.

    Attributes:
        reader: Reads questions, in conversations before their runs begin.
    """

    def __init__(self, settings: Settings, source: KnowledgeSource, client: ModelClient) -> None:
        prices = Prices({name: Price(*pair) for name, pair in settings.prices.items()})
        model = Roles(settings.model, **settings.models).model("chat")
        self._client, self._model, self._prices = client, model, prices
        self._source = source
        self._language = settings.language
        self._matcher: Matcher | None = None
        self.reader = Reader(self._agents())

    def policy(self) -> ChatPolicy:
        """Return a policy for one run."""
        if self._matcher is None:
            self._matcher = Matcher(Understanding(self._source), self._language)
        return ChatPolicy(self._agents(), self.reader, self._matcher)

    def _agents(self) -> Agents:
        return Agents(self._client, self._model, self._prices)
