"""Questions in words about where things are, over a map and the household's knowledge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.api import RoboData
from robodata_core.belief import BeliefMap, MapSource, Pose, WorldSource
from robodata_core.belief.vocabulary import STATE
from robodata_core.config import Settings
from robodata_core.model import Answer, AnswerStatus, Entity, StringValue, TruthKind
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.store.graph import LocalGraph
from tests.core.belief.worlds import START, Clock, at, empty_map, see


def opened(clock: Clock) -> RoboData:
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
    return RoboData(settings=Settings(), source=world, store=LocalGraph.in_memory())


def map_of(robodata: RoboData) -> BeliefMap:
    source = robodata.source
    assert isinstance(source, WorldSource)
    return source.map.belief


@pytest.fixture(scope="module")
def flat() -> Iterator[RoboData]:
    with opened(Clock()) as robodata:
        yield robodata


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
    ("question", "expected"),
    [
        ("Is cup 1 closer to the knife than cup 2?", "yes"),
        ("Is cup 2 closer to the knife than cup 1?", "no"),
        ("Is cup 2 closer to the knife than to cup 1?", "yes"),
        ("Is cup 2 farther from the knife than cup 1?", "yes"),
        ("Is cup 2 farther from the knife than from cup 1?", "no"),
    ],
)
def test_which_two_of_three_are_closer(flat: RoboData, question: str, expected: str) -> None:
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
        answer = flat.ask(question)
        assert answer.status is AnswerStatus.UNKNOWN and "Where the robot is" in answer.text
    belief = map_of(flat)
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


def _told(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where is my cup?", {"table", "kitchen", "bathroom"}),
        ("Where did you last see the knife?", {"table", "kitchen"}),
        ("What is on top of the table?", {"cup 1", "knife 1"}),
        ("Show me everything on the table", {"cup 1", "knife 1"}),
        ("How many cups do you see?", {"2"}),
        ("How many cups are in the bathroom?", {"1"}),
        ("What have you seen in the bathroom?", {"cup 2"}),
        ("What was seen in the bathroom?", {"cup 2"}),
    ],
)
def test_what_was_seen_is_told_as_observed_or_counted(
    flat: RoboData, question: str, expected: set[str]
) -> None:
    answer = flat.ask(question)
    assert _told(answer) == expected
    assert {claim.kind for claim in answer.claims} <= {TruthKind.OBSERVED, TruthKind.RECKONED}


@pytest.mark.parametrize(
    ("question", "seen_instead"),
    [
        ("Is there a laptop in the kitchen?", "cup 1"),
        ("Are there any knives in the bathroom?", "cup 2"),
        ("Have you seen a fork on the table?", "knife 1"),
        ("Have you seen the scissors?", "cup 1"),
    ],
)
def test_what_was_never_seen_is_a_no_that_rests_on_what_was(
    flat: RoboData, question: str, seen_instead: str
) -> None:
    answer = flat.ask(question)
    assert [item.value for item in answer.results] == [False]
    assert answer.claims[0].kind is TruthKind.ABSENT
    beside = [claim for claim in answer.claims if claim.kind is TruthKind.OBSERVED]
    assert beside and all(claim.support for claim in beside)
    assert any(seen_instead in claim.text.lower() for claim in beside)


@pytest.mark.parametrize(
    "question", ["Is there a cup in the oven?", "Have you seen the flurbostat?"]
)
def test_where_nothing_was_seen_there_is_no_no(flat: RoboData, question: str) -> None:
    answer = flat.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN and not answer.results


def test_none_of_a_kind_are_counted_as_none(flat: RoboData) -> None:
    answer = flat.ask("How many knives are in the bathroom?")
    assert _told(answer) == {"0"}
    assert answer.claims[0].kind is TruthKind.ABSENT


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where should I put cup 2?", {"cabinet", "kitchen"}),
        ("Where should the cup be put away?", {"cabinet", "kitchen"}),
        ("What in the bathroom belongs in the kitchen?", {"cup 2"}),
        ("Which things I have seen can cut bread?", {"knife 1"}),
        ("Which things on the table can slice an apple?", {"knife 1"}),
        ("What is missing to set the table?", {"napkin", "plate", "fork", "spoon", "bowl"}),
        (
            "What do I still need for setting the table?",
            {"napkin", "plate", "fork", "spoon", "bowl"},
        ),
    ],
)
def test_what_is_known_of_kinds_is_told_as_typical(
    flat: RoboData, question: str, expected: set[str]
) -> None:
    answer = flat.ask(question)
    assert _told(answer) == expected
    assert answer.claims[0].kind is TruthKind.TYPICAL and answer.claims[0].support


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is there anything in the bathroom that belongs in the kitchen?", True),
        ("Is anything in the kitchen that belongs in the bathroom?", False),
        ("Can I cut bread with something on the table?", True),
        ("Is anything missing to set the table?", True),
    ],
)
def test_yes_and_no_of_what_belongs_and_what_there_is(
    flat: RoboData, question: str, expected: bool
) -> None:
    assert [item.value for item in flat.ask(question).results] == [expected]


@pytest.mark.parametrize(
    "question",
    ["Is there a laptop in the kitchen?", "Where should I put a cup?", "Where is my cup?"],
)
def test_without_a_map_nothing_is_told_to_be_seen_or_not(question: str) -> None:
    with RoboData.open(source="snapshot:household") as opened:
        kinds = {claim.kind for claim in opened.ask(question).claims}
    assert TruthKind.OBSERVED not in kinds and TruthKind.ABSENT not in kinds


def test_what_was_moved_or_taken_away_is_not_where_it_was() -> None:
    """What an earlier question fetched is no knowledge of the present."""
    clock = Clock()
    with opened(clock) as robodata:
        questions = (
            "Is there a cup in the kitchen?",
            "How many cups are in the kitchen?",
            "Where is cup 1?",
            "What is missing to set the table?",
        )
        before = [_told(robodata.ask(question)) for question in questions]
        assert before[:3] == [{"yes"}, {"1"}, {"table", "kitchen"}] and "knife" not in before[3]
        belief = map_of(robodata)
        belief.correct("cup_1", {"pose": Pose((8.0, 2.5, 0.8))}, "somebody")
        belief.remove("knife_1")
        see(belief, clock, at("bowl", 2.0, 2.0, id_="bowl_1"))
        after = [_told(robodata.ask(question)) for question in questions]
        assert after[:3] == [{"no"}, {"0"}, {"bathroom"}] and "knife" in after[3]


def test_what_is_out_of_sight_is_told_with_when_it_was_seen_last() -> None:
    clock = Clock()
    with opened(clock) as robodata:
        question = "Is there a cup in the kitchen?"
        assert "Last seen" not in robodata.ask(question).text
        clock.now += 60.0
        belief = map_of(robodata)
        belief.tick()
        one = robodata.ask(question)
        assert _told(one) == {"yes"}
        assert one.claims[0].text.startswith("Last seen 14 November 2023, 22:13:20: Cup 1 is ")
        states = {
            snak.value
            for evidence in one.claims[0].support.evidence
            for record in evidence.provenance
            for snak in record.qualifiers
            if snak.property == STATE
        }
        assert states == {StringValue("lost")}
        see(belief, clock, at("knife", 2.3, 2.4, id_="knife_1"))
        several = robodata.ask("What is on the table?").claims[0]
        assert several.text.startswith("Last seen 14 November 2023, 22:13:20 or later: ")
        knife = robodata.ask("Is there a knife on the table?")
        assert _told(knife) == {"yes"} and "Last seen" not in knife.text


@pytest.mark.parametrize(
    "question", ["Is there more than one cup in the bathroom?", "Is there no cup in the bathroom?"]
)
def test_how_many_or_none_is_not_passed_over(flat: RoboData, question: str) -> None:
    assert True not in [item.value for item in flat.ask(question).results]
