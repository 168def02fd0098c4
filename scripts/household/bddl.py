"""Reads BDDL: a taxonomy of things with what can be done with them, and household activities.

An activity is a planning problem: what it needs, where things stand before, where they shall be in
the end. Where things end up belongs to them only if that place is a fixed one (it stands in a
room): chips that are put into a carton for lunch do not belong there.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from household.kinds import spelled

__all__ = ["Activity", "Node", "read_activities", "read_taxonomy", "said"]

NOT_NEEDED = frozenset({"agent", "floor", "wall", "ceiling"})


# Verbs that lose an e before "ing"; the others only lose a doubled letter.
_WITH_E = frozenset(
    [
        "assembling",
        "bottling",
        "making",
        "organizing",
        "preparing",
        "rearranging",
        "serving",
        "storing",
    ]
)


@dataclass(frozen=True, slots=True)
class Node:
    """A synset of the taxonomy.

    Attributes:
        synset: Its name.
        parent: The synset above it, none for the top.
        categories: Names of 3D models of it.
        abilities: What is said of it, with temperatures in degrees Celsius where there are any.
        inherited: What is said of a synset above it and not of itself.
    """

    synset: str
    parent: str
    categories: tuple[str, ...]
    abilities: Mapping[str, float | None]
    inherited: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Activity:
    """A household activity.

    Attributes:
        name: What it is called.
        needs: Synsets of the things it needs.
        found: Thing -> places it is found at before.
        belongs: Thing -> fixed places it is at in the end.
        rooms: Thing -> rooms it stands in.
    """

    name: str
    needs: tuple[str, ...]
    found: Mapping[str, tuple[str, ...]]
    belongs: Mapping[str, tuple[str, ...]]
    rooms: Mapping[str, tuple[str, ...]]


def read_taxonomy(path: Path) -> dict[str, Node]:
    """Read the taxonomy; abilities are handed down it."""
    rows = {row["synset"]: row for row in map(json.loads, _lines(path))}
    return {name: _node(name, rows) for name in rows}


def _node(name: str, rows: Mapping[str, dict[str, Any]]) -> Node:
    row = rows[name]
    abilities = {
        ability: next((float(v) for v in details.values() if isinstance(v, int | float)), None)
        for ability, details in row["abilities"].items()
    }
    above: set[str] = set()
    parent = row["parent"]
    while parent:
        above |= set(rows[parent]["abilities"])
        parent = rows[parent]["parent"]
    inherited = frozenset(above - abilities.keys())
    return Node(name, row["parent"] or "", tuple(row["categories"]), abilities, inherited)


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from file


def read_activities(path: Path) -> list[Activity]:
    """Read the activities; a file that defines none is left out."""
    read = (_activity(**json.loads(line)) for line in _lines(path))
    return [activity for activity in read if activity.needs]


def _activity(activity: str, problem: str) -> Activity:
    objects = re.search(r"\(:objects(.*?)\)\s*\(:init", problem, re.S)
    before, _, after = problem.partition("(:goal")
    kinds = re.findall(r"- ([\w\-']+\.n\.\d+)", objects[1] if objects else "")
    needs = [kind for kind in dict.fromkeys(kinds) if spelled(kind) not in NOT_NEEDED]
    rooms = _pairs(r"\(inroom ([\w.\-']+) (\w+)\)", before)
    fixed = set(rooms)
    found = _pairs(r"\((?:inside|ontop|onfloor|under|nextto) ([\w.\-']+) ([\w.\-']+)\)", before)
    ends = _pairs(
        r"\((?:inside|ontop) \??([\w.\-']+) \??([\w.\-']+)\)",
        re.sub(r"\(not\s*\([^)]*\)", "", after),
    )
    belongs = {
        thing: tuple(place for place in places if place in fixed)
        for thing, places in ends.items()
        if spelled(thing) not in NOT_NEEDED
    }
    return Activity(activity.replace("_", " "), tuple(needs), found, belongs, rooms)


def _pairs(pattern: str, text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for one, other in re.findall(pattern, text):
        found[_kind(one)][_kind(other)] = None
    return {one: tuple(others) for one, others in found.items()}


def _kind(thing: str) -> str:
    """Return the synset of a single thing: "plate.n.04_2" is a plate."""
    return re.sub(r"(\.n\.\d+)_\d+$", r"\1", thing)


def said(activity: str) -> Iterator[str]:
    """Yield how people ask about an activity: "packing lunches", "pack lunches", "pack a lunch"."""
    verb, _, rest = activity.partition(" ")
    if not verb.endswith("ing"):
        return
    stem = verb[:-3]
    if verb in _WITH_E:
        stem += "e"
    elif len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls":
        stem = stem[:-1]
    yield f"{stem} {rest}".strip()
    words = rest.split()
    if words and words[-1].endswith("s") and not words[-1].endswith("ss"):
        last = re.sub(r"(?:(?<=ch)|(?<=sh)|(?<=x))es$|s$", "", words[-1])
        one = " ".join((*words[:-1], last)).removeprefix("the ")
        yield from (f"{stem} a {one}", f"{verb} a {one}", f"{stem} the {one}")
