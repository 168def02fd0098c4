from __future__ import annotations

from decimal import Decimal

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.iris import WIKIBASE, XSD
from robodata_core.model import (
    CoordinateValue,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    NoValue,
    QuantityValue,
    SomeValue,
    StringValue,
    TimeValue,
    Triple,
    UrlValue,
    Value,
)
from robodata_core.store import terms as rdf

from .strategies import ids, property_ids, values

WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"


def typed(lexical: str, datatype: str) -> ox.Literal:
    return ox.Literal(lexical, datatype=ox.NamedNode(datatype))


def through_a_graph(value: Value) -> Value:
    """Write a value the way the graph does, and read it back from an Oxigraph store."""
    subject, predicate = ox.NamedNode("urn:s"), ox.NamedNode("urn:p")
    store = ox.Store()
    store.add(ox.Quad(subject, predicate, rdf.value_to_term(value, seed="s p")))
    term = next(store.quads_for_pattern(subject, predicate, None)).object
    if rdf.needs_value_node(value):
        node, facts = rdf.value_node(value)
        store.extend(ox.Quad(node, name, fact) for name, fact in facts)
        found = store.quads_for_pattern(node, None, None)
        full = rdf.value_from_node({quad.predicate.value: quad.object for quad in found})
        assert full is not None
        return full
    return rdf.term_to_value(term, kind=rdf.kind_of(value))


@given(values(no_value=False))
def test_every_value_comes_back_exactly(value: Value) -> None:
    assert through_a_graph(value) == value


@given(values(no_value=False))
def test_values_from_the_strategy_are_canonical(value: Value) -> None:
    assert rdf.canonical(value) == value


@given(ids, property_ids, values())
def test_every_triple_comes_back(subject: str, predicate: str, value: Value) -> None:
    terms = rdf.triple_to_terms(Triple(subject, predicate, value))
    back = rdf.terms_to_triple(*terms, kind=rdf.kind_of(value))
    assert (back.subject, back.predicate) == (subject, predicate)
    if not rdf.needs_value_node(value):
        assert back.object == value


@given(property_ids)
def test_every_role_of_a_property_leads_back_to_it(id_: str) -> None:
    roles = ("direct", "claim", "statement", "statement/value", "qualifier", "qualifier/value")
    for role in (*roles, "reference", "reference/value", "novalue"):
        node = rdf.property_node(id_, role)
        assert rdf.property_from_node(node.value, role) == id_


def test_statement_predicates_are_wikidatas() -> None:
    base = "http://www.wikidata.org/prop/"
    assert rdf.property_node("P36").value == base + "direct/P36"
    assert rdf.property_node("P36", "claim").value == base + "P36"
    assert rdf.property_node("P36", "statement/value").value == base + "statement/value/P36"
    assert rdf.property_node("P36", "novalue").value == base + "novalue/P36"
    assert rdf.property_from_node(base + "statement/value/P36", "statement") is None


@given(st.text(), st.text(max_size=30).map(lambda name: "urn:x:" + name))
def test_no_literal_from_outside_fails(text: str, datatype: str) -> None:
    for name in (datatype, XSD + "dateTime", XSD + "decimal", XSD + "double", WKT, XSD + "gYear"):
        try:
            literal = typed(text, name)
        except ValueError:
            continue  # not an RDF term at all
        value = rdf.term_to_value(literal)
        if isinstance(value, StringValue):
            assert (value.text, value.datatype) == (text, name)


@pytest.mark.parametrize(
    ("lexical", "datatype", "expected"),
    [
        ("+5.50", "decimal", QuantityValue(Decimal("5.5"))),
        ("007", "integer", QuantityValue(Decimal(7))),
        ("1.5E3", "double", QuantityValue(Decimal(1500))),
        ("INF", "double", StringValue("INF", XSD + "double")),
        ("five", "integer", StringValue("five", XSD + "integer")),
        ("1_000", "integer", StringValue("1_000", XSD + "integer")),
        ("1952-03-11T00:00:00Z", "dateTime", TimeValue(1952, 3, 11)),
        ("1952-03-11", "date", TimeValue(1952, 3, 11)),
        ("+1952-03-11T00:00:00Z", "dateTime", TimeValue(1952, 3, 11)),
        ("1952-03-11T10:20:30.5Z", "dateTime", TimeValue(1952, 3, 11, 10, 20, 30, 14)),
        ("1952-03-11T01:00:00+02:00", "dateTime", TimeValue(1952, 3, 10, 23, 0, 0, 14)),
        ("1952-00-00T00:00:00Z", "dateTime", TimeValue(1952, precision=9)),
        ("1952-03-00T00:00:00Z", "dateTime", TimeValue(1952, 3, precision=10)),
        ("-0043-03-15T00:00:00Z", "dateTime", TimeValue(-43, 3, 15)),
        ("-13798000000-01-01T00:00:00Z", "dateTime", TimeValue(-13798000000, 1, 1)),
        ("1952-13-11T00:00:00Z", "dateTime", StringValue("1952-13-11T00:00:00Z", XSD + "dateTime")),
        ("yesterday", "dateTime", StringValue("yesterday", XSD + "dateTime")),
        ("1952", "gYear", TimeValue(1952, precision=9)),
        ("1952-03", "gYearMonth", TimeValue(1952, 3, precision=10)),
        ("true", "boolean", StringValue("true", XSD + "boolean")),
        ("http://x/ y", "anyURI", UrlValue("http://x/ y")),
    ],
)
def test_literals_from_outside(lexical: str, datatype: str, expected: Value) -> None:
    assert rdf.term_to_value(typed(lexical, XSD + datatype)) == expected


@pytest.mark.parametrize(
    ("lexical", "expected"),
    [
        ("Point(13.4 52.5)", CoordinateValue(52.5, 13.4)),
        ("POINT( -1e-05  52 )", CoordinateValue(52.0, -1e-05)),
        (
            "<http://www.wikidata.org/entity/Q111> Point(1 2)",
            CoordinateValue(2.0, 1.0, globe="Q111"),
        ),
        ("LINESTRING(1 2, 3 4)", StringValue("LINESTRING(1 2, 3 4)", WKT)),
        ("Point(1e999 2)", StringValue("Point(1e999 2)", WKT)),
    ],
)
def test_places_from_outside(lexical: str, expected: Value) -> None:
    assert rdf.term_to_value(typed(lexical, WKT)) == expected


def test_unknown_values_are_told_from_entities() -> None:
    assert rdf.term_to_value(ox.BlankNode()) == SomeValue()
    genid = "http://www.wikidata.org/.well-known/genid/0123456789abcdef"
    assert rdf.term_to_value(ox.NamedNode(genid)) == SomeValue()
    assert rdf.term_to_value(ox.NamedNode("http://x/genid")) == EntityValue("http://x/genid")


def test_no_value_is_a_class_and_not_a_term() -> None:
    _, predicate, object_ = rdf.triple_to_terms(Triple("Q1", "P40", NoValue()))
    assert predicate.value.endswith("#type")
    assert object_ == ox.NamedNode("http://www.wikidata.org/prop/novalue/P40")
    with pytest.raises(ValueError, match="absence"):
        rdf.value_to_term(NoValue())


def test_what_the_precision_leaves_open_is_cleared() -> None:
    assert rdf.canonical(TimeValue(1952, 1, 1, precision=9)) == TimeValue(1952, precision=9)
    assert rdf.canonical(QuantityValue(Decimal(5), "Q199")) == QuantityValue(Decimal(5))
    assert rdf.canonical(MonolingualTextValue("x", "zh-Hant")).language == "zh-hant"
    q42 = EntityValue("http://www.wikidata.org/entity/Q42")
    assert rdf.canonical(q42) == EntityValue("Q42")


def test_wikidatas_value_nodes_are_read() -> None:
    facts = {
        WIKIBASE + "timeValue": typed("1952-01-01T00:00:00Z", XSD + "dateTime"),
        WIKIBASE + "timePrecision": typed("9", XSD + "integer"),
        WIKIBASE + "timeCalendarModel": ox.NamedNode("http://www.wikidata.org/entity/Q1985786"),
        "urn:other": ox.Literal("x"),
    }
    expected = TimeValue(1952, precision=9, calendar="Q1985786")
    assert rdf.value_from_node(facts) == expected
    assert rdf.value_from_node({"urn:other": ox.Literal("x")}) is None
    broken = {WIKIBASE + "quantityAmount": ox.Literal("many")}
    assert rdf.value_from_node(broken) is None


def test_odd_language_codes_and_links_survive() -> None:
    for value in (
        MonolingualTextValue("salve", "zh-classical"),
        MonolingualTextValue("salve", "ro mance/1"),
        UrlValue("http://example.org/a b"),
        UrlValue("http://www.wikidata.org/entity/Q42"),
        ExternalIdValue("nm0010930"),
        QuantityValue(Decimal("1E+5000"), "Q11573"),
    ):
        assert through_a_graph(value) == value


def test_half_a_surrogate_pair_can_be_stored() -> None:
    assert rdf.canonical(StringValue("a\ud800b")) == StringValue("a?b")


def test_lookups_find_other_spellings() -> None:
    terms = rdf.lookup_terms(QuantityValue(Decimal(5)))
    assert typed("5", XSD + "integer") in terms
    assert terms[0] == typed("5", XSD + "decimal")
    assert typed("1952-03-11", XSD + "date") in rdf.lookup_terms(TimeValue(1952, 3, 11))
    assert ox.Literal("x", language="en") in rdf.lookup_terms(StringValue("x"))
    assert rdf.lookup_terms(NoValue()) == ()


def test_malformed_ids_are_refused() -> None:
    for call in (
        lambda: rdf.entity_node("42"),
        lambda: rdf.property_node("Q42"),
        lambda: rdf.value_to_term(EntityValue("a b")),
        lambda: rdf.canonical(QuantityValue(Decimal(1), "metre")),
        lambda: rdf.value_to_term(CoordinateValue(float("nan"), 0.0)),
        lambda: rdf.value_to_term(StringValue("x", "not an iri")),
    ):
        with pytest.raises(ValueError):
            call()
