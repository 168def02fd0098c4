"""JSON for the frozen data of ``model`` and ``events``: exact both ways, strict on the way in.

Every dataclass becomes an object with its class name under ``type`` and all of its fields;
enums become their value, decimals and times strings, tuples lists. What a field may hold is
read from its annotation, so a new event or value kind needs no code here. Fields annotated
``Any`` hold plain JSON (``plain`` makes it so). No files here: ``journal`` has those.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final, TypeVar

T = TypeVar("T")

_TAG: Final = "type"
_MAX_DEPTH: Final = 12


class CodecError(ValueError):
    """JSON that is not what it should be; the message says where and why."""


_Decoder = Callable[[Any, str], Any]


def encode(value: Any) -> Any:
    """Return ``value`` as JSON data: dicts with string keys, lists, strings, numbers, None.

    Raises:
        CodecError: If there is something in it that no field of the model holds.
    """
    if value is None or value is True or value is False or type(value) in (str, int):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = _field_names(type(value))
        data = {name: encode(getattr(value, name)) for name in names}
        return {_TAG: type(value).__name__, **data}
    for kind, encoder in _ENCODERS:
        if isinstance(value, kind):
            return encoder(value)
    raise CodecError(f"a {type(value).__name__} cannot be written as JSON")


def _encode_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    for key in value:
        if type(key) is not str:
            raise CodecError(f"a key is a {type(key).__name__}, not a string")
    return {key: encode(item) for key, item in value.items()}


_ENCODERS: Final[tuple[tuple[type, Callable[[Any], Any]], ...]] = (
    (enum.Enum, lambda value: value.value),
    (str, str),
    (float, lambda value: value if math.isfinite(value) else repr(value)),
    (Decimal, str),
    (datetime, lambda value: value.isoformat()),
    (tuple, lambda value: [encode(item) for item in value]),
    (list, lambda value: [encode(item) for item in value]),
    (Mapping, _encode_mapping),
)


def decode(data: Any, kind: Any) -> Any:
    """Return the object that ``encode`` made ``data`` from.

    Args:
        data: Parsed JSON.
        kind: What is expected: a class or a union of classes.

    Raises:
        CodecError: If ``data`` is anything else, naming the place and the reason.
    """
    return _decoder(kind)(data, "")


def plain(value: Any, *, depth: int = _MAX_DEPTH) -> Any:
    """Return ``value`` as plain JSON data, whatever it is: for fields annotated ``Any``.

    Tuples and sets become lists, everything that JSON has no form for its text.
    """
    if value is None or isinstance(value, (bool, int)) and not isinstance(value, enum.Enum):
        return value
    if isinstance(value, enum.Enum):
        return plain(value.value, depth=depth)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if depth <= 0:
        return "…"
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth=depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
        return [plain(item, depth=depth - 1) for item in items]
    return str(value)


# -- decoding -----------------------------------------------------------------------------------


@functools.cache
def _field_names(cls: type) -> tuple[str, ...]:
    return tuple(item.name for item in dataclasses.fields(cls))


@functools.cache
def _decoder(kind: Any) -> _Decoder:
    """Return the function that decodes one annotation; built once per annotation."""
    if kind is Any:
        return lambda data, path: data
    if kind in _SCALARS:
        return _SCALARS[kind]
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _union_decoder(args)
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return _tuple_decoder(_decoder(args[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping) and args[0] is str:
        return _mapping_decoder(_decoder(args[1]))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _enum_decoder(kind)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _dataclass_decoder(kind)
    raise TypeError(f"the codec has no rule for {kind!r}")


def _wrong(path: str, expected: str, data: Any) -> CodecError:
    found = f"an object of type {data.get(_TAG)!r}" if isinstance(data, dict) else repr(data)
    if len(found) > 60:
        found = found[:57] + "..."
    return CodecError(f"{path.lstrip('.') or 'value'}: expected {expected}, found {found}")


def _exactly(cls: type, name: str) -> _Decoder:
    def _run(data: Any, path: str) -> Any:
        if type(data) is not cls:
            raise _wrong(path, name, data)
        return data

    return _run


def _decode_float(data: Any, path: str) -> float:
    if type(data) in (float, int) or data in ("inf", "-inf", "nan"):
        try:
            return float(data)
        except OverflowError:
            pass
    raise _wrong(path, "a number", data)


def _decode_decimal(data: Any, path: str) -> Decimal:
    if type(data) is str:
        try:
            return Decimal(data)
        except InvalidOperation:
            pass
    raise _wrong(path, "a decimal number in a string", data)


def _decode_time(data: Any, path: str) -> datetime:
    if type(data) is str:
        try:
            return datetime.fromisoformat(data)
        except ValueError:
            pass
    raise _wrong(path, "a time", data)


def _decode_none(data: Any, path: str) -> None:
    if data is not None:
        raise _wrong(path, "null", data)


_SCALARS: Final[Mapping[Any, _Decoder]] = {
    str: _exactly(str, "a string"),
    int: _exactly(int, "a whole number"),
    bool: _exactly(bool, "true or false"),
    float: _decode_float,
    Decimal: _decode_decimal,
    datetime: _decode_time,
    type(None): _decode_none,
}


def _tuple_decoder(item: _Decoder) -> _Decoder:
    def _run(data: Any, path: str) -> tuple[Any, ...]:
        if type(data) is not list:
            raise _wrong(path, "a list", data)
        return tuple(item(value, f"{path}[{index}]") for index, value in enumerate(data))

    return _run


def _mapping_decoder(item: _Decoder) -> _Decoder:
    def _run(data: Any, path: str) -> dict[str, Any]:
        if type(data) is not dict:
            raise _wrong(path, "an object", data)
        return {key: item(value, f"{path}.{key}") for key, value in data.items()}

    return _run


def _enum_decoder(kind: type[enum.Enum]) -> _Decoder:
    members = {member.value: member for member in kind}

    def _run(data: Any, path: str) -> enum.Enum:
        if type(data) is not str or data not in members:
            raise _wrong(path, f"one of {', '.join(map(str, members))}", data)
        return members[data]

    return _run


def _dataclass_decoder(cls: Any) -> _Decoder:
    fields = dataclasses.fields(cls)
    required = frozenset(
        item.name
        for item in fields
        if item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
    )

    @functools.cache
    def _decoders() -> dict[str, _Decoder]:
        # Late, so that a class may hold itself in a field.
        hints = typing.get_type_hints(cls)
        return {item.name: _decoder(hints[item.name]) for item in fields}

    def _run(data: Any, path: str) -> Any:
        if type(data) is not dict or data.get(_TAG) != cls.__name__:
            raise _wrong(path, f"an object of type {cls.__name__!r}", data)
        by_name = _decoders()
        given = data.keys() - {_TAG}
        if not given <= by_name.keys():
            extra = min(given - by_name.keys())
            raise CodecError(f"{path.lstrip('.') or cls.__name__}: unknown field {extra!r}")
        if not required <= given:
            missing = min(required - given)
            raise CodecError(f"{path.lstrip('.') or cls.__name__}: missing field {missing!r}")
        return cls(**{name: by_name[name](data[name], f"{path}.{name}") for name in given})

    return _run


def _union_decoder(args: tuple[Any, ...]) -> _Decoder:
    """Objects are told apart by their tag, everything else by its JSON type."""
    classes = [arg for arg in args if isinstance(arg, type) and dataclasses.is_dataclass(arg)]
    tagged = {cls.__name__: _decoder(cls) for cls in classes}
    bare = tuple(_decoder(arg) for arg in args if arg not in classes)
    names = [getattr(arg, "__name__", str(arg)) for arg in args]

    def _run(data: Any, path: str) -> Any:
        tag = data.get(_TAG) if type(data) is dict else None
        if type(tag) is str and tag in tagged:
            return tagged[tag](data, path)
        for decoder in bare:
            try:
                return decoder(data, path)
            except CodecError:
                continue
        if type(data) is dict:
            raise CodecError(f"{path.lstrip('.') or 'value'}: unknown type {str(tag)[:40]!r}")
        raise _wrong(path, " or ".join(names), data)

    return _run
