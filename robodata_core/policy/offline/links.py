"""Relations that say what things are, and those by which they belong to a place or a group.

They are known by their labels, so that any graph may have them.
"""

from __future__ import annotations

from robodata_core.language.lexicon import open_lexicon
from robodata_core.policy.offline.relation_index import RelationIndex

__all__ = [
    "above_links", "belonging_links", "containment_links", "onward_links", "published_links",
    "type_links",
]  # fmt: skip


def above_links(index: RelationIndex) -> frozenset[str]:
    """Return the relations of a graph that lead from one class to a broader one."""
    labels = open_lexicon("en").role("above")
    return frozenset(name for label in labels for name in index.called(label))


def belonging_links(index: RelationIndex) -> frozenset[str]:
    """Return the relations of a graph by which things belong to a place or a group."""
    labels = open_lexicon("en").role("of")
    return frozenset(name for label in labels for name in index.named(label))


def containment_links(index: RelationIndex) -> tuple[str, ...]:
    """Return the relations of a graph that say in which larger place a place lies."""
    labels = open_lexicon("en").role("within")
    return tuple(sorted({name for label in labels for name in index.called(label)}))


def onward_links(index: RelationIndex) -> frozenset[str]:
    """Return the relations of a graph that may be followed again and again."""
    labels = open_lexicon("en").role("onward")
    return frozenset(name for label in labels for name in index.called(label))


def published_links(index: RelationIndex) -> frozenset[str]:
    """Return the relations of a graph that say when a work came out."""
    labels = open_lexicon("en").role("published")
    return frozenset(name for label in labels for name in index.named(label))


def type_links(index: RelationIndex) -> tuple[str, ...]:
    """Return the relations by which a graph says what something is."""
    labels = (*open_lexicon("en").role("type"), "subclass of")
    return tuple(sorted({name for label in labels for name in index.named(label)}))
