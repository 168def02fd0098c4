"""Graphs that training questions are asked on, and which questions fit them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final

from language_training.questions import Asked
from robodata_core.language.lexicon import Lexicon
from robodata_core.language.view import View
from robodata_core.model import Direction, EntityValue
from robodata_core.sources.snapshot import open_graph as open_packed
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.sources.snapshot.loading import load_files

__all__ = ["ASKED", "Graphs", "asked_on", "open_graph", "sample_view"]

#: The snapshots that people wrote questions for.
SNAPSHOTS: Final = ("household", "wikidata-sample", "world")
#: Name of the graph for questions that people really asked.
ASKED: Final = "asked"
#: Share of the facts that a graph goes without, of 256.
_GONE: Final = 90
_TYPES: Final = frozenset(("P31", "P279"))
_FACT: Final = re.compile(r"^(<[^>]+>) <([^>]+)> ")
_PROPERTY: Final = re.compile(r"/(P\d+)$")
#: Vocabularies that say what things are called and how facts are written down.
_FORMAL: Final = re.compile(
    "rdf-syntax|rdf-schema|schema.org|skos|wikiba|purl.org/dc|owl#|/statement/|/qualifier"
)


class Graphs:
    """The graphs that questions are asked of, each also without a third of its facts.

    What is left out are all values of a relation of a thing at once, so that many questions that
    were written for the graph cannot be answered any more.

    Attributes:
        folder: Where the latter are made.

    Args:
        folder: Where the latter are made.
        asked: A snapshot for questions that people really asked.
    """

    def __init__(self, folder: Path, asked: Path) -> None:
        self.folder = folder
        self._asked = asked

    def path(self, name: str) -> str:
        """Return what to open for a graph."""
        return str(self._asked) if name == ASKED else name

    def make(self) -> None:
        """Make all graphs without a third of their facts.

        Raises:
            RoboDataError: If one cannot be made.
        """
        for name in (ASKED, *SNAPSHOTS):
            whole = self._asked if name == ASKED else files("robodata_core.data").joinpath(name)
            left = self.folder / f"{name}.nq"
            with open_packed(Path(str(whole))) as lines, left.open("wb") as kept:
                kept.writelines(line for line in lines if not _goes(line.decode()))
            load_files([left], Path(self.without(name)), name=name)
            left.unlink()

    def without(self, name: str) -> str:
        """Return what to open for a graph without a third of its facts, once they are made."""
        return str(self.folder / f"{name}-without")


def _goes(line: str) -> bool:
    fact = _FACT.match(line)
    if fact is None or _FORMAL.search(fact[2]):
        return False
    named = _PROPERTY.search(fact[2])
    relation = named[1] if named else fact[2]
    if relation in _TYPES:
        return False
    return hashlib.md5((fact[1] + relation).encode(), usedforsecurity=False).digest()[0] < _GONE


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
