"""Looking at the remote ontology: search, details, neighbours, SPARQL, and taking a subgraph.

``build_local_graph`` is here because the paper counts it among the remote tools; it is the only
one of them that writes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from robodata_core.errors import NotFoundError, ToolError
from robodata_core.iris import is_property_id
from robodata_core.model import (
    Direction,
    Entity,
    EntityKind,
    MatchKind,
    SearchHit,
    SparqlResult,
    StatementPage,
)
from robodata_core.tools._arguments import (
    MAX_SHOWN,
    Directions,
    EntityId,
    Limit,
    NodeRefs,
    Offset,
    OptionalPropertyIds,
    Phrase,
    PropertyId,
    Query,
)
from robodata_core.tools._fetch import bring_in, describe_added
from robodata_core.tools._format import clip, compose, list_some, page_note, plural, quote
from robodata_core.tools._guard import require_known, require_known_in_sparql
from robodata_core.tools._namer import Namer, entity_ids
from robodata_core.tools._queries import describe_failure, limits_for
from robodata_core.tools._tables import query_output
from robodata_core.tools._walk import Walk
from robodata_core.tools.base import Arguments, Tool, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.variables import entities_of, plain_ids

__all__ = [
    "BuildLocalGraph",
    "EntityInfo",
    "ExploreEntityNeighbors",
    "GetEntityInfo",
    "GetPropertyInfo",
    "Neighbors",
    "SearchEntities",
    "SparqlQuery",
]


class SearchEntitiesArguments(Arguments):
    """Arguments of ``search_entities``."""

    text: Phrase = Field(description="A name, or the beginning of one.")
    kind: Literal["item", "property"] = Field(
        default="item", description="item for things and classes, property for relations."
    )
    limit: Limit = Field(default=10, description="Most results shown.")


class SearchEntities(Tool[SearchEntitiesArguments]):
    """Search by name; ``data`` is a tuple of ``SearchHit``."""

    name = "search_entities"
    description = (
        "Search items or properties by name or alias. Results are ranked by how well the name"
        " matches, then by how often the graph mentions them."
    )
    family = ToolFamily.REMOTE
    arguments = SearchEntitiesArguments

    def run(self, args: SearchEntitiesArguments, context: ToolContext) -> ToolOutput:
        """Search and list the hits."""
        if args.kind == "item" and (known := context.names.get(args.text)):
            return _recalled(args, known[: args.limit], context)
        hits = tuple(
            context.source.search(
                args.text,
                kind=EntityKind(args.kind),
                limit=args.limit,
                language=context.language,
            )
        )
        what = "property" if args.kind == "property" else "item"
        if not hits:
            text = f"No {what} is called {quote(args.text)}. Try another name or spelling."
            return ToolOutput(text, hits, (), 0, 0)
        namer = Namer(context)
        lines = [hit_line(hit, namer) for hit in hits]
        many = plural(len(hits), what, "properties" if what == "property" else "items")
        text, shown = compose(f"{many} for {quote(args.text)}, best first:", lines)
        if len(hits) == args.limit and args.limit < MAX_SHOWN:
            text += "\nThere may be more; raise limit to see them."
        namer.show(hit.id for hit in hits)
        return ToolOutput(text, hits, namer.ids, len(hits), shown)


def _recalled(
    args: SearchEntitiesArguments, hits: tuple[SearchHit, ...], context: ToolContext
) -> ToolOutput:
    """Show what was found before, when exactly this name was looked up."""
    namer = Namer(context)
    lines = [hit_line(hit, namer) for hit in hits]
    head = f"{plural(len(hits), 'item')} of exactly this name, {quote(args.text)}, best first"
    text, shown = compose(f"{head} (answered from memory of an earlier look-up):", lines)
    namer.show(hit.id for hit in hits)
    return ToolOutput(text, hits, namer.ids, len(hits), shown, recalled=True)


def hit_line(hit: SearchHit, namer: Namer) -> str:
    """Return ``Ottawa (Q1930): capital of Canada``, with what matched if not the label."""
    namer.learn({hit.id: hit.label})
    line = namer.name(hit.id)
    if hit.match is MatchKind.ALIAS and hit.matched:
        line += f", also known as {quote(hit.matched)}"
    elif hit.match is MatchKind.FUZZY:
        line += ", spelled differently"
    return f"{line}: {clip(hit.description, 100)}" if hit.description else line


@dataclass(frozen=True, slots=True)
class EntityInfo:
    """An entity with a page of the statements about it."""

    entity: Entity
    statements: StatementPage


class GetEntityInfoArguments(Arguments):
    """Arguments of ``get_entity_info``."""

    entity: EntityId
    limit: Limit | None = Field(default=None, description="Most statements shown.")
    offset: Offset = 0


class GetEntityInfo(Tool[GetEntityInfoArguments]):
    """Details of an entity; ``data`` is an ``EntityInfo``."""

    name = "get_entity_info"
    description = (
        "Show an entity of the remote ontology: label, description, aliases, types, and the"
        " statements about it."
    )
    family = ToolFamily.REMOTE
    arguments = GetEntityInfoArguments

    def run(self, args: GetEntityInfoArguments, context: ToolContext) -> ToolOutput:
        """Read the entity and a page of its statements."""
        require_known([args.entity], context)
        entity = _entity(args.entity, context)
        context.labels.note_entities([entity])
        page = context.source.statements(
            args.entity, limit=args.limit or context.max_items, offset=args.offset
        )
        namer = Namer(context)
        namer.load([entity.id, *entity.types])
        namer.load_statements(page.statements)
        head = [_headline(namer.name(entity.id), entity.description, entity.aliases)]
        if entity.types:
            head.append(f"Types: {list_some([namer.name(id_) for id_ in entity.types])}.")
        head.append(f"{plural(page.total, 'statement')} about it:")
        text, shown = compose("\n".join(head), [namer.claim(s) for s in page.statements])
        note = page_note(page.total, shown, args.offset)
        namer.show(entity_ids(statement.value for statement in page.statements))
        text = f"{text}\n{note}" if note else text
        return ToolOutput(text, EntityInfo(entity, page), namer.ids, page.total, shown)


def _entity(id_: str, context: ToolContext) -> Entity:
    try:
        return context.source.entity(id_)
    except NotFoundError as error:
        hint = "get_property_info shows properties." if is_property_id(id_) else error.hint
        raise NotFoundError(error.message, hint=hint) from error


def _headline(name: str, description: str, aliases: tuple[str, ...]) -> str:
    text = f"{name}: {clip(description, 200)}" if description else name
    if aliases:
        text += f"\nAlso known as {list_some([quote(alias) for alias in aliases], 8)}."
    return text


class GetPropertyInfoArguments(Arguments):
    """Arguments of ``get_property_info``."""

    property: PropertyId


class GetPropertyInfo(Tool[GetPropertyInfoArguments]):
    """Details of a property; ``data`` is a ``Property``."""

    name = "get_property_info"
    description = (
        "Show a property of the remote ontology: label, description, aliases, datatype of its"
        " values, how often it is used."
    )
    family = ToolFamily.REMOTE
    arguments = GetPropertyInfoArguments

    def run(self, args: GetPropertyInfoArguments, context: ToolContext) -> ToolOutput:
        """Read the property."""
        require_known([args.property], context)
        found = context.source.property(args.property)
        context.labels.note_properties([found])
        namer = Namer(context)
        namer.learn({found.id: found.label})
        lines = [_headline(namer.name(found.id), found.description, found.aliases)]
        if found.datatype:
            lines.append(f"Its values are of type {clip(found.datatype)}.")
        if found.uses:
            lines.append(f"Used in {plural(found.uses, 'statement')}.")
        return ToolOutput("\n".join(lines), found, namer.ids, 1, 1)


@dataclass(frozen=True, slots=True)
class Neighbors:
    """Statements around an entity; a direction that was not asked for is None."""

    outgoing: StatementPage | None = None
    incoming: StatementPage | None = None


class ExploreArguments(Arguments):
    """Arguments of ``explore_entity_neighbors``."""

    entity: EntityId
    direction: Directions = Field(
        default="both",
        description="out: statements about the entity; in: statements pointing to it.",
    )
    property: PropertyId | None = Field(default=None, description="Only this relation.")
    limit: Limit | None = Field(default=None, description="Most statements shown each way.")
    offset: Offset = 0


class ExploreEntityNeighbors(Tool[ExploreArguments]):
    """The neighbourhood of an entity; ``data`` is a ``Neighbors``."""

    name = "explore_entity_neighbors"
    description = (
        "List the statements that join an entity of the remote ontology to its neighbours, in"
        " both directions or one, optionally of one relation only."
    )
    family = ToolFamily.REMOTE
    arguments = ExploreArguments

    def run(self, args: ExploreArguments, context: ToolContext) -> ToolOutput:
        """Read a page of statements each way."""
        require_known([args.entity, *([args.property] if args.property else [])], context)
        outgoing = _page(args, Direction.OUT, context)
        incoming = _page(args, Direction.IN, context)
        pages = [page for page in (outgoing, incoming) if page is not None]
        namer = Namer(context)
        namer.load([args.entity])
        for page in pages:
            namer.load_statements(page.statements)
        lines = [namer.claim(s) for s in outgoing.statements] if outgoing else []
        lines += [namer.incoming(s) for s in incoming.statements] if incoming else []
        counts = []
        if outgoing:
            counts.append(f"{plural(outgoing.total, 'statement')} about it (→)")
        if incoming:
            counts.append(f"{plural(incoming.total, 'statement')} pointing to it (←)")
        head = f"{namer.name(args.entity)}: {', '.join(counts)}."
        text, shown = compose(head, lines)
        notes = _neighbor_notes(pages, args.offset, len(lines) - shown)
        for page in pages:
            namer.show(entity_ids(statement.value for statement in page.statements))
            namer.show(statement.subject for statement in page.statements)
        total = sum(page.total for page in pages)
        data = Neighbors(outgoing, incoming)
        return ToolOutput("\n".join([text, *notes]), data, namer.ids, total, shown)


def _page(
    args: ExploreArguments, direction: Direction, context: ToolContext
) -> StatementPage | None:
    if args.direction not in ("both", direction.value):
        return None
    return context.source.statements(
        args.entity,
        direction=direction,
        property=args.property,
        limit=args.limit or context.max_items,
        offset=args.offset,
    )


def _neighbor_notes(pages: list[StatementPage], offset: int, left_out: int) -> list[str]:
    longest = max(pages, key=lambda page: page.total)
    most = max(len(page.statements) for page in pages)
    notes = [page_note(longest.total, most, offset)]
    if left_out:
        notes.append(f"{plural(left_out, 'line')} left out; ask for one direction or property.")
    return [note for note in notes if note]


class SparqlQueryArguments(Arguments):
    """Arguments of ``sparql_query``."""

    query: Query = Field(
        description="A SPARQL 1.1 SELECT, ASK or CONSTRUCT with Wikidata's prefixes (wd:, wdt:)."
    )


class SparqlQuery(Tool[SparqlQueryArguments]):
    """SPARQL over the source; ``data`` is a ``SparqlResult``."""

    name = "sparql_query"
    description = (
        "Run a read-only SPARQL query on the remote ontology. Facts are direct triples (wd:Q16"
        " wdt:P36 ?x, or <IRI> <IRI> ?x where ids are IRIs), names are rdfs:label with a language"
        ' ("Ottawa"@en): search by name with search_entities instead. Use only ids that were shown'
        " before."
    )
    family = ToolFamily.REMOTE
    arguments = SparqlQueryArguments

    def run(self, args: SparqlQueryArguments, context: ToolContext) -> ToolOutput:
        """Check the ids in the query, run it, show its table."""
        require_known_in_sparql(args.query, context)
        with describe_failure("SPARQL"):
            result = context.source.sparql(
                args.query, limits=limits_for(context), cancel=context.cancel
            )
        output = query_output(result, args.query, context)
        if _is_empty(result):
            query = clip(" ".join(args.query.split()), 400)
            return replace(output, absence=f"The source finds nothing for the query “{query}”.")
        return output


def _is_empty(result: SparqlResult) -> bool:
    if result.boolean is not None:
        return not result.boolean
    return not (result.rows or result.triples or result.truncated)


class BuildLocalGraphArguments(Arguments):
    """Arguments of ``build_local_graph``."""

    nodes: NodeRefs
    relations: OptionalPropertyIds | None = Field(
        default=None, description="Relations to follow; all that join entities when left out."
    )
    direction: Directions = Field(
        default="out", description="out: away from the nodes; in: towards them."
    )
    hops: int = Field(default=1, ge=1, le=3, description="How many steps to go.")
    limit: int = Field(default=200, ge=1, le=2_000, description="Most statements in all.")


class BuildLocalGraph(Tool[BuildLocalGraphArguments]):
    """Add a subgraph; ``data`` is an ``Added``."""

    name = "build_local_graph"
    description = (
        "Add the subgraph around nodes to the local graph: follow the given relations (or all)"
        " for one to three hops, up to a limit."
    )
    family = ToolFamily.REMOTE
    arguments = BuildLocalGraphArguments
    writes = True

    def run(self, args: BuildLocalGraphArguments, context: ToolContext) -> ToolOutput:
        """Walk the source and add what was found."""
        require_known([*plain_ids(args.nodes), *(args.relations or [])], context)
        nodes = entities_of(args.nodes, context)
        walk = Walk(
            nodes,
            args.relations or (),
            directions=[way for way in Direction if args.direction in ("both", way.value)],
            limit=args.limit,
            context=context,
        )
        for _ in range(args.hops):
            walk.step()
        if not walk.found:
            raise ToolError(
                f"The source has no such statements around {list_some(nodes)}.",
                hint="get_relation lists the relations that are there, and their direction.",
            )
        statements = tuple(walk.found)
        added = bring_in(statements, self.name, context)
        note = f"Stopped at the limit of {args.limit}; more is there." if walk.cut else ""
        head = f"Fetched {plural(len(statements), 'statement')}:"
        return describe_added(added, statements, context, head=head, notes=[note])
