"""A reply that needs no run, told to watchers as a run without turns.

Front ends, journals and robots then show it by the same means as any answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from robodata_core.events import (
    AnswerReady,
    QuestionUnderstood,
    Rewriting,
    RunEnded,
    RunEvent,
    RunStarted,
)
from robodata_core.orchestrator._emitter import Emitter, public_settings, without_credentials
from robodata_core.orchestrator.statistics import run_statistics

if TYPE_CHECKING:
    from robodata_core.clock import Clock
    from robodata_core.config import Settings
    from robodata_core.model import Answer

__all__ = ["tell_reply"]


def tell_reply(
    answer: Answer,
    rewriting: Rewriting,
    *,
    settings: Settings,
    source: str,
    emit: Callable[[RunEvent], None],
    clock: Clock,
    run_id: str,
) -> Answer:
    """Emit the events of a reply and return it with its run id and what a model took."""
    emitter = Emitter(run_id, emit, clock)
    emitter.emit(
        RunStarted,
        rewriting.question,
        settings.policy,
        without_credentials(source),
        0,
        public_settings(settings),
    )
    emitter.emit(QuestionUnderstood, rewriting)
    statistics = run_statistics(emitter.state, emitter.now())
    told = replace(answer, policy=settings.policy, run_id=run_id, statistics=statistics)
    emitter.emit(AnswerReady, told)
    emitter.emit(RunEnded, told.status.value, emitter.elapsed())
    emitter.deliver()
    return told
