"""Tool definitions as models are shown them: what to send, without the bounds that we check anyway.

Servers that hold a model to a schema compile it into a grammar, where "at most 500 texts of at
most 500 characters" becomes so many repetitions that some refuse the request (llama.cpp: "number
of repetitions exceeds sane defaults"). For other servers such bounds are tokens that tell a model
nothing it needs; a call that breaks one is answered with a sentence.

Where tools have to be described in the prompt itself, schemas would be most of it: there each tool
is a signature, and what several tools have in common is said once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = ["shown_schema", "signatures"]

_BOUNDS: Final = frozenset(
    {"maxLength", "minLength", "maxItems", "minItems", "minimum", "additionalProperties", "default"}
)
_TYPES: Final = {"string": "text", "integer": "number", "boolean": "true or false"}
_MOST_SHOWN: Final = 10_000
"""A larger ``maximum`` is no advice to anybody."""


def shown_schema(schema: Mapping[str, Any], rare: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return ``schema`` with names, types, choices and words, but without bounds and defaults.

    A ``maximum`` that is small enough to be met by accident stays.

    Args:
        schema: A JSON schema; where it holds properties, their names are kept whatever they are.
        rare: Properties that are left out.
    """
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _BOUNDS or (key == "maximum" and value > _MOST_SHOWN):
            continue
        if key == "properties":
            kept[key] = {
                name: shown_schema(field) for name, field in value.items() if name not in rare
            }
        elif key == "required" and not value:
            continue
        elif isinstance(value, Mapping):
            kept[key] = shown_schema(value)
        elif key in ("anyOf", "oneOf", "allOf"):
            kept[key] = [shown_schema(one) for one in value]
        else:
            kept[key] = value
    return kept


def signatures(functions: Sequence[Mapping[str, Any]]) -> str:
    """Return tools as text, one a line, and after them the arguments that several of them have.

    Args:
        functions: Definitions with ``name``, ``description`` and ``parameters``.
    """
    words = Counter(
        (name, str(field.get("description", "")))
        for function in functions
        for name, field in function["parameters"]["properties"].items()
    )
    common: dict[str, str] = {}
    for (name, text), times in words.most_common():
        if times > 1 and text:
            common.setdefault(name, text)
    lines = [_signature(function, common) for function in functions]
    if common:
        lines.append("Arguments, where the tool says nothing else of them:")
        lines += [f"  {name}: {text}" for name, text in common.items()]
    return "\n".join(lines)


def _signature(function: Mapping[str, Any], common: Mapping[str, str]) -> str:
    parameters = function["parameters"]
    required = frozenset(parameters.get("required", ()))
    fields = parameters["properties"].items()
    shown = [
        f"{name}{'' if name in required else '?'}: {_type(field)}"
        + (f" = {json.dumps(field['default'])}" if field.get("default") is not None else "")
        for name, field in fields
    ]
    line = f"{function['name']}({', '.join(shown)}): {function['description']}"
    told = [
        f"\n  {name}: {field['description']}"
        for name, field in fields
        if field.get("description") and field["description"] != common.get(name)
    ]
    return line + "".join(told)


def _type(field: Mapping[str, Any]) -> str:
    if "enum" in field:
        return " | ".join(f'"{choice}"' for choice in field["enum"])
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_type(one) for one in field["anyOf"]))
    if field.get("type") == "array":
        return f"[{_type(field.get('items', {}))}, ...]"
    most = f" up to {field['maximum']}" if "maximum" in field else ""
    return _TYPES.get(str(field.get("type")), str(field.get("type"))) + most
