"""What a question costs with a model: calls and tokens on the paper's questions (A, B).

The model is a script that knows what a competent one would do: which names to search for, what to
add, what to hand in. It replies over a loopback HTTP server, so prompts are those that any server
would get. Tokens are counted as a quarter of the characters of each request and reply as JSON,
which is what ``--table`` shows by question; no figure says anything about what a real model does.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks._common import Result, main, median
from robodata_core import RoboData
from robodata_core.evaluation.paper import paper_questions

SOURCE = "snapshot:wikidata-sample"
CALLS, TOKENS, TOKENS_A7, FIRST = 4, 7_000, 12_000, 2_000

#: Calls and tokens of 0.1.0 before claims were made from queries, measured the same way.
BEFORE = {
    "A1": (8, 19_344),
    "A2": (8, 20_578),
    "A3": (9, 24_324),
    "A4": (8, 21_316),
    "A5": (10, 28_366),
    "A6": (10, 31_244),
    "A7": (10, 36_317),
    "B1": (9, 26_175),
    "B2": (8, 20_217),
    "B3": (8, 22_507),
    "consistency": (8, 19_129),
}

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Plan:
    """What the script does: searches, what it adds, and what it hands in."""

    search: tuple[Call, ...]
    add: tuple[Call, ...]
    answer: dict[str, Any]


@dataclass
class Cost:
    """What one question took."""

    requests: list[int] = field(default_factory=list)
    replies: list[int] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """All that was sent and received."""
        return sum(self.requests) + sum(self.replies)


def _search(text: str, **more: Any) -> Call:
    return "search_entities", {"text": text, **more}


def _property(text: str) -> Call:
    return _search(text, kind="property")


def _build(nodes: Sequence[str], relations: Sequence[str], **more: Any) -> Call:
    return "build_local_graph", {"nodes": list(nodes), "relations": list(relations), **more}


def _run(steps: Sequence[dict[str, Any]]) -> Call:
    return "run_program", {"steps": list(steps)}


def _out(*relations: str, of: Any) -> dict[str, Any]:
    return {"follow": list(relations), "from": of}


def _in(*relations: str, of: Any) -> dict[str, Any]:
    return {"follow": list(relations), "from": of, "back": True}


_RELATIVES = ("P22", "P25", "P26", "P40")
_A3: list[dict[str, Any]] = [
    _out("P112", of="Q860580"),
    {"where": "P39", "is": "=", "value": "Q10891456"},
]
_A6: list[dict[str, Any]] = [
    _in("P737", of="Q9312"),
    {"where": "P106", "is": "=", "value": "Q170790"},
]
_A7: list[dict[str, Any]] = [
    _in("P17", of="Q17"),
    {"type": "Q515"},
    {"follow": "P190", "back": True},
    {"type": "Q515"},
    {"where": "P17", "is": "=", "value": "Q38"},
]
_A5: list[dict[str, Any]] = [
    _out("P159", of="Q608350"),
    {"follow": "P131"},
    {"follow": "P131"},
    {"follow": "P131"},
    {"type": "Q1221156"},
]
_B1: list[dict[str, Any]] = [{"follow": "any", "from": "Q42"}, {"follow": "P279", "back": True}]
_BELOW: list[dict[str, Any]] = [_in("P279", of="Q35120")]
_TWO: list[list[dict[str, Any]]] = [[*_BELOW], [*_BELOW, {"follow": "P279", "back": True}]]
_BOTH = ("P279", "P31")
_THREE: list[list[dict[str, Any]]] = [
    [_in(*_BOTH, of="Q35120")],
    [*_BELOW, {"follow": list(_BOTH), "back": True}],
]
_HITCHHIKER = "The Hitchhiker's Guide to the Galaxy"

PLANS = {
    "A1": Plan(
        (_search(_HITCHHIKER, relations=True),),
        (_build(["Q25169", "Q3107329"], ["P50"]),),
        {"kind": "list", "steps": [_out("P50", of=["Q25169", "Q3107329"])]},
    ),
    "A2": Plan(
        (_search("Douglas Adams", relations=True),),
        (_build(["Q42"], _RELATIVES),),
        {"kind": "list", "steps": [_out(*_RELATIVES, of="Q42")]},
    ),
    "A3": Plan(
        (
            _search("Tencent", relations=True),
            _search("National People's Congress"),
            _property("position held"),
        ),
        (_run(_A3),),
        {"kind": "list", "steps": _A3},
    ),
    "A4": Plan(
        (_search("Douglas Adams", relations=True),),
        (_build(["Q42"], [*_RELATIVES, "P800"]), _build(["Q42"], ["P50"], direction="in")),
        {"kind": "list", "steps": [[_out(*_RELATIVES, of="Q42")], [_in("P50", of="Q42")]]},
    ),
    "A5": Plan(
        (
            _search("Veltins brewery", relations=True),
            _search("federated state of Germany"),
            _property("located in the administrative territorial entity"),
        ),
        (_build(["Q608350"], ["P159", "P131"], until=["Q1221156"]),),
        {"kind": "list", "steps": _A5},
    ),
    "A6": Plan(
        (_search("Kant", relations=True), _search("mathematician"), _property("occupation")),
        (_run(_A6),),
        {"kind": "list", "steps": _A6},
    ),
    "A7": Plan(
        (
            _property("twinned administrative body"),
            _property("country"),
            _search("city"),
            _search("Italy"),
            _search("Japan"),
        ),
        (_run(_A7),),
        {"kind": "list", "steps": _A7},
    ),
    "B1": Plan(
        (("explore_entity_neighbors", {"entity": "Q42"}), _property("subclass of")),
        (_run(_B1),),
        {"kind": "list", "steps": _B1},
    ),
    "B2": Plan(
        (_search("entity", relations=True),),
        (_build(["Q35120"], ["P279"], direction="in", hops=2),),
        {"kind": "list", "steps": _TWO},
    ),
    "B3": Plan(
        (_search("entity", relations=True),),
        (_build(["Q35120"], _BOTH, direction="in", hops=2),),
        {"kind": "list", "steps": _THREE},
    ),
    "consistency": Plan(
        (_search("Canada", relations=True),),
        (_build(["Q16"], ["P36"]),),
        {"kind": "list", "steps": [_out("P36", of="Q16")]},
    ),
}


class _Model(BaseHTTPRequestHandler):
    """Replies from the plan of its server."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Reply as the plan has it, and count."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(body)
        server: Any = self.server
        text, calls = _reply(request, server.plan, server.asked)
        server.asked += 1
        server.cost.requests.append(len(json.dumps(request)) // 4)
        server.cost.replies.append(len(json.dumps([text, calls])) // 4)
        base = {"id": "r", "object": "chat.completion.chunk", "created": 0, "model": "script"}
        told = [
            {
                "index": index,
                "id": f"call_{server.asked}_{index}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for index, (name, arguments) in enumerate(calls)
        ]
        delta = {"role": "assistant", "content": text, **({"tool_calls": told} if told else {})}
        first = {"index": 0, "delta": delta, "finish_reason": None}
        last = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if told else "stop"}
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for choice in (first, last):
            piece = json.dumps({**base, "choices": [choice]})
            self.wfile.write(b"data: " + piece.encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def _reply(request: dict[str, Any], plan: Plan, asked: int) -> tuple[str, Sequence[Call]]:
    if "tools" not in request:
        return '{"fits": true}', ()
    names = {tool["function"]["name"] for tool in request["tools"]}
    if "submit_answer" in names:
        return "", (("submit_answer", plan.answer),)
    if asked == 0:
        return "", plan.search
    return "", (*plan.add, ("choose_next_state", {"next_state": "LOCAL_DATA_EVALUATION"}))


def measured(identifier: str, question: str) -> tuple[Cost, Any]:
    """Ask one question of the paper; return what it took, and the answer."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    server.daemon_threads = True
    server.plan, server.asked, server.cost = PLANS[identifier], 0, Cost()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/v1"
        with RoboData.open(model="script", base_url=address, source=SOURCE) as robodata:
            answer = robodata.ask(question)
    finally:
        server.shutdown()
        server.server_close()
    return server.cost, answer


def results(*, quick: bool) -> list[Result]:
    """Measure all questions; ``quick`` changes nothing, because it takes seconds."""
    costs = {one.id: measured(one.id, one.question)[0] for one in paper_questions()}
    note = "scripted model, second look included"
    calls = [float(len(cost.requests)) for cost in costs.values()]
    tokens = [float(cost.tokens) for cost in costs.values()]
    first = max(float(cost.requests[0]) for cost in costs.values())
    before = (
        median([float(one) for one, _ in BEFORE.values()]),
        median([float(one) for _, one in BEFORE.values()]),
    )
    return [
        Result("model calls a question, A and B, median", median(calls), "calls", CALLS, note=note),
        Result("tokens a question, A and B, median", median(tokens), "tokens", TOKENS, note=note),
        Result("tokens, A7", float(costs["A7"].tokens), "tokens", TOKENS_A7, note=note),
        Result("first request, largest", first, "tokens", FIRST, note=note),
        Result("model calls before", before[0], "calls", note="0.1.0 with claims as sentences"),
        Result("tokens before", before[1], "tokens", note="0.1.0 with claims as sentences"),
    ]


def table() -> str:
    """Return calls and tokens by question as Markdown, today's beside those before."""
    lines = [
        "| question | calls | tokens | before | answer |",
        "|---|---|---|---|---|",
    ]
    for one in paper_questions():
        cost, answer = measured(one.id, one.question)
        calls, tokens = BEFORE[one.id]
        lines.append(
            f"| {one.id} | {len(cost.requests)} | {cost.tokens:,} | {calls} / {tokens:,}"
            f" | {answer.status.value}, {len(answer.results)} results |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--table", action="store_true")
    known, rest = parser.parse_known_args()
    if known.table:
        print(table())
        raise SystemExit(0)
    sys.argv[1:] = rest
    raise SystemExit(main(__doc__, results))
