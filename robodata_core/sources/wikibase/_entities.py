"""Wikibase's JSON into the model: entities, properties and statements.

Everything in it is untrusted: a part that does not have the documented shape is left out (and
counted), never guessed. No network here. Specification: "Wikibase/DataModel/JSON" on
mediawiki.org, and the quirks of the real services: empty maps sent as lists, values without an
``id`` beside ``numeric-id``, main snaks without a datatype, ``mul`` labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from robodata_core.iris import id_from_iri
from robodata_core.model import (
    CoordinateValue,
    Entity,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    NoValue,
    Property,
    QuantityValue,
    Rank,
    Reference,
    Snak,
    SomeValue,
    Statement,
    TimeValue,
    Value,
)
from robodata_core.text import clean_text
from robodata_core.values import text_value

_TIME: Final = re.compile(r"([+-]?)(\d{1,16})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z?\Z", re.ASCII)
_ENTITY_ID: Final = re.compile(r"[QP][1-9]\d{0,11}\Z", re.ASCII)
_PREFIXES: Final = {"item": "Q", "property": "P"}
_MAX_TEXT: Final = 10_000
_FALLBACKS: Final = ("mul", "en")


class UnsupportedEntityError(ValueError):
    """The JSON describes something that is neither an item nor a property (a lexeme, a file)."""


@dataclass(frozen=True, slots=True)
class ParsedEntity:
    """One entity document.

    Attributes:
        id: Its own id (after redirects).
        entity: Names and types, for items and properties alike.
        property: The property, where it is one.
        statements: All statements of all ranks, in the document's order.
        revision: Revision of the document, where given.
        skipped: How many statements, snaks or terms did not have the documented shape.
    """

    id: str
    entity: Entity
    property: Property | None
    statements: tuple[Statement, ...]
    revision: int | None
    skipped: int


def parse_entity(
    data: Mapping[str, Any], *, source: str, language: str = "en"
) -> ParsedEntity | None:
    """Turn one entity document into model objects.

    Args:
        data: A value of ``entities`` in a ``wbgetentities`` or EntityData response.
        source: Name of the source, for the statements.
        language: Preferred language of terms; ``mul`` and ``en`` are the fallbacks.

    Returns:
        The entity, or None where the document says that it is missing.

    Raises:
        UnsupportedEntityError: If it is neither an item nor a property.
        ValueError: If it is no entity document at all.
    """
    if not isinstance(data, Mapping):
        raise ValueError("not an entity document")
    id_ = data.get("id")
    if "missing" in data:
        return None
    if not isinstance(id_, str) or not id_:
        raise ValueError("an entity document without an id")
    kind = data.get("type")
    if not _ENTITY_ID.match(id_) or kind not in ("item", "property", None):
        raise UnsupportedEntityError(f"{clean_text(str(id_), limit=40)} is not an item or property")
    revision = data.get("lastrevid")
    revision = revision if isinstance(revision, int) else None
    reader = _Reader(id_, source, revision)
    statements = tuple(reader.statements(data.get("claims") or data.get("statements")))
    label = pick_term(data.get("labels"), language)
    description = pick_term(data.get("descriptions"), language)
    aliases = tuple(_aliases(data.get("aliases"), language))
    types = tuple(
        item.value.id
        for item in statements
        if item.property == "P31" and isinstance(item.value, EntityValue)
    )
    found = Entity(id_, label, description, aliases, types, _popularity(data))
    prop = None
    if id_[0] == "P":
        prop = Property(id_, label, description, aliases, str(data.get("datatype") or ""))
    return ParsedEntity(id_, found, prop, statements, revision, reader.skipped)


def choose(parsed: ParsedEntity | None, property_: str | None, all_ranks: bool) -> list[Statement]:
    """Keep one property's statements and, unless told otherwise, the truthy ones."""
    if parsed is None:
        return []
    chosen = [item for item in parsed.statements if property_ in (None, item.property)]
    if all_ranks:
        return chosen
    preferred = {item.property for item in chosen if item.rank is Rank.PREFERRED}
    return [
        item
        for item in chosen
        if item.rank is Rank.PREFERRED
        or (item.rank is Rank.NORMAL and item.property not in preferred)
    ]


def pick_term(terms: Any, language: str) -> str:
    """Return the term in ``language``, else its base language, else ``mul``, else English.

    Args:
        terms: ``{"en": {"language": "en", "value": "..."}}``, or anything else for nothing.
        language: Preferred language code.
    """
    if not isinstance(terms, Mapping):
        return ""
    for code in dict.fromkeys((language, language.split("-")[0], *_FALLBACKS)):
        term = terms.get(code)
        text = term.get("value") if isinstance(term, Mapping) else term
        if isinstance(text, str) and text.strip():
            return clean_text(text)
    return ""


def _aliases(terms: Any, language: str) -> Iterator[str]:
    if not isinstance(terms, Mapping):
        return
    for code in dict.fromkeys((language, *_FALLBACKS)):
        group = terms.get(code)
        for term in group if isinstance(group, list) else ():
            text = term.get("value") if isinstance(term, Mapping) else None
            if isinstance(text, str) and text.strip():
                yield clean_text(text)


def _popularity(data: Mapping[str, Any]) -> int:
    links = data.get("sitelinks")
    return len(links) if isinstance(links, Mapping) else 0


class _Reader:
    """Reads the statements of one entity and counts what it has to leave out."""

    def __init__(self, subject: str, source: str, revision: int | None) -> None:
        self._subject = subject
        self._source = source
        self._revision = revision
        self.skipped = 0

    def statements(self, claims: Any) -> Iterator[Statement]:
        """Yield the statements of a ``claims`` map (or of the empty list sent instead)."""
        groups = claims.values() if isinstance(claims, Mapping) else ()
        for group in groups:
            for claim in group if isinstance(group, list) else ():
                statement = self._statement(claim)
                if statement is None:
                    self.skipped += 1
                else:
                    yield statement

    def _statement(self, claim: Any) -> Statement | None:
        if not isinstance(claim, Mapping):
            return None
        main = self._snak(claim.get("mainsnak"))
        if main is None:
            return None
        try:
            rank = Rank(claim.get("rank", "normal"))
        except ValueError:
            return None
        id_ = claim.get("id")
        return Statement(
            subject=self._subject,
            property=main.property,
            value=main.value,
            id=id_ if isinstance(id_, str) else "",
            rank=rank,
            qualifiers=self._snaks(claim.get("qualifiers"), claim.get("qualifiers-order")),
            references=tuple(self._references(claim.get("references"))),
            source=self._source,
            revision=self._revision,
        )

    def _references(self, references: Any) -> Iterator[Reference]:
        for item in references if isinstance(references, list) else ():
            if isinstance(item, Mapping):
                hash_ = item.get("hash")
                snaks = self._snaks(item.get("snaks"), item.get("snaks-order"))
                yield Reference(snaks, hash_ if isinstance(hash_, str) else "")

    def _snaks(self, groups: Any, order: Any) -> tuple[Snak, ...]:
        if isinstance(groups, list):  # very old documents send a flat list
            groups = {"": groups}
        if not isinstance(groups, Mapping):
            return ()
        listed = [key for key in order if isinstance(key, str)] if isinstance(order, list) else []
        keys = dict.fromkeys([*(key for key in listed if key in groups), *groups])
        found = []
        for key in keys:
            for item in groups[key] if isinstance(groups[key], Sequence) else ():
                snak = self._snak(item)
                if snak is None:
                    self.skipped += 1
                else:
                    found.append(snak)
        return tuple(found)

    def _snak(self, snak: Any) -> Snak | None:
        if not isinstance(snak, Mapping):
            return None
        property_ = snak.get("property")
        if not isinstance(property_, str) or not re.match(r"P[1-9]\d*\Z", property_, re.ASCII):
            return None
        kind = snak.get("snaktype", "value")
        if kind == "somevalue":
            return Snak(property_, SomeValue())
        if kind == "novalue":
            return Snak(property_, NoValue())
        value = _value(snak.get("datavalue"), snak.get("datatype"))
        return None if value is None else Snak(property_, value)


def _value(data: Any, datatype: Any) -> Value | None:
    if not isinstance(data, Mapping):
        return None
    raw, kind = data.get("value"), data.get("type")
    if kind == "string":
        return text_value(raw[:_MAX_TEXT], datatype) if isinstance(raw, str) else None
    if not isinstance(raw, Mapping):
        return None
    if kind == "wikibase-entityid":
        return _entity(raw)
    if kind == "time":
        return _time(raw)
    if kind == "quantity":
        return _quantity(raw)
    if kind == "globecoordinate":
        return _coordinate(raw)
    if kind == "monolingualtext":
        text, language = raw.get("text"), raw.get("language")
        if isinstance(text, str) and isinstance(language, str):
            return MonolingualTextValue(text[:_MAX_TEXT], language)
    return None


def _entity(raw: Mapping[str, Any]) -> Value | None:
    id_ = raw.get("id")
    if not isinstance(id_, str):
        number, prefix = raw.get("numeric-id"), _PREFIXES.get(str(raw.get("entity-type")))
        id_ = f"{prefix}{number}" if prefix and isinstance(number, int) else ""
    if _ENTITY_ID.match(id_):
        return EntityValue(id_)
    # Lexemes, forms, senses, media files and schemas are named but not followed.
    return ExternalIdValue(id_) if re.match(r"[A-Z]\d+(-[FS]\d+)?\Z", id_, re.ASCII) else None


def _time(raw: Mapping[str, Any]) -> Value | None:
    match = _TIME.match(str(raw.get("time", "")))
    precision = raw.get("precision")
    if not match or not isinstance(precision, int) or not 0 <= precision <= 14:
        return None
    sign, year, month, day, hour, minute, second = match.groups()
    number = int(year)
    if sign == "-":
        # Wikibase's JSON has no year 0 (-44 is 44 BCE); the model counts as XSD 1.1 does.
        number = 1 - number if number else 0
    months, days = int(month), int(day)
    if months > 12 or days > 31 or int(hour) > 24 or int(minute) > 59 or int(second) > 60:
        return None
    return TimeValue(
        year=number,
        month=months if precision >= 10 else 0,
        day=days if precision >= 11 else 0,
        hour=int(hour) if precision >= 12 else 0,
        minute=int(minute) if precision >= 13 else 0,
        second=int(second) if precision >= 14 else 0,
        precision=precision,
        calendar=id_from_iri(str(raw.get("calendarmodel") or "").replace("https:", "http:"))
        or "Q1985727",
    )


def _decimal(raw: Any) -> Decimal | None:
    try:
        number = Decimal(str(raw))
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 1_000 else None


def _quantity(raw: Mapping[str, Any]) -> Value | None:
    amount = _decimal(raw.get("amount"))
    if amount is None:
        return None
    unit = str(raw.get("unit") or "1")
    return QuantityValue(
        amount,
        None if unit == "1" else id_from_iri(unit.replace("https:", "http:")),
        _decimal(raw["lowerBound"]) if raw.get("lowerBound") is not None else None,
        _decimal(raw["upperBound"]) if raw.get("upperBound") is not None else None,
    )


def _coordinate(raw: Mapping[str, Any]) -> Value | None:
    latitude, longitude = raw.get("latitude"), raw.get("longitude")
    if not isinstance(latitude, (int, float)) or not isinstance(longitude, (int, float)):
        return None
    if not (-90 <= latitude <= 90 and -360 <= longitude <= 360):
        return None
    precision = raw.get("precision")
    return CoordinateValue(
        float(latitude),
        float(longitude),
        float(precision) if isinstance(precision, (int, float)) else None,
        id_from_iri(str(raw.get("globe") or "").replace("https:", "http:")) or "Q2",
    )
