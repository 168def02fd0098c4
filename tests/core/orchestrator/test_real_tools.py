"""A run with the real toolboxes on a source in memory: know before use, provenance, answer."""

from __future__ import annotations

from robodata_core.events import GraphChanged, ToolReturned
from robodata_core.model import AnswerStatus, EntityValue
from robodata_core.orchestrator.parts import default_parts
from robodata_core.policy.base import AnswerDraft, AnswerPart
from robodata_core.tools.base import ToolCall
from tests.core.orchestrator.support import ANSWER, EVAL, JUDGE, UPDATE, Scripted, go, run, use
from tests.core.tools.fakes import FakeSource


def _fetch(node: str, relation: str) -> ToolCall:
    arguments = {"nodes": [node], "property": relation}
    return ToolCall("fetch_relationship_from_node", arguments)


def test_from_the_question_to_a_supported_claim() -> None:
    draft = AnswerDraft(
        AnswerStatus.ANSWERED,
        parts=(AnswerPart(handles=("T1",)),),
    )
    policy = Scripted(
        use(ToolCall("search_entities", {"text": "Canada"})),
        use(ToolCall("get_relation", {"entities": ["Q16"]})),
        go(JUDGE),
        go(UPDATE),
        use(_fetch("Q16", "P36")),
        go(EVAL),
        go(ANSWER),
        draft=draft,
    )
    trial = run(policy, parts=default_parts(), source=FakeSource())
    failed = [event.text for event in trial.of(ToolReturned) if not event.ok]
    assert failed == []
    (changed,) = trial.of(GraphChanged)
    assert [item.triple.object for item in changed.added] == [EntityValue("Q1930")]
    record = changed.added[0].provenance[0]
    assert (record.run_id, record.call_id, record.tool) == (
        "run-1",
        "k3",
        "fetch_relationship_from_node",
    )
    assert trial.answer.status is AnswerStatus.ANSWERED
    assert [item.label for item in trial.answer.results] == ["Ottawa"]
    assert (trial.answer.statistics.nodes, trial.answer.statistics.edges) == (2, 1)


def test_ids_that_were_not_shown_are_refused_and_named() -> None:
    policy = Scripted(go(JUDGE), go(UPDATE), use(_fetch("Q16", "P36")))
    trial = run(policy, parts=default_parts(), source=FakeSource())
    (returned,) = trial.of(ToolReturned)
    assert not returned.ok and "P36" in returned.text
    assert trial.graph.edge_count == 0


def test_tools_of_other_states_are_not_there() -> None:
    policy = Scripted(use(_fetch("Q16", "P36"), ToolCall("search_entities", {"text": "Canada"})))
    trial = run(policy, parts=default_parts(), source=FakeSource())
    assert [event.ok for event in trial.of(ToolReturned)] in ([False, True], [True, False])
    assert not trial.of(GraphChanged)
