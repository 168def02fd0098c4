"""A scripted flat of 17 things in 4 regions, and how questions about it are marked.

Run as a program it prints how questions fare: ``python -m tests.core.belief.asked_flat FILE.tsv``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from robodata_core.api import RoboData
from robodata_core.belief import (
    BeliefMap,
    MapObject,
    MapSettings,
    MapSource,
    Pose,
    Region,
    RegionKind,
    Sighting,
    WorldSource,
)
from robodata_core.config import Settings
from robodata_core.model import Answer, Entity
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.store.graph import LocalGraph
from tests.core.belief.worlds import START, Clock, at, see

REGIONS = (
    Region("kitchen", "kitchen", RegionKind.VOLUME, "map", Pose((2.5, 2.5, 1.25)), (5, 5, 2.5)),
    Region("bathroom", "bathroom", RegionKind.VOLUME, "map", Pose((7.5, 2.5, 1.25)), (5, 5, 2.5)),
    Region("table", "table", RegionKind.SURFACE, "map", Pose((1.5, 2.0, 0.75)), (1.6, 1.2, 0.0)),
    Region("shelf", "shelf", RegionKind.SURFACE, "map", Pose((4.2, 4.2, 1.4)), (1.2, 1.0, 0.0)),
)
LOOKS = {
    0.0: (
        at("cup", 4.0, 4.0, 1.45, "cup_3"),
        at("book", 4.6, 4.0, 1.45, "book_1"),
        at("bowl", 4.2, 4.5, 1.45, "bowl_1"),
    ),
    320.0: (
        at("toothbrush", 5.8, 0.6, 0.9, "toothbrush_2"),
        at("banana", 7.0, 2.0, 0.8, "banana_1"),
        at("towel", 9.0, 4.0, 1.0, "towel_1"),
    ),
    600.0: (
        at("cup", 1.0, 1.6, 0.8, "cup_1"),
        at("cup", 1.8, 1.6, 0.8, "cup_2"),
        at("plate", 1.4, 1.6, 0.8, "plate_1"),
        at("knife", 1.4, 2.0, 0.8, "knife_1"),
        at("spoon", 1.8, 2.4, 0.8, "spoon_1"),
        at("toothbrush", 1.0, 2.4, 0.8, "toothbrush_1"),
        at("bottle", 2.1, 2.2, 0.8, "bottle_1"),
        at("sink", 4.6, 0.6, 0.9, "sink_1"),
        at("sponge", 4.2, 0.9, 0.9, "sponge_1"),
        at("refrigerator", 0.6, 4.4, 0.9, "refrigerator_1"),
        at("chair", 2.8, 2.0, 0.45, "chair_1"),
    ),
}
"""What was seen, by seconds since the start: the shelf and the bathroom are out of sight by now."""


def world_of(
    regions: Iterable[Region] = REGIONS,
    looks: Mapping[float, Sequence[Sighting]] = LOOKS,
    robot: tuple[float, float, float] | Pose | None = (3.0, 1.0, 0.8),
    gone: Iterable[str] = (),
    said: Iterable[MapObject] = (),
) -> WorldSource:
    """Return a map, by default the flat's, and the household's knowledge."""
    clock = Clock()
    belief = BeliefMap(MapSettings(), clock, (), regions)
    for seconds, seen in looks.items():
        clock.now = seconds
        see(belief, clock, *seen)
    belief.tick()
    for id_ in gone:
        belief.remove(id_)
    for item in said:
        belief.put(item)
    if robot is not None:
        pose = robot if isinstance(robot, Pose) else Pose(robot)
        belief.place_robot(pose, frame="map", stamp=START + clock.now, source="/pose")
    return source_of(belief)


def source_of(belief: BeliefMap) -> WorldSource:
    """Return a map and the household's knowledge as one source."""
    household = open_snapshot("household")

    @cache  # at once, as a node's linker tells it
    def entity(name: str) -> Entity | None:
        hits = household.lookup_names([name]).get(name)
        return household.entities([hits[0].id])[hits[0].id] if hits else None

    return WorldSource(MapSource(belief, entity), [household])


def opened(*map_: Any) -> RoboData:
    """Return a RoboData over the world of a map."""
    return RoboData(settings=Settings(), source=world_of(*map_), store=LocalGraph.in_memory())


def questions(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the questions of a file, each with what a right answer consists of."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            text, expected = line.split("\t")
            yield text, expected


def mark(expected: str, answer: Answer) -> str:
    """Return ``right``, ``wrong`` or ``none`` (nothing was told) for an answer."""
    given = {(item.label or str(item.value)).lower() for item in answer.results}
    if expected == "unknown":
        return "wrong" if given else "right"
    if not given:
        return "none"
    if expected.startswith("text:"):
        told = " ".join((answer.text, *answer.notes)).casefold()
        return "right" if expected.removeprefix("text:").casefold() in told else "wrong"
    if expected.startswith("~"):
        (told,) = given if len(given) == 1 else ("nan",)
        return "right" if abs(float(told) - float(expected[1:])) < 0.006 else "wrong"
    wanted = set(expected.removeprefix("any:").split("|"))
    if expected.startswith("any:"):
        return "right" if given <= wanted else "wrong"
    free = {item[1:] for item in wanted if item.startswith("+")}
    must = {item for item in wanted if not item.startswith("+")}
    return "right" if must <= given <= must | free else "wrong"


def main() -> None:
    """Print each answer that is not right, and how many were."""
    marks: Counter[str] = Counter()
    with opened() as robodata:
        for text, expected in questions(Path(sys.argv[1])):
            answer = robodata.ask(text)
            told = mark(expected, answer)
            marks[told] += 1
            if told != "right":
                given = [item.label or str(item.value) for item in answer.results]
                print(f"{told}: {text} {given} for {expected}\n    {answer.text[:300]!r}")
    print(dict(marks))


if __name__ == "__main__":
    main()
