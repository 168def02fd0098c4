"""The source that needs no network: a snapshot in a folder. ``loading`` makes such a folder."""

from __future__ import annotations

from robodata_core.sources.snapshot._export import write_graph
from robodata_core.sources.snapshot._manifest import (
    Manifest,
    cache_folder,
    check_name,
    embedded_snapshots,
    find_snapshot,
    open_graph,
    read_manifest,
    user_folder,
    user_snapshots,
)
from robodata_core.sources.snapshot._source import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot._whole import compare_file

__all__ = [
    "Manifest",
    "SnapshotSource",
    "cache_folder",
    "check_name",
    "compare_file",
    "embedded_snapshots",
    "find_snapshot",
    "open_graph",
    "open_snapshot",
    "read_manifest",
    "user_folder",
    "user_snapshots",
    "write_graph",
]
