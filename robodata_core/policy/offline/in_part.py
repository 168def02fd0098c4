"""Relations that a question names by part of their label: "price" for "list price"."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from robodata_core.model import Direction, Property
from robodata_core.policy.offline.own_names import facing_of
from robodata_core.policy.offline.relations import Match, Reading
from robodata_core.policy.offline.words import FUNCTION_WORDS, Token, stems

__all__ = ["InPart"]

_PARTIAL: Final = 0.75


class InPart:
    """Finds relations by words of their labels.

    Args:
        properties: The relations.
        object_type: What the values of a relation are, by its id.
    """

    def __init__(self, properties: Iterable[Property], object_type: Callable[[str], str]) -> None:
        self._object_type = object_type
        self._properties = {item.id: item for item in properties}
        self._shares = self._read()

    def _read(self) -> dict[str, list[tuple[str, float]]]:
        """For each content stem: properties whose label has it, and its share of the label."""
        labels = {
            item.id: tuple(s for s in dict.fromkeys(stems(item.label)) if s not in FUNCTION_WORDS)
            for item in self._properties.values()
        }
        seen = Counter(s for words in labels.values() for s in words)
        found: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for name, words in labels.items():
            weights = {s: 1.0 / (1.0 + math.log(seen[s])) for s in words}
            total = sum(weights.values())
            if len(words) > 1:
                for word, weight in weights.items():
                    found[word].append((name, weight / total))
        return found

    def matches(
        self, tokens: Sequence[Token], blocked: frozenset[int], full: set[int]
    ) -> list[Match]:
        """Return readings of words outside ``blocked``; ``full`` are those of whole phrases."""
        shares: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for index, token in enumerate(tokens):
            if index in blocked or token.norm in FUNCTION_WORDS or not token.word:
                continue
            for name, share in self._shares.get(token.stem, ()):
                shares[name].append((index, share))
        found = []
        for name, places in shares.items():
            total = sum({tokens[i].stem: share for i, share in places}.values())
            if total < 0.4 or all(i in full for i, _ in places) and total < 0.75:
                continue
            between = set(range(places[0][0], places[-1][0])) - {i for i, _ in places}
            if any(tokens[i].norm not in FUNCTION_WORDS or i in blocked for i in between):
                continue  # words on both sides of others are no name together
            facing, kind = facing_of(self._properties[name].label)
            reading = Reading(
                (((name, Direction.OUT),),),
                facing,
                kind,
                self._object_type(name),
                _PARTIAL * min(1.0, total + 0.1),
            )
            found.append(Match(min(i for i, _ in places), max(i for i, _ in places) + 1, reading))
        return found
