"""Names that an exact look-up does not find: written in part, or only similar.

"Kant" is found in "Immanuel Kant", "national people's congress" in a longer label. A name for
which only similar names exist is left unlinked, with those as suggestions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from robodata_core.model import EXACT_MATCHES, MatchKind, SearchHit
from robodata_core.policy.offline.mentions import Linked, Mention
from robodata_core.policy.offline.question import Question
from robodata_core.policy.offline.words import (
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    JOINING,
    STANDS_FOR,
    STEP_WORDS,
    Token,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import search_written
from robodata_core.text import normalise_name

__all__ = ["CANDIDATES", "holding", "leftover_names", "linked", "names_in_part"]

CANDIDATES: Final = 6
#: How many are searched for: those that only begin with the name come first and are left out.
_SEARCHED: Final = 2 * CANDIDATES
#: A search gives what only begins with a word, too: "grab" is not in "Betty Grable".
_IN_PART: Final = (MatchKind.WORDS, MatchKind.PREFIX)
_MOST_TRIES: Final = 5
#: How well a name fits that is written without the capitals of the question.
_WRITTEN_OTHERWISE: Final = 0.9
_SHORTEST: Final = 4
#: Least words with capitals of a title that is written in part.
_TITLE: Final = 2


def linked(
    hits: Sequence[SearchHit], written: str = "", *, proper: bool = False
) -> tuple[Linked, ...]:
    """Return hits as what a mention may stand for, best first; the same writing wins of equals.

    Args:
        hits: What goes by the name.
        written: The name.
        proper: Whether its capitals tell: "China" is another name of a country rather than the
            name of what cups are made of.
    """
    capitals = [_is_capital(hit) for hit in hits]
    telling = proper and any(capitals)
    found = (
        Linked(
            hit.id,
            hit.label or hit.matched or hit.id,
            _quality(hit) * (1.0 if capital or not telling else _WRITTEN_OTHERWISE),
            hit.popularity,
        )
        for hit, capital in zip(hits, capitals, strict=True)
    )
    name = written.casefold()
    order = sorted(found, key=lambda item: (-item.quality, item.label.casefold() != name))
    return tuple(order)[:CANDIDATES]


def _is_capital(hit: SearchHit) -> bool:
    return any(letter.isupper() for letter in hit.matched or hit.label)


def _quality(hit: SearchHit) -> float:
    return {
        MatchKind.ID: 1.0,
        MatchKind.LABEL: 1.0,
        MatchKind.ALIAS: 0.96,
        MatchKind.WORDS: 0.85,
        MatchKind.PREFIX: 0.85,
        MatchKind.FUZZY: 0.3,
    }[hit.match]


def holding(hits: Iterable[SearchHit], name: str) -> list[SearchHit]:
    """Return the hits whose name holds every word of ``name`` as a whole word."""
    wanted = set(normalise_name(name).split())
    return [
        hit
        for hit in hits
        if hit.match in EXACT_MATCHES
        or (
            hit.match in _IN_PART
            and wanted <= set(normalise_name(hit.matched or hit.label).split())
        )
    ]


def names_in_part(
    question: Question,
    start: int,
    end: int,
    source: KnowledgeSource,
    named: list[Mention],
    taken: set[int],
    relation_words: frozenset[int],
    language: str,
) -> list[Mention]:
    """Find names written only in part and in lower case ("national people's congress").

    Tried around words that nothing else accounts for, together with their neighbours.
    """
    tokens = question.tokens
    titles = _titles(question, start, end, source, named, taken, language)
    if titles:
        return titles
    fixed = taken | {i for m in named if m.proper or m.demonym for i in m.span}
    known = fixed | {i for mention in named for i in mention.span}
    found: list[Mention] = []
    for at in range(start, end):
        if at in known or at in relation_words or not _content(tokens, at):
            continue
        if any(at in mention.span for mention in found):
            continue
        first, last = at, at + 1
        while first > start and first - 1 not in fixed and _joinable(tokens, first - 1):
            first -= 1
        while last < end and last not in fixed and _joinable(tokens, last):
            last += 1
        mention = _widest(question, first, last, at, source, language)
        if mention is not None:
            found.append(mention)
    return found


def _titles(
    question: Question, start: int, end: int, source: KnowledgeSource, named: list[Mention],
    taken: set[int], language: str,
) -> list[Mention]:  # fmt: skip
    """Find titles written in part: "The Return of the King", where only a king is known."""
    tokens, found = question.tokens, list[Mention]()
    whole = {i for m in named if m.is_name and len(m.span) > 1 for i in m.span} | taken
    at = start + 1
    while at < end:
        last = at
        while last < end and last not in whole and _is_of_title(tokens, last, at):
            last += 1
        while last > at and not tokens[last - 1].capitalised:
            last -= 1
        if sum(tokens[i].capitalised for i in range(at, last)) >= _TITLE:
            name = question.raw(at, last)
            hits = holding(search_written(source, name, limit=CANDIDATES, language=language), name)
            if hits:
                found.append(Mention(at, last, name, linked(hits), True, False, False))
        at = max(last, at + 1)
    return found


def _is_of_title(tokens: Sequence[Token], at: int, first: int) -> bool:
    """Tell whether a word goes on with a title: one with a capital, or a small one between two."""
    if at == first or tokens[at].capitalised:
        return tokens[at].word and tokens[at].capitalised
    return tokens[at].word and tokens[at].norm in FUNCTION_WORDS


def _widest(
    question: Question, first: int, last: int, at: int, source: KnowledgeSource, language: str
) -> Mention | None:
    spans = [
        (a, b)
        for a in range(first, at + 1)
        for b in range(last, at, -1)
        if sum(_content(question.tokens, i) for i in range(a, b)) > 1
    ]
    spans.sort(key=lambda span: span[0] - span[1])
    for a, b in spans[:_MOST_TRIES]:
        name = question.raw(a, b)
        hits = holding(search_written(source, name, limit=CANDIDATES, language=language), name)
        if hits:
            return Mention(a, b, name, linked(hits), False, False, False)
    return None


def _content(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    if not token.word or token.norm == STANDS_FOR:
        return False
    return token.norm not in FUNCTION_WORDS and token.norm not in GENERIC_NOUNS


def _joinable(tokens: Sequence[Token], index: int) -> bool:
    if tokens[index].norm in GENERIC_NOUNS:
        return True
    return _content(tokens, index) or (tokens[index].norm == "s" and index > 0)


def leftover_names(
    question: Question,
    start: int,
    end: int,
    source: KnowledgeSource,
    taken: set[int],
    relation_words: frozenset[int],
    language: str,
    others: bool,
) -> tuple[list[Mention], list[str], list[SearchHit]]:
    """Search for the words that nothing accounts for.

    Args:
        question: The question.
        start: First token of the request.
        end: After its last token.
        source: Where names are searched.
        taken: Tokens that are part of a mention already.
        relation_words: Tokens that are part of a phrase for a relation.
        language: Language of names.
        others: Whether other names were found; then a single common word is left alone.

    Returns:
        Mentions, names for which nothing was found, and what is similar to those.
    """
    tokens = question.tokens
    # Where nothing is capitalised, a common-looking word may be a name as well.
    written = any(token.capitalised for token in tokens[start + 1 : end])
    found: list[Mention] = []
    unlinked: list[str] = []
    near: list[SearchHit] = []
    runs = _leftovers(tokens, start, end, taken, relation_words)[::-1]
    while runs:
        first, last, proper = runs.pop()
        if not proper and last - first == 1 and others and written:
            continue
        first, last, hits, good = _searched(question, first, last, source, language, proper=proper)
        name = question.raw(first, last)
        if good:
            found.append(Mention(first, last, name, linked(good, name), proper, False, False))
        elif proper:
            joint = next((i for i in range(first, last) if tokens[i].norm in JOINING), None)
            if joint is not None:  # "Mozart and Beethoven" are two.
                runs += [(joint + 1, last, proper), (first, joint, proper)]
                continue
            unlinked.append(name)
            near += hits
    return found, unlinked, near


def _searched(
    question: Question, first: int, last: int, source: KnowledgeSource, language: str, *,
    proper: bool,
) -> tuple[int, int, Sequence[SearchHit], list[SearchHit]]:  # fmt: skip
    """Return where a name stands in some words, what was found, and what of it may be meant."""
    tokens, name = question.tokens, question.raw(first, last)
    if not proper:
        hits = search_written(source, name, limit=_SEARCHED, language=language)
        return first, last, hits, _good(hits, name)
    hits = source.search(name, limit=_SEARCHED, language=language)
    good = _good(hits, name)
    inner = _first_capital(tokens, first, last)
    if not good and inner > first:  # "the woman Sinatra married"
        first, name = inner, question.raw(inner, last)
        hits = source.search(name, limit=_SEARCHED, language=language)
        good = _good(hits, name)
    good = good or _only(hits, name)
    if not good and not tokens[last - 1].capitalised:
        while not tokens[last - 1].capitalised:  # "was Kant murdered"
            last -= 1
        name = question.raw(first, last)
        hits = source.search(name, limit=_SEARCHED, language=language)
        good = _good(hits, name) or _only(hits, name)
    return first, last, hits, good


def _good(hits: Iterable[SearchHit], name: str) -> list[SearchHit]:
    return [hit for hit in holding(hits, name) if hit.match is not MatchKind.PREFIX]


def _only(hits: Sequence[SearchHit], name: str) -> list[SearchHit]:
    """Return the one thing whose name begins with a word: "Elvis", where there is one alone."""
    begun = [hit for hit in holding(hits, name) if hit.match is MatchKind.PREFIX]
    return begun if len(begun) == 1 and len(name) >= _SHORTEST and " " not in name else []


def _first_capital(tokens: Sequence[Token], first: int, last: int) -> int:
    return next((i for i in range(first, last) if tokens[i].capitalised), first)


def _leftovers(
    tokens: Sequence[Token],
    start: int,
    end: int,
    taken: set[int],
    relation_words: frozenset[int],
) -> list[tuple[int, int, bool]]:
    """Return runs of words that may be names nobody has linked yet."""
    runs: list[tuple[int, int, bool]] = []
    index = start
    while index < end:
        if not _nameable(tokens, index, start, taken, relation_words):
            index += 1
            continue
        last = index + 1
        while last < end and _continues(tokens, last, end, start, taken, relation_words):
            last += 1
        proper = any(
            tokens[i].capitalised and (i > start or last - index > 1) for i in range(index, last)
        )
        runs.append((index, last, proper))
        index = last
    return runs


def _nameable(
    tokens: Sequence[Token], i: int, start: int, taken: set[int], relations: frozenset[int]
) -> bool:
    token = tokens[i]
    if token.norm == STANDS_FOR:
        return False
    if i in taken or not token.word or token.norm in GENERIC_NOUNS | STEP_WORDS | {"s"}:
        return False
    if token.capitalised and i > start and token.norm not in FUNCTION_WORDS:
        return True
    return token.norm not in FUNCTION_WORDS and i not in relations and not token.norm.isdigit()


def _continues(
    tokens: Sequence[Token],
    i: int,
    end: int,
    start: int,
    taken: set[int],
    relations: frozenset[int],
) -> bool:
    if _nameable(tokens, i, start, taken, relations):
        return True
    joins = tokens[i].norm in ("of", "the", "s", "de", "von", "van", "and", "for", "in")
    if not joins or i in taken or i + 1 >= end:
        return False
    following = i + 2 if tokens[i + 1].norm == "the" and i + 2 < end else i + 1
    same_case = tokens[i - 1].capitalised == tokens[following].capitalised
    possessive = tokens[i].norm == "s" or tokens[following].capitalised
    return possessive and same_case and _nameable(tokens, following, start, taken, relations)
