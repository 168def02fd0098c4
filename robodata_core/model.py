"""The knowledge model: what an entity, a statement, a claim and an answer are.

Frozen data only: no input or output, no RDF terms (those live in ``store/_terms.py``), no
behaviour beyond what follows from the data. Terms are Wikibase's (item, property, statement,
rank, qualifier, reference, snak) and the paper's (claim, support set).

Ids are strings throughout: ``Q42`` or ``P36`` for Wikidata's entities, the absolute IRI for
entities of any other source. ``robodata_core.iris`` converts.
"""

from __future__ import annotations

import builtins
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, TypeAlias

__all__ = [
    "Absence",
    "Answer",
    "AnswerStatus",
    "Claim",
    "Completeness",
    "CoordinateValue",
    "Direction",
    "Entity",
    "EntityKind",
    "EntityValue",
    "Evidence",
    "ExternalIdValue",
    "MatchKind",
    "MonolingualTextValue",
    "NoValue",
    "Property",
    "Provenance",
    "QuantityValue",
    "Rank",
    "Reference",
    "RelationCount",
    "ResultItem",
    "RunStatistics",
    "SearchHit",
    "Snak",
    "SomeValue",
    "SparqlResult",
    "Spending",
    "Statement",
    "StatementPage",
    "StringValue",
    "SupportSet",
    "TimeValue",
    "TokenCount",
    "Triple",
    "UrlValue",
    "Value",
    "datatype_of",
]


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


# -- values -----------------------------------------------------------------------------------


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


# -- what a source holds ----------------------------------------------------------------------


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


# -- what an answer is made of ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a triple of the local graph came from, down to the call that fetched it.

    Attributes:
        source: Source name.
        retrieved: When it was fetched (UTC).
        run_id: The run that fetched it.
        call_id: The tool call that fetched it.
        tool: That call's tool.
        statement_id: The source's own statement id, or empty.
        rank: Wikibase rank.
        qualifiers: As in the statement.
        references: As in the statement.
        origin: As in the statement.
        revision: As in the statement.
    """

    source: str
    retrieved: datetime
    run_id: str
    call_id: str
    tool: str
    statement_id: str = ""
    rank: Rank = Rank.NORMAL
    qualifiers: tuple[Snak, ...] = ()
    references: tuple[Reference, ...] = ()
    origin: str = ""
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A triple that stands in the local graph, with its handle and its provenance.

    Attributes:
        handle: Short name within the local graph, ``T17``.
        triple: The triple itself.
        subject_label: Label of the subject ("" where unknown).
        predicate_label: Label of the property.
        object_label: Label of the object where it is an entity, else its text.
        unit_label: Label of the unit where the object is a quantity with one.
        statement: IRI of its statement node in the local graph.
        provenance: Where it came from; several sources or calls may give the same triple.
    """

    handle: str
    triple: Triple
    statement: str = ""
    subject_label: str = ""
    predicate_label: str = ""
    object_label: str = ""
    provenance: tuple[Provenance, ...] = ()
    unit_label: str = ""


@dataclass(frozen=True, slots=True)
class SupportSet:
    """The triples that together back a claim."""

    evidence: tuple[Evidence, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.evidence)


@dataclass(frozen=True, slots=True)
class Absence:
    """A look-up that found nothing: what was asked of which source, when, and by which call.

    The counterpart of evidence for what is not there. It says what a source does not state,
    never what is untrue, and supports no claim.

    Attributes:
        handle: ``N7``; the number is that of the call.
        text: What the source does not state, as a sentence of ours.
        source: Where it was looked for.
        tool: The tool that asked.
        arguments: What it was asked.
        retrieved: When (UTC).
        run_id: The run.
        call_id: The call.
    """

    handle: str
    text: str
    source: str
    tool: str
    arguments: Mapping[str, Any]
    retrieved: datetime
    run_id: str = ""
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer with the support it was validated against.

    Attributes:
        id: ``c1``, ``c2``, ... within the answer.
        text: The sentence.
        supported: Whether validation held.
        support: The triples it rests on.
        problem: Why validation failed, or empty.
    """

    id: str
    text: str
    supported: bool
    support: SupportSet = SupportSet()
    problem: str = ""


class AnswerStatus(str, enum.Enum):
    """How a run ended, as far as its question is concerned."""

    ANSWERED = "answered"
    PARTIAL = "partial"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ResultItem:
    """One answer entity or literal; booleans and counts are plain values.

    Attributes:
        value: An entity reference, a literal, a boolean, or a count.
        label: Label of the entity, or the literal as text.
        unit_label: Label of a quantity's unit.
        claims: Ids of the claims that name it.
    """

    value: Value | bool | int
    label: str = ""
    unit_label: str = ""
    claims: tuple[str, ...] = ()

    @property
    def id(self) -> str | None:
        """The id of the entity; None for a literal, a boolean and a count."""
        return self.value.id if isinstance(self.value, EntityValue) else None

    @property
    def datatype(self) -> str:
        """The Wikibase datatype of the value; ``boolean`` and ``integer`` for plain ones."""
        return datatype_of(self.value)


@dataclass(frozen=True, slots=True)
class Completeness:
    """Found ``found`` of the ``reported`` the source says there are (None: it does not say)."""

    found: int
    reported: int | None = None


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Tokens sent to and received from a model."""

    prompt: int = 0
    completion: int = 0

    def __add__(self, other: TokenCount) -> TokenCount:
        return TokenCount(self.prompt + other.prompt, self.completion + other.completion)


@dataclass(frozen=True, slots=True)
class Spending:
    """What one role spent on one model in one state: a line of the run's ledger.

    Attributes:
        role: ``exploration``, ``evaluation``, ``update``, ``metacognition``, ``decomposition``,
            ``conversation``.
        state: The state it was spent in, or empty outside of a run.
        model: Name of the model.
        calls: Replies it gave.
        uncounted: Those whose tokens the server did not report: ``tokens`` lacks them.
        tokens: Sum over the calls.
        cost: In the currency of the prices set; None where the model has no price.
    """

    role: str
    state: str
    model: str
    calls: int = 0
    uncounted: int = 0
    tokens: TokenCount = TokenCount()
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class RunStatistics:
    """The columns of the paper's tables, for one run.

    Attributes:
        turns: Orchestrator iterations: states visited and decided in.
        tool_calls: All calls, repeated and failed ones included.
        failed_calls: Those that ended in an error.
        repeated_calls: Those answered from memory.
        tokens: Sum over all model calls.
        seconds: Wall time of the run.
        nodes: Nodes this run added to the local graph.
        edges: Triples between nodes or node and literal this run added.
        calls_by_tool: Number of calls by tool name.
        seconds_by_state: Wall time by state name.
        spending: What model calls cost, by role, state and model.
    """

    turns: int = 0
    tool_calls: int = 0
    failed_calls: int = 0
    repeated_calls: int = 0
    tokens: TokenCount = TokenCount()
    seconds: float = 0.0
    nodes: int = 0
    edges: int = 0
    calls_by_tool: Mapping[str, int] = field(default_factory=dict)
    seconds_by_state: Mapping[str, float] = field(default_factory=dict)
    spending: tuple[Spending, ...] = ()

    @property
    def cost(self) -> float | None:
        """What all model calls cost; None unless every model that was asked has a price."""
        costs = [row.cost for row in self.spending if row.cost is not None]
        return sum(costs) if costs and len(costs) == len(self.spending) else None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run gives back.

    Attributes:
        question: As asked (after cleaning).
        status: How it ended.
        text: The answer in prose, claims numbered ``[c1]``.
        policy: Who decided: ``offline`` or ``llm``.
        claims: Validated claims first; unsupported ones are marked, never mixed in.
        results: The answer entities or literals.
        completeness: For set questions.
        absences: Look-ups that found nothing and that the answer rests on ("no", none, zero).
        missing: What is missing and why (partial), or what was looked for (unknown, or "no").
        suggestions: Near matches for names that could not be linked.
        attempt: Best attempt of an unsure policy, shown as such, never as the answer.
        notes: How the question was read where it could be read otherwise, and what was compared.
        program: The reasoning program in words, and ``sparql`` the same as one query.
        sparql: See ``program``; empty where there is none.
        statistics: See RunStatistics.
        trace: States in the order they were visited.
        run_id: Id of the run.
        understood_as: What was asked in its place, where a conversation rewrote the question.
    """

    question: str
    status: AnswerStatus
    text: str = ""
    policy: str = ""
    claims: tuple[Claim, ...] = ()
    results: tuple[ResultItem, ...] = ()
    completeness: Completeness | None = None
    absences: tuple[Absence, ...] = ()
    missing: tuple[str, ...] = ()
    suggestions: tuple[SearchHit, ...] = ()
    attempt: str = ""
    notes: tuple[str, ...] = ()
    program: str = ""
    sparql: str = ""
    statistics: RunStatistics = RunStatistics()
    trace: tuple[str, ...] = ()
    run_id: str = ""
    understood_as: str = ""
