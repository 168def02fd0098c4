"""What can be done with things of a graph that has kinds of things only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core import RoboData
from robodata_core.iris import iri_of, predicate_iri
from robodata_core.model import Answer, EntityValue
from robodata_core.sources.base import KnowledgeSource, QueryLimits

_ABILITY = "urn:robodata:household:ability:"


@pytest.fixture(scope="module")
def household() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:household") as robodata:
        yield robodata


def _given(answer: Answer) -> set[object]:
    return {i.value.id if isinstance(i.value, EntityValue) else i.value for i in answer.results}


def _below(source: KnowledgeSource, name: str) -> set[str]:
    """Return all kinds below those of a name."""
    ids = {hit.id for hit in source.search(name, limit=5) if hit.label == name}
    found, left = set(ids), sorted(ids)
    while left:
        query = f"SELECT ?s {{ ?s <{predicate_iri('P279')}> <{iri_of(left.pop())}> }}"
        new = {row[0].id for row in source.sparql(query).rows} - found
        found |= new
        left += new
    return found - ids


@pytest.mark.parametrize("kind", ["fruit", "vegetable", "furniture", "container"])
@pytest.mark.parametrize("ability", ["sliceable", "cookable", "openable", "burnable"])
def test_a_kind_with_an_ability_is_what_lies_below_it_and_has_it(
    household: RoboData, kind: str, ability: str
) -> None:
    answer = household.ask(f"Which {kind} is {ability}?")
    query = f"SELECT ?s {{ ?s <{predicate_iri('P1552')}> <{_ABILITY}{ability}> }}"
    limits = QueryLimits(rows=10_000)
    able = {row[0].id for row in household.source.sparql(query, limits=limits).rows}
    expected = _below(household.source, kind) & able
    assert _given(answer) in ([expected, set()] if expected else [set()])


@pytest.mark.parametrize(
    ("verb", "ability"), [("cook", "cookable"), ("slice", "sliceable"), ("burn", "burnable")]
)
@pytest.mark.parametrize("thing", ["an egg", "a tomato", "bread"])
def test_what_one_can_do_is_what_can_be_done(
    household: RoboData, verb: str, ability: str, thing: str
) -> None:
    asked = household.ask(f"Is {thing} {ability}?")
    assert asked.results[0].value is True
    for who in ("I", "you", "people"):
        answer = household.ask(f"Can {who} {verb} {thing}?")
        assert (_given(answer), answer.status) == (_given(asked), asked.status)


def test_what_is_no_ability_is_not_made_one(household: RoboData) -> None:
    for question in ("Can I marry an egg?", "What can you believe?", "Which fruits can I drive?"):
        assert not household.ask(question).results


@pytest.mark.parametrize("thing", ["plate", "spoon", "table"])
def test_what_is_used_for_eating_is_not_what_can_be_eaten(household: RoboData, thing: str) -> None:
    answer = household.ask(f"Can I eat a {thing}?")
    assert True not in _given(answer)
