"""Ways to take one more step, and which phrases name a step together: "which films did X direct".

Two phrases are one step where they name the same relation ("films" and "direct"), or stand in a
list ("the father and mother of X"); they are two in a row where one is said of the other ("the
children of the father of X").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.relations import Edge, Hop, Match, Reading
from robodata_core.policy.offline.words import ARTICLES, FUNCTION_WORDS, Token, said

__all__ = ["Option", "combined", "coordinated", "doubles"]

_FARTHEST: Final = 6
"""Most words between two nouns of a list."""
_NEARLY: Final = 0.06
_COORDINATION: Final = ARTICLES | said("between relations") | {","}


@dataclass(frozen=True, slots=True)
class Option:
    """One way to go on: hops, the tokens that name them, and how well they do."""

    hops: tuple[Hop, ...]
    span: frozenset[int]
    strength: float
    agreement: float
    back: bool = False
    licensed: bool = False
    reading: Reading | None = None

    @property
    def worth(self) -> float:
        """How good it is among options that do the same."""
        return self.strength * self.agreement


def combined(single: Sequence[tuple[Match, Hop, float]], tokens: Sequence[Token]) -> list[Option]:
    """Combine two phrases that name the same hop ("which films did X direct").

    The edges are those of one phrase that the other, in any of its readings, allows as well.
    """
    best: dict[tuple[int, int], float] = {}
    for match, _, _ in single:
        at = (match.start, match.end)
        best[at] = max(best.get(at, 0.0), match.reading.strength)
    allowed: dict[tuple[int, int], dict[Edge, tuple[float, float]]] = {}
    for match, hop, agreement in single:
        at = (match.start, match.end)
        if match.reading.strength < best[at] - _NEARLY:
            continue  # a relation of that very name outdoes looser readings
        edges = allowed.setdefault(at, {})
        for edge in hop:
            worth = (agreement, match.reading.strength)
            edges[edge] = max(edges.get(edge, (0.0, 0.0)), worth)
    found: dict[tuple[Hop, frozenset[int]], Option] = {}
    for match, hop, agreement in single:
        for (start, end), edges in allowed.items():
            apart = end <= match.start or match.end <= start
            if not hop or not apart:
                continue
            common = tuple([edge for edge in hop if edge in edges])
            if not common or _of_another(match, start, end, tokens):
                continue
            other = [edges[edge] for edge in common]
            span = match.span | frozenset(range(start, end))
            strength = (match.reading.strength + max(s for _, s in other)) / 2
            agree = max(min(agreement, max(a for a, _ in other)), (agreement + other[0][0]) / 2)
            option = Option((common,), span, strength, agree, False, True)
            key = (common, span)
            if key not in found or found[key].strength < strength:
                found[key] = option
    return list(found.values())


def _of_another(match: Match, start: int, end: int, tokens: Sequence[Token]) -> bool:
    """Tell whether two phrases are hops in a row: "children of the father of X", "X's son's wife".

    So are words said twice: "who founded the label that X founded".
    """
    said = [
        [token.norm for token in tokens[a:b] if token.norm not in FUNCTION_WORDS]
        for a, b in ((match.start, match.end), (start, end))
    ]
    if said[0] == said[1]:
        return True
    first, last = (match.end, start) if match.end <= start else (end, match.start)
    between = [token.norm for token in tokens[first:last]]
    return match.reading.kind == "noun" and between in (["of"], ["of", "the"], ["s"])


def coordinated(
    single: Sequence[tuple[Match, Hop, float]], tokens: Sequence[Token]
) -> list[Option]:
    """Join nouns that stand in a list: "the father and mother of X"."""
    found = []
    for one, hop, agreement in single:
        for other, second, other_agreement in single:
            if not 0 < other.start - one.end <= _FARTHEST or one.reading.kind != other.reading.kind:
                continue
            between = [token.norm for token in tokens[one.end : other.start]]
            if not set(between) <= _COORDINATION or not {"and", ",", "or"} & set(between):
                continue
            if set(hop) == set(second):
                continue
            strength = (one.reading.strength + other.reading.strength) / 2
            agree = min(agreement, other_agreement)
            span = one.span | other.span
            hops = (tuple(dict.fromkeys((*hop, *second))),)
            found.append(Option(hops, span, strength, agree, False, True))
    return found


def doubles(candidate: Candidate, tokens: Sequence[Token]) -> bool:
    """Tell whether two phrases that name one hop are taken for two in a row.

    "Released in which years" is one step to a year; "the father of the father" is two.
    """
    for one, other in zip(candidate.path, candidate.path[1:], strict=False):
        same = one.hop == other.hop and bool(one.hop) and not (other.back or other.licensed)
        if not same or not one.span or not other.span or one.span == other.span:
            continue
        if one.span & other.span:
            return True
        first, last = sorted((one.span, other.span), key=min)
        between = [tokens[i].norm for i in range(max(first) + 1, min(last))]
        if between not in (["of"], ["of", "the"], ["s"]) and _said(first, tokens) != _said(
            last, tokens
        ):
            return True
    return False


def _said(span: frozenset[int], tokens: Sequence[Token]) -> list[str]:
    return [tokens[i].stem for i in sorted(span) if tokens[i].norm not in FUNCTION_WORDS]
