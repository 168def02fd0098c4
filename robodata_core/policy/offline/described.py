"""Things that a question describes instead of naming them: "the man whom X married".

A description is a noun with a clause: a relative one ("the city where X was born", "the woman
whose husband is X"), a participle ("the emperor born in X"), or one without any word to begin it
("the country X is in"). It is read as a question of its own ("which man did X marry"), and what
that gives stands in the rest of the question like a name. Purely on the words; ``describing``
solves what is found here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.apposed import appositions
from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.question import IMPERATIVES, Question, Quote, Request
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    COPULAS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    Token,
    said,
)

__all__ = ["Description", "descriptions", "retold", "without"]

_MOST: Final = 6
_OPENING: Final = 5
_SUBJECTS: Final = said("relative subject")
_OBJECTS: Final = said("relative object")
_PLACES: Final = frozenset(["where"])
_RELATIVES: Final = _SUBJECTS | _OBJECTS | _PLACES | {"whose"}
_ARTICLES: Final = ARTICLES | said("before described")
_JOINTS: Final = PREPOSITIONS | {"than"}
_HAVING: Final = said("has")
_SPLIT: Final = COPULAS | said("do or have")


@dataclass(frozen=True, slots=True)
class Description:
    """A described thing.

    Attributes:
        inner: The description as the words of a question.
        taken: The tokens of the whole question that it stands for.
        place: The first of them that stays when it is put in like a name.
        name: The name that it stands beside, where it only says who is meant by it.
        shared: The name that has the same, which is not asked for itself.
    """

    inner: tuple[Token, ...]
    taken: frozenset[int]
    place: int
    name: Mention | None = None
    shared: Mention | None = None


@dataclass(frozen=True, slots=True)
class _Clause:
    """Where a clause stands: its noun, the word it begins with, the rest."""

    head: tuple[int, ...]
    opening: tuple[int, ...]
    body: tuple[int, ...]


class _Finder:
    """Finds the descriptions of one request."""

    def __init__(
        self, question: Question, request: Request, linking: Linking, matches: Sequence[Match]
    ) -> None:
        self._tokens = question.tokens
        self._start, self._end = request.start, request.end
        while self._end > self._start and not self._tokens[self._end - 1].word:
            self._end -= 1
        self._named = _named(question, request, linking)
        self._names = {
            m.start: m for m in linking.mentions if not m.demonym and m.span <= self._named
        }
        self._names_end = {m.end: m for m in linking.mentions}
        self._quoted = frozenset(i for q in question.quotes for i in range(q.start, q.end))
        self._verbs = [m for m in matches if m.reading.kind in ("verb", "adj")]
        self._boolean = request.kind is AnswerKind.YES_OR_NO
        self._focus = request.focus

    def find(self) -> Iterator[_Clause]:
        """Yield the clauses of the request; none where it offers one thing or another."""
        if any(self._norm(i) == "or" and i not in self._named for i in self._places()):
            return
        for at in self._places():
            yield from self._relative(at)
            yield from self._participle(at)
            yield from self._contact(at)

    # -- kinds of clauses ---------------------------------------------------------------------

    def _relative(self, at: int) -> Iterator[_Clause]:
        """A clause that a relative word begins, perhaps behind its preposition."""
        if self._norm(at) not in _RELATIVES or at in self._named:
            return
        first = at
        if self._norm(at) in ("which", "whom") and self._norm(at - 1) in PREPOSITIONS:
            first = at - 1
        if self._norm(first - 1) == ",":
            first -= 1
        opening = tuple(i for i in range(first, at + 1) if self._tokens[i].word)
        moved = self._head_before_verb(first)
        if moved:
            yield _Clause(moved, opening, tuple(range(at + 1, self._end)))
            return
        head = self._head(first)
        for end in self._ends(at + 1) if head else ():
            yield _Clause(head, opening, tuple(range(at + 1, end)))

    def _participle(self, at: int) -> Iterator[_Clause]:
        """A clause that a participle begins: "the emperor born in X"."""
        verb = any(m.start == at and m.reading.kind == "verb" for m in self._verbs)
        if not verb or not self._norm(at).endswith(("ed", "born", "written", "en", "ing")):
            return
        head = self._head(at)
        if not head or self._norm(self._edge(head)) in COPULAS | _HAVING | {""}:
            return  # "was the politician born", "has the film won": the verb of the sentence
        if self._focus & set(head):
            return  # "which people influenced X"
        for end in self._ends(at + 1):
            if any(i in self._named for i in range(at + 1, end)):
                yield _Clause(head, (), tuple(range(at, end)))

    def _contact(self, at: int) -> Iterator[_Clause]:
        """A clause that nothing begins: "the woman X married", "the country X is in"."""
        name = self._names.get(at)
        head = self._head(at) if name is not None else ()
        if name is None or not head or any(i in self._named for i in head):
            return
        if self._norm(min(head) - 1) not in _ARTICLES or self._norm(min(head) - 2) not in _JOINTS:
            return
        if name.end < self._end and self._norm(name.end) != "s":
            yield _Clause(head, (), tuple(range(at, self._end)))

    # -- places -------------------------------------------------------------------------------

    def _places(self) -> list[int]:
        return [i for i in range(self._start + 1, self._end) if i not in self._quoted]

    def _norm(self, at: int) -> str:
        return self._tokens[at].norm if self._start <= at < self._end else ""

    def _head(self, end: int) -> tuple[int, ...]:
        """Return the noun phrase that ends before ``end``, without its article."""
        mention = self._names_end.get(end)
        at = end
        while at > self._start and self._is_noun(at - 1):
            at -= 1
        if mention is not None and mention.demonym:
            return ()
        if at == end or (mention is not None and mention.proper and self._is_name(mention.span)):
            return ()
        return tuple(range(at, end))

    def _is_name(self, span: frozenset[int]) -> bool:
        """Tell whether a mention is a name rather than a noun ("Roman emperor")."""
        return self._tokens[max(span)].capitalised

    def _is_noun(self, at: int) -> bool:
        token = self._tokens[at]
        if at in self._quoted or not token.word or token.norm == "s":
            return False
        return token.norm not in FUNCTION_WORDS and token.norm not in IMPERATIVES

    def _edge(self, head: tuple[int, ...]) -> int:
        """Return the place before a noun phrase and its article."""
        at = min(head) - 1
        return at - 1 if self._norm(at) in _ARTICLES else at

    def _head_before_verb(self, end: int) -> tuple[int, ...]:
        """Return the noun of a clause that a verb keeps apart: "when was the X born who ..."."""
        if not any(self._norm(i) in _SPLIT for i in range(self._start, self._start + _OPENING)):
            return ()
        verb = next((m for m in self._verbs if m.end == end), None)
        if verb is None:
            return ()
        head = self._head(min(m.start for m in self._verbs if m.end == end))
        return head if head and self._norm(min(head) - 1) in _ARTICLES else ()

    def _ends(self, first: int) -> list[int]:
        """Return where a clause may end: before the verb that closes the sentence, or with it."""
        comma = next((i for i in range(first, self._end) if self._norm(i) == ","), self._end)
        if comma < self._end:
            return [comma]
        split = any(self._norm(i) in _SPLIT for i in range(self._start, self._start + _OPENING))
        closing = [m.start for m in self._verbs if m.end == self._end and m.start > first]
        ends = [min(closing)] if closing and split else []
        if self._boolean:
            ends += [
                i for i in range(first + 1, self._end)
                if self._norm(i) in ARTICLES and self._norm(i - 1) not in _JOINTS
            ][-1:]  # fmt: skip
        ends += [i for i in range(first + 2, self._end) if self._norm(i) in AUXILIARIES][:1]
        return list(dict.fromkeys((*ends, self._end)))


def descriptions(
    question: Question, request: Request, linking: Linking, matches: Sequence[Match]
) -> tuple[Description, ...]:
    """Return the things that a request describes, the likeliest reading first."""
    finder = _Finder(question, request, linking, matches)
    named = _named(question, request, linking)
    found = [*_same(question, request, linking)]
    for name, places, words in appositions(question, request, linking):
        at = words[0].start
        asked = (_word("who", at), _word("is", at), *words)
        found.append(Description(asked, name.span | set(places), name.start, name))
    for clause in finder.find():
        inner = _asked(question.tokens, clause, named)
        if not inner:
            continue
        taken = {*clause.head, *clause.opening, *clause.body}
        article = min(clause.head) - 1
        if article >= request.start and question.tokens[article].norm in _ARTICLES:
            taken.add(article)
        edges = {i - 1 for i in taken} | {i + 1 for i in taken}
        taken |= {i for i in edges if _is_comma(question.tokens, i, request)}
        found.append(Description(inner, frozenset(taken), min(clause.head)))
    return tuple(found[:_MOST])


def _same(question: Question, request: Request, linking: Linking) -> Iterator[Description]:
    """Yield what is shared with a name: "who was born in [the same city as X]"."""
    tokens, end = question.tokens, request.end
    while end > request.start and not tokens[end - 1].word:
        end -= 1
    norms = [token.norm for token in tokens[:end]]
    name = next((m for m in linking.mentions if m.proper and m.end == end and m.entities), None)
    at = next((i for i in range(request.start + 2, end) if norms[i] == "same"), 0)
    if name is None or not at or norms[name.start - 1] != "as" or norms[at - 1] != "the":
        return
    head, before = tokens[at + 1 : name.start - 1], at - 2
    of_noun = min(request.focus, default=0) == request.start + 1 and (
        norms[request.start] in ("which", "what")
    )
    first = max(request.focus) + 1 if of_noun else request.start + 1
    verb = list(tokens[first:before])
    if not head or norms[before] not in PREPOSITIONS or not verb:
        return
    start = tokens[at].start
    split = verb.pop(0) if verb[0].norm in _SPLIT else _word("did", start)
    named = tokens[name.start : name.end]
    asked = (tokens[before], _word("which", start), *head, split, *named, *verb)
    yield Description(asked, frozenset(range(at - 1, end)), at, shared=name)


def _named(question: Question, request: Request, linking: Linking) -> frozenset[int]:
    """Return the tokens of names; where nothing has capitals, several words may be one."""
    plain = not any(t.capitalised for t in question.tokens[request.start + 1 : request.end])
    return frozenset(
        i
        for m in linking.mentions
        if m.proper or (plain and m.exact and m.end - m.start > 1 and not m.demonym)
        for i in m.span
    )


def _is_comma(tokens: Sequence[Token], at: int, request: Request) -> bool:
    return request.start <= at < request.end and tokens[at].text == ","


def _asked(tokens: Sequence[Token], clause: _Clause, named: frozenset[int]) -> tuple[Token, ...]:
    """Return a description as the words of a question, nothing where it cannot be one."""
    head = [tokens[i] for i in clause.head]
    body = [tokens[i] for i in clause.body]
    if not any(i in named for i in clause.body) or not body:
        return ()
    at = head[0].start
    which = _word("which", at)
    opening = [tokens[i].norm for i in clause.opening]
    word = opening[-1] if opening else ""
    if word == "whose":
        return (which, *head, tokens[clause.opening[-1]], *body)
    fronted = [tokens[i] for i in clause.opening[:-1]]
    first = clause.body[0]
    by_name = first in named or tokens[first].norm in ARTICLES
    if word in _PLACES:
        fronted = [_word("in", at)]
    elif not by_name:
        return (which, *head, *_past(tokens, clause, at), *body)
    # What does something stands first: the auxiliary goes before it.
    if not by_name and body[-1].capitalised:  # "the country where died X"
        body = [*body[1:], body[0]]
    auxiliary = next((t for t in body if t.norm in COPULAS | _HAVING), None)
    if auxiliary is None:
        if not any(i not in named and tokens[i].norm not in ("the", "a") for i in clause.body):
            return ()
        return (*fronted, which, *head, _word("did", at), *body)
    rest = [token for token in body if token is not auxiliary]
    return (*fronted, which, *head, auxiliary, *rest)


def _past(tokens: Sequence[Token], clause: _Clause, at: int) -> tuple[Token, ...]:
    """Return the auxiliary that a participle lacks: "the emperor (who was) born in X"."""
    lacking = not clause.opening and tokens[clause.body[0]].norm not in AUXILIARIES
    participle = lacking and not tokens[clause.body[0]].norm.endswith("ing")
    return (_word("was", at),) if participle else ()


def _word(text: str, at: int) -> Token:
    """Return a word that the question does not have, at a place of its text."""
    return Token(text, text, text, at, at, True)


def retold(question: Question, tokens: Sequence[Token]) -> Question:
    """Return words of a question, and some it does not have, as a question with its own text.

    What stands between two words that follow each other stays as it was; what is quoted as well.
    """
    following = {a.start: b.start for a, b in pairwise(question.tokens)}
    text, made = "", list[Token]()
    last: Token | None = None
    for token in tokens:
        joined = last is not None and following.get(last.start) == token.start > last.start
        if last is not None:
            text += question.text[last.end : token.start] if joined else " "
        made.append(replace(token, start=len(text), end=len(text) + len(token.text)))
        text += token.text
        last = token
    places = {token.start: i for i, token in enumerate(tokens) if token.end > token.start}
    quotes = []
    for quote in question.quotes:
        inside = [places.get(token.start) for token in question.tokens[quote.start : quote.end]]
        first = inside[0] if inside else None
        if first is not None and inside == list(range(first, first + len(inside))):
            quotes.append(Quote(first, first + len(inside), quote.text))
    return Question(text, tuple(made), tuple(quotes), ())


def without(question: Question, request: Request, description: Description, text: str) -> Question:
    """Return the rest of a question with one word in place of a description."""
    tokens = question.tokens
    return retold(
        question,
        [
            _word(text, tokens[i].start) if i == description.place else tokens[i]
            for i in range(request.start, request.end)
            if i == description.place or i not in description.taken
        ],
    )
