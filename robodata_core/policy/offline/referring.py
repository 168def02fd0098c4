"""Whom "he" or "she" stands for: what was asked about before, or what was found for it.

"Who did X marry, and what does she play?" may mean either of two people. What the question or the
graph tells of them decides; where it does not, nothing is said. A work or a company is no "she".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import EntityValue, Value
from robodata_core.policy.offline.evidence import evidence_for
from robodata_core.policy.offline.mentions import Linked
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.stated import others_of
from robodata_core.policy.offline.words import Token, said
from robodata_core.sources.base import KnowledgeSource
from robodata_core.text import normalise_name

__all__ = ["Referring"]

_MALE: Final = said("he")
_FEMALE: Final = said("she")
_HER: Final = said("her noun")
_HIS: Final = said("his noun")
#: Relations that people have, and no works, places or companies.
_PERSONAL: Final = open_lexicon("en").role("personal")


class Referring:
    """Tells whom a pronoun stands for."""

    def __init__(self, source: KnowledgeSource, index: RelationIndex) -> None:
        self._source = source
        self._index = index

    def meant(
        self, words: Iterable[str], asked: Sequence[Token], topic: Linked, found: Sequence[Value]
    ) -> str | None:
        """Return the id that a pronoun stands for; an empty string where that is open.

        Args:
            words: Words of the request, normalised.
            asked: Words of the request before.
            topic: What that was about.
            found: What it gave.

        Returns:
            None where there is no such pronoun, or nothing that it might mean but the topic.
        """
        said = set(words)
        female, male = bool(said & _FEMALE), bool(said & _MALE)
        if female is male or len(found) != 1 or not isinstance(found[0], EntityValue):
            return None
        other = found[0].id
        if other == topic.id or not self._is_person(other):
            return None
        if not self._is_person(topic.id):
            return other
        nouns = {token.norm for token in asked}
        of_her, of_him = bool(nouns & _HER), bool(nouns & _HIS)
        if of_her is not of_him:
            return other if of_her is female else topic.id
        values = ("female",) if female else ("male",)
        fits = [self._fits(one, values) for one in (topic.id, other)]
        if fits[0] is not fits[1]:
            first = fits[0] or (fits[0] is None and fits[1] is False)
            return topic.id if first else other
        return ""

    def _is_person(self, id_: str) -> bool:
        edges = [name for label in _PERSONAL for name in self._named(label)]
        return any(
            self._source.statements(id_, property=name, limit=1).statements for name in edges
        )

    def _named(self, label: str) -> list[str]:
        return sorted(self._index.named(label))

    def _fits(self, id_: str, values: Sequence[str]) -> bool | None:
        """Tell whether somebody is a woman (or man), as far as the graph shows it."""
        for name in self._named("sex or gender"):
            for one in self._source.statements(id_, property=name, limit=1).statements:
                if isinstance(one.value, EntityValue):
                    entity = self._source.entities((one.value.id,)).get(one.value.id)
                    return entity is not None and normalise_name(entity.label) in values
        labels = self._index.name_of
        evidence = evidence_for(values, self._named, lambda name, label: labels(name) == label)
        for edges, holds in ((evidence.shown, True), (evidence.against, False)):
            if edges and others_of(self._source, (id_,), edges):
                return holds
        return None
