"""The pieces argument models are made of: ids, references to nodes, texts, lists, paging.

Each piece carries its bounds and the words a language model reads in the JSON schema. Whether an
id is known is not decided here but in ``guard``.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from robodata_core.iris import id_from_iri, is_id, is_property_id
from robodata_core.text import clean_text

MAX_IDS: Final = 500
#: Stands beside an argument that models are not told of until a result says that it is there.
RARE: Final = "rare"
MAX_SHOWN: Final = 100
_MAX_ID: Final = 500
_MAX_RELATIONS: Final = 20

Directions: TypeAlias = Literal["out", "in", "both"]

_PREFIXED = re.compile(r"(?:wd|wdt|p|ps|pq):([QP][1-9][0-9]{0,11})\Z", re.ASCII)
_NAME = re.compile(r"\$?[A-Za-z][A-Za-z0-9_]{0,31}\Z", re.ASCII)


def normal_id(value: Any) -> Any:
    """Take ids as models write them: ``wd:Q42``, ``<http://.../Q42>``, with spaces around."""
    if not isinstance(value, str) or len(value) > _MAX_ID:
        return value
    text = value.strip()
    if text.startswith("<") and text.endswith(">"):
        text = text[1:-1]
    prefixed = _PREFIXED.match(text)
    return prefixed[1] if prefixed else id_from_iri(text)


def _entity(value: str) -> str:
    if not (is_id(value) and value.isprintable()):
        raise ValueError("must be an id such as Q42, or an absolute IRI")
    return value


def _property(value: str) -> str:
    if not (is_property_id(value) and value.isprintable()):
        raise ValueError("must be a property id such as P36, or an absolute IRI")
    return value


def _node(value: str) -> str:
    if value.startswith("$"):
        return _name(value)
    if not (is_id(value) and value.isprintable()):
        raise ValueError("must be an id such as Q42, an absolute IRI, or a variable such as $x")
    return value


def _name(value: str) -> str:
    if not _NAME.match(value):
        raise ValueError("must be a name of letters, digits and underscores, such as $x")
    return value if value.startswith("$") else "$" + value


def _listed(value: Any) -> Any:
    """Take a single id where a list is expected."""
    return [value] if isinstance(value, str) else value


def _line(value: str) -> str:
    text = " ".join(clean_text(value).split())
    if not text:
        raise ValueError("must not be empty")
    return text


def _query(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    if "\x00" in value or any(0xD800 <= ord(char) <= 0xDFFF for char in value):
        raise ValueError("must be plain text")
    return value


_Id = Annotated[str, Field(max_length=_MAX_ID), BeforeValidator(normal_id), AfterValidator(_entity)]
_Relation = Annotated[
    str, Field(max_length=_MAX_ID), BeforeValidator(normal_id), AfterValidator(_property)
]
_Node = Annotated[str, Field(max_length=_MAX_ID), BeforeValidator(normal_id), AfterValidator(_node)]

EntityId = _Id
PropertyId = _Relation
EntityIds = Annotated[list[_Id], Field(min_length=1, max_length=MAX_IDS), BeforeValidator(_listed)]
PropertyIds = Annotated[
    list[_Relation], Field(min_length=1, max_length=_MAX_RELATIONS), BeforeValidator(_listed)
]
NodeRefs = Annotated[list[_Node], Field(min_length=1, max_length=MAX_IDS), BeforeValidator(_listed)]
AnyNodeRefs = Annotated[list[_Node], Field(max_length=MAX_IDS), BeforeValidator(_listed)]
Phrase = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_line)]
Query = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_query)]
VariableName = Annotated[str, Field(min_length=1, max_length=33), AfterValidator(_name)]
Into = Annotated[
    VariableName | None,
    Field(description="Name to store the result under, such as $x; written once."),
]
Limit = Annotated[int, Field(ge=1, le=MAX_SHOWN, description="Most results to show."), RARE]
Offset = Annotated[int, Field(ge=0, le=1_000_000, description="Results to skip."), RARE]
