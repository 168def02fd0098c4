"""What each step gives, which statements it rests on, and what happens at the bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

import pytest
from hypothesis import given

from robodata_core.cancellation import CancelToken
from robodata_core.errors import CancelledError, DeadlineExceededError, SourceTimeoutError
from robodata_core.iris import RDF, RDFS
from robodata_core.model import (
    Direction,
    EntityValue,
    MonolingualTextValue,
    NoValue,
    QuantityValue,
    SomeValue,
    Statement,
    StatementPage,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.programs.executor import Executor, ProgramResult, execute
from robodata_core.programs.keys import key_of
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
from tests.core.programs.graphs import GraphSource, named, statement
from tests.core.programs.strategies import graphs, programs

ADAMS, KANT, HEGEL, FICHTE = "Q42", "Q9312", "Q9235", "Q76725"
HUMAN, WRITER, NOVELIST, AUTHOR_CLASS = "Q5", "Q36180", "Q6625963", "Q482980"
METRE, FOOT = "Q11573", "Q3710"

FACTS = (
    statement("Q1", "P50", ADAMS),
    statement("Q2", "P50", ADAMS),
    statement("Q2", "P31", "Q571"),
    statement(ADAMS, "P31", HUMAN),
    statement(ADAMS, "P106", NOVELIST),
    statement(NOVELIST, "P279", WRITER),
    statement(WRITER, "P279", AUTHOR_CLASS),
    statement(ADAMS, "P2048", QuantityValue(Decimal("1.96"), METRE)),
    statement(ADAMS, "P569", TimeValue(1952, 3, 11)),
    statement(ADAMS, "P742", StringValue("DNA")),
    statement(ADAMS, "P22", SomeValue()),
    statement(ADAMS, "P40", NoValue()),
    statement(HEGEL, "P737", KANT),
    statement(FICHTE, "P737", KANT),
    statement(HEGEL, "P737", FICHTE),
    statement(HEGEL, "P106", "Q4964182"),
    statement(FICHTE, "P569", TimeValue(1762, precision=9)),
    statement(HEGEL, "P569", TimeValue(1770, 8, 27)),
    statement(FICHTE, "P2048", QuantityValue(Decimal(6), FOOT)),
    statement(HEGEL, "P2048", QuantityValue(Decimal(2))),
)


def _start(*ids: str) -> Start:
    return Start("s", tuple(EntityValue(id_) for id_ in ids))


def _result(*steps: Step, facts: Iterable[Statement] = FACTS, **more: object) -> ProgramResult:
    exclude = bool(more.pop("exclude_start", False))
    program = Program((*steps, End(steps[-1].out)), exclude)  # type: ignore[union-attr]
    return execute(program, GraphSource(facts), **more)  # type: ignore[arg-type]


def _ids(*steps: Step, **more: object) -> list[str]:
    return named(_result(*steps, **more).values)  # type: ignore[arg-type]


# -- following --------------------------------------------------------------------------------


def test_follow_gives_the_values_in_the_order_of_the_source() -> None:
    assert _ids(_start(KANT), Follow("a", "s", ("P737",), Direction.IN)) == [HEGEL, FICHTE]
    assert _ids(_start(HEGEL), Follow("a", "s", ("P737",))) == [KANT, FICHTE]


def test_follow_goes_node_by_node_and_takes_properties_in_their_order() -> None:
    step = Follow("a", "s", ("P106", "P737"))
    assert _ids(_start(HEGEL, ADAMS), step) == ["Q4964182", KANT, FICHTE, NOVELIST]


def test_named_properties_give_literals_and_nothing_unknown() -> None:
    properties = ("P742", "P22", "P40", "P2048")
    assert _result(_start(ADAMS), Follow("a", "s", properties)).values == (
        StringValue("DNA"),
        QuantityValue(Decimal("1.96"), METRE),
    )


def test_any_relation_gives_neighbours() -> None:
    assert _ids(_start(ADAMS), Follow("a", "s", ())) == [HUMAN, NOVELIST]
    assert _ids(_start(ADAMS), Follow("a", "s", (), Direction.IN)) == ["Q1", "Q2"]


def test_any_relation_leaves_out_the_workings_of_the_graph() -> None:
    facts = [
        statement("http://e/a", "http://www.w3.org/ns/prov#wasDerivedFrom", "http://e/b"),
        statement("http://e/a", "http://wikiba.se/ontology#rank", "http://e/c"),
        statement("http://e/a", "http://schema.org/author", "http://e/d"),
    ]
    assert _ids(_start("http://e/a"), Follow("a", "s", ()), facts=facts) == ["http://e/d"]


def test_literals_lead_back_to_who_has_them() -> None:
    given = Start("s", (StringValue("DNA"), TimeValue(1770, 8, 27), EntityValue(KANT)))
    step = Follow("a", "s", ("P742", "P569", "P737"), Direction.IN)
    result = _result(given, step)
    assert named(result.values) == [HEGEL, FICHTE, ADAMS]
    assert result.support(EntityValue(ADAMS)) == (FACTS[9],)


def test_a_given_text_is_found_in_a_language_too() -> None:
    facts = [statement("Q1", "P1476", MonolingualTextValue("Emma", "en"))]
    given = Start("s", (StringValue("Emma"),))
    result = _result(given, Follow("a", "s", ("P1476",), Direction.IN), facts=facts)
    assert named(result.values) == ["Q1"]
    assert result.evidence == tuple(facts)


# -- types ------------------------------------------------------------------------------------


def test_types_are_seen_through_their_superclasses() -> None:
    steps = (_start(ADAMS, HEGEL), FilterByType("a", "s", (AUTHOR_CLASS,), ("P31", "P106")))
    result = _result(*steps)
    assert named(result.values) == [ADAMS]
    assert result.support(EntityValue(ADAMS)) == (FACTS[4], FACTS[5], FACTS[6])


def test_the_shortest_way_to_a_class_is_the_support() -> None:
    step = FilterByType("a", "s", (AUTHOR_CLASS, NOVELIST), ("P106",))
    assert _result(_start(ADAMS), step).evidence == (FACTS[4],)


def test_a_type_can_start_a_set() -> None:
    result = _result(FilterByType("a", "", (AUTHOR_CLASS,), ("P31", "P106")))
    assert named(result.values) == [ADAMS]
    assert result.evidence == (FACTS[4], FACTS[5], FACTS[6])


def test_classes_are_not_instances_but_can_be_asked_for() -> None:
    assert _ids(_start(NOVELIST), FilterByType("a", "s", (WRITER,))) == []
    assert _ids(_start(NOVELIST), FilterByType("a", "s", (AUTHOR_CLASS,), ("P279",))) == [NOVELIST]


def test_circles_of_classes_end() -> None:
    facts = [
        statement("Q1", "P31", "Q2"),
        statement("Q2", "P279", "Q3"),
        statement("Q3", "P279", "Q2"),
        statement("Q3", "P279", "Q4"),
    ]
    result = _result(_start("Q1"), FilterByType("a", "s", ("Q4",)), facts=facts)
    assert result.evidence == (facts[0], facts[1], facts[3])
    assert not result.truncated
    assert _ids(FilterByType("a", "", ("Q4",)), facts=facts) == ["Q1"]


def test_a_class_too_far_up_is_reported_as_cut() -> None:
    chain = [statement(f"Q{n}", "P279", f"Q{n + 1}") for n in range(1, 9)]
    facts = [statement("Q100", "P31", "Q1"), *chain]
    for first in ("", "s"):
        steps = (_start("Q100"), FilterByType("a", first, ("Q9",)))
        near = _result(*steps, facts=facts, max_class_depth=8)
        far = _result(*steps, facts=facts, max_class_depth=7)
        assert named(near.values) == ["Q100"]
        assert (named(far.values), far.truncated) == ([], True)


def test_other_graphs_have_types_too() -> None:
    facts = [
        statement("http://e/knife1", RDF + "type", "http://e/Knife"),
        statement("http://e/Knife", RDFS + "subClassOf", "http://e/Cutlery"),
    ]
    step = FilterByType("a", "", ("http://e/Cutlery",), (RDF + "type",))
    assert _ids(step, facts=facts) == ["http://e/knife1"]


# -- values -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("property_", "comparison", "value", "expected"),
    [
        ("P2048", Comparison.GT, QuantityValue(Decimal("1.9"), METRE), [ADAMS]),
        ("P2048", Comparison.GT, QuantityValue(Decimal("1.9"), FOOT), [FICHTE]),
        ("P2048", Comparison.GT, QuantityValue(Decimal("1.9")), [HEGEL]),
        ("P2048", Comparison.NE, QuantityValue(Decimal("1.96"), METRE), []),
        ("P2048", Comparison.EQ, QuantityValue(Decimal("1.960"), METRE), [ADAMS]),
        ("P569", Comparison.LT, TimeValue(1952, precision=9), [FICHTE, HEGEL]),
        ("P569", Comparison.EQ, TimeValue(1952, precision=9), [ADAMS]),
        ("P569", Comparison.EQ, TimeValue(1762, 5, 19), []),
        ("P742", Comparison.EQ, StringValue("DNA"), [ADAMS]),
        ("P742", Comparison.LT, StringValue("E"), [ADAMS]),
        ("P742", Comparison.NE, StringValue("DNA"), []),
        ("P737", Comparison.EQ, EntityValue(KANT), [HEGEL, FICHTE]),
        ("P737", Comparison.NE, EntityValue(KANT), [HEGEL]),
        ("P22", Comparison.NE, EntityValue(KANT), []),
        ("P569", Comparison.EQ, StringValue("1952-03-11"), []),
    ],
)
def test_constraints(
    property_: str, comparison: Comparison, value: Value, expected: list[str]
) -> None:
    within = FilterByConstraint("a", "s", property_, comparison, value)
    anywhere = FilterByConstraint("a", "", property_, comparison, value)
    assert set(_ids(_start(FICHTE, HEGEL, ADAMS), within)) == set(expected)
    assert set(_ids(anywhere)) == set(expected)


@pytest.mark.parametrize("amount", ["1", "1e21", "8.8e23"])
def test_numbers_that_no_query_can_hold_are_compared_all_the_same(amount: str) -> None:
    facts = [
        statement("Q1", "P2386", QuantityValue(Decimal("8.8e23"), METRE)),
        statement("Q2", "P2386", QuantityValue(Decimal("0.5"), METRE)),
    ]
    value = QuantityValue(Decimal(amount), METRE)
    step = FilterByConstraint("a", "", "P2386", Comparison.GE, value)
    assert _ids(step, facts=facts) == ["Q1"]


def test_a_constraint_is_part_of_the_support() -> None:
    step = FilterByConstraint("b", "a", "P569", Comparison.GT, TimeValue(1765, precision=9))
    result = _result(_start(KANT), Follow("a", "s", ("P737",), Direction.IN), step)
    assert result.support(EntityValue(HEGEL)) == (FACTS[12], FACTS[17])


def test_extremes_keep_ties_and_rank_units_apart() -> None:
    assert _ids(_start(ADAMS, FICHTE, HEGEL, KANT), Extreme("a", "s", "P569", False)) == [FICHTE]
    assert _ids(_start(ADAMS, FICHTE, HEGEL, KANT), Extreme("a", "s", "P569", True)) == [ADAMS]
    units = _ids(_start(ADAMS, FICHTE, HEGEL), Extreme("a", "s", "P2048", True))
    assert units == [ADAMS, FICHTE, HEGEL]
    equal = [*FACTS, statement(KANT, "P569", TimeValue(1952, 3, 11))]
    tied = _ids(_start(KANT, ADAMS, HEGEL), Extreme("a", "s", "P569", True), facts=equal)
    assert tied == [KANT, ADAMS]


def test_an_extreme_rests_on_its_value() -> None:
    result = _result(_start(ADAMS, HEGEL), Extreme("a", "s", "P569", False))
    assert result.evidence == (FACTS[17],)


# -- sets, numbers, judgements ----------------------------------------------------------------

A = Start("a", (EntityValue("Q1"), EntityValue("Q2"), EntityValue("Q3")))
B = Start("b", (EntityValue("Q3"), EntityValue("Q4"), EntityValue("Q1")))


def test_set_operations_keep_the_order_of_the_first() -> None:
    assert _ids(A, B, Intersect("c", ("b", "a"))) == ["Q3", "Q1"]
    assert _ids(A, B, Union("c", ("b", "a"))) == ["Q3", "Q4", "Q1", "Q2"]
    assert _ids(A, B, Difference("c", "a", "b")) == ["Q2"]
    assert _ids(A, Intersect("c", ("a", "a"))) == ["Q1", "Q2", "Q3"]


def test_an_intersection_rests_on_both_branches() -> None:
    result = _result(
        _start(KANT, FICHTE),
        Start("f", (EntityValue(FICHTE),)),
        Follow("a", "s", ("P737",), Direction.IN),
        Follow("b", "f", ("P737",), Direction.IN),
        Intersect("c", ("a", "b")),
    )
    assert named(result.values) == [HEGEL]
    assert set(result.support(EntityValue(HEGEL))) == {FACTS[12], FACTS[14]}


def test_count() -> None:
    result = _result(_start(ADAMS), Follow("a", "s", ("P50",), Direction.IN), Count("n", "a"))
    assert (result.number, result.boolean, result.values) == (2, None, ())
    assert named(result.members) == ["Q1", "Q2"]
    assert result.evidence == (FACTS[0], FACTS[1])
    assert result.support(EntityValue("Q2")) == (FACTS[1],)


def test_judge_shows_one_witness_for_yes_and_none_for_no() -> None:
    books = Follow("a", "s", ("P50",), Direction.IN)
    some = _result(_start(ADAMS), books, Judge("j", "a", JudgeKind.NOT_EMPTY))
    assert (some.boolean, some.evidence) == (True, (FACTS[0],))
    this = Judge("j", "a", JudgeKind.CONTAINS, EntityValue("Q2"))
    assert _result(_start(ADAMS), books, this).evidence == (FACTS[1],)
    other = _result(_start(ADAMS), books, Judge("j", "a", JudgeKind.CONTAINS, EntityValue("Q7")))
    assert (other.boolean, other.evidence, other.number) == (False, (), None)


def test_the_start_can_be_left_out_of_sets_counts_and_judgements() -> None:
    there, back = Follow("a", "s", ("P737",)), Follow("b", "a", ("P737",), Direction.IN)
    steps = (_start(HEGEL), there, back)
    assert _ids(*steps) == [HEGEL, FICHTE]
    assert _ids(*steps, exclude_start=True) == [FICHTE]
    assert _result(*steps, Count("n", "b"), exclude_start=True).number == 1
    itself = Judge("j", "b", JudgeKind.CONTAINS, EntityValue(HEGEL))
    assert _result(*steps, itself, exclude_start=True).boolean is False
    result = _result(*steps, exclude_start=True)
    assert result.support(EntityValue(HEGEL)) == ()
    assert result.evidence == (FACTS[12], FACTS[13])


def test_only_starts_the_answer_depends_on_are_left_out() -> None:
    unread = Start("u", (EntityValue(FICHTE),))
    steps = (_start(KANT), unread, Follow("a", "s", ("P737",), Direction.IN))
    assert _ids(*steps, exclude_start=True) == [HEGEL, FICHTE]


def test_values_of_different_units_or_precision_are_one_node() -> None:
    facts = [
        statement("Q1", "P2048", QuantityValue(Decimal("2.0"), METRE)),
        statement("Q2", "P2048", QuantityValue(Decimal(2))),
    ]
    result = _result(_start("Q1", "Q2"), Follow("a", "s", ("P2048",)), Count("n", "a"), facts=facts)
    assert result.number == 1
    assert result.members == (QuantityValue(Decimal("2.0"), METRE),)


# -- evidence holds ---------------------------------------------------------------------------

_MONOTONE = (Start, Follow, FilterByType, FilterByConstraint, Intersect, Union, Count, Judge, End)


@given(graphs, programs())
def test_every_result_can_be_derived_from_its_support_alone(
    statements: list[Statement], program: Program
) -> None:
    result = execute(program, GraphSource(statements))
    assert set(result.evidence) <= set(statements)
    if not all(isinstance(step, _MONOTONE) for step in program.steps):
        return  # what is left out makes a difference or an extreme
    for value in result.members:
        support = result.support(value)
        again = execute(program, GraphSource(support))
        assert key_of(value) in {key_of(one) for one in again.members}
    if result.boolean is not True:
        again = execute(program, GraphSource(result.evidence))
        assert (again.number, len(again.values)) == (result.number, len(result.values))
    else:
        assert execute(program, GraphSource(result.evidence)).boolean is True


@given(graphs, programs())
def test_running_twice_gives_the_same_in_the_same_order(
    statements: list[Statement], program: Program
) -> None:
    first, second = (execute(program, GraphSource(statements)) for _ in range(2))
    assert (first.members, first.evidence) == (second.members, second.evidence)


# -- memory -----------------------------------------------------------------------------------


def _two_hops(first: str, second: str, last: str) -> Program:
    """One program under different names."""
    return Program(
        (
            Start(first, (EntityValue(KANT),)),
            Follow(second, first, ("P737",), Direction.IN),
            Follow(last, second, ("P106",)),
            End(last),
        )
    )


def test_a_shared_beginning_is_read_once_whatever_its_names() -> None:
    source = GraphSource(FACTS)
    executor = Executor(source)
    first = executor.run(_two_hops("a", "b", "c"))
    asked = len(source.asked)
    assert executor.run(_two_hops("x", "y", "z")).values == first.values
    assert len(source.asked) == asked
    longer = Program((*_two_hops("a", "b", "c").steps[:2], Follow("d", "b", ("P569",)), End("d")))
    assert len(executor.run(longer).values) == 2
    assert len(source.asked) == asked + 1


def test_clearing_forgets_but_results_stay_valid() -> None:
    source = GraphSource(FACTS)
    executor = Executor(source)
    result = executor.run(_two_hops("a", "b", "c"))
    asked = len(source.asked)
    executor.clear()
    executor.run(_two_hops("a", "b", "c"))
    assert len(source.asked) == 2 * asked
    assert result.evidence == (FACTS[12], FACTS[15])


@given(graphs, programs(), programs())
def test_memory_changes_nothing(
    statements: list[Statement], first: Program, second: Program
) -> None:
    source = GraphSource(statements)
    executor = Executor(source)
    for program in (first, second, first):
        shared, alone = executor.run(program), execute(program, source)
        assert shared.members == alone.members
        assert shared.evidence == alone.evidence
        assert (shared.number, shared.boolean) == (alone.number, alone.boolean)


def test_a_set_used_over_and_over_is_built_once() -> None:
    steps: list[Step] = [_start(ADAMS)]
    for number in range(60):
        before = "s" if number == 0 else f"i{number - 1}"
        steps.append(Intersect(f"i{number}", (before, before)))
    assert _ids(*steps) == [ADAMS]


# -- bounds and failures ----------------------------------------------------------------------

HUB = [statement(f"Q{number}", "P31", HUMAN) for number in range(1, 41)]


@pytest.mark.parametrize(
    "steps",
    [
        (_start(HUMAN), Follow("a", "s", ("P31",), Direction.IN)),
        (FilterByType("a", "", (HUMAN,)),),
        (FilterByConstraint("a", "", "P31", Comparison.EQ, EntityValue(HUMAN)),),
    ],
)
def test_sets_that_are_too_large_are_cut_and_say_so(steps: tuple[Step, ...]) -> None:
    cut = _result(*steps, facts=HUB, max_nodes=10)
    assert (len(cut.values), cut.truncated) == (10, True)
    whole = _result(*steps, facts=HUB, max_nodes=40)
    assert (len(whole.values), whole.truncated) == (40, False)


@pytest.mark.parametrize(
    "step",
    [
        Follow("b", "a", ("P31",)),
        FilterByType("b", "a", (HUMAN,)),
        FilterByConstraint("b", "a", "P31", Comparison.EQ, EntityValue(HUMAN)),
        Extreme("b", "a", "P569", True),
        Union("b", ("a", "s")),
        Intersect("b", ("s", "a")),
        Difference("b", "s", "a"),
        Count("b", "a"),
        Judge("b", "a", JudgeKind.NOT_EMPTY),
    ],
)
def test_whatever_is_made_from_a_cut_set_counts_as_cut(step: Step) -> None:
    steps = (_start(HUMAN), Follow("a", "s", ("P31",), Direction.IN), step)
    assert _result(*steps, facts=HUB, max_nodes=10).truncated
    assert not _result(*steps, facts=HUB).truncated


def test_hubs_among_many_nodes_are_read_in_full() -> None:
    facts = [*(statement(f"Q{n + 10}", "P31", "Q1") for n in range(700)), *FACTS]
    steps = (_start("Q1", "Q2", ADAMS), Follow("a", "s", ("P31", "P50"), Direction.IN))
    result = _result(*steps, facts=facts)
    assert (len(result.values), result.truncated) == (702, False)


def test_a_cancelled_run_stops_before_it_asks() -> None:
    source, token = GraphSource(FACTS), CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        execute(_two_hops("a", "b", "c"), source, cancel=token)
    assert source.asked == []


def test_the_deadline_is_looked_at_between_batches() -> None:
    class Clock:
        now = 0.0

    class Slow(GraphSource):
        def statements_many(self, ids: Iterable[str], **how: object) -> Mapping[str, StatementPage]:
            Clock.now += 1.0
            return super().statements_many(ids, **how)  # type: ignore[arg-type]

    many = _start(*(f"Q{number}" for number in range(1, 1_000)))
    program = Program((many, Follow("a", "s", ("P31",)), End("a")))
    source = Slow(HUB)
    with pytest.raises(DeadlineExceededError):
        execute(program, source, cancel=CancelToken(3.0, monotonic=lambda: Clock.now))
    assert len(source.asked) == 3


def test_a_failing_source_fails_the_program_and_is_asked_again_next_time() -> None:
    class Failing(GraphSource):
        fails = True

        def statements_many(self, ids: Iterable[str], **how: object) -> Mapping[str, StatementPage]:
            if self.fails:
                raise SourceTimeoutError("The source took too long.")
            return super().statements_many(ids, **how)  # type: ignore[arg-type]

    source = Failing(FACTS)
    executor = Executor(source)
    with pytest.raises(SourceTimeoutError):
        executor.run(_two_hops("a", "b", "c"))
    source.fails = False
    assert named(executor.run(_two_hops("a", "b", "c")).values) == ["Q4964182"]


def test_a_failure_in_the_middle_of_a_hub_leaves_no_half_page_behind() -> None:
    class Interrupted(GraphSource):
        fails = True

        def statements_many(self, ids: Iterable[str], **how: object) -> Mapping[str, StatementPage]:
            wanted = tuple(ids)
            if self.fails and len(wanted) == 1:
                raise SourceTimeoutError("The source took too long.")
            return super().statements_many(wanted, **how)  # type: ignore[arg-type]

    source = Interrupted([statement(f"Q{n + 10}", "P31", "Q1") for n in range(700)])
    executor = Executor(source)
    step = Follow("a", "s", ("P31",), Direction.IN)
    program = Program((_start("Q1", "Q2"), step, End("a")))
    with pytest.raises(SourceTimeoutError):
        executor.run(program)
    source.fails = False
    result = executor.run(program)
    assert (len(result.values), result.truncated) == (700, False)
