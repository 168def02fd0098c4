#!/usr/bin/env python3
"""A scripted flat for the robot's map: what stands where, and what a detector makes of it.

Start ``ros2 run robodata node --ros-args -p autostart:=true`` first, then this. It shows the node
five minutes of detections of 30 objects (sent faster than they happened), with noise, misses, false
labels and no ids at all; then it asks questions whose answers it knows, in words and by the typed
services, and says how many were right, wrong, or not answered.

The world, the questions and the marks are plain Python, so that tests use them without ROS.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

# Surfaces and rooms: id, class, kind, centre, size in metres.
REGIONS = (
    ("kitchen", "kitchen", "volume", (2.5, 2.5, 1.25), (5.0, 5.0, 2.5)),
    ("bathroom", "bathroom", "volume", (7.5, 2.5, 1.25), (5.0, 5.0, 2.5)),
    ("table", "table", "surface", (1.5, 2.0, 0.75), (1.6, 1.2, 0.0)),
    ("shelf", "shelf", "surface", (4.2, 4.2, 1.4), (1.2, 1.0, 0.0)),
)
TABLE = (
    "cup",
    "cup",
    "cup",
    "bowl",
    "bowl",
    "spoon",
    "fork",
    "knife",
    "banana",
    "orange",
    "bottle",
)
SHELF = ("cup", "wine glass", "wine glass", "vase", "book", "book", "clock")
KITCHEN = ("chair", "chair", "oven", "refrigerator", "microwave", "potted plant")
BATHROOM = ("toothbrush", "toothbrush", "sink", "toilet", "hair drier", "cup")
UNSEEN = ("laptop", "scissors", "backpack", "umbrella")
SLIPS = {"cup": "bowl", "bowl": "cup", "fork": "spoon", "wine glass": "vase"}
MINUTES = 5
PERIOD = 0.5


@dataclass(frozen=True)
class Thing:
    """One object of the script: what it really is, where it stands, in or on what."""

    name: str
    place: tuple[float, float, float]
    inside: tuple[str, ...]

    def is_in(self, region: str) -> bool:
        """Tell whether it is in or on a region, or in one that holds that."""
        return region in self.inside


@dataclass(frozen=True)
class Question:
    """A question with every text that a right answer may consist of, and their number.

    Attributes:
        text: The question.
        expected: Results of a right answer; empty: nothing is known, so none may come.
        enough: Whether some of them are enough (a place may be told as table or as kitchen).
    """

    text: str
    expected: frozenset[str]
    enough: bool = False


def things() -> tuple[Thing, ...]:
    """Return the flat's objects, each apart from the others."""
    found = []
    for names, (x, y), z, columns, step, inside in (
        (TABLE, (0.85, 1.55), 0.8, 4, 0.42, ("table", "kitchen")),
        (SHELF, (3.75, 3.85), 1.45, 3, 0.42, ("shelf", "kitchen")),
        (KITCHEN, (0.6, 4.3), 0.45, 3, 0.9, ("kitchen",)),
        (BATHROOM, (5.8, 0.6), 0.9, 3, 1.2, ("bathroom",)),
    ):
        for number, name in enumerate(names):
            row, column = divmod(number, columns)
            down = -step if names is KITCHEN else step
            place = (x + column * step, y + row * down, z)
            found.append(Thing(name, place, inside))
    return tuple(found)


def looks(seed: int = 7, minutes: float = MINUTES) -> Iterator[tuple[float, list[tuple[Any, ...]]]]:
    """Yield what a detector sees: seconds, and (label, place, score) in any order.

    Every object is missed once in ten looks, mislabelled once in fifty where a like label exists,
    and seen 2 cm off (standard deviation).
    """
    chance = random.Random(seed)
    flat = things()
    for number in range(int(minutes * 60 / PERIOD)):
        seen = []
        for thing in flat:
            if chance.random() < 0.1:
                continue
            slip = chance.random() < 0.02
            label = SLIPS.get(thing.name, thing.name) if slip else thing.name
            x, y, z = (n + chance.gauss(0, 0.02) for n in thing.place)
            seen.append((label, (x, y, z), chance.uniform(0.6, 0.95)))
        chance.shuffle(seen)
        yield number * PERIOD, seen


def _count(name: str, region: str) -> int:
    return sum(1 for thing in things() if thing.name == name and thing.is_in(region))


def _plural(name: str) -> str:
    return {"knife": "knives", "wine glass": "wine glasses", "toothbrush": "toothbrushes"}.get(
        name, name + "s"
    )


def questions() -> tuple[Question, ...]:
    """Return questions about single things, sets, places, kinds, and what is not there."""
    return (*_about_single_things(), *_about_numbers(), *_about_sets_and_kinds())


def _about_single_things() -> Iterator[Question]:
    names = [thing.name for thing in things()]
    unique = [thing for thing in things() if names.count(thing.name) == 1]
    for thing in unique[:8]:
        yield Question(f"Where is the {thing.name}?", frozenset(thing.inside), enough=True)
    for name in UNSEEN:
        yield Question(f"Where is the {name}?", frozenset())
    for thing in unique[:6]:
        for region in ("kitchen", "bathroom"):
            answer = "yes" if thing.is_in(region) else "no"
            yield Question(f"Is the {thing.name} in the {region}?", frozenset({answer}))
    for name in ("banana", "vase", "clock", "oven"):
        yield Question(f"When was the {name} last seen?", frozenset({"*"}))


def _about_numbers() -> Iterator[Question]:
    for region, where, asked in (
        ("table", "on", ("cup", "bowl", "fork", "chair")),
        ("kitchen", "in", ("cup", "wine glass", "book", "toothbrush")),
        ("bathroom", "in", ("toothbrush", "cup", "knife", "toilet")),
    ):
        for name in asked:
            number = frozenset({str(_count(name, region))})
            yield Question(f"How many {_plural(name)} are {where} the {region}?", number)
    for name in ("cup", "wine glass", "toothbrush", "book"):
        number = frozenset({str(sum(thing.name == name for thing in things()))})
        yield Question(f"How many {_plural(name)} are there?", number)


def _about_sets_and_kinds() -> Iterator[Question]:
    for region, names in (
        ("table", ("banana", "vase", "orange")),
        ("shelf", ("book", "fork", "cup")),
    ):
        for name in names:
            answer = "yes" if _count(name, region) else "no"
            article = "an" if name[0] in "aeiou" else "a"
            yield Question(f"Is there {article} {name} on the {region}?", frozenset({answer}))
        on = frozenset(thing.name for thing in things() if thing.inside[0] == region)
        yield Question(f"What is on the {region}?", on)
        yield Question(f"Which things are on the {region}?", on)
    for name, material in (("cup", "ceramic"), ("knife", "steel"), ("book", "paper")):
        yield Question(f"What is a {name} made of?", frozenset({material}), enough=True)
    yield Question("What is a fork made of?", frozenset({"metal", "steel"}), enough=True)
    for name, region in (("cup", "bathroom"), ("book", "kitchen")):
        yield Question(f"Which {_plural(name)} are in the {region}?", frozenset({name}))


def mark(question: Question, results: Iterable[str]) -> str:
    """Return ``right``, ``wrong`` or ``none`` for the results of an answer.

    Names of objects end in numbers ("cup 3"); which cup has which number is the map's choice, so
    numbers at the end of words count for nothing.
    """
    given = {_without_number(text) for text in results}
    if not given:
        return "none" if question.expected else "right"
    if not question.expected:
        return "wrong"
    if question.expected == {"*"}:
        return "right"
    if question.enough:
        return "right" if given & question.expected and not _elsewhere(given, question) else "wrong"
    return "right" if given == question.expected else "wrong"


def _elsewhere(given: set[str], question: Question) -> bool:
    regions = {region[0] for region in REGIONS}
    return bool((given & regions) - question.expected)


def _without_number(text: str) -> str:
    text = text.strip().lower()
    head, _, tail = text.rpartition(" ")
    return head if head and tail.isdigit() else text


def typed_checks() -> tuple[tuple[str, str, frozenset[str], int], ...]:
    """Return look-ups by type: class, region, names of what is found, how many."""
    checks = []
    for name in sorted({thing.name for thing in things()} | set(UNSEEN)):
        for region in ("", "kitchen", "bathroom", "table", "shelf"):
            number = sum(
                1
                for thing in things()
                if thing.name == name and (not region or thing.is_in(region))
            )
            checks.append((name, region, frozenset({name} if number else ()), number))
    return tuple(checks)


# -- with ROS -----------------------------------------------------------------------------------


def main() -> int:
    """Show the flat to a running node, ask it, and tell how it fared."""
    import rclpy
    from rclpy.node import Node

    from robodata_ros.client import RoboDataClient

    rclpy.init()
    node = Node("kitchen")
    name = node.declare_parameter("robodata", "robodata").value
    minutes = node.declare_parameter("minutes", float(MINUTES)).value
    ways = node.declare_parameter("ask_by", ["words", "type"]).value
    client = RoboDataClient(node, name)

    def wait(future: Any) -> Any:
        rclpy.spin_until_future_complete(node, future)
        return future.result()

    while not client.ready():
        rclpy.spin_once(node, timeout_sec=0.2)
    _show(node, name, minutes)
    for asked, ask in (("words", _ask_in_words), ("type", _ask_by_type)):
        if asked in ways:
            node.get_logger().info(f"By {asked}: {ask(client, wait)}.")
    client.destroy()
    node.destroy_node()
    rclpy.try_shutdown()
    return 0


def _show(node: Any, name: str, minutes: float) -> None:
    from robodata_msgs import msg as m
    from robodata_ros import qos

    rooms = m.RegionArray()
    rooms.header.frame_id = "map"
    for id_, class_id, kind, (x, y, z), (dx, dy, dz) in REGIONS:
        region = m.Region(id=id_, class_id=class_id)
        region.kind = m.Region.VOLUME if kind == "volume" else m.Region.SURFACE
        region.pose.position.x, region.pose.position.y, region.pose.position.z = x, y, z
        region.size.x, region.size.y, region.size.z = dx, dy, dz
        rooms.regions.append(region)
    places = node.create_publisher(m.RegionArray, f"{name}/regions", qos.REGIONS)
    places.publish(rooms)
    eyes = node.create_publisher(m.SemanticObjectArray, f"{name}/objects", 10)
    while not eyes.get_subscription_count():
        time.sleep(0.1)
    began = time.time() - minutes * 60
    for seconds, seen in looks(minutes=minutes):
        array = m.SemanticObjectArray()
        array.header.frame_id = "map"
        array.header.stamp = _stamp(began + seconds)
        for label, (x, y, z), score in seen:
            item = m.SemanticObject(class_id=label, score=score)
            item.pose.position.x, item.pose.position.y, item.pose.position.z = x, y, z
            array.objects.append(item)
        eyes.publish(array)
        time.sleep(0.05)  # ten times as fast as it happened
    time.sleep(1.0)


def _stamp(seconds: float) -> Any:
    from builtin_interfaces.msg import Time

    return Time(sec=math.floor(seconds), nanosec=math.floor(seconds % 1 * 1e9))


def _ask_in_words(client: Any, wait: Any) -> dict[str, int]:
    marks = {"right": 0, "wrong": 0, "none": 0}
    for question in questions():
        reply = wait(client.ask(question.text))
        results = []
        if reply.answer is not None:
            results = [str(item.label or item.value) for item in reply.answer.results]
        given = mark(question, results)
        marks[given] += 1
        if given != "right":
            print(f"  {given}: {question.text} {results}", file=sys.stderr)
    return marks


def _ask_by_type(client: Any, wait: Any) -> dict[str, int]:
    from robodata_msgs.srv import FindObjects

    marks = {"right": 0, "wrong": 0}
    for class_id, region, _, number in typed_checks():
        request = FindObjects.Request(class_id=class_id, region=region)
        response = wait(client.call(request))
        right = response.success and response.total == number
        marks["right" if right else "wrong"] += 1
        if not right:
            found = [item.id for item in response.objects]
            print(f"  wrong: {class_id} in {region or 'all'}: {found}, {number}", file=sys.stderr)
    return marks


if __name__ == "__main__":
    sys.exit(main())
