"""Every, no, most, at least, at most: judged alike by look-up and by query."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from robodata_core.model import Direction, EntityValue, Statement
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.describe import Verbaliser
from robodata_core.programs.executor import execute
from robodata_core.programs.steps import (
    Comparison,
    Count,
    Difference,
    End,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    JudgeShare,
    JudgeSize,
    Program,
    Quantifier,
    Start,
    Step,
)
from tests.core.programs.graphs import GraphSource
from tests.core.programs.strategies import graphs, programs

NAMES = {
    "Q1": "Ann", "Q2": "Bob", "Q3": "Cat", "Q4": "Dan", "Q9": "guitar", "P1": "child",
    "P2": "instrument",
}  # fmt: skip
WORDS = Verbaliser(lambda id_: NAMES.get(id_, ""))
CHILDREN = (Start("a", (EntityValue("Q1"),)), Follow("b", "a", ("P1",)))
PLAYERS = (Start("c", (EntityValue("Q9"),)), Follow("d", "c", ("P2",), Direction.IN))


def _facts(*children: str, players: tuple[str, ...] = ()) -> GraphSource:
    own = [Statement("Q1", "P1", EntityValue(id_)) for id_ in children]
    return GraphSource([*own, *(Statement(id_, "P2", EntityValue("Q9")) for id_ in players)])


def _truth(source: GraphSource, *steps: Step) -> bool | None:
    program = Program((*steps, End(steps[-1].out)))
    result = execute(program, source)
    assert source.sparql(compile_sparql(program)).boolean is result.boolean
    return result.boolean


def _shares(source: GraphSource) -> dict[Quantifier, bool | None]:
    return {
        one: _truth(source, *CHILDREN, *PLAYERS, JudgeShare("j", "b", "d", one))
        for one in Quantifier
    }


def test_every_no_and_most() -> None:
    every, no, most = Quantifier.EVERY, Quantifier.NO, Quantifier.MOST
    assert _shares(_facts()) == {every: False, no: False, most: False}
    assert _shares(_facts("Q2", "Q3", "Q4")) == {every: False, no: True, most: False}
    some = _facts("Q2", "Q3", "Q4", players=("Q2",))
    assert _shares(some) == {every: False, no: False, most: False}
    several = _facts("Q2", "Q3", "Q4", players=("Q2", "Q3"))
    assert _shares(several) == {every: False, no: False, most: True}
    whole = _facts("Q2", "Q3", players=("Q2", "Q3", "Q4"))
    assert _shares(whole) == {every: True, no: False, most: True}


def test_only_is_every_one_of_what_there_is_among_what_is_named() -> None:
    only = (
        *CHILDREN,
        Start("o", (EntityValue("Q2"),)),
        JudgeShare("j", "b", "o", Quantifier.EVERY),
    )
    assert _truth(_facts("Q2"), *only) is True
    assert _truth(_facts("Q2", "Q3"), *only) is False
    assert _truth(_facts("Q3"), *only) is False
    assert _truth(_facts(), *only) is False


@given(graphs, programs(3), programs(3))
def test_every_x_is_y_agrees_with_which_x_are_not_y(
    statements: list[Statement], one: Program, other: Program
) -> None:
    """The same of all quantifiers: each is what the sizes of two sets say."""
    source = GraphSource(statements)
    steps, x = _as_set(one, "x")
    more, y = _as_set(other, "y")
    steps += more
    result = execute(Program((*steps, Difference("left", x, y), End("left"))), source)
    both = execute(
        Program((*steps, Intersect("both", (x, y)), Count("n", "both"), End("n"))), source
    )
    left, inside = len(result.values), both.number or 0
    for quantifier, wanted in (
        (Quantifier.EVERY, not left and inside > 0),
        (Quantifier.NO, not inside and left > 0),
        (Quantifier.MOST, inside > left),
    ):
        judged = Program((*steps, JudgeShare("j", x, y, quantifier), End("j")))
        told = execute(judged, source)
        assert told.boolean is wanted
        if quantifier is Quantifier.EVERY and not wanted and left:
            assert set(told.examples) <= set(result.values)
            assert len(told.examples) == 1


def test_the_sizes_of_two_sets_are_compared_and_told() -> None:
    both = (*CHILDREN, *PLAYERS)
    source = _facts("Q2", "Q3", "Q4", players=("Q2",))
    for comparison, number, holds, said in (
        (Comparison.GT, 0, True, "The number of children of Ann is more than that of"),
        (Comparison.EQ, 0, False, "The number of children of Ann is not the same as that of"),
        (Comparison.LE, 0, False, "The number of children of Ann is more than that of"),
        (Comparison.GE, 2, True, "The number of children of Ann less that of"),
        (Comparison.GT, 2, False, "The number of children of Ann less that of"),
    ):
        step = JudgeSize("j", "b", comparison, number, "d")
        program = Program((*both, step, End("j")))
        assert _truth(source, *both, step) is holds
        told = WORDS.verdict(program, holds, execute(program, source).examples)
        assert told.startswith(said)
        assert told.endswith(f"{' is at most 2' * (number == 2 and not holds)}."), told


def test_how_many_more_is_told_of_both_sets() -> None:
    program = Program((*CHILDREN, *PLAYERS, Count("n", "b", "d"), End("n")))
    others = "that of those whose instrument is guitar"
    for number, told in ((2, "2 more than"), (-1, "1 less than"), (0, "the same as")):
        assert WORDS.counted(program, number, (EntityValue("Q2"),)) == (
            f"The number of children of Ann is {told} {others}."
        )


def _as_set(program: Program, prefix: str) -> tuple[tuple[Step, ...], str]:
    """Return the sets of a program under other names, and the last of them."""
    names: dict[str, str] = {}
    steps: list[Step] = []
    for step in program.steps:
        if not isinstance(step, End) and step.gives.value == "set":
            renamed = step.renamed(names)
            names[step.out] = prefix + step.out
            steps.append(replace(renamed, out=names[step.out]))
    return tuple(steps), steps[-1].out


@given(graphs, programs(3), st.integers(0, 4))
def test_sizes_are_compared_as_they_are_counted(
    statements: list[Statement], program: Program, number: int
) -> None:
    source = GraphSource(statements)
    steps, last = _as_set(program, "x")
    size = execute(Program((*steps, Count("n", last), End("n"))), source).number
    assert size is not None
    for comparison, wanted in (
        (Comparison.GE, size >= number),
        (Comparison.GT, size > number),
        (Comparison.LE, size <= number),
        (Comparison.LT, size < number),
        (Comparison.EQ, size == number),
        (Comparison.NE, size != number),
    ):
        judged = Program((*steps, JudgeSize("j", last, comparison, number), End("j")))
        assert execute(judged, source).boolean is wanted
    there = Program((*steps, Judge("j", last, JudgeKind.NOT_EMPTY), End("j")))
    assert execute(there, source).boolean is (size > 0)


def test_judgements_are_told_with_what_shows_them() -> None:
    source = _facts("Q2", "Q3", players=("Q2",))
    every = Program((*CHILDREN, *PLAYERS, JudgeShare("j", "b", "d", Quantifier.EVERY), End("j")))
    assert WORDS.reading(every) == ("whether every child of Ann is one whose instrument is guitar")
    result = execute(every, source)
    assert WORDS.verdict(every, bool(result.boolean), result.examples) == (
        "Not every child of Ann is one whose instrument is guitar: Cat is not stated to be."
    )
    most = Program((*CHILDREN, JudgeSize("j", "b", Comparison.LE, 1), End("j")))
    found = execute(most, source)
    assert WORDS.verdict(most, bool(found.boolean), found.examples) == (
        "The number of children of Ann is more than 1: Bob and Cat."
    )
