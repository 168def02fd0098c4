"""Telling yes and no of what was seen, beside what they rest on; or why neither is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeGuard

from robodata_core.belief import vocabulary as v
from robodata_core.belief.kinds import Kinds
from robodata_core.model import Direction, EntityValue, Statement, TimeValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.keeping import Keeping
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.seeing import Seeing, bare, in_sight, is_definite, values
from robodata_core.policy.offline.solved import Failure, Solved, as_asked
from robodata_core.policy.offline.spans import seconds_of
from robodata_core.policy.offline.stated import ids_of
from robodata_core.programs.english import listed
from robodata_core.programs.steps import (
    Comparison,
    FilterByCount,
    FilterByType,
    Intersect,
    JudgeShare,
    Quantifier,
    Start,
    Step,
)
from robodata_core.values import format_time

__all__ = ["Judging", "Open", "Told"]

_OUT_OF_SIGHT: Final = "Nothing of where “{}” may be is in sight; it was last {}."
_MAY_BE: Final = "{} was seen; whether that is “{}” is not known."
_MAY_HAVE_GONE: Final = "“{}”: seen last {}; what moves by itself may have gone since."
_NONE_ANYWHERE: Final = "No “{}” was seen, but what moves by itself may be where nobody looks. {}"
#: Most things or places that a reason names.
_MOST_NAMED: Final = 4
_MOST_PLACES: Final = 8
_MOST_LYING: Final = 1_000

Told: TypeAlias = "Solved | Failure | None"
"""What is told; or why nothing is; or None where the words are not understood."""


@dataclass(frozen=True, slots=True)
class Open(Failure):
    """Why it is open what holds: the question was understood, and no other reading knows more."""


@dataclass(frozen=True, slots=True)
class Judging:
    """Tells yes and no.

    Attributes:
        request: The request.
        seeing: Finds things of the map.
        keeping: Knows what is typical of kinds.
    """

    request: Request
    seeing: Seeing
    keeping: Keeping

    def shared(self, one: Solved, other: Solved, quantifier: Quantifier, words: str) -> Told:
        """Tell whether all of some things are among others, or none, or most.

        Nothing is told of what may have moved by itself while it was out of sight.
        """
        if self.keeping.roams(one) and not self.keeping.in_view(one, kinds=True):
            return Open(f"Not all that is “{words}” is in sight, and it may have moved.")
        whole, name = combine.after(one.candidate, other.candidate)
        step = JudgeShare(whole.fresh, one.candidate.out, name, quantifier)
        return self.decided(replace(one, candidate=whole), step, words)

    def decided(self, asked: Solved, step: Step, words: str) -> Solved | Failure:
        """Let a step decide, beside what was seen where it looked."""
        found = self.with_seen(asked, words)
        if isinstance(found, Failure):
            return found
        outcome = self.seeing.run(replace(found, candidate=found.candidate.then(step)))
        final = "yes" if outcome.result.boolean else "no"
        why = self._out_of_sight(asked, found.related, words) if final == "no" else None
        if why is not None:
            return why  # there may be more by now
        plain = final == "yes" and bool(outcome.result.members)  # it rests on what is there
        return replace(
            outcome,
            candidate=replace(outcome.candidate, final=final),
            related=() if plain else found.related,
        )

    def judged(self, found: Solved, words: str) -> Solved | Failure:
        """Say yes where there is something, and no beside what was seen instead."""
        if not found.result.members:
            shown = self.with_seen(found, words)
            if isinstance(shown, Failure):
                return shown
            found = shown
        whether = replace(self.request, kind=AnswerKind.YES_OR_NO)
        found = replace(found, missing=())  # a yes is whole, whatever else there is
        return as_asked(found, whether, self.seeing.deep.executor)

    def with_seen(self, found: Solved, words: str) -> Solved | Failure:
        """Show beside a set what was seen where it was sought; say why if that tells nothing."""
        related = found.related or self.seeing.shown(found.candidate)
        if not related:
            return Failure(f"Nothing at all was seen that tells of “{words}”.")
        why = None if found.result.members else self.undecided(found, words, related)
        return why or replace(found, related=related)

    def undecided(
        self, found: Solved, words: str, related: tuple[Statement, ...] = ()
    ) -> Failure | None:
        """Say why there may be more things than those found: of a wider kind, or out of sight."""
        shown = related or found.related or self.seeing.shown(found.candidate)
        return self.maybe(found, words) or self._out_of_sight(found, shown, words)

    def maybe(self, found: Solved, words: str) -> Failure | None:
        """Say that things were seen of kinds above those asked for, which may be of these.

        That a person is no woman, and a bottle none for wine, is more than a detector has said.
        """
        steps = found.candidate.steps
        for number, step in enumerate(steps):
            wider = self._of_wider(step.type_ids) if isinstance(step, FilterByType) else ()
            if not wider or not isinstance(step, FilterByType):
                continue
            instead: tuple[Step, ...] = (Start(step.out, values(wider)),)
            if step.source:
                start = Start(f"{found.candidate.fresh}w", values(wider))
                instead = (start, Intersect(step.out, (step.source, start.out)))
            there = replace(
                found.candidate, steps=(*steps[:number], *instead, *steps[number + 1 :])
            )
            may = self.seeing.run(replace(found, candidate=there)).result.members
            if may:
                return Open(_MAY_BE.format(listed(self._labels(may)), words))
        return None

    def _of_wider(self, kinds: Sequence[str]) -> tuple[str, ...]:
        """Return what was seen and said to be of a kind above some kinds, and of no nearer one."""
        source = self.seeing.deep.solver.source
        known = Kinds(source)
        wider = {id_ for kind in kinds for id_ in known.above(kind)} - {*kinds}
        seen = ids_of(self.seeing.everything().result.members) if wider else ()
        pages = source.statements_many(seen, property=v.INSTANCE_OF)
        return tuple(
            id_
            for id_, page in pages.items()
            if any(
                isinstance(s.value, EntityValue) and s.value.id in wider for s in page.statements
            )
        )

    def gone_since(self, found: Solved, words: str, *, every: bool = False) -> Failure | None:
        """Say that what is there moves by itself and is not in sight, where it may have gone.

        Args:
            found: The things.
            words: What they are called.
            every: Whether it takes all of them, else one that is in sight or stays.
        """
        if v.STATE in found.candidate.program().along:
            return None  # it is asked what was seen
        things = ids_of(found.result.members)
        moving = self.keeping.moving(things)
        out = [one for one in moving if not in_sight(one)]
        if not out or (not every and len(out) < len(things)):
            return None
        return Open(_MAY_HAVE_GONE.format(words, _last(out)), compared=tuple(out))

    def _out_of_sight(
        self, found: Solved, related: tuple[Statement, ...], words: str
    ) -> Failure | None:
        """Say that what moves by itself may have come to a place since that was in sight.

        Args:
            found: The things.
            related: What was seen at the place.
            words: What the things are called.
        """
        if v.STATE in found.candidate.program().along or not self.keeping.roams(found):
            return None
        if not self.seeing.lies(found):
            reason = _NONE_ANYWHERE.format(bare(words), self._looked())
            return Open(reason, compared=related)
        if any(map(in_sight, related)) or self.keeping.in_view(found, kinds=is_definite(words)):
            return None  # somebody looks there now, or it is seen where it is
        return Open(_OUT_OF_SIGHT.format(words, _last(related)), compared=related)

    def _looked(self) -> str:
        """Tell which places are in sight, when others last were, and which never."""
        source = self.seeing.deep.solver.source
        placed = self.seeing.begun(
            FilterByCount("n0", "", v.AXES[:1], Direction.OUT, Comparison.GE, 1)
        )
        seen = self.seeing.everything().result.members
        places = [one for one in placed.result.members if one not in seen]
        pages = source.statements_many(
            ids_of(places), property=v.LOCATION, direction=Direction.IN, limit=_MOST_LYING
        )
        looked: dict[str, list[str]] = {"In sight": [], "Not in sight": [], "Never looked at": []}
        for place, label in zip(ids_of(places), self._labels(places, len(places)), strict=True):
            page = pages.get(place)
            there = [one for one in page.statements if _when(one)] if page else []
            if any(map(in_sight, there)):
                looked["In sight"].append(label)
            elif there:
                looked["Not in sight"].append(f"{label} (last {_last(there)})")
            else:
                looked["Never looked at"].append(label)
        told = {how: names for how, names in looked.items() if names}
        return " ".join(f"{how}: {listed(names[:_MOST_PLACES])}." for how, names in told.items())

    def _labels(self, things: Sequence[Value], most: int = _MOST_NAMED) -> list[str]:
        return [self.seeing.deep.solver.reader.label(id_) for id_ in ids_of(things[:most])]


def _when(statement: Statement) -> list[TimeValue]:
    said = [snak.value for snak in statement.qualifiers if snak.property == v.POINT_IN_TIME]
    return [value for value in said if _is_time(value)]


def _last(statements: Sequence[Statement]) -> str:
    """Tell the latest time that any of some statements is of."""
    times = [when for one in statements for when in _when(one)]
    return format_time(max(times, key=seconds_of)) if times else "earlier"


def _is_time(value: Value) -> TypeGuard[TimeValue]:
    return isinstance(value, TimeValue)
