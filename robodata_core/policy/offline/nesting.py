"""Questions within questions: "the capital of [the largest country]".

The inner phrase is solved as a question of its own; what it gives stands in the outer question
like a name. The two programs become one, so nothing is looked up by hand in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import EntityValue
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.mentions import Linked, Linking, Mention
from robodata_core.policy.offline.operators import Found
from robodata_core.policy.offline.question import Question, Request, reread
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    COPULAS,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    STANDS_FOR,
    WH_WORDS,
    Token,
    said,
    singular,
)
from robodata_core.programs.steps import Start

__all__ = [
    "Phrase",
    "chained",
    "compared_words",
    "inner_phrases",
    "is_inner",
    "named",
    "noun_phrases",
    "put_in",
]

_MOST_NAMED: Final = 20
_INTO: Final = said("into inner")
_ARTICLES: Final = ARTICLES | said("before inner")
_JOINTS: Final = ARTICLES | said("inner joint")


@dataclass(frozen=True, slots=True)
class Phrase:
    """An inner phrase: tokens ``start`` to ``end`` of the question."""

    start: int
    end: int


def is_inner(question: Question, request: Request, found: Found) -> bool:
    """Tell whether an extreme is not of what is asked for ("the capital of the largest X")."""
    pick = found.pick
    if pick is None or pick.single:
        return False
    if pick.aspect.given:
        return _described(question, request, min(pick.span))
    head = _head(question, request, max(pick.span) + 1)
    if head is None or head in request.focus:
        return False
    before = [i for i in range(request.start, min(pick.span)) if i not in pick.span]
    return any(
        question.tokens[i].norm not in FUNCTION_WORDS
        or question.tokens[i].norm in ("when", "where")
        for i in before
    ) or _has_verb_behind(question, request)


def compared_words(question: Question, request: Request, found: Found) -> str:
    """Return an extreme with the noun behind it ("largest population"), as asked."""
    if found.pick is None:
        return ""
    start, last = min(found.pick.span), max(found.pick.span)
    head = _head(question, request, last + 1)
    while start < last and question.tokens[start].norm in FUNCTION_WORDS:
        start += 1
    return question.raw(start, (last if head is None else head) + 1)


def _described(question: Question, request: Request, at: int) -> bool:
    """Tell whether an extreme describes a noun in between: "of the country with the largest"."""
    tokens = question.tokens
    if tokens[at].norm not in ("with", "that", "which", "whose"):
        return False
    start = _content_before(question, request, at)
    if start == at or any(i in request.focus for i in range(start, at)):
        return False
    before = tokens[start - 2].norm if tokens[start - 1].norm in ("the", "a") else ""
    return before in _JOINTS or tokens[start - 1].norm in _JOINTS - ARTICLES


def _has_verb_behind(question: Question, request: Request) -> bool:
    """Tell whether "who" asks for something else ("who did the oldest X marry")."""
    first = question.tokens[request.start].norm
    second = question.tokens[request.start + 1].norm if request.start + 1 < request.end else ""
    return first in WH_WORDS and second in AUXILIARIES and second not in COPULAS


def _head(question: Question, request: Request, at: int) -> int | None:
    """Return the last word of the noun phrase at ``at``, None where none stands there."""
    head = None
    for place in range(at, request.end):
        token = question.tokens[place]
        if not token.word or token.norm in FUNCTION_WORDS:
            break
        head = place
    return head


def inner_phrases(
    question: Question, request: Request, found: Found, matches: Sequence[Match]
) -> Iterator[Phrase]:
    """Yield the phrases that the operators of a request may belong to, the likeliest first."""
    if not found.span:
        return
    ends = list(dict.fromkeys((_without_verb(question, request, matches), request.end)))
    first = min(found.span)
    starts = [first]
    if found.pick is None or found.pick.aspect.given:
        run = _content_before(question, request, first)
        starts = [*range(first - 1, run - 1, -1), _phrase_before(question, request, first)]
    for start in dict.fromkeys(starts):
        for end in ends:
            if request.start < start < end and end > max(found.span):
                yield Phrase(start, end)


def _subject(question: Question, request: Request, matches: Sequence[Match]) -> Phrase | None:
    """Return the subject of "when was the author of X born", where it is a phrase itself."""
    tokens, start = question.tokens, request.start + 2
    end = _without_verb(question, request, matches)
    if end >= request.end or start >= end or tokens[start - 1].norm not in AUXILIARIES:
        return None
    if tokens[request.start].norm in ("who", "what") and tokens[start - 1].norm in COPULAS:
        words = [i for i in range(start, request.end) if tokens[i].word]
        last = words[-1] if words else start
        if tokens[last].norm not in _INTO:
            return None  # "who is the mother of the man X married"
    inner = [tokens[i].norm for i in range(start, end)]
    verb_follows = any(tokens[i].word for i in range(end, request.end))
    phrase = inner[0] in _ARTICLES and "of" in inner[2:]
    return Phrase(start, end) if phrase and verb_follows else None


def noun_phrases(
    question: Question, request: Request, linking: Linking, matches: Sequence[Match]
) -> Iterator[Phrase]:
    """Yield phrases behind a preposition that describe things: "of the countries that ..."."""
    tokens = question.tokens
    subject = _subject(question, request, matches)
    if subject is not None:
        yield subject
    names = [m for m in linking.mentions if not m.proper and m.start < m.end]
    for at in range(request.start + 1, request.end):
        if tokens[at - 1].norm not in _INTO:
            continue
        start = at
        while start < request.end and tokens[start].norm in _ARTICLES:
            start += 1
        noun = next((m for m in names if m.start == start), None)
        end = noun.end if noun else start + 1
        if end >= request.end - 1 or start in request.focus:
            continue
        general = tokens[start].norm in GENERIC_NOUNS
        if noun is not None or general or singular(tokens[start].norm) != tokens[start].norm:
            last = request.end
            while not tokens[last - 1].word:
                last -= 1
            yield Phrase(start, last)


def _content_before(question: Question, request: Request, at: int) -> int:
    tokens = question.tokens
    while (
        at - 1 > request.start
        and tokens[at - 1].word
        and (tokens[at - 1].norm not in FUNCTION_WORDS)
    ):
        at -= 1
    return at


def _phrase_before(question: Question, request: Request, at: int) -> int:
    tokens = question.tokens
    while (
        at - 1 > request.start
        and tokens[at - 1].word
        and (tokens[at - 1].norm not in FUNCTION_WORDS or tokens[at - 1].norm in _JOINTS)
    ):
        at -= 1
    return at


def _without_verb(question: Question, request: Request, matches: Sequence[Match]) -> int:
    """Return where a phrase ends before the verb that closes the sentence ("... born?")."""
    tokens, end = question.tokens, request.end
    while end > request.start and not tokens[end - 1].word:
        end -= 1
    closing = [m for m in matches if m.end == end and m.reading.kind in ("verb", "adj")]
    asks = any(tokens[i].norm in AUXILIARIES for i in range(request.start, request.start + 3)
               if i < request.end)  # fmt: skip
    return min((m.start for m in closing), default=end) if closing and asks else end


def put_in(
    question: Question, request: Request, phrase: Phrase
) -> tuple[Question, Request, int] | None:
    """Return the outer question with one word in place of a phrase, and where it stands."""
    tokens = list(question.tokens)
    old = tokens[phrase.start]
    end = tokens[phrase.end - 1].end
    tokens[phrase.start] = Token(STANDS_FOR, STANDS_FOR, STANDS_FOR, old.start, end, True)
    kept = [i for i in range(request.start, request.end) if not phrase.start < i < phrase.end]
    shorter, inner = reread(replace(question, tokens=tuple(tokens)), kept)
    place = next((i for i, t in enumerate(shorter.tokens) if t.norm == STANDS_FOR), None)
    return None if place is None else (shorter, inner, place)


def named(linking: Linking, place: int, values: Sequence[EntityValue]) -> Linking:
    """Return a linking in which a word stands for some things."""
    entities = tuple(Linked(value.id, STANDS_FOR, 1.0) for value in values[:_MOST_NAMED])
    mention = Mention(place, place + 1, STANDS_FOR, entities, True)
    kept = tuple(m for m in linking.mentions if place not in m.span and not m.proper)
    others = tuple(m for m in linking.mentions if place not in m.span and m.proper)
    return replace(linking, mentions=(mention, *others, *kept))


def chained(inner: Candidate, outer: Candidate) -> Candidate | None:
    """Return one program: the outer one goes on where the inner one ends."""
    first = outer.steps[0] if outer.steps else None
    if (
        not isinstance(first, Start)
        or not outer.links
        or outer.links[0].mention.text != (STANDS_FOR)
    ):
        return None
    rest = replace(outer, steps=outer.steps[1:], links=outer.links[1:])
    return combine.onwards(inner, first.out, rest)
