"""The only place where model values and RDF terms are converted into each other.

The conventions are Wikidata's (its RDF dump format), so a term alone is sometimes less than a
value, and what is missing stands in two other places:

* a **value node** (``psv:`` and friends) for a quantity's unit and bounds, a time's precision and
  calendar, a coordinate's precision: ``needs_value_node``, ``value_node``, ``value_from_node``;
* a **kind** for a link (an IRI, like an entity) and an external id (a plain literal, like a
  string): ``kind_of`` and the ``kind`` argument of ``term_to_value``.

With these, ``term_to_value`` gives back exactly ``canonical(value)``, which is ``value`` itself
for every value that keeps to the model's rules. Literals from outside never fail: what cannot be
read as its datatype says becomes a ``StringValue`` that keeps the datatype. Predicates of other
sources get their statement, qualifier and reference forms by ``property_node``.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, TypeAlias
from urllib.parse import quote, unquote

import pyoxigraph as ox

from robodata_core.iris import RDF, WD, WDT, WIKIBASE, id_from_iri, iri_of, predicate_iri
from robodata_core.model import (
    CoordinateValue,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    NoValue,
    QuantityValue,
    SomeValue,
    StringValue,
    TimeValue,
    Triple,
    UrlValue,
    Value,
)
from robodata_core.store import _literals as lit

Term: TypeAlias = ox.NamedNode | ox.BlankNode | ox.Literal

Terms: TypeAlias = tuple[ox.NamedNode, ox.NamedNode, Term]

GENID: Final = "urn:robodata:genid:"
_GENID_PATH: Final = "/.well-known/genid/"
_VALUE: Final = "urn:robodata:value:"
_PROP: Final = "http://www.wikidata.org/prop/"
_TYPE: Final = ox.NamedNode(RDF + "type")
_NO_UNIT: Final = "Q199"
_ROLES: Final = {
    "direct": WDT,
    "claim": _PROP,
    "statement": _PROP + "statement/",
    "statement/value": _PROP + "statement/value/",
    "qualifier": _PROP + "qualifier/",
    "qualifier/value": _PROP + "qualifier/value/",
    "reference": _PROP + "reference/",
    "reference/value": _PROP + "reference/value/",
    "novalue": _PROP + "novalue/",
}


def digest(*parts: str) -> str:
    """Return a short, stable name for ``parts``; used in IRIs that nobody else has minted."""
    joined = "\x1f".join(parts).encode("utf-8", "replace")
    return hashlib.sha256(joined).hexdigest()[:32]


# -- names ------------------------------------------------------------------------------------


@lru_cache(maxsize=8192)
def entity_node(id_: str) -> ox.NamedNode:
    """Return the node of an entity or property entity.

    Raises:
        ValueError: If ``id_`` is not a well-formed id.
    """
    return ox.NamedNode(iri_of(id_))


@lru_cache(maxsize=8192)
def canonical_id(id_: str) -> str:
    """Return the short form of an entity or property id, where it has one.

    Raises:
        ValueError: If ``id_`` is not a well-formed id.
    """
    return id_from_iri(entity_node(id_).value)


@lru_cache(maxsize=4096)
def property_node(id_: str, role: str = "direct") -> ox.NamedNode:
    """Return the predicate of property ``id_`` in one of its roles.

    Args:
        id_: Property id.
        role: ``direct``, ``claim`` (p:), ``statement`` (ps:), ``statement/value`` (psv:),
            ``qualifier``, ``qualifier/value``, ``reference``, ``reference/value`` or ``novalue``.

    Raises:
        ValueError: If ``id_`` is not a well-formed property id.
    """
    direct = predicate_iri(id_)
    if role == "direct":
        return ox.NamedNode(direct)
    if direct.startswith(WDT):
        return ox.NamedNode(_ROLES[role] + direct[len(WDT) :])
    return ox.NamedNode(f"urn:robodata:{role.replace('/', '-')}:{quote(direct, safe='')}")


def property_from_node(iri: str, role: str) -> str | None:
    """Undo ``property_node``; None if ``iri`` does not have that role."""
    if role == "direct":
        return id_from_iri(iri)
    own = f"urn:robodata:{role.replace('/', '-')}:"
    if iri.startswith(own):
        return unquote(iri[len(own) :])
    base = _ROLES[role]
    if iri.startswith(base) and "/" not in iri[len(base) :]:
        return iri[len(base) :]
    return None


# -- values and terms -------------------------------------------------------------------------


def canonical(value: Value) -> Value:
    """Return ``value`` as it comes back from the graph.

    Fields that the precision of a time leaves open are 0, language tags are in small letters, the
    unit "one" is no unit, IRIs that have a short id use it, and a string whose datatype RoboData
    does know is the value it spells.

    Raises:
        ValueError: If an id, datatype or number in it cannot stand in a graph.
    """
    if isinstance(value, EntityValue):
        short = canonical_id(value.id)
        unknown = short.startswith(GENID) or _GENID_PATH in short
        return SomeValue() if unknown else EntityValue(short)
    if isinstance(value, TimeValue):
        return lit.canonical_time(value, canonical_id(value.calendar))
    if isinstance(value, SomeValue | NoValue):
        return value
    if isinstance(value, QuantityValue) and value.amount.is_finite():
        return lit.canonical_quantity(value, _canonical_unit(value.unit))
    if isinstance(value, CoordinateValue):
        globe = canonical_id(value.globe)
        precision = value.precision
        if precision is not None and not math.isfinite(precision):
            precision = None
        # Adding 0.0 makes the two zeros one.
        return CoordinateValue(value.latitude + 0.0, value.longitude + 0.0, precision, globe)
    return term_to_value(value_to_term(value), kind=kind_of(value))


def kind_of(value: Value) -> str:
    """Return what must be told to ``term_to_value`` to get this kind of value back."""
    if isinstance(value, UrlValue):
        return "url"
    return "external-id" if isinstance(value, ExternalIdValue) else ""


def value_to_term(value: Value, *, seed: str = "") -> Term:
    """Return the object of a direct triple with this value.

    Args:
        value: The value; NoValue has no term of its own (see ``triple_to_terms``).
        seed: What makes an unknown value this one and no other.

    Raises:
        ValueError: If an id, datatype or number in it cannot stand in a graph.
    """
    if isinstance(value, EntityValue):
        return entity_node(value.id)
    if isinstance(value, QuantityValue):
        return lit.decimal(value.amount)
    if isinstance(value, TimeValue):
        return lit.date_time(value)
    if isinstance(value, CoordinateValue):
        return lit.wkt(value, "" if value.globe in ("", "Q2") else iri_of(value.globe))
    if isinstance(value, UrlValue):
        return lit.url(value.url)
    if isinstance(value, MonolingualTextValue):
        return lit.text(value.text, value.language)
    if isinstance(value, StringValue):
        return lit.string(value.text, value.datatype)
    if isinstance(value, ExternalIdValue):
        return lit.string(value.text)
    if isinstance(value, SomeValue):
        return ox.NamedNode(GENID + digest(seed))
    raise ValueError("the absence of a value has no term")


def term_to_value(term: object, *, kind: str = "") -> Value:
    """Return the value a term stands for, as far as the term alone says.

    Args:
        term: A pyoxigraph term.
        kind: ``url`` or ``external-id`` where something else says so.
    """
    if isinstance(term, ox.NamedNode):
        if term.value.startswith(GENID) or _GENID_PATH in term.value:
            return SomeValue()
        return UrlValue(term.value) if kind == "url" else EntityValue(id_from_iri(term.value))
    if isinstance(term, ox.Literal):
        value = lit.read(term)
        if kind == "external-id" and isinstance(value, StringValue) and not value.datatype:
            return ExternalIdValue(value.text)
        return value
    return SomeValue() if isinstance(term, ox.BlankNode) else StringValue(str(term))


def lookup_terms(value: Value) -> tuple[Term, ...]:
    """Return the terms under which graphs of any origin may hold ``value``, likeliest first.

    A whole number may be an integer, a decimal or a double; a day may be a date or a dateTime.
    """
    if isinstance(value, SomeValue | NoValue):
        return ()
    first = value_to_term(value)
    more: list[Term] = []
    if isinstance(value, QuantityValue):
        more = list(lit.other_numbers(value.amount))
    elif isinstance(value, TimeValue):
        more = list(lit.other_dates(value))
    elif isinstance(value, UrlValue):
        more = [lit.any_uri(value.url)]
    elif isinstance(value, StringValue | ExternalIdValue) and isinstance(first, ox.Literal):
        more = [ox.Literal(first.value, language="en")] if not first.language else []
    return (first, *(term for term in more if term != first))


# -- triples ----------------------------------------------------------------------------------


def triple_to_terms(triple: Triple) -> Terms:
    """Return the direct triple; "no value" is the class of things without that property.

    Raises:
        ValueError: If it cannot stand in a graph.
    """
    subject = entity_node(triple.subject)
    if isinstance(triple.object, NoValue):
        return subject, _TYPE, property_node(triple.predicate, "novalue")
    predicate = property_node(triple.predicate)
    seed = f"{subject.value} {predicate.value}"
    return subject, predicate, value_to_term(triple.object, seed=seed)


def terms_to_triple(subject: Term, predicate: Term, object_: Term, *, kind: str = "") -> Triple:
    """Undo ``triple_to_terms``, as far as the terms alone say."""
    subject_id = _name(subject)
    if predicate == _TYPE and isinstance(object_, ox.NamedNode):
        without = property_from_node(object_.value, "novalue")
        if without is not None:
            return Triple(subject_id, without, NoValue())
    return Triple(subject_id, _name(predicate), term_to_value(object_, kind=kind))


def _name(term: Term) -> str:
    if isinstance(term, ox.BlankNode):
        return f"_:{term.value}"
    return id_from_iri(term.value)


# -- value nodes ------------------------------------------------------------------------------


def needs_value_node(value: Value) -> bool:
    """Tell whether the term of a (canonical) value says less than the value."""
    if not isinstance(value, QuantityValue | TimeValue | CoordinateValue):
        return False
    return term_to_value(value_to_term(value)) != value


def value_node(value: Value) -> tuple[ox.NamedNode, tuple[tuple[ox.NamedNode, Term], ...]]:
    """Return the node of a full value and what stands at it.

    Raises:
        ValueError: If ``value`` is not a quantity, time or coordinate.
    """
    facts: dict[str, Term]
    if isinstance(value, QuantityValue):
        facts = {"quantityAmount": lit.decimal(value.amount)}
        facts["quantityUnit"] = entity_node(value.unit or _NO_UNIT)
        if value.lower is not None:
            facts["quantityLowerBound"] = lit.decimal(value.lower)
        if value.upper is not None:
            facts["quantityUpperBound"] = lit.decimal(value.upper)
    elif isinstance(value, TimeValue):
        facts = {
            "timeValue": lit.date_time(value),
            "timePrecision": lit.integer(value.precision),
            "timeTimezone": lit.integer(0),
            "timeCalendarModel": entity_node(value.calendar),
        }
    elif isinstance(value, CoordinateValue):
        facts = {
            "geoLatitude": lit.double(value.latitude),
            "geoLongitude": lit.double(value.longitude),
            "geoGlobe": entity_node(value.globe),
        }
        if value.precision is not None:
            facts["geoPrecision"] = lit.double(value.precision)
    else:
        raise ValueError(f"{type(value).__name__} has no value node")
    named = tuple((ox.NamedNode(WIKIBASE + name), term) for name, term in facts.items())
    key = digest(*(f"{name.value} {term}" for name, term in named))
    return ox.NamedNode(_VALUE + key), named


def value_from_node(facts: Mapping[str, Term]) -> Value | None:
    """Read a full value from what stands at its node, by predicate IRI; None if it is none.

    Tolerant: optional facts may be missing, and numbers may be of any numeric datatype.
    """
    named = {iri[len(WIKIBASE) :]: term for iri, term in facts.items() if iri.startswith(WIKIBASE)}
    if "quantityAmount" in named:
        return lit.quantity_from(named, _canonical_unit(_iri_of(named.get("quantityUnit"))))
    if "timeValue" in named:
        calendar = _iri_of(named.get("timeCalendarModel")) or WD + "Q1985727"
        return lit.time_from(named, id_from_iri(calendar))
    if "geoLatitude" in named:
        globe = _iri_of(named.get("geoGlobe")) or WD + "Q2"
        return lit.coordinate_from(named, id_from_iri(globe))
    return None


def _iri_of(term: Term | None) -> str | None:
    return term.value if isinstance(term, ox.NamedNode) else None


def _canonical_unit(unit: str | None) -> str | None:
    if unit is None:
        return None
    short = canonical_id(unit)
    return None if short == _NO_UNIT else short
