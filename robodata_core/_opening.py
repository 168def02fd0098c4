"""What an opened RoboData needs besides its source and its store: a model, policies, a journal.

Each is made from the settings, and only where they ask for it; ``api`` puts them to use.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from robodata_core.errors import ConfigurationError

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken
    from robodata_core.config import Settings
    from robodata_core.events import ModelCall, RunEvent
    from robodata_core.orchestrator.observer import Observer
    from robodata_core.policy.base import Policy
    from robodata_core.policy.chat.policy import Pipeline
    from robodata_core.policy.llm.client import OpenAIClient
    from robodata_core.policy.offline.resources import OfflineResources
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.sources.http import Traffic
    from robodata_core.texts.open import Texts
    from robodata_core.verification.investigation import Agent

_log = logging.getLogger("robodata.journal")
#: What questions are wont to cost with a competent model (docs/MODELS.md).
_CHAT_TOKENS: Final = 2_000
_AGENT_TOKENS: Final = 7_000


def open_client(settings: Settings, traffic: Traffic | None) -> OpenAIClient | None:
    """Return a client for the model that decides; None where no model does.

    Args:
        settings: What was set.
        traffic: What records or plays back what is sent, if anything does.

    Raises:
        ConfigurationError: If a setting asks for a model and there is none, or it cannot be used.
    """
    if settings.policy != "offline":
        from robodata_core.policy.llm.open import open_client

        return open_client(settings, traffic)
    if settings.decompose:
        raise ConfigurationError(
            "Only a language model can take questions apart.", hint="Add --policy llm."
        )
    return None


def policy_factory(
    settings: Settings,
    source: KnowledgeSource,
    client: OpenAIClient | None,
    resources: OfflineResources | None,
    pipeline: Pipeline | None = None,
) -> Callable[[], tuple[Policy, Observer | None]]:
    """Return what makes a policy, with its observer if any, for each run.

    Args:
        settings: What was set.
        source: The source of the runs.
        client: The model that decides; without one the offline policy does.
        resources: What the offline policy has read already, if anything.
        pipeline: The pipeline of few model calls, where it has a part in it.
    """
    if client is None:
        return _offline_factory(settings, source, resources)
    from robodata_core.policy.llm.open import policy_factory

    agent = policy_factory(settings, client)
    return agent if pipeline is None else _cascade(settings, source, agent, resources, pipeline)


def open_pipeline(
    settings: Settings, source: KnowledgeSource, client: OpenAIClient | None
) -> Pipeline | None:
    """Return the pipeline of few model calls; None where the settings ask for none."""
    if client is None or settings.policy not in ("chat", "auto"):
        return None
    from robodata_core.policy.chat.policy import Pipeline

    return Pipeline(settings, source, client)


def _cascade(
    settings: Settings,
    source: KnowledgeSource,
    agent: Callable[[], tuple[Policy, Observer | None]],
    resources: OfflineResources | None,
    pipeline: Pipeline,
) -> Callable[[], tuple[Policy, Observer | None]]:
    """Return what makes a policy that goes on with a dearer one where it is not sure."""
    from robodata_core.policy.cascade import Cascade, Stage

    stages = [Stage(pipeline.policy, _CHAT_TOKENS), Stage(lambda: agent()[0], _AGENT_TOKENS)]
    if settings.policy == "auto":
        offline = _offline_factory(settings, source, resources)
        stages.insert(0, Stage(lambda: offline()[0], sure=settings.sure))

    def _make() -> tuple[Policy, Observer | None]:
        return Cascade(settings.policy, stages, settings.question_tokens), agent()[1]

    return _make


def _offline_factory(
    settings: Settings, source: KnowledgeSource, resources: OfflineResources | None
) -> Callable[[], tuple[Policy, Observer | None]]:
    from robodata_core.clock import SystemClock
    from robodata_core.policy.offline.policy import OfflinePolicy

    def _make() -> tuple[Policy, Observer | None]:
        observer = None
        if settings.metacognition:
            from robodata_core.metacognition.observer import SignalObserver

            observer = SignalObserver()
        return OfflinePolicy(source, settings, resources, SystemClock()), observer

    return _make


def decomposer(
    settings: Settings, client: OpenAIClient | None
) -> Callable[[str, CancelToken], tuple[tuple[str, ...], ModelCall | None]] | None:
    """Return what takes a question apart, with the model call it took; None where nothing does."""
    if client is None or not settings.decompose:
        return None
    from robodata_core.policy.llm.open import decomposer

    return decomposer(settings, client)


def investigator(
    settings: Settings, client: OpenAIClient | None, traffic: Traffic | None
) -> tuple[Texts | None, Agent | None]:
    """Return the model that investigates triples and what it may quote; None where none does.

    Raises:
        ConfigurationError: If texts or trajectories cannot be opened.
    """
    if client is None or settings.policy != "llm":
        return None, None
    from robodata_core.policy.llm.open import prices_of
    from robodata_core.policy.llm.policy import Roles
    from robodata_core.policy.llm.prompt import PromptBudget
    from robodata_core.policy.offline.embeddings import open_embedder
    from robodata_core.texts.open import open_texts
    from robodata_core.verification.investigation import Agent
    from robodata_core.verification.trajectories import Trajectories, own_path

    agent = Agent(
        client,
        Roles(settings.model, **settings.models).model("investigation"),
        PromptBudget(settings.context_tokens, settings.reply_tokens, settings.view_tokens),
        prices_of(settings),
        Trajectories(own_path(settings.trajectories)),
        open_embedder(settings),
    )
    return open_texts(settings, traffic), agent


@contextmanager
def recorded(
    settings: Settings, run_id: str, on_event: Callable[[RunEvent], None] | None
) -> Iterator[Callable[[RunEvent], None]]:
    """Give a sink for a run's events: a journal where the settings ask for one, and ``on_event``.

    A journal that cannot be begun ends no run, as a full disk does not: the log says so.

    Args:
        settings: Name the folder of journals, or none.
        run_id: The run; its journal is called after it.
        on_event: Told every event after the journal, if given.
    """
    watch = on_event or _ignored
    if not settings.journal:
        yield watch
        return
    from robodata_core import journal

    folder = Path(settings.journal)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        begun = journal.write(folder / f"{run_id}.jsonl")
    except (OSError, ConfigurationError) as error:
        why = journal.reason_of(error.__cause__ or error)
        _log.error("No journal is kept in %s: %s.", folder, why)
        yield watch
        return
    with begun as write:

        def _emit(event: RunEvent) -> None:
            write(event)
            watch(event)

        yield _emit


def _ignored(event: RunEvent) -> None:
    """Nobody watches."""
