"""From settings to an opened source: kinds, chains, caches."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from robodata_core.config import DEFAULT_SOURCE, Settings
from robodata_core.errors import ConfigurationError
from robodata_core.sources.base import KnowledgeSource
from robodata_core.text import clean_text

if TYPE_CHECKING:
    from robodata_core.sources.http import ResponseCache, Traffic

__all__ = ["SOURCE_FORMS", "kind_of_source", "open_source", "say_what_leaves", "sources_of"]

_log = logging.getLogger("robodata.leaving")

#: How sources are named, for whoever is to name one.
SOURCE_FORMS: Final = ("snapshot:NAME", "snapshot:PATH", "wikidata", "sparql:URL", "auto")


def open_source(settings: Settings, traffic: Traffic | None = None) -> KnowledgeSource:
    """Open the source or the chain of sources that ``settings.source`` names.

    Args:
        settings: The settings.
        traffic: How requests are sent, if not plainly; the caller closes it.

    Raises:
        ConfigurationError: If there is no such kind of source, or an address is none.
        SnapshotError: If a snapshot is missing or damaged.
    """
    say_what_leaves(settings)
    opened: list[KnowledgeSource] = []
    try:
        for name in sources_of(settings.source):
            opened.append(_open_one(name, settings, traffic))
    except BaseException:
        for source in opened:
            source.close()
        raise
    if len(opened) == 1:
        return opened[0]
    from robodata_core.sources.chained import ChainedSource

    return ChainedSource(opened, merge=settings.chain == "merge")


def say_what_leaves(settings: Settings) -> None:
    """Warn before anything is sent that ``auto`` goes on to Wikidata."""
    if "auto" in settings.source:
        _log.warning(
            "What %s does not answer is asked of Wikidata: words of the question and ids are sent"
            " there then.",
            " and ".join(sources_of(settings.source, alone=True)),
        )


def kind_of_source(name: str) -> tuple[str, str]:
    """Return the kind of a source that is named, and what follows it.

    Args:
        name: In one of ``SOURCE_FORMS``.

    Raises:
        ConfigurationError: If it is in none of them.
    """
    kind, _, rest = name.partition(":")
    if name in ("wikidata", "auto") or (kind in ("snapshot", "sparql") and rest):
        return kind, rest
    *forms, last = SOURCE_FORMS
    raise ConfigurationError(
        f"There is no source called {clean_text(name, limit=100)!r}.",
        hint=f"Use {', '.join(forms)} or {last}.",
    )


def sources_of(names: Sequence[str], *, alone: bool = False) -> tuple[str, ...]:
    """Return the sources that are named, with what ``auto`` stands for behind them.

    Args:
        names: As they are set; ``auto`` is Wikidata for what the others lack, or the default where
            there are no others.
        alone: Without that.
    """
    here = [name for name in names if name != "auto"] or [DEFAULT_SOURCE]
    further = () if alone or "auto" not in names else ("wikidata",)
    return tuple(dict.fromkeys((*here, *further)))


def _open_one(name: str, settings: Settings, traffic: Traffic | None) -> KnowledgeSource:
    kind, rest = kind_of_source(name)
    if kind == "snapshot":
        from robodata_core.sources.snapshot import open_snapshot

        return open_snapshot(rest)
    if kind == "sparql":
        return _sparql(rest, settings, traffic)
    return _wikidata(settings, traffic)


def _wikidata(settings: Settings, traffic: Traffic | None) -> KnowledgeSource:
    from robodata_core.sources.http import address, open_client
    from robodata_core.sources.wikibase import WIKIDATA, WikibaseSite, WikidataSource

    api, sparql = address(settings.wikidata_api), address(settings.wikidata_sparql)
    name = WIKIDATA.name if (api, sparql) == (WIKIDATA.api, WIKIDATA.sparql) else f"wikibase:{api}"
    return WikidataSource(
        open_client(settings, traffic),
        site=WikibaseSite(name, api, sparql),
        language=settings.language,
        cache=_cache(settings, traffic),
        maxlag=settings.maxlag,
    )


def _sparql(url: str, settings: Settings, traffic: Traffic | None) -> KnowledgeSource:
    from robodata_core.sources.http import address, credentials, open_client
    from robodata_core.sources.sparql import SparqlEndpoint, SparqlSource, Vocabulary

    url = address(url.strip())
    client = open_client(settings, traffic, credentials(os.environ, "ROBODATA_SPARQL", [url]))
    vocabulary = Vocabulary(
        labels=settings.sparql_labels,
        descriptions=settings.sparql_descriptions,
        aliases=settings.sparql_aliases,
        types=settings.sparql_types,
    )
    return SparqlSource(
        client,
        SparqlEndpoint(client, url, default_graphs=settings.sparql_graphs),
        name=f"sparql:{url}",
        vocabulary=vocabulary,
        language=settings.language,
        page=settings.sparql_page,
    )


def _cache(settings: Settings, traffic: Traffic | None) -> ResponseCache:
    from robodata_core.sources.http import ResponseCache, default_cache_path

    # What a cache answers is in no recording, so recorded runs must not use one.
    if not settings.cache_days or traffic is not None:
        return ResponseCache(None)
    folder = Path(settings.cache).expanduser() if settings.cache else None
    path = folder / "responses.sqlite" if folder is not None else default_cache_path()
    return ResponseCache(path, seconds=settings.cache_days * 86_400.0)
