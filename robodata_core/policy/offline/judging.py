"""Telling yes and no of what was seen, beside what they rest on; or why neither is told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeGuard

from robodata_core.belief import vocabulary as v
from robodata_core.model import Statement, TimeValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.keeping import Keeping
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.seeing import Seeing, in_sight, is_definite
from robodata_core.policy.offline.solved import Failure, Solved, as_asked
from robodata_core.policy.offline.spans import seconds_of
from robodata_core.programs.steps import JudgeShare, Quantifier, Step
from robodata_core.values import format_time

__all__ = ["Judging", "Told"]

_OUT_OF_SIGHT: Final = "Nothing of where “{}” may be is in sight; it was last {}."

Told: TypeAlias = "Solved | Failure | None"
"""What is told; or why nothing is; or None where the words are not understood."""


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
            return Failure(f"Not all that is “{words}” is in sight, and it may have moved.")
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
        why = None if found.result.members else self._out_of_sight(found, related, words)
        return why or replace(found, related=related)

    def _out_of_sight(
        self, found: Solved, related: tuple[Statement, ...], words: str
    ) -> Failure | None:
        """Say that what moves by itself may have come to a place since that was in sight.

        Args:
            found: The things.
            related: What was seen at the place.
            words: What the things are called.
        """
        if any(map(in_sight, related)) or not self.keeping.roams(found):
            return None
        if self.keeping.in_view(found, kinds=is_definite(words)):
            return None  # it is seen where it is
        said = [snak for one in related for snak in one.qualifiers]
        times = [snak.value for snak in said if snak.property == v.POINT_IN_TIME]
        last = max(filter(_is_time, times), key=seconds_of, default=None)
        when = format_time(last) if last else "earlier"
        return Failure(_OUT_OF_SIGHT.format(words, when), compared=related)


def _is_time(value: Value) -> TypeGuard[TimeValue]:
    return isinstance(value, TimeValue)
