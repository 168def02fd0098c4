"""How good a candidate is: named features, one linear combination, one confidence.

Everything that decides between candidates is a feature here, so that weights may be learnt and
a choice explained. ``confidence`` maps the score to [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from robodata_core.model import Direction, EntityValue, Value
from robodata_core.policy.offline import guards
from robodata_core.policy.offline.answer_kinds import AnswerKinds, is_person
from robodata_core.policy.offline.asking import noun_type
from robodata_core.policy.offline.candidate import Candidate, EdgeUse
from robodata_core.policy.offline.facing import attached
from robodata_core.policy.offline.links import belonging_links
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.misread import Misread
from robodata_core.policy.offline.of_class import gives_kinds, is_turned
from robodata_core.policy.offline.phrases import Phrases, phrases_over
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import PREPOSITION, RelationIndex
from robodata_core.policy.offline.relations import Match, flip, focus_names
from robodata_core.policy.offline.weights import Weights, content_of
from robodata_core.policy.offline.whole_nouns import asks_within, beyond_place, leaves_head
from robodata_core.policy.offline.words import (
    AUXILIARIES,
    COPULAS,
    DENYING,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    Token,
    said,
    stems,
)

__all__ = ["Ranker"]

_NEGATIONS: Final = DENYING | said("negation")
_LOST_WEIGHT: Final = 3.0
#: What a hop counts that goes on from whatever a preposition joins.
_FROM_ANYTHING: Final = 1.3
_LISTING: Final = said("listing")
_SAYS_LITTLE: Final = FUNCTION_WORDS | GENERIC_NOUNS
_NOTHING: Final = Phrases()


@dataclass(frozen=True, slots=True)
class Ranker:
    """Scores candidates of one request; what they share is worked out once."""

    reader: Reader
    index: RelationIndex
    tokens: Sequence[Token]
    request: Request
    linking: Linking
    matches: tuple[Match, ...]
    weights: Weights = Weights()
    _content: Mapping[int, float] = field(init=False, repr=False)
    _shares: Mapping[int, float] = field(init=False, repr=False)
    _phrases: Mapping[int, Phrases] = field(init=False, repr=False)
    _negations: frozenset[int] = field(init=False, repr=False)
    _kinds: AnswerKinds = field(init=False, repr=False)

    def __post_init__(self) -> None:
        content = {**content_of(self.tokens, self.request), **dict(self._stranded())}
        # "US" is a name, whatever "us" is.
        for mention in self.linking.mentions:
            if mention.proper and mention.end == mention.start + 1:
                content.setdefault(mention.start, 1.0)
        named = frozenset(i for mention in self.linking.mentions for i in mention.span)
        asked = range(self.request.start, self.request.end)
        opening = {i for i in asked[:1] if self.tokens[i].norm in DENYING}
        # "Isn't X a Y?" asks what "Is X a Y?" does.
        negations = (i for i in asked if self.tokens[i].norm in _NEGATIONS and i not in opening)
        object.__setattr__(self, "_content", content)
        object.__setattr__(self, "_shares", self._shared(content))
        object.__setattr__(self, "_phrases", phrases_over(self.matches))
        object.__setattr__(self, "_negations", frozenset(negations) - named)
        object.__setattr__(self, "_kinds", AnswerKinds(self.reader, self.index))

    def _stranded(self) -> Iterator[tuple[int, float]]:
        """Yield the last word where it alone names a relation: what something is "for"."""
        end = self.request.end
        while end > self.request.start and not self.tokens[end - 1].word:
            end -= 1
        alone = [m for m in self.matches if (m.start, m.end) == (end - 1, end)]
        before = {hop for m in self.matches if m.end < end for hop in m.reading.hops}
        if any(m.reading.kind == "noun" and before.isdisjoint(m.reading.hops) for m in alone):
            yield end - 1, 1.0

    def score(self, candidate: Candidate) -> float:
        """Return the score of a candidate."""
        return self.weights.score(self.features(candidate))

    def features(self, candidate: Candidate) -> Mapping[str, float]:
        """Describe a candidate by numbers.

        coverage: share of the question's content that steps and mentions account for.
        open: how many content words nothing accounts for.
        negated: whether a negation is left without effect.
        strength: how surely its words name its relations, on average.
        agreement: how well directions fit the wording, the worst counting most.
        order: share of neighbouring hops in the order of their words.
        link: quality of its worst mention.
        hops: hops beyond the first.
        beyond: hops that lead away from what is asked for ("which sons of X have ...").
        silent: hops no word names.
        returning: hops back along the one before that no word of sharing asks for.
        width: how many alternatives its unions hold.
        type_fit: -1 to 1, whether answers are of the expected kind.
        focus: whether the noun in focus names the last hop or the class of the answers.
        truth: whether what is judged holds.
        relaxed: classes that had to be dropped.
        lost: names of the question that nothing is known for.
        popularity: how well known its entities are.
        """
        edges = candidate.edges
        count = max(1, len(edges))
        coverage, uncovered = self._coverage(candidate)
        return {
            "coverage": coverage,
            "open": uncovered,
            "negated": float(bool(self._negations - candidate.covered)),
            "strength": sum(e.strength for e in edges) / count if edges else 0.9,
            "agreement": _agreement(edges),
            "order": _ordered(candidate),
            "link": min((link.quality for link in candidate.links), default=0.8),
            "hops": _hops(candidate),
            "beyond": self._beyond(candidate),
            "silent": float(sum(e.silent for e in edges)),
            "returning": _returning(candidate),
            "width": sum(_width(e) for e in edges),
            "type_fit": self._type_fit(candidate),
            "focus": self._focus(candidate),
            "truth": candidate.bonus,
            "relaxed": float(len(candidate.relaxed)),
            "lost": float(bool(self.linking.unlinked)),
            "popularity": self._popularity(candidate),
        }  # fmt: skip

    def _coverage(self, candidate: Candidate) -> tuple[float, float]:
        """Return the covered share of the content, and how much of it is quite uncovered."""
        total = got = open_ = 0.0
        for index, weight in self._shares.items():
            share = self._accounted(index, candidate)
            total += weight
            got += weight * share
            open_ += weight * (share < 0.3)
        return (got / total if total else 0.5), open_

    def _shared(self, weights: Mapping[int, float]) -> dict[int, float]:
        """Return weights of content words; the words of one name share the weight of one."""
        content = dict(weights)
        for index in self.linking.lost:
            if index in content:
                content[index] = _LOST_WEIGHT
        for mention in self.linking.mentions:
            inside = [i for i in mention.span if i in content]
            for index in inside:
                content[index] = min(content[index], 1.0) / len(inside)
        return content

    def _accounted(self, index: int, candidate: Candidate) -> float:
        """Return how far a candidate accounts for a word, 0 to 1."""
        if index in candidate.covered:
            return 1.0
        if any(index in link.mention.span for link in candidate.links):
            return 1.0
        if index in self.linking.lost:
            return 0.0
        if candidate.relaxed and index in self.request.focus:
            return 0.7
        if self._describes(index, candidate):
            return 0.95
        if self._repeats(index, candidate):
            return 0.4
        if self._beside_mention(index, candidate) and not self._is_relation(index, candidate):
            return 0.5
        return self._in_focus(index, candidate)

    def _repeats(self, index: int, candidate: Candidate) -> bool:
        """Tell whether a word says again what a hop already does."""
        said = self._over(index).edges
        return any(edge in said for use in candidate.edges for edge in use.hop)

    def _in_focus(self, index: int, candidate: Candidate) -> float:
        """Return how far the noun that is asked for may be taken as given."""
        if index not in self.request.focus:
            return 0.0
        if noun_type(self.tokens[index].norm):
            return 0.8 if self._type_fit(candidate) == 1.0 else 0.0
        last = index == max(self.request.focus)
        return 0.6 if last and self._untold(index, candidate) else 0.0

    def _untold(self, index: int, candidate: Candidate) -> bool:
        """Tell whether the graph could not say of the answers that they are what was asked for.

        So it is if they have no types and the noun names no relation of anything on the way.
        """
        if any(self._is_relation(index, candidate, nodes) for nodes in candidate.stations):
            return False
        if self._over(index).strength >= 1.0:
            return False  # the graph has a relation of that very name
        if any(index in mention.span for mention in self.linking.mentions):
            return False  # the graph knows such a class, and does not say it of these
        if all(self.tokens[i].norm in AUXILIARIES for use in candidate.edges for i in use.span):
            return False  # "what colour is X": that it is something tells of no colour
        first = min(self.request.focus)
        if not first or self.tokens[first - 1].norm not in ("which", "what"):
            return False  # "what is the N of X" names a relation
        ids = [value.id for value in candidate.nodes[:8] if isinstance(value, EntityValue)]
        found = self.reader.entities(ids)
        return bool(ids) and not any(item.types for item in found.values())

    def _is_relation(self, index: int, candidate: Candidate, nodes: tuple[Value, ...] = ()) -> bool:
        """Tell whether a word names a relation that some nodes (the first ones) have."""
        first = nodes or (candidate.stations[0] if candidate.stations else candidate.nodes)
        return any(
            not hop or self.reader.any_of(first, hop) for hop in self._over(index).either_way
        )

    def _over(self, index: int) -> Phrases:
        """Return what the phrases that hold a word say."""
        return self._phrases.get(index, _NOTHING)

    def _describes(self, index: int, candidate: Candidate) -> bool:
        """Tell whether a noun says what some nodes on the way are.

        "Films" are what has directors and actors, an "actor" is who is one of something: the
        relations that the noun stands for tell, where a graph has no classes.
        """
        stations = (*candidate.stations, candidate.nodes)
        first = stations[0]
        if index == max(self.request.focus, default=-1):
            if self._labelled(index, candidate):
                return True
            stations = (candidate.nodes,)
        nouns = self._over(index).nouns
        beside = (
            bool(nouns) and not self._before_of(index) and self._beside_mention(index, candidate)
        )
        any_of = self.reader.any_of
        return any(
            (beside and any_of(first, back))
            or (works and any(any_of(nodes, back) for nodes in stations))
            for back, works in nouns
        )

    def _labelled(self, index: int, candidate: Candidate) -> bool:
        """Tell whether most answers have the noun in their label ("which awards": X Award)."""
        ids = [value.id for value in candidate.nodes[:8] if isinstance(value, EntityValue)]
        labels = [item.label for item in self.reader.entities(ids).values()]
        hits = sum(self.tokens[index].stem in stems(label) for label in labels)
        return 2 * hits > len(labels) > 0

    def _before_of(self, index: int) -> bool:
        return index + 1 < len(self.tokens) and self.tokens[index + 1].norm == "of"

    def _beside_mention(self, index: int, candidate: Candidate) -> bool:
        """Tell whether a noun only says what a mention is ("the film X", "X company")."""
        kinds = self._over(index).kinds
        if "verb" in kinds and "noun" not in kinds:
            return False
        for link in candidate.links[:1]:
            start, end = link.mention.start, link.mention.end
            owns = self.tokens[end - 1].norm == "s" and end - start > 1
            if index == start - 1 or (index == end and not owns):
                return True
            between = [self.tokens[i].norm for i in range(index + 1, start)]
            if between in (["the"], ["of"], ["called"], ["named"]):
                return True
        return False

    def _beyond(self, candidate: Candidate) -> float:
        path = candidate.path
        focus = self.request.focus
        if path and candidate.links and path[-1].span & focus and self._equated(candidate):
            return 1.0
        if len(path) < 2 or not candidate.links or any(use.back for use in path):
            return 0.0
        first = path[0].span & focus and not path[-1].span & focus
        last = path[-1].span & focus and not path[0].span & focus
        held = attached(focus, candidate.links[0].mention, self.tokens)
        return float(bool(held and (first or last)))

    def _equated(self, candidate: Candidate) -> bool:
        """Tell whether what is asked for *is* a mention: "which states are monarchies"."""
        focus = self.request.focus
        mention = candidate.links[0].mention
        start, end = mention.start, mention.end
        if mention.proper:
            return False  # "what genre is X" asks for the genre of X
        if any(token.word for token in self.tokens[end : self.request.end]):
            return False  # "which labels was X on"
        gap = {token.norm for token in self.tokens[max(focus, default=start) + 1 : start]}
        return bool(gap & COPULAS) and gap <= COPULAS | _LISTING

    def _names_last(self, candidate: Candidate) -> bool:
        """Tell whether the noun in focus names the last hop ("which instruments")."""
        path = candidate.path
        return bool(path) and focus_names(path[-1].hop, self.request.focus, self.matches)

    def _focus(self, candidate: Candidate) -> float:
        focus = frozenset(i for i in self.request.focus if self.tokens[i].norm not in _SAYS_LITTLE)
        if not focus:
            return 1.0
        head = max(focus)
        if candidate.typed or self._names_last(candidate) or self._describes(head, candidate):
            return 1.0
        if self._untold(head, candidate):
            return 0.6
        return 0.3 if focus & candidate.covered else 0.0

    def _popularity(self, candidate: Candidate) -> float:
        for link in candidate.links:
            for item in link.mention.entities:
                if item.id in link.ids:
                    best = max(e.popularity for e in link.mention.entities)
                    return math.log1p(item.popularity) / math.log1p(best) if best else 1.0
        return 1.0

    # -- types --------------------------------------------------------------------------------

    def _type_fit(self, candidate: Candidate) -> float:
        if candidate.final in ("count", "yes", "no", "number"):
            return 1.0
        if candidate.typed:
            return 1.0
        wanted = self.request.wanted
        if not wanted:
            return 0.7 if self._names_last(candidate) else 0.5
        seen = self._kinds.kind(candidate)
        if seen in ("", "group"):
            return 0.3
        if seen == wanted:
            return 1.0
        return -0.2 if {seen, wanted} == {"thing", "person"} else -1.0

    def lists_instead(self, candidate: Candidate) -> bool:
        """Tell whether a candidate lists a class of which something else is asked."""
        return guards.lists_instead(candidate, self.tokens, self.request, self.matches)

    def denies_unread(self, candidate: Candidate) -> bool:
        """Tell whether a candidate denies what it has not read in full."""
        if candidate.final != "no":
            return False
        named = {i for m in self.linking.mentions if m.proper for i in m.span}
        read = named.union(candidate.covered, *(link.mention.span for link in candidate.links))
        return bool(guards.unread_by_no(candidate, self.tokens, self.request, read))

    def is_turned(self, candidate: Candidate) -> bool:
        """Tell whether a candidate judges a class by a thing, as "is a fruit an apple" does not."""
        words = (self.tokens, self.request, self.matches)
        return is_turned(candidate, self.tokens, self.index) or gives_kinds(
            candidate, *words, self.index
        )

    def misses(self, candidate: Candidate) -> bool:
        """Tell whether a candidate leaves out what is asked for, or gives another kind of it."""
        words = (self.tokens, self.request, self.matches)
        if guards.leaves_verb(candidate, *words, self._content):
            return True
        left = guards.leaves_relation(candidate, self.tokens, self.matches)
        if left or guards.misses_asked(candidate, *words):
            return True
        if guards.denies_by_part(candidate, self.matches):
            return True
        origin = guards.denies_origin(candidate, self.linking, self.reader.any_of)
        if origin or guards.denies_one_of_other(candidate, self.tokens, self.reader.along):
            return True
        told = partial(self._accounted, candidate=candidate)
        if guards.leaves_role(candidate, self.tokens) or guards.leaves_open(
            candidate, self.tokens, self.request, self._content, told
        ):
            return True
        if candidate.relaxed and self._drops_asked(candidate):
            return True
        dropped = guards.lists_all(candidate, self.linking, self.request.focus)
        dropped = dropped or self._leads_nowhere(candidate)
        if dropped or guards.leaves_counted(candidate, *words) or self._of_other_noun(candidate):
            return True
        wanted = self.request.wanted
        if guards.dates_object(candidate, self.tokens, self.request):
            return True
        seen = self._kinds.kind(candidate) if wanted else ""
        other = Misread(self.tokens, self.request, self.linking, self.matches, self._content)
        if self._kinds.misses(candidate, wanted, seen):
            return True
        return self._of_nobody(candidate, seen) or other(candidate, seen, told)

    def _leads_nowhere(self, candidate: Candidate) -> bool:
        """Tell whether things are given for where they are: "where do they go"."""
        asked = self.request.wanted in ("place", "time") and not self.request.focus
        return asked and not candidate.path

    def _of_nobody(self, candidate: Candidate, seen: str) -> bool:
        """Tell whether a question for people leads to whatever, or to kinds of what is idle."""
        if not self.request.wanted:
            return self._lies_unasked(candidate)
        if self.request.wanted != "person":
            return False
        # "Who are its neighbours" does not ask for all that it is tied to.
        whatever = any(not use.hop for use in candidate.path)
        idle = seen in ("", "thing") and self._kinds.are_idle(candidate)
        return whatever or idle

    def _lies_unasked(self, candidate: Candidate) -> bool:
        """Tell whether "in" alone leads to where somebody lives: "what has X been in"."""
        use = candidate.path[0] if len(candidate.path) == 1 else None
        if use is None or self.request.focus or use.strength > PREPOSITION or not candidate.links:
            return False
        places = all(self.index.object_type(name) == "place" for name, _ in use.hop)
        outward = all(way is Direction.OUT for _, way in use.hop)
        return places and outward and is_person(self.reader, candidate.links[0].ids[0]) is True

    def _of_other_noun(self, candidate: Candidate) -> bool:
        """Tell whether the noun that is asked for is taken in part, or the wrong way round."""
        where = (self.tokens, self.request, belonging_links(self.index))
        told = partial(self._accounted, candidate=candidate)
        return (
            self._of_other_kind(candidate)
            or asks_within(candidate, *where)
            or beyond_place(candidate, *where)
            or leaves_head(candidate, self.tokens, self._content, told)
        )

    def _drops_asked(self, candidate: Candidate) -> bool:
        """Tell whether of answers that are all known to be something none is what is asked for.

        So it is, too, where others have what is asked for.
        """
        if guards.had_by_others(candidate, self.tokens):
            return True
        asked = {
            item.label
            for mention in self.linking.mentions
            if not mention.proper and mention.exact and mention.span & self.request.focus
            for item in mention.entities
            if item.label in candidate.relaxed
        }
        wanted = {self.request.wanted, *map(noun_type, asked)} - {""}
        if not asked or self._kinds.kind(candidate) in wanted:
            return False
        ids = [value.id for value in candidate.nodes[:8] if isinstance(value, EntityValue)]
        found = self.reader.entities(ids).values()
        types = self.reader.entities(kind for item in found for kind in item.types).values()
        called = {word for kind in types for word in stems(kind.label)}
        named = any(called.issuperset(stems(label)) for label in asked)
        return bool(found) and all(item.types for item in found) and not named

    def _of_other_kind(self, candidate: Candidate) -> bool:
        """Tell whether none of what lies in a place is of the kind that is asked for."""
        kind = guards.asked_within(candidate, self.tokens, self.request, self.matches)
        if kind:
            return self._kinds.are_none(candidate, kind)
        return self._kinds.lies_elsewhere(candidate, self.tokens, self.request)


def _hops(candidate: Candidate) -> float:
    """Count hops beyond the first; the same hop taken again costs little.

    One that goes on from whatever a preposition joins costs more: "countries in Africa" are no
    countries of things in Africa.
    """
    edges = candidate.path
    pairs = zip(edges, edges[1:], strict=False)
    return sum(
        0.1 if a.hop == b.hop and a.span == b.span
        else _FROM_ANYTHING if a.strength <= PREPOSITION else 1.0
        for a, b in pairs
    )  # fmt: skip


def _agreement(edges: Sequence[EdgeUse]) -> float:
    if not edges:
        return 1.0
    values = [use.agreement for use in edges]
    return 0.7 * min(values) + 0.3 * sum(values) / len(values)


def _returning(candidate: Candidate) -> float:
    pairs = zip(candidate.path, candidate.path[1:], strict=False)
    return float(
        sum(
            not (b.back or b.licensed) and bool({(n, flip(w)) for n, w in b.hop} & set(a.hop))
            for a, b in pairs
        )
    )


def _width(use: EdgeUse) -> float:
    """Count the alternatives of a union; where two phrases name it, more is rather better."""
    more = max(0, len(use.hop) - 1)
    return -0.2 * more if use.licensed else float(more)


def _ordered(candidate: Candidate) -> float:
    places = [use.order for use in candidate.path if use.span and not use.back]
    if len(places) < 2:
        return 1.0
    pairs = list(zip(places, places[1:], strict=False))
    return sum(a <= b for a, b in pairs) / len(pairs)
