"""The interface of a Wikibase over any knowledge source: what is answered, without the network.

``WikibaseApi`` answers ``wbsearchentities`` and ``wbgetentities`` of the Action API, and SPARQL
queries. It is meant for development, tests and work without a network, and speaks as much of the
interface as ``sources.wikibase`` uses; every other action is an error, as it is there. Of an
entity only what a client reads is written: no tokens, no titles, no page ids. What the model does
not hold (hashes of snaks, time zones) is left out or has its usual value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from robodata_core.errors import QueryError, QueryLimitError, RoboDataError
from robodata_core.iris import iri_of
from robodata_core.model import (
    CoordinateValue,
    Entity,
    EntityKind,
    EntityValue,
    ExternalIdValue,
    MatchKind,
    MonolingualTextValue,
    NoValue,
    Property,
    QuantityValue,
    Reference,
    SearchHit,
    Snak,
    SomeValue,
    Statement,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
)
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.sources.sparql import results_json, results_ntriples
from robodata_core.text import whole_number

__all__ = ["Reply", "MOST_IDS", "WikibaseApi"]

_DATATYPES: Final[Mapping[type, str]] = {
    CoordinateValue: "globe-coordinate",
    EntityValue: "wikibase-item",
    ExternalIdValue: "external-id",
    MonolingualTextValue: "monolingualtext",
    QuantityValue: "quantity",
    StringValue: "string",
    TimeValue: "time",
    UrlValue: "url",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent; ``kind`` is its media type."""

    status: int = 200
    body: bytes = b""
    kind: str = "application/json; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()


def entity_document(
    entity: Entity, prop: Property | None, statements: Iterable[Statement], language: str
) -> dict[str, Any]:
    """Return the document of an item or property.

    Args:
        entity: Its names.
        prop: The property, where it is one.
        statements: All its statements; those that Wikibase could not hold are left out.
        language: Language of its names.
    """
    claims: dict[str, list[dict[str, Any]]] = {}
    for number, statement in enumerate(statements):
        claim = _claim(statement, number)
        if claim is not None:
            claims.setdefault(statement.property, []).append(claim)
    document: dict[str, Any] = {
        "type": "item" if prop is None else "property",
        "id": entity.id,
        "lastrevid": 1,
        "labels": _terms(entity.label, language),
        "descriptions": _terms(entity.description, language),
        "aliases": _aliases(entity.aliases, language),
        "claims": claims,
    }
    if prop is None:
        # The snapshot knows how often an entity is mentioned; sitelinks say as much elsewhere.
        count = min(entity.popularity, 300)
        document["sitelinks"] = {f"x{i}wiki": {"site": f"x{i}wiki"} for i in range(count)}
    else:
        document["datatype"] = prop.datatype or "string"
    return document


def _terms(text: str, language: str) -> dict[str, dict[str, str]]:
    return {language: {"language": language, "value": text}} if text else {}


def _aliases(texts: Iterable[str], language: str) -> dict[str, list[dict[str, str]]]:
    found = [{"language": language, "value": text} for text in texts]
    return {language: found} if found else {}


def _claim(statement: Statement, number: int) -> dict[str, Any] | None:
    main = _snak(Snak(statement.property, statement.value))
    if main is None:
        return None
    claim: dict[str, Any] = {
        "mainsnak": main,
        "type": "statement",
        "id": statement.id or f"{statement.subject}$robodata-{number}",
        "rank": statement.rank.value,
    }
    qualifiers, order = _group(statement.qualifiers)
    if qualifiers:
        claim["qualifiers"] = qualifiers
        claim["qualifiers-order"] = order
    if statement.references:
        claim["references"] = [_reference(item) for item in statement.references]
    return claim


def _reference(reference: Reference) -> dict[str, Any]:
    snaks, order = _group(reference.snaks)
    return {"hash": reference.hash, "snaks": snaks, "snaks-order": order}


def _group(snaks: Iterable[Snak]) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for snak in snaks:
        found = _snak(snak)
        if found is not None:
            groups.setdefault(snak.property, []).append(found)
    return groups, list(groups)


def _snak(snak: Snak) -> dict[str, Any] | None:
    if ":" in snak.property:
        return None  # a predicate of another vocabulary has no property here
    if isinstance(snak.value, SomeValue):
        return {"snaktype": "somevalue", "property": snak.property}
    if isinstance(snak.value, NoValue):
        return {"snaktype": "novalue", "property": snak.property}
    data = _datavalue(snak.value)
    if data is None:
        return None
    return {
        "snaktype": "value",
        "property": snak.property,
        "datatype": _DATATYPES[type(snak.value)],
        "datavalue": data,
    }


def _datavalue(value: Value) -> dict[str, Any] | None:
    if isinstance(value, EntityValue):
        return _entity(value.id)
    if isinstance(value, StringValue | ExternalIdValue):
        return {"type": "string", "value": value.text}
    if isinstance(value, UrlValue):
        return {"type": "string", "value": value.url}
    if isinstance(value, MonolingualTextValue):
        text = {"text": value.text, "language": value.language}
        return {"type": "monolingualtext", "value": text}
    if isinstance(value, QuantityValue):
        return {"type": "quantity", "value": _quantity(value)}
    if isinstance(value, TimeValue):
        return {"type": "time", "value": _time(value)}
    if isinstance(value, CoordinateValue):
        return {"type": "globecoordinate", "value": _coordinate(value)}
    return None


def _entity(id_: str) -> dict[str, Any] | None:
    if ":" in id_:
        return None
    kind = "property" if id_[0] == "P" else "item"
    value = {"entity-type": kind, "numeric-id": int(id_[1:]), "id": id_}
    return {"type": "wikibase-entityid", "value": value}


def _quantity(value: QuantityValue) -> dict[str, str]:
    found = {"amount": f"{value.amount:+f}", "unit": iri_of(value.unit) if value.unit else "1"}
    if value.lower is not None:
        found["lowerBound"] = f"{value.lower:+f}"
    if value.upper is not None:
        found["upperBound"] = f"{value.upper:+f}"
    return found


def _time(value: TimeValue) -> dict[str, Any]:
    # Wikibase's JSON has no year 0: 1 BCE is -1 there and 0 in the model.
    year = value.year if value.year > 0 else value.year - 1
    date = f"{year:+05d}-{value.month:02d}-{value.day:02d}"
    return {
        "time": f"{date}T{value.hour:02d}:{value.minute:02d}:{value.second:02d}Z",
        "timezone": 0,
        "before": 0,
        "after": 0,
        "precision": value.precision,
        "calendarmodel": iri_of(value.calendar),
    }


def _coordinate(value: CoordinateValue) -> dict[str, Any]:
    return {
        "latitude": value.latitude,
        "longitude": value.longitude,
        "altitude": None,
        "precision": value.precision,
        "globe": iri_of(value.globe),
    }


MOST_IDS: Final = 50
_ALL: Final = 1_000_000
_ID: Final = re.compile(r"[QP][1-9][0-9]{0,11}\Z", re.ASCII)
_OTHER: Final = re.compile(r"L[1-9][0-9]{0,11}\Z", re.ASCII)
_MATCHES: Final = {MatchKind.ID: "entityId", MatchKind.ALIAS: "alias"}
_QUERY_SECONDS: Final = 60.0


class WikibaseApi:
    """Answers requests from a source.

    Args:
        source: Where the facts come from.
        language: Language of its names.
        redirects: Ids that stand for others.
        rows: Most rows of a query.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        *,
        language: str = "en",
        redirects: Mapping[str, str] | None = None,
        rows: int = 1_000_000,
    ) -> None:
        self._source = source
        self._language = language
        self._redirects = dict(redirects or {})
        self._rows = rows

    def action(self, parameters: Mapping[str, str]) -> Reply:
        """Answer a request to the Action API."""
        action = parameters.get("action", "help")
        if action == "wbsearchentities":
            data = self._search(parameters)
        elif action == "wbgetentities":
            data = self._get(parameters)
        else:
            data = _error("badvalue", f'Unrecognized value for parameter "action": {action}.')
        return Reply(body=json.dumps(data, ensure_ascii=False).encode())

    def sparql(self, query: str) -> Reply:
        """Answer a query."""
        limits = QueryLimits(rows=self._rows, seconds=_QUERY_SECONDS, bytes=100_000_000)
        try:
            result = self._source.sparql(query, limits=limits)
        except QueryLimitError as error:
            report = f"java.util.concurrent.TimeoutException: {error.message}"
            return Reply(500, report.encode(), "text/plain")
        except QueryError as error:
            return Reply(400, error.message.encode(), "text/plain")
        except RoboDataError as error:
            return Reply(500, error.message.encode(), "text/plain")
        if result.triples or (result.boolean is None and not result.variables):
            return Reply(body=results_ntriples(result), kind="application/n-triples")
        return Reply(body=results_json(result), kind="application/sparql-results+json")

    # -- actions --------------------------------------------------------------------------------

    def _search(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        text = parameters.get("search", "")
        if not text or not parameters.get("language"):
            return _error("missingparam", 'The "search" and "language" parameters must be set.')
        limit = _number(parameters.get("limit", "7"), 7)
        kind = EntityKind.PROPERTY if parameters.get("type") == "property" else EntityKind.ITEM
        hits = [
            hit
            for hit in self._source.search(text, kind=kind, limit=4 * limit)
            if _ID.match(hit.id) and hit.match not in (MatchKind.FUZZY, MatchKind.WORDS)
        ]
        return {
            "searchinfo": {"search": text},
            "search": [self._hit(hit) for hit in hits[:limit]],
            "success": 1,
        }

    def _hit(self, hit: SearchHit) -> dict[str, Any]:
        kind = _MATCHES.get(hit.match, "label")
        match = {"type": kind, "language": self._language, "text": hit.matched or hit.label}
        found: dict[str, Any] = {
            "id": hit.id,
            "concepturi": f"http://www.wikidata.org/entity/{hit.id}",
            "label": hit.label,
            "match": match,
        }
        if hit.description:
            found["description"] = hit.description
        if kind == "alias":
            found["aliases"] = [hit.matched]
        return found

    def _get(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        ids = [part for part in parameters.get("ids", "").split("|") if part]
        if not ids:
            return _error("param-missing", "Either ids or titles and sites must be set.")
        if len(ids) > MOST_IDS:
            return _error("toomanyvalues", f'Too many values for parameter "ids" ({MOST_IDS}).')
        for id_ in ids:
            if not _ID.match(id_) and not _OTHER.match(id_):
                return _error("no-such-entity", f'Could not find an entity with the ID "{id_}".')
        second = parameters.get("formatversion", "1") == "2"
        return {"entities": self._documents(ids, second), "success": 1}

    def _documents(self, ids: list[str], second: bool) -> dict[str, Any]:
        targets = {id_: self._redirects.get(id_, id_) for id_ in ids}
        items = self._source.entities([id_ for id_ in targets.values() if id_[0] == "Q"])
        properties = self._source.properties([id_ for id_ in targets.values() if id_[0] == "P"])
        named = self._source.entities(list(properties))
        documents: dict[str, Any] = {}
        for id_, target in targets.items():
            if _OTHER.match(target):
                documents[target] = {"type": "lexeme", "id": target, "lemmas": {}, "claims": {}}
                continue
            prop = properties.get(target)
            entity = named.get(target) if prop is not None else items.get(target)
            if entity is None:
                documents[id_] = {"id": id_, "missing": True if second else ""}
                continue
            page = self._source.statements(target, limit=_ALL, all_ranks=True)
            document = entity_document(entity, prop, page.statements, self._language)
            if target != id_:
                document["redirects"] = {"from": id_, "to": target}
            documents[target] = document
        return documents


def _error(code: str, info: str) -> dict[str, Any]:
    return {"error": {"code": code, "info": info}, "servedby": "robodata"}


def _number(text: str, default: int) -> int:
    number = whole_number(text, MOST_IDS)
    return default if number is None else max(1, number)
