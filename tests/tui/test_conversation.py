"""The question line is one conversation: later questions may point back, until the core is new."""

from __future__ import annotations

import threading
import time

from robodata_core import RoboData
from robodata_core.events import AnswerReady
from robodata_core.model import Answer
from robodata_tui.bridge import Bridge, Finished, Happened
from tests.tui._app import drive, make_app, press, until

_PATIENCE = 120.0


def answered(bridge: Bridge, question: str) -> Answer:
    """Ask and wait until the run is over."""
    ticket = bridge.ask(question)
    answer: Answer | None = None
    limit = time.monotonic() + _PATIENCE
    while time.monotonic() < limit:
        for update in bridge.drain():
            if isinstance(update, Happened) and isinstance(update.event, AnswerReady):
                answer = update.event.answer
            if isinstance(update, Finished) and update.ticket == ticket:
                assert update.error is None
                assert answer is not None
                return answer
        threading.Event().wait(0.01)
    raise AssertionError("the run never ended")


def test_questions_point_back_until_the_core_is_opened_anew() -> None:
    bridge = Bridge(RoboData.open)
    bridge.start()
    assert answered(bridge, "What is the capital of Canada?").results[0].label == "Ottawa"
    answer = answered(bridge, "Who is its head of state?")
    assert answer.understood_as == "Who is the head of state of Canada (Q16)?"
    bridge.reopen()
    assert "“its”" in answered(bridge, "Who is its head of state?").text


def test_how_a_question_was_understood_stands_above_its_answer() -> None:
    app = make_app(open_core=RoboData.open)

    def over(number: int) -> bool:
        records = app.conversation.records
        return len(records) == number and app.running is None and records[-1].state.ended

    def shown() -> str:
        return "\n".join(str(item.render()) for item in app.query(".exchange"))

    async def go(pilot: object) -> None:
        asked = ("What is the capital of Canada?", "Who is its head of state?")
        for number, question in enumerate(asked, 1):
            app.query_one("#question").value = question  # type: ignore[attr-defined]
            app.query_one("#question").focus()
            await press(pilot, "enter")
            await until(pilot, lambda number=number: over(number), "the answer")
        told = "understood as: Who is the head of state of Canada (Q16)?"
        await until(pilot, lambda: told in shown(), told)
        assert shown().count("understood as") == 1

    drive(app, go)
