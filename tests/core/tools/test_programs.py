"""Whole programs in one call, and walks with an aim, over a real snapshot and a real graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robodata_core.model import EntityValue
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.store.graph import LocalGraph

from .._strategies import json_values
from .desk import Desk


@pytest.fixture(scope="module")
def sample() -> Iterator[SnapshotSource]:
    with open_snapshot("wikidata-sample") as source:
        yield source


@pytest.fixture
def desk(sample: SnapshotSource) -> Iterator[Desk]:
    with LocalGraph.in_memory() as store:
        known = ("Q9312", "P737", "P106", "Q170790", "P40", "P569", "P131", "P159", "Q608350")
        yield Desk(sample, store, known=(*known, "Q1221156", "P22", "P190", "P17", "Q38", "Q515"))


INFLUENCED = {"follow": "P737", "from": "Q9312", "back": True, "as": "$i"}


def _ids(data: Any) -> set[str]:
    return {value.id for value in data.values if isinstance(value, EntityValue)}


def test_a_program_gives_what_the_single_calls_give_and_keeps_the_facts(desk: Desk) -> None:
    desk.text("get_head_entity", entities="Q9312", relation="P737", into="a")
    one_by_one = desk.data(
        "get_entity_by_type", entities="$a", types="Q170790", via="P106", into="b"
    )
    steps = [INFLUENCED, {"where": "P106", "is": "=", "value": "Q170790"}]
    result = desk.call("run_program", steps=steps, into="$c")
    assert _ids(result.output.data) == _ids(one_by_one) != set()
    assert len(result.output.handles) == 2 * len(_ids(one_by_one))
    assert desk.store.edge_count == len(result.output.handles)
    by_class = desk.data("run_program", steps=[INFLUENCED, {"type": "Q170790", "via": "P106"}])
    assert _ids(by_class) == _ids(one_by_one)


def test_sets_numbers_and_judgements(desk: Desk) -> None:
    mathematicians = {"type": "Q170790", "of": "$i", "via": "P106", "as": "$m"}
    both = desk.data("run_program", steps=[INFLUENCED, mathematicians, {"and": ["$i", "$m"]}])
    either = desk.data("run_program", steps=[INFLUENCED, mathematicians, {"or": ["$i", "$m"]}])
    rest = desk.data("run_program", steps=[INFLUENCED, mathematicians, {"minus": ["$i", "$m"]}])
    assert _ids(both) | _ids(rest) == _ids(either) and not _ids(both) & _ids(rest)
    counted = desk.data("run_program", steps=[INFLUENCED, mathematicians, {"count": "$m"}])
    assert counted.number == len(_ids(both))
    some = next(iter(_ids(both)))
    desk.known.add([some])
    judged = [INFLUENCED, mathematicians, {"judge": "$m", "contains": some}]
    assert desk.data("run_program", steps=judged).boolean is True
    desk.known.add(["Q42"])
    assert _ids(desk.data("run_program", steps=[{"min": "P569", "of": "Q42"}])) == {"Q42"}


def test_what_finds_nothing_can_be_cited(desk: Desk) -> None:
    text = desk.text("run_program", steps=[{"follow": "P40", "from": "Q9312"}])
    assert "nothing found" in text and "can be cited as N1" in text
    assert desk.store.edge_count == 0


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"jump": "P40"}], "Step 1: it has none of these keys: follow"),
        ([{"follow": "P40"}], "Step 1: nothing is said of what it goes on from."),
        ([{"follow": "P40", "from": "Q77777"}], "Q77777 has not been shown"),
        ([{"follow": "P40", "from": "$q"}], "There is no variable $q"),
        ([{"follow": "Q42", "from": "Q42"}], "a property id such as P36 is wanted"),
        ([INFLUENCED, {"where": "P569", "is": "~", "value": 1}], "is must be one of"),
        ([INFLUENCED, {"where": "P569"}], "value is missing"),
        ([INFLUENCED, {"and": ["$i"]}], "and takes two or more sets"),
        ([INFLUENCED, {"count": "$i", "of": "$i"}], "Step 2: count knows no of."),
        ([{"count": "Q42"}, {"follow": "P40"}], "make no program"),
        ([INFLUENCED] * 41, "at most 40"),
    ],
)
def test_what_is_no_program_is_said_in_a_sentence(desk: Desk, steps: list[Any], words: str) -> None:
    text = desk.refusal("run_program", steps=steps)
    assert words in text and "Traceback" not in text
    assert desk.store.edge_count == 0


_STEPS = st.lists(
    st.dictionaries(
        st.sampled_from(["follow", "type", "where", "and", "count", "judge", "of", "from", "as"]),
        st.sampled_from(["P737", "Q9312", "$i", True, None]) | json_values,
        max_size=4,
    ),
    max_size=4,
)


@given(steps=_STEPS)
@settings(max_examples=80, deadline=None)
def test_no_steps_break_the_tool(sample: SnapshotSource, steps: list[Any]) -> None:
    with LocalGraph.in_memory() as store:
        desk = Desk(sample, store, known=("Q9312", "P737"))
        result = desk.call("run_program", {"steps": steps})
    assert "internal error" not in result.output.text


def test_a_walk_goes_on_until_a_class_is_met(desk: Desk) -> None:
    desk.text("build_local_graph", nodes="Q608350", relations=["P159", "P131"], until=["Q1221156"])
    triples = {(t.triple.subject, t.triple.predicate) for t in desk.store.triples()}
    state = [t.triple.subject for t in desk.store.triples()
             if t.triple.object == EntityValue("Q1221156")]  # fmt: skip
    assert state == ["Q1198"]
    assert ("Q1198", "P131") not in triples, "it stops there"


def test_a_walk_keeps_what_ends_where_it_should(desk: Desk) -> None:
    desk.text("build_local_graph", nodes="Q9312", relations=["P737"], direction="in")
    all_ = desk.store.edge_count
    subject = desk.store.triples()[0].triple.subject
    with LocalGraph.in_memory() as store:
        desk.store = store
        desk.known.add([subject])
        desk.text(
            "build_local_graph", nodes="Q9312", relations=["P737"], direction="in", ends=[subject]
        )
        assert store.edge_count == 1 < all_


def test_a_search_may_list_the_relations_of_what_it_found(desk: Desk) -> None:
    text = desk.text("search_entities", text="Kant", relations=True)
    assert "Relations of Immanuel Kant (Q9312)" in text
    assert "Pointing to Immanuel Kant (Q9312)" in text and "influenced by (P737) x" in text
    assert "Relations of" not in desk.text("search_entities", text="Kant")
