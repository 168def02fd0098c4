"""What is written and read: exports, settings, journals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from robodata_core import journal
from robodata_core.config import Settings, load_settings
from robodata_core.errors import ConfigurationError, InvalidRequestError
from robodata_tui.exporting import FORMATS, export_record, free_path
from robodata_tui.records import Record, read_record
from robodata_tui.screens.chooser import past_questions, recent_journals
from robodata_tui.screens.settings import SettingsScreen, write_settings
from tests.tui._app import CAPITAL, RELATIVES, drive, make_app, press, until, until_shown


def test_markdown_shows_text_as_it_is_and_says_what_is_unsupported(model_journal: Path) -> None:
    text = export_record(read_record(model_journal), "markdown").decode()
    assert text.startswith("# Where is the Veltins brewery?")
    assert "\\[bold\\]plain\\[/bold\\]" in text
    assert "**unsupported**: no triple says so" in text
    assert "fetch\\_node (k4)" in text


def test_json_is_the_contract_of_ask() -> None:
    data = json.loads(export_record(read_record(RELATIVES), "json"))
    assert data["status"] == "answered"
    assert len(data["claims"]) == 5


@pytest.mark.parametrize("name", ["turtle", "trig"])
def test_the_graph_of_a_journal_is_rdf_with_its_provenance(name: str) -> None:
    text = export_record(read_record(CAPITAL), name).decode()
    assert "wd:Q16" in text
    assert "wd:Q1930" in text
    assert "prov:" in text


def test_a_journal_is_exported_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "again.jsonl"
    path.write_bytes(export_record(read_record(RELATIVES), "jsonl"))
    assert list(journal.read(path)) == list(journal.read(RELATIVES))


def test_there_is_nothing_to_export_before_the_answer() -> None:
    with pytest.raises(InvalidRequestError):
        export_record(Record("?"), "markdown")


def test_an_export_never_replaces_a_file(tmp_path: Path) -> None:
    record = read_record(CAPITAL)
    first = free_path(tmp_path, record, FORMATS[0])
    first.write_text("mine")
    assert free_path(tmp_path, record, FORMATS[0]) != first


def test_export_by_keyboard(tmp_path: Path) -> None:
    async def steps(pilot: Any) -> None:
        await until_shown(pilot)
        for number, form in enumerate(FORMATS):
            before = set(tmp_path.iterdir())
            await press(pilot, "e")
            await press(pilot, *["down"] * number, "enter")
            await until(pilot, lambda before=before: set(tmp_path.iterdir()) - before, "the file")
            new = (set(tmp_path.iterdir()) - before).pop()
            assert new.suffix == form.suffix
            assert new.stat().st_size > 0
        svg = next(tmp_path.glob("*.svg")).read_text()
        assert "Christopher" in svg
        assert "https://" not in svg.replace("https://www.textualize.io", "")
        assert "Turtle" not in svg, "the dialog is in the picture"

    drive(make_app(replay=RELATIVES, export_to=tmp_path), steps)


def test_settings_are_checked_and_written(tmp_path: Path) -> None:
    path = tmp_path / "robodata.yaml"
    path.write_text("language: de\n")
    settings = write_settings(path, {"max_turns": 7, "policy": "offline"})
    assert settings.max_turns == 7
    assert yaml.safe_load(path.read_text()) == {
        "language": "de",
        "max_turns": 7,
        "policy": "offline",
    }


def test_what_stands_below_tui_stays(tmp_path: Path) -> None:
    path = tmp_path / "robodata.yaml"
    path.write_text("tui: {keymap: {zoom: w}, theme: nord}\n")
    write_settings(path, {"tui": {"theme": "dracula"}})
    assert yaml.safe_load(path.read_text()) == {
        "tui": {"keymap": {"zoom": "w"}, "theme": "dracula"}
    }


def test_a_file_that_cannot_be_read_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "robodata.yaml"
    path.write_text("tui: [not: closed\n")
    with pytest.raises(ConfigurationError):
        write_settings(path, {"max_turns": 7})
    assert path.read_text() == "tui: [not: closed\n"


def test_a_theme_that_was_chosen_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "robodata.yaml"

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        await press(pilot, "f3")
        await until(pilot, lambda: len(app.screen_stack) == 2, "the themes")
        before = app.theme
        await press(pilot, "up")
        await until(pilot, lambda: app.theme != before, "the preview")
        assert not path.exists()
        await press(pilot, "enter")
        await until(pilot, path.exists, "the file")
        assert load_settings(path).tui.theme == app.theme

    drive(make_app(replay=RELATIVES, config=path), steps)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_turns", "many"),
        ("source", "sparql:https://me:secret@example.org/sparql"),
        ("model", "sk-abcdefghijklmnopqrstuvwxyz"),
    ],
)
def test_wrong_settings_and_secrets_are_not_written(tmp_path: Path, name: str, value: str) -> None:
    path = tmp_path / "robodata.yaml"
    with pytest.raises(ConfigurationError):
        write_settings(path, {name: value})
    assert not path.exists()


def test_the_settings_screen_writes_and_opens_the_core_again(tmp_path: Path) -> None:
    path = tmp_path / "robodata.yaml"

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        await press(pilot, "f2")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen), "the form")
        turns = app.screen.query_one("#max_turns")
        turns.value = "0"
        await press(pilot, "ctrl+s")
        assert "max_turns" in str(app.screen.query_one(".problem").content)
        assert not path.exists()
        turns.value = "9"
        await press(pilot, "ctrl+s")
        await until(pilot, path.exists, "the file")
        await until(pilot, lambda: app.query_one("#header").core != "opening …", "the core")
        assert app.options.settings.max_turns == 9

    drive(make_app(replay=RELATIVES, config=path, settings=Settings()), steps)


def test_history_lists_journals_and_leaves_out_what_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(CAPITAL.read_bytes())
    (tmp_path / "b.jsonl").write_text("no journal\n")
    (tmp_path / "c.txt").write_text("")
    assert [path.name for path, _ in recent_journals(tmp_path)] == ["a.jsonl"]
    assert past_questions(tmp_path) == ["What is the capital of Canada?"]
    assert recent_journals(tmp_path / "missing") == []


def test_a_journal_from_history_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(CAPITAL.read_bytes())

    async def steps(pilot: Any) -> None:
        await until_shown(pilot)
        await press(pilot, "f8")
        await press(pilot, "down", "enter")
        await until(pilot, lambda: len(pilot.app.conversation.records) == 2, "the journal")
        record = pilot.app.conversation.record
        assert record is not None
        assert record.question == "What is the capital of Canada?"

    drive(make_app(replay=RELATIVES, journals=tmp_path), steps)


def test_a_journal_that_was_cut_short_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_bytes(RELATIVES.read_bytes()[:9_000])
    record = read_record(path)
    assert record.notice
    assert not record.state.ended
    assert record.move(-1)
    assert record.shown.seq < record.state.seq
