"""Questions about the members of a set that the question itself binds to ids.

"Which of these 5 (Q1, Q2, ...) play the guitar?" asks for some of the five and never for anything
else, so nothing is walked away from them: each reading narrows the set by what the rest says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Direction, EntityValue
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.constrain import Constrainer
from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.relations import Hop, Match, flip, walked
from robodata_core.policy.offline.words import COPULAS, FUNCTION_WORDS, HAVING, Token, said

__all__ = ["asked_of", "of_members"]

_BEFORE: Final = said("before members")
_BE: Final = COPULAS | said("be")
_BETWEEN: Final = said("among")


def asked_of(tokens: Sequence[Token], request: Request, linking: Linking) -> Mention | None:
    """Return the bound set whose members a request asks for: "which of these 5 (...) are"."""
    if request.kind is AnswerKind.YES_OR_NO:
        return None
    for mention in linking.mentions:
        if mention.whole and mention.start - request.start >= 2:
            before = tokens[mention.start - 2], tokens[mention.start - 1]
            if before[0].norm in _BEFORE and before[1].norm in _BETWEEN:
                return mention
    return None


def of_members(
    mention: Mention, constrainer: Constrainer, request: Request, linking: Linking
) -> list[Candidate]:
    """Return the readings of a question about the members of a set."""
    constrainer = replace(constrainer, matches=_as_verb(mention, constrainer))
    link = Link(mention, tuple(item.id for item in mention.entities), 1.0)
    start = replace(Candidate.start(link, mention.span), typed=True)
    found = [
        one for one in constrainer.finish(start)
        if (one.links[1:] or one.edges) and _as_worded(one, constrainer.matches)
    ]  # fmt: skip
    free = [m for m in constrainer.free(start) if m.proper or constrainer.class_of(m)]
    if request.kind is AnswerKind.NUMBER:
        found = [one for one in found if len(one.steps) > 2]
    further: list[Candidate] = []
    for other in free:
        further += _reached(start, other, constrainer)
    if not free and not linking.unlinked:
        further += _having(start, constrainer)
    if request.kind is AnswerKind.NUMBER:
        further = [one.counted() for one in further]
    return [*found, *further]


@dataclass(frozen=True, slots=True)
class _Wording:
    """Which way the verbs of a request lead from its members to another name.

    "Which of these influenced X" asks for members that X was influenced by, "which were influenced
    by X" for the others; the same relation holds both, and only the wording tells them apart.
    """

    ways: frozenset[tuple[str, Direction]]
    verbs: frozenset[str]

    def fits(self, name: str, way: Direction) -> bool:
        """Tell whether members may be joined to the other by a relation, that way round."""
        return name not in self.verbs or (name, way) in self.ways


def _wording(other: Mention, matches: Sequence[Match]) -> _Wording:
    longest: dict[int, int] = {}
    verbs = [m for m in matches if m.reading.kind == "verb" and len(m.reading.hops) == 1]
    for match in verbs:
        longest[match.start] = max(match.end, longest.get(match.start, 0))
    ways: set[tuple[str, Direction]] = set()
    for match in verbs:
        if match.end == longest[match.start]:
            hop = walked(match)
            # "Which of these did X influence": the name is who does it.
            ways.update(hop if other.start >= match.end else [(n, flip(w)) for n, w in hop])
    return _Wording(frozenset(ways), frozenset(name for name, _ in ways))


def _as_worded(candidate: Candidate, matches: Sequence[Match]) -> bool:
    """Tell whether the joins of a candidate go the way the verbs say."""
    named = [link.mention for link in candidate.links[1:]]
    for other in named:
        wording = _wording(other, matches)
        if any(not wording.fits(*edge) for use in candidate.edges for edge in use.hop):
            return False
    return True


def _as_verb(mention: Mention, constrainer: Constrainer) -> tuple[Match, ...]:
    """Drop readings as a noun of what the members do: "which of these influence X"."""
    tokens, matches = constrainer.tokens, constrainer.matches
    at = mention.end
    while at < len(tokens) and tokens[at].norm in FUNCTION_WORDS - _BE:
        at += 1
    verb = any(m.start == at and m.reading.kind == "verb" for m in matches)
    if not verb:
        return matches
    return tuple(m for m in matches if m.start != at or m.reading.kind != "noun")


def _open(constrainer: Constrainer, covered: frozenset[int]) -> list[int]:
    """Return the content words that nothing accounts for."""
    request, tokens = constrainer.request, constrainer.tokens
    return [
        i for i in range(request.start, request.end)
        if i not in covered and tokens[i].word and tokens[i].norm not in FUNCTION_WORDS
    ]  # fmt: skip


def _reached(start: Candidate, other: Mention, constrainer: Constrainer) -> list[Candidate]:
    """Keep the members that a relation leads to from something named: "influenced Kant"."""
    found = []
    wording = _wording(other, constrainer.matches)
    for match in constrainer.matches:
        hops = match.reading.hops
        if match.span & (other.span | start.covered) or len(hops) > 1 or not hops[0]:
            continue
        for item in other.entities[:2]:
            link = Link(other, (item.id,), item.quality)
            begin = Candidate.start(link, other.span)
            for name, way in walked(match):
                # What the members lead to is the constrainer's business, unless the name is
                # the subject: "which of these is X a member of".
                verb = name in wording.verbs
                if verb and not wording.fits(name, Direction.IN):
                    continue
                if not verb and way is not Direction.IN and other.end > match.start:
                    continue
                there = constrainer.reader.along(begin.nodes, (name, Direction.OUT))
                kept = tuple(value for value in start.nodes if value in there)
                if not kept:
                    continue
                use = EdgeUse(((name, Direction.OUT),), match.span, match.reading.strength)
                far = begin.follow(replace(use, constraint=True), there)
                whole = combine.joined([start, far], True)
                found.append(
                    replace(
                        whole,
                        nodes=kept,
                        typed=True,
                        covered=start.covered | far.covered,
                        edges=far.edges,
                        links=(*start.links, link),
                    )
                )
    return found


def _having(start: Candidate, constrainer: Constrainer) -> list[Candidate]:
    """Keep the members of which a relation is stated at all: "which of them is married"."""
    found = []
    for match in constrainer.matches:
        if match.span & start.covered or len(match.reading.hops) > 1:
            continue
        if _open(constrainer, start.covered | match.span):
            continue
        hop = _stated(match, constrainer.tokens)
        kept = tuple(
            value for value in start.nodes
            if isinstance(value, EntityValue) and constrainer.reader.any_of((value,), hop)
        )  # fmt: skip
        if hop and kept:
            whole = combine.having(start, hop)
            use = EdgeUse(hop, match.span, match.reading.strength, constraint=True)
            found.append(
                replace(
                    whole, nodes=kept, typed=True, edges=(use,), covered=start.covered | match.span
                )
            )
    return found


def _stated(match: Match, tokens: Sequence[Token]) -> Hop:
    """Return the relations that members must have: "is married", "has children", "is a father"."""
    hop = tuple(edge for edge in walked(match) if edge[0])
    before = [token.norm for token in tokens[: match.start]][-3:]
    if match.reading.kind == "noun" and not set(before) & HAVING:
        return tuple((name, flip(way)) for name, way in hop)
    return hop
