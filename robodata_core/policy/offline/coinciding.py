"""Two relations of one thing that lead to the same: "who died where they were born".

The pronoun stands for what is asked for, so that no walk from one to the other answers it: every
one of them is looked at alone, by a step of its own (``FilterBySame``). What stands for something
else, or what is denied, is not read here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.errors import SourceError
from robodata_core.model import Direction, EntityValue, MatchKind, Value
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Kind, Question, Request, analyse
from robodata_core.policy.offline.solved import Failure, Solved, solve_alone
from robodata_core.policy.offline.special import Special
from robodata_core.programs.steps import End, FilterBySame, FilterByType, Follow, Program, Start

__all__ = ["Coinciding", "Same", "read_same"]

_SURE: Final = 0.95
_MOST_VALUES: Final = 400
#: Nouns that any place goes by.
_PLACES: Final = frozenset(
    ["", "place", "city", "town", "village", "spot", "location", "municipality"]
)
_PEOPLE: Final = frozenset(
    ["who", "people", "persons", "person", "humans", "those", "everybody", "everyone", "anybody",
     "anyone", "somebody", "someone", "all", "ones"]
)  # fmt: skip
_WHOSE: Final = r"(?:they|he|she|it|he or she|(?:the|these|those) [a-z]+)"
_BE: Final = r"(?:(?:was|were|is|are|had|have|has|been|got|also|both|had been|have been) )*"
_VERB: Final = (
    r"(?P<{}>passed away|laid to rest|brought up|came to life|grew up|[a-z]+)(?: (?:in|at))?"
)
_FIRST: Final = _BE + r"(?:both )?" + _VERB.format("a")
_SECOND: Final = _BE + _VERB.format("b")
_SAID: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # died in the same city they were born in
        rf"{_FIRST} (?:exactly |just |right )?(?:the )?(?:very )?same (?P<n>[a-z]+) "
        rf"(?:(?:that|where|as|in which|at which|which) )?{_WHOSE} {_SECOND}",
        # died in the city where they were born
        rf"{_FIRST} (?:the|that|a)(?: very)? (?P<n>[a-z]+) "
        rf"(?:(?:where|in which|at which|that|which) )?{_WHOSE} {_SECOND}",
        # died where they were born
        rf"{_FIRST} (?P<n>)(?:right |exactly |just |precisely )?where {_WHOSE} {_SECOND}",
        # were born and died in the same city
        rf"{_FIRST} and (?:later |then |also )?{_SECOND} "
        r"(?:(?:one and )?the (?:very )?same|one) (?P<n>[a-z]+)",
        # died in the city of their birth, in their birthplace
        rf"{_FIRST} (?:the )?(?P<n>[a-z]+) of (?:their|his|her|its)(?: own)? (?P<b>birth|death)",
        rf"{_FIRST} (?:their|his|her|its)(?: own)? "
        r"(?P<b>(?P<n>place) of birth|(?P<m>birth ?place))",
        # in their native city, their home town, their city of birth
        rf"{_FIRST} (?:their|his|her|its)(?: own| very own)? "
        r"(?:native (?P<n>[a-z]+)|(?P<m>home ?town|home city|town of birth|city of birth"
        r"|village of birth|birth town|birth city|native soil))(?P<b>)",
    )
)
_NOUN: Final = r"(?:the )?(?P<{}>[a-z]+(?: of [a-z]+)?)"
_OWNED: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # whose place of birth and place of death are the same
        rf"{_NOUN.format('a')} and {_NOUN.format('b')} "
        r"(?:(?:is|are|was|were) )?(?:one and )?(?:the|exactly the) (?:very )?same(?: [a-z]+)?",
        rf"{_NOUN.format('a')} and {_NOUN.format('b')} (?:coincide|coincided|agree|match)",
        # whose place of birth is the same as their place of death
        rf"{_NOUN.format('a')} (?:(?:is|was|are|were) )?(?:also|(?:exactly )?the same as) "
        rf"(?:their |his |her |its )?{_NOUN.format('b')}",
    )
)
_WITH_SAME: Final = re.compile(
    rf"(?:have|has|had|having|share) the same {_NOUN.format('a')} (?:and|as) {_NOUN.format('b')}",
    re.IGNORECASE,
)
#: Whether there is anybody of whom it holds.
_ANY: Final = re.compile(
    r"(?:is|are|was|were|did|does|do|has|have|had) (?:there )?(?=any|some|a )", re.IGNORECASE
)
_ASKED: Final = re.compile(
    r"(?:(?:please )?(?:name|list|give me|show me|find|tell me|count|show|do you know)(?: me)? )?"
    r"(?:(?P<many>how many|the number of|count) |(?P<which>which|what) )?"
    r"(?:all |any |some |the |of the |of )*(?P<s>[a-z][\w' -]*?) "
    r"(?:(?:of them|here|in here|in the graph) )?(?:(?:who|that|which|do|did) )?",
    re.IGNORECASE,
)
_JUDGED: Final = re.compile(
    r"(?i:did|does|do|was|were|is|are|has|had|have) (?P<x>[A-Z].*?) ", re.DOTALL
)
_DENIED: Final = frozenset(["not", "never", "n't", "no", "nobody", "except", "without", "neither"])


@dataclass(frozen=True, slots=True)
class Same:
    """What a question asks the same of.

    Attributes:
        about: Words of what is asked for; a name where it is judged.
        judged: Whether it is asked of one thing alone whether that holds.
        counted: Whether a number is asked for.
        any: Whether it is asked if there are any.
        first: Words of the first relation.
        second: Words of the second.
        noun: What both lead to is called so, may be empty.
    """

    about: str
    judged: bool
    counted: bool
    any: bool
    first: str
    second: str
    noun: str = ""


def read_same(text: str) -> Same | None:
    """Read a question of this kind, or return None where it is none."""
    bare = re.sub(r"\s+", " ", text.strip(" ?!.")).replace("’", "'")
    if _DENIED & set(bare.lower().replace("n't", " n't").split()):
        return None
    whether = _ANY.match(bare)
    bare = bare[whether.end() :] if whether is not None else bare
    judged = None if whether is not None else _JUDGED.match(bare)
    for at, end in _cuts(bare, judged):
        rest = bare[end:]
        found = _relations(rest, at)
        if found is None:
            continue
        if judged is not None:
            return Same(at, True, False, False, *found)
        asked = _ASKED.fullmatch(bare[:end])
        if asked is None or re.search(r"\b(?:whose|where|when)\b", at):
            continue
        if asked["s"].lower() in _PEOPLE and re.search(r"\b(?:she|her)\b", bare.lower()):
            return None  # of women alone
        many = bool(asked["many"]) or bare.lower().startswith("count ")
        return Same(asked["s"].strip(), False, many, whether is not None, *found)
    return None


def _cuts(text: str, judged: re.Match[str] | None) -> list[tuple[str, int]]:
    """Return where what is asked for may end, shortest first, with its words."""
    ends = [found.end() for found in re.finditer(" ", text)][:16]
    if judged is None:
        return [(text[:end].strip(), end) for end in ends]
    start = judged.start("x")
    return [(text[start : end - 1], end) for end in ends if end > start + 1]


def _relations(rest: str, about: str) -> tuple[str, str, str] | None:
    """Return the words of both relations and of what they lead to."""
    for form in _SAID:
        found = form.fullmatch(rest)
        if found is not None:
            parts = found.groupdict()
            named = (parts["n"] or parts.get("m") or "").lower()
            noun = "" if "birth" in named or "home" in named else named
            return found["a"], found["b"] or "birth", noun
    whose = re.fullmatch(r"(?:whose |for whom |where )?(.+)", rest, re.IGNORECASE)
    owned = [_WITH_SAME.fullmatch(rest)]
    if whose is not None and (rest.lower().startswith("whose ") or about.endswith("'s")):
        owned += [form.fullmatch(whose[1]) for form in _OWNED]
    for found in owned:
        if found is not None:
            head = found["a"].split(" of ")
            whole = len(head) < 2 or " of " in found["b"]
            return found["a"], found["b"] if whole else f"{head[0]} of {found['b']}", ""
    return None


@dataclass(frozen=True, slots=True)
class Coinciding(Special):
    """Answers questions of two relations that lead to the same."""

    def solve(self, question: Question, request: Request) -> Solved | Failure | None:
        """Answer such a question; None where it is none."""
        same = read_same(question.raw(request.start, request.end))
        if same is None:
            return None
        first, second = (self._relation(words) for words in (same.first, same.second))
        if not first or not second or first == second:
            return None
        try:
            if same.judged:
                return self._judged(same, first, second)
            return self._kept(question, request, same, first, second)
        except SourceError:
            return Failure("The source could not compare so much; ask for less.")

    def _relation(self, words: str) -> tuple[str, ...]:
        """Return the properties that a verb or noun means where it leads to a place or thing."""
        index = self.solver.index
        for text in (f"{words} in", f"{words} at", words, f"place of {words}"):
            tokens = analyse(text).tokens
            found = [
                m for m in index.matches(tokens, frozenset())
                if m.start == 0 and m.end == len(tokens) and m.reading.answer in ("place", "thing")
            ]  # fmt: skip
            hops = [m.reading.hops[0] for m in found if len(m.reading.hops) == 1]
            outward = [hop for hop in hops if all(way is Direction.OUT for _, way in hop)]
            places = [hop for hop in outward if index.object_type(hop[0][0]) == "place"]
            for hop in (*places, *outward):
                return tuple(name for name, _ in hop)
        return ()

    # -- one thing ----------------------------------------------------------------------------

    def _judged(
        self, same: Same, first: tuple[str, ...], second: tuple[str, ...]
    ) -> Solved | Failure | None:
        """Judge whether both relations of one thing lead to the same."""
        about = re.sub(r"'s$", "", same.about)
        question = analyse(about)
        request = question.requests[0]
        linking, matches = self.solver.on(question).link(request)
        words = sum(token.word for token in question.tokens)
        named = [m for m in linking.mentions if m.proper and m.entities and len(m.span) >= words]
        if not named or linking.unlinked:
            return None
        item = named[0].entities[0]
        start = Start("n0", (EntityValue(item.id),))
        sides = []
        for names in (first, second):
            side = self.executor.run(Program((start, Follow("n1", "n0", names), End("n1"))))
            if not side.members:
                label = " or ".join(self.solver.index.name_of(name) for name in names)
                return Failure(f"The graph states no {label} for {item.label}.")
            sides.append(side)
        shared = [value for value in sides[0].members if value in sides[1].members]
        trouble = self._misfit(same.noun, [v for side in sides for v in side.members])
        if trouble is not None:
            return trouble
        step = FilterBySame("n1", "n0", first, second)
        base = Candidate.start(Link(named[0], (item.id,), item.quality), named[0].span)
        whole = self._with(replace(base, steps=(start, step), out="n1"), first, second)
        judged = whole.judged(None, None, bool(shared))
        result = self.executor.run(judged.program())
        shown = tuple(dict.fromkeys(one for side in sides for one in side.evidence))
        return Solved(
            question, replace(request, kind=Kind.BOOLEAN), linking, matches, judged, result,
            min(_SURE, item.quality), shown, self._notes(first, second),
        )  # fmt: skip

    # -- many ---------------------------------------------------------------------------------

    def _kept(
        self,
        question: Question,
        request: Request,
        same: Same,
        first: tuple[str, ...],
        second: tuple[str, ...],
    ) -> Solved | Failure | None:
        """Keep, of what is asked for, those of which both lead to the same."""
        words = same.about.lower()
        if words in _PEOPLE:
            base = self._anybody(question, request, first, second)
        else:
            found = solve_alone(self.set_of, analyse(f"Which {same.about}?"))
            if isinstance(found, Failure):
                return found
            out = f"n{len(found.candidate.steps)}"
            step = FilterBySame(out, found.candidate.out, first, second)
            whole = replace(found.candidate, steps=(*found.candidate.steps, step), out=out)
            base = found.then(self._with(whole, first, second), self.executor)
        if base.result.truncated:
            return Failure("There are too many of these to be compared; ask for less.")
        if not base.result.members:
            return Failure("The graph states this of nothing.", question=question)
        values = [one.value for one in base.result.evidence if one.property in (*first, *second)]
        trouble = self._misfit(same.noun, values)
        if trouble is not None:
            return trouble
        base = replace(base, notes=(*base.notes, *self._notes(first, second)))
        if same.any:
            judged = base.then(base.candidate.judged(None, None, True), self.executor)
            return replace(judged, request=replace(base.request, kind=Kind.BOOLEAN))
        counted = same.counted or request.kind is Kind.COUNT
        return base.then(base.candidate.counted(), self.executor) if counted else base

    def _anybody(
        self, question: Question, request: Request, first: tuple[str, ...], second: tuple[str, ...]
    ) -> Solved:
        """Return all people of whom it holds, or all there is where the graph has no people."""
        step = FilterBySame("n0", "", first, second)
        base = self._with(Candidate((step,), "n0", (), ("n0",), typed=True), first, second)
        plain = replace(request, focus=frozenset(), kind=Kind.SET)
        solved = Solved(
            question, plain, Linking(()), (), base, self.executor.run(base.program()), _SURE
        )
        via = tuple(sorted(self.solver.index.named("instance of")))
        hits = self.solver.source.search("human", limit=3) if via else ()
        humans = tuple(hit.id for hit in hits if hit.match is MatchKind.LABEL)
        if not humans:
            return solved
        kept = FilterByType("n1", "n0", humans[:1], via)
        people = solved.then(replace(base, steps=(step, kept), out="n1"), self.executor)
        return people if people.result.members else solved

    # -- parts --------------------------------------------------------------------------------

    @staticmethod
    def _with(candidate: Candidate, first: tuple[str, ...], second: tuple[str, ...]) -> Candidate:
        """Note that an answer tells of both relations."""
        hops = [((name, Direction.OUT),) for name in (*first, *second)]
        uses = tuple(EdgeUse(hop, constraint=True) for hop in hops)
        return replace(candidate, history=(candidate.out,), edges=(*candidate.edges, *uses))

    def _notes(self, first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
        name_of = self.solver.index.name_of
        labels = [" or ".join(name_of(name) for name in side) for side in (first, second)]
        return (f"Compared: {labels[0]} and {labels[1]}, as the graph states them.",)

    def _misfit(self, noun: str, values: Sequence[Value]) -> Failure | None:
        """Return why what the relations lead to cannot be called by the noun."""
        if noun in _PLACES:
            return None
        via = tuple(sorted(self.solver.index.named("instance of")))
        hits = self.solver.source.search(noun, limit=3)
        classes = frozenset(hit.id for hit in hits if hit.match is MatchKind.LABEL)
        unique = list(dict.fromkeys(values))[:_MOST_VALUES]
        fitting = self.solver.reader.is_a(unique, classes, via) if classes and via else ()
        if len(fitting) < len(unique):
            return Failure(f"The graph does not state by which {noun} these could be compared.")
        return None
