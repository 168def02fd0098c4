"""Words for things that a robot has seen, read into one set: "a cup or a bowl on the shelf".

The forms are data, ``scene.tsv``: what is done with the sets that the parts of such words name, the
loosest form first. What they name is never guessed: words of which a part is not read mean nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar, Final

from robodata_core.belief import vocabulary as v
from robodata_core.belief.source import time_value
from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import Direction, StringValue, Value
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.forms import Form, read_forms
from robodata_core.policy.offline.keeping import Keeping
from robodata_core.policy.offline.measuring import Measuring, Read
from robodata_core.policy.offline.question import analyse
from robodata_core.policy.offline.seeing import is_robot, joined, on, relations_of
from robodata_core.policy.offline.solved import Failure, Solved, solve_alone
from robodata_core.policy.offline.spans import UNTIMED, span_of
from robodata_core.policy.offline.stated import ids_of, values_of
from robodata_core.policy.offline.tables import packaged
from robodata_core.policy.offline.words import number_of
from robodata_core.programs.steps import (
    Comparison,
    Extreme,
    FilterByCount,
)

__all__ = ["Read", "Scene"]

_ROBOT: Final = "robot base"
_INSIDE: Final = "inside"
_UNPLACED: Final = "Where the robot is has not been told."
#: What is known of each single thing.
_SEEN: Final = frozenset(
    [*v.SPATIAL, v.LOCATION, v.LAST_SEEN, v.STATE, v.INSTANCE_OF, *v.AXES, v.FRAME]
)
_DEEPEST: Final = 6
#: Most words of a question that are tried as words for things.
_MOST_READ: Final = 100


@dataclass(frozen=True, slots=True)
class Scene(Measuring):
    """Reads words for things of the map.

    Attributes:
        keeping: Knows what is typical of kinds.
        depth: How deep the words stand within others.
        known: What was read already.
        lenient: Whether it is no failure that nothing was seen at a place.
    """

    keeping: Keeping
    depth: int = 0
    known: dict[tuple[str, bool | None], Read] = field(default_factory=dict)
    lenient: bool = False

    def read(self, words: str) -> Read:
        """Return the things that some words are about, all of them."""
        key = words.casefold(), self.lenient
        if key not in self.known:
            self.known[key] = None
            if self.depth < _DEEPEST and len(self.known) < _MOST_READ:
                self.known[key] = self._read(words)
        return self.known[key]

    def means(self, words: str, what: str) -> bool:
        """Tell whether words mean whatever there is, or the robot; a kind may be called so."""
        return any(form.apply(words) for made, form in _forms() if made == what)

    def _read(self, words: str) -> Read:
        if self.means(words, "all"):
            return self.seeing.everything()
        if self.means(words, "robot"):
            robot = self.seeing.seen(_ROBOT)
            known = robot is not None and self.seeing.along(robot, v.AXES[:1]).result.members
            return robot if known else Failure(_UNPLACED)
        named = self.seeing.seen(words)
        if named is not None and (named.result.members or " " not in words):
            return named
        failed: Read = None
        below = replace(self, depth=self.depth + 1)
        # A name of a kind is not taken apart, but "the kitchen table" may be that in it.
        for made, form in _forms():
            if made not in self._MADE or (named is not None and made != _INSIDE):
                continue
            for read in form.each(words):
                _, *parts = read.split(";")
                outcome = self._MADE[made](below, *parts)
                if isinstance(outcome, Solved):
                    return outcome
                failed = failed or outcome
        return named or failed

    # -- places -----------------------------------------------------------------------------------

    def at(self, relation: str, place: str) -> Read:
        """Return what is in, on, near ... a place."""
        held = self.place(place)
        if not isinstance(held, Solved):
            return held
        found = self.seeing.around(relation, held)
        if found is None or found.result.members or self.lenient:
            return found
        return Failure(f"Nothing at all was seen {relation} “{place}”.")

    def place(self, words: str) -> Read:
        """Return the places that words are about, where there are any around the robot."""
        held = self.read(words)
        if not isinstance(held, Solved) or held.result.members:
            return held
        # A place of its own is none of those around the robot; of a kind none was seen.
        return None if held.proper else Failure(f"Nothing that is “{words}” was seen.")

    def there(self, things: str, relation: str, place: str) -> Read:
        """Return which things are in, on, near ... a place."""
        around, held = self.at(relation, place), self.place(place)
        known = isinstance(around, Solved) and not self.means(things, "all")
        subject = self.read(things) if known or self.means(things, "robot") else None
        if isinstance(held, Solved) and is_robot(subject):
            return self._robot_at(subject, relation, held)
        return self._among(around, things)

    def _robot_at(self, robot: Solved, relation: str, held: Solved) -> Read:
        """Return the robot if it is at a place: it is none of what is seen there."""
        names = relations_of(relation)
        if not names:
            return None
        whole, places = combine.after(robot.candidate, held.candidate)
        there = FilterByCount(
            whole.fresh, robot.candidate.out, names, Direction.OUT, Comparison.GE, 1, places
        )
        found = self.seeing.run(replace(robot, candidate=whole.then(there), proper=False))
        stated = self.seeing.along(robot, (v.LOCATION, v.POSITION))
        if not stated.result.members:
            return Failure(_UNPLACED)
        return replace(found, related=stated.result.evidence)

    def inside(self, things: str, place: str) -> Read:
        """Return the things that a place before them tells: "the kitchen table"."""
        found = self.there(things, "in", place)
        return found if isinstance(found, Solved) and found.result.members else None

    def beside(self, things: str, relation: str, kind: str, others: str) -> Read:
        """Return which things are at the very place of a kind where others are."""
        places, known, names = self.read(kind), self.read(others), relations_of(relation)
        if not isinstance(places, Solved) or not isinstance(known, Solved) or not names:
            return places if not isinstance(places, Solved) else known and None
        if not known.result.members:
            return None
        lying = replace(known, candidate=on(known.candidate, names))
        shared = self.seeing.run(joined(lying, places))
        around = self.seeing.around(relation, shared)
        if around is None:
            return None
        less = combine.minus(around.candidate, known.candidate)
        if not self.means(things, "all") and is_robot(subject := self.read(things)):
            return self._robot_at(subject, relation, shared)
        return self._among(self.seeing.run(replace(around, candidate=less)), things)

    def containing(self, places: str, things: str) -> Read:
        """Return the places where some of some things was seen."""
        sides = self._holders(places, things)
        return self.seeing.run(joined(*sides)) if isinstance(sides, tuple) else sides

    def holding(self, comparison: str, number: str, places: str, things: str) -> Read:
        """Return the places where so many of some things were seen."""
        held, inside, amount = self.read(places), self.read(things), number_of(number)
        if not isinstance(held, Solved) or not isinstance(inside, Solved):
            return next(one for one in (held, inside) if not isinstance(one, Solved))
        if amount is None or amount != int(amount) or not amount:
            return None
        whole, among = combine.after(held.candidate, inside.candidate)
        step = FilterByCount(
            whole.fresh, held.candidate.out, (v.LOCATION,), Direction.IN,
            Comparison(comparison), int(amount), among,
        )  # fmt: skip
        return self.seeing.run(replace(held, candidate=whole.then(step)))

    def looked_at(self, held: Solved) -> Solved:
        """Return those of some places where anything was seen."""
        seen = self.seeing.everything()
        return self.seeing.run(
            joined(held, replace(seen, candidate=on(seen.candidate, (v.LOCATION,))))
        )

    def without(self, places: str, things: str) -> Read:
        """Return the places where none of some things was seen, but something was."""
        sides = self._holders(places, things)
        if not isinstance(sides, tuple):
            return sides
        held, full = sides
        if self.keeping.roams(full):
            return Failure(f"“{things}” may be there by now: they move by themselves.")
        if len(self.looked_at(held).result.members) < len(held.result.members):
            return Failure(f"Nothing was seen at some of “{places}”, so what is there is open.")
        if self.is_nowhere(self.read(things), held):
            return Failure(f"It is not known where all of “{things}” are.")
        less = combine.minus(held.candidate, full.candidate)
        return self.seeing.run(replace(held, candidate=less))

    def _holders(self, places: str, things: str) -> tuple[Solved, Solved] | Failure | None:
        """Return places, and where things are, not run yet."""
        held, inside = self.read(places), self.read(things)
        if not isinstance(held, Solved) or not isinstance(inside, Solved):
            return next(one for one in (held, inside) if not isinstance(one, Solved))
        if not held.result.members or not inside.result.members:
            return None
        return held, replace(inside, candidate=on(inside.candidate, (v.LOCATION,)))

    def _among(self, around: Read, things: str) -> Read:
        if not isinstance(around, Solved) or self.means(things, "all"):
            return around
        read = self.read(things)
        found = self._both(around, read)
        if not isinstance(found, Solved) or not self.is_open(read, around):
            return found
        if not found.result.members:
            return Failure(f"It is not known where “{things}” is.")
        return replace(found, missing=(f"Of some “{things}” it is not known where they are.",))

    def is_open(self, things: Read, around: Solved) -> bool:
        """Tell whether any of some things is nowhere, while others are at a place.

        It was seen, so that it is not at that place is more than is known.
        """
        return self.seeing.lies(around) and self.is_nowhere(things, around)

    def is_nowhere(self, things: Read, others: Solved) -> bool:
        """Tell whether any of some things has no place, or one in a frame that no others have."""
        if not isinstance(things, Solved):
            return False
        known, frames = self._frames(things), {*self._frames(others).values()}
        return bool(frames) and any(
            known.get(id_) not in frames for id_ in ids_of(things.result.members)
        )

    def _frames(self, things: Solved) -> dict[str, Value]:
        """Return in which frame each of some things is that is anywhere."""
        source = self.seeing.deep.solver.source
        placed = values_of(source, ids_of(things.result.members), v.AXES[0])
        pages = source.statements_many(placed, property=v.FRAME)
        return {id_: page.statements[0].value for id_, page in pages.items() if page.statements}

    # -- sets -------------------------------------------------------------------------------------

    def unseen(self, things: str, when: str) -> Read:
        """Return which things were not seen after a time, or not within one up to now."""
        found, now = self.read(things), self.seeing.now()
        if not isinstance(found, Solved):
            return found
        span = span_of(when, now or 0.0)
        if span is None or not span.is_bounded or now is None:
            return Failure(UNTIMED) if span is not None and now is None else None
        limit = time_value(span.start if span.end >= now else span.end)
        whole = combine.limited(found.candidate, v.LAST_SEEN, Comparison.LT, limit)
        return self.seeing.run(replace(found, candidate=whole))

    def in_sight(self, state: str, things: str) -> Read:
        """Return which things are in sight, or are not."""
        found = self.read(things)
        if not isinstance(found, Solved):
            return found
        whole = combine.limited(found.candidate, v.STATE, Comparison.EQ, StringValue(state))
        told = self.seeing.run(replace(found, candidate=whole))
        if told.result.members or not found.result.members:
            return told
        # What is said to be out of sight, or in it, stands beside when it was seen last.
        return replace(told, related=self.seeing.along(found, (v.LAST_SEEN,)).result.evidence)

    def moved(self, things: str) -> Read:
        """Return which things were seen in more than one place."""
        found = self.read(things)
        if not isinstance(found, Solved):
            return found
        whole = combine.stating(found.candidate, v.MOVED)
        return self.seeing.run(replace(found, candidate=whole))

    def latest(self, which: str, things: str) -> Read:
        """Return which things were seen last, or longest ago."""
        found = self.read(things)
        if not isinstance(found, Solved):
            return found
        step = Extreme(
            found.candidate.fresh, found.candidate.out, v.LAST_SEEN, largest=which == "last"
        )
        return self.seeing.run(replace(found, candidate=found.candidate.then(step)))

    def besides(self, things: str, *others: str) -> Read:
        """Return which things are none of some others.

        What is only known of kinds of things, as what they are made of, is known of some alone.
        """
        left = self.read(things)
        for words in others:
            out = replace(self, lenient=True).read(words)
            if not isinstance(left, Solved) or not isinstance(out, Solved):
                return left if not isinstance(left, Solved) else out
            if is_robot(left) or not _SEEN.issuperset(out.candidate.program().along):
                return None
            if not out.result.members and self.keeping.with_quality(words) is not None:
                return None  # "breakable" is said of kinds, and is no kind of which none was seen
            if self._are_places(out) and not set(out.result.members) & set(left.result.members):
                return None  # "a fork in a room other than the kitchen": another room is meant
            if self.is_open(left, out):
                return Failure(f"It is not known where all of “{things}” are.")
            less = combine.minus(left.candidate, out.candidate)
            left = self.seeing.run(replace(left, candidate=less))
        return left

    def _are_places(self, found: Solved) -> bool:
        """Tell whether things are rooms and surfaces alone: these are there without being seen."""
        seen = self.seeing.along(found, (v.LAST_SEEN,))
        return bool(found.result.members) and not seen.result.members

    def all_of(self, *words: str) -> Read:
        """Return what all of some words are about."""
        return self._put_together([self.read(one) for one in words], every=True)

    def among(self, things: str, *others: str) -> Read:
        """Return which things are any of some others."""
        scene = replace(self, lenient=True)
        return self._among(scene.either(*others), things)

    def either(self, *words: str) -> Read:
        """Return what any of some words are about."""
        return self._put_together([self.read(one) for one in words], every=False)

    def seen(self, things: str) -> Read:
        """Return which things were seen: rooms and surfaces were not, nor what is only said."""
        found = self.read(things)
        if not isinstance(found, Solved):
            return found
        return self.seeing.run(replace(found, candidate=combine.stating(found.candidate, v.STATE)))

    def _put_together(self, parts: Sequence[Read], every: bool) -> Read:
        sets = [part for part in parts if isinstance(part, Solved)]
        if len(sets) < len(parts):
            return next(part for part in parts if not isinstance(part, Solved))
        if every and len({is_robot(one) for one in sets}) > 1:
            return None  # the robot is none of the things that it sees, whatever holds of them
        return self.seeing.run(joined(*sets, every=every)) if sets[1:] else sets[0]

    def _both(self, one: Solved, other: Read) -> Read:
        return self._put_together([one, other], every=True)

    # -- kinds ------------------------------------------------------------------------------------

    def of_kind(self, things: str, kinds: str) -> Read:
        """Return which things are of kinds that a question about kinds gives."""
        if self.known.get((things.casefold(), self.lenient), self) is None:
            return None  # What is to be of these kinds was read in vain before.
        known = self._kinds(kinds)
        if known is None:
            return None
        found = self.read(things)
        return self._both(found, self.seeing.members(known)) if isinstance(found, Solved) else found

    def kinds_of(self, things: str) -> Read:
        """Return the classes of things, each once."""
        found = self.read(things)
        if not isinstance(found, Solved) or not found.result.members:
            return found
        return self.seeing.along(found, (v.INSTANCE_OF,))

    def _kinds(self, words: str) -> Solved | None:
        """Return the kinds that a question about kinds gives, asked once."""
        if open_lexicon("en").is_small(words.split()[-1].lower()):
            return None  # "made of can": the verb
        key = words.casefold(), None
        if key not in self.known:
            known = solve_alone(self.seeing.deep.set_of, analyse(words))
            whole = isinstance(known, Solved) and not known.missing
            self.known[key] = known if whole else None
        told = self.known[key]
        return told if isinstance(told, Solved) else None

    def such(self, word: str, things: str) -> Read:
        """Return which things are of kinds that an adjective is stated of."""
        known = self.keeping.being(word) or self.keeping.with_quality(word)
        if known is None:
            return None
        found = self.read(things)
        return self._both(found, self.seeing.members(known)) if isinstance(found, Solved) else found

    def of_use(self, things: str, use: str) -> Read:
        """Return which things are of some use, and not what that is done to."""
        if self.means(things, "robot"):
            return None  # who asks, or is asked, is no thing that one uses
        found = self.read(things)
        if not isinstance(found, Solved):
            return found
        told: Read = None
        done_to = self.keeping.done_to(use.split()[0])
        for kinds in self.keeping.of_use(use):
            told = self._both(found, self.seeing.members(kinds))
            if isinstance(told, Solved) and told.result.members:
                # What can break is what can be broken: there nothing is to be left out.
                if done_to is None or kinds.result.members == done_to.result.members:
                    return told
                return self._without(told, self.seeing.members(done_to))
        return told and Failure(f"Nothing that was seen is stated to be for “{use}”.")

    def _without(self, found: Solved, others: Solved) -> Solved:
        """Return things without some others, as they are where none of these is among them."""
        less = self.seeing.run(
            replace(found, candidate=combine.minus(found.candidate, others.candidate))
        )
        return less if len(less.result.members) < len(found.result.members) else found

    def done_to(self, things: str, verb: str) -> Read:
        """Return to which things something is done, where it is known what that is."""
        kinds = self.keeping.done_to(verb)
        if kinds is None:
            return None
        found = self.read(things)
        return self._both(found, self.seeing.members(kinds)) if isinstance(found, Solved) else found

    def strayed(self, things: str) -> Read:
        """Return which things are not where things of their kind are kept."""
        found = self.read(things)
        if not isinstance(found, Solved):
            return found
        return self.keeping.strayed(found, self.keeping.with_homes(found))

    def at_home(self, things: str) -> Read:
        """Return which things are where things of their kind are kept."""
        found = self.read(things)
        return self.keeping.at_home(found) if isinstance(found, Solved) else found

    def kept(self, things: str, place: str) -> Read:
        """Return which things are of kinds that are kept at a place."""
        found = self.read(things)
        return self.keeping.kept_at(found, place) if isinstance(found, Solved) else found

    _MADE: ClassVar[Mapping[str, Callable[..., Read]]] = {
        "at": there,
        "beside": beside,
        "inside": inside,
        "less": besides,
        "among": among,
        "any": either,
        "both": all_of,
        "with": containing,
        "holding": holding,
        "without": without,
        "unseen": unseen,
        "sight": in_sight,
        "latest": latest,
        "moved": moved,
        "between": Measuring.between,
        "side": Measuring.on_side,
        "seen": seen,
        "nearest": Measuring.nearest,
        "within": Measuring.within,
        "kind": of_kind,
        "kinds": kinds_of,
        "such": such,
        "use": of_use,
        "done": done_to,
        "astray": strayed,
        "home": at_home,
        "kept": kept,
    }


@lru_cache(maxsize=1)
def _forms() -> tuple[tuple[str, Form], ...]:
    """Return what is made of each form, with the form."""
    forms = read_forms(packaged("scene.tsv"))
    return tuple((form.instead.partition(";")[0], form) for form in forms)
