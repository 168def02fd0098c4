"""How the map's things and relations are called in a knowledge graph.

Instances are ``urn:robodata:map:ID``; relations that ontologies have already use Wikidata's
properties (instance of, location, point in time), the others ``urn:robodata:relation:NAME``.
"""

from __future__ import annotations

import math
from decimal import Decimal
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote

from robodata_core.belief.geometry import facing
from robodata_core.belief.model import MapObject, Message, Region
from robodata_core.model import Property, QuantityValue, Reference, Snak, StringValue

__all__ = [
    "AUTHOR",
    "AXES",
    "DETECTED",
    "DETECTOR",
    "FACING",
    "FIRST_SEEN",
    "FRAME",
    "IN",
    "INFERRED_FROM",
    "INSTANCE_OF",
    "IN_FRONT_OF",
    "LAST_SEEN",
    "LOCATION",
    "MESSAGE",
    "MOVED",
    "NEAR",
    "ON",
    "PAST",
    "POINT_IN_TIME",
    "POSITION",
    "PROPERTIES",
    "PROVENANCE",
    "SCORE",
    "SEQUENCE",
    "SINCE",
    "SPATIAL",
    "STAMP",
    "STATE",
    "STAY",
    "STAY_IRI",
    "TOPIC",
    "UNSEEN",
    "UNTIL",
    "WAS_AT",
    "WAS_IN",
    "WAS_ON",
    "WAS_WHERE",
    "USUAL_PLACE",
    "class_iri",
    "coordinate_texts",
    "facing_texts",
    "id_of",
    "instance_iri",
    "is_of_map",
    "is_placed",
    "message_facts",
    "message_iri",
    "position_text",
    "told_by",
]

_THING: Final = "urn:robodata:map:"
_CLASS: Final = "urn:robodata:map-class:"
STAY_IRI: Final = "urn:robodata:map-stay:"
"""What the IRIs of stays begin with."""
_MESSAGE: Final = "urn:robodata:message:"
_RELATION: Final = "urn:robodata:relation:"
_NOISE: Final = 0.03
"""Metres within which two looks at a thing that stands still differ."""

INSTANCE_OF: Final = "P31"
LOCATION: Final = "P276"
POINT_IN_TIME: Final = "P585"
INFERRED_FROM: Final = "P3452"
IN: Final = _RELATION + "in"
ON: Final = _RELATION + "on"
NEAR: Final = _RELATION + "near"
IN_FRONT_OF: Final = _RELATION + "in_front_of"
LAST_SEEN: Final = _RELATION + "last_seen"
FIRST_SEEN: Final = _RELATION + "first_seen"
STATE: Final = _RELATION + "state"
SCORE: Final = _RELATION + "score"
POSITION: Final = _RELATION + "position"
FRAME: Final = _RELATION + "frame"
MESSAGE: Final = _RELATION + "message"
"""Leads from a thing to what told of it last."""
TOPIC: Final = _RELATION + "topic"
STAMP: Final = _RELATION + "stamp"
DETECTOR: Final = _RELATION + "detector"
SEQUENCE: Final = _RELATION + "sequence_number"
AUTHOR: Final = _RELATION + "stated_by"
"""Says of a thing, and of a statement, which person or planner said so: no detector saw it."""
DETECTED: Final = _RELATION + "detected_class"
STAY: Final = _RELATION + "stay"
SINCE: Final = _RELATION + "seen_there_from"
UNTIL: Final = _RELATION + "seen_there_until"
UNSEEN: Final = _RELATION + "longest_time_unseen"
MOVED: Final = _RELATION + "moved"
WAS_IN: Final = _RELATION + "was_in"
WAS_ON: Final = _RELATION + "was_on"
WAS_AT: Final = _RELATION + "was_at"
AXES: Final = tuple(f"{_RELATION}{axis}" for axis in "xyz")
"""Coordinates of a position; ``FRAME`` says of which frame."""
FACING: Final = tuple(f"{_RELATION}facing_{axis}" for axis in "xy")
"""The level part of the direction in which a thing faces, where that is known."""
SPATIAL: Final = {IN: "in", ON: "on", NEAR: "near", IN_FRONT_OF: "in_front_of"}

PROPERTIES: Final[tuple[Property, ...]] = (
    Property(
        INSTANCE_OF, "instance of", "class of a thing", ("is a", "type", "kind"), "wikibase-item"
    ),
    Property(
        LOCATION,
        "location",
        "where a thing is: what it is in or on",
        ("located in", "place", "is at", "where"),
        "wikibase-item",
    ),
    Property(IN, "in", "what a thing is inside of", ("inside", "within"), "wikibase-item"),
    Property(ON, "on", "what a thing rests on", ("on top of", "upon"), "wikibase-item"),
    Property(
        NEAR,
        "near",
        "what a thing is close to",
        ("next to", "beside", "close to", "by"),
        "wikibase-item",
    ),
    Property(
        IN_FRONT_OF,
        "in front of",
        "what a thing stands before, near the direction in which that faces (REP 103: its x axis)",
        (),
        "wikibase-item",
    ),
    Property(LAST_SEEN, "last seen", "when a thing was seen last", ("seen",), "time"),
    Property(FIRST_SEEN, "first seen", "when a thing was seen first", (), "time"),
    Property(STATE, "state of sight", "seen, or lost from sight", (), "string"),
    Property(AUTHOR, "stated by", "who said what or where a thing is", (), "string"),
    Property(SCORE, "detection score", "how sure the detector is of the class", (), "quantity"),
    Property(
        DETECTED,
        "detected class",
        "what the detector takes a thing for that somebody says is something else",
        (),
        "string",
    ),
    Property(POSITION, "position", "x, y, z in metres, and the frame", ("pose",), "string"),
    *(
        Property(
            axis, f"{axis[-1]} coordinate", "metres along an axis of the frame", (), "quantity"
        )
        for axis in AXES
    ),
    *(
        Property(axis, f"facing {axis[-1]}", "part of the direction a thing faces", (), "quantity")
        for axis in FACING
    ),
    Property(FRAME, "frame", "what a position refers to", (), "string"),
)

PAST: Final[tuple[Property, ...]] = (
    Property(
        STAY, "stay", "a time during which a thing was seen in one place", (), "wikibase-item"
    ),
    Property(SINCE, "time seen there first", "when a stay began", (), "time"),
    Property(UNTIL, "time seen there last", "when a stay was seen to last", (), "time"),
    Property(UNSEEN, "longest time unseen", "seconds between two sightings", (), "quantity"),
    Property(WAS_IN, "was in", "what a thing was inside of then", (), "wikibase-item"),
    Property(WAS_ON, "was on", "what a thing rested on then", (), "wikibase-item"),
    Property(WAS_AT, "was at", "what a thing was in or on then", (), "wikibase-item"),
    Property(MOVED, "time moved", "when a thing was seen in another place", (), "time"),
)
"""What is told of where things were, only where that is asked for."""

PROVENANCE: Final[tuple[Property, ...]] = (
    Property(MESSAGE, "message", "what told of a thing last", (), "wikibase-item"),
    Property(TOPIC, "topic", "where a message came, or who said so", (), "string"),
    Property(STAMP, "stamp", "when a message holds, seconds since 1970", (), "string"),
    Property(DETECTOR, "detector", "the node that sent a message", (), "string"),
    Property(SEQUENCE, "sequence number", "of a message of its sender", (), "quantity"),
)
"""What is said of messages: no facts about things, so no question asks for them."""

WAS_WHERE: Final = {IN: WAS_IN, ON: WAS_ON, LOCATION: WAS_AT}
"""What relations to places are called of a stay, so that what was is never taken for what is."""

USUAL_PLACE: Final = Property(
    _RELATION + "usual_location",
    "usual location",
    "where things of a kind are kept, whether one is there now or not",
    (
        "belongs in",
        "belongs",
        "kept in",
        "kept",
        "usually in",
        "normally in",
        "stored in",
        "goes in",
        "home",
        "usual place",
    ),
    "wikibase-item",
)


@lru_cache(maxsize=4_096)
def instance_iri(id_: str) -> str:
    """Return the IRI of an object or region of the map."""
    return _THING + quote(id_, safe="")


def class_iri(label: str) -> str:
    """Return the IRI of a detector's class that is linked to nothing else."""
    return _CLASS + quote("_".join(label.split()), safe="")


def message_iri(message: Message) -> str:
    """Return the IRI of a message."""
    return _MESSAGE + quote(message.id, safe="/@:")


def message_facts(message: Message) -> tuple[Snak, ...]:
    """Return what is said of a message: where it came, when it holds, its frame and sender."""
    facts = [
        Snak(TOPIC, StringValue(message.topic)),
        Snak(STAMP, StringValue(message.stamp)),
    ]
    texts = ((FRAME, message.frame), (DETECTOR, message.detector))
    facts += [Snak(name, StringValue(text)) for name, text in texts if text]
    if message.sequence is not None:
        facts.append(Snak(SEQUENCE, QuantityValue(Decimal(message.sequence))))
    return tuple(facts)


@lru_cache(maxsize=64)
def told_by(source: str, message: Message | None) -> Reference:
    """Return the reference to a message; where there is none, to who or what said so."""
    if message is None:
        return Reference((Snak(TOPIC, StringValue(source or "?")),))
    named = Snak(MESSAGE, StringValue(message_iri(message)))
    return Reference((*message_facts(message), named))


def id_of(iri: str) -> str | None:
    """Return the id of the object or region of an IRI; None for IRIs that are none of the map."""
    return unquote(iri[len(_THING) :]) if iri.startswith(_THING) else None


def is_of_map(iri: str) -> bool:
    """Tell whether an IRI is an instance or a class of the map, or a stay of an instance."""
    return iri.startswith((_THING, _CLASS, STAY_IRI))


def is_placed(thing: MapObject | Region) -> bool:
    """Tell whether it is known where a thing is, or was."""
    return isinstance(thing, Region) or thing.has_place


def position_text(thing: MapObject | Region) -> str:
    """Return where a thing is for people."""
    return f"{', '.join(coordinate_texts(thing))} m in frame {thing.frame or '?'}"


def coordinate_texts(thing: MapObject | Region) -> tuple[str, str, str]:
    """Return x, y, z in metres as decimal numbers, to the centimetre.

    What stands still is where it was seen on average while it stood there, so that a look's noise
    is no news. A look farther off than that, a person's correction and a region are told as given.
    """
    x, y, z = thing.pose.position
    if isinstance(thing, MapObject) and thing.history and not thing.author:
        stay = thing.history[-1]
        if stay.frame == thing.frame and math.dist(stay.position, thing.pose.position) <= _NOISE:
            x, y, z = stay.position
    # Adding nothing makes a zero of a negative one.
    return f"{round(x, 2) + 0.0:.2f}", f"{round(y, 2) + 0.0:.2f}", f"{round(z, 2) + 0.0:.2f}"


def facing_texts(thing: MapObject | Region) -> tuple[str, str] | None:
    """Return the level part of where a thing faces, to the thousandth; None where nobody knows.

    How a region is turned tells of its extent alone.
    """
    if not isinstance(thing, MapObject) or not thing.faces:
        return None
    x, y = facing(thing.pose)
    return f"{round(x, 3) + 0.0:.3f}", f"{round(y, 3) + 0.0:.3f}"
