"""What the chart is built of: items, and what the words of one text may stand for.

Sets of tokens are bit masks here: the chart joins and compares very many of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from robodata_core.language.meaning import Meaning, Where
from robodata_core.language.types import Candidate, Edge, Hop, Mention
from robodata_core.model import Value
from robodata_core.programs.steps import Comparison, Stretch

__all__ = ["Denial", "Item", "Lexical", "Limit", "Long", "Pick", "bits", "mask_of", "places_of"]


def bits(start: int, end: int) -> int:
    """Return the mask of tokens from ``start`` up to ``end``."""
    return ((1 << (end - start)) - 1) << start if end > start else 0


def mask_of(places: Iterable[int]) -> int:
    """Return the mask of some tokens."""
    mask = 0
    for place in places:
        mask |= 1 << place
    return mask


def places_of(mask: int) -> frozenset[int]:
    """Return the tokens of a mask."""
    return frozenset(i for i in range(mask.bit_length()) if mask >> i & 1)


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of numbers or times, or of how many others a thing is joined to.

    Attributes:
        mask: Its tokens.
        start: The first of them.
        sets: What it may be, as conditions still without a set; the likeliest first.
        number: What a plain number is compared with, so that others can be counted.
        comparison: How.
        other: Where the name begins that it compares with, -1 for a written value.
        properties: What it may compare with that name.
    """

    mask: int
    start: int
    sets: tuple[tuple[Where, int], ...] = ()
    number: int | None = None
    comparison: Comparison = Comparison.EQ
    other: int = -1
    properties: tuple[tuple[str, Comparison], ...] = ()


@dataclass(frozen=True, slots=True)
class Pick:
    """An extreme.

    Attributes:
        mask: Its tokens.
        properties: What it may be of, with the end meant and further tokens read.
        counts: Whether what other words name is counted.
        largest: Which end, where something is counted.
        often: Whether values are asked for by how many have them ("most common").
    """

    mask: int
    properties: tuple[tuple[str, bool, int], ...]
    counts: bool = False
    largest: bool = True
    often: bool = False


@dataclass(frozen=True, slots=True)
class Denial:
    """A clause that is denied or left out: its operator words and its extent."""

    words: int
    extent: int
    leaves_out: bool = False


@dataclass(frozen=True, slots=True)
class Long:
    """Words for a walk of several hops ("grandmother"), or for one that something narrows.

    Attributes:
        mask: The words.
        hops: Relations of each hop that say just what the words say; of the last there may be none.
        broader: Relations of the last hop that say less.
        only: What holds of the ends of these that are meant ("sister"): any of these values.
    """

    mask: int
    hops: tuple[tuple[Edge, ...], ...]
    broader: tuple[Edge, ...] = ()
    only: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Lexical:
    """What the words of one text may stand for.

    Attributes:
        mentions: Things and classes that are named.
        limits: Limits of numbers and times.
        picks: Extremes.
        denials: Denials and exceptions.
        longs: Walks of several hops that words name.
        countable: Relations that words name as something to be counted, with these words.
        joints: Masks of joining words by what they do.
        parts: Words for parts of dates, with their precision.
        lifetimes: Words that ask how long something lasted.
        light: Tokens without content.
        via: Relations that say what a thing is.
        belonging: Relations by which things belong to a place or a group.
    """

    mentions: tuple[Mention, ...] = ()
    limits: tuple[Limit, ...] = ()
    picks: tuple[Pick, ...] = ()
    denials: tuple[Denial, ...] = ()
    longs: tuple[Long, ...] = ()
    countable: tuple[tuple[Edge, int], ...] = ()
    joints: Mapping[str, int] = field(default_factory=dict)
    parts: tuple[tuple[int, int], ...] = ()
    lifetimes: tuple[tuple[int, Stretch], ...] = ()
    light: int = 0
    via: tuple[str, ...] = ()
    belonging: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a reading.

    Attributes:
        mask: Tokens read.
        at: Its extent in the text.
        meaning: What it means.
        size: How many rules built it.
        name: Whether it is names alone.
        joint: How names or kinds of a list are joined.
        kind: Classes, where it is a kind alone.
        open: Whether it is a condition still without a set.
        edges: The last hop, empty where it has none.
        hops: All hops, in order.
        chosen: The mentions used.
        rules: The rules that built it.
        features: What speaks for and against it; they add up.
        score: By which the chart is pruned.
    """

    mask: int
    at: tuple[int, int]
    meaning: Meaning
    size: int = 1
    name: bool = False
    joint: str = ""
    kind: tuple[str, ...] = ()
    open: bool = False
    edges: tuple[Edge, ...] = ()
    hops: tuple[Hop, ...] = ()
    chosen: tuple[tuple[Mention, Candidate], ...] = ()
    rules: tuple[str, ...] = ()
    features: tuple[tuple[str, float], ...] = ()
    score: float = 0.0
