"""A small flat for tests: two rooms, a table, and a clock that goes when it is told to."""

from __future__ import annotations

from robodata_core.belief import (
    BeliefMap,
    MapObject,
    MapSettings,
    Pose,
    Region,
    RegionKind,
    Sighting,
)

START = 1_700_000_000.0

REGIONS = (
    Region("kitchen", "kitchen", RegionKind.VOLUME, "map", Pose((2, 2, 1.25)), (4, 4, 2.5)),
    Region("bathroom", "bathroom", RegionKind.VOLUME, "map", Pose((8, 2, 1.25)), (4, 4, 2.5)),
    Region("table", "table", RegionKind.SURFACE, "map", Pose((2, 2, 0.75)), (1.2, 0.8, 0.0)),
)


class Clock:
    """Seconds that pass on demand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def empty_map(clock: Clock, objects: tuple[MapObject, ...] = (), **settings: float) -> BeliefMap:
    return BeliefMap(MapSettings(**settings), clock, objects, REGIONS)  # type: ignore[arg-type]


def at(
    class_id: str, x: float, y: float, z: float = 0.8, id_: str = "", score: float | None = 0.9
) -> Sighting:
    return Sighting(class_id, Pose((x, y, z)), score, id_)


def see(belief: BeliefMap, clock: Clock, *sightings: Sighting):
    return belief.see(sightings, frame="map", stamp=START + clock.now, source="/robodata/objects")
