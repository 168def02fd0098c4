"""Names and statements as quads in Wikidata's RDF, as snapshots hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import pyoxigraph as ox

from robodata_core.iris import RDF, RDFS, SCHEMA, SKOS, WIKIBASE
from robodata_core.model import CoordinateValue, NoValue, QuantityValue, Statement, TimeValue, Value
from robodata_core.store.terms import digest, entity_node, property_node, value_node, value_to_term

__all__ = ["FULL", "name_quads", "property_quads", "said_quads", "statement_quads"]

FULL: Final = (QuantityValue, TimeValue, CoordinateValue)
"""Values that say more than their term does: units, precision."""


def name_quads(
    id_: str, label: str, aliases: Iterable[str], description: str, language: str = "en"
) -> Iterator[ox.Quad]:
    """Yield what an entity or property is called in a language; what is empty is left out."""
    for predicate, texts in (
        (RDFS + "label", (label,)),
        (SKOS + "altLabel", aliases),
        (SCHEMA + "description", (description,)),
    ):
        for text in filter(None, texts):
            literal = ox.Literal(text, language=language)
            yield ox.Quad(entity_node(id_), ox.NamedNode(predicate), literal)


def property_quads(id_: str, datatype: str) -> Iterator[ox.Quad]:
    """Yield that something is a property, and its data type by the name that RDF has for it."""
    node = entity_node(id_)
    yield ox.Quad(node, ox.NamedNode(RDF + "type"), ox.NamedNode(WIKIBASE + "Property"))
    if datatype:
        kind = ox.NamedNode(WIKIBASE + datatype)
        yield ox.Quad(node, ox.NamedNode(WIKIBASE + "propertyType"), kind)


def statement_quads(statement: Statement, graph: ox.NamedNode) -> Iterator[ox.Quad]:
    """Yield a statement with rank, qualifiers and references."""
    subject, prop = entity_node(statement.subject), statement.property
    value = statement.value
    if isinstance(value, NoValue):
        return
    object_ = value_to_term(value, seed=statement.id or repr(statement.value))
    yield ox.Quad(subject, property_node(prop), object_, graph)
    node = ox.NamedNode(f"urn:robodata:statement:{digest(repr(statement))}")
    yield ox.Quad(subject, property_node(prop, "claim"), node, graph)
    rank = f"{WIKIBASE}{statement.rank.value.capitalize()}Rank"
    yield ox.Quad(node, ox.NamedNode(WIKIBASE + "rank"), ox.NamedNode(rank), graph)
    yield from said_quads(node, prop, "statement", value, graph, object_)
    for snak in statement.qualifiers:
        yield from said_quads(node, snak.property, "qualifier", snak.value, graph)
    for reference in statement.references:
        place = ox.NamedNode(f"urn:robodata:reference:{digest(repr(reference))}")
        derived = ox.NamedNode("http://www.w3.org/ns/prov#wasDerivedFrom")
        yield ox.Quad(node, derived, place, graph)
        for snak in reference.snaks:
            yield from said_quads(place, snak.property, "reference", snak.value, graph)


def said_quads(
    node: ox.NamedNode,
    prop: str,
    role: str,
    value: Value,
    graph: ox.NamedNode,
    term: ox.NamedNode | ox.BlankNode | ox.Literal | None = None,
) -> Iterator[ox.Quad]:
    """Yield what stands at a statement's node: a value, and all of it where its term says less.

    Args:
        node: The statement's, or a reference's.
        prop: The property.
        role: ``statement``, ``qualifier`` or ``reference``.
        value: The value; "no value" says nothing.
        graph: Where it is said.
        term: The value as a term, if it is known.
    """
    if isinstance(value, NoValue):
        return
    term = term if term is not None else value_to_term(value, seed=f"{node.value} {prop}")
    yield ox.Quad(node, property_node(prop, role), term, graph)
    if isinstance(value, FULL):
        full, facts = value_node(value)
        yield ox.Quad(node, property_node(prop, f"{role}/value"), full, graph)
        for predicate, fact in facts:
            yield ox.Quad(full, predicate, fact, graph)
