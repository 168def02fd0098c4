"""What was: told from where things were seen at the time, never from where they are now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import pytest

from robodata_core.api import RoboData
from robodata_core.belief import Stay, WorldSource
from robodata_core.belief.model import from_plain
from robodata_core.config import Settings
from robodata_core.model import Answer, AnswerStatus, TruthKind
from robodata_core.store.graph import LocalGraph
from tests.core.belief.asked_flat import REGIONS, world_of
from tests.core.belief.worlds import Clock, at, empty_map, see

_DAY = 86_400.0
_TABLE, _BATH = (1.4, 2.0, 0.8), (7.0, 2.0, 0.8)
#: The cup is watched on the table until yesterday, and is in the bathroom today; the plate was
#: seen on the table three days ago and today, the spoon all the time.
_LOOKS = {
    0.0: (at("cup", *_TABLE, "cup_1"), at("plate", 1.0, 2.0, 0.8, "plate_1")),
    2 * _DAY: (at("cup", *_TABLE, "cup_1"), at("book", 4.0, 4.0, 1.45, "book_1")),
    3 * _DAY: (at("cup", *_BATH, "cup_1"), at("plate", 1.0, 2.0, 0.8, "plate_1")),
}
_WATCHED = {hour * 3600.0: (at("spoon", 1.8, 2.4, 0.8, "spoon_1"),) for hour in range(0, 73, 4)}


def told(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


@pytest.fixture(scope="module")
def flat() -> Iterator[RoboData]:
    times = sorted({*_LOOKS, *_WATCHED})
    looks = {time: (*_LOOKS.get(time, ()), *_WATCHED.get(time, ())) for time in times}
    source = world_of(REGIONS, looks)
    with RoboData(settings=Settings(), source=source, store=LocalGraph.in_memory()) as robodata:
        yield robodata


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Was cup 1 on the table yesterday?", {"yes"}),
        ("Was the cup in the kitchen yesterday?", {"yes"}),
        ("Was cup 1 in the bathroom yesterday?", {"no"}),
        ("Was the cup in the bathroom today?", {"yes"}),
        ("Was the cup on the table three days ago?", {"yes"}),
        ("Was the cup on the table on 16 November 2023?", {"yes"}),
        ("Was the cup in the kitchen in the last hour?", {"no"}),
        ("Was the cup in the kitchen?", {"yes"}),
        ("Has the cup ever been on the table?", {"yes"}),
        ("Was there a cup on the table yesterday?", {"yes"}),
        ("Was the spoon on the table two days ago?", {"yes"}),
        ("Did you see the cup yesterday?", {"yes"}),
        ("Where was cup 1 before?", {"table", "kitchen"}),
        ("Where did the cup stand earlier?", {"table", "kitchen"}),
        ("Where was the cup at first?", {"table", "kitchen"}),
        ("Has anybody moved the cup?", {"yes"}),
        ("Is the cup still on the table?", {"no"}),
        ("Is the cup no longer on the table?", {"yes"}),
        ("Is the cup not in the bathroom any more?", {"no"}),
        ("What did you see in the bathroom today?", {"cup 1"}),
        ("In which room did you last see the cup?", {"bathroom"}),
        ("Where was the cup yesterday?", {"table", "kitchen"}),
        ("Where has the cup been?", {"table", "kitchen", "bathroom"}),
        ("Where did you first see the cup?", {"table", "kitchen"}),
        ("Has the cup moved?", {"yes"}),
        ("Has the plate moved?", {"no"}),
        ("Which things have moved?", {"cup 1"}),
        ("Which cups were on the table yesterday?", {"cup 1"}),
        ("Where is the cup?", {"bathroom"}),
    ],
)
def test_what_was_is_told_from_what_was_seen_then(
    flat: RoboData, question: str, expected: set[str]
) -> None:
    answer = flat.ask(question)
    assert told(answer) == expected, answer.text
    assert {claim.kind for claim in answer.claims} <= {
        TruthKind.OBSERVED,
        TruthKind.RECKONED,
        TruthKind.ABSENT,
    }


@pytest.mark.parametrize(
    "question",
    [
        "Was the plate on the table yesterday?",  # nobody looked
        "Was the cup on the table two days ago?",
        "Did you see the plate yesterday?",
        "Where was the plate yesterday?",
        "Was the plate in the bathroom?",  # it was not seen there, which is no proof
        "Where was the plate before?",
        "Was the cup near the plate yesterday?",
        "How many cups were on the table yesterday?",
        "How many cups were on the table?",
        "Was the fork on the table yesterday?",
        "Was the robot in the bathroom yesterday?",
        "Has the book moved?",  # it is out of sight
        "Who was in the kitchen?",
    ],
)
def test_what_nobody_saw_is_not_told_from_what_is_now(flat: RoboData, question: str) -> None:
    answer = flat.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN and not answer.results, answer.text


def test_what_was_there_among_other_things_is_told_in_part(flat: RoboData) -> None:
    answer = flat.ask("What was on the table yesterday?")
    assert told(answer) == {"cup 1", "spoon 1"}
    assert answer.status is AnswerStatus.PARTIAL


def test_evidence_of_the_past_says_from_when_to_when(flat: RoboData) -> None:
    (claim, *_) = flat.ask("Was cup 1 on the table yesterday?").claims
    times = {
        snak.property
        for item in claim.support.evidence
        for record in item.provenance
        for snak in record.qualifiers
    }
    assert {"P580", "P582"} <= times


def test_stays_are_no_things_of_the_map(flat: RoboData) -> None:
    source = flat.source
    assert isinstance(source, WorldSource)
    assert all("stay" not in hit.id for hit in source.search("cup"))
    plain = source.map.statements("urn:robodata:map:cup_1").statements
    assert all("stay" not in str(item.value) for item in plain)


def test_a_stay_knows_its_longest_time_unseen() -> None:
    clock = Clock()
    belief = empty_map(clock)
    for clock.now in (0.0, 10.0, 100.0, 130.0):
        see(belief, clock, at("cup", *_TABLE, "cup_1"))
    (item,) = belief.objects()
    assert [stay.gap for stay in item.history] == [90.0]
    kept = asdict(item.history[0])
    del kept["gap"]  # as older files have it: when it was seen in between is not known
    assert from_plain(Stay, kept).gap == 130.0
