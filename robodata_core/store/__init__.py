"""The local graph: an Oxigraph store that remembers where every triple came from.

``Backend`` is what a place for its RDF must be able to do, ``Embedded`` the one in this process.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from robodata_core.store._backend import Backend, Embedded, Pattern
    from robodata_core.store.graph import Added, LocalGraph

__all__ = ["Added", "Backend", "Embedded", "LocalGraph", "Pattern"]

_ROOMS: Final = {
    "Added": "graph",
    "Backend": "_backend",
    "Embedded": "_backend",
    "LocalGraph": "graph",
    "Pattern": "_backend",
}


def __getattr__(name: str) -> Any:
    """Load a room when something of it is asked for: Oxigraph takes a while."""
    if name in _ROOMS:
        return getattr(importlib.import_module(f"{__name__}.{_ROOMS[name]}"), name)
    raise AttributeError(name)
