"""How far things of a map lie apart, and on which side: sets that are told by coordinates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, TypeAlias

from robodata_core.belief import vocabulary as v
from robodata_core.model import Direction, QuantityValue, Value
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.question import analyse
from robodata_core.policy.offline.seeing import Seeing
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.stated import ids_of, values_of
from robodata_core.policy.offline.tables import units
from robodata_core.policy.offline.words import NUMBERS, number_of
from robodata_core.programs.steps import Between, Nearest, OnSide, Side, Step, Within
from robodata_core.sources.capabilities import capabilities

__all__ = ["Measuring", "Read"]

Read: TypeAlias = "Solved | Failure | None"
"""A set; or why there is none; or None where the words are not understood."""

_ME: Final = "me"
_ANYWHERE: Final = QuantityValue(Decimal(10**9))
_METRE: Final = "metre"


@dataclass(frozen=True, slots=True)
class Measuring(ABC):
    """Finds things by where they lie to others.

    Attributes:
        seeing: Finds what names and kinds stand for.
    """

    seeing: Seeing

    @abstractmethod
    def read(self, words: str) -> Read:
        """Return the things that some words are about, all of them."""

    @abstractmethod
    def means(self, words: str, what: str) -> bool:
        """Tell whether words mean whatever there is ("all"), or the robot."""

    def nearest(self, how: str, many: str, things: str, target: str) -> Read:
        """Return the things that are nearest to another one, or farthest from it."""
        number = number_of(many)
        if number is None or not 0 < number <= len(NUMBERS):
            return None
        ends = self.ends(things, target)
        if not isinstance(ends, tuple):
            return ends
        whole, source, goal = ends
        far = how == "far"
        if far and len(goal.result.members) > 1:
            return Failure(f"From which “{target}” it is to be far is not said.")
        after, name = combine.after(whole.candidate, goal.candidate)

        def step(out: str, left: str) -> Step:
            return Nearest(out, left, name, v.AXES, v.FRAME, far)

        start = replace(after, out=source)
        found = combine.nth(start, step, range(1, int(number) + 1))
        return self._measured(replace(whole, candidate=found), things, target)

    def within(self, number: str, unit: str, things: str, target: str) -> Read:
        """Return the things that are at most so far from another one."""
        amount, size = number_of(number), units().get(unit)
        if amount is None or size is None or size[0] != _METRE:
            return None
        ends = self.ends(things, target)
        if not isinstance(ends, tuple):
            return ends
        whole, source, goal = ends
        after, name = combine.after(whole.candidate, goal.candidate)
        metres = QuantityValue(amount * size[1])
        step = Within(after.fresh, source, name, v.AXES, v.FRAME, metres)
        return self.seeing.run(replace(whole, candidate=after.then(step)))

    def between(self, things: str, one: str, other: str) -> Read:
        """Return the things that lie between two others."""
        parts = [self._placed(words) for words in (things, one, other)]
        sets = [part for part in parts if isinstance(part, Solved)]
        if len(sets) < len(parts):
            return next(part for part in parts if not isinstance(part, Solved))
        if any(len(part.result.members) != 1 for part in sets[1:]):
            return Failure(f"Which “{one}” and “{other}” are meant is not said, or not known.")
        whole, first = combine.after(sets[0].candidate, sets[1].candidate)
        whole, second = combine.after(whole, sets[2].candidate)
        step = Between(whole.fresh, sets[0].candidate.out, first, second, v.AXES, v.FRAME)
        return self.seeing.run(replace(sets[0], candidate=whole.then(step)))

    def on_side(self, side: str, things: str, target: str, viewer: str = "") -> Read:
        """Return the things that are left or right of another one, before or behind it.

        They are so for whoever looks at it, or as it faces, if it does; else as the robot sees it.
        """
        reach = capabilities(self.seeing.deep.solver.source).beside
        ends = self.ends(things, target) if reach is not None else None
        if reach is None or not isinstance(ends, tuple):
            return ends if isinstance(ends, Failure) else None
        found, _, goal = ends
        if len(goal.result.members) != 1:
            return Failure(f"Which “{target}” is meant is not said.")
        whole, second = combine.after(found.candidate, goal.candidate)
        facing, third = v.FACING, ""
        if viewer or not self.seeing.along(goal, facing[:1]).result.members:
            eyes = self._placed(viewer or _ME)
            if not isinstance(eyes, Solved) or len(eyes.result.members) != 1:
                why = eyes.reason if isinstance(eyes, Failure) else f"Where “{viewer}” is is open."
                return Failure(f"What is {side} of a thing depends on who sees it. {why}")
            whole, third = combine.after(whole, eyes.candidate)
            facing = ()
        metres, cone = (QuantityValue(Decimal(str(number))) for number in reach())
        step = OnSide(
            whole.fresh, found.candidate.out, second, v.AXES, v.FRAME, Side(side), metres, cone,
            facing, third,
        )  # fmt: skip
        told = self.seeing.run(replace(found, candidate=whole.then(step)))
        for way in (Direction.IN, Direction.OUT):  # what is on it is not beside it, nor it itself
            held = self.seeing.along(goal, (v.LOCATION,), way)
            if set(held.result.members) & set(told.result.members):
                less = combine.minus(told.candidate, held.candidate)
                told = self.seeing.run(replace(told, candidate=less))
        if told.result.members:
            return told
        # Nothing is on that side only if it is known of all how they lie to it, and it to the eyes.
        beside = self._in_frame(replace(found, candidate=whole), found.candidate.out, second)
        known = beside if self.means(things, "all") else found.result.members
        seen = not third or self._in_frame(replace(found, candidate=whole), second, third)
        if beside and seen and {*beside, *goal.result.members}.issuperset(known):
            return told
        return self._measured(told, things, target)

    def _in_frame(self, whole: Solved, source: str, target: str) -> tuple[Value, ...]:
        """Return the things of a set that are anywhere in the frame of one of another."""
        step = Within(whole.candidate.fresh, source, target, v.AXES, v.FRAME, _ANYWHERE)
        return self.seeing.run(replace(whole, candidate=whole.candidate.then(step))).result.members

    def ends(self, one: str, other: str) -> tuple[Solved, str, Solved] | Failure | None:
        """Return two sets between which one measures, and the name of the first one's set."""
        parts: list[Solved] = []
        for words in (one, other):
            part = self._placed(words)
            if isinstance(part, Solved) and part.result.members:
                parts.append(part)
            elif isinstance(part, Solved):
                return Failure(f"Nothing that is “{words}” was found.")
            else:
                return part
        return parts[0], parts[0].candidate.out, parts[1]

    def _placed(self, words: str) -> Read:
        """Return the things that words are about, or what has a place without being seen."""
        if self.means(words, "robot") or self.seeing.named(words) is None:
            return self.read(words)
        question = analyse(words)
        named = self.seeing.deep.plain.named(question, range(len(question.tokens)))
        ids = ids_of(named.result.members) if named else []
        if named is not None and values_of(self.seeing.deep.solver.source, ids, v.AXES[0]):
            return named
        return self.read(words)

    def _measured(self, found: Solved, one: str, other: str) -> Solved | Failure:
        outcome = self.seeing.run(found)
        if outcome.result.members:
            return outcome
        return Failure(f"Where “{one}” and “{other}” are is not known in one frame.")
