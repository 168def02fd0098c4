"""A scripted model that leads a run through every state of the machine, and may stop in one.

It sits behind a real loopback server and looks at the prompt as a model would; see
``tests.core.policy.llm``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from robodata_core.orchestrator.machine import State
from tests.core.policy.llm.scripts import capital_script, go, state_of
from tests.core.policy.llm.server import ModelServer, Reply, model_server

LONGEST_SILENCE = 120.0


class Tour:
    """The model. A run visits all states; it falls silent in the state ``silent_in``."""

    def __init__(self) -> None:
        self._plain = capital_script()
        self._visited: set[str] = set()
        self._silent_in = ""
        self._speak = threading.Event()
        self.asked_in: list[str] = []

    def begin(self, silent_in: str = "") -> None:
        """Forget earlier runs."""
        self._speak = threading.Event()
        self._silent_in = silent_in
        self._visited.clear()
        self.asked_in.clear()

    def speak(self) -> None:
        """End the silence; whoever waits for a reply gets it."""
        self._speak.set()

    def __call__(self, request: dict[str, Any]) -> Reply:
        state = state_of(request)
        self._visited.add(state)
        self.asked_in.append(state)
        if state == self._silent_in:
            self._speak.wait(LONGEST_SILENCE)
        if state == State.LOCAL_DATA_EVALUATION:
            return go(self._next())
        if state == State.LOCAL_GRAPH_EXPLORATION:
            return go(State.LOCAL_DATA_EVALUATION.value)
        return self._plain(request)

    def _next(self) -> str:
        for wanted in (State.REMOTE_GRAPH_EXPLORATION, State.LOCAL_GRAPH_EXPLORATION):
            if wanted.value not in self._visited:
                return wanted.value
        return State.PRODUCE_ANSWER.value


@contextmanager
def touring() -> Iterator[tuple[Tour, ModelServer]]:
    """Run the model's server; nobody is left waiting for it."""
    tour = Tour()
    with model_server(tour) as server:
        try:
            yield tour, server
        finally:
            tour.speak()
