"""Where things were before: read from the stays that a map keeps, and never from what is now.

A map tells of the past what was seen: that a thing was at a place at some time, or that it was
seen elsewhere then. Where nobody looked at the time that is asked about, nothing is told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import lru_cache
from typing import Final

from robodata_core.belief import vocabulary as v
from robodata_core.belief.source import time_value
from robodata_core.model import Direction, EntityValue, QuantityValue, TimeValue
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.forms import Form, read_forms
from robodata_core.policy.offline.literals import read_time
from robodata_core.policy.offline.question import analyse
from robodata_core.policy.offline.scene import Read, Scene, number_of
from robodata_core.policy.offline.seeing import Seeing, on, relations_of, values
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.stated import ids_of
from robodata_core.policy.offline.tables import packaged, units
from robodata_core.programs.instants import instant_of
from robodata_core.programs.steps import Comparison, Extreme, FilterByCount

__all__ = ["Earlier", "Span", "span_of"]

_SECOND: Final = "second"
_EVER: Final = "ever"
_PARTLY: Final = "What nobody saw at that time is not among it."
_DAY: Final = 86_400
#: Precision of a date that is written out: the day.
_TO_THE_DAY: Final = 11
#: Most stays that are told one by one beside an answer.
_TOLD: Final = 8


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time, seconds since 1970.

    Attributes:
        start: Its first second.
        end: Its last one.
    """

    start: float = -math.inf
    end: float = math.inf

    @property
    def is_bounded(self) -> bool:
        """Whether a certain time is meant."""
        return math.isfinite(self.start)


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
        things, span = self._things(words), span_of(when, self.seeing.now())
        if not isinstance(things, Solved) or span is None:
            return things if not isinstance(things, Solved) else None
        whole = on(things.candidate, (v.STAY,))
        if span.is_bounded:
            first, last = time_value(span.start), time_value(span.end)
            whole = combine.limited(whole, v.UNTIL, Comparison.GE, first)
            whole = combine.limited(whole, v.SINCE, Comparison.LE, last)
        found = self.seeing.run(replace(things, candidate=whole))
        if not found.result.members:
            return Failure(f"“{words}” was not seen then: where it was is not known.")
        if not span.is_bounded:
            return found
        unseen = [id_ for id_ in ids_of(found.result.members) if self._unseen(id_, span)]
        if len(unseen) == len(found.result.members):
            return Failure(f"“{words}” was seen before and after that time, and not then.")
        less = combine.minus(whole, combine.started(values(unseen), whole)) if unseen else whole
        return self.seeing.run(replace(things, candidate=less))

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
        return told if when == _EVER else replace(told, missing=(_PARTLY,))

    def before(self, words: str) -> Read:
        """Return the last stay of a thing before the one that it is in."""
        things = self._things(words)
        if not isinstance(things, Solved):
            return things
        if len(things.result.members) != 1:
            return Failure(f"Which “{words}” is meant is not said: each was elsewhere before.")
        stays = ids_of(self.seeing.along(things, (v.STAY,)).result.members)
        began = max((self._time(id_, v.SINCE) for id_ in stays), default=-math.inf)
        if len(stays) < 2:
            return Failure(f"“{words}” was seen in one place only, the one where it is.")
        whole = on(things.candidate, (v.STAY,))
        whole = combine.limited(whole, v.SINCE, Comparison.LT, time_value(began))
        whole = whole.then(Extreme(whole.fresh, whole.out, v.UNTIL, largest=True))
        return self.seeing.run(replace(things, candidate=whole))

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

    def noted(self, stays: Solved) -> Solved:
        """Say beside stays when they were."""
        ids = ids_of(stays.result.members)[:_TOLD]
        names = self.seeing.deep.solver.source.entities(ids)
        told = tuple(f"Seen there: {names[id_].label}." for id_ in ids if id_ in names)
        return replace(stays, notes=told)

    def _things(self, words: str) -> Read:
        things = self.scene.read(words)
        if isinstance(things, Solved) and not things.result.members:
            return None if things.proper else Failure(f"Nothing that is “{words}” was seen.")
        return things

    def _unseen(self, id_: str, span: Span) -> bool:
        """Tell whether a stay went on all the time, and yet nobody may have seen it then."""
        since, until = self._time(id_, v.SINCE), self._time(id_, v.UNTIL)
        gaps = [value.amount for value in self._values(id_, v.UNSEEN)
                if isinstance(value, QuantityValue)]  # fmt: skip
        within = span.start <= since <= span.end or span.start <= until <= span.end
        return not within and max(map(float, gaps), default=math.inf) > span.end - span.start

    def _time(self, id_: str, property_: str) -> float:
        (value,) = self._values(id_, property_)
        assert isinstance(value, TimeValue)
        return _seconds(value)

    def _values(self, id_: str, property_: str) -> Sequence[object]:
        page = self.seeing.deep.solver.source.statements(id_, property=property_)
        return [one.value for one in page.statements if not isinstance(one.value, EntityValue)]


def span_of(words: str, now: float | None) -> Span | None:
    """Return the span of time that some words stand for; None for words that stand for none.

    Args:
        words: Words behind what is asked.
        now: What time it is.
    """
    for form in _forms():
        for read in form.each(words):
            kind, *parts = read.split(";")
            if kind == _EVER:
                return Span()
            found = _dated(*parts) if kind == "date" else None
            if now is not None and kind != "date":
                found = _day(now, int(parts[0])) if kind == "day" else _since(now, kind, *parts)
            if found is not None:
                return found
    return None


def _day(now: float, before: int) -> Span:
    start = (now // _DAY - before) * _DAY
    return Span(start, min(start + _DAY - 1, now))


def _since(now: float, kind: str, number: str, unit: str) -> Span | None:
    amount, size = number_of(number), units().get(unit)
    if amount is None or size is None or size[0] != _SECOND:
        return None
    length = float(size[1])
    if kind == "past":
        return Span(now - float(amount) * length, now)
    if length >= _DAY and amount == int(amount):
        return _day(now, int(amount) * round(length / _DAY))
    at = now - float(amount) * length
    return Span(at - length / 2, min(at + length / 2, now))


def _dated(words: str) -> Span | None:
    tokens = analyse(words).tokens
    read = read_time(tokens, 0, len(tokens))
    if read is None or read[1] != len(tokens) or read[0].precision != _TO_THE_DAY:
        return None
    start = _seconds(read[0])
    return Span(start, start + _DAY - 1)


def _seconds(value: TimeValue) -> float:
    return datetime(*instant_of(value), tzinfo=timezone.utc).timestamp()


@lru_cache(maxsize=1)
def _forms() -> tuple[Form, ...]:
    return tuple(read_forms(packaged("past.tsv")))
