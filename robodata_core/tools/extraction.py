"""KG-Agent's extraction tools: relations, heads, tails, and nodes by type or constraint.

They work over ids and over the variables earlier calls stored. What each step means is said in
``programs.steps``; the executor carries them out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field

from robodata_core.model import Direction, RelationCount, ids_in
from robodata_core.programs import steps
from robodata_core.programs.steps import Comparison, Extreme, FilterByConstraint, FilterByType
from robodata_core.text import plural
from robodata_core.tools._steps import run_steps, start, store_set
from robodata_core.tools.arguments import (
    RARE,
    Directions,
    EntityId,
    EntityIds,
    Into,
    Limit,
    NodeRefs,
    Offset,
    PropertyId,
    PropertyIds,
)
from robodata_core.tools.base import Arguments, Tool, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.formatting import compose, page_note
from robodata_core.tools.guard import require_known
from robodata_core.tools.literals import Literals, parse_value, unit_note
from robodata_core.tools.namer import Namer
from robodata_core.tools.variables import Nodes, resolve

__all__ = [
    "GetEntityByConstraint",
    "GetEntityByType",
    "GetHeadEntity",
    "GetRelation",
    "GetTailEntity",
    "describe_nodes",
    "with_ids_of",
]

_MOST_NAMED: Final = 5


def describe_nodes(references: list[str], nodes: Nodes, namer: Namer) -> str:
    """Return what a call works on in a few words: names of ids, names of variables."""
    shown = references[:3]
    namer.load(ref for ref in shown if not ref.startswith("$"))
    parts = [ref if ref.startswith("$") else namer.name(ref) for ref in shown]
    if len(references) > 3:
        parts.append(f"{len(references) - 3} more")
    text = ", ".join(parts)
    several = any(ref.startswith("$") for ref in references)
    return f"{text} ({plural(len(nodes.values), 'node')})" if several else text


class GetRelationArguments(Arguments):
    """Arguments of ``get_relation``."""

    entities: NodeRefs
    direction: Directions = "both"
    limit: Annotated[Limit | None, RARE] = None
    offset: Offset = 0


class GetRelation(Tool[GetRelationArguments]):
    """The relations really there around entities; ``data`` is a tuple of ``RelationCount``."""

    name = "get_relation"
    description = "List the relations that are really there around entities, most frequent first."
    family = ToolFamily.EXTRACTION

    def run(self, args: GetRelationArguments, context: ToolContext) -> ToolOutput:
        """Count the relations and show a page of them."""
        nodes = resolve(args.entities, context)
        found = relations_around(nodes, args.direction, context)
        page = found[args.offset : args.offset + (args.limit or context.max_items)]
        namer = Namer(context)
        namer.load(properties=[relation.property for relation in page])
        head = f"Relations of {describe_nodes(args.entities, nodes, namer)}: {len(found)}."
        text, shown = compose(head, [relation_line(relation, namer) for relation in page])
        note = page_note(len(found), shown, args.offset)
        namer.show(relation.property for relation in found)
        return ToolOutput(f"{text}\n{note}" if note else text, found, namer.ids, len(found), shown)


def relations_around(
    nodes: Nodes, direction: Directions, context: ToolContext
) -> tuple[RelationCount, ...]:
    """Return the relations around the entities among ``nodes``."""
    if not nodes.entity_ids:
        return ()
    way = None if direction == "both" else Direction(direction)
    return tuple(context.source.relations(nodes.entity_ids, direction=way))


def relation_line(relation: RelationCount, namer: Namer) -> str:
    """Return ``out: capital (P36), 3 statements``."""
    counted = plural(relation.count, "statement")
    return f"{relation.direction.value}: {namer.name(relation.property)}, {counted}"


class FollowArguments(Arguments):
    """Arguments of ``get_tail_entity`` and ``get_head_entity``."""

    entities: NodeRefs
    relation: PropertyIds | None = Field(
        default=None,
        description="Property ids shown before, such as P36; several mean any of them. Left out:"
        " any relation that joins two entities, so the result is the neighbours.",
    )
    into: Into = None
    offset: Offset = 0


class GetTailEntity(Tool[FollowArguments]):
    """Values of a relation; ``data`` is a ``Variable``."""

    name = "get_tail_entity"
    description = (
        "Follow a relation from entities to its values (entity -> relation -> ?): entities,"
        " dates, quantities, texts. The result is stored in a variable."
    )
    family = ToolFamily.EXTRACTION
    told = False

    def run(self, args: FollowArguments, context: ToolContext) -> ToolOutput:
        """Follow the relation outwards."""
        return _follow(args, Direction.OUT, context)


class GetHeadEntity(Tool[FollowArguments]):
    """Subjects of a relation; ``data`` is a ``Variable``."""

    name = "get_head_entity"
    description = (
        "Follow a relation backwards, to the entities that have one of the given nodes as its"
        " value (? -> relation -> node). The result is stored in a variable."
    )
    family = ToolFamily.EXTRACTION
    told = False

    def run(self, args: FollowArguments, context: ToolContext) -> ToolOutput:
        """Follow the relation inwards."""
        return _follow(args, Direction.IN, context)


def _follow(args: FollowArguments, direction: Direction, context: ToolContext) -> ToolOutput:
    relations = args.relation or []
    require_known(relations, context)
    nodes = resolve(args.entities, context)
    step = steps.Follow("result", "given", tuple(relations), direction)
    result = run_steps((*start("given", nodes.values), step), "result", context)
    namer = Namer(context)
    namer.load(properties=relations)
    relation = " or ".join(namer.name(id_) for id_ in relations[:3]) or "any relation"
    about = describe_nodes(args.entities, nodes, namer)
    outward = direction is Direction.OUT
    headline = f"{relation} of {about}" if outward else f"Entities whose {relation} is {about}"
    output = store_set(args.into, result, nodes, headline, context, offset=args.offset)
    output = with_ids_of(namer, output)
    if result.values or result.truncated or nodes.truncated or not relations:
        return output
    named = _named(nodes, namer)
    # Labels may be nouns (child), verbs (educated at) or neither, so they are only quoted.
    sentence = (
        f"no “{relation}” for {named}" if outward else f"nothing whose “{relation}” is {named}"
    )
    return replace(output, absence=f"The source states {sentence}.")


def _named(nodes: Nodes, namer: Namer) -> str:
    """Return the nodes by name; a variable would mean nothing outside of its run."""
    shown = nodes.values[:_MOST_NAMED]
    namer.load(ids_in(shown))
    names = [namer.value(value) for value in shown]
    more = len(nodes.values) - len(shown)
    return " or ".join([*names, *([f"{more} more"] if more else [])])


class GetEntityByTypeArguments(Arguments):
    """Arguments of ``get_entity_by_type``."""

    types: EntityIds = Field(description="Classes, such as Q5; subclasses of them count too.")
    entities: NodeRefs | None = Field(
        default=None, description="Nodes to choose from; all of the source when left out."
    )
    via: PropertyIds | None = Field(
        default=None,
        description="Relations that express the type; instance of (P31) when left out, may be"
        " occupation (P106) and the like.",
    )
    into: Into = None
    offset: Offset = 0


class GetEntityByType(Tool[GetEntityByTypeArguments]):
    """Entities of a class; ``data`` is a ``Variable``."""

    name = "get_entity_by_type"
    description = (
        "Keep the entities that are instances of a class or of a subclass of it; without entities"
        " it lists the instances of the class. The result is stored in a variable."
    )
    family = ToolFamily.EXTRACTION
    told = False

    def run(self, args: GetEntityByTypeArguments, context: ToolContext) -> ToolOutput:
        """Filter by type, or collect a class."""
        via = tuple(args.via or ("P31",))
        require_known((*args.types, *via), context)
        nodes = resolve(args.entities or [], context)
        before = start("given", nodes.values) if args.entities else ()
        source = "given" if args.entities else ""
        step = FilterByType("result", source, tuple(args.types), via)
        result = run_steps((*before, step), "result", context)
        namer = Namer(context)
        namer.load(args.types[:3], via[:3])
        kinds = " or ".join(namer.name(id_) for id_ in args.types[:3])
        relation = " or ".join(namer.name(id_) for id_ in via[:3])
        headline = f"{relation}: {kinds}"
        if args.entities:
            headline += f", among {describe_nodes(args.entities, nodes, namer)}"
        output = store_set(args.into, result, nodes, headline, context, offset=args.offset)
        return with_ids_of(namer, output)


class GetEntityByConstraintArguments(Arguments):
    """Arguments of ``get_entity_by_constraint``."""

    entities: NodeRefs
    property: PropertyId
    comparison: Literal["=", "!=", "<", "<=", ">", ">=", "max", "min"] = Field(
        description="How the value of the property compares; max and min take no value."
    )
    value: Literals | None = Field(
        default=None,
        description="An id, a number, a date (1952-03-11, 1952-03, 1952, -0043 is 44 BCE) or a"
        " text.",
    )
    unit: EntityId | None = Field(
        default=None, description="Unit of a quantity; left out for quantities without unit."
    )
    into: Into = None
    offset: Offset = 0


class GetEntityByConstraint(Tool[GetEntityByConstraintArguments]):
    """Entities with a certain value; ``data`` is a ``Variable``."""

    name = "get_entity_by_constraint"
    description = (
        "Keep the entities whose value of a property compares as asked (=, <, >= ...), or is the"
        " largest (max) or smallest (min) among them. The result is stored in a variable."
    )
    family = ToolFamily.EXTRACTION
    told = False

    def run(self, args: GetEntityByConstraintArguments, context: ToolContext) -> ToolOutput:
        """Filter by the value of a property."""
        require_known([args.property, *([args.unit] if args.unit else [])], context)
        nodes = resolve(args.entities, context)
        namer = Namer(context)
        namer.load(properties=[args.property])
        if args.comparison in ("max", "min"):
            largest = args.comparison == "max"
            step: Extreme | FilterByConstraint
            step = Extreme("result", "given", args.property, largest)
            wanted = "largest" if largest else "smallest"
        else:
            value = parse_value(args.value, args.property, args.unit, context)
            comparison = Comparison(args.comparison)
            namer.load(ids_in([value]))
            step = FilterByConstraint("result", "given", args.property, comparison, value)
            wanted = f"{args.comparison} {namer.value(value)}"
        result = run_steps((*start("given", nodes.values), step), "result", context)
        about = describe_nodes(args.entities, nodes, namer)
        headline = f"{about} with {namer.name(args.property)} {wanted}"
        output = store_set(args.into, result, nodes, headline, context, offset=args.offset)
        note = "" if result.values else unit_note(step, nodes, namer, context)
        return with_ids_of(namer, output, note)


def with_ids_of(namer: Namer, output: ToolOutput, note: str = "") -> ToolOutput:
    """Return ``output`` with the ids of its headline, and a note below its text."""
    text = f"{output.text}\n{note}" if note else output.text
    ids = tuple(dict.fromkeys((*namer.ids, *output.ids)))
    return replace(output, text=text, ids=ids)
