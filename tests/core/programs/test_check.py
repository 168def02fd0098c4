"""What is no program is refused with a sentence that says where."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given

from robodata_core.errors import ProgramError
from robodata_core.model import (
    CoordinateValue,
    EntityValue,
    MonolingualTextValue,
    NoValue,
    QuantityValue,
    SomeValue,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
)
from robodata_core.programs.check import MAX_STEPS, check
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.executor import execute
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
from tests.core.programs.graphs import GraphSource
from tests.core.programs.strategies import programs

START = Start("a", (EntityValue("Q1"),))


def _refused(*steps: Step) -> str:
    with pytest.raises(ProgramError) as caught:
        check(Program(steps))
    return str(caught.value)


def test_every_kind_of_step_can_be_well_formed() -> None:
    check(
        Program(
            (
                START,
                Follow("b", "a", ()),
                FilterByType("c", "b", ("Q5",)),
                FilterByType("all", "", ("http://example.org/Class",)),
                FilterByConstraint("d", "c", "P10", Comparison.GE, StringValue("x")),
                FilterByConstraint("e", "", "P20", Comparison.LT, QuantityValue(Decimal(1))),
                Union("f", ("d", "e", "all")),
                Intersect("g", ("f", "b")),
                Difference("h", "g", "a"),
                Extreme("i", "h", "P20", True),
                Judge("j", "i", JudgeKind.CONTAINS, EntityValue("Q2")),
                Count("k", "i"),
                End("k"),
            )
        )
    )


@given(programs())
def test_what_the_other_tests_make_is_well_formed(program: Program) -> None:
    check(program)


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ((), "end with the step End"),
        ((START,), "end with the step End"),
        ((START, End("a"), End("a")), "Step 2 (End): End must be the last step."),
        ((START, End("b")), "Step 2 (End): it reads 'b', which no earlier step has written."),
        ((Follow("a", "a", ()), End("a")), "reads 'a', which no earlier step"),
        ((START, START, End("a")), "Step 2 (Start): 'a' was written before"),
        ((START, Count("n", "a"), Follow("b", "n", ()), End("b")), "'n' is a number or a boolean"),
        ((START, Count("n", "a"), Count("m", "n"), End("m")), "'n' is a number or a boolean"),
        ((START, Intersect("b", ("a",)), End("b")), "2 to"),
        ((START, Union("b", ()), End("b")), "2 to"),
        ((START, Union("b", ("a",) * 1_001), End("b")), "2 to 1000 sets"),
        ((Start("a", ()), End("a")), "1 to 20000 values"),
        ((START, FilterByType("b", "a", ()), End("b")), "classes"),
        ((START, FilterByType("b", "a", ("Q5",), ()), End("b")), "type relations"),
        ((START, Follow("b", "a", ("Q5",)), End("b")), "'Q5' does not name a property"),
        (
            (START, Follow("b", "a", ("http://www.wikidata.org/prop/direct/P50",)), End("b")),
            "write P50 instead",
        ),
        ((START, Follow("b", "a", ("P0",)), End("b")), "'P0' does not name a property"),
        ((START, FilterByType("b", "a", ("human",)), End("b")), "'human' does not name an entity"),
        ((START, Extreme("b", "a", "P1 }", True), End("b")), "does not name a property"),
        ((START, Judge("b", "a", JudgeKind.CONTAINS), End("b")), "'contains'"),
        ((START, Judge("b", "a", JudgeKind.NOT_EMPTY, EntityValue("Q1")), End("b")), "'contains'"),
        ((Start("", (EntityValue("Q1"),)), End("")), "a set's name"),
        ((Start("x\n", (EntityValue("Q1"),)), End("x\n")), "a set's name"),
        ((Start("x" * 65, (EntityValue("Q1"),)), End("x")), "a set's name"),
        ((START, "follow", End("a")), "this is not a step"),
        ((START, Follow("b", "a", (), "out"), End("b")), "'out' is not a Direction"),
    ],
)
def test_malformed_programs_are_refused(steps: tuple[Step, ...], reason: str) -> None:
    assert reason in _refused(*steps)


@pytest.mark.parametrize(
    "value",
    [
        SomeValue(),
        NoValue(),
        EntityValue("Q1 . } DELETE"),
        EntityValue("Douglas Adams"),
        EntityValue("http://www.wikidata.org/entity/Q42"),
        StringValue("x" * 10_001),
        StringValue("half \ud83d pair"),
        StringValue("x", "not an iri"),
        MonolingualTextValue("x", "en us"),
        UrlValue("not a link"),
        QuantityValue(Decimal("NaN")),
        QuantityValue(Decimal("Infinity")),
        QuantityValue(Decimal("1e999999")),
        QuantityValue(Decimal(1), "metre"),
        TimeValue(1952, 13, 1),
        TimeValue(1952, 0, 0),
        TimeValue(1951, 2, 29),
        TimeValue(1952, 1, 1, 24, precision=12),
        TimeValue(1952, precision=15),
        TimeValue(10**13, precision=0),
        CoordinateValue(float("nan"), 0.0),
        CoordinateValue(91.0, 0.0),
        "Q1",
    ],
)
def test_values_that_mean_nothing_are_refused(value: Value) -> None:
    assert _refused(Start("a", (value,)), End("a")).startswith("Step 1 (Start): ")


@pytest.mark.parametrize("comparison", [Comparison.LT, Comparison.LE, Comparison.GT, Comparison.GE])
@pytest.mark.parametrize("value", [EntityValue("Q1"), UrlValue("http://example.org/")])
def test_entities_have_no_order(comparison: Comparison, value: Value) -> None:
    reason = _refused(START, FilterByConstraint("b", "a", "P1", comparison, value), End("b"))
    assert "equal or not equal" in reason


def test_places_cannot_be_compared() -> None:
    step = FilterByConstraint("b", "a", "P625", Comparison.EQ, CoordinateValue(1.0, 2.0))
    assert "cannot be compared" in _refused(START, step, End("b"))


def test_programs_are_bounded_in_length() -> None:
    steps = [Follow(f"f{number}", "a", ()) for number in range(MAX_STEPS)]
    assert f"at most {MAX_STEPS} steps" in _refused(START, *steps, End("a"))


def test_what_is_malformed_is_neither_run_nor_compiled() -> None:
    program = Program((START, End("b")))
    with pytest.raises(ProgramError):
        execute(program, GraphSource([]))
    with pytest.raises(ProgramError):
        compile_sparql(program)
