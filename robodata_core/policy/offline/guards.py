"""When a reading is doubtful whatever its score: what is asked for by its words is not in it.

A walk may account for most of a question's words and still answer something else: a place where a
time is asked for, a citizenship where somebody was born, one date for another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final

from robodata_core.model import Direction, EntityValue, Value
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.literals import is_plain_year
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.relations import Edge, Hop, Match, flip
from robodata_core.policy.offline.weights import content_of
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    COPULAS,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    HAVING,
    INDEFINITE,
    JOINING,
    NUMBERS,
    Token,
    said,
    singular,
)
from robodata_core.programs.steps import FilterByConstraint, FilterByType, Judge

__all__ = [
    "asked_within",
    "dates_object",
    "denies_by_part",
    "denies_one_of_other",
    "denies_origin",
    "had_by_others",
    "leaves_counted",
    "leaves_open",
    "leaves_role",
    "leaves_relation",
    "leaves_verb",
    "lists_all",
    "lists_instead",
    "misses_asked",
    "unread_by_no",
]

_OPENING: Final = 5
_TWO: Final = 2
#: How far a word is accounted for by standing beside a name: "the X company".
_NUMBERS: Final = said("several")
_LIMITS: Final = said("limit")
_BESIDE: Final = 0.5
_ASKED_BY: Final = COPULAS | said("asked by")
_PLACES_AND_TIMES: Final = said("where or when")
_BEFORE_KIND: Final = 2
_SURELY: Final = 0.8
_SMALL: Final = said("preposition")
_DOING: Final = said("doing")
_AUXILIARY: Final = AUXILIARIES - BE
_RELATING: Final = said("relating")
_SPLIT: Final = COPULAS | said("doing")


def dates_object(candidate: Candidate, tokens: Sequence[Token], request: Request) -> bool:
    """Tell whether what somebody did something to is taken for a date: "who wrote 1984".

    Without a word between, a number behind the verb of "who" is its object.
    """
    verb, object_ = request.start + 1, request.start + 2
    if request.wanted != "person" or object_ >= request.end or tokens[verb].norm in FUNCTION_WORDS:
        return False
    dated = any(isinstance(step, FilterByConstraint) for step in candidate.steps)
    return dated and is_plain_year(tokens[object_])


def misses_asked(
    candidate: Candidate, tokens: Sequence[Token], request: Request, matches: Sequence[Match]
) -> bool:
    """Tell whether what is asked for by name is not followed: "the date of birth of ...".

    Only in "what is the N of", and only where the words name a relation as a whole.
    """
    start = request.start
    while start < request.end and tokens[start].norm in _ASKED_BY:
        start += 1
    asked = [m for m in matches if m.start == start and m.reading.kind == "noun"]
    before = {token.norm for token in tokens[request.start : start]}
    if candidate.final != "set" or not asked or not before & _SPLIT:
        return False
    if any(start in link.mention.span for link in candidate.links):
        return False  # a class: "what are the countries of X"
    last = max(m.end for m in asked)
    ends = tokens[last].norm if last < len(tokens) else ""
    if ends != "of" or tokens[start].norm in GENERIC_NOUNS:
        return False
    used = {name for use in candidate.edges for name, _ in use.hop}
    named = {name for m in asked if m.end == last for name in m.reading.relations}
    return bool(named) and all(use.hop for use in candidate.edges) and not used & named


def leaves_role(candidate: Candidate, tokens: Sequence[Token]) -> bool:
    """Tell whether a yes or no leaves out what one is to the other: "is X a sister of Y"."""
    if candidate.final not in ("yes", "no"):
        return False
    if len(candidate.links) > 1 and any(
        token.norm in INDEFINITE and at + 1 not in candidate.covered
        and tokens[at + 1].word and tokens[at + 1].norm not in FUNCTION_WORDS | GENERIC_NOUNS
        for at, token in enumerate(tokens[:-1])
    ):  # fmt: skip
        return True
    for link in candidate.links:
        at = link.mention.start - 1
        while at > 0 and tokens[at].norm in ARTICLES:
            at -= 1
        role = tokens[at - 1] if at > 0 else None
        if role is None or tokens[at].norm != "of" or not role.word:
            continue
        if role.norm not in FUNCTION_WORDS | GENERIC_NOUNS and at - 1 not in candidate.covered:
            return True
    return False


def leaves_verb(
    candidate: Candidate,
    tokens: Sequence[Token],
    request: Request,
    matches: Sequence[Match],
    weights: Mapping[int, float],
) -> bool:
    """Tell whether the verb that ends a question is left out: "in which country was X born".

    Args:
        candidate: The reading.
        tokens: The question.
        request: What is asked for.
        matches: Readings of its phrases.
        weights: What its words weigh, those that carry meaning.
    """
    end = request.end
    while end > request.start and not tokens[end - 1].word:
        end -= 1
    split = {token.norm for token in tokens[request.start : request.start + _OPENING]}
    closing = [m for m in matches if m.end == end and m.reading.kind == "verb"]
    if candidate.final != "set" or not closing or not split & _SPLIT:
        return False
    span = max((m.span for m in closing), key=len)
    if span & candidate.covered or sum(weights.get(i, 0.0) for i in span) < 1.0:
        return False
    used = {edge for use in candidate.edges for edge in use.hop}
    return not any(used & set(hop) for m in closing for hop in m.reading.hops)


def denies_by_part(candidate: Candidate, matches: Sequence[Match]) -> bool:
    """Tell whether a "no" rests on part of a phrase that means another relation as a whole.

    That nobody "died in" an illness does not say that nobody "died of" it. Nor does one word name
    both a relation and its value.
    """
    if candidate.final != "no":
        return False
    named = frozenset(i for link in candidate.links for i in link.mention.span)
    if any(use.span and use.span <= named for use in candidate.edges):
        return True  # "does X have a king": one word is no relation and its value
    judged = [link.mention.span for link in candidate.links[1:]]
    if any(span <= use.span for span in judged for use in candidate.edges):
        return True  # "one official language": nor is part of a phrase for it
    return any(
        use.span < match.span and not {edge[0] for edge in use.hop} & match.reading.relations
        for use in candidate.edges
        for match in matches
        if match.reading.kind == "verb"
    )


def denies_origin(
    candidate: Candidate, linking: Linking, leads_to: Callable[[Sequence[Value], Hop], bool]
) -> bool:
    """Tell whether a "no" takes an adjective of origin for something else: "was X English".

    That no director is the country Mexico does not say that none is Mexican.

    Args:
        candidate: The reading.
        linking: What the question names.
        leads_to: Tells whether some values have a relation.
    """
    if candidate.final != "no":
        return False
    origins = {mention.span for mention in linking.mentions if mention.demonym}
    judged = [link for link in candidate.links if link.mention.span in origins]
    if any(isinstance(step, FilterByType) for step in candidate.steps):
        return any(not link.mention.demonym for link in judged)
    last = candidate.steps[-1]
    if not isinstance(last, Judge) or last.value is None or not candidate.path:
        return False
    # What the last relation leads to nowhere is not what it could have led to here.
    back = tuple((name, flip(way)) for name, way in candidate.path[-1].hop)
    same = any(getattr(last.value, "id", "") in link.ids for link in judged)
    return same and not leads_to((last.value,), back)


def denies_one_of_other(
    candidate: Candidate,
    tokens: Sequence[Token],
    along: Callable[[Sequence[Value], Edge], Sequence[Value]],
) -> bool:
    """Tell whether a "no" takes one of two for what both have: "did X and Y have a child".

    That Y is no child of X says nothing of it; that Y is no neighbour of X does, for borders are
    stated both ways.

    Args:
        candidate: The reading.
        tokens: The question.
        along: Returns what an edge leads to.
    """
    spans = sorted((link.mention.start, link.mention.end) for link in candidate.links)
    if candidate.final != "no" or len(spans) != len(candidate.edges) + 1 or len(spans) > _TWO:
        return False
    (_, first), (second, end) = spans
    joined = [token.norm for token in tokens[first:second]] in [[word] for word in JOINING]
    if not joined or end >= len(tokens) or tokens[end].norm not in HAVING:
        return False
    edge, one = candidate.edges[0].hop[0], EntityValue(candidate.links[0].ids[0])
    return not any(one in along((other,), edge) for other in along((one,), edge))


def leaves_relation(
    candidate: Candidate, tokens: Sequence[Token], matches: Sequence[Match]
) -> bool:
    """Tell whether a yes or no leaves out a verb that names a relation.

    "Was the mother of X born in Y" does not ask whether Y is her mother.
    """
    if candidate.final not in ("yes", "no"):
        return False
    named = {i for link in candidate.links for i in link.mention.span}
    if _names_a_kind(candidate, tokens, named):
        return True
    said = candidate.covered | named
    for match in matches:
        if match.reading.kind != "verb" or match.reading.strength < _SURELY:
            continue
        words = {i for i in match.span if tokens[i].norm not in FUNCTION_WORDS}
        if words and not words & said:
            return True
    return False


def _names_a_kind(candidate: Candidate, tokens: Sequence[Token], named: set[int]) -> bool:
    """Tell whether a kind is taken for one of its own: "was the father of X a writer"."""
    told = any(tokens[i].norm not in FUNCTION_WORDS for use in candidate.path for i in use.span)
    return told and any(
        not link.mention.proper and link.mention.start >= _BEFORE_KIND
        and tokens[link.mention.start - 1].norm in INDEFINITE
        and link.mention.start - _BEFORE_KIND in named
        for link in candidate.links
    )  # fmt: skip


def had_by_others(candidate: Candidate, tokens: Sequence[Token]) -> bool:
    """Tell whether answers are what others have: universities for "cities with a university"."""
    if candidate.edges or not candidate.links:
        return False
    at = candidate.links[0].mention.start - 1
    while at >= 0 and tokens[at].norm in ARTICLES:
        at -= 1
    return at >= 0 and tokens[at].norm in HAVING


def leaves_counted(
    candidate: Candidate, tokens: Sequence[Token], request: Request, matches: Sequence[Match]
) -> bool:
    """Tell whether something else is counted than the relation that "how many" names.

    "How many grandchildren did X have through his sons" does not count the sons, nor does "did X
    have six children" ask whether there are any; "how many legs has a table" counts no tables.
    """
    if candidate.final in ("yes", "no"):
        return _leaves_number(candidate, tokens, request)
    if candidate.final != "count" or not request.focus:
        return False
    head = max(request.focus)
    if _counts_having(candidate, head):
        return True
    if candidate.typed:
        return False
    named = [m for m in matches if head in m.span and m.reading.kind == "noun"]
    used = {edge[0] for use in candidate.path for edge in use.hop}
    walked = frozenset(i for use in candidate.path for i in use.span)
    said = {name for m in named for name in m.reading.relations}
    longer = any(len(m.reading.hops) > len(candidate.path) for m in named)
    return bool(named) and head not in walked and (longer or not said & used)


def _counts_having(candidate: Candidate, head: int) -> bool:
    """Tell whether what is counted only has what a question asks the number of."""
    asked = {id_ for link in candidate.links if head in link.mention.span for id_ in link.ids}
    kinds = {id_ for s in candidate.steps if isinstance(s, FilterByType) for id_ in s.type_ids}
    had = {s.value for s in candidate.steps if isinstance(s, FilterByConstraint)}
    return asked.isdisjoint(kinds) and any(EntityValue(id_) in had for id_ in asked)


def _leaves_number(candidate: Candidate, tokens: Sequence[Token], request: Request) -> bool:
    """Tell whether a number that something is said to have is passed over."""
    told = candidate.covered.union(*(link.mention.span for link in candidate.links))
    for at in range(request.start + 1, request.end - 1):
        if tokens[at].norm in _NUMBERS and at not in told and tokens[at - 1].norm not in _LIMITS:
            behind = [token.norm for token in tokens[at + 1 : min(at + 4, request.end)]]
            if any(singular(word) != word for word in behind):
                return True
    return False


def lists_all(candidate: Candidate, linking: Linking, focus: frozenset[int]) -> bool:
    """Tell whether all of a class are given though something stands with it that asks for some.

    A word of origin ("German languages") or another name ("Japan capital", "capital canada") is not
    left out.

    Args:
        candidate: The reading.
        linking: What the question names.
        focus: The words of the noun that is asked for.
    """
    if candidate.edges:
        return False
    named = frozenset(i for link in candidate.links for i in link.mention.span)
    told = candidate.covered | named
    beside = [m for m in linking.mentions if not m.span <= told]
    if not any(link.mention.proper for link in candidate.links) and any(
        m.demonym or (m.entities and m.entities[0].label[:1].isupper() and not m.span & named)
        for m in beside
    ):
        return True
    if not candidate.typed or candidate.final not in ("set", "count") or not named <= focus:
        return False
    return any(m.exact and m.span <= focus - told for m in linking.mentions)


def asked_within(
    candidate: Candidate, tokens: Sequence[Token], request: Request, matches: Sequence[Match]
) -> str:
    """Return the stem of a plural noun that asks for what lies in a place, or an empty string.

    "The provinces of X" are what lies in X, and not all that does is a province.
    """
    if not request.focus or not candidate.path or candidate.typed:
        return ""
    # "Which US states border X": of what may be the noun, what the step is read from is.
    at = max(candidate.path[-1].span & request.focus or request.focus)
    head = tokens[at]
    hop = set(candidate.path[-1].hop)
    inwards = any(
        at in m.span and m.reading.answer == "place"
        and hop & {edge for edge in m.reading.hops[-1] if edge[1] is Direction.IN}
        for m in matches if m.reading.hops
    )  # fmt: skip
    return head.stem if inwards and singular(head.norm) != head.norm else ""


def lists_instead(
    candidate: Candidate, tokens: Sequence[Token], request: Request, matches: Sequence[Match]
) -> bool:
    """Tell whether members of a class are given for what it is or what is told of it.

    "What is rock music" asks what it is; "what is a towel used for" names a relation, and a list of
    towels reads nothing of it.
    """
    named = {(link.mention.start, link.mention.end) for link in candidate.links}
    if len(named) != 1 or candidate.final != "set":
        return False  # One name may be read twice: as a class, and as what others are one of.
    definitions = [match for match in matches if match.reading.kind == "definition"]
    if candidate.edges:  # what is a kind of it, for "what is a towel", or what it is like
        said = [({tokens[i].norm for i in use.span}, use) for use in candidate.edges]
        like = bool(definitions) and all(words <= COPULAS for words, _ in said)
        return like or all(
            words <= COPULAS | ARTICLES | {"what"}
            and all(way is Direction.IN for _, way in use.hop)
            for words, use in said
        )
    if not candidate.typed:
        return False
    mention = candidate.links[0].mention
    told = candidate.covered | mention.span
    asked = tokens[request.start].norm if request.start < request.end else ""
    kind = {request.start + 1} if asked == "which" else set()  # "which states are ..."
    kind |= {at for at, token in enumerate(tokens[:-1]) if tokens[at + 1].norm == "there"
             and token.norm in COPULAS}  # fmt: skip
    beside = (match for match in matches if match not in definitions and not match.span & kind)
    if any(match.reading.hops and not match.span & told for match in beside):
        return True
    head = tokens[mention.end - 1].norm
    one = singular(head) == head and tokens[mention.start - 1].norm != "the"
    return asked == "what" and bool(definitions) and one


def leaves_open(
    candidate: Candidate,
    tokens: Sequence[Token],
    request: Request,
    weights: Mapping[int, float],
    accounted: Callable[[int], float],
) -> bool:
    """Tell whether a word that nothing accounts for stands where the verb does.

    "Where did X matriculate" is not where X lives, and "which instruments does X hate" not which
    X plays: an unknown verb changes what is asked for.

    Args:
        candidate: The reading.
        tokens: The question.
        request: What is asked for.
        weights: What its words weigh, those that carry meaning.
        accounted: How far the reading accounts for a word, 0 to 1.
    """
    if candidate.final in ("yes", "no"):
        open_ = [i for i, weight in weights.items() if weight >= 1.0 and accounted(i) <= _BESIDE]
        if candidate.final == "no" and any(
            tokens[i].norm.endswith("ed") or tokens[i - 1].norm in INDEFINITE for i in open_
        ):
            return True  # "was the mother of X jailed in Y", "is the capital of X a city"
        if any(
            _is_number(tokens[i]) and i not in candidate.covered
            for i in _unnamed(candidate, request)
        ):
            return True  # "does X have three children"
        asks = tokens[request.start].norm in _DOING
        return bool(open_) and asks and _by_small_words(candidate, tokens)
    if candidate.final not in ("set", "count") or not candidate.path:
        return False
    last = max((i for i, weight in weights.items() if weight >= 1.0), default=-1)
    named = max((link.mention.end for link in candidate.links), default=len(tokens))
    before = {tokens[i].norm for i in range(request.start, max(last, request.start))}
    if before & _DOING and named <= last == max(weights) and accounted(last) <= _BESIDE:
        return True
    if not all(_asks_only(use.span, tokens) for use in candidate.path):
        return False
    if named <= last == max(weights) and tokens[last].norm.endswith("ed"):
        return accounted(last) <= _BESIDE
    return any(weight >= 1.0 and accounted(i) <= 0.0 for i, weight in weights.items())


def _unnamed(candidate: Candidate, request: Request) -> list[int]:
    """Return the places of a request that are not part of a name."""
    named = {i for link in candidate.links for i in link.mention.span}
    return [i for i in range(request.start, request.end) if i not in named]


def _is_number(token: Token) -> bool:
    return token.norm in NUMBERS or (token.norm.isascii() and token.norm.isdigit())


def _by_small_words(candidate: Candidate, tokens: Sequence[Token]) -> bool:
    """Tell whether only words like "in" name the relations: "did X sleep in Y"."""
    spans = [use.span for use in candidate.edges if use.hop]
    return bool(spans) and all(
        span and all(tokens[i].norm in _SMALL for i in span) for span in spans
    )


def _asks_only(span: frozenset[int], tokens: Sequence[Token]) -> bool:
    """Tell whether a hop is named by "where" or "when" alone, as in "where is"."""
    words = {tokens[i].norm for i in span}
    return bool(words & _PLACES_AND_TIMES) and words <= _PLACES_AND_TIMES | AUXILIARIES


def unread_by_no(
    candidate: Candidate, tokens: Sequence[Token], request: Request, read: Set[int]
) -> str:
    """Return a word that relates or tells something and that a "no" has not read, or "".

    That a kitchen is no knife does not say that no knife is in the kitchen.

    Args:
        candidate: The reading.
        tokens: The question.
        request: What is asked for.
        read: Words that are read: what the reading covers, and names.
    """
    content = content_of(tokens, request)
    kinds = any(isinstance(step, FilterByType) for step in candidate.steps)
    if kinds and not candidate.edges and tokens[request.start].norm in _AUXILIARY:
        return tokens[request.start].text  # "Can a knife slice bread" asks for no kinds at all.
    for i in range(request.start, request.end):
        if i not in read and (tokens[i].norm in _RELATING or content.get(i, 0.0) >= 1):
            return tokens[i].text
    return ""
