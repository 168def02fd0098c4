"""A chain of tool calls gives what the reasoning program made of the same steps gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from robodata_core.model import Direction, EntityValue, Statement, TimeValue
from robodata_core.programs.executor import execute
from robodata_core.programs.steps import (
    Comparison,
    Count,
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
from robodata_core.store.graph import LocalGraph

from .desk import Desk
from .fakes import FakeSource, statement

ENTITIES = [f"Q{number}" for number in range(1, 9)]
RELATIONS = ["P36", "P17", "P26"]
DATE = "P569"

_edges = st.builds(
    statement,
    st.sampled_from(ENTITIES),
    st.sampled_from([*RELATIONS, "P31", "P279"]),
    st.sampled_from(ENTITIES),
)
_dates = st.builds(
    statement,
    st.sampled_from(ENTITIES),
    st.just(DATE),
    st.builds(TimeValue, st.integers(1900, 1905), precision=st.just(9)),
)
_graphs = st.lists(_edges | _dates, max_size=30, unique=True)


@dataclass
class Chain:
    """Calls and steps that mean the same, growing side by side."""

    calls: list[tuple[str, dict[str, Any]]]
    steps: list[Step]

    def add(self, tool: str, step: Step, **arguments: Any) -> None:
        self.calls.append((tool, {**arguments, "into": step.out}))  # type: ignore[union-attr]
        self.steps.append(step)


@st.composite
def _chains(draw: st.DrawFn) -> Chain:
    entities = draw(st.lists(st.sampled_from(ENTITIES), min_size=1, max_size=3, unique=True))
    chain = Chain([], [Start("s0", tuple(map(EntityValue, entities)))])
    chain.calls.append(("union", {"sets": [entities, entities], "into": "s0"}))
    for number in range(1, draw(st.integers(2, 6))):
        source, out = f"s{draw(st.integers(0, number - 1))}", f"s{number}"
        kind = draw(st.sampled_from(["out", "in", "type", "date", "extreme", "and", "or"]))
        _grow(chain, kind, source, out, draw)
    return chain


def _grow(chain: Chain, kind: str, source: str, out: str, draw: st.DrawFn) -> None:
    given_ = f"${source}"
    if kind in ("out", "in"):
        tool = "get_tail_entity" if kind == "out" else "get_head_entity"
        along = draw(st.lists(st.sampled_from(RELATIONS), min_size=1, max_size=2, unique=True))
        step: Step = Follow(out, source, tuple(along), Direction(kind))
        chain.add(tool, step, entities=given_, relation=along)
    elif kind == "type":
        class_ = draw(st.sampled_from(ENTITIES))
        step = FilterByType(out, source, (class_,))
        chain.add("get_entity_by_type", step, entities=given_, types=class_)
    elif kind == "date":
        comparison = draw(st.sampled_from(Comparison))
        year = draw(st.integers(1899, 1906))
        step = FilterByConstraint(out, source, DATE, comparison, TimeValue(year, precision=9))
        arguments = {"property": DATE, "comparison": comparison.value, "value": year}
        chain.add("get_entity_by_constraint", step, entities=given_, **arguments)
    elif kind == "extreme":
        largest = draw(st.booleans())
        step = Extreme(out, source, DATE, largest)
        arguments = {"property": DATE, "comparison": "max" if largest else "min"}
        chain.add("get_entity_by_constraint", step, entities=given_, **arguments)
    else:
        tool, make = ("intersect", Intersect) if kind == "and" else ("union", Union)
        chain.add(tool, make(out, (source, "s0")), sets=[given_, "$s0"])


@given(_graphs, _chains())
def test_chains_of_calls_agree_with_programs(graph: list[Statement], chain: Chain) -> None:
    source = FakeSource(graph)
    with LocalGraph.in_memory() as store:
        desk = Desk(source, store, known=(*ENTITIES, *RELATIONS, DATE))
        for (tool, arguments), step in zip(chain.calls, chain.steps, strict=True):
            result = desk.call(tool, arguments)
            until = chain.steps[: chain.steps.index(step) + 1]
            expected = execute(Program((*until, End(step.out))), source)  # type: ignore[union-attr]
            if not result.ok:
                # A step on an empty set is refused; as a program it gives the empty set.
                assert "nothing to go on from" in result.output.text
                assert expected.values == ()
                return
            assert result.output.data.values == expected.values


@given(_graphs, _chains())
def test_counts_and_judgements_agree_with_programs(graph: list[Statement], chain: Chain) -> None:
    source = FakeSource(graph)
    with LocalGraph.in_memory() as store:
        desk = Desk(source, store, known=(*ENTITIES, *RELATIONS, DATE))
        if not all(desk.call(*call).ok for call in chain.calls):
            return
        last = chain.steps[-1].out  # type: ignore[union-attr]
        count = Program((*chain.steps, Count("n", last), End("n")))
        assert desk.data("count", entities=f"${last}") == execute(count, source).number
        some = Program((*chain.steps, Judge("j", last, JudgeKind.NOT_EMPTY), End("j")))
        assert desk.data("judge", entities=f"${last}") == execute(some, source).boolean
        value = EntityValue("Q1")
        has = Program((*chain.steps, Judge("j", last, JudgeKind.CONTAINS, value), End("j")))
        verdict = desk.data("judge", entities=f"${last}", contains="Q1")
        assert verdict == execute(has, source).boolean
