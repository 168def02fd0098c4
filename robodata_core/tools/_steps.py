"""Extraction and logic tools as one-step reasoning programs.

The meaning of the steps is ``programs.steps``'s alone: a tool call is a program that starts
with the given nodes, does one step and ends. So a chain of calls gives what the program written
from it gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from robodata_core.errors import ToolArgumentError
from robodata_core.model import NoValue, SomeValue, Value, ids_in
from robodata_core.programs.executor import execute
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.steps import End, Program, Start, Step, Union
from robodata_core.text import plural
from robodata_core.tools.base import ToolOutput
from robodata_core.tools.formatting import compose, page_note
from robodata_core.tools.namer import Namer
from robodata_core.tools.variables import MAX_NODES, Nodes, Variable, free_name, keep

if TYPE_CHECKING:
    from robodata_core.tools.base import ToolContext

_CHUNK: Final = 1_000


def start(name: str, values: Sequence[Value]) -> tuple[Step, ...]:
    """Return steps that write ``values`` under ``name``; long sets are put together."""
    nodes = [value for value in values if not isinstance(value, (SomeValue, NoValue))]
    if not nodes:
        raise ToolArgumentError("The set is empty, so there is nothing to go on from.")
    chunks = [tuple(nodes[at : at + _CHUNK]) for at in range(0, len(nodes), _CHUNK)]
    if len(chunks) == 1:
        return (Start(name, chunks[0]),)
    parts = tuple(Start(f"{name}_{number}", chunk) for number, chunk in enumerate(chunks))
    return (*parts, Union(name, tuple(part.out for part in parts)))


def run_steps(steps: Sequence[Step], final: str, context: ToolContext) -> ProgramResult:
    """Run a program on the source, within the caps of tools."""
    program = Program((*steps, End(final)))
    return execute(program, context.source, cancel=context.cancel, max_nodes=MAX_NODES)


def store_set(
    name: str | None,
    result: ProgramResult,
    given: Nodes,
    headline: str,
    context: ToolContext,
    *,
    offset: int = 0,
) -> ToolOutput:
    """Store the node set of a result and show a page of it.

    Args:
        name: Variable to store it in, or None for one named after the call.
        result: What the program gave.
        given: The nodes it started with.
        headline: What the nodes are, as in ``capital (P36) of Canada (Q16)``.
        context: Of the call.
        offset: Nodes to skip.
    """
    values = result.values[:MAX_NODES]
    cut = result.truncated or given.truncated or len(result.values) > MAX_NODES
    variable = Variable(free_name(name, context), values, truncated=cut)
    keep(variable, context)
    return show_values(variable, headline, context, offset=offset)


def show_values(
    variable: Variable, headline: str, context: ToolContext, *, offset: int = 0
) -> ToolOutput:
    """Show a page of the nodes of a variable; the ids of all of them become known."""
    page = variable.values[offset : offset + context.max_items]
    namer = Namer(context)
    namer.load(ids_in(page))
    total = len(variable.values)
    if total:
        at_least = "at least " if variable.truncated else ""
        head = f"{headline}: {at_least}{plural(total, 'node')}, stored as {variable.name}."
    else:
        head = f"{headline}: nothing found; {variable.name} is the empty set."
    text, shown = compose(head, [namer.value(value) for value in page])
    notes = [page_note(total, shown, offset)]
    if variable.truncated:
        notes.append(
            f"Not everything was looked at (the cap is {MAX_NODES:,} nodes); narrow the set."
        )
    namer.show(ids_in(variable.values))
    text = "\n".join([text, *filter(None, notes)])
    return ToolOutput(text, variable, namer.ids, total, shown)
