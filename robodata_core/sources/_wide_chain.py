"""Several sources asked about many relations at once: each for what those before it lack.

The same order of preference as ``chained`` keeps: a source is asked for an entity's relation only
where all before it were heard and have none. What one of them leaves open stays open.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

from robodata_core.errors import SourceError
from robodata_core.model import Direction, RelationCount, StatementPage
from robodata_core.sources._conflicts import Heard
from robodata_core.sources.base import Edge, KnowledgeSource, WideSource, wide_form

__all__ = ["WideChain"]

_log = logging.getLogger("robodata.chained")


class WideChain:
    """The part of a chain that is a ``WideSource``; with ``merge`` it is none."""

    _sources: tuple[KnowledgeSource, ...]
    _merge: bool
    _heard: Heard

    @property
    def is_wide(self) -> bool:
        """Whether one of the sources is to be asked about many relations at once."""
        return not self._merge and any(map(wide_form, self._sources))

    def statements_along(
        self, ids: Iterable[str], edges: Iterable[Edge], *, limit: int = 100
    ) -> Mapping[Edge, Mapping[str, StatementPage]]:
        """Do ``statements_many`` for many edges at once; see ``WideSource``."""
        wanted = tuple(dict.fromkeys(ids))
        open_ = {edge: wanted for edge in edges}
        pages: dict[Edge, dict[str, StatementPage]] = {edge: {} for edge in open_}
        for source in self._sources:
            try:
                heard = _along(source, open_, limit)
            except SourceError as error:
                # A source that fails is passed over when it is asked for one edge at a time.
                _log.info("%s is not asked for much at once: %s", source.name, error)
                return {edge: _found(pages[edge]) for edge in pages}
            for edge in list(open_):
                mine = heard.get(edge, {})
                for id_, page in mine.items():
                    if edge[1] is Direction.OUT:
                        self._heard.listen(page)
                    pages[edge][id_] = page
                open_[edge] = tuple(i for i in open_[edge] if i in mine and not mine[i].total)
                for id_ in set(pages[edge]).difference(mine, _found(pages[edge])):
                    del pages[edge][id_]
            open_ = {edge: rest for edge, rest in open_.items() if rest}
            if not open_:
                break
        return pages

    def relations_each(self, ids: Iterable[str]) -> Mapping[str, tuple[RelationCount, ...]]:
        """Return the relations around each of ``ids``; see ``WideSource``."""
        open_ = tuple(dict.fromkeys(ids))
        found: dict[str, tuple[RelationCount, ...]] = {}
        for source in self._sources:
            wide = wide_form(source)
            try:
                heard = (
                    wide.relations_each(open_)
                    if wide is not None
                    else {id_: source.relations([id_]) for id_ in open_}
                )
            except SourceError as error:
                _log.info("%s is not asked for much at once: %s", source.name, error)
                return found
            found.update({id_: counts for id_, counts in heard.items() if counts})
            open_ = tuple(id_ for id_ in open_ if id_ in heard and not heard[id_])
        return found | {id_: () for id_ in open_}

    def statements_above(self, ids: Iterable[str], property: str) -> Mapping[str, StatementPage]:
        """Return nothing: one step may be known here and the next one there."""
        return {}


def _along(
    source: KnowledgeSource, asked: Mapping[Edge, tuple[str, ...]], limit: int
) -> dict[Edge, Mapping[str, StatementPage]]:
    """Ask one source: at once where that is for it, else edge by edge, as it is close at hand."""
    wide: WideSource | None = wide_form(source)
    if wide is None:
        return {
            (name, way): source.statements_many(ids, direction=way, property=name, limit=limit)
            for (name, way), ids in asked.items()
        }
    together = dict.fromkeys(id_ for ids in asked.values() for id_ in ids)
    heard = wide.statements_along(together, asked, limit=limit)
    return {
        edge: {id_: page for id_, page in heard.get(edge, {}).items() if id_ in ids}
        for edge, ids in ((edge, frozenset(ids)) for edge, ids in asked.items())
    }


def _found(pages: Mapping[str, StatementPage]) -> dict[str, StatementPage]:
    """Return the pages that are not empty."""
    return {id_: page for id_, page in pages.items() if page.total}
