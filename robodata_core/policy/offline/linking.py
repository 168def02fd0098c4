"""Mentions: which words of a question name something of the graph, and what.

All word sequences are looked up by exact name in one batch; the longest win. Names that are
left over are searched for ("Kant" -> Immanuel Kant). Lower-case nouns are classes where the
graph uses them as such, and adjectives of origin stand for their country. A name for which only
similar names exist stays unlinked: it is reported, never replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final

from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import EXACT_MATCHES, SearchHit
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.leftovers import (
    CANDIDATES,
    holding,
    leftover_names,
    linked,
    names_in_part,
)
from robodata_core.policy.offline.lexicon import spoken_of
from robodata_core.policy.offline.mentions import Linked, Linking, Mention
from robodata_core.policy.offline.question import Question, Quote, Request
from robodata_core.policy.offline.words import (
    ARTICLES,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    INDEFINITE,
    MODALS,
    PREPOSITIONS,
    STANDS_FOR,
    Token,
    said,
    singular,
    singular_phrase,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import lookup_names
from robodata_core.text import normalise_name

__all__ = ["link"]

_LONGEST: Final = 16
#: How far a name may go beyond a quote that is part of it.
_BESIDE: Final = 6
_MOST_TOKENS: Final = 120
_SET_BEGINS: Final = said("these")
#: Signs that names end with; others part what is said.
_SIGNS: Final = frozenset("!?+#*$%°²³")


def link(
    question: Question,
    request: Request,
    source: KnowledgeSource,
    relation_words: frozenset[int],
    language: str = "en",
    within: frozenset[int] = frozenset(),
) -> Linking:
    """Find the mentions of one request.

    Args:
        question: The question.
        request: Which part of it.
        source: Where names are looked up.
        relation_words: Tokens that are part of a phrase for a relation.
        language: Language of names.
        within: Those of them that such a phrase does not begin with.
    """
    tokens = question.tokens
    start, end = request.start, min(request.end, request.start + _MOST_TOKENS)
    mentions = _bound(question, start, end, source)
    bound = {i for mention in mentions for i in mention.span}
    mentions += [m for m in _by_id(question, start, end) if m.start not in bound]
    taken = {i for mention in mentions for i in mention.span}
    quoted, lost = _quoted(question, start, end, source, language)
    mentions += quoted
    taken |= {i for mention in mentions for i in mention.span}
    taken |= {i for i, _ in lost}
    found = _by_name(question, start, end, source, taken)
    # "Is a broom used for cleaning" asks whether it is what is called "for cleaning".
    judged = request.kind is AnswerKind.YES_OR_NO
    said = {i for i in relation_words if not (judged and tokens[i].norm in PREPOSITIONS)}
    found = [one for one in found if not _is_said(one, found, tokens, said)]
    named = _longest(found, tokens, relation_words, within & said)
    longer = names_in_part(question, start, end, source, named, taken, relation_words, language)
    wider = {i for mention in longer for i in mention.span}
    mentions += [mention for mention in named if not mention.span & wider] + longer
    taken |= {i for mention in mentions for i in mention.span}
    others = any(not mention.span <= relation_words for mention in mentions)
    searched, unlinked, hits = leftover_names(
        question, start, end, source, taken, relation_words, language, others
    )
    mentions += searched
    unlinked = [name for _, name in lost] + unlinked
    missing = frozenset(i for i, _ in lost) | frozenset(
        i for i in range(start, end) if any(tokens[i].text in n.split() for n in unlinked)
    )
    for _, name in lost:
        hits += list(source.search(name, limit=5, language=language))
    mentions.sort(key=lambda mention: mention.start)
    return Linking(tuple(mentions), tuple(dict.fromkeys(unlinked)), missing, _distinct(hits))


def _distinct(hits: Iterable[SearchHit]) -> tuple[SearchHit, ...]:
    return tuple({hit.id: hit for hit in hits}.values())[:5]


def _by_id(question: Question, start: int, end: int) -> list[Mention]:
    found = []
    for index in range(start, end):
        token, text = question.tokens[index], question.tokens[index].text
        if token.is_id and text[0] == "Q":
            found.append(Mention(index, index + 1, text, (Linked(text, text, 1.0),), True))
    return found


def _bound(question: Question, start: int, end: int, source: KnowledgeSource) -> list[Mention]:
    """Return the names that the question itself binds to ids: "John Smith (Q123)"."""
    tokens = question.tokens
    places = [i for i in range(start, end) if tokens[i].ids]
    if not places:
        return []
    single = [tokens[i].ids[0] for i in places if len(tokens[i].ids) == 1]
    known = source.entities(single) if single else {}
    found: list[Mention] = []
    for last in places:
        ids = tokens[last].ids
        least = max((m.end for m in found), default=start)
        if len(ids) > 1:
            first = _set_begins(tokens, least, last)
        else:
            entity = known.get(ids[0])
            names = (entity.label, *entity.aliases) if entity else ()
            first = _name_begins(question, least, last, names)
        text = question.raw(first, last + 1)
        entities = tuple(Linked(id_, text, 1.0) for id_ in ids)
        found.append(Mention(first, last + 1, text, entities, True, whole=len(ids) > 1))
    return found


def _name_begins(question: Question, least: int, last: int, names: Iterable[str]) -> int:
    """Return the first token of a bound name: of one it is known by, else of its capitals."""
    keys = {normalise_name(name) for name in names}
    for first in range(max(least, last + 1 - _LONGEST), last + 1):
        if normalise_name(question.raw(first, last + 1)) in keys:
            return first
    for quote in question.quotes:
        if quote.end == last + 1 and quote.start >= least:
            return quote.start
    first = last
    while first > least and question.tokens[first - 1].capitalised:
        first -= 1
    return first


def _set_begins(tokens: Sequence[Token], least: int, last: int) -> int:
    """Return the first token of a bound set: "these 5 singers (Q1, Q2, ...)"."""
    for first in range(last, max(least, last + 1 - _LONGEST) - 1, -1):
        if tokens[first].norm in _SET_BEGINS:
            return first
    return last


def _quoted(
    question: Question, start: int, end: int, source: KnowledgeSource, language: str
) -> tuple[list[Mention], list[tuple[int, str]]]:
    found: list[Mention] = []
    lost: list[tuple[int, str]] = []
    for quote in question.quotes:
        if not start <= quote.start < end:
            continue
        names = [quote.text, quote.text.rstrip("?!., ")]
        hits = next((h for h in lookup_names(source, names).values() if h), ())
        wider = None if hits else _around(question, quote, start, end, source)
        if wider is not None:
            found.append(wider)
            continue
        if not hits:
            found_by = source.search(quote.text, limit=CANDIDATES, language=language)
            hits = tuple(holding(found_by, quote.text))
        if hits:
            exact = hits[0].match in EXACT_MATCHES
            entities = linked(hits)
            span = (quote.start, quote.end)
            found.append(Mention(*span, quote.text, entities, True, False, exact))
        else:
            lost += [(i, quote.text) for i in range(quote.start, quote.end)]
    return found, lost


def _around(
    question: Question, quote: Quote, start: int, end: int, source: KnowledgeSource
) -> Mention | None:
    """Return the longest name that has a quote in it: "Pete 'n' Tillie"."""
    tokens = question.tokens
    first, last = max(start, quote.start - _BESIDE), min(end, quote.end + _BESIDE)
    spans = {
        question.raw(a, b): (a, b)
        for a in range(first, quote.start + 1)
        for b in range(quote.end, last + 1)
        if (a, b) != (quote.start, quote.end) and tokens[a].word and tokens[b - 1].word
    }
    hits = lookup_names(source, list(spans))
    best = max((name for name in hits if hits[name]), key=len, default="")
    return Mention(*spans[best], best, linked(hits[best], best), True) if best else None


def _by_name(
    question: Question, start: int, end: int, source: KnowledgeSource, taken: set[int]
) -> list[Mention]:
    """Look up all word sequences, as they are, in the singular, and as adjectives of origin."""
    tokens = question.tokens
    spans: dict[tuple[int, int], list[str]] = {}
    for first, last in _spans(tokens, start, end, taken):
        raw = question.raw(first, last)
        spans[first, last] = [raw, raw + _signs(tokens, last)]
        if not tokens[last - 1].capitalised:
            spans[first, last].append(singular_phrase(normalise_name(raw)))
    places = {
        span: spoken_of(" ".join(token.norm for token in tokens[slice(*span)]))[0] for span in spans
    }
    others = {span: _synonyms(question, *span) for span in spans}
    named = (*spans.values(), *places.values(), *others.values())
    wanted = [name for names in named for name in names]
    hits = lookup_names(source, wanted)
    found = []
    for span, names in spans.items():
        proper = _is_proper(tokens, *span, start)
        plain = {hit.id: hit for name in names for hit in hits.get(name, ())}
        plain = plain or {hit.id: hit for name in others[span] for hit in hits.get(name, ())}
        if plain:
            raw, signed = names[:2]
            as_labelled = (hit.label.casefold() == signed.casefold() for hit in plain.values())
            text = signed if raw != signed and any(as_labelled) else raw
            name = proper and not _is_class_name(tokens, *span, plain.values())
            meant = linked(tuple(plain.values()), text, proper=name)
            found.append(Mention(*span, text, meant, name))
        origin = next((hits[name] for name in places[span] if hits.get(name)), ())
        if origin:
            found.append(Mention(*span, question.raw(*span), linked(origin), proper, True))
    return found


def _synonyms(question: Question, first: int, last: int) -> list[str]:
    """Return a name in small letters with other words for its last: "movies" are films."""
    token = question.tokens[last - 1]
    before = question.text[question.tokens[first].start : token.start]
    words = () if token.capitalised else open_lexicon().synonyms(singular(token.norm))
    return [before + word for word in words]


def _signs(tokens: Sequence[Token], last: int) -> str:
    """Return the signs right behind a word that may belong to a name, as in "Up!" or "C++"."""
    at = last
    while at < len(tokens) and not tokens[at].word and tokens[at].start == tokens[at - 1].end:
        at += 1
    signs = "".join(token.text for token in tokens[last:at])
    if at == len(tokens):
        signs = signs.removesuffix("?")
    return signs if set(signs) <= _SIGNS else ""


def _spans(
    tokens: Sequence[Token], start: int, end: int, taken: set[int]
) -> Iterator[tuple[int, int]]:
    """Yield the word sequences that may be names: some content, no taken word, no edge signs."""
    for first in range(start, end):
        if first in taken or not tokens[first].word or tokens[first].norm == "s":
            continue
        content = False
        for last in range(first + 1, min(end, first + _LONGEST) + 1):
            word = tokens[last - 1]
            if last - 1 in taken or word.norm == STANDS_FOR:
                break
            content = content or (word.word and word.norm not in FUNCTION_WORDS)
            if word.word and (content or _is_small_name(tokens, first, last, start)):
                yield first, last


def _is_small_name(tokens: Sequence[Token], first: int, last: int, start: int) -> bool:
    """Tell whether function words are written as a name in an ordinary sentence: "You and Me"."""
    if first == start or not (tokens[first].capitalised and tokens[last - 1].capitalised):
        return False
    outside = [t for t in (*tokens[start + 1 : first], *tokens[last:]) if t.word]
    small = [t for t in outside if t.norm in FUNCTION_WORDS]
    return any(not t.capitalised for t in outside) and not any(t.capitalised for t in small)


def _is_proper(tokens: Sequence[Token], first: int, last: int, start: int) -> bool:
    """Tell whether the span is written as a name: its content words begin with capitals."""
    content = [
        i for i in range(first, last) if tokens[i].word and tokens[i].norm not in FUNCTION_WORDS
    ]
    if not content:
        return _is_small_name(tokens, first, last, start)
    if not any(tokens[i].capitalised for i in content):
        return False
    return content[0] != start or len(content) > 1 or tokens[first].text.isupper()


def _is_class_name(
    tokens: Sequence[Token], first: int, last: int, hits: Iterable[SearchHit]
) -> bool:
    """Tell whether only an adjective is written with a capital: "Islamic republics"."""
    head = next((t for t in reversed(tokens[first:last]) if t.word), None)
    if head is None or head.capitalised:
        return False
    hits = list(hits)
    article = first > 0 and tokens[first - 1].norm in INDEFINITE
    written = " ".join(token.text for token in tokens[first:last])
    if not article and any(hit.label == written for hit in hits):
        return False  # "Une chambre en ville": a title, not some of a kind
    ends = {(hit.matched or hit.label).split()[-1][:1] for hit in hits if hit.label.split()}
    return bool(ends) and all(letter.islower() for letter in ends)


def _longest(
    found: list[Mention],
    tokens: Sequence[Token],
    relation_words: frozenset[int],
    within: frozenset[int],
) -> list[Mention]:
    """Keep mentions that do not overlap, longest and most name-like first.

    What begins in small letters inside a phrase for a relation is none: "head of [state of X]".

    Readings of the very same span (a demonym and a noun, a singular and a plural) stay together.
    """

    def _weight(mention: Mention) -> tuple[float, float]:
        words = sum(tokens[i].norm not in FUNCTION_WORDS for i in mention.span)
        common = mention.span <= relation_words and not mention.proper
        value = words + 0.5 * mention.proper - 0.8 * common
        if mention.start in within and not mention.span <= relation_words:
            value -= 0.0 if tokens[mention.start].capitalised else words
        return (value - 0.3 * _takes_in(mention, tokens), mention.end - mention.start)

    kept: list[Mention] = []
    for mention in sorted(found, key=_weight, reverse=True):
        clash = [other for other in kept if other.span & mention.span]
        if all(other.span == mention.span for other in clash):
            kept.append(mention)
    return kept


def _is_said(
    mention: Mention, found: Sequence[Mention], tokens: Sequence[Token], verbs: Set[int]
) -> bool:
    """Tell whether a name is what a question says of something: "what can cut bread".

    Behind "to" and people it is what is done, whatever does it. So may be where something is ("what
    is in the bedroom") that a title is called like.
    """
    if _is_place(mention, found, tokens) or _is_some(mention, tokens, verbs):
        return True
    before = tokens[mention.start - 1].norm if mention.start else ""
    said = before in MODALS or (before not in FUNCTION_WORDS | GENERIC_NOUNS and bool(before))
    if not said or mention.proper or mention.start not in verbs:
        return False
    return any(m.start == mention.start + 1 and m.end == mention.end for m in found)


def _is_place(mention: Mention, found: Sequence[Mention], tokens: Sequence[Token]) -> bool:
    """Tell whether a preposition and a noun in small letters are taken for a title."""
    first = mention.start + 1
    while first < mention.end and tokens[first].norm in ARTICLES:
        first += 1
    if tokens[mention.start].norm not in PREPOSITIONS or first == mention.start + 1:
        return False
    small = not any(tokens[i].capitalised for i in mention.span)
    titled = all(item.label[:1].isupper() for item in mention.entities)
    return small and titled and any(m.start == first and m.end == mention.end for m in found)


def _is_some(mention: Mention, tokens: Sequence[Token], said: Set[int]) -> bool:
    """Tell whether "a" and a noun for a relation are taken for a title: "share a border"."""
    before = tokens[mention.start - 1].norm if mention.start else ""
    if before not in INDEFINITE or mention.proper or not mention.span <= said:
        return False
    return all(item.label[:1].isupper() for item in mention.entities)


def _takes_in(mention: Mention, tokens: Sequence[Token]) -> bool:
    """Tell whether a name begins with a word of the question: "acted in Hell" for "In Hell"."""
    first = tokens[mention.start]
    if not mention.proper or first.capitalised or first.norm in ARTICLES:
        return False
    return first.norm in FUNCTION_WORDS and not any(
        item.label[:1].islower() for item in mention.entities
    )
