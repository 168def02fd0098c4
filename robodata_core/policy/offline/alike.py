"""Whether two things have the same of something: "do X and Y lie in the same cemetery".

What each of the two has is asked for by itself, in the words of the question, along one relation.
Both facts are cited, for a yes and for a no; where one of them is not stated, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.errors import SourceError
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.asking import noun_type
from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.question import Kind, Question, Request, analyse
from robodata_core.policy.offline.solved import Failure, Solved, solve_alone
from robodata_core.policy.offline.special import Special
from robodata_core.policy.offline.words import ARTICLES, AUXILIARIES

__all__ = ["Alike"]

_SINGULAR: Final = {"were": "was", "are": "is", "do": "does", "have": "has"}
_HAVING: Final = frozenset(["have", "has", "had", "share", "shared", "shares", "having", "got", ""])
_LOWEST: Final = 0.6
_PREPOSITIONS: Final = r"(?:in|at|to|by|from|of|on|for|with|under|into)"
_SAME: Final = re.compile(
    rf"(?P<v>(?:[a-z]+ )*?)(?P<p>{_PREPOSITIONS} )?(?:exactly )?(?:one and )?the (?:very |exact )?"
    r"same (?P<n>[a-z]+(?: [a-z]+){0,3})",
    re.IGNORECASE,
)
_SHARED: Final = re.compile(
    r"(?:share|have|had|shared) (?:a common |a |an |any |the same |some )?"
    r"(?P<n>[a-z]+(?: [a-z]+){0,3}?)(?: in common)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What two names may have the same of, as questions of one alone, with a slot for its name."""

    names: tuple[Mention, Mention]
    noun: str
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alike(Special):
    """Judges whether two things have the same of something."""

    def solve(
        self, question: Question, request: Request, linking: Linking
    ) -> Solved | Failure | None:
        """Judge such a question; None where it is none."""
        if request.kind is not Kind.BOOLEAN:
            return None
        asked = _read(question, request, linking)
        if asked is None:
            return None
        try:
            return self._judged(asked)
        except SourceError:
            return Failure("The source could not compare these.")

    def _judged(self, asked: _Asked) -> Solved | Failure | None:
        reason = f"What “{asked.noun}” these two have was not understood."
        for form in asked.forms:
            sides = [self._side(form, name) for name in asked.names]
            solved = [one for one in sides if one is not None]
            if len(solved) == len(sides):
                return self._compared(asked, solved)
            if solved:
                lost = asked.names[sides.index(None)]
                label = lost.entities[0].label
                reason = f"The graph states no such {asked.noun} for {label}, so nothing is said."
        return Failure(reason)

    def _side(self, form: str, name: Mention) -> Solved | None:
        """Return what one of the two has."""
        label = name.text if name.exact else name.entities[0].label
        found = solve_alone(self.set_of, analyse(form.replace("{}", label)))
        if isinstance(found, Failure) or found.missing or found.result.truncated:
            return None
        candidate = found.candidate
        ids = {id_ for link in candidate.links[:1] for id_ in link.ids}
        about = bool(ids & {item.id for item in name.entities})
        plain = candidate.final == "set" and 1 <= len(candidate.path) <= 2
        understood = found.confidence >= _LOWEST and not candidate.narrowed.missing
        return found if plain and about and understood else None

    def _compared(self, asked: _Asked, sides: Sequence[Solved]) -> Solved | Failure:
        first, second = sides
        if [use.hop for use in first.candidate.path] != [use.hop for use in second.candidate.path]:
            return Failure("What these two have is not stated in the same way.")
        ours, theirs = (set(side.result.members) for side in sides)
        if asked.noun.endswith("s") and ours != theirs and ours & theirs:
            return Failure(f"They have some of their {asked.noun} in common, but not all of them.")
        whole = combine.joined([side.candidate for side in sides], True)
        whole = whole.judged(None, None, bool(ours & theirs))
        links = tuple(link for side in sides for link in side.candidate.links)
        outcome = first.then(replace(whole, links=links), self.executor)
        shown = tuple(dict.fromkeys(one for side in sides for one in side.result.evidence))
        notes = tuple(dict.fromkeys(note for side in sides for note in side.notes))
        request = replace(first.request, kind=Kind.BOOLEAN, focus=frozenset())
        confidence = min(side.confidence for side in sides)
        return replace(outcome, request=request, confidence=confidence, related=shown, notes=notes)


def _read(question: Question, request: Request, linking: Linking) -> _Asked | None:
    """Read a question about two names, or return None where it is none."""
    tokens = question.tokens
    at = request.start
    if at >= request.end or tokens[at].norm not in AUXILIARIES:
        return None
    opening = tokens[at].norm
    for first in _names_at(question, linking, at + 1):
        if first.end + 1 >= request.end:
            continue
        if tokens[first.end].norm == "and":
            for second in _names_at(question, linking, first.end + 1):
                found = _said(opening, _text(question, second.end, request.end))
                if found is not None:
                    return _Asked((first, second), *found)
        behind = _behind_as(question, request, linking, first)
        if behind is not None:
            found = _said(opening, _text(question, first.end, behind[0]))
            if found is not None:
                return _Asked((first, behind[1]), *found)
    return None


def _names_at(question: Question, linking: Linking, at: int) -> Iterator[Mention]:
    """Yield the names that begin at a place, longest first."""
    while at < len(question.tokens) and question.tokens[at].norm in ARTICLES:
        at += 1
    named = [m for m in linking.mentions if m.start == at and m.entities and (m.proper or m.exact)]
    named = [m for m in named if not m.demonym and not m.whole]
    yield from sorted(named, key=lambda m: -m.end)


def _behind_as(
    question: Question, request: Request, linking: Linking, first: Mention
) -> tuple[int, Mention] | None:
    """Return where "as Y" begins at the end of a request, and that name."""
    for at in range(first.end + 2, request.end - 1):
        if question.tokens[at].norm == "as":
            for name in _names_at(question, linking, at + 1):
                if not any(question.tokens[i].word for i in range(name.end, request.end)):
                    return at, name
    return None


def _text(question: Question, start: int, end: int) -> str:
    words = [question.tokens[i].text for i in range(start, end) if question.tokens[i].word]
    return " ".join(word for word in words if word.lower() not in ("both", "also"))


def _said(opening: str, rest: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the noun and the questions of one alone that a rest stands for."""
    found = _SAME.fullmatch(rest)
    shared = None if found is not None else _SHARED.fullmatch(rest)
    said = found or shared
    if said is None or noun_type(said["n"].lower()) == "time":
        return None
    noun = said["n"]
    single = noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
    verb = found["v"].strip() if found is not None else ""
    to = (found["p"] or "").strip() if found is not None else ""
    if shared is not None and not rest.lower().startswith("share") and "common" not in rest:
        return None
    if verb.lower() in _HAVING:
        return noun, (
            f"What is the {single} of {{}}?",
            f"Who is the {single} of {{}}?",
            f"What are the {noun} of {{}}?",
        )
    be = _SINGULAR.get(opening, opening)
    forms = [f"Which {single} {be} {{}} {verb} {to}?"]
    if be in ("is", "was") and to == "of":
        forms.append(f"Which {single} {be} {{}} a {verb.removesuffix('s')} of?")
    if noun_type(noun.lower()) == "place" or to in ("in", "at"):
        forms.append(f"Where {be} {{}} {verb}?")
    return noun, tuple(forms)
