"""Whether a program is well formed, before anything runs it or turns it into a query.

Only the program itself is looked at: whether its entities and properties exist is for a source
to say. Bounds are here too, because programs come from models and files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, Final, TypeVar

from robodata_core.errors import ProgramError
from robodata_core.iris import id_from_iri, is_id, is_property_id
from robodata_core.model import (
    CoordinateValue,
    Direction,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    TimeValue,
    UrlValue,
)
from robodata_core.programs._keys import key_of
from robodata_core.programs._times import days_in_month
from robodata_core.programs.steps import (
    Aggregate,
    Coarsen,
    Comparison,
    Count,
    CountDifference,
    Difference,
    Elapsed,
    End,
    Extreme,
    ExtremeCount,
    ExtremeSize,
    ExtremeSpan,
    FilterByConstraint,
    FilterByCount,
    FilterBySame,
    FilterByType,
    Follow,
    Function,
    Intersect,
    Judge,
    JudgeKind,
    Program,
    Start,
    Step,
    Stretch,
    Union,
)

__all__ = ["MAX_STEPS", "check", "reads"]

MAX_STEPS: Final = 64
_MAX_LIST: Final = 1_000
_MAX_START: Final = 20_000
_MAX_NAME: Final = 64
_MAX_TEXT: Final = 10_000
_MAX_YEAR: Final = 10**12
_MAX_COUNTED: Final = 10**9
_MAX_EXPONENT: Final = 100
#: Millennia to days.
_COARSEST: Final = 6
_FINEST: Final = 11

_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*\Z", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ORDERED = (QuantityValue, TimeValue, StringValue, ExternalIdValue, MonolingualTextValue)
_EQUAL_ONLY = (EntityValue, UrlValue)


def reads(step: Step) -> tuple[str, ...]:
    """Return the names a step reads, in order."""
    if isinstance(step, (Intersect, Union, ExtremeSize)):
        return step.sources
    if isinstance(step, (Difference, CountDifference)):
        return (step.source, step.minus)
    if isinstance(step, Elapsed):
        return (step.source, step.target)
    if isinstance(step, (FilterByCount, ExtremeCount)):
        return tuple(filter(None, (step.source, step.among)))
    if isinstance(step, Start):
        return ()
    may_start = isinstance(step, (FilterByType, FilterByConstraint, FilterBySame))
    starts_a_set = may_start and not step.source
    return () if starts_a_set else (step.source,)


def check(program: Program) -> None:
    """Return if ``program`` is well formed.

    Raises:
        ProgramError: With one sentence that names the step (numbered from 1).
    """
    steps = program.steps
    if not steps or not isinstance(steps[-1], End):
        raise ProgramError("A program must end with the step End.")
    if len(steps) > MAX_STEPS:
        raise ProgramError(f"A program has at most {MAX_STEPS} steps, this one has {len(steps)}.")
    written: dict[str, bool] = {}  # name -> whether it is a node set
    for number, step in enumerate(steps, 1):
        try:
            _check_step(step, written, last=number == len(steps))
        except ProgramError as error:
            name = type(step).__name__
            raise ProgramError(f"Step {number} ({name}): {error}", hint=error.hint) from None


def _check_step(step: Step, written: dict[str, bool], *, last: bool) -> None:
    checker = _CHECKERS.get(type(step))
    if checker is None:
        raise ProgramError("this is not a step.")
    if isinstance(step, End) and not last:
        raise ProgramError("End must be the last step.")
    checker(step)
    for name in reads(step):
        _name(name)
        if name not in written:
            raise ProgramError(f"it reads {name!r}, which no earlier step has written.")
        if not written[name] and not isinstance(step, End):
            raise ProgramError(f"{name!r} is a number or a boolean, not a set of nodes.")
    if not isinstance(step, End):
        _name(step.out)
        if step.out in written:
            raise ProgramError(f"{step.out!r} was written before; a name is written once.")
        written[step.out] = not isinstance(step, (Count, CountDifference, Judge))


# -- one checker a step -----------------------------------------------------------------------


def _start(step: Start) -> None:
    for value in _listed(step.values, "values", most=_MAX_START):
        _value(value)


def _follow(step: Follow) -> None:
    _one_of(step.direction, Direction)
    _properties(step.properties, "properties", least=0)


def _by_type(step: FilterByType) -> None:
    for id_ in _listed(step.type_ids, "classes"):
        _id(id_, is_id, "an entity")
    _properties(step.via, "type relations", least=1)


def _by_constraint(step: FilterByConstraint) -> None:
    _id(step.property, is_property_id, "a property")
    _one_of(step.comparison, Comparison)
    _value(step.value)
    if isinstance(step.value, _EQUAL_ONLY):
        if step.comparison not in (Comparison.EQ, Comparison.NE):
            raise ProgramError("entities and links can only be equal or not equal.")
    elif not isinstance(step.value, _ORDERED):
        raise ProgramError(f"a {type(step.value).__name__} cannot be compared.")


def _several(step: Intersect | Union) -> None:
    _listed(step.sources, "sets", least=2)


def _extreme(step: Extreme) -> None:
    _id(step.property, is_property_id, "a property")


def _counted(step: FilterByCount | ExtremeCount) -> None:
    for name in (step.source, step.among):
        if name != "":
            _name(name)
    _one_of(step.direction, Direction)
    _properties(step.properties, "properties", least=1)


def _by_count(step: FilterByCount) -> None:
    _counted(step)
    _one_of(step.comparison, Comparison)
    if type(step.number) is not int or not 0 <= step.number <= _MAX_COUNTED:
        raise ProgramError(f"{step.number!r} is not a number of things.")


def _by_same(step: FilterBySame) -> None:
    _properties(step.first, "properties", least=1)
    _properties(step.second, "properties", least=1)


def _extreme_size(step: ExtremeSize) -> None:
    for value in _listed(step.values, "values"):
        _value(value)
    if len(_listed(step.sources, "sets")) != len(step.values):
        raise ProgramError("it needs a set for each of its values.")
    if len({key_of(value) for value in step.values}) < len(step.values):
        raise ProgramError("it has the same value twice.")


def _extreme_span(step: ExtremeSpan) -> None:
    _id(step.begin, is_property_id, "a property")
    _id(step.end, is_property_id, "a property")


def _coarsen(step: Coarsen) -> None:
    _id(step.property, is_property_id, "a property")
    if type(step.precision) is not int or not _COARSEST <= step.precision <= _FINEST:
        raise ProgramError(f"{step.precision!r} is not a precision of times to be told in.")


def _elapsed(step: Elapsed) -> None:
    _one_of(step.stretch, Stretch)


def _aggregate(step: Aggregate) -> None:
    _id(step.property, is_property_id, "a property")
    _one_of(step.function, Function)


def _judge(step: Judge) -> None:
    _one_of(step.kind, JudgeKind)
    if (step.value is None) == (step.kind is JudgeKind.CONTAINS):
        raise ProgramError("a value belongs to the question 'contains', and only to that one.")
    if step.value is not None:
        _value(step.value)


def _nothing_more(step: Step) -> None:
    """All there is to check are the names."""


_CHECKERS: Final[dict[type, Callable[[Any], None]]] = {
    Start: _start,
    Follow: _follow,
    FilterByType: _by_type,
    FilterByConstraint: _by_constraint,
    Intersect: _several,
    Union: _several,
    Difference: _nothing_more,
    Extreme: _extreme,
    FilterByCount: _by_count,
    FilterBySame: _by_same,
    ExtremeCount: _counted,
    ExtremeSize: _extreme_size,
    ExtremeSpan: _extreme_span,
    Coarsen: _coarsen,
    Elapsed: _elapsed,
    Aggregate: _aggregate,
    CountDifference: _nothing_more,
    Count: _nothing_more,
    Judge: _judge,
    End: _nothing_more,
}


# -- parts ------------------------------------------------------------------------------------

_T = TypeVar("_T")


def _listed(
    items: tuple[_T, ...], what: str, *, least: int = 1, most: int = _MAX_LIST
) -> tuple[_T, ...]:
    if not isinstance(items, tuple) or not least <= len(items) <= most:
        raise ProgramError(f"it needs {least} to {most} {what}.")
    return items


def _one_of(item: object, kind: type) -> None:
    if not isinstance(item, kind):
        raise ProgramError(f"{item!r} is not a {kind.__name__}.")


def _name(name: object) -> None:
    if not isinstance(name, str) or not 0 < len(name) <= _MAX_NAME or not name.isprintable():
        raise ProgramError(
            f"a set's name is 1 to {_MAX_NAME} printable characters, not {str(name)[:80]!r}."
        )


def _properties(ids: tuple[str, ...], what: str, *, least: int) -> None:
    for id_ in _listed(ids, what, least=least):
        _id(id_, is_property_id, "a property")


def _id(id_: object, valid: Callable[[str], bool], what: str) -> None:
    if not isinstance(id_, str) or len(id_) > _MAX_TEXT or not valid(id_):
        raise ProgramError(f"{str(id_)[:80]!r} does not name {what}.")
    if ":" not in id_:
        return
    _text(id_)
    short = id_from_iri(id_)
    if short != id_:
        raise ProgramError(f"write {short} instead of {id_[:80]}: a node has one name.")


def _text(text: object) -> None:
    if not isinstance(text, str) or len(text) > _MAX_TEXT:
        raise ProgramError(f"a text has at most {_MAX_TEXT} characters.")
    if _SURROGATE.search(text):
        raise ProgramError("a text holds a character that is not Unicode (a lone surrogate).")


def _value(value: object) -> None:
    checker = _VALUE_CHECKERS.get(type(value))
    if checker is None:
        raise ProgramError(f"a {type(value).__name__} cannot stand in a program.")
    checker(value)


def _entity(value: EntityValue) -> None:
    _id(value.id, is_id, "an entity")


def _string(value: StringValue) -> None:
    _text(value.text)
    if value.datatype:
        _id(value.datatype, is_id, "a datatype")


def _monolingual(value: MonolingualTextValue) -> None:
    _text(value.text)
    if not _LANGUAGE.match(value.language):
        raise ProgramError(f"{value.language[:80]!r} is not a language code.")


def _external(value: ExternalIdValue) -> None:
    _text(value.text)


def _url(value: UrlValue) -> None:
    _text(value.url)
    if not is_id(value.url):
        raise ProgramError(f"{value.url[:80]!r} is not a link.")


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
    EntityValue: _entity,
    StringValue: _string,
    MonolingualTextValue: _monolingual,
    ExternalIdValue: _external,
    UrlValue: _url,
    QuantityValue: _quantity,
    TimeValue: _time,
    CoordinateValue: _coordinate,
}
