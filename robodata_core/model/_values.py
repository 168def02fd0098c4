"""The kinds of values that statements hold, and their Wikibase datatypes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class EntityValue:
    """A reference to an entity by id."""

    id: str


@dataclass(frozen=True, slots=True)
class StringValue:
    """A plain string; ``datatype`` is an IRI where the source gave one RoboData does not know."""

    text: str
    datatype: str = ""


@dataclass(frozen=True, slots=True)
class MonolingualTextValue:
    """A text in one language."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class QuantityValue:
    """An amount with an optional unit (an entity id) and optional bounds."""

    amount: Decimal
    unit: str | None = None
    lower: Decimal | None = None
    upper: Decimal | None = None


@dataclass(frozen=True, slots=True)
class TimeValue:
    """A point in time, known to ``precision``.

    Attributes:
        year: Astronomical as in XSD 1.1 and Wikidata's RDF: 1 BCE is year 0.
        month: 1 to 12, or 0 where the precision is coarser than a month.
        day: 1 to 31, or 0 where the precision is coarser than a day.
        precision: Wikibase's scale: 0 (10^9 years) ... 7 century, 8 decade, 9 year, 10 month,
            11 day, 12 hour, 13 minute, 14 second.
        calendar: Entity id of the calendar model (Q1985727 is the proleptic Gregorian one).
    """

    year: int
    month: int = 0
    day: int = 0
    hour: int = 0
    minute: int = 0
    second: int = 0
    precision: int = 11
    calendar: str = "Q1985727"

    @property
    def order(self) -> tuple[int, int, int, int, int, int]:
        """A key that sorts times by when they begin."""
        return (self.year, self.month, self.day, self.hour, self.minute, self.second)


@dataclass(frozen=True, slots=True)
class CoordinateValue:
    """A place on a globe, in degrees."""

    latitude: float
    longitude: float
    precision: float | None = None
    globe: str = "Q2"


@dataclass(frozen=True, slots=True)
class UrlValue:
    """A link to a page: not an entity of the graph."""

    url: str


@dataclass(frozen=True, slots=True)
class ExternalIdValue:
    """An identifier in somebody else's catalogue."""

    text: str


@dataclass(frozen=True, slots=True)
class SomeValue:
    """There is a value, but it is not known (Wikibase ``somevalue``)."""


@dataclass(frozen=True, slots=True)
class NoValue:
    """It is known that there is no value (Wikibase ``novalue``)."""


Value: TypeAlias = (
    EntityValue
    | StringValue
    | MonolingualTextValue
    | QuantityValue
    | TimeValue
    | CoordinateValue
    | UrlValue
    | ExternalIdValue
    | SomeValue
    | NoValue
)

_DATATYPES: Final[dict[type, str]] = {
    EntityValue: "item",
    StringValue: "string",
    MonolingualTextValue: "monolingualtext",
    QuantityValue: "quantity",
    TimeValue: "time",
    CoordinateValue: "globe-coordinate",
    UrlValue: "url",
    ExternalIdValue: "external-id",
    SomeValue: "somevalue",
    NoValue: "novalue",
}


def datatype_of(value: Value | bool | int) -> str:
    """Return the Wikibase datatype name of ``value`` (``boolean``, ``integer`` for plain ones)."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return _DATATYPES[type(value)]
