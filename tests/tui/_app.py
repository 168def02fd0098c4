"""The application under test: on journals and on cores that do what a test tells them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from robodata_core import journal
from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.events import (
    AnswerReady,
    ClaimValidated,
    DecisionRejected,
    GraphChanged,
    Header,
    ModelCall,
    ObservationMade,
    PolicyDecided,
    PromptMessage,
    RunEnded,
    RunEvent,
    RunStarted,
    StateEntered,
    ToolCalled,
    ToolReturned,
    UrgencyChanged,
)
from robodata_core.model import (
    Answer,
    AnswerStatus,
    Claim,
    EntityValue,
    Evidence,
    Provenance,
    QuantityValue,
    Snak,
    StringValue,
    SupportSet,
    TokenCount,
    Triple,
)
from robodata_tui.app import RoboDataApp
from robodata_tui.bridge import Bridge
from robodata_tui.dialogs import Options
from tests.core._runs import START, number

__all__ = [
    "CAPITAL",
    "RELATIVES",
    "FakeCore",
    "click",
    "drive",
    "make_app",
    "model_run",
    "press",
    "settled",
    "until",
    "until_shown",
]

_PATIENCE = 200
DATA = Path(__file__).parent / "data"
RELATIVES = DATA / "relatives.jsonl"
CAPITAL = DATA / "capital.jsonl"

Script = Callable[[str, Callable[[RunEvent], None], CancelToken], None]


class FakeCore:
    """Stands in for an opened RoboData: ``script`` is what a question does."""

    def __init__(self, script: Script | None = None) -> None:
        self.settings = Settings()
        self.source = SimpleNamespace(name="snapshot:wikidata-sample")
        self.store = SimpleNamespace(match=lambda limit: ((), 0))
        self.questions: list[str] = []
        self.closed = False
        self.rests = 0
        self._script = script or play(RELATIVES)

    def ask(
        self, question: str, *, on_event: Callable[[RunEvent], None], cancel: CancelToken
    ) -> None:
        """Do what the script says."""
        self.questions.append(question)
        self._script(question, on_event, cancel)

    def conversation(self) -> FakeCore:
        """Return itself: no question of a script points back."""
        return self

    def move_to(self, core: FakeCore) -> None:
        """Go on over another core, which is none of the script's business."""

    def rest(self) -> None:
        """Count it."""
        self.rests += 1

    def close(self) -> None:
        """Note it; nothing is held."""
        self.closed = True


def play(path: Path) -> Script:
    """Return a script that repeats a journal."""
    count = 0

    def script(question: str, emit: Callable[[RunEvent], None], cancel: CancelToken) -> None:
        nonlocal count
        count += 1
        for event in journal.read(path):
            header = replace(event.header, run_id=f"{event.header.run_id}-{count}")
            emit(replace(event, header=header))

    return script


def hang(reached: threading.Event | None = None) -> Script:
    """Return a script that calls a tool and waits until it is cancelled."""

    def script(question: str, emit: Callable[[RunEvent], None], cancel: CancelToken) -> None:
        for event in opening(question):
            emit(event)
        if reached is not None:
            reached.set()
        while not cancel.cancelled:
            threading.Event().wait(0.01)
        header = Header("run-h", 4, START + timedelta(seconds=3))
        emit(RunEnded(header, "cancelled", 3.0, "The run was cancelled."))

    return script


def opening(question: str) -> list[RunEvent]:
    """Return the events a run begins with: a call that does not end."""
    state = "REMOTE_GRAPH_EXPLORATION"
    return number(
        lambda h: RunStarted(h, question, "offline", "snapshot:sample", 30, {}),
        lambda h: StateEntered(h, state, 1, "none", ""),
        lambda h: ToolCalled(h, 1, "k1", "search_entities", {"text": "x"}),
        run_id="run-h",
    )


def make_app(
    script: Script | None = None,
    *,
    replay: Path | None = None,
    open_core: Callable[[], Any] | None = None,
    **options: Any,
) -> RoboDataApp:
    """Return an application that is not started; nothing moves by itself in it."""
    core = FakeCore(script)
    opened = open_core or (lambda: core)
    # No test writes into the folder it is started in, or reads settings there.
    nowhere = Path("/nonexistent/robodata.yaml")
    given = {"export_to": Path("exports"), "ssh": True, "config": nowhere, **options}
    settings = given.pop("settings", Settings())
    chosen = Options(settings, lambda settings: opened(), replay=replay, **given)
    app = RoboDataApp(chosen, Bridge(opened))
    app.NOTIFICATION_TIMEOUT = 3_600  # whatever a machine takes to look at it
    app.core = core  # type: ignore[attr-defined]
    return app


async def until(pilot: Any, holds: Callable[[], object], what: str = "") -> None:
    """Wait until something holds, however long the machine takes for it, and all is settled."""
    limit = time.monotonic() + _PATIENCE
    while time.monotonic() < limit:
        try:
            if holds():
                await settled(pilot)
                return
        except Exception as error:
            what = f"{what} ({error!r})"[:300]
        await asyncio.sleep(0.02)
    raise AssertionError(f"never came to be: {what}; bugs: {pilot.app.bugs}")


async def press(pilot: Any, *keys: str) -> None:
    """Press keys, each once all that the last one brought about has happened."""
    for name in keys:
        await settled(pilot)
        await pilot.press(name)
    await settled(pilot)


async def click(pilot: Any, target: Any, offset: tuple[int, int] = (0, 0)) -> None:
    """Click on a widget where it stands once all is settled, and settle again."""
    await settled(pilot)
    assert await pilot.click(target, offset=offset), f"{target} is not where the click went"
    await settled(pilot)


async def settled(pilot: Any) -> None:
    """Wait until nothing is left to do: no message, no callback, no picture.

    Textual's own pauses wait until the process takes little time, which on a busy machine it
    does in the midst of its work.
    """
    limit = time.monotonic() + _PATIENCE
    calm = 0
    # What goes from one task to the next is seen nowhere for a few rounds of the loop.
    while calm < 8 and not pilot.app.closing:
        busy = _busy(pilot.app)
        calm = 0 if busy else calm + 1
        await asyncio.sleep(0.001 if busy else 0)
        assert time.monotonic() < limit, f"never settled: {busy}; bugs: {pilot.app.bugs}"


def _busy(app: Any) -> str:
    """Return what an application has still to do, or an empty text."""
    for pump in (app, *app._registry):
        over = pump._task is not None and pump._task.done()
        messages = pump._message_queue
        waits = messages.empty() and any(not one.done() for one in messages.ready_event._waiters)
        if not over and (pump._next_callbacks or pump._pending_message or not waits):
            return f"messages of {pump}"
    for screen in app.screen_stack:
        if screen._callbacks:
            # A covered screen draws no more: what it was to call waits for its next message.
            screen.check_idle()
            return "callbacks after the picture"
    now = app.screen
    if now._layout_required or now._scroll_required or now._repaint_required:
        return "layout"
    if now._dirty_widgets or now._recompose_required or app._batch_count:
        return "picture"
    if app.animator._animations or app.animator._scheduled:
        return "animation"
    return "workers" if any(not worker.is_finished for worker in app.workers) else ""


async def until_shown(pilot: Any) -> None:
    """Wait until a run is over and shown."""
    app = pilot.app
    await until(
        pilot,
        lambda: (
            app.running is None
            and app.conversation.record is not None
            and app.conversation.record.state.ended
            and app.workspace.pane("answer").view is not None
            and app.workspace.pane("answer").view.state.ended
        ),
        "a run that is over and shown",
    )


def drive(
    app: RoboDataApp,
    steps: Callable[[Any], Any],
    size: tuple[int, int] = (160, 48),
    *,
    toasts: bool = False,
) -> None:
    """Run the application headless, let ``steps`` work it, and allow no bug."""

    async def run() -> None:
        async with app.run_test(size=size, notifications=toasts) as pilot:
            await until(pilot, lambda: app.query_one("#header").core != "opening …", "the core")
            await steps(pilot)
            assert app.bugs == []

    asyncio.run(run())


# -- a run with everything in it --------------------------------------------------------------

_EVAL, _REMOTE, _JUDGE, _UPDATE, _ANSWER = (
    "LOCAL_DATA_EVALUATION",
    "REMOTE_GRAPH_EXPLORATION",
    "REMOTE_DATA_EVALUATION",
    "LOCAL_GRAPH_UPDATE",
    "PRODUCE_ANSWER",
)


def _evidence(handle: str, predicate: str, label: str, object_: Any, text: str) -> Evidence:
    return Evidence(
        handle,
        Triple("Q608350", predicate, object_),
        subject_label="Veltins [bold]Brewery[/bold]",
        predicate_label=label,
        object_label=text,
        unit_label="hectolitre" if isinstance(object_, QuantityValue) else "",
        provenance=(
            Provenance(
                "wikidata",
                START + timedelta(seconds=11),
                "run-m",
                "k4",
                "fetch_node",
                statement_id="Q608350$1",
                qualifiers=(Snak("P585", StringValue("2024")),),
                revision=17,
            ),
        ),
    )


def model_run(question: str = "Where is the Veltins brewery?") -> list[RunEvent]:
    """Return a run as a language model makes it: tokens, failures, metacognition, a bad claim."""
    from decimal import Decimal

    place = _evidence("T1", "P159", "headquarters location", EntityValue("Q5946"), "Meschede")
    output = _evidence(
        "T2", "P2197", "production rate", QuantityValue(Decimal("3100000"), "Q1"), ""
    )
    claims = (
        Claim("c1", "The brewery is in Meschede.", True, SupportSet((place,))),
        Claim("c2", "It makes 3,100,000 hectolitre a year.", True, SupportSet((output, place))),
        Claim("c3", "It is the oldest of them.", False, problem="no triple says so"),
    )
    answer = Answer(
        question,
        AnswerStatus.PARTIAL,
        "The brewery is in Meschede [c1] and makes 3,100,000 hectolitre a year [c2]. It is said"
        " to be the oldest of them [c3]. [not markup] [bold]plain[/bold]",
        "llm",
        claims,
        missing=("When it was founded: no statement about it.",),
        run_id="run-m",
    )
    tokens = TokenCount(12_400, 310)
    asked = ModelCall(
        "exploration",
        _REMOTE,
        "small",
        (
            PromptMessage("system", f"State: {_REMOTE}.\nYou look for [bold]facts[/bold]."),
            PromptMessage("user", f"Question: {question}", left_out=4_321),
        ),
        ("search_entities", "sparql_query"),
        'I search.\nsearch_entities({"text": "Veltins"})',
        "tool_calls",
        tokens,
        3.2,
        0.0042,
    )
    watched = replace(asked, role="metacognition", reply="follow P131", tools=())
    return number(
        lambda h: RunStarted(h, question, "llm", "wikidata", 30, {"model": "small"}),
        lambda h: StateEntered(h, _EVAL, 1, "none"),
        lambda h: PolicyDecided(h, 1, (), _REMOTE, "", "nothing is known yet", 2.1, tokens),
        lambda h: StateEntered(h, _REMOTE, 2, "none"),
        lambda h: ToolCalled(h, 2, "k1", "search_entities", {"text": "Veltins"}),
        lambda h: ToolReturned(h, 2, "k1", "search_entities", True, "2 items", 2, 2, False, 0.2),
        lambda h: ToolCalled(
            h, 2, "k2", "sparql_query", {"query": "SELECT ?x WHERE {\n ?x ?p ?y }"}
        ),
        lambda h: ToolReturned(
            h, 2, "k2", "sparql_query", False, "It timed out.", None, None, False, 30.0
        ),
        lambda h: DecisionRejected(h, 2, "No next state was chosen."),
        lambda h: ObservationMade(
            h,
            2,
            "explore",
            "Three searches alike; follow P131 upwards.",
            ("repeats",),
            "the hint",
            model_calls=(watched,),
        ),
        lambda h: PolicyDecided(
            h, 2, (), _JUDGE, "I was too broad.", "found it", 3.2, tokens, model_calls=(asked,)
        ),
        lambda h: StateEntered(h, _JUDGE, 3, "low"),
        lambda h: PolicyDecided(h, 3, (), _UPDATE, "", "two triples matter", 1.0, tokens),
        lambda h: UrgencyChanged(h, 4, "low"),
        lambda h: StateEntered(h, _UPDATE, 4, "low"),
        lambda h: ToolCalled(h, 4, "k4", "fetch_node", {"nodes": ["Q608350"]}),
        lambda h: ToolReturned(h, 4, "k4", "fetch_node", True, "2 triples", 2, 2, False, 0.5),
        lambda h: GraphChanged(h, 4, "k4", (place, output), (), 3, 2),
        lambda h: PolicyDecided(h, 4, (), _EVAL, "", "fetched", 0.4, tokens),
        lambda h: StateEntered(h, _EVAL, 5, "low"),
        lambda h: PolicyDecided(h, 5, (), _ANSWER, "", "enough", 0.9, tokens),
        lambda h: StateEntered(h, _ANSWER, 6, "low"),
        *(lambda h, claim=claim: ClaimValidated(h, claim) for claim in claims),
        lambda h: AnswerReady(h, answer),
        lambda h: RunEnded(h, "partial", 41.5),
        run_id="run-m",
    )


def emit_all(events: Sequence[RunEvent]) -> Script:
    """Return a script that tells ``events``."""

    def script(question: str, emit: Callable[[RunEvent], None], cancel: CancelToken) -> None:
        for event in events:
            emit(event)

    return script
