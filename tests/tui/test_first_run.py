"""Before the first question: what is held here, and examples that work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.config import DEFAULT_SOURCE, Settings
from robodata_core.model import AnswerStatus
from robodata_core.sources.snapshot.loading import load_files
from robodata_tui.bridge import Bridge
from robodata_tui.examples import MOST, find_examples, held_line, trying
from robodata_tui.kept import Kept
from robodata_tui.screens.dialog import Confirm
from robodata_tui.widgets.exchange import Exchange
from robodata_tui.widgets.welcome import Welcome
from tests.tui._app import RELATIVES, FakeCore, drive, make_app, press, until, until_shown


@pytest.mark.parametrize("source", ["", "snapshot:wikidata-sample", "snapshot:household"])
def test_every_example_is_answered(source: str) -> None:
    with RoboData.open(**({"source": source} if source else {})) as core:
        questions, checked = find_examples(core.source)
        assert checked and len(questions) == MOST
        assert " about " in held_line(core.source)
        for question in questions:
            assert core.ask(question).status.value == "answered", question


def test_an_example_is_asked_with_a_key() -> None:
    core = FakeCore()

    async def steps(pilot: Any) -> None:
        app = pilot.app
        welcome = app.query_one(Welcome)
        await until(pilot, lambda: bool(welcome.rows.targets), "the examples of the source")
        welcome.put("a source", ("one?", "two?"), True)
        await press(pilot, "tab", "2")
        await until_shown(pilot)
        assert core.questions == ["two?"]
        assert app.focused is app.workspace.question

    drive(make_app(open_core=lambda: core), steps)


@pytest.mark.parametrize(
    ("sources", "watched", "told"),
    [
        (["snapshot:world"], False, "Only this snapshot was asked; Esc, then w asks live Wikidata"),
        (["snapshot:a", "snapshot:b"], False, "Only these snapshots were asked; Esc, then w"),
        (["snapshot:world", "wikidata"], False, ""),
        (["auto"], False, ""),
        ([], False, ""),
        (["snapshot:world"], True, ""),
    ],
)
def test_what_a_snapshot_lacks_names_the_key_that_asks_wikidata(
    sources: list[str], watched: bool, told: str
) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        record = app.conversation.record
        answer = record.state.answer
        assert "w asks live Wikidata" not in str(app.query_one(Exchange).content)
        record.watched = watched
        record.state = replace(
            record.state,
            answer=replace(answer, status=AnswerStatus.UNKNOWN, text="I do not know."),
            settings={"source": sources},
        )
        app.workspace.refresh()
        await until(
            pilot, lambda: "I do not know" in str(app.query_one(Exchange).content), "the answer"
        )
        shown = str(app.query_one(Exchange).content)
        assert told in shown and ("then w asks live Wikidata" in shown) == bool(told)
        assert "? I do not know." in shown and "unknown" not in shown, "it is said once"

    drive(make_app(replay=RELATIVES), steps)


def test_live_wikidata_is_asked_after_a_yes() -> None:
    opened: list[Settings] = []
    app = make_app(replay=RELATIVES)

    def open_core(settings: Settings) -> Any:
        opened.append(settings)
        return FakeCore()

    async def steps(pilot: Any) -> None:
        await until_shown(pilot)
        app.dialogs.options = type(app.options)(Settings(), open_core)
        await press(pilot, "w")
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        await press(pilot, "y")
        await until(pilot, lambda: len(app.conversation.records) == 2, "the run")
        await until_shown(pilot)
        assert [settings.source[-1] for settings in opened] == ["auto"]
        assert not app.conversation.fresh, "the conversation goes on"

    drive(app, steps)


def test_without_a_network_what_is_here_answers_and_the_conversation_goes_on() -> None:
    nowhere = Settings(
        source=(DEFAULT_SOURCE,),
        wikidata_api="http://127.0.0.1:9/w/api.php",
        wikidata_sparql="http://127.0.0.1:9/sparql",
        cache_days=0,
        http_tries=1,
    )

    def open_core(settings: Settings) -> RoboData:
        return RoboData.open(**settings.model_dump())

    app = make_app(open_core=lambda: open_core(nowhere), settings=nowhere)

    async def asked(pilot: Any, question: str) -> Any:
        app.start_run(question)
        return await answered(pilot)

    async def answered(pilot: Any) -> Any:
        await until(pilot, lambda: app.running is None and app.conversation.record, "the answer")
        return app.conversation.record

    async def steps(pilot: Any) -> None:
        app.dialogs.options = type(app.options)(nowhere, open_core)
        await until(pilot, lambda: app.session.opened, "the core")
        await asked(pilot, "What is the capital of Spain?")
        await asked(pilot, "Who is the spouse of Ann Lowmere?")
        await press(pilot, "escape", "w")
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        await press(pilot, "y")
        await until(pilot, lambda: len(app.conversation.records) == 3, "the run")
        again = (await answered(pilot)).state.answer
        assert again.status is AnswerStatus.UNKNOWN
        assert any("Wikidata could not be asked" in note for note in again.notes)
        await press(pilot, "w")  # it is still offered: once agreed to, it is asked again at once
        await until(pilot, lambda: len(app.conversation.records) == 4, "another try")
        await answered(pilot)
        back = await asked(pilot, "Who was born there?")
        assert "Madrid" in back.asked, "what was said before is remembered"
        known = (await asked(pilot, "What is the capital of Canada?")).state.answer
        assert [item.label for item in known.results] == ["Ottawa"]
        assert not app.conversation.fresh

    drive(app, steps)


@pytest.mark.parametrize(("answer", "sources"), [("y", []), ("n", [(DEFAULT_SOURCE,)])])
def test_going_on_to_wikidata_is_agreed_to_first(answer: str, sources: list[Any]) -> None:
    opened: list[Settings] = []

    def open_core(settings: Settings) -> Any:
        opened.append(settings)
        return FakeCore()

    app = make_app(replay=RELATIVES)

    async def steps(pilot: Any) -> None:
        await until_shown(pilot)
        app.dialogs.options = type(app.options)(Settings(source=("auto",)), open_core)
        app.agree_to_auto()
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        await press(pilot, answer)
        await until(pilot, lambda: not isinstance(app.screen, Confirm), "the screen")
        await until(pilot, lambda: len(opened) == len(sources), "the core")
        assert [settings.source for settings in opened] == sources

    drive(app, steps)


def test_the_pane_beside_the_answer_is_remembered(tmp_path: Path) -> None:
    file = tmp_path / "state" / "screen.json"

    async def choose(pilot: Any) -> None:
        await until_shown(pilot)
        await press(pilot, "g")
        await until(pilot, lambda: pilot.app.workspace.pane("graph").main.has_focus, "the graph")

    async def again(pilot: Any) -> None:
        await until_shown(pilot)
        assert pilot.app.workspace.pane("graph").display
        assert not pilot.app.workspace.pane("proof").display

    drive(make_app(replay=RELATIVES, kept=file), choose, size=(120, 40))
    drive(make_app(replay=RELATIVES, kept=file), again, size=(120, 40))


@pytest.mark.parametrize("content", ["", "[1]", '{"side": ["graph"]}', '{"side": "nothing"}'])
def test_a_file_that_holds_something_else_is_as_good_as_none(tmp_path: Path, content: str) -> None:
    path = tmp_path / "screen.json"
    path.write_text(content)
    assert Kept(path, {"side": ("graph",)}).get("side", "proof") == "proof"


_OWN = """The Long Night|directed by|Ada Moor
The Long Night|starring|Ben Carr
The Long Night|release year|1999
Red Harbour|directed by|Cleo Vance
Red Harbour|has genre|Drama
Red Harbour|release year|2004
Snow Line|directed by|Ada Moor
Snow Line|written by|Eva Lund
"""


@pytest.mark.parametrize("small", [None, 0], ids=["one file", "a store on disk"])
def test_of_somebody_s_own_snapshot_examples_are_made_and_tried(
    tmp_path: Path, small: int | None
) -> None:
    (tmp_path / "films.tsv").write_text(_OWN)
    given = {} if small is None else {"small": small}
    load_files([tmp_path / "films.tsv"], tmp_path / "films", delimiter="|", **given)
    journals = tmp_path / "journals"
    with RoboData.open(source=f"snapshot:{tmp_path / 'films'}", journal=str(journals)) as core:
        ask = trying(core.source, core.settings, CancelToken(60.0))
        questions, checked = find_examples(core.source, ask)
        assert checked and len(questions) >= 2
        assert any(text.endswith(" directed by?") for text in questions)
        assert any("release year" in text for text in questions)
        for question in questions:
            assert core.ask(question).status is AnswerStatus.ANSWERED, question
        kept = list(journals.iterdir())
        assert len(kept) == len(questions), "what is tried leaves no journal"
        assert find_examples(core.source) == ((), True), "without a try none is offered"


def test_examples_are_made_for_so_long_as_nobody_asks(tmp_path: Path) -> None:
    (tmp_path / "films.tsv").write_text(_OWN)
    load_files([tmp_path / "films.tsv"], tmp_path / "films", delimiter="|")
    with RoboData.open(source=f"snapshot:{tmp_path / 'films'}") as core:
        cancel = CancelToken(60.0)
        cancel.cancel()
        assert find_examples(core.source, trying(core.source, core.settings, cancel)) == ((), True)
        late = trying(core.source, core.settings, CancelToken(0.0))
        assert find_examples(core.source, late) == ((), True)
    bridge = Bridge(lambda: core)
    bridge.ask("?")
    assert bridge._looking.cancelled
