"""What a model was asked: in the timeline's tabs, in details, in figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from robodata_core.run_state import fold
from robodata_tui.screens.details import describe_row
from robodata_tui.screens.dialog import Reader
from robodata_tui.screens.statistics import statistics_text
from tests.tui._app import drive, make_app, model_run, press, until, until_shown


def details(row: object) -> str:
    found = describe_row(row, fold(model_run()))
    assert found is not None
    return found[1].plain


def test_a_call_opens_with_the_prompt_that_led_to_it() -> None:
    turn = fold(model_run()).timeline[1]
    search, query = turn.calls
    text = details(search)
    assert 'Arguments\ntext: "Veltins"' in text
    assert "Result\n2 items" in text
    assert "You look for [bold]facts[/bold]." in text
    assert "… 4,321 more characters" in text
    assert "12,400 tokens sent, 310 received, cost 0.0042" in text
    assert "Prompt" not in details(query), "no reply asked for it"


def test_a_turn_and_an_observation_open_with_their_prompts() -> None:
    turn = fold(model_run()).timeline[1]
    assert "Reply (tool_calls)\nI search." in details(turn)
    seen = turn.observation
    assert seen is not None
    assert "What it changed\nthe hint" in details(seen)
    assert "follow P131" in details(seen)


def test_figures_count_metacognition_and_what_results_take_to_read() -> None:
    text = statistics_text(fold(model_run()))
    (remote,) = [line for line in text.splitlines() if line.startswith("REMOTE ")]
    assert remote.split()[-1] == "25,420", "the decision and the observation"
    (search,) = [line for line in text.splitlines() if line.startswith("search_entities")]
    assert int(search.split()[-1]) > 0
    (role,) = [line for line in text.splitlines() if line.startswith("metacognition")]
    assert role.split() == ["metacognition", "small", "1", "12,400", "310", "0.0042"]


def test_a_prompt_is_opened_by_keyboard(model_journal: Path) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        pane = app.workspace.pane("trace")
        app.action_pane("trace")
        await until(pilot, lambda: pane.main.has_focus, "the timeline")
        await press(pilot, "3")
        await until(pilot, lambda: pane.tab == "prompts" and pane.main.has_focus, "the prompts")
        tree = pane.main
        prompts = [
            line
            for line in range(tree.last_line + 1)
            if "prompt of" in str(tree.get_node_at_line(line).label)
        ]
        assert len(prompts) == 2
        await press(pilot, "home", *["j"] * prompts[0], "enter")
        await until(pilot, lambda: isinstance(app.screen, Reader), "the prompt")
        await press(pilot, "y")
        assert "You look for [bold]facts[/bold]." in app.clipboard

    drive(make_app(replay=model_journal), steps)
