"""Terms, paths and filters of a query, as values, properties and comparisons.

What no tool of the box takes is refused with the reason. The terms are rdflib's, which is imported
where it is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from robodata_core.errors import ProgramError
from robodata_core.iris import WDT, XSD, id_from_iri, is_id, is_property_id
from robodata_core.model import (
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.programs.comparison import Comparison

__all__ = [
    "Compared",
    "UnfitQueryError",
    "entity_of",
    "is_type_path",
    "is_variable",
    "property_of",
    "value_of",
]

_FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
_NUMBERS: Final = frozenset(
    XSD + name for name in ("integer", "decimal", "double", "float", "int", "nonNegativeInteger")
)


class UnfitQueryError(ProgramError):
    """A query that is no program of the toolbox; the message is the reason."""


@dataclass(slots=True)
class Compared:
    """A filter: a variable, or its year, against a constant."""

    variable: Any
    comparison: Comparison
    value: Value
    year: bool = False

    @classmethod
    def read(cls, expression: Any) -> Compared:
        """Read the expression of a FILTER; the constant may stand on either side.

        Raises:
            UnfitQueryError: If it is no comparison of one variable, or its year, with a constant.
        """
        if getattr(expression, "name", "") != "RelationalExpression":
            raise UnfitQueryError("It filters in a way no tool does")
        left, op, right = expression.expr, str(expression.op), expression.other
        if op not in _FLIPPED:
            raise UnfitQueryError("It filters by a list")
        if not is_variable(_inner(left)):
            left, op, right = right, _FLIPPED[op], left
        inner = _inner(left)
        if not is_variable(inner) or is_variable(_inner(right)):
            raise UnfitQueryError("It compares two variables")
        year = inner is not left
        value = value_of(right)
        if year:
            if not isinstance(value, QuantityValue) or value.amount % 1:
                raise UnfitQueryError("It compares a year with something else")
            value = TimeValue(int(value.amount), precision=9)
        return cls(inner, Comparison(op), value, year)


def _inner(expression: Any) -> Any:
    """Return the variable whose year is taken, or the expression itself."""
    return expression.arg if getattr(expression, "name", "") == "Builtin_YEAR" else expression


def is_variable(term: Any) -> bool:
    from rdflib import Variable

    return isinstance(term, Variable)


def is_type_path(path: Any) -> bool:
    """Tell whether a path is ``wdt:P31/wdt:P279*``: of a class or of a subclass."""
    from rdflib import URIRef
    from rdflib.paths import MulPath, SequencePath

    if not isinstance(path, SequencePath) or len(path.args) != 2:
        return False
    first, second = path.args
    return (
        first == URIRef(WDT + "P31")
        and isinstance(second, MulPath)
        and second.path == URIRef(WDT + "P279")
        and second.mod == "*"
    )


def property_of(path: Any) -> tuple[str, bool]:
    """Return the property of a path, and whether it is the path to classes.

    Raises:
        UnfitQueryError: If it is not one direct property, nor the path to classes.
    """
    from rdflib import URIRef
    from rdflib.paths import Path

    if is_type_path(path):
        return "P31", True
    if isinstance(path, Path):
        raise UnfitQueryError("It follows a relation any number of times")
    if not isinstance(path, URIRef):
        raise UnfitQueryError("Its relation is a variable")
    text = str(path)
    if not text.startswith(WDT):
        raise UnfitQueryError("It looks at qualifiers, labels or other than direct triples")
    id_ = id_from_iri(text)
    if not is_property_id(id_):
        raise UnfitQueryError("Its relation is no property")
    return id_, False


def entity_of(value: Value) -> str:
    """Return the id of a value that stands for a class.

    Raises:
        UnfitQueryError: If it is no entity.
    """
    if not isinstance(value, EntityValue):
        raise UnfitQueryError("A class is no entity")
    return value.id


def value_of(term: Any) -> Value:
    """Return an IRI or a literal of a parsed query as a value.

    Raises:
        UnfitQueryError: If it is neither an entity nor a text, a number or a time.
    """
    from rdflib import Literal, URIRef

    if isinstance(term, URIRef):
        id_ = id_from_iri(str(term))
        if not is_id(id_):
            raise UnfitQueryError("It names something that is no entity")
        return EntityValue(id_)
    if not isinstance(term, Literal):
        raise UnfitQueryError("It filters in a way no tool does")
    if term.language:
        return MonolingualTextValue(str(term), term.language)
    datatype = str(term.datatype or "")
    if datatype in _NUMBERS:
        try:
            return QuantityValue(Decimal(str(term)))
        except InvalidOperation:
            raise UnfitQueryError("A number cannot be read") from None
    if datatype in (XSD + "dateTime", XSD + "date"):
        return _time(str(term))
    if datatype not in ("", XSD + "string"):
        raise UnfitQueryError("It has a value of a kind no tool takes")
    return StringValue(str(term))


def _time(text: str) -> TimeValue:
    year, *rest = text.partition("T")[0].removeprefix("+").rsplit("-", 2)
    try:
        month, day = (int(part) for part in rest)
        return TimeValue(int(year), month, day, precision=11)
    except ValueError:
        raise UnfitQueryError("A date cannot be read") from None
