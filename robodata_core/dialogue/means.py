"""What a conversation uses of an opened RoboData: its lock, its run, its source and graph."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from robodata_core.dialogue.reading import Knowledge

if TYPE_CHECKING:
    from robodata_core.api import RoboData
    from robodata_core.cancellation import CancelToken
    from robodata_core.config import Settings
    from robodata_core.events import Rewriting, RunEvent
    from robodata_core.model import Answer
    from robodata_core.policy.llm.rephrase import Rephrases

__all__ = ["Means"]


class Means:
    """The part of RoboData that conversations need.

    Args:
        robodata: The opened object; it is not closed here.
    """

    def __init__(self, robodata: RoboData) -> None:
        self._robodata = robodata

    @property
    def settings(self) -> Settings:
        """What it was opened with."""
        return self._robodata.settings

    def turn(self, token: CancelToken) -> AbstractContextManager[None]:
        """Hold the turn of a run while a question is understood and answered."""
        return self._robodata._turn(token)

    @property
    def rephraser(self) -> Rephrases | None:
        """Understands questions with a language model, where there is one."""
        return self._robodata._rephraser()

    def knowledge(self, cancel: CancelToken) -> Knowledge:
        """Return what is known now."""
        robodata = self._robodata
        resources = robodata._offline_resources()
        return Knowledge(
            robodata.source, robodata.store, resources, robodata.settings.language, cancel
        )

    def run(
        self,
        question: str,
        rewriting: Rewriting,
        on_event: Callable[[RunEvent], None] | None,
        cancel: CancelToken,
    ) -> Answer:
        """Answer a question that stands alone; the turnstile is held."""
        return self._robodata._answered(question, on_event, cancel, rewriting)

    def reply(
        self,
        answer: Answer,
        rewriting: Rewriting,
        on_event: Callable[[RunEvent], None] | None,
    ) -> Answer:
        """Tell watchers of a reply that needs no run, as a run without turns."""
        return self._robodata._replied(answer, rewriting, on_event)
