from __future__ import annotations

from collections.abc import Callable

import pytest

from robodata_core.cancellation import CancelToken
from robodata_core.errors import DeadlineExceededError
from robodata_core.model import EntityValue
from robodata_core.tools.base import ToolCall

from .desk import Desk


@pytest.fixture(autouse=True)
def _graph(desk: Desk) -> None:
    desk.known.add(["P36", "P17", "P26", "P2048", "P31"])
    desk.text("fetch_relationship_from_node", nodes="Q16", property="P36")
    desk.text("fetch_relationship_from_node", nodes="Q42", property="P26")
    desk.text("fetch_relationship_from_node", nodes="Q42", property="P2048")


def test_a_node_with_its_triples_and_handles(desk: Desk) -> None:
    result = desk.call("get_node", node="Q42")
    assert result.output.text.splitlines() == [
        "Douglas Adams (Q42): human; writer",
        "2 triples about it, 0 triples pointing to it in the local graph.",
        "T2: Douglas Adams (Q42) — spouse (P26) → Jane Belson (Q1)",
        "T3: Douglas Adams (Q42) — height (P2048) → 1.96 metre (Q11573)",
    ]
    node = result.output.data
    assert node.outgoing_total == 2 and node.incoming == ()
    assert "1 triple pointing to it" in desk.text("get_node", node="Q1930")


def test_a_page_of_a_node(desk: Desk) -> None:
    text = desk.text("get_node", node="Q42", limit=1)
    assert "T3" not in text and "Shown: 1 to 1 of 2." in text
    assert "T3" in desk.text("get_node", node="Q42", limit=1, offset=1)
    assert "T2" not in desk.text("get_node", node="Q42", property="P2048")


def test_nodes_of_the_graph_are_known_even_if_this_run_did_not_show_them(
    desk: Desk, source: object
) -> None:
    fresh = Desk(source, desk.store, question="And now?")
    assert "Ottawa" in fresh.text("get_node", node="Q1930")
    assert fresh.data("get_relation", entities="Q1930")
    assert "has not been shown" in fresh.refusal("get_node", node="Q777")


def test_a_node_that_is_not_there(desk: Desk) -> None:
    desk.known.add(["Q777"])
    text = desk.refusal("get_node", node="Q777")
    assert "no node Q777 in the local graph" in text and "fetch_node" in text


def test_an_edge_with_all_that_is_known_about_it(desk: Desk) -> None:
    result = desk.call("get_edge", edge="T2")
    lines = result.output.text.splitlines()
    assert lines[0] == "T2: Douglas Adams (Q42) — spouse (P26) → Jane Belson (Q1)"
    assert "from fake, fetched 2025-01-02 03:04 UTC by fetch_relationship_from_node" in lines[1]
    assert "  rank: preferred" in lines and "  statement: Q42$abc" in lines
    assert "  qualifiers: start time (P580): 25 November 1991" in lines
    assert result.output.data.handle == "T2"
    assert "no triple T99" in desk.refusal("get_edge", edge="T99")


def test_sparql_over_the_local_graph(desk: Desk) -> None:
    text = desk.text(
        "sparql_query_local",
        query="SELECT ?x ?name { wd:Q16 wdt:P36 ?x . ?x rdfs:label ?name }",
    )
    assert text.splitlines()[0] == "1 row, 2 columns: x | name"
    assert "Ottawa (Q1930)" in text
    assert "its answer is true" in desk.text(
        "sparql_query_local", query="ASK { wd:Q42 wdt:P26 wd:Q1 }"
    )


@pytest.mark.parametrize(
    ("query", "opening"),
    [
        ("SELECT ?x { wd:Q16 wdt:P36 }", "SPARQL syntax error"),
        ("DELETE WHERE { ?s ?p ?o }", "Refused"),
        ("SELECT * { SERVICE <http://localhost:1/> { ?s ?p ?o } }", "http://localhost:1/ has not"),
        ("SELECT * { ?s ?p wd:Q4242 }", "Q4242 has not been shown"),
        ("LOAD <http://www.w3.org/x>", "Refused"),
    ],
)
def test_local_queries_that_are_not_run(desk: Desk, query: str, opening: str) -> None:
    before = desk.store.edge_count
    assert desk.refusal("sparql_query_local", query=query).startswith(opening)
    assert desk.store.edge_count == before


def test_an_empty_answer_is_not_an_error(desk: Desk) -> None:
    assert "valid but found nothing" in desk.text(
        "sparql_query_local", query="SELECT ?x { wd:Q42 wdt:P36 ?x }"
    )


# -- Cypher -----------------------------------------------------------------------------------


@pytest.fixture
def cypher(desk: Desk) -> Callable[[str], str]:
    pytest.importorskip("grandcypher", reason="the extra `cypher` is not installed")
    return lambda query: desk.text("cypher_query", query=query)


def test_cypher_over_nodes_relationships_and_values(
    desk: Desk, cypher: Callable[[str], str]
) -> None:
    text = cypher("MATCH (a {id: 'Q16'})-[r:P36]->(b) RETURN b.id, b.label, r.handle")
    assert text.splitlines() == [
        "1 row, 3 columns: b.id | b.label | r.handle",
        'Ottawa (Q1930) | "Ottawa" | "T1"',
    ]
    assert "Q1930" in desk.known
    rows = cypher("MATCH (a:Entity)-[r]->(b:Literal) WHERE b.value > 1.5 RETURN a, b, r")
    assert 'Douglas Adams (Q42) | 1.96 metre (Q11573) | "T3"' in rows
    assert "n\n3" in cypher("MATCH (a)-[r]->(b) RETURN count(r) AS n")


@pytest.mark.parametrize(
    ("query", "opening"),
    [
        ("CREATE (a {id: 'Q16'})", "Refused"),
        ("MATCH (a) SET a.label = 'x' RETURN a", "Refused"),
        ("MATCH (a) DETACH DELETE a", "Refused"),
        ("MERGE (a) RETURN a", "Refused"),
        ("MATCH (a)-[r]-(b) RETURN a", "Refused: Every relationship"),
        ("MATCH (a {id: 'Q4242'}) RETURN a", "Q4242 has not been shown"),
    ],
)
def test_cypher_that_is_not_run(desk: Desk, query: str, opening: str) -> None:
    before = desk.store.edge_count
    assert desk.refusal("cypher_query", query=query).startswith(opening)
    assert desk.store.edge_count == before


def test_cypher_that_is_not_understood(desk: Desk, cypher: Callable[[str], str]) -> None:
    text = desk.refusal("cypher_query", query="SELECT everything")
    assert text.startswith("Cypher syntax error") and "Supported: MATCH" in text
    text = desk.refusal("cypher_query", query="MATCH (a)-[r]->(b) RETURN r, count(b)")
    assert text.startswith("The query is understood but cannot be carried out")


def test_words_in_strings_are_no_clauses(cypher: Callable[[str], str]) -> None:
    text = cypher("MATCH (a) WHERE a.label = 'DELETE -[x]-' RETURN a.id")
    assert "found nothing" in text


def test_cypher_without_its_library(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    text = desk.refusal("cypher_query", query="MATCH (a) RETURN a")
    assert "grand-cypher is not installed" in text and "sparql_query_local" in text


def test_cypher_stops_when_time_is_up(desk: Desk, cypher: Callable[[str], str]) -> None:
    """Eight unconnected pairs over any graph have more matches than anybody can wait for."""
    pairs = [(f"a{n}", f"b{n}") for n in range(8)]
    query = " ".join(f"MATCH ({a})-[r{a}]->({b})" for a, b in pairs)
    desk.text("build_local_graph", nodes=["Q42", "Q16"], direction="both", hops=3)
    context = desk.context()
    context.cancel = CancelToken(1.0)
    call = ToolCall("cypher_query", {"query": query + " RETURN a0"})
    try:
        result = desk.box.execute(call, context)
    except DeadlineExceededError:
        return
    assert not result.ok and result.output.text.startswith("Timeout or size limit")


def test_objects_are_told_by_their_kind(desk: Desk) -> None:
    page, total = desk.store.match(object=EntityValue("Q1930"))
    assert total == 1 and page[0].handle == "T1"
