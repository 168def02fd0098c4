"""Relations that words of a question resemble in meaning, where no name of a relation has them.

Only what no phrase and no mention accounts for is compared, and only with relations that are
really there around what the question names (all of a small graph). What is found is one more
reading of a phrase; growing and ranking treat it like any other, and words that are names of a
relation stay the better ground. Without an answer of the embedder the words alone decide.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import SourceError
from robodata_core.model import Direction
from robodata_core.policy.offline.embeddings import Embedder, similarity
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Match, Reading
from robodata_core.policy.offline.words import Token

__all__ = ["NOTICE", "Similar"]

_log = logging.getLogger("robodata.policy.offline")
NOTICE: Final = (
    "Words were compared with the names of relations as they are written, because the embeddings"
    " service failed."
)
_LEAST: Final = 0.5
_WEAK: Final = 0.55
_STRONG: Final = 0.9
_BEST: Final = 3
_PHRASES: Final = 4
_LONGEST: Final = 4
_SMALL_GRAPH: Final = 200
_MOST_RELATIONS: Final = 300
_GIVE_UP: Final = 3


class Similar:
    """Finds readings by meaning; shared between runs, thread-safe.

    After three failures in a row the service is not asked again.

    Args:
        embedder: Makes the vectors.
        index: The relations of the source.
    """

    def __init__(self, embedder: Embedder, index: RelationIndex) -> None:
        self._embedder = embedder
        self._index = index
        self._lock = threading.Lock()
        self._failures = 0

    def matches(
        self,
        tokens: Sequence[Token],
        open_: frozenset[int],
        around: Sequence[str],
        cancel: CancelToken | None = None,
    ) -> tuple[tuple[Match, ...], str]:
        """Return readings of the words that nothing accounts for, and a notice if that failed.

        Args:
            tokens: The question.
            open_: Places of the words that nothing accounts for.
            around: Relations around what the question names.
            cancel: Ends the request.
        """
        spans = _runs(tokens, open_)
        names = self._relations(around)
        if not spans or not names:
            return (), ""
        if self._failures >= _GIVE_UP:
            return (), NOTICE
        phrases = [" ".join(token.norm for token in tokens[a:b]) for a, b in spans]
        labels = [self._index.properties[name].name.replace("_", " ") for name in names]
        try:
            vectors = self._embedder.embed([*phrases, *labels], cancel)
        except SourceError as error:
            with self._lock:
                self._failures += 1
            _log.warning("embeddings failed, words alone decide: %s", error)
            return (), NOTICE
        with self._lock:
            self._failures = 0
        found: list[Match] = []
        for place, span in enumerate(spans):
            scored = sorted(
                (
                    (similarity(vectors[place], vectors[len(spans) + at]), name)
                    for at, name in enumerate(names)
                ),
                key=lambda item: (-item[0], item[1]),
            )
            found += [self._match(span, *item) for item in scored[:_BEST] if item[0] >= _LEAST]
        return tuple(found), ""

    def _relations(self, around: Sequence[str]) -> list[str]:
        known = self._index.properties
        if len(known) <= _SMALL_GRAPH:
            return sorted(known)
        return [name for name in dict.fromkeys(around) if name in known][:_MOST_RELATIONS]

    def _match(self, span: tuple[int, int], likeness: float, name: str) -> Match:
        share = min(1.0, (likeness - _LEAST) / (1.0 - _LEAST))
        reading = Reading(
            (((name, Direction.OUT),),),
            "either",
            "noun",
            self._index.object_type(name),
            _WEAK + (_STRONG - _WEAK) * share,
        )
        return Match(*span, reading)


def _runs(tokens: Sequence[Token], open_: frozenset[int]) -> list[tuple[int, int]]:
    """Return the stretches of open words, the longest first, not too many and not too long."""
    runs: list[tuple[int, int]] = []
    for index in sorted(open_):
        if runs and runs[-1][1] == index and index - runs[-1][0] < _LONGEST:
            runs[-1] = (runs[-1][0], index + 1)
        elif tokens[index].word:
            runs.append((index, index + 1))
    return sorted(runs, key=lambda run: (run[0] - run[1], run[0]))[:_PHRASES]
