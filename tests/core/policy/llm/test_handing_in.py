"""What a model hands in as its answer, over a real socket: honest, sloppy, hostile."""

from __future__ import annotations

import json
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus, EntityValue
from tests.core.policy.llm.scripts import CAPITAL, state_of, submit
from tests.core.policy.llm.server import Reply, model_server

SAMPLE = "snapshot:wikidata-sample"
FETCHED = ("build_local_graph", {"nodes": ["Q16"], "relations": ["P36"]})
GO_ON = ("choose_next_state", {"next_state": "LOCAL_DATA_EVALUATION"})


def ask(
    *finals: Reply, question: str = CAPITAL, calls: Any = (FETCHED,)
) -> tuple[Answer, list[Any]]:
    """Run a model that looks Canada up, adds its capital, and hands in ``finals``."""
    left = list(finals)
    explored: list[Any] = [
        (("search_entities", {"text": "Canada", "relations": True}),),
        (FETCHED, GO_ON),
    ]

    def script(request: dict[str, Any]) -> Reply:
        if state_of(request) == "REMOTE_GRAPH_EXPLORATION" and explored:
            return Reply(calls=explored.pop(0))
        return left.pop(0) if len(left) > 1 else left[0]

    with (
        model_server(script) as server,
        RoboData.open(
            model="m", base_url=server.url, source="snapshot:wikidata-sample"
        ) as robodata,
    ):
        found = robodata.ask(question)
        assert robodata.failure is None
    return found, server.requests


CAPITAL_OF = {"follow": "P36", "from": "Q16"}


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "list", "steps": [CAPITAL_OF]},
        {"kind": "list", "steps": CAPITAL_OF},
        {"kind": "list", "steps": [[CAPITAL_OF]]},
        {"kind": "list", "sparql": "SELECT ?x WHERE { wd:Q16 wdt:P36 ?x }"},
        {"kind": "list", "handles": ["T1"]},
        {"kind": "list", "handles": ["T1-T1", "[T1]"]},
    ],
)
def test_an_answer_is_what_running_it_gives(given: dict[str, Any]) -> None:
    found, requests = ask(submit(**given, comment="It is Toronto."))
    assert found.status is AnswerStatus.ANSWERED
    assert [item.value for item in found.results] == [EntityValue("Q1930")]
    assert all(claim.supported and "Toronto" not in claim.text for claim in found.claims)
    assert found.comment == "It is Toronto." and "Toronto" not in found.reading
    assert len(requests) == 3


def test_numbers_and_a_yes_come_from_sets() -> None:
    found, _ = ask(
        submit(kind="number", steps=[CAPITAL_OF]), question="How many capitals has Canada?"
    )
    assert [item.value for item in found.results] == [1]
    found, _ = ask(
        submit(kind="yes_no", steps=[CAPITAL_OF, {"judge": True, "contains": "Q1930"}]),
        question="Is Ottawa the capital of Canada?",
    )
    assert [item.value for item in found.results] == [True]


@pytest.mark.parametrize(
    ("last", "question", "truth"),
    [
        ({"every": "$c", "in": "Q1930"}, "Is Ottawa the only capital of Canada?", True),
        ({"none": "Q1930", "in": "$c"}, "Is Ottawa nothing but no capital of Canada?", False),
        (
            {"count": "$c", "is": ">=", "number": 2},
            "Has Canada at least two capitals?",
            False,
        ),
        ({"count": "$c", "is": "<=", "number": 1}, "Has Canada at most 1 capital?", True),
    ],
)
def test_how_much_of_a_set_is_judged(last: dict[str, Any], question: str, truth: bool) -> None:
    steps = [CAPITAL_OF | {"as": "$c"}, last]
    found, _ = ask(submit(kind="yes_no", steps=steps), question=question)
    assert [item.value for item in found.results] == [truth]
    assert all(claim.supported for claim in found.claims)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kind": "list"}, "Nothing was handed in that could be run"),
        ({"kind": "list", "steps": []}, "Nothing was handed in"),
        ({"kind": "list", "sparql": "   "}, "Nothing was handed in"),
        ({"kind": "list", "handles": ["T99", "N7"]}, "These handles are neither"),
        ({"kind": "list", "steps": [{"follow": "P22", "from": "Q42"}]}, "not been shown"),
        ({"kind": "list", "sparql": "SELECT ?x { wd:Q42 wdt:P22 ?x }"}, "not been shown"),
        ({"kind": "list", "steps": [{"follow": "P36"}]}, "Step 1: nothing is said"),
        ({"kind": "list", "steps": ["Ottawa"]}, "Step 1: it is not an object"),
        ({"kind": "yes_no", "steps": [{"count": "Q16", "number": "1"}]}, "a whole number"),
        ({"kind": "yes_no", "steps": [{"count": "Q16", "is": "~", "number": 1}]}, "is must be"),
        ({"kind": "list", "steps": [{"follow": "P36", "from": "$z"}]}, "there is no set $z"),
        ({"kind": "list", "sparql": "x" * 10_001}, "at most 10,000 characters"),
        ({"kind": "list", "sparql": "DELETE WHERE { ?s ?p ?o }"}, "Only a SELECT"),
        ({"kind": "list", "sparql": "PREFIX a: <b:> LOAD <file:///etc/passwd>"}, "Only a SELECT"),
    ],
)
def test_what_cannot_be_read_is_said_once_and_may_be_mended(
    given: dict[str, Any], words: str
) -> None:
    found, requests = ask(submit(**given), submit(kind="list", steps=[CAPITAL_OF]))
    said = [str(m.get("content")) for m in requests[3]["messages"]]
    assert words in said[-1] and "Traceback" not in said[-1]
    assert "T99" not in said[-1] and "N7" not in said[-1], "what was never given is not echoed"
    assert found.status is AnswerStatus.ANSWERED


@pytest.mark.parametrize(
    "query",
    [
        "DELETE WHERE { ?s ?p ?o }",
        "INSERT DATA { wd:Q16 wdt:P36 wd:Q172 }",
        "SELECT ?x WHERE { SERVICE <http://127.0.0.1:9/> { wd:Q16 wdt:P36 ?x } }",
        "LOAD <file:///etc/passwd>",
        "SELECT ?x WHERE { ?x ?p ?y . ?z ?q ?w . ?u ?r ?v }",
        "SELECT ?x WHERE { VALUES ?x { wd:Q16 } }",
        "this is no query",
        "SELECT ?x WHERE { " + "{" * 4_000 + "}" * 4_000 + " }",
    ],
)
def test_a_query_that_may_not_run_supports_nothing(query: str) -> None:
    found, requests = ask(submit(kind="list", sparql=query))
    assert found.status in (AnswerStatus.UNKNOWN, AnswerStatus.PARTIAL)
    assert not any(claim.supported for claim in found.claims)
    assert not found.results
    assert found.statistics.edges == 1, "what was gathered is kept"
    assert "Traceback" not in found.text
    assert len(requests) < 12


def test_a_comment_of_ten_megabytes_costs_one_more_reply() -> None:
    arguments = json.dumps({"kind": "list", "steps": [CAPITAL_OF], "comment": "x" * 10_000_000})
    called = {"index": 0, "id": "c", "type": "function"}
    function = {"name": "submit_answer", "arguments": arguments}
    delta = {"role": "assistant", "tool_calls": [{**called, "function": function}]}
    choice = {"index": 0, "delta": delta, "finish_reason": "tool_calls"}
    base = {"id": "r", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    body = f"data: {json.dumps({**base, 'choices': [choice]})}\n\ndata: [DONE]\n\n".encode()
    huge = Reply(body=body, headers={"Content-Type": "text/event-stream"})
    found, requests = ask(huge, submit(kind="list", steps=[CAPITAL_OF], comment="y" * 5_000))
    assert len(found.comment or "") <= 600
    assert max(len(str(request)) for request in requests) < 60_000
    assert "too long" in str(requests[-1]["messages"]), "the same request would be no use"
    assert found.statistics.edges == 1, "what was gathered is kept"
    assert found.status is AnswerStatus.ANSWERED


def test_a_hostile_model_gets_nothing_marked() -> None:
    """A true fact handed in for another question, and words that say what the graph does not."""
    found, _ = ask(
        submit(
            kind="yes_no", steps=[CAPITAL_OF, {"judge": True, "contains": "Q16"}], comment="Yes."
        ),
        question="Is Toronto (Q172) the capital of Canada?",
    )
    assert [item.value for item in found.results] in ([], [False])
    found, _ = ask(submit(kind="list", handles=["T1"], comment="Canada is the capital of Ottawa."))
    assert not any("Canada is the capital of Ottawa" in claim.text for claim in found.claims)


def test_an_answer_may_stand_beside_the_calls_that_it_needs() -> None:
    final = ("submit_answer", {"kind": "list", "steps": [CAPITAL_OF]})
    replies = [
        Reply(calls=(("search_entities", {"text": "Canada", "relations": True}),)),
        Reply(calls=(FETCHED, final)),
    ]
    with (
        model_server(lambda request: replies.pop(0)) as server,
        RoboData.open(
            model="m", base_url=server.url, source="snapshot:wikidata-sample"
        ) as robodata,
    ):
        found = robodata.ask(CAPITAL)
    assert found.status is AnswerStatus.ANSWERED and len(server.requests) == 2
    assert found.trace[-2:] == ("LOCAL_DATA_EVALUATION", "PRODUCE_ANSWER")


def test_an_answer_handed_in_too_soon_is_taken_one_step_on() -> None:
    final = ("submit_answer", {"kind": "list", "steps": [CAPITAL_OF]})
    replies = [
        Reply(calls=(final,)),  # nothing has been looked up
        Reply(calls=(("search_entities", {"text": "Canada", "relations": True}),)),
        Reply(calls=(FETCHED,)),
        Reply(calls=(final,)),
    ]
    with (
        model_server(lambda request: replies.pop(0)) as server,
        RoboData.open(model="m", base_url=server.url, source=SAMPLE) as robodata,
    ):
        found = robodata.ask(CAPITAL)
    assert "Nothing has been looked up yet" in str(server.requests[1]["messages"])
    assert found.status is AnswerStatus.ANSWERED and len(server.requests) == 4
    assert found.trace[-2:] == ("LOCAL_DATA_EVALUATION", "PRODUCE_ANSWER")


def second_look(reply: str, **settings: Any) -> tuple[Answer, list[Any]]:
    def script(request: dict[str, Any]) -> Reply:
        told = request["messages"]
        if "read as" in str(told[1]["content"]):
            looks.append(told)
            return Reply(text=reply)
        if state_of(request) != "REMOTE_GRAPH_EXPLORATION":
            return submit(kind="list", steps=[CAPITAL_OF])
        search = ("search_entities", {"text": "Canada", "relations": True})
        return Reply(calls=(FETCHED, GO_ON) if "capital (P36)" in str(told) else (search,))

    looks: list[Any] = []
    with (
        model_server(script) as server,
        RoboData.open(model="m", base_url=server.url, source=SAMPLE, **settings) as robodata,
    ):
        return robodata.ask(CAPITAL), looks


def test_a_second_look_sees_question_and_reading_and_its_objection_is_shown() -> None:
    objecting = '{"fits": false, "objection": "It asks for something else."}'
    found, looks = second_look(objecting, second_look=True)
    (asked,) = looks
    assert CAPITAL in asked[1]["content"] and found.reading in asked[1]["content"]
    assert "Ottawa" not in str(asked), "the answer itself is not told"
    assert any("It asks for something else." in note for note in found.notes)
    assert found.status is AnswerStatus.ANSWERED, "it is told, and decides nothing"
    assert any(row.role == "second look" and row.calls == 1 for row in found.statistics.spending)


@pytest.mark.parametrize("reply", ['{"fits": true}', "I am fine with it.", "", '{"fits": "no"}'])
def test_a_second_look_without_objection_says_nothing(reply: str) -> None:
    found, looks = second_look(reply, second_look=True)
    assert looks and not found.notes


def test_a_second_look_may_be_left_out() -> None:
    assert second_look("", second_look=False)[1] == []


def test_sub_questions_know_what_earlier_ones_saw() -> None:
    parts = ["What is the capital of Canada?", "Who is the head of state of that country?"]
    prompts: list[str] = []

    def script(request: dict[str, Any]) -> Reply:
        told = str(request["messages"])
        if "You take a question apart" in told:
            return Reply(text=json.dumps({"questions": parts}))
        prompts.append(told)
        if state_of(request) != "REMOTE_GRAPH_EXPLORATION":
            first = f"Question: {parts[0]}" in told
            return submit(kind="list", steps=[{"follow": "P36" if first else "P35", "from": "Q16"}])
        search = ("search_entities", {"text": "Canada", "relations": True})
        return Reply(calls=(FETCHED, GO_ON) if "capital (P36)" in told else (search,))

    with (
        model_server(script) as server,
        RoboData.open(model="m", base_url=server.url, source=SAMPLE, decompose=True) as robodata,
    ):
        robodata.ask("What is the capital of Canada and who is its head of state?")
    second = [text for text in prompts if f"Question: {parts[1]}" in text]
    assert "Answered before, on the same local graph:" in second[0]
    assert "What is the capital of Canada?" in second[0] and "Ottawa" in second[0]
    assert not any("not been shown" in text for text in second), "P35 was seen in the first run"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"sparql": "DELETE WHERE { ?s ?p ?o }"}, "Only a SELECT"),
        (
            {"sparql": "SELECT ?x { SERVICE <http://127.0.0.1/> { ?x ?p ?o } }"},
            "SERVICE is refused",
        ),
        (
            {"sparql": "SELECT ?x { SERVICE <http://127.0.0.1/> { wd:Q99999999 wdt:P36 ?x } }"},
            "SERVICE is refused",
        ),
        (
            {"sparql": "SELECT ?x { wd:Q16 wdt:P36+ ?x }"},
            "The query cannot be run: it follows a relation any number of times.",
        ),
        ({"steps": [{"follow": "P36", "from": "Q99999999"}]}, "Q99999999"),
    ],
)
def test_why_nothing_could_be_made_of_it_is_told(given: dict[str, Any], why: str) -> None:
    answer, _ = ask(submit(kind="list", **given))
    assert answer.status is AnswerStatus.UNKNOWN and not answer.claims
    assert why in answer.missing[0]
