"""The hook for metacognition: who watches a run from above, as the orchestrator sees it.

At every visit of an evaluation state in which the policy is going to be asked, the observer is
shown the run so far; what it says stands in ``Turn.observation`` from then on. Nothing that
observes lives here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from robodata_core.events import ModelCall
from robodata_core.model import TokenCount

if TYPE_CHECKING:
    from robodata_core.policy.base import Turn
    from robodata_core.run_state import RunState

__all__ = ["Observation", "Observer"]


@dataclass(frozen=True, slots=True)
class Observation:
    """What an observer found.

    Attributes:
        strategy: The strategy it takes the run to be following.
        observation: The advice for the next evaluation prompts.
        signals: The facts it rests on, in words.
        changed: What became different because of the observation before, or empty.
        tokens: What observing cost.
        model_calls: What a language model was asked for it.
    """

    strategy: str
    observation: str
    signals: tuple[str, ...] = ()
    changed: str = ""
    tokens: TokenCount = TokenCount()
    model_calls: tuple[ModelCall, ...] = ()


class Observer(Protocol):
    """Called at evaluation states; an error in it is noticed and ends nothing."""

    def __call__(self, turn: Turn, run: RunState) -> Observation | None:
        """Return an observation, or None if there is nothing to say.

        Args:
            turn: What the policy will be shown.
            run: The run so far, folded from its events.
        """
        ...
