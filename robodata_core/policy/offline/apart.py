"""Taking a question apart where it says two things: two names, a phrase within.

"Who influenced Kant and Nietzsche?", "the languages of the countries that ...": each part is a
question of its own, and what they give is put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from robodata_core.model import QuantityValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.deep import Deep
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.splitting import Split, coordinated
from robodata_core.policy.offline.words import ARTICLES, stem, stems

__all__ = ["Apart", "open_or"]


@dataclass(frozen=True, slots=True)
class Apart:
    """Takes the requests of one question apart.

    Attributes:
        deep: Solves the parts.
        question: The question.
    """

    deep: Deep
    question: Question

    def names(
        self, request: Request, linking: Linking, matches: Sequence[Match], *, known: bool
    ) -> Solved | None:
        """Solve a request for each of two names that "and" joins.

        Args:
            request: The request.
            linking: Its names.
            matches: Its phrases.
            known: Whether only names that were linked count.
        """
        parts = coordinated(self.question, request, linking, known=known)
        if parts is None or request.kind is AnswerKind.YES_OR_NO:
            return None
        kinds = {m.reading.answer for m in matches if m.span & request.focus}
        # "The children of X and Y" are those of both; "the capitals of X and Y" are of each.
        if not self._of_each(request, parts):
            ways: tuple[bool, ...] = (True,)
        else:
            ways = (True, False) if "person" in kinds else (False,)
        for every in ways:
            outcome = self.deep.alternatives(self.question, request, replace(parts, every=every))
            if isinstance(outcome, Solved) and not (every is False and outcome.missing):
                return outcome
        return None

    def _of_each(self, request: Request, parts: Split) -> bool:
        """Tell whether each of two is asked about: "the capitals of X and Y"."""
        tokens = self.question.tokens
        first = min(i for removed in parts.removed for i in removed)
        while first > request.start and tokens[first - 1].norm in ARTICLES:
            first -= 1
        before = first - 2
        return (
            before >= request.start
            and tokens[first - 1].norm == "of"
            and (before in request.focus or not request.focus)
        )

    def number(
        self, request: Request, values: Sequence[Value], labels: Sequence[str]
    ) -> Solved | None:
        """Count what "the number of ..." asks for, where the graph states no number itself.

        Args:
            request: The request.
            values: What the plain reading of it gave.
            labels: Labels of the relations it went along.
        """
        tokens = self.question.tokens
        at = next(
            (i for i in range(request.start, min(request.end, request.start + 6))
             if tokens[i].norm == "number" and i + 2 < request.end and tokens[i + 1].norm == "of"),
            None,
        )  # fmt: skip
        if at is None or (
            any(isinstance(value, QuantityValue) for value in values)
            and stem(tokens[at + 2].norm) in {word for label in labels for word in stems(label)}
        ):
            return None  # the graph states this number itself
        outcome = self.deep.set_of(self.question, range(at + 2, request.end), 0)
        if isinstance(outcome, Failure):
            return None
        return outcome.then(outcome.candidate.counted(), self.deep.executor)

    def pieces(self, request: Request, linking: Linking, matches: Sequence[Match]) -> Solved | None:
        """Solve a request that was not understood as a whole, piece by piece."""
        inner = self.deep.inner(self.question, request, linking, matches)
        if inner is not None:
            return inner
        return self.names(request, linking, matches, known=False)


def open_or(question: Question, request: Request, linking: Linking) -> bool:
    """Tell whether a request holds an "or" that no name takes, so that it says two things."""
    named = {i for mention in linking.mentions if mention.exact for i in mention.span}
    quoted = {i for quote in question.quotes for i in range(quote.start, quote.end)}
    return any(
        question.tokens[i].norm == "or" and i not in named | quoted
        for i in range(request.start, request.end)
    )
