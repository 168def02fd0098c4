"""Growing candidate programs, step by step, along relations that are really there.

From a linked mention every hop that a phrase of the question may mean is tried, in the way the
wording faces and against it, up to three phrases deep; a step back along the relation just taken
is allowed without a phrase of its own ("films that share a director with X"). Only what leads
somewhere is kept. What the candidates are worth is decided in ``rank``; constraints are attached
in ``constrain``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.model import Direction, EntityValue, Value
from robodata_core.policy.offline.ahead import first_hops
from robodata_core.policy.offline.around import Around
from robodata_core.policy.offline.candidate import Candidate, EdgeUse
from robodata_core.policy.offline.excluding import left_over
from robodata_core.policy.offline.facing import attached, compound, facing
from robodata_core.policy.offline.lying import Places, is_wide
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.options import Option, combined, coordinated, doubles
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Edge, Hop, Match, names_works, reverse
from robodata_core.policy.offline.words import (
    FUNCTION_WORDS,
    WH_WORDS,
    Token,
    shared_by,
    stem,
    stems,
)

__all__ = ["Grower", "goes_against"]

_HELD: Final = 8
"""Phrases that one is held against in one step."""
_MAX_HOPS: Final = 3
_BEAM: Final = 24
_MAX_REPEATS: Final = 6
_LOOKED_AT: Final = 48
_AGAINST: Final = 0.4
_SHARED: Final = 0.9
_RIGHT: Final = 1_000
_LAST: Final = 2_000
_SMALL: Final = frozenset(map(stem, FUNCTION_WORDS))


@dataclass(frozen=True, slots=True)
class _Way:
    """A phrase with the two ways its reading may be walked."""

    match: Match
    along: tuple[Hop, ...]
    against: tuple[Hop, ...]
    fresh: frozenset[int]
    span: frozenset[int]
    bare: bool


class Grower:
    """Grows candidates for one request of a question."""

    def __init__(
        self,
        reader: Reader,
        tokens: Sequence[Token],
        matches: Sequence[Match],
        content: frozenset[int],
        span: tuple[int, int],
        counting: bool = False,
        index: RelationIndex | None = None,
        focus: frozenset[int] = frozenset(),
        places: Places | None = None,
    ) -> None:
        self._reader = reader
        self._places = places
        self._tokens = tokens
        self._matches = tuple(matches)
        self._content = content
        self._counting = counting
        self._index = index
        self._scalars = index.scalars if index is not None else frozenset[str]()
        self._focus = focus
        # "Share a border with" is a relation of its own, and nothing that is had in common.
        verbs = [m.span for m in matches if m.reading.kind == "verb" and len(m.span) > 1]
        whole = frozenset(i for verb in verbs for i in verb)
        cues = (i for i in range(span[0], span[1]) if shared_by(tokens, i))
        self._cues = frozenset(cues) - whole
        self._ways = tuple(map(self._way, self._matches))
        self._works = tuple(way for way in self._ways if names_works(way.match))
        self._arounds: dict[int, tuple[tuple[Value, ...], Around]] = {}

    def grow(self, starts: Sequence[Candidate], hops: int = _MAX_HOPS) -> list[list[Candidate]]:
        """Return all candidates of one to ``hops`` hops from each start.

        All take a step before any takes the next, so that what they need can be asked together.
        """
        found: list[list[Candidate]] = [[] for _ in starts]
        frontiers = [[start] for start in starts]
        for _ in range(hops):
            self._look_ahead([candidate for frontier in frontiers for candidate in frontier])
            for number, start in enumerate(starts):
                anchor = start.links[0].mention
                following: list[Candidate] = []
                for candidate in frontiers[number]:
                    following += self._extend(candidate, anchor)
                following.sort(key=_promise, reverse=True)
                frontiers[number] = following[:_BEAM]
                found[number] += frontiers[number]
        for mine in found:
            mine.sort(key=_promise, reverse=True)
        return found

    def _look_ahead(self, frontier: Iterable[Candidate]) -> None:
        """Ask together for all that one more step from some candidates may need."""
        if not self._reader.looks_ahead:
            return
        nodes: dict[Value, None] = {}
        edges = dict.fromkeys(first_hops(self._matches))
        for candidate in frontier:
            if self._goes_on(candidate):
                nodes.update(dict.fromkeys(candidate.nodes[:_LOOKED_AT]))
                if candidate.edges:
                    edges.update(dict.fromkeys(reverse((candidate.edges[-1].hop,))[0]))
        self._reader.ahead(nodes, edges)

    def repeat(self, candidate: Candidate) -> Iterable[Candidate]:
        """Yield the candidate with its last hop taken again and again, as far as it leads."""
        if not candidate.edges:
            return
        hop = tuple(edge for edge in candidate.edges[-1].hop if edge[1] is Direction.OUT)
        seen = set(candidate.nodes)
        for _ in range(_MAX_REPEATS if hop else 0):
            around = Around(self._reader, candidate.nodes)
            present = around.present(hop)
            values = around.reached(present) if present else ()
            fresh = tuple(value for value in values if value not in seen)
            if not fresh or present is None:
                return
            seen.update(fresh)
            last = candidate.edges[-1]
            use = EdgeUse(present, last.span, last.strength, 1.0, last.order)
            candidate = candidate.follow(use, values)
            yield candidate

    # -- one step -----------------------------------------------------------------------------

    def _extend(self, candidate: Candidate, anchor: Mention) -> list[Candidate]:
        if not self._goes_on(candidate):
            return []
        last = candidate.edges[-1] if candidate.edges else None
        at = _place(last.span, anchor) if last and last.span else (anchor.start, anchor.end)
        around = self._around(candidate.nodes)
        options = self._options(candidate, at, around)
        if self._places is not None and is_wide(candidate):
            allows = self._places.allows
            options = [o for o in options if allows(candidate, o.hops[0], o.span)]
        if last is not None and last.hop and len(candidate.edges) < _MAX_HOPS:
            options += self._back(candidate, last, around)
        best: dict[tuple[tuple[Hop, ...], frozenset[int]], Option] = {}
        for option in options:
            key = (option.hops, option.span)
            if key not in best or option.worth > best[key].worth:
                best[key] = option
        self._reader.effort.spend(len(best))
        self._walks_ahead(best.values(), around)
        taken = (self._take(candidate, option, anchor, around) for option in best.values())
        return [one for one in taken if one is not None and not doubles(one, self._tokens)]

    def _around(self, nodes: tuple[Value, ...]) -> Around:
        """Return what is around a set; the same for all candidates that have come to that set."""
        known = self._arounds.get(id(nodes))
        if known is None:
            # The set is kept beside it: its identity is its own as long as it lives.
            known = self._arounds[id(nodes)] = (nodes, Around(self._reader, nodes))
        return known[1]

    def _way(self, match: Match) -> _Way:
        # Words of sharing ask for a step back, which only such a step gives them.
        span = (match.span - self._cues or match.span) if self._cues else match.span
        hops = match.reading.hops
        # A phrase that is only a question word leads on once at most.
        bare = all(self._tokens[i].norm in WH_WORDS for i in match.span)
        return _Way(match, hops, reverse(hops), match.span & self._content, span, bare)

    def _goes_on(self, candidate: Candidate) -> bool:
        """Tell whether there are words left for one more hop."""
        open_ = self._content - candidate.covered
        return bool(not candidate.edges or open_ or self._cues)

    def _walks_ahead(self, options: Iterable[Option], around: Around) -> None:
        """Ask together for the second hops of phrases that stand for several."""
        if not self._reader.looks_ahead:
            return
        reached: dict[Value, None] = {}
        edges: dict[Edge, None] = {}
        for option in options:
            kept = around.present(option.hops[0]) if len(option.hops) > 1 else None
            if kept:
                reached.update(dict.fromkeys(around.reached(kept)[:_LOOKED_AT]))
                edges.update(dict.fromkeys(option.hops[1]))
        self._reader.ahead(reached, edges)

    def _take(
        self, candidate: Candidate, option: Option, anchor: Mention, around: Around
    ) -> Candidate | None:
        order = _order(option.span, anchor, self._tokens, self._focus)
        grown = candidate
        for number, hop in enumerate(option.hops):
            seen = around if not number else self._around(grown.nodes)
            kept = seen.present(hop)
            if kept is None:
                return None
            use = EdgeUse(
                kept,
                option.span,
                option.strength,
                option.agreement,
                order,
                not option.span,
                option.back,
                option.licensed,
                group=option.reading.group if option.reading else "",
            )
            grown = grown.follow(use, seen.reached(kept))
        word = option.reading
        if word is not None and (word.without or word.having):
            left = (word.without, word.having)
            return left_over(candidate, grown, option.hops[0], *left, self._reader)
        if len(option.hops) > 1 or not self._returns(candidate, option.hops[0]):
            return grown
        return _fresh(candidate, grown)

    @staticmethod
    def _returns(candidate: Candidate, hop: Hop) -> bool:
        """Tell whether ``hop`` goes back along the hop taken before."""
        if not candidate.edges or not hop:
            return False
        return set(reverse((hop,))[0]) <= set(candidate.edges[-1].hop)

    def _back(self, candidate: Candidate, last: EdgeUse, around: Around) -> list[Option]:
        """Steps back along the last hop ("films that share a director with X").

        Words of sharing speak for one, and nouns for what has authors, directors and the like.
        """
        hops = reverse((last.hop,))
        if around.present(hops[0]) is None:
            return []
        taken = frozenset(i for use in candidate.edges if use.back for i in use.span)
        cues = self._cues - taken
        options = [Option(hops, cues, 0.9, 1.0, True)] if cues else []
        if not cues and any(name in self._scalars for name, _ in hops[0]):
            return options  # what has the same year has little in common
        landed = around.reached(hops[0])
        for way in self._works:
            span = way.match.span
            if not span & candidate.covered and self._reader.any_of(landed, way.against[0]):
                strength = 0.92 if cues else 0.85
                options.append(Option(hops, span | cues, strength, 1.0, True))
        return options

    def _options(self, candidate: Candidate, at: tuple[int, int], around: Around) -> list[Option]:
        single: list[tuple[Match, Hop, float]] = []
        options: list[Option] = []
        walks: list[Option] = []
        for way in self._ways:
            match, fresh = way.match, way.fresh
            if fresh <= candidate.covered and (fresh or match.span & candidate.covered):
                continue
            if candidate.edges and way.bare:
                continue
            preferred = facing(match, at, self._tokens)
            for forward in (True, False):
                hops = way.along if forward else way.against
                agreement = _agreement(preferred, forward)
                if self._cues:  # "who acted together with X": X acted as well
                    agreement = max(agreement, _SHARED)
                if len(hops) == 1 and not match.reading.without:
                    for present in self._present(match, hops[0], around):
                        single.append((match, present, agreement))
                        strength = match.reading.strength
                        options.append(Option((present,), way.span, strength, agreement))
                elif forward:
                    one = match.reading
                    walks.append(Option(hops, match.span, one.strength, agreement, reading=one))
        # Phrases are held against each other, which is dear where a question has many of them.
        phrases = len({(match.start, match.end) for match, _, _ in single})
        self._reader.effort.spend(len(single) * (1 + phrases // _HELD))
        return options + walks + combined(single, self._tokens) + coordinated(single, self._tokens)

    def _present(self, match: Match, hop: Hop, around: Around) -> list[Hop]:
        """Return what is there of a union; where numbers are asked for, those alone as well."""
        present = around.present(hop)
        if present is None:
            return []
        present = self._own(match, present)
        numbers = tuple(edge for edge in present if self._counting and around.numeric(edge))
        return [present, numbers] if numbers and numbers != present else [present]

    def _own(self, match: Match, hop: Hop) -> Hop:
        """Return what of a union goes by the very words of a phrase, where something does.

        Who says "members" asks for no parts, as long as there are members.
        """
        if self._index is None or len(hop) < 2:
            return hop
        said = {self._tokens[at].stem for at in match.span} - _SMALL
        own = tuple(
            edge
            for edge in hop
            if said and set(stems(self._index.name_of(edge[0]))) - _SMALL == said
        )
        return own or hop


def _fresh(before: Candidate, grown: Candidate) -> Candidate | None:
    """Leave out where the walk came from: who shares something with X is not X."""
    origin = before.history[-2]
    start = before.links[0].ids if len(before.history) == 2 else ()
    kept = tuple(v for v in grown.nodes if not (isinstance(v, EntityValue) and v.id in start))
    return grown.without(origin, kept) if kept else None


def _promise(candidate: Candidate) -> float:
    """How promising a candidate is while growing: words covered, well and in order."""
    covered = len(candidate.covered)
    strength = sum([edge.strength * edge.agreement for edge in candidate.edges])
    silent = sum([edge.silent for edge in candidate.edges])
    return covered + strength - 1.5 * len(candidate.edges) - 0.5 * silent


def _place(span: frozenset[int], anchor: Mention) -> tuple[int, int]:
    """Where the next hop is seen from: the words of the last one, or the mention."""
    return (min(span), max(span) + 1) if span else (anchor.start, anchor.end)


def _order(
    span: frozenset[int], anchor: Mention, tokens: Sequence[Token], focus: frozenset[int]
) -> int:
    """Where words stand relative to the mention: beside it, left of it, then right of it.

    Words left of a mention belong to the noun phrase it closes ("the films written by the
    writer of X"), and so do those right behind it ("X's films"); what follows is said of the
    whole phrase. What is asked for comes last, unless it is what X has ("which sons of X").
    """
    if span & focus and not attached(focus, anchor, tokens):
        return _LAST
    left = [anchor.start - i for i in span if i < anchor.start]
    right = [i - anchor.end + 1 for i in span if i >= anchor.end]
    possessive = anchor.end < len(tokens) and tokens[anchor.end].norm == "s"
    if right and min(right) == 1 + possessive and (possessive or compound(anchor, tokens)):
        return 0
    if left:
        return min(left)
    return _RIGHT + min(right) if right else 0


def goes_against(candidate: Candidate) -> bool:
    """Tell whether a relation is walked against the order of words, as no question asks it."""
    return any(use.agreement <= _AGAINST for use in candidate.edges)


def _agreement(preferred: str, forward: bool) -> float:
    if preferred == "either":
        return 1.0 if forward else 0.95
    return 1.0 if (preferred == "out") == forward else _AGAINST
