"""From the words of a request to ids: subject, property and object of a triple.

Ids count as they are, names are looked up in the source's index. A name that several things have
is settled by what they are used for in the graph, and said to be; where that settles nothing, the
candidates are shown and nothing is judged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from robodata_core.errors import InvalidRequestError, QueryError
from robodata_core.iris import id_from_iri, is_id, is_property_id, predicate_iri
from robodata_core.model import (
    EXACT_MATCHES,
    Direction,
    EntityKind,
    EntityValue,
    Property,
    QuantityValue,
    SearchHit,
    Triple,
    Value,
    datatype_of,
)
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.text import clean_text
from robodata_core.verification.values import read_literal

__all__ = ["MOST_CHARACTERS", "Named", "name_triple"]

MOST_CHARACTERS: Final = 2_000
_CANDIDATES: Final = 10
_SHOWN: Final = 5
_SAMPLE: Final = 5
_OF_ENTITIES: Final = ("item", "wikibase-item", "property", "wikibase-property")


@dataclass(frozen=True, slots=True)
class Named:
    """A triple as it was understood.

    Attributes:
        triple: Its ids.
        subject_label: Label of the subject; likewise for the others.
        predicate_label: See ``subject_label``.
        object_label: See ``subject_label``; a literal has none.
        notes: How names were read where they could be read otherwise.
        unit_label: Label of the unit of a quantity.
    """

    triple: Triple
    subject_label: str
    predicate_label: str
    object_label: str
    notes: tuple[str, ...] = ()
    unit_label: str = ""


def name_triple(
    source: KnowledgeSource,
    subject: str,
    predicate: str,
    object_: str | float | Decimal | Value,
    *,
    language: str = "en",
) -> Named:
    """Find out what is meant.

    Raises:
        InvalidRequestError: If a part is empty or too long, names nothing the source knows, or
            more than one thing; the message says which.
        SourceError: If the source cannot be read.
    """
    namer = _Namer(source, language)
    relation = namer.property(_clean(predicate, "predicate"))
    subject_hit = namer.entity(_clean(subject, "subject"), "subject", relation, Direction.OUT)
    value, label = namer.value(object_, relation)
    return Named(
        Triple(subject_hit.id, relation.id, value),
        subject_hit.label or subject_hit.id,
        relation.name,
        label,
        tuple(namer.notes),
        namer.unit_label(value),
    )


def _clean(text: object, part: str) -> str:
    if not isinstance(text, str):
        raise InvalidRequestError(f"The {part} must be text.")
    if len(text) > MOST_CHARACTERS:
        raise InvalidRequestError(f"The {part} is longer than {MOST_CHARACTERS:,} characters.")
    cleaned = " ".join(clean_text(text, limit=MOST_CHARACTERS).split())
    if not cleaned:
        raise InvalidRequestError(
            f"The {part} is empty.", hint="For example: robodata verify Canada capital Ottawa"
        )
    return cleaned


class _Namer:
    def __init__(self, source: KnowledgeSource, language: str) -> None:
        self._source = source
        self._language = language
        self.notes: list[str] = []

    def property(self, text: str) -> Property:
        """Find a property by id, label or alias."""
        id_ = _as_id(text)
        if id_ is not None and is_property_id(id_):
            known = self._source.properties((id_,))
            if id_ in known:
                return known[id_]
        hits = self._source.search(
            text, kind=EntityKind.PROPERTY, limit=_CANDIDATES, language=self._language
        )
        best = _best(hits)
        if not best:
            raise InvalidRequestError(
                f"No property is called “{clean_text(text, limit=80)}”.", hint=_did_you_mean(hits)
            )
        if len(best) > 1:
            best = sorted(best, key=lambda hit: -hit.popularity)
            if best[0].popularity <= best[1].popularity:
                raise InvalidRequestError(
                    f"“{clean_text(text, limit=80)}” is the name of several properties.",
                    hint=f"Give an id: {_listed(best)}.",
                )
            self._note(text, best)
        return self._source.properties((best[0].id,)).get(best[0].id) or Property(
            best[0].id, best[0].label
        )

    def entity(self, text: str, part: str, relation: Property, direction: Direction) -> SearchHit:
        """Find an entity by id, label or alias; of namesakes the one that has the relation."""
        id_ = _as_id(text)
        if id_ is not None:
            known = self._source.entities((id_,))
            if id_ in known:
                return SearchHit(id_, known[id_].label, known[id_].description)
        hits = self._source.search(
            text, kind=EntityKind.ITEM, limit=_CANDIDATES, language=self._language
        )
        best = _best(hits)
        if not best:
            raise InvalidRequestError(
                f"The source knows nothing called “{clean_text(text, limit=80)}” (the {part}).",
                hint=_did_you_mean(hits),
            )
        if len(best) == 1:
            return best[0]
        fitting = [hit for hit in best if self._has(hit.id, relation.id, direction)]
        if len(fitting) != 1:
            raise InvalidRequestError(
                f"“{clean_text(text, limit=80)}” (the {part}) may be several things.",
                hint=f"Give an id: {_listed(fitting or best)}.",
            )
        self._note(text, [fitting[0], *(hit for hit in best if hit.id != fitting[0].id)])
        return fitting[0]

    def value(self, given: object, relation: Property) -> tuple[Value, str]:
        """Read the object: an entity where the property has entities, else a literal."""
        if isinstance(given, bool) or given is None:
            raise InvalidRequestError("The object must be text, a number or a value.")
        if isinstance(given, (int, float, Decimal)):
            amount = Decimal(str(given))
            if not amount.is_finite():
                raise InvalidRequestError("The object is no finite number.")
            given = f"{amount:f}" if abs(amount.adjusted()) < 40 else str(amount)
        if not isinstance(given, str):
            if not hasattr(given, "__dataclass_fields__"):
                raise InvalidRequestError("The object must be text, a number or a value.")
            value: Value = given  # type: ignore[assignment]
            return value, self._label(value.id) if isinstance(value, EntityValue) else ""
        text = _clean(given, "object")
        kind = relation.datatype
        if kind in _OF_ENTITIES or (not kind and self._leads_to_entities(relation.id)):
            hit = self.entity(text, "object", relation, Direction.IN)
            return EntityValue(hit.id), hit.label or hit.id
        if not kind:
            id_ = _as_id(text)
            if id_ is not None and id_ in self._source.entities((id_,)):
                return EntityValue(id_), self._label(id_)
        value = read_literal(text, kind or self._datatype(relation.id), self._unit)
        return value, ""

    def unit_label(self, value: Value) -> str:
        """Return the label of a quantity's unit, or an empty string."""
        if isinstance(value, QuantityValue) and value.unit:
            return self._label(value.unit)
        return ""

    def _leads_to_entities(self, property_: str) -> bool:
        return any(isinstance(value, EntityValue) for value in self._values(property_))

    def _datatype(self, property_: str) -> str:
        for value in self._values(property_):
            kind = datatype_of(value)
            if kind in ("time", "quantity", "globe-coordinate", "url"):
                return kind
        return ""

    def _values(self, property_: str) -> list[Value]:
        query = f"SELECT ?o WHERE {{ ?s <{predicate_iri(property_)}> ?o }} LIMIT {_SAMPLE}"
        try:
            rows = self._source.sparql(query, limits=QueryLimits(_SAMPLE, 5.0)).rows
        except QueryError:
            return []
        return [row[0] for row in rows if row[0] is not None]

    def _unit(self, text: str) -> str:
        id_ = _as_id(text)
        if id_ is not None and id_ in self._source.entities((id_,)):
            return id_
        hits = _best(self._source.search(text, limit=_CANDIDATES, language=self._language))
        if not hits and text.endswith("s"):
            hits = _best(self._source.search(text[:-1], limit=_CANDIDATES))
        if len(hits) != 1:
            raise InvalidRequestError(
                f"The unit “{clean_text(text, limit=60)}” is not known, or more than one is.",
                hint=f"Give its id: {_listed(hits)}." if hits else "Give its id.",
            )
        return hits[0].id

    def _has(self, id_: str, property_: str, direction: Direction) -> bool:
        page = self._source.statements(id_, direction=direction, property=property_, limit=1)
        return page.total > 0

    def _label(self, id_: str) -> str:
        known = self._source.entities((id_,)).get(id_)
        return known.name if known else id_

    def _note(self, text: str, hits: list[SearchHit]) -> None:
        others = _listed(hits[1:])
        name = clean_text(text, limit=80)
        self.notes.append(f"“{name}” was read as {_shown(hits[0])}; others: {others}.")


def _as_id(text: str) -> str | None:
    """Return the id that a text spells, or None."""
    stripped = text.strip("<>").removeprefix("wd:").removeprefix("wdt:")
    if stripped[:1] in "qp" and stripped[1:].isascii() and stripped[1:].isdigit():
        stripped = stripped.upper()
    id_ = id_from_iri(stripped)
    return id_ if is_id(id_) and id_.isprintable() else None


def _best(hits: Iterable[SearchHit]) -> list[SearchHit]:
    """Return the hits of the best way of matching, if it is an exact one."""
    found = list(hits)
    for kind in EXACT_MATCHES:
        best = [hit for hit in found if hit.match is kind]
        if best:
            return best
    return []


def _shown(hit: SearchHit) -> str:
    told = f"{clean_text(hit.label, limit=60)} ({hit.id}"
    return f"{told}, {clean_text(hit.description, limit=60)})" if hit.description else f"{told})"


def _listed(hits: Iterable[SearchHit]) -> str:
    return "; ".join(_shown(hit) for hit in list(hits)[:_SHOWN])


def _did_you_mean(hits: Iterable[SearchHit]) -> str:
    found = list(hits)
    return f"Did you mean: {_listed(found)}?" if found else "Check the spelling, or give an id."
