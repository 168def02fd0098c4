"""Finds what the words of a text may name: exact names, variants of them, and slips of the pen.

Everything that may be meant is kept; which of it is, the ranker says.
"""

from __future__ import annotations

from typing import Final

from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.text import Text
from robodata_core.language.types import Candidate, Mention, MentionKind, NameMatch
from robodata_core.language.view import View
from robodata_core.model import EntityValue, MatchKind, SearchHit

__all__ = ["Linker"]

_LONGEST: Final = 12


class Linker:
    """Finds mentions in texts.

    Args:
        view: Where names are looked up.
        lexicon: Of the language of the texts.
    """

    def __init__(self, view: View, lexicon: Lexicon) -> None:
        self._view = view
        self._lexicon = lexicon

    def mentions(self, text: Text) -> tuple[Mention, ...]:
        """Return every mention with all its candidates, in the order of their first words.

        Mentions overlap where shorter and longer names are there.
        """
        spans: dict[tuple[int, int], str] = {}
        tokens = text.tokens
        for start, first in enumerate(tokens):
            if not first.is_word or first.possessive:
                continue
            named = False
            for end in range(start + 1, min(len(tokens), start + _LONGEST) + 1):
                last = tokens[end - 1]
                named = named or (last.is_word and not self._lexicon.is_small(last.norm))
                if named and last.is_word:
                    spans[start, end] = text.written(start, end)
        hits = self._view.names(spans.values())
        found = []
        for (start, end), name in spans.items():
            if hits.get(name):
                candidates = tuple(c for hit in hits[name] for c in self._candidates(hit))
                written = any(token.text[:1].isupper() for token in tokens[start:end])
                found.append(Mention(start, end, candidates, written=written))
        return tuple(found)

    def _candidates(self, hit: SearchHit) -> tuple[Candidate, ...]:
        match = NameMatch.LABEL if hit.match is MatchKind.LABEL else NameMatch.ALIAS
        kinds = [MentionKind.THING]
        if self._view.is_class(hit.id):
            kinds.insert(0, MentionKind.CLASS)
        value = EntityValue(hit.id)
        return tuple(Candidate(value, k, match, 1.0, hit.popularity, hit.label) for k in kinds)
