"""From settings to an opened local graph: in memory, in a folder, or at a SPARQL server.

Credentials for a server come from the environment alone: ``ROBODATA_STORE_USER`` with
``ROBODATA_STORE_PASSWORD`` (basic), or ``ROBODATA_STORE_TOKEN`` (bearer). They are sent to the
host of ``store`` and ``store_update`` and to no other.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from robodata_core.store.graph import LocalGraph

if TYPE_CHECKING:
    from robodata_core.config import Settings

__all__ = ["is_server", "open_graph"]

_KIND: Final = "sparql:"
# What the places of queries and updates are called where they are not one.
_PLACES: Final = (("/query", "/update"),)


def is_server(store: str) -> bool:
    """Tell whether a ``store`` setting names a SPARQL server."""
    return store.startswith(_KIND)


def open_graph(settings: Settings) -> LocalGraph:
    """Open the local graph that ``settings.store`` names.

    Raises:
        ConfigurationError: If an address is none.
        StoreError: If it cannot be opened.
    """
    if not settings.store:
        return LocalGraph.in_memory(language=settings.language)
    if not is_server(settings.store):
        return LocalGraph.open(settings.store, language=settings.language)
    return _at_server(settings)


def _at_server(settings: Settings) -> LocalGraph:
    from robodata_core.sources.http import address, credentials, open_client
    from robodata_core.store._server import Server

    query_url = address(settings.store[len(_KIND) :], "ROBODATA_STORE")
    update_url = query_url
    for place, other in _PLACES:
        if query_url.endswith(place):
            update_url = query_url[: -len(place)] + other
    if settings.store_update:
        update_url = address(settings.store_update, "ROBODATA_STORE")
    known = credentials(os.environ, "ROBODATA_STORE", (query_url, update_url))
    client = open_client(settings, None, known)
    try:
        return LocalGraph(Server(client, query_url, update_url), settings.language)
    except BaseException:
        client.close()
        raise
