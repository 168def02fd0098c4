"""A robot's map: what it saw where, and that as knowledge beside the ontologies.

``BeliefMap`` takes sightings and tells objects; ``MapSource`` and ``WorldSource`` let policies,
programs, verification and SPARQL see them; ``Planning`` answers typed questions of planners
without any language. No ROS in here.
"""

from robodata_core.belief.evidence import Call, evidence_for, kind_of, said_by
from robodata_core.belief.layout import Relation
from robodata_core.belief.map import BeliefMap, Changes
from robodata_core.belief.model import (
    ROBOT,
    MapObject,
    MapSettings,
    Message,
    ObjectState,
    Pose,
    Region,
    RegionKind,
    Sighting,
    Stay,
    checked_size,
)
from robodata_core.belief.planning import FindQuery, Found, Missing, Place, Planning, PlanRelations
from robodata_core.belief.regions import read_regions
from robodata_core.belief.seen import MapSeen
from robodata_core.belief.source import MAP_SOURCE, MapSource
from robodata_core.belief.storage import MapFile
from robodata_core.belief.vocabulary import instance_iri, is_of_map
from robodata_core.belief.world import WorldSource

__all__ = [
    "MAP_SOURCE",
    "ROBOT",
    "FindQuery",
    "Found",
    "Missing",
    "Place",
    "PlanRelations",
    "Planning",
    "Call",
    "evidence_for",
    "kind_of",
    "BeliefMap",
    "Changes",
    "MapFile",
    "MapObject",
    "MapSeen",
    "MapSettings",
    "MapSource",
    "Message",
    "ObjectState",
    "Pose",
    "Region",
    "RegionKind",
    "Relation",
    "Sighting",
    "Stay",
    "checked_size",
    "WorldSource",
    "instance_iri",
    "is_of_map",
    "read_regions",
    "said_by",
]
