"""Sloppy answers of a model: what it hands in is read as far as it can be."""

from __future__ import annotations

import pytest

from robodata_core.policy.llm.replies import read_answer


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["T2-T4"], ("T2", "T3", "T4")),
        (["T2–4", "T9"], ("T2", "T3", "T4", "T9")),
        (["[T1..T2]"], ("T1", "T2")),
        (["T5 to T5"], ("T5",)),
        (["T4-T2"], ("T4-T2",)),
        (["T1-N3"], ("T1-N3",)),
        (["T1-T999999"], ("T1-T999999",)),
    ],
)
def test_handles_may_be_given_as_a_range(given: list[str], expected: tuple[str, ...]) -> None:
    draft = read_answer({"handles": given})
    assert draft.parts[0].handles == expected


def test_ranges_are_bounded() -> None:
    many = [f"T{n}-T{n + 1_999}" for n in range(1, 200_000, 2_000)]
    draft = read_answer({"handles": many})
    assert len(draft.parts[0].handles) <= 4_000
