"""IRIs and the short ids used for them everywhere else.

``Q42`` stands for ``http://www.wikidata.org/entity/Q42`` and ``P36`` for the property entity;
as the predicate of a direct ("truthy") triple ``P36`` is ``.../prop/direct/P36``. Any other
entity or property is named by its absolute IRI. Specification: the RDF dump format of Wikibase
(mediawiki.org, "Wikibase/Indexing/RDF Dump Format").
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote

__all__ = [
    "EACH",
    "INSTANCE_OF",
    "ONLY",
    "OWL",
    "PROV",
    "RDF",
    "RDFS",
    "SCHEMA",
    "SKOS",
    "SOME",
    "SUBCLASS_OF",
    "WD",
    "WDT",
    "WIKIBASE",
    "XSD",
    "class_property",
    "id_from_iri",
    "iri_of",
    "is_anonymous",
    "is_id",
    "is_property_id",
    "member_property",
    "predicate_iri",
]

WD: Final = "http://www.wikidata.org/entity/"
WDT: Final = "http://www.wikidata.org/prop/direct/"
WIKIBASE: Final = "http://wikiba.se/ontology#"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
SCHEMA: Final = "http://schema.org/"
PROV: Final = "http://www.w3.org/ns/prov#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
SOME: Final = "urn:robodata:some:"
ONLY: Final = "urn:robodata:only:"
EACH: Final = "urn:robodata:each:"
"""Properties of classes that say something of their members; docs/SOURCES.md says what."""

INSTANCE_OF: Final = ("P31", RDF + "type")
SUBCLASS_OF: Final = ("P279", RDFS + "subClassOf")
"""The properties that say what something is an instance, and a subclass, of."""

_SHORT = re.compile(r"[QP][1-9][0-9]{0,11}\Z", re.ASCII)
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\\ud800-\udfff]+\Z")


def is_id(text: str) -> bool:
    """Tell whether ``text`` is a well-formed id: ``Q42``, ``P36`` or an absolute IRI."""
    return bool(_SHORT.match(text) or _ABSOLUTE.match(text))


@lru_cache(maxsize=4_096)
def is_property_id(text: str) -> bool:
    """Tell whether ``text`` can name a property: ``P36`` or an absolute IRI."""
    return is_id(text) and not text.startswith("Q")


def iri_of(id_: str) -> str:
    """Return the IRI of the entity or property entity ``id_``.

    Raises:
        ValueError: If ``id_`` is not a well-formed id.
    """
    if _SHORT.match(id_):
        return WD + id_
    if _ABSOLUTE.match(id_):
        return id_
    raise ValueError(f"not an id: {id_!r}")


def predicate_iri(id_: str) -> str:
    """Return the predicate IRI of a direct triple for property ``id_``.

    Raises:
        ValueError: If ``id_`` is not a well-formed property id.
    """
    if _SHORT.match(id_):
        if id_[0] != "P":
            raise ValueError(f"not a property id: {id_!r}")
        return WDT + id_
    return iri_of(id_)


def id_from_iri(iri: str) -> str:
    """Return the short id of an entity or direct-predicate IRI, or the IRI itself."""
    for base in (WD, WDT):
        if iri.startswith(base) and _SHORT.match(iri[len(base) :]):
            return iri[len(base) :]
    return iri


def class_property(property_: str, kind: str = SOME) -> str:
    """Return the property of classes that stands for ``property_`` of their members."""
    return kind + quote(property_, safe="")


def member_property(property_: str) -> str:
    """Return the property of members that a property of classes stands for; empty for others."""
    for kind in (SOME, EACH, ONLY):
        if property_.startswith(kind):
            return unquote(property_[len(kind) :])
    return ""


def is_anonymous(id_: str) -> bool:
    """Tell whether an id stands for a blank node of a file that was loaded."""
    return id_.startswith("urn:robodata:") and ":b:" in id_
