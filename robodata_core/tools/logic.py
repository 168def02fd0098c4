"""KG-Agent's logic tools: counting, set operations, judging, ending.

All of them work on sets that are given as ids or stored in variables; only ``judge`` and the
names in results look at anything else.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from robodata_core.errors import ToolArgumentError
from robodata_core.model import Value
from robodata_core.programs import steps
from robodata_core.programs.steps import JudgeKind
from robodata_core.tools._steps import run_steps, show_values, start
from robodata_core.tools.arguments import AnyNodeRefs, Into, NodeRefs, Offset
from robodata_core.tools.base import Arguments, Tool, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.extraction import describe_nodes, with_ids_of
from robodata_core.tools.formatting import list_some
from robodata_core.tools.namer import Namer
from robodata_core.tools.variables import (
    MAX_NODES,
    Nodes,
    Variable,
    free_name,
    keep,
    look_up,
    resolve,
)

__all__ = ["Count", "End", "Intersect", "Judge", "Union"]


def _as_sets(value: Any) -> Any:
    """Take ``["$a", "$b"]`` for ``[["$a"], ["$b"]]``."""
    if isinstance(value, list):
        return [[item] if isinstance(item, str) else item for item in value]
    return value


_Sets = Annotated[
    list[NodeRefs],
    Field(
        min_length=2,
        max_length=20,
        description='Two or more sets, each a variable or a list of ids: ["$a", "$b"].',
    ),
    BeforeValidator(_as_sets),
]


class CountArguments(Arguments):
    """Arguments of ``count``."""

    entities: NodeRefs
    into: Into = None


class Count(Tool[CountArguments]):
    """The number of nodes; ``data`` is an int."""

    name = "count"
    description = "Count the distinct nodes of a set."
    family = ToolFamily.LOGIC
    told = False

    def run(self, args: CountArguments, context: ToolContext) -> ToolOutput:
        """Count the nodes."""
        nodes = resolve(args.entities, context)
        number = 0
        if nodes.values:
            count = steps.Count("result", "given")
            result = run_steps((*start("given", nodes.values), count), "result", context)
            number = result.number or 0
        name = free_name(args.into, context)
        keep(Variable(name, number=number, truncated=nodes.truncated), context)
        namer = Namer(context)
        about = describe_nodes(args.entities, Nodes(()), namer).removesuffix(" (0 nodes)")
        text = f"Count of {about}: {number:,}, stored as {name}."
        if nodes.truncated:
            text += " The set was cut at its cap, so there may be more."
        return ToolOutput(text, number, namer.ids, number, None)


class SetsArguments(Arguments):
    """Arguments of ``intersect`` and ``union``."""

    sets: _Sets
    into: Into = None
    offset: Offset = 0


class Intersect(Tool[SetsArguments]):
    """Nodes in all sets; ``data`` is a ``Variable``."""

    name = "intersect"
    description = "Keep the nodes that are in all of the sets. The result is stored in a variable."
    family = ToolFamily.LOGIC
    told = False

    def run(self, args: SetsArguments, context: ToolContext) -> ToolOutput:
        """Intersect the sets."""
        return _combine(args, steps.Intersect, "In all of", context)


class Union(Tool[SetsArguments]):
    """Nodes in any set; ``data`` is a ``Variable``."""

    name = "union"
    description = "Join sets into one. The result is stored in a variable."
    family = ToolFamily.LOGIC
    told = False

    def run(self, args: SetsArguments, context: ToolContext) -> ToolOutput:
        """Join the sets."""
        return _combine(args, steps.Union, "In any of", context)


def _combine(
    args: SetsArguments,
    step: type[steps.Intersect] | type[steps.Union],
    words: str,
    context: ToolContext,
) -> ToolOutput:
    sets = [resolve(references, context) for references in args.sets]
    namer = Namer(context)
    about = [
        describe_nodes(references, nodes, namer)
        for references, nodes in zip(args.sets, sets, strict=True)
    ]
    joined = sets[0]
    for other in sets[1:]:
        joined = _pair(step, joined, other, context)
    name = free_name(args.into, context)
    variable = Variable(name, joined.values, truncated=joined.truncated)
    keep(variable, context)
    headline = f"{words} {list_some(about, 4)}"
    output = show_values(variable, headline, context, offset=args.offset)
    return with_ids_of(namer, output)


def _pair(
    step: type[steps.Intersect] | type[steps.Union], one: Nodes, other: Nodes, context: ToolContext
) -> Nodes:
    """Combine two sets; long chains of sets would make one program too long."""
    truncated = one.truncated or other.truncated
    if not one.values or not other.values:
        kept = () if step is steps.Intersect else one.values or other.values
        return Nodes(kept, truncated)
    starts = (*start("one", one.values), *start("other", other.values))
    values = run_steps((*starts, step("both", ("one", "other"))), "both", context).values
    return Nodes(values[:MAX_NODES], truncated or len(values) > MAX_NODES)


class JudgeArguments(Arguments):
    """Arguments of ``judge``."""

    entities: NodeRefs
    contains: NodeRefs | None = Field(
        default=None,
        description="One id or variable; true if all its nodes are in the set. Left out: true if"
        " the set is not empty.",
    )
    into: Into = None


class Judge(Tool[JudgeArguments]):
    """Whether a condition holds; ``data`` is a bool."""

    name = "judge"
    description = "Tell whether a set is not empty, or contains certain nodes (yes/no questions)."
    family = ToolFamily.LOGIC
    told = False

    def run(self, args: JudgeArguments, context: ToolContext) -> ToolOutput:
        """Judge the set."""
        nodes = resolve(args.entities, context)
        wanted = resolve(args.contains, context) if args.contains else None
        verdict = _judge(nodes, wanted, context)
        name = free_name(args.into, context)
        cut = nodes.truncated or (wanted is not None and wanted.truncated)
        keep(Variable(name, boolean=verdict, truncated=cut), context)
        namer = Namer(context)
        about = describe_nodes(args.entities, nodes, namer)
        if args.contains and wanted is not None:
            condition = f"{about} contains {describe_nodes(args.contains, wanted, namer)}"
        else:
            condition = f"{about} is not empty"
        text = f"{condition}: {'yes' if verdict else 'no'}, stored as {name}."
        if cut and not verdict:
            text += " A set was cut at its cap, so this is not certain."
        elif not verdict:
            text += " This says what the source states, not what is true in the world."
        return ToolOutput(text, verdict, namer.ids)


def _judge(nodes: Nodes, wanted: Nodes | None, context: ToolContext) -> bool:
    if not nodes.values:
        return False
    given = start("given", nodes.values)
    if wanted is None:
        last = steps.Judge("result", "given", JudgeKind.NOT_EMPTY)
        return bool(run_steps((*given, last), "result", context).boolean)
    if len(wanted.values) == 1:
        return _contains(given, wanted.values[0], context)
    if not wanted.values:
        raise ToolArgumentError("contains is an empty set, so there is nothing to look for.")
    both = (*start("wanted", wanted.values), *given)
    missing = steps.Difference("missing", "wanted", "given")
    return not run_steps((*both, missing), "missing", context).values


def _contains(given: tuple[steps.Step, ...], value: Value, context: ToolContext) -> bool:
    last = steps.Judge("result", "given", JudgeKind.CONTAINS, value)
    return bool(run_steps((*given, last), "result", context).boolean)


class EndArguments(Arguments):
    """Arguments of ``end``."""

    result: AnyNodeRefs = Field(
        description="A variable, or ids, that hold the answer; empty where nothing holds it."
    )
    offset: Offset = 0


class End(Tool[EndArguments]):
    """The reasoning ends with this; ``data`` is a ``Variable``."""

    name = "end"
    description = (
        "End the reasoning: name the variable (or ids) that holds the answer, and see it. The"
        " facts behind it still have to be fetched into the local graph."
    )
    family = ToolFamily.LOGIC
    told = False

    def run(self, args: EndArguments, context: ToolContext) -> ToolOutput:
        """Show the final result."""
        single = args.result[0] if len(args.result) == 1 else ""
        if single.startswith("$"):
            variable = look_up(single, context)
        else:
            nodes = resolve(args.result, context)
            name = free_name(None, context)
            variable = Variable(name, nodes.values, truncated=nodes.truncated)
            keep(variable, context)
        if variable.number is not None:
            text = f"The result is the number {variable.number:,}."
            return ToolOutput(text, variable, total=1, shown=1)
        if variable.boolean is not None:
            text = f"The result is {'yes' if variable.boolean else 'no'}."
            return ToolOutput(text, variable, total=1, shown=1)
        return show_values(variable, "The result", context, offset=args.offset)
