"""What a tool is: typed arguments in, a bounded text and structured data out.

A tool never raises at its caller: ``registry`` turns ``RoboDataError`` into a sentence. Source:
the tools and toolbox of the RoboData and KG-Agent papers.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict

from robodata_core.model import Absence
from robodata_core.tools.labels import FoundNames, LabelCache

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.store.graph import LocalGraph
    from robodata_core.tools.known_ids import KnownIds

__all__ = ["Arguments", "Tool", "ToolCall", "ToolContext", "ToolFamily", "ToolOutput", "ToolResult"]


class ToolFamily(str, enum.Enum):
    """What a tool works on; toolboxes of states are unions of families."""

    LOCAL = "local"
    REMOTE = "remote"
    UPDATE = "update"
    EXTRACTION = "extraction"
    LOGIC = "logic"
    SEMANTIC = "semantic"


class Arguments(BaseModel):
    """Base of all argument models: unknown keys are errors, values are bounded by fields."""

    # Built when first used: a question uses a few of the tools.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as a policy asks for it.

    Attributes:
        tool: Tool name.
        arguments: As given, not validated yet.
        id: Unique within the run; empty until the orchestrator numbers it (``k1``, ``k2``...).
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool hands back.

    Attributes:
        text: What the agent reads: bounded, ``label (Q42)`` beside every id, counts of what
            was found and shown, how to get more.
        data: The same for programs: model objects, by the tool's own documentation.
        ids: Every id that ``text`` or ``data`` shows: known from now on.
        total: How many results there are, where that makes sense.
        shown: How many of them are in ``text``.
        handles: Handles of triples the call added to the local graph.
        absence: What the source does not state, as a sentence, where the call looked through
            everything and found nothing; empty otherwise.
        recalled: Whether this was known already, so that the source was not asked.
    """

    text: str
    data: Any = None
    ids: tuple[str, ...] = ()
    total: int | None = None
    shown: int | None = None
    handles: tuple[str, ...] = ()
    absence: str = ""
    recalled: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A call with its outcome.

    Attributes:
        call: The call.
        output: What the tool handed back; on failure its text is the error sentence.
        ok: Whether it succeeded.
        repeated: Whether it was answered from memory.
        seconds: Wall time.
    """

    call: ToolCall
    output: ToolOutput
    ok: bool = True
    repeated: bool = False
    seconds: float = 0.0


@dataclass(slots=True)
class ToolContext:
    """What a tool may touch during one call.

    Attributes:
        source: The remote ontology.
        store: The local graph.
        known: Ids that were shown before (know before use).
        variables: KG-Agent's knowledge memory: named results of earlier extraction steps.
        question: The question being answered.
        run_id: Id of the run.
        call_id: Id of this call.
        now: Time of this call (UTC).
        language: Preferred label language.
        cancel: Checked by tools that do more than one step.
        max_items: Most items shown in a text.
        labels: Labels that were looked up; share one in a run.
        absences: Look-ups that found nothing, by handle; share one in a run.
        names: Exact names that were looked up; share one in a run.
        notes: What this call left out, as sentences; shown below its result.
    """

    source: KnowledgeSource
    store: LocalGraph
    known: KnownIds
    variables: dict[str, Any]
    question: str
    run_id: str
    call_id: str
    now: datetime
    language: str
    cancel: CancelToken
    max_items: int = 20
    labels: LabelCache = field(default_factory=LabelCache)
    absences: dict[str, Absence] = field(default_factory=dict)
    names: FoundNames = field(default_factory=FoundNames)
    notes: list[str] = field(default_factory=list)


A = TypeVar("A", bound=Arguments)


class Tool(Generic[A]):
    """Base class of tools; one instance serves all runs, so it keeps no state.

    Class attributes:
        name: The paper's name.
        description: One or two sentences for the agent.
        family: Where it belongs.
        arguments: Pydantic model of its arguments, the one that ``Tool`` is given; its JSON schema
            is what models see.
        writes: Whether it changes the local graph (writers run alone, in order).
        told: Whether language models are told of it; what others can do is not told twice.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    family: ClassVar[ToolFamily]
    arguments: type[A]
    writes: ClassVar[bool] = False
    told: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        for base in getattr(cls, "__orig_bases__", ()):
            if get_origin(base) is Tool and isinstance(get_args(base)[0], type):
                cls.arguments = get_args(base)[0]

    def run(self, args: A, context: ToolContext) -> ToolOutput:
        """Carry out the call.

        Raises:
            RoboDataError: With a sentence for the agent.
        """
        raise NotImplementedError
