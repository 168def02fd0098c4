"""Values as people and models write them, read into the model's kinds.

What kind is meant is told by the property's datatype where the source knows it, else by the
look of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from pydantic import Field

from robodata_core.errors import SourceError, ToolArgumentError
from robodata_core.iris import id_from_iri, is_id
from robodata_core.model import EntityValue, QuantityValue, StringValue, TimeValue, Value
from robodata_core.programs.steps import FilterByConstraint, Step
from robodata_core.text import clean_text
from robodata_core.tools.formatting import quote
from robodata_core.tools.guard import require_known
from robodata_core.values import text_value

if TYPE_CHECKING:
    from robodata_core.tools.base import ToolContext
    from robodata_core.tools.namer import Namer
    from robodata_core.tools.variables import Nodes

Literals: TypeAlias = (
    Annotated[str, Field(max_length=500)]
    | Annotated[int, Field(ge=-(10**30), le=10**30)]
    | Annotated[float, Field(allow_inf_nan=False)]
)

_TIME = re.compile(
    r"([+-]?)(\d{1,9})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:T00:00(?::00)?Z?)?\Z", re.ASCII
)
_NUMBER = re.compile(r"[+-]?\d[\d,]*(\.\d+)?([eE][+-]?\d{1,3})?\Z", re.ASCII)
_DATE_LIKE = re.compile(r"[+-]?\d{1,9}-\d{1,2}(-\d{1,2})?(T|\Z)", re.ASCII)
_SAMPLE: Final = 20


def parse_value(
    given: str | float | None, property_: str, unit: str | None, context: ToolContext
) -> Value:
    """Return the value that ``given`` means as a value of ``property_``.

    Raises:
        ToolArgumentError: If it is missing or no value of that kind.
        UnknownIdError: If it is an id that was never shown.
    """
    kind = _datatype(property_, context)
    return read_value(given, kind, unit, lambda ids: require_known(ids, context))


def read_value(
    given: object, kind: str, unit: str | None, require: Callable[[Sequence[str]], None]
) -> Value:
    """Return the value that ``given`` means, of a kind or of the kind it looks like.

    Args:
        given: A text or a number.
        kind: Datatype of the property, empty where it is not known.
        unit: Unit of a quantity.
        require: Told of an id in it; raises where that may not be used.

    Raises:
        ToolArgumentError: If it is missing or no value of that kind.
    """
    if isinstance(given, bool) or not isinstance(given, (str, int, float)) or given == "":
        raise ToolArgumentError("value is missing.", hint="Only max and min do without one.")
    text = clean_text(str(given), limit=500).strip()
    if kind in ("item", "wikibase-item", "property", "wikibase-property"):
        return _entity(text, require)
    if kind == "time":
        return _time(text)
    if kind == "quantity":
        return _quantity(text, unit)
    if kind in ("string", "monolingualtext", "external-id", "url"):
        return text_value(text, kind)
    return _guess(text, unit, require)


def unit_note(step: Step, nodes: Nodes, namer: Namer, context: ToolContext) -> str:
    """Say which units the values have, where a constraint on another unit found nothing."""
    if not isinstance(step, FilterByConstraint) or not isinstance(step.value, QuantityValue):
        return ""
    units = _units_there(nodes.entity_ids[:_SAMPLE], step.property, context)
    units.pop(step.value.unit, None)
    if not units:
        return ""
    namer.load(unit for unit in units if unit)
    names = [namer.name(unit) if unit else "no unit" for unit in units]
    return f"The values there have another unit: {', '.join(names[:5])}. Give it as unit."


def _units_there(
    ids: Sequence[str], property_: str, context: ToolContext
) -> dict[str | None, None]:
    pages = context.source.statements_many(ids, property=property_, limit=5)
    values = [statement.value for page in pages.values() for statement in page.statements]
    return {value.unit: None for value in values if isinstance(value, QuantityValue)}


def _datatype(property_: str, context: ToolContext) -> str:
    try:
        return context.source.property(property_).datatype
    except SourceError:
        return ""


def _guess(text: str, unit: str | None, require: Callable[[Sequence[str]], None]) -> Value:
    if _looks_like_id(text):
        return _entity(text, require)
    if unit or _NUMBER.match(text):
        return _quantity(text, unit)
    if _DATE_LIKE.match(text):
        return _time(text)
    return StringValue(text)


def _looks_like_id(text: str) -> bool:
    return is_id(text) and (":" not in text or text.startswith(("http://", "https://", "urn:")))


def _entity(text: str, require: Callable[[Sequence[str]], None]) -> EntityValue:
    id_ = id_from_iri(text.removeprefix("wd:"))
    if not is_id(id_):
        raise ToolArgumentError(
            f"The values of this property are entities; {quote(text)} is no id.",
            hint="search_entities finds the id of a name.",
        )
    require([id_])
    return EntityValue(id_)


def _time(text: str) -> TimeValue:
    match = _TIME.match(text)
    month, day = (int(match[3] or 0), int(match[4] or 0)) if match else (0, 0)
    if match is None or month > 12 or day > 31 or (match[3] and not month):
        raise ToolArgumentError(
            f"The values of this property are dates; {quote(text)} is none.",
            hint="Write 1952-03-11, 1952-03 or 1952.",
        )
    year = int(match[2]) * (-1 if match[1] == "-" else 1)
    precision = 11 if day else 10 if month else 9
    return TimeValue(year, month, day, precision=precision)


def _quantity(text: str, unit: str | None) -> QuantityValue:
    try:
        amount = Decimal(text.replace(",", ""))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        raise ToolArgumentError(
            f"The values of this property are quantities; {quote(text)} is no number."
        )
    return QuantityValue(amount, unit)
