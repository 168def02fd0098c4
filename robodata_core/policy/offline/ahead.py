"""Asking together for what solving a request will ask for, where requests are dear.

Each function says what is about to be read and leaves it to the reader to fetch what is not known
yet; see ``Reader.ahead``. None of them changes what is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from robodata_core.model import Direction, EntityValue, MatchKind, SearchHit, Value
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.constrain import FOCUSED, Constrainer
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.parts import Part
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relations import Edge, Match, reverse
from robodata_core.text import normalise_name

if TYPE_CHECKING:
    from robodata_core.tools.labels import FoundNames

__all__ = [
    "candidate_names",
    "classes",
    "first_hops",
    "groups",
    "mentioned",
    "names_found",
    "names_shown",
    "narrowing",
]

_AROUND: Final = 3
_NAMED: Final = 8
#: Entities of which all that may be asked next is asked together with what they are.
_FOLLOWED: Final = 1_000
#: Nodes of a step that a tool shows; see ``ToolContext.max_items``.
_SHOWN: Final = 20


def first_hops(matches: Iterable[Match]) -> list[Edge]:
    """Return every first hop that phrases may mean, in both ways."""
    found: dict[Edge, None] = {}
    for match in matches:
        for hops in (match.reading.hops, reverse(match.reading.hops)):
            found.update(dict.fromkeys(hops[0]))
    return list(found)


def mentioned(reader: Reader, linking: Linking, matches: Iterable[Match]) -> None:
    """Ask for what is around the things a request names.

    Where it names one alone, only the relations that its words may mean are of interest.

    Args:
        reader: The source.
        linking: What the request names.
        matches: Readings of its phrases.
    """
    if not reader.looks_ahead:
        return
    ids = [item.id for mention in linking.mentions for item in mention.entities[:_AROUND]]
    if len(linking.mentions) > 1:
        reader.relations_ahead(ids)
    reader.ahead(map(EntityValue, ids), first_hops(matches))


def groups(reader: Reader, origins: Iterable[str], most: int, constrainer: Constrainer) -> None:
    """Ask for what belongs to origins ("Japanese"), and for what narrows and leads on from that.

    Args:
        reader: The source.
        origins: What the words of origin stand for.
        most: How many of the relations around each are tried.
        constrainer: What narrows sets, and the phrases of the request.
    """
    if not reader.looks_ahead:
        return
    ids = list(dict.fromkeys(origins))
    reader.relations_ahead(ids)
    tried: dict[Edge, list[Value]] = {}
    for id_ in ids:
        around = sorted(reader.relations(id_).items(), key=lambda pair: -pair[1])[:most]
        for edge, _ in around:
            if edge[1] is Direction.IN:
                tried.setdefault(edge, []).append(EntityValue(id_))
    reader.ahead([EntityValue(id_) for id_ in ids], tried)
    reached = dict.fromkeys(v for edge, at in tried.items() for v in reader.along(at, edge))
    then = constrainer.type_edges()
    if len(reached) <= _FOLLOWED:
        then = (*then, *first_hops(constrainer.matches))
    reader.ahead(reached, then)


def classes(reader: Reader, linking: Linking, via: Iterable[str]) -> None:
    """Ask for the members of the classes that a request names."""
    if not reader.looks_ahead:
        return
    ids = [m.entities[0].id for m in linking.mentions if m.entities and not m.proper]
    reader.relations_ahead(ids)
    reader.ahead(map(EntityValue, ids), [(name, Direction.IN) for name in via])


def narrowing(reader: Reader, candidates: Iterable[Candidate], constrainer: Constrainer) -> None:
    """Ask for what narrowing candidates may need: relations, kinds, and what is above these."""
    if not reader.looks_ahead:
        return
    nodes: dict[Value, None] = {}
    edges: dict[Edge, None] = {}
    named: dict[str, None] = {}
    for candidate in candidates:
        asked = constrainer.asks_of(candidate)
        if asked:
            nodes.update(dict.fromkeys(candidate.nodes))
            edges.update(dict.fromkeys(asked))
        if constrainer.asks_for_kinds(candidate):
            ids = [v.id for v in candidate.nodes if isinstance(v, EntityValue)]
            named.update(dict.fromkeys(ids[:FOCUSED]))
    reader.ahead(nodes, edges)
    kinds = set(constrainer.type_edges()).intersection(edges)
    reader.kinds_ahead(nodes, kinds)
    found = reader.entities(named)
    reader.entities(kind for item in found.values() for kind in item.types)


def candidate_names(reader: Reader, candidates: Iterable[Candidate]) -> None:
    """Ask for the names by which candidates are ranked, and for those of their kinds."""
    if not reader.looks_ahead:
        return
    sets = [candidate.nodes for candidate in candidates]
    reader.names_ahead(sets, _NAMED)
    first = chain.from_iterable(nodes[:_NAMED] for nodes in sets)
    known = reader.entities(value.id for value in first if isinstance(value, EntityValue))
    reader.entities(kind for item in known.values() for kind in item.types)


def names_shown(reader: Reader, parts: Iterable[Part]) -> None:
    """Ask for the names that carrying a plan out will show: of its evidence, and of its steps."""
    if not reader.looks_ahead:
        return
    ids: dict[str, None] = {}
    for part in parts:
        if part.best is None or part.result is None:
            continue
        candidate = part.best.candidate
        for statement in (*part.result.evidence, *part.related):
            ids[statement.subject] = None
            if isinstance(statement.value, EntityValue):
                ids[statement.value.id] = None
        for nodes in (*candidate.stations, candidate.nodes):
            ids.update({v.id: None for v in nodes[:_SHOWN] if isinstance(v, EntityValue)})
    reader.entities(ids)


def names_found(reader: Reader, parts: Sequence[Part], names: FoundNames) -> None:
    """Note the exact names that were looked up, so that searching for them needs no request."""
    if not reader.looks_ahead:
        return
    linked = [mention for part in parts for mention in part.linking.mentions]
    linked += [link.mention for p in parts if p.best for link in p.best.candidate.links]
    mentions = [m for m in dict.fromkeys(linked) if m.exact and m.entities]
    described = reader.entities(item.id for mention in mentions for item in mention.entities)
    for mention in mentions:
        for name in dict.fromkeys((mention.text, mention.entities[0].label)):
            hits = [
                SearchHit(
                    item.id,
                    item.label,
                    described[item.id].description if item.id in described else "",
                    MatchKind.LABEL if _same(name, item.label) else MatchKind.ALIAS,
                    name,
                    item.quality,
                    item.popularity,
                )
                for item in mention.entities
                if _same(name, item.label) or (name == mention.text and not mention.demonym)
            ]
            names.note(name, hits)


def _same(name: str, label: str) -> bool:
    return normalise_name(name) == normalise_name(label)
