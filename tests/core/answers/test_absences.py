"""What rests on look-ups that found nothing: shown with its query, never as a supported claim."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.answers.absences import with_absences
from robodata_core.answers.build import build_answer
from robodata_core.answers.json import answer_to_json
from robodata_core.answers.text import answer_lines
from robodata_core.answers.validation import validate
from robodata_core.cli._main import run as run_command
from robodata_core.model import (
    Absence,
    Answer,
    AnswerStatus,
    Entity,
    EntityValue,
    Property,
    ResultItem,
    Statement,
)
from robodata_core.policy.base import AnswerDraft, ClaimDraft
from robodata_core.store.graph import Fetch, LocalGraph
from tests.core.policy.llm.scripts import go, results_seen, state_of
from tests.core.policy.llm.server import ModelServer, Reply, Script, model_server

QUESTION = "Does Jane Belson have children?"
JANE = "Q14623681"
NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def submit(**given: Any) -> Reply:
    return Reply(calls=(("submit_answer", {"status": "answered", "claims": [], **given}),))


def looks_in_vain(final: Reply, first: tuple[tuple[str, dict[str, Any]], ...] = ()) -> Script:
    """A model that asks for Jane Belson's children, finds none, and hands in ``final``."""
    follow = ("get_tail_entity", {"entities": [JANE], "relation": ["P40"]})
    rounds = [
        (("search_entities", {"text": "Jane Belson"}),
         ("search_entities", {"text": "child", "kind": "property"})),
        first or (follow,),
    ]  # fmt: skip

    def reply(request: dict[str, Any]) -> Reply:
        state = state_of(request)
        if state == "REMOTE_GRAPH_EXPLORATION":
            done = sum(message["role"] == "assistant" for message in request["messages"])
            return Reply(calls=rounds[done]) if done < len(rounds) else go("LOCAL_DATA_EVALUATION")
        if state == "LOCAL_DATA_EVALUATION":
            return go("PRODUCE_ANSWER")
        assert not results_seen(request)
        return final

    return reply


def ask(script: Script) -> tuple[Answer, ModelServer]:
    with (
        model_server(script) as server,
        RoboData.open(policy="llm", model="m", base_url=server.url, max_turns=8) as robodata,
    ):
        return robodata.ask(QUESTION), server


def test_a_no_rests_on_the_look_up_and_says_so() -> None:
    answer, server = ask(looks_in_vain(submit(results=[False], absences=["N3"])))
    assert answer.status is AnswerStatus.ANSWERED
    assert [item.value for item in answer.results] == [False]
    assert answer.claims == ()
    (absence,) = answer.absences
    assert absence.text == "The source states no “child (P40)” for Jane Belson (Q14623681)."
    assert (absence.tool, absence.source) == ("get_tail_entity", "snapshot:wikidata-sample")
    assert dict(absence.arguments) == {"entities": [JANE], "relation": ["P40"]}
    assert (absence.call_id, absence.run_id) == ("k3", answer.run_id)
    assert answer.text.startswith("As far as the source states, no.")
    assert f"{absence.text[:-1]} [N3]." in answer.text
    shown = server.requests[-1]["messages"][1]["content"]
    assert "N3: The source states no “child (P40)” for Jane Belson" in shown


def test_a_count_of_none_is_zero() -> None:
    answer, _ = ask(looks_in_vain(submit(results=[0], absences=["N3"])))
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.text.startswith("As far as the source states, none.")


def test_a_no_beside_a_claim_is_told_in_the_text() -> None:
    with LocalGraph.in_memory() as graph:
        fetch = Fetch("r", "k1", "fetch_node", NOW)
        graph.add(
            [Statement("Q42", "P26", EntityValue(JANE))],
            fetch,
            entities=[Entity("Q42", "Douglas Adams"), Entity(JANE, "Jane Belson")],
            properties=[Property("P26", "spouse")],
        )
        draft = AnswerDraft(
            AnswerStatus.ANSWERED,
            claims=(ClaimDraft("Jane Belson was the spouse of Douglas Adams.", ("T1",)),),
            results=(ResultItem(False), ResultItem(EntityValue("Q42"), "Douglas Adams")),
            absences=("N4",),
            asserted=True,
        )
        question = "Does Jane Belson have children, and who was her husband?"
        known = {"N4": Absence("N4", "The source states no “child” for her.", "s", "t", {}, NOW)}
        checked = with_absences(validate(draft, graph, question), draft, known)
        answer = build_answer(
            draft, checked, graph, question=question, policy="llm", run_id="run-1"
        )
    assert answer.status is AnswerStatus.ANSWERED
    assert [item.value for item in answer.results] == [False, EntityValue("Q42")]
    assert answer.text.endswith("The source states no “child” for her [N4].")


def test_not_knowing_shows_what_was_looked_for() -> None:
    answer, _ = ask(looks_in_vain(submit(status="unknown", absences=["N3"])))
    assert answer.status is AnswerStatus.UNKNOWN
    assert not answer.results
    assert "states no “child (P40)” for Jane Belson" in answer.text


@pytest.mark.parametrize(
    "final",
    [
        {"results": [False]},
        {"results": [False], "absences": ["N4"]},
        {"results": [False], "absences": ["T1"]},
        {"results": [False], "absences": ["N3; DROP"]},
        {"results": [False], "absences": "N3"},
        {"results": [True], "absences": ["N3"]},
        {"results": [3], "absences": ["N3"]},
        {"results": ["Q42"], "absences": ["N3"]},
        {"results": ["Polly Adams"], "absences": ["N3"]},
        {"results": [False, "Q42"], "absences": ["N3"]},
        {"results": [], "absences": ["N3"]},
        {"results": [False], "absences": ["N3"],
         "claims": [{"text": "Jane Belson has no children.", "handles": ["N3"]}]},
        {"results": [True], "absences": ["N3"],
         "claims": [{"text": "Jane Belson is the mother of Polly Adams.", "handles": ["N3"]}]},
    ],
)  # fmt: skip
def test_nothing_found_supports_nothing_else(final: dict[str, Any]) -> None:
    answer, _ = ask(looks_in_vain(submit(**final)))
    assert answer.status is AnswerStatus.UNKNOWN, answer.text
    assert not any(claim.supported for claim in answer.claims)
    assert not answer.results


def test_an_invented_look_up_goes_back_once() -> None:
    answer, server = ask(looks_in_vain(submit(results=[False], absences=["N99"])))
    finals = [r for r in server.requests if state_of(r) == "PRODUCE_ANSWER"]
    assert len(finals) == 2
    assert "N99 is not the handle of a look-up" in finals[1]["messages"][1]["content"]
    assert answer.absences == ()


def test_a_claim_on_a_look_up_is_told_where_that_belongs() -> None:
    claim = {"text": "Jane Belson has no children.", "handles": ["N3"]}
    _, server = ask(looks_in_vain(submit(claims=[claim])))
    assert (
        "support no claim, name them in absences" in server.requests[-1]["messages"][1]["content"]
    )


def test_a_query_without_rows_can_be_cited_by_its_text() -> None:
    query = f"SELECT ?x WHERE {{ wd:{JANE} wdt:P40 ?x }}"
    script = looks_in_vain(
        submit(results=[False], absences=["N3"]), (("sparql_query", {"query": query}),)
    )
    answer, _ = ask(script)
    assert answer.status is AnswerStatus.ANSWERED
    assert query in answer.absences[0].text


def test_a_look_up_that_found_something_cannot_be_cited() -> None:
    spouse = (("get_head_entity", {"entities": [JANE], "relation": ["P40"]}),)
    father = (("get_relation", {"entities": [JANE]}),)
    for first in (father, spouse):
        answer, server = ask(looks_in_vain(submit(results=[False], absences=["N3"]), first))
        cited = "found nothing (what the source" in server.requests[-1]["messages"][1]["content"]
        assert cited == bool(answer.absences) == (first is spouse)


def test_it_is_shown_and_written_with_its_provenance(capsys: pytest.CaptureFixture[str]) -> None:
    answer, _ = ask(looks_in_vain(submit(results=[False], absences=["N3"])))
    lines = [line for _, line in answer_lines(answer)]
    assert lines[0] == "No"
    assert any(
        line.startswith("N3 nothing found: The source states no “child (P40)”") for line in lines
    )
    (written,) = json.loads(json.dumps(answer_to_json(answer)))["absences"]
    assert written["handle"] == "N3"
    assert written["provenance"]["tool"] == "get_tail_entity"
    assert run_command(["ask", "--json", "What is the capital of Canada?"]) == 0
    assert "absences" not in json.loads(capsys.readouterr().out)
