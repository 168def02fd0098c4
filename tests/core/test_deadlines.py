"""Every run ends within its budget plus a second, a cancelled one within a second."""

from __future__ import annotations

import contextlib
import importlib
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from robodata_core.api import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.config import load_settings
from robodata_core.errors import (
    CancelledError,
    DeadlineExceededError,
    RoboDataError,
    SourceTimeoutError,
)
from robodata_core.killable import run_killable
from robodata_core.model import Answer, AnswerStatus
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.store.graph import LocalGraph
from tests.core.sources.test_http_bounds import drip_headers, say_nothing, serving

BUDGET = 1.5
OVER = 1.0
UNENDING = [
    "The author " * 7 + "who wrote The Hitchhiker's Guide " * 7 + "was born where?",
    "Is Ottawa a city " + "or a country " * 80 + "?",
    "Who " + "was born in England and " * 80 + "wrote a book?",
    "the capital of " * 120 + "Canada",
    "What is " + "the mother of the father of " * 60 + "Douglas Adams?",
    "Which city " + "that is in a country " * 60 + "is the largest?",
    "(" * 900 + "Canada" + ")" * 900,
    "a" * 1_990,
    "Canada, " * 240,
]


def ending_in(seconds: float, work: Callable[[], Any]) -> Any:
    """Do ``work``, which must take so long at most; a busy machine gets a second try."""
    for last in (False, True):
        started = time.monotonic()
        result = work()
        took = time.monotonic() - started
        if took < seconds or last:
            assert took < seconds, f"{took:.1f} s"
            break
    return result


@pytest.fixture(scope="module")
def robodata() -> Iterator[RoboData]:
    with RoboData.open() as opened:
        opened.ask("What is the capital of Canada?")
        yield opened


def test_there_is_a_deadline_unless_it_is_taken_away(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings().time_budget == 60.0
    assert load_settings(policy="llm").time_budget == 600.0
    assert load_settings(model="small").time_budget == 600.0  # which makes the policy llm
    assert load_settings(policy="llm", time_budget=5.0).time_budget == 5.0
    (tmp_path / "robodata.yaml").write_text("time_budget: null\n")
    assert load_settings().time_budget is None


@pytest.mark.parametrize("question", UNENDING)
def test_a_question_that_explodes_ends(robodata: RoboData, question: str) -> None:
    answer = ending_in(BUDGET + OVER, lambda: robodata.ask(question[:2_000], time_budget=BUDGET))
    assert isinstance(answer, Answer)


@pytest.mark.parametrize("seed", range(6))
def test_made_up_questions_end(robodata: RoboData, seed: int) -> None:
    chance = random.Random(seed)
    pieces = [
        "who", "wrote", "the author of", "and", "or", "not", "the largest", "city", "in Canada",
        "born in", "before 1900", "The Hitchhiker's Guide", "how many", "is", "that", "whose",
        "mother", "of", "?", ",", "more than", "both", "first", "Q42", "P36", "(", ")", "'",
    ]  # fmt: skip
    some = chance.sample(pieces, chance.randint(2, 9))
    question = " ".join(chance.choice(some) for _ in range(600))[:2_000]
    ending_in(BUDGET + OVER, lambda: robodata.ask(question, time_budget=BUDGET))


@pytest.mark.parametrize("question", UNENDING[:3])
def test_a_cancelled_question_ends(robodata: RoboData, question: str) -> None:
    ending_in(0.3 + OVER, lambda: robodata.ask(question[:2_000], cancel=soon()))


def test_a_conversation_ends(robodata: RoboData) -> None:
    talk = robodata.conversation()
    talk.ask("What is the capital of Canada?")
    text = "and its author " * 130
    ending_in(BUDGET + OVER, lambda: talk.ask(text, time_budget=BUDGET))


class Hanging:
    """A source in Python that takes eight seconds for a look-up, whoever asks for an end."""

    name = "hanging"

    def __init__(self, *methods: str) -> None:
        self._inner = open_snapshot("wikidata-sample")
        self._methods = methods
        self.hanging = False

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._inner, name)
        if name == "capabilities":
            raise AttributeError(name)
        if name not in self._methods:
            return member

        def hang(*args: Any, **more: Any) -> Any:
            if self.hanging:
                time.sleep(8.0)
            return member(*args, **more)

        return hang


def over_hanging(*methods: str) -> RoboData:
    source: Any = Hanging(*methods)
    robodata = RoboData(load_settings(), source, LocalGraph.in_memory())
    source.hanging = True
    return robodata


GUIDE = "Who wrote The Hitchhiker's Guide to the Galaxy?"


@pytest.mark.parametrize("method", ["search", "statements_many", "entities", "relations"])
def test_a_source_that_hangs_ends_nothing_but_its_run(method: str) -> None:
    robodata = over_hanging(method)
    answer = ending_in(BUDGET + OVER, lambda: robodata.ask(GUIDE, time_budget=BUDGET))
    assert answer.status in (AnswerStatus.UNKNOWN, AnswerStatus.PARTIAL, AnswerStatus.ANSWERED)


@pytest.mark.parametrize("methods", [("search", "entity", "entities"), ("statements", "pairs")])
def test_a_verdict_over_a_source_that_hangs_ends(methods: tuple[str, ...]) -> None:
    robodata = over_hanging(*methods)

    def judge(**ends: Any) -> str:
        try:
            return robodata.verify("Canada", "capital", "Toronto", **ends).status.name
        except (
            CancelledError,
            DeadlineExceededError,
        ) as error:  # before it was known what is meant
            return type(error).__name__

    late = ending_in(BUDGET + OVER, lambda: judge(time_budget=BUDGET))
    assert late in ("DeadlineExceededError", "UNKNOWN", "ANSWERED")
    stopped = ending_in(0.3 + OVER, lambda: judge(cancel=soon()))
    assert stopped in ("CancelledError", "CANCELLED")


def soon() -> CancelToken:
    """A token that somebody cancels in a moment."""
    token = CancelToken()
    threading.Timer(0.3, token.cancel).start()
    return token


_DOUBLED = " ".join(f"BIND(CONCAT(?a{n}, ?a{n}) AS ?a{n + 1})" for n in range(36))


@pytest.mark.parametrize(
    "query",
    [
        f'SELECT ?a36 {{ BIND("x" AS ?a0) {_DOUBLED} }}',
        "SELECT (COUNT(*) AS ?n) { ?a ((!<a:b>|^!<a:b>)+/(!<a:b>)*)+ ?c }",
        "SELECT (COUNT(DISTINCT ?u) AS ?n) { ?a ?b ?c . ?d ?e ?f BIND(STRUUID() AS ?u) }",
    ],
)
def test_a_query_that_explodes_ends_with_its_run(robodata: RoboData, query: str) -> None:
    def work() -> None:
        with CancelToken(BUDGET).active(), pytest.raises(RoboDataError):
            robodata.source.sparql(query)

    ending_in(BUDGET + OVER, work)


@pytest.mark.parametrize("talk", [drip_headers, say_nothing])
def test_opening_a_source_ends(talk: Any) -> None:
    def open_() -> None:
        with pytest.raises(SourceTimeoutError, match="opened within 1.5 seconds"):
            RoboData.open(source=f"sparql:{service.url}", time_budget=BUDGET)

    with serving(talk) as service:
        ending_in(BUDGET + OVER, open_)


def test_opening_and_the_question_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    from robodata_core import api
    from robodata_core.cli import run

    real = api.open_source

    def slow(*given: Any) -> Any:
        time.sleep(1.2)
        return real(*given)

    monkeypatch.setattr(api, "open_source", slow)
    question = "a " * 900 + "?"
    command = ["ask", "--policy=llm", "--model=m", f"--time-budget={BUDGET}"]
    with serving(say_nothing) as service:
        ending_in(BUDGET + OVER, lambda: run([*command, f"--base-url={service.url}", question]))


def test_opening_that_hangs_on_this_machine_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    from robodata_core import api

    def hang(*_: Any) -> Any:
        while True:
            pass

    def open_() -> None:
        with pytest.raises(SourceTimeoutError, match="opened within 0.5 seconds"):
            RoboData.open(time_budget=0.5)

    monkeypatch.setattr(api, "open_source", hang)
    ending_in(0.5 + OVER, open_)


def drip_text(connection: socket.socket, _: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    with contextlib.suppress(OSError):
        while True:
            connection.sendall(b": still thinking\n\n")
            time.sleep(0.05)


@pytest.mark.parametrize("policy", ["llm", "chat"])
@pytest.mark.parametrize("talk", [drip_headers, say_nothing, drip_text])
def test_a_model_that_hangs_ends(talk: Any, policy: str) -> None:
    pytest.importorskip("openai")
    with (
        serving(talk) as service,
        RoboData.open(policy=policy, model="m", base_url=service.url) as opened,
    ):
        ending_in(BUDGET + OVER, lambda: opened.ask("Who wrote it?", time_budget=BUDGET))
        answer = ending_in(0.3 + OVER, lambda: opened.ask("Who wrote it?", cancel=soon()))
        assert answer.status is AnswerStatus.CANCELLED


def test_who_waits_for_a_turn_waits_no_longer(robodata: RoboData) -> None:
    with robodata._turn(CancelToken()):
        answer = ending_in(
            BUDGET + OVER, lambda: robodata.ask("Where is Ottawa?", time_budget=BUDGET)
        )
    assert answer.status is AnswerStatus.UNKNOWN
    assert robodata.ask("What is the capital of Canada?").status is AnswerStatus.ANSWERED


def test_killable_work_gives_what_it_gives() -> None:
    token = CancelToken(30.0)
    with token.active():
        assert run_killable(lambda: 7, token, "seven") == 7

    def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        run_killable(fail, token, "fail")
    over = CancelToken()
    over.cancel()
    assert run_killable(lambda: "an answer in the hand", over, "quick")


def test_killable_work_is_ended_inside_of_python_code() -> None:
    ended = threading.Event()

    def spin() -> None:
        try:
            while True:
                pass
        finally:
            ended.set()

    with pytest.raises(DeadlineExceededError):
        run_killable(spin, CancelToken(0.1), "spin")
    assert ended.wait(2.0)
    token = CancelToken()
    threading.Timer(0.1, token.cancel).start()
    with pytest.raises(CancelledError):
        run_killable(spin, token, "spin")


def test_an_import_is_not_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is imported again after its first import was cut off lacks its modules."""
    (tmp_path / "slow_package").mkdir()
    (tmp_path / "slow_package" / "part.py").write_text("word = 1\n")
    (tmp_path / "slow_package" / "__init__.py").write_text(
        "import time\nfrom .part import word\nfor _ in range(150): time.sleep(0.01)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    def work() -> None:
        importlib.import_module("slow_package")
        while True:
            time.sleep(0.01)

    started = time.monotonic()
    with pytest.raises(DeadlineExceededError):
        run_killable(work, CancelToken(0.1), "test")
    assert time.monotonic() - started < 1.4, "nobody waits for it"
    assert importlib.import_module("slow_package").part.word == 1
