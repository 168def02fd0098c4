"""Which Wikibase datatype the values of a property have: as declared, or as observed."""

from __future__ import annotations

from typing import Final

__all__ = ["declared_datatype", "kind_of", "observed_datatype"]

_LITERAL_KINDS: Final = (
    (b"#dateTime", "time"),
    (b"#date", "time"),
    (b"#gYear", "time"),
    (b"#decimal", "quantity"),
    (b"nteger>", "quantity"),
    (b"#double", "quantity"),
    (b"#float", "quantity"),
    (b"#int>", "quantity"),
    (b"#long>", "quantity"),
    (b"#wktLiteral", "globe-coordinate"),
    (b"#anyURI", "url"),
)
_DATATYPES: Final = {
    "WikibaseItem": "wikibase-item",
    "WikibaseProperty": "wikibase-property",
    "ExternalId": "external-id",
    "GlobeCoordinate": "globe-coordinate",
    "CommonsMedia": "commonsMedia",
}


def declared_datatype(iri: str) -> str:
    """Return the datatype that ``wikibase:propertyType`` names."""
    name = iri.rpartition("#")[2]
    return _DATATYPES.get(name, name.lower())


def kind_of(object_: bytes) -> str:
    """Return the datatype of a value from the beginning of an N-Quads line's object on."""
    if object_[:1] != b'"':
        return "wikibase-item"
    suffix = object_[object_.rindex(b'"') + 1 :]
    if suffix[:1] == b"@":
        return "monolingualtext"
    datatype = suffix.partition(b" ")[0]
    return next((kind for part, kind in _LITERAL_KINDS if part in datatype), "string")


def observed_datatype(kinds: dict[str, int]) -> str:
    """Return the datatype most values have, or an empty string.

    Links and entities look alike: where any value is an entity, the property is about entities.
    """
    if "wikibase-item" in kinds and "url" in kinds:
        kinds = {**kinds, "wikibase-item": kinds["wikibase-item"] + kinds["url"], "url": 0}
    return max(sorted(kinds), key=lambda kind: kinds[kind]) if kinds else ""
