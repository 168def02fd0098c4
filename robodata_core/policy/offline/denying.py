"""Denials and exceptions: "not influenced by X", "without children", "except X".

What is denied is asked for as it stands, and what comes out is taken away; so an answer can show
what was looked for. That the graph does not state something does not make it false, which the
notes of an answer say.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.belief.vocabulary import id_of
from robodata_core.language.view import has_one_each, may_be_alike
from robodata_core.model import Direction, EntityValue, Value
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.links import containment_links, type_links
from robodata_core.policy.offline.lying import stands_in
from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.operators import Denial
from robodata_core.policy.offline.question import Question, reread
from robodata_core.policy.offline.relations import Match, reverse, walked
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.solved import Failure, LinkRequest, SetOf, Solved
from robodata_core.policy.offline.stated import ids_of, some_with
from robodata_core.policy.offline.words import (
    AUXILIARIES,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    PREPOSITIONS,
    said,
)
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import (
    Closure,
    Comparison,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Start,
    Step,
    Union,
)
from robodata_core.text import clean_text, normalise_name

__all__ = ["Denier"]

_SHOWN: Final = 8
_LOOKED_AT: Final = 60
_NAMED: Final = 5
_QUOTED: Final = 160
_READINGS: Final = 3
_UNCERTAIN: Final = "What is asked for by “{}” could not be read with certainty."
_RARE: Final = "“{}” is stated of only {:,} of {:,}; of the others it may be so all the same."
#: Share of a set of which something without a name ("the sea") has to be stated, so that it is
#: denied of the rest.
_HARDLY: Final = 0.1
_WHOLLY: Final = said("wholly")
_CLAUSES: Final = said("clause")


@dataclass(frozen=True, slots=True)
class Denier:
    """Takes away what is denied.

    Attributes:
        solver: Gives the source and its relations.
        executor: Runs programs.
        link: Links a request in context.
        set_of: Solves some words of a question.
        depth: How deep the question has been taken apart.
    """

    solver: Solver
    executor: Executor
    link: LinkRequest
    set_of: SetOf
    depth: int

    def apply(
        self, base: Solved, denial: Denial, question: Question, kept: Sequence[int]
    ) -> Solved | Failure:
        """Take away what is denied, and of things and kinds the kinds: little is stated of them.

        Args:
            base: The set.
            denial: What is denied of it.
            question: The question its tokens are places in.
            kept: The words of the question with what is denied as if it were asked for.
        """
        outcome = self._applied(base, denial, question, kept)
        typed = [one for one in base.candidate.steps if isinstance(one, FilterByType)]
        below = self.solver.index.named("subclass of")
        via = tuple(name for one in typed[-1:] for name in one.via if name not in below)
        if isinstance(outcome, Failure) or denial.names or not via or via == typed[-1].via:
            return outcome
        step = replace(
            typed[-1], out=outcome.candidate.fresh, source=outcome.candidate.out, via=via
        )
        things = outcome.then(outcome.candidate.then(step), self.executor)
        fewer = 0 < len(things.result.members) < len(outcome.result.members)
        return things if fewer else outcome

    def _applied(
        self, base: Solved, denial: Denial, question: Question, kept: Sequence[int]
    ) -> Solved | Failure:
        """Take away what is denied."""
        clause, request = reread(question, range(denial.start, denial.end))
        linking, matches = self.link(clause, request)
        if linking.unlinked:
            name = linking.unlinked[0]
            return Failure(f"Nothing in the graph is called “{name}”.", linking, matches, clause)
        if denial.names:
            words = [question.tokens[i].norm for i in sorted(denial.words)]
            # "With X but not with Y" leaves nobody out by name.
            placed = any(_is_placed(clause, mention) for mention in linking.mentions)
            contrast = words == ["but", "not"]
            instead = self._instead(base, denial, question, placed) if contrast else None
            by_name = not instead and not (contrast and placed)
            named = self._named(base, clause, linking) if by_name else None
            if instead or named:
                return self._without_itself(instead, linking) if instead else named or base
        wholly = any(question.tokens[i].norm in _WHOLLY for i in denial.words)
        held: Solved | Failure | None
        if wholly:
            # What a country has not is read before what is no capital: there are such, too.
            held = self._lacking(base, clause, matches, linking, denial, question)
            if held is not None:
                return held
        if not denial.names:
            # What something has not is no name for it.
            one = None if wholly else self._that_one(base, clause, linking)
            one = self._not_of_class(one or base, clause, linking, matches) or one
            if one is not None:
                return one
        if not wholly and not linking.mentions:
            held = self._not_done(base, denial, question)
            held = held or self._lacking(base, clause, matches, linking, denial, question)
            if held is not None:
                return held
        return self._stated(base, clause, kept, question, linking, matches)

    # -- by name ------------------------------------------------------------------------------

    def _named(self, base: Solved, clause: Question, linking: Linking) -> Solved | None:
        """Leave out things by name, or all of a class ("except the singers")."""
        read = {i for mention in linking.mentions for i in mention.span}
        if not read or not _named_places(clause) <= read or _says_more(clause):
            return None
        members = base.result.members
        gone: list[Value] = []
        absent: list[Mention] = []
        alike: list[Solved] = []
        for mention in _apart(linking.mentions):
            readings = [m for m in linking.mentions if m.span == mention.span]
            ids = [item.id for reading in readings for item in reading.entities]
            there = [value for id_ in ids if (value := EntityValue(id_)) in members]
            there = there or self._called(members, mention)
            if there:
                gone += there
            elif not mention.proper and (such := self._such(base, mention)) is not None:
                alike.append(such)
            elif (mention.proper or not self._classes(mention)) and not self._could_be(
                base, mention
            ):
                return None  # "Apart from those who were Ashkenazi Jews" leaves nobody out by name.
            else:
                absent.append(mention)
        outcome = self._but(base, gone) if gone else base
        for such in alike:
            outcome = self._without(outcome, such)
        for mention in absent:
            outcome = _none_of(outcome, mention)
        return outcome

    def _called(self, members: Sequence[Value], mention: Mention) -> list[EntityValue]:
        """Return those of a set whose names begin with a name: the films of a series."""
        name = normalise_name(mention.text)
        ids = (value.id for value in members if isinstance(value, EntityValue))
        labels = self.solver.reader.entities(ids)
        begun = {
            id_ for id_, item in labels.items()
            if mention.exact and normalise_name(item.label).startswith(f"{name} ")
        }  # fmt: skip
        return [one for one in members if isinstance(one, EntityValue) and one.id in begun]

    def _could_be(self, base: Solved, mention: Mention) -> bool:
        """Tell whether what is named may be among things like those of a set, by its kind."""
        named = [EntityValue(item.id) for item in mention.entities[:_READINGS]]
        ours, its = (self._kinds(values) for values in (base.result.members[:_LOOKED_AT], named))
        return may_be_alike(ours, its, self.solver.reader.superclasses)

    def _kinds(self, values: Sequence[Value]) -> frozenset[str]:
        along, via = self.solver.reader.along, type_links(self.solver.index)
        found = (kind for name in via for kind in along(values, (name, Direction.OUT)))
        return frozenset(kind.id for kind in found if isinstance(kind, EntityValue))

    def _but(self, base: Solved, gone: Sequence[Value]) -> Solved:
        """Leave out some members of a set, as asked."""
        outcome = base.then(combine.others(base.candidate, tuple(gone)), self.executor)
        names = " and ".join(self.solver.reader.label(v.id) for v in _things(gone[:_NAMED]))
        shown = tuple(s for value in gone[:_SHOWN] for s in base.result.support(value))
        return self._said(outcome, f"Left out, as asked: {names}.", shown)

    def _without_itself(self, outcome: Solved, linking: Linking) -> Solved:
        """Leave out what is named: of those that border Germany but not France, France is none."""
        named = (item.id for mention in linking.mentions for item in mention.entities[:1])
        gone = [value for id_ in named if (value := EntityValue(id_)) in outcome.result.members]
        return self._but(outcome, gone) if gone else outcome

    def _that_one(self, base: Solved, clause: Question, linking: Linking) -> Solved | None:
        """Read "which fruit is not an apple" where the apple itself is among them."""
        members = set(base.result.members)
        content = _content(clause)
        single = any(
            content <= mention.span
            and not _is_placed(clause, mention)
            and any(EntityValue(item.id) in members for item in mention.entities)
            for mention in linking.mentions
        )
        return self._named(base, clause, linking) if single else None

    def _not_of_class(
        self, base: Solved, clause: Question, linking: Linking, matches: Sequence[Match]
    ) -> Solved | None:
        """Take away all of a class where nothing but a class is denied ("are not singers").

        What a relation says to be that is not left, either: a capital is the capital of something.
        """
        content = _content(clause)
        for mention in linking.mentions:
            if mention.proper or mention.demonym or not content or not content <= mention.span:
                continue
            if _is_placed(clause, mention):
                continue
            outcome = self._of_class(base, mention) if self._classes(mention) else None
            if outcome is not None:
                return self._held(base, outcome, [m for m in matches if m.span <= mention.span])
        return None

    def _held(self, base: Solved, outcome: Solved, nouns: Sequence[Match]) -> Solved:
        """Take away what some nouns say a relation leads to: capitals are capitals of something."""
        single = (m for m in nouns if m.reading.kind == "noun" and len(m.reading.hops) == 1)
        edges = dict.fromkeys(edge for m in single for edge in reverse((walked(m),))[0])
        if not edges:
            return outcome
        held = base.then(combine.having(base.candidate, tuple(edges)), self.executor)
        return self._without(outcome, held) if held.result.members else outcome

    def _instead(
        self, base: Solved, denial: Denial, question: Question, placed: bool
    ) -> Solved | None:
        """Read "influenced X but not Y": not those that stand to Y as the others do to X."""
        members, first = set(base.result.members), min(denial.span)
        before = [m for m in base.linking.mentions if m.start < m.end]
        ended = [m for m in before if self._ends_at(base.question, m, question, first)]
        if not ended:
            return None
        led = base.question.tokens[ended[0].start - 1]
        gone = {base.question.tokens[i].start for i in ended[0].span}
        gone |= {led.start} if placed and led.norm in PREPOSITIONS else set()
        stated = self._affirmed(denial, question, gone)
        if isinstance(stated, Failure) or not members & set(stated.result.members):
            return None
        return self._without(base, stated)

    def _not_done(self, base: Solved, denial: Denial, question: Question) -> Solved | None:
        """Deny of whom a set is told what is denied: "which did X direct but not write"."""
        path, first = base.candidate.path, min(denial.span)
        places = {base.question.tokens[i].start for i in path[-1].span} if path else set[int]()
        names = [link.mention for link in base.candidate.links if link.mention.proper]
        tokens = base.question.tokens
        asked = (m for m in names if m.start and tokens[m.start - 1].norm in AUXILIARIES)
        if any(self._ends_at(base.question, name, question, first) for name in asked):
            places = set()  # "Which did X not direct?"
        elif not names or not first or question.tokens[first - 1].start not in places:
            return None
        stated = self._affirmed(denial, question, places)
        return None if isinstance(stated, Failure) else self._without(base, stated)

    def _affirmed(self, denial: Denial, question: Question, gone: Set[int]) -> Solved | Failure:
        """Ask for what is denied as if it were asked for, without what begins at some places."""
        kept = [
            i for i, token in enumerate(question.tokens)
            if i not in denial.words and token.start not in gone
        ]  # fmt: skip
        return self.set_of(question, kept, self.depth + 1)

    @staticmethod
    def _ends_at(shorter: Question, mention: Mention, question: Question, at: int) -> bool:
        """Tell whether a name ends right before a token of the whole question."""
        return at > 0 and shorter.tokens[mention.end - 1].end == question.tokens[at - 1].end

    def _classes(self, mention: Mention) -> tuple[str, ...]:
        reader, via = self.solver.reader, type_links(self.solver.index)
        ids = [item.id for item in mention.entities[:3]]
        return tuple(
            id_ for id_ in ids if any(name in via for (name, _), _ in reader.relations(id_).items())
        )

    def _of_class(self, base: Solved, mention: Mention) -> Solved | None:
        """Take away all of a class; None where nothing is of it."""
        found = self._typed(base, mention)
        return self._without(base, found) if found is not None else None

    def _such(self, base: Solved, mention: Mention) -> Solved | None:
        """Return those of a set that are of a class, or tied to what a plain word says of them."""
        named = self._classes(mention)
        found = self._typed(base, mention) if named else None
        plain = mention.text.islower() or not named
        return found or (self._tied_to(base, mention) if plain else None)

    def _typed(self, base: Solved, mention: Mention) -> Solved | None:
        """Return those of a set that are of a class; None where nothing is of it."""
        step = FilterByType(
            base.candidate.fresh, base.candidate.out, self._classes(mention),
            type_links(self.solver.index),
        )  # fmt: skip
        typed = replace(base.candidate, steps=(*base.candidate.steps, step), out=step.out)
        found = base.then(typed, self.executor)
        return found if self._shares(base, found) else None

    # -- by what is stated --------------------------------------------------------------------

    def _lacking(
        self,
        base: Solved,
        clause: Question,
        matches: Sequence[Match],
        linking: Linking,
        denial: Denial,
        question: Question,
    ) -> Solved | Failure | None:
        """Take away what has any value of a relation, by a noun first where a noun is denied.

        What nobody has is a noun: "no influences" are not "did not influence".
        """
        noun = any(question.tokens[i].norm in ("no", "without") for i in denial.words)
        held = self._holding(base, clause, matches, linking, noun=noun)
        return held or self._holding(base, clause, matches, linking)

    def _holding(
        self,
        base: Solved,
        clause: Question,
        matches: Sequence[Match],
        linking: Linking,
        *,
        noun: bool = False,
    ) -> Solved | Failure | None:
        """Take away what has any value of a relation ("without children", "never married").

        Where next to nothing is stated, what is not stated says nothing.
        """
        content = _content(clause)
        if any(mention.proper for mention in linking.mentions):
            return None
        best: tuple[float, Solved] | None = None
        for match in matches:
            if not content or not content <= match.span or len(match.reading.hops) != 1:
                continue
            if noun and match.reading.kind != "noun":
                continue
            hop = walked(match)
            if not hop or (best is not None and best[0] >= match.reading.strength):
                continue
            held = base.then(combine.having(base.candidate, hop), self.executor)
            if held.result.members:
                best = (match.reading.strength, held)
        if best is None:
            return None
        some, whole = len(best[1].result.members), len(base.result.members)
        if some < _HARDLY * whole:
            reason = _RARE.format(_text(clause), some, whole)
            return Failure(reason, linking, tuple(matches), clause)
        return self._without(base, best[1])

    def _stated(
        self,
        base: Solved,
        clause: Question,
        kept: Sequence[int],
        question: Question,
        linking: Linking,
        matches: tuple[Match, ...],
    ) -> Solved | Failure:
        """Take away what the graph states it of, and what lies where it says by what it lies in."""
        placed = self._lying(base, clause, linking)
        base = placed or base
        stated = self.set_of(question, kept, self.depth + 1)
        if placed and (isinstance(stated, Failure) or not self._shares(base, stated)):
            return placed
        if isinstance(stated, Failure):
            noun = self.set_of(clause, range(len(clause.tokens)), self.depth + 1)
            if isinstance(noun, Solved) and self._shares(base, noun):
                return self._without(base, noun)  # "are not children of X"
            tied = self._tied(base, clause, linking)
            return tied or self._nowhere(base, stated, clause, linking, matches)
        if _passes_phrase(stated):
            return Failure(_UNCERTAIN.format(_text(clause)), linking, matches, clause)
        if not _reads_alike(base, stated):
            # What narrows the set narrows what is left of it anyway.
            names = (m for m in base.linking.mentions if m.proper)
            at = {base.question.tokens[i].start for m in names for i in m.span}
            kept = [i for i in kept if question.tokens[i].start not in at]
            stated = self.set_of(question, kept, self.depth + 1)
            if isinstance(stated, Failure):
                return Failure(_UNCERTAIN.format(_text(clause)), linking, matches, clause)
        common = set(base.result.members) & set(stated.result.members)
        if not common:
            return Failure(_UNCERTAIN.format(_text(clause)), linking, matches, clause)
        whole = len(base.result.members)
        of_any = not any(link.mention.proper for link in stated.candidate.links)
        if of_any and len(common) < _HARDLY * whole:
            # Where next to nothing is stated, what is not stated says nothing.
            reason = _RARE.format(_text(clause), len(common), whole)
            return Failure(reason, linking, matches, clause)
        rest = self._known(base, self._without(base, stated), stated)
        named = {id_ for link in stated.candidate.links for id_ in link.ids}
        own = tuple(value for value in _things(rest.result.members) if value.id in named)
        if not own or not stated.candidate.path:
            return rest
        # Which countries do not touch Brazil does not ask for Brazil.
        return rest.then(combine.others(rest.candidate, own), self.executor)

    def _lying(self, base: Solved, clause: Question, linking: Linking) -> Solved | None:
        """Leave out what lies in a place by what it lies in, and what is stated to lie nowhere.

        A city in France is in Europe, whatever is stated of the city itself.
        """
        within = containment_links(self.solver.index)
        for mention in linking.mentions if within else ():
            alone = mention.proper and mention.entities and _content(clause) <= mention.span
            if not alone or stands_in(clause.tokens, mention) < 0:
                continue
            place = EntityValue(mention.entities[0].id)
            steps = (Start("n0", (place,)), Closure("n1", "n0", within))
            inside = base.then(Candidate(steps, "n1", (place,)), self.executor)
            if self._shares(base, inside):
                rest = self._without(base, inside)
                return rest.then(combine.stating(rest.candidate, *within), self.executor)
        return None

    def _known(self, base: Solved, outcome: Solved, stated: Solved) -> Solved:
        """Leave out what has none of a relation that everything has once: it may be any."""
        own = {use.hop for use in base.candidate.edges}
        wide = any(isinstance(step, Closure) for step in stated.candidate.steps)
        for use in stated.candidate.edges:
            if len(use.hop) == 1 and use.hop not in own:
                name, way = use.hop[0]
                if use.constraint is (way is Direction.OUT):
                    outcome = self._stating(base, outcome, name, wide)
        return outcome

    def _stating(self, base: Solved, outcome: Solved, name: str, wide: bool = False) -> Solved:
        """Leave out what has none of a relation that everything has once.

        Args:
            base: What it is looked at in.
            outcome: What is left of it.
            name: The relation.
            wide: Whether it has to be stated as well where its value lies.
        """
        source = self.solver.source
        some = [*ids_of(base.result.members)[:_LOOKED_AT], *some_with(source, name)]
        if not has_one_each(source, tuple(dict.fromkeys(some)), name):
            return outcome
        before, where = outcome.candidate, ""
        kept = combine.stating(before, name)
        if wide:
            # Who was born in a town of which no country is stated may have been born anywhere.
            within = containment_links(self.solver.index)
            placed = before.then(Follow(before.fresh, before.out, (name,)))
            placed = combine.stating(placed, *within)
            kept = combine.numbered(
                replace(before, steps=placed.steps), ((name, Direction.OUT),),
                Comparison.GE, 1, placed.out,
            )  # fmt: skip
            where = " with where it lies"
        known = outcome.then(kept, self.executor)
        lost = len(outcome.result.members) - len(known.result.members)
        if not lost:
            return outcome
        label = self.solver.index.name_of(name)
        note = (
            f"Left out as well: {lost:,} of which no “{label}” is stated{where}, so that it may be"
            " any."
        )
        return replace(known, notes=(*known.notes, note))

    @staticmethod
    def _shares(base: Solved, stated: Solved) -> bool:
        return bool(set(base.result.members) & set(stated.result.members))

    def _tied(self, base: Solved, clause: Question, linking: Linking) -> Solved | Failure | None:
        """Read "are not glass" by whatever relation the graph ties some of them to glass with.

        Where more is said than a name, such a tie shows that the words were not understood: that
        nothing of the kind is stated must not be said then.
        """
        content = _content(clause)
        for mention in linking.mentions:
            # "Ivory Coast" is not what "no coast" denies.
            tied = self._tied_to(base, mention) if mention.exact or mention.proper else None
            if tied is None:
                continue
            if content <= mention.span and not mention.proper:
                return self._without(base, tied)
            return Failure(_UNCERTAIN.format(_text(clause)), linking, (), clause)
        return None

    def _tied_to(self, base: Solved, mention: Mention) -> Solved | None:
        """Return those of a set that some relation joins to what is named; None where it is none.

        They are asked for it: what is named may be joined to more than can be looked through.
        """
        candidate = base.candidate
        steps: list[Step] = []
        ids = [item.id for item in mention.entities[:_READINGS]]
        relations = self.solver.reader.relations
        for name, way in dict.fromkeys(edge for id_ in ids for edge in relations(id_)):
            back = Direction.IN if way is Direction.OUT else Direction.OUT
            ends = self.solver.reader.along(base.result.members, (name, back))
            joined = [value for id_ in ids if (value := EntityValue(id_)) in ends]
            for value in joined if back is Direction.OUT else ():
                out = f"t{len(steps)}"
                steps.append(FilterByConstraint(out, candidate.out, name, Comparison.EQ, value))
            if joined and back is Direction.IN:
                start = Start(f"t{len(steps)}", tuple(joined))
                end = Follow(f"t{len(steps) + 1}", start.out, (name,))
                both = Intersect(f"t{len(steps) + 2}", (candidate.out, end.out))
                steps += [start, end, both]
        sets = tuple(step.out for step in steps if isinstance(step, FilterByConstraint | Intersect))
        if not sets:
            return None
        out = "t" if len(sets) > 1 else sets[0]
        steps += [Union(out, sets)] if len(sets) > 1 else []
        tied = replace(candidate, steps=(*candidate.steps, *steps), out=out)
        return base.then(tied, self.executor)

    def _nowhere(
        self,
        base: Solved,
        failure: Failure,
        clause: Question,
        linking: Linking,
        matches: Sequence[Match],
    ) -> Solved | Failure:
        """Keep all where what is denied was understood and is stated of none of them.

        A name alone is not understood: "cannot be opened" says by no word what it has to do with
        what is openable. Of kinds of things no relation is stated in full, and what things that
        were seen are like is known of their kinds alone.
        """
        named = {i for m in linking.mentions if m.proper for i in m.span}
        related = {i for m in matches if m.reading.hops for i in m.span}
        if failure.linking is None or not _named_places(clause) <= named | related:
            return failure
        if not named or related <= named or self._are_kinds(base):
            return failure
        note = f"The graph states “{_text(clause)}” of none of the {len(base.result.members):,}."
        kept = replace(base, notes=(*base.notes, note))
        verbs = [m for m in matches if m.reading.kind == "verb" and len(m.reading.hops) == 1]
        best = max(verbs, key=lambda m: m.reading.strength, default=None)
        for name, way in best.reading.hops[0] if best else ():
            if way is Direction.OUT and name not in self.solver.index.scalars:
                kept = self._stating(base, kept, name)
        return kept

    def _are_kinds(self, base: Solved) -> bool:
        """Tell whether a set is one of classes, or of things that are known by their classes."""
        ids = [one.id for one in _things(base.result.members)[:_LOOKED_AT]]
        return any(map(id_of, ids)) or any(self.solver.reader.above(ids))

    def _without(self, base: Solved, stated: Solved) -> Solved:
        """Take one set out of another and say what was looked for."""
        gone = [v for v in stated.result.members if v in set(base.result.members)]
        outcome = base.then(combine.minus(base.candidate, stated.candidate), self.executor)
        shown = tuple(s for value in gone[:_SHOWN] for s in stated.result.support(value))
        names = [self.solver.reader.label(v.id) for v in _things(gone)]
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        listed = ", ".join(names[:_NAMED]) + more
        note = (
            f"Left out, because the graph states it of them: {listed}"
            f" ({len(gone):,} of {len(base.result.members):,}). Of the others it does not."
        )
        confidence = min(base.confidence, stated.confidence)
        return replace(self._said(outcome, note, shown), confidence=confidence)

    @staticmethod
    def _said(outcome: Solved, note: str, shown: tuple[object, ...]) -> Solved:
        return replace(
            outcome,
            notes=(*outcome.notes, note),
            related=(*outcome.related, *shown),  # type: ignore[arg-type]
        )


def _passes_phrase(stated: Solved) -> bool:
    """Tell whether a phrase for a relation in what is denied is passed over: "made of glass".

    A glass is no thing that is made of glass.
    """
    read = {i for use in stated.candidate.edges for i in use.span}
    links = {i for link in stated.candidate.links for i in link.mention.span}
    told = [one.span for one in stated.matches if len(one.span) > 1 and one.reading.hops]
    return any(not phrase & (read | links) for phrase in told)


def _reads_alike(base: Solved, stated: Solved) -> bool:
    """Tell whether what is taken away narrows by all that the set does, read in the same way.

    "European" may be read as the continent of some, and as what others are part of.
    """
    ours, its = (
        {name for use in one.candidate.edges for name, _ in use.hop} for one in (base, stated)
    )
    return ours <= its


def _none_of(base: Solved, mention: Mention) -> Solved:
    note = f"{mention.entities[0].label} was not among them anyway."
    return replace(base, notes=(*base.notes, note))


def _is_placed(clause: Question, mention: Mention) -> bool:
    """Tell whether a preposition stands before a name: what is "not on the shelf" may be one."""
    return any(token.norm in PREPOSITIONS for token in clause.tokens[: mention.start])


def _content(clause: Question) -> frozenset[int]:
    """Return the places of the words of a clause that do not only build it."""
    return frozenset(
        i for i, token in enumerate(clause.tokens)
        if token.word and token.norm not in FUNCTION_WORDS
    )  # fmt: skip


def _says_more(clause: Question) -> bool:
    """Tell whether something is said of what is left out: "things that have wheels"."""
    return any(token.norm in _CLAUSES for token in clause.tokens)


def _named_places(clause: Question) -> frozenset[int]:
    """Return the places of the words of a clause that name something in particular."""
    return frozenset(i for i in _content(clause) if clause.tokens[i].norm not in GENERIC_NOUNS)


def _apart(mentions: Sequence[Mention]) -> list[Mention]:
    """Return one mention for every place."""
    return list({(m.start, m.end): m for m in reversed(mentions)}.values())[::-1]


def _things(values: Sequence[Value]) -> list[EntityValue]:
    return [value for value in values if isinstance(value, EntityValue)]


def _text(clause: Question) -> str:
    return clean_text(" ".join(token.text for token in clause.tokens), limit=_QUOTED)
