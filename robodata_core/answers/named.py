"""Which relations words of a question name: by labels, aliases, phrases, or what was learned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from robodata_core.language.lexicon.relations import Evidence, RelationScore
from robodata_core.language.text import Text, words_of
from robodata_core.language.types import Edge
from robodata_core.language.understanding import Understanding
from robodata_core.programs.steps import (
    ExtremeCount,
    FilterByCount,
    Follow,
    Program,
    Union,
)

__all__ = ["LEAST_LIKELY", "Named"]

#: Less likely than that, no word names a relation.
LEAST_LIKELY: Final = 0.02


class Named:
    """The relations that one question names.

    Args:
        language: Knows the tables and the source.
        text: The question.
        evidence: What its words say of relations.
    """

    def __init__(self, language: Understanding, text: Text, evidence: Evidence) -> None:
        self._language = language
        self._text = text
        self._evidence = evidence

    def weight(self, score: RelationScore) -> float:
        """Return how well words name a relation, by its names, its phrases, or what was learned.

        Small words name none: "when" asks for any date, not for that of birth.
        """
        tokens, is_small = self._text.tokens, self._language.lexicon.is_small
        if all(is_small(tokens[place].norm) for place in score.said):
            return score.probability
        return max(score.label, 0.9 * score.alias, score.phrase, score.probability)

    def relation(self, edge: Edge) -> str:
        """Return the name of a relation."""
        found = self._language.view.properties((edge[0],)).get(edge[0])
        return found.name if found else edge[0]

    def unions(self, program: Program) -> Iterator[str]:
        """Object to relations that are put together with others though no word names them.

        "The parents" are fathers and mothers; children and schools have no word in common. A word
        that is all the name of one relation, or a phrase for it, does not name another one, of
        whose name it is only a part.
        """
        for edges in _together(program):
            scores = self._evidence.score(edges, None)
            said = {edge: self._content(edge, scores[edge]) for edge in edges}
            whole = {edge: places for edge, places in said.items() if _is_whole(scores[edge])}
            for edge in edges:
                others = [other for other, places in whole.items() if said[edge] < places]
                if edge not in whole and others or not said[edge] and any(said.values()):
                    others = others or [other for other in edges if said[other]]
                    yield (
                        f"The question names “{self.relation(others[0])}”, not"
                        f" “{self.relation(edge)}”."
                    )
                elif not (said[edge] or scores[edge].phrase or self._is_likely(scores[edge])):
                    yield f"The question does not name “{self.relation(edge)}”."

    def _is_likely(self, score: RelationScore) -> bool:
        return self.weight(score) >= LEAST_LIKELY

    def _content(self, edge: Edge, score: RelationScore) -> frozenset[int]:
        """Return the places of words that name a relation and are not small ones.

        A phrase may name it as one of several steps ("grandmother").
        """
        named = set(score.said)
        for places, phrase in self._evidence.phrases():
            labels = (one.label for hop in phrase.hops for one in hop)
            if not self.names(edge[0]).isdisjoint(labels):
                named |= places
        tokens, is_small = self._text.tokens, self._language.lexicon.is_small
        return frozenset(place for place in named if not is_small(tokens[place].norm))

    def names(self, property_: str) -> frozenset[str]:
        """Return the label and aliases of a relation, folded."""
        found = self._language.view.properties((property_,)).get(property_)
        names = (found.name, *found.aliases) if found else ()
        return frozenset(" ".join(words_of(name)) for name in names)


def _together(program: Program) -> Iterator[Sequence[Edge]]:
    """Yield relations that are put together, by one step along several or by a union of sets."""
    for step in program.steps:
        edges: Iterable[Edge] = ()
        if isinstance(step, Follow | FilterByCount | ExtremeCount):
            edges = [(name, step.direction) for name in step.properties]
        elif isinstance(step, Union):
            ends = [program.written[name] for name in step.sources]
            edges = [
                (name, end.direction)
                for end in ends
                if isinstance(end, Follow)
                for name in end.properties
            ]
        if len(found := list(dict.fromkeys(edges))) > 1:
            yield found


def _is_whole(score: RelationScore) -> bool:
    return score.label == 1.0 or score.alias == 1.0 or score.phrase > 0
