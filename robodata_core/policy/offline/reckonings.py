"""Questions that count, compare and reckon: what is not stated anywhere, but follows.

One door to the readings of this kind; each says nothing where a question is not of its form.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from robodata_core.policy.offline.dating import Dating
from robodata_core.policy.offline.deep import Deep
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.placing import Placing
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.tallying import Tallier
from robodata_core.policy.offline.versus import Versus

__all__ = ["Reckonings"]


@dataclass(frozen=True, slots=True)
class Reckonings:
    """Answers questions that count, compare and reckon.

    Attributes:
        deep: Solves their parts.
        question: The question.
        today: Today's date, where it is known.
    """

    deep: Deep
    question: Question
    today: date | None = None

    def solve(
        self, request: Request, linking: Linking, matches: tuple[Match, ...]
    ) -> Solved | Failure | None:
        """Answer a request, or return None where it is of no such form."""
        deep = self.deep
        dating = Dating(deep.solver, deep.executor, deep.set_of, self.today)
        for special in (dating, Placing(deep)):
            outcome = special.solve(self.question, request)
            if outcome is not None:
                return outcome
        tallier = Tallier(deep.solver, deep.executor, deep.set_of)
        for reader in (Versus(tallier), tallier):
            outcome = reader.solve(self.question, request, linking, matches)
            if outcome is not None:
                return outcome
        return None
