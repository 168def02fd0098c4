"""Who agrees, who differs, who is silent; and two runs compared."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from robodata_core import RoboData
from robodata_core.config import load_settings
from robodata_core.events import AnswerReady, GraphChanged, RunEnded, RunEvent, RunStarted
from robodata_core.model import (
    Answer,
    AnswerStatus,
    Claim,
    EntityValue,
    Evidence,
    Provenance,
    Saying,
    SupportSet,
    Triple,
)
from robodata_core.run_state import RunState
from robodata_core.sources.snapshot.loading import write_snapshot
from robodata_tui.doubts import claim_doubt, compare, other_run
from tests.core._runs import number
from tests.core.fixtures import tiny_snapshot
from tests.tui._app import drive, make_app, press, until, until_shown

WHEN = datetime(2026, 1, 1, tzinfo=timezone.utc)


def said(handle: str, object_: str, *sources: str) -> Evidence:
    return Evidence(
        handle,
        Triple("Q16", "P36", EntityValue(object_)),
        subject_label="Canada",
        predicate_label="capital",
        object_label=object_,
        provenance=tuple(Provenance(name, WHEN, "r", "k1", "fetch") for name in sources),
    )


def claimed(name: str, item: Evidence) -> Claim:
    text = f"The capital of Canada is {item.object_label}."
    return Claim(name, text, True, SupportSet((item,)))


def heard(source: str, *values: str, text: str = "") -> Saying:
    return Saying(source, "Q16", "P36", tuple(map(EntityValue, values)), text)


def test_sources_agree_differ_or_are_silent() -> None:
    """Also those that the run only heard: nothing they say stands in the local graph."""
    claim = claimed("c1", said("T1", "Ottawa", "snapshot:a"))
    others = [
        heard("snapshot:a", "Ottawa", text="Ottawa"),
        heard("snapshot:b", "Toronto", "Montreal", text="Toronto, Montreal"),
        heard("snapshot:d", "Ottawa", "Montreal", text="Ottawa, Montreal"),
    ]
    doubt = claim_doubt(claim, others, "snapshot:a+snapshot:b+snapshot:c")
    assert doubt.agree == ("snapshot:a", "snapshot:d")
    assert doubt.differ == ("b: capital → Toronto, Montreal",)
    assert doubt.silent == ("snapshot:c",)
    assert (doubt.ranks, doubt.oldest) == (("normal",), WHEN)


def test_several_values_of_one_source_are_no_contradiction() -> None:
    claim = claimed("c1", said("T2", "B", "b"))
    doubt = claim_doubt(claim, [heard("a", "A"), heard("b", "A", "B")], "a+b")
    assert (doubt.agree, doubt.differ, doubt.silent) == (("b",), (), ("a",))


def test_two_runs_are_compared_claim_by_claim() -> None:
    ottawa, toronto = claimed("c1", said("T1", "Ottawa", "a")), claimed("c1", said("T1", "T", "a"))
    extra = Claim("c2", "Something else.", True)
    before = RunState(claims=(ottawa, extra))
    assert compare(before, RunState(claims=(extra, ottawa))).same == 2
    found = compare(before, RunState(claims=(toronto,)))
    assert found.changed == ((ottawa, toronto),)
    assert (found.lost, found.added, found.same) == ((extra,), (), 0)
    weaker = replace(extra, supported=False)
    assert compare(before, RunState(claims=(ottawa, weaker))).changed == ((extra, weaker),)


def test_a_run_is_compared_with_the_last_one_that_asked_the_same() -> None:
    states = [RunState(question=text) for text in ("one", "two", "One", "three")]
    assert [other_run(states, place) for place in range(4)] == [None, None, 0, None]


def _runs() -> Any:
    """Return a script: first Ottawa is the capital, then Toronto is, and another source differs."""
    count = 0

    def script(question: str, emit: Any, cancel: Any) -> None:
        nonlocal count
        count += 1
        name = "Ottawa" if count == 1 else "Toronto"
        mine = said("T1", name, "snapshot:a")
        note = "snapshot:a and snapshot:b differ about the capital of Canada."
        answer = Answer(
            question,
            AnswerStatus.ANSWERED,
            "",
            "offline",
            (claimed("c1", mine),),
            notes=(note,),
            said=(heard("snapshot:b", "Montreal", text="Montreal"),),
        )
        events: list[RunEvent] = number(
            lambda h: RunStarted(h, question, "offline", "snapshot:a+snapshot:b", 30, {}),
            lambda h: GraphChanged(h, 1, "k1", (mine,), (), 2, 1),
            lambda h: AnswerReady(h, answer),
            lambda h: RunEnded(h, "answered", 0.1),
            run_id=f"run-{count}",
        )
        for event in events:
            emit(event)

    return script


_OTHERWISE = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
wd:Q16 rdfs:label "Canada"@en ; wdt:P1082 "41000000"^^xsd:decimal .
wd:P1082 rdfs:label "population"@en .
"""


def test_two_snapshots_that_contradict_each_other_are_told_of_on_the_screen(tmp_path: Path) -> None:
    write_snapshot(ox.parse(_OTHERWISE, format=ox.RdfFormat.TURTLE), tmp_path / "own", name="own")
    own, world = (f"snapshot:{path}" for path in (tmp_path / "own", tiny_snapshot(tmp_path)))
    settings = load_settings(source=(own, world))

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until(pilot, lambda: app.session.opened, "the sources")
        app.start_run("What is the population of Canada?")
        await until(pilot, lambda: app.conversation.record is not None, "the run")
        await until_shown(pilot)
        told = str(app.query(".exchange").last().content)
        assert "! Sources differ about population of Canada: " in told
        assert "own says 41,000,000" in told and "says 40,000,000" in told
        app.action_pane("doubt")
        pane = app.workspace.pane("doubt")
        await until(pilot, lambda: "differs: " in "\n".join(pane.main.texts), "the doubt")
        assert "population → " in "\n".join(pane.main.texts)

    drive(make_app(open_core=lambda: RoboData.open(**settings.model_dump())), steps)


def test_the_doubt_pane_shows_both() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        for asked in range(1, 3):
            app.start_run("What is the capital of Canada?")
            await until(pilot, lambda n=asked: len(app.conversation.records) == n, "the run")
            await until_shown(pilot)
        app.action_pane("doubt")
        pane = app.workspace.pane("doubt")
        await until(pilot, lambda: pane.main.has_focus, "the pane")
        text = "\n".join(pane.main.texts)
        assert "differs: b: capital → Montreal" in text and "agree: a\n" in text
        assert "differ about the capital" in text
        await press(pilot, "d")
        await until(pilot, lambda: "0 added · 0 lost · 1 changed" in pane.yank(), "two runs")
        assert "was: ✓ c1 The capital of Canada is Ottawa." in pane.yank()
        assert "UTC, a+b)" in pane.yank()
        await press(pilot, "enter")
        await until(pilot, lambda: app.workspace.pane("proof").main.has_focus, "the proof")
        # The caveat stands in the answer itself.
        assert "! snapshot:a and snapshot:b differ" in str(app.query(".exchange").last().content)

    drive(make_app(_runs()), steps)


def test_runs_that_asked_something_else_are_compared_only_where_one_is_chosen() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        for count, asked in enumerate(("What is the capital of Canada?", "Who wrote Faust?"), 1):
            app.start_run(asked)
            await until(pilot, lambda n=count: len(app.conversation.records) == n, "the run")
            await until_shown(pilot)
        app.action_pane("doubt")
        pane = app.workspace.pane("doubt")
        await until(pilot, lambda: pane.main.has_focus, "the pane")
        await press(pilot, "d")
        await until(pilot, lambda: "asked the same" in "\n".join(pane.main.texts), "no comparison")
        text = "\n".join(pane.main.texts)
        assert "No run before asked the same" in text and "run 1: What is the capital" in text
        assert not any(sign in text for sign in ("added", "lost", "changed"))
        await press(pilot, "enter")
        await until(pilot, lambda: "1 changed" in pane.main.texts[0], "the comparison")
        assert pane.main.texts[0].startswith("with run 1: What is the capital of Canada?")

    drive(make_app(_runs()), steps)
