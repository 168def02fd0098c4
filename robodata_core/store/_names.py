"""What the local graph knows to name a node or property, and how that stands in RDF.

Labels, descriptions and aliases are no facts: they carry no handle and no provenance, stand in the
default graph, and a newer one replaces an older one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import pyoxigraph as ox

from robodata_core.model import Entity, EntityValue, Property
from robodata_core.store import _vocabulary as v
from robodata_core.store._literals import integer, storable, string, text
from robodata_core.store.terms import Term, canonical_id, entity_node, term_to_value


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
        if not self.is_entity:
            return None
        return Entity(
            self.id, self.label, self.description, self.aliases, self.types, self.popularity
        )

    def property(self) -> Property | None:
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
