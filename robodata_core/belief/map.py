"""The map: sightings come in, objects with an identity, a state and a history come out.

``BeliefMap`` decides which sighting is which object, keeps seen, lost and gone apart, takes
corrections from people and planners, and answers how things lie to each other. Where things are
kept over a restart is ``storage``'s business, how they look in a knowledge graph ``source``'s.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.belief import geometry
from robodata_core.belief.association import associate
from robodata_core.belief.geometry import Box, box_of
from robodata_core.belief.layout import Layout, Relation
from robodata_core.belief.model import (
    MOST_REGIONS,
    NO_PLACE,
    MapObject,
    MapSettings,
    ObjectState,
    Pose,
    Region,
    Sighting,
    Stay,
    Vector,
)
from robodata_core.errors import InvalidRequestError, NotFoundError

__all__ = ["ROBOT", "BeliefMap", "Changes"]

ROBOT: Final = "robot"
"""Id of the robot itself."""
_FADING: Final = 0.8
"""What an old vote for a class counts after each further sighting."""
_NO_SCORE: Final = 0.5
_SLIP: Final = 0.15
"""Metres that another class speaks against a pair: a slip of the detector is more likely than that
an object has moved farther than this."""
_LEAST_VOTE: Final = 0.05
"""A score of 0 is a sighting all the same; messages whose sender sets none hold it."""
_LONGEST: Final = 256
_CORRECTABLE: Final = ("class_id", "label", "pose", "size", "state")


@dataclass(frozen=True, slots=True)
class Changes:
    """What one message, or time passing, changed.

    Attributes:
        new: Objects that were not there, or not in sight, before.
        reclassified: Objects of another class now, as they were before.
        vanished: Objects that are not in sight any more, as they were when they were.
        seen: Every object of the message.
        ignored: Sightings that were not taken because the map is full.
    """

    new: tuple[MapObject, ...] = ()
    reclassified: tuple[MapObject, ...] = ()
    vanished: tuple[MapObject, ...] = ()
    seen: tuple[MapObject, ...] = ()
    ignored: int = 0


class _Track:
    """An object as the map works on it: the sightings' votes beside the object itself."""

    __slots__ = ("at", "item", "votes")

    def __init__(self, item: MapObject, at: float) -> None:
        self.item = item
        self.at = at
        self.votes = {item.class_id: _vote_of(item.score)}

    def vote(self, sighting: Sighting) -> tuple[str, float | None]:
        """Count a sighting; return the class most of them speak for, and its score."""
        score = sighting.score
        for name in self.votes:
            self.votes[name] *= _FADING
        more = _vote_of(score)
        self.votes[sighting.class_id] = self.votes.get(sighting.class_id, 0.0) + more
        if len(self.votes) > 5:
            self.votes.pop(min(self.votes, key=lambda name: self.votes[name]))
        best = max(self.votes, key=lambda name: self.votes[name])
        before = self.item
        if best != sighting.class_id or score is None:
            return best, before.score if best == before.class_id else score
        if before.score is None or best != before.class_id:
            return best, score
        return best, _FADING * before.score + (1 - _FADING) * score


class BeliefMap:
    """Objects and regions around a robot. Thread-safe.

    Args:
        settings: Tolerances and bounds.
        clock: Seconds on a clock that never jumps, to tell what was not seen for how long.
        objects: What is known from before; not seen since.
        regions: Regions to begin with.
    """

    def __init__(
        self,
        settings: MapSettings,
        clock: Callable[[], float],
        objects: Iterable[MapObject] = (),
        regions: Iterable[Region] = (),
    ) -> None:
        self.settings = settings
        self._clock = clock
        self._lock = threading.RLock()
        self._tracks: dict[str, _Track] = {}
        self._regions: dict[str, Region] = {}
        self._region_boxes: dict[str, tuple[Region, Box]] = {}
        self._aliases: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._dirty: set[str] = set()
        self._generation = 0
        self._layout: tuple[int, Layout] | None = None
        self._robot: MapObject | None = None
        self._latest: tuple[float, float] | None = None
        now = clock()
        for item in objects:
            lost = ObjectState.LOST if item.state is ObjectState.SEEN else item.state
            known = replace(item, state=lost, seen_since_start=False)
            self._tracks[item.id] = _Track(known, now)
        self.add_regions(regions)
        self._dirty.clear()

    # -- reading --------------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        """A number that grows whenever anything in the map changes."""
        return self._generation

    @property
    def now(self) -> float | None:
        """What time it is on the clock of those who see, by their newest stamp; None: not known."""
        with self._lock:
            if self._latest is None:
                return None
            stamp, at = self._latest
            return stamp + self._clock() - at

    def __len__(self) -> int:
        return len(self._tracks)

    def objects(self, *, gone: bool = False) -> tuple[MapObject, ...]:
        """Return all objects by id; gone ones only if asked for."""
        with self._lock:
            items = [track.item for track in self._tracks.values()]
        if not gone:
            items = [item for item in items if item.state is not ObjectState.GONE]
        return tuple(sorted(items, key=lambda item: item.id))

    def regions(self) -> tuple[Region, ...]:
        """Return all regions by id."""
        with self._lock:
            return tuple(self._regions[id_] for id_ in sorted(self._regions))

    def thing(self, id_: str) -> MapObject | Region | None:
        """Return the object or region of an id."""
        with self._lock:
            track = self._tracks.get(id_)
            if track is not None:
                return track.item
            return self._robot if id_ == ROBOT else self._regions.get(id_)

    def things(self) -> Mapping[str, MapObject | Region]:
        """Return everything but what is gone, by id."""
        everything: dict[str, MapObject | Region] = {item.id: item for item in self.regions()}
        everything.update({item.id: item for item in self.objects()})
        return everything

    @property
    def robot(self) -> MapObject | None:
        """Where the robot itself is; it is none of the things that it sees. None: not known."""
        return self._robot

    def place_robot(self, pose: Pose, *, frame: str, stamp: float, source: str) -> None:
        """Take where the robot is; it is there until it says otherwise.

        An object or region whose id is ``robot`` hides it.
        """
        with self._lock:
            first = self._robot.first_seen if self._robot is not None else stamp
            self._robot = MapObject(
                ROBOT,
                ROBOT,
                "robot base",
                frame=frame,
                pose=pose,
                first_seen=first,
                last_seen=stamp,
                source=source,
            )
            self._generation += 1

    def region_of(self, item: MapObject | Region) -> str:
        """Return the id of the smallest region that a thing is in or on; empty for none."""
        box = box_of(item)
        with self._lock:
            return self._smallest_region(box)

    def relations(
        self, item: MapObject | Region, names: Sequence[str] = ("in", "on", "near")
    ) -> tuple[Relation, ...]:
        """Return how a thing lies to every other one, nearest first.

        Args:
            item: The thing.
            names: Which relations are wanted.
        """
        if isinstance(item, MapObject) and item.state is ObjectState.GONE:
            return ()
        return self.layout().relations(item, names)

    def related(self, target: MapObject | Region, name: str) -> tuple[Relation, ...]:
        """Return the things that lie so to ``target``; ``Relation.target`` names them."""
        return self.layout().related(target, name)

    def layout(self) -> Layout:
        """Return how everything lies to everything else, made once for each state of the map."""
        with self._lock:
            if self._layout is None or self._layout[0] != self._generation:
                made = Layout(self.things().values(), self.settings)
                self._layout = (self._generation, made)
            return self._layout[1]

    # -- sightings ------------------------------------------------------------------------------

    def see(
        self, sightings: Sequence[Sighting], *, frame: str, stamp: float, source: str
    ) -> Changes:
        """Take what one message saw: everything in sight now.

        Args:
            sightings: Detections; several with one id are one object, the best score counts.
            frame: Frame of their poses.
            stamp: When they were seen.
            source: The topic.
        """
        with self._lock:
            now = self._clock()
            if self._latest is None or stamp >= self._latest[0]:
                self._latest = (stamp, now)
            pairs, ignored = self._identified(_best_of_each_id(sightings), frame)
            new: list[MapObject] = []
            changed: list[MapObject] = []
            seen: list[MapObject] = []
            for id_, sighting in pairs:
                track = self._tracks.get(id_)
                if track is None:
                    item = self._first(id_, sighting, frame, stamp, source)
                    self._tracks[id_] = _Track(item, now)
                    new.append(item)
                else:
                    before = track.item
                    item = track.item = self._again(track, sighting, frame, stamp, source)
                    track.at = now
                    if before.state is not ObjectState.SEEN:
                        new.append(item)
                    elif before.class_id != item.class_id:
                        changed.append(before)
                self._dirty.add(id_)
                seen.append(item)
            if seen:
                self._generation += 1
            return Changes(tuple(new), tuple(changed), (), tuple(seen), ignored)

    def tick(self) -> Changes:
        """Let time pass: what was not seen for long is lost, then gone."""
        with self._lock:
            now = self._clock()
            vanished = []
            for track in self._tracks.values():
                state, unseen = track.item.state, now - track.at
                if state is ObjectState.SEEN and 0 < self.settings.lost_after <= unseen:
                    vanished.append(track.item)
                    self._set_state(track, ObjectState.LOST)
                elif state is ObjectState.LOST and 0 < self.settings.gone_after <= unseen:
                    self._set_state(track, ObjectState.GONE)
            return Changes(vanished=tuple(vanished))

    def next_tick(self) -> float | None:
        """Return when ``tick`` would change something next, on the clock; None for never."""
        with self._lock:
            waits = {
                ObjectState.SEEN: self.settings.lost_after,
                ObjectState.LOST: self.settings.gone_after,
                ObjectState.GONE: 0.0,
            }
            moments = [
                track.at + waits[track.item.state]
                for track in self._tracks.values()
                if waits[track.item.state]
            ]
            return min(moments, default=None)

    def lose_all(self) -> Changes:
        """Stop looking: everything in sight is lost from now on."""
        with self._lock:
            seen = [t for t in self._tracks.values() if t.item.state is ObjectState.SEEN]
            vanished = tuple(track.item for track in seen)
            for track in seen:
                self._set_state(track, ObjectState.LOST)
            return Changes(vanished=vanished)

    def _set_state(self, track: _Track, state: ObjectState) -> None:
        track.item = replace(track.item, state=state)
        self._dirty.add(track.item.id)
        self._generation += 1

    def _identified(
        self, sightings: Sequence[Sighting], frame: str
    ) -> tuple[list[tuple[str, Sighting]], int]:
        """Return which sighting is which object, and how many could not be taken."""
        pairs: list[tuple[str, Sighting]] = []
        open_: list[Sighting] = []
        claimed: set[str] = set()
        for sighting in sightings:
            id_ = self._aliases.get(sighting.id, sighting.id)
            if id_ and (id_ in self._tracks or sighting.pose.position == NO_PLACE):
                pairs.append((id_, sighting))
                claimed.add(id_)
            else:
                open_.append(sighting)
        self._match([item for item in open_ if item.id], frame, claimed, pairs)
        self._match([item for item in open_ if not item.id], frame, claimed, pairs)
        done = {id(sighting) for _, sighting in pairs}
        pairs += [(self._new_id(item, claimed), item) for item in open_ if id(item) not in done]
        return self._within_bounds(pairs)

    def _match(
        self,
        sightings: Sequence[Sighting],
        frame: str,
        claimed: set[str],
        pairs: list[tuple[str, Sighting]],
    ) -> None:
        """Pair sightings off with objects; either all of them or none have ids of a tracker.

        Those without are the object of their class nearest by, or of another class in the very
        same place, which the detector then takes for something else this time. A tracker that
        gives a new id says "another thing", unless the old one of its class is lost.
        """
        if not sightings:
            return
        tracked = bool(sightings[0].id)
        known = [
            track.item
            for id_, track in self._tracks.items()
            if id_ not in claimed
            and track.item.frame == frame
            and track.item.has_place
            and track.item.state is not ObjectState.GONE
            and not (tracked and track.item.state is ObjectState.SEEN)
        ]
        same_place = self.settings.same_place

        def _against(i: int, j: int, apart: float) -> float | None:
            if sightings[i].class_id == known[j].class_id:
                return 0.0
            return None if tracked or apart > same_place else _SLIP

        found = associate(
            [_usual_position(item) for item in known],
            [item.pose.position for item in sightings],
            same_place if tracked else max(self.settings.gate, same_place),
            _against,
        )
        for sighting, place in zip(sightings, found, strict=True):
            if place is not None:
                id_ = known[place].id
                claimed.add(id_)
                pairs.append((id_, sighting))
                if sighting.id:
                    self._aliases[sighting.id] = id_

    def _new_id(self, sighting: Sighting, claimed: set[str]) -> str:
        if sighting.id:
            claimed.add(sighting.id)
            return sighting.id
        stem = "_".join(sighting.class_id.split()) or "object"
        number = self._numbers.get(stem, 0)
        while True:
            number += 1
            id_ = f"{stem}_{number}"
            if id_ not in self._tracks and id_ not in self._regions and id_ not in claimed:
                break
        self._numbers[stem] = number
        claimed.add(id_)
        return id_

    def _within_bounds(
        self, pairs: list[tuple[str, Sighting]]
    ) -> tuple[list[tuple[str, Sighting]], int]:
        new = [id_ for id_, _ in pairs if id_ not in self._tracks]
        over = len(self._tracks) + len(new) - self.settings.max_objects
        if over > 0:
            wanted = {id_ for id_, _ in pairs}
            unseen = [
                (track.item.state is not ObjectState.GONE, track.at, id_)
                for id_, track in self._tracks.items()
                if track.item.state is not ObjectState.SEEN and id_ not in wanted
            ]
            # What is gone makes room first, then what was lost for longest.
            for _, _, unseen_id in sorted(unseen)[:over]:
                self._forget(unseen_id)
                over -= 1
        if over <= 0:
            return pairs, 0
        refused = set(new[len(new) - over :])
        return [pair for pair in pairs if pair[0] not in refused], over

    def _forget(self, id_: str) -> None:
        del self._tracks[id_]
        self._aliases = {alias: known for alias, known in self._aliases.items() if known != id_}
        self._dirty.add(id_)

    def _first(
        self, id_: str, sighting: Sighting, frame: str, stamp: float, source: str
    ) -> MapObject:
        item = MapObject(
            id_,
            sighting.class_id,
            sighting.label,
            sighting.score,
            frame,
            sighting.pose,
            sighting.size,
            first_seen=stamp,
            last_seen=stamp,
            source=source,
        )
        return replace(item, history=(self._stay(item),))

    def _again(
        self, track: _Track, sighting: Sighting, frame: str, stamp: float, source: str
    ) -> MapObject:
        before = track.item
        class_id, score = track.vote(sighting)
        return replace(
            before,
            class_id=class_id,
            label=sighting.label or before.label,
            score=score,
            frame=frame,
            pose=sighting.pose,
            size=sighting.size if any(sighting.size) else before.size,
            state=ObjectState.SEEN,
            last_seen=max(stamp, before.last_seen),
            sightings=before.sightings + 1,
            source=source,
            author="",
            seen_since_start=True,
            history=self._longer(before, sighting.pose.position, frame, stamp),
        )

    # -- history --------------------------------------------------------------------------------

    def _stay(self, item: MapObject) -> Stay:
        region = self._smallest_region(box_of(item))
        return Stay(region, item.frame, item.pose.position, item.last_seen, item.last_seen)

    def _longer(self, item: MapObject, place: Vector, frame: str, stamp: float) -> tuple[Stay, ...]:
        """Return the history with one more sighting: the last stay goes on, or a new one begins."""
        history = item.history
        last = history[-1] if history else None
        if (
            last is not None
            and last.frame == frame
            and _close(last.position, place, self.settings.moved)
        ):
            count = last.sightings + 1
            weight = 1.0 / min(count, 50)
            mean = tuple(a + (b - a) * weight for a, b in zip(last.position, place, strict=True))
            x, y, z = mean
            grown = replace(last, position=(x, y, z), until=stamp, sightings=count)
            return (*history[:-1], grown)
        moved = replace(item, frame=frame, pose=Pose(place), last_seen=stamp)
        return _bounded((*history, self._stay(moved)), self.settings.max_stays)

    def _smallest_region(self, box: Box) -> str:
        held = [
            region
            for region, other in self._region_boxes.values()
            if geometry.is_in(box, other, self.settings)
            or geometry.is_on(box, other, self.settings)
        ]
        return min(held, key=lambda region: region.volume).id if held else ""

    # -- what people and planners say -----------------------------------------------------------

    def add_regions(self, regions: Iterable[Region]) -> None:
        """Add regions, or change them by their ids.

        Raises:
            InvalidRequestError: If one has no id or no extent, or its id is an object's, or they
                are too many.
        """
        checked = tuple(regions)
        with self._lock:
            for region in checked:
                _check_name(region.id, region.class_id)
                if region.id in self._tracks:
                    raise InvalidRequestError(f"{region.id!r} is the id of an object.")
                if not (region.size[0] > 0 and region.size[1] > 0 and region.size[2] >= 0):
                    raise InvalidRequestError(f"The region {region.id!r} has no extent.")
            if len(self._regions.keys() | {region.id for region in checked}) > MOST_REGIONS:
                raise InvalidRequestError(
                    f"The map holds {MOST_REGIONS:,} regions at most, and takes no more."
                )
            for region in checked:
                self._regions[region.id] = region
                self._region_boxes[region.id] = (region, box_of(region))
                self._dirty.add(region.id)
            self._generation += 1

    def put(self, item: MapObject) -> str:
        """Take an object that somebody asserts; return its id, made up where it has none.

        Raises:
            InvalidRequestError: If it has no class, or the map is full.
        """
        with self._lock:
            sighting = Sighting(item.class_id, item.pose, item.score, item.id)
            id_ = item.id or self._new_id(sighting, set())
            _check_name(id_, item.class_id)
            if id_ in self._regions:
                raise InvalidRequestError(f"{id_!r} is the id of a region.")
            if id_ not in self._tracks and len(self._tracks) >= self.settings.max_objects:
                raise InvalidRequestError("The map is full (parameter max_objects).")
            placed = replace(item, id=id_)
            self._tracks[id_] = _Track(
                replace(placed, history=(self._stay(placed),)), self._clock()
            )
            self._dirty.add(id_)
            self._generation += 1
            return id_

    def correct(self, id_: str, fields: Mapping[str, object], author: str) -> MapObject:
        """Change what somebody knows better; returns the object as it was before.

        Args:
            id_: The object.
            fields: New values by the name of the field; ``pose`` goes with ``frame``.
            author: Who says so.

        Raises:
            NotFoundError: If there is no such object.
            InvalidRequestError: If a field cannot be corrected.
        """
        wrong = [name for name in fields if name not in (*_CORRECTABLE, "frame")]
        if wrong or not fields:
            raise InvalidRequestError(f"Fields to correct are: {', '.join(_CORRECTABLE)}.")
        with self._lock:
            track = self._tracks.get(id_)
            if track is None:
                raise NotFoundError(f"The map has no object {id_[:100]!r}.")
            before = track.item
            changed: dict[str, object] = {**fields, "author": author, "source": "correction"}
            item: MapObject = replace(before, **changed)  # type: ignore[arg-type]
            _check_name(item.id, item.class_id)
            track.item = replace(
                item, history=self._longer(before, item.pose.position, item.frame, item.last_seen)
            )
            if "class_id" in fields:
                # What a person says outweighs what a detector says for a while.
                track.votes = {item.class_id: 1.0 / (1.0 - _FADING)}
            self._dirty.add(id_)
            self._generation += 1
            return before

    def remove(self, id_: str) -> MapObject | Region:
        """Take an object for gone, or forget a region; returns it as it was.

        Raises:
            NotFoundError: If there is neither.
        """
        with self._lock:
            track = self._tracks.get(id_)
            if track is not None:
                before = track.item
                self._set_state(track, ObjectState.GONE)
                return before
            region = self._regions.pop(id_, None)
            if region is None:
                raise NotFoundError(f"The map has neither an object nor a region {id_[:100]!r}.")
            del self._region_boxes[id_]
            self._dirty.add(id_)
            self._generation += 1
            return region

    @property
    def is_dirty(self) -> bool:
        """Whether something changed since ``take_dirty``."""
        return bool(self._dirty)

    def take_dirty(self) -> Iterator[tuple[str, MapObject | Region | None]]:
        """Return what changed since the last call: by id, None where it is forgotten."""
        with self._lock:
            changed, self._dirty = self._dirty, set()
            return iter([(id_, self.thing(id_)) for id_ in changed])

    def mark_dirty(self, ids: Iterable[str]) -> None:
        """Have things given out again by ``take_dirty``: they could not be saved."""
        with self._lock:
            self._dirty.update(ids)


def _usual_position(item: MapObject) -> Vector:
    """Return the mean of where it was seen while it stood there: one look's noise is in a pose."""
    last = item.history[-1] if item.history else None
    return last.position if last is not None and last.frame == item.frame else item.pose.position


def _vote_of(score: float | None) -> float:
    return _NO_SCORE if score is None else max(score, _LEAST_VOTE)


def _best_of_each_id(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Return sightings with one for each id: the best score, of equal ones the first."""
    best: dict[str, Sighting] = {}
    anonymous = []
    for item in sightings:
        if not item.id:
            anonymous.append(item)
        elif item.id not in best or _weight(item) > _weight(best[item.id]):
            best[item.id] = item
    return [*best.values(), *anonymous]


def _weight(sighting: Sighting) -> float:
    return -1.0 if sighting.score is None else sighting.score


def _close(one: Vector, other: Vector, gate: float) -> bool:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) <= gate * gate


def _bounded(history: tuple[Stay, ...], most: int) -> tuple[Stay, ...]:
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


def _together(one: Stay, other: Stay) -> Stay:
    count = one.sightings + other.sightings
    share = other.sightings / count
    x, y, z = (a + (b - a) * share for a, b in zip(one.position, other.position, strict=True))
    return Stay(
        one.region,
        one.frame,
        (x, y, z),
        min(one.since, other.since),
        max(one.until, other.until),
        count,
        summary=True,
    )


def _check_name(id_: str, class_id: str) -> None:
    if not 0 < len(id_) <= _LONGEST or not 0 < len(class_id) <= _LONGEST:
        raise InvalidRequestError(f"An id and a class of 1 to {_LONGEST} characters are needed.")
