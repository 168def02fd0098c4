"""Labels for many ids at once, remembered for one run.

Everything that is shown to an agent carries a label beside its id. Looking labels up one at a
time is what makes a remote source slow, so they are fetched in batches and kept. How a label is
clipped and cleaned for a text is the business of ``formatting``.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from robodata_core.errors import SourceError
from robodata_core.model import SearchHit

if TYPE_CHECKING:
    from robodata_core.model import Entity, Property
    from robodata_core.sources.base import KnowledgeSource

__all__ = ["FoundNames", "LabelCache"]

_log = logging.getLogger("robodata.tools")

_CAPACITY: Final = 20_000


class LabelCache:
    """Labels by id, for one run and one source. Thread-safe.

    A label that cannot be had (unknown id, source out of reach) is an empty string: names are a
    courtesy, and a missing one must not fail the call that wanted to show it.

    Args:
        capacity: Most labels kept of entities and of properties each; the oldest go first.
    """

    def __init__(self, capacity: int = _CAPACITY) -> None:
        self._capacity = max(1, capacity)
        self._lock = threading.Lock()
        self._entities: dict[str, str] = {}
        self._properties: dict[str, str] = {}

    def entities(self, ids: Iterable[str], source: KnowledgeSource) -> Mapping[str, str]:
        """Return the labels of entities, "" where there is none; every id has an entry."""
        return self._look_up(self._entities, ids, source.entities)

    def properties(self, ids: Iterable[str], source: KnowledgeSource) -> Mapping[str, str]:
        """Return the labels of properties, "" where there is none; every id has an entry."""
        return self._look_up(self._properties, ids, source.properties)

    def mixed(self, ids: Iterable[str], source: KnowledgeSource) -> Mapping[str, str]:
        """Return labels of ids of which it is not known whether they are properties."""
        wanted = tuple(dict.fromkeys(ids))
        likely = tuple(id_ for id_ in wanted if id_.startswith("P") and ":" not in id_)
        labels = dict(self.properties(likely, source))
        rest = tuple(id_ for id_ in wanted if id_ not in labels)
        labels.update(self.entities(rest, source))
        nameless = tuple(id_ for id_ in rest if not labels[id_] and ":" in id_)
        labels.update(self.properties(nameless, source))
        return labels

    def note_entities(self, entities: Iterable[Entity]) -> None:
        """Remember the labels of entities that were fetched anyway."""
        self._keep(self._entities, {entity.id: entity.label for entity in entities})

    def note_properties(self, properties: Iterable[Property]) -> None:
        """Remember the labels of properties that were fetched anyway."""
        self._keep(self._properties, {prop.id: prop.label for prop in properties})

    def _look_up(
        self,
        known: dict[str, str],
        ids: Iterable[str],
        fetch: Callable[[Iterable[str]], Mapping[str, Entity] | Mapping[str, Property]],
    ) -> dict[str, str]:
        wanted = tuple(dict.fromkeys(ids))
        with self._lock:
            labels = {id_: known[id_] for id_ in wanted if id_ in known}
        missing = tuple(id_ for id_ in wanted if id_ not in labels)
        if not missing:
            return labels
        try:
            found = fetch(missing)
        except SourceError as error:
            _log.info("No labels for %d ids: %s", len(missing), error)
            return labels | dict.fromkeys(missing, "")
        fresh = {id_: found[id_].label if id_ in found else "" for id_ in missing}
        self._keep(known, fresh)
        return labels | fresh

    def _keep(self, known: dict[str, str], fresh: Mapping[str, str]) -> None:
        with self._lock:
            known.update(fresh)
            for oldest in list(known)[: max(0, len(known) - self._capacity)]:
                del known[oldest]


_MOST: Final = 1_000


class FoundNames:
    """Items by the exact name they were found by, in one run. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hits: dict[str, tuple[SearchHit, ...]] = {}

    def note(self, name: str, hits: Iterable[SearchHit]) -> None:
        """Remember the items of a name; none are not worth remembering."""
        found = tuple(hits)
        with self._lock:
            if found and len(self._hits) < _MOST:
                self._hits[name] = found

    def get(self, name: str) -> tuple[SearchHit, ...]:
        """Return the items of a name; empty where it was not looked up."""
        with self._lock:
            return self._hits.get(name, ())
