"""Several sources as one, and where they differ."""

from __future__ import annotations

from robodata_core.sources.chained._conflicts import Conflict, agree, find_conflicts
from robodata_core.sources.chained._source import ChainedSource

__all__ = ["ChainedSource", "Conflict", "agree", "find_conflicts"]
