"""Putting programs together: limits, extremes, differences and unions of candidates.

Every function returns a new candidate whose program does what the name says; sets of a program
taken over are renamed so that no two have one name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from itertools import accumulate

from robodata_core.model import Direction, Value
from robodata_core.policy.offline.candidate import Candidate, EdgeUse
from robodata_core.policy.offline.relations import Hop
from robodata_core.programs.steps import (
    Comparison,
    Difference,
    Extreme,
    ExtremeCount,
    FilterByConstraint,
    FilterByCount,
    Intersect,
    Start,
    Step,
    Union,
)

__all__ = [
    "after",
    "everything",
    "extreme",
    "extreme_count",
    "having",
    "joined",
    "limited",
    "minus",
    "numbered",
    "nth",
    "onwards",
    "others",
    "places",
    "started",
    "stating",
]


def _name(steps: Sequence[Step]) -> str:
    return f"n{len(steps)}"


def _told(candidate: Candidate, property_: str) -> Candidate:
    """Note that an answer also tells of a property."""
    use = EdgeUse(((property_, Direction.OUT),), constraint=True)
    return replace(candidate, edges=(*candidate.edges, use))


def started(values: tuple[Value, ...], candidate: Candidate) -> Candidate:
    """Return a candidate that starts from values and keeps what justifies another one."""
    return replace(candidate, steps=(Start("n0", values),), out="n0", history=("n0",))


def everything(property_: str, comparison: Comparison, value: Value) -> Candidate:
    """Return everything with a value that compares so."""
    step = FilterByConstraint("n0", "", property_, comparison, value)
    return _told(Candidate((step,), "n0", (), ("n0",)), property_)


def limited(
    candidate: Candidate, property_: str, comparison: Comparison, value: Value
) -> Candidate:
    """Keep what has a value that compares so."""
    step = FilterByConstraint(candidate.fresh, candidate.out, property_, comparison, value)
    return _told(candidate.then(step), property_)


def extreme(candidate: Candidate, property_: str, high: bool, places: Sequence[int]) -> Candidate:
    """Keep what stands at these places when ordered by a property, 1 being the extreme."""
    whole = nth(candidate, lambda out, source: Extreme(out, source, property_, high), places)
    return _told(whole, property_)


def places(groups: Iterable[Sized], rank: int, many: int) -> list[int]:
    """Return the places, from 1, that are asked for.

    Args:
        groups: What shares each place.
        rank: The place that is asked for, where it is one.
        many: So many are asked for, from the first place on.
    """
    sizes = [*map(len, groups)]
    if many == 1:
        return [rank] if rank <= len(sizes) else []
    before = accumulate(sizes, initial=0)
    return [place for place, count in enumerate(before, 1) if count < many][: len(sizes)]


def extreme_count(
    candidate: Candidate, hop: Hop, high: bool, places: Sequence[int], among: str = ""
) -> Candidate:
    """Keep what stands at these places when ordered by how many others a relation joins it to.

    Args:
        candidate: The set; with an empty name for all there is, where the first place is meant.
        hop: The relation, one way.
        high: Whether the most are meant.
        places: The places.
        among: The set of what counts, empty for all.
    """
    names, way = tuple(name for name, _ in hop), hop[0][1]
    whole = nth(
        candidate, lambda out, source: ExtremeCount(out, source, names, way, high, among), places
    )
    use = EdgeUse(hop, constraint=True)
    return replace(whole, edges=(*whole.edges, use))


def numbered(
    candidate: Candidate, hop: Hop, comparison: Comparison, number: int, among: str = ""
) -> Candidate:
    """Keep what a relation joins to so many others, of a set where one is given."""
    names, way = tuple(name for name, _ in hop), hop[0][1]
    step = FilterByCount(candidate.fresh, candidate.out, names, way, comparison, number, among)
    whole = candidate.then(step)
    return replace(whole, edges=(*whole.edges, EdgeUse(hop, constraint=True)))


def nth(candidate: Candidate, step: Callable[[str, str], Step], places: Sequence[int]) -> Candidate:
    """Keep what stands at these places when a step that finds the first is done again and again.

    Args:
        candidate: The set.
        step: Gives the step, by the names of what it writes and reads.
        places: The places, from 1.
    """
    steps = list(candidate.steps)
    source, kept = candidate.out, []
    for place in range(1, max(places) + 1):
        best = _name(steps)
        steps.append(step(best, source))
        if place in places:
            kept.append(best)
        if place < max(places):
            rest = _name(steps)
            steps.append(Difference(rest, source, best))
            source = rest
    if len(kept) > 1:
        steps.append(Union(_name(steps), tuple(kept)))
    return candidate.then(*steps[len(candidate.steps) :])


def having(candidate: Candidate, hop: Hop) -> Candidate:
    """Keep what one of some relations leads from."""
    steps = list(candidate.steps)
    kept: list[str] = []
    for way in dict.fromkeys(way for _, way in hop):
        names = tuple(name for name, its in hop if its is way)
        kept.append(_name(steps))
        steps.append(FilterByCount(kept[-1], candidate.out, names, way, Comparison.GE, 1))
    if len(kept) > 1:
        steps.append(Union(_name(steps), tuple(kept)))
    return candidate.then(*steps[len(candidate.steps) :])


def stating(candidate: Candidate, *properties: str) -> Candidate:
    """Keep what has any value of one of some properties."""
    at_least = FilterByCount(
        candidate.fresh, candidate.out, properties, Direction.OUT, Comparison.GE, 1
    )
    return candidate.then(at_least)


def onwards(first: Candidate, start: str, second: Candidate) -> Candidate:
    """Let ``second``, without the step that wrote its set ``start``, go on from ``first``."""
    whole, name = after(first, second, {start: first.out})
    return replace(
        whole, out=name, history=(*first.history, name), nodes=second.nodes, final=second.final
    )


def after(
    first: Candidate, second: Candidate, known: Mapping[str, str] | None = None
) -> tuple[Candidate, str]:
    """Append the program of ``second``; return the whole and the name of the second's set.

    Args:
        first: What stands already.
        second: What is appended.
        known: Names of sets the second reads without writing them, and what they are now.
    """
    names: dict[str, str] = dict(known or {})
    steps: list[Step] = list(first.steps)
    for step in second.steps:
        renamed = step.renamed(names)
        names[step.out] = _name(steps)
        steps.append(replace(renamed, out=names[step.out]))
    whole = replace(
        first,
        steps=tuple(steps),
        covered=first.covered | second.covered,
        links=(*first.links, *second.links),
        edges=(*first.edges, *second.edges),
        relaxed=tuple(dict.fromkeys((*first.relaxed, *second.relaxed))),
        narrowed=first.narrowed.plus(second.narrowed),
    )
    return whole, names[second.out]


def minus(first: Candidate, second: Candidate) -> Candidate:
    """Take what ``second`` gives out of ``first``; its relations are not told of."""
    extended = second.steps[: len(first.steps)] == first.steps
    if extended:  # the second goes on from the first, so nothing is written twice
        whole, name = replace(first, steps=second.steps), second.out
    else:
        whole, name = after(first, second)
        whole = replace(whole, edges=first.edges)
    return whole.then(Difference(whole.fresh, first.out, name))


def others(candidate: Candidate, values: tuple[Value, ...]) -> Candidate:
    """Leave some values out."""
    start = Start(candidate.fresh, values)
    whole = replace(candidate, steps=(*candidate.steps, start))
    return whole.then(Difference(whole.fresh, candidate.out, start.out))


def joined(parts: Sequence[Candidate], every: bool) -> Candidate:
    """Put several candidates together: what any gives, or what every one gives."""
    whole, names = parts[0], [parts[0].out]
    for part in parts[1:]:
        whole, name = after(whole, part)
        names.append(name)
    kind = Intersect if every else Union
    return whole.then(kind(whole.fresh, tuple(names)))
