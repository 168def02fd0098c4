"""The map: sightings come in, objects with an identity, a state and a history come out.

``BeliefMap`` decides which sighting is which object, keeps seen, lost and gone apart, takes
corrections from people and planners, and answers how things lie to each other. Where things are
kept over a restart is ``storage``'s business, how they look in a knowledge graph ``source``'s.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from robodata_core.belief.geometry import box_of
from robodata_core.belief.history import bounded, stayed
from robodata_core.belief.layout import Layout, Relation
from robodata_core.belief.model import (
    ROBOT,
    MapObject,
    MapSettings,
    Message,
    ObjectState,
    Pose,
    Region,
    Sighting,
    Stay,
    Vector,
)
from robodata_core.belief.regions import Regions
from robodata_core.belief.tracks import Identities, Track, room_for
from robodata_core.errors import InvalidRequestError, NotFoundError

__all__ = ["BeliefMap", "Changes"]

_LONGEST: Final = 256
_CORRECTABLE: Final = ("class_id", "label", "pose", "size", "state")
_SETTLED: Final = ("class_id", "label", "size", "pose")
"""What somebody's word settles."""


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


class BeliefMap:
    """Objects and regions around a robot. Thread-safe.

    Args:
        settings: Tolerances and bounds.
        clock: Seconds on a clock that never jumps, to tell what was not seen for how long.
        objects: What is known from before; not seen since.
        regions: Regions to begin with.
        time: What time it is, in seconds since 1970, where no stamp has told it yet: after a
            restart. None: then it is not known.
    """

    def __init__(
        self,
        settings: MapSettings,
        clock: Callable[[], float],
        objects: Iterable[MapObject] = (),
        regions: Iterable[Region] = (),
        time: Callable[[], float] | None = None,
    ) -> None:
        self.settings = settings
        self._clock = clock
        self._time = time
        self._lock = threading.RLock()
        self._tracks: dict[str, Track] = {}
        self._regions = Regions(settings)
        self._identities = Identities(settings)
        self._dirty: set[str] = set()
        self._generation = 0
        self._layout: tuple[int, Layout] | None = None
        self._robot: MapObject | None = None
        self._latest: tuple[float, float] | None = None
        for item in objects:
            lost = ObjectState.LOST if item.state is ObjectState.SEEN else item.state
            known = replace(item, state=lost, seen_since_start=False)
            self._tracks[item.id] = Track(known, clock())
        self.add_regions(regions)
        self._dirty.clear()

    # -- reading --------------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        """A number that grows whenever anything in the map changes."""
        return self._generation

    @property
    def now(self) -> float | None:
        """What time it is on the clock of those who see, by their newest stamp; None: not known.

        While there is no stamp it is what ``time`` says, unless that was before the last sighting:
        then it is another clock, as that of a simulation.
        """
        with self._lock:
            if self._latest is not None:
                stamp, at = self._latest
                return stamp + self._clock() - at
            now = self._time() if self._time is not None else 0.0
            last = max((track.item.last_seen for track in self._tracks.values()), default=0.0)
            return now if now > 0.0 and now >= last else None

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
            return self._regions.all()

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

    def place_robot(
        self,
        pose: Pose,
        *,
        frame: str,
        stamp: float,
        source: str,
        message: Message | None = None,
    ) -> None:
        """Take where the robot is; it is there until it says otherwise."""
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
                message=message or Message.plain(source, stamp, frame),
            )
            self._generation += 1

    def region_of(self, item: MapObject | Region) -> str:
        """Return the id of the smallest region that a thing is in or on; empty for none."""
        box = box_of(item)
        with self._lock:
            return self._regions.smallest(box)

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

    def layout(self) -> Layout:
        """Return how everything lies to everything else, made once for each state of the map."""
        with self._lock:
            if self._layout is None or self._layout[0] != self._generation:
                made = Layout(self.things().values(), self.settings)
                self._layout = (self._generation, made)
            return self._layout[1]

    # -- sightings ------------------------------------------------------------------------------

    def see(
        self,
        sightings: Sequence[Sighting],
        *,
        frame: str,
        stamp: float,
        source: str,
        message: Message | None = None,
    ) -> Changes:
        """Take what one message saw: everything in sight now.

        Args:
            sightings: Detections; several with one id are one object, the best score counts.
            frame: Frame of their poses.
            stamp: When they were seen.
            source: The topic.
            message: What told so, where more of it is known than these.
        """
        with self._lock:
            if self._latest is None or stamp >= self._latest[0]:
                self._latest = (stamp, self._clock())
            pairs = self._identities.pair(sightings, frame, self._tracks, self._reserved())
            told = message or Message.plain(source, stamp, frame)
            forgotten, refused = room_for(pairs, self._tracks, self.settings.max_objects)
            for id_ in forgotten:
                del self._tracks[id_]
                self._identities.forget(id_)
                self._dirty.add(id_)
            new: list[MapObject] = []
            changed: list[MapObject] = []
            seen: list[MapObject] = []
            for id_, sighting in pairs:
                if id_ in refused:
                    continue
                before, item = self._seen(id_, sighting, frame, stamp, told)
                if before is None or before.state is not ObjectState.SEEN:
                    new.append(item)
                elif before.class_id != item.class_id:
                    changed.append(before)
                seen.append(item)
            if seen:
                self._generation += 1
            return Changes(tuple(new), tuple(changed), (), tuple(seen), len(refused))

    def _reserved(self) -> frozenset[str]:
        """Return the ids that no object may have."""
        return frozenset((*self._regions.ids(), ROBOT))

    def _seen(
        self, id_: str, sighting: Sighting, frame: str, stamp: float, message: Message
    ) -> tuple[MapObject | None, MapObject]:
        """Take a sighting of an object; return it as it was before, and as it is now."""
        track = self._tracks.get(id_)
        before = track.item if track is not None else None
        if track is None or before is None:
            track = self._tracks[id_] = Track.of(id_, sighting, frame, stamp, message)
            track.item = replace(track.item, history=(self._stay(track.item),))
        else:
            history = self._longer(before, sighting.pose.position, frame, stamp, message)
            track.see(sighting, frame, stamp, message, history)
        track.at = self._clock()
        self._dirty.add(id_)
        return before, track.item

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
            lost, gone = self.settings.lost_after, self.settings.gone_after
            waits = {ObjectState.SEEN: lost, ObjectState.LOST: gone, ObjectState.GONE: 0.0}
            return min(
                (t.at + waits[t.item.state] for t in self._tracks.values() if waits[t.item.state]),
                default=None,
            )

    def lose_all(self) -> Changes:
        """Stop looking: everything in sight is lost from now on."""
        with self._lock:
            seen = [t for t in self._tracks.values() if t.item.state is ObjectState.SEEN]
            vanished = tuple(track.item for track in seen)
            for track in seen:
                self._set_state(track, ObjectState.LOST)
            return Changes(vanished=vanished)

    def _set_state(self, track: Track, state: ObjectState) -> None:
        track.item = replace(track.item, state=state)
        self._dirty.add(track.item.id)
        self._generation += 1

    # -- history --------------------------------------------------------------------------------

    def _stay(self, item: MapObject) -> Stay:
        region = self._regions.smallest(box_of(item))
        seen = item.last_seen
        return Stay(region, item.frame, item.pose.position, seen, seen, message=item.message)

    def _longer(
        self,
        item: MapObject,
        place: Vector,
        frame: str,
        stamp: float,
        message: Message | None = None,
    ) -> tuple[Stay, ...]:
        """Return the history with one more sighting: the last stay goes on, or a new one begins."""
        grown = stayed(item.history, place, frame, stamp, self.settings.moved, message)
        if grown is not None:
            return grown
        moved = replace(item, frame=frame, pose=Pose(place), last_seen=stamp, message=message)
        return bounded((*item.history, self._stay(moved)), self.settings.max_stays)

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
            self._regions.add(checked)
            self._dirty.update(region.id for region in checked)
            self._generation += 1

    def put(self, item: MapObject) -> str:
        """Take an object that somebody asserts; return its id, made up where it has none.

        Raises:
            InvalidRequestError: If it has no class, or the map is full.
        """
        with self._lock:
            reserved = self._reserved()
            id_ = item.id or self._identities.new_id(item.class_id, (self._tracks, reserved))
            _check_name(id_, item.class_id)
            if id_ in reserved:
                raise InvalidRequestError(f"{id_!r} is the id of a region.")
            if id_ not in self._tracks and len(self._tracks) >= self.settings.max_objects:
                raise InvalidRequestError("The map is full (parameter max_objects).")
            # Not named is no name, and no size none: a detector may tell these.
            given = {"class_id": True, "label": item.label, "size": any(item.size), "pose": True}
            by = item.author or item.source
            settled = tuple((name, by) for name in _SETTLED if by and given[name])
            # Nobody has seen what is only said: it is somewhere, out of sight.
            known = self._tracks.get(id_)
            seen = known.item if known and known.item.state is ObjectState.SEEN else None
            said = item.state is ObjectState.SEEN and seen is None
            placed = replace(
                item,
                id=id_,
                settled=settled,
                state=ObjectState.LOST if said else item.state,
                sightings=seen.sightings if seen else 0,
                seen_since_start=seen is not None,
            )
            self._tracks[id_] = Track(replace(placed, history=(self._stay(placed),)), self._clock())
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
            changed: Any = {**fields, "author": author, "source": "correction"}
            said = {name: author for name in _SETTLED if name in fields}
            changed["settled"] = tuple({**dict(before.settled), **said}.items())
            if "class_id" in fields:
                # The score is that of what the detector takes it for.
                detected = before.detected or before.class_id
                same = detected == fields["class_id"]
                changed["detected"] = "" if same else detected
                changed["score"] = before.score if same and not before.detected else None
            item: MapObject = replace(before, **changed)
            _check_name(item.id, item.class_id)
            track.item = replace(
                item, history=self._longer(before, item.pose.position, item.frame, item.last_seen)
            )
            self._dirty.add(id_)
            self._generation += 1
            return before

    def remove(self, id_: str, author: str = "", stamp: float | None = None) -> MapObject | Region:
        """Take an object for gone, or forget a region; returns it as it was.

        Args:
            id_: The object or region.
            author: Who says so.
            stamp: When, in seconds since 1970, where nothing was seen yet that tells the time.

        Raises:
            NotFoundError: If there is neither.
        """
        with self._lock:
            track = self._tracks.get(id_)
            if track is not None:
                before = track.item
                gone_at = self.now or stamp or before.last_seen
                track.item = replace(before, author=author, gone_at=gone_at)
                self._set_state(track, ObjectState.GONE)
                return before
            region = self._regions.pop(id_)
            if region is None:
                raise NotFoundError(f"The map has neither an object nor a region {id_[:100]!r}.")
            self._dirty.add(id_)
            self._generation += 1
            return region

    @property
    def is_dirty(self) -> bool:
        """Whether something changed since ``take_dirty``."""
        return bool(self._dirty)

    def take_dirty(self) -> list[tuple[str, MapObject | Region | None]]:
        """Return what changed since the last call: by id, None where it is forgotten."""
        with self._lock:
            changed, self._dirty = self._dirty, set()
            return [(id_, self.thing(id_)) for id_ in changed]

    def mark_dirty(self, ids: Iterable[str]) -> None:
        """Have things given out again by ``take_dirty``: they could not be saved."""
        with self._lock:
            self._dirty.update(ids)


def _check_name(id_: str, class_id: str) -> None:
    if not 0 < len(id_) <= _LONGEST or not 0 < len(class_id) <= _LONGEST:
        raise InvalidRequestError(f"An id and a class of 1 to {_LONGEST} characters are needed.")
    if id_ == ROBOT:
        raise InvalidRequestError(f"{id_!r} is the robot itself, which tells where it is.")
