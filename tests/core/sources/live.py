"""Helpers of the tests of live sources: a Wikibase on loopback, and a source that asks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from robodata_core.serve.wikibase import Reply, WikibaseApi
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.http import HttpClient, HttpLimits, ResponseCache
from robodata_core.sources.wikibase import WikibaseSite, WikidataSource
from tests.faults import FaultyServer

__all__ = ["QUICK", "Canned", "limits_for", "quick_client", "serving", "wikidata_at"]

#: Limits that make faults cheap to wait for, and leave a busy machine the time it needs.
QUICK = HttpLimits(
    connect_seconds=10.0,
    read_seconds=20.0,
    total_seconds=60.0,
    bytes=3_000_000,
    tries=3,
    backoff_seconds=0.001,
)


def limits_for(fault: str, **more: Any) -> HttpLimits:
    """Return limits that do not wait long for a service whose fault is silence."""
    silent = fault.startswith(("slow", "stall"))
    return replace(QUICK, **{**({"read_seconds": 1.0} if silent else {}), **more})


class Canned(WikibaseApi):
    """Answers with what it was given, whatever is asked."""

    def __init__(self, action: Reply | None = None, sparql: Reply | None = None) -> None:
        self._action = action or Reply(404)
        self._sparql = sparql or Reply(404)

    def action(self, parameters: Mapping[str, str]) -> Reply:
        return self._action

    def sparql(self, query: str) -> Reply:
        return self._sparql


@contextmanager
def serving(
    source: KnowledgeSource | WikibaseApi, *faults: str, **more: Any
) -> Iterator[FaultyServer]:
    """Serve a source (or an API) with faults."""
    redirects = more.pop("redirects", None)
    api = source if isinstance(source, WikibaseApi) else WikibaseApi(source, redirects=redirects)
    with FaultyServer(api, faults=faults, **more) as server:
        yield server


def quick_client(**more: Any) -> HttpClient:
    """Return a client that gives up soon."""
    limits = more.pop("limits", QUICK)
    return HttpClient(limits, jitter=lambda: 0.0, **more)


def wikidata_at(
    server: FaultyServer,
    *,
    client: HttpClient | None = None,
    cache: ResponseCache | None = None,
) -> WikidataSource:
    """Return the Wikidata source, asking ``server`` instead."""
    site = WikibaseSite("wikidata", server.api_url, server.sparql_url)
    return WikidataSource(client or quick_client(), site=site, cache=cache)
