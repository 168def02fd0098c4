"""Asking further than the sources at hand: ``auto`` goes on to Wikidata with what these leave open.

Nothing leaves the machine before that: a question that the snapshot answers is answered without a
network, and one that nobody else can be asked is as unknown as before, with a note that says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Generic, Protocol, TypeVar

from robodata_core.config import Settings
from robodata_core.errors import CancelledError, DeadlineExceededError, RoboDataError
from robodata_core.events import RunEvent
from robodata_core.model import Answer, AnswerStatus
from robodata_core.programs.english import listed
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.open import say_what_leaves, sources_of

__all__ = ["Beyond", "asked_alone", "ends_here", "split"]

#: How a run ends whose outcome is what the question comes to.
_TELLING: Final = frozenset([AnswerStatus.ANSWERED, AnswerStatus.PARTIAL, AnswerStatus.CANCELLED])


class Opened(Protocol):
    """What asks: its source, and what ended its last run as failed."""

    @property
    def source(self) -> KnowledgeSource:
        """The source that is asked."""

    @property
    def failure(self) -> BaseException | None:
        """What ended the last run, where it failed."""


_T = TypeVar("_T", bound=Opened)


def split(settings: Settings) -> tuple[Settings, Settings | None]:
    """Return the settings to begin with, and those to go on with; None where there are none.

    Args:
        settings: What was set; a model decides for itself what it asks of which source.
    """
    if "auto" not in settings.source or settings.policy != "offline":
        return settings, None
    say_what_leaves(settings)
    here, further = sources_of(settings.source, alone=True), sources_of(settings.source)
    return (
        settings.model_copy(update={"source": here}),
        settings.model_copy(update={"source": further}),
    )


def ends_here(settings: Settings, answer: Answer) -> Answer:
    """Return an answer that is unknown with a note of what was asked, and of what else may know.

    Args:
        settings: Say which sources were asked; nothing is noted where one of them is live.
        answer: The answer.
    """
    asked = asked_alone(settings, answer)
    if not asked:
        return answer
    return _noted(
        answer,
        f"{asked} Live Wikidata may know (source: auto), and robodata kg grow makes a snapshot of"
        " a topic.",
    )


def asked_alone(settings: Settings, answer: Answer) -> str:
    """Say which snapshots alone were asked for an answer that is unknown; else nothing."""
    snapshots = [name for name in settings.source if name.startswith("snapshot:")]
    if answer.status is not AnswerStatus.UNKNOWN or len(snapshots) < len(settings.source):
        return ""
    were = "was" if len(snapshots) == 1 else "were"
    return f"Only {listed(snapshots)} {were} asked, without a network."


class Beyond(Generic[_T]):
    """What is asked when the sources at hand do not know; opened for the first such question.

    Args:
        open_: Opens the same local graph over the further sources.
    """

    def __init__(self, open_: Callable[[], _T]) -> None:
        self._open = open_
        self._opened: _T | None = None

    def asked(
        self,
        answer: Answer,
        ask: Callable[[_T, Callable[[RunEvent], None]], Answer],
        on_event: Callable[[RunEvent], None] | None,
    ) -> Answer:
        """Return what the further sources answer, or the same answer with a note.

        Args:
            answer: Of the sources at hand.
            ask: Asks the same again.
            on_event: Told of the second run once it is known to answer.

        Raises:
            CancelledError: If the run was cancelled; DeadlineExceededError likewise.
        """
        if answer.status is not AnswerStatus.UNKNOWN:
            return answer
        events: list[RunEvent] = []
        try:
            if self._opened is None:
                self._opened = self._open()
            found = ask(self._opened, events.append)
        except (CancelledError, DeadlineExceededError):
            raise
        except RoboDataError as error:
            return _noted(answer, f"Wikidata could not be asked: {error}")
        if found.status in _TELLING:
            if on_event is not None:
                for event in events:
                    on_event(event)
            return found
        failure = self._opened.failure
        if found.status is AnswerStatus.UNKNOWN:
            return _noted(answer, "Wikidata was asked as well.")
        return _noted(answer, f"Wikidata could not be asked: {failure or found.text}")

    def close(self) -> None:
        """Close the further sources; the local graph is closed by whoever opened it."""
        if self._opened is not None:
            self._opened.source.close()


def _noted(answer: Answer, note: str) -> Answer:
    return replace(answer, notes=(*answer.notes, note))
