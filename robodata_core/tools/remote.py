"""Looking at the remote ontology: search, details, neighbours, SPARQL, and taking a subgraph.

``build_local_graph`` is here because the paper counts it among the remote tools; it is the only
one of them that writes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from pydantic import Field

from robodata_core.errors import NotFoundError, SourceError
from robodata_core.iris import is_property_id
from robodata_core.model import (
    Direction,
    Entity,
    EntityKind,
    MatchKind,
    SearchHit,
    SparqlResult,
    StatementPage,
    ids_in,
)
from robodata_core.text import plural
from robodata_core.tools import similarity
from robodata_core.tools._fetch import Walk, bring_in, describe_added
from robodata_core.tools._tables import describe_failure, limits_for, query_output
from robodata_core.tools.arguments import (
    MAX_SHOWN,
    RARE,
    Directions,
    EntityId,
    EntityIds,
    Limit,
    NodeRefs,
    Offset,
    Phrase,
    PropertyId,
    PropertyIds,
    Query,
)
from robodata_core.tools.base import Arguments, Tool, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.formatting import clip, compose, list_some, page_note, quote
from robodata_core.tools.guard import known_among, require_known
from robodata_core.tools.namer import Namer
from robodata_core.tools.query_ids import sparql_ids
from robodata_core.tools.variables import entities_of

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


_MOST_HOPS: Final = 6
_RELATIONS: Final = {Direction.OUT: 25, Direction.IN: 12}
"""Most relations that a search lists each way; those with words of the question come first."""

_MOST_COMPARED: Final = 200


class SearchEntitiesArguments(Arguments):
    """Arguments of ``search_entities``."""

    text: Phrase
    kind: Literal["item", "property"] = "item"
    relations: bool = Field(
        default=False, description="Also list the relations that the best item has."
    )
    limit: Limit = 10


class SearchEntities(Tool[SearchEntitiesArguments]):
    """Search by name; ``data`` is a tuple of ``SearchHit``."""

    name = "search_entities"
    description = "Find the ids of things, classes or properties by name or alias, best first."
    family = ToolFamily.REMOTE

    def run(self, args: SearchEntitiesArguments, context: ToolContext) -> ToolOutput:
        """Search and list the hits."""
        if args.kind == "item" and (known := context.names.get(args.text)):
            return _recalled(args, known[: args.limit], context)
        hits = tuple(
            context.source.search(
                args.text, kind=EntityKind(args.kind), limit=args.limit, language=context.language
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
        if args.relations and what == "item":
            text += _relations_of(hits[0], namer, context)
        namer.show(hit.id for hit in hits)
        return ToolOutput(text, hits, namer.ids, len(hits), shown)


def _relations_of(hit: SearchHit, namer: Namer, context: ToolContext) -> str:
    """Return the relations of a hit, in a line each way: what would be asked for next."""
    try:
        found = context.source.relations([hit.id])
    except SourceError as error:
        return f"\nIts relations cannot be listed: {error}"
    lines, asked = [], similarity.Phrase.of(context.question)
    for way, words in ((Direction.OUT, "Relations of"), (Direction.IN, "Pointing to")):
        some = [one for one in found if one.direction is way]
        if not some:
            continue
        compared = [one.property for one in some[:_MOST_COMPARED]]
        labels = context.labels.properties(compared, context.source)
        some.sort(key=lambda one: not asked.overlap((labels.get(one.property, ""),)))
        shown = some[: _RELATIONS[way]]
        namer.load(properties=[one.property for one in shown])
        names = [namer.name(one.property) + f" x{one.count}" * (one.count > 1) for one in shown]
        left = len(some) - len(shown)
        more = f"; {left} more, see get_relation" if left else ""
        lines.append(f"\n{words} {namer.name(hit.id)}: {', '.join(names)}{more}.")
    return "".join(lines)


def _recalled(
    args: SearchEntitiesArguments, hits: tuple[SearchHit, ...], context: ToolContext
) -> ToolOutput:
    """Show what was found before, when this name was looked up."""
    namer = Namer(context)
    lines = [hit_line(hit, namer) for hit in hits]
    head = f"{plural(len(hits), 'item')} for {quote(args.text)}, best first (looked up before):"
    text, shown = compose(head, lines)
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
    limit: Annotated[Limit | None, RARE] = None
    offset: Offset = 0


class GetEntityInfo(Tool[GetEntityInfoArguments]):
    """Details of an entity; ``data`` is an ``EntityInfo``."""

    name = "get_entity_info"
    description = "Show an entity: description, aliases, types and the statements about it."
    family = ToolFamily.REMOTE

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
        namer.show(ids_in(statement.value for statement in page.statements))
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
    told = False

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
    direction: Directions = "both"
    property: PropertyId | None = Field(default=None, description="Only this relation.")
    limit: Annotated[Limit | None, RARE] = None
    offset: Offset = 0


class ExploreEntityNeighbors(Tool[ExploreArguments]):
    """The neighbourhood of an entity; ``data`` is a ``Neighbors``."""

    name = "explore_entity_neighbors"
    description = "List the statements about an entity (out) and those pointing to it (in)."
    family = ToolFamily.REMOTE

    def run(self, args: ExploreArguments, context: ToolContext) -> ToolOutput:
        """Read a page of statements each way."""
        require_known([args.entity, *([args.property] if args.property else [])], context)
        outgoing = _page(args, Direction.OUT, context)
        incoming = _page(args, Direction.IN, context)
        pages = [page for page in (outgoing, incoming) if page is not None]
        namer = Namer(context)
        namer.load([args.entity], [args.property] if args.property else ())
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
            namer.show(ids_in(statement.value for statement in page.statements))
            namer.show(statement.subject for statement in page.statements)
        total = sum(page.total for page in pages)
        data = Neighbors(outgoing, incoming)
        absence = ""
        if not total:
            relation = f" of “{namer.name(args.property)}”" if args.property else ""
            absence = f"The source has no statement{relation} around {namer.name(args.entity)}."
        told = "\n".join([text, *notes])
        return ToolOutput(told, data, namer.ids, total, shown, absence=absence)


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

    query: Query


class SparqlQuery(Tool[SparqlQueryArguments]):
    """SPARQL over the source; ``data`` is a ``SparqlResult``."""

    name = "sparql_query"
    description = (
        "Run a SELECT, ASK or CONSTRUCT on the remote ontology: direct triples (wd:Q16 wdt:P36"
        " ?x, or <IRI> <IRI> ?x where ids are IRIs), no labels."
    )
    family = ToolFamily.REMOTE

    def run(self, args: SparqlQueryArguments, context: ToolContext) -> ToolOutput:
        """Check the ids in the query, run it, show its table."""
        require_known(sparql_ids(args.query), context)
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
    relations: PropertyIds | None = Field(
        default=None, description="Relations to follow; all between entities if left out."
    )
    direction: Directions = Field(default="out", description="in: what points to the nodes.")
    hops: int = Field(default=1, ge=1, le=_MOST_HOPS)
    until: EntityIds | None = Field(
        default=None, description="Go on until things of these classes are met."
    )
    ends: EntityIds | None = Field(
        default=None, description="Keep only facts that end at these things or classes."
    )
    limit: Annotated[int, Field(ge=1, le=2_000, description="Most statements in all."), RARE] = 200


class BuildLocalGraph(Tool[BuildLocalGraphArguments]):
    """Add a subgraph; ``data`` is an ``Added``."""

    name = "build_local_graph"
    description = (
        "Add facts to the local graph: those around nodes ($x is a stored set), along relations."
    )
    family = ToolFamily.REMOTE
    writes = True

    def run(self, args: BuildLocalGraphArguments, context: ToolContext) -> ToolOutput:
        """Walk the source and add what was found."""
        relations = known_among(args.relations or (), context)
        require_known([*(args.until or ()), *(args.ends or ())], context)
        nodes = entities_of(args.nodes, context)
        walk = Walk(
            nodes,
            relations,
            directions=[way for way in Direction if args.direction in ("both", way.value)],
            limit=args.limit,
            context=context,
            until=args.until or (),
            ends=args.ends or (),
        )
        hops = args.hops if args.hops > 1 or not args.until else _MOST_HOPS
        for left in range(hops, 0, -1):
            walk.step(last=left == 1)
        statements = tuple(walk.found)
        if not statements:
            return self._nothing(args, relations, nodes, walk, context)
        added = bring_in(statements, self.name, context)
        note = f"Stopped at the limit of {args.limit}; more is there." if walk.cut else ""
        head = f"Fetched {plural(len(statements), 'statement')}:"
        return describe_added(added, statements, context, head=head, notes=[note])

    def _nothing(
        self,
        args: BuildLocalGraphArguments,
        relations: list[str],
        nodes: list[str],
        walk: Walk,
        context: ToolContext,
    ) -> ToolOutput:
        namer = Namer(context)
        namer.load([*nodes[:5], *(args.ends or ())], relations)
        what = " or ".join(namer.name(id_) for id_ in relations) or "any relation"
        about = list_some([namer.name(id_) for id_ in nodes[:5]], 5)
        ends = " or ".join(namer.name(id_) for id_ in args.ends or ())
        sentence = f"The source states no “{what}” ({args.direction}) of {about}"
        sentence += f" that ends at {ends}." if ends else "."
        text = f"Nothing was added. {sentence} get_relation lists what is there."
        return ToolOutput(text, None, namer.ids, 0, 0, absence="" if walk.cut else sentence)
