"""Typed questions of planners over a map and the household's knowledge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.belief import Call, FindQuery, Planning, WorldSource
from robodata_core.cancellation import CancelToken
from robodata_core.errors import NotFoundError
from robodata_core.language.lexicon import open_lexicon
from tests.core.belief.asked_flat import world_of
from tests.core.belief.worlds import at

_CALL, _TOKEN = Call("test"), CancelToken()
_SEEN = {
    0.0: (
        at("hammer", 1.0, 1.0, id_="hammer_1"),
        at("scissors", 1.2, 1.0, id_="scissors_1"),
        at("apple", 1.4, 1.0, id_="apple_1"),
        at("iron", 3.0, 3.0, id_="iron_1"),
        at("washing machine", 7.0, 3.0, id_="washer_1"),
    )
}


@pytest.fixture(scope="module")
def world() -> Iterator[WorldSource]:
    source = world_of(looks=_SEEN)
    yield source
    source.close()


@pytest.mark.parametrize(
    ("affordance", "ids"),
    [
        ("cut", ["scissors_1"]),
        ("cutting", ["scissors_1"]),
        ("cuttable", ["apple_1"]),
        ("be cut", ["apple_1"]),
        ("fly", []),
    ],
)
def test_what_a_thing_is_for_is_not_what_can_be_done_to_it(
    world: WorldSource, affordance: str, ids: list[str]
) -> None:
    found = Planning(world).find(FindQuery(affordance=affordance), _CALL, _TOKEN)
    assert [one.item.id for one in found] == ids


def test_where_things_belong_comes_before_where_they_are_met(world: WorldSource) -> None:
    places = Planning(world).places("hammer_1", _CALL, _TOKEN)
    assert [place.kind.name for place in places] == ["garage", "toolbox", "floor"]
    assert places[1].score > places[2].score


@pytest.mark.parametrize(
    ("name", "activity", "present"),
    [
        ("ironing", "ironing clothes", "iron_1"),  # and not the board, of which legs are stated
        ("laundry", "doing the laundry", "washer_1"),
    ],
)
def test_an_activity_is_found_by_a_part_of_its_name(
    world: WorldSource, name: str, activity: str, present: str
) -> None:
    missing = Planning(world).missing(name, "", _CALL, _TOKEN)
    assert missing.activity.name == activity
    assert repr(activity) in missing.note
    assert [thing.id for things in missing.present.values() for thing in things] == [present]


def test_what_no_activity_is_called_is_not_known(world: WorldSource) -> None:
    with pytest.raises(NotFoundError, match="not known"):
        Planning(world).missing("gibberish", "", _CALL, _TOKEN)


@pytest.fixture(scope="module")
def knowing(world: WorldSource) -> Planning:
    return Planning(world, small=open_lexicon("en").is_small)


@pytest.mark.parametrize("name", ["launch a rocket", "make a bomb", "set the table on fire"])
def test_an_activity_of_which_a_word_is_missing_is_another_one(
    knowing: Planning, name: str
) -> None:
    with pytest.raises(NotFoundError, match="not known"):
        knowing.missing(name, "", _CALL, _TOKEN)


@pytest.mark.parametrize("name", ["set the table", "setting the table", "set a table"])
def test_small_words_and_endings_make_no_other_activity(knowing: Planning, name: str) -> None:
    assert "table" in knowing.missing(name, "", _CALL, _TOKEN).activity.name


def test_what_is_called_nearly_so_is_told(knowing: Planning) -> None:
    with pytest.raises(NotFoundError, match="like it: .*dinner"):
        knowing.missing("make a bomb", "", _CALL, _TOKEN)


def test_what_is_found_in_vain_is_told_with_what_was_looked_at() -> None:
    looks = {0.0: (at("person", 2, 2, id_="person_1"), at("cup", 2, 2.4, id_="cup_1"))}
    planning = Planning(world_of(looks=looks))
    told = planning.looked_at(FindQuery(class_id="woman"))
    assert "Objects looked at: 2, 2 of them in sight." in told
    assert "may be one: person_1 (person)" in told
    assert planning.looked_at(FindQuery(class_id="woman", region="shelf")).startswith("Nothing")
