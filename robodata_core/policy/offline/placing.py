"""Questions about a robot's surroundings: what was seen where, how far, and what belongs where.

They are read only where coordinates are stated: on a robot's map. Each becomes a program over
what was observed and, where it asks for more than that, over what is known of kinds of things. What
was never seen is told as a no, with what was seen at the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from robodata_core.belief import vocabulary as v
from robodata_core.belief.kinds import ABOVE
from robodata_core.belief.planning import PlanRelations
from robodata_core.model import Direction, EntityValue, Statement
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate, Link
from robodata_core.policy.offline.deep import Deep
from robodata_core.policy.offline.question import Kind, Question, Request, analyse
from robodata_core.policy.offline.rephrasing import Form, read_forms
from robodata_core.policy.offline.solved import Failure, Solved, as_asked, solve_alone
from robodata_core.policy.offline.stated import ids_of, values_of
from robodata_core.policy.offline.tables import packaged
from robodata_core.policy.offline.words import FUNCTION_WORDS, GENERIC_NOUNS
from robodata_core.programs.steps import (
    Comparison,
    Difference,
    Distance,
    End,
    FilterByCount,
    FilterByType,
    Follow,
    Nearest,
    Program,
    Start,
    Step,
)
from robodata_core.sources.capabilities import lookup_names
from robodata_core.text import normalise_name

__all__ = ["Placing"]

_PLANS: Final = PlanRelations()
_ROBOT: Final = "robot base"
#: Longer questions are about something else.
_LONGEST: Final = 200
#: How far up a kind's kinds one looks for where it is kept.
_STEPS_UP: Final = 4
#: Most of what was seen at a place that stands beside a no.
_SHOWN: Final = 8
#: Words before a noun that say nothing of how many there are.
_DETERMINERS: Final = frozenset(
    ["the", "a", "an", "any", "some", "my", "our", "your", "this", "that", "these", "those"]
)
#: Words for anything at all, besides nouns that say nothing.
_ANYTHING: Final = frozenset(["anything", "something", "everything", "nothing", "any", "all"])


@dataclass(frozen=True, slots=True)
class Placing:
    """Answers questions about where things are, were never seen, belong, or are lacking.

    Attributes:
        deep: Solves what they name.
    """

    deep: Deep

    def solve(self, question: Question, request: Request) -> Solved | Failure | None:
        """Answer a question of such a form; None where it is of none, or nothing has a place."""
        text = question.raw(request.start, request.end).strip(" ?!.,")
        known = self.deep.solver.index.properties
        if len(text) > _LONGEST or not all(axis in known for axis in (*v.AXES, v.FRAME)):
            return None
        for form in _forms():
            asked, *words = form.apply(text).split(";")
            if not asked:
                continue
            outcome = self._answered(asked, words, request)
            if outcome is not None:
                whole = replace(request, kind=Kind.BOOLEAN) if asked == "seen" else request
                return as_asked(outcome, whole, self.deep.executor)
        return None

    def _answered(
        self, asked: str, words: Sequence[str], request: Request
    ) -> Solved | Failure | None:
        """Answer what a form asks; None where its words name nothing that is known."""
        if asked in ("apart", "nearest"):
            return None if request.kind is Kind.BOOLEAN else self._measured(asked, *words)
        if asked == "belongs":
            return self._kept(*words)
        if asked == "lacking":
            return self._lacking(request, *words)
        if asked == "able":
            return self._able(*words)
        if asked == "astray":
            return self._astray(*words)
        if asked in ("there", "seen"):
            whether = replace(request, kind=Kind.BOOLEAN) if asked == "seen" else request
            return self._there(whether, *words)
        return self._told(v.LOCATION if asked == "where" else v.LAST_SEEN, *words)

    # -- what was seen ----------------------------------------------------------------------------

    def _named(self, words: str) -> Solved | None:
        """Return what some words name and nothing else, every meaning of the name."""
        for text in (words, *_plain_verbs(words)):
            question = analyse(text)
            named = self.deep.plain.named(question, range(len(question.tokens)))
            if named is not None:
                mention = named.candidate.links[0].mention
                beside = [t for i, t in enumerate(named.question.tokens) if i not in mention.span]
                if any(token.word and token.norm not in _DETERMINERS for token in beside):
                    continue  # "more than one", "no": it says how many, which is not read here
                ids = tuple(item.id for item in mention.entities)
                link = Link(mention, ids, mention.entities[0].quality)
                return replace(named, candidate=Candidate.start(link, mention.span))
        return None

    def _seen(self, words: str) -> Solved | None:
        """Return the things of the map that words name: one by its name, or all of a kind."""
        named = self._named(words)
        if named is None:
            return None
        best = named.candidate.links[0].quality
        found = named.candidate.links[0].mention.entities
        own = tuple(one.id for one in found if v.id_of(one.id) and one.quality >= best)
        if own:
            return replace(named, candidate=_of(named.candidate, Start("n0", _values(own))))
        kinds = tuple(one.id for one in found if not v.id_of(one.id))
        steps: tuple[Step, ...] = (FilterByType("n0", "", kinds),)
        every = named.then(_of(named.candidate, *steps), self.deep.executor)
        if all(v.id_of(id_) for id_ in ids_of(every.result.members)):
            return every
        return replace(named, candidate=_of(named.candidate, *steps, _was_seen("n1", "n0")))

    def _at(self, relation: str, place: str) -> Solved | None:
        """Return what is in, on, near ... a place."""
        held, names = self._seen(place), _relations(relation)
        return self._along(held, names, Direction.IN) if held is not None and names else None

    def _there(
        self, request: Request, words: str, relation: str = "", place: str = ""
    ) -> Solved | Failure | None:
        """Return which things of some words were seen, or seen at a place."""
        around = self._at(relation, place) if place else None
        things = None if _is_anything(words) else self._seen(words)
        if (place and around is None) or (things is None and not (around and _is_anything(words))):
            return None
        if things is None or around is None:
            found = self._run(things or around)
        else:
            found = self._run(_joined(around, things))
        if found.result.members:
            return found
        found = replace(found, related=self._seen_at(around))
        if found.related and request.kind is not Kind.SET:
            return found
        what = f"Nothing that is “{words}”" if found.related else "Nothing at all"
        where = f" {relation} “{place}”" if place else ""
        return Failure(f"{what} was seen{where}.", question=found.question)

    def _told(self, property_: str, words: str) -> Solved | Failure | None:
        """Return what the map states of things by one relation."""
        things = self._seen(words)
        if things is None:
            return None
        told = self._along(things, (property_,))
        return told if told.result.members else Failure(f"Nothing that is “{words}” was seen.")

    def _seen_at(self, place: Solved | None) -> tuple[Statement, ...]:
        """Return what says what was seen at a place, or at all: what a no rests on."""
        if place is not None:
            return self._run(place).result.evidence[:_SHOWN]
        program = Program((_was_seen("n0", ""), End("n0")))
        return self.deep.executor.run(program).evidence[:_SHOWN]

    def _run(self, solved: Solved | None) -> Solved:
        assert solved is not None
        return solved.then(solved.candidate, self.deep.executor)

    def _along(self, start: Solved, names: Sequence[str], way: Direction = Direction.OUT) -> Solved:
        """Go on along the first of some relations that leads anywhere."""
        for name in names:
            found = self._run(replace(start, candidate=_on(start.candidate, (name,), way)))
            if found.result.members:
                break
        return found

    # -- what is known of kinds -------------------------------------------------------------------

    def _kept(self, words: str) -> Solved | Failure | None:
        """Return where things of a kind are kept, by the nearest kind of which that is stated."""
        kinds, places = self._kinds(words), self._known(_PLANS.places, but=v.LOCATION)
        if kinds is None or not places:
            return None
        for _ in range(_STEPS_UP):
            found = self._along(kinds, places)
            if found.result.members:
                return found
            kinds = self._along(kinds, self._known(ABOVE))
        return Failure(f"Where “{words}” belongs is not stated.")

    def _kinds(self, words: str) -> Solved | None:
        """Return the kinds that words name, or of which the thing is that they name."""
        named = self._named(words)
        if named is None:
            return None
        ids = [one.id for one in named.candidate.links[0].mention.entities]
        kinds = tuple(id_ for id_ in ids if not v.id_of(id_))
        if kinds:
            return replace(named, candidate=_of(named.candidate, Start("n0", _values(kinds))))
        return self._along(named, (v.INSTANCE_OF,))

    def _lacking(self, request: Request, activity: str) -> Solved | Failure | None:
        """Return what an activity takes of which nothing was seen."""
        needed = self._needed(activity)
        if needed is None:
            return None
        if not needed.result.members:
            return Failure(f"What “{activity}” takes is not stated.")
        whole = needed.candidate
        seen = FilterByCount(
            whole.fresh, whole.out, (v.INSTANCE_OF,), Direction.IN, Comparison.GE, 1
        )
        whole = whole.then(seen)
        lacking = whole.then(Difference(whole.fresh, needed.candidate.out, seen.out))
        found = self._run(replace(needed, candidate=lacking))
        if found.result.members or request.kind is not Kind.SET:
            shown = self._run(replace(needed, candidate=whole)).result.evidence
            return replace(found, related=shown[:_SHOWN])
        return Failure(f"Something was seen of everything that “{activity}” is stated to take.")

    def _needed(self, activity: str) -> Solved | None:
        """Return the kinds of things that an activity takes, as far as that is stated."""
        named = self._named(activity)
        if named is None:
            return None
        parts = [
            self._along(named, names, way)
            for names, way in (
                (self._known(_PLANS.needs), Direction.OUT),
                (self._known(_PLANS.uses), Direction.IN),
            )
            if names
        ]
        parts = [part for part in parts if part.result.members] or parts[:1]
        if len(parts) < 2:
            return parts[0] if parts else None
        return self._run(_joined(*parts, every=False))

    def _able(self, use: str, relation: str = "", place: str = "") -> Solved | Failure | None:
        """Return the things seen that are of some use."""
        around = self._at(relation, place) if place else None
        if place and around is None:
            return None
        tried = list(self._for(use))
        for kinds in tried:
            things = self._members(kinds)
            found = self._run(things if around is None else _joined(around, things))
            if found.result.members:
                return found
        return Failure(f"Nothing that was seen is stated to be for “{use}”.") if tried else None

    def _for(self, use: str) -> Iterator[Solved]:
        """Yield the kinds of things of a use: stated as such, or by what they can do to others."""
        named = self._named(use)
        uses = self._known(_PLANS.uses)
        if named is not None and uses:
            yield self._along(named, uses, Direction.IN)
        verb, _, others = use.partition(" ")
        for label in self._abilities(verb) if others else ():
            kinds = solve_alone(self.deep.set_of, analyse(f"what {label} {others}"))
            if isinstance(kinds, Solved):
                yield kinds

    def _abilities(self, verb: str) -> Iterator[str]:
        """Yield the labels of relations by which a thing can do that: what slices, cuts."""
        doing = self._activity(verb)
        for item in self.deep.solver.index.properties.values():
            can, _, closer = item.label.partition(" ")
            if can != "can" or not closer:
                continue
            below = self._activity(closer)
            if closer == verb or (doing and below and self._is_below(below, doing)):
                yield item.label

    def _activity(self, verb: str) -> tuple[str, ...]:
        """Return what a verb's activity may be, by its "-ing" form, in every way to spell it."""
        forms = (f"{verb}ing", f"{verb[:-1]}ing", f"{verb}{verb[-1:]}ing")
        found = lookup_names(self.deep.solver.source, forms)
        return tuple(hit.id for form in forms for hit in found.get(form, ()))

    def _is_below(self, closer: tuple[str, ...], wider: tuple[str, ...]) -> bool:
        kinds = FilterByType("n1", "n0", wider, self._known(ABOVE))
        program = Program((Start("n0", _values(closer)), kinds, End("n1")))
        return bool(self.deep.executor.run(program).members)

    def _astray(self, relation: str, place: str, home: str) -> Solved | Failure | None:
        """Return things at one place of a kind that is kept at another one, and not at that."""
        around, wanted, own = self._at(relation, place), self._kinds(home), self._kinds(place)
        places = self._known(_PLANS.places, but=v.LOCATION)
        if around is None or wanted is None or own is None or not places:
            return None
        kept, fitting = (
            self._members(self._along(one, places, Direction.IN)) for one in (wanted, own)
        )
        there = _joined(around, kept)
        rest = combine.minus(there.candidate, fitting.candidate)
        found = self._run(replace(there, candidate=rest))
        return found if found.result.members else replace(found, related=self._seen_at(around))

    def _members(self, kinds: Solved) -> Solved:
        """Return the things seen of some kinds."""
        members = _on(kinds.candidate, (v.INSTANCE_OF,), Direction.IN)
        return replace(kinds, candidate=members.then(_was_seen(members.fresh, members.out)))

    def _known(self, relations: Iterable[str], but: str = "") -> tuple[str, ...]:
        known = self.deep.solver.index.properties
        return tuple(name for name in relations if name in known and name != but)

    # -- distances --------------------------------------------------------------------------------

    def _measured(self, asked: str, one: str, other: str) -> Solved | Failure:
        parts = [self._things(analyse(words)) for words in (one, other)]
        for words, part in zip((one, other), parts, strict=True):
            unseen = isinstance(part, Failure) or not ids_of(part.result.members)
            if unseen and words == _ROBOT:
                return Failure("Where the robot is has not been told.")
            if isinstance(part, Failure):
                return part
            if unseen:
                return Failure(f"Nothing that is “{words}” was found.")
        first, second = parts
        assert isinstance(first, Solved) and isinstance(second, Solved)
        whole, target = combine.after(first.candidate, second.candidate)
        kind = Distance if asked == "apart" else Nearest
        step = kind(whole.fresh, first.candidate.out, target, v.AXES, v.FRAME)
        outcome = self._run(replace(first, candidate=whole.then(step)))
        if outcome.result.members:
            return outcome
        return Failure(f"Where “{one}” and “{other}” are is not known in one frame.")

    def _things(self, words: Question) -> Solved | Failure:
        """Return the thing of the map that some words name, or all that they describe."""
        named = self.deep.plain.named(words, range(len(words.tokens)))
        ids = ids_of(named.result.members) if named else []
        if named is not None and values_of(self.deep.solver.source, ids, v.AXES[0]):
            return named
        return solve_alone(self.deep.set_of, words)


def _is_anything(words: str) -> bool:
    told = [token.norm for token in analyse(words).tokens if token.word]
    return all(word in FUNCTION_WORDS | GENERIC_NOUNS | _ANYTHING for word in told)


@lru_cache(maxsize=64)
def _relations(word: str) -> tuple[str, ...]:
    """Return the relations of the map that a preposition stands for."""
    form = normalise_name(word)
    for item in v.PROPERTIES:
        if item.id in v.SPATIAL and form in map(normalise_name, (item.label, *item.aliases)):
            return (item.id, v.LOCATION) if item.id == v.IN else (item.id,)
    return ()


def _plain_verbs(words: str) -> tuple[str, ...]:
    """Return some words with their first verb as it is without "-ing": "brewing coffee"."""
    verb, _, rest = words.partition(" ")
    if not verb.endswith("ing") or not rest:
        return ()
    stem = verb[:-3]
    return tuple(f"{form} {rest}" for form in (stem, f"{stem}e", stem[:-1]))


def _values(ids: Iterable[str]) -> tuple[EntityValue, ...]:
    return tuple(EntityValue(id_) for id_ in ids)


def _of(candidate: Candidate, *steps: Step) -> Candidate:
    """Return a candidate of these steps alone, about what another one names."""
    outs = tuple(step.out for step in steps)
    return replace(candidate, steps=steps, out=outs[-1], history=outs)


def _on(candidate: Candidate, names: tuple[str, ...], way: Direction) -> Candidate:
    return candidate.then(Follow(candidate.fresh, candidate.out, names, way))


def _was_seen(out: str, source: str) -> FilterByCount:
    return FilterByCount(out, source, (v.LAST_SEEN,), Direction.OUT, Comparison.GE, 1)


def _joined(*parts: Solved, every: bool = True) -> Solved:
    return replace(parts[0], candidate=combine.joined([one.candidate for one in parts], every))


@lru_cache(maxsize=1)
def _forms() -> tuple[Form, ...]:
    return tuple(read_forms(packaged("placing.tsv")))
