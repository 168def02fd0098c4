"""What the pipeline takes for no answer, whom it asks then, and what it spends no call on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.events import PolicyDecided, RunEvent
from robodata_core.model import AnswerStatus
from tests.core.policy.chat.scripts import (
    CAPITAL,
    SAMPLE,
    Told,
    ask,
    in_agent,
    labels,
    model,
    told_in,
    triples,
    written,
)
from tests.core.policy.llm.scripts import capital_script
from tests.core.policy.llm.server import Reply, model_server

pytest.importorskip("openai", reason="the openai package is not installed (extra 'llm')")

_PREFIXES = """
@prefix : <http://clubs.example/> .
@prefix db: <http://dbpedia.org/resource/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
Graph = Callable[[str], str]


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    """Makes a source of some Turtle."""

    def _load(turtle: str) -> str:
        from robodata_core.sources.snapshot.loading import load_files

        (tmp_path / "g.ttl").write_text(_PREFIXES + turtle, encoding="utf-8")
        load_files([tmp_path / "g.ttl"], tmp_path / "g", name="g")
        return f"snapshot:{tmp_path / 'g'}"

    return _load


def offered(told: Told) -> list[str]:
    return [text.split(" -> ")[0] for text in told["queries"].values()]


# -- the expected type ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expects", "left"), [("time", 0), ("number", 1), ("person", 6), ("thing", 6), ("", 7)]
)
def test_only_queries_that_give_what_is_expected_are_offered(
    towns: str, expects: str, left: int
) -> None:
    """Names of relations do not make it so: "mayor" is named, and a mayor is no time."""
    asked = triples(["Midway", "mayor or population", "?x"], expects=expects)
    none = written({"queries": []})
    question = "What is the mayor or population of Midway?"
    answer, server = ask(model(asked, change=in_agent("planning", none)), question, source=towns)
    assert answer.status is AnswerStatus.UNKNOWN and not answer.results
    assert len(server.requests) == (2 if left else 1)
    if left:
        assert len(offered(told_in(server.requests[-1]))) == left
    else:
        assert f"Nothing around what the question names gives a {expects}." in answer.text


def test_where_nothing_gives_what_is_expected_the_exploring_agent_goes_on() -> None:
    asked = triples(["Canada", "capital", "?x"], expects="time")
    answer, _ = ask(model(asked, agent=capital_script()), question_tokens=0)
    roles = [row.role for row in answer.statistics.spending]
    assert roles[0] == "question" and "exploration" in roles and "planning" not in roles


def test_what_was_found_is_held_against_what_is_expected(towns: str) -> None:
    """At an endpoint nobody looks beforehand at what a query finds."""
    from tests.core.sources.live import serving

    asked = triples(["Midway", "mayor", "?x"], expects="time")
    script = model(asked, "Midway - mayor - ?x")
    with RoboData.open(source=towns) as opened, serving(opened.source) as served:
        source = f"sparql:{served.sparql_url}"
        answer, server = ask(script, "When is the mayor of Midway?", source=source, cache_days=0)
    assert len(server.requests) == 2
    assert answer.status is AnswerStatus.UNKNOWN and not answer.results
    assert "What the queries find is no time." in answer.text


def test_where_a_part_of_what_was_found_does_not_fit_the_answer_is_not_whole(graph: Graph) -> None:
    source = graph(
        ':founded rdfs:label "founded" . :club rdfs:label "Blue Club" ;'
        ' :founded "1901"^^xsd:gYear, :ann . :ann rdfs:label "Ann" .'
    )
    asked = triples(["Blue Club", "founded", "?x"], expects="time")
    script = model(asked, "Blue Club - founded - ?x")
    answer, _ = ask(script, "When was Blue Club founded?", source=source)
    assert answer.status is AnswerStatus.PARTIAL
    assert "What the queries find is no time." in answer.missing


# -- low figures ----------------------------------------------------------------------------------


NAME = "Lars Løkke Rasmussen"


@pytest.mark.parametrize(("sure", "goes_on"), [(0.8, True), (0.7, False)])
def test_relations_that_words_hardly_name_go_to_the_exploring_agent(
    sure: float, goes_on: bool
) -> None:
    """ "Child" names "number of children" by halves; the figure itself stands in no answer."""
    asked = triples([NAME, "child", "?x"], kind="number", expects="number")
    events: list[RunEvent] = []
    answer, _ = ask(
        model(asked, f"{NAME} - number of children - ?x"),
        f"How many children does {NAME} have?",
        question_tokens=0,
        sure=sure,
        on_event=events.append,
    )
    assert (answer.status, labels(answer)) == (AnswerStatus.ANSWERED, {"3"})
    assert answer.probability is None
    told = [event.reason for event in events if isinstance(event, PolicyDecided)]
    assert any("0.75 only, and 0.80 is wanted. Now llm goes on." in one for one in told) is goes_on
    assert any("Nobody dearer" in note for note in answer.notes) is goes_on  # that model fails


@pytest.mark.parametrize(("name", "goes_on"), [("Old Long Road", True), ("Long Road", False)])
def test_a_name_unlike_what_it_was_taken_for_goes_to_the_exploring_agent(
    towns: str, name: str, goes_on: bool
) -> None:
    def change(agent: str, told: Told) -> Reply | None:
        return written({"choices": {name: 1}}) if agent == "linking" else None

    asked = triples([name, "flows through", "?x"])
    events: list[RunEvent] = []
    answer, _ = ask(
        model(asked, f"{name} - flows through - ?x", change=change),
        f"What flows through {name}?",
        source=towns,
        question_tokens=0,
        sure=0.9,
        on_event=events.append,
    )
    assert labels(answer) == {"Midway"}
    told = [event.reason for event in events if isinstance(event, PolicyDecided)]
    assert any("only, and 0.90 is wanted. Now llm goes on." in one for one in told) is goes_on


# -- calls ----------------------------------------------------------------------------------------


SECOND = "And its official language?"


def _talk(change: Callable[[str, Told], Reply | None]) -> tuple[Any, int]:
    """Ask the capital, then its language; return the second answer and what that took."""
    with (
        model_server(model(change=change)) as server,
        RoboData.open(
            source=SAMPLE, policy="chat", model="m", base_url=server.url, question_tokens=1
        ) as robodata,
    ):
        talk = robodata.conversation()
        assert labels(talk.ask(CAPITAL)) == {"Ottawa"}
        before = len(server.requests)
        return talk.ask(SECOND), len(server.requests) - before


@pytest.mark.parametrize("bad", [1, 2])
def test_a_rephraser_that_says_something_else_first_is_asked_again(bad: int) -> None:
    left = [Reply(text="It asks for a language.")] * bad
    anew = "What is the official language of Canada (Q16)?"
    said = triples(["Canada (Q16)", "official language", "?x"], depends=True, question=anew)

    def change(agent: str, told: Told) -> Reply | None:
        if told.get("history"):
            return left.pop() if left else written(said)
        if agent == "planning" and "language" in told["question"]:
            first = next(n for n, text in told["queries"].items() if "official" in text)
            return written({"queries": [int(first)]})
        return None

    answer, calls = _talk(change)
    assert labels(answer) == {"English", "French"}
    assert calls == 2 + bad
    spent = {row.role: row.calls for row in answer.statistics.spending}
    assert spent == {"conversation": 1 + bad, "planning": 1}


def test_a_question_takes_no_more_calls_than_the_limit() -> None:
    """Repeats of the conversation, of the question's triples and of the plan count as one sum."""
    bad = {"conversation": 3, "question": 2, "planning": 9}
    asked = triples(["Canada (Q16)", "official language", "?x"])

    def change(agent: str, told: Told) -> Reply | None:
        if told["question"] == CAPITAL:
            return None
        agent = "conversation" if "history" in told else agent
        bad[agent] -= 1
        return Reply(text="Well.") if bad[agent] >= 0 else written(asked)

    answer, calls = _talk(change)
    assert calls == 8
    assert answer.status is AnswerStatus.FAILED and not answer.results
    assert "took 8 calls" in answer.text
    assert sum(row.calls for row in answer.statistics.spending) == 8


@pytest.mark.parametrize("relation", ["shoe", "owner of a shoe"])
def test_nothing_is_planned_where_words_name_no_relation(towns: str, relation: str) -> None:
    asked = triples(["Midway", relation, "?y"], ["?x", "shoe", "?y"])
    answer, server = ask(model(asked), f"Who has the {relation} of Midway?", source=towns)
    assert answer.status is AnswerStatus.UNKNOWN
    assert "No relation around what the question names is called" in answer.text
    assert len(server.requests) == 1


PAGES = [
    "wd:Q9 wdt:P31 wd:Q4167410 .",  # a disambiguation by its class
    "wd:Q1 wdt:P1889 wd:Q9 .",  # one that only another thing is told from
]


@pytest.mark.parametrize("page", PAGES)
def test_pages_of_a_wiki_have_no_part_in_a_choice(graph: Graph, page: str) -> None:
    source = graph(
        'wd:P6 rdfs:label "mayor" . wd:P31 rdfs:label "instance of" .'
        ' wd:P1889 rdfs:label "different from" .'
        ' wd:Q1 rdfs:label "Lund" ; wdt:P6 wd:Q2 . wd:Q2 rdfs:label "Ann" .'
        f' wd:Q9 rdfs:label "Lund" . {page}'
    )
    script = model(triples(["Lund", "mayor", "?x"]), "Lund - mayor - ?x")
    answer, server = ask(script, "Who is the mayor of Lund?", source=source)
    assert labels(answer) == {"Ann"}
    assert len(server.requests) == 2


def test_pages_are_not_offered_beside_things(graph: Graph) -> None:
    source = graph(
        ':mayor rdfs:label "mayor" . db:Lund_A rdfs:label "Lund" ; :mayor :ann .'
        ' db:Lund_B rdfs:label "Lund" ; :mayor :bob . :ann rdfs:label "Ann" .'
        ' :bob rdfs:label "Bob" . <http://dbpedia.org/resource/Category:Lund> rdfs:label "Lund" ;'
        " :mayor :ann ."
    )
    seen: list[Told] = []

    def look(agent: str, told: Told) -> Reply | None:
        if agent == "linking":
            seen.append(told)
        return None

    script = model(triples(["Lund", "mayor", "?x"]), "Lund - mayor - ?x", change=look)
    ask(script, "Who is the mayor of Lund?", source=source)
    assert len(seen) == 1 and len(seen[0]["names"]["Lund"]) == 2


# -- comparisons ----------------------------------------------------------------------------------

CITIES = (
    ':area rdfs:label "area" . :people rdfs:label "population" .'
    ' :a rdfs:label "Avon" ; :area 300 ; :people 7 . :b rdfs:label "Byre" ; :area 200 .'
)


@pytest.mark.parametrize("way", ["max", "min"])
def test_a_comparison_rests_on_both_sides(graph: Graph, way: str) -> None:
    asked = triples(among=["Avon", "Byre"], order=["?x", "area", way])
    first = in_agent("planning", written({"queries": [1]}))
    script = model(asked, change=first)
    answer, _ = ask(script, "Which has the larger area, Avon or Byre?", source=graph(CITIES))
    assert labels(answer) == {"Avon" if way == "max" else "Byre"}
    used = {e.triple.subject for claim in answer.claims for e in claim.support.evidence}
    assert {id_.rpartition("/")[2] for id_ in used} == {"a", "b"}
    assert all(claim.supported for claim in answer.claims)


def test_things_are_not_compared_by_what_one_of_them_lacks(graph: Graph) -> None:
    asked = triples(among=["Avon", "Byre"], order=["?x", "population", "max"])
    first = in_agent("planning", written({"queries": [1]}))
    question = "Which has the larger population, Avon or Byre?"
    answer, server = ask(model(asked, change=first), question, source=graph(CITIES))
    assert all("population" not in one for r in server.requests[1:] for one in offered(told_in(r)))
    assert answer.status is not AnswerStatus.ANSWERED


# -- handing over ---------------------------------------------------------------------------------


def test_the_exploring_agent_is_told_of_a_search_once() -> None:
    """What rules have looked up already the pipeline does not look up again."""
    seen: list[str] = []

    def agent(request: dict[str, Any]) -> Reply:
        seen.append(request["messages"][1]["content"])
        return Reply(status=500)

    asked = triples(["Douglas Adams", "shoe", "?x"])
    question = "Which odd shoe blorfed Douglas Adams?"
    ask(model(asked, agent=agent), question, policy="auto", question_tokens=0)
    assert seen[0].count('text="Douglas Adams"') == 1
    assert "repeated" not in seen[0]
    assert seen[0].count("Douglas Adams = Q42") == 1
