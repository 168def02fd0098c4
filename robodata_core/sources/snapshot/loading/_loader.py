"""Builds snapshots: from quads that a program has, or from files (``load_files``).

Labels are ``rdfs:label``, aliases ``skos:altLabel``, descriptions ``schema:description``; facts are
direct triples (``wdt:`` or the source's own predicates), with full statement nodes where there is
more to say; a named graph ``urn:robodata:dataset:NAME`` says which data set a fact is from. Both
ways build in a temporary folder that takes its final name at the end (``_folder``).
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

import pyoxigraph as ox

from robodata_core.errors import LoadError
from robodata_core.sources.ntriples import (
    TRIPLE_TERM,
    BlankNodes,
    canonical_lines,
    serialised,
    split_line,
)
from robodata_core.sources.predicates import DATASET
from robodata_core.sources.snapshot._compact import CompactGraph, build_compact
from robodata_core.sources.snapshot._describe import describe
from robodata_core.sources.snapshot._manifest import (
    GRAPH_FILE,
    GRAPH_FOLDER,
    INDEX_FILE,
    MANIFEST_FILE,
    PACKED_FILE,
    Manifest,
    check_name,
)
from robodata_core.sources.snapshot._whole import write_checksums
from robodata_core.sources.snapshot.loading._bulk import BulkStore, located
from robodata_core.sources.snapshot.loading._collect import Collector
from robodata_core.sources.snapshot.loading._folder import building
from robodata_core.sources.snapshot.loading._index_build import build_index
from robodata_core.sources.snapshot.loading._inputs import (
    Block,
    InputFile,
    Meter,
    identify,
    read_blocks,
)

_BLOCK: Final = 20_000


@dataclass(frozen=True, slots=True)
class About:
    """What a manifest says beyond what can be counted.

    Attributes:
        name: Name of the snapshot.
        title: A line for people.
        language: Preferred language of labels.
        sources: Where the facts come from.
        licences: Licences that apply.
    """

    name: str
    title: str = ""
    language: str = "en"
    sources: tuple[Mapping[str, str], ...] = ()
    licences: tuple[str, ...] = ()


def one_graph_each(lines: Iterable[bytes]) -> list[bytes]:
    """Sort canonical lines, and leave each triple in one graph only.

    A triple of several data sets moves to the graph that stands for all of them (``a+b``), so
    that it counts once and still says where it is from; of other graphs, the first is kept.
    """
    kept: list[bytes] = []
    same: list[bytes] = []
    for line in sorted(set(lines)):
        if same and _same_triple(same[-1], line):
            same.append(line)
            continue
        kept += same if len(same) == 1 else _in_one_graph(same)
        same = [line]
    kept += same if len(same) == 1 else _in_one_graph(same)
    return sorted(kept)


def _same_triple(line: bytes, after: bytes) -> bool:
    """Tell whether two neighbours in the sorted order differ in their graph only."""
    # What comes before the last word of a line: nearly always this alone tells them apart.
    start = line[: line.rindex(b" ", 0, -2) + 1]
    if not (after.startswith(start) or after.startswith(line[:-1])):
        return False
    return split_line(line)[:3] == split_line(after)[:3]


def _in_one_graph(lines: Sequence[bytes]) -> list[bytes]:
    if not lines:
        return []
    parts = [split_line(line) for line in lines]
    graphs = [graph for *_, graph in parts if graph]
    return [b" ".join(parts[0][:3]) + _merged(graphs) + b" ."]


def _merged(graphs: Sequence[bytes]) -> bytes:
    start = b"<" + DATASET.encode()
    if all(graph.startswith(start) for graph in graphs):
        names = {name for graph in graphs for name in graph[len(start) : -1].split(b"+")}
        return b" " + start + b"+".join(sorted(names)) + b">"
    return b" " + graphs[0]


def write_small(
    folder: Path, lines: Sequence[bytes], about: About, *, dense: bool = False
) -> Manifest:
    """Write a snapshot into an empty folder.

    Args:
        folder: The folder.
        lines: Canonical lines from ``one_graph_each``.
        about: What the manifest says.
        dense: Pack the graph as small as it goes, which takes minutes.
    """
    sha256, length = _write_graph(folder / (PACKED_FILE if dense else GRAPH_FILE), lines)
    parts = build_compact(lines)
    graph = CompactGraph(parts)
    spool = folder / "spool"
    spool.mkdir()
    with Collector(spool, about.language) as collector:
        for start in range(0, len(lines), _BLOCK):
            collector.observe(b"\n".join(lines[start : start + _BLOCK]))
        counts = build_index(
            folder / INDEX_FILE,
            collector.records(),
            meta={"sha256": sha256, "language": about.language},
            blobs=parts,
            describe=partial(describe, graph),
        )
    for file in spool.iterdir():
        file.unlink()
    spool.rmdir()
    manifest = Manifest(
        name=about.name,
        form="nquads",
        sha256=sha256,
        bytes=length,
        language=about.language,
        counts={"triples": len(lines), **counts},
        sources=about.sources,
        licences=about.licences,
        title=about.title,
        named_graphs=any(split_line(line)[3] for line in lines),
    )
    (folder / MANIFEST_FILE).write_text(manifest.to_json(), encoding="utf-8")
    write_checksums(folder)
    return manifest


def _write_graph(path: Path, lines: Sequence[bytes]) -> tuple[str, int]:
    digest, length = hashlib.sha256(), 0
    # No name and no time in the header: the file depends on its content alone.
    with path.open("wb") as raw, _packed(raw, path) as file:
        for start in range(0, len(lines), _BLOCK):
            block = b"\n".join(lines[start : start + _BLOCK]) + b"\n"
            digest.update(block)
            length += len(block)
            file.write(block)
    return digest.hexdigest(), length


def _packed(raw: BinaryIO, path: Path) -> lzma.LZMAFile | gzip.GzipFile:
    if path.name != PACKED_FILE:
        return gzip.GzipFile("", "wb", 6, raw, mtime=0)
    dense = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 25}
    return lzma.LZMAFile(raw, "wb", filters=[dense])


SMALL: Final = 300_000
"""Up to this many triples a snapshot is one compressed file, read into memory when needed."""

_BATCH: Final = 20_000
_SURELY_BIG: Final = 400
_PACKED: Final = 12
_UNNAMED = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load is.

    Attributes:
        stage: ``reading``, ``indexing`` or ``finishing``.
        done: Bytes of the input files read so far.
        total: Bytes of all input files.
        triples: Triples read so far, repetitions included.
    """

    stage: str
    done: int
    total: int
    triples: int


def write_snapshot(
    quads: Iterable[ox.Quad | str | bytes],
    output: str | Path,
    *,
    name: str,
    title: str = "",
    language: str = "en",
    sources: Iterable[Mapping[str, str]] = (),
    licences: Iterable[str] = (),
    force: bool = False,
    dense: bool = False,
) -> Manifest:
    """Write a small snapshot of quads or N-Quads lines, in any order, which are held in memory.

    Args:
        quads: What it holds.
        output: The folder to make.
        name: Name of the snapshot.
        title: A line for people.
        language: Preferred language of labels.
        sources: Where the facts come from.
        licences: Licences that apply.
        force: Replace a snapshot that is there.
        dense: Pack the graph to half the size, in minutes, as what ships with the package is.

    Returns:
        The manifest as written.

    Raises:
        ConfigurationError: If ``name`` cannot be a name.
        LoadError: If a line is not N-Quads, or the folder cannot be written.
    """
    about = About(check_name(name), title, language, tuple(sources), tuple(licences))
    with building(Path(output), force=force) as folder:
        lines = BlankNodes(about.name).rename_lines(_canonical(quads))
        return write_small(folder, one_graph_each(lines), about, dense=dense)


def load_files(
    files: Sequence[str | Path],
    output: str | Path,
    *,
    name: str = "",
    title: str = "",
    language: str = "en",
    licences: Iterable[str] = (),
    delimiter: str = "",
    force: bool = False,
    progress: Callable[[Progress], None] | None = None,
    small: int = SMALL,
) -> Manifest:
    """Build a snapshot from RDF files or delimited triples, in memory of a fixed size.

    Args:
        files: What to load; formats go by name and content, ``.gz`` and ``.bz2`` are unpacked.
        output: The folder to make.
        name: Name of the snapshot; empty takes the folder's name.
        title: A line for people.
        language: Preferred language of labels.
        licences: Licences that apply; kept in the manifest.
        delimiter: Take the files for tables with this between the cells.
        force: Replace a snapshot that is there already.
        progress: Told now and then how far it is.
        small: Most triples of the small form.

    Returns:
        The manifest as written.

    Raises:
        ConfigurationError: If ``name`` cannot be a name.
        LoadError: If an input cannot be understood (with file and line), or the folder cannot
            be written. Nothing is left behind, and what was there is still there.
    """
    if not files:
        raise LoadError("There is nothing to load.", hint="Name at least one file.")
    output = Path(output)
    name = check_name(name or _UNNAMED.sub("-", output.resolve().name).strip("-._") or "graph")
    inputs = [identify(Path(file), table=bool(delimiter)) for file in files]
    about = About(name, title, language, (), tuple(licences))
    load = _Load(inputs, about, delimiter, progress)
    with building(output, force=force) as folder:
        return load.small(folder, small) or load.big(folder)


class _Load:
    """One load; both forms read the files from the beginning."""

    def __init__(
        self,
        inputs: Sequence[InputFile],
        about: About,
        delimiter: str,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._inputs = inputs
        self._about = about
        self._delimiter = delimiter
        self._progress = progress
        self._sizes = [file.path.stat().st_size for file in inputs]
        self._triples = 0

    def small(self, folder: Path, most: int) -> Manifest | None:
        """Write the small form, or return None as soon as there are too many triples for it."""
        guess = sum(
            size * (_PACKED if file.compression else 1)
            for file, size in zip(self._inputs, self._sizes, strict=True)
        )
        if guess > most * _SURELY_BIG:
            return None
        lines: set[bytes] = set()
        meter = self._meter()
        for number, file in enumerate(self._inputs):
            blanks = BlankNodes(self._about.name, number, numbered=True)
            for block in self._blocks(file, meter):
                lines.update(blanks.rename_lines(_strict(block)))
                if len(lines) > most:
                    return None
        self._tell("indexing", meter.done)
        return write_small(folder, one_graph_each(lines), self._described(meter))

    def big(self, folder: Path) -> Manifest:
        """Write the form with an on-disk store."""
        meter = self._meter()
        spool = folder / "spool"
        spool.mkdir()
        with (
            BulkStore(folder / GRAPH_FOLDER) as store,
            Collector(spool, self._about.language) as collector,
        ):
            named_graphs = False
            for number, file in enumerate(self._inputs):
                blanks = BlankNodes(self._about.name, number)
                for block in self._blocks(file, meter):
                    data = blanks.rename(block.data)
                    if data is not block.data:
                        block = Block(data, block.path, block.line)
                    store.add(block)
                    _observe(collector, block)
                named_graphs |= file.format in (ox.RdfFormat.N_QUADS, ox.RdfFormat.TRIG)
            self._tell("indexing", meter.done)
            about = self._described(meter)
            joined = "\n".join(source["sha256"] for source in about.sources)
            sha256 = hashlib.sha256(joined.encode()).hexdigest()
            meta = {"sha256": sha256, "language": about.language}
            counts = build_index(folder / INDEX_FILE, collector.records(), meta=meta, blobs={})
            self._tell("finishing", meter.done)
            triples = store.finish()
        for path in spool.iterdir():
            path.unlink()
        spool.rmdir()
        manifest = Manifest(
            name=about.name,
            form="oxigraph",
            sha256=sha256,
            language=about.language,
            counts={"triples": triples, **counts},
            sources=about.sources,
            licences=about.licences,
            title=about.title,
            named_graphs=named_graphs,
        )
        (folder / MANIFEST_FILE).write_text(manifest.to_json(), encoding="utf-8")
        write_checksums(folder)
        return manifest

    def _blocks(self, file: InputFile, meter: Meter) -> Iterator[Block]:
        for block in read_blocks(file, meter, name=self._about.name, delimiter=self._delimiter):
            if TRIPLE_TERM in block.data:
                _refuse_triple_terms(block)
            self._triples += block.data.count(b"\n")
            yield block

    def _meter(self) -> Meter:
        self._triples = 0
        return Meter(lambda done: self._tell("reading", done))

    def _tell(self, stage: str, done: int) -> None:
        if self._progress is not None:
            self._progress(Progress(stage, done, sum(self._sizes), self._triples))

    def _described(self, meter: Meter) -> About:
        sources = tuple(
            {"file": file.path.name, "sha256": meter.hashes[file.path]} for file in self._inputs
        )
        about = self._about
        return About(about.name, about.title, about.language, sources, about.licences)


def _refuse_triple_terms(block: Block) -> None:
    for number, line in enumerate(block.data.split(b"\n")):
        parts = line.split(None, 2)
        if len(parts) == 3 and parts[2].startswith(TRIPLE_TERM):
            raise LoadError(
                "A triple about a triple (RDF 1.2) cannot be loaded.",
                path=str(block.path),
                line=block.line + number if block.line else None,
            )


def _strict(block: Block) -> list[bytes]:
    """Return the canonical lines of a block."""
    try:
        return canonical_lines(block.data) if block.line else _split(block.data)
    except SyntaxError as error:
        raise located(error, (block,), (block.data,)) from error


def _split(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line]


def _observe(collector: Collector, block: Block) -> None:
    try:
        collector.observe(block.data)
    except (SyntaxError, ValueError) as error:
        _strict(block)
        raise LoadError(f"A line cannot be loaded: {error}.", path=str(block.path)) from error


def _canonical(quads: Iterable[ox.Quad | str | bytes]) -> Iterator[bytes]:
    rest = iter(quads)
    while batch := list(islice(rest, _BATCH)):
        objects = [quad for quad in batch if not isinstance(quad, str | bytes)]
        for block in serialised(objects):
            yield from (line for line in block.split(b"\n") if line)
        texts = [line for line in batch if isinstance(line, str | bytes)]
        joined = b"\n".join(
            line.encode("utf-8") if isinstance(line, str) else line for line in texts
        )
        try:
            yield from canonical_lines(joined)
        except SyntaxError as error:
            raise LoadError(f"A line is not valid N-Quads: {error}.") from error
