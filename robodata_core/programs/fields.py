"""What the fields of steps may hold: told by annotations, read by every part that needs them.

A step is a dataclass whose annotations say which fields are names of sets, ids of relations or
classes, or values. From these alone follow what a step reads, what it names, and whether it is
well formed as far as its fields go; a step says itself only what is peculiar to it.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import re
import types
import typing
from abc import ABC
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeAlias

from robodata_core.errors import ProgramError
from robodata_core.iris import id_from_iri, is_id, is_property_id
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
from robodata_core.programs.instants import days_in_month

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "AnyProperties",
    "Classes",
    "Fielded",
    "Gives",
    "OptionalSet",
    "Properties",
    "PropertyId",
    "SetName",
    "Sets",
    "TypeRelations",
    "Values",
    "check_fields",
    "check_name",
    "check_value",
    "parameters",
]

_MAX_LIST: Final = 1_000
_MAX_START: Final = 20_000
_MAX_NAME: Final = 64
_MAX_TEXT: Final = 10_000
_MAX_YEAR: Final = 10**12
_MAX_EXPONENT: Final = 100

_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*\Z", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")


class Role(enum.Enum):
    """What a field says: the name of a set, a relation, a class, or something else."""

    SET = "set"
    OPTIONAL_SET = "optional set"
    RELATION = "relation"
    CLASS = "class"
    VALUE = "value"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class _Listed:
    """How many items a field may hold, and what they are called."""

    what: str
    least: int = 1
    most: int = _MAX_LIST


SetName: TypeAlias = Annotated[str, Role.SET]
"""The name of a set that an earlier step has written."""
OptionalSet: TypeAlias = Annotated[str, Role.OPTIONAL_SET]
"""The name of a set, or an empty string."""
PropertyId: TypeAlias = Annotated[str, Role.RELATION]
ClassId: TypeAlias = Annotated[str, Role.CLASS]
Sets: TypeAlias = Annotated[tuple[SetName, ...], _Listed("sets", least=2)]
Properties: TypeAlias = Annotated[tuple[PropertyId, ...], _Listed("properties")]
AnyProperties: TypeAlias = Annotated[tuple[PropertyId, ...], _Listed("properties", least=0)]
TypeRelations: TypeAlias = Annotated[tuple[PropertyId, ...], _Listed("type relations")]
Classes: TypeAlias = Annotated[tuple[ClassId, ...], _Listed("classes")]
Values: TypeAlias = Annotated[tuple[Value, ...], _Listed("values", most=_MAX_START)]


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a step."""

    name: str
    role: Role
    many: bool
    check: Callable[[Any], None]


@functools.cache
def _fields(kind: type) -> tuple[_Field, ...]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return tuple(
        _Field(part.name, *_read_annotation(hints[part.name])) for part in dataclasses.fields(kind)
    )


def _fields_of(step: object) -> tuple[_Field, ...]:
    kind: Any = type(step)
    return _fields(kind)


def _read_annotation(hint: Any) -> tuple[Role, bool, Callable[[Any], None]]:
    """Return what an annotation says: role, whether the field is a list, and its check."""
    if typing.get_origin(hint) is Annotated:
        plain, mark = typing.get_args(hint)[:2]
        if isinstance(mark, _Listed):
            return _read_list(plain, mark)
        return mark, False, _ROLES[mark]
    if hint == Value:
        return Role.VALUE, False, check_value
    if hint is QuantityValue:
        return Role.VALUE, False, _amount
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = [part for part in typing.get_args(hint) if part is not type(None)]
        if set(inner) == set(typing.get_args(Value)):
            return Role.VALUE, False, lambda item: None if item is None else check_value(item)
    if typing.get_origin(hint) is tuple:
        return _read_list(hint, _Listed("items"))
    return Role.OTHER, False, functools.partial(_exactly, hint)


def _read_list(hint: Any, listed: _Listed) -> tuple[Role, bool, Callable[[Any], None]]:
    role, _, check = _read_annotation(typing.get_args(hint)[0])

    def _check_all(items: Any) -> None:
        if not isinstance(items, tuple) or not listed.least <= len(items) <= listed.most:
            raise ProgramError(f"it needs {listed.least} to {listed.most} {listed.what}.")
        for item in items:
            check(item)

    return role, True, _check_all


class Gives(str, enum.Enum):
    """What a step gives."""

    SET = "set"
    NUMBER = "number"
    TRUTH = "truth"


class Fielded(ABC):
    """A dataclass whose annotations say what its fields hold: what every step is at the least.

    Attributes:
        out: The name of what it writes.
        gives: What that is.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]
    out: str
    gives: ClassVar[Gives] = Gives.SET

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of the sets it reads, in order."""
        return tuple(self._held(Role.SET, Role.OPTIONAL_SET))

    @property
    def relations(self) -> tuple[str, ...]:
        """The properties it looks at."""
        return tuple(self._held(Role.RELATION))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes it names."""
        return tuple(self._held(Role.CLASS))

    @property
    def named(self) -> tuple[Value, ...]:
        """The values it names."""
        return tuple(self._held(Role.VALUE))

    @property
    def mentioned(self) -> tuple[str, ...]:
        """The ids of the entities it names: classes, values, and units of amounts."""
        units = (value.unit for value in self.named if isinstance(value, QuantityValue))
        values = (value.id for value in self.named if isinstance(value, EntityValue))
        return (*self.classes, *values, *(unit for unit in units if unit))

    def _held(self, *roles: Role) -> Iterator[Any]:
        """Yield what its fields hold in some roles, in order; ``out`` is never given."""
        for part in _fields_of(self):
            if part.role in roles and part.name != "out":
                item = getattr(self, part.name)
                if part.many:
                    yield from item
                elif item is not None and item != "":
                    yield item

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return it reading other sets: those in ``names`` by their new names."""
        changes: dict[str, Any] = {}
        for part in _fields_of(self):
            if part.role in (Role.SET, Role.OPTIONAL_SET):
                item = getattr(self, part.name)
                each = tuple(names.get(one, one) for one in item) if part.many else None
                changes[part.name] = names.get(item, item) if each is None else each
        return dataclasses.replace(self, **changes)


def check_fields(step: Any) -> None:
    """Return if every field of a step holds what its annotation says.

    Raises:
        ProgramError: In one sentence, if not.
    """
    for part in _fields_of(step):
        part.check(getattr(step, part.name))


def parameters(step: Any) -> tuple[Any, ...]:
    """Return what a step does, whatever the sets are called that it reads and writes."""
    found: list[Any] = []
    for part in _fields_of(step):
        item = getattr(step, part.name)
        if part.role is Role.OPTIONAL_SET:  # of several the one that is given has to be known
            found.append(bool(item))
        elif part.role is not Role.SET:
            found.append(item)
    return tuple(found)


# -- checks -----------------------------------------------------------------------------------


def _exactly(kind: Any, item: object) -> None:
    if type(item) is not kind:
        raise ProgramError(f"{item!r} is not a {kind.__name__}.")


def check_name(name: object) -> None:
    """Return if ``name`` may be the name of a set; raise ProgramError if not."""
    if not isinstance(name, str) or not 0 < len(name) <= _MAX_NAME or not name.isprintable():
        raise ProgramError(
            f"a set's name is 1 to {_MAX_NAME} printable characters, not {str(name)[:80]!r}."
        )


def _optional_name(name: object) -> None:
    if name != "":
        check_name(name)


def _id(id_: object, valid: Callable[[str], bool], what: str) -> None:
    if not isinstance(id_, str) or len(id_) > _MAX_TEXT or not valid(id_):
        raise ProgramError(f"{str(id_)[:80]!r} does not name {what}.")
    if ":" not in id_:
        return
    _text(id_)
    short = id_from_iri(id_)
    if short != id_:
        raise ProgramError(f"write {short} instead of {id_[:80]}: a node has one name.")


_ROLES: Final[dict[Role, Callable[[Any], None]]] = {
    Role.SET: check_name,
    Role.OPTIONAL_SET: _optional_name,
    Role.RELATION: lambda id_: _id(id_, is_property_id, "a property"),
    Role.CLASS: lambda id_: _id(id_, is_id, "an entity"),
}


def _text(text: object) -> None:
    if not isinstance(text, str) or len(text) > _MAX_TEXT:
        raise ProgramError(f"a text has at most {_MAX_TEXT} characters.")
    if _SURROGATE.search(text):
        raise ProgramError("a text holds a character that is not Unicode (a lone surrogate).")


def check_value(value: object) -> None:
    """Return if ``value`` may stand in a program; raise ProgramError if not."""
    checker = _VALUE_CHECKERS.get(type(value))
    if checker is None:
        raise ProgramError(f"a {type(value).__name__} cannot stand in a program.")
    checker(value)


def _string(value: StringValue) -> None:
    _text(value.text)
    if value.datatype:
        _id(value.datatype, is_id, "a datatype")


def _monolingual(value: MonolingualTextValue) -> None:
    _text(value.text)
    if not _LANGUAGE.match(value.language):
        raise ProgramError(f"{value.language[:80]!r} is not a language code.")


def _url(value: UrlValue) -> None:
    _text(value.url)
    if not is_id(value.url):
        raise ProgramError(f"{value.url[:80]!r} is not a link.")


def _amount(value: object) -> None:
    _exactly(QuantityValue, value)
    check_value(value)


def _quantity(value: QuantityValue) -> None:
    _numbers(amount for amount in (value.amount, value.lower, value.upper) if amount is not None)
    if value.unit is not None:
        _id(value.unit, is_id, "a unit")


def _numbers(amounts: Iterable[Decimal]) -> None:
    for amount in amounts:
        if not amount.is_finite() or abs(amount.adjusted()) > _MAX_EXPONENT:
            raise ProgramError(f"{str(amount)[:80]} is not an amount to reckon with.")


def _time(value: TimeValue) -> None:
    day_limit = days_in_month(value.year, value.month) if 1 <= value.month <= 12 else 0
    parts = (
        -_MAX_YEAR <= value.year <= _MAX_YEAR,
        0 <= value.precision <= 14,
        (1 if value.precision >= 10 else 0) <= value.month <= 12,
        (1 if value.precision >= 11 else 0) <= value.day <= day_limit,
        0 <= value.hour <= 23,
        0 <= value.minute <= 59,
        0 <= value.second <= 59,
    )
    if not all(parts):
        raise ProgramError("the time is not one of the calendar at its precision.")


def _coordinate(value: CoordinateValue) -> None:
    if not (-90 <= value.latitude <= 90 and -360 <= value.longitude <= 360):
        raise ProgramError("the coordinates are not on a globe.")


_VALUE_CHECKERS: Final[dict[type, Callable[[Any], None]]] = {
    EntityValue: lambda value: _id(value.id, is_id, "an entity"),
    StringValue: _string,
    MonolingualTextValue: _monolingual,
    ExternalIdValue: lambda value: _text(value.text),
    UrlValue: _url,
    QuantityValue: _quantity,
    TimeValue: _time,
    CoordinateValue: _coordinate,
}
