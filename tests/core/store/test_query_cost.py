"""The bound on a query's work is a bound: no query has more solutions than it says."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.store._query_cost import upper_bound
from robodata_core.store._sparql_text import read_query
from robodata_core.store.queries import PREFIXES

WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"

NODES = st.sampled_from(["wd:Q1", "wd:Q2", "?a", "?b", "?c", f"<{WD}Q3>"])
PREDICATES = st.sampled_from(["wdt:P1", "wdt:P2", "?p", f"<{WDT}P1>", "a"])
PATTERNS = st.builds("{} {} {} .".format, NODES, PREDICATES, NODES)
LISTS = st.builds(
    "{0} {1} {2} , {3} ; {4} {2} .".format, NODES, PREDICATES, NODES, NODES, PREDICATES
)
SIMPLE = PATTERNS | LISTS
GROUPS = st.recursive(
    st.lists(SIMPLE, min_size=1, max_size=3).map(" ".join),
    lambda inner: st.one_of(
        st.builds("{} OPTIONAL {{ {} }}".format, inner, inner),
        st.builds("{{ {} }} UNION {{ {} }}".format, inner, inner),
        st.builds("{} MINUS {{ {} }}".format, inner, inner),
        st.builds("{} FILTER NOT EXISTS {{ {} }}".format, inner, inner),
        st.builds("VALUES ?a {{ wd:Q1 wd:Q2 UNDEF }} {}".format, inner),
        st.builds("{} FILTER(?a != wd:Q1 || BOUND(?b))".format, inner),
        st.builds("{} BIND(STR(?a) AS ?x)".format, inner),
    ),
    max_leaves=4,
)
TRIPLES = st.tuples(st.integers(1, 4), st.integers(1, 2), st.integers(1, 4))


@given(st.sets(TRIPLES, max_size=14), GROUPS)
def test_no_query_has_more_solutions_than_the_bound(
    triples: set[tuple[int, int, int]], group: str
) -> None:
    store = ox.Store()
    store.extend(
        ox.Quad(
            ox.NamedNode(f"{WD}Q{s}"), ox.NamedNode(f"{WDT}P{p}"), ox.NamedNode(f"{WD}Q{o}"),
            ox.NamedNode("urn:g"),
        )
        for s, p, o in triples
    )  # fmt: skip
    query = f"SELECT * {{ {group} }}"
    bound = upper_bound(read_query(query), store, PREFIXES)
    try:
        solutions = store.query(query, prefixes=dict(PREFIXES), use_default_graph_as_union=True)
    except SyntaxError:
        return  # BIND to a variable that is bound already
    assert sum(1 for _ in solutions) <= bound


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?s wdt:P1* ?o }",
        "SELECT * { ?s wdt:P1/wdt:P2 ?o }",
        "SELECT * { ?s ^wdt:P1 ?o }",
        "SELECT * { ?s !wdt:P1 ?o }",
        "SELECT * { ?s wdt:P1? ?o }",
        "SELECT * { { SELECT * { ?s ?p ?o } } }",
        "SELECT * { GRAPH ?g { ?s ?p ?o } }",
        "SELECT (CONCAT(?x, ?x) AS ?y) { ?s ?p ?x }",
        "SELECT (GROUP_CONCAT(?x) AS ?y) { ?s ?p ?x }",
        "SELECT * { ?s ?p ?o FILTER(REGEX(?o, 'x')) }",
        "SELECT * { ?s ?p ?o FILTER(?o = 1 || EXISTS { ?s ?p ?o }) }",
        "SELECT * { ?s ?p (1 2) }",
        "SELECT * { ?s ?p [ ?p ?o ] }",
        "SELECT * FROM <urn:g> { ?s ?p ?o }",
        "BASE <urn:x> SELECT * { ?s ?p ?o }",
        "CONSTRUCT WHERE { ?s ?p ?o }",
        "DESCRIBE wd:Q1",
        "SELECT * { " + "?s ?p ?o . " * 13 + "}",
        "SELECT * { ?s ?p ?o } VALUES ?s { wd:Q1 }",
        "SELECT * { ?s ?p ?o } HAVING(EXISTS { ?s ?p ?o })",
        "SELECT * { " + "{" * 30 + "?s ?p ?o" + "}" * 30 + "}" + " LIMIT 1" * 150,
    ],
)
def test_other_shapes_are_not_judged(query: str) -> None:
    assert upper_bound(read_query(query), ox.Store(), PREFIXES) == float("inf")


def test_common_patterns_are_counted() -> None:
    store = ox.Store()
    predicate, object_ = ox.NamedNode(WDT + "P1"), ox.NamedNode(WD + "Q1")
    store.extend(ox.Quad(ox.NamedNode(f"{WD}Q{n + 1}"), predicate, object_) for n in range(6_000))
    judged = {
        "SELECT * { ?s wdt:P1 wd:Q1 }": float("inf"),
        "SELECT * { wd:Q7 wdt:P1 ?o }": 2,
        "SELECT * { wd:Q7 wdt:P1 ?o . ?o wdt:P1 ?x . wd:Q8 ?p 'text'@en , 1.5 }": 2 * float("inf"),
        "ASK { wd:Q7 wdt:P1 wd:Q1 . wd:Q8 wdt:P1 wd:Q1 }": 4,
        "PREFIX x: <" + WD + "> SELECT DISTINCT ?o { x:Q7 wdt:P1 ?o } ORDER BY ?o LIMIT 3": 2,
    }
    for query, bound in judged.items():
        assert upper_bound(read_query(query), store, PREFIXES) == bound
