"""What an answer is made of: provenance, support sets, claims, results, statistics."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from robodata_core.model._graph import (
    EntityValue,
    Rank,
    Reference,
    SearchHit,
    Snak,
    Triple,
    Value,
    datatype_of,
)


class TruthKind(str, enum.Enum):
    """What kind of truth a claim tells; wording, JSON, screens and messages all use these."""

    STATED = "stated"
    """Stated of this very thing."""
    TYPICAL = "typical"
    """Stated of the class of a thing: what is usual, never what is the case now."""
    OBSERVED = "observed"
    """Seen by a robot, at a time and a place, with a score."""
    RECKONED = "reckoned"
    """Computed from stated or observed values: a number, an age, a difference."""
    ABSENT = "absent"
    """A complete look-up of that very pattern found nothing."""


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
        triple: What was looked for as a triple, where it comes down to one: its object is
            ``SomeValue`` where any would have done.
        labels: Labels of the ids in it.
    """

    handle: str
    text: str
    source: str
    tool: str
    arguments: Mapping[str, Any]
    retrieved: datetime
    run_id: str = ""
    call_id: str = ""
    triple: Triple | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer with the support it was validated against.

    Attributes:
        id: ``c1``, ``c2``, ... within the answer.
        text: The sentence.
        supported: Whether validation held.
        support: The triples it rests on.
        problem: Why validation failed, or empty.
        kind: What kind of truth it tells.
    """

    id: str
    text: str
    supported: bool
    support: SupportSet = SupportSet()
    problem: str = ""
    kind: TruthKind = TruthKind.STATED


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
        uncounted: Those whose tokens the server did not report, and which are estimated.
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
class Saying:
    """What one of several sources says about a property of an entity that an answer rests on.

    Attributes:
        source: Its name.
        subject: The entity.
        predicate: The property.
        values: What it says.
        text: The same in words, where sources differ about it; else empty.
    """

    source: str
    subject: str
    predicate: str
    values: tuple[Value, ...]
    text: str = ""


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
        reading: What the question was taken to ask, in words, made from the program: "places of
            birth of Douglas Adams". Empty where nothing was understood.
        probability: How likely the reading is the one meant, from 0 to 1, calibrated; None where
            nobody reckoned it.
        comment: What a model said besides, in its own words and not checked; never a claim.
        said: What each source says where more than one speaks of what the claims rest on.
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
    reading: str = ""
    probability: float | None = None
    comment: str = ""
    said: tuple[Saying, ...] = ()
