"""Where things were before: read from the stays that a map keeps, and never from what is now.

A map tells of the past what was seen: that a thing was at a place at some time, or that it was
seen elsewhere then. Where nobody looked at the time that is asked about, nothing is told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Final

from robodata_core.belief import vocabulary as v
from robodata_core.belief.source import time_value
from robodata_core.model import Direction, EntityValue, QuantityValue, TimeValue
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.scene import Read, Scene
from robodata_core.policy.offline.seeing import Seeing, on, relations_of, values
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.spans import UNTIMED, Span, seconds_of, span_of, stretch
from robodata_core.policy.offline.stated import ids_of
from robodata_core.programs.steps import Comparison, Extreme, FilterByCount
from robodata_core.values import format_time

__all__ = ["PARTLY", "Earlier"]

_EVER: Final = "ever"
#: What is told beside what was seen of a time.
PARTLY: Final = "What nobody saw at that time is not among it."
#: Most stays that are told one by one beside an answer.
_TOLD: Final = 8


@dataclass(frozen=True, slots=True)
class Earlier:
    """Finds where things were.

    Attributes:
        seeing: Finds things of the map.
        scene: Reads words for things.
    """

    seeing: Seeing
    scene: Scene

    def stays(self, words: str, when: str) -> Read:
        """Return the stays of some things at some time; a failure where none was seen then."""
        things, span = self._things(words), self.span(when)
        if not isinstance(things, Solved) or not isinstance(span, Span) or span.lasting:
            return next((one for one in (things, span) if isinstance(one, Failure)), None)
        found = self._within(things, span)
        if not found.result.members:
            return Failure(f"“{words}” was not seen then: where it was is not known.")
        if not span.is_bounded:
            return found
        seen = [id_ for id_ in ids_of(found.result.members) if not self._unseen(id_, span)]
        if not seen:
            return Failure(f"“{words}” was seen before and after that time, and not then.")
        return self._only(found, seen)

    def _within(self, things: Solved, span: Span) -> Solved:
        """Return the stays of things that went on in any part of a time."""
        whole = on(things.candidate, (v.STAY,))
        if span.is_bounded:
            first, last = time_value(span.start), time_value(span.end)
            whole = combine.limited(whole, v.UNTIL, Comparison.GE, first)
            whole = combine.limited(whole, v.SINCE, Comparison.LE, last)
        return self.seeing.run(replace(things, candidate=whole))

    def span(self, when: str) -> Span | Failure | None:
        """Return the span that words stand for; a failure where that takes to know the time."""
        now = self.seeing.now()
        span = span_of(when, now)
        untold = now is None and span is None and span_of(when, 0.0) is not None
        return Failure(UNTIMED) if untold else span

    def at(self, stays: Solved, relation: str, place: str) -> Read:
        """Return those of some stays that were in or on a place."""
        names, held = relations_of(relation), self.scene.place(place)
        if not names or not isinstance(held, Solved):
            return held if not isinstance(held, Solved) else None
        if not v.WAS_WHERE.keys() >= set(names):
            return Failure(f"What was {relation} what at another time is not kept.")
        names = tuple(v.WAS_WHERE[name] for name in names)
        whole, places = combine.after(stays.candidate, held.candidate)
        there = FilterByCount(
            whole.fresh, stays.candidate.out, names, Direction.OUT, Comparison.GE, 1, places
        )
        return self.noted(self.seeing.run(replace(stays, candidate=whole.then(there))))

    def were(self, things: str, relation: str, place: str, when: str) -> Read:
        """Return which things were at a place."""
        stays = self.stays(things, when)
        found = self.at(stays, relation, place) if isinstance(stays, Solved) else stays
        if not isinstance(found, Solved):
            return found
        whole = on(found.candidate, (v.STAY,), Direction.IN)
        told = self.seeing.run(replace(found, candidate=whole))
        return told if when == _EVER else replace(told, missing=(PARTLY,))

    def before(self, words: str) -> Read:
        """Return the last stay of a thing before the one that it is in."""
        things = self._things(words)
        if not isinstance(things, Solved):
            return things
        if len(things.result.members) != 1:
            return Failure(f"Which “{words}” is meant is not said: each was elsewhere before.")
        stays = ids_of(self.seeing.along(things, (v.STAY,)).result.members)
        began = max((self._since(id_) for id_ in stays), default=-math.inf)
        if len(stays) < 2:
            return Failure(f"“{words}” was seen in one place only, the one where it is.")
        whole = on(things.candidate, (v.STAY,))
        whole = combine.limited(whole, v.SINCE, Comparison.LT, time_value(began))
        whole = whole.then(Extreme(whole.fresh, whole.out, v.UNTIL, largest=True))
        return self.seeing.run(replace(things, candidate=whole))

    def run(self, words: str, relation: str, place: str, lasting: bool) -> Read:
        """Return the stays of one thing at a place that follow each other, the latest such.

        Args:
            words: The thing.
            relation: How it was to the place.
            place: The place; empty for wherever it was seen last.
            lasting: Whether it is to be there still, as far as it was seen.
        """
        stays = self.stays(words, _EVER)
        there = self.at(stays, relation, place) if isinstance(stays, Solved) and place else stays
        if not isinstance(stays, Solved) or not isinstance(there, Solved):
            return there
        if len(self.seeing.along(stays, (v.STAY,), Direction.IN).result.members) != 1:
            return Failure(f"Which “{words}” is meant is not said: each stayed a time of its own.")
        inside = {*ids_of(there.result.members)}
        order = sorted(ids_of(stays.result.members), key=self._since)
        ends = [number for number, id_ in enumerate(order, 1) if id_ in inside]
        if not ends or (lasting and ends[-1] < len(order)):
            return Failure(
                f"“{words}” was not there when it was seen last.", question=there.question
            )
        last = order[: ends[-1]] if place else order[-1:]
        run = tuple(takewhile(inside.__contains__, reversed(last)))
        return self._only(there, run)

    def lasted(self, run: Solved) -> tuple[Solved, str]:
        """Return when stays that follow each other began, and say how long they are known to be."""
        ids = sorted(ids_of(run.result.members), key=self._since)
        times = [(self._since(id_), self._until(id_)) for id_ in ids]
        gaps = [gap for id_ in ids if math.isfinite(gap := self._gap(id_))]
        gaps += [after[0] - before[1] for before, after in pairwise(times)]
        since, until = times[0][0], max(end for _, end in times)
        first, last = (format_time(time_value(time)) for time in (since, until))
        told = f"It was seen there from {first} until {last}, over {stretch(until - since)}"
        told += f", with up to {stretch(max(gaps))} between two looks." if max(gaps) else "."
        if since == until:
            told = f"It was seen there once alone, {first}."
        begun = Extreme(run.candidate.fresh, run.candidate.out, v.SINCE, largest=False)
        found = self.seeing.run(replace(run, candidate=run.candidate.then(begun)))
        return self.seeing.along(found, (v.SINCE,)), told

    def moves(self, words: str, when: str) -> tuple[Solved, bool, Span] | Failure | None:
        """Return the stays that things came to within a time, and whether there may be more.

        More there may be where a thing was seen in another place before that time, and next after
        it began: when it moved nobody saw.
        """
        things, span = self._things(words), self.span(when)
        if not isinstance(things, Solved) or not isinstance(span, Span):
            return next((one for one in (things, span) if isinstance(one, Failure)), None)
        came, is_open = [], False
        for id_ in ids_of(self._within(things, Span()).result.members):
            since, left = self._since(id_), self._left(id_)
            if not math.isfinite(left):
                continue  # it was seen first there
            if span.start <= left and since <= span.end:
                came.append(id_)
            else:
                is_open |= left <= span.end and span.start <= since
        return self._only(self._within(things, span), came), is_open, span

    def kept_still(self, words: str, span: Span) -> Read:
        """Return the stays of things that began before a time, went on after it, or do so now.

        None where one of the things has no such stay: it may have moved.
        """
        stays, there = self.stays(words, _EVER), self.scene.in_sight("seen", words)
        if not isinstance(stays, Solved) or not isinstance(there, Solved):
            return stays if not isinstance(stays, Solved) else there
        now = self.seeing.now() or math.inf
        still: list[str] = []
        owners = ids_of(self.seeing.along(stays, (v.STAY,), Direction.IN).result.members)
        for owner in owners:
            own = self._stays_of(owner)
            in_sight = span.end >= now and owner in ids_of(there.result.members)
            end = max(map(self._until, own)) if in_sight else span.end
            still += [
                id_ for id_ in own if self._since(id_) <= span.start and self._until(id_) >= end
            ]
        return self._only(stays, still) if len(still) >= len(owners) else None

    def _only(self, stays: Solved, ids: Sequence[str]) -> Solved:
        """Return some of some stays."""
        rest = [id_ for id_ in ids_of(stays.result.members) if id_ not in ids]
        whole = stays.candidate
        less = combine.minus(whole, combine.started(values(rest), whole)) if rest else whole
        return self.seeing.run(replace(stays, candidate=less))

    def _left(self, id_: str) -> float:
        """Return when a thing was seen last where it was before a stay; infinity: nowhere else."""
        source = self.seeing.deep.solver.source
        page = source.statements(id_, property=v.STAY, direction=Direction.IN)
        others = [other for one in page.statements for other in self._stays_of(one.subject)]
        began = self._since(id_)
        return max(
            (self._until(one) for one in others if self._since(one) < began), default=math.inf
        )

    def _stays_of(self, thing: str) -> list[str]:
        source = self.seeing.deep.solver.source
        return ids_of([one.value for one in source.statements(thing, property=v.STAY).statements])

    def _since(self, id_: str) -> float:
        return self._time(id_, v.SINCE)

    def _until(self, id_: str) -> float:
        return self._time(id_, v.UNTIL)

    def first(self, words: str) -> Read:
        """Return the stays of things in which they were seen first."""
        stays = self.stays(words, _EVER)
        if not isinstance(stays, Solved):
            return stays
        whole = stays.candidate
        whole = whole.then(Extreme(whole.fresh, whole.out, v.SINCE, largest=False))
        return self.seeing.run(replace(stays, candidate=whole))

    def places(self, stays: Read) -> Read:
        """Return where stays were, and tell when that was."""
        if not isinstance(stays, Solved):
            return stays
        found = self.seeing.along(self.noted(stays), (v.WAS_AT,))
        if not found.result.members:
            found = self.seeing.along(self.noted(stays), (v.STAY,), Direction.IN)
            return Failure("It was in no region that is known.", question=found.question)
        return found

    def noted(self, stays: Solved, how: str = "Seen there") -> Solved:
        """Say beside stays when they were."""
        ids = ids_of(stays.result.members)[:_TOLD]
        names = self.seeing.deep.solver.source.entities(ids)
        told = tuple(f"{how}: {names[id_].label}." for id_ in ids if id_ in names)
        return replace(stays, notes=told)

    def _things(self, words: str) -> Read:
        things = self.scene.read(words)
        if isinstance(things, Solved) and not things.result.members:
            return None if things.proper else Failure(f"Nothing that is “{words}” was seen.")
        return things

    def _unseen(self, id_: str, span: Span) -> bool:
        """Tell whether a stay went on all the time, and yet nobody may have seen it then."""
        since, until = self._since(id_), self._until(id_)
        within = span.start <= since <= span.end or span.start <= until <= span.end
        return not within and self._gap(id_) > span.end - span.start

    def _gap(self, id_: str) -> float:
        """Return the longest time within a stay in which nobody saw it; infinity: not known."""
        gaps = [value.amount for value in self._values(id_, v.UNSEEN)
                if isinstance(value, QuantityValue)]  # fmt: skip
        return max(map(float, gaps), default=math.inf)

    def _time(self, id_: str, property_: str) -> float:
        (value,) = self._values(id_, property_)
        assert isinstance(value, TimeValue)
        return seconds_of(value)

    def _values(self, id_: str, property_: str) -> Sequence[object]:
        page = self.seeing.deep.solver.source.statements(id_, property=property_)
        return [one.value for one in page.statements if not isinstance(one.value, EntityValue)]
