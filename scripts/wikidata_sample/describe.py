"""Derives short descriptions from facts: "human; philosopher, mathematician; Germany".

A description names, in this order and as far as facts say so: what the item is (instance of, else
subclass of), what it does or belongs to (occupation, genre, author, material, whole...), and where
it belongs (country or continent). An item of which nothing is said is described by what points to
it: "notable work of Douglas Adams". Nothing is copied from anybody's descriptions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from robodata_core.model import EntityValue, QuantityValue
from wikidata_sample.facts import Sample
from wikidata_sample.names import ItemName, PropertyName

__all__ = ["LIMIT", "Describer"]

LIMIT = 120
HUMAN = "Q5"
WIKIMEDIA_MARKS = frozenset({"P910", "P1424", "P5008", "P7084"})  # say nothing about the thing

# (property, what stands before it, most values): the first group that has values is used.
KINDS = (("P31", 2), ("P279", 2))
DETAILS = (
    ("P106", "", 3),
    ("P50", "by ", 2),
    ("P136", "", 2),
    ("P641", "", 1),
    ("P112", "founded by ", 1),
    ("P361", "part of ", 1),
    ("P186", "made of ", 2),
    ("P366", "for ", 2),
)
PLACES = (
    ("P27", "", 2),
    ("P17", "", 1),
    ("P495", "", 1),
    ("P131", "in ", 1),
    ("P159", "based in ", 1),
    ("P276", "in ", 2),
    ("P30", "", 1),
)
KIN = (("P22", "child of"), ("P25", "child of"), ("P26", "spouse of"), ("P3373", "sibling of"))
UNIT = "unit of measurement"


class Describer:
    """Knows all facts and names; describes one item at a time."""

    def __init__(
        self,
        sample: Sample,
        items: Mapping[str, ItemName],
        properties: Mapping[str, PropertyName],
    ) -> None:
        self._items = items
        self._properties = properties
        self._out: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._in: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._uses: Counter[tuple[str, str]] = Counter()
        self._units: set[str | None] = set()
        for fact in sample.facts.values():
            if isinstance(fact.value, QuantityValue):
                self._units.add(fact.value.unit)
            elif isinstance(fact.value, EntityValue):
                value = fact.value.id
                self._out[fact.subject][fact.prop].append(value)
                self._in[value][fact.prop].append(fact.subject)
                self._uses[fact.prop, value] += 1

    def describe(self, item: str) -> str:
        """Return the description of ``item``, at most ``LIMIT`` characters, or ""."""
        parts = [
            ", ".join(self._kinds(item)),
            self._first_group(item, DETAILS),
            self._first_group(item, PLACES),
        ]
        parts = [part for at, part in enumerate(parts) if part and part not in "".join(parts[:at])]
        if item in self._units:
            parts = parts or [UNIT]
        return _bounded(parts or [self._kin(item) or self._incoming(item)])

    def describe_property(self, prop: str) -> str:
        """Return what the property links in most of its uses: "from human to city"."""
        heads: Counter[str] = Counter()
        tails: Counter[str] = Counter()
        for item, relations in self._out.items():
            for value in relations.get(prop, ()):
                heads.update(self._kinds(item)[:1] or [""])
                tails.update(self._kinds(value)[:1] or [""])
        head, tail = _majority(heads), _majority(tails)
        if head and tail:
            return f"from {head} to {tail}"
        return f"of {head}" if head else f"to {tail}" if tail else ""

    def _label(self, item: str) -> str:
        return self._items[item].label if item in self._items else ""

    def _ranked(self, item: str, prop: str, most: int) -> list[str]:
        """Labels of the values of ``prop``, those most used in the sample first."""
        values = self._out.get(item, {}).get(prop, [])
        ordered = sorted(values, key=lambda id_: (-self._uses[prop, id_], int(id_[1:])))
        labels = [self._label(id_) for id_ in ordered if id_ != item]
        return list(dict.fromkeys(label for label in labels if label))[:most]

    def _kinds(self, item: str) -> list[str]:
        if HUMAN in self._out.get(item, {}).get("P31", ()):
            return [self._label(HUMAN)]
        for prop, most in KINDS:
            if labels := self._ranked(item, prop, most):
                return labels
        return []

    def _first_group(self, item: str, groups: tuple[tuple[str, str, int], ...]) -> str:
        for prop, lead, most in groups:
            if labels := self._ranked(item, prop, most):
                return lead + ", ".join(labels)
        return ""

    def _kin(self, item: str) -> str:
        by_word: dict[str, list[str]] = defaultdict(list)
        for prop, word in KIN:
            by_word[word] += self._ranked(item, prop, 1)
        said = [f"{word} {' and '.join(names)}" for word, names in by_word.items() if names]
        return "; ".join(said[:2])

    def _incoming(self, item: str) -> str:
        """Say of what the item is a value; the rarest relation tells most."""
        relations = self._in.get(item, {})
        telling = [prop for prop in relations if prop not in WIKIMEDIA_MARKS] or list(relations)
        if not telling:
            return ""
        prop = min(telling, key=lambda id_: (len(relations[id_]), int(id_[1:])))
        heads = sorted(relations[prop], key=lambda id_: int(id_[1:]))
        more = f" and {len(heads) - 1} more" if len(heads) > 1 else ""
        return f"{self._properties[prop].role} {self._label(heads[0]) or heads[0]}{more}"


def _bounded(parts: list[str]) -> str:
    """Join the parts, leaving out the last ones where they would be too long."""
    while len(parts) > 1 and len("; ".join(parts)) > LIMIT:
        parts = parts[:-1]
    text = "; ".join(parts)
    return text if len(text) <= LIMIT else text[: LIMIT - 1].rstrip(" ,;") + "…"


def _majority(counts: Counter[str]) -> str:
    """The most common kind, if at least half of the ends are of it."""
    if not counts:
        return ""
    kind = min(counts, key=lambda name: (-counts[name], name))
    return kind if 2 * counts[kind] >= counts.total() else ""
