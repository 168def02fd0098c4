"""Objects in, facts out: the thread between ``~/objects`` and ``~/facts``.

Object arrays wait in a bounded queue; when it is full the oldest goes, and the number of those
that went is in every message and in the diagnostics. One thread looks classes up and publishes.
Times are a steady clock's, so a jump of the ROS clock lets nothing vanish.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from robodata_core.errors import RoboDataError
from robodata_msgs import msg as m
from robodata_ros import convert
from robodata_ros.enrichment import ClassKnowledge, ClassLookup, ObjectTracker, Seen

__all__ = ["FactPublisher", "Limits"]

_CHUNK: Final = 500
_RETRY_AFTER: Final = 2.0
_LONGEST: Final = 256


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of the enrichment; see the node's parameters of the same names."""

    queue_size: int = 20
    max_objects: int = 1_000
    forget_after: float = 5.0
    snapshot_period: float = 1.0


class FactPublisher:
    """Turns objects that are seen into facts that are published.

    Args:
        lookup: What is known about classes.
        updates: Publishes changes.
        snapshot: Publishes everything that holds.
        now: Gives the ROS time as a message, for stamps.
        limits: Bounds.
        log: Takes warnings, a sentence each.
    """

    def __init__(
        self,
        lookup: ClassLookup,
        updates: Callable[[Any], None],
        snapshot: Callable[[Any], None],
        now: Callable[[], Any],
        limits: Limits,
        log: Callable[[str], None],
    ) -> None:
        self._lookup = lookup
        self._publish_updates = updates
        self._publish_snapshot = snapshot
        self._now = now
        self._limits = limits
        self._log = log
        self._tracker = ObjectTracker(limits.forget_after, limits.max_objects)
        self._templates: dict[str, list[tuple[str, Any]]] = {}
        self._entities: dict[str, Any] = {}
        self._held: dict[str, list[Any]] = {}
        self._failed: dict[str, float] = {}
        self._session, self._sequence = time.time_ns(), 0
        self._dirty = True
        self._last_snapshot = -math.inf
        self._changed = threading.Condition()
        self._queue: deque[tuple[Any, float, float]] = deque()
        self._stopped = False
        self.dropped = 0
        self.malformed = 0
        self.problem = ""
        self._thread = threading.Thread(target=self._work, name="robodata-facts", daemon=True)

    @property
    def waiting(self) -> int:
        """How many object arrays wait."""
        return len(self._queue)

    @property
    def objects(self) -> int:
        """How many objects are tracked."""
        return len(self._tracker)

    @property
    def ignored(self) -> int:
        """How many objects were not taken because there were too many."""
        return self._tracker.ignored

    def start(self) -> None:
        """Begin; an empty snapshot is published at once."""
        self._thread.start()

    def put(self, array: Any, min_score: float) -> None:
        """Take an object array; returns at once."""
        with self._changed:
            if len(self._queue) >= self._limits.queue_size:
                self._queue.popleft()
                self.dropped += 1
            self._queue.append((array, time.monotonic(), min_score))
            self._changed.notify()

    def stop(self, timeout: float = 2.0) -> None:
        """End; every object vanishes."""
        with self._changed:
            self._stopped = True
            self._queue.clear()
            self._changed.notify()
        self._thread.join(timeout)

    # -- the thread -----------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            taken = self._next()
            try:
                if self._stopped:
                    self._retract(self._tracker.clear())
                    self._snapshot()
                    return
                if taken is not None:
                    self._take(*taken)
                self._retract(self._tracker.expire(time.monotonic()))
                if self._dirty and time.monotonic() >= self._due():
                    self._snapshot()
            except Exception as error:  # the thread must outlive whatever a source does
                self.problem = f"Facts could not be published: {error!r}"
                with suppress(Exception):
                    self._log(self.problem)
                if self._stopped:
                    return

    def _next(self) -> tuple[Any, float, float] | None:
        with self._changed:
            if not self._queue and not self._stopped:
                moments = [at for at in (self._tracker.next_expiry(),) if at is not None]
                if self._dirty:
                    moments.append(self._due())
                wait = max(0.0, min(moments) - time.monotonic()) if moments else None
                if wait != 0.0:
                    self._changed.wait(wait)
            return self._queue.popleft() if self._queue else None

    def _due(self) -> float:
        return self._last_snapshot + self._limits.snapshot_period

    def _take(self, array: Any, at: float, min_score: float) -> None:
        seen = list(self._well_formed(array, at, min_score))
        new, gone = self._tracker.see(seen)
        self._retract(gone, array.header)
        facts: list[Any] = []
        for item in new:
            knowledge = self._knowledge(item)
            if knowledge is None:
                self._tracker.forget([item.object_id])
                continue
            held = self._facts(item, knowledge, array.header)
            self._held[item.object_id] = held
            facts += held
        if facts:
            self._send(facts)

    def _well_formed(self, array: Any, at: float, min_score: float) -> Iterable[Seen]:
        objects = array.objects
        if len(array.header.frame_id) > _LONGEST:  # it would stand in every fact
            self.malformed += len(objects)
            return
        if len(objects) > self._limits.max_objects:
            self._tracker.ignored += len(objects) - self._limits.max_objects
            objects = objects[: self._limits.max_objects]
        frame = array.header.frame_id
        for item in objects:
            if not (0 < len(item.id) <= _LONGEST and 0 < len(item.class_id) <= _LONGEST):
                self.malformed += 1
            elif not item.score < min_score:  # NaN, no score, passes
                yield Seen(item.id, item.class_id, frame, at)

    def _knowledge(self, item: Seen) -> ClassKnowledge | None:
        """Return what is known about an object's class, or None if the source cannot answer."""
        if self._failed.get(item.class_id, -math.inf) > time.monotonic() - _RETRY_AFTER:
            return None
        try:
            knowledge = self._lookup.look_up(item.class_id)
        except RoboDataError as error:
            if not self.problem:
                self._log(f"No facts about {item.class_id!r}: {error}")
            self.problem = str(error)
            self._failed[item.class_id] = time.monotonic()
            return None
        if self._failed:
            self._failed.pop(item.class_id, None)
        self.problem = ""
        return knowledge

    # -- messages -------------------------------------------------------------------------------

    def _template(self, knowledge: ClassKnowledge) -> list[tuple[str, Any]]:
        """Return the claims about a class as messages, made once."""
        label = knowledge.label
        made = self._templates.get(label)
        if made is None:
            if len(self._templates) > 2_000:
                self._templates.clear()
                self._entities.clear()
            made = [(fact.key, _claim(fact.claim)) for fact in knowledge.facts]
            if not made:
                nothing = convert.claim_to_msg(knowledge.nothing, m.Claim.NOT_FOUND)
                made = [("nothing", nothing)]
            entity = knowledge.entity
            self._templates[label] = made
            self._entities[label] = (
                convert.term_of_entity(entity.id, entity.label) if entity else _NOWHERE
            )
        return made

    def _facts(self, item: Seen, knowledge: ClassKnowledge, header: Any) -> list[Any]:
        template = self._template(knowledge)
        near = [convert.near_to_msg(hit) for hit in knowledge.near]
        entity = self._entities[knowledge.label]
        return [
            m.Fact(
                header=header,
                id=f"{item.object_id}/{key}",
                operation=m.Fact.ADD,
                object_id=item.object_id,
                class_id=item.class_id,
                entity=entity,
                claim=claim,
                near_matches=near,
            )
            for key, claim in template
        ]

    def _retract(self, gone: Iterable[Seen], header: Any = None) -> None:
        deletes = []
        for item in gone:
            for fact in self._held.pop(item.object_id, ()):
                deletes.append(
                    m.Fact(
                        header=header or fact.header,
                        id=fact.id,
                        operation=m.Fact.DELETE,
                        object_id=fact.object_id,
                        class_id=fact.class_id,
                        entity=_NOWHERE,
                        claim=_NO_CLAIM,
                    )
                )
        if deletes:
            self._send(deletes)

    def _send(self, facts: list[Any]) -> None:
        for start in range(0, len(facts), _CHUNK):
            self._sequence += 1
            self._publish_updates(self._array(facts[start : start + _CHUNK]))
        self._dirty = True

    def _snapshot(self) -> None:
        self._dirty = False
        self._last_snapshot = time.monotonic()
        self._publish_snapshot(self._array([fact for held in self._held.values() for fact in held]))

    def _array(self, facts: list[Any]) -> Any:
        array = m.FactArray(
            session=self._session, sequence=self._sequence, dropped=self.dropped, facts=facts
        )
        array.header.stamp = self._now()
        return array


def _claim(claim: Any) -> Any:
    message = convert.claim_to_msg(claim)
    # What a chain ends with is what the claim states, however long the chain is.
    last = claim.support.evidence[-1].triple
    first = claim.support.evidence[0]
    message.triple = convert.triple_to_msg(
        type(last)(first.triple.subject, last.predicate, last.object),
        (
            first.subject_label,
            claim.support.evidence[-1].predicate_label,
            claim.support.evidence[-1].object_label,
            "",
        ),
    )
    return message


_NOWHERE: Final = m.Term(precision=math.nan)
_NO_CLAIM: Final = m.Claim(confidence=math.nan)
