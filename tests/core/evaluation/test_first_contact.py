"""Questions written without seeing data or parser: a floor under what strangers get."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from robodata_core.api import RoboData

from .first_contact import SOURCES, judged, lines

Asked = tuple[str, Callable[[int], dict[str, list[str]]]]
#: Somewhat below what was measured last, of a third of each kind: least right, most wrong.
_FLOORS = {"general": (15, 2), "household": (11, 1)}


@pytest.fixture(scope="module", params=SOURCES)
def asked(request: pytest.FixtureRequest) -> Iterator[Asked]:
    """A kind of questions, asked of one opening a twelfth at a time and each once."""
    with RoboData.open(source=SOURCES[request.param], policy="offline") as data:
        data.source.sparql("ASK {}")  # makes the store of queries, which takes longer than a part

        @cache
        def told(part: int) -> dict[str, list[str]]:
            return judged(data, [line for line in lines() if line.kind == request.param][part::12])

        yield request.param, told


def test_the_set_is_whole(asked: Asked) -> None:
    kind, _ = asked
    questions = [line.question for line in lines() if line.kind == kind]
    assert len(questions) == len(set(questions)) == {"general": 100, "household": 50}[kind]


@pytest.mark.parametrize("part", range(12))
def test_few_are_wrong(asked: Asked, part: int) -> None:
    kind, told = asked
    assert len(told(part)["wrong"]) <= _FLOORS[kind][1], told(part)["wrong"]


@pytest.mark.parametrize("third", [0, 1, 2])
def test_first_contact_does_not_fall_back(asked: Asked, third: int) -> None:
    kind, told = asked
    parts = [told(part) for part in range(third, 12, 3)]
    right, wrong = ([text for part in parts for text in part[name]] for name in ("right", "wrong"))
    assert len(right) >= _FLOORS[kind][0]
    assert len(wrong) <= _FLOORS[kind][1], wrong
