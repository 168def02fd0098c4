"""One object over its sightings, and which object a sighting is of.

A detector slips: a ``Track`` lets its sightings vote for a class. A detector's id says which object
it saw; without one, and after a tracker began anew, class and place do (``Identities``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from robodata_core.belief.association import associate
from robodata_core.belief.history import usual_position
from robodata_core.belief.model import (
    NO_PLACE,
    MapObject,
    MapSettings,
    Message,
    ObjectState,
    Sighting,
    Stay,
)

__all__ = ["Identities", "Track", "room_for"]

_FADING: Final = 0.8
"""What an old vote for a class counts after each further sighting."""
_NO_SCORE: Final = 0.5
_LEAST_VOTE: Final = 0.05
"""A score of 0 is a sighting all the same; messages whose sender sets none hold it."""
_MOST_CLASSES: Final = 5
_SLIP: Final = 0.15
"""Metres that another class speaks against a pair: a slip of the detector is more likely than that
an object has moved farther than this."""


class Track:
    """An object as the map works on it: the sightings' votes beside the object itself.

    Args:
        item: The object.
        at: When it was seen last, on the map's clock.

    Attributes:
        item: The object.
        at: When it was seen last.
    """

    __slots__ = ("_votes", "at", "item")

    def __init__(self, item: MapObject, at: float = 0.0) -> None:
        self.item = item
        self.at = at
        self._votes = {item.class_id: _vote_of(item.score)}

    @classmethod
    def of(cls, id_: str, sighting: Sighting, frame: str, stamp: float, message: Message) -> Track:
        """Return a track of what is seen for the first time; its history is empty."""
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
            source=message.topic,
            message=message,
        )
        return cls(item)

    def see(
        self,
        sighting: Sighting,
        frame: str,
        stamp: float,
        message: Message,
        history: tuple[Stay, ...],
    ) -> None:
        """Take a further sighting, with the history that it leads to."""
        before = self.item
        detected, score = self._vote(sighting)
        settled = before.said_by("class_id")
        class_id = before.class_id if settled else detected
        labelled = sighting.label and not before.said_by("label")
        measured = any(sighting.size) and not before.said_by("size")
        self.item = replace(
            before,
            class_id=class_id,
            label=sighting.label if labelled else before.label,
            # A score is that of the class which the detector tells.
            score=score if detected == class_id else None,
            detected=detected if detected != class_id else "",
            frame=frame,
            pose=sighting.pose,
            size=sighting.size if measured else before.size,
            state=ObjectState.SEEN,
            last_seen=max(stamp, before.last_seen),
            sightings=before.sightings + 1,
            source=message.topic,
            message=message,
            author="",
            gone_at=0.0,
            settled=tuple(said for said in before.settled if said[0] != "pose"),
            seen_since_start=True,
            history=history,
        )

    def _vote(self, sighting: Sighting) -> tuple[str, float | None]:
        """Count a sighting; return the class most of them speak for, and its score."""
        votes, score = self._votes, sighting.score
        for name in votes:
            votes[name] *= _FADING
        votes[sighting.class_id] = votes.get(sighting.class_id, 0.0) + _vote_of(score)
        if len(votes) > _MOST_CLASSES:
            del votes[min(votes, key=lambda name: votes[name])]
        best = max(votes, key=lambda name: votes[name])
        before = self.item
        if best != sighting.class_id or score is None:
            return best, before.score if best == before.class_id else score
        if before.score is None or best != before.class_id:
            return best, score
        return best, _FADING * before.score + (1 - _FADING) * score


class Identities:
    """Says which sighting is of which object.

    Args:
        settings: The map's tolerances.
    """

    def __init__(self, settings: MapSettings) -> None:
        self._settings = settings
        self._aliases: dict[str, str] = {}
        self._told: set[str] = set()
        self._numbers: dict[str, int] = {}

    def pair(
        self,
        sightings: Sequence[Sighting],
        frame: str,
        tracks: Mapping[str, Track],
        taken: Collection[str],
    ) -> list[tuple[str, Sighting]]:
        """Return the sightings of one message, each with its object's id, known or new.

        Args:
            sightings: Several with one id are one object, the best score counts.
            frame: Frame of their poses.
            tracks: The objects known, by id.
            taken: Further ids that no object may get: a sighting of one has none.
        """
        sightings = [replace(one, id="") if one.id in taken else one for one in sightings]
        pairs: list[tuple[str, Sighting]] = []
        open_: list[Sighting] = []
        claimed: set[str] = set()
        for sighting in _best_of_each_id(sightings):
            id_ = self._aliases.get(sighting.id, sighting.id)
            if id_ and (id_ in tracks or sighting.pose.position == NO_PLACE):
                pairs.append((id_, sighting))
                claimed.add(id_)
                self._told.add(id_)
            else:
                open_.append(sighting)
        for tracked in (True, False):
            wanted = [item for item in open_ if bool(item.id) is tracked]
            left = (track.item for id_, track in tracks.items() if id_ not in claimed)
            for id_, sighting in self._matched(wanted, frame, left, tracked=tracked):
                pairs.append((id_, sighting))
                claimed.add(id_)
                if tracked:
                    self._aliases[sighting.id] = id_
                    self._told.add(id_)
        done = {id(sighting) for _, sighting in pairs}
        for sighting in open_:
            if id(sighting) not in done:
                id_ = sighting.id or self.new_id(sighting.class_id, (tracks, taken, claimed))
                if sighting.id:
                    self._told.add(id_)
                claimed.add(id_)
                pairs.append((id_, sighting))
        return pairs

    def _matched(
        self,
        sightings: Sequence[Sighting],
        frame: str,
        known: Iterable[MapObject],
        *,
        tracked: bool,
    ) -> list[tuple[str, Sighting]]:
        """Pair sightings off with objects; either all of them or none have ids of a tracker.

        Those without are the object of their class nearest by, or of another class that was in the
        very same place a moment ago, which the detector then takes for something else this time:
        what lies where something else was lost is another thing, and so is what lies beside a
        thing that has an id of the detector's own. A tracker that gives a new id says "another
        thing", unless the old one of its class is lost.
        """
        if not sightings:
            return []
        without = {ObjectState.GONE, ObjectState.SEEN} if tracked else {ObjectState.GONE}
        there = [
            item
            for item in known
            if item.frame == frame and item.has_place and item.state not in without
        ]
        same_place = self._settings.same_place

        def _against(i: int, j: int, apart: float) -> float | None:
            if sightings[i].class_id in (there[j].class_id, there[j].detected):
                return 0.0
            slips = there[j].state is ObjectState.SEEN and there[j].id not in self._told
            return _SLIP if slips and not tracked and apart <= same_place else None

        found = associate(
            [usual_position(item) for item in there],
            [item.pose.position for item in sightings],
            same_place if tracked else max(self._settings.gate, same_place),
            _against,
        )
        return [
            (there[place].id, sighting)
            for sighting, place in zip(sightings, found, strict=True)
            if place is not None
        ]

    def new_id(self, class_id: str, taken: Iterable[Collection[str]]) -> str:
        """Return an id for an object that comes without one: none of those taken."""
        stem = "_".join(class_id.split()) or "object"
        refused = tuple(taken)
        while True:
            number = self._numbers[stem] = self._numbers.get(stem, 0) + 1
            id_ = f"{stem}_{number}"
            if not any(id_ in ids for ids in refused):
                return id_

    def forget(self, id_: str) -> None:
        """Forget what trackers called an object."""
        self._told.discard(id_)
        self._aliases = {alias: known for alias, known in self._aliases.items() if known != id_}


def room_for(
    pairs: Iterable[tuple[str, Sighting]], tracks: Mapping[str, Track], most: int
) -> tuple[Collection[str], Collection[str]]:
    """Return which objects make room for new ones, and which new ones find none.

    What is gone goes first, then what was lost for longest; what is in sight stays.

    Args:
        pairs: What is seen, by the id of its object.
        tracks: The objects known, by id.
        most: How many there may be.
    """
    wanted = dict(pairs)
    new = [id_ for id_ in wanted if id_ not in tracks]
    over = len(tracks) + len(new) - most
    if over <= 0:
        return (), ()
    unseen = sorted(
        (track.item.state is not ObjectState.GONE, track.at, id_)
        for id_, track in tracks.items()
        if track.item.state is not ObjectState.SEEN and id_ not in wanted
    )
    forgotten = [id_ for _, _, id_ in unseen[:over]]
    return forgotten, frozenset(new[len(new) - over + len(forgotten) :])


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
