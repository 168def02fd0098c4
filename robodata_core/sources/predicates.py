"""What a predicate is for: a fact, a name, or a part of a full Wikidata statement.

Wikidata's RDF spells one property in many predicates (``wdt:``, ``p:``, ``ps:``, ``pq:`` ...);
here each is sorted by its role and given back with the property it belongs to. Predicates of
other sources are facts, unless they are among the few well-known ones that name things.
"""

from __future__ import annotations

import enum
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote

from robodata_core.iris import (
    OWL,
    PROV,
    RDF,
    RDFS,
    SCHEMA,
    SKOS,
    WD,
    WIKIBASE,
    id_from_iri,
    is_anonymous,
)

__all__ = [
    "ALIASES",
    "DATASET",
    "DATATYPE",
    "DERIVED",
    "DESCRIPTIONS",
    "LABELS",
    "PROPERTY_CLASSES",
    "RANK",
    "SUBCLASS",
    "TYPE",
    "Role",
    "is_encoding",
    "origin_of",
    "predicate_of",
    "role_of",
    "says_nothing",
]

TYPE: Final = RDF + "type"
SUBCLASS: Final = RDFS + "subClassOf"
RANK: Final = WIKIBASE + "rank"
DATATYPE: Final = WIKIBASE + "propertyType"
DERIVED: Final = PROV + "wasDerivedFrom"
DATASET: Final = "urn:robodata:dataset:"

_FOAF: Final = "http://xmlns.com/foaf/0.1/"
_DC: Final = "http://purl.org/dc/elements/1.1/"
_DCT: Final = "http://purl.org/dc/terms/"
_PROP: Final = "http://www.wikidata.org/prop/"

LABELS: Final = (
    RDFS + "label",
    SKOS + "prefLabel",
    SCHEMA + "name",
    _FOAF + "name",
    _DCT + "title",
    _DC + "title",
)
"""Predicates of labels, the one to prefer first."""
ALIASES: Final = (SKOS + "altLabel", SCHEMA + "alternateName")
DESCRIPTIONS: Final = (
    SCHEMA + "description",
    RDFS + "comment",
    SKOS + "definition",
    _DCT + "description",
    _DC + "description",
)
"""Predicates of descriptions, the one to prefer first."""

PROPERTY_CLASSES: Final = frozenset(
    {
        WIKIBASE + "Property",
        RDF + "Property",
        OWL + "ObjectProperty",
        OWL + "DatatypeProperty",
        OWL + "AnnotationProperty",
    }
)
"""Classes whose members are properties, not items."""

_TECHNICAL: Final = (
    WIKIBASE,
    _PROP,
    OWL,
    RDFS,
    RDF,
    SKOS + "Concept",
    SCHEMA + "Article",
    SCHEMA + "Dataset",
    PROV,
)
_DECLARED: Final = (WIKIBASE, OWL, RDFS, RDF)
_NAMES: Final = frozenset((*LABELS, *ALIASES, *DESCRIPTIONS))
_ASIDE: Final = frozenset({SCHEMA + "version", SCHEMA + "dateModified", SCHEMA + "softwareVersion"})


class Role(enum.IntEnum):
    """What a predicate does."""

    FACT = 0
    """``wdt:P36``, or any predicate of another source."""
    NODE = 1
    """``p:P36``: from an entity to a full statement."""
    VALUE = 2
    """``ps:P36``: from a statement to its main value."""
    FULL = 3
    """``psv:P36``: from a statement to the node of its full value."""
    QUALIFIER = 4
    QUALIFIER_FULL = 5
    REFERENCE = 6
    REFERENCE_FULL = 7
    NOVALUE = 8
    """Not a predicate but a class: things that have no value of a property."""
    NAME = 9
    """Labels, aliases and descriptions."""
    ASIDE = 10
    """Bookkeeping that no statement is made of."""


_WIKIDATA_ROLES: Final = {
    "direct": Role.FACT,
    "": Role.NODE,
    "statement": Role.VALUE,
    "statement/value": Role.FULL,
    "qualifier": Role.QUALIFIER,
    "qualifier/value": Role.QUALIFIER_FULL,
    "reference": Role.REFERENCE,
    "reference/value": Role.REFERENCE_FULL,
    "novalue": Role.NOVALUE,
}
_MINTED_ROLES: Final = {
    "claim": Role.NODE,
    "statement": Role.VALUE,
    "statement-value": Role.FULL,
    "qualifier": Role.QUALIFIER,
    "qualifier-value": Role.QUALIFIER_FULL,
    "reference": Role.REFERENCE,
    "reference-value": Role.REFERENCE_FULL,
    "novalue": Role.NOVALUE,
}
_BASES: Final = {
    role: _PROP + (path + "/" if path else "") for path, role in _WIKIDATA_ROLES.items()
}
_MINTED_BASES: Final = {role: f"urn:robodata:{kind}:" for kind, role in _MINTED_ROLES.items()}


@lru_cache(maxsize=65_536)
def role_of(iri: str) -> tuple[Role, str]:
    """Return the role of a predicate and the id of its property (empty where it has none)."""
    if iri.startswith(_PROP):
        path, _, name = iri[len(_PROP) :].rpartition("/")
        role = _WIKIDATA_ROLES.get(path, Role.ASIDE)
        return role, "" if role is Role.ASIDE else id_from_iri(WD + name)
    if iri.startswith("urn:robodata:"):
        kind, _, name = iri[len("urn:robodata:") :].partition(":")
        if kind in _MINTED_ROLES and name.partition("%")[2]:
            return _MINTED_ROLES[kind], unquote(name)
    if iri in _NAMES:
        return Role.NAME, ""
    if iri in _ASIDE or iri.startswith(WIKIBASE):
        return Role.ASIDE, ""
    return Role.FACT, iri


@lru_cache(maxsize=10_000)
def predicate_of(property_: str, role: Role) -> str:
    """Return the predicate IRI of a property in one of its roles."""
    if ":" not in property_:
        return _BASES[role] + property_
    if role is Role.FACT:
        return property_
    return _MINTED_BASES[role] + quote(property_, safe="")


def says_nothing(class_: str) -> bool:
    """Tell whether being of this class is a matter of encoding, not of the thing itself."""
    return class_.startswith(_TECHNICAL) or is_anonymous(class_)


def is_encoding(class_: str) -> bool:
    """Tell whether being of this class says how something is written down: it is no statement."""
    return class_.startswith(_DECLARED) or role_of(class_)[0] is Role.NOVALUE


def origin_of(graph: str) -> str:
    """Return the data set that a named graph stands for; other graphs stand for themselves."""
    return unquote(graph[len(DATASET) :]) if graph.startswith(DATASET) else graph
