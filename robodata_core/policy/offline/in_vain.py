"""Saying what was looked for in vain: why a part has no answer, and what was come to instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.model import Direction, EntityValue, SearchHit
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.question import IMPERATIVES, Question
from robodata_core.policy.offline.words import (
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    PREPOSITIONS,
    STEP_WORDS,
    WH_WORDS,
)
from robodata_core.programs import english
from robodata_core.programs.describe import Verbaliser, listed

__all__ = ["MAX_SHOWN", "InVain", "missing", "suggestions"]

#: Most results that are named in a sentence.
MAX_SHOWN: Final = 8
_SENTENCE: Final = 3
#: Most words that are named as not understood; more would be the question again.
_NAMED: Final = 2
#: What names neither a relation nor anything that could be asked about.
_SKIPPED: Final = FUNCTION_WORDS | GENERIC_NOUNS | STEP_WORDS
_FOREIGN: Final = "The question does not seem to be in English, and no other language is read."


@dataclass(frozen=True, slots=True)
class InVain:
    """Says what was looked for in vain.

    Attributes:
        entity_label: Label of an entity.
        property_label: Label of a property.
        words: Puts values in words.
    """

    entity_label: Callable[[str], str]
    property_label: Callable[[str], str]
    words: Verbaliser

    def why_not(self, plan: Plan, part: Part) -> list[str]:
        """Say what was looked for in vain."""
        if part.failure:
            return [part.failure]
        if part.linking.unlinked:
            if _is_foreign(plan, part):
                return [_FOREIGN]
            return [f"Nothing in the graph is called “{name}”." for name in part.linking.unlinked]
        named = [m for m in part.linking.mentions if m.entities]
        proper = [m for m in named if m.proper] or named
        if not proper:
            if _is_foreign(plan, part):
                return [_FOREIGN]
            return [missing((), self._asked_words(plan, part))]
        read = {i for match in part.matches for i in match.span}
        things = [m for m in proper if not m.span <= read] or proper  # "location" is a relation
        about = dict.fromkeys(self.entity_label(m.entities[0].id) for m in things)
        if part.request.chained:
            raw = _whole(plan, part).strip(" ?.!")
            return [f"The graph states nothing for any of these: {raw}."]
        if unstated := self._unstated(plan, part, [m.entities[0].id for m in things]):
            return [unstated]
        words = self._open_words(plan, part) or self._asked_words(plan, part)
        told = {word for m in things for word in _text(plan, part, m.span)}
        return [missing(tuple(about), [word for word in words if word not in told] or words)]

    def _unstated(self, plan: Plan, part: Part, ids: Sequence[str]) -> str:
        """Say which relation is not stated of what is named, where the question asks for that."""
        if len(ids) != 1 or (part.best is not None and len(part.best.candidate.path) == 1):
            return ""  # What was found may be what is asked for, by another name.
        tokens, wanted = _words(plan, part).tokens, part.request.wanted
        at = {i for i in _asked(plan, part) if tokens[i].word and tokens[i].norm not in _SKIPPED}
        at -= {i for m in part.linking.mentions if m.proper for i in m.span}
        for match in part.matches:
            hops, answer = match.reading.hops, match.reading.answer
            if len(hops) != 1 or not hops[0] or not at or not at <= match.span:
                continue
            if wanted and answer and wanted != answer:
                continue
            ways = (edge for name, _ in hops[0] for edge in ((name, way) for way in Direction))
            if any(plan.reader.along((EntityValue(ids[0]),), edge) for edge in ways):
                return ""
            name = self.entity_label(ids[0])
            if len({self.property_label(edge[0]) for edge in hops[0]}) > 1:
                said = " ".join(tokens[i].text for i in sorted(match.span))
                return f"The graph states nothing for “{said}” of {name}."
            return f"The graph states no “{self.property_label(hops[0][0][0])}” of {name}."
        return ""

    @staticmethod
    def _asked_words(plan: Plan, part: Part) -> list[str]:
        """Return the words for relations, where names are known; else those that name something."""
        named = {i for m in part.linking.mentions for i in m.span}
        read = {i for match in part.matches for i in match.span} - named
        tokens = _words(plan, part).tokens
        if not named:
            read = {i for i in _asked(plan, part) if tokens[i].word} - read
        return [tokens[i].text for i in sorted(read) if tokens[i].norm not in _SKIPPED]

    @staticmethod
    def _open_words(plan: Plan, part: Part) -> list[str]:
        """Return the content words that nothing accounts for (all where nothing was found).

        What passes over a name accounts for nothing: "Is X the capital of Y" is not about X alone.
        """
        tokens = _words(plan, part).tokens
        covered = part.best.candidate.covered if part.best else frozenset()
        proper = frozenset(i for m in part.linking.mentions if m.proper for i in m.span)
        if not proper <= covered:
            covered = frozenset()
        return [
            tokens[i].text
            for i in _asked(plan, part)
            if tokens[i].word and i not in covered | proper and tokens[i].norm not in _SKIPPED
        ]

    def attempt(self, part: Part) -> list[str]:
        """Return the best attempt, if it says more than a name that the question has itself."""
        assert part.best is not None
        candidate = part.best.candidate
        named = {EntityValue(id_) for link in candidate.links for id_ in link.ids}
        if not candidate.path and named.issuperset(candidate.nodes):
            return []
        names = listed(self.words.value(value) for value in candidate.nodes[:MAX_SHOWN])
        about = self._about(candidate)
        return [f"{about}: {names}" if names else about]

    def _about(self, candidate: Candidate) -> str:
        """Return what a set is in a few words: its relations, the last first, and its start."""
        names = [self.property_label(name) for use in candidate.path for name, _ in use.hop[:1]]
        starts = [self.entity_label(id_) for link in candidate.links[:1] for id_ in link.ids[:1]]
        if not names:
            return starts[0] if starts else "result"
        if not starts:
            return names[-1]
        inward = candidate.path[-1].hop and candidate.path[-1].hop[0][1] is Direction.IN
        last, *before = reversed(names)
        start = " of ".join((*before, starts[0]))
        verb = english.verb(last) if PREPOSITIONS.intersection(last.split()[-1:]) else None
        if verb:
            return f"what {verb} {start}" if inward else f"what {start} {verb}"
        return f"those with {last} {start}" if inward else f"{last} of {start}"


def missing(names: Sequence[str], words: Sequence[str]) -> str:
    """Say what a question asks for that the graph does not give.

    Args:
        names: Things of the question that the graph knows.
        words: Words of the question that led to nothing; many are not repeated.
    """
    quoted = [f"“{word}”" for word in dict.fromkeys(words)]
    few = 0 < len(quoted) <= _NAMED
    if not names:
        if few:
            return f"Nothing called {' or '.join(quoted)} was found in the graph."
        return "Nothing that the question names was found in the graph."
    if few:
        return f"The graph knows {listed(names)}, but nothing was found there for {listed(quoted)}."
    about = "it" if len(names) == 1 else "them"
    return (
        f"The graph knows {listed(names)}, but what is asked about {about} was not recognised;"
        " a shorter question may help."
    )


def suggestions(plan: Plan) -> tuple[SearchHit, ...]:
    """Return near matches for names that could not be linked, at most five."""
    hits = {hit.id: hit for part in plan.parts for hit in part.linking.suggestions}
    return tuple(hits.values())[:5]


def _words(plan: Plan, part: Part) -> Question:
    """Return the words that places in a part refer to."""
    return part.question or plan.question


def _asked(plan: Plan, part: Part) -> range:
    """Return the places that were asked about: all words of a question made for the part alone."""
    if part.question is not None:
        return range(len(part.question.tokens))
    return range(part.request.start, min(part.request.end, len(plan.question.tokens)))


def _text(plan: Plan, part: Part, places: Iterable[int]) -> set[str]:
    tokens = _words(plan, part).tokens
    return {tokens[i].text for i in places if i < len(tokens)}


def _whole(plan: Plan, part: Part) -> str:
    """Return the text of a part's request."""
    words = _words(plan, part)
    if part.question is not None and part.question is not plan.question:
        return plan.question.text
    return words.raw(part.request.start, part.request.end)


def _is_foreign(plan: Plan, part: Part) -> bool:
    """Tell whether hardly a word of the question is known English."""
    tokens = _words(plan, part).tokens
    first = tokens[part.request.start].norm if part.request.start < len(tokens) else ""
    if first in WH_WORDS or first in IMPERATIVES:
        return False
    letters = [char for char in plan.question.text if char.isalpha()]
    if sum(char.isascii() for char in letters) * 2 < len(letters):
        return True
    read = {i for match in part.matches for i in match.span}
    words = [i for i in _asked(plan, part) if tokens[i].word and not tokens[i].capitalised]
    known = [i for i in words if tokens[i].norm in FUNCTION_WORDS or i in read]
    # Two words alone are a telegram: "rock bands".
    return len(words) >= _SENTENCE and len(known) * 3 < len(words)
