"""Programs read as sentences."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given

from robodata_core.errors import ProgramError
from robodata_core.model import Direction, EntityValue, QuantityValue, StringValue, TimeValue
from robodata_core.programs.describe import describe
from robodata_core.programs.steps import (
    Comparison,
    Count,
    Difference,
    End,
    Extreme,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    Program,
    Start,
    Step,
    Union,
)
from tests.core.programs.strategies import programs

LABELS = {
    "Q42": "Douglas Adams",
    "Q571": "book",
    "Q9312": "Immanuel Kant",
    "Q11573": "metre",
    "P50": "author",
    "P106": "occupation",
    "P569": "date of birth",
    "P2048": "height",
}
ADAMS = Start("a", (EntityValue("Q42"),))
KANT = Start("k", (EntityValue("Q9312"),))


def _words(*steps: Step, exclude_start: bool = False) -> str:
    return describe(Program(steps, exclude_start), lambda id_: LABELS.get(id_, ""))


def test_a_chain_reads_on_without_names() -> None:
    assert _words(
        ADAMS,
        Follow("b", "a", ("P50",), Direction.IN),
        FilterByType("c", "b", ("Q571",)),
        Count("n", "c"),
        End("n"),
    ) == (
        "start from Douglas Adams (Q42); follow author (P50) backwards; "
        "keep those that are an instance of book (Q571); count them"
    )


def test_sets_that_meet_get_letters() -> None:
    assert _words(
        ADAMS,
        Follow("b", "a", ("P737",)),
        KANT,
        Follow("d", "k", ("P737", "P1066"), Direction.IN),
        Intersect("e", ("b", "d")),
        Difference("f", "e", "a"),
        End("f"),
    ) == (
        "start from Douglas Adams (Q42) (call these A); follow P737 (call these B); "
        "start from Immanuel Kant (Q9312); follow P737 or P1066 backwards (call these C); "
        "keep what is in both B and C; take A away from them"
    )


def test_a_set_taken_up_again_is_named() -> None:
    words = _words(ADAMS, KANT, Follow("b", "a", ()), Union("c", ("b", "k", "a")), End("b"))
    assert words == (
        "start from Douglas Adams (Q42) (call these A); "
        "start from Immanuel Kant (Q9312) (call these B); "
        "with A: follow any relation (call these C); put together C, B and A; the answer is C"
    )


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (
            FilterByConstraint("b", "a", "P569", Comparison.LT, TimeValue(1952, precision=9)),
            "keep those whose date of birth (P569) is before 1952",
        ),
        (
            FilterByConstraint(
                "b", "a", "P2048", Comparison.GE, QuantityValue(Decimal("1.9"), "Q11573")
            ),
            "keep those whose height (P2048) is at least 1.9 metre",
        ),
        (
            FilterByConstraint("b", "a", "P50", Comparison.EQ, EntityValue("Q42")),
            "keep those whose author (P50) is Douglas Adams (Q42)",
        ),
        (Extreme("b", "a", "P2048", True), "keep those with the largest height (P2048)"),
        (
            FilterByType("b", "a", ("Q571", "Q5"), ("P31", "P106")),
            "keep those whose P31 or occupation (P106) is book (Q571) or Q5",
        ),
        (Judge("b", "a", JudgeKind.NOT_EMPTY), "see whether there are any"),
        (
            Judge("b", "a", JudgeKind.CONTAINS, StringValue("42")),
            "see whether “42” is among them",
        ),
    ],
)
def test_each_step_has_its_words(step: Step, words: str) -> None:
    assert _words(ADAMS, step, End("b")) == f"start from Douglas Adams (Q42); {words}"


def test_steps_without_a_source_say_so() -> None:
    assert _words(FilterByType("a", "", ("Q571",)), End("a")) == (
        "take everything that is an instance of book (Q571)"
    )


@pytest.mark.parametrize("last", [(Count("n", "b"), End("n")), (End("b"),)])
def test_leaving_out_the_start_comes_before_counting(last: tuple[Step, ...]) -> None:
    words = _words(ADAMS, Follow("b", "a", ("P50",)), *last, exclude_start=True).split("; ")
    assert words[2] == "leave out what it started from"
    assert words[3:] == ["count them"] * (len(last) - 1)


def test_long_lists_are_cut() -> None:
    many = Start("a", tuple(EntityValue(f"Q{number}") for number in range(1, 12)))
    assert _words(many, End("a")) == "start from Q1, Q2, Q3, Q4, Q5 and 6 more"


def test_texts_cannot_steer_the_terminal() -> None:
    words = describe(
        Program((Start("a", (StringValue("x\n\x1b[31m"), EntityValue("Q1"))), End("a"))),
        lambda id_: "\x1b[2Jevil\n",
    )
    assert words.isprintable()


@given(programs())
def test_every_program_has_words(program: Program) -> None:
    words = describe(program, lambda id_: "")
    assert words
    assert "\n" not in words


def test_what_is_malformed_has_none() -> None:
    with pytest.raises(ProgramError):
        _words(End("a"))
