"""From RDF and OWL files, or quads, to the folder of a snapshot."""

from __future__ import annotations

from robodata_core.sources.snapshot.loading._bulk import fill_store
from robodata_core.sources.snapshot.loading._folder import building, check_free
from robodata_core.sources.snapshot.loading._loader import Progress, load_files, write_snapshot

__all__ = ["Progress", "building", "check_free", "fill_store", "load_files", "write_snapshot"]
