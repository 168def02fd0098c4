"""The question line is one conversation: later questions may point back, until the core is new."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from typing import Any

import pytest
from textual.widgets import Static

from robodata_core import RoboData
from robodata_core.config import Settings
from robodata_core.events import (
    AnswerReady,
    QuestionUnderstood,
    RankedReading,
    Rewriting,
    RunEnded,
    RunStarted,
)
from robodata_core.model import Answer, AnswerStatus, Claim, SearchHit
from robodata_tui.bridge import Bridge, Finished, Happened
from robodata_tui.screens.dialog import Reader
from robodata_tui.widgets.exchange import Exchange
from tests.core._runs import number as number_events
from tests.tui._app import (
    RELATIVES,
    drive,
    emit_all,
    hang,
    make_app,
    model_run,
    press,
    until,
    until_shown,
)

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


def test_questions_do_not_point_back_into_the_conversation_before() -> None:
    bridge = Bridge(RoboData.open)
    bridge.start()
    assert answered(bridge, "What is the capital of Canada?").results[0].label == "Ottawa"
    bridge.renew()
    assert "“its”" in answered(bridge, "Who is its head of state?").text


def test_a_new_conversation_is_told_and_its_questions_are_counted() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app

        def order() -> str:
            there = [part for part in app.query_one("#conversation").children if part.display]
            return " ".join("—" if part.has_class("divider") else "?" for part in there)

        async def ask(number: int) -> None:
            await press(pilot, *"why", "enter")
            await until(pilot, lambda: len(app.conversation.records) == number, "the question")
            await until_shown(pilot)

        await press(pilot, "ctrl+n")
        await until(pilot, lambda: order() == "", "nothing was asked yet")
        await ask(1)
        await ask(2)
        await until(
            pilot, lambda: "2 questions so far" in app.workspace.question.placeholder, "the count"
        )
        await press(pilot, "ctrl+n", "ctrl+n")
        await until(pilot, lambda: order() == "? ? —", "the line, once")
        assert app.workspace.question.placeholder == "ask…"
        await ask(3)
        await until(pilot, lambda: order() == "? ? — ?", "the question below it")
        assert "1 question so far" in app.workspace.question.placeholder
        app.change_settings(Settings(max_turns=9))
        await until(pilot, lambda: order() == "? ? — ? —", "an opened core begins anew")

    drive(make_app(), steps)


def test_no_new_conversation_during_a_run() -> None:
    reached = threading.Event()

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await press(pilot, *"why", "enter")
        await until(pilot, reached.is_set, "the run")
        await press(pilot, "ctrl+n")
        assert (app.conversation.turns, app.conversation.fresh) == (1, False)
        assert "Ctrl+C" in app.workspace.question.placeholder
        await press(pilot, "ctrl+c")
        await until_shown(pilot)

    drive(make_app(hang(reached)), steps)


INFLUENCED = "Who influenced Friedrich Nietzsche?"
COUNTED = "How many siblings does Tito Jackson have?"


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
        # The proof marks the words that were understood: what was typed names no Canada.
        proof = app.workspace.pane("proof")
        words = "Who is the head of state of Canada¹?"
        await until(pilot, lambda: words in str(proof.main.texts), words)
        # Of a set some are named; ids say nothing to a reader.
        for number, question in enumerate((INFLUENCED, "Which of them are women?"), 3):
            app.start_run(question)
            await until(pilot, lambda number=number: over(number), "the answer")
        told = r"understood as: Which of these 16 \((?:[^,(]+, ){2}[^,(]+ and 13 more\)[^(]*$"
        await until(pilot, lambda: re.search(told, shown(), re.MULTILINE), shown())
        # Those that were only counted stand in no result, and have names all the same.
        for number, question in enumerate((COUNTED, "When were they born?"), 5):
            app.start_run(question)
            await until(pilot, lambda number=number: over(number), "the answer")
        told = r"understood as: When were these \d+ \((?:[^,(]*\D, ){2}[^,(]+ and \d more\) born\?$"
        await until(pilot, lambda: re.search(told, shown(), re.MULTILINE), shown())

    drive(app, go)


def test_what_is_current_stays_in_sight_in_a_smaller_window() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        for number in range(1, 5):
            await press(pilot, *"why", "enter")
            await until(pilot, lambda number=number: len(app.conversation.records) == number, "it")
            await until_shown(pilot)
        scroll = app.workspace.pane("answer").scroller
        for size in ((80, 24), (50, 14), (160, 48)):
            await pilot.resize_terminal(*size)
            last = app.query(".exchange").last()
            await until(
                pilot, lambda last=last: last.region.y == scroll.region.y or last.region.bottom
                <= scroll.region.bottom, f"the last answer at {size}",
            )  # fmt: skip
            assert scroll.region.overlaps(last.region)

    drive(make_app(), steps)


def _shown(answer: Answer) -> str:
    """Return what is in sight of a run that ends with an answer."""
    events = number_events(
        lambda h: RunStarted(h, "?", "offline", "snapshot:none", 30, {}),
        lambda h: AnswerReady(h, answer),
        lambda h: RunEnded(h, answer.status.value, 0.1),
    )
    shown: list[str] = []

    async def steps(pilot: Any) -> None:
        pilot.app.start_run("?")
        await until_shown(pilot)
        shown.append(" ".join(str(pilot.app.query_one(".exchange").content).split()))

    drive(make_app(emit_all(events)), steps)
    return shown[0]


@pytest.mark.parametrize("says", [True, False])
def test_why_an_answer_is_partial_is_in_sight_once(says: bool) -> None:
    answer = Answer(
        "?",
        AnswerStatus.PARTIAL,
        "It is Jane [c1]." + " No word says\nwhether she is a wife." * says,
        "offline",
        (Claim("c1", "It is Jane.", True),),
        missing=("No word says whether she is a wife.", "When they married."),
    )
    text = _shown(answer)
    assert text.count("whether she is a wife") == 1
    assert ("◐ partial: No word says" in text) is not says
    assert "When they married." in text


@pytest.mark.parametrize("says", [False, True])
def test_what_else_was_meant_is_in_sight_once(says: bool) -> None:
    answer = Answer(
        "?",
        AnswerStatus.UNKNOWN,
        "I do not know." + " Did you mean: Marie Curie (Q7186)?" * says,
        "offline",
        suggestions=(SearchHit("Q7186", "Marie Curie"),),
    )
    assert _shown(answer).count("Did you mean: Marie Curie (Q7186)?") == 1


@pytest.mark.parametrize("palette", [False, True], ids=["by key", "by palette"])
def test_the_line_between_conversations_is_in_sight(palette: bool) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        for number in range(1, 4):
            await press(pilot, *"why", "enter")
            await until(pilot, lambda number=number: len(app.conversation.records) == number, "it")
            await until_shown(pilot)
        if palette:
            await press(pilot, "ctrl+p", *"Newconv")
            await until(
                pilot, lambda: app.screen.query_one("CommandList").option_count == 1, "the command"
            )
            await press(pilot, "enter")
        else:
            await press(pilot, "ctrl+n")
        line = app.workspace.screen.query(".divider").last()
        scroll = app.workspace.pane("answer").scroller
        await until(pilot, lambda: line.region.height, "the line")
        await until(pilot, lambda: line.region in scroll.region, "the line in sight")
        assert app.focused is app.workspace.question

    drive(make_app(), steps, size=(120, 40))


@pytest.mark.parametrize(
    ("probability", "told", "style"),
    [(0.97, "  97%", "$foreground-muted"), (0.62, "  ? likely 62%", "$text-warning")],
)
def test_a_reading_that_is_only_likely_says_so_wherever_it_stands(
    probability: float, told: str, style: str
) -> None:
    events = [
        replace(
            event,
            answer=replace(event.answer, reading="where Veltins is", probability=probability),
        )
        if isinstance(event, AnswerReady)
        else event
        for event in model_run()
    ]

    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("Where is the Veltins brewery?")
        await until_shown(pilot)
        line = f"Read as: where Veltins is{told}"
        shown = app.query(".exchange").last()
        await until(pilot, lambda: line in str(shown.content), "the answer's reading")
        assert (line, style) in [
            (shown.content.plain[span.start : span.end], span.style) for span in shown.content.spans
        ]
        rows = app.workspace.pane("proof").main
        await until(pilot, lambda: line in rows.texts[0], "the proof's reading")
        await press(pilot, "escape", "p")
        await until(pilot, lambda: isinstance(app.screen, Reader), "the whole proof")
        assert line in str(app.screen.query_one(".reader Static", Static).content)

    drive(make_app(emit_all(events)), steps, size=(120, 40))


def test_the_claims_stand_below_the_answer_that_they_belong_to() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        for number in range(1, 4):
            app.start_run(f"question {number}")
            await until(pilot, lambda number=number: len(app.conversation.records) == number, "it")
            await until_shown(pilot)

        def shown() -> list[int]:
            return [item.number for item in app.query(Exchange) if item.display]

        claims = app.query_one("#claims")
        await until(pilot, lambda: shown() == [0, 1, 2] and claims.display, "all answers")
        await press(pilot, "escape", "N", "N")
        await until(pilot, lambda: shown() == [0], "the first answer alone above its claims")
        assert claims.option_count and claims.region.y >= app.query(Exchange).first().region.bottom
        assert "1 of 3, n goes to the next" in str(app.workspace.pane("answer").border_subtitle)
        await press(pilot, "n", "n")
        await until(pilot, lambda: shown() == [0, 1, 2], "all answers again")
        # Another conversation begins behind the last answer, whichever was looked at.
        await press(pilot, "N", "ctrl+n")
        await until(pilot, lambda: shown() == [0, 1, 2] and app.conversation.fresh, "the end")

    drive(make_app(), steps)


def test_what_was_understood_is_as_wide_as_terminals_draw_it() -> None:
    rewriting = Rewriting("is it ❤\ufe0f?", "Is Canada (Q16) (\u2764\ufe0f\U0001f44d\U0001f3fd)?")
    events = number_events(
        lambda h: RunStarted(h, "?", "offline", "snapshot:sample", 30, {}),
        lambda h: QuestionUnderstood(h, rewriting),
        lambda h: AnswerReady(h, Answer("?", AnswerStatus.UNKNOWN, "I do not know.")),
        lambda h: RunEnded(h, "unknown", 0.1),
    )

    async def steps(pilot: Any) -> None:
        pilot.app.start_run("?")
        await until_shown(pilot)
        told = "understood as: Is Canada (Q16) (\u2764\U0001f44d)?"
        shown = pilot.app.query(Exchange).last()
        await until(pilot, lambda: told in str(shown.content), told)

    drive(make_app(emit_all(events)), steps)


@pytest.mark.parametrize("size", [(120, 40), (60, 20)])
@pytest.mark.parametrize("typed", ["", "draft"])
def test_what_waits_is_in_sight_and_none_of_it_is_lost(typed: str, size: tuple[int, int]) -> None:
    reached = threading.Event()

    async def steps(pilot: Any) -> None:
        app = pilot.app
        line, queued = app.workspace.question, app.query_one("#queued", Static)
        await press(pilot, *"one", "enter")
        await until(pilot, reached.is_set, "the run")
        assert not queued.display
        await press(pilot, *"two", "enter", *"three", "enter", *typed)
        await until(pilot, lambda: queued.display and queued.region.height == 3, "what waits")
        assert str(queued.content).splitlines() == ["Asked next:", "❯ two", "❯ three"]
        assert app.workspace.pane("answer").region.contains_region(queued.region), "in sight"
        await press(pilot, "ctrl+c")
        await until_shown(pilot)
        await until(pilot, lambda: not queued.display, "nothing waits")
        assert len(app.conversation.records) == 1, "cancelled is cancelled"
        told = "\n".join(note.message for note in app._notifications)
        if typed:
            assert line.value == "draft" and "Not asked: “two”, “three”." in told
        else:
            assert line.value == "two" and "Not asked: “three”." in told
        await press(pilot, "up")
        assert line.value == "three"
        await press(pilot, "up")
        assert line.value == "two"

    drive(make_app(hang(reached)), steps, size=size, toasts=True)


@pytest.mark.parametrize("lost", ["", "not sure enough to be answered"])
def test_how_sure_a_reading_is_is_said_where_only_the_rules_know(lost: str) -> None:
    """The trace has a figure then; answer and proof have the same, and say whose it is."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        record = app.conversation.record
        answer = replace(record.state.answer, reading="relatives of Adams", probability=None)
        ranked = (RankedReading("relatives of Adams", 0.984, lost),)
        record.state = replace(record.state, answer=answer, readings=ranked)
        app.workspace.refresh()
        wanted = "Read as: relatives of Adams" + ("" if lost else "  98% by rules")
        proof = app.workspace.pane("proof").main
        await until(pilot, lambda: wanted in "\n".join(proof.texts), "the proof")
        assert wanted in str(app.query_one(Exchange).content)
        assert ("by rules" in str(app.query_one(Exchange).content)) is not bool(lost)
        await press(pilot, "p")
        await until(pilot, lambda: isinstance(app.screen, Reader), "the whole proof")
        assert wanted in app.screen._text.plain

    drive(make_app(replay=RELATIVES), steps)
