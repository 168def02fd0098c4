"""Detections and regions in, the map and facts out: the thread that keeps the map.

Arrays wait in a bounded queue; when it is full the oldest goes, and the number of those that went
is in every fact message and in the diagnostics. Times are a steady clock's, so a jump of the ROS
clock lets nothing vanish.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from robodata_core.belief import (
    BeliefMap,
    Changes,
    MapFile,
    MapObject,
    Message,
    Sighting,
)
from robodata_core.errors import InvalidRequestError, RoboDataError
from robodata_msgs import msg as m
from robodata_ros import convert
from robodata_ros.facts import FactPublisher
from robodata_ros.links import ClassLinks
from robodata_ros.transforms import Transforms

__all__ = ["Keeper", "Limits", "frame_of", "map_to_msg", "object_message"]

_LONGEST: Final = 256
_TOLD: Final = 200
_SAVE_EVERY: Final = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of the keeper; see the node's parameters of the same names."""

    queue_size: int = 20
    max_objects: int = 1_000
    snapshot_period: float = 1.0


@dataclass(frozen=True, slots=True)
class _Detections:
    objects: Any
    message: Message
    min_score: float


class Keeper:
    """Keeps the map while the node is active.

    Args:
        belief: The map.
        links: What classes are linked to.
        facts: Takes changes; None where no facts are wanted.
        file: Where the map is kept, or None.
        publish: Publishes the map.
        transforms: Brings poses into one frame, or leaves them.
        limits: Bounds.
        log: Takes warnings, a sentence each.
    """

    def __init__(
        self,
        belief: BeliefMap,
        links: ClassLinks,
        facts: FactPublisher | None,
        file: MapFile | None,
        publish: Callable[[], None],
        transforms: Transforms,
        limits: Limits,
        log: Callable[[str], None],
    ) -> None:
        self._belief = belief
        self._links = links
        self._facts = facts
        self._file = file
        self._publish = publish
        self._transforms = transforms
        self._limits = limits
        self._log = log
        self._changed = threading.Condition()
        self._queue: deque[_Detections] = deque()
        self._told: deque[Changes] = deque()
        self._woken = False
        self._stopped = False
        self._last_snapshot = self._last_save = -1e9
        self._published = -1
        self.dropped = 0
        self.ignored = 0
        self.malformed = 0
        self.why_malformed = ""
        self.problem = ""
        self._unsaved = self._fault = ""
        self._thread = threading.Thread(target=self._work, name="robodata-map", daemon=True)
        links.on_known = self.wake

    @property
    def waiting(self) -> int:
        """How many arrays wait."""
        return len(self._queue)

    def start(self) -> None:
        """Begin; the map and an empty snapshot of facts are published at once."""
        self._thread.start()

    def put(self, array: Any, message: Message, min_score: float) -> None:
        """Take an array of detections, as much of it as is looked at; returns at once."""
        objects = array.objects[: self._limits.max_objects]
        with self._changed:
            self.ignored += len(array.objects) - len(objects)
            if len(self._queue) >= self._limits.queue_size:
                self._queue.popleft()
                self.dropped += 1
            self._queue.append(_Detections(objects, message, min_score))
            self._changed.notify()

    def add_regions(self, array: Any, message: Message) -> None:
        """Take an array of regions; one that is wrong is left out, counted and told."""
        for one in array.regions[: self._limits.max_objects]:
            try:
                region = convert.region_from_msg(one, message.frame, message.topic)
                self._belief.add_regions([replace(region, message=message)])
            except InvalidRequestError as error:
                self.malformed += 1
                self._log(f"A region was not taken: {error}")
        self.wake()

    def place_robot(self, told: Any, message: Message) -> None:
        """Take where the robot itself is (``geometry_msgs/PoseStamped``)."""
        try:
            pose = convert.pose_from_msg(told.pose)
        except InvalidRequestError as error:
            self.malformed += 1
            self._log(f"The robot's pose was not taken: {error}")
            return
        stamp = float(message.stamp)
        pose, frame = self._transforms.bring(pose, message.frame, stamp)
        self._belief.place_robot(
            pose, frame=frame, stamp=stamp, source=message.topic, message=message
        )

    def tell(self, changes: Changes) -> None:
        """Have facts follow from what somebody changed in the map."""
        with self._changed:
            self._told.append(changes)
            self._changed.notify()

    def wake(self) -> None:
        """Have the thread look at what has changed."""
        with self._changed:
            self._woken = True
            self._changed.notify()

    def stop(self, timeout: float = 2.0) -> None:
        """End; every object is lost from sight, and the map is saved."""
        with self._changed:
            self._stopped = True
            self._queue.clear()
            self._changed.notify()
        self._links.on_known = lambda: None
        self._thread.join(timeout)

    # -- the thread -----------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            taken, told = self._next()
            try:
                if self._stopped:
                    self._end()
                    return
                for changes in told:
                    self._tell_facts(changes)
                seen = self._take(taken) if taken is not None else []
                self._save()  # before facts are looked up: a node may be killed meanwhile
                for changes in (*seen, self._belief.tick()):
                    self._tell_facts(changes)
                self._snapshots()
                self._save()
                self.problem = self._unsaved
            except Exception as error:  # the thread must outlive whatever happens in it
                self.problem = f"The map could not be kept: {error!r}"
                if self._fault != self.problem:  # else it is told with every array
                    self._fault = self.problem
                    with suppress(Exception):
                        self._log(self._fault)
                if self._stopped:
                    return

    def _end(self) -> None:
        self._belief.lose_all()
        if self._facts is not None:
            self._facts.retract_all()
            self._facts.snapshot()
        self._last_save = -1e9
        self._save()
        self._publish()

    def _next(self) -> tuple[_Detections | None, list[Changes]]:
        with self._changed:
            if not (self._queue or self._told or self._woken or self._stopped):
                wait = self._wait()
                if wait != 0.0:
                    self._changed.wait(wait)
            self._woken = False
            told = list(self._told)
            self._told.clear()
            return (self._queue.popleft() if self._queue else None), told

    def _wait(self) -> float | None:
        """Return how long nothing is to be done, in seconds; None for ever."""
        moments = []
        due = self._belief.next_tick()
        if due is not None:
            moments.append(due)
        if self._is_dirty():
            moments.append(self._last_snapshot + self._limits.snapshot_period)
        if self._file is not None and self._belief.is_dirty:
            moments.append(self._last_save + _SAVE_EVERY)
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    def _is_dirty(self) -> bool:
        changed = self._belief.generation != self._published
        return changed or (self._facts is not None and self._facts.dirty)

    def _snapshots(self) -> None:
        now = time.monotonic()
        if not self._is_dirty() or now < self._last_snapshot + self._limits.snapshot_period:
            return
        self._last_snapshot = now
        self._published = self._belief.generation
        self._publish()
        if self._facts is not None:
            self._facts.snapshot()

    def _save(self) -> None:
        now = time.monotonic()
        if self._file is None or now < self._last_save + _SAVE_EVERY:
            return
        self._last_save = now
        changes = self._belief.take_dirty()
        if changes:
            try:
                self._file.save(changes)
            except RoboDataError as error:
                self._belief.mark_dirty(id_ for id_, _ in changes)
                if self._unsaved != str(error):
                    self._log(str(error))
                self._unsaved = str(error)
            else:
                self._unsaved = ""

    def _tell_facts(self, changes: Changes) -> None:
        if self._facts is not None:
            self._facts.dropped = self.dropped
            self._facts.take(changes)

    def _take(self, taken: _Detections) -> list[Changes]:
        """Put what was detected on the map."""
        told = taken.message
        frame, stamp = told.frame, float(told.stamp)
        if len(frame) > _LONGEST:
            self.malformed += len(taken.objects)
            return []
        self._transforms.wait(frame, stamp)
        sightings: dict[str, list[Sighting]] = {}
        for message in taken.objects:
            try:
                sighting = convert.sighting_from_msg(message)
            except InvalidRequestError as error:
                self.malformed += 1
                self.why_malformed = f"{message.id or message.class_id or 'object'}: {error}"[
                    :_TOLD
                ]
                continue
            if sighting.score is None or sighting.score >= taken.min_score:
                pose, seen_in = self._transforms.bring(sighting.pose, frame, stamp)
                sightings.setdefault(seen_in, []).append(replace(sighting, pose=pose))
        found = []
        for seen_in, group in sightings.items():
            changes = self._belief.see(
                group, frame=seen_in, stamp=stamp, source=told.topic, message=told
            )
            with self._changed:
                self.ignored += changes.ignored
            found.append(changes)
        return found


def object_message(
    belief: BeliefMap, links: ClassLinks, item: MapObject, *, history: bool = False
) -> Any:
    """Return an object of the map as a message, with how it lies to others."""
    related = belief.relations(item, ("in", "on"))
    inside = [relation.target for relation in related if relation.name == "in"]
    on_top_of = [relation.target for relation in related if relation.name == "on"]
    places = (belief.region_of(item), inside, on_top_of)
    return convert.object_to_msg(item, links.entity(item.class_id), places, history=history)


def map_to_msg(
    belief: BeliefMap,
    links: ClassLinks,
    session: int,
    *,
    gone: bool = False,
    history: bool = False,
) -> Any:
    """Return the map as a message; the header's stamp is left to the caller."""
    message = m.Map(
        session=session,
        revision=belief.generation,
        objects=[
            object_message(belief, links, item, history=history)
            for item in belief.objects(gone=gone)
        ],
        regions=[convert.region_to_msg(region) for region in belief.regions()],
    )
    message.header.frame_id = frame_of(belief)
    return message


def frame_of(belief: BeliefMap) -> str:
    """Return the frame that most of a map is in; empty where it is in none."""
    frames = [thing.frame for thing in belief.things().values()]
    return max(set(frames), key=frames.count, default="")
