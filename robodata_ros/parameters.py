"""The node's parameters: one table with descriptions, ranges, and when a change counts.

Nothing secret is a parameter; keys of language models are read from the environment where they
are used.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)

from robodata_core.config import load_settings
from robodata_core.errors import ConfigurationError
from robodata_core.iris import is_property_id
from robodata_ros.enrichment import LabelTable

__all__ = [
    "TABLE",
    "NodeParameter",
    "check",
    "core_settings",
    "declare",
    "markdown",
    "problems_of",
    "unknown",
    "values_of",
]

SOURCE: Final = "snapshot:household"
"""What a robot meets; the settings file and the environment come before it."""

RELATIONS: Final = [
    "P279",
    "P366",
    "P186",
    "P276",
    "P527",
    "P1552",
    "http://www.w3.org/2000/01/rdf-schema#subClassOf",
]


@dataclass(frozen=True, slots=True)
class NodeParameter:
    """One parameter.

    Attributes:
        name: Its name.
        default: Its default; the type follows from it. A list of texts holds one empty text
            where it is empty, because ROS cannot tell the type of an empty list.
        description: What it does.
        low: Smallest value of a number.
        high: Largest value of a number.
        choices: What a text may be; empty for anything.
        live: Whether a change counts at once. Others are refused unless the node is
            unconfigured.
        read_only: Whether it can only be set when the node starts.
        setting: The core setting that it is handed on to, or empty.
    """

    name: str
    default: Any
    description: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    live: bool = False
    read_only: bool = False
    setting: str = ""

    @property
    def descriptor(self) -> Any:
        """The same for ROS."""
        descriptor = ParameterDescriptor(
            description=self.description, read_only=self.read_only, dynamic_typing=False
        )
        if self.choices:
            descriptor.additional_constraints = f"one of: {', '.join(self.choices)}"
        if self.low is not None and self.high is not None:
            if isinstance(self.default, int):
                whole = IntegerRange(from_value=int(self.low), to_value=int(self.high), step=0)
                descriptor.integer_range = [whole]
            else:
                real = FloatingPointRange(from_value=self.low, to_value=self.high, step=0.0)
                descriptor.floating_point_range = [real]
        return descriptor


_P = NodeParameter

TABLE: Final[tuple[NodeParameter, ...]] = (
    _P("autostart", False, "Configure and activate when the node starts.", read_only=True),
    _P("config", "", "Settings file of the core (robodata.yaml); parameters come before it."),
    _P("source", SOURCE, "Where knowledge comes from.", setting="source"),
    _P(
        "policy",
        "offline",
        "Who decides: without or with a language model.",
        choices=("offline", "chat", "llm", "auto"),
        setting="policy",
    ),
    _P("model", "", "Name of the language model, for policies that ask one.", setting="model"),
    _P("base_url", "", "Its OpenAI-compatible endpoint.", setting="base_url"),
    _P("store", "", "Folder of the local graph; empty: in memory.", setting="store"),
    _P("journal", "", "Folder for the runs' journals; empty: none.", setting="journal"),
    _P("language", "en", "Language of labels (BCP 47).", setting="language"),
    _P("max_turns", 30, "Most turns of a run.", 1, 1_000, setting="max_turns"),
    _P("max_question", 2_000, "Longest question, characters.", 10, 100_000, setting="max_question"),
    _P(
        "time_budget",
        30.0,
        "Seconds a request may take if it does not say itself.",
        0.1,
        3_600.0,
        live=True,
    ),
    _P("max_concurrent", 1, "Most runs at the same time.", 1, 16),
    _P(
        "max_waiting",
        100,
        "Most requests that wait for a run to end, within their time; further ones get BUSY.",
        0,
        1_000,
    ),
    _P(
        "judge_triples",
        False,
        "Whether the verifier judges what ~/verify does not find: it may be refuted, or supported"
        " by rules. With verify_facts, facts that it refutes are not published.",
    ),
    _P("max_triples", 100, "Most triples of one verification request.", 1, 10_000, live=True),
    _P(
        "max_graph",
        20_000,
        "Triples in a local graph in memory after which the next run gets an empty one.",
        100,
        10_000_000,
    ),
    _P("publish_events", True, "Whether runs are told on ~/events.", live=True),
    _P("enrichment", True, "Whether objects on ~/objects are turned into facts."),
    _P("enrichment_sources", [""], "Further sources for facts about objects."),
    _P("relations", RELATIONS, "Properties whose values are facts about an object's class."),
    _P("class_chain", 3, "Steps from a class to what it is a kind of.", 0, 10),
    _P("max_values", 5, "Most values of one relation.", 1, 100),
    _P("verify_facts", False, "Publish a fact only if a second lookup finds its triple."),
    _P("label_table", "", "File with names of detector labels; empty: the one that comes along."),
    _P("labels", [""], "Further entries of that table, each label=name|name."),
    _P("min_score", 0.0, "Detections below this score are ignored.", 0.0, 1.0, live=True),
    _P("map", True, "Whether a map of what is seen is kept and asked together with the source."),
    _P("map_file", "", "File of the map; empty: beside the store's folder, or in memory."),
    _P("regions", "", "YAML file of regions (rooms, surfaces); see docs/ROS.md."),
    _P("frame", "map", "Frame that poses are brought into by tf2, where it is there; empty: none."),
    _P(
        "lost_after",
        5.0,
        "Seconds without being seen after which an object is lost from sight; 0: never.",
        0.0,
        86_400.0,
    ),
    _P(
        "gone_after",
        86_400.0,
        "Seconds without being seen after which a lost object counts as gone; 0: never.",
        0.0,
        31_536_000.0,
    ),
    _P("gate", 0.5, "Metres an object without an id may move between two sightings.", 0.0, 10.0),
    _P("same_place", 0.1, "Metres within which another class is the same object.", 0.0, 10.0),
    _P("moved", 0.15, "Metres after which an object counts as moved.", 0.01, 10.0),
    _P("near", 1.0, "Metres between the centres of things that are near each other.", 0.01, 100.0),
    _P("on_gap", 0.15, "Metres between a thing's underside and what it is on.", 0.0, 10.0),
    _P("edge", 0.1, "Metres a thing may stand over the edge of what it is on.", 0.0, 10.0),
    _P(
        "in_front",
        3.0,
        "Metres something in front of, behind or beside another may be away.",
        0.01,
        100.0,
    ),
    _P("cone", 45.0, "Degrees it may be off that direction.", 1.0, 89.0),
    _P("max_stays", 20, "Places remembered of one object; older ones are summarised.", 2, 1_000),
    _P("markers", True, "Whether the map is shown on ~/markers, for RViz."),
    _P("max_objects", 1_000, "Most objects in one array, and in all.", 1, 100_000),
    _P("queue_size", 20, "Object arrays that may wait; the oldest are dropped.", 1, 1_000),
    _P("snapshot_period", 1.0, "Least seconds between two snapshots on ~/facts.", 0.05, 60.0),
    _P("detections", False, "Also take vision_msgs/Detection3DArray on ~/detections."),
)
_BY_NAME: Final = {item.name: item for item in TABLE}


def declare(node: Any) -> dict[str, str]:
    """Declare all parameters on a node; overrides from files and command lines count.

    Returns:
        What is wrong with an override, a sentence by the name of the parameter. Such a parameter
        has its default until it is set, so that a slip in a file does not end the node.
    """
    problems = {}
    given = getattr(node, "_parameter_overrides", {})
    for item in TABLE:
        override = given.get(item.name)
        if override is not None and override.value is None:
            # An empty list has no type in ROS, and what has none is declared but cannot be read.
            default = [""] if isinstance(item.default, list) else item.default
            node.declare_parameter(item.name, default, item.descriptor, ignore_override=True)
            continue
        try:
            node.declare_parameter(item.name, item.default, item.descriptor)
        except Exception as error:
            value = getattr(override, "value", None)
            wanted = type(item.default).__name__
            if isinstance(item.default, list):
                wanted = "a list of texts"
            problems[item.name] = (
                f"Parameter {item.name}: {str(value)[:60]!r} is not taken, it wants "
                f"{wanted}{_range(item)} ({type(error).__name__})."
            )
            node.declare_parameter(item.name, item.default, item.descriptor, ignore_override=True)
    return problems


def unknown(node: Any) -> list[str]:
    """Return a sentence for each override of a parameter that the node does not have."""
    sentences = []
    for name in getattr(node, "_parameter_overrides", {}):
        if not (node.has_parameter(name) or name.startswith("qos_overrides.")):
            near = difflib.get_close_matches(name, _BY_NAME, 1)
            hint = f" Is {near[0]} meant?" if near else ""
            sentences.append(f"There is no parameter {name[:60]}, so it counts for nothing.{hint}")
    return sentences


def problems_of(values: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with values that no callback has judged, a sentence each."""
    found = {item.name: _problem(item, values[item.name], True) for item in TABLE}
    return [f"Parameter {name}: {problem}" for name, problem in found.items() if problem]


def _range(item: NodeParameter) -> str:
    if item.low is None or item.high is None:
        return ""
    return f" from {item.low:g} to {item.high:g}"


def values_of(node: Any) -> dict[str, Any]:
    """Return the current values by name, lists without empty texts."""
    values: dict[str, Any] = {}
    for item in TABLE:
        value = node.get_parameter(item.name).value
        if isinstance(item.default, list):
            value = [text for text in value or () if text]
        values[item.name] = value
    return values


def check(parameters: Iterable[Any], *, unconfigured: bool) -> Any:
    """Judge a change; types, ranges and read-only ones were judged by rclpy before.

    Args:
        parameters: The parameters that are to be set (``rclpy.parameter.Parameter``).
        unconfigured: Whether the node is unconfigured.
    """
    for parameter in parameters:
        item = _BY_NAME.get(parameter.name)
        if item is None:
            continue
        problem = _problem(item, parameter.value, unconfigured)
        if problem:
            return SetParametersResult(successful=False, reason=problem)
    return SetParametersResult(successful=True)


def _problem(item: NodeParameter, value: Any, unconfigured: bool) -> str:
    if not (item.live or item.read_only or unconfigured):
        return f"{item.name} can be changed only while the node is unconfigured."
    if item.choices and value not in item.choices:
        return f"{item.name} must be one of: {', '.join(item.choices)}."
    if item.name == "relations":
        wrong = [text for text in value if text and not is_property_id(text)]
        if wrong:
            return f"{wrong[0][:60]!r} is no property: P366, or an absolute IRI."
    if item.name == "labels":
        try:
            LabelTable.read(extra=value)
        except ConfigurationError as error:
            return str(error)
    return ""


def core_settings(values: dict[str, Any]) -> Any:
    """Return the core's settings that the parameters ask for.

    Parameters at their defaults leave the settings file and the environment alone.

    Raises:
        ConfigurationError: If the core does not take them.
    """
    given = {
        item.setting: values[item.name]
        for item in TABLE
        if item.setting and values[item.name] != item.default
    }
    config = values["config"]
    path = Path(config) if config else None
    settings = load_settings(path, **given)
    if "source" not in settings.model_fields_set:
        settings = load_settings(path, source=values["source"], **given)
    return settings


def markdown() -> str:
    """Return the table for the documentation."""
    lines = ["| parameter | default | range | change | what |", "|---|---|---|---|---|"]
    for item in TABLE:
        range_ = " or ".join(f"`{choice}`" for choice in item.choices)
        if item.low is not None and item.high is not None:
            range_ = f"{item.low:g} to {item.high:g}"
        change = "start" if item.read_only else "any time" if item.live else "unconfigured"
        default = ", ".join(item.default) if isinstance(item.default, list) else item.default
        shown = f"`{default}`" if default != "" else "empty"
        lines.append(f"| `{item.name}` | {shown} | {range_} | {change} | {item.description} |")
    return "\n".join(lines)
