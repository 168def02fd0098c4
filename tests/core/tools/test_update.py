from __future__ import annotations

import pytest

from robodata_core.model import EntityValue, Rank, Triple
from robodata_core.tools._fetch import MAX_STATEMENTS
from robodata_core.tools.variables import MAX_FETCHED, Variable

from .desk import NOW, Desk
from .fakes import FakeSource, statement

CAPITAL = Triple("Q16", "P36", EntityValue("Q1930"))


@pytest.fixture(autouse=True)
def _known(desk: Desk) -> None:
    desk.known.add(["P36", "P26", "P17", "P31", "P569", "Q1930", "Q777", "Q1", "Q5"])


def test_a_fetched_relationship_stands_in_the_graph_with_its_provenance(desk: Desk) -> None:
    result = desk.call("fetch_relationship_from_node", nodes=["Q16"], property="P36")
    assert result.output.text.splitlines() == [
        "Fetched 1 statement: 1 new triple, 2 new nodes.",
        "T1: Canada (Q16) — capital (P36) → Ottawa (Q1930)",
    ]
    assert result.output.handles == ("T1",)
    assert desk.store.contains(CAPITAL)
    evidence = desk.store.evidence("T1")
    assert evidence is not None and evidence.triple == CAPITAL
    assert (evidence.subject_label, evidence.predicate_label) == ("Canada", "capital")
    (origin,) = evidence.provenance
    assert (origin.source, origin.run_id, origin.call_id) == ("fake", "run-1", "k1")
    assert (origin.tool, origin.retrieved) == ("fetch_relationship_from_node", NOW)


def test_rank_qualifiers_and_their_names_come_along(desk: Desk) -> None:
    desk.text("fetch_relationship_from_node", nodes=["Q42"], property="P26")
    (origin,) = desk.store.match(subject="Q42")[0][0].provenance
    assert origin.rank is Rank.PREFERRED and origin.statement_id == "Q42$abc"
    assert origin.qualifiers[0].property == "P580"
    assert desk.store.label("P580") == "start time"


def test_what_is_there_already_is_named_and_not_new(desk: Desk) -> None:
    desk.text("fetch_relationship_from_node", nodes=["Q16"], property="P36")
    again = desk.call("fetch_relationship_from_node", nodes=["Q16", "Q42"], property="P36")
    assert again.output.handles == ()
    assert "0 new triples" in again.output.text and "In the graph before: T1." in again.output.text


def test_results_of_earlier_calls_are_fetched_by_their_name(desk: Desk) -> None:
    desk.text("get_tail_entity", entities="Q16", relation="P36", into="$capital")
    result = desk.call("fetch_relationship_from_node", nodes="$capital", property="P31")
    assert result.ok and all(
        item.triple.subject == "Q1930"
        for item in map(desk.store.evidence, result.output.handles)
        if item
    )
    assert result.output.handles
    to_it = desk.call("fetch_relationship_to_node", nodes=["$capital"], property="P36")
    assert to_it.ok and desk.store.contains(CAPITAL)
    assert desk.call("fetch_node", nodes=["$capital", "Q42"]).ok


@pytest.mark.parametrize("tool", ["fetch_relationship_from_node", "fetch_relationship_to_node"])
def test_names_that_hold_no_entities_are_refused_with_a_sentence(desk: Desk, tool: str) -> None:
    def why(name: str, **arguments: object) -> str:
        result = desk.call(name, arguments)
        assert not result.ok
        return result.output.text

    assert "There is no variable $x" in why(tool, nodes="$x", property="P36")
    desk.text("get_tail_entity", entities="Q42", relation="P36", into="$none")
    assert "no entities in $none" in why(tool, nodes="$none", property="P36")
    desk.text("count", entities="Q42", into="$n")
    assert "not a set of nodes" in why(tool, nodes="$n", property="P36")
    many = tuple(EntityValue(f"Q{n}") for n in range(1, MAX_FETCHED + 2))
    desk.variables["$many"] = Variable("$many", many)
    assert f"at most {MAX_FETCHED:,}" in why(tool, nodes="$many", property="P36")


def test_many_nodes_in_one_call_and_values_narrow_them(desk: Desk) -> None:
    result = desk.call(
        "fetch_relationship_from_node", nodes=["Q1930", "Q777", "Q42"], property="P31"
    )
    assert len(result.output.handles) == 3
    narrow = desk.call(
        "fetch_relationship_from_node", nodes=["Q16", "Q350"], property="P31", values=["Q6256"]
    )
    assert not narrow.ok  # Q350 and Q6256 were never shown
    desk.known.add(["Q350", "Q6256"])
    narrow = desk.call(
        "fetch_relationship_from_node", nodes=["Q16", "Q350"], property="P31", values=["Q6256"]
    )
    assert [e.triple.subject for e in narrow.output.data.evidence] == ["Q16"]


def test_relationships_to_a_node(desk: Desk) -> None:
    result = desk.call("fetch_relationship_to_node", nodes=["Q16"], property="P17")
    assert {e.triple.subject for e in result.output.data.evidence} == {"Q1930", "Q777"}
    assert "T1: Ottawa (Q1930) — country (P17) → Canada (Q16)" in result.output.text


def test_named_subjects_are_found_behind_a_hub(desk: Desk, source: FakeSource) -> None:
    source.held[:0] = [statement(f"Q{n}", "P31", "Q5") for n in range(10_000, 14_000)]
    result = desk.call(
        "fetch_relationship_to_node", nodes=["Q5"], property="P31", subjects=["Q42"], limit=5
    )
    assert [e.triple.subject for e in result.output.data.evidence] == ["Q42"]


def test_named_values_are_found_behind_a_long_page(desk: Desk, source: FakeSource) -> None:
    source.held[:0] = [statement("Q16", "P36", f"Q{n}") for n in range(10_000, 11_000)]
    result = desk.call(
        "fetch_relationship_from_node", nodes=["Q16"], property="P36", values=["Q1930"], limit=5
    )
    assert [e.triple for e in result.output.data.evidence] == [CAPITAL]


def test_a_call_brings_in_a_bounded_number_and_says_what_it_left_out(
    desk: Desk, source: FakeSource
) -> None:
    source.held += [statement(f"Q{n}", "P17", "Q16") for n in range(10_000, 10_100)]
    result = desk.call("fetch_relationship_to_node", nodes=["Q16"], property="P17", limit=30)
    assert len(result.output.handles) == 30 <= MAX_STATEMENTS
    assert "72 more statements left out" in result.output.text
    assert "Not shown: T21 to T30." in result.output.text


def test_literals_are_fetched_too(desk: Desk) -> None:
    text = desk.text("fetch_relationship_from_node", nodes=["Q42"], property="P569")
    assert "T1: Douglas Adams (Q42) — date of birth (P569) → 11 March 1952" in text


def test_a_relationship_that_is_not_there(desk: Desk) -> None:
    text = desk.text("fetch_relationship_from_node", nodes=["Q42"], property="P36")
    assert "The source states no “capital (P36)” of Douglas Adams (Q42)." in text
    assert "get_relation" in text and "can be cited as N" in text
    assert desk.store.edge_count == 0


def test_fetching_nodes(desk: Desk) -> None:
    desk.known.add(["Q404"])
    result = desk.call("fetch_node", nodes=["Q42", "Q404"])
    assert "Added 1 new node; asked for 2." in result.output.text
    assert "Not known to the source: Q404." in result.output.text
    entity = desk.store.entity("Q42")
    assert entity is not None and entity.label == "Douglas Adams"
    assert "does not know Q404" in desk.refusal("fetch_node", nodes=["Q404"])


def test_removing_a_node_removes_its_triples(desk: Desk) -> None:
    desk.text("fetch_relationship_from_node", nodes=["Q16"], property="P36")
    result = desk.call("remove_node", node="Q1930")
    assert result.output.text == "Removed Ottawa (Q1930) with 1 triple: T1."
    assert result.output.data == ("T1",) and result.output.handles == ()
    assert desk.store.edge_count == 0
    assert "no node Q1930" in desk.refusal("remove_node", node="Q1930")
