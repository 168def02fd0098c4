"""An ontology whose kinds of things have a *usual location* in place of a location.

"Cups are kept in the kitchen" and "this cup is in the kitchen" are both stated by the relation
*location* (P276), of a class and of a thing. Beside a map that will not do: whoever asks where the
cup is would be told what is typical. So what an ontology says about the location of a class is a
relation of its own here, and what it says about a single thing stays as it is.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from robodata_core.belief import vocabulary as v
from robodata_core.belief.kinds import ABOVE
from robodata_core.cache import BoundedCache
from robodata_core.cancellation import CancelToken
from robodata_core.model import (
    Direction,
    Entity,
    EntityKind,
    Property,
    RelationCount,
    SearchHit,
    SparqlResult,
    Statement,
    StatementPage,
)
from robodata_core.sources.base import KnowledgeSource, QueryLimits, SourceBase
from robodata_core.sources.capabilities import (
    Capabilities,
    all_properties,
    capabilities,
    lookup_names,
)

__all__ = ["TypicalPlaces"]

_KEPT: Final = 20_000


class TypicalPlaces(SourceBase):
    """A ``KnowledgeSource`` that tells of classes' usual locations. Thread-safe.

    SPARQL sees the ontology as it is.

    Args:
        inner: The ontology; closed together with this one.
    """

    def __init__(self, inner: KnowledgeSource) -> None:
        self.inner = inner
        self.name = inner.name
        self._classes: BoundedCache[str, bool] = BoundedCache(_KEPT)

    def capabilities(self) -> Capabilities:
        """Return what the ontology can, but ends without their statements and many at once."""
        own = capabilities(self.inner)
        return dataclasses.replace(
            own,
            all_properties=self.all_properties,
            lookup_names=self.lookup_names,
            near=None,
            wide=None,
        )

    def warm(self) -> None:
        """Load what the first question would load."""
        warm = getattr(self.inner, "warm", None)
        if warm is not None:
            warm()

    def close(self) -> None:
        """Close the ontology."""
        self.inner.close()

    # -- names ----------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        *,
        kind: EntityKind = EntityKind.ITEM,
        limit: int = 10,
        language: str = "en",
    ) -> tuple[SearchHit, ...]:
        """Search as the ontology does."""
        return self.inner.search(text, kind=kind, limit=limit, language=language)

    def lookup_names(
        self, names: Iterable[str], *, kind: EntityKind = EntityKind.ITEM
    ) -> Mapping[str, tuple[SearchHit, ...]]:
        """Find exact names as the ontology does."""
        return lookup_names(self.inner, names, kind=kind)

    def entities(self, ids: Iterable[str]) -> Mapping[str, Entity]:
        """Return entities by id."""
        return self.inner.entities(ids)

    def properties(self, ids: Iterable[str]) -> Mapping[str, Property]:
        """Return properties by id."""
        wanted = tuple(ids)
        found = dict(self.inner.properties(wanted))
        if v.USUAL_PLACE.id in wanted:
            found[v.USUAL_PLACE.id] = v.USUAL_PLACE
        return found

    def all_properties(self) -> tuple[Property, ...]:
        """Return every property, the usual location beside the location."""
        return (*all_properties(self.inner), v.USUAL_PLACE)

    # -- statements -----------------------------------------------------------------------------

    def statements(
        self,
        id_: str,
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
        offset: int = 0,
        all_ranks: bool = False,
    ) -> StatementPage:
        """Return statements; those about the location of a class have another property."""
        if property not in (None, v.LOCATION, v.USUAL_PLACE.id):
            return self.inner.statements(
                id_,
                direction=direction,
                property=property,
                limit=limit,
                offset=offset,
                all_ranks=all_ranks,
            )
        asked = v.LOCATION if property == v.USUAL_PLACE.id else property
        # Which of them are about classes is not known before they are there, so all are looked at.
        most = limit + offset if property is None else _KEPT
        page = self.inner.statements(
            id_, direction=direction, property=asked, limit=most, all_ranks=all_ranks
        )
        told = self._told(page.statements)
        if property is None:
            return StatementPage(told[offset : offset + limit], page.total)
        kept = tuple(item for item in told if item.property == property)
        return StatementPage(kept[offset : offset + limit], len(kept))

    def statements_many(
        self,
        ids: Iterable[str],
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
    ) -> Mapping[str, StatementPage]:
        """Do ``statements`` for many ids."""
        if property not in (None, v.LOCATION, v.USUAL_PLACE.id):
            return self.inner.statements_many(
                ids, direction=direction, property=property, limit=limit
            )
        return super().statements_many(ids, direction=direction, property=property, limit=limit)

    def _told(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        places = [item.subject for item in statements if item.property == v.LOCATION]
        classes = self._of_classes(places)
        return tuple(
            dataclasses.replace(item, property=v.USUAL_PLACE.id)
            if item.property == v.LOCATION and item.subject in classes
            else item
            for item in statements
        )

    def _of_classes(self, ids: Iterable[str]) -> set[str]:
        """Return those of ``ids`` that are kinds of things.

        They are below another kind, or at least nothing says of which kind they are one.
        """
        wanted = tuple(dict.fromkeys(ids))
        unknown = [id_ for id_ in wanted if self._classes.get(id_) is None]
        if unknown:
            found: set[str] = set()
            for relation in ABOVE:
                pages = self.inner.statements_many(unknown, property=relation, limit=1)
                found |= {id_ for id_, page in pages.items() if page.total}
            rest = [id_ for id_ in unknown if id_ not in found]
            pages = self.inner.statements_many(rest, property=v.INSTANCE_OF, limit=1)
            found |= {id_ for id_ in rest if not pages[id_].total}
            for id_ in unknown:
                self._classes.put(id_, id_ in found)
        return {id_ for id_ in wanted if self._classes.get(id_)}

    def relations(
        self, ids: Iterable[str], *, direction: Direction | None = None
    ) -> tuple[RelationCount, ...]:
        """Return the relations around ``ids``; locations of classes count apart."""
        wanted = tuple(dict.fromkeys(ids))
        counts: Counter[tuple[str, Direction]] = Counter()
        for item in self.inner.relations(wanted, direction=direction):
            if item.property != v.LOCATION:
                counts[item.property, item.direction] += item.count
                continue
            for id_ in wanted:
                for name in (v.LOCATION, v.USUAL_PLACE.id):
                    page = self.statements(id_, direction=item.direction, property=name)
                    counts[name, item.direction] += page.total
        return RelationCount.ranked(counts)

    def sparql(
        self,
        query: str,
        *,
        limits: QueryLimits = QueryLimits(),
        cancel: CancelToken | None = None,
    ) -> SparqlResult:
        """Run a query over the ontology as it is."""
        return self.inner.sparql(query, limits=limits, cancel=cancel)
