"""The one door: from a text to what it means, the best reading first.

``Understanding`` holds what is shared between texts in one language on one source: tables, the
learned models, names of relations. It is made once, may be used from several threads, and its
memory is bounded.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import as_file, files
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.language.asked_kind import AskedKind
from robodata_core.language.chart import Proposer, asks_truth
from robodata_core.language.grammar.framing import unframed
from robodata_core.language.lexicon import Lexicon, RelationModel, WordModel, open_lexicon
from robodata_core.language.linking import Linker, unbound
from robodata_core.language.one_hop import one_hop_readings
from robodata_core.language.ranking import Ranked, Ranker, Signals, Weights
from robodata_core.language.text import Text, read_text
from robodata_core.language.types import (
    Mention,
    NotUnderstood,
    Reason,
    Understood,
)
from robodata_core.language.view import View
from robodata_core.programs.describe import describe
from robodata_core.programs.executor import Executor
from robodata_core.sources.base import KnowledgeSource

__all__ = ["Models", "Understanding", "open_models"]

_WEIGHTS: Final = "robodata_core.language"
_SHOWN: Final = 8
#: Share of the words of a text that its language is told by.
_SPOKEN: Final = 0.66


class Models:
    """What training found for one language.

    Args:
        words: Which relations words mean; None goes without.
        weights: Of the ranker.
    """

    def __init__(self, words: WordModel | None, weights: Weights) -> None:
        self.words = words
        self.weights = weights


@lru_cache(maxsize=8)
def open_models(language: str = "en") -> Models:
    """Return the models of a language; its word model is optional, ranker weights are English's.

    Raises:
        ConfigurationError: If the files that came with the package cannot be read.
    """
    folder = files(_WEIGHTS).joinpath("weights")
    with as_file(folder) as path:
        words = path / f"words.{language}.gz"
        ranker = path / f"ranker.{language}.gz"
        if not ranker.exists():
            ranker = path / "ranker.en.gz"
        return Models(WordModel.read(words) if words.exists() else None, Weights.read(ranker))


class Understanding:
    """Understands texts in one language about one source.

    Args:
        source: What texts are about.
        language: Of the texts.
        models: What training found; None takes what came with the package.

    Raises:
        ConfigurationError: If there are no tables for the language.
    """

    def __init__(
        self, source: KnowledgeSource, language: str = "en", models: Models | None = None
    ) -> None:
        self.lexicon: Lexicon = open_lexicon(language)
        self.models = models or open_models(language)
        self.view = View(source, roles=self.lexicon.role)
        self.relations = RelationModel(self.lexicon, self.view, self.models.words)
        self.linker = Linker(self.view, self.lexicon, self.models.words)
        self.proposer = Proposer(self.view, self.lexicon)
        self.ranker = Ranker(self.models.weights)
        # Of a question more than one part wants to know what it means.
        self._last: tuple[object, tuple[Understood | NotUnderstood, ...]] | None = None

    def speaks(self, text: str, least: float = _SPOKEN) -> bool:
        """Tell whether most words of a text, names aside, are words of this language.

        Args:
            text: A text, with capitals or without.
            least: The share of its words that has to be.
        """
        tokens = [token for token in read_text(text).tokens if token.is_word]
        words = [t.norm for i, t in enumerate(tokens) if not i or t.text.islower()]
        learned, lexicon = self.models.words, self.lexicon
        known = sum(
            lexicon.is_small(word) or (learned is not None and learned.knows(lexicon.stem(word)))
            for word in words
        )
        return known >= least * len(words)

    def understand(
        self, text: str, cancel: CancelToken | None = None
    ) -> tuple[Understood | NotUnderstood, ...]:
        """Return what a text may mean, the likeliest first; or what keeps it from meaning.

        Args:
            text: A question.
            cancel: Asked between steps.

        Raises:
            SourceError: If the source fails.
            CancelledError: If ``cancel`` says so; DeadlineExceededError likewise.
        """
        asked = (text, self.view.refresh())
        last = self._last
        if last is None or last[0] != asked:
            last = self._last = (asked, self._read(text, cancel))
        return last[1]

    def _read(
        self, text: str, cancel: CancelToken | None
    ) -> tuple[Understood | NotUnderstood, ...]:
        framed = unframed(read_text(text), self.lexicon.language)
        read, bound = unbound(framed.text)
        mentions = self.linker.mentions(read, bound)
        evidence = self.relations.evidence(read)
        judges = framed.judges or asks_truth(read, mentions, self.lexicon)
        readings = (
            *one_hop_readings(mentions, evidence, self.view),
            *self.proposer.propose(read, mentions, evidence, judges=judges, cancel=cancel),
        )
        if not readings and not mentions:
            return (self._nothing_named(read),)
        if not readings:
            return (NotUnderstood(Reason.NO_RELATION, self._names(read, mentions)),)
        signals = Signals(read, mentions, evidence, self.view, self.lexicon, judges=judges)
        ranked = self.ranker.rank(signals, readings)[:_SHOWN]
        asked = AskedKind(read, mentions, evidence, self.view, self.lexicon)
        best = asked.narrowed(ranked[0], Executor(self.view.source, cancel=cancel))
        return tuple(self._understood(read, item) for item in (best, *ranked[1:]))

    def _understood(self, text: Text, item: Ranked) -> Understood:
        reading = item.reading
        mentions = tuple(
            (text.written(mention.start, mention.end), candidate.value)
            for mention, candidate in reading.mentions
        )
        words, unread, broader = (
            tuple(text.tokens[i].text for i in sorted(places))
            for places in (item.unexplained, item.unread, item.broader)
        )
        told = reading.words or describe(reading.program, self._label)
        return Understood(reading.program, item.probability, told, mentions, words, unread, broader)

    def _label(self, id_: str) -> str:
        return self.view.properties((id_,))[id_].label or self.view.label(id_)

    def _nothing_named(self, text: Text) -> NotUnderstood:
        names = [mark.text for mark in text.marked]
        content = [
            token.text
            for token in text.tokens
            if token.is_word and not self.lexicon.is_small(token.norm)
        ]
        if not names and not content:
            return NotUnderstood(Reason.NOTHING_NAMED)
        missing = names[0] if names else " ".join(content)
        return NotUnderstood(Reason.UNKNOWN_NAME, missing, self.view.search(missing, _SHOWN))

    @staticmethod
    def _names(text: Text, mentions: tuple[Mention, ...]) -> str:
        longest = max(mentions, key=lambda mention: mention.end - mention.start)
        return text.written(longest.start, longest.end)
