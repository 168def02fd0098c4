"""False judgements of composed programs: none is a yes, whichever step the falsehood hides in."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Final

from robodata_core.model import AnswerStatus, Direction, EntityValue, Statement, TruthKind
from robodata_core.policy.base import AnswerDraft, AnswerPart
from robodata_core.programs.steps import (
    Closure,
    Comparison,
    Difference,
    ExtremeCount,
    FilterByConstraint,
    FilterByCount,
    FilterBySame,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    JudgeShare,
    JudgeSize,
    Program,
    Quantifier,
    Start,
    Union,
)
from tests.core.answers.worlds import World
from tests.core.programs.builder import ProgramBuilder

_NUMBER: Final = 110
_TYPES: Final = ("P31", "P279")


class _Bare:
    """What holds, looked up fact by fact, without any program."""

    def __init__(self, world: World, drawn: random.Random) -> None:
        self.world, self.drawn = world, drawn

    def fact(self) -> tuple[str, str, str]:
        """Draw a fact."""
        one: Statement = self.drawn.choice(self.world.facts)
        assert isinstance(one.value, EntityValue)
        return one.subject, one.property, one.value.id

    def values(
        self, subject: str, property_: str | None, way: Direction = Direction.OUT
    ) -> set[Any]:
        """Return what a relation leads to: ids of things, values of other kinds as they are."""
        page = self.world.source.statements(subject, property=property_, direction=way, limit=5_000)
        if way is Direction.IN:
            return {one.subject for one in page.statements}
        return {getattr(one.value, "id", one.value) for one in page.statements}


def _contains(build: ProgramBuilder, name: str, id_: str) -> Program:
    return build.program(build.add(Judge, name, JudgeKind.CONTAINS, EntityValue(id_)))


def _from(build: ProgramBuilder, id_: str, *properties: str) -> str:
    name = build.add(Start, (EntityValue(id_),))
    for property_ in properties:
        name = build.add(Follow, name, (property_,))
    return name


def _two_steps(bare: _Bare, build: ProgramBuilder) -> Program | None:
    """The second relation is taken from what the first does not lead to."""
    (subject, first, _), (_, second, value) = bare.fact(), bare.fact()
    reached = {v for mid in bare.values(subject, first) if isinstance(mid, str)
               for v in bare.values(mid, second)}  # fmt: skip
    return (
        None if value in reached else _contains(build, _from(build, subject, first, second), value)
    )


def _both(bare: _Bare, build: ProgramBuilder) -> Program | None:
    """Only one of two has it."""
    (one, property_, value), (other, other_property, _) = bare.fact(), bare.fact()
    if value in bare.values(other, other_property):
        return None
    sets = _from(build, one, property_), _from(build, other, other_property)
    return _contains(build, build.add(Intersect, sets), value)


def _either(bare: _Bare, build: ProgramBuilder) -> Program | None:
    """None of two has it."""
    (one, p, _), (other, q, _), (_, _, value) = bare.fact(), bare.fact(), bare.fact()
    if value in bare.values(one, p) | bare.values(other, q):
        return None
    return _contains(build, build.add(Union, (_from(build, one, p), _from(build, other, q))), value)


def _taken_away(bare: _Bare, build: ProgramBuilder) -> Program:
    """It is what was taken away."""
    subject, property_, value = bare.fact()
    name = _from(build, subject, property_)
    return _contains(build, build.add(Difference, name, _from(build, value)), value)


def _of_class(bare: _Bare, build: ProgramBuilder) -> Program | None:
    """It is of another class, and of none below that."""
    (subject, property_, value), (other, _, _) = bare.fact(), bare.fact()
    above, level = set[Any](), set.union(set(), *(bare.values(value, p) for p in _TYPES))
    while level - above:
        above |= level
        level = set().union(*(bare.values(c, "P279") for c in level if isinstance(c, str)))
    wanted = sorted(v for v in bare.values(other, "P31") if isinstance(v, str) and v not in above)
    if not wanted:
        return None
    kept = build.add(FilterByType, _from(build, subject, property_), (wanted[0],))
    return _contains(build, kept, value)


def _with_value(bare: _Bare, build: ProgramBuilder) -> Program | None:
    """It has another value."""
    (subject, property_, value), (_, other, wrong) = bare.fact(), bare.fact()
    if wrong in bare.values(value, other):
        return None
    name = _from(build, subject, property_)
    compared = Comparison.EQ, EntityValue(wrong)
    return _contains(build, build.add(FilterByConstraint, name, other, *compared), value)


def _same(bare: _Bare, build: ProgramBuilder) -> Program | None:
    """Two relations lead elsewhere."""
    (subject, first, _), (_, second, _) = bare.fact(), bare.fact()
    if bare.values(subject, first) & bare.values(subject, second):
        return None
    kept = build.add(FilterBySame, _from(build, subject), (first,), (second,))
    return _contains(build, kept, subject)


def _many(bare: _Bare, build: ProgramBuilder) -> Program:
    """It has more or fewer than that."""
    subject, property_, _ = bare.fact()
    size = len(bare.values(subject, property_))
    compared = bare.drawn.choice(
        [(Comparison.GT, size), (Comparison.LT, size), (Comparison.NE, size),
         (Comparison.EQ, size + 1), (Comparison.GE, size + 2)]
    )  # fmt: skip
    if bare.drawn.random() < 0.5:
        return build.program(build.add(JudgeSize, _from(build, subject, property_), *compared))
    kept = (_from(build, subject), (property_,), Direction.OUT, *compared)
    return _contains(build, build.add(FilterByCount, *kept), subject)


def _most(bare: _Bare, build: ProgramBuilder) -> Program | None:
    """Another has more."""
    (one, property_, _), (other, _, _) = bare.fact(), bare.fact()
    sizes = [len(bare.values(id_, property_)) for id_ in (one, other)]
    if sizes[0] == sizes[1] or not all(sizes):
        return None
    ends = EntityValue(one), EntityValue(other)
    loser = (one, other)[sizes[0] > sizes[1]]
    start = build.add(Start, ends)
    return _contains(
        build, build.add(ExtremeCount, start, (property_,), Direction.OUT, True), loser
    )


def _share(bare: _Bare, build: ProgramBuilder) -> Program | None:
    """Not so much of it is in the other set."""
    (subject, property_, _), (other, other_property, _) = bare.fact(), bare.fact()
    source, within = bare.values(subject, property_), bare.values(other, other_property)
    inside = len(source & within)
    wrong = [
        quantifier
        for quantifier, true in (
            (Quantifier.EVERY, inside == len(source)),
            (Quantifier.NO, not inside),
            (Quantifier.MOST, 2 * inside > len(source)),
        )
        if not true
    ]
    sets = _from(build, subject, property_), _from(build, other, other_property)
    return build.program(build.add(JudgeShare, *sets, bare.drawn.choice(wrong))) if wrong else None


def _reached(bare: _Bare, build: ProgramBuilder) -> Program | None:
    """No number of steps leads there."""
    (subject, property_, _), (other, _, _) = bare.fact(), bare.fact()
    if property_ == "P31":
        return None
    seen, level = {subject}, {subject}
    while level:
        level = {
            v for id_ in level for v in bare.values(id_, property_) if isinstance(v, str)
        } - seen
        seen |= level
    if other in seen:
        return None
    closure = build.add(Closure, _from(build, subject), (property_,), Direction.OUT)
    return _contains(build, closure, other)


def _joined(bare: _Bare, build: ProgramBuilder) -> Program | None:
    """No relation joins the two."""
    (subject, _, _), (other, _, _) = bare.fact(), bare.fact()
    if other in bare.values(subject, None):
        return None
    return _contains(build, build.add(Follow, _from(build, subject), ()), other)


def _given(bare: _Bare, build: ProgramBuilder) -> Program:
    """It names only what is given: true of the names, and of nothing that is stated."""
    (one, _, _), (other, _, _) = bare.fact(), bare.fact()
    start = build.add(Start, tuple(dict.fromkeys((EntityValue(one), EntityValue(other)))))
    return _contains(build, start, one)


_FAMILIES: Final[tuple[Callable[[_Bare, ProgramBuilder], Program | None], ...]] = (
    _two_steps, _both, _either, _taken_away, _of_class, _with_value, _same, _many, _most, _share,
    _reached, _joined, _given,
)  # fmt: skip


def _false_programs(world: World, drawn: random.Random) -> Iterator[tuple[str, Program]]:
    bare = _Bare(world, drawn)
    while True:
        for family in _FAMILIES:
            program = family(bare, ProgramBuilder())
            if program is not None:
                yield family.__name__, program


def test_no_composed_falsehood_is_a_yes(world: World) -> None:
    drawn, tried = random.Random(11), set()
    programs = _false_programs(world, drawn)
    for _ in range(_NUMBER):
        family, program = next(programs)
        tried.add(family)
        part = AnswerPart(program=program)
        proof = world.prove(AnswerDraft(AnswerStatus.ANSWERED, (part,)))
        assert not any(item.value is True for item in proof.results), (family, program)
        for claim in proof.claims:
            assert not claim.supported or claim.kind is TruthKind.ABSENT, (family, claim)
    assert len(tried) >= len(_FAMILIES) - 1
