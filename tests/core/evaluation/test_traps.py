"""Traps drawn from the facts of the snapshot ``world``: none of a sample is answered falsely."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from robodata_core import RoboData
from tests.core.evaluation.traps import FAMILIES, Facts, false_ones, traps

_ASKED = 12


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[RoboData, Facts]]:
    with RoboData.open(source="snapshot:world", policy="offline") as data:
        yield data, Facts.of(data.source)


def test_there_are_traps_of_every_family(world: tuple[RoboData, Facts]) -> None:
    _, facts = world
    assert {len({*islice(traps(facts, 1, family), _ASKED)}) for family in FAMILIES} == {_ASKED}


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_trap_is_answered_falsely(world: tuple[RoboData, Facts], family: str, half: int) -> None:
    data, facts = world
    asked = islice(traps(facts, 1, family), half, None, 2)
    assert false_ones(data, asked, _ASKED // 2) == []


def test_what_is_so_of_one_is_not_so_of_every(world: tuple[RoboData, Facts]) -> None:
    """Where "which are not" finds some, "every" is no yes."""
    data, facts = world
    found = 0
    for trap in islice(traps(facts, 2, "share"), 24):
        if trap.question.startswith("Which "):
            others = data.ask(trap.question)
            noun, place = trap.question[6:-1].split(" ", 1)
            place = place.rsplit(" born in ", 1)[1]
            every = data.ask(f"Was every {noun.removesuffix('s')} born in {place}?")
            if others.results:
                found += 1
                assert not any(item.value is True for item in every.results), trap.question
    assert found
