"""KG-Agent's reasoning programs: a sequence of toolbox steps over named node sets.

A program is data. ``executor`` runs it on a source and reports which statements it used;
``compiler`` turns it into one SPARQL query with the same result. Source: KG-Agent paper,
"Toolbox for Knowledge Graph" and "Reasoning Program Generation".
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from robodata_core.model import Direction, Value

__all__ = [
    "Aggregate",
    "Coarsen",
    "Comparison",
    "Count",
    "CountDifference",
    "Difference",
    "Elapsed",
    "End",
    "Extreme",
    "ExtremeCount",
    "ExtremeSize",
    "ExtremeSpan",
    "FilterByConstraint",
    "FilterByCount",
    "FilterBySame",
    "FilterByType",
    "Follow",
    "Function",
    "Intersect",
    "Judge",
    "JudgeKind",
    "Program",
    "Start",
    "Step",
    "Stretch",
    "Union",
]


class Comparison(str, enum.Enum):
    """How a value is compared."""

    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


class JudgeKind(str, enum.Enum):
    """What a yes/no question asks of a node set."""

    NOT_EMPTY = "not_empty"
    CONTAINS = "contains"


class Function(str, enum.Enum):
    """What numbers are put together to."""

    SUM = "sum"
    AVERAGE = "average"
    RANGE = "range"


class Stretch(str, enum.Enum):
    """What stretches of time are counted in."""

    DAYS = "days"
    YEARS = "years"


@dataclass(frozen=True, slots=True)
class Start:
    """Begin with linked entities (or, for reverse look-ups, literals)."""

    out: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Follow:
    """``get_tail_entity`` (OUT) or ``get_head_entity`` (IN) along a property.

    ``properties`` empty means any relation: the neighbours. Several mean their union.
    """

    out: str
    source: str
    properties: tuple[str, ...]
    direction: Direction = Direction.OUT


@dataclass(frozen=True, slots=True)
class FilterByType:
    """``get_entity_by_type``: keep what is an instance (or subclass) of a class.

    With ``source`` empty it starts a set: all instances of the class. ``via`` are the relations
    that express the type, e.g. instance of (P31) and occupation (P106).
    """

    out: str
    source: str
    type_ids: tuple[str, ...]
    via: tuple[str, ...] = ("P31",)


@dataclass(frozen=True, slots=True)
class FilterByConstraint:
    """``get_entity_by_constraint``: keep entities with a property value that compares so.

    With ``source`` empty it starts a set: all entities that pass.
    """

    out: str
    source: str
    property: str
    comparison: Comparison
    value: Value


@dataclass(frozen=True, slots=True)
class Intersect:
    """``intersect``: nodes in all of the named sets."""

    out: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """``union``: nodes in any of the named sets."""

    out: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Nodes of ``source`` that are not in ``minus`` (negation; our addition to the toolbox)."""

    out: str
    source: str
    minus: str


@dataclass(frozen=True, slots=True)
class Extreme:
    """Nodes whose value of ``property`` is largest or smallest; ties are all kept."""

    out: str
    source: str
    property: str
    largest: bool


@dataclass(frozen=True, slots=True)
class FilterByCount:
    """Nodes that relations join to so many others ("more than two official languages").

    Nodes without any drop out, whatever the comparison. With ``source`` empty it starts a set:
    all entities with such a number. With ``among`` only others of that set are counted. Our
    addition to the toolbox, like all that follow up to Count.
    """

    out: str
    source: str
    properties: tuple[str, ...]
    direction: Direction
    comparison: Comparison
    number: int
    among: str = ""


@dataclass(frozen=True, slots=True)
class FilterBySame:
    """Nodes for which two relations lead to a same value ("died where they were born").

    Of several properties on a side any counts. With ``source`` empty it starts a set: all
    entities of which that holds.
    """

    out: str
    source: str
    first: tuple[str, ...]
    second: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExtremeCount:
    """Nodes that relations join to most others (or fewest); ties are all kept.

    Nodes without any drop out. ``source`` and ``among`` are as in FilterByCount.
    """

    out: str
    source: str
    properties: tuple[str, ...]
    direction: Direction
    largest: bool
    among: str = ""


@dataclass(frozen=True, slots=True)
class ExtremeSize:
    """Of some values, each with a set of its own, those whose set is largest or smallest.

    "Do more people play the violin or the accordion": the two instruments, and for each the set
    of its players. Ties are all kept.
    """

    out: str
    values: tuple[Value, ...]
    sources: tuple[str, ...]
    largest: bool


@dataclass(frozen=True, slots=True)
class ExtremeSpan:
    """Nodes with the longest or shortest time from one property to another ("lived longest").

    ``begin`` and ``end`` are properties with times; nodes without both drop out, ties are all
    kept.
    """

    out: str
    source: str
    begin: str
    end: str
    largest: bool


@dataclass(frozen=True, slots=True)
class Coarsen:
    """The times of a property, told to a precision alone ("in which year", "which century").

    Times that are known less precisely than that drop out.
    """

    out: str
    source: str
    property: str
    precision: int


@dataclass(frozen=True, slots=True)
class Elapsed:
    """How many whole years or days lie between times of ``source`` and later ones of ``target``."""

    out: str
    source: str
    target: str
    stretch: Stretch


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The sum, average or range of a property's numbers over a set, one for each unit.

    The range is the largest less the smallest: the difference between two.
    """

    out: str
    source: str
    property: str
    function: Function


@dataclass(frozen=True, slots=True)
class CountDifference:
    """How many more nodes ``source`` has than ``minus``."""

    out: str
    source: str
    minus: str


@dataclass(frozen=True, slots=True)
class Count:
    """``count``: the number of distinct nodes."""

    out: str
    source: str


@dataclass(frozen=True, slots=True)
class Judge:
    """``judge``: whether the set is not empty, or contains ``value``."""

    out: str
    source: str
    kind: JudgeKind
    value: Value | None = None


@dataclass(frozen=True, slots=True)
class End:
    """``end``: the named set (or number, or boolean) is the answer."""

    source: str


Step: TypeAlias = (
    Start
    | Follow
    | FilterByType
    | FilterByConstraint
    | Intersect
    | Union
    | Difference
    | Extreme
    | FilterByCount
    | FilterBySame
    | ExtremeCount
    | ExtremeSize
    | ExtremeSpan
    | Coarsen
    | Elapsed
    | Aggregate
    | CountDifference
    | Count
    | Judge
    | End
)


@dataclass(frozen=True, slots=True)
class Program:
    """Steps in order; every name is written once, before it is read; the last step is End.

    ``exclude_start`` removes the start entities from the answer ("people born in the same
    place as X" does not mean X).
    """

    steps: tuple[Step, ...]
    exclude_start: bool = False
