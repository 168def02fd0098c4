"""A short run written down by hand, for tests of everything that reads events."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from robodata_core.events import (
    AnswerReady,
    ClaimValidated,
    DecisionRejected,
    GraphChanged,
    Header,
    Noticed,
    ObservationMade,
    PolicyDecided,
    RunEnded,
    RunEvent,
    RunStarted,
    StateEntered,
    ToolCalled,
    ToolReturned,
    UrgencyChanged,
)
from robodata_core.model import (
    Answer,
    AnswerStatus,
    Claim,
    EntityValue,
    Evidence,
    ResultItem,
    SupportSet,
    TokenCount,
    Triple,
)

__all__ = ["CAPITAL", "START", "number", "sample_run"]

START = datetime(2025, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
CAPITAL = Evidence(
    "T1",
    Triple("Q16", "P36", EntityValue("Q1930")),
    subject_label="Canada",
    predicate_label="capital",
    object_label="Ottawa",
)
Maker = Callable[[Header], RunEvent]


def number(*makers: Maker, run_id: str = "run-1") -> list[RunEvent]:
    """Give each event its header: numbered from 1, a second apart."""
    return [
        make(Header(run_id, seq, START + timedelta(seconds=seq - 1)))
        for seq, make in enumerate(makers, 1)
    ]


def sample_run() -> list[RunEvent]:
    """Return a run that is asked for Canada's capital, with one of every event."""
    claim = Claim("c1", "The capital of Canada is Ottawa.", True, SupportSet((CAPITAL,)))
    answer = Answer(
        "What is the capital of Canada?",
        AnswerStatus.ANSWERED,
        "Ottawa [c1]",
        "offline",
        (claim,),
        (ResultItem(EntityValue("Q1930"), "Ottawa", claims=("c1",)),),
        run_id="run-1",
    )
    eval_, remote, update, produce = (
        "LOCAL_DATA_EVALUATION",
        "REMOTE_GRAPH_EXPLORATION",
        "LOCAL_GRAPH_UPDATE",
        "PRODUCE_ANSWER",
    )
    tokens = TokenCount(10, 2)
    return number(
        lambda h: RunStarted(h, answer.question, "offline", "snapshot:sample", 5, {"a": 1}),
        lambda h: StateEntered(h, eval_, 1, "none"),
        lambda h: StateEntered(h, remote, 1, "none", "the local graph is empty"),
        lambda h: PolicyDecided(h, 1, ("search_entities",), "", "", "look up", 0.5, tokens),
        lambda h: ToolCalled(h, 1, "k1", "search_entities", {"text": "Canada"}),
        lambda h: ToolCalled(h, 1, "k2", "search_entities", {"text": "capital"}),
        lambda h: ToolReturned(h, 1, "k2", "search_entities", False, "No.", None, None, False, 0.1),
        lambda h: ToolReturned(h, 1, "k1", "search_entities", True, "Q16", 9, 1, False, 0.2),
        lambda h: DecisionRejected(h, 1, "No next state was chosen."),
        lambda h: PolicyDecided(h, 1, (), update, "go on", "found it", 0.25, tokens),
        lambda h: UrgencyChanged(h, 2, "high"),
        lambda h: StateEntered(h, update, 2, "high"),
        lambda h: PolicyDecided(h, 2, ("fetch_node",), "", "", "", 0.0),
        lambda h: ToolCalled(h, 2, "k3", "fetch_node", {"nodes": ["Q16"]}),
        lambda h: ToolReturned(h, 2, "k3", "fetch_node", True, "T1", 1, 1, False, 0.3),
        lambda h: GraphChanged(h, 2, "k3", (CAPITAL,), (), 2, 1),
        lambda h: ObservationMade(h, 2, "direct", "go on", ("calm",), "", tokens),
        lambda h: Noticed(h, "info", "Nothing to see."),
        lambda h: StateEntered(h, produce, 3, "final", "the limit of 3 turns is reached"),
        lambda h: PolicyDecided(h, 3, (), "", "", "done", 0.0),
        lambda h: ClaimValidated(h, claim),
        lambda h: AnswerReady(h, answer),
        lambda h: RunEnded(h, "answered", 21.5),
    )
