"""Questions in words about where things are, over a map and the household's knowledge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.api import RoboData
from robodata_core.belief import MapSource, Pose, WorldSource
from robodata_core.config import Settings
from robodata_core.model import AnswerStatus, Entity, TruthKind
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.store.graph import LocalGraph
from tests.core.belief.worlds import START, Clock, at, empty_map, see


@pytest.fixture(scope="module")
def flat() -> Iterator[RoboData]:
    clock = Clock()
    belief = empty_map(clock)
    see(
        belief,
        clock,
        at("cup", 2.0, 2.0, id_="cup_1"),
        at("cup", 8.0, 2.0, id_="cup_2"),
        at("knife", 2.3, 2.4, id_="knife_1"),
    )
    household = open_snapshot("household")

    def entity(name: str) -> Entity | None:
        hits = household.lookup_names([name]).get(name)
        return household.entities([hits[0].id])[hits[0].id] if hits else None

    world = WorldSource(MapSource(belief, entity), [household])
    with RoboData(settings=Settings(), source=world, store=LocalGraph.in_memory()) as opened:
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "How far is cup 1 from the knife?",
        "What is the distance between cup 1 and knife 1?",
        "What's the distance from knife 1 to cup 1?",
        "How far apart are cup 1 and the knife?",
    ],
)
def test_how_far_apart_things_lie(flat: RoboData, question: str) -> None:
    answer = flat.ask(question)
    assert [item.label for item in answer.results] == ["0.5"]
    assert answer.claims[0].kind is TruthKind.RECKONED
    assert len(answer.claims[0].support.evidence) >= 6


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which cup is nearest to the knife?", "cup 1"),
        ("What is the closest cup to the table?", "cup 1"),
        ("Which cup is closest to cup 2?", "cup 1"),
    ],
)
def test_what_lies_nearest(flat: RoboData, question: str, expected: str) -> None:
    assert [item.label for item in flat.ask(question).results] == [expected]


@pytest.mark.parametrize(
    "question", ["How far is the fork from the table?", "Which fork is nearest to the table?"]
)
def test_what_was_never_seen_is_nowhere(flat: RoboData, question: str) -> None:
    answer = flat.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN
    assert not answer.results and "fork" in answer.text


def test_without_a_map_nothing_is_measured() -> None:
    with RoboData.open(source="snapshot:household") as opened:
        assert opened.ask("How far is the knife from the table?").status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which cutlery is on the table?", {"knife 1"}),
        ("Which containers are in the bathroom?", {"cup 2"}),
        ("Which rooms are there?", {"kitchen", "bathroom"}),
        ("How many rooms are there?", {"2"}),
        ("How many containers are there?", {"2"}),
    ],
)
def test_things_are_found_by_wider_kinds_and_kinds_are_no_things(
    flat: RoboData, question: str, expected: set[str]
) -> None:
    answer = flat.ask(question)
    given = [item.label or str(item.value) for item in answer.results]
    assert set(given) == expected and len(given) == len(expected)
    sources = {
        record.source
        for claim in answer.claims
        for evidence in claim.support.evidence
        for record in evidence.provenance
    }
    assert "map" in sources


def test_the_nearest_is_the_robots_own_nearest_once_it_says_where_it_is(flat: RoboData) -> None:
    questions = ("nearest cup", "Which cup is the closest?", "Which cup is nearest to the robot?")
    for question in questions:
        assert flat.ask(question).status is AnswerStatus.UNKNOWN
    source = flat.source
    assert isinstance(source, WorldSource)
    belief = source.map.belief
    for place, nearest, apart in ((7.0, "cup 2", "1"), (2.5, "cup 1", "0.5")):
        belief.place_robot(Pose((place, 2.0, 0.8)), frame="map", stamp=START, source="/pose")
        for question in questions:
            answer = flat.ask(question)
            assert [item.label for item in answer.results] == [nearest]
            assert answer.claims[0].kind is TruthKind.RECKONED
        measured = flat.ask(f"How far away is {nearest}?")
        assert [item.label for item in measured.results] == [apart]
    # It is none of the things that it sees.
    assert "robot" not in belief.things()
    seen = flat.ask("Which things are in the kitchen?")
    assert seen.results and "robot" not in {item.label for item in seen.results}
    belief.place_robot(Pose((7.0, 2.0, 0.8)), frame="odom", stamp=START, source="/pose")
    assert flat.ask("nearest cup").status is AnswerStatus.UNKNOWN
