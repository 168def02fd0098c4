"""From settings to an opened source: kinds, chains, addresses, credentials, caches, recordings.

Credentials come from the environment alone: ``ROBODATA_SPARQL_USER`` with
``ROBODATA_SPARQL_PASSWORD`` (basic), or ``ROBODATA_SPARQL_TOKEN`` (bearer). They are sent to the
endpoints of ``sparql:URL`` and nowhere else.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError
from robodata_core.sources.base import KnowledgeSource
from robodata_core.text import clean_text

if TYPE_CHECKING:
    import httpx2 as httpx

    from robodata_core.sources._responses import ResponseCache
    from robodata_core.sources.http import HttpClient

__all__ = ["Traffic", "address", "authorization", "open_client", "open_source", "open_traffic"]


class Traffic:
    """Where requests go: the network, the network with a recording, or a recording alone.

    One object serves the source and the model of a run, so that both are in one file.

    Args:
        record: File to record to, or empty.
        replay: Recording to answer from, or empty.

    Attributes:
        live: Whether the network is asked and nothing is recorded.
        replayed: Whether a recording answers.

    Raises:
        ConfigurationError: If both are asked for, or a file cannot be used.
    """

    def __init__(self, record: str = "", replay: str = "") -> None:
        from robodata_core.sources.record import TrafficRecorder, TrafficReplay

        if record and replay:
            raise ConfigurationError("Traffic can be recorded or replayed, not both at once.")
        self._recorder = TrafficRecorder(record) if record else None
        self._replay = TrafficReplay(replay) if replay else None
        self.live = not record and not replay
        self.replayed = self._replay is not None

    def transport(self) -> httpx.BaseTransport | None:
        """Return the transport for a client; None is the network."""
        if self._recorder is not None:
            return self._recorder.transport()
        return self._replay.transport() if self._replay is not None else None

    def close(self) -> None:
        """Close the recording."""
        if self._recorder is not None:
            self._recorder.close()


def open_traffic(settings: Settings) -> Traffic | None:
    """Return what the settings ask for; None where nothing is recorded or replayed."""
    if not settings.record and not settings.replay_traffic:
        return None
    return Traffic(settings.record, settings.replay_traffic)


def open_source(settings: Settings, traffic: Traffic | None = None) -> KnowledgeSource:
    """Open the source or the chain of sources that ``settings.source`` names.

    Args:
        settings: The settings.
        traffic: How requests are sent, if not plainly; the caller closes it.

    Raises:
        ConfigurationError: If there is no such kind of source, or an address is none.
        SnapshotError: If a snapshot is missing or damaged.
    """
    opened: list[KnowledgeSource] = []
    try:
        for name in settings.source:
            opened.append(_open_one(name, settings, traffic))
    except BaseException:
        for source in opened:
            source.close()
        raise
    if len(opened) == 1:
        return opened[0]
    from robodata_core.sources.chained import ChainedSource

    return ChainedSource(opened, merge=settings.chain == "merge")


def _open_one(name: str, settings: Settings, traffic: Traffic | None) -> KnowledgeSource:
    kind, _, rest = name.partition(":")
    if kind == "snapshot" and rest:
        from robodata_core.sources.snapshot import open_snapshot

        return open_snapshot(rest)
    if name == "wikidata":
        return _wikidata(settings, traffic)
    if kind == "sparql" and rest:
        return _sparql(rest, settings, traffic)
    raise ConfigurationError(
        f"There is no source called {clean_text(name, limit=100)!r}.",
        hint="Use snapshot:NAME, snapshot:PATH, wikidata or sparql:URL.",
    )


def _wikidata(settings: Settings, traffic: Traffic | None) -> KnowledgeSource:
    from robodata_core.sources.wikidata import WIKIDATA, WikibaseSite, WikidataSource

    api, sparql = address(settings.wikidata_api), address(settings.wikidata_sparql)
    name = WIKIDATA.name if (api, sparql) == (WIKIDATA.api, WIKIDATA.sparql) else f"wikibase:{api}"
    return WikidataSource(
        open_client(settings, traffic, {}),
        site=WikibaseSite(name, api, sparql),
        language=settings.language,
        cache=_cache(settings, traffic),
        maxlag=settings.maxlag,
    )


def _sparql(addresses: str, settings: Settings, traffic: Traffic | None) -> KnowledgeSource:
    from robodata_core.sources._sparql_http import Failover, SparqlEndpoint
    from robodata_core.sources.sparql import SparqlSource, Vocabulary

    urls = [address(part.strip()) for part in addresses.split("|") if part.strip()]
    if not urls:
        raise ConfigurationError("sparql: needs the address of an endpoint.")
    client = open_client(settings, traffic, authorization(os.environ, "ROBODATA_SPARQL"))
    endpoints = [SparqlEndpoint(client, url, default_graphs=settings.sparql_graphs) for url in urls]
    vocabulary = Vocabulary(
        labels=settings.sparql_labels,
        descriptions=settings.sparql_descriptions,
        aliases=settings.sparql_aliases,
        types=settings.sparql_types,
    )
    return SparqlSource(
        client,
        endpoints[0] if len(endpoints) == 1 else Failover(endpoints),
        name=f"sparql:{urls[0]}",
        vocabulary=vocabulary,
        language=settings.language,
        page=settings.sparql_page,
    )


def address(text: str, variables: str = "ROBODATA_SPARQL") -> str:
    """Check an address, without which no request makes sense.

    Args:
        text: The address.
        variables: How the environment variables begin that hold its credentials.

    Raises:
        ConfigurationError: If it is none, or carries a password.
    """
    try:
        split = urlsplit(text)
        good = split.scheme in ("http", "https") and bool(split.hostname)
        secret = "@" in split.netloc
    except ValueError:
        good = secret = False
    if secret:
        raise ConfigurationError(
            "An address must not carry a user or password.",
            hint=f"Set {variables}_USER and {variables}_PASSWORD.",
        )
    if not good:
        raise ConfigurationError(
            f"{clean_text(text, limit=100)!r} is no address.", hint="It begins with https://."
        )
    return text


def authorization(environment: Mapping[str, str], variables: str) -> dict[str, str]:
    """Return the header that the variables beginning with ``variables`` ask for, if any."""
    token = environment.get(f"{variables}_TOKEN", "")
    user = environment.get(f"{variables}_USER", "")
    if token:
        return {"Authorization": f"Bearer {token}"}
    if user:
        pair = f"{user}:{environment.get(f'{variables}_PASSWORD', '')}"
        return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode("ascii")}
    return {}


def open_client(
    settings: Settings, traffic: Traffic | None, headers: Mapping[str, str]
) -> HttpClient:
    """Return a client within the limits of the settings."""
    from robodata_core.sources.http import HttpClient, HttpLimits, user_agent

    timeout = settings.http_timeout
    limits = HttpLimits(
        connect_seconds=min(5.0, timeout),
        read_seconds=timeout,
        total_seconds=timeout,
        tries=settings.http_tries,
        concurrency=settings.concurrency,
    )
    more: dict[str, Any] = {}
    if traffic is not None:
        more = {"transport": traffic.transport(), "patient": not traffic.replayed}
    return HttpClient(limits, user_agent=user_agent(settings.contact), headers=headers, **more)


def _cache(settings: Settings, traffic: Traffic | None) -> ResponseCache:
    from robodata_core.sources._responses import ResponseCache, default_cache_path

    # What a cache answers is in no recording, so recorded runs must not use one.
    if not settings.cache_days or traffic is not None:
        return ResponseCache(None)
    folder = Path(settings.cache).expanduser() if settings.cache else None
    path = folder / "responses.sqlite" if folder is not None else default_cache_path()
    return ResponseCache(path, seconds=settings.cache_days * 86_400.0)
