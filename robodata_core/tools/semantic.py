"""KG-Agent's semantic tools, without a pretrained model: ranking relations and candidates.

Likeness is lexical (``similarity``), over labels, aliases and descriptions of the source.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from robodata_core.model import (
    Direction,
    Entity,
    EntityKind,
    EntityValue,
    Property,
    RelationCount,
    SearchHit,
)
from robodata_core.text import plural
from robodata_core.tools import arguments
from robodata_core.tools.arguments import Directions, EntityIds, Limit, NodeRefs
from robodata_core.tools.base import Arguments, Tool, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.extraction import describe_nodes, relations_around
from robodata_core.tools.formatting import clip, compose, quote
from robodata_core.tools.guard import require_known
from robodata_core.tools.namer import Namer
from robodata_core.tools.similarity import Phrase
from robodata_core.tools.variables import resolve

__all__ = ["DisambiguateEntity", "RankedEntity", "RankedRelation", "RetrieveRelation"]

_ALIKE: Final = 0.5
_CANDIDATES: Final = 20
_NEIGHBORS: Final = 30
_SEARCHED_WORDS: Final = 8


@dataclass(frozen=True, slots=True)
class RankedRelation:
    """A relation with how well it fits.

    Attributes:
        property: The relation.
        direction: Which way it lies, None if it comes from the global index.
        count: How often it is there, 0 if it comes from the global index.
        score: 0 to 1, likeness with the phrase.
    """

    property: Property
    direction: Direction | None
    count: int
    score: float


class RetrieveRelationArguments(Arguments):
    """Arguments of ``retrieve_relation``."""

    entities: NodeRefs
    phrase: arguments.Phrase | None = None
    direction: Annotated[Directions, arguments.RARE] = "both"
    limit: Limit = 10


class RetrieveRelation(Tool[RetrieveRelationArguments]):
    """Rank relations by likeness; ``data`` is a tuple of ``RankedRelation``."""

    name = "retrieve_relation"
    description = (
        "Rank the relations around entities by how well they fit a phrase (or the question);"
        " where none fits, properties of the whole ontology are offered."
    )
    family = ToolFamily.SEMANTIC

    def run(self, args: RetrieveRelationArguments, context: ToolContext) -> ToolOutput:
        """Rank what is there, or fall back to the property index."""
        nodes = resolve(args.entities, context)
        wanted = args.phrase or context.question
        named = quote(args.phrase) if args.phrase else "the question"
        phrase = Phrase.of(wanted)
        namer = Namer(context)
        about = describe_nodes(args.entities, nodes, namer)
        there = relations_around(nodes, args.direction, context)
        ranked = _rank(there, phrase, context)
        if ranked and ranked[0].score >= _ALIKE:
            head = f"{plural(len(ranked), 'relation')} of {about}, likest to {named} first:"
            found, total = ranked[: args.limit], len(ranked)
        else:
            found = _from_index(wanted, phrase, args.limit, context)
            head, total = _fallback_head(about, named, len(there), bool(found)), len(found)
        namer.learn({relation.property.id: relation.property.label for relation in found})
        text, shown = compose(head, [_relation_line(relation, namer) for relation in found])
        if shown < total:
            text += f"\nShown: {shown} of {total:,}. get_relation lists all of them."
        namer.show(relation.property.id for relation in found)
        return ToolOutput(text, found, namer.ids, total, shown)


def _rank(
    relations: Sequence[RelationCount], phrase: Phrase, context: ToolContext
) -> tuple[RankedRelation, ...]:
    ids = {relation.property for relation in relations}
    properties = context.source.properties(ids) if ids else {}
    context.labels.note_properties(properties.values())
    ranked = []
    for relation in relations:
        prop = properties.get(relation.property, Property(relation.property))
        score = phrase.likeness((prop.label, *prop.aliases))
        ranked.append(RankedRelation(prop, relation.direction, relation.count, score))
    # Sorting is stable: among equals the more frequent one stays first.
    return tuple(sorted(ranked, key=lambda relation: -relation.score))


def _from_index(
    wanted: str, phrase: Phrase, limit: int, context: ToolContext
) -> tuple[RankedRelation, ...]:
    hits: dict[str, SearchHit] = {}
    for text in (wanted, *phrase.words[:_SEARCHED_WORDS]):
        context.cancel.check()
        found = context.source.search(
            text, kind=EntityKind.PROPERTY, limit=limit, language=context.language
        )
        hits.update({hit.id: hit for hit in found if hit.id not in hits})
    properties = context.source.properties(hits) if hits else {}
    ranked = [
        RankedRelation(prop, None, 0, phrase.likeness((prop.label, *prop.aliases)))
        for prop in properties.values()
    ]
    return tuple(sorted(ranked, key=lambda relation: -relation.score))[:limit]


def _fallback_head(about: str, wanted: str, there: int, found: bool) -> str:
    reason = (
        f"None of the {plural(there, 'relation')} of {about} resembles {wanted}."
        if there
        else f"{about} has no relations this way."
    )
    if not found:
        return f"{reason} Nor does any property of the ontology."
    return (
        f"{reason} NOTICE: these come from the ontology's whole property index and may not be"
        " there around the entities:"
    )


def _relation_line(relation: RankedRelation, namer: Namer) -> str:
    line = f"{relation.score:.2f} "
    if relation.direction is not None:
        line += f"{relation.direction.value}: "
    line += namer.name(relation.property.id)
    if relation.count:
        line += f", {plural(relation.count, 'statement')}"
    description = relation.property.description
    return f"{line}: {clip(description, 100)}" if description else line


@dataclass(frozen=True, slots=True)
class RankedEntity:
    """A candidate with how well it fits.

    Attributes:
        entity: The candidate.
        score: 0 to 1: name, context words and popularity together.
        context: 0 to 1: the part of the context words found around it.
    """

    entity: Entity
    score: float
    context: float


class DisambiguateEntityArguments(Arguments):
    """Arguments of ``disambiguate_entity``."""

    name: arguments.Phrase
    context: arguments.Phrase | None = Field(
        default=None, description="Words that tell which one is meant."
    )
    candidates: Annotated[
        EntityIds | None, Field(description="Ids to choose among."), arguments.RARE
    ] = None
    limit: Limit = 5


class DisambiguateEntity(Tool[DisambiguateEntityArguments]):
    """Rank candidates for a name; ``data`` is a tuple of ``RankedEntity``."""

    name = "disambiguate_entity"
    description = "Rank the things that a name may mean by the words around it."
    family = ToolFamily.SEMANTIC

    def run(self, args: DisambiguateEntityArguments, context: ToolContext) -> ToolOutput:
        """Collect candidates and rank them."""
        candidates = _candidates(args, context)
        if not candidates:
            text = f"Nothing is called {quote(args.name)}. Try another name or spelling."
            return ToolOutput(text, (), (), 0, 0)
        words = Phrase.of(args.context or context.question).without(args.name)
        ranked = _rank_entities(candidates, words, context)
        shown = ranked[: args.limit]
        namer = Namer(context)
        namer.load([id_ for one in shown for id_ in (one.entity.id, *one.entity.types[:2])])
        lines = [_candidate_line(one, namer) for one in shown]
        many = plural(len(ranked), "candidate")
        text, count = compose(f"{many} for {quote(args.name)}, most likely first:", lines)
        if count < len(ranked):
            text += f"\nShown: {count} of {len(ranked)}; raise limit to see more."
        namer.show(one.entity.id for one in ranked)
        return ToolOutput(text, ranked, namer.ids, len(ranked), count)


def _candidates(
    args: DisambiguateEntityArguments, context: ToolContext
) -> tuple[tuple[Entity, float], ...]:
    source = context.source
    if args.candidates:
        require_known(args.candidates, context)
        found = source.entities(args.candidates[:_CANDIDATES])
        name = Phrase.of(args.name)
        return tuple((one, name.likeness((one.label, *one.aliases))) for one in found.values())
    hits = source.search(args.name, limit=_CANDIDATES, language=context.language)
    found = source.entities([hit.id for hit in hits]) if hits else {}
    return tuple((found[hit.id], hit.score) for hit in hits if hit.id in found)


def _rank_entities(
    candidates: Sequence[tuple[Entity, float]], words: Phrase, context: ToolContext
) -> tuple[RankedEntity, ...]:
    around = _neighbor_names([entity.id for entity, _ in candidates], context)
    most = max((entity.popularity for entity, _ in candidates), default=0)
    ranked = []
    for entity, name_score in candidates:
        texts = (entity.description, *entity.aliases, *around[entity.id])
        fit = words.overlap(texts)
        fame = math.log1p(entity.popularity) / math.log1p(most) if most else 0.0
        score = 0.5 * min(1.0, name_score) + 0.4 * fit + 0.1 * fame
        ranked.append(RankedEntity(entity, round(score, 3), round(fit, 3)))
    return tuple(sorted(ranked, key=lambda one: -one.score))


def _neighbor_names(ids: Sequence[str], context: ToolContext) -> dict[str, list[str]]:
    """Return the names of relations and neighbours of each candidate, a sample of them."""
    context.cancel.check()
    pages = context.source.statements_many(ids, limit=_NEIGHBORS)
    ends = {
        id_: [s.value.id for s in page.statements if isinstance(s.value, EntityValue)]
        for id_, page in pages.items()
    }
    relations = {id_: [s.property for s in page.statements] for id_, page in pages.items()}
    names = context.labels.entities((end for all_ in ends.values() for end in all_), context.source)
    words = context.labels.properties(
        (one for all_ in relations.values() for one in all_), context.source
    )
    return {
        id_: [names[end] for end in ends.get(id_, [])]
        + [words[one] for one in relations.get(id_, [])]
        for id_ in ids
    }


def _candidate_line(one: RankedEntity, namer: Namer) -> str:
    line = f"{one.score:.2f} {namer.name(one.entity.id)}"
    if one.entity.types:
        line += f" [{', '.join(namer.name(id_) for id_ in one.entity.types[:2])}]"
    return f"{line}: {clip(one.entity.description, 100)}" if one.entity.description else line
