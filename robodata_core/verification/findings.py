"""What was found out about a triple, before it is fetched and claimed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from robodata_core.model import EntityValue, Statement
from robodata_core.texts.corpus import Sentence
from robodata_core.verification.neighbourhoods import Edge
from robodata_core.verification.verdict import Judgement

__all__ = ["Finding", "Ground", "statement_of", "statements_of"]


@dataclass(frozen=True, slots=True)
class Ground:
    """A reason with the statements behind it; each group of them becomes a claim.

    Attributes:
        kind: See ``verdict.Reason``.
        text: What was found and measured, as a sentence.
        confidence: See ``verdict.Reason``.
        chains: Statements that belong together, a claim each.
        sentences: Sentences of texts; no claims are made of them.
    """

    kind: str
    text: str
    confidence: float
    chains: tuple[tuple[Statement, ...], ...] = ()
    sentences: tuple[Sentence, ...] = ()

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All statements behind it."""
        return tuple(dict.fromkeys(item for chain in self.chains for item in chain))


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of the reasoning, with all that it rests on."""

    judgement: Judgement
    confidence: float
    probability: float
    explanation: str
    reasons: tuple[Ground, ...] = ()
    objections: tuple[Ground, ...] = ()
    notes: tuple[str, ...] = ()
    forced: bool = False

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Every statement that the finding rests on, each once."""
        grounds = (*self.reasons, *self.objections)
        return tuple(dict.fromkeys(item for ground in grounds for item in ground.statements))


def statement_of(edge: Edge) -> Statement:
    """Return an edge as a statement."""
    subject, property_, value = edge
    return Statement(subject, property_, EntityValue(value))


def statements_of(edges: Iterable[Edge]) -> tuple[Statement, ...]:
    """Return edges as statements."""
    return tuple(map(statement_of, edges))
