"""The names of what a map holds, looked up and searched.

A question asks for hundreds of names, and a map changes a few times a second: names are therefore
brought into the form in which they are compared once for each state of the map.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from robodata_core.model import Entity, MatchKind, SearchHit
from robodata_core.text import clean_text, normalise_name

__all__ = ["Names"]

_LONGEST_FORM, _LONGEST_TEXT = 200, 2_000
_ORDER: Final = {kind: number for number, kind in enumerate(MatchKind)}


class Names:
    """Finds entities by their names.

    Args:
        entities: All that bear names.

    Attributes:
        entities: The same, by id.
    """

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.entities = {entity.id: entity for entity in entities}
        self._forms = [
            (entity, [(name, normalise_name(name)) for name in (entity.label, *entity.aliases)])
            for entity in self.entities.values()
        ]
        self._exact: dict[str, list[SearchHit]] = {}
        for entity, names in self._forms:
            own = names[0][1]
            for form in {form for _, form in names}:
                match = MatchKind.LABEL if form == own else MatchKind.ALIAS
                hit = SearchHit(entity.id, entity.label, entity.description, match, form)
                self._exact.setdefault(form, []).append(hit)
        for hits in self._exact.values():
            hits.sort(key=lambda hit: (_ORDER[hit.match], hit.id))

    def lookup(self, names: Iterable[str]) -> Mapping[str, tuple[SearchHit, ...]]:
        """Find exact labels and aliases; names without a match are left out."""
        found = ((name, self._exact.get(normalise_name(name))) for name in names)
        return {name: tuple(hits) for name, hits in found if hits}

    def search(self, text: str, limit: int) -> tuple[SearchHit, ...]:
        """Find exact names and ids, then names that begin with or hold the text."""
        form, text = (
            normalise_name(clean_text(text, limit=_LONGEST_FORM)),
            clean_text(text, limit=_LONGEST_TEXT),
        )
        if not form or limit < 1:
            return ()
        words = set(form.split())
        found = (_hit(entity, names, form, words, text) for entity, names in self._forms)
        hits = [hit for hit in found if hit is not None]
        hits.sort(key=lambda hit: (_ORDER[hit.match], hit.id))
        return tuple(hits[:limit])


def _hit(
    entity: Entity, names: Iterable[tuple[str, str]], form: str, words: set[str], text: str
) -> SearchHit | None:
    """Return how an entity's names match a text and its form."""
    if entity.id == text:
        return SearchHit(entity.id, entity.label, entity.description, MatchKind.ID, text)
    best: tuple[int, MatchKind, str, float] | None = None
    for place, (name, own) in enumerate(names):
        if own == form:
            kind, score = (MatchKind.ALIAS if place else MatchKind.LABEL), 1.0
        elif own.startswith(form):
            kind, score = MatchKind.PREFIX, 0.85
        elif words <= set(own.split()):
            kind, score = MatchKind.WORDS, 0.7
        else:
            continue
        if best is None or _ORDER[kind] < best[0]:
            best = (_ORDER[kind], kind, name, score)
    if best is None:
        return None
    _, kind, name, score = best
    return SearchHit(entity.id, entity.label, entity.description, kind, name, score)
