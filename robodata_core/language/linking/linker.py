"""Finds what the words of a text may name: exact names, variants of them, and slips of the pen.

Everything that may be meant is kept; which of it is, the ranker says. Case never counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from robodata_core.iris import is_id
from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.lexicon.word_model import WordModel
from robodata_core.language.linking.literals import literal_mentions
from robodata_core.language.text import Text, read_text, words_of
from robodata_core.language.types import Candidate, Mention, MentionKind, NameMatch
from robodata_core.language.view import View
from robodata_core.model import EntityValue, MatchKind, SearchHit
from robodata_core.question import ID
from robodata_core.text import normalise_name

__all__ = ["Linker", "unbound"]

_LONGEST: Final = 12
_ALIKE: Final = 0.84
#: The same of each word of a name: one letter of five may be another.
_ALIKE_WORD: Final = 0.78
_SEARCHES: Final = 12
_YEAR_DIGITS: Final = 4
_SEARCHED: Final = 5
_BESIDE: Final = 2
_CANDIDATES: Final = 20
_BOUND: Final = re.compile(rf"(?<=[^\s(,])\s?\(({ID})\)")

_Span = tuple[int, int]


class Linker:
    """Finds mentions in texts.

    Args:
        view: Where names are looked up.
        lexicon: Of the language of the texts.
        words: Words that it knows are not taken for slips of a name.
    """

    def __init__(self, view: View, lexicon: Lexicon, words: WordModel | None = None) -> None:
        self._view = view
        self._lexicon = lexicon
        self._words = words

    def mentions(self, text: Text, bound: Mapping[int, str] | None = None) -> tuple[Mention, ...]:
        """Return every mention with all its candidates, in the order of their first words.

        Mentions overlap where shorter and longer names are there.

        Args:
            text: The text.
            bound: What names are bound to, by the token behind each (``unbound``).
        """
        marked = {(mark.start, mark.end) for mark in text.marked}
        forms = {span: list(self._forms(text, *span)) for span in self._spans(text, marked)}
        hits = self._view.names(dict.fromkeys(f for some in forms.values() for f, _ in some))
        found: dict[_Span, dict[str, Candidate]] = {}
        for span, variants in forms.items():
            for form, match in variants:
                self._note(found, span, hits.get(form, ()), match)
        for span in self._unnamed(text, found, marked):
            self._search(text, span, found)
        mentions = [
            Mention(*span, tuple(self._by_kind(candidates.values())), marked=span in marked)
            for span, candidates in found.items()
        ]
        mentions += literal_mentions(text, self._lexicon)
        for end, id_ in (bound or {}).items():
            one = self._bound(text, found, end, id_)
            mentions = [m for m in mentions if m.end <= one.start or one.end <= m.start]
            mentions.append(one)
        return tuple(sorted(mentions, key=lambda mention: (mention.start, mention.end)))

    def _bound(
        self, text: Text, found: Mapping[_Span, Mapping[str, Candidate]], end: int, id_: str
    ) -> Mention:
        """Return the name that ends somewhere and is bound: the longest one that it has."""
        label = self._view.label(id_)
        hits = self._view.names((label,)).get(label, ())
        popularity = next((hit.popularity for hit in hits if hit.id == id_), 0)
        starts = (start for (start, to), named in found.items() if to == end and id_ in named)
        one = Candidate(
            EntityValue(id_), MentionKind.THING, NameMatch.BOUND, 1.0, popularity, label
        )
        start = min(starts, default=_run(text, end))
        return Mention(start, end, tuple(self._by_kind((one,))), marked=True)

    # -- exact names ----------------------------------------------------------------------------

    def _spans(self, text: Text, marked: set[_Span]) -> Iterator[_Span]:
        tokens, small = text.tokens, self._lexicon.is_small
        yield from marked
        for start, first in enumerate(tokens):
            if not first.is_word or first.possessive:
                continue
            named = False
            for end in range(start + 1, min(len(tokens), start + _LONGEST) + 1):
                last = tokens[end - 1]
                named = named or last.acronym or (last.is_word and not small(last.norm))
                closed = last.is_word or last.text == ")"
                if not closed or not (named or end - start > 2) or (start, end) in marked:
                    continue
                if _is_balanced(text, start, end):
                    yield start, end

    def _forms(self, text: Text, start: int, end: int) -> Iterator[tuple[str, NameMatch]]:
        """Yield the names a span may stand for, the nearest first."""
        raw, tokens = text.written(start, end), text.tokens
        yield raw, NameMatch.LABEL
        for origin in self._lexicon.origins(text.norms(start, end)):
            yield origin, NameMatch.ORIGIN
        last = tokens[end - 1].norm
        stem = self._lexicon.stem(last)
        if stem != last:
            begin = tokens[start].start
            yield text.raw[begin : tokens[end - 1].start] + stem, NameMatch.PLURAL
        kind = self._lexicon.kind(tokens[start].norm)
        for article in self._lexicon.leading_articles:
            if kind != "article" and end - start < _LONGEST:
                yield f"{article} {raw}", NameMatch.VARIANT
        for other in self._lexicon.synonyms(last):
            yield text.raw[tokens[start].start : tokens[end - 1].start] + other, NameMatch.VARIANT
        if turned := self._with_year_moved(text, start, end):
            yield turned, NameMatch.VARIANT

    def _with_year_moved(self, text: Text, start: int, end: int) -> str:
        """Return a name with its year at the other end: "the Olympics of 2012"; else nothing."""
        first, last = text.tokens[start], text.tokens[end - 1]
        if _is_year(last.norm):
            while end - 2 > start and self._lexicon.is_small(text.tokens[end - 2].norm):
                end -= 1
            return f"{last.norm} {text.written(start, end - 1)}" if end - 1 > start else ""
        return f"{text.written(start + 1, end)} {first.norm}" if _is_year(first.norm) else ""

    def _note(
        self,
        found: dict[_Span, dict[str, Candidate]],
        span: _Span,
        hits: Iterable[SearchHit],
        match: NameMatch,
        similarity: float = 1.0,
    ) -> None:
        for hit in hits:
            kept = found.setdefault(span, {})
            if hit.id not in kept and len(kept) < _CANDIDATES:
                how = match
                if match is NameMatch.LABEL and hit.match is not MatchKind.LABEL:
                    how = NameMatch.ALIAS
                kept[hit.id] = Candidate(
                    EntityValue(hit.id), MentionKind.THING, how, similarity, hit.popularity,
                    hit.label,
                )  # fmt: skip

    def _by_kind(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """Yield candidates as things, and as classes where the graph uses them so."""
        for one in candidates:
            yield one
            if isinstance(one.value, EntityValue) and self._view.is_class(one.value.id):
                yield Candidate(
                    one.value, MentionKind.CLASS, one.match, one.similarity, one.popularity,
                    one.label,
                )  # fmt: skip

    # -- names that are not there as written ----------------------------------------------------

    def _unnamed(self, text: Text, found: Iterable[_Span], marked: set[_Span]) -> Iterator[_Span]:
        """Yield spans that may be names misspelt or in part: marked ones, and unknown words."""
        known = set(found)
        covered = {i for start, end in known for i in range(start, end)}
        for span in sorted(marked):
            if not covered.issuperset(range(*span)) or span not in known:
                yield span
        taken = {i for span in marked for i in range(*span)}
        runs = [_around(text, *run, taken) for run in self._strange(text, covered | taken)]
        tried = 0
        while runs and tried < _SEARCHES:  # One of each in turn: every run gets its share.
            left = []
            for run in runs:
                new = next((span for span in run if span not in known), None)
                if new is not None and tried < _SEARCHES:
                    tried += 1
                    yield new
                    left.append(run)
            runs = left

    def _strange(self, text: Text, covered: set[int]) -> Iterator[_Span]:
        """Yield runs of words that no name covers and that questions do not use."""
        start = None
        for i, token in enumerate((*text.tokens, None)):
            strange = (
                token is not None
                and token.is_word
                and i not in covered
                and not self._lexicon.is_small(token.norm)
                and not (self._words and self._words.knows(self._lexicon.stem(token.norm)))
                and not self._lexicon.operator(token.norm)
                and not self._is_denied(text, i)
            )
            if strange and start is None:
                start = i
            elif not strange and start is not None:
                yield start, i
                start = None

    def _is_denied(self, text: Text, at: int) -> bool:
        """Tell whether a word that is no name is the first part of a denied one: "aren't"."""
        own, *behind = text.tokens[at : at + 3]
        clipped = len(behind) == 2 and own.end == behind[0].start and behind[0].norm == "'"
        return clipped and bool(self._lexicon.operator(behind[1].norm))

    def _search(self, text: Text, span: _Span, found: dict[_Span, dict[str, Candidate]]) -> None:
        from rapidfuzz import fuzz  # Only names that are not there as written need it.

        name = text.written(*span)
        form = normalise_name(name)
        if len(form) < 3:
            return
        words = set(words_of(name))
        for hit in self._view.search(name, _SEARCHED):
            written = normalise_name(hit.matched or hit.label)
            alike = max(fuzz.ratio(form, written), fuzz.ratio(form, normalise_name(hit.label)))
            names = (written, normalise_name(hit.label))
            if alike >= 100 * _ALIKE and any(self._is_slip(form, one) for one in names):
                self._note(found, span, (hit,), NameMatch.SLIP, alike / 100)
            elif words <= set(words_of(hit.matched or hit.label)):
                share = len(form) / max(len(written), 1)
                self._note(found, span, (hit,), NameMatch.PART, share)

    def _is_slip(self, form: str, name: str) -> bool:
        """Tell whether every word is written nearly as in a name: "Assyrian" is not "Austrian".

        Before a surname that is no common word, a first name may be a short one, or that of
        another language: "Arnie" for "Arnold", "Louis" for "Lajos".
        """
        from rapidfuzz import fuzz  # Only names that are not there as written need it.

        words, others = form.split(), name.split()
        if len(words) != len(others):
            return True  # What is written in one word may be two.
        if words[1:] == others[1:] and words[0][0] == others[0][0]:
            known, stem = self._words, self._lexicon.stem
            if known is not None and not all(known.knows(stem(word)) for word in words[1:]):
                return True
        pairs = zip(words, others, strict=True)
        return all(fuzz.ratio(one, other) >= 100 * _ALIKE_WORD for one, other in pairs)


def unbound(text: Text) -> tuple[Text, dict[int, str]]:
    """Return a text without the ids that bind its names, and these: "John Smith (Q123)".

    A set of several ids is left as it stands.

    Returns:
        The text, and each id by the token behind its name.
    """
    plain, ids, at = "", {}, 0
    for match in _BOUND.finditer(text.raw):
        id_ = match[1].strip("<>")
        if is_id(id_):
            plain += text.raw[at : match.start()]
            at = match.end()
            ids[len(plain)] = id_
    if not ids:
        return text, {}
    read = read_text(plain + text.raw[at:])
    places = {token.end: i + 1 for i, token in enumerate(read.tokens)}
    return read, {places[end]: id_ for end, id_ in ids.items() if end in places}


def _is_year(word: str) -> bool:
    return len(word) == _YEAR_DIGITS and word.isdecimal()


def _run(text: Text, end: int) -> int:
    """Return where the words with capitals begin that end somewhere."""
    start = end - 1
    while start and text.tokens[start - 1].is_word and text.tokens[start - 1].text[:1].isupper():
        start -= 1
    return start


def _is_balanced(text: Text, start: int, end: int) -> bool:
    signs = [token.text for token in text.tokens[start:end]]
    return signs.count("(") == signs.count(")")


def _around(text: Text, start: int, end: int, taken: set[int]) -> Iterator[_Span]:
    """Yield a run of words with some of its neighbours, the widest last."""
    tokens = text.tokens
    for more in range(2 * _BESIDE + 1):
        for left in range(min(_BESIDE, more) + 1):
            first, last = start - left, end + more - left
            right = last - end
            if right > _BESIDE or first < 0 or last > len(tokens):
                continue
            inside = range(first, last)
            if tokens[first].is_word and tokens[last - 1].is_word and not taken & set(inside):
                yield first, last
