"""Which relation words mean: the learned word model, names of relations, and the open lexicon.

The word model tells apart the relations it has learned, each by its label and the way it is
followed; a graph's own relations are tied to these by their names. For all others the words of
their labels, aliases and descriptions tell, and phrases of the open lexicon.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.lexicon.phrases import Found, Phrase, Phrases, open_phrases
from robodata_core.language.lexicon.word_model import (
    BEGIN,
    END,
    MENTION,
    Relation,
    WordModel,
)
from robodata_core.language.text import Text, words_of
from robodata_core.language.types import Edge
from robodata_core.language.view import View
from robodata_core.model import Direction, Property

__all__ = ["Evidence", "RelationModel", "RelationScore"]

_Span: TypeAlias = tuple[int, int]
_LEAST: Final = 1e-5
#: Strength of a phrase that says more than the relation; others have more.
_BROADER: Final = 0.5
_MOST_AGAINST: Final = 4.0
#: Words of so many letters may be slips of words that are so much alike.
_LONG: Final = 6
_ALIKE: Final = 0.82
_MOST_SPELLED: Final = 10_000
_NO_PLACES: Final = frozenset[int]()
"""One for all: each empty one that is made takes as much as one of four places."""


class RelationScore(NamedTuple):
    """What words say of one relation, followed one way.

    Attributes:
        seen: Whether the word model has learned the relation.
        probability: Of this relation among all that the model knows, 0 to 1.
        log: Logarithm of that, 0 where the relation is not known.
        best: Probability of the likeliest relation the model knows, whether it is there or not.
        prior: Logarithm of the share of questions that asked for it.
        label: Share of the words of its label that are among the words, 0 to 1.
        alias: The same for the best of its aliases.
        description: Share of the words that its description holds.
        phrase: How usual it is to name it by a phrase that is there, 0 to 1.
        turned: The same for a phrase that would walk it the other way.
        back: Probability of the same relation followed the other way.
        tied: Whether the model knows it by another name only.
        explained: Places of the words that it accounts for.
        said: Places of those that are words of its names or of a phrase for it.
        broader: Places of a phrase that says more than the relation ("daughter" for child).
        unfit: Places of one that may say something else then ("mother" for whose child one is).
    """

    seen: bool = False
    probability: float = 0.0
    log: float = 0.0
    best: float = 0.0
    prior: float = 0.0
    label: float = 0.0
    alias: float = 0.0
    description: float = 0.0
    phrase: float = 0.0
    turned: float = 0.0
    back: float = 0.0
    tied: bool = False
    explained: frozenset[int] = frozenset()
    said: frozenset[int] = frozenset()
    broader: frozenset[int] = frozenset()
    unfit: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Hit:
    """A phrase for a relation: how usual it is, its words, and whether it says more."""

    strength: float
    places: frozenset[int]
    broader: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class _Names:
    """A relation of the graph as words see it.

    Attributes:
        keys: Its label and aliases, folded.
        label: Roots of the content words of its label.
        aliases: The same for each alias.
        description: The same for its description.
        known: Places in the word model, followed forward and backward (-1: not known).
        tied: Whether it is known there by another name only.
    """

    keys: tuple[str, ...]
    label: frozenset[str]
    aliases: tuple[frozenset[str], ...]
    description: frozenset[str]
    known: tuple[int, int]
    tied: bool


class RelationModel:
    """Scores the relations of one graph against words.

    Args:
        lexicon: Of the language of the words.
        view: Names of the graph's relations.
        words: The learned model; None goes without.
        phrases: The open lexicon; None takes that of the language.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        view: View,
        words: WordModel | None = None,
        phrases: Phrases | None = None,
    ) -> None:
        self.lexicon = lexicon
        self.words = words
        self._view = view
        self._phrases = phrases or open_phrases(lexicon.language)
        self._names: dict[str, _Names] = {}
        self._spelled: dict[str, str] = {}
        self._places: dict[Relation, int] = {}
        for place, relation in enumerate(words.relations if words else ()):
            key = " ".join(words_of(relation.label))
            self._places[Relation(key, relation.inverse)] = place

    def evidence(self, text: Text, unseen: Iterable[str] = ()) -> Evidence:
        """Return what the words of a text say of relations.

        Args:
            text: The text.
            unseen: Relations to treat as if the model had never seen them (for training).
        """
        return Evidence(self, text, self._phrases, frozenset(unseen))

    def spelled(self, word: str) -> str:
        """Return the word that a slip of the pen stands for, else the word itself.

        Only words that questions hardly have are taken for slips, and only of much alike words
        that tell something of relations.
        """
        words, lexicon = self.words, self.lexicon
        if words is None or len(word) < _LONG or not word.isalpha() or lexicon.is_small(word):
            return word
        stem = lexicon.stem(word)
        if words.knows(stem) or lexicon.operator(word):
            return word
        known = self._spelled.get(word)
        if known is None:
            from rapidfuzz import process
            from rapidfuzz.distance import OSA

            near = process.extractOne(
                stem, words.known, scorer=OSA.normalized_similarity, score_cutoff=_ALIKE
            )
            known = near[0] if near is not None and near[0][0] == stem[0] else word
            if len(self._spelled) >= _MOST_SPELLED:
                self._spelled.clear()
            self._spelled[word] = known
        return known

    def names(self, ids: Iterable[str]) -> dict[str, _Names]:
        """Return relations of the graph as words see them."""
        found, new = {}, []
        for id_ in ids:
            known = self._names.get(id_)
            if known is None:
                new.append(id_)
            else:
                found[id_] = known
        for id_, item in self._view.properties(new).items() if new else ():
            found[id_] = self._names[id_] = self._named(item)
        return found

    def _named(self, item: Property) -> _Names:
        keys = tuple(dict.fromkeys(" ".join(words_of(n)) for n in (item.name, *item.aliases)))
        own, tied = self._known(keys)
        return _Names(
            keys,
            self.roots(item.name),
            tuple(self.roots(alias) for alias in item.aliases),
            self.roots(item.description),
            own,
            tied,
        )

    def _known(self, keys: Sequence[str]) -> tuple[tuple[int, int], bool]:
        """Return the places of a relation in the word model, and whether another name led there."""
        for number, key in enumerate(keys):
            found = self._place(key, turned=False)
            if found != (-1, -1):
                return found, number > 0
        for key in keys[:1]:
            for label, turned in self._phrases.alike(key).items():
                found = self._place(label, turned=turned)
                if found != (-1, -1):
                    return found, True
        return (-1, -1), False

    def _place(self, key: str, *, turned: bool) -> tuple[int, int]:
        forward = self._places.get(Relation(key, turned), -1)
        return forward, self._places.get(Relation(key, not turned), -1)

    @property
    def identities(self) -> tuple[str, ...]:
        """The relations that say that two names stand for one thing."""
        return self._view.identities

    def roots(self, text: str) -> frozenset[str]:
        """Return the roots of the content words of a name."""
        lexicon = self.lexicon
        return frozenset(lexicon.root(w) for w in words_of(text) if not lexicon.is_small(w))


class Evidence:
    """What the words of one text say of relations; remembers what it has reckoned.

    Args:
        model: Knows relations and words.
        text: The text.
        phrases: The open lexicon.
        unseen: Relations treated as never seen.
    """

    def __init__(
        self, model: RelationModel, text: Text, phrases: Phrases, unseen: frozenset[str]
    ) -> None:
        lexicon = model.lexicon
        self._model = model
        self._text = text
        self._unseen = unseen
        self._same = model.identities
        self.words = tuple(i for i, token in enumerate(text.tokens) if token.is_word)
        norms = [model.spelled(text.tokens[i].norm) for i in self.words]
        self._norms = dict(zip(self.words, norms, strict=True))
        self._stems = {i: lexicon.stem(w) for i, w in zip(self.words, norms, strict=True)}
        #: Content words by their places, as roots.
        self.content = {
            i: lexicon.root(w)
            for i, w in zip(self.words, norms, strict=True)
            if (text.tokens[i].acronym or not lexicon.is_small(w)) and not text.tokens[i].possessive
        }
        self.rarity = {
            i: model.words.rarity(self._stems[i]) if model.words else 5.0 for i in self.content
        }
        #: Relations beside which a content word stands at least as often as at large.
        self._beside = {
            i: model.words.beside(self._stems[i]) if model.words else frozenset[int]()
            for i in self.content
        }
        self._found = phrases.find(norms)
        self._hidden = {
            place for names in model.names(unseen).values() for place in names.known if place >= 0
        }
        self._chances: dict[tuple[_Span | None, frozenset[int]], list[float]] = {}
        self._scores: dict[tuple[Edge, _Span | None, frozenset[int]], RelationScore] = {}

    def knows(self, place: int) -> bool:
        """Tell whether the word model has learned the word at a place."""
        words = self._model.words
        return words is not None and words.knows(self._stems[place])

    def contradicts(self, edge: Edge, place: int) -> float:
        """Return how much a word speaks against a relation (0 to 4, a logarithm).

        A relation that the model has not learned is spoken against by every word.
        """
        words = self._model.words
        known = self._model.names((edge[0],))[edge[0]].known[edge[1] is Direction.IN]
        if words is None or known < 0 or known in self._hidden:
            return _MOST_AGAINST
        return min(_MOST_AGAINST, max(0.0, -words.lift(self._stems[place], known)))

    def phrases(self) -> Iterator[tuple[frozenset[int], Phrase]]:
        """Yield the phrases of the open lexicon among the words, with their places."""
        for item in self._found:
            yield frozenset(self.words[item.start : item.end]), item.phrase

    def roots(self, name: str) -> frozenset[str]:
        """Return the roots of the content words of a name."""
        return self._model.roots(name)

    def phrases_beside(self, said: set[int], taken: set[int]) -> int:
        """Return how many phrases for relations there are outside of some words."""
        spans = {(item.start, item.end) for item in self._found if item.phrase.kind != "prep"}
        found = 0
        for start, end in spans:
            at = set(self.words[start:end])
            found += bool(at & self.content.keys()) and at.isdisjoint(said | taken)
        return found

    def best(self, mention: _Span | None, places: frozenset[int]) -> list[tuple[Relation, float]]:
        """Return the likeliest relations at large, whether they are there or not."""
        words = self._model.words
        if words is None:
            return []
        chances = self._chance(mention, places)
        order = sorted(range(len(chances)), key=lambda i: -chances[i])[:5]
        return [(words.relations[i], chances[i]) for i in order]

    def score(
        self, edges: Iterable[Edge], mention: _Span | None, places: frozenset[int] | None = None
    ) -> dict[Edge, RelationScore]:
        """Score relations against words.

        Args:
            edges: Which relations, each with the way it is followed from the mention.
            mention: First token and first token after the mention they start from; None where
                they start from something else.
            places: The words that count; None for all outside of the mention.
        """
        if places is None:
            inside = range(*mention) if mention else ()
            places = frozenset(i for i in self.words if i not in inside)
        found, new = {}, []
        for edge in edges:
            known = self._scores.get((edge, mention, places))
            if known is None:
                new.append(edge)
            else:
                found[edge] = known
        if new:
            chances = self._chance(mention, places)
            best = max(chances, default=0.0)
            names = self._model.names({edge[0] for edge in new})
            phrases = self._phrases(mention, places)
            content = {i: root for i, root in self.content.items() if i in places}
            for edge in new:
                score = self._score(edge, names[edge[0]], chances, best, phrases, content)
                self._scores[edge, mention, places] = found[edge] = score
        return found

    def offered(self, edges: Iterable[Edge], mention: _Span | None) -> dict[Edge, RelationScore]:
        """Score the relations that an answer may go along.

        That two names stand for one thing answers only what asks for it by that label.

        Args:
            edges: As for ``score``.
            mention: As for ``score``.
        """
        scores = self.score(edges, mention).items()
        return {e: found for e, found in scores if e[0] not in self._same or found.label >= 1.0}

    def _score(
        self,
        edge: Edge,
        names: _Names,
        chances: Sequence[float],
        best: float,
        phrases: dict[tuple[str, bool], _Hit],
        content: dict[int, str],
    ) -> RelationScore:
        learned = names.known if edge[0] not in self._unseen else (-1, -1)
        place, back = learned[edge[1] is Direction.IN], learned[edge[1] is Direction.OUT]
        words = self._model.words
        roots = set(content.values())
        label = _share(names.label, roots)
        alias = max([_share(alias, roots) for alias in names.aliases], default=0.0)
        named = names.label.union(*names.aliases) if label or alias else ()
        said = {i for i, root in content.items() if root in named}
        explained = {i for i in content if place in self._beside[i]} | said
        strength, turned = 0.0, 0.0
        exact, broader, unfit = False, _NO_PLACES, _NO_PLACES
        for number, key in enumerate(names.keys):
            for forward in (True, False):
                hit = phrases.get((key, forward))
                if hit is None:
                    continue
                if forward == (edge[1] is Direction.OUT):
                    if not hit.broader:
                        exact = True
                    elif not (number and exact):
                        # That "sister" is an alias of "sibling" changes nothing.
                        broader, unfit = (
                            (broader, unfit | hit.places) if hit.strict
                            else (broader | hit.places, unfit)
                        )  # fmt: skip
                    strength = max(strength, hit.strength)
                    said |= hit.places
                else:
                    turned = max(turned, hit.strength)
        whole = sum(self.rarity[i] for i in content) or 1.0
        told = sum(self.rarity[i] for i, root in content.items() if root in names.description)
        chance = chances[place] if place >= 0 else 0.0
        return RelationScore(
            seen=place >= 0,
            probability=chance,
            log=max(math.log(chance + _LEAST), -9.0) if place >= 0 else 0.0,
            best=best,
            prior=words.prior[place] if place >= 0 and words is not None else 0.0,
            label=label,
            alias=alias,
            description=told / whole,
            phrase=strength,
            turned=turned,
            back=chances[back] if back >= 0 else 0.0,
            tied=names.tied and place >= 0,
            explained=frozenset(explained | said) or _NO_PLACES,
            said=frozenset(said) or _NO_PLACES,
            broader=broader,
            unfit=unfit,
        )

    def _chance(self, mention: _Span | None, places: frozenset[int]) -> list[float]:
        """Return the probabilities of the model's relations, given some of the words."""
        words = self._model.words
        if words is None:
            return []
        known = self._chances.get((mention, places))
        if known is None:
            tokens, lexicon = self._text.tokens, self._model.lexicon
            silent = lexicon.said("joint")
            line: list[str] = [BEGIN]
            for i in self.words:
                if mention and i == mention[0]:
                    line.append(MENTION)
                inside = mention is not None and mention[0] <= i < mention[1]
                owned = tokens[i].possessive and line[-1] == MENTION
                norm = self._norms[i]
                if i in places and not inside and not owned and norm not in silent:
                    line.append(norm)
            known = words.probabilities((*line, END), lexicon)
            if self._hidden:
                known = _without(known, self._hidden)
            self._chances[mention, places] = known
        return known

    def _phrases(
        self, mention: _Span | None, places: frozenset[int]
    ) -> dict[tuple[str, bool], _Hit]:
        """Return the phrases for relations by label and whether it is walked forward."""
        found: dict[tuple[str, bool], _Hit] = {}
        for item in self._found:
            at = frozenset(self.words[item.start : item.end])
            if len(item.phrase.hops) > 1 or not at <= places:
                continue
            outward = self._outward(item, mention)
            for rank, named in enumerate(item.phrase.hops[0]):
                strength = (_BROADER if named.broader else 1.0) - min(0.3, 0.05 * rank)
                for forward in (True, False) if outward is None else (outward != named.inverse,):
                    key = (named.label, forward)
                    if key not in found or found[key].strength < strength:
                        strict = item.phrase.only is not None and item.phrase.only.strict
                        found[key] = _Hit(strength, at, named.broader, strict)
        return found

    def _outward(self, item: Found, mention: _Span | None) -> bool | None:
        """Return whether a phrase is walked forward from the mention; None for either way."""
        outward = item.phrase.outward
        if outward is None or mention is None:
            return None
        before = mention[0] <= self.words[item.start]
        return outward != (before and item.phrase.kind != "noun")


def _without(chances: Sequence[float], hidden: Set[int]) -> list[float]:
    """Return probabilities given that none of some relations is meant."""
    left = 1.0 - sum(chances[place] for place in hidden) + _LEAST
    return [0.0 if i in hidden else chance / left for i, chance in enumerate(chances)]


def _share(wanted: frozenset[str], roots: set[str]) -> float:
    return len(wanted & roots) / len(wanted) if wanted else 0.0
