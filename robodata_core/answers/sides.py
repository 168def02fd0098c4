"""On which side of a relation the words of a question put a name.

"The capital of Canada", "Canada's capital" and "does Canada have a capital" make Canada the one
that has it; "of what is Canada the capital" and "whose capital is Canada" make it the one that is
it. A question is put into the order of a statement first ("by whom was Ann influenced": "Ann was
influenced by whom"), so that one set of rules reads all of them. Only what stands side by side is
read; of everything else nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Final, NamedTuple

from robodata_core.language.lexicon.phrases import Named, Phrase, open_phrases
from robodata_core.language.text import Text, words_of
from robodata_core.language.types import Edge, Mention
from robodata_core.language.understanding import Understanding
from robodata_core.model import Direction, Value
from robodata_core.programs import english
from robodata_core.tools.known_ids import ids_in_text

__all__ = ["Sides"]

#: So many words may stand between a name and what is said of it ("the writer Ann").
_APART: Final = 3
#: Its last word is the last of so many signs of a name: "Mercury (planet)".
_SIGNS: Final = 2


class _Word(NamedTuple):
    """A word in the order of a statement: its token, -1 where it only stands for one."""

    place: int
    norm: str


class _Phrase(NamedTuple):
    """Words for a relation, from one place of the statement up to another."""

    start: int
    end: int
    phrase: Phrase


class Sides:
    """Reads the sides of relations from one question.

    Args:
        language: Knows the tables and the source.
        text: The question.
        mentions: Its names for what a program is given.
    """

    def __init__(self, language: Understanding, text: Text, mentions: Sequence[Mention]) -> None:
        self._view, self._lexicon = language.view, language.lexicon
        self._tokens = text.tokens
        self._mentions = [
            one for one in mentions if not any(one.span < other.span for other in mentions)
        ]
        ids = frozenset(ids_in_text(text.raw))
        named = {place for mention in self._mentions for place in mention.span}
        # Of "Canada (Q16)" the name is enough.
        self._words = self._stated(
            [
                _Word(place, token.norm)
                for place, token in enumerate(text.tokens)
                if token.is_word and not (token.text in ids and place - 2 in named)
            ]
        )
        self._at = {word.place: at for at, word in enumerate(self._words) if word.place >= 0}
        self._norms = [word.norm for word in self._words]
        self._found = open_phrases(language.lexicon.language).find(self._norms)

    def turned(self, value: Value, edges: Sequence[Edge]) -> bool | None:
        """Tell whether words put a name on the other side of relations than a program does.

        Args:
            value: What the program begins with.
            edges: The relations that it follows from there.

        Returns:
            None where they do not say on which side it stands.
        """
        ways = [self._ways_of(value, name) for name, _ in edges]
        if not ways or not all(ways):
            return None
        return not any(way in found for (_, way), found in zip(edges, ways, strict=True))

    def bearers(self, place: int) -> frozenset[Value]:
        """Return what is said to be what the noun at a place names ("the husband of")."""
        at = self._at.get(place, -1)
        return frozenset(
            candidate.value
            for mention, is_it in (self._sides_of(at, at + 1) if at >= 0 else ())
            if is_it
            for candidate in mention.candidates
        )

    # -- the order of a statement -----------------------------------------------------------------

    def _stated(self, words: list[_Word]) -> list[_Word]:
        """Put a question into the order of a statement, where its subject is a name."""
        kind = self._lexicon.kind
        asks = next((at for at, word in enumerate(words[:2]) if kind(word.norm) == "question"), -1)
        if asks == 1 and kind(words[0].norm) != "preposition":
            return words
        verb = next((at for at, one in enumerate(words) if kind(one.norm) == "auxiliary"), -1)
        if verb < 0 or asks < 0 < verb:
            return words
        end = self._subject_end(words, verb + 1)
        subject, rest = words[verb + 1 : end], words[end:]
        having = words[verb].norm in self._lexicon.said("having")
        if not subject or having and any(one.norm in self._lexicon.said("serving") for one in rest):
            return words
        before, asked = words[: max(asks, 0)], words[max(asks, 0) : verb]
        owned = next((at for at, one in enumerate(asked, 1) if self._owns(one)), 0)
        if owned:
            if any(not self._lexicon.is_small(one.norm) for one in rest):
                return words
            genitive = _Word(-1, next(iter(self._lexicon.said("genitive")), ""))
            asked = [*asked[owned:], genitive, *asked[:owned]]
        return [*subject, words[verb], *rest, *before, *asked]

    def _subject_end(self, words: Sequence[_Word], start: int) -> int:
        """Return where the name that a sentence is about ends; where it begins, without one."""
        mention = self._mention_behind(words, start)
        if mention is None:
            return start
        end = next((at for at, one in enumerate(words) if one.place >= mention.end), len(words))
        if end == len(words):
            return end
        owns = self._owns(words[end]) or words[end].norm in self._lexicon.said("genitive")
        return start if owns else end

    def _owns(self, word: _Word) -> bool:
        """Tell whether what the next words name belongs to what a word asks for, or ends."""
        owns = word.place >= 0 and self._tokens[word.place].possessive
        return owns or word.norm in self._lexicon.said("whose")

    def _mention_behind(self, words: Sequence[_Word], at: int) -> Mention | None:
        """Return the name that begins at a place, or a little behind it."""
        for place in range(at, min(at + _APART, len(words))):
            if mention := next((m for m in self._mentions if m.start == words[place].place), None):
                return mention
            norm = words[place].norm
            if self._lexicon.is_small(norm) and self._lexicon.kind(norm) != "article":
                return None
        return None

    def _mention_before(self, at: int) -> Mention | None:
        """Return the name that ends right before a place."""
        last = self._words[at - 1].place if at > 0 else -1
        return next(
            (one for one in self._mentions if last in one.span and one.end - last <= _SIGNS), None
        )

    # -- relations --------------------------------------------------------------------------------

    def _ways_of(self, value: Value, property_: str) -> frozenset[Direction]:
        """Return which way words say that a relation goes from a name; of none, nothing."""
        names = self._names(property_)
        items = [*self._phrases(names), *self._labels(names)]
        nouns = [frozenset(range(*item[:2])) for item in items if item.phrase.kind == "noun"]
        # What is within a longer noun is none of its own: "his field of work".
        return frozenset(
            way
            for item in items
            if not any(frozenset(range(*item[:2])) < noun for noun in nouns)
            for way in self._ways(value, item, names)
        )

    def _names(self, property_: str) -> frozenset[str]:
        found = self._view.properties((property_,)).get(property_)
        names = (found.name, *found.aliases) if found else ()
        return frozenset(" ".join(words_of(name)) for name in names)

    def _phrases(self, names: Set[str]) -> Iterator[_Phrase]:
        """Yield phrases of the open lexicon that name a relation.

        What ends with what joins it to a name says nothing of sides by itself ("capital of").
        """
        owning = self._lexicon.said("owning")
        for item in self._found:
            joins = item.phrase.kind == "noun" and self._norms[item.end - 1] in owning
            if not joins and any(one.label in names for one in item.phrase.hops[0]):
                yield _Phrase(item.start, item.end, item.phrase)

    def _labels(self, names: Set[str]) -> Iterator[_Phrase]:
        """Yield where the names of a relation stand: a noun, or what is done by somebody."""
        stem, root = self._lexicon.stem, self._lexicon.root
        for name in names:
            words = name.split()
            by = len(words) == 2 and words[1] in self._lexicon.said("agent")
            if not by and (english.ends_open(name) or not english.is_noun(name)):
                continue
            hops = ((Named(name, inverse=False),),)
            noun = Phrase(hops, outward=not by, answer="", kind="verb" if by else "noun")
            act = Phrase(hops, outward=True, answer="", kind="verb")
            for at in range(len(self._norms)):
                here = self._norms[at : at + len(words)]
                if [*map(stem, here)] == [*map(stem, words)]:
                    yield _Phrase(at, at + len(words), noun)
                elif by and root(self._norms[at]) == root(words[0]):
                    yield _Phrase(at, at + 1, act)

    def _ways(self, value: Value, item: _Phrase, names: Set[str]) -> Iterator[Direction]:
        """Yield which way a phrase goes from a name, as far as it says so."""
        phrase = item.phrase
        inverse = {one.inverse for one in phrase.hops[0] if one.label in names}
        if len(phrase.hops) > 1:
            return
        read = self._sides_of if phrase.kind == "noun" else self._beside
        for mention, is_it in read(item.start, item.end):
            if not any(candidate.value == value for candidate in mention.candidates):
                continue
            for back in inverse:
                outward = (phrase.outward is not False) is not is_it
                yield Direction.OUT if outward is not back else Direction.IN
                if phrase.outward is None:
                    yield Direction.IN if outward is not back else Direction.OUT

    def _sides_of(self, start: int, end: int) -> Iterator[tuple[Mention, bool]]:
        """Yield names with whether they are what a noun says, or the ones that have that."""
        words, said = self._words, self._lexicon.said
        owner: Mention | None = None
        asked = False
        if end < len(words) and words[end].norm in said("owning"):
            owner = self._mention_behind(words, end + 1)
            asked = end + 1 >= len(words) or self._lexicon.kind(words[end + 1].norm) == "question"
        elif start and self._owns(words[start - 1]):
            owner = self._mention_before(start - 1)
        elif (having := self._back_to(start, said("having"))) >= 0:
            owner = self._mention_before(having) or self._mention_before(having - 1)
            it = next((m for m in self._mentions if m.start == words[end - 1].place + 1), None)
            if it is not None:
                yield it, True
        if owner is not None:
            yield owner, False
        serving = self._back_to(start, said("serving"))
        if (it := self._mention_before(serving)) is not None:
            yield it, True
        first = self._mention_before(self._back_to(start, said("copula")))
        if first is not None and (asked or owner not in (None, first)):
            yield first, True

    def _back_to(self, start: int, wanted: Set[str]) -> int:
        """Return the place of a word before a phrase, with no name and little between; else -1."""
        for at in range(start - 1, max(-1, start - 2 - _APART), -1):
            if self._norms[at] in wanted:
                return at
            if any(self._words[at].place in one.span for one in self._mentions):
                break
        return -1

    def _beside(self, start: int, end: int) -> Iterator[tuple[Mention, bool]]:
        """Yield names beside a verb, with whether they stand where who does it stands."""
        norms, agents = self._norms, self._lexicon.said("agent")
        passive = norms[end : end + 1] != [] and norms[end] in agents
        at = start
        while at > 0 and self._lexicon.kind(norms[at - 1]) in ("auxiliary", "particle"):
            if self._owns(self._words[at - 1]):
                break
            at -= 1
        if (behind := self._mention_behind(self._words, end + passive)) is not None:
            yield behind, passive
        done = not self._lexicon.said("copula").isdisjoint(norms[at:start])
        before = self._mention_before(at)
        if before is not None and (passive or norms[end - 1] in agents or not done):
            yield before, not passive
