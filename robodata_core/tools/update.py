"""Changing the local graph: fetching nodes and relationships into it, removing nodes.

These tools take lists, so that one call can bring many facts. All of them write, and the
orchestrator runs writers alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from robodata_core.errors import NotFoundError, ToolError
from robodata_core.model import Direction, EntityValue, Rank, Statement, StatementPage
from robodata_core.text import plural
from robodata_core.tools._fetch import MAX_STATEMENTS, bring_in, describe_added
from robodata_core.tools.arguments import RARE, EntityId, NodeRefs, PropertyId
from robodata_core.tools.base import Arguments, Tool, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.formatting import clip, compose, list_some
from robodata_core.tools.guard import require_known
from robodata_core.tools.namer import Namer
from robodata_core.tools.variables import entities_of, plain_ids

__all__ = ["FetchNode", "FetchRelationshipFromNode", "FetchRelationshipToNode", "RemoveNode"]


class FetchNodeArguments(Arguments):
    """Arguments of ``fetch_node``."""

    nodes: NodeRefs


class FetchNode(Tool[FetchNodeArguments]):
    """Add nodes with their names; ``data`` is an ``Added``."""

    name = "fetch_node"
    description = "Add entities with their names only; prefer the fetch_relationship tools."
    family = ToolFamily.UPDATE
    writes = True

    def run(self, args: FetchNodeArguments, context: ToolContext) -> ToolOutput:
        """Fetch the entities and add them."""
        nodes = entities_of(args.nodes, context)
        found = context.source.entities(nodes)
        missing = [id_ for id_ in nodes if id_ not in found]
        if not found:
            raise NotFoundError(f"The source does not know {list_some(missing)}.")
        added = bring_in((), self.name, context, entities=found.values())
        namer = Namer(context)
        namer.learn({id_: entity.label for id_, entity in found.items()})
        lines = [_node_line(namer.name(id_), found[id_].description) for id_ in found]
        shown = lines[: context.max_items]
        head = f"Added {plural(added.nodes, 'new node')}; asked for {len(nodes)}."
        text, count = compose(head, shown)
        if missing:
            text += f"\nNot known to the source: {list_some(missing)}."
        return ToolOutput(text, added, namer.ids, len(found), count)


def _node_line(name: str, description: str) -> str:
    return f"{name}: {clip(description, 160)}" if description else name


_Limit = Annotated[
    int, Field(ge=1, le=MAX_STATEMENTS, description="Most statements fetched of each node."), RARE
]


class FetchFromArguments(Arguments):
    """Arguments of ``fetch_relationship_from_node``."""

    nodes: NodeRefs
    property: PropertyId
    values: NodeRefs | None = Field(default=None, description="Only these values.")
    limit: _Limit = 500
    all_ranks: Annotated[
        bool,
        Field(description="Also statements that others are preferred to (never withdrawn ones)."),
        RARE,
    ] = False


class FetchRelationshipFromNode(Tool[FetchFromArguments]):
    """Add node -> property -> values; ``data`` is an ``Added``."""

    name = "fetch_relationship_from_node"
    description = (
        "Add what a property of the nodes points to (node -> property -> ?) to the local graph."
    )
    family = ToolFamily.UPDATE
    writes = True

    def run(self, args: FetchFromArguments, context: ToolContext) -> ToolOutput:
        """Fetch statements out of the nodes and add them."""
        require_known([*plain_ids(args.values), args.property], context)
        nodes = entities_of(args.nodes, context)
        values = entities_of(args.values, context) if args.values else None
        wanted = _Wanted(args.property, args.limit, context, all_ranks=args.all_ranks)
        statements = wanted.between(nodes, values)
        return _added(self.name, statements, nodes, wanted, context)


class FetchToArguments(Arguments):
    """Arguments of ``fetch_relationship_to_node``."""

    nodes: NodeRefs
    property: PropertyId
    subjects: NodeRefs | None = Field(default=None, description="Only these subjects.")
    limit: _Limit = 500


class FetchRelationshipToNode(Tool[FetchToArguments]):
    """Add subjects -> property -> node; ``data`` is an ``Added``."""

    name = "fetch_relationship_to_node"
    description = "Add what points to the nodes (? -> property -> node) to the local graph."
    family = ToolFamily.UPDATE
    writes = True

    def run(self, args: FetchToArguments, context: ToolContext) -> ToolOutput:
        """Fetch statements into the nodes and add them."""
        require_known([*plain_ids(args.subjects), args.property], context)
        nodes = entities_of(args.nodes, context)
        wanted = _Wanted(args.property, args.limit, context, way="pointing to")
        if args.subjects:
            # A popular node may be pointed to by millions; the few subjects are the way in.
            statements = wanted.between(entities_of(args.subjects, context), nodes)
        else:
            statements = wanted.pages(nodes, Direction.IN)
        return _added(self.name, statements, nodes, wanted, context)


class _Wanted:
    """The statements of one property that a call asks for."""

    def __init__(
        self,
        property_: str,
        limit: int,
        context: ToolContext,
        *,
        all_ranks: bool = False,
        way: str = "of",
    ) -> None:
        self.property = property_
        self.way = way
        self._all_ranks = all_ranks
        self._limit = limit
        self._context = context
        self.note = ""

    def pages(self, nodes: Sequence[str], direction: Direction) -> list[Statement]:
        """Return the statements of all nodes one way, within the caps."""
        self._context.cancel.check()
        pages = self._pages(nodes, direction)
        found = [statement for node in dict.fromkeys(nodes) for statement in pages[node].statements]
        if self._all_ranks:
            found = [statement for statement in found if statement.rank is not Rank.DEPRECATED]
        kept = found[:MAX_STATEMENTS]
        left_out = sum(page.total for page in pages.values()) - len(kept)
        self.note = ""
        if left_out > 0:
            self.note = (
                f"{plural(left_out, 'more statement')} left out; raise limit (each node) or ask"
                f" for fewer nodes (at most {MAX_STATEMENTS:,} statements a call)."
            )
        return kept

    def _pages(self, nodes: Sequence[str], direction: Direction) -> Mapping[str, StatementPage]:
        source = self._context.source
        if not self._all_ranks:
            return source.statements_many(
                nodes, direction=direction, property=self.property, limit=self._limit
            )
        return {
            node: source.statements(
                node, direction=direction, property=self.property, limit=self._limit, all_ranks=True
            )
            for node in dict.fromkeys(nodes)
        }

    def between(self, subjects: Sequence[str], values: Sequence[str] | None) -> list[Statement]:
        """Return the statements from subjects to values, or to anything."""
        found = self.pages(subjects, Direction.OUT)
        if values is None:
            return found
        allowed = {EntityValue(id_) for id_ in values}
        kept = [statement for statement in found if statement.value in allowed]
        heads = set(subjects)
        reached = {statement.value for statement in kept}
        if self.note or reached < allowed or not heads <= {one.subject for one in kept}:
            # The values may lie beyond the page, or what is asked may be known from their side
            # only: that a cup is a container.
            inward = self.pages(values, Direction.IN)
            known = {statement.triple for statement in kept}
            kept += [s for s in inward if s.subject in heads and s.triple not in known]
            if self.note:
                self.note = "Not all statements could be looked through; raise limit."
        return kept


def _added(
    tool: str,
    statements: Sequence[Statement],
    nodes: Sequence[str],
    wanted: _Wanted,
    context: ToolContext,
) -> ToolOutput:
    if not statements:
        namer = Namer(context)
        namer.load(nodes[:5], [wanted.property])
        about = list_some([namer.name(id_) for id_ in nodes[:5]], 5)
        sentence = f"The source states no “{namer.name(wanted.property)}” {wanted.way} {about}."
        note = wanted.note or "get_relation lists the relations that are there."
        absence = "" if wanted.note else sentence
        return ToolOutput(f"{sentence} {note}", None, namer.ids, 0, 0, absence=absence)
    added = bring_in(statements, tool, context)
    head = f"Fetched {plural(len(statements), 'statement')}:"
    return describe_added(added, statements, context, head=head, notes=[wanted.note])


class RemoveNodeArguments(Arguments):
    """Arguments of ``remove_node``."""

    node: EntityId


class RemoveNode(Tool[RemoveNodeArguments]):
    """Remove a node with all its triples; ``data`` is a tuple of the removed handles."""

    name = "remove_node"
    description = "Remove a node with all triples about it or pointing to it from the local graph."
    family = ToolFamily.UPDATE
    writes = True

    def run(self, args: RemoveNodeArguments, context: ToolContext) -> ToolOutput:
        """Remove the node."""
        require_known([args.node], context)
        store = context.store
        if args.node not in store.nodes():
            raise ToolError(f"There is no node {args.node} in the local graph.")
        label = store.label(args.node)
        removed = store.remove_node(args.node)
        namer = Namer(context)
        namer.learn({args.node: label})
        text = f"Removed {namer.name(args.node)} with {plural(len(removed), 'triple')}"
        text += f": {list_some(removed, context.max_items)}." if removed else "."
        shown = min(len(removed), context.max_items)
        return ToolOutput(text, removed, namer.ids, len(removed), shown)
