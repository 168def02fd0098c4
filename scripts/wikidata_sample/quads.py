"""Writes facts and names as quads in Wikidata's RDF.

A fact is a direct triple in the named graph of its data set; the snapshot's writer joins the
graphs of a triple that several data sets state. Where a fact has more than a plain value
(a unit, a precision, qualifiers, a rank that is not normal) a full statement node stands beside it
in the same graph. Labels, aliases, descriptions and datatypes stand in the default graph.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad

from robodata_core.iris import RDF, RDFS, SCHEMA, SKOS, WIKIBASE
from robodata_core.model import CoordinateValue, QuantityValue, Rank, TimeValue, Triple, Value
from robodata_core.store.terms import (
    digest,
    entity_node,
    property_node,
    triple_to_terms,
    value_node,
    value_to_term,
)
from wikidata_sample.facts import Fact
from wikidata_sample.names import ItemName, PropertyName

__all__ = ["dataset_graph", "fact_quads", "item_quads", "property_quads"]

TYPE = NamedNode(RDF + "type")
LABEL = NamedNode(RDFS + "label")
ALIAS = NamedNode(SKOS + "altLabel")
DESCRIPTION = NamedNode(SCHEMA + "description")
NAMES = DefaultGraph()
_FULL = (QuantityValue, TimeValue, CoordinateValue)


def dataset_graph(dataset: str) -> NamedNode:
    """Return the named graph of a data set."""
    return NamedNode(f"urn:robodata:dataset:{dataset}")


def fact_quads(fact: Fact) -> Iterator[Quad]:
    """Yield the direct triple of a fact, once for each data set, and any statement node."""
    subject, direct, value = triple_to_terms(Triple(fact.subject, fact.prop, fact.value))
    for dataset in fact.datasets if fact.truthy else ():
        yield Quad(subject, direct, value, dataset_graph(dataset))
    graph = dataset_graph(fact.datasets[0])
    full = isinstance(fact.value, _FULL)
    if not full and not fact.qualifiers and fact.rank is Rank.NORMAL and fact.truthy:
        return
    key = digest(direct.value, str(value), fact.rank.value)
    owner = fact.subject if ":" not in fact.subject else digest(fact.subject)
    node = NamedNode(f"urn:robodata:statement:{owner}-{key}")
    yield Quad(subject, property_node(fact.prop, "claim"), node, graph)
    yield Quad(node, TYPE, NamedNode(WIKIBASE + "Statement"), graph)
    if fact.truthy:
        yield Quad(node, TYPE, NamedNode(WIKIBASE + "BestRank"), graph)
    rank = NamedNode(f"{WIKIBASE}{fact.rank.value.capitalize()}Rank")
    yield Quad(node, NamedNode(WIKIBASE + "rank"), rank, graph)
    yield Quad(node, property_node(fact.prop, "statement"), value, graph)
    yield from _full_value(node, fact.prop, "statement", fact.value, graph)
    for prop, qualifier in fact.qualifiers:
        yield Quad(node, property_node(prop, "qualifier"), value_to_term(qualifier), graph)
        yield from _full_value(node, prop, "qualifier", qualifier, graph)


def _full_value(
    node: NamedNode, prop: str, role: str, value: Value, graph: NamedNode
) -> Iterator[Quad]:
    if isinstance(value, _FULL):
        value_at, described = value_node(value)
        yield Quad(node, property_node(prop, f"{role}/value"), value_at, graph)
        for predicate, term in described:
            yield Quad(value_at, predicate, term, graph)


def item_quads(item: str, name: ItemName, description: str) -> Iterator[Quad]:
    """Yield an item's label, aliases and description."""
    subject = entity_node(item)
    if name.label:
        yield Quad(subject, LABEL, Literal(name.label, language="en"), NAMES)
    for alias, language in name.aliases:
        yield Quad(subject, ALIAS, Literal(alias, language=language), NAMES)
    if description:
        yield Quad(subject, DESCRIPTION, Literal(description, language="en"), NAMES)


def property_quads(prop: str, name: PropertyName, description: str) -> Iterator[Quad]:
    """Yield a property's names, datatype and direct predicate."""
    subject = entity_node(prop)
    yield Quad(subject, TYPE, NamedNode(WIKIBASE + "Property"), NAMES)
    datatype = NamedNode(WIKIBASE + name.datatype)
    yield Quad(subject, NamedNode(WIKIBASE + "propertyType"), datatype, NAMES)
    direct = property_node(prop)
    yield Quad(subject, NamedNode(WIKIBASE + "directClaim"), direct, NAMES)
    names = ItemName(name.label, tuple((alias, "en") for alias in name.aliases))
    yield from item_quads(prop, names, description)
