"""Linking: which words of a text name something of the graph, and everything that may be meant."""

from __future__ import annotations

from robodata_core.language.linking.linker import Linker, unbound

__all__ = ["Linker", "unbound"]
