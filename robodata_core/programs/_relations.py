"""What "any relation" means, and which property says that one class lies within another.

Executor and compiler share these rules. A relation joins two entities; the inner workings of
statement nodes, lists and provenance are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from robodata_core.iris import OWL, PROV, RDF, RDFS, SCHEMA, SKOS, WIKIBASE
from robodata_core.model import EntityValue, Statement

__all__ = [
    "ENCODING",
    "GENID",
    "GENID_PATH",
    "NO_RELATIONS",
    "NO_RELATION_SPACES",
    "TYPE",
    "VOCABULARIES",
    "joins_entities",
    "says_something",
    "subclass_properties",
]

TYPE: Final = RDF + "type"

_WIKIDATA_PROPERTIES: Final = "http://www.wikidata.org/prop/"
_ROBODATA: Final = "urn:robodata:"

#: Namespaces of statement nodes, value nodes and provenance. Wikidata's direct predicates lie in
#: the first one, but are known here by their short ids.
NO_RELATION_SPACES: Final = (_WIKIDATA_PROPERTIES, WIKIBASE, PROV, _ROBODATA)

#: Single predicates: lists, where something is defined, pages about a thing.
NO_RELATIONS: Final = (
    RDF + "first",
    RDF + "rest",
    RDFS + "isDefinedBy",
    RDFS + "seeAlso",
    SCHEMA + "about",
)


#: What the IRIs of classes begin with that no statement is made of: how a thing is encoded, or
#: declared (``a owl:Class``). Snapshots leave the same ones out.
ENCODING: Final = (WIKIBASE, _WIKIDATA_PROPERTIES, _ROBODATA, RDF, RDFS, OWL)

#: Likewise of classes that say how a thing is written down, not what it is. To be of one is a
#: statement, but makes no neighbours.
VOCABULARIES: Final = (*ENCODING, PROV, SKOS + "Concept", SCHEMA + "Article", SCHEMA + "Dataset")

GENID: Final = "urn:robodata:genid:"
GENID_PATH: Final = "/.well-known/genid/"


def says_something(statement: Statement) -> bool:
    """Tell whether a statement counts at all.

    It does not if its subject is unknown (a blank node, or what replaces one), or if it only
    says how its subject is encoded or declared: ``rdf:type wikibase:Item``, ``owl:Class``.
    """
    subject, value = statement.subject, statement.value
    if ":" in subject and (subject.startswith(("_:", GENID)) or GENID_PATH in subject):
        return False
    if statement.property != TYPE or type(value) is not EntityValue:
        return True
    return not value.id.startswith(ENCODING)


def joins_entities(statement: Statement) -> bool:
    """Tell whether following "any relation" goes along ``statement``."""
    value, property_ = statement.value, statement.property
    if type(value) is not EntityValue:
        return False
    if ":" not in property_:
        # Whatever else Wikidata's properties lead to is a page or a file.
        return ":" not in value.id
    if property_ == TYPE and value.id.startswith(VOCABULARIES):
        return False
    return property_ not in NO_RELATIONS and not property_.startswith(NO_RELATION_SPACES)


def subclass_properties(classes: Sequence[str], via: Sequence[str]) -> tuple[str, ...]:
    """Return the properties that lead from classes to their superclasses.

    Args:
        classes: The classes.
        via: The relations that say what a thing is.

    Returns:
        Wikidata's where these name anything of Wikidata's, RDF Schema's where it names an IRI.
    """
    named = (*classes, *via)
    short = any(":" not in id_ for id_ in named)
    absolute = any(":" in id_ for id_ in named)
    return ("P279",) * short + (RDFS + "subClassOf",) * absolute
