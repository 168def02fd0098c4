"""The files of a snapshot: where they are, what the manifest says, and whether they are whole.

Reading a manifest is the first thing done with a snapshot, so what is wrong with the folder as a
whole (missing, of another version, incomplete, cut off) is said from here. The index is opened in
``_index``; how files are written is the business of ``loading``.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Final

import pyoxigraph as ox

from robodata_core.errors import ConfigurationError, SnapshotError
from robodata_core.text import clean_text, parse_json
from robodata_core.whole_files import form_limit

FORMAT: Final = 1
MANIFEST_FILE: Final = "manifest.json"
INDEX_FILE: Final = "index.sqlite"
GRAPH_FILE: Final = "graph.nq.gz"
PACKED_FILE: Final = "graph.nq.xz"
GRAPH_FOLDER: Final = "oxigraph"
CHECKSUMS: Final = "checksums.txt"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z", re.ASCII)
_MAX_BYTES: Final = 4_000_000
_BLOCK_BYTES: Final = 2_000_000
_MOST_GRAPH: Final = 1_000_000_000
"""What a graph in one file may have, unpacked; larger ones are stores on disk."""
_REBUILD: Final = "Build it again with: robodata kg load FILE... --output PATH --force"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a snapshot says of itself.

    Attributes:
        name: Its name; as a source it is called ``snapshot:NAME``.
        form: ``nquads`` (one sorted, compressed file) or ``oxigraph`` (an on-disk store).
        sha256: Of the uncompressed sorted N-Quads, or, for an on-disk store, of the input files.
        bytes: Length of the uncompressed N-Quads; 0 for an on-disk store.
        language: The language its labels were chosen for.
        counts: Numbers of triples, entities, properties and names.
        sources: Where the facts come from, one mapping each (name, file, licence, ...).
        licences: Licences that apply.
        title: A line for people.
        named_graphs: Whether facts stand in named graphs.
        format: Version of the folder's layout.
    """

    name: str
    form: str
    sha256: str
    bytes: int = 0
    language: str = "en"
    counts: Mapping[str, int] = field(default_factory=dict)
    sources: tuple[Mapping[str, str], ...] = ()
    licences: tuple[str, ...] = ()
    title: str = ""
    named_graphs: bool = False
    format: int = FORMAT

    def to_json(self) -> str:
        """Return the text of ``manifest.json``; equal manifests give equal texts."""
        data = {
            "format": self.format,
            "name": self.name,
            "title": self.title,
            "language": self.language,
            "graph": {
                "form": self.form,
                "sha256": self.sha256,
                "bytes": self.bytes,
                "named_graphs": self.named_graphs,
            },
            "counts": dict(sorted(self.counts.items())),
            "sources": [dict(source) for source in self.sources],
            "licences": list(self.licences),
        }
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def check_name(name: str) -> str:
    """Return ``name`` if a snapshot may be called so.

    Raises:
        ConfigurationError: If it may not.
    """
    if not _NAME.match(name):
        raise ConfigurationError(
            f"{name[:80]!r} cannot be the name of a snapshot.",
            hint="Use up to 64 letters, digits, dots, underscores and hyphens.",
        )
    return name


def read_manifest(folder: Path) -> Manifest:
    """Read and check the manifest of the snapshot in ``folder``.

    Raises:
        SnapshotError: If there is no snapshot, or not one this version can read.
    """
    if not folder.is_dir():
        raise SnapshotError(
            f"There is no snapshot at {folder}.",
            hint="Give the folder that robodata kg load has written, or wikidata-sample.",
        )
    path = folder / MANIFEST_FILE
    try:
        with path.open("rb") as file:
            text = file.read(form_limit(_MAX_BYTES))
        data = parse_json(text)
    except FileNotFoundError as error:
        raise SnapshotError(
            f"{folder} is not a snapshot: it has no {MANIFEST_FILE}.",
            hint="Give the folder that robodata kg load has written.",
        ) from error
    except OSError as error:
        raise SnapshotError(f"{path} cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise damaged(folder, f"{MANIFEST_FILE} is not JSON") from error
    manifest = _parse(folder, data)
    graph = graph_path(folder) if manifest.form == "nquads" else folder / GRAPH_FOLDER
    for part in (graph, folder / INDEX_FILE):
        if not part.exists():
            raise damaged(folder, f"{part.name} is missing")
    return manifest


def graph_path(folder: Path) -> Path:
    """Return the file with the N-Quads of a small snapshot: packed, as it ships, or gzipped."""
    packed = folder / PACKED_FILE
    return packed if packed.exists() else folder / GRAPH_FILE


def open_graph(folder: Path) -> gzip.GzipFile | lzma.LZMAFile:
    """Open the N-Quads of a small snapshot to read them unpacked.

    Raises:
        OSError: If the file cannot be opened.
    """
    path = graph_path(folder)
    return lzma.open(path) if path.name == PACKED_FILE else gzip.open(path)


def damaged(folder: Path, what: str) -> SnapshotError:
    """Return the error that says what is broken in a snapshot."""
    return SnapshotError(f"The snapshot at {folder} is damaged: {what}.", hint=_REBUILD)


def _parse(folder: Path, data: Any) -> Manifest:
    version = data.get("format") if isinstance(data, dict) else None
    if not isinstance(version, int):
        raise damaged(folder, f"{MANIFEST_FILE} does not say which format it has")
    if version != FORMAT:
        raise SnapshotError(
            f"The snapshot at {folder} has format {version}, and this version reads {FORMAT}.",
            hint=_REBUILD,
        )
    try:
        graph = data["graph"]
        manifest = Manifest(
            name=check_name(str(data["name"])),
            form=str(graph["form"]),
            sha256=str(graph["sha256"]),
            bytes=int(graph.get("bytes", 0)),
            language=str(data.get("language", "en")),
            counts={str(key): int(value) for key, value in data.get("counts", {}).items()},
            sources=tuple(
                {str(key): str(value) for key, value in source.items()}
                for source in data.get("sources", ())
            ),
            licences=tuple(str(licence) for licence in data.get("licences", ())),
            title=str(data.get("title", "")),
            named_graphs=bool(graph.get("named_graphs", True)),
        )
    except (KeyError, TypeError, ValueError, AttributeError, ConfigurationError) as error:
        raise damaged(folder, f"{MANIFEST_FILE} is incomplete") from error
    if manifest.form not in ("nquads", "oxigraph"):
        raise damaged(folder, f"{MANIFEST_FILE} names an unknown kind of graph")
    return manifest


def embedded_snapshots() -> tuple[str, ...]:
    """Return the names of the snapshots that come with the package."""
    home = resources.files("robodata_core") / "data"
    if not home.is_dir():
        return ()
    return tuple(
        sorted(entry.name for entry in home.iterdir() if (entry / MANIFEST_FILE).is_file())
    )


def user_folder() -> Path:
    """Return where the user's own snapshots are, by name."""
    import platformdirs

    return Path(platformdirs.user_data_dir("robodata", appauthor=False)) / "snapshots"


def cache_folder() -> Path:
    """Return where the stores of large snapshots are kept, and when snapshots were compared."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("robodata", appauthor=False)) / "snapshots"


def user_snapshots() -> tuple[str, ...]:
    """Return the names of the user's own snapshots."""
    try:
        entries = sorted(user_folder().iterdir())
    except OSError:
        return ()
    named = (entry.name for entry in entries if (entry / MANIFEST_FILE).is_file())
    return tuple(name for name in named if _NAME.match(name))


def find_snapshot(name_or_path: str | Path) -> Path:
    """Return the folder of a snapshot, given by its name or as a path.

    Names are those of the snapshots that come with the package, then those of the user's own.

    Raises:
        SnapshotError: If there is none of that name, and no such folder.
    """
    name = str(name_or_path)
    if name in embedded_snapshots():
        return Path(str(resources.files("robodata_core") / "data" / name))
    if name in user_snapshots():
        return user_folder() / name
    folder = Path(name).expanduser()
    if not name or (folder.name == name and not os.path.exists(folder)):
        known = ", ".join((*embedded_snapshots(), *user_snapshots()))
        raise SnapshotError(
            f"There is no snapshot called {clean_text(name, limit=100)!r}.",
            hint=f"There are: {known}. Others are given as a path." if known else "Give a path.",
        )
    return folder


def graph_blocks(folder: Path, manifest: Manifest) -> Iterator[bytes]:
    """Yield the N-Quads of a small snapshot in blocks of whole lines, checked at the end.

    Raises:
        SnapshotError: If they cannot be read or are not what they were, or too large.
    """
    if manifest.bytes > form_limit(_MOST_GRAPH):
        text = f"The graph of the snapshot at {folder} has {manifest.bytes:,} bytes"
        raise SnapshotError(
            f"{text}; {form_limit(_MOST_GRAPH):,} are read.",
            hint="The setting read_bytes says how much of a file is read.",
        )
    digest, rest, left = hashlib.sha256(), b"", manifest.bytes
    path = graph_path(folder)
    try:
        with open_graph(folder) as file:
            while left >= 0 and (data := file.read(_BLOCK_BYTES)):
                left -= len(data)
                digest.update(data)
                whole, newline, rest = (rest + data).rpartition(b"\n")
                yield whole + newline
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise damaged(folder, f"{path.name} cannot be read ({error})") from error
    if rest or left or digest.hexdigest() != manifest.sha256:
        raise damaged(folder, f"{path.name} is not the file the manifest describes")


def read_graph(folder: Path, manifest: Manifest) -> bytes:
    """Return the N-Quads of a small snapshot, checked against the manifest.

    Raises:
        SnapshotError: If they cannot be read or are not what they were.
    """
    return b"".join(graph_blocks(folder, manifest))


def open_store(folder: Path, manifest: Manifest) -> ox.Store:
    """Open the graph of a snapshot: from its file into memory, or read-only from its folder.

    Raises:
        SnapshotError: If it is damaged.
    """
    if manifest.form == "nquads":
        store = ox.Store()
        store.bulk_load(read_graph(folder, manifest), ox.RdfFormat.N_QUADS)
        return store
    try:
        return ox.Store.read_only(str(folder / GRAPH_FOLDER))
    except (OSError, RuntimeError) as error:
        raise damaged(folder, f"its graph cannot be opened ({error})") from error
