"""Extremes: "the oldest", "the second largest", "the three longest", with what was compared."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any, Final

from robodata_core.model import Statement
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.limiting import choose, lacking, most_joined, with_things
from robodata_core.policy.offline.operators import Pick
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.stated import Stated, ids_of, values_of
from robodata_core.policy.offline.words import stems
from robodata_core.programs.describe import listed
from robodata_core.programs.executor import Executor
from robodata_core.programs.matching import measure

__all__ = ["Picker"]

_SHOWN: Final = 8
_MOST_PLACES: Final = 20


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Things in the order of their values: one group a place, those that share it together."""

    groups: tuple[tuple[Statement, ...], ...]


@dataclass(frozen=True, slots=True)
class Picker:
    """Picks extremes out of a set.

    Attributes:
        solver: Gives the source and its relations.
        executor: Runs programs.
    """

    solver: Solver
    executor: Executor

    def apply(self, base: Solved, pick: Pick, *, all_stated: bool = False) -> Solved | Failure:
        """Pick the extreme of a set.

        Args:
            base: The set.
            pick: What is picked.
            all_stated: Whether it counts only if all can be compared ("X or Y").
        """
        if pick.aspect.noun is not None:
            return self._by_number(base, pick, pick.aspect.noun, all_stated)
        base, aspect = with_things(base, pick.aspect, self.executor)
        ids = ids_of(base.result.members)
        name, stated = choose(self.solver, ids, aspect)
        if not stated:
            return lacking(self.solver, base, aspect)
        label = self.solver.index.name_of(name)
        short = self._too_few(base, label, stated, ids, all_stated)
        if short is not None:
            return short
        ranked = _ranked(stated, pick.high)
        if ranked is None:
            return Failure(f"The values of {label} have several units.")
        places = _places(ranked.groups, pick)
        if not places:
            return Failure(f"The graph states the {label} of only {len(stated):,}.")
        candidate = combine.extreme(base.candidate, name, pick.high, places)
        outcome = base.then(candidate, self.executor)
        other = "" if pick.aspect.given else self._by_another(ids, name, outcome, pick)
        if other:
            outcome = replace(outcome, notes=(*outcome.notes, other))
        return self._shown(outcome, ranked, places, name, ids, stated)

    def _by_another(self, ids: Sequence[str], name: str, outcome: Solved, pick: Pick) -> str:
        """Say what another measure that the same word may mean gives, where that is different.

        "The largest country" is one by population and another by area.
        """
        for another in pick.aspect.properties:
            stated = values_of(self.solver.source, ids, another) if another != name else {}
            ranked = _ranked(stated, pick.high) if 2 * len(stated) >= len(ids) else None
            places = _places(ranked.groups, pick) if ranked else []
            if ranked is None or not places:
                continue
            best = {one.subject for place in places for one in ranked.groups[place - 1]}
            if best != set(ids_of(outcome.result.members)):
                names = listed(self.solver.reader.label(id_) for id_ in sorted(best)[:_SHOWN])
                return f"By {self.solver.index.name_of(another)} it is {names}."
        return ""

    def _by_number(
        self, base: Solved, pick: Pick, noun: Match, all_stated: bool
    ) -> Solved | Failure:
        """Pick what is joined to most others: "the most official languages"."""
        ids = ids_of(base.result.members)
        words = pick.aspect.words
        if tuple(stems(words)) in self.solver.index.broader:
            return Failure(f"The graph does not tell which of those counted are {words}.")
        hop, joined = most_joined(self.solver, ids, noun)
        if not joined:
            return Failure(
                f"The graph states no {pick.aspect.words} for any of these.", unread=True
            )
        short = self._too_few(base, pick.aspect.words, joined, ids, all_stated)
        if short is not None:
            return short
        ordered = sorted(joined.values(), key=len, reverse=pick.high)
        groups: list[list[tuple[Statement, ...]]] = []
        for one in ordered:
            if not groups or len(groups[-1][0]) != len(one):
                groups.append([])
            groups[-1].append(one)
        places = _places(groups, pick)
        if not places:
            return Failure(f"The graph states {pick.aspect.words} of only {len(joined):,}.")
        candidate = combine.extreme_count(base.candidate, hop, pick.high, places)
        outcome = base.then(candidate, self.executor)
        after = groups[max(places) : max(places) + 1]
        notes = [
            f"Counted by {pick.aspect.words}: {len(joined):,} of {len(ids):,} have any;"
            f" the number is {len(groups[places[0] - 1][0]):,}"
            + (f", the next {len(after[0][0]):,}." if after else ".")
        ]
        if max(len(groups[place - 1]) for place in places) > 1:
            notes.append("Several share the same number; all of them are given.")
        related = after[0][0][:_SHOWN] if after else ()
        return replace(
            outcome, notes=(*outcome.notes, *notes), related=(*outcome.related, *related)
        )

    def _too_few(
        self,
        base: Solved,
        label: str,
        stated: Collection[str],
        ids: Sequence[str],
        all_stated: bool,
    ) -> Failure | None:
        lacks = [id_ for id_ in ids if id_ not in stated]
        few = len(stated) < 2 <= len(ids)
        if not lacks or not (all_stated or few):
            return None
        reader = self.solver.reader
        if len(lacks) <= 3:
            about = " and ".join(reader.label(id_) for id_ in lacks)
        else:
            about = f"{len(lacks):,} of the {len(ids):,} found"
        return Failure(
            f"The graph states no {label} for {about}, so they cannot be compared.",
            base.linking, base.matches, base.question,
        )  # fmt: skip

    def _shown(
        self,
        outcome: Solved,
        ranked: _Ranked,
        places: Sequence[int],
        name: str,
        ids: Sequence[str],
        stated: Stated,
    ) -> Solved:
        """Add the runner-up, how many were compared, ties, and what could not be compared."""
        label = self.solver.index.name_of(name)
        after = ranked.groups[max(places) : max(places) + 1]
        before = ranked.groups[: min(places) - 1]
        related = tuple(one for group in (*before[-1:], *after) for one in group[:2])
        notes = [f"Compared by {label}: {len(stated):,} of {len(ids):,}."]
        tied = [len(ranked.groups[place - 1]) for place in places]
        if max(tied) > 1:
            notes.append(f"{max(tied)} share the same {label}; all of them are given.")
        missing: tuple[str, ...] = ()
        if len(stated) < len(ids):
            lack = len(ids) - len(stated)
            missing = (f"The graph states no {label} for {lack:,} of the {len(ids):,}.",)
        return replace(
            outcome,
            related=(*outcome.related, *related),
            notes=(*outcome.notes, *notes),
            missing=(*outcome.missing, *missing),
        )


def _ranked(stated: Stated, high: bool) -> _Ranked | None:
    """Order things by their best values; None where these cannot be compared."""
    sizes: dict[str, tuple[Any, Any, Statement]] = {}
    for id_, statements in stated.items():
        for one in statements:
            measured = measure(one.value)
            if measured is None:
                continue
            kind, size = measured
            known = sizes.get(id_)
            if known is None or (size > known[1] if high else size < known[1]):
                sizes[id_] = (kind, size, one)
    if len({kind for kind, _, _ in sizes.values()}) != 1:
        return None
    ordered = sorted(sizes.values(), key=lambda item: item[1], reverse=high)
    groups: list[list[Statement]] = []
    last: Any = None
    for _, size, one in ordered:
        if not groups or size != last:
            groups.append([])
        groups[-1].append(one)
        last = size
    return _Ranked(tuple(tuple(group) for group in groups))


def _places(groups: Iterable[Sized], pick: Pick) -> list[int]:
    return combine.places(groups, pick.rank, pick.many)[:_MOST_PLACES]
