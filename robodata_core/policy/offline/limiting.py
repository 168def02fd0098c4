"""Limits of numbers and times: "born before 1900", "over 2 million", "older than X"."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Direction, EntityValue, Statement, TimeValue, Value
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.kinds import UNREAD, Kinds
from robodata_core.policy.offline.literals import Measure
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.operators import Aspect, Limit
from robodata_core.policy.offline.question import Question
from robodata_core.policy.offline.relations import Hop, Match, reverse, walked
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.stated import (
    Stated,
    ids_of,
    others_of,
    quantities,
    some_with,
    values_of,
)
from robodata_core.policy.offline.words import said
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import Comparison, End, FilterByType, Follow, Program

__all__ = ["MORE_MAY_HOLD", "Limiter", "choose", "lacking", "most_joined", "wholes", "with_things"]

#: How many of what is compared are asked of what class they are.
_LOOKED_AT: Final = 8
_SHOWN: Final = 6
_MONTH: Final = 10
#: Comparisons that more of what is not stated may yet make true.
MORE_MAY_HOLD: Final = frozenset([Comparison.EQ, Comparison.GE, Comparison.GT])
_LEADING: Final = said("before limit")


@dataclass(frozen=True, slots=True)
class Limiter:
    """Applies limits to a set.

    Attributes:
        solver: Gives the source and its relations.
        executor: Runs programs.
        other: Finds what a set is compared with, from tokens of the question.
    """

    solver: Solver
    executor: Executor
    other: Callable[[Sequence[int]], Solved | Failure]

    def apply(
        self, base: Solved | Failure | None, limit: Limit, question: Question, judged: bool
    ) -> Solved | Failure:
        """Keep what is within a limit.

        Args:
            base: The set; None for everything there is.
            limit: The limit.
            question: The question its tokens are places in.
            judged: Whether an empty outcome is one ("no") as well.
        """
        if isinstance(base, Failure):
            return base
        compared = self._compared(limit, question)
        if isinstance(compared, Failure):
            return compared
        if base is None and limit.aspect.noun is None:
            return self._of_everything(limit, compared, question)
        if base is None:
            return Failure("It is not said among what to look.")
        if limit.aspect.noun is not None:
            return self._numbered(base, limit, limit.aspect.noun, judged, compared)
        base, aspect = with_things(base, limit.aspect, self.executor)
        ids = ids_of(base.result.members)
        name, stated = choose(self.solver, ids, aspect)
        if not stated:
            return lacking(self.solver, base, aspect)
        tests, note = self._tests(limit, compared, name, stated)
        if tests is None:
            return Failure(note)
        outcome = self._limited(base, name, tests, limit, compared)
        outcome = replace(
            outcome,
            notes=(*outcome.notes, *filter(None, [note])),
            related=(*outcome.related, *(compared.shown(name) if compared else ())),
        )
        if outcome.result.members:
            return _completed(self.solver, outcome, name, len(stated), ids, judged)
        shown = tuple(one for found in list(stated.values())[:_SHOWN] for one in found[:1])
        if judged and len(stated) == len(ids):
            return replace(outcome, related=(*outcome.related, *shown))
        label = self.solver.index.name_of(name)
        each = "it" if len(stated) == 1 else f"any of the {len(stated):,}"
        return Failure(
            f"That does not hold of {each} for which the graph states the {label}.",
            compared=shown,
        )

    def _numbered(
        self, base: Solved, limit: Limit, noun: Match, judged: bool, compared: _Other | None
    ) -> Solved | Failure:
        """Keep what is joined to so many others: "more than two official languages"."""
        ids = ids_of(base.result.members)
        hop, joined = most_joined(self.solver, ids, noun)
        words = limit.aspect.words
        if len(wholes(limit)) < len(limit.tests):
            return Failure(f"“{words}” cannot be counted so.", unread=True)
        if not joined:
            return Failure(
                f"The graph states no {words} for any of the {len(ids):,} found.", unread=True
            )
        candidate, among = base.candidate, ""
        if limit.aspect.kind:
            kept = self._of_kind(base, hop, joined, limit.aspect.kind)
            if isinstance(kept, Failure):
                return kept
            candidate, among, joined = kept
        beside = self._joined_to(compared, hop)
        if compared is not None and not beside:
            return Failure(f"The graph states no {words} for {compared.label}.")
        if beside and limit.other is not None:
            candidate = combine.numbered(candidate, hop, limit.other[0], len(beside))
            base = replace(base, related=(*base.related, *beside))
        for comparison, number in wholes(limit):
            candidate = combine.numbered(candidate, hop, comparison, number, among)
        outcome = base.then(candidate, self.executor)
        if outcome.result.members:
            return outcome
        return self._none_so(outcome, limit, joined, judged)

    @staticmethod
    def _none_so(outcome: Solved, limit: Limit, joined: Stated, judged: bool) -> Solved | Failure:
        """Return that none is joined to so many others; why that says nothing where it does not."""
        words, told = limit.aspect.words, max(map(len, joined.values()))
        shown = tuple(one for found in joined.values() for one in found)[:_SHOWN]
        if not judged:
            return Failure(
                f"That does not hold of any of the {len(joined):,} for which the graph states"
                f" {words}.",
                compared=shown,
            )
        if limit.other is None and told < _least(limit):
            return Failure(
                f"The number of “{words}” that the graph states is {told:,}, which does not rule"
                " out that there are more.",
                compared=shown,
            )
        return replace(outcome, related=(*outcome.related, *shown))

    def _joined_to(self, compared: _Other | None, hop: Hop) -> tuple[Statement, ...]:
        """Return what joins the other side of a comparison to others; nothing without one."""
        if compared is None:
            return ()
        theirs = others_of(self.solver.source, ids_of(compared.found.result.members)[:1], hop)
        return tuple(one for found in theirs.values() for one in found)

    def _of_kind(
        self, base: Solved, hop: Hop, joined: Stated, words: str
    ) -> tuple[Candidate, str, Stated] | Failure:
        """Return a candidate with a set of what counts, its name, and what each is joined to."""
        names, way = tuple(name for name, _ in hop), hop[0][1]
        outwards = way is Direction.OUT
        far = {one: one.value if outwards else EntityValue(one.subject)
               for found in joined.values() for one in found}  # fmt: skip
        kinds = Kinds(self.solver)
        classes = kinds.of(words, tuple(dict.fromkeys(far.values())))
        if not classes:
            return Failure(UNREAD.format(words), unread=True)
        follow = Follow(base.candidate.fresh, base.candidate.out, names, way)
        whole = replace(base.candidate, steps=(*base.candidate.steps, follow))
        typed = FilterByType(whole.fresh, follow.out, classes, kinds.via)
        whole = replace(whole, steps=(*whole.steps, typed))
        of_kind = set(self.executor.run(Program((*whole.steps, End(typed.out)))).members)
        kept = {id_: tuple(one for one in found if far[one] in of_kind)
                for id_, found in joined.items()}  # fmt: skip
        return whole, typed.out, kept

    def _limited(
        self,
        base: Solved,
        name: str,
        tests: Sequence[tuple[Comparison, Value]],
        limit: Limit,
        compared: _Other | None,
    ) -> Solved:
        candidate = base.candidate
        for comparison, value in tests:
            candidate = combine.limited(candidate, name, comparison, value)
        return base.then(_but(candidate, limit, compared), self.executor)

    def _of_everything(
        self, limit: Limit, compared: _Other | None, question: Question
    ) -> Solved | Failure:
        """Look for everything within the limit, where nothing else is said of it."""
        for name in limit.aspect.properties:
            values = compared.values(name) if compared else ()
            sample = values_of(self.solver.source, some_with(self.solver.source, name), name)
            tests, note = self._tests(limit, compared, name, sample)
            if tests is None or (compared and not values):
                continue
            candidate = combine.everything(name, *tests[0])
            for comparison, value in tests[1:]:
                candidate = combine.limited(candidate, name, comparison, value)
            candidate = _but(candidate, limit, compared)
            result = self.executor.run(candidate.program())
            if result.members:
                request = replace(question.requests[0], focus=frozenset())
                notes = tuple(filter(None, [note]))
                shown = compared.shown(name) if compared else ()
                return Solved(
                    question, request, Linking(()), (), candidate, result, 0.95, shown, notes
                )
        return Failure(f"The graph states no {self._words(limit.aspect)} within this limit.")

    # -- what is compared with ----------------------------------------------------------------

    def _compared(self, limit: Limit, question: Question) -> _Other | Failure | None:
        if limit.other is None:
            return None
        at = limit.other[1]
        while at < max(limit.span) and question.tokens[at].norm in _LEADING:
            at += 1
        kept = [i for i in range(at, max(limit.span) + 1)]
        found = self.other(kept)
        if isinstance(found, Failure):
            return found
        return _Other(self.solver, found)

    def _tests(
        self, limit: Limit, compared: _Other | None, name: str, stated: Stated
    ) -> tuple[tuple[tuple[Comparison, Value], ...] | None, str]:
        """Return the tests with values of the property's own kind, and a note on units."""
        if compared is not None and limit.other is not None:
            values = compared.values(name)
            if not values:
                label = self.solver.index.name_of(name)
                return None, f"The graph states no {label} for {compared.label}."
            theirs = values[0]
            units = {getattr(one.value, "unit", None) for found in stated.values() for one in found}
            if compared.is_value and units and getattr(theirs, "unit", None) not in units:
                label = self.solver.index.name_of(name)
                return None, f"The {label} is measured otherwise than what it is compared with."
            if limit.slot and isinstance(theirs, TimeValue):
                theirs = _slot(theirs, limit.slot)
            return ((limit.other[0], theirs),), ""
        tests: list[tuple[Comparison, Value]] = []
        note = ""
        given = [one.value for found in stated.values() for one in found]
        labels = {u: self.solver.reader.label(u) for v in given if (u := getattr(v, "unit", ""))}
        for comparison, written in limit.tests:
            if isinstance(written, TimeValue):
                tests.append((comparison, written))
                continue
            value, note = quantities(written, given, labels)
            if value is None:
                return None, note
            tests.append((comparison, value))
        return tuple(tests), note

    def _words(self, aspect: Aspect) -> str:
        names = [self.solver.index.name_of(name) for name in aspect.properties]
        return names[0] if names else aspect.words


@dataclass(frozen=True, slots=True)
class _Other:
    """The other side of a comparison."""

    solver: Solver
    found: Solved

    @property
    def label(self) -> str:
        """Its name."""
        ids = ids_of(self.found.result.members)
        return self.solver.reader.label(ids[0]) if ids else "it"

    @property
    def is_value(self) -> bool:
        """Whether a value is given, such as another measure of something."""
        return not ids_of(self.found.result.members)

    def _statements(self, name: str) -> tuple[Statement, ...]:
        ids = ids_of(self.found.result.members)[:1]
        stated = values_of(self.solver.source, ids, name)
        return tuple(one for found in stated.values() for one in found)[:1]

    def values(self, name: str) -> tuple[Value, ...]:
        """Return what the graph states of it by a property."""
        things = ids_of(self.found.result.members)
        if not things:
            return self.found.result.members[:1]
        return tuple(one.value for one in self._statements(name))

    def shown(self, name: str) -> tuple[Statement, ...]:
        """Return the statements that say so."""
        return (*self.found.result.evidence, *self._statements(name))


def _but(candidate: Candidate, limit: Limit, compared: _Other | None) -> Candidate:
    """Leave out the other thing where "the same year as X" would hold of X itself."""
    if compared is None or not limit.slot:
        return candidate
    return combine.others(candidate, compared.found.result.members)


def _slot(time: TimeValue, precision: int) -> TimeValue:
    """Return a time known to a precision only."""
    month = time.month if precision >= _MONTH else 0
    day = time.day if precision > _MONTH else 0
    return TimeValue(time.year, month, day, precision=min(precision, time.precision))


def with_things(base: Solved, aspect: Aspect, executor: Executor) -> tuple[Solved, Aspect]:
    """Go back from values to what has them: "the population of X is larger than ...".

    They are compared by what was said of them, and by nothing else that is called large.
    """
    if ids_of(base.result.members) or not base.candidate.steps:
        return base, aspect
    last = base.candidate.steps[-1]
    if not isinstance(last, Follow) or last.direction is not Direction.OUT:
        return base, aspect
    said = tuple(name for name in aspect.properties if name in last.properties)
    if not said:
        return base, aspect
    candidate: Candidate = replace(
        base.candidate, steps=base.candidate.steps[:-1], out=last.source,
        edges=base.candidate.edges[:-1],
    )  # fmt: skip
    return base.then(candidate, executor), replace(aspect, properties=said)


def wholes(limit: Limit) -> list[tuple[Comparison, int]]:
    """Return the numbers of things that a limit compares with."""
    return [
        (comparison, int(written.amount)) for comparison, written in limit.tests
        if isinstance(written, Measure) and written.amount % 1 == 0 and not written.unit
    ]  # fmt: skip


def _least(limit: Limit) -> int:
    """Return the fewest that a limit of numbers lets pass."""
    return max(
        (number + (comparison is Comparison.GT) for comparison, number in wholes(limit)
         if comparison in MORE_MAY_HOLD), default=0,
    )  # fmt: skip


def choose(solver: Solver, ids: Sequence[str], aspect: Aspect) -> tuple[str, Stated]:
    """Return the property to compare by, the first that most have, and what is stated by it."""
    found = [(name, values_of(solver.source, ids, name)) for name in aspect.properties]
    most = max((len(stated) for _, stated in found), default=0)
    first, classes = aspect.before
    told = next((list(stated) for name, stated in found if name in first), [])
    if len(found) > 1 and told and _are_mostly(solver, told, classes):
        found.sort(key=lambda one: one[0] not in first)
    for name, stated in found:
        if most and 2 * len(stated) >= most:
            return name, stated
    return "", {}


def _are_mostly(solver: Solver, ids: Sequence[str], classes: Set[str]) -> bool:
    """Tell whether most of (a sample of) some things are of a class with one of some words."""
    found = solver.reader.entities(ids[:_LOOKED_AT])
    named = solver.reader.entities(kind for item in found.values() for kind in item.types)
    words = {id_: set(item.label.lower().split()) for id_, item in named.items()}
    fitting = [
        item for item in found.values() if any(words.get(k, set()) & classes for k in item.types)
    ]
    return 2 * len(fitting) > len(found)


def lacking(solver: Solver, base: Solved, aspect: Aspect) -> Failure:
    """Say that nothing is stated to compare by."""
    known = solver.index.properties
    names = [known[name].name for name in aspect.properties if name in known]
    ids = ids_of(base.result.members)
    about = solver.reader.label(ids[0]) if len(ids) == 1 else f"any of the {len(ids):,} found"
    # "Taller" asks for a height; that the graph knows elevations alone is another matter.
    label = names[0] if names and aspect.given else aspect.words
    return Failure(
        f"The graph states no {label} for {about}.", base.linking, base.matches, base.question
    )


def _completed(
    solver: Solver, outcome: Solved, name: str, stated: int, ids: Sequence[str], judged: bool
) -> Solved:
    """Say how many could not be compared."""
    if stated == len(ids) or judged:
        return outcome
    label = solver.index.name_of(name)
    text = f"The graph states the {label} of only {stated:,} of {len(ids):,}, so more may fit."
    return replace(outcome, missing=(*outcome.missing, text))


def most_joined(solver: Solver, ids: Sequence[str], noun: Match) -> tuple[Hop, Stated]:
    """Return the relations that a noun names, walked one way, and what they join things to."""
    best: tuple[Hop, Stated] = ((), {})
    # The other way round where this one leads nowhere: "spoken by the most people".
    for hop in (walked(noun), reverse((walked(noun),))[0]):
        for way in Direction:
            part = tuple(edge for edge in hop if edge[1] is way)
            joined = others_of(solver.source, ids, part) if part else {}
            if len(joined) > len(best[1]):
                best = (part, joined)
        if best[1]:
            break
    return best
