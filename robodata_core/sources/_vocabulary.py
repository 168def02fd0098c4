"""Which predicates of a graph hold names and types, and which hold facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from robodata_core.iris import RDF, RDFS, SCHEMA, SKOS, WDT

__all__ = ["Vocabulary", "any_predicate"]

_PROP: Final = "http://www.wikidata.org/prop/"
#: Nodes and links of Wikidata's encoding, which are no facts of their own.
_ENCODING: Final = (_PROP, "http://wikiba.se/ontology#", "http://www.w3.org/ns/prov#")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Which predicates hold the names and types of a graph.

    Attributes:
        labels: Predicates of labels, best first.
        descriptions: Predicates of descriptions.
        aliases: Predicates of further names.
        types: Predicates of types.
        popularity: Predicates of counts that tell how well known something is.
    """

    labels: tuple[str, ...] = (RDFS + "label",)
    descriptions: tuple[str, ...] = (SCHEMA + "description", RDFS + "comment")
    aliases: tuple[str, ...] = (SKOS + "altLabel",)
    types: tuple[str, ...] = (RDF + "type", WDT + "P31")
    popularity: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that is a name or description: no facts about the thing itself."""
        return (*self.labels, *self.descriptions, *self.aliases)


def is_fact(iri: str, only: str, vocabulary: Vocabulary) -> bool:
    """Tell whether a predicate passes the filter of ``any_predicate``."""
    if only:
        return iri.startswith(only)
    encodes = iri.startswith(_ENCODING) and not iri.startswith(f"{_PROP}direct/")
    return iri not in vocabulary.names and not encodes


def any_predicate(only: str, vocabulary: Vocabulary) -> str:
    """Return the filter that keeps facts: predicates that begin with ``only``, if it is given."""
    if only:
        return f'FILTER(STRSTARTS(STR(?p), "{only}"))'
    names = ", ".join(f"<{name}>" for name in vocabulary.names)
    spaces = " && ".join(f'!STRSTARTS(STR(?p), "{space}")' for space in _ENCODING)
    direct = f'STRSTARTS(STR(?p), "{_PROP}direct/")'
    return f"FILTER(?p NOT IN ({names}) && ({direct} || ({spaces})))"
