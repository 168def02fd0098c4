"""Reading the local graph: ``get_node``, ``get_edge``, SPARQL and Cypher.

Nothing here touches a source but for labels that the graph does not hold itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from robodata_core.errors import ToolError
from robodata_core.model import Entity, EntityValue, Evidence, Property, Provenance, ids_in
from robodata_core.text import plural
from robodata_core.tools._cypher import run_cypher
from robodata_core.tools._tables import describe_failure, limits_for, query_output
from robodata_core.tools.arguments import RARE, EntityId, Limit, Offset, PropertyId, Query
from robodata_core.tools.base import Arguments, Tool, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.formatting import clip, compose, page_note
from robodata_core.tools.guard import require_known
from robodata_core.tools.namer import Namer
from robodata_core.tools.query_ids import cypher_ids, sparql_ids

__all__ = ["CypherQuery", "GetEdge", "GetNode", "LocalNode", "SparqlQueryLocal"]


@dataclass(frozen=True, slots=True)
class LocalNode:
    """A node of the local graph with some of its triples.

    Attributes:
        id: Its id.
        entity: What the graph holds to name it, if it is an entity.
        property: The same, if it is a property.
        outgoing: Triples about it (the page asked for).
        outgoing_total: How many there are.
        incoming: Triples that point to it.
        incoming_total: How many there are.
    """

    id: str
    entity: Entity | None
    property: Property | None
    outgoing: tuple[Evidence, ...]
    outgoing_total: int
    incoming: tuple[Evidence, ...]
    incoming_total: int


class GetNodeArguments(Arguments):
    """Arguments of ``get_node``."""

    node: EntityId
    property: PropertyId | None = Field(default=None, description="Only triples of this property.")
    limit: Annotated[Limit | None, RARE] = None
    offset: Offset = 0


class GetNode(Tool[GetNodeArguments]):
    """Details of a node; ``data`` is a ``LocalNode``."""

    name = "get_node"
    description = (
        "Show a node of the local graph: label, description, its triples in both directions"
        " with their handles (T17)."
    )
    family = ToolFamily.LOCAL

    def run(self, args: GetNodeArguments, context: ToolContext) -> ToolOutput:
        """Read the node and a page of its triples."""
        require_known([args.node, *([args.property] if args.property else [])], context)
        node = _read(args, context)
        total = node.outgoing_total + node.incoming_total
        if not total and args.node not in context.store.nodes() and node.property is None:
            raise ToolError(
                f"There is no node {args.node} in the local graph.",
                hint="fetch_node or fetch_relationship_from_node adds it.",
            )
        namer = Namer(context)
        about = node.entity or node.property
        namer.learn({args.node: about.label if about else context.store.label(args.node)})
        lines = [namer.evidence(evidence) for evidence in (*node.outgoing, *node.incoming)]
        head = namer.name(args.node)
        if about and about.description:
            head += f": {clip(about.description, 160)}"
        head += (
            f"\n{plural(node.outgoing_total, 'triple')} about it,"
            f" {plural(node.incoming_total, 'triple')} pointing to it in the local graph."
        )
        text, shown = compose(head, lines)
        return ToolOutput(
            _with(text, _both_notes(node, args.offset)), node, namer.ids, total, shown
        )


def _read(args: GetNodeArguments, context: ToolContext) -> LocalNode:
    store, limit = context.store, args.limit or context.max_items
    outgoing, outgoing_total = store.match(
        subject=args.node, predicate=args.property, limit=limit, offset=args.offset
    )
    incoming, incoming_total = store.match(
        object=EntityValue(args.node), predicate=args.property, limit=limit, offset=args.offset
    )
    entity, prop = store.entity(args.node), store.property(args.node)
    return LocalNode(args.node, entity, prop, outgoing, outgoing_total, incoming, incoming_total)


def _both_notes(node: LocalNode, offset: int) -> str:
    most = max(node.outgoing_total, node.incoming_total)
    shown = max(len(node.outgoing), len(node.incoming))
    return page_note(most, shown, offset)


class GetEdgeArguments(Arguments):
    """Arguments of ``get_edge``."""

    edge: Annotated[
        str, Field(pattern=r"^T[1-9][0-9]{0,8}$", description="Handle of a triple, such as T17.")
    ]


class GetEdge(Tool[GetEdgeArguments]):
    """Details of a triple; ``data`` is an ``Evidence``."""

    name = "get_edge"
    description = (
        "Show a triple of the local graph by its handle (T17): rank, qualifiers, references and"
        " where it came from."
    )
    family = ToolFamily.LOCAL

    def run(self, args: GetEdgeArguments, context: ToolContext) -> ToolOutput:
        """Read the triple with its provenance."""
        evidence = context.store.evidence(args.edge)
        if evidence is None:
            raise ToolError(
                f"There is no triple {args.edge} in the local graph.",
                hint="Handles are shown beside triples; get_node lists those of a node.",
            )
        namer = Namer(context)
        head = namer.evidence(evidence)
        snaks = [snak for origin in evidence.provenance for snak in origin.qualifiers]
        snaks += [s for o in evidence.provenance for ref in o.references for s in ref.snaks]
        namer.load(ids_in(snak.value for snak in snaks), [snak.property for snak in snaks])
        lines = [line for origin in evidence.provenance for line in _origin_lines(origin, namer)]
        text, _ = compose(head, lines)
        return ToolOutput(text, evidence, namer.ids, 1, 1)


def _origin_lines(origin: Provenance, namer: Namer) -> list[str]:
    lines = [
        f"from {clip(origin.source)}, fetched {origin.retrieved:%Y-%m-%d %H:%M} UTC by"
        f" {clip(origin.tool)} ({clip(origin.call_id)} of run {clip(origin.run_id)})",
        f"  rank: {origin.rank.value}",
    ]
    if origin.statement_id:
        lines.append(f"  statement: {clip(origin.statement_id, 160)}")
    if origin.origin:
        lines.append(f"  data set: {clip(origin.origin, 160)}")
    if origin.qualifiers:
        lines.append(f"  qualifiers: {namer.snaks(origin.qualifiers)}")
    lines += [f"  reference: {namer.snaks(ref.snaks)}" for ref in origin.references[:3]]
    return lines


class SparqlQueryLocalArguments(Arguments):
    """Arguments of ``sparql_query_local``."""

    query: Query


class SparqlQueryLocal(Tool[SparqlQueryLocalArguments]):
    """SPARQL over the local graph; ``data`` is a ``SparqlResult``."""

    name = "sparql_query_local"
    description = (
        "Run a read-only SPARQL query on the local graph. Facts are direct triples (wd:Q16"
        " wdt:P36 ?x), names are rdfs:label."
    )
    family = ToolFamily.LOCAL

    def run(self, args: SparqlQueryLocalArguments, context: ToolContext) -> ToolOutput:
        """Check the ids in the query, run it, show its table."""
        require_known(sparql_ids(args.query), context)
        with describe_failure("SPARQL"):
            result = context.store.query(
                args.query, limits=limits_for(context), cancel=context.cancel
            )
        return query_output(result, args.query, context)


class CypherQueryArguments(Arguments):
    """Arguments of ``cypher_query``."""

    query: Query


class CypherQuery(Tool[CypherQueryArguments]):
    """Cypher over the local graph; ``data`` is a ``SparqlResult``."""

    name = "cypher_query"
    description = (
        "Run a read-only Cypher query on the local graph. Nodes are Entity or Literal and have id"
        " (entities), label and value (literals); the type of a relationship is its property id,"
        " as in MATCH (a {id: 'Q16'})-[r:P36]->(b) RETURN b.id, b.label. Relationships have"
        " property, label and handle."
    )
    family = ToolFamily.LOCAL

    def run(self, args: CypherQueryArguments, context: ToolContext) -> ToolOutput:
        """Check the ids in the query, run it in a process of its own, show its table."""
        require_known(cypher_ids(args.query), context)
        with describe_failure("Cypher"):
            result = run_cypher(args.query, context)
        return query_output(result, args.query, context)


def _with(text: str, note: str) -> str:
    return f"{text}\n{note}" if note else text
