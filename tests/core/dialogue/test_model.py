"""Questions made whole by a language model: checked like the rules, which stand in for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.events import QuestionUnderstood, RunEvent
from robodata_core.model import Answer
from robodata_core.prompts import load
from tests.core.policy.llm.scripts import (
    CAPITAL,
    answer,
    capital_script,
    go,
    results_seen,
    state_of,
)
from tests.core.policy.llm.server import ModelServer, Reply, Script, model_server


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def is_rephrasing(request: dict[str, Any]) -> bool:
    return bool(request["messages"][0]["content"] == load("rephrase"))


def talked(
    rephrase: Callable[[dict[str, Any]], Reply], question: str, **settings: Any
) -> tuple[Answer, QuestionUnderstood, ModelServer]:
    """Ask for the capital of Canada, then ``question``; the model rephrases by ``rephrase``."""
    good = capital_script()

    def script(request: dict[str, Any]) -> Reply:
        return rephrase(request) if is_rephrasing(request) else good(request)

    events: list[RunEvent] = []
    with (
        model_server(script) as server,
        RoboData.open(policy="llm", model="m", base_url=server.url, **settings) as robodata,
    ):
        conversation = robodata.conversation()
        conversation.ask(CAPITAL)
        answer = conversation.ask(question, on_event=events.append)
    (understood,) = [event for event in events if isinstance(event, QuestionUnderstood)]
    return answer, understood, server


def says(depends: bool, question: str) -> Callable[[dict[str, Any]], Reply]:
    return lambda request: Reply(text=json.dumps({"depends": depends, "question": question}))


def test_the_model_makes_a_question_whole_in_one_call() -> None:
    told: list[Any] = []

    def rephrase(request: dict[str, Any]) -> Reply:
        told.append(json.loads(request["messages"][1]["content"]))
        return says(True, "What is the capital of Canada?")(request)

    answer, understood, server = talked(rephrase, "So which city governs that place?")
    assert answer.understood_as == "What is the capital of Canada (Q16)?", "names are bound"
    assert understood.rewriting.by == "model"
    assert [is_rephrasing(request) for request in server.requests].count(True) == 1
    assert told == [
        {
            "history": [
                {"question": CAPITAL, "answer": ["Ottawa (Q1930)"], "named": ["Canada (Q16)"]}
            ],
            "question": "So which city governs that place?",
        }
    ]


def test_what_a_claim_names_may_be_meant_though_it_is_no_result() -> None:
    told: list[Any] = []

    def script(request: dict[str, Any]) -> Reply:
        if is_rephrasing(request):
            told.append(json.loads(request["messages"][1]["content"])["history"])
            return says(True, "Which country has Ottawa as capital?")(request)
        return good(request)

    good = capital_script(answer(("Ottawa is the capital of Canada.", ["T1"]), results=[]))
    with (
        model_server(script) as server,
        RoboData.open(policy="llm", model="m", base_url=server.url) as robodata,
    ):
        conversation = robodata.conversation()
        conversation.ask(CAPITAL)
        found = conversation.ask("And which country has that as its capital?")
    assert found.understood_as == "Which country has Ottawa (Q1930) as capital?"
    assert told[0][0]["answer"] == ["Ottawa (Q1930)"]


def fetching(subject: tuple[str, str], relation: tuple[str, str], final: Reply) -> Script:
    """A model that fetches one relation of one thing, whatever it is asked; names with ids."""

    def reply(request: dict[str, Any]) -> Reply:
        state, seen = state_of(request), results_seen(request)
        if state == "REMOTE_GRAPH_EXPLORATION" and not seen:
            names = ((subject[0], "item"), (relation[0], "property"))
            return Reply(calls=tuple(("search_entities", {"text": t, "kind": k}) for t, k in names))
        if state == "LOCAL_GRAPH_UPDATE" and not seen:
            call = {"nodes": [subject[1]], "property": relation[1]}
            return Reply(calls=(("fetch_relationship_from_node", call),))
        if state == "PRODUCE_ANSWER":
            return final
        onward = {
            "REMOTE_GRAPH_EXPLORATION": "REMOTE_DATA_EVALUATION",
            "REMOTE_DATA_EVALUATION": "LOCAL_GRAPH_UPDATE",
            "LOCAL_GRAPH_UPDATE": "LOCAL_DATA_EVALUATION",
            "LOCAL_DATA_EVALUATION": "PRODUCE_ANSWER",
        }
        return go(onward[state])

    return reply


@pytest.mark.parametrize("brackets", [True, False])
def test_iris_bind_names_with_and_without_brackets(town: Path, brackets: bool) -> None:
    told: list[Any] = []
    ivo = "http://town.example/Ivo"
    fetch = fetching(
        ("Mona Reyl", "http://town.example/Mona"),
        ("spouse", "http://town.example/spouse"),
        answer(("The spouse of Mona Reyl is Ivo Kern.", ["T1"]), results=[ivo]),
    )

    def script(request: dict[str, Any]) -> Reply:
        if is_rephrasing(request):
            told.append(json.loads(request["messages"][1]["content"])["history"])
            id_ = f"<{ivo}>" if brackets else ivo
            return says(True, f"When was Ivo Kern ({id_}) born?")(request)
        return fetch(request)

    with (
        model_server(script) as server,
        RoboData.open(
            source=f"snapshot:{town}", policy="llm", model="m", base_url=server.url
        ) as robodata,
    ):
        conversation = robodata.conversation()
        conversation.ask("Who is the spouse of Mona Reyl?")
        found = conversation.ask("And when was he born?")
    assert told[0][0]["answer"] == [f"Ivo Kern (<{ivo}>)"]
    assert told[0][0]["named"] == ["Mona Reyl (<http://town.example/Mona>)"]
    assert found.understood_as == f"When was Ivo Kern (<{ivo}>) born?"


def test_a_large_set_is_named_not_copied() -> None:
    """What was counted is offered under a short name, which stands for its ids."""
    told: list[Any] = []
    nine = ("Joseph P. Kennedy Sr. had nine children.", [f"T{n}" for n in range(1, 10)])
    fetch = fetching(
        ("Joseph P. Kennedy Sr.", "Q313696"), ("child", "P40"), answer(nine, results=["9"])
    )

    def script(request: dict[str, Any]) -> Reply:
        if is_rephrasing(request):
            told.append(json.loads(request["messages"][1]["content"])["history"])
            return says(True, "Which of these 9 (S1) is married to Peter Lawford?")(request)
        return fetch(request)

    with (
        model_server(script) as server,
        RoboData.open(policy="llm", model="m", base_url=server.url) as robodata,
    ):
        conversation = robodata.conversation()
        conversation.ask("How many children did Joseph P. Kennedy Sr. have?")
        first = conversation.ask("Which of them is married to Peter Lawford?")
        conversation.ask("And which of them was a senator?")
    assert [turn["set"] for turn in told[0]] == ["these 9 (S1)"]
    assert len(told[0][0]["answer"]) == 9
    start, _, rest = first.understood_as.partition("(")
    ids, _, end = rest.partition(")")
    assert (start, end) == ("Which of these 9 ", " is married to Peter Lawford?")
    assert len(ids.split(", ")) == 9 and "Q432694" in ids
    assert told[1][1]["question"] == "Which of these 9 (S1) is married to Peter Lawford?"


def test_a_set_that_was_never_offered_is_refused() -> None:
    found, understood, _ = talked(
        says(True, "Which of these 9 (S7) is a capital?"), "What is its capital?"
    )
    assert found.understood_as == "What is the capital of Canada (Q16)?"
    assert understood.rewriting.by == "rules"


def test_the_first_question_costs_no_call() -> None:
    with (
        model_server(capital_script()) as server,
        RoboData.open(policy="llm", model="m", base_url=server.url) as robodata,
    ):
        robodata.conversation().ask(CAPITAL)
    assert not any(map(is_rephrasing, server.requests))


def test_small_talk_costs_no_call() -> None:
    _, understood, server = talked(says(False, "thanks"), "thanks")
    assert understood.rewriting.understood_as == ""
    assert not any(map(is_rephrasing, server.requests))


def test_what_stands_alone_is_left_alone() -> None:
    answer, understood, _ = talked(says(False, CAPITAL), CAPITAL)
    assert answer.understood_as == ""
    assert understood.rewriting.by == "model"


@pytest.mark.parametrize(
    "reply",
    [
        says(True, "What is the capital of Italy?"),
        says(True, "What is the capital of it?"),
        says(True, "What is its capital?"),
        says(True, "What is the capital of Canada (Q999999)?"),
        says(True, "???"),
        lambda request: Reply(text="I would say Canada."),
        lambda request: Reply(text='{"depends": "yes", "question": 7}'),
        lambda request: Reply(status=400),
    ],
    ids=[
        "foreign name",
        "pronoun",
        "unchanged",
        "foreign id",
        "nothing",
        "prose",
        "wrong types",
        "refused",
    ],
)
def test_what_the_model_says_is_checked_and_the_rules_stand_in(
    reply: Callable[[dict[str, Any]], Reply],
) -> None:
    answer, understood, _ = talked(reply, "What is its capital?")
    assert answer.understood_as == "What is the capital of Canada (Q16)?"
    assert understood.rewriting.by == "rules"


def test_what_it_cost_is_counted() -> None:
    answer, understood, _ = talked(
        says(True, "What is the capital of Canada?"), "And of that?", prices={"m": [1.0, 2.0]}
    )
    (call,) = understood.rewriting.model_calls
    assert call.role == "conversation"
    assert (call.tokens.prompt, call.tokens.completion) == (100, 10)
    rows = [row for row in answer.statistics.spending if row.role == "conversation"]
    assert [row.calls for row in rows] == [1]
    assert rows[0].cost == pytest.approx(0.00012)
    assert answer.statistics.tokens.prompt == 100 * sum(
        row.calls for row in answer.statistics.spending
    )
