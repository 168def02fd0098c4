"""Years that a question names: what has a time in one of them, narrowed, judged, or begun with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.model import Direction, TimeValue, Value
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.words import Token

__all__ = ["Years"]

_YEAR: Final = re.compile(r"[1-9][0-9]{2,3}\Z")
_YEAR_PRECISION: Final = 9


@dataclass(frozen=True, slots=True)
class Years:
    """Keeps or judges what has a time in a year.

    Attributes:
        reader: The source.
        index: Relations of the source.
        tokens: The question.
        request: What is asked.
        matches: Readings of the question's phrases.
        mentions: All mentions of the request; what they take is no year.
    """

    reader: Reader
    index: RelationIndex
    tokens: Sequence[Token]
    request: Request
    matches: tuple[Match, ...]
    mentions: tuple[Mention, ...]

    def named(self) -> list[tuple[int, int]]:
        """Return the years that the request names and no mention takes, with their tokens."""
        named = frozenset(i for mention in self.mentions for i in mention.span)
        return [
            (i, int(self.tokens[i].norm))
            for i in range(self.request.start, self.request.end)
            if i not in named and _YEAR.match(self.tokens[i].norm)
        ]

    def time_relations(self) -> Iterable[tuple[str, Match]]:
        """Yield the relations to times that the request's words may mean."""
        for match in self.matches:
            if len(match.reading.hops) == 1:
                for name, _ in match.reading.hops[0]:
                    if self.index.object_type(name) == "time":
                        yield name, match

    def narrow(
        self, candidate: Candidate, index: int, year: int, *, empty: bool = False
    ) -> Candidate | None:
        """Keep the nodes with a time in a year; ``empty`` keeps none but says what is asked."""
        best: Candidate | None = None
        for name, match in self.time_relations():
            times = self.reader.along(candidate.nodes, (name, Direction.OUT))
            fitting = [v for v in times if isinstance(v, TimeValue) and v.year == year]
            if not (times if empty else fitting):
                continue
            holding = self.reader.holding(candidate.nodes, (name, Direction.OUT), fitting)
            grown = self._in_year(candidate, name, match, (index, year), holding)
            if best is None or grown.edges[-1].strength > best.edges[-1].strength:
                best = grown
        return best

    def judged(self, candidate: Candidate, index: int, year: int) -> list[Candidate]:
        """Judge whether something happened in a year: "was X born in 1952"."""
        narrowed = self.narrow(candidate, index, year)
        if narrowed is not None:
            return [narrowed.judged(None, None, True)]
        empty = self.narrow(candidate, index, year, empty=True)
        return [empty.judged(None, None, False)] if empty is not None else []

    def _in_year(
        self,
        candidate: Candidate,
        name: str,
        match: Match,
        dated: tuple[int, int],
        holding: tuple[Value, ...],
    ) -> Candidate:
        index, year = dated
        mention = Mention(index, index + 1, str(year), (), True)
        edge = (name, Direction.OUT)
        use = EdgeUse((edge,), match.span | {index}, match.reading.strength)
        value = TimeValue(year, precision=_YEAR_PRECISION)
        return candidate.constrained(name, value, holding, use, Link(mention, (), 1.0))

    def starts(self) -> list[Candidate]:
        """Start from everything with a time in a year, where nothing else is named."""
        found = []
        for index, year in self.named()[:1]:
            for name, match in self.time_relations():
                blank = Candidate((), "", (), ("n0",), frozenset(), (), ())
                found.append(self._in_year(blank, name, match, (index, year), ()))
        return found
