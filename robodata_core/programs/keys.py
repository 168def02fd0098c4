"""When two values are the same node of a program.

They are when their direct triples write them alike: the unit and bounds of a quantity, the
precision of a time and the kind of a string are no part of it. That is what a SPARQL query over
direct triples can tell apart, so executor and compiled query count alike.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, TypeAlias

from robodata_core.iris import id_from_iri
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
    UrlValue,
    Value,
)
from robodata_core.programs.instants import instant_of

__all__ = ["Key", "key_of"]

#: A string for what an IRI names, anything else for a literal.
Key: TypeAlias = Hashable

_KEYS: Final[dict[type, Callable[[Any], Key]]] = {
    EntityValue: lambda value: value.id,
    UrlValue: lambda value: id_from_iri(value.url),
    StringValue: lambda value: (value.datatype, value.text),
    ExternalIdValue: lambda value: ("", value.text),
    MonolingualTextValue: lambda value: ("@" + value.language.lower(), value.text),
    QuantityValue: lambda value: value.amount,
    TimeValue: instant_of,
    CoordinateValue: lambda value: (value.latitude, value.longitude, value.globe),
    SomeValue: lambda value: None,
    NoValue: lambda value: None,
}


def key_of(value: Value) -> Key:
    """Return what identifies ``value`` as a node, None where it is no node (somevalue, novalue)."""
    return _KEYS[type(value)](value)
