"""Writes the files of a small snapshot: one sorted, compressed graph and its index.

The graph is in memory here; ``_bulk`` is for graphs that do not fit. What ends in a snapshot is
decided by the caller; the same lines always give the same graph file and the same manifest.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from robodata_core.sources.ntriples import split_line
from robodata_core.sources.predicates import DATASET
from robodata_core.sources.snapshot._compact import CompactGraph, build_compact
from robodata_core.sources.snapshot._describe import describe
from robodata_core.sources.snapshot._manifest import GRAPH_FILE, INDEX_FILE, MANIFEST_FILE, Manifest
from robodata_core.sources.snapshot._whole import write_checksums
from robodata_core.sources.snapshot.loading._collect import Collector
from robodata_core.sources.snapshot.loading._index_build import build_index

_BLOCK: Final = 20_000


@dataclass(frozen=True, slots=True)
class About:
    """What a manifest says beyond what can be counted."""

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


def write_small(folder: Path, lines: Sequence[bytes], about: About) -> Manifest:
    """Write a snapshot into an empty folder."""
    sha256, length = _write_graph(folder / GRAPH_FILE, lines)
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
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
        for start in range(0, len(lines), _BLOCK):
            block = b"\n".join(lines[start : start + _BLOCK]) + b"\n"
            digest.update(block)
            length += len(block)
            file.write(block)
    return digest.hexdigest(), length
