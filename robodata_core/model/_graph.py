"""Values, and what a source holds: entities, properties, statements, hits, results of queries."""

from __future__ import annotations

import builtins
import enum
from collections.abc import Iterable, Mapping
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


class EntityKind(str, enum.Enum):
    """What a search looks for."""

    ITEM = "item"
    PROPERTY = "property"


class Direction(str, enum.Enum):
    """Which way statements are followed from an entity."""

    OUT = "out"
    IN = "in"


class Rank(str, enum.Enum):
    """Wikibase's rank of a statement."""

    PREFERRED = "preferred"
    NORMAL = "normal"
    DEPRECATED = "deprecated"


@dataclass(frozen=True, slots=True)
class Entity:
    """An item or class with what is needed to name it and tell it from others."""

    id: str
    label: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    popularity: int = 0

    @property
    def name(self) -> str:
        """The label, or the id where there is none."""
        return self.label or self.id


@dataclass(frozen=True, slots=True)
class Property:
    """A relation: its names and what its values are (Wikibase datatype, e.g. ``item``)."""

    id: str
    label: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    datatype: str = ""
    uses: int = 0

    @property
    def name(self) -> str:
        """The label, or the id where there is none."""
        return self.label or self.id


@dataclass(frozen=True, slots=True)
class Snak:
    """A property with a value, as used in qualifiers and references."""

    property: str
    value: Value


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a statement was taken from."""

    snaks: tuple[Snak, ...]
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a source.

    Attributes:
        subject: Entity id.
        property: Property id.
        value: The main value.
        id: The source's own statement id (``Q42$...``), or an empty string where the source
            has none.
        rank: Wikibase rank.
        qualifiers: What narrows the statement down.
        references: Where the source has it from.
        source: Name of the source that gave it, e.g. ``snapshot:wikidata-sample``.
        origin: What the source itself says it took the fact from (a data set), or empty.
        revision: The entity's revision in the source, where it has revisions.
    """

    subject: str
    property: str
    value: Value
    id: str = ""
    rank: Rank = Rank.NORMAL
    qualifiers: tuple[Snak, ...] = ()
    references: tuple[Reference, ...] = ()
    source: str = ""
    origin: str = ""
    revision: int | None = None

    @builtins.property
    def triple(self) -> Triple:
        """The statement without its circumstances."""
        return Triple(self.subject, self.property, self.value)

    @builtins.property
    def circumstances(self) -> tuple[Snak, ...]:
        """Its qualifiers, and what its references say."""
        said = (snak for reference in self.references for snak in reference.snaks)
        return (*self.qualifiers, *said)


def ids_in(values: Iterable[Value | None]) -> tuple[str, ...]:
    """Return the ids of the entities and units among ``values``, each once."""
    ids: dict[str, None] = {}
    for value in values:
        if isinstance(value, EntityValue):
            ids[value.id] = None
        elif isinstance(value, QuantityValue) and value.unit:
            ids[value.unit] = None
    return tuple(ids)


@dataclass(frozen=True, slots=True)
class Triple:
    """Subject id, property id and value: what a support set is made of."""

    subject: str
    predicate: str
    object: Value


class MatchKind(str, enum.Enum):
    """How a search hit matched, best first."""

    ID = "id"
    LABEL = "label"
    ALIAS = "alias"
    PREFIX = "prefix"
    WORDS = "words"
    FUZZY = "fuzzy"


#: How what is meant was given in full, the surest first: not a part of a name, nor one like it.
EXACT_MATCHES: Final = (MatchKind.ID, MatchKind.LABEL, MatchKind.ALIAS)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One result of a search by name.

    Attributes:
        id: Entity or property id.
        label: Its label.
        description: Its description.
        match: How it matched.
        matched: The label or alias that matched.
        score: 0 to 1, match quality only.
        popularity: How often the graph mentions it.
    """

    id: str
    label: str
    description: str = ""
    match: MatchKind = MatchKind.LABEL
    matched: str = ""
    score: float = 1.0
    popularity: int = 0


@dataclass(frozen=True, slots=True)
class RelationCount:
    """A relation that is really there around some entities, and how often."""

    property: str
    direction: Direction
    count: int

    @classmethod
    def ranked(cls, counts: Mapping[tuple[str, Direction], int]) -> tuple[RelationCount, ...]:
        """Return how often relations are there, the most frequent first, without those of none."""
        made = (cls(name, way, number) for (name, way), number in counts.items() if number)
        return tuple(sorted(made, key=lambda item: (-item.count, item.property)))


@dataclass(frozen=True, slots=True)
class StatementPage:
    """Some statements out of ``total``."""

    statements: tuple[Statement, ...]
    total: int

    @property
    def truncated(self) -> bool:
        """Whether the source holds more than is shown."""
        return len(self.statements) < self.total


@dataclass(frozen=True, slots=True)
class SparqlResult:
    """Rows of a SELECT, the boolean of an ASK, or the triples of a CONSTRUCT.

    Attributes:
        variables: Column names of a SELECT.
        rows: One tuple a row, aligned with ``variables``; None is unbound.
        boolean: The answer of an ASK, else None.
        triples: What a CONSTRUCT or DESCRIBE gave.
        truncated: Whether rows or triples were cut at the cap.
    """

    variables: tuple[str, ...] = ()
    rows: tuple[tuple[Value | None, ...], ...] = ()
    boolean: bool | None = None
    triples: tuple[Triple, ...] = ()
    truncated: bool = False
