"""Questions written without seeing data or parser: a floor under what strangers get."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.api import RoboData

from .first_contact import SOURCES, judged, lines

#: Somewhat below what was measured last, of a third of each kind: least right, most wrong.
_FLOORS = {"general": (15, 2), "household": (8, 1)}


@pytest.fixture(scope="module", params=SOURCES)
def opened(request: pytest.FixtureRequest) -> Iterator[tuple[str, RoboData]]:
    """A kind of questions, and what is asked; one opening serves all thirds."""
    with RoboData.open(source=SOURCES[request.param], policy="offline") as data:
        yield request.param, data


def test_the_set_is_whole() -> None:
    asked = list(lines())
    assert len(asked) == len({line.question for line in asked}) == 150
    assert {line.kind for line in asked} == set(SOURCES)


@pytest.mark.parametrize("third", [0, 1, 2])
def test_first_contact_does_not_fall_back(opened: tuple[str, RoboData], third: int) -> None:
    kind, data = opened
    told = judged(data, [line for line in lines() if line.kind == kind][third::3])
    right, wrong = _FLOORS[kind]
    assert len(told["right"]) >= right
    assert len(told["wrong"]) <= wrong, told["wrong"]
