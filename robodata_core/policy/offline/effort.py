"""How much work one question may take, counted in steps and never in seconds.

A step is done in a time that grows with the question's length at most; with so many steps allowed,
so does all the work, whatever the words are. A question that people ask takes a small part of it.
"""

from __future__ import annotations

from typing import Final

from robodata_core.errors import PolicyError

__all__ = ["ALLOWED", "Effort", "EffortSpentError"]

#: Steps that one question may take, in all of its wordings together.
ALLOWED: Final = 20_000


class EffortSpentError(PolicyError):
    """A question would take more work than one may."""


class Effort:
    """Counts the steps of one question.

    Args:
        allowed: So many there are.
    """

    def __init__(self, allowed: int = ALLOWED) -> None:
        self.left = allowed

    def spend(self, steps: int = 1) -> None:
        """Count some steps.

        Raises:
            EffortSpentError: If there are no more.
        """
        self.left -= steps
        if self.left < 0:
            raise EffortSpentError("The question has more parts than are read; ask for less.")
