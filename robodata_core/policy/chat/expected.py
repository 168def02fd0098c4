"""What a result must have to be an answer: values of the type that the question expects.

Types are those of the question's representation; kinds of values are named as the datatypes of
properties are. A time or a number is nothing else. A person or a place may be a mere name where
the graph has no thing for it. "thing" prefers things and rules nothing out: it is said of whatever
has no type of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from robodata_core.model import (
    CoordinateValue,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
)
from robodata_core.policy.base import AnswerKind
from robodata_core.text import clean_text
from robodata_core.tools.base import ToolResult
from robodata_core.tools.variables import Variable

__all__ = ["fitting", "kind_of", "lacking_in", "told_failure"]

_KINDS: Final[Mapping[type, str]] = {
    EntityValue: "wikibase-item",
    TimeValue: "time",
    QuantityValue: "quantity",
    CoordinateValue: "globe-coordinate",
    StringValue: "string",
    MonolingualTextValue: "monolingualtext",
    UrlValue: "url",
    ExternalIdValue: "external-id",
}
_THINGS: Final = frozenset({"wikibase-item", "item"})
_PLACES: Final = _THINGS | {"globe-coordinate"}
_NAMES: Final = frozenset({"string", "monolingualtext"})
_TEXTS: Final = _NAMES | _THINGS | {"url", "external-id"}
_ALL: Final = _THINGS | frozenset(_KINDS.values())
_FITTING: Final[Mapping[str, tuple[frozenset[str], ...]]] = {
    "person": (_THINGS, _NAMES),
    "place": (_PLACES, _NAMES),
    "thing": (_THINGS, _ALL),
    "time": (frozenset({"time"}),),
    "number": (frozenset({"quantity"}),),
    "text": (_TEXTS,),
}


def fitting(expects: str) -> tuple[frozenset[str], ...]:
    """Return the kinds of values that fit a type, those to prefer first; nothing for no type."""
    return _FITTING.get(expects, ())


def kind_of(value: Value) -> str:
    """Return the kind of a value; nothing where there is none to see."""
    return _KINDS.get(type(value), "")


def lacking_in(ran: ToolResult, kind: AnswerKind, expects: str) -> tuple[str, bool]:
    """Return what a result lacks, nothing if it is whole; and whether it can be told all the same.

    Args:
        ran: What running the queries gave.
        kind: What is to be given.
        expects: Of which type things are expected to be.
    """
    if not ran.ok:
        return told_failure(ran), True
    found = ran.output.data
    if not isinstance(found, Variable):
        return "The queries gave nothing that can be read.", True
    if kind is AnswerKind.YES_OR_NO:
        return ("" if found.boolean is not None else "The queries gave no yes and no no."), True
    if not found.values and found.number is None:
        return "The chosen queries find nothing.", True
    wanted = fitting(expects) if kind is AnswerKind.THINGS else ()
    fit = [any(kind_of(value) in kinds for kinds in wanted) for value in found.values]
    if not wanted or all(fit):
        return "", True
    return f"What the queries find is no {expects}.", any(fit)


def told_failure(ran: ToolResult) -> str:
    """Return why running something failed."""
    return clean_text(ran.output.text, limit=300)
