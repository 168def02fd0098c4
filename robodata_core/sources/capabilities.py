"""What a knowledge source may do besides ``KnowledgeSource``, and what is done where it cannot.

A source says what it can in one place, its method ``capabilities``::

    def capabilities(self) -> Capabilities:
        return Capabilities(lookup_names=self.lookup_names)

Whoever needs one of these asks the functions of this module, never the source's type. Each of them
has a way to go by the documented methods alone, so that a source without any capability answers
the same questions, only with more or dearer requests.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, cast

from robodata_core.errors import QueryError, SourceError
from robodata_core.model import (
    Direction,
    EntityKind,
    EntityValue,
    MatchKind,
    Property,
    RelationCount,
    SearchHit,
    Statement,
    StatementPage,
    Value,
)
from robodata_core.sources.base import Edge, KnowledgeSource, QueryLimits
from robodata_core.sources.predicates import Role, role_of
from robodata_core.text import normalise_name

if TYPE_CHECKING:
    import pyoxigraph as ox

__all__ = [
    "Capabilities",
    "CapableSource",
    "NameLookup",
    "NearSource",
    "WideSource",
    "WrittenSearch",
    "all_properties",
    "capabilities",
    "generation",
    "heard_about",
    "lookup_names",
    "near_form",
    "rest",
    "search_written",
    "wide_form",
]

_log = logging.getLogger("robodata.sources")
_MOST_HITS: Final = 20
_MOST_PROPERTIES: Final = 10_000
_LISTING: Final = QueryLimits(rows=_MOST_PROPERTIES, seconds=20.0)
_USED: Final = (
    "SELECT ?property (COUNT(*) AS ?uses) WHERE { ?subject ?property ?object } "
    f"GROUP BY ?property ORDER BY DESC(?uses) ?property LIMIT {_MOST_PROPERTIES}"
)


class NameLookup(Protocol):
    """Finds exact names in batches."""

    def __call__(
        self, names: Iterable[str], *, kind: EntityKind = EntityKind.ITEM
    ) -> Mapping[str, tuple[SearchHit, ...]]:
        """Return the label and alias matches of each name; names without one are left out.

        Names are compared by ``text.normalise_name``.
        """
        ...


class WrittenSearch(Protocol):
    """Searches without names that are only similar, which are the dearest to find."""

    def __call__(
        self, text: str, *, limit: int = 10, language: str = "en"
    ) -> tuple[SearchHit, ...]:
        """Find items as ``KnowledgeSource.search`` does, but none whose names are only similar."""
        ...


class WideSource(Protocol):
    """Answers about many relations in one request: for sources whose requests are dear.

    Nothing is promised: what would be too much at once is left out of an answer, and is to be
    asked for by itself. What an answer holds is what asking for it by itself would give.
    """

    def statements_along(
        self, ids: Iterable[str], edges: Iterable[Edge], *, limit: int = 100
    ) -> Mapping[Edge, Mapping[str, StatementPage]]:
        """Do ``statements_many`` for many edges at once; direct triples are enough."""
        ...

    def relations_each(self, ids: Iterable[str]) -> Mapping[str, tuple[RelationCount, ...]]:
        """Do ``relations`` for each of ``ids`` by itself."""
        ...

    def statements_above(self, ids: Iterable[str], property: str) -> Mapping[str, StatementPage]:
        """Return a property's statements of ``ids`` and of all that it leads to, step by step."""
        ...


class NearSource(Protocol):
    """Answers from memory: for sources where making statements takes longer than finding them."""

    def ends_many(
        self, ids: Iterable[str], *, direction: Direction, property: str, limit: int
    ) -> Mapping[str, Sequence[Value]]:
        """Return what the statements of ``statements_many`` lead to, in their order.

        These are values (OUT) or subjects (IN); every id has an entry.
        """
        ...

    def ends_around(
        self, id_: str, *, direction: Direction, limit: int
    ) -> Mapping[str, Sequence[Value]]:
        """Return what the statements of ``statements`` lead to, by property."""
        ...

    def pairs(self, property: str, *, most: int) -> Sequence[tuple[Value, Value]] | None:
        """Return subjects and values of all direct triples of a property.

        None where only SPARQL tells them, or there are more than ``most``.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What one source can besides the documented methods; None is "not by itself".

    Attributes:
        all_properties: Lists every property, the most used first.
        lookup_names: Finds exact names in batches.
        search_written: Searches without names that are only similar.
        wide: Answers about many relations at once, where that is worth it.
        near: Gives ends of statements alone, where that is worth it.
        heard_about: What several sources said about a property (second) of an entity (first).
        generation: Gives a number that grows whenever what the source says may have changed; who
            remembers answers of such a source forgets them then. None: it does not change.
        now: Gives the time it is where its things are seen, in seconds since 1970, on the clock of
            what saw them; None while nothing was seen. None: it sees nothing.
        beside: Gives how far beside another a thing may be, in metres, and how many degrees off the
            side that is asked for. None: what it knows has no sides.
        gone: Tells in a sentence what became of a thing of some name that is not there any more;
            empty where there was none.
        quads: Gives its whole graph, where that is on this machine.
        rest: Lets go of what it keeps in memory and can read again.
        rests: How often it did; who remembers its answers forgets them then, too.
        on_this_machine: Whether asking costs no network and nothing changes while it is open.
    """

    all_properties: Callable[[], Iterable[Property]] | None = None
    lookup_names: NameLookup | None = None
    search_written: WrittenSearch | None = None
    wide: WideSource | None = None
    near: NearSource | None = None
    heard_about: Callable[[str, str], tuple[Statement, ...]] | None = None
    generation: Callable[[], int] | None = None
    now: Callable[[], float | None] | None = None
    beside: Callable[[], tuple[float, float]] | None = None
    gone: Callable[[str], str] | None = None
    quads: Callable[[], Iterable[ox.Quad]] | None = None
    rest: Callable[[], None] | None = None
    rests: int = 0
    on_this_machine: bool = False


class CapableSource(KnowledgeSource, Protocol):
    """A source that declares capabilities."""

    def capabilities(self) -> Capabilities:
        """Return what this source can, as it is now."""
        ...


_NONE: Final = Capabilities()


def capabilities(source: KnowledgeSource) -> Capabilities:
    """Return what a source declares; nothing for one that declares nothing."""
    if not hasattr(source, "capabilities"):
        return _NONE
    return cast(CapableSource, source).capabilities()


def generation(source: KnowledgeSource) -> int:
    """Return a number that grows whenever what was heard of a source is to be forgotten.

    That is when what it says may have changed, and when it rests.
    """
    can = capabilities(source)
    return (can.generation() if can.generation is not None else 0) + can.rests


def rest(source: KnowledgeSource) -> None:
    """Let a source go of what it keeps in memory and can read again, where it can do so."""
    let_go = capabilities(source).rest
    if let_go is not None:
        let_go()


def near_form(source: KnowledgeSource) -> NearSource | None:
    """Return a source as one to be asked for ends alone, if it is such."""
    return capabilities(source).near


def wide_form(source: KnowledgeSource) -> WideSource | None:
    """Return a source as one to be asked about many relations at once, if it is such."""
    return capabilities(source).wide


def heard_about(source: KnowledgeSource, subject: str, property_: str) -> tuple[Statement, ...]:
    """Return what the sources behind ``source`` said so far about a property of an entity."""
    heard = capabilities(source).heard_about
    return heard(subject, property_) if heard is not None else ()


def all_properties(source: KnowledgeSource) -> tuple[Property, ...]:
    """Return every property of a source, the most used first.

    A source that cannot list them is asked by SPARQL which predicates its facts have; one that
    refuses that as well has none to tell, which is logged.

    Raises:
        SourceError: If a source that lists them cannot now.
    """
    listing = capabilities(source).all_properties
    if listing is not None:
        return tuple(listing())
    try:
        rows = source.sparql(_USED, limits=_LISTING).rows
        found = [row[0].id for row in rows if isinstance(row[0], EntityValue)]
        facts = [name for role, name in map(_role, found) if role is Role.FACT]
        return tuple(source.properties(facts).values())
    except (QueryError, SourceError) as error:
        _log.warning("%s cannot list its properties: %s", source.name, error)
        return ()


def _role(id_: str) -> tuple[Role, str]:
    """Return what a predicate is for; a source may have given it as a property's id already."""
    return role_of(id_) if ":" in id_ else (Role.FACT, id_)


def lookup_names(
    source: KnowledgeSource,
    names: Iterable[str],
    *,
    kind: EntityKind = EntityKind.ITEM,
    language: str = "en",
) -> Mapping[str, tuple[SearchHit, ...]]:
    """Find exact names; without the capability by one search each.

    Args:
        source: Where to look.
        names: What to look for; empty ones are passed over.
        kind: Items or properties.
        language: For a search.

    Returns:
        The matches of each name that has any.
    """
    wanted = [name for name in dict.fromkeys(names) if name]
    lookup = capabilities(source).lookup_names
    if lookup is not None:
        return lookup(wanted, kind=kind)
    found = {}
    for name in wanted:
        key = normalise_name(name)
        hits = tuple(
            hit
            for hit in source.search(name, kind=kind, limit=_MOST_HITS, language=language)
            if hit.match in (MatchKind.LABEL, MatchKind.ALIAS)
            and key in (normalise_name(hit.matched), normalise_name(hit.label))
        )
        if hits:
            found[name] = hits
    return found


def search_written(
    source: KnowledgeSource, text: str, *, limit: int = 10, language: str = "en"
) -> tuple[SearchHit, ...]:
    """Search items where those whose names are only similar would not be taken anyway."""
    search = capabilities(source).search_written
    if search is not None:
        return search(text, limit=limit, language=language)
    return source.search(text, limit=limit, language=language)
