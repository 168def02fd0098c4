"""A scripted model for the pipeline: it is told which agent asks by what it is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from robodata_core import RoboData
from robodata_core.model import Answer
from tests.core.policy.llm.server import ModelServer, Reply, Script, model_server

Told = dict[str, Any]
Change = Callable[[str, Told], "Reply | None"]
SAMPLE = "snapshot:wikidata-sample"
CAPITAL = "What is the capital of Canada?"
TRIPLES = {
    "triples": [["Canada", "capital", "?x"]],
    "kind": "things",
    "expects": "place",
    "language": "en",
}


def told_in(request: dict[str, Any]) -> Told:
    """Return the JSON that an agent was told."""
    told: Told = json.loads(request["messages"][1]["content"])
    return told


def agent_of(request: dict[str, Any]) -> str:
    """Return which agent asks."""
    system = request["messages"][0]["content"]
    if system.startswith("You turn questions into triples"):
        return "question"
    told = told_in(request)
    return "planning" if "queries" in told else "linking"


def written(data: object) -> Reply:
    return Reply(text=json.dumps(data))


def choose(told: Told, *wanted: str) -> Reply:
    """Choose the queries whose triples are as wanted, whatever they find."""
    found = {text.split(" -> ")[0]: int(number) for number, text in told["queries"].items()}
    return written({"queries": [found[one] for one in wanted if one in found], "sure": True})


def link(told: Told, **wanted: str) -> Reply:
    """Choose for each name the candidate whose label begins as wanted."""
    choices = {}
    for name, candidates in told["names"].items():
        start = wanted.get(name, name)
        choices[name] = next((int(n) for n, at in candidates.items() if at.startswith(start)), 0)
    return written({"choices": choices})


def model(
    triples: object = TRIPLES,
    *queries: str,
    change: Change = lambda agent, told: None,
    agent: Script | None = None,
) -> Script:
    """A model that does what a competent one would, unless ``change`` replies in its place.

    ``agent`` replies where the exploring agent asks, which is told no JSON.
    """

    def reply(request: dict[str, Any]) -> Reply:
        if not request["messages"][1]["content"].startswith("{"):
            return agent(request) if agent else Reply(status=500)
        asked, told = agent_of(request), told_in(request)
        other = change(asked, told)
        if other is not None:
            return other
        if asked == "question":
            return written(triples)
        if asked == "linking":
            return link(told)
        return choose(told, *(queries or ("Canada - capital - ?x",)))

    return reply


def in_agent(agent: str, reply: Reply) -> Change:
    """Reply so where an agent asks."""
    return lambda asked, told: reply if asked == agent else None


def ask(script: Script, question: str = CAPITAL, **settings: Any) -> tuple[Answer, ModelServer]:
    """Ask a question of the sample, with nobody dearer to go on unless settings say so."""
    on_event = settings.pop("on_event", None)
    defaults: dict[str, Any] = {"source": SAMPLE, "policy": "chat", "question_tokens": 1}
    merged = {**defaults, "model_timeout": 2.0, "model_tries": 1, "max_turns": 12, **settings}
    with (
        model_server(script) as server,
        RoboData.open(model="scripted", base_url=server.url, **merged) as robodata,
    ):
        return robodata.ask(question, on_event=on_event), server


def labels(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


def triples(*rows: list[str], kind: str = "things", **more: Any) -> dict[str, Any]:
    return {"triples": list(rows), "kind": kind, "language": "en", **more}
