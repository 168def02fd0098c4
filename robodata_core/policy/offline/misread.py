"""Readings that rest on a word taken for another: wrong whatever else they account for.

A preposition or an adjective passed over, a part of a phrase that means something else as a whole,
a step there and back that no word asks for: such a reading answers another question. What is
looked at here are words and steps alone; nothing of a graph is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.policy.offline.candidate import Candidate, EdgeUse
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.relations import Match, flip, names_works
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    COPULAS,
    INDEFINITE,
    PREPOSITIONS,
    WH_WORDS,
    Token,
    said,
    shared_by,
    stems,
)
from robodata_core.programs.steps import Follow

__all__ = ["Misread", "counts_instead", "leads_past_own"]

#: Prepositions that say something else than "in", "of" and the like do.
_PLACED: Final = said("placed")
#: Adjectives that narrow nothing down that a graph could tell.
_PRAISE: Final = said("praise")
_WANTS: Final = said("wanting")
_TWICE: Final = said("once more")
_BEFORE_NOUN: Final = said("before kind")
_RANKS: Final = said("rank")
_BEFORE_RANK: Final = ARTICLES | said("owner")
_ONLY_ONE: Final = ARTICLES | said("not the only")
_DOING: Final = said("doing")
_TYPED: Final = sorted("the")  # "teh"
_SURELY: Final = 0.9
_TWO: Final = 2
_ASKS_FOR: Final = said("asks for")
_BESIDE: Final = 0.5
_CONTENT: Final = 1.0
_SHOWN: Final = said("shown")
_WHOLE_NAME: Final = 0.96
_LESS_KNOWN: Final = 0.35
_VERBS_BEHIND: Final = AUXILIARIES - COPULAS


@dataclass(frozen=True, slots=True)
class Misread:
    """Tells readings of one request that take a word for another.

    Attributes:
        tokens: The question.
        request: What is asked for.
        linking: What it names.
        matches: Readings of its phrases.
        weights: What its words weigh, those that carry meaning.
    """

    tokens: Sequence[Token]
    request: Request
    linking: Linking
    matches: Sequence[Match]
    weights: Mapping[int, float]

    def __call__(self, candidate: Candidate, kind: str, accounted: Callable[[int], float]) -> bool:
        """Tell whether a reading takes a word for another or passes it over.

        Args:
            candidate: The reading.
            kind: What its answers are (person, place, ...), empty where that is not known.
            accounted: How far it accounts for a word, 0 to 1.
        """
        named = frozenset(i for link in candidate.links for i in link.mention.span)
        told = candidate.covered | named
        if candidate.final in ("yes", "no"):
            return self._leaves_kind(named) or self._leaves_doing(candidate, accounted)
        return (
            self._leaves_small(candidate, told)
            or self._leaves_head(named, accounted)
            or self._leaves_rest(candidate, accounted)
            or self._leaves_wish(told)
            or self._lists_open(candidate, accounted)
            or self._leaves_adjective(candidate, accounted)
            or self._leaves_participle(candidate, accounted)
            or self._leaves_verb(candidate, accounted)
            or self._leaves_rank(told)
            or self._counts_dead(candidate)
            or counts_instead(candidate, self.matches)
            or self._by_part(candidate)
            or self._turned(candidate)
            or leads_past_own(candidate, self.tokens, self.matches)
            or self._there_and_back(candidate)
            or self._leaves_there(candidate)
            or self._repeats_shown(candidate)
            or self._leads_from_verb(candidate)
            or self._leaves_whole(candidate)
            or self._by_verb_part(candidate)
            or self._less_known(candidate)
            or (bool(candidate.relaxed) and self._in_part(candidate))
            or (kind == "place" and self.request.wanted == "person" and self._by_place(candidate))
        )

    def _leaves_kind(self, named: frozenset[int]) -> bool:
        """Tell whether "a N" at the end of a yes or no is passed over: "is ... a city"."""
        return any(
            mention.exact and not mention.proper and mention.start > self.request.start
            and self.tokens[mention.start - 1].norm in INDEFINITE
            and not mention.span & named
            and not any(t.word for t in self.tokens[mention.end : self.request.end])
            for mention in self.linking.mentions
        )  # fmt: skip

    def _leaves_head(self, named: frozenset[int], accounted: Callable[[int], float]) -> bool:
        """Tell whether the noun that a question begins with is passed over: "films by ..."."""
        at = min(self.weights, default=-1)
        while at in self.weights and at + 1 in self.weights:
            at += 1
        words = self.tokens[self.request.start : max(at, 0)]
        if self.request.focus or any(token.norm in WH_WORDS for token in words) or at in named:
            return False
        begins = self.weights.get(at, 0.0) >= _CONTENT and accounted(at) <= _BESIDE
        behind = self.tokens[at + 1].norm if at + 1 < self.request.end else ""
        return begins and behind in PREPOSITIONS

    def _leaves_rest(self, candidate: Candidate, accounted: Callable[[int], float]) -> bool:
        """Tell whether a word behind a noun taken for a title is passed over: "the brothers X"."""
        return any(
            not mention.proper and mention.is_name and mention.start > self.request.start
            and self.tokens[mention.start - 1].norm in ARTICLES
            and self.weights.get(mention.end, 0.0) >= _CONTENT and accounted(mention.end) <= _BESIDE
            for mention in (link.mention for link in candidate.links)
        )  # fmt: skip

    def _leaves_small(self, candidate: Candidate, told: frozenset[int]) -> bool:
        """Tell whether a telling preposition before a name is passed over: "near Paris"."""
        for link in candidate.links:
            at = link.mention.start - 1
            while at > self.request.start and self.tokens[at].norm in ARTICLES:
                at -= 1
            if at < self.request.start or self.tokens[at].norm not in _PLACED:
                continue
            said = any(
                m.reading.strength >= _SURELY and at in m.span and m.end - m.start > 1
                and any(use.span & m.span for use in candidate.edges)
                for m in self.matches
            )  # fmt: skip
            if at not in told and not said:
                return True
        return False

    def _leaves_wish(self, told: frozenset[int]) -> bool:
        """Tell whether what somebody only wants or refuses is taken as done."""
        return any(
            self.tokens[i].norm in _WANTS and self.tokens[i + 1].norm == "to" and i not in told
            for i in range(self.request.start + 1, self.request.end - 1)
            if self.tokens[i - 1].norm not in ("i", "we", "you")
        )

    def _lists_open(self, candidate: Candidate, accounted: Callable[[int], float]) -> bool:
        """Tell whether all of a class are given though a word of the question is left over."""
        if candidate.edges or not candidate.typed or candidate.final not in ("set", "count"):
            return False
        labels = [
            e.label for one in candidate.links for e in one.mention.entities if e.id in one.ids
        ]
        said = {word for label in labels for word in stems(label)}
        return any(
            weight >= _CONTENT and accounted(i) <= _BESIDE
            and self.tokens[i].norm not in _PRAISE and self.tokens[i].stem not in said
            for i, weight in self.weights.items()
        )  # fmt: skip

    def _leaves_adjective(self, candidate: Candidate, accounted: Callable[[int], float]) -> bool:
        """Tell whether a word before the class that is asked for is passed over."""
        for link in candidate.links:
            mention = link.mention
            at = mention.start - 1
            if mention.proper:
                continue
            if at in self.weights and self.weights[at] >= _CONTENT and accounted(at) <= _BESIDE:
                token = self.tokens[at]
                plain = not token.capitalised or at == self.request.start
                if plain and token.norm not in _PRAISE and sorted(token.norm) != _TYPED:
                    return True
        return False

    def _leaves_verb(self, candidate: Candidate, accounted: Callable[[int], float]) -> bool:
        """Tell whether the verb between a noun and a name is passed over: "which label sued X"."""
        for link in candidate.links:
            at = link.mention.start - 1
            while at > self.request.start and self.tokens[at].norm in ARTICLES:
                at -= 1
            noun = max(self.request.focus, default=-1)
            verb = noun == at - 1 and not self.tokens[at].capitalised
            if not verb or not link.mention.proper:
                continue
            if self.weights.get(at, 0.0) >= _CONTENT and accounted(at) <= _BESIDE:
                return True
        return False

    def _leaves_doing(self, candidate: Candidate, accounted: Callable[[int], float]) -> bool:
        """Tell whether a yes or no leaves out the verb behind its subject: "does X heat Y"."""
        if self.tokens[self.request.start].norm not in _DOING:
            return False
        ends = {link.mention.end for link in candidate.links}
        return any(
            self.weights.get(at, 0.0) >= _CONTENT and accounted(at) <= _BESIDE
            for at in ends & {min(ends, default=0)}
        )

    def _leaves_rank(self, told: frozenset[int]) -> bool:
        """Tell whether "first", "only" or "each other" is passed over."""
        words = [i for i in range(self.request.start, self.request.end) if self.tokens[i].word]
        if words and self.tokens[words[-1]].norm in _RANKS and words[-1] not in told:
            return True
        for at in words[1:-1]:
            word, before, behind = (self.tokens[i].norm for i in (at, at - 1, at + 1))
            if at in told:
                continue
            if word in _RANKS and (at in self.request.focus or before in _BEFORE_RANK):
                return True
            if word == "only" and before not in _ONLY_ONE:
                return True
            if (word, behind) in (("each", "other"), ("one", "another")):
                return True
        return False

    def _counts_dead(self, candidate: Candidate) -> bool:
        """Tell whether what an adjective says of those counted is counted: "how many are dead"."""
        if candidate.final != "count" or len(candidate.path) <= 1:
            return False
        last = candidate.path[-1].span
        behind = self.tokens[max(last, default=-1) + 1 : self.request.end] if last else ()
        after = bool(last) and self.tokens[min(last) - 1].norm in COPULAS
        return after and not any(token.word for token in behind)

    def _leaves_participle(self, candidate: Candidate, accounted: Callable[[int], float]) -> bool:
        """Tell whether the verb that "has" or "can" leaves for the end is passed over."""
        if candidate.final not in ("set", "count") or not candidate.path or not candidate.links:
            return False
        last = max(self.weights, default=-1)
        ends = max(link.mention.end for link in candidate.links)
        starts = min(link.mention.start for link in candidate.links)
        if last < ends or self.weights[last] < _CONTENT or accounted(last) > _BESIDE:
            return False
        before = {token.norm for token in self.tokens[self.request.start : starts]}
        if before & COPULAS:
            behind = any(token.word for token in self.tokens[last + 1 : self.request.end])
            return not behind and self.tokens[last].norm.endswith("ed")
        return bool(before & _VERBS_BEHIND)

    def _by_part(self, candidate: Candidate) -> bool:
        """Tell whether part of the noun that is asked for is read, which means more as a whole."""
        focus = self.request.focus
        for use in candidate.path:
            used = {name for name, _ in use.hop}
            for match in self.matches:
                if match.reading.kind != "noun" or match.reading.strength < _SURELY:
                    continue
                part = bool(use.span) and use.span < match.span and bool(match.span & focus)
                said = match.reading.relations
                if part and max(use.span) + 1 == match.end and said and not used & said:
                    return True
        return False

    def _turned(self, candidate: Candidate) -> bool:
        """Tell whether the noun that is asked for is walked backwards after another step.

        What has a "record company" is not one; nor does "film" before its own name lead to those
        in it.
        """
        path = candidate.path
        if not path or not candidate.links:
            return False
        head = max(self.request.focus, default=-1)
        last = path[-1].span
        same = bool(last) and min(last) > 0 and self.tokens[min(last) - 1].norm == "same"
        asked = len(path) > 1 and not candidate.typed and (head in last or same)
        if asked and self._against(path[-1]):
            return True
        first, start = path[0], candidate.links[0].mention
        beside = bool(first.span) and max(first.span) + 1 == start.start
        works = [m for m in self.matches if m.span == first.span and names_works(m)]
        kind = bool(first.span) and first.span <= self.request.focus
        return bool(beside or kind) and bool(works) and start.proper and self._against(first)

    def _against(self, use: EdgeUse) -> bool:
        """Tell whether a hop goes against all nouns that name it."""
        nouns = [m for m in self.matches if m.span == use.span and m.reading.kind == "noun"]
        edges = set(use.hop)
        flipped = {(name, flip(way)) for name, way in use.hop}
        said = {edge for m in nouns for hop in m.reading.hops for edge in hop}
        before = self.tokens[min(use.span) - 1].norm if min(use.span, default=0) else ""
        others = before not in _BEFORE_NOUN and any(
            m.span == use.span and m.reading.kind != "noun" for m in self.matches
        )
        return bool(nouns) and not others and not edges & said and bool(flipped & said)

    def _there_and_back(self, candidate: Candidate) -> bool:
        """Tell whether one word is walked there and back, where none asks for what is shared."""
        asked = range(self.request.start, self.request.end)
        if any(self.tokens[i].norm in _TWICE or shared_by(self.tokens, i) for i in asked):
            return False
        return any(
            bool({(n, flip(w)) for n, w in b.hop} & set(a.hop))
            and bool(a.span) and bool(b.span) and not (b.back or b.licensed)
            and (b.span <= a.span or a.span <= b.span)
            and not any(m.span & a.span and len(m.reading.hops) > 1 for m in self.matches)
            for a, b in zip(candidate.path, candidate.path[1:], strict=False)
        )  # fmt: skip

    def _leaves_there(self, candidate: Candidate) -> bool:
        """Tell whether "there" at the end is passed over: "were born in X and died there"."""
        at = self.request.end - 1
        while at > self.request.start and (
            not self.tokens[at].word or self.tokens[at].norm in ("too", "also")
        ):
            at -= 1
        there = self.tokens[at].norm == "there" and at not in candidate.covered
        if there:
            return self.weights.get(at - 1, 0.0) >= _CONTENT
        before = " ".join(token.norm for token in self.tokens[max(0, at - 3) : at])
        return before == "in the same" or before.endswith((" in that", " in this", " at that"))

    def _leads_from_verb(self, candidate: Candidate) -> bool:
        """Tell whether a noun that a verb has as its own is walked behind it.

        "Which countries does X border" does not ask for the countries of what X borders; "in
        which country was X born" does, and "which country was X born in".
        """
        focus, path = self.request.focus, candidate.path
        if len(path) < _TWO or not path[-1].span or not path[-1].span <= focus:
            return False
        first, last = min(focus), self.request.end - 1
        while last > first and not self.tokens[last].word:
            last -= 1
        before = self.tokens[first - 2].norm if first > 1 else ""
        asked = first > 0 and self.tokens[first - 1].norm in _ASKS_FOR
        if not asked or {before, self.tokens[last].norm} & PREPOSITIONS:
            return False
        words = [i for use in path[:-1] for i in use.span]
        verbs = {i for m in self.matches if m.reading.kind == "verb" for i in m.span}
        if not words or min(words) < max(focus) or not set(words) <= verbs:
            return False
        return "of" not in (self.tokens[i].norm for i in (*words, min(max(words) + 1, last)))

    def _repeats_shown(self, candidate: Candidate) -> bool:
        """Tell whether what is pointed back to is walked again: "a brother. That brother"."""
        spans = [(use.hop, use.span) for use in candidate.path if use.span]
        return any(
            hop == earlier and min(span) > max(first) and self.tokens[min(span) - 1].norm in _SHOWN
            for at, (hop, span) in enumerate(spans)
            for earlier, first in spans[:at]
        )

    def _leaves_whole(self, candidate: Candidate) -> bool:
        """Tell whether more words than those read name another relation together.

        So it is with the nouns that are asked for: "which ethnic group".
        """
        used = {name for use in candidate.edges for name, _ in use.hop}
        if not candidate.path or candidate.typed:
            return False
        focus = self.request.focus
        said = {
            name
            for match in self.matches
            if len(focus) > 1 and match.span == focus and match.reading.strength >= _SURELY
            and match.reading.kind == "noun"
            for hop in match.reading.hops
            for name, _ in hop
        }  # fmt: skip
        return bool(said) and not used & said

    def _by_verb_part(self, candidate: Candidate) -> bool:
        """Tell whether part of a verb is read that means more as a whole: "live together"."""
        used = {name for use in candidate.edges for name, _ in use.hop}
        # What stands before a noun may be its own: "played in X", but "what did X die of".
        said = [i for i in range(self.request.start, self.request.end) if self.tokens[i].word]
        return any(
            bool(use.span) and use.span < match.span
            and (said[-1] in match.span - use.span
                 or not {self.tokens[i].norm for i in match.span - use.span} <= PREPOSITIONS)
            and not used & match.reading.relations
            for use in candidate.path
            for match in self.matches
            if match.reading.kind == "verb" and match.reading.strength >= _SURELY
        )  # fmt: skip

    def _less_known(self, candidate: Candidate) -> bool:
        """Tell whether part of a name is taken for somebody far less known than another."""
        for link in candidate.links:
            most = max((item.popularity for item in link.mention.entities), default=0)
            mine = [i.popularity for i in link.mention.entities if i.id in link.ids]
            if mine and link.quality < _WHOLE_NAME and max(mine) < _LESS_KNOWN * most:
                return True
        return False

    def _in_part(self, candidate: Candidate) -> bool:
        """Tell whether a common word is taken for a longer name that holds it."""
        return any(
            not link.mention.proper and link.mention.entities and link.quality < _WHOLE_NAME
            for link in candidate.links
        )

    def _by_place(self, candidate: Candidate) -> bool:
        """Tell whether the last step leads to where somebody is: "who lives with X"."""
        if not candidate.path:
            return False
        edges = set(candidate.path[-1].hop)
        return any(
            match.reading.answer == "place" and edges & set(match.reading.hops[-1])
            and match.span & candidate.path[-1].span
            for match in self.matches if match.reading.hops
        )  # fmt: skip


def leads_past_own(candidate: Candidate, tokens: Sequence[Token], matches: Sequence[Match]) -> bool:
    """Tell whether what a name has is not walked first, as in "the husband of X's daughter".

    Args:
        candidate: The reading.
        tokens: The question.
        matches: Readings of its phrases.
    """
    ends = (i for link in candidate.links for i in (link.mention.end - 1, link.mention.end))
    own = next((i + 1 for i in ends if 0 < i < len(tokens) and tokens[i].norm == "s"), len(tokens))
    said = {name for m in matches if m.start == own for name in m.reading.relations}
    walked = [said.isdisjoint(s.properties) for s in candidate.steps if isinstance(s, Follow)]
    return walked[:1] == [True] and not all(walked)


def counts_instead(candidate: Candidate, matches: Sequence[Match]) -> bool:
    """Tell whether things are counted that a graph states a number of: those who live in a city.

    Those whom it says so of are few of those who live there.

    Args:
        candidate: The reading.
        matches: Readings of the question's phrases.
    """
    if candidate.final != "count":
        return False
    used = {name for use in candidate.edges for name, _ in use.hop}
    said = [(m, m.reading.relations) for m in matches]
    walked = {i for m, names in said if m.reading.kind == "verb" and names & used for i in m.span}
    return any(
        m.reading.answer == "number" and m.reading.kind == "noun"
        and m.reading.strength >= _SURELY and not names & used
        and bool(walked & m.span & candidate.covered)
        for m, names in said
    )  # fmt: skip
