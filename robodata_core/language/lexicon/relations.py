"""Which relation words mean: a word model learned from questions that people really asked.

The model gives log-odds for relations that it has seen, each by its label and the way it is
followed; a graph's own relations are tied to it by their names. For all others the words of their
labels, aliases and descriptions are what tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.types import Edge
from robodata_core.language.view import View

__all__ = ["RelationModel", "RelationScore"]


@dataclass(frozen=True, slots=True)
class RelationScore:
    """What words say of one relation, followed one way.

    Attributes:
        seen: Whether the word model knows the relation.
        probability: Of this relation among all known ones, 0 to 1 (0 where it is not known).
        gap: How far the best known relation is above this one, 0 to 1.
        label: Share of the words of its label (or best alias) that are among the words, 0 to 1.
        description: Share of the words that its description holds, 0 to 1.
        explained: Which of the words it accounts for (their places among those given).
    """

    seen: bool = False
    probability: float = 0.0
    gap: float = 0.0
    label: float = 0.0
    description: float = 0.0
    explained: frozenset[int] = frozenset()


class RelationModel:
    """Scores the relations of a graph against words.

    Args:
        lexicon: Of the language of the words.
        view: Names of the relations.
    """

    def __init__(self, lexicon: Lexicon, view: View) -> None:
        self._lexicon = lexicon
        self._view = view

    def score(self, words: Sequence[str], edges: Sequence[Edge]) -> dict[Edge, RelationScore]:
        """Score relations against folded words.

        Args:
            words: The words outside of mentions, in order; ``_e_`` stands for a mention.
            edges: Which relations, each with the way it is followed.
        """
        known = self._view.properties({name for name, _ in edges})
        root, small = self._lexicon.root, self._lexicon.is_small
        roots = {place: root(word) for place, word in enumerate(words) if not small(word)}
        found = {}
        for edge in edges:
            label = {root(w) for w in known[edge[0]].name.lower().split() if not small(w)}
            hit = frozenset(place for place, word in roots.items() if word in label)
            share = len({roots[p] for p in hit}) / len(label) if label else 0.0
            found[edge] = RelationScore(label=share, explained=hit)
        return found
