"""Graphs that training questions are asked on, and which questions fit them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from language_training.questions import Asked
from robodata_core.language.lexicon import Lexicon
from robodata_core.language.view import View
from robodata_core.model import Direction, EntityValue
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.sources.snapshot.loading import load_files

__all__ = ["asked_on", "open_graph", "sample_view"]


def open_graph(triples: Path, folder: Path, lexicon: Lexicon) -> View:
    """Load triples into a snapshot and return a view of it."""
    load_files([triples], folder, name="training")
    source = open_snapshot(folder)
    return View(source, roles=lexicon.role)


def sample_view(lexicon: Lexicon) -> View:
    """Return a view of the snapshot that comes with the project."""
    source = open_snapshot("wikidata-sample")
    return View(source, roles=lexicon.role)


def asked_on(questions: Iterable[Asked], view: View, named: Iterable[str]) -> Iterator[Asked]:
    """Yield the questions whose things all have a name, and whose fact is there if it is one.

    Questions for more than one fact stay: whatever one fact answers them with is wrong.

    Args:
        questions: What was asked.
        view: The graph.
        named: Things with a name.
    """
    known = frozenset(named)
    for asked in questions:
        things = {*asked.things, *([asked.target] if asked.target else [])}
        if not things or not things <= known:
            continue
        edge = (asked.property, Direction.IN if asked.inverse else Direction.OUT)
        if not asked.target or EntityValue(asked.target) in view.ends((asked.subject,), edge, 1000):
            yield asked
