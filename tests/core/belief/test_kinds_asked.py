"""Kinds and single things of them: each is asked by its own name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from robodata_core.api import RoboData
from robodata_core.config import Settings
from robodata_core.model import TruthKind
from robodata_core.store.graph import LocalGraph
from tests.core.belief.asked_flat import REGIONS, world_of
from tests.core.belief.worlds import at

_LOOKS = {
    0.0: (
        replace(at("cup", 1.0, 1.6, 0.8, "cup_1"), label="my cup"),
        at("cup", 7.0, 2.0, 0.8, "cup_2"),
        at("bread", 1.4, 1.6, 0.8, "bread_1"),
        at("knife", 1.4, 2.0, 0.8, "knife_1"),
    )
}


def opened(*map_: object) -> RoboData:
    source = world_of(*map_)  # type: ignore[arg-type]
    return RoboData(settings=Settings(), source=source, store=LocalGraph.in_memory())


@pytest.fixture(scope="module")
def flat() -> Iterator[RoboData]:
    with opened(REGIONS, _LOOKS) as robodata:
        yield robodata


#: What the household says a knife is for.
KNIFE = {
    "cutting", "slicing", "cutting food", "cutting meat", "cutting bread", "cutting fruit",
    "peeling fruit", "slicing vegetables", "chopping vegetables",
}  # fmt: skip


@pytest.mark.parametrize(
    ("question", "expected", "kind"),
    [
        ("Where is my cup?", {"table", "kitchen"}, TruthKind.OBSERVED),
        ("Where did you last see my cup?", {"table", "kitchen"}, TruthKind.OBSERVED),
        ("Where is my knife?", {"table", "kitchen"}, TruthKind.OBSERVED),
        ("Where are the cups?", {"table", "kitchen", "bathroom"}, TruthKind.OBSERVED),
        ("How many cups are there?", {"2"}, TruthKind.RECKONED),
        ("What is a knife used for?", KNIFE, TruthKind.TYPICAL),
        ("What is a traffic light used for?", {"traffic control"}, TruthKind.TYPICAL),
        ("Which things I have seen can cut bread?", {"knife 1"}, TruthKind.TYPICAL),
    ],
)
def test_kinds_and_things_are_told_apart(
    flat: RoboData, question: str, expected: set[str], kind: TruthKind
) -> None:
    answer = flat.ask(question)
    assert {item.label for item in answer.results} == expected, answer.text
    assert answer.claims[0].kind is kind


def test_without_regions_a_place_is_told_by_its_coordinates() -> None:
    with opened((), _LOOKS) as robodata:
        answer = robodata.ask("Where is the knife?")
        assert [item.label for item in answer.results] == ["1.40, 2.00, 0.80 m in frame map"]
        assert answer.claims[0].kind is TruthKind.OBSERVED
        fork = robodata.ask("Where is the fork on the knife?")
        assert not fork.results
