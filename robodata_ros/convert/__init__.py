"""The core's values, triples, claims, answers and events as messages, and back.

The only place that knows both vocabularies. Values, triples and qualifiers survive the round trip
exactly. A message carries the first provenance record of a triple with its first reference;
``robodata_msgs/msg`` says what each field means.

A literal of a datatype that RoboData knows is read as a value of that kind, so a ``StringValue``
that claims to be an ``xsd:decimal`` comes back as a quantity. Text that no message can hold (NUL,
lone surrogates) has U+FFFD in its place.
"""

from robodata_ros.convert._answers import (
    answer_from_msg,
    answer_to_msg,
    claim_from_msg,
    claim_to_msg,
    evidence_from_msg,
    evidence_to_msg,
    near_to_msg,
    triple_from_msg,
    triple_to_msg,
    truth_to_msg,
)
from robodata_ros.convert._basic import (
    NAN,
    clean,
    count,
    duration_to_msg,
    duration_to_seconds,
    stamp_from_msg,
    stamp_to_msg,
)
from robodata_ros.convert._events import event_from_msg, event_to_msg
from robodata_ros.convert._map import (
    map_from_msg,
    object_from_msg,
    object_to_msg,
    pose_from_msg,
    pose_to_msg,
    region_from_msg,
    region_to_msg,
    robot_from_msg,
    seconds_of,
    sighting_from_msg,
    stamp_of,
)
from robodata_ros.convert._terms import id_from_msg, term_of_entity, value_from_msg, value_to_msg

__all__ = [
    "NAN",
    "answer_from_msg",
    "answer_to_msg",
    "claim_from_msg",
    "claim_to_msg",
    "clean",
    "count",
    "duration_to_msg",
    "duration_to_seconds",
    "event_from_msg",
    "event_to_msg",
    "evidence_from_msg",
    "evidence_to_msg",
    "id_from_msg",
    "map_from_msg",
    "near_to_msg",
    "object_from_msg",
    "object_to_msg",
    "pose_from_msg",
    "pose_to_msg",
    "region_from_msg",
    "region_to_msg",
    "robot_from_msg",
    "seconds_of",
    "sighting_from_msg",
    "stamp_from_msg",
    "stamp_of",
    "stamp_to_msg",
    "term_of_entity",
    "triple_from_msg",
    "triple_to_msg",
    "truth_to_msg",
    "value_from_msg",
    "value_to_msg",
]
