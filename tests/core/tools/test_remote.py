from __future__ import annotations

from decimal import Decimal

import pytest

from robodata_core.errors import (
    QueryLimitError,
    QueryRefusedError,
    QuerySyntaxError,
    SourceTimeoutError,
)
from robodata_core.model import (
    EntityValue,
    QuantityValue,
    SparqlResult,
    StringValue,
    Triple,
)
from robodata_core.tools.base import ToolCall

from .desk import Desk
from .fakes import FakeSource, statement


def test_search_shows_what_tells_candidates_apart(desk: Desk) -> None:
    result = desk.call("search_entities", text="Ottawa")
    assert result.output.text.splitlines() == [
        '2 items for "Ottawa", best first:',
        "Ottawa (Q1930): city; capital of Canada",
        "Ottawa (Q777): river in Canada",
    ]
    assert [hit.id for hit in result.output.data] == ["Q1930", "Q777"]
    assert result.output.ids == ("Q1930", "Q777")


def test_a_name_looked_up_before_is_shown_from_memory(desk: Desk) -> None:
    asked = desk.call("search_entities", text="Ottawa")
    context = desk.context("k9")
    context.names.note("Ottawa", asked.output.data[:1])
    context.names.note("Atlantis", ())
    call = ToolCall("search_entities", {"text": "Ottawa"})
    result = desk.box.execute(call, context)
    assert result.ok and result.repeated and not asked.repeated
    assert result.output.text.splitlines() == [
        '1 item for "Ottawa", best first (looked up before):',
        "Ottawa (Q1930): city; capital of Canada",
    ]
    assert result.output.ids == ("Q1930",)
    # Names of relations were not looked up, nor is a name remembered that nothing was found for.
    for arguments in ({"text": "Ottawa", "kind": "property"}, {"text": "Atlantis"}):
        assert not desk.box.execute(ToolCall("search_entities", arguments), context).repeated


def test_search_for_properties_names_the_alias_that_matched(desk: Desk) -> None:
    assert 'spouse (P26), also known as "wife"' in desk.text(
        "search_entities", text="wife", kind="property"
    )


def test_search_in_vain_and_search_at_the_limit(desk: Desk) -> None:
    assert 'No item is called "Atlantis"' in desk.text("search_entities", text="Atlantis")
    assert "raise limit" in desk.text("search_entities", text="Ottawa", limit=1)


def test_entity_info_shows_rank_qualifiers_units_and_dates(desk: Desk) -> None:
    text = desk.text("get_entity_info", entity="Q42")
    assert "Douglas Adams (Q42): human; writer" in text
    assert 'Also known as "DNA".' in text and "Types: human (Q5)." in text
    assert "date of birth (P569) → 11 March 1952" in text
    assert "height (P2048) → 1.96 metre (Q11573)" in text
    assert (
        "spouse (P26) → Jane Belson (Q1) [preferred rank; start time (P580): 25 November 1991]"
        in text
    )


def test_entity_info_pages(desk: Desk) -> None:
    first = desk.call("get_entity_info", entity="Q42", limit=4)
    assert (first.output.total, first.output.shown) == (6, 4)
    assert "For more, call again with offset=4." in first.output.text
    rest = desk.text("get_entity_info", entity="Q42", limit=4, offset=4)
    assert "Shown: 5 to" in rest and "spouse" in rest


def test_an_entity_the_source_does_not_know(desk: Desk) -> None:
    desk.known.add(["Q404"])
    assert desk.refusal("get_entity_info", entity="Q404") == "There is no entity Q404."
    desk.known.add(["P404"])
    assert desk.refusal("get_property_info", property="P404") == "There is no property P404."


def test_property_info(desk: Desk) -> None:
    desk.known.add(["P36"])
    text = desk.text("get_property_info", property="P36")
    assert "capital (P36): seat of government" in text
    assert 'Also known as "capital city".' in text
    assert "of type item" in text and "Used in 1 statement." in text


def test_neighbours_in_both_directions_or_one(desk: Desk) -> None:
    text = desk.text("explore_entity_neighbors", entity="Q16")
    assert "2 statements about it (→), 2 statements pointing to it (←)" in text
    assert "capital (P36) → Ottawa (Q1930)" in text and "country (P17) ← Ottawa (Q777)" in text
    text = desk.text("explore_entity_neighbors", entity="Q16", direction="in", limit=1)
    assert "→" not in text and "Shown: 1 to 1 of 2." in text
    text = desk.text("explore_entity_neighbors", entity="Q16", property="P36")
    assert "1 statement about it" in text and "0 statements pointing" in text


def test_a_hub_is_shown_in_part_and_within_the_cap(desk: Desk, source: FakeSource) -> None:
    source.held += [statement("Q16", "P1477", StringValue("long text " * 50)) for _ in range(5_000)]
    result = desk.call("explore_entity_neighbors", entity="Q16", direction="out", limit=100)
    assert len(result.output.text) <= 6_000
    assert result.output.total == 5_002 and result.output.shown is not None
    assert "of 5,002" in result.output.text


# -- SPARQL -----------------------------------------------------------------------------------

QUERY = "SELECT ?x { wd:Q16 ?p ?x }"


def test_a_query_with_an_unknown_id_is_not_run(desk: Desk, source: FakeSource) -> None:
    text = desk.refusal("sparql_query", query="SELECT ?x { wd:Q16 wdt:P36 ?x. ?x ?p wd:Q4242 }")
    assert text.startswith("P36, Q4242 have not been shown")
    assert source.calls["sparql"] == 0


def test_a_long_table_shows_both_ends(desk: Desk, source: FakeSource) -> None:
    rows = tuple((EntityValue(f"Q{n}"), QuantityValue(Decimal(n))) for n in range(1, 41))
    source.result = SparqlResult(("item", "n"), rows)
    result = desk.call("sparql_query", query=QUERY)
    lines = result.output.text.splitlines()
    assert lines[0] == "40 rows, 2 columns: item | n"
    assert lines[1] == "Jane Belson (Q1) | 1" and lines[-1] == "Q40 | 40"
    assert "30 rows left out" in lines[6] and len(lines) == 12
    assert (result.output.total, result.output.shown) == (40, 10)
    assert "Q20" in result.output.ids  # in the data


def test_a_cut_result_says_so(desk: Desk, source: FakeSource) -> None:
    source.result = SparqlResult(("x",), ((None,), (StringValue("a" * 500),)), truncated=True)
    result = desk.call("sparql_query", query=QUERY)
    assert "cut at its cap; first 2 rows" in result.output.text
    assert result.output.total is None
    assert max(map(len, result.output.text.splitlines())) < 200


def test_empty_boolean_and_graph_results(desk: Desk, source: FakeSource) -> None:
    source.result = SparqlResult(("x", "y"))
    text = desk.text("sparql_query", query=QUERY)
    assert text == (
        "The query is valid but found nothing: 0 rows. Columns: x, y.\n"
        "This look-up can be cited as N1."
    )
    source.result = SparqlResult(boolean=False)
    assert "its answer is false" in desk.text("sparql_query", query=QUERY)
    source.result = SparqlResult(triples=(Triple("Q16", "P36", EntityValue("Q1930")),))
    text = desk.text("sparql_query", query=QUERY)
    assert "Canada (Q16) — capital (P36) → Ottawa (Q1930)" in text


def test_ids_cut_out_of_iris_count_as_shown_but_made_up_ones_do_not(
    desk: Desk, source: FakeSource
) -> None:
    source.result = SparqlResult(("id",), ((StringValue("Q1930"),), (StringValue("Q4242"),)))
    desk.text("sparql_query", query='SELECT ?id { BIND("Q4242" AS ?id) }')
    assert "Q1930" in desk.known and "Q4242" not in desk.known


@pytest.mark.parametrize(
    ("error", "opening"),
    [
        (QuerySyntaxError("Expected '}' at line 1."), "SPARQL syntax error: Expected"),
        (QueryRefusedError("SERVICE is not allowed."), "Refused: SERVICE"),
        (QueryLimitError("It ran over 10 seconds."), "Timeout or size limit: It ran over"),
        (SourceTimeoutError("No answer."), "Timeout or size limit: No answer."),
    ],
)
def test_failed_queries_are_told_apart(
    desk: Desk, source: FakeSource, error: Exception, opening: str
) -> None:
    source.failing = error
    assert desk.refusal("sparql_query", query=QUERY).startswith(opening)


# -- taking a subgraph ------------------------------------------------------------------------


def test_a_subgraph_comes_in_with_names_and_handles(desk: Desk) -> None:
    result = desk.call("build_local_graph", nodes=["Q42"], hops=2)
    text = result.output.text
    assert "T1: Douglas Adams (Q42) — instance of (P31) → human (Q5)" in text
    assert "human (Q5) — subclass of (P279) → person (Q215627)" in text
    assert "1952" not in text  # literals only when their relation is named
    assert result.output.handles == tuple(e.handle for e in result.output.data.evidence)
    assert desk.store.label("Q215627") == "person" and desk.store.label("P279") == "subclass of"
    desk.known.add(["P569"])
    text = desk.text("build_local_graph", nodes=["Q42"], relations=["P569"])
    assert "date of birth (P569) → 11 March 1952" in text


def test_a_subgraph_stops_at_its_limit_and_says_so(desk: Desk) -> None:
    result = desk.call("build_local_graph", nodes=["Q42"], direction="both", limit=2)
    assert len(result.output.handles) == 2
    assert "Stopped at the limit of 2; more is there." in result.output.text


def test_no_such_subgraph(desk: Desk) -> None:
    desk.known.add(["P36"])
    text = desk.text("build_local_graph", nodes=["Q42"], relations=["P36"])
    assert "get_relation" in text and "can be cited as N" in text


def test_an_unknown_relation_among_known_ones_voids_its_own_part(desk: Desk) -> None:
    desk.known.add(["P36"])
    text = desk.text("build_local_graph", nodes=["Q16"], relations=["P36", "P4242"])
    assert "Left out" in text and "P4242" in text
    assert desk.store.edge_count == 1
