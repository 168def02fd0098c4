"""Where an object was: stays at a place, one after the other, older ones put together by region."""

from __future__ import annotations

from dataclasses import replace

from robodata_core.belief.model import MapObject, Message, Stay, Vector

__all__ = ["bounded", "stayed", "usual_position"]

_MOST_COUNTED = 50
"""Sightings after which a mean no longer grows heavier, so that it follows what drifts."""


def stayed(
    history: tuple[Stay, ...],
    place: Vector,
    frame: str,
    stamp: float,
    moved: float,
    message: Message | None = None,
) -> tuple[Stay, ...] | None:
    """Return a history whose last stay goes on; None if this place is another one.

    Args:
        history: Oldest first.
        place: Where the object is.
        frame: Frame of the place.
        stamp: When it is there.
        moved: Metres after which it counts as moved.
        message: What tells so; None: no detector does.
    """
    last = history[-1] if history else None
    if last is None or last.frame != frame:
        return None
    if sum((a - b) ** 2 for a, b in zip(last.position, place, strict=True)) > moved * moved:
        return None
    count = last.sightings + 1
    position = _between(last.position, place, 1.0 / min(count, _MOST_COUNTED))
    gap = max(last.gap, stamp - last.until)
    going_on = replace(
        last,
        position=position,
        until=stamp,
        sightings=count,
        gap=gap,
        message=message or last.message,
    )
    return (*history[:-1], going_on)


def bounded(history: tuple[Stay, ...], most: int) -> tuple[Stay, ...]:
    """Return a history of at most ``most`` stays; older ones are put together by region."""
    if len(history) <= most:
        return history
    kept = history[-(most // 2) :]
    sums: dict[tuple[str, str], Stay] = {}
    for stay in history[: -len(kept)]:
        key = (stay.region, stay.frame)
        before = sums.get(key)
        sums[key] = replace(stay, summary=True) if before is None else _together(before, stay)
    summaries = sorted(sums.values(), key=lambda stay: stay.until)[-(most - len(kept)) :]
    return (*summaries, *kept)


def usual_position(item: MapObject) -> Vector:
    """Return the mean of where it was seen while it stood there: one look's noise is in a pose."""
    last = item.history[-1] if item.history else None
    return last.position if last is not None and last.frame == item.frame else item.pose.position


def _together(one: Stay, other: Stay) -> Stay:
    count = one.sightings + other.sightings
    return replace(
        one,
        position=_between(one.position, other.position, other.sightings / count),
        since=min(one.since, other.since),
        until=max(one.until, other.until),
        sightings=count,
        summary=True,
        message=max(one, other, key=lambda stay: stay.until).message,
        # Between them it was elsewhere.
        gap=max(one.gap, other.gap, other.since - one.until),
    )


def _between(one: Vector, other: Vector, share: float) -> Vector:
    x, y, z = (a + (b - a) * share for a, b in zip(one, other, strict=True))
    return (x, y, z)
