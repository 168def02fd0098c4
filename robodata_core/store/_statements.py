"""Statements as RDF and back: what stands at a statement node.

Wikidata's shape (``p:``, ``ps:``, ``psv:``, ``pq:``, ``pr:``, rank, references) plus the triple
itself spelled out with ``rdf:subject``, ``rdf:predicate`` and ``rdf:object``, which holds for any
ontology. What tells links and external ids from entities and strings (``rd:links``,
``rd:externalIds``) is noted once for a property at a node: a property has one datatype. Who
fetched a statement and when is not here; see ``graph``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

import pyoxigraph as ox

from robodata_core.iris import id_from_iri
from robodata_core.model import (
    CoordinateValue,
    EntityValue,
    NoValue,
    QuantityValue,
    Reference,
    Snak,
    Statement,
    TimeValue,
    Triple,
    Value,
)
from robodata_core.store import _vocabulary as v
from robodata_core.store._literals import integer, storable, string
from robodata_core.store.terms import (
    Term,
    Terms,
    canonical,
    canonical_id,
    digest,
    kind_of,
    needs_value_node,
    property_from_node,
    property_node,
    term_to_value,
    terms_to_triple,
    value_from_node,
    value_node,
    value_to_term,
)

Facts: TypeAlias = Mapping[str, list[Term]]
"""What stands at a node: objects by predicate IRI."""

_GUID = re.compile(r"[QP][1-9][0-9]*\$[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\Z", re.IGNORECASE)
_HASH = re.compile(r"[0-9a-f]{40}\Z")
_MARKS: Final = {"external-id": v.EXTERNAL_IDS, "url": v.LINKS}


def canonical_triple(triple: Triple) -> Triple:
    """Return ``triple`` as it comes back from the graph.

    Raises:
        ValueError: If an id or value in it cannot stand in a graph.
    """
    predicate = id_from_iri(property_node(triple.predicate).value)
    return Triple(canonical_id(triple.subject), predicate, canonical(triple.object))


def canonical_statement(statement: Statement) -> Statement:
    """Return ``statement`` as it comes back from the graph: qualifiers and references in order.

    Raises:
        ValueError: If an id or value in it cannot stand in a graph.
    """
    triple = canonical_triple(statement.triple)
    if triple == statement.triple and _is_plain(statement):
        return statement
    return Statement(
        subject=triple.subject,
        property=triple.predicate,
        value=triple.object,
        id=storable(statement.id),
        rank=statement.rank,
        qualifiers=_canonical_snaks(statement.qualifiers),
        references=_canonical_references(statement.references),
        source=storable(statement.source),
        origin=storable(statement.origin),
        revision=statement.revision,
    )


def _is_plain(statement: Statement) -> bool:
    if statement.qualifiers or statement.references:
        return False
    # Equal times and numbers may be written differently, so only these values are compared.
    plain = isinstance(statement.value, EntityValue)
    return plain and (statement.id + statement.source + statement.origin).isascii()


def node_of(statement: Statement) -> ox.NamedNode:
    """Return the node a (canonical) statement has, if no other statement has it."""
    if _GUID.match(statement.id):
        return ox.NamedNode(v.WIKIDATA_STATEMENT + statement.id.replace("$", "-", 1))
    return minted_node(statement)


def minted_node(statement: Statement) -> ox.NamedNode:
    """Return the node a (canonical) statement has that no source has named."""
    value = statement.value
    if isinstance(value, EntityValue) and not (statement.qualifiers or statement.references):
        # Nearly all are like this, and writing out whole dataclasses is slow.
        s = statement
        names = (s.subject, s.property, value.id, s.id, s.rank.value, s.source, s.origin)
        key = digest(repr((*names, s.revision)))
    else:
        key = digest(repr(statement))
    return ox.NamedNode(v.STATEMENT + key)


def _canonical_references(references: tuple[Reference, ...]) -> tuple[Reference, ...]:
    if not references:
        return ()
    known = {
        Reference(_canonical_snaks(reference.snaks), storable(reference.hash))
        for reference in references
    }
    return tuple(sorted(known, key=repr))


def _canonical_snaks(snaks: tuple[Snak, ...]) -> tuple[Snak, ...]:
    if not snaks:
        return ()
    known = {
        Snak(id_from_iri(property_node(snak.property).value), canonical(snak.value))
        for snak in snaks
    }
    return tuple(sorted(known, key=repr))


# -- writing ----------------------------------------------------------------------------------


def encode(
    statement: Statement, node: ox.NamedNode, direct: Terms
) -> Iterator[tuple[ox.NamedNode, ox.NamedNode, Term]]:
    """Yield the triples of a (canonical) statement but for ``direct``, its direct one.

    Value and reference nodes are named by what stands at them, so they may have been written
    before; their triples are then the same.
    """
    subject, predicate, object_ = direct
    yield subject, property_node(statement.property, "claim"), node
    yield node, v.SUBJECT, subject
    yield node, v.PREDICATE, predicate
    yield node, v.OBJECT, object_
    yield node, v.RANK, v.RANKS[statement.rank]
    yield node, v.ATTRIBUTED, v.minted(v.SOURCE, statement.source)
    if isinstance(statement.value, NoValue):
        yield node, v.TYPE, object_
    else:
        yield node, property_node(statement.property, "statement"), object_
        if needs_value_node(statement.value):
            yield from _full(node, property_node(statement.property, "statement/value"), statement)
        yield from _mark(node, property_node(statement.property, "statement"), statement.value)
    for snak in statement.qualifiers:
        yield from _snak(node, snak, "qualifier")
    for reference in statement.references:
        yield from _reference(node, reference)
    if statement.id:
        yield node, v.STATEMENT_ID, string(statement.id)
    if statement.origin:
        yield node, v.ORIGIN, _iri_or_text(statement.origin)
    if statement.revision is not None:
        yield node, v.REVISION, integer(statement.revision)


def _full(
    node: ox.NamedNode, predicate: ox.NamedNode, item: Statement | Snak
) -> Iterator[tuple[ox.NamedNode, ox.NamedNode, Term]]:
    full, facts = value_node(item.value)
    yield node, predicate, full
    for name, term in facts:
        yield full, name, term


def _mark(
    node: ox.NamedNode, predicate: ox.NamedNode, value: Value
) -> Iterator[tuple[ox.NamedNode, ox.NamedNode, Term]]:
    mark = _MARKS.get(kind_of(value))
    if mark is not None:
        yield node, mark, predicate


def _snak(
    node: ox.NamedNode, snak: Snak, role: str
) -> Iterator[tuple[ox.NamedNode, ox.NamedNode, Term]]:
    predicate = property_node(snak.property, role)
    if isinstance(snak.value, NoValue):
        yield node, predicate, property_node(snak.property, "novalue")
        return
    seed = f"{node.value} {predicate.value}"
    yield node, predicate, value_to_term(snak.value, seed=seed)
    if isinstance(snak.value, QuantityValue | TimeValue | CoordinateValue):
        yield from _full(node, property_node(snak.property, role + "/value"), snak)
    yield from _mark(node, predicate, snak.value)


def _reference(
    node: ox.NamedNode, reference: Reference
) -> Iterator[tuple[ox.NamedNode, ox.NamedNode, Term]]:
    named = bool(_HASH.match(reference.hash))
    iri = v.WIKIDATA_REFERENCE + reference.hash if named else v.REFERENCE + digest(repr(reference))
    place = ox.NamedNode(iri)
    yield node, v.DERIVED, place
    for snak in reference.snaks:
        yield from _snak(place, snak, "reference")
    if reference.hash and not named:
        yield place, v.REFERENCE_HASH, string(reference.hash)


def _iri_or_text(text: str) -> Term:
    try:
        return ox.NamedNode(text)
    except ValueError:
        return string(text)


# -- reading ----------------------------------------------------------------------------------


def decode(facts: Facts, at: Callable[[ox.NamedNode], Facts]) -> Statement:
    """Read a statement back.

    Args:
        facts: What stands at its node.
        at: Gives what stands at another node.

    Raises:
        KeyError, ValueError: If it is not a statement node of this graph.
    """
    subject, predicate, object_ = (
        facts[iri.value][0] for iri in (v.SUBJECT, v.PREDICATE, v.OBJECT)
    )
    triple = terms_to_triple(subject, predicate, object_)
    value = triple.object
    if not isinstance(value, NoValue):
        value = _values(triple.predicate, "statement", facts, at)[0]
    places = [node for node in facts.get(v.DERIVED.value, ()) if isinstance(node, ox.NamedNode)]
    references = (_read_reference(place, at) for place in places)
    revision = _text(facts, v.REVISION)
    return Statement(
        subject=triple.subject,
        property=triple.predicate,
        value=value,
        id=_text(facts, v.STATEMENT_ID),
        rank=v.RANK_OF[_text(facts, v.RANK)],
        qualifiers=_snaks("qualifier", facts, at),
        references=tuple(sorted(references, key=repr)),
        source=v.name_of(v.SOURCE, _text(facts, v.ATTRIBUTED)),
        origin=_text(facts, v.ORIGIN),
        revision=int(revision) if revision else None,
    )


def _read_reference(place: ox.NamedNode, at: Callable[[ox.NamedNode], Facts]) -> Reference:
    facts = at(place)
    hash_ = _text(facts, v.REFERENCE_HASH)
    if place.value.startswith(v.WIKIDATA_REFERENCE):
        hash_ = place.value[len(v.WIKIDATA_REFERENCE) :]
    return Reference(_snaks("reference", facts, at), hash_)


def _snaks(role: str, facts: Facts, at: Callable[[ox.NamedNode], Facts]) -> tuple[Snak, ...]:
    properties = {id_ for iri in facts if (id_ := property_from_node(iri, role)) is not None}
    snaks = (Snak(id_, value) for id_ in properties for value in _values(id_, role, facts, at))
    return tuple(sorted(snaks, key=repr))


def _values(
    property_: str, role: str, facts: Facts, at: Callable[[ox.NamedNode], Facts]
) -> list[Value]:
    predicate = property_node(property_, role)
    full_nodes = facts.get(property_node(property_, role + "/value").value, ())
    full = [
        value_from_node(_first(at(node))) for node in full_nodes if isinstance(node, ox.NamedNode)
    ]
    values: list[Value] = [value for value in full if value is not None]
    kind = next(
        (kind for kind, mark in _MARKS.items() if predicate in facts.get(mark.value, ())), ""
    )
    has_full = bool(values)
    for term in facts.get(predicate.value, ()):
        if (
            isinstance(term, ox.NamedNode)
            and property_from_node(term.value, "novalue") == property_
        ):
            values.append(NoValue())
            continue
        value = term_to_value(term, kind=kind)
        if not (has_full and isinstance(value, QuantityValue | TimeValue | CoordinateValue)):
            values.append(value)
    return values


def _first(facts: Facts) -> dict[str, Term]:
    return {iri: terms[0] for iri, terms in facts.items()}


def _text(facts: Facts, predicate: ox.NamedNode) -> str:
    for term in facts.get(predicate.value, ()):
        return term.value
    return ""
