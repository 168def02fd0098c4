"""Questions written without seeing data or parser: a floor under what strangers get."""

from __future__ import annotations

import pytest

from .first_contact import SOURCES, lines, score

#: Somewhat below what was measured last, of a third of each kind: least right, most wrong.
_FLOORS = {"general": (15, 2), "household": (8, 1)}


def test_the_set_is_whole() -> None:
    asked = list(lines())
    assert len(asked) == len({line.question for line in asked}) == 150
    assert {line.kind for line in asked} == set(SOURCES)


@pytest.mark.parametrize("third", [0, 1, 2])
@pytest.mark.parametrize("kind", SOURCES)
def test_first_contact_does_not_fall_back(kind: str, third: int) -> None:
    told = score(kind, [line for line in lines() if line.kind == kind][third::3])
    right, wrong = _FLOORS[kind]
    assert len(told["right"]) >= right
    assert len(told["wrong"]) <= wrong, told["wrong"]
