"""Why in ten seconds: the deciding triple, the path and the caveat stand in the first screen."""

from __future__ import annotations

from typing import Any

from robodata_core import RoboData
from tests.tui._app import drive, make_app, press, until, until_shown

SOURCE = "snapshot:wikidata-sample"
QUESTIONS = (
    # What is asked, what decides, a piece of the path, and a caveat where there is one.
    ("What is the capital of Canada?", "Canada — capital → Ottawa", "Canada ═capital", ""),
    ("When was Douglas Adams born?", "date of birth → 11 March 1952", "═▶ 11 March", "may also"),
    ("Who is the mother of Douglas Adams?", "mother → Janet Adams", "═▶ Janet Adams", "may also"),
    ("Where is a cup usually kept?", "cup — location → kitchen", "cup ═location", "≈ typical"),
    ("Is Ottawa the capital of Canada?", "capital → Ottawa", "═▶ Ottawa", ""),
    ("How many children does Douglas Adams have?", "child → Polly Adams", "═▶ Polly", "may also"),
    ("Which languages does Arnold Schwarzenegger speak?", "Arnold Schwarzenegger —", "═▶", ""),
    ("Who is the spouse of the father of Polly Adams?", "Jane Belson", "═", ""),
    ("Who are the siblings of the father of Polly Adams?", "Susan Adams", "═", ""),
    (
        "Which Italian cities are twinned with Japanese cities?",
        "Rome — twinned administrative",
        "Italy ◀─country",
        "",
    ),
)


def _screen(app: Any) -> str:
    strips = app.screen._compositor.render_strips()
    lines = ["".join(segment.text for segment in strip) for strip in strips]
    # The proof stands at the right: what breaks over two lines there is one text.
    width = max(line.find("╮╭") for line in lines) + 1
    left = " ".join(line[1 : width - 1].strip() for line in lines)
    right = " ".join(line[width + 1 : -1].strip() for line in lines)
    return " ".join(f"{left} {right}".split())


def test_why_stands_in_the_first_screen() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        for place, (question, decides, path, caveat) in enumerate(QUESTIONS, 1):
            app.start_run(question)
            await until(pilot, lambda n=place: len(app.conversation.records) == n, question)
            await until_shown(pilot)
            for wanted in ("answered", "decides ·", decides, path, caveat):
                await until(pilot, lambda text=wanted: text in _screen(app), f"{question} {wanted}")

    drive(make_app(open_core=lambda: RoboData.open(source=SOURCE)), steps, size=(120, 40))


def test_why_not_stands_in_the_first_screen() -> None:
    """What was looked for, that it is not there, and what is in its place."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("Is Jane Belson a child of Douglas Adams?")
        await until_shown(pilot)
        for wanted in (
            "❯ Is Jane Belson a child of Douglas Adams?",
            "As far as the source states, no",
            "Douglas Adams ┄child¹ ∅┄▶ Jane Belson",
            "Douglas Adams ─child²─▶ Polly Adams",
            "∅ absent: nothing found in all of wikidata-sample",
            "In its place is stated: ▸ ² Douglas Adams — child → Polly Adams",
        ):
            await until(pilot, lambda text=wanted: text in _screen(app), wanted)
        app.action_pane("doubt")
        pane = app.workspace.pane("doubt")
        await until(pilot, lambda: pane.main.has_focus, "the doubt")
        assert "nothing found in all of wikidata-sample" in pane.main.texts[1]
        await press(pilot, "p")
        await until(pilot, lambda: len(app.screen_stack) == 2, "the whole proof")
        text = str(app.screen.query_one(".reader Static").content)
        assert "Douglas Adams ┄┄ child¹ ∅ ┄┄▶ Jane Belson" in text
        assert "No triple supports" not in text

    drive(make_app(open_core=lambda: RoboData.open(source=SOURCE)), steps, size=(120, 40))


OF_THE_DEFAULT = (
    (
        "What currency does Japan use?",
        "currency → Japanese yen",
        "Japan ═currency",
        "factbook-2026",
    ),
    ("Which is larger by area, Spain or France?", "area → 643,801", "═▶ 643,801", "2 of 2"),
    (
        "Which films directed by Steven Spielberg star Tom Hanks?",
        "Bridge of Spies — director → Steven Spielberg",
        "Bridge of Spies ═director",
        "the source reports)",
    ),
    (
        "In which state was the director of Annie Hall born?",
        "The Bronx — located in the administrative territorial entity → New York City",
        "Annie Hall ─director¹─▶ Woody Allen ─place of birth²─▶ The Bronx ═located in",
        "2 of 2 the source reports",
    ),
    (
        "What is the capital of the country with the largest population?",
        "New Delhi — capital of → India",
        "New Delhi ═capital of²═▶ India",
        "! Compared by population: 206 of 274",
    ),
)


def test_why_stands_in_the_first_screen_of_the_default_snapshot() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        for place, (question, decides, path, caveat) in enumerate(OF_THE_DEFAULT, 1):
            app.conversation.renew()
            app.bridge.renew()
            app.start_run(question)
            await until(pilot, lambda n=place: len(app.conversation.records) == n, question)
            await until_shown(pilot)
            for wanted in ("decides ·", decides, path, caveat):
                await until(pilot, lambda text=wanted: text in _screen(app), f"{question} {wanted}")
        app.action_pane("doubt")
        doubt = app.workspace.pane("doubt")
        wanted = "data of: factbook-2026"
        await until(pilot, lambda: wanted in doubt.main.texts[-1], wanted)

    drive(make_app(open_core=lambda: RoboData.open(source="snapshot:world")), steps, size=(120, 40))


def test_a_count_of_many_begins_with_what_was_asked() -> None:
    """However many triples it rests on: question, reading and the first paths come first."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("How many countries are there?")
        await until_shown(pilot)
        pane = app.workspace.pane("proof").main
        await until(pilot, lambda: pane.texts and pane.texts[0].startswith("How many"), "the proof")
        assert len(pane.texts[0].splitlines()) < 30
        assert pane.scroll_y == 0
        view = app.conversation.view()
        counted = view.members(view.state.claims[0])
        assert len(counted) == view.state.answer.results[0].value, "what was counted is listed"
        last = counted[-1]
        app.conversation.select_claim(view.state.claims[0].id, last.id)
        (only,) = app.conversation.view().proof(view.state.claims[0]).edges
        assert only.item.triple.subject == last.id and f"· {last.label}" in str(
            app.workspace.pane("answer").main.texts
        )

    drive(make_app(open_core=lambda: RoboData.open(source=SOURCE)), steps, size=(120, 40))
