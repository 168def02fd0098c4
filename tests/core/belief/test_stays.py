"""How long things stayed, when they moved, who may have come: from what was seen, else unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from robodata_core.api import RoboData
from robodata_core.belief import (
    BeliefMap,
    MapSettings,
    Pose,
    Region,
    RegionKind,
    Sighting,
)
from robodata_core.config import Settings
from robodata_core.model import Answer, AnswerStatus
from robodata_core.store.graph import LocalGraph
from tests.core.belief.asked_flat import source_of
from tests.core.belief.worlds import Clock, at

_HOUR, _DAY = 3_600.0, 86_400.0
#: Midnight; two days later it is two in the afternoon.
_MIDNIGHT = 1_700_006_400.0
_REGIONS = (
    Region("kitchen", "kitchen", RegionKind.VOLUME, "map", Pose((2, 2, 1.25)), (4, 4, 2.5)),
    Region("bedroom", "bedroom", RegionKind.VOLUME, "map", Pose((2, 7, 1.25)), (4, 6, 2.5)),
    Region("bathroom", "bathroom", RegionKind.VOLUME, "map", Pose((7, 7, 1.25)), (4, 6, 2.5)),
    Region("table", "table", RegionKind.SURFACE, "map", Pose((1, 0.5, 0.9)), (2, 1, 0)),
    Region("desk", "desk", RegionKind.SURFACE, "map", Pose((1, 8, 0.75)), (1.6, 1, 0)),
)
_TABLE, _DESK = (0.5, 0.5, 0.95), (1.2, 8.0, 0.8)


def _looks() -> dict[float, list[Sighting]]:
    """The mug goes from the table to the desk this morning, the book some time after yesterday."""
    looks: dict[float, list[Sighting]] = {}
    bottle = at("bottle", 1.1, 0.5, 0.95, "bottle_1")
    for day in (0, 1, 2):
        for hour in (8, 9, 12):
            moved = day == 2 and hour > 8
            looks[day * _DAY + hour * _HOUR] = [
                bottle,
                at("mug", *(_DESK if moved else _TABLE), "mug_1"),
            ]
    looks[12 * _HOUR].append(at("book", 1.5, 0.5, 0.95, "book_1"))
    looks[_DAY + 19 * _HOUR] = [at("cat", 3, 6, 0.2, "cat_1")]
    looks[2 * _DAY + 10 * _HOUR] = [
        at("book", 0.8, 8, 0.8, "book_1"),
        at("person", 3, 7, 0.9, "person_1"),
    ]
    looks[2 * _DAY + 14 * _HOUR] = [bottle, at("person", 3, 3, 0.9, "person_2")]
    return looks


def _map() -> BeliefMap:
    clock = Clock()
    belief = BeliefMap(MapSettings(lost_after=30.0), clock, (), _REGIONS)
    for seconds, seen in sorted(_looks().items()):
        clock.now = seconds
        belief.tick()
        belief.see(seen, frame="map", stamp=_MIDNIGHT + seconds, source="/objects")
    belief.tick()
    return belief


def _restarted(time: Callable[[], float] | None) -> BeliefMap:
    kept = _map().objects(gone=True)
    return BeliefMap(MapSettings(lost_after=30.0), Clock(), kept, _REGIONS, time)


def _opened(belief: BeliefMap) -> RoboData:
    source = source_of(belief)
    return RoboData(settings=Settings(), source=source, store=LocalGraph.in_memory())


@pytest.fixture(scope="module")
def flat() -> Iterator[RoboData]:
    with _opened(_map()) as robodata:
        yield robodata


def told(answer: Answer) -> set[str]:
    return {item.label or str(item.value) for item in answer.results}


@pytest.mark.parametrize(
    ("question", "since", "how_long"),
    [
        (
            "How long has the mug been on the desk?",
            "17 November 2023, 09:00:00",
            "until 17 November 2023, 12:00:00, over 3 hours",
        ),
        (
            "How long was the mug on the table?",
            "15 November 2023, 08:00:00",
            "until 17 November 2023, 08:00:00, over 2 days, with up to 20 hours between two looks.",
        ),
        (
            "Since when is the bottle in the kitchen?",
            "15 November 2023, 08:00:00",
            "until 17 November 2023, 14:00:00",
        ),
        ("How long has the mug been there?", "17 November 2023, 09:00:00", "over 3 hours"),
        ("How long has the book been on the desk?", "17 November 2023, 10:00:00", "once alone"),
        (
            "When was the mug moved?",
            "17 November 2023, 09:00:00",
            "Elsewhere before: mug 1 from 15 November 2023, 08:00:00 until 17 November 2023, 08:00",
        ),
    ],
)
def test_a_stay_is_as_long_as_it_was_seen(
    flat: RoboData, question: str, since: str, how_long: str
) -> None:
    answer = flat.ask(question)
    assert told(answer) == {since}, answer.text
    assert how_long in " ".join(answer.notes)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Has the mug moved since yesterday?", {"yes"}),
        ("Has anybody moved the mug today?", {"yes"}),
        ("Did the mug move yesterday?", {"no"}),
        ("Has the bottle moved in the last two hours?", {"no"}),
        ("What has moved today?", {"mug 1"}),
        ("Which things have moved since 15 November 2023?", {"mug 1", "book 1"}),
        ("Which things have you not seen since yesterday?", {"cat 1"}),
        ("What have you not seen for three hours?", {"cat 1", "book 1", "person 1"}),
        ("Was there a cat in the bedroom yesterday?", {"yes"}),
        ("Who was in the bedroom today?", {"person 1"}),
        ("Has anyone been in the bedroom today?", {"yes"}),
        ("Is anybody in the kitchen?", {"yes"}),
        ("Is nobody in the kitchen?", {"no"}),
        ("Are there any animals in the kitchen?", {"no"}),
        ("Is person 2 in the bedroom?", {"no"}),
        ("Is there a bottle in the bedroom?", {"no"}),
        ("Are there at least two people in the kitchen?", {"no"}),
    ],
)
def test_what_moved_and_who_is_there_as_far_as_it_was_seen(
    flat: RoboData, question: str, expected: set[str]
) -> None:
    answer = flat.ask(question)
    assert told(answer) == expected, answer.text


@pytest.mark.parametrize(
    "question",
    [
        "How long has the mug been on the table?",  # it is there no more
        "How long was the mug in the bathroom?",
        "Has the book moved today?",  # it may have been moved before
        "Has the mug moved in the last hour?",  # it is out of sight
        "What moved in the last hour?",
        "Has the mug been on the desk since yesterday?",  # a part of that time alone
        "When was the bottle moved?",
        "Is anybody in the bathroom?",
        "Is person 1 in the bathroom?",
        "Is the cat in the bathroom?",
        "Was anybody in the bathroom today?",  # nobody looked
        "Has the cat been in the kitchen today?",
        "How many animals are in the bathroom?",
        "Are there at least two people in the bedroom?",
        "Are all people in the kitchen?",
        "Is there a person in every room?",
        "Which rooms have no person?",
    ],
)
def test_what_nobody_saw_is_open(flat: RoboData, question: str) -> None:
    answer = flat.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN and not answer.results, answer.text


def test_nobody_is_told_to_be_away_from_a_room_that_is_out_of_sight(flat: RoboData) -> None:
    answer = flat.ask("Is there a dog in the bedroom?")
    assert answer.status is AnswerStatus.UNKNOWN
    assert "last 17 November 2023, 12:00:00" in answer.text


def test_a_map_that_is_back_tells_what_it_holds_before_it_knows_the_time() -> None:
    with _opened(_restarted(None)) as flat:
        assert told(flat.ask("When did you last see the mug?")) == {"17 November 2023, 12:00:00"}
        ago = flat.ask("How long ago did you see the mug?")
        assert told(ago) == {"17 November 2023, 12:00:00"}
        assert "not known" in " ".join(ago.notes)
        assert told(flat.ask("Was the mug on the desk on 17 November 2023?")) == {"yes"}
        late = flat.ask("Where was the mug yesterday?")
        assert late.status is AnswerStatus.UNKNOWN and "What time it is" in late.text


def test_a_map_that_is_back_takes_the_time_from_its_host() -> None:
    with _opened(_restarted(lambda: _MIDNIGHT + 3 * _DAY)) as flat:
        assert "12 hours ago" in " ".join(flat.ask("How long ago did you see the mug?").notes)
        assert told(flat.ask("Where was the mug yesterday?")) >= {"desk", "bedroom"}


def test_a_clock_that_is_behind_what_was_seen_is_another_one() -> None:
    assert _restarted(lambda: 12.0).now is None
    assert _restarted(lambda: _MIDNIGHT + 3 * _DAY).now == _MIDNIGHT + 3 * _DAY
    assert BeliefMap(MapSettings(), Clock(), (), (), lambda: 0.0).now is None
