"""What is known of kinds of things, held against what was seen: homes, uses, what is lacking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.belief import vocabulary as v
from robodata_core.belief.kinds import ABOVE
from robodata_core.belief.planning import PlanRelations
from robodata_core.language.grammar.abilities import objects_of, verbs_of
from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import Direction, Statement, Value
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.question import analyse
from robodata_core.policy.offline.seeing import (
    Seeing,
    bare,
    in_sight,
    joined,
    of,
    on,
    values,
)
from robodata_core.policy.offline.solved import Failure, Solved, solve_alone
from robodata_core.policy.offline.stated import ids_of
from robodata_core.policy.offline.words import said
from robodata_core.programs.steps import (
    Comparison,
    Difference,
    End,
    FilterByCount,
    FilterByType,
    Program,
    Start,
)
from robodata_core.sources.capabilities import lookup_names

__all__ = ["Keeping"]

_PLANS: Final = PlanRelations()
_HOME: Final = (v.USUAL_PLACE.id,)
#: Kinds of what is not where it was seen, unless it is seen there.
_ROAMING: Final = sorted(said("moving by itself"))
#: How far up a kind's kinds one looks for where it is kept.
_STEPS_UP: Final = 4
#: Most kinds of places that are looked at for what is at home there.
_MOST_HOMES: Final = 18
_MOST_ACTS: Final = 20


@dataclass(frozen=True, slots=True)
class Keeping:
    """Joins what is typical of kinds with what was seen of them.

    Attributes:
        seeing: Finds things of the map.
    """

    seeing: Seeing

    def kept(self, words: str, kinds: Solved) -> Solved | Failure | None:
        """Return where things of kinds are kept, by the nearest kind of which that is stated."""
        places = self._places
        if not places:
            return None
        for _ in range(_STEPS_UP):
            found = self.seeing.along(kinds, places)
            if found.result.members:
                return found
            kinds = self.seeing.along(kinds, self.seeing.known(ABOVE))
        return Failure(f"Where “{words}” belongs is not stated.")

    @property
    def _places(self) -> tuple[str, ...]:
        return self.seeing.known(_PLANS.places, but=v.LOCATION)

    def kinds(self, words: str) -> Solved | None:
        """Return the kinds that words name, or of which the thing is that they name."""
        named = self.seeing.named(words)
        if named is None:
            return None
        ids = [one.id for one in named.candidate.links[0].mention.entities]
        kinds = tuple(id_ for id_ in ids if not v.id_of(id_))
        if kinds:
            return replace(named, candidate=of(named.candidate, Start("n0", values(kinds))))
        return self.seeing.along(named, (v.INSTANCE_OF,))

    def lacking(self, activity: str) -> tuple[Solved, Solved] | Failure | None:
        """Return what an activity takes of which nothing was seen, and of which something was."""
        needed = self._needed(activity)
        if needed is None or not needed.result.members:
            needed = self._needed_for_like(activity) or needed
        if needed is None:
            return None
        if not needed.result.members:
            return Failure(f"What “{activity}” takes is not stated.")
        whole = needed.candidate
        seen = FilterByCount(
            whole.fresh, whole.out, (v.INSTANCE_OF,), Direction.IN, Comparison.GE, 1
        )
        whole = whole.then(seen)
        rest = whole.then(Difference(whole.fresh, needed.candidate.out, seen.out))
        run = self.seeing.run
        return run(replace(needed, candidate=rest)), run(replace(needed, candidate=whole))

    def _needed(self, activity: str) -> Solved | None:
        """Return the kinds of things that an activity takes, as far as that is stated."""
        named = self._done(activity)
        if named is None:
            return None
        parts = [
            self.seeing.along(named, names, way)
            for names, way in (
                (self.seeing.known(_PLANS.needs), Direction.OUT),
                (self.seeing.known(_PLANS.uses), Direction.IN),
            )
            if names
        ]
        parts = [part for part in parts if part.result.members] or parts[:1]
        if len(parts) < 2:
            return parts[0] if parts else None
        return self.seeing.run(joined(*parts, every=False))

    def _needed_for_like(self, activity: str) -> Solved | None:
        """Return what the first activity takes that has words in its name: "making breakfast"."""
        relations = self.seeing.known(_PLANS.needs)
        for hit in self.seeing.deep.solver.source.search(activity) if relations else ():
            if not v.id_of(hit.id) and set(activity.split()) <= set(hit.label.split()):
                start = self.seeing.begun(Start("n0", values((hit.id,))))
                needed = self.seeing.along(start, relations)
                if needed.result.members:
                    return needed
        return None

    def _done(self, activity: str) -> Solved | None:
        """Return what some words for what is done name, with their verb in any of its forms."""
        for words in (activity, *_plain_verbs(activity)):
            named = self.seeing.named(words)
            if named is not None:
                return named
        return None

    def of_use(self, use: str) -> Iterator[Solved]:
        """Yield the kinds of things of a use: stated as such, or by what they can do to others."""
        uses = self.seeing.known(_PLANS.uses)
        verb, _, others = use.partition(" ")
        alone = others == bare(others)  # "a can" is a thing, whatever "can" does elsewhere
        others = bare(others)
        if alone and all(map(open_lexicon("en").is_small, others.split())):  # "to sit on"
            use, others = verb, ""
        forms = (use, *_plain_verbs(use), *(f"{doing} {others}".strip() for doing in _doing(verb)))
        forms = (*forms, *self._wider_uses(verb, others))
        for words in forms if uses else ():
            named = self.seeing.named(words)
            if named is not None:
                yield self.seeing.along(named, uses, Direction.IN)
        for name, label in self._abilities(verb) if others else ():
            kinds = self._able(name, others) or solve_alone(
                self.seeing.deep.set_of, analyse(f"what {label} {others}")
            )
            if isinstance(kinds, Solved):
                yield kinds
        able = None if others else self.with_quality(f"{verb}able")
        if able is not None:  # what can break is breakable; who asks takes what breaks others first
            yield able

    def _wider_uses(self, verb: str, others: str) -> tuple[str, ...]:
        """Return uses of the kinds that some things are of: what heats food heats milk, too."""
        kinds = self.kinds(others) if others else None
        if kinds is None:
            return ()
        names: list[str] = []
        for _ in range(_STEPS_UP):
            kinds = self.seeing.along(kinds, self.seeing.known(ABOVE))
            labels = map(self.seeing.deep.solver.reader.label, ids_of(kinds.result.members))
            names += [f"{doing} {label}" for label in labels for doing in _doing(verb)]
        found = lookup_names(self.seeing.deep.solver.source, names)
        return tuple(name for name in names if found.get(name))

    def _able(self, relation: str, others: str) -> Solved | None:
        """Return the kinds that can do something to a kind, or to one below it.

        That holds of kinds, whether or not something of them was seen.
        """
        named = self.kinds(others)
        if named is None:
            return None
        last = named.candidate.steps[-1]
        ids = ids_of(last.values if isinstance(last, Start) else named.result.members)
        below = FilterByType("n0", "", tuple(ids), self.seeing.known(ABOVE))
        kinds = joined(named, replace(named, candidate=of(named.candidate, below)), every=False)
        found = self.seeing.along(kinds, (relation,), Direction.IN)
        return found if found.result.members else None

    def done_to(self, verb: str) -> Solved | None:
        """Return the kinds to which something is done: what is edible, or food, for "eat"."""
        for name in objects_of(bare(verb), open_lexicon("en")):
            hits = lookup_names(self.seeing.deep.solver.source, [name]).get(name, ())
            kinds = [hit.id for hit in hits if not v.id_of(hit.id)]
            if kinds:
                return self.with_quality(name) or self.seeing.begun(Start("n0", values(kinds)))
        return None

    def being(self, word: str) -> Solved | None:
        """Return the kinds to which what is done that a word tells: what is eaten, for "edible"."""
        verbs = verbs_of(word, open_lexicon("en"))
        return next((found for verb in verbs if (found := self.done_to(verb))), None)

    def cleaned(self, doing: str, words: str) -> Solved | Failure | None:
        """Return the kinds of places where something is done to things: washed, where dirty.

        What of such a use is itself kept at another of them, as a sponge is, is no such place, nor
        is what nothing is kept at, as a cloth.
        """
        uses, places = self.seeing.known(_PLANS.uses), self._places
        acts = self.seeing.named(f"{doing} {bare(words)}") or self._acts(doing, words)
        if acts is None or not uses or not places:
            return None
        found = self.seeing.along(acts, uses, Direction.IN)
        kept = self.seeing.along(found, places, Direction.IN).result.members
        left = [one for one in found.result.members if one not in kept]
        left = [one for one in left if self._holds_any(one, places)] or left
        if not left:
            return Failure(f"Where “{words}” go is not stated.")
        return self.seeing.run(self._only(found, left))

    def _holds_any(self, place: Value, places: Sequence[str]) -> bool:
        """Tell whether anything is kept at a place."""
        kept = self.seeing.along(self.seeing.begun(Start("n0", (place,))), places, Direction.IN)
        return bool(kept.result.members)

    def _acts(self, doing: str, words: str) -> Solved | None:
        """Return the activities of such a name that take things of a kind."""
        kinds, needs = self.kinds(words), self.seeing.known(_PLANS.needs)
        if kinds is None or not needs:
            return None
        taking = self.seeing.along(kinds, needs, Direction.IN)
        hits = self.seeing.deep.solver.source.search(doing, limit=_MOST_ACTS)
        named = values(hit.id for hit in hits if hit.label.split()[:1] == [doing])
        acts = [one for one in taking.result.members if one in named]
        return self._only(taking, acts) if acts else None

    def _only(self, found: Solved, some: Sequence[Value]) -> Solved:
        return joined(found, self.seeing.begun(Start("n0", tuple(some))))

    def with_quality(self, word: str) -> Solved | None:
        """Return the kinds of which a quality is stated; None where it is of none."""
        hits = lookup_names(self.seeing.deep.solver.source, [word]).get(word, ())
        uses = self.seeing.known(_PLANS.uses)
        if not hits or not uses:
            return None
        quality = self.seeing.begun(Start("n0", values(hit.id for hit in hits)))
        found = self.seeing.along(quality, uses, Direction.IN)
        return found if found.result.members else None

    def _abilities(self, verb: str) -> Iterator[tuple[str, str]]:
        """Yield relations by which a thing can do that, and their labels: what slices, cuts."""
        doing = self._activity(verb)
        for item in self.seeing.deep.solver.index.properties.values():
            can, _, closer = item.label.partition(" ")
            if can != "can" or not closer:
                continue
            below = self._activity(closer)
            if closer == verb or (doing and below and self._is_below(below, doing)):
                yield item.id, item.label

    def _activity(self, verb: str) -> tuple[str, ...]:
        """Return what a verb's activity may be, by its "-ing" form, in every way to spell it."""
        forms = _doing(verb)
        found = lookup_names(self.seeing.deep.solver.source, forms)
        return tuple(hit.id for form in forms for hit in found.get(form, ()))

    def roams(self, things: Solved) -> bool:
        """Tell whether some of some things come and go by themselves, as persons and animals do."""
        kinds, stated = self._roaming(things)
        return bool(kinds or stated)

    def in_view(self, things: Solved, *, kinds: bool) -> bool:
        """Tell whether all that comes and goes by itself is in sight, wherever that is.

        Args:
            things: The things.
            kinds: Whether a kind stands for what was seen of it, no more; else it is open.
        """
        named, stated = self._roaming(things)
        source = self.seeing.deep.solver.source
        for id_ in named:
            page = source.statements(id_, property=v.INSTANCE_OF, direction=Direction.IN)
            if not kinds or not page.statements:
                return False
            stated += page.statements
        return all(map(in_sight, stated))

    def _roaming(self, things: Solved) -> tuple[list[str], list[Statement]]:
        """Return what words for things name that moves by itself: kinds, and the kind of each."""
        steps = things.candidate.steps
        kinds = [id_ for step in steps if isinstance(step, FilterByType) for id_ in step.type_ids]
        named = [one for step in steps if isinstance(step, Start) for one in step.values]
        moves = self._mover()
        return [id_ for id_ in kinds if moves(id_)], self.moving(ids_of(named))

    def moving(self, things: Sequence[str]) -> list[Statement]:
        """Return which of some things come and go by themselves, by what says of which kind."""
        source, moves = self.seeing.deep.solver.source, self._mover()
        pages = source.statements_many(things, property=v.INSTANCE_OF)
        stated = [one for page in pages.values() for one in page.statements]
        return [one for one in stated if any(map(moves, ids_of([one.value])))]

    def _mover(self) -> Callable[[str], bool]:
        hits = lookup_names(self.seeing.deep.solver.source, _ROAMING).values()
        widest = tuple(hit.id for found in hits for hit in found)
        return lambda id_: id_ in widest or bool(widest and self._is_below((id_,), widest))

    def _is_below(self, closer: tuple[str, ...], wider: tuple[str, ...]) -> bool:
        kinds = FilterByType("n1", "n0", wider, self.seeing.known(ABOVE))
        program = Program((Start("n0", values(closer)), kinds, End("n1")))
        return bool(self.seeing.deep.executor.run(program).members)

    def astray(self, around: Solved, place: str, home: str) -> Solved | None:
        """Return things at one place of a kind that is kept at another one, and not at that."""
        wanted, own, places = self.kinds(home), self.kinds(place), self._places
        if wanted is None or own is None or not places:
            return None
        kept, fitting = (
            self.seeing.members(self.seeing.along(one, places, Direction.IN))
            for one in (wanted, own)
        )
        there = joined(around, kept)
        rest = combine.minus(there.candidate, fitting.candidate)
        return self.seeing.run(replace(there, candidate=rest))

    # -- homes ------------------------------------------------------------------------------------

    def at_home(self, things: Solved) -> Solved | None:
        """Return which things lie where things of their kind are kept, as far as is stated.

        None where none does, or where that is too many places to tell.
        """
        kinds = self.seeing.along(things, (v.INSTANCE_OF,))
        homes = ids_of(self.seeing.along(kinds, _HOME).result.members)
        fitting = [found for id_ in homes if (found := self._at(things, id_)).result.members]
        if not fitting or len(fitting) > _MOST_HOMES:
            return None
        return self.seeing.run(
            joined(things, joined(*fitting, every=False) if fitting[1:] else fitting[0])
        )

    def _at(self, things: Solved, place: str) -> Solved:
        """Return what lies at a place of a kind, and is of a kind that is kept there."""
        there = of(things.candidate, FilterByType("n0", "", (place,)))
        there = on(there, (v.LOCATION,), Direction.IN)
        kept = on(of(things.candidate, Start("n0", values((place,)))), _HOME, Direction.IN)
        kept = on(kept, (v.INSTANCE_OF,), Direction.IN)
        return self.seeing.run(replace(things, candidate=combine.joined((there, kept), every=True)))

    def kept_at(self, things: Solved, place: str) -> Solved | None:
        """Return which things are of kinds that are kept at a place."""
        kinds = self.kinds(place)
        if kinds is None:
            return None
        kept = self.seeing.along(kinds, _HOME, Direction.IN)
        return self.seeing.run(joined(things, self.seeing.members(kept)))

    def with_homes(self, things: Solved) -> Solved:
        """Return which things lie somewhere, and are of a kind of which a home is stated."""
        kinds = combine.stating(on(things.candidate, (v.INSTANCE_OF,)), v.USUAL_PLACE.id)
        known = on(kinds, (v.INSTANCE_OF,), Direction.IN)
        known = combine.joined((combine.stating(known, v.LOCATION), things.candidate), every=True)
        return self.seeing.run(replace(things, candidate=known))

    def strayed(self, things: Solved, known: Solved) -> Solved:
        """Return which things lie elsewhere than where things of their kind are kept.

        Args:
            things: The things.
            known: Those of them ``with_homes``.
        """
        home = self.at_home(things)
        if home is None:
            return known
        less = combine.minus(known.candidate, home.candidate)
        return self.seeing.run(replace(known, candidate=less))


def _doing(verb: str) -> tuple[str, ...]:
    """Return the "-ing" form of a verb, in every way that it may be spelt."""
    return (f"{verb}ing", f"{verb[:-1]}ing", f"{verb}{verb[-1:]}ing")


def _plain_verbs(words: str) -> tuple[str, ...]:
    """Return some words with their first verb as it is without "-ing": "brewing coffee"."""
    verb, _, rest = words.partition(" ")
    if not verb.endswith("ing") or not rest:
        return ()
    stem = verb[:-3]
    return tuple(f"{form} {rest}" for form in (stem, f"{stem}e", stem[:-1]))
