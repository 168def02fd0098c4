"""What the local graph holds in memory beside the RDF, and reading all of it back from the RDF."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import TypeAlias

import pyoxigraph as ox

from robodata_core.errors import StoreError
from robodata_core.iris import XSD, id_from_iri
from robodata_core.model import Entity, EntityValue, Property, Rank
from robodata_core.store import _vocabulary as v
from robodata_core.store._index import Fact, Fetch, Index, Made
from robodata_core.store._literals import integer, storable, string, text
from robodata_core.store._statements import Facts, decode
from robodata_core.store.terms import (
    Term,
    Terms,
    canonical_id,
    entity_node,
    term_to_value,
    triple_to_terms,
)


@dataclass(frozen=True, slots=True)
class Names:
    """Names of one node; the same node may be used as an entity and as a property."""

    id: str
    label: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    popularity: int = 0
    datatype: str = ""
    uses: int = 0
    is_entity: bool = False
    is_property: bool = False

    def entity(self) -> Entity | None:
        """Return it as an entity, if it is known as one."""
        if not self.is_entity:
            return None
        return Entity(
            self.id, self.label, self.description, self.aliases, self.types, self.popularity
        )

    def property(self) -> Property | None:
        """Return it as a property, if it is known as one."""
        if not self.is_property:
            return None
        return Property(
            self.id, self.label, self.description, self.aliases, self.datatype, self.uses
        )

    def merged(self, new: Names) -> Names:
        """Return these names with what ``new`` knows better; nothing known is forgotten."""
        return replace(
            new,
            label=new.label or self.label,
            description=new.description or self.description,
            aliases=new.aliases or self.aliases,
            types=new.types or self.types,
            popularity=new.popularity or self.popularity,
            datatype=new.datatype or self.datatype,
            uses=new.uses or self.uses,
            is_entity=new.is_entity or self.is_entity,
            is_property=new.is_property or self.is_property,
        )

    def quads(self, language: str) -> Iterator[ox.Quad]:
        """Yield the names as RDF."""
        node = entity_node(self.id)
        facts: list[tuple[ox.NamedNode, Term]] = []
        if self.is_entity:
            facts.append((v.TYPE, v.ITEM))
        if self.is_property:
            facts.append((v.TYPE, v.PROPERTY))
        if self.label:
            facts.append((v.LABEL, text(self.label, language)))
        if self.description:
            facts.append((v.DESCRIPTION, text(self.description, language)))
        facts += [(v.ALT_LABEL, text(alias, language)) for alias in self.aliases]
        facts += [(v.INSTANCE_OF, entity_node(id_)) for id_ in self.types]
        if self.popularity:
            facts.append((v.POPULARITY, integer(self.popularity)))
        if self.datatype:
            facts.append((v.DATATYPE, string(self.datatype)))
        if self.uses:
            facts.append((v.USES, integer(self.uses)))
        for predicate, term in facts:
            yield ox.Quad(node, predicate, term)


def names_of(known: Entity | Property) -> Names:
    """Return the names an entity or property brings, in the form the graph keeps.

    Raises:
        ValueError: If its id cannot stand in a graph.
    """
    id_ = canonical_id(known.id)
    label, description = storable(known.label), storable(known.description)
    aliases = tuple(sorted({storable(alias) for alias in known.aliases if alias}))
    if isinstance(known, Entity):
        types = tuple(sorted({canonical_id(type_) for type_ in known.types}))
        popularity = known.popularity
        return Names(id_, label, description, aliases, types, popularity, is_entity=True)
    return Names(
        id_,
        label,
        description,
        aliases,
        datatype=storable(known.datatype),
        uses=known.uses,
        is_property=True,
    )


def names_from(id_: str, quads: Iterable[ox.Quad]) -> Names:
    """Read names back from what stands at their node in the default graph."""
    texts: dict[str, list[str]] = {}
    types: list[str] = []
    classes = set()
    for quad in quads:
        if quad.predicate == v.TYPE:
            classes.add(quad.object)
        elif quad.predicate == v.INSTANCE_OF:
            value = term_to_value(quad.object)
            types += [value.id] if isinstance(value, EntityValue) else []
        elif isinstance(quad.object, ox.Literal):
            texts.setdefault(quad.predicate.value, []).append(quad.object.value)

    def _one(predicate: ox.NamedNode) -> str:
        return texts.get(predicate.value, [""])[0]

    return Names(
        id_,
        _one(v.LABEL),
        _one(v.DESCRIPTION),
        tuple(sorted(texts.get(v.ALT_LABEL.value, ()))),
        tuple(sorted(types)),
        int(_one(v.POPULARITY) or 0),
        _one(v.DATATYPE),
        int(_one(v.USES) or 0),
        v.ITEM in classes,
        v.PROPERTY in classes,
    )


FORMAT = "1"

DirectKey: TypeAlias = bytes
"""A digest of a direct triple, a fifth of the size of its texts."""


@dataclass(frozen=True, slots=True)
class Call:
    """A fetch with its place in the order of arrival."""

    fetch: Fetch
    order: int


@dataclass(slots=True)
class Memory:
    """Everything that is looked up often.

    Attributes:
        index: Facts and nodes.
        names: Names by id.
        calls: Calls by the IRI of their node.
        statements: The fact of every statement node, by IRI.
        written: IRIs of nodes that several statements share and that stand in the graph.
        direct: Numbers of the facts that assert a direct triple with a literal, in order: several
            may, each with another unit or precision. Any other is of one fact alone.
        bearers: How many items, and how many properties, have a label.
    """

    index: Index = field(default_factory=Index)
    names: dict[str, Names] = field(default_factory=dict)
    calls: dict[str, Call] = field(default_factory=dict)
    statements: dict[str, Fact] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    direct: dict[DirectKey, tuple[int, ...]] = field(default_factory=dict)
    bearers: tuple[Counter[str], Counter[str]] = field(
        default_factory=lambda: (Counter(), Counter())
    )

    def assert_direct(self, key: DirectKey, numbers: Iterable[int]) -> None:
        """Note that facts assert a direct triple."""
        self.direct[key] = tuple(sorted({*self.direct.get(key, ()), *numbers}))

    def withdraw_direct(self, key: DirectKey, number: int) -> None:
        """Note that a fact asserts it no longer."""
        left = tuple(other for other in self.direct.pop(key, ()) if other != number)
        if left:
            self.direct[key] = left

    def rename(self, id_: str, names: Names | None) -> None:
        """Take in the names of a node, or forget them."""
        old = self.names.pop(id_, None)
        if old is not None:
            self.bearers[old.is_property][old.label] -= 1
        if names is not None:
            self.names[id_] = names
            self.bearers[names.is_property][names.label] += 1


def direct_key(terms: Terms) -> DirectKey | None:
    """Return what identifies a direct triple with a literal; None for any other."""
    subject, predicate, object_ = terms
    if not isinstance(object_, ox.Literal):
        return None
    text = f"{subject.value}\n{predicate.value}\n{object_}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def time_literal(moment: datetime) -> ox.Literal:
    """Spell a moment in UTC."""
    text = _utc(moment).replace(tzinfo=None).isoformat()
    return ox.Literal(text + "Z", datatype=ox.NamedNode(XSD + "dateTime"))


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc)


def canonical_fetch(fetch: Fetch) -> Fetch:
    """Return ``fetch`` as it comes back from the graph."""
    return Fetch(
        storable(fetch.run_id), storable(fetch.call_id), storable(fetch.tool), _utc(fetch.retrieved)
    )


def _read_time(text: str) -> datetime:
    # Python 3.10 wants three or six digits after the point; Oxigraph drops zeros.
    whole, _, fraction = text.removesuffix("Z").partition(".")
    micro = int(fraction[:6].ljust(6, "0")) if fraction else 0
    return datetime.fromisoformat(whole).replace(microsecond=micro, tzinfo=timezone.utc)


# -- reading back -----------------------------------------------------------------------------


def read_memory(store: ox.Store, advice: str) -> Memory:
    """Read everything back from the graph; ``advice`` is what to do if that is not possible.

    Raises:
        StoreError: If the store is not a local graph, or one of another version.
    """
    _check_format(store, advice)
    try:
        return _read(store)
    except (AssertionError, IndexError, KeyError, ValueError) as error:
        raise StoreError(
            "The store is damaged: it does not hold what a local graph holds.", hint=advice
        ) from error


def _read(store: ox.Store) -> Memory:
    reader = _Reader(store)
    memory = Memory()
    memory.calls = reader.calls()
    facts = reader.facts(memory)
    highest = [int(text) for text in reader.texts(v.STORE, v.HIGHEST)]
    marked = [quad.subject for quad in store.quads_for_pattern(None, v.NODE, None, None)]
    ids = sorted(id_from_iri(node.value) for node in marked if isinstance(node, ox.NamedNode))
    memory.index = Index.of(facts, ids, max(highest, default=0))
    for id_, names in reader.names().items():
        memory.rename(id_, names)
    memory.written = reader.shared | {
        quad.subject.value
        for predicate in (v.NAME, v.RUN_ID)
        for quad in store.quads_for_pattern(None, predicate, None, None)
        if isinstance(quad.subject, ox.NamedNode)
    }
    return memory


def _check_format(store: ox.Store, advice: str) -> None:
    versions = [quad.object for quad in store.quads_for_pattern(v.STORE, v.FORMAT, None, None)]
    found = [term.value for term in versions if isinstance(term, ox.Literal)]
    if found != [FORMAT]:
        what = f"format {found[0]}" if found else "no local graph"
        raise StoreError(
            f"The store holds {what}; this version of RoboData reads format {FORMAT}.", hint=advice
        )


class _Reader:
    def __init__(self, store: ox.Store) -> None:
        self._store = store
        self._seen: dict[str, Facts] = {}

    @property
    def shared(self) -> set[str]:
        """IRIs of the value and reference nodes met so far."""
        return set(self._seen)

    def at(self, node: ox.NamedNode) -> Facts:
        """Return what stands at a node that several statements may share."""
        facts = self._seen.get(node.value)
        if facts is None:
            facts = self._seen[node.value] = self._facts(node)
        return facts

    def texts(self, node: ox.NamedNode, predicate: ox.NamedNode) -> list[str]:
        """Return the literals that a node has along a predicate."""
        quads = self._store.quads_for_pattern(node, predicate, None, None)
        return [quad.object.value for quad in quads if isinstance(quad.object, ox.Literal)]

    def calls(self) -> dict[str, Call]:
        """Return all calls, in order."""
        calls = []
        for quad in self._store.quads_for_pattern(None, v.CALL_ID, None, None):
            node = quad.subject
            assert isinstance(node, ox.NamedNode)
            facts = {iri: terms[0].value for iri, terms in self._facts(node).items()}
            fetch = Fetch(
                facts[v.RUN_ID.value],
                facts[v.CALL_ID.value],
                facts[v.TOOL.value],
                _read_time(facts[v.ENDED.value]),
            )
            calls.append((node.value, Call(fetch, int(facts[v.ORDER.value]))))
        return dict(sorted(calls, key=lambda item: item[1].order))

    def facts(self, memory: Memory) -> list[Fact]:
        """Return all facts and note their statements in ``memory``."""
        facts: dict[int, Fact] = {}
        found = []
        for quad in self._store.quads_for_pattern(None, v.HANDLE, None, None):
            node, handle = quad.subject, quad.object
            assert isinstance(node, ox.NamedNode) and isinstance(handle, ox.Literal)
            at_node = self._facts(node)
            calls = [call.value for call in at_node.get(v.GENERATED.value, ())]
            calls.sort(key=lambda iri: memory.calls[iri].order)
            first = memory.calls[calls[0]].order if calls else 0
            found.append(
                (first, node.value, int(handle.value[1:]), calls, decode(at_node, self.at))
            )
        for _, iri, number, calls, statement in sorted(found, key=lambda item: item[:3]):
            fact = facts.setdefault(number, Fact(number, statement.triple))
            fact.make(Made(iri, statement, tuple(calls)))
            memory.statements[iri] = fact
            key = direct_key(triple_to_terms(statement.triple))
            if key is not None and statement.rank is not Rank.DEPRECATED:
                memory.assert_direct(key, (number,))
        return list(facts.values())

    def names(self) -> dict[str, Names]:
        """Return the names of all nodes."""
        by_node: dict[str, list[ox.Quad]] = defaultdict(list)
        for quad in self._store.quads_for_pattern(None, None, None, ox.DefaultGraph()):
            if isinstance(quad.subject, ox.NamedNode) and quad.subject != v.STORE:
                by_node[quad.subject.value].append(quad)
        names = {}
        for iri, quads in by_node.items():
            id_ = id_from_iri(iri)
            known = names_from(id_, quads)
            if known != Names(id_):
                names[id_] = known
        return names

    def _facts(self, node: ox.NamedNode) -> Facts:
        facts: dict[str, list[Term]] = defaultdict(list)
        for quad in self._store.quads_for_pattern(node, None, None, None):
            term = quad.object
            if isinstance(term, ox.NamedNode | ox.BlankNode | ox.Literal):
                facts[quad.predicate.value].append(term)
        return facts
