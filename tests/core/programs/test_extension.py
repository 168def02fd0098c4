"""A kind of step is one class: nothing else has to know it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from robodata_core.errors import ProgramError
from robodata_core.model import EntityValue, Statement
from robodata_core.programs.codec import from_json, to_json
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.describe import describe
from robodata_core.programs.executor import execute
from robodata_core.programs.fields import PropertyId, SetName
from robodata_core.programs.nodes import Kept, NodeSet, entity_ids
from robodata_core.programs.phrases import Phrase, Reader
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.steps import Count, End, Program, Start, Step, step_kinds
from robodata_core.programs.world import World
from tests.core.programs.graphs import GraphSource


@dataclass(frozen=True, slots=True)
class Having(Step):
    """Nodes that have any value of a property: a kind of step that the project does not know."""

    out: str
    source: SetName
    property: PropertyId

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep them."""
        result = Kept(truncated=sets[0].truncated, parent=sets[0])
        for id_, one in world.statements(entity_ids(sets[0]), (self.property,), result):
            result.nodes.setdefault(id_, EntityValue(id_))
            result.why.setdefault(id_, (one,))
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the edge."""
        any_ = query.text.variable()
        return [*query.set(self.source, node), *query.edges(node, (self.property,), any_)]

    def phrase(self, reader: Reader) -> Phrase:
        """Say so."""
        relation = reader.relation((self.property,))
        return reader.of(self.source).narrowed(f"that has some {relation}")


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    assert step_kinds()["Having"] is Having
    yield


def test_a_new_kind_of_step_is_run_compiled_told_written_and_checked() -> None:
    source = GraphSource([Statement("Q1", "P40", EntityValue("Q3"))])
    both = Start("a", (EntityValue("Q1"), EntityValue("Q2")))
    program = Program((both, Having("b", "a", "P40"), Count("n", "b"), End("n")))
    result = execute(program, source)
    assert result.number == 1
    assert [one.property for one in result.evidence] == ["P40"]
    found = source.sparql(compile_sparql(program))
    assert [getattr(cell, "amount", None) for row in found.rows for cell in row] == [1]
    labels = {"Q1": "Ann", "Q2": "Bob", "P40": "child"}
    assert describe(program, lambda id_: labels.get(id_, "")) == (
        "the number of (any of Ann and Bob that has some child)"
    )
    assert from_json(to_json(program)) == program
    for wrong, reason in (
        (Having("b", "a", "child"), "does not name a property"),
        (Having("b", "z", "P40"), "no earlier step"),
    ):
        with pytest.raises(ProgramError, match=reason):
            execute(Program((both, wrong, End("b"))), source)
