"""Relations that words of a question resemble in meaning, where no name of a relation has them.

Only what no phrase and no mention accounts for is compared, and only with relations that are
really there around what the question names (all of a small graph). Each relation is compared by
all its names and by what the lexicon calls it, with the words alone and with what is said around
them. How much likeness means something differs from model to model: it is measured in standard
deviations above the likeness that names of relations, which have nothing to do with one another,
have to that model. What is found is one more reading of a phrase; growing and ranking treat it
like any other, and words that are names of a relation stay the better ground. Without an answer
of the embedder the words alone decide.
"""

from __future__ import annotations

import logging
import math
import threading
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import SourceError
from robodata_core.model import Direction
from robodata_core.policy.offline.lexicon import standard_lexicon
from robodata_core.policy.offline.parts import Part
from robodata_core.policy.offline.question import Question
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Match, Reading
from robodata_core.policy.offline.vectors import Embedder, similarity
from robodata_core.policy.offline.words import ARTICLES, FUNCTION_WORDS, Token, said, tokenize

__all__ = ["NOTICE", "Likeness", "Similar"]

_log = logging.getLogger("robodata.policy.offline")
NOTICE: Final = (
    "Words were compared with the names of relations as they are written, because the embeddings"
    " failed"
)
#: From how many deviations on a relation counts, and from how many on it counts most.
_LEAST: Final = 2.0
_MOST: Final = 5.0
#: What of the likeness of the best other relation is taken off.
_RIVAL: Final = 0.5
_WEAK: Final = 0.55
_STRONG: Final = 0.9
_BEST: Final = 3
_PHRASES: Final = 4
_LONGEST: Final = 4
_SMALL_GRAPH: Final = 200
_MOST_RELATIONS: Final = 300
_MOST_NAMES: Final = 16
_MOST_TEXTS: Final = 32
_YARDSTICK: Final = 64
_MOST_MEANT: Final = 3
_PHRASES_OF_ROW: Final = 6
_GIVE_UP: Final = 3
#: Words that may stand within a phrase: "held the reins".
_WITHIN: Final = ARTICLES | said("whose")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Scale:
    """What likeness means nothing to a model."""

    mean: float
    deviation: float

    def deviations(self, likeness: float) -> float:
        """Return by how many deviations a likeness exceeds what means nothing."""
        return (likeness - self.mean) / self.deviation


@dataclass(frozen=True, slots=True)
class Likeness(Match):
    """A phrase read as a relation that it only resembles in meaning."""

    @property
    def relation(self) -> str:
        """The relation."""
        return self.reading.hops[0][0][0]


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
        self._scale: _Scale | None = None
        self._words: Mapping[str, Sequence[str]] | None = None

    def matches(
        self,
        tokens: Sequence[Token],
        open_: frozenset[int],
        said: Iterable[int],
        around: Sequence[str],
        cancel: CancelToken | None = None,
    ) -> tuple[tuple[Match, ...], str]:
        """Return readings of the words that nothing accounts for, and a notice if that failed.

        Args:
            tokens: The question.
            open_: Places of the words that nothing accounts for.
            said: Places of the request's words outside names.
            around: Relations around what the question names.
            cancel: Ends the request.
        """
        spans = _runs(tokens, open_)
        groups = [group for group in self._groups(around) if group]
        if not spans or not groups:
            return (), ""
        if self._failures >= _GIVE_UP:
            return (), f"{NOTICE} several times."
        try:
            found = self._found(tokens, spans, _context(tokens, open_, said), groups, cancel)
        except SourceError as error:
            with self._lock:
                self._failures += 1
            _log.warning("embeddings failed, words alone decide: %s", error)
            return (), f"{NOTICE}: {error}"
        with self._lock:
            self._failures = 0
        return found, ""

    def notes(self, question: Question, parts: Iterable[Part]) -> tuple[str, ...]:
        """Return a sentence for every phrase that an answer reads by its meaning alone."""
        found: dict[str, None] = {}
        for part in parts:
            tokens = (part.question or question).tokens
            likenesses = [match for match in part.matches if isinstance(match, Likeness)]
            for use in part.best.candidate.edges if part.best and part.sure else ():
                names = {name for name, _ in use.hop}
                for match in likenesses:
                    if match.relation in names and match.span & use.span:
                        found[self._note(tokens, match)] = None
        return tuple(found)

    def _note(self, tokens: Sequence[Token], match: Likeness) -> str:
        phrase = " ".join(token.text for token in tokens[match.start : match.end])
        known = self._index.properties[match.relation].name.replace("_", " ")
        return f"“{phrase}” was read as “{known}”, which it resembles in meaning."

    def _found(
        self,
        tokens: Sequence[Token],
        spans: Sequence[Span],
        context: str,
        groups: Sequence[Sequence[str]],
        cancel: CancelToken | None,
    ) -> tuple[Match, ...]:
        """Compare with one group after the other, until one of them has something alike."""
        scale = self._scale_of(cancel)
        phrases = [" ".join(token.norm for token in tokens[a:b]) for a, b in spans]
        for group in groups:
            names = [(at, name) for at, id_ in enumerate(group) for name in self._names(id_)]
            texts = [*phrases, context, *(name for _, name in names)]
            vectors = self._embedder.embed(texts, cancel)
            first = len(spans) + 1
            named = [(at, vectors[first + place]) for place, (at, _) in enumerate(names)]
            whole = _best(vectors[len(spans)], named, len(group))
            found: list[Match] = []
            for span, vector in zip(spans, vectors, strict=False):
                alone = _best(vector, named, len(group))
                scores = {
                    name: scale.deviations((one + other) / 2)
                    for name, one, other in zip(group, alone, whole, strict=True)
                }
                found += self._matches_of(span, group, scores)
            if found:
                return tuple(found)
        return ()

    def _scale_of(self, cancel: CancelToken | None) -> _Scale:
        """Return the model's scale, measured once."""
        if self._scale is None:
            vectors = self._embedder.embed(_unrelated(), cancel)
            likeness = [similarity(one, other) for one, other in combinations(vectors, 2)]
            mean = math.fsum(likeness) / len(likeness)
            spread = math.sqrt(math.fsum((x - mean) ** 2 for x in likeness) / len(likeness))
            self._scale = _Scale(mean, max(spread, 1e-3))
        return self._scale

    def _groups(self, around: Sequence[str]) -> list[list[str]]:
        """Return the relations around what is named, and the others of a small graph."""
        known = self._index.properties
        near = [name for name in dict.fromkeys(around) if name in known][:_MOST_RELATIONS]
        if len(known) > _SMALL_GRAPH:
            return [near]
        return [near, sorted(known.keys() - near)]

    def _matches_of(
        self, span: Span, group: Sequence[str], scores: Mapping[str, float]
    ) -> list[Match]:
        """Return readings of a phrase as the likeliest relations of a group.

        Each stands out from the likeliest other one of its group: two alike are a guess.
        """
        ranked = sorted(group, key=lambda name: (-scores[name], name))
        found: list[Match] = []
        for name in ranked[:_BEST]:
            rivals = [scores[other] for other in ranked[:2] if other != name]
            found += self._match(span, scores[name] - _RIVAL * max(0.0, *rivals, 0.0), name)
        return found

    def _names(self, id_: str) -> list[str]:
        if self._words is None:
            self._words = _lexicon_words(self._index)
        known = self._index.properties[id_]
        names = (name.replace("_", " ") for name in (known.name, *known.aliases))
        own = list(dict.fromkeys(names))[:_MOST_NAMES]
        return list(dict.fromkeys((*own, *self._words.get(id_, ()))))[:_MOST_TEXTS]

    def _match(self, span: Span, deviations: float, name: str) -> list[Match]:
        if deviations < _LEAST:
            return []
        share = min(1.0, (deviations - _LEAST) / (_MOST - _LEAST))
        reading = Reading(
            (((name, Direction.OUT),),),
            "either",
            "noun",
            self._index.object_type(name),
            _WEAK + (_STRONG - _WEAK) * share,
        )
        return [Likeness(*span, reading)]


def _best(
    vector: array[float], named: Sequence[tuple[int, array[float]]], count: int
) -> list[float]:
    """Return for every relation the likeness of that of its names which is most like."""
    best = [-1.0] * count
    for at, other in named:
        likeness = similarity(vector, other)
        if likeness > best[at]:
            best[at] = likeness
    return best


def _lexicon_words(index: RelationIndex) -> Mapping[str, Sequence[str]]:
    """Return what people call the relations of a graph, as far as the lexicon knows."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in standard_lexicon():
        if len(row.hops) > 1 or row.kind not in ("noun", "verb") or row.hops[0].broader:
            continue
        for phrase in row.phrases[:_PHRASES_OF_ROW]:
            for name in _meant(index, phrase):
                found[name].append(phrase)
    return found


def _meant(index: RelationIndex, phrase: str) -> list[str]:
    """Return the few relations that a whole phrase may name."""
    tokens = tokenize(phrase)
    whole = (0, len(tokens))
    matches = (m for m in index.matches(tokens, frozenset()) if (m.start, m.end) == whole)
    hops = [match.reading.hops[0] for match in matches if len(match.reading.hops) == 1]
    few = (hop for hop in hops if len(hop) <= _MOST_MEANT)
    return [name for hop in few for name, way in hop if way is Direction.OUT]


def _unrelated() -> list[str]:
    """Return names of common relations, evenly from all over the lexicon."""
    labels = [
        label for row in standard_lexicon() for hop in row.hops for label, _ in hop.labels[:1]
    ]
    labels = list(dict.fromkeys(labels))
    return labels[:: max(1, len(labels) // _YARDSTICK)][:_YARDSTICK]


def _context(tokens: Sequence[Token], open_: frozenset[int], said: Iterable[int]) -> str:
    """Return the open words with the function words of the question: "where was entombed"."""
    kept = [i for i in sorted(said) if tokens[i].word]
    return " ".join(
        tokens[i].norm
        for i in kept
        if i in open_ or (tokens[i].norm in FUNCTION_WORDS and tokens[i].norm != "s")
    )


def _runs(tokens: Sequence[Token], open_: frozenset[int]) -> list[Span]:
    """Return the stretches of open words, the longest first, not too many and not too long."""
    runs: list[Span] = []
    for index in sorted(open_):
        if not tokens[index].word:
            continue
        if runs and index - runs[-1][0] < _LONGEST and _joins(tokens, runs[-1][1], index):
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return sorted(runs, key=lambda run: (run[0] - run[1], run[0]))[:_PHRASES]


def _joins(tokens: Sequence[Token], end: int, start: int) -> bool:
    """Tell whether nothing but an article or a possessive stands between two open words."""
    return end == start or (end + 1 == start and tokens[end].norm in _WITHIN)
