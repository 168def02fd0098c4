"""The model as Wikibase's JSON: the other direction of what ``sources.wikibase`` reads.

Only what a client reads is written: no tokens, no titles, no page ids. What the model does not
hold (hashes of snaks, time zones) is left out or has its usual value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from robodata_core.iris import iri_of
from robodata_core.model import (
    CoordinateValue,
    Entity,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    NoValue,
    Property,
    QuantityValue,
    Reference,
    Snak,
    SomeValue,
    Statement,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
)

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
