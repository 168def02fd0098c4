"""What a question costs with the pipeline of few calls, and how it is answered.

30 natural questions (drawn by chance from the half that may be tuned on) and 10 dialogues over the
embedded sample were answered by hand in the place of a model, prompt by prompt; the replies are
recorded in ``replies`` and come here from a loopback server, so prompts are those that any server
would get. Dialogues are asked as they are, with the questions of each turn said alone (their
twins), and with classifier and rephraser in a call of their own. Tokens are a quarter of the
characters of each request and reply as JSON, schema included. A person's replies say nothing of
what a trained model does.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks._common import Result, main, median
from robodata_core import RoboData
from robodata_core.evaluation.metrics import Marks, marks
from robodata_core.model import Answer, EntityValue, TimeValue
from robodata_core.policy.llm.asides import Rephraser
from robodata_core.policy.llm.ledger import Prices
from robodata_core.prompts import load
from robodata_core.values import iso_time

SOURCE = "snapshot:wikidata-sample"
CALLS, TOKENS = 3.5, 2_000
_FOLDER = Path(__file__).with_name("replies")


@dataclass
class Tally:
    """What some questions took and were worth."""

    calls: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    marks: list[Marks] = field(default_factory=list)

    def share(self, name: str) -> float:
        """Return the mean of a measure, in per cent."""
        total: float = sum(getattr(one, name) for one in self.marks)
        return 100 * total / len(self.marks)


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_FOLDER / name).read_text("utf-8").splitlines()]


class _Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        server: Any = self.server
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = json.dumps(_reply(request, server.replies), ensure_ascii=False)
        server.taken.append((len(json.dumps(request)) + len(text)) // 4)
        base = {"id": "r", "object": "chat.completion.chunk", "created": 0, "model": "script"}
        delta = {"role": "assistant", "content": text}
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for choice in (
            {"index": 0, "delta": delta, "finish_reason": None},
            {"index": 0, "delta": {}, "finish_reason": "stop"},
        ):
            piece = json.dumps({**base, "choices": [choice]})
            self.wfile.write(b"data: " + piece.encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def _reply(request: Mapping[str, Any], replies: Mapping[str, Any]) -> dict[str, Any]:
    told = json.loads(request["messages"][1]["content"])
    written = replies[told["question"]]
    if "queries" in told:
        there = {
            frozenset(text.split(" -> ")[0].split("; ")): n for n, text in told["queries"].items()
        }
        plan = [frozenset(one.split("; ")) for one in written["plan"]]
        return {"queries": [int(there[one]) for one in plan if one in there], "sure": True}
    if "names" in told:
        link = written.get("link", {})
        return {
            "choices": {
                name: next((int(n) for n, text in of.items() if text.startswith(link[name])), 0)
                if link.get(name)
                else 0
                for name, of in told["names"].items()
            }
        }
    qir: dict[str, Any] = written["qir"]
    if request["messages"][0]["content"] == load("rephrase"):
        return {
            key: qir.get(key, default)
            for key, default in (("depends", False), ("question", told["question"]))
        }
    return qir


@contextmanager
def _served() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    server.daemon_threads = True
    server.replies = {one["question"]: one for one in _lines("chat_replies.jsonl")}
    server.taken = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def measured(
    items: Sequence[Mapping[str, Any]], *, alone: bool = False, apart: bool = False
) -> Tally:
    """Ask questions and dialogues, each on a local graph of its own.

    Args:
        items: With their turns.
        alone: Ask each turn as its twin that stands alone.
        apart: Have questions said anew in a call of its own, before their triples are made.
    """
    tally = Tally()
    with _served() as server:
        address = f"http://127.0.0.1:{server.server_port}/v1"
        for item in items:
            with RoboData.open(
                policy="chat", model="script", base_url=address, source=SOURCE, question_tokens=1
            ) as robodata:
                if apart:
                    _set_apart(robodata)
                talk = robodata.conversation()
                single = len(item["turns"]) == 1
                for turn in item["turns"]:
                    if alone and "alone" not in turn:
                        continue
                    server.taken.clear()
                    asked = turn["alone"] if alone else turn["question"]
                    answer = robodata.ask(asked) if alone or single else talk.ask(asked)
                    _note(tally, answer, turn["gold"], server.taken)
    return tally


def _set_apart(robodata: RoboData) -> None:
    pipeline, client = robodata._pipeline, robodata._client
    assert pipeline is not None and client is not None
    robodata._rephraser = lambda: Rephraser(client, "script", Prices())  # type: ignore[method-assign]


def _note(tally: Tally, answer: Answer, gold: Sequence[str], taken: Sequence[int]) -> None:
    if taken:  # small talk, and what rules can tell of the last answer, ask no model
        tally.calls.append(float(len(taken)))
        tally.tokens.append(float(sum(taken)))
    if taken or gold:
        tally.marks.append(
            marks([_names(item.value, item.label) for item in answer.results], set(gold))
        )


def _names(value: object, label: str) -> set[str]:
    if isinstance(value, EntityValue):
        return {value.id}
    if isinstance(value, TimeValue):
        return {iso_time(value).lstrip("+")[:10], label}
    if isinstance(value, int) and not isinstance(value, bool):  # its label may be "at least 6"
        return {str(value), label}
    return {label, label.split(" ")[0]}


def results(*, quick: bool) -> list[Result]:
    """Measure all of them; ``quick`` takes a third."""
    items = _lines("chat_items.jsonl")[:: 3 if quick else 1]
    questions = measured([one for one in items if len(one["turns"]) == 1])
    dialogues = [one for one in items if len(one["turns"]) > 1]
    talk, twins = measured(dialogues), measured(dialogues, alone=True)
    apart = measured(dialogues, apart=True)
    by_hand = "replies written by hand"
    found = []
    for name, tally, budget in (
        ("30 questions", questions, True),
        ("10 dialogues, a turn", talk, True),
        ("their twins", twins, False),
        ("10 dialogues, rephrased in a call of its own", apart, False),
    ):
        calls, tokens = (CALLS, TOKENS) if budget else (None, None)
        found += [
            Result(f"{name}: calls, median", median(tally.calls), "calls", calls, note=by_hand),
            Result(f"{name}: tokens, median", median(tally.tokens), "tokens", tokens, note=by_hand),
        ]
        found += [
            Result(f"{name}: {title}", tally.share(measure), "%", note=by_hand)
            for title, measure in (
                ("P@1", "hit"),
                ("MRR", "reciprocal_rank"),
                ("Hit@5", "hit_at_5"),
                ("F1", "f1"),
            )
        ]
    return found


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
