"""The source that needs no network: a snapshot in a folder. ``loading`` makes such a folder."""

from __future__ import annotations

from robodata_core.sources.snapshot._export import write_graph
from robodata_core.sources.snapshot._manifest import Manifest, embedded_snapshots, find_snapshot
from robodata_core.sources.snapshot._source import SnapshotSource, open_snapshot

__all__ = [
    "Manifest",
    "SnapshotSource",
    "embedded_snapshots",
    "find_snapshot",
    "open_snapshot",
    "write_graph",
]
