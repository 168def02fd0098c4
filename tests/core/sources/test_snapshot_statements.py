"""Statements of a snapshot: ranks, values, qualifiers, pages; the same in both forms."""

from __future__ import annotations

from decimal import Decimal

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robodata_core.errors import NotFoundError
from robodata_core.iris import id_from_iri, predicate_iri
from robodata_core.model import (
    CoordinateValue,
    Direction,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    NoValue,
    QuantityValue,
    Rank,
    RelationCount,
    Snak,
    SomeValue,
    Statement,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import load_files, write_snapshot

HOME = "http://example.org/home#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def only(source: SnapshotSource, id_: str, property_: str, **options: bool) -> Statement:
    (statement,) = source.statements(id_, property=property_, **options).statements
    return statement


def test_it_is_a_knowledge_source(source: SnapshotSource) -> None:
    assert isinstance(source, KnowledgeSource)
    assert source.name == "snapshot:tiny"


@pytest.mark.parametrize(
    ("id_", "property_", "value"),
    [
        ("Q16", "P36", EntityValue("Q1930")),
        ("Q16", "P625", CoordinateValue(56.0, -109.0)),
        ("Q16", "P856", UrlValue("https://canada.ca/")),
        ("Q16", "P1448", MonolingualTextValue("Canada", "fr")),
        ("Q42", "P214", ExternalIdValue("113230702")),
        ("Q42", "P569", TimeValue(1952, 3, 11)),
        ("Q172", "P2048", QuantityValue(Decimal(76), "Q11573")),
        ("Q21454969", "P26", SomeValue()),
        ("Q21454969", "P40", NoValue()),
        (HOME + "cup_1", HOME + "hasColor", StringValue("blue")),
        (HOME + "cup_1", HOME + "onTopOf", EntityValue(HOME + "table_1")),
        (HOME + "cup_1", RDF_TYPE, EntityValue(HOME + "Cup")),
    ],
)
def test_values_have_their_kind(
    source: SnapshotSource, id_: str, property_: str, value: Value
) -> None:
    assert only(source, id_, property_).value == value


def test_truthy_is_the_preferred_rank(source: SnapshotSource) -> None:
    statement = only(source, "Q16", "P1082")
    assert (statement.value, statement.rank) == (QuantityValue(Decimal(40000000)), Rank.PREFERRED)
    assert statement.id == "Q16$new"
    year = TimeValue(2023, precision=9)
    assert statement.qualifiers == (Snak("P585", year),)
    (reference,) = statement.references
    assert reference.hash == "abc"
    assert reference.snaks == (Snak("P856", UrlValue("https://statcan.example/")),)


def test_all_ranks_are_there_on_request(source: SnapshotSource) -> None:
    page = source.statements("Q16", property="P1082", all_ranks=True)
    assert page.total == 3
    assert {statement.rank for statement in page.statements} == set(Rank)


def test_qualifiers_may_say_that_there_is_no_value(source: SnapshotSource) -> None:
    statement = only(source, "Q42", "P26")
    assert statement.qualifiers == (
        Snak("P580", TimeValue(1991, 11, 25)),
        Snak("P582", NoValue()),
    )


def test_the_data_set_is_the_origin(source: SnapshotSource) -> None:
    assert only(source, "Q16", "P36").origin == "places"
    assert only(source, HOME + "cup_1", HOME + "hasColor").origin == ""
    assert only(source, "Q16", "P36").source == "snapshot:tiny"


def test_a_triple_of_two_data_sets_is_one_statement(source: SnapshotSource) -> None:
    assert only(source, "Q42", "P106").origin == "people+works"


def test_incoming_statements_name_their_subjects(source: SnapshotSource) -> None:
    page = source.statements("Q16", direction=Direction.IN)
    assert page.total == 2
    assert {statement.subject for statement in page.statements} == {"Q1930", "Q172"}
    (spouse,) = source.statements("Q14623681", direction=Direction.IN, property="P26").statements
    assert (spouse.subject, spouse.id) == ("Q42", "Q42$b88670f8")
    assert spouse.qualifiers[0].property == "P580"


def test_encoding_is_no_fact(source: SnapshotSource) -> None:
    assert source.statements("P36").total == 0
    assert source.entity("Q21454969").types == ("Q5",)


def test_pages_join_to_the_whole(source: SnapshotSource) -> None:
    whole = source.statements("Q42", limit=100)
    assert whole.total == len(whole.statements) == 8
    parts = [source.statements("Q42", limit=3, offset=offset) for offset in (0, 3, 6, 9)]
    assert tuple(item for part in parts for item in part.statements) == whole.statements
    assert {part.total for part in parts} == {8}
    assert [part.truncated for part in parts] == [True, True, True, True]
    assert source.statements("Q42", limit=0).total == 8
    assert source.statements("Q42", limit=-5, offset=-5).statements == ()


def test_many_are_the_same_as_one_by_one(source: SnapshotSource) -> None:
    ids = ["Q42", "Q16", "Q999999", "not an id", HOME + "cup_1"]
    for direction in Direction:
        pages = source.statements_many(ids, direction=direction, limit=5)
        assert list(pages) == ids
        for id_ in ids:
            assert pages[id_] == source.statements(id_, direction=direction, limit=5)


def test_ends_are_those_of_the_statements(source: SnapshotSource) -> None:
    ids = ["Q42", "Q16", "Q1930", "Q5", "Q21454969", "Q999999", "not an id", HOME + "cup_1"]
    properties = {item.property for item in source.relations(ids)}
    assert {"P40", "P1082", "P31", RDF_TYPE} <= properties
    for property_ in (*sorted(properties), "P999999", "Q5", "not an id"):
        for limit in (0, 1, 100):
            shared = {"property": property_, "limit": limit}
            out = source.statements_many(ids, direction=Direction.OUT, **shared)
            ends = source.ends_many(ids, direction=Direction.OUT, **shared)
            assert {id_: list(found) for id_, found in ends.items()} == {
                id_: [item.value for item in page.statements] for id_, page in out.items()
            }
            in_ = source.statements_many(ids, direction=Direction.IN, **shared)
            ends = source.ends_many(ids, direction=Direction.IN, **shared)
            assert {id_: list(found) for id_, found in ends.items()} == {
                id_: [EntityValue(item.subject) for item in page.statements]
                for id_, page in in_.items()
            }


def test_ends_around_are_those_of_the_statements(source: SnapshotSource) -> None:
    for id_ in ("Q42", "Q16", "Q1930", "Q5", "Q21454969", "Q999999", "not an id", HOME + "cup_1"):
        for direction in Direction:
            for limit in (0, 1, 3, 100):
                page = source.statements(id_, direction=direction, limit=limit)
                wanted: dict[str, list[Value]] = {}
                for item in page.statements:
                    out = direction is Direction.OUT
                    end = item.value if out else EntityValue(item.subject)
                    wanted.setdefault(item.property, []).append(end)
                ends = source.ends_around(id_, direction=direction, limit=limit)
                assert {name: list(found) for name, found in ends.items() if found} == wanted


def test_pairs_are_what_a_query_finds(source: SnapshotSource) -> None:
    near = source.capabilities().near
    for name in ("P31", "P1082", RDF_TYPE):
        found = source.sparql(f"SELECT ?s ?o {{ ?s <{predicate_iri(name)}> ?o }}").rows
        pairs = source.pairs(name, most=len(found))
        if near is not None:
            assert pairs is not None
            assert sorted(map(repr, pairs)) == sorted(map(repr, found))
        assert source.pairs(name, most=len(found) - 1) is None
    assert source.pairs("P999999", most=10) is None


def test_relations_count_what_is_there(source: SnapshotSource) -> None:
    assert source.relations(["Q1930", "Q172"], direction=Direction.OUT) == (
        RelationCount("P17", Direction.OUT, 2),
        RelationCount("P31", Direction.OUT, 2),
        RelationCount("P2048", Direction.OUT, 1),
    )
    both = source.relations(["Q16"])
    assert RelationCount("P1082", Direction.OUT, 1) in both
    assert RelationCount("P17", Direction.IN, 2) in both
    assert source.relations([]) == source.relations(["Q999999", "nonsense"]) == ()


@pytest.mark.parametrize("id_", ["Q999999", "", "Q", "x y", "http://example.org/none", "P31 OR 1"])
def test_unknown_ids_are_not_found_and_have_no_statements(source: SnapshotSource, id_: str) -> None:
    assert source.statements(id_).total == 0
    assert source.statements("Q42", property=id_).total == 0
    with pytest.raises(NotFoundError):
        source.entity(id_)
    with pytest.raises(NotFoundError):
        source.property(id_)
    assert source.entities([id_, "Q42"]).keys() == {"Q42"}


def test_entities_have_names_types_and_a_description(source: SnapshotSource) -> None:
    entity = source.entity("Q42")
    assert (entity.label, entity.types) == ("Douglas Adams", ("Q5",))
    assert set(entity.aliases) == {"Douglas Noël Adams", "DNA"}
    assert entity.description == "human; writer; United Kingdom"
    assert entity.popularity > 5
    assert source.entity("Q1930").description == "capital of Canada"
    assert source.entity("Q25169").description == "notable work of Douglas Adams"


def test_things_without_a_label_are_called_by_their_iri(source: SnapshotSource) -> None:
    entity = source.entity(HOME + "DesignedContainer")
    assert (entity.label, entity.aliases) == ("Designed Container", ("DesignedContainer",))
    assert entity.description == "Something made to hold things."
    assert source.property(HOME + "onTopOf").label == "on top of"
    assert source.property(RDF_TYPE).label == "type"


def test_properties_have_datatypes_and_uses(source: SnapshotSource) -> None:
    capital = source.property("P36")
    assert (capital.label, capital.aliases) == ("capital", ("capital city",))
    assert (capital.datatype, capital.uses) == ("wikibase-item", 1)
    assert source.property("P569").datatype == "time"
    assert source.property("P585").uses == 0
    everything = source.all_properties()
    assert [item.uses for item in everything] == sorted(
        (item.uses for item in everything), reverse=True
    )
    assert everything[0].id == "P31"


def test_sparql_sees_labels_and_facts(source: SnapshotSource) -> None:
    result = source.sparql(
        'SELECT ?city WHERE { ?c rdfs:label "Canada"@en . ?city wdt:P17 ?c } ORDER BY ?city'
    )
    assert result.rows == ((EntityValue("Q172"),), (EntityValue("Q1930"),))


# -- any graph --------------------------------------------------------------------------------

NODES = [f"http://www.wikidata.org/entity/Q{n}" for n in range(1, 6)] + [
    "http://e.org/a",
    "http://e.org/b",
]
PREDICATES = [
    "http://www.wikidata.org/prop/direct/P1",
    "http://www.wikidata.org/prop/direct/P2",
    "http://e.org/p",
]
triples = st.tuples(
    st.sampled_from(NODES),
    st.sampled_from(PREDICATES),
    st.one_of(
        st.sampled_from(NODES), st.text(alphabet='ab"\\\n<> é.', max_size=6).map(lambda t: f'"{t}')
    ),
    st.sampled_from(["", "urn:robodata:dataset:one", "urn:robodata:dataset:two"]),
)


def to_quad(triple: tuple[str, str, str, str]) -> ox.Quad:
    subject, predicate, object_, graph = triple
    term = ox.Literal(object_[1:]) if object_[0] == '"' else ox.NamedNode(object_)
    where = ox.NamedNode(graph) if graph else ox.DefaultGraph()
    return ox.Quad(ox.NamedNode(subject), ox.NamedNode(predicate), term, where)


def around(source: SnapshotSource, direction: Direction) -> set[tuple[str, str, str]]:
    found = set()
    for node in NODES:
        page = source.statements(id_from_iri(node), direction=direction, limit=1_000)
        assert page.total == len(page.statements) == len(set(page.statements))
        for statement in page.statements:
            value = statement.value
            text = f'"{getattr(value, "text", "")}'
            if isinstance(value, EntityValue | UrlValue):
                text = value.id if isinstance(value, EntityValue) else value.url
            found.add((statement.subject, statement.property, text))
    return found


@settings(max_examples=15)
@given(st.lists(triples, max_size=40), st.booleans())
def test_statements_are_exactly_the_triples(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str, str, str]],
    small: bool,
) -> None:
    folder = tmp_path_factory.mktemp("random")
    quads = [to_quad(row) for row in rows]
    if small:
        write_snapshot(quads, folder / "s", name="s")
    else:
        file = folder / "s.nq"
        file.write_bytes(ox.serialize(quads, format=ox.RdfFormat.N_QUADS) or b"")
        load_files([file], folder / "s", small=0)
    expected = {
        (id_from_iri(s), id_from_iri(p), o if o[0] == '"' else id_from_iri(o))
        for s, p, o, _ in rows
    }
    with open_snapshot(folder / "s") as source:
        assert around(source, Direction.OUT) == expected
        assert around(source, Direction.IN) == {row for row in expected if row[2][0] != '"'}
        counts = source.relations([id_from_iri(node) for node in NODES], direction=Direction.OUT)
        assert sum(count.count for count in counts) == len(expected)
