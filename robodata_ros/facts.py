"""Facts about the objects of the map: what is known of the class of each one in sight.

``FactPublisher`` is told what changed in the map and publishes what follows. It never waits: facts
about a class that is still being looked up come when that is done. All calls come from one thread.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from robodata_core.belief import BeliefMap, Changes, MapObject
from robodata_msgs import msg as m
from robodata_ros import convert
from robodata_ros.enrichment import ClassKnowledge
from robodata_ros.links import ClassLinks

__all__ = ["FactPublisher"]

_CHUNK: Final = 500
_MOST_TEMPLATES: Final = 2_000


class FactPublisher:
    """Turns changes of the map into facts that are published.

    Args:
        belief: The map.
        links: What is known about classes.
        updates: Publishes changes.
        snapshot: Publishes everything that holds.
        now: Gives the ROS time as a message, for stamps.
    """

    def __init__(
        self,
        belief: BeliefMap,
        links: ClassLinks,
        updates: Callable[[Any], None],
        snapshot: Callable[[Any], None],
        now: Callable[[], Any],
    ) -> None:
        self._belief = belief
        self._links = links
        self._publish_updates = updates
        self._publish_snapshot = snapshot
        self._now = now
        self._templates: dict[str, list[tuple[str, Any]]] = {}
        self._entities: dict[str, Any] = {}
        self._held: dict[str, list[Any]] = {}
        self._waiting: dict[str, MapObject] = {}
        self._session, self._sequence = time.time_ns(), 0
        self.dirty = True
        self.dropped = 0

    def take(self, changes: Changes) -> None:
        """Tell what follows from a change of the map."""
        self._retract(changes.vanished)
        if changes.reclassified:
            self._retract(changes.reclassified)
            again = {item.id for item in changes.reclassified}
            self._waiting.update((item.id, item) for item in changes.seen if item.id in again)
        self._waiting.update((item.id, item) for item in changes.new)
        self.go_on()

    def go_on(self) -> None:
        """Tell the facts about objects whose classes have become known."""
        facts: list[Any] = []
        for id_, item in list(self._waiting.items()):
            knowledge = self._links.knowledge(item.class_id)
            if knowledge is not None:
                del self._waiting[id_]
                held = self._facts(item, knowledge)
                self._held[id_] = held
                facts += held
        if facts:
            self._send(facts)

    def retract_all(self) -> None:
        """Take every fact back."""
        self._waiting.clear()
        held, self._held = self._held, {}
        self._send([_deleted(fact) for facts in held.values() for fact in facts])

    def snapshot(self) -> None:
        """Publish every fact that holds, with the last sighting of its object."""
        self.dirty = False
        facts = []
        for id_, held in self._held.items():
            item = self._belief.thing(id_)
            if isinstance(item, MapObject):
                for fact in held:
                    _set_sighting(fact, item)
            facts += held
        self._publish_snapshot(self._array(facts))

    # -- messages -------------------------------------------------------------------------------

    def _template(self, knowledge: ClassKnowledge) -> list[tuple[str, Any]]:
        """Return the claims about a class as messages, made once."""
        label = knowledge.label
        made = self._templates.get(label)
        if made is None:
            if len(self._templates) > _MOST_TEMPLATES:
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

    def _facts(self, item: MapObject, knowledge: ClassKnowledge) -> list[Any]:
        template = self._template(knowledge)
        near = [convert.near_to_msg(hit) for hit in knowledge.near]
        entity = self._entities[knowledge.label]
        facts = [
            m.Fact(
                id=f"{item.id}/{key}",
                operation=m.Fact.ADD,
                object_id=item.id,
                class_id=item.class_id,
                entity=entity,
                claim=claim,
                near_matches=near,
            )
            for key, claim in template
        ]
        for fact in facts:
            _set_sighting(fact, item)
        return facts

    def _retract(self, gone: Iterable[MapObject]) -> None:
        deletes = []
        for item in gone:
            self._waiting.pop(item.id, None)
            for fact in self._held.pop(item.id, ()):
                _set_sighting(fact, item)
                deletes.append(_deleted(fact))
        self._send(deletes)

    def _send(self, facts: list[Any]) -> None:
        for start in range(0, len(facts), _CHUNK):
            self._sequence += 1
            self._publish_updates(self._array(facts[start : start + _CHUNK]))
        self.dirty = self.dirty or bool(facts)

    def _array(self, facts: list[Any]) -> Any:
        array = m.FactArray(
            session=self._session, sequence=self._sequence, dropped=self.dropped, facts=facts
        )
        array.header.stamp = self._now()
        return array


def _set_sighting(fact: Any, item: MapObject) -> None:
    fact.header.frame_id = convert.clean(item.frame)
    convert.stamp_of(item.last_seen, fact.header.stamp)
    fact.pose = convert.pose_to_msg(item.pose)
    fact.score = math.nan if item.score is None else float(item.score)


def _deleted(fact: Any) -> Any:
    return m.Fact(
        header=fact.header,
        id=fact.id,
        operation=m.Fact.DELETE,
        object_id=fact.object_id,
        class_id=fact.class_id,
        entity=_NOWHERE,
        claim=_NO_CLAIM,
        pose=fact.pose,
        score=fact.score,
    )


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
_NO_CLAIM: Final = m.Claim(confidence=math.nan, confidence_reason="the fact does not hold any more")
