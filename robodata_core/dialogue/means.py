"""What a conversation uses of whoever answers its questions; ``RoboData`` hands it in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken
    from robodata_core.config import Settings
    from robodata_core.dialogue.reading import Knowledge
    from robodata_core.events import Rewriting, RunEvent
    from robodata_core.model import Answer
    from robodata_core.policy.llm.asides import Rephrases

__all__ = ["HasMeans", "Means"]


@dataclass(frozen=True, slots=True)
class Means:
    """The part of an opened RoboData that conversations need.

    Attributes:
        settings: What it was opened with.
        turn: Holds the turn of a run while a question is understood and answered.
        rephraser: Understands questions with a language model, where there is one.
        knowledge: What is known now.
        run: Answers a question that stands alone; its turn is held.
        reply: Tells watchers of a reply that needs no run, as a run without turns.
    """

    settings: Settings
    turn: Callable[[CancelToken], AbstractContextManager[None]]
    rephraser: Rephrases | None
    knowledge: Callable[[CancelToken], Knowledge]
    run: Callable[[str, Callable[[RunEvent], None] | None, CancelToken, Rewriting], Answer]
    reply: Callable[[Answer, Rewriting, Callable[[RunEvent], None] | None], Answer]


class HasMeans(Protocol):
    """Whatever a conversation can be held with."""

    def _means(self) -> Means: ...
