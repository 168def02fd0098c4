"""Answering tallies: who has most of something, and which value is stated most often.

Everything that the relation joins is compared, not only what the graph says the kind of; a kind
that the question asks for is kept to, by its class or by classes labelled so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.errors import SourceError
from robodata_core.model import Direction, EntityValue, Statement, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.broader import Broader
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.kinds import UNREAD, Kinds
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.special import Special
from robodata_core.policy.offline.stated import MOST_OTHERS, ids_of, others_of
from robodata_core.policy.offline.tables import superlatives
from robodata_core.policy.offline.tallies import Tally, behind, find_tally
from robodata_core.policy.offline.walks import Walk, Walks
from robodata_core.policy.offline.words import GENERIC_NOUNS, Token, said, stems
from robodata_core.programs.nodes import NodeSet
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.steps import (
    Comparison,
    End,
    FilterByCount,
    FilterByType,
    Program,
    Step,
)

__all__ = ["Tallier"]

_TRIED: Final = 6
_MOST_TIED: Final = 40
_SHOWN: Final = 8
#: Share of a kind that has to have the relation by which its members are counted.
_RARE: Final = 0.02
_PERSONS: Final = said("person")
_NOTHING: Final = ProgramResult(NodeSet())
_TOO_MUCH: Final = "There is too much of this to be counted here; ask for less."


@dataclass(frozen=True, slots=True)
class Tallier(Special):
    """Answers tallies."""

    def solve(
        self, question: Question, request: Request, linking: Linking, matches: tuple[Match, ...]
    ) -> Solved | Failure | None:
        """Answer a tally; None where the request is none, or says more than is understood."""
        if request.kind is not AnswerKind.THINGS:
            return None
        tally = find_tally(question.tokens, request, matches, rated=self._rated())
        if tally is None or self.stated(tally, matches) or _is_degree(question.tokens, tally):
            return None
        walks = Walks(question.tokens, request, matches, self.solver.index, tally)
        reason: Failure | None = None
        for walk in list(walks.all())[:_TRIED]:
            limits = self._limits(question, request, tally)
            left = walks.left_over(walk, frozenset(range(*limits)) if limits else frozenset())
            if left or self._names_else(linking, tally, limits):
                continue
            counted = self.counted(question, tally, walk, limits)
            if isinstance(counted, Failure):
                reason = reason or counted
                continue
            asked = Solved(
                question, replace(request, focus=frozenset()), linking, matches, counted.base,
                _NOTHING, min(0.95, walk.strength),
            )  # fmt: skip
            outcome = self._answer(asked, walks, counted)
            if isinstance(outcome, Solved):
                return outcome
            reason = reason or outcome
        return reason

    def stated(self, tally: Tally, matches: tuple[Match, ...]) -> str:
        """Return the property that states the number, if one does: inhabitants are a population."""
        scalars = self.solver.index.scalars
        return next(
            (
                edge[0]
                for match in matches if not tally.common
                if (match.start, match.end) == tally.counted and match.reading.answer == "number"
                for hop in match.reading.hops for edge in hop if edge[0] in scalars
            ),
            "",
        )  # fmt: skip

    def _rated(self) -> bool:
        degrees = superlatives().get(("most", "popular"), ())
        labels = [label for degree in degrees for label in degree.relations]
        return any(self.solver.index.named(label) for label in labels)

    def _broader(self, question: Question, tally: Tally) -> Sequence[Broader]:
        """Return what is known of a noun that says more than a relation ("daughters")."""
        tokens = question.tokens[slice(*tally.counted)]
        known = self.solver.index.broader
        for key in (tuple(t.stem for t in tokens), tuple(stems(" ".join(t.norm for t in tokens)))):
            if key in known:
                return [one for row in known[key] for one in row]
        return ()

    def _limits(self, question: Question, request: Request, tally: Tally) -> tuple[int, int] | None:
        if not tally.common:
            return None
        return behind(question.tokens, request, max(tally.counted[1], max(tally.span) + 1))

    @staticmethod
    def _names_else(linking: Linking, tally: Tally, limits: tuple[int, int] | None) -> bool:
        """Tell whether a name stands outside of what is counted and what limits it."""
        said = frozenset(range(*tally.counted)) | tally.span
        said |= frozenset(range(*limits)) if limits else frozenset()
        names = [m for m in linking.mentions if m.proper and m.entities]
        unknown = bool(linking.unlinked) and not (linking.lost and linking.lost <= said)
        return unknown or any(not m.span <= said for m in names)

    # -- the program --------------------------------------------------------------------------

    def _answer(self, asked: Solved, walks: Walks, step: _Counted) -> Solved | Failure:
        try:
            near = self._joined(step)
            if isinstance(near, Failure):
                return near
            if near.result.truncated:
                return self._at_once(asked, walks, step)
            kept = self._of_kind(asked, walks, step.walk, near)
            if isinstance(kept, Failure):
                return kept
            solved = replace(asked, candidate=kept.candidate, result=kept.result)
            outcome = self._picked(solved, walks, near, kept, step)
            if kept is near and isinstance(outcome, Solved) and self._no_person(asked, outcome):
                people = self._typed(near, "human")
                if isinstance(people, Failure):
                    return people
                solved = replace(asked, candidate=people.candidate, result=people.result)
                outcome = self._picked(solved, walks, near, people, step)
            return outcome
        except SourceError:
            return Failure("The source could not count so much; ask for less.")

    def counted(
        self,
        question: Question,
        tally: Tally,
        walk: Walk,
        limits: tuple[int, int] | None = None,
    ) -> _Counted | Failure:
        """Return how to count, with what alone counts."""
        empty = Candidate((), "", ())
        words = question.raw(*tally.counted).lower()
        broader = self._broader(question, tally)
        edges = {(name, walk.direction) for name in walk.properties}
        if broader and not any(one.edges & edges for one in broader):
            return Failure(f"The graph does not tell which of those counted are {words}.")
        if limits is None and not walk.typed and not broader:
            return _Counted(tally, walk, empty)
        among: Solved | Failure
        if limits is not None:
            among = self.set_of(question, range(*limits), 1)
        elif broader:
            among = Kinds(self.solver).narrowed(question, walk, broader, words, self.executor)
        else:
            among = Kinds(self.solver).counted(question, walk, words, self.executor)
            if isinstance(among, Solved) and self._is_rare(among):
                return Failure(f"The graph states {self.label(walk)} of hardly any {words}.")
        if isinstance(among, Failure):
            return among
        if among.missing:
            return Failure(among.missing[0])
        base, name = combine.after(empty, among.candidate)
        return _Counted(tally, walk, base, name, frozenset(among.result.members))

    def _is_rare(self, among: Solved) -> bool:
        """Tell whether hardly any of a kind has the relation that its members are counted by."""
        of_kind = [one for one in among.candidate.steps if isinstance(one, FilterByType)]
        if not of_kind:
            return False
        whole = Program((replace(of_kind[-1], out="n0", source=""), End("n0")))
        return len(among.result.members) < _RARE * len(self.executor.run(whole).members)

    def _joined(self, counted: _Counted) -> _Near | Failure:
        """Return everything that the relation joins to something that counts."""
        base, walk = counted.base, counted.walk
        out = f"n{len(base.steps)}"
        step = FilterByCount(
            out, "", walk.properties, walk.direction, Comparison.GE, 1, counted.name
        )
        steps: tuple[Step, ...] = (*base.steps, step)
        result = self.executor.run(Program((*steps, End(out))))
        if not result.members:
            return Failure(f"The graph states no {self.label(walk)} to be counted.")
        candidate = replace(base, steps=steps, out=out, history=(out,))
        return _Near(candidate, result.members, result)

    def _at_once(self, asked: Solved, walks: Walks, step: _Counted) -> Solved | Failure:
        """Take what has most of all there is, without looking at the rest: there is too much."""
        tally, walk = step.tally, step.walk
        words = [asked.question.tokens[i].norm for i in sorted(walks.focus_head)]
        special = bool(words) and not walks.names_ends(walk)
        if (special and words[-1] not in GENERIC_NOUNS | _PERSONS) or tally.rank + tally.many > 2:
            return Failure(_TOO_MUCH)
        hop = tuple((name, walk.direction) for name in walk.properties)
        base = replace(step.base, out="")
        candidate = combine.extreme_count(base, hop, tally.high, [1], step.name)
        outcome = asked.then(candidate, self.executor)
        if outcome.result.truncated or not 0 < len(outcome.result.members) <= _MOST_TIED:
            return Failure(_TOO_MUCH)
        return replace(outcome, notes=(f"Counted by {self.label(walk)}, over all there is.",))

    def _of_kind(self, asked: Solved, walks: Walks, walk: Walk, near: _Near) -> _Near | Failure:
        """Keep to the kind of thing that is asked for, where a noun names one."""
        places = sorted(walks.focus_head)
        if not places or walks.names_ends(walk):
            return near
        words = [asked.question.tokens[i].norm for i in places]
        if words[-1] in GENERIC_NOUNS | _PERSONS:
            return near if len(words) == 1 else Failure(UNREAD.format(" ".join(words)), unread=True)
        return self._typed(near, " ".join(words))

    def _no_person(self, asked: Solved, outcome: Solved) -> bool:
        """Tell whether "who" was answered by what the graph says to be something else."""
        if asked.request.wanted != "person":
            return False
        human = set(Kinds(self.solver).of("human", ()))
        found = self.solver.reader.entities(ids_of(outcome.result.members)).values()
        return bool(human) and any(one.types and not human & set(one.types) for one in found)

    def _typed(self, near: _Near, words: str) -> _Near | Failure:
        """Keep what is of the kind that words name."""
        kinds = Kinds(self.solver)
        classes = kinds.of(words, near.members)
        out = near.candidate.fresh
        step = FilterByType(out, near.candidate.out, classes, kinds.via)
        steps = (*near.candidate.steps, step)
        result = self.executor.run(Program((*steps, End(out)))) if classes else None
        if result is None or not result.members:
            return Failure(UNREAD.format(words), unread=True)
        candidate = replace(near.candidate, steps=steps, out=out, history=(out,), typed=True)
        return _Near(candidate, result.members, result)

    # -- the pick -----------------------------------------------------------------------------

    def _picked(
        self, solved: Solved, walks: Walks, near: _Near, kept: _Near, step: _Counted
    ) -> Solved | Failure:
        """Take what has most, with what was compared."""
        tally = step.tally
        ordered = self._ranked(kept, step)
        if ordered[-1][0] >= MOST_OTHERS:  # no more are read of each, so the order is not known
            return self._at_once(solved, walks, step)
        ordered = ordered[::-1] if tally.high else ordered
        places = combine.places((having for _, having in ordered), tally.rank, tally.many)
        if not places:
            return Failure(f"The graph states this of only {len(ordered):,} numbers.")
        found = sum(len(ordered[place - 1][1]) for place in places)
        if found > _MOST_TIED:
            number = ordered[places[-1] - 1][0]
            return Failure(
                f"{found:,} share the same number, {number:,}, of those the graph knows."
            )
        walk = step.walk
        hop = tuple((name, walk.direction) for name in walk.properties)
        whole = kept is near and places == [1]
        base = replace(step.base, out="") if whole else kept.candidate
        candidate = combine.extreme_count(base, hop, tally.high, places, step.name)
        outcome = solved.then(candidate, self.executor)
        after = ordered[max(places) : max(places) + 1]
        label, number = self.label(walk), ordered[places[0] - 1][0]
        shown = tuple(one for _, having in after for one in having[0][:_SHOWN])
        then = f", the next is {after[0][0]:,}" if after else ""
        compared = sum(len(having) for _, having in ordered)
        notes = [f"Counted by {label}: {compared:,} were compared; the number is {number:,}{then}."]
        if found > len(places):
            notes.append("Several share the same number; all of them are given.")
        if not tally.high:
            notes.append("Where the graph states none, nothing was counted.")
        return replace(outcome, related=shown, notes=tuple(notes))

    def _ranked(self, kept: _Near, step: _Counted) -> list[tuple[int, list[tuple[Statement, ...]]]]:
        """Return the numbers in order of size, each with what has so many."""
        walk = step.walk
        hop = tuple((name, walk.direction) for name in walk.properties)
        joined = others_of(self.solver.source, ids_of(kept.members), hop)
        sizes: dict[int, list[tuple[Statement, ...]]] = {}
        for stated in joined.values():
            counted = tuple(
                one for one in stated if step.among is None or _far(one, walk) in step.among
            )
            if counted:
                sizes.setdefault(len(counted), []).append(counted)
        return sorted(sizes.items())

    def label(self, walk: Walk) -> str:
        """Return what a relation is called."""
        known = self.solver.index.properties
        return " or ".join(known[name].name for name in walk.properties if name in known)


@dataclass(frozen=True, slots=True)
class _Near:
    """What is compared."""

    candidate: Candidate
    members: tuple[Value, ...]
    result: ProgramResult


@dataclass(frozen=True, slots=True)
class _Counted:
    """How things are counted.

    Attributes:
        tally: What is asked.
        walk: The relation.
        base: The program that gives what counts, empty where all does.
        name: Its set, empty likewise.
        among: Its members, None likewise.
    """

    tally: Tally
    walk: Walk
    base: Candidate
    name: str = ""
    among: frozenset[Value] | None = None


def _far(one: Statement, walk: Walk) -> Value:
    return one.value if walk.direction is Direction.OUT else EntityValue(one.subject)


def _is_degree(tokens: Sequence[Token], tally: Tally) -> bool:
    """Tell whether the table of comparisons reads what is counted: "has the most people"."""
    counted = {*range(*tally.counted), *tally.span}
    words = [token.norm for token in tokens]
    return any(
        tuple(words[at : at + len(degree)]) == degree and counted <= {*range(at, at + len(degree))}
        for degree in superlatives()
        for at in range(min(counted) - len(degree) + 1, min(counted) + 1)
        if at >= 0
    )
