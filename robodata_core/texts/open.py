"""From settings to corpora and a search service."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robodata_core.clock import SystemClock
from robodata_core.errors import ConfigurationError
from robodata_core.text import clean_text
from robodata_core.texts.corpus import TextCorpus
from robodata_core.texts.index import TextIndex

if TYPE_CHECKING:
    from robodata_core.config import Settings
    from robodata_core.sources.http import Traffic
    from robodata_core.texts.online import WebSearch

__all__ = ["Texts", "open_texts"]


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts there are.

    Attributes:
        corpora: In the order they are asked.
        web: A search service, or None.
    """

    corpora: tuple[TextCorpus, ...] = ()
    web: WebSearch | None = None

    def close(self) -> None:
        """Release all of them."""
        for corpus in self.corpora:
            corpus.close()
        if self.web is not None:
            self.web.close()


def open_texts(settings: Settings, traffic: Traffic | None = None) -> Texts:
    """Open what ``settings.texts`` and ``settings.web_search`` name.

    Raises:
        ConfigurationError: If one of them is not there, or not well formed.
    """
    from robodata_core.texts.online import WebSearch, search_credentials

    corpora = tuple(_corpus(name, settings, traffic) for name in settings.texts)
    if not settings.web_search:
        return Texts(corpora)
    from robodata_core.sources.http import address, open_client

    template = address(settings.web_search, "ROBODATA_SEARCH")
    client = open_client(settings, traffic, search_credentials(os.environ, template))
    return Texts(corpora, WebSearch(client, template, settings.web_results, SystemClock().now))


def _corpus(name: str, settings: Settings, traffic: Traffic | None) -> TextCorpus:
    kind, _, language = name.partition(":")
    if kind != "wikipedia":
        return TextIndex(name)
    from robodata_core.sources.http import address, open_client
    from robodata_core.texts.online import Wikipedia

    tag = language or settings.language.partition("-")[0]
    if not tag.replace("-", "").isalnum() or not tag.isascii():
        raise ConfigurationError(f"{clean_text(name, limit=60)!r} names no Wikipedia.")
    api = address(settings.wikipedia_api.replace("{language}", tag.lower()))
    client = open_client(settings, traffic)
    return Wikipedia(client, api, tag.lower(), SystemClock().now)
