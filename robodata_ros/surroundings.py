"""The node's side of the map: opened with the node's parameters, fed and published while active.

Bundles what belongs together: the map itself, its file, what classes are linked to, the thread
that keeps it, and the topics in and out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geometry_msgs.msg import PoseStamped

from robodata_core.belief import (
    BeliefMap,
    MapFile,
    MapSettings,
    MapSource,
    Message,
    Region,
    WorldSource,
    read_regions,
)
from robodata_core.errors import RoboDataError
from robodata_core.store.open import is_server
from robodata_msgs import msg as m
from robodata_ros import qos
from robodata_ros.enrichment import TABLE, ClassLookup, LabelTable
from robodata_ros.facts import FactPublisher
from robodata_ros.keeper import Keeper, Limits, map_to_msg
from robodata_ros.links import ClassLinks
from robodata_ros.markers import MarkerArray, markers_of
from robodata_ros.origins import Origins
from robodata_ros.parameters import core_settings
from robodata_ros.transforms import Transforms
from robodata_ros.verification import Refutations

if TYPE_CHECKING:
    from robodata_core.sources.base import KnowledgeSource

__all__ = ["Surroundings"]


class Surroundings:
    """The map of one configured node.

    Args:
        node: The node.
        values: Its parameters.

    Raises:
        RoboDataError: If the map's file, the regions or the label table cannot be read.
    """

    def __init__(self, node: Any, values: dict[str, Any]) -> None:
        self._node = node
        self._values = values
        self._table = LabelTable.read(
            Path(values["label_table"]) if values["label_table"] else TABLE, values["labels"]
        )
        regions = read_regions(Path(values["regions"])) if values["regions"] else ()
        self._file = _open_file(values)
        self.belief = self._open_map(regions)
        self.links: ClassLinks | None = None
        self.keeper: Keeper | None = None
        self.session = 0
        self._topics: list[Any] = []
        self._inputs: list[Any] = []
        self._facts: Any = None
        self._updates: Any = None
        self._map: Any = None
        self._markers: Any = None

    def _open_map(self, regions: Sequence[Region]) -> BeliefMap:
        settings = MapSettings(
            **{item.name: self._values[item.name] for item in fields(MapSettings)}
        )
        clock = self._node.get_clock()

        def now() -> float:
            return float(clock.now().nanoseconds / 1e9)

        if self._file is None:
            return BeliefMap(settings, time.monotonic, (), regions, now)
        objects, kept = self._file.load()
        # What the file of regions says now comes before what it said earlier.
        together = {region.id: region for region in (*kept, *regions)}
        return BeliefMap(settings, time.monotonic, objects, together.values(), now)

    # -- life cycle -----------------------------------------------------------------------------

    def see(self, sources: Sequence[KnowledgeSource]) -> WorldSource:
        """Return one source of the map and the ontologies; the first is what is asked besides."""
        values = self._values
        gates = values["verify_facts"] and values["judge_triples"]
        lookup = ClassLookup(
            sources,
            self._table,
            values["relations"],
            chain=values["class_chain"],
            most_values=values["max_values"],
            verify=values["verify_facts"],
            refuted=Refutations(core_settings(values)) if gates else None,
        )
        self.links = ClassLinks(lookup)
        return WorldSource(MapSource(self.belief, self.links.entity), sources[:1])

    def make_topics(self) -> None:
        """Make the publishers."""
        node = self._node
        self._facts = node.create_publisher(m.FactArray, "~/facts", qos.FACTS)
        self._updates = node.create_publisher(m.FactArray, "~/fact_updates", qos.FACT_UPDATES)
        self._map = node.create_publisher(m.Map, "~/map", qos.MAP)
        self._topics = [self._facts, self._updates, self._map]
        if self._values["markers"] and MarkerArray is not None:
            self._markers = node.create_publisher(MarkerArray, "~/markers", qos.MAP)
            self._topics.append(self._markers)

    def start(self) -> tuple[ClassLinks, Keeper]:
        """Take detections and regions from now on."""
        assert self.links is not None
        node, values = self._node, self._values
        self.session = time.time_ns()
        facts = None
        if values["enrichment"]:
            facts = FactPublisher(
                self.belief,
                self.links,
                self._while_up(self._updates.publish),
                self._while_up(self._facts.publish),
                lambda: node.get_clock().now().to_msg(),
            )
        warn = self._while_up(node.get_logger().warning)
        self.keeper = Keeper(
            self.belief,
            self.links,
            facts,
            self._file,
            self._publish,
            Transforms(node, values["frame"], warn),
            Limits(values["queue_size"], values["max_objects"], values["snapshot_period"]),
            warn,
        )
        self.keeper.start()
        self._listen(self.keeper)
        return self.links, self.keeper

    def stop(self) -> None:
        """Take no more; what was in sight is lost, and the map is saved."""
        for subscription in self._inputs:
            self._node.destroy_subscription(subscription)
        self._inputs = []
        if self.keeper is not None:
            self.keeper.stop()
            self.keeper = None

    def close(self) -> None:
        """Release the topics, the look-ups and the file."""
        if self.links is not None:
            self.links.stop()
            self.links = None
        for topic in self._topics:
            self._node.destroy_publisher(topic)
        self._topics = []
        self._map = self._markers = None
        if self._file is not None:
            with suppress(RoboDataError):
                self._file.save(self.belief.take_dirty())
            self._file.close()
            self._file = None

    # -- topics ---------------------------------------------------------------------------------

    def _listen(self, keeper: Keeper) -> None:
        node = self._node

        origins = Origins(node)

        def objects(array: Any, message: Message) -> None:
            keeper.put(array, message, node.get_parameter("min_score").value)

        def listen(
            kind: Any, name: str, profile: Any, take: Callable[[Any, Message], None]
        ) -> None:
            def taken(message: Any, info: Any) -> None:
                take(message, origins.of(subscription.topic_name, message.header, info))

            subscription = node.create_subscription(kind, name, taken, profile)
            self._inputs.append(subscription)

        listen(m.SemanticObjectArray, "~/objects", qos.OBJECTS, objects)
        listen(m.RegionArray, "~/regions", qos.REGIONS, keeper.add_regions)
        listen(PoseStamped, "~/pose", qos.OBJECTS, keeper.place_robot)
        if self._values["detections"]:
            from robodata_ros.detections import Detection3DArray, to_objects

            if Detection3DArray is None:
                node.get_logger().warning("vision_msgs is not installed: no detections are taken.")
                return
            listen(
                Detection3DArray,
                "~/detections",
                qos.OBJECTS,
                lambda array, message: objects(to_objects(array), message),
            )

    def _publish(self) -> None:
        topic, markers, links = self._map, self._markers, self.links
        if topic is None or links is None or not self._node.context.ok():
            return
        stamp = self._node.get_clock().now().to_msg()
        message = map_to_msg(self.belief, links, self.session)
        message.header.stamp = stamp
        topic.publish(message)
        if markers is not None:  # also while nobody listens: who comes late gets the last ones
            markers.publish(markers_of(self.belief, stamp))

    def _while_up(self, tell: Callable[[Any], Any]) -> Callable[[Any], None]:
        """Return ``tell``, silent once a signal has ended the context: nobody hears it then."""

        def told(what: Any) -> None:
            if self._node.context.ok():
                tell(what)

        return told


def _open_file(values: dict[str, Any]) -> MapFile | None:
    if values["map_file"]:
        return MapFile(Path(values["map_file"]).expanduser())
    store = values["store"]
    if not store or is_server(store):
        return None
    folder = Path(store).expanduser()
    return MapFile(folder.with_name(folder.name + ".map.sqlite"))
