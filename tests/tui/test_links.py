"""Claims and evidence lead to each other, by keyboard and mouse, and down to the call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from robodata_core.events import RunEnded, RunStarted
from robodata_core.run_state import CallView
from robodata_tui.screens.dialog import Reader
from robodata_tui.widgets.exchange import Exchange
from tests.core._runs import number
from tests.tui._app import (
    CAPITAL,
    RELATIVES,
    click,
    drive,
    emit_all,
    make_app,
    model_run,
    press,
    until,
    until_shown,
)


async def _focused(pilot: Any, name: str) -> None:
    app = pilot.app
    await until(pilot, lambda: app.focused is app.workspace.pane(name).main, f"focus on {name}")


def test_from_claim_to_triple_to_call_and_back(model_journal: Path) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        await _focused(pilot, "answer")
        # The claim after the first one, then its triples: the one that decides first.
        await press(pilot, "right", "enter")
        await _focused(pilot, "proof")
        assert app.conversation.claim == "c2"
        proof = app.workspace.pane("proof")
        assert "production rate" in proof.yank() and "decides · T2" in proof.yank()
        assert "query" not in "".join(proof.main.texts), "plumbing is behind Enter"
        await press(pilot, "enter")
        assert any("query nodes=[" in text for text in proof.main.texts)
        await press(pilot, "enter", "down")
        assert "also supports c1" in proof.yank()
        # The triple with all claims it supports, and on to one of them.
        await press(pilot, "backspace")
        await until(pilot, lambda: app.conversation.handle == "T1", "the triple")
        await press(pilot, "down", "enter")
        await _focused(pilot, "answer")
        assert app.conversation.claim == "c1"
        # From a claim to its triple to the call that fetched it, and into it.
        await press(pilot, "enter")
        await _focused(pilot, "proof")
        await press(pilot, "enter", "down", "enter")
        await _focused(pilot, "trace")
        tree = app.workspace.pane("trace").main
        await until(pilot, lambda: isinstance(tree.cursor_node.data, CallView), "the call")
        assert tree.cursor_node.data.id == "k4"
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, Reader), "the details")
        # And the way back, jump by jump.
        await press(pilot, "escape", "b")
        await _focused(pilot, "proof")
        await press(pilot, "b")
        await _focused(pilot, "answer")
        assert app.conversation.claim == "c1"

    drive(make_app(replay=model_journal), steps)


def test_from_the_graph_to_the_claims(model_journal: Path) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        await press(pilot, "g")
        await _focused(pilot, "graph")
        await press(pilot, "home", "j", "enter")
        await _focused(pilot, "proof")
        assert app.conversation.handle == "T1"
        rows = [str(text) for text in app.workspace.pane("proof").main.texts]
        assert "supports:" in rows
        assert any(row.startswith("▸ ✓ c1 ") for row in rows)
        assert any(row.startswith("▸ ✓ c2 ") for row in rows)

    drive(make_app(replay=model_journal), steps)


def test_an_unsupported_claim_says_so(model_journal: Path) -> None:
    async def steps(pilot: Any) -> None:
        await until_shown(pilot)
        await press(pilot, "1", "end")
        await until(pilot, lambda: pilot.app.conversation.claim == "c3", "the last claim")
        texts = pilot.app.workspace.pane("proof").main.texts
        assert "✗ not supported: no triple says so" in texts[0]
        assert len(texts) == 1

    drive(make_app(replay=model_journal), steps)


def test_a_click_on_a_citation_of_a_past_answer(model_journal: Path) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        app.dialogs.open_journal(CAPITAL)
        await until(pilot, lambda: app.conversation.number == 1, "the second run")
        await until(pilot, lambda: len(app.query(Exchange)) == 2, "both answers")
        past = app.query(Exchange).first()
        lines = [str(line) for line in str(past.content).splitlines()]
        row = next(number for number, line in enumerate(lines) if "[c2" in line)
        column = lines[row].index("[c2") + 1
        app.workspace.pane("answer").scroller.scroll_home(animate=False)
        await click(pilot, past, (column + 2, row))
        await until(pilot, lambda: app.conversation.claim == "c2", "the claim")
        assert app.conversation.number == 0
        await _focused(pilot, "proof")

    drive(make_app(replay=model_journal), steps, size=(240, 60))


def test_triples_of_an_earlier_question_lead_to_its_call() -> None:
    """The local graph is one: the second answer's graph holds what the first one fetched."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await press(pilot, *"one", "enter")
        await until_shown(pilot)
        first = app.conversation.record.state.run_id
        app.start_run("two")
        await until(pilot, lambda: len(app.conversation.records) == 2, "the second question")
        await until_shown(pilot)
        assert app.conversation.record.state.run_id != first
        assert set(app.conversation.record.before) == {"T1", "T2", "T3", "T4", "T5"}

    drive(make_app(), steps)


def test_a_jump_to_another_run_says_so_and_how_to_come_back() -> None:
    """The second answer's graph holds what the first run fetched; its call is the first run's."""
    runs = [
        model_run(),
        number(
            lambda h: RunStarted(h, "two", "offline", "wikidata", 30, {}),
            lambda h: RunEnded(h, "unknown", 0.1),
            run_id="run-two",
        ),
    ]

    def script(question: str, emit: Any, cancel: Any) -> None:
        emit_all(runs.pop(0))(question, emit, cancel)

    async def steps(pilot: Any) -> None:
        app = pilot.app
        for name in ("one", "two"):
            app.start_run(name)
            await until(pilot, lambda n=name: app.conversation.record.question == n, "the run")
            await until_shown(pilot)
        await press(pilot, "escape", "g")
        await _focused(pilot, "graph")
        await press(pilot, "home", "j", "enter")
        await _focused(pilot, "proof")
        assert app.conversation.record.question == "two" and not app._notifications
        await press(pilot, "enter", "down", "enter")
        await _focused(pilot, "trace")
        assert app.conversation.record.question == "one"
        assert [(note.title, note.message) for note in app._notifications] == [
            ("b goes back", "Another run: one")
        ]
        await press(pilot, "b")
        await _focused(pilot, "proof")
        assert app.conversation.record.question == "two" and app.conversation.handle == "T1"

    drive(make_app(script), steps)


def test_nothing_from_outside_is_read_as_markup(model_journal: Path) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        await press(pilot, "4")
        await _focused(pilot, "graph")
        await press(pilot, "home", "y")
        assert app.clipboard.startswith("Veltins [bold]Brewery[/bold] (Q608350)")
        exchange = app.query_one(Exchange)
        assert "[not markup] [bold]plain[/bold]" in str(exchange.content)
        app.start_run("[bold]what[/bold] [@click=app.quit]now[/]")
        await until_shown(pilot)
        assert "[@click=app.quit]now[/]" in str(app.query(Exchange).last().content)

    drive(make_app(replay=model_journal), steps)


def test_a_run_that_is_followed_pauses_when_the_reader_looks_back() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        await _focused(pilot, "answer")
        await press(pilot, "t")
        await _focused(pilot, "trace")
        pane = app.workspace.pane("trace")
        await press(pilot, "f")
        assert pane.following
        await press(pilot, "up")
        await until(pilot, lambda: not pane.following, "the pause")
        await press(pilot, "end")
        await until(pilot, lambda: pane.following, "following again")

    drive(make_app(replay=RELATIVES), steps, size=(80, 24))
