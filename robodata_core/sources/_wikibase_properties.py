"""All properties of a Wikibase in one query, with their names and datatypes."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Final

from robodata_core.iris import WIKIBASE
from robodata_core.model import (
    EntityValue,
    MonolingualTextValue,
    Property,
    QuantityValue,
    StringValue,
)
from robodata_core.sources._sparql_http import Queryable
from robodata_core.sources._triples import best_text, language_chain
from robodata_core.sources.base import QueryLimits
from robodata_core.text import clean_text

__all__ = ["list_properties", "texts_of"]

_log = logging.getLogger("robodata.wikidata")
_MOST_PROPERTIES: Final = 20_000


def list_properties(endpoint: Queryable, source: str, language: str) -> tuple[Property, ...]:
    """Return every property that is not an external identifier."""
    tags = ", ".join(f'"{tag}"' for tag in language_chain(language))
    query = (
        "SELECT ?p ?t ?k ?v WHERE { ?p a wikibase:Property ; wikibase:propertyType ?t . "
        f"FILTER(?t != wikibase:ExternalId) {{ ?p rdfs:label ?v BIND(0 AS ?k) }} UNION "
        "{ ?p skos:altLabel ?v BIND(1 AS ?k) } UNION "
        "{ ?p schema:description ?v BIND(2 AS ?k) } "
        f"FILTER(LANG(?v) IN ({tags})) }}"
    )
    limits = QueryLimits(rows=10 * _MOST_PROPERTIES, seconds=60.0, bytes=40_000_000)
    result = endpoint.query(query, limits=limits)
    if result.truncated:
        _log.warning("%s has more properties than are taken", source)
    kinds: dict[str, str] = {}
    names: dict[str, tuple[list[Any], list[Any], list[Any]]] = {}
    for item, kind, which, text in result.rows:
        place = int(which.amount) if isinstance(which, QuantityValue) else 0
        if isinstance(item, EntityValue) and isinstance(kind, EntityValue) and 0 <= place < 3:
            kinds[item.id] = _datatype(kind.id)
            names.setdefault(item.id, ([], [], []))[place].append(text)
    return tuple(
        Property(
            id_,
            clean_text(best_text(labels, language)),
            clean_text(best_text(descriptions, language)),
            tuple(clean_text(text) for text in texts_of(aliases)),
            kinds[id_],
        )
        for id_, (labels, aliases, descriptions) in sorted(names.items())
    )


def texts_of(values: Iterable[object]) -> tuple[str, ...]:
    """Return the texts among values, each once."""
    texts = (v.text for v in values if isinstance(v, (MonolingualTextValue, StringValue)))
    return tuple(dict.fromkeys(texts))


def _datatype(iri: str) -> str:
    """Return the name the API gives a datatype: ``WikibaseItem`` is ``wikibase-item``."""
    name = iri[len(WIKIBASE) :] if iri.startswith(WIKIBASE) else iri
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")
