"""Running a whole program on the source, and taking the facts behind its result along.

KG-Agent's extraction and logic tools in one call: what would take a chain of calls is written as
steps (``written``). It counts among the tools that write, because the facts that derive the
result are what the local graph is for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final

from pydantic import Field

from robodata_core.errors import ToolArgumentError
from robodata_core.model import EntityValue, Value
from robodata_core.programs.describe import describe
from robodata_core.programs.executor import execute
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.steps import Program
from robodata_core.text import plural
from robodata_core.tools._fetch import bring_in, describe_added
from robodata_core.tools._steps import show_values
from robodata_core.tools.arguments import RARE, Offset, VariableName
from robodata_core.tools.base import Arguments, Tool, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.formatting import clip
from robodata_core.tools.guard import require_known
from robodata_core.tools.literals import parse_value
from robodata_core.tools.namer import Namer
from robodata_core.tools.variables import MAX_NODES, Variable, free_name, keep, look_up
from robodata_core.tools.written import STEPS_TOLD, ProgramReader, Surroundings

__all__ = ["RunProgram"]

_MOST_FACTS: Final = 2_000


class RunProgramArguments(Arguments):
    """Arguments of ``run_program``."""

    steps: list[dict[str, Any]] = Field(min_length=1, max_length=40, description=STEPS_TOLD)
    into: Annotated[
        VariableName | None, Field(description="Name to store the result under, such as $x."), RARE
    ] = None
    offset: Offset = 0


class RunProgram(Tool[RunProgramArguments]):
    """Run steps on the source and add the facts; ``data`` is a ``Variable``."""

    name = "run_program"
    description = (
        "Run steps on the remote ontology (chains, classes, conditions, counts) and add the facts"
        " behind the result to the local graph."
    )
    family = ToolFamily.REMOTE
    writes = True

    def run(self, args: RunProgramArguments, context: ToolContext) -> ToolOutput:
        """Read the steps, run them, add what derives their result."""
        program = ProgramReader(_around(context)).read(args.steps)
        result = execute(program, context.source, cancel=context.cancel, max_nodes=MAX_NODES)
        variable = _kept(args.into, result, context)
        shown = _shown(variable, args.offset, context)
        facts = result.evidence
        if len(facts) > _MOST_FACTS:
            raise ToolArgumentError(
                f"The result rests on {len(facts):,} facts, more than the {_MOST_FACTS:,} that one"
                " call adds.",
                hint="Narrow it with another condition.",
            )
        if facts:
            added = bring_in(facts, self.name, context)
            head = f"{plural(len(facts), 'fact')} behind it:"
            told = describe_added(added, facts, context, head=head)
            ids = tuple(dict.fromkeys((*shown.ids, *told.ids)))
            text = f"{shown.text}\n{told.text}"
            return replace(shown, text=text, ids=ids, handles=told.handles)
        empty = not (result.members or result.truncated)
        return replace(shown, absence=_absence(program, context)) if empty else shown


def _around(context: ToolContext) -> Surroundings:
    return Surroundings(
        require=lambda ids: require_known(ids, context),
        value=lambda given, property_, unit: parse_value(given, property_, unit, context),
        entity=EntityValue,
        variable=lambda name: look_up(f"${name}", context).values,
    )


def _kept(name: str | None, result: ProgramResult, context: ToolContext) -> Variable:
    values: tuple[Value, ...] = result.values[:MAX_NODES]
    variable = Variable(
        free_name(name, context),
        values,
        number=result.number,
        boolean=result.boolean,
        truncated=result.truncated or len(result.values) > MAX_NODES,
    )
    keep(variable, context)
    return variable


def _shown(variable: Variable, offset: int, context: ToolContext) -> ToolOutput:
    if variable.boolean is not None:
        return ToolOutput(f"Result: {'yes' if variable.boolean else 'no'}.", variable)
    if variable.number is not None:
        least = "at least " if variable.truncated else ""
        return ToolOutput(f"Result: {least}{variable.number:,}.", variable)
    return show_values(variable, "Result", context, offset=offset)


def _absence(program: Program, context: ToolContext) -> str:
    namer = Namer(context)
    namer.load_mixed(_ids_of(program))
    told = describe(program, lambda id_: namer.name(id_).removesuffix(f" ({id_})"))
    return f"The source finds nothing for: {clip(told, 400)}."


def _ids_of(program: Program) -> list[str]:
    relations = (id_ for step in program.steps for id_ in step.relations)
    return list(dict.fromkeys((*program.mentioned, *relations)))
