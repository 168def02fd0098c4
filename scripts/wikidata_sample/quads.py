"""Writes facts and names as quads in Wikidata's RDF.

A fact is a direct triple in the named graph of its data set; the snapshot's writer joins the
graphs of a triple that several data sets state. Where a fact has more than a plain value
(a unit, a precision, qualifiers, a rank that is not normal) a full statement node stands beside it
in the same graph. Labels, aliases, descriptions and datatypes stand in the default graph.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyoxigraph import NamedNode, Quad

from robodata_core.iris import RDF, WIKIBASE
from robodata_core.model import Rank, Triple
from robodata_core.sources import quads
from robodata_core.sources.quads import FULL, name_quads, said_quads
from robodata_core.store.terms import (
    digest,
    entity_node,
    property_node,
    triple_to_terms,
    value_to_term,
)
from wikidata_sample.facts import Fact
from wikidata_sample.names import ItemName, PropertyName

__all__ = ["dataset_graph", "fact_quads", "item_quads", "property_quads"]

TYPE = NamedNode(RDF + "type")


def dataset_graph(dataset: str) -> NamedNode:
    """Return the named graph of a data set."""
    return NamedNode(f"urn:robodata:dataset:{dataset}")


def fact_quads(fact: Fact) -> Iterator[Quad]:
    """Yield the direct triple of a fact, once for each data set, and any statement node."""
    subject, direct, value = triple_to_terms(Triple(fact.subject, fact.prop, fact.value))
    for dataset in fact.datasets if fact.truthy else ():
        yield Quad(subject, direct, value, dataset_graph(dataset))
    graph = dataset_graph(fact.datasets[0])
    full = isinstance(fact.value, FULL)
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
    yield from said_quads(node, fact.prop, "statement", fact.value, graph, value)
    for prop, qualifier in fact.qualifiers:
        yield from said_quads(node, prop, "qualifier", qualifier, graph, value_to_term(qualifier))


def item_quads(item: str, name: ItemName, description: str) -> Iterator[Quad]:
    """Yield an item's label, aliases and description."""
    yield from name_quads(item, name.label, (), description)
    for alias, language in name.aliases:
        yield from name_quads(item, "", (alias,), "", language)


def property_quads(prop: str, name: PropertyName, description: str) -> Iterator[Quad]:
    """Yield a property's names, datatype and direct predicate."""
    yield from quads.property_quads(prop, name.datatype)
    claim = NamedNode(WIKIBASE + "directClaim")
    yield Quad(entity_node(prop), claim, property_node(prop))
    yield from name_quads(prop, name.label, name.aliases, description)
