"""What the offline policy builds once per source and shares between runs: its relation index.

Thread-safe: everything here is read-only after building, or guarded by a lock.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from robodata_core.belief.vocabulary import SPATIAL
from robodata_core.config import Settings
from robodata_core.language import Understanding
from robodata_core.language.hierarchy import top_class
from robodata_core.model import EntityKind, MatchKind
from robodata_core.policy.offline.deciding import Decision, open_decision
from robodata_core.policy.offline.lexicon import read_lexicon, standard_lexicon
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.trained import TrainedRanker, read_ranker
from robodata_core.policy.offline.weights import Weights
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import all_properties

if TYPE_CHECKING:
    from robodata_core.policy.offline.similar import Similar

__all__ = ["OfflineResources"]


class OfflineResources:
    """Shared, unchanging knowledge about one source.

    Attributes:
        index: Relations by the words that may name them.
        weights: Of the ranker.
        trained: What training adds to them, or None.
        similar: Finds relations by meaning, or None.
        understanding: Reads questions by what was learned from others, or None.
        decision: Between that and the rules.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        index: RelationIndex,
        weights: Weights | None = None,
        trained: TrainedRanker | None = None,
        similar: Similar | None = None,
        understanding: Understanding | None = None,
        decision: Decision | None = None,
    ) -> None:
        self.index = index
        self.weights = weights or Weights()
        self.trained = trained
        self.similar = similar
        self.understanding = understanding
        self.decision = decision or open_decision()
        self._source = source
        self._lock = threading.Lock()
        self._root: tuple[str, ...] | None = None

    @classmethod
    def build(cls, source: KnowledgeSource, settings: Settings) -> OfflineResources:
        """Read the lexicon, the source's properties, and what else the settings name.

        Raises:
            ConfigurationError: If the user's lexicon or the ranker cannot be read, or the
                embedder is not there.
            SourceError: If the source's properties cannot be read.
        """
        rows = standard_lexicon()
        if settings.lexicon:
            rows = (*read_lexicon(settings.lexicon), *rows)
        properties = all_properties(source)
        trained = read_ranker(settings.ranker) if settings.ranker else None
        index = RelationIndex(properties, rows)
        return cls(
            source,
            index,
            trained=trained,
            similar=_similar(settings, index),
            understanding=Understanding(source),
        )

    @property
    def is_map(self) -> bool:
        """Whether the source knows where things are: a robot's map."""
        return not SPATIAL.keys().isdisjoint(self.index.properties)

    def root(self) -> tuple[str, ...]:
        """Return the top of the class hierarchy: the class without superclass that has most.

        Empty where the source has no hierarchy or cannot be queried.
        """
        with self._lock:
            if self._root is None:
                top = top_class(self._source, sorted(self.index.named("subclass of")))
                self._root = (top,) if top else self._named_root()
            return self._root

    def _named_root(self) -> tuple[str, ...]:
        for name in ("entity", "thing"):
            for hit in self._source.search(name, kind=EntityKind.ITEM, limit=3):
                if hit.match is MatchKind.LABEL:
                    return (hit.id,)
        return ()


def _similar(settings: Settings, index: RelationIndex) -> Similar | None:
    if settings.semantic == "off":
        return None
    from robodata_core.policy.offline.embeddings import open_embedder
    from robodata_core.policy.offline.similar import Similar

    embedder = open_embedder(settings)
    return Similar(embedder, index) if embedder is not None else None
