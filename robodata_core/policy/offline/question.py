"""What a question asks: its requests, their kind, the answer type, the noun in focus.

Purely on the words; nothing of a graph is known here. A question may hold several requests
("... and what books did he write?", "Start from X. Then list ..."); each is analysed alone and
says whether it points back to an earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.asking import IMPERATIVES, WANTED, focus_of, form_of, takes_noun
from robodata_core.policy.offline.words import (
    AUXILIARIES,
    FUNCTION_WORDS,
    PREPOSITIONS,
    PRONOUNS,
    WH_WORDS,
    Token,
    said,
    tokenize,
)

__all__ = [
    "IMPERATIVES",
    "Question",
    "Quote",
    "Request",
    "analyse",
    "behind_name",
    "reread",
]

_ASKING: Final = WH_WORDS | IMPERATIVES | said("if")
_SENTENCE_ENDS: Final = frozenset(".?!:;")
_QUOTES: Final = re.compile(
    r"\[([^\[\]]+)\]|\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|„([^“”]+)[“”]"
    r"|(?<!\w)['‘](.+?)['’](?!\w)"
)
_ABBREVIATED: Final = said("abbreviated")


@dataclass(frozen=True, slots=True)
class Quote:
    """A quoted or bracketed span: tokens ``start`` to ``end`` of the question, and its text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """One thing asked for.

    Attributes:
        start: First token of the request in the question.
        end: After its last token.
        kind: Form of the answer.
        wanted: Expected answer type: person, place, time, number, or empty.
        focus: Tokens of the noun phrase that names what is asked for, may be empty.
        back: Whether a pronoun points back to what an earlier request was about.
        chained: Whether it goes on from the results of the request before ("for each ...").
        starts: Whether it only names where to start ("Start from the root").
    """

    start: int
    end: int
    kind: AnswerKind = AnswerKind.THINGS
    wanted: str = ""
    focus: frozenset[int] = frozenset()
    back: bool = False
    chained: bool = False
    starts: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    Attributes:
        text: As asked.
        tokens: Its words and signs.
        quotes: Quoted spans.
        requests: What it asks for, in order.
    """

    text: str
    tokens: tuple[Token, ...]
    quotes: tuple[Quote, ...]
    requests: tuple[Request, ...]

    def raw(self, start: int, end: int) -> str:
        """Return the text of tokens ``start`` to ``end`` as written."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end]


def analyse(text: str) -> Question:
    """Take a question apart."""
    tokens = tokenize(text)
    quotes = _quotes(text, tokens)
    shielded = frozenset(i for quote in quotes for i in range(quote.start, quote.end))
    shielded |= _within_names(tokens, shielded)
    if _is_conditional(tokens):
        shielded |= {0}
        spans = [(0, len(tokens))]
    else:
        spans = _split(tokens, shielded)
    requests: list[Request] = []
    for start, end in spans:
        request = _request(tokens, start, end, shielded)
        if any(t.word and t.norm not in ("then", "and") for t in tokens[start:end]):
            requests.extend(_coordinated(tokens, request))
    requests = requests or [Request(0, len(tokens))]
    return Question(text, tokens, quotes, tuple(requests))


def reread(
    question: Question, kept: Sequence[int], kind: AnswerKind = AnswerKind.THINGS
) -> tuple[Question, Request]:
    """Read some words of a question as a question of their own.

    Args:
        question: The whole question.
        kept: Its tokens that stay, in order.
        kind: What form the answer of the shorter one has, whatever its words say.
    """
    places = list(kept)
    while places and not question.tokens[places[-1]].word:
        places.pop()
    tokens = tuple(question.tokens[i] for i in places)
    if not tokens:
        empty = Request(0, 0, kind)
        return Question(question.text, (), (), (empty,)), empty
    new = {old: at for at, old in enumerate(places)}
    quotes = tuple(
        Quote(new[quote.start], new[quote.end - 1] + 1, quote.text)
        for quote in question.quotes
        if all(i in new for i in range(quote.start, quote.end))
        or (quote.start in new and quote.end - 1 in new)
    )
    shielded = frozenset(i for quote in quotes for i in range(quote.start, quote.end))
    request = replace(_request(tokens, 0, len(tokens), shielded), kind=kind)
    if request.wanted == "number":
        request = replace(request, wanted="")
    return Question(question.text, tokens, quotes, (request,)), request


def behind_name(question: Question, request: Request, end: int) -> Request:
    """Read a request by what stands behind the name it begins with: "Will Smith's kids".

    Args:
        question: The whole question.
        request: A request of it that was taken to begin with an auxiliary.
        end: After the last token of the name.
    """
    name = frozenset(range(request.start, end))
    found = _request(question.tokens, request.start, request.end, name)
    behind = (question.tokens[i].norm for i in range(end, request.end))
    asking = next((word for word in behind if word in WH_WORDS), "")
    if found.kind is AnswerKind.YES_OR_NO and asking:
        return replace(found, kind=AnswerKind.THINGS, wanted=WANTED.get(asking, ""))
    return found


def _quotes(text: str, tokens: Sequence[Token]) -> tuple[Quote, ...]:
    found = []
    for match in _QUOTES.finditer(text):
        inner = next(group for group in match.groups() if group is not None)
        inside = [i for i, token in enumerate(tokens) if match.start() <= token.start < match.end()]
        if inside and any(char.isalnum() for char in inner) or match.group()[0] == "[":
            found.append(Quote(inside[0], inside[-1] + 1, inner.strip()))
    return tuple(found)


# -- requests -------------------------------------------------------------------------------------


def _within_names(tokens: Sequence[Token], quoted: frozenset[int]) -> frozenset[int]:
    """Return words that ask elsewhere but are part of a name here: "Look Who's Talking".

    They are written with a capital in the middle of a sentence that asks by another word, and
    do not begin a clause of their own.
    """
    asking = [i for i, token in enumerate(tokens) if i not in quoted and token.norm in _ASKING]
    written = frozenset(i for i in asking if i and _written_as_name(tokens, i))
    others = [i for i in asking if i not in written]
    first = tokens[0].norm if tokens else ""
    return written if others or first in AUXILIARIES else frozenset()


def _written_as_name(tokens: Sequence[Token], index: int) -> bool:
    before = tokens[index - 1]
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if not tokens[index].capitalised or before.norm in _SENTENCE_ENDS:
        return False
    if following is None or following.norm not in AUXILIARIES:
        return True
    return following.capitalised and before.word and before.norm != "and"


def _starter(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a new request begins at ``index``."""
    while index < len(tokens) and tokens[index].norm in ("then", "also", "please", "and", "in"):
        index += 1
    if index >= len(tokens):
        return False
    word = tokens[index].norm
    following = tokens[index + 1].norm if index + 1 < len(tokens) else ""
    if word in WH_WORDS or word in IMPERATIVES:
        return True
    if word in ("for", "of", "to", "by", "from", "with", "at", "on"):
        return following in WH_WORDS or following == "each"
    return False


def _is_conditional(tokens: Sequence[Token]) -> bool:
    """Tell whether what is asked stands behind a condition: "If I am in X, what ...?"."""
    if not tokens or tokens[0].norm not in said("if"):
        return False
    return any(token.norm == "," and _starter(tokens, at + 1) for at, token in enumerate(tokens))


def _split(tokens: Sequence[Token], shielded: frozenset[int]) -> list[tuple[int, int]]:
    cuts = [0]
    for index in range(1, len(tokens)):
        if index in shielded or not _boundary(tokens, index):
            continue
        first = cuts[-1]
        if _asks([tokens[i] for i in range(first, index) if i not in shielded]):
            cuts.append(index)
    cuts.append(len(tokens))
    return [(a, b) for a, b in zip(cuts, cuts[1:], strict=False) if b > a]


def _boundary(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a sign or conjunction before ``index`` may end a request."""
    before = tokens[index - 1].norm
    if before == "." and index > 1 and _is_abbreviated(tokens[index - 2]):
        return False
    if before in (".", "?", "!", ";", ":"):
        return _starter(tokens, index) or tokens[index].norm in AUXILIARIES
    if before in ("and", ",", "then"):
        if tokens[index - 1].norm == "," and tokens[index].norm == "and":
            return False
        return _starter(tokens, index) and tokens[index].norm not in ("in", "and")
    return False


def _is_abbreviated(token: Token) -> bool:
    """Tell whether the dot behind a word belongs to it: "Joseph P. Kennedy Sr."."""
    return token.capitalised and (len(token.norm) == 1 or token.norm in _ABBREVIATED)


def _asks(tokens: Sequence[Token]) -> bool:
    """Tell whether these words hold a request already (a question word or imperative)."""
    words = [token.norm for token in tokens if token.word]
    if not words or all(word in FUNCTION_WORDS for word in words):
        return False
    if words[0] in FUNCTION_WORDS - AUXILIARIES and not PREPOSITIONS.isdisjoint(words[:2]):
        return _asks_behind(tokens)
    return words[0] in AUXILIARIES or any(word in WH_WORDS or word in IMPERATIVES for word in words)


def _asks_behind(tokens: Sequence[Token]) -> bool:
    """Tell whether words that begin with a preposition ask: not those that only say of whom.

    In "of everyone who died here, who ..." the first "who" tells everyone, and asks nothing.
    """
    leading = True
    for before, token in zip((None, *tokens), tokens, strict=False):
        alone = leading or (before is not None and not before.word)
        if alone and (token.norm in WH_WORDS or token.norm in IMPERATIVES):
            return True
        leading = leading and (before is None or token.norm in PREPOSITIONS)
    return False


def _coordinated(tokens: Sequence[Token], request: Request) -> list[Request]:
    """Split "When and where was X born?" into two requests over the same words."""
    if request.end - request.start < 4:
        return [request]
    first, middle, last = (tokens[request.start + i].norm for i in range(3))
    if first in WH_WORDS and middle == "and" and last in WH_WORDS and first != last:
        return [replace(request, wanted=WANTED.get(word, "")) for word in (first, last)]
    return [request]


def _request(tokens: Sequence[Token], start: int, end: int, shielded: frozenset[int]) -> Request:
    words = [(i, tokens[i].norm) for i in range(start, end) if tokens[i].word]
    plain = [(i, word) for i, word in words if i not in shielded]
    chained = any(
        word == "each" and plain[k - 1][1] == "for" for k, (_, word) in enumerate(plain) if k
    )
    if chained:
        # "For each subclass, list ...": the first words only point back.
        later = [i for i, word in plain if word in IMPERATIVES or word in WH_WORDS]
        start = later[0] if later else start
        plain = [(i, word) for i, word in plain if i >= start]
    back = any(word in PRONOUNS for _, word in plain)
    kind, wanted, at = form_of(plain)
    asker = tokens[at].norm if at >= start else ""
    following = tokens[at + 1].norm if at + 1 < end else ""
    return Request(
        start,
        end,
        kind,
        wanted,
        focus_of(tokens, at, end, shielded) if takes_noun(asker, following) else frozenset(),
        back,
        chained,
        _only_starts(plain),
    )


def _only_starts(words: Sequence[tuple[int, str]]) -> bool:
    content = [word for _, word in words if word not in ("then", "and", "please")]
    if not content or content[0] not in ("start", "begin", "explore"):
        return False
    return not any(word in WH_WORDS or word in ("list", "find", "show") for word in content)
