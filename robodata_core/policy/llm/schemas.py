"""Tool definitions as models are shown them: what to send, without the bounds that we check anyway.

Servers that hold a model to a schema compile it into a grammar, where "at most 500 texts of at
most 500 characters" becomes so many repetitions that some refuse the request (llama.cpp: "number
of repetitions exceeds sane defaults"). For other servers such bounds are tokens that tell a model
nothing it needs; a call that breaks one is answered with a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["shown_schema"]

_BOUNDS: Final = frozenset({"maxLength", "minLength", "maxItems", "minItems", "minimum"})
_MOST_SHOWN: Final = 10_000
"""A larger ``maximum`` is no advice to anybody."""


def shown_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``schema`` with names, types, choices, defaults and words, but without bounds.

    A ``maximum`` that is small enough to be met by accident stays.

    Args:
        schema: A JSON schema; where it holds properties, their names are kept whatever they are.
    """
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _BOUNDS or (key == "maximum" and value > _MOST_SHOWN):
            continue
        if key == "properties":
            kept[key] = {name: shown_schema(field) for name, field in value.items()}
        elif isinstance(value, Mapping):
            kept[key] = shown_schema(value)
        elif key in ("anyOf", "oneOf", "allOf"):
            kept[key] = [shown_schema(one) for one in value]
        else:
            kept[key] = value
    return kept
