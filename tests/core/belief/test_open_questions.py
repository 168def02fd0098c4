"""What is open on a map: things of a wider kind, what comes and goes, and what is only said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.api import RoboData
from robodata_core.belief import (
    BeliefMap,
    MapObject,
    MapSettings,
    MapSource,
    Pose,
    Region,
    RegionKind,
    Sighting,
    WorldSource,
)
from robodata_core.config import Settings
from robodata_core.model import Answer, AnswerStatus, Entity
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.store.graph import LocalGraph
from tests.core.belief.worlds import REGIONS, Clock, at, see

ROOMS = (
    *REGIONS,
    Region("living_room", "living room", RegionKind.VOLUME, "map", Pose((2, 8, 1.25)), (4, 4, 2.5)),
    Region("cellar", "cellar", RegionKind.VOLUME, "map", Pose((9, 9, 1.25)), (2, 2, 2.5)),
)
SEEN = (
    at("cup", 1.9, 2, id_="cup_1"),
    at("cup", 8.0, 2, id_="cup_2"),
    at("bottle", 1.8, 1.9, id_="bottle_1"),
    at("laptop", 1.7, 2.2, id_="laptop_1"),
    at("book", 2.4, 8, id_="book_1"),
    at("chair", 1, 3, 0.5, id_="chair_1"),
    at("person", 2, 8, id_="person_1"),
)


def opened(clock: Clock, *seen: Sighting) -> RoboData:
    belief = BeliefMap(MapSettings(), clock, (), ROOMS)
    see(belief, clock, *seen)
    household = open_snapshot("household")

    def entity(name: str) -> Entity | None:
        hits = household.lookup_names([name]).get(name)
        return household.entities([hits[0].id])[hits[0].id] if hits else None

    world = WorldSource(MapSource(belief, entity), [household])
    return RoboData(settings=Settings(), source=world, store=LocalGraph.in_memory())


def map_of(robodata: RoboData) -> BeliefMap:
    assert isinstance(robodata.source, WorldSource)
    return robodata.source.map.belief


@pytest.fixture(scope="module")
def flat() -> Iterator[RoboData]:
    with opened(Clock(), *SEEN) as robodata:
        yield robodata


@pytest.fixture(scope="module")
def unseen() -> Iterator[RoboData]:
    """Everything is out of sight but the cup in the kitchen."""
    clock = Clock()
    with opened(clock, *SEEN) as robodata:
        clock.now = 60.0
        map_of(robodata).tick()
        see(map_of(robodata), clock, SEEN[0])
        yield robodata


def is_open(answer: Answer, *reasons: str) -> bool:
    known = answer.status is AnswerStatus.UNKNOWN and not answer.results
    return known and all(reason in answer.text for reason in reasons)


@pytest.mark.parametrize(
    ("question", "wider"),
    [
        ("Is there a woman in the living room?", "person 1"),
        ("How many women are in the living room?", "person 1"),
        ("Are there any children in the house?", "person 1"),
        ("Is there a wine bottle on the table?", "bottle 1"),
        ("Is there a mug on the table?", "cup 1"),
        ("Is there an armchair in the kitchen?", "chair 1"),
        ("Are there at least two mugs?", "cup 1"),
    ],
)
def test_what_is_said_of_a_wider_kind_leaves_a_narrower_one_open(
    flat: RoboData, question: str, wider: str
) -> None:
    answer = flat.ask(question)
    assert is_open(answer, wider, "is not known"), answer.text


@pytest.mark.parametrize(
    "question",
    ["Is there a mug in the living room?", "Is there a woman in the kitchen?"],
)
def test_what_is_of_a_wider_kind_elsewhere_leaves_nothing_open(
    flat: RoboData, question: str
) -> None:
    answer = flat.ask(question)
    assert [item.value for item in answer.results] == [False], answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Is there a dog anywhere?",
        "Is there a dog somewhere?",
        "Is there a dog?",
        "Are there no dogs?",
    ],
)
def test_what_moves_by_itself_may_be_where_nobody_looks(
    flat: RoboData, unseen: RoboData, question: str
) -> None:
    answer = flat.ask(question)
    assert is_open(answer, "In sight: ", "living room", "Never looked at: cellar"), answer.text
    answer = unseen.ask(question)
    assert is_open(answer, "In sight: kitchen", "living room (last 14 November 2023"), answer.text


def test_that_none_was_seen_is_known_and_so_is_a_place_in_sight(unseen: RoboData) -> None:
    for question in ("Have you seen a dog?", "Do you see a dog?", "Is there a dog in the kitchen?"):
        answer = unseen.ask(question)
        assert [item.value for item in answer.results] == [False], answer.text
    assert is_open(unseen.ask("Is there a dog in the living room?"), "in sight")


@pytest.mark.parametrize(
    "question",
    [
        "Is anybody here?",
        "Is anybody in the living room?",
        "Is the person still in the living room?",
        "How many people are in the living room?",
    ],
)
def test_who_is_out_of_sight_is_not_said_to_be_there(
    flat: RoboData, unseen: RoboData, question: str
) -> None:
    assert flat.ask(question).status is not AnswerStatus.UNKNOWN
    assert is_open(unseen.ask(question), "may have gone since", "22:13:20")


def test_that_somebody_was_seen_is_still_so(unseen: RoboData) -> None:
    assert [item.value for item in unseen.ask("Have you seen a person?").results] == [True]


@pytest.mark.parametrize(
    "question",
    [
        "What can I use to open a can?",
        "Can I make a sandwich?",
        "Can I cut bread with the cup?",
        "How many chairs do I need?",
        "How many cups should we buy?",
    ],
)
def test_what_nothing_says_is_open_and_who_asks_is_no_place(flat: RoboData, question: str) -> None:
    answer = flat.ask(question)
    assert is_open(answer), answer.text
    assert "robot" not in answer.text


def test_of_several_things_it_is_said_where_each_one_is(flat: RoboData) -> None:
    notes = flat.ask("Where is the cup?").notes
    assert "cup 1: table and kitchen; cup 2: bathroom." in notes


def test_what_is_only_said_was_not_seen() -> None:
    with opened(Clock(), *SEEN) as robodata:
        belief = map_of(robodata)
        belief.put(MapObject("vase_1", "vase", frame="map", pose=Pose((2, 2, 0.8)), author="Anna"))
        assert [item.value for item in robodata.ask("Do you see the vase?").results] == [False]
        assert is_open(robodata.ask("When did you last see the vase?"))
        assert [item.value for item in robodata.ask("Is there a vase on the table?").results] == [
            True
        ]
