"""Wikidata, or any Wikibase: Action API for entities, SPARQL for the rest."""

from __future__ import annotations

from robodata_core.sources.wikibase._api import WIKIDATA, WikibaseSite
from robodata_core.sources.wikibase._entities import UnsupportedEntityError, parse_entity, pick_term
from robodata_core.sources.wikibase._source import WikidataSource

__all__ = [
    "WIKIDATA",
    "UnsupportedEntityError",
    "WikibaseSite",
    "WikidataSource",
    "parse_entity",
    "pick_term",
]
