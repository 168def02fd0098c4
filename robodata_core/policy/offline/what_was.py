"""Questions about what was: where things were, since when they stay, and what moved when.

They are told from the stays that a map keeps. That something was not so is told only where it was
seen otherwise at the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from robodata_core.belief import vocabulary as v
from robodata_core.model import Direction
from robodata_core.policy.offline.earlier import PARTLY, Earlier
from robodata_core.policy.offline.judging import Judging, Told
from robodata_core.policy.offline.scene import Scene
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.spans import Span, span_of

__all__ = ["WhatWas"]


@dataclass(frozen=True, slots=True)
class WhatWas(Judging):
    """Answers what was.

    Attributes:
        scene: Reads words for things.
        earlier: Finds where things were.
    """

    scene: Scene
    earlier: Earlier

    def was(self, words: str, relation: str, place: str, when: str) -> Told:
        """Tell whether things were at a place at some time, by where they were seen then."""
        stays = self.earlier.stays(words, when)
        found = self.earlier.at(stays, relation, place) if isinstance(stays, Solved) else stays
        if not isinstance(stays, Solved) or not isinstance(found, Solved):
            return found
        if found.result.members:
            return self.judged(found, words)
        things = self.scene.read(words)
        if span_of(when, 0.0) == Span() or not isinstance(things, Solved):
            return Failure(f"“{words}” was never seen there; more than that is not known of then.")
        if self.keeping.roams(things):
            return Failure(f"“{words}” may have been there while nobody looked.")
        seen = self.seeing.along(stays, (v.STAY,), Direction.IN)
        if len(seen.result.members) < len(things.result.members):
            return Failure(f"Not all that are “{words}” were seen then.")
        where = self.seeing.along(stays, (v.WAS_AT,)).result.evidence
        noted = self.earlier.noted(stays).notes
        return self.judged(replace(found, related=where, notes=noted), words)

    def were(self, words: str, relation: str, place: str, when: str) -> Told:
        """Return which things were at a place at some time."""
        found = self.earlier.were(words, relation, place, when)
        if isinstance(found, Solved) and not found.result.members:
            return Failure(f"None of “{words}” was seen there then.")
        return found

    def been(self, words: str, when: str) -> Told:
        """Return where things were at some time."""
        return self.earlier.places(self.earlier.stays(words, when))

    def before(self, words: str) -> Told:
        """Return where a thing was before it was where it is."""
        return self.earlier.places(self.earlier.before(words))

    def begun(self, words: str) -> Told:
        """Return where things were seen first."""
        return self.earlier.places(self.earlier.first(words))

    def seen_then(self, words: str, when: str) -> Told:
        """Tell whether things were seen at some time."""
        stays = self.earlier.stays(words, when)
        return self.judged(stays, words) if isinstance(stays, Solved) else stays

    def stayed(self, words: str, relation: str, place: str = "") -> Told:
        """Return since when a thing is where it was seen last."""
        return self._lasted(self.earlier.run(words, relation, place, lasting=True))

    def lasted(self, words: str, relation: str, place: str) -> Told:
        """Return since when a thing was at a place, the last time that it was seen there."""
        return self._lasted(self.earlier.run(words, relation, place, lasting=False))

    def _lasted(self, run: Told) -> Told:
        if not isinstance(run, Solved):
            return run
        found, how_long = self.earlier.lasted(run)
        return replace(found, notes=(how_long,))

    def turned(self, words: str) -> Told:
        """Return when a thing was first seen in the place that it moved to last."""
        where = self.earlier.before(words)
        run = self.earlier.run(words, "", "", lasting=True)
        if not isinstance(where, Solved) or not isinstance(run, Solved):
            return where if not isinstance(where, Solved) else run
        found, _ = self.earlier.lasted(run)
        return replace(found, notes=self.earlier.noted(where, "Elsewhere before").notes)

    def movers(self, words: str, when: str) -> Told:
        """Return which things were seen to have moved within a time."""
        told = self.earlier.moves(words, when)
        if not isinstance(told, tuple):
            return told
        found = self.seeing.along(told[0], (v.STAY,), Direction.IN)
        if not found.result.members:
            return Failure(f"None of “{words}” was seen to move then, as far as any was seen.")
        return replace(found, missing=(PARTLY,), notes=self.earlier.noted(told[0]).notes)

    def moved(self, words: str, when: str = "") -> Told:
        """Tell whether things were seen in more than one place."""
        return self._moved_then(words, when) if when else self._moved(words)

    def _moved_then(self, words: str, when: str) -> Told:
        told = self.earlier.moves(words, when)
        if not isinstance(told, tuple):
            return told
        came, is_open, span = told
        if came.result.members:
            found = self.seeing.along(came, (v.STAY,), Direction.IN)
            notes = self.earlier.noted(came).notes
            return self.judged(replace(found, related=came.result.evidence, notes=notes), words)
        if is_open:
            return Failure(f"“{words}” was elsewhere before; when it was moved nobody saw.")
        still = self.earlier.kept_still(words, span)
        if not isinstance(still, Solved):
            return still or Failure(
                f"“{words}” was not seen all the time: whether it moved is open."
            )
        where = self.seeing.along(still, (v.WAS_AT,)).result.evidence
        notes = self.earlier.noted(still).notes
        return self.judged(replace(came, related=where, notes=notes), words)

    def _moved(self, words: str) -> Told:
        things = self.scene.read(words)
        if not isinstance(things, Solved) or not things.result.members:
            return things if isinstance(things, Failure) else None
        found = self.scene.moved(words)
        if not isinstance(found, Solved):
            return found
        if found.result.members:
            when = self.seeing.along(found, (v.MOVED,)).result.evidence
            return self.judged(replace(found, related=when), words)
        there = self.scene.in_sight("seen", words)
        if not isinstance(there, Solved) or there.result.members != things.result.members:
            return Failure(f"Not all that is “{words}” is in sight: whether it moved is not known.")
        return self.judged(replace(found, related=there.result.evidence), words)

    ASKED: ClassVar[Mapping[str, Callable[..., Told]]] = {
        "was": was,
        "were": were,
        "been": been,
        "before": before,
        "begun": begun,
        "then": seen_then,
        "moved": moved,
        "movers": movers,
        "stayed": stayed,
        "lasted": lasted,
        "turned": turned,
    }
