"""The application: puts session, workspace, navigator and dialogs together.

It owns nothing but the composition: keys and messages come in here and go to the part that does
what they ask for. How something looks is the business of ``widgets``, dialogs that of ``screens``,
threads that of ``bridge``.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import signal
import time
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final

from textual import events, on
from textual.app import App, ComposeResult, SystemCommand
from textual.containers import Container
from textual.keys import _character_to_key
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError, RoboDataError, SnapshotError, StoreError
from robodata_core.sources.open import sources_of
from robodata_tui.bridge import (
    Bridge,
    CoreFailed,
    CoreOpened,
    ExamplesFound,
    Finished,
    Happened,
    Opening,
    Surveyed,
    Update,
)
from robodata_tui.conversation import Conversation
from robodata_tui.dialogs import Dialogs, Options
from robodata_tui.guarded import Guarded, bug_report
from robodata_tui.kept import Kept
from robodata_tui.keymap import BINDINGS, commands
from robodata_tui.navigator import Navigator
from robodata_tui.proof import edge_colours
from robodata_tui.records import Record
from robodata_tui.screens.chooser import past_questions
from robodata_tui.screens.dialog import Copy
from robodata_tui.screens.main import MainScreen
from robodata_tui.session import MOST_QUEUED, Session
from robodata_tui.widgets.answer import AnswerPane
from robodata_tui.widgets.doubt import DoubtPane
from robodata_tui.widgets.graph import GraphPane
from robodata_tui.widgets.header import HeaderBar, core_name
from robodata_tui.widgets.prompt import QuestionInput
from robodata_tui.widgets.proof import ProofPane
from robodata_tui.widgets.rail import StateRail
from robodata_tui.widgets.tabs import Banner, KeyRow, PaneTabs
from robodata_tui.widgets.trace import TracePane
from robodata_tui.widgets.ways import Way
from robodata_tui.widgets.welcome import Welcome
from robodata_tui.words import clean
from robodata_tui.workspace import NARROW, Workspace

__all__ = ["RoboDataApp"]

_log = logging.getLogger("robodata.tui")
_FINAL: Final = (ConfigurationError, SnapshotError, StoreError)
"""What another try at the start would not mend: told without a screen, where it comes up in time
before the screen is there."""
_TICK: Final = 0.1
_WATCHES: Final = "This screen watches a robot; it does not ask."
_COMMANDS: Final = (
    "There is no such command: /new begins a new conversation, /quit leaves. Ctrl+P offers"
    " everything else."
)
_TO_A_LINE: Final = ("ask", "filter", "new_conversation")
"""What leads to a line, done at once: what is typed right behind it is text already."""
_SIDES: Final = ("proof", "trace", "graph", "doubt")


class RoboDataApp(Guarded, App[int]):
    """RoboData in a terminal.

    Args:
        options: How it is started.
        bridge: The core in its thread.
        monotonic: Clock for what is elapsed while a run goes on.
    """

    TITLE = "RoboData"
    CSS_PATH = "robodata.tcss"
    BINDINGS: ClassVar = BINDINGS
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]

    def __init__(
        self,
        options: Options,
        bridge: Bridge,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        if options.ssh:
            self.animation_level = "none"  # before the parts are there, which look at it
        self.session = Session(bridge, options.settings.time_budget, monotonic=monotonic)
        self.workspace = Workspace(self, self.session, Kept(options.kept, {"side": _SIDES}))
        self.navigator = Navigator(self, self.session, self.workspace)
        self.dialogs = Dialogs(self, options, self.session, self.workspace, self.navigator)
        self.bugs: list[str] = []
        if not bridge.asks:
            self.bind("f9,m", "open('map')", description="Map")
        self._built = False

    def get_default_screen(self) -> Screen[Any]:
        """Return a screen that has its class from the start: Textual styles it once less."""
        return MainScreen(id="_default", classes="-wide")

    @property
    def options(self) -> Options:
        """How it was started, with the settings as they are now."""
        return self.dialogs.options

    @property
    def bridge(self) -> Bridge:
        """The core in its thread."""
        return self.session.bridge

    @property
    def conversation(self) -> Conversation:
        """All runs, and the reader's place in them."""
        return self.session.conversation

    @property
    def running(self) -> Record | None:
        """The run that goes on, or None."""
        return self.session.running

    # -- building -----------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Put the parts of the main screen in their order."""
        yield HeaderBar("header")
        yield Banner()
        with Container(id="panes"):
            yield AnswerPane("answer")
            with Container(id="side"):
                yield ProofPane("proof")
                yield TracePane("trace")
                yield GraphPane("graph")
                yield DoubtPane("doubt")
        with Container(id="bar"):
            yield StateRail("rail")
            yield PaneTabs("tabs")
        yield QuestionInput("question", self.options.settings.max_question, self.take_line)
        yield KeyRow()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return the colours that a theme does not have."""
        return edge_colours(dark=self.current_theme.dark)

    def on_mount(self) -> None:
        """Start the core and the clock."""
        self._built = True
        options = self.options
        if options.theme in self.available_themes:
            self.theme = options.theme
        self.set_keymap(dict(options.keymap))
        self._listen_for_the_end()
        # After the first picture: opening the core would hold it up.
        self.call_after_refresh(self.bridge.start)
        self.set_interval(_TICK, self._tick)
        if not self.bridge.asks:
            self.workspace.question.disabled = True
            self.query_one(Welcome).watching()
        self.workspace.refresh()
        self.workspace.go_question()
        for question in past_questions(options.journals):
            self.workspace.question.remember(question)
        if options.replay is not None:
            self.dialogs.open_journal(options.replay)
        elif "auto" in options.settings.source:
            self.call_after_refresh(self.agree_to_auto)

    def agree_to_auto(self) -> None:
        """Ask once, before anything is sent, whether Wikidata may be asked; else stay here."""
        self.dialogs.sure(
            "May live Wikidata be asked for what the snapshot lacks?\nWords of your questions and"
            " ids leave this machine then; else only the snapshot is asked.",
            "Ask Wikidata",
            lambda: None,
            self._stay_here,
        )

    def _stay_here(self) -> None:
        settings = self.options.settings
        here = sources_of(settings.source, alone=True)
        self.change_settings(settings.model_copy(update={"source": here}))

    def _listen_for_the_end(self) -> None:
        """Leave in good order when the system asks for it: the terminal is put right again."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # Not on Windows, and not in a thread of a test.
            with contextlib.suppress(NotImplementedError, ValueError, RuntimeError, TypeError):
                loop.add_signal_handler(number, self._end, 128 + int(number))  # type: ignore[arg-type]

    def _end(self, code: int) -> None:
        self.bridge.cancel()
        self.exit(code, return_code=code)

    @property
    def closing(self) -> bool:
        """Whether the end has begun: the parts go one by one, and what still comes finds gaps."""
        return self._exit or (self._built and not self.is_running)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Offer every action in the command palette."""
        yield from commands(lambda action: self.call_later(self.run_action, action))
        if not self.bridge.asks:
            yield SystemCommand("Map", "What the robot sees, and where", self.dialogs.map)

    # -- what the core says -------------------------------------------------------------------

    def _tick(self) -> None:
        if self.closing:
            return
        if self.is_web and not _has_input(self):
            # The server is gone; nobody else would ever end this process.
            self.exit(0)
            return
        news = self.session.take()
        for update in news:
            self._heard(update)
        asked = self.session.ask_next()
        if asked:
            self._asked(asked)
        shown = [item for item in news if isinstance(item, (Happened, Finished))]
        self.workspace.news(len(shown) + bool(asked))

    def _heard(self, update: Update) -> None:
        """Tell of news that concern the whole screen."""
        if isinstance(update, Opening):
            now = update.now
            told = f"opening the source … {now.target}: {now.what} {now.text or now.phase}"
            self.query_one(Welcome).put(clean(told), (), False)
        elif isinstance(update, CoreOpened):
            self.query_one(HeaderBar).core = core_name(update.source, update.policy)
            self.query_one(Banner).hide()
            self.query_one(Welcome).put(update.held or clean(update.source, 100), (), False)
            self.workspace.draw_status()
        elif isinstance(update, ExamplesFound):
            self.query_one(Welcome).put(update.held, update.questions, update.checked)
        elif isinstance(update, CoreFailed):
            self._unopened(update.error)
        elif isinstance(update, Finished):
            self._finished(update)
        elif isinstance(update, Surveyed):
            self.dialogs.surveyed(update.seen)

    def _unopened(self, error: Exception) -> None:
        self.query_one(HeaderBar).core = "not open"
        self.query_one(Welcome).put("The source is not open.", (), False)
        first = not self.session.opened and not self.options.replay
        if isinstance(error, _FINAL) and first:
            code = error.exit_code
            message = f"robodata: {clean(str(error), 500)}"
            self.exit(code, return_code=code, message=message)
            return
        self._trouble(error)
        self.workspace.draw_status()

    def _finished(self, update: Finished) -> None:
        record = self.conversation.last_asked
        if update.error is not None:
            self._trouble(update.error)
        elif record is not None and record.state.status == "failed":
            self.query_one(Banner).say(clean(record.state.error or "The run failed.", 500))
        if update.rest:
            self._draw_afresh()
        self.refresh_bindings()

    def _draw_afresh(self) -> None:
        """Draw everything anew: every line drawn keeps all the pieces that were ever cut of it."""
        for screen in self.screen_stack:
            for widget in (screen, *screen.walk_children()):
                widget.refresh()

    def _trouble(self, error: Exception) -> None:
        if isinstance(error, RoboDataError):
            self.query_one(Banner).say(clean(str(error), 500))
        else:
            self.report_bug(error)

    def report_bug(self, error: BaseException) -> None:
        """Show a report of something that should not have happened; go on."""
        if self.closing:
            return
        self.bugs.append(bug_report(error))
        if len(self.bugs) == 1 or not self.dialogs.showing_bug:
            self.dialogs.bug(self.bugs[-1])

    def _handle_exception(self, error: Exception) -> None:
        # Textual ends the application here; with a screen up there is work to keep.
        if self.closing:
            _log.info("A part was gone while the application closed", exc_info=error)
        elif self.is_running and self.screen_stack and not isinstance(error, KeyboardInterrupt):
            _log.error("A handler of the terminal UI failed", exc_info=error)
            self.report_bug(error)
        else:
            super()._handle_exception(error)

    # -- asking -------------------------------------------------------------------------------

    def take_line(self, text: str) -> bool:
        """Do what the question line was handed; tell whether it is done with.

        Args:
            text: A question, or one of the commands that ``robodata chat`` knows.
        """
        if text == "/new":
            self.action_new_conversation()
            return True
        if text in ("/quit", "/exit", "/q"):
            self.call_later(self.action_leave)
            return True
        if text.startswith("/"):
            self.notify(_COMMANDS, severity="warning", markup=False)
            return False
        return self.start_run(text)

    def start_run(self, question: str) -> bool:
        """Ask ``question`` now, or once the run that goes on is over; tell whether it was taken."""
        if not self.bridge.asks:
            self.notify(_WATCHES, markup=False)
            return False
        waits = self.running is not None
        if not self.session.ask(question):
            text = f"{MOST_QUEUED} questions wait already; Ctrl+C cancels the run."
            self.notify(text, severity="warning", markup=False)
            return False
        self.workspace.question.remember(question)
        if waits:
            self.workspace.refresh([self.workspace.pane("answer")])
        else:
            self._asked(question)
        return True

    def _asked(self, question: str) -> None:
        """Show the run that begins."""
        self.query_one(Banner).hide()
        if self.screen.focused is not self.workspace.question and self.workspace.active != "answer":
            pass  # somebody reads elsewhere: nothing moves under their hands
        elif self.workspace.screen.focused is self.workspace.question:
            self.workspace.activate("answer")
        else:
            self.workspace.go("answer")
        self.workspace.refresh()
        self.refresh_bindings()

    def on_banner_retry(self) -> None:
        """Open the core again, and ask again what failed."""
        record = self.conversation.record
        if self.bridge.problem is not None:
            self.bridge.reopen()
            self.conversation.renew()
            self.workspace.refresh()
        elif record is not None and self.running is None:
            self.start_run(record.question)

    def change_settings(self, settings: Settings, *, going_on: bool = False) -> None:
        """Open the core again with other settings.

        Args:
            settings: The settings.
            going_on: Whether the conversation goes on; else another one begins.
        """
        self.dialogs.options = dataclasses.replace(self.options, settings=settings)
        self.session.time_budget = settings.time_budget
        open_core = self.options.open_core
        self.query_one(HeaderBar).core = "opening …"
        self.bridge.reopen(lambda: open_core(settings), going_on=going_on)
        if not going_on:
            self.conversation.renew()
        self.workspace.refresh()

    def action_new_conversation(self) -> None:
        """Begin a new conversation; what was found stays in the local graph."""
        if not self.bridge.asks:
            self.notify(_WATCHES, markup=False)
            return
        if self.running is not None:
            text = "A run goes on; Ctrl+C cancels it."
            self.notify(text, severity="warning", markup=False)
            return
        self.action_ask()
        if not self.conversation.renew():
            self.notify("Nothing was asked in this conversation yet.", markup=False)
            return
        self.bridge.renew()
        self.workspace.activate("answer")
        self.workspace.refresh()

    def action_live(self) -> None:
        """Ask the last question of live Wikidata too, after a yes."""
        record = self.conversation.record
        sources = self.options.settings.source
        if record is None or not self.bridge.asks or self.running is not None:
            self.notify("There is no question to ask live Wikidata.", markup=False)
        elif "wikidata" in sources:
            self.notify("Wikidata is among the sources already.", markup=False)
        elif "auto" in sources:
            self.start_run(record.question)  # agreed to before, but it could not be asked
        else:
            question = clean(record.question, 200)
            self.dialogs.sure(
                f"Ask live Wikidata: {question}\nThe question's names leave this machine, and"
                " Wikidata stays among the sources of this session.",
                "Ask Wikidata",
                lambda: self._ask_live(record.question),
            )

    def _ask_live(self, question: str) -> None:
        settings = self.options.settings
        try:
            # What is here is asked first, and is all there is where Wikidata cannot be asked.
            wider = settings.model_copy(update={"source": (*settings.source, "auto")})
            self.change_settings(wider, going_on=True)
        except ConfigurationError as error:
            self.dialogs.say(str(error), "error")
            return
        self.start_run(question)

    # -- stopping -----------------------------------------------------------------------------

    def action_cancel(self) -> None:
        """Cancel the run; what was found stays, and questions that wait are not asked.

        The first goes back into the line where that is empty; Up brings back all of them.
        """
        if self.running is None:
            self.notify("Nothing is running; Ctrl+Q leaves.", markup=False)
            return
        waiting = list(self.session.queued)
        self.session.queued.clear()
        line = self.workspace.question
        if waiting and not line.value:
            line.value = waiting.pop(0)
            line.cursor_position = len(line.value)
        if waiting:
            texts = ", ".join(f"“{clean(text, 60)}”" for text in waiting)
            told = f"Not asked: {texts}. Up in the question line brings back what waited."
            self.notify(told, markup=False)
        self.session.cancel()
        self.workspace.refresh()

    def action_stop(self) -> None:
        """Cancel from anywhere; where text is selected, copy it first, as terminals do."""
        focused = self.focused
        text = self.screen.get_selected_text() or ""
        if isinstance(focused, Input) and focused.selected_text:
            text = focused.selected_text
            focused.cursor_position = focused.cursor_position  # nothing is selected any more
        if text:
            self.screen.clear_selection()
            self.dialogs.copy(text)
        else:
            self.action_cancel()

    async def action_leave(self) -> None:
        """Leave; while a run goes on, ask first."""
        if self.running is None:
            self.exit(0)
            return

        def leave() -> None:
            self.bridge.cancel()
            self.exit(0)

        self.dialogs.sure("A run goes on. Leave and give it up?", "Leave", leave)

    # -- keys ---------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Take keys in their order, also where the part that has the keyboard is behind."""
        if isinstance(event, events.Key) and not event.is_forwarded and self.screen_stack:
            event = await self._behind_escape(event)
            found = self.screen.active_bindings.get(event.key)
            out = event.key == "escape" and isinstance(self.screen, ModalScreen)
            if found and found.enabled and (out or found.binding.action in _TO_A_LINE):
                await self.run_action(found.binding.action, found.node)
                return
        await super().on_event(event)

    async def _behind_escape(self, event: events.Key) -> events.Key:
        """Take Alt and a letter for two keys: so terminals hand over Esc and what follows at once.

        In a dialog's line it stays what it is there: what was typed would be lost with the dialog.
        """
        behind = event.character if event.key.startswith("alt+") else None
        over = self.screen if isinstance(self.screen, ModalScreen) else None
        typing = over is not None and isinstance(self.focused, Input)
        if not behind or typing or event.key in self.screen.active_bindings:
            return event
        leave = over.active_bindings.get("escape") if over is not None else None
        if leave is not None:
            await self.run_action(leave.binding.action, leave.node)
        else:
            self.workspace.back()
        return events.Key(_character_to_key(behind), behind)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to cancel only while something runs, and to ask only where that is possible."""
        if action == "cancel":
            return self.running is not None
        return action not in ("ask", "live", "new_conversation") or self.bridge.asks

    def action_ask(self) -> None:
        """Go to the question line."""
        if self.workspace.zoomed:
            self.workspace.zoom()
        self.workspace.go_question()

    def action_pane(self, name: str) -> None:
        """Go to a pane; the key of one that has the keyboard goes to its next tab."""
        self.clear_notifications()
        pane = self.workspace.pane(name)
        was_there = self.workspace.focused_part() is pane
        self.workspace.go(name)
        if was_there and isinstance(pane, (TracePane, DoubtPane)):
            pane.next_tab()

    def action_rail(self) -> None:
        """Go to the state rail."""
        if self.workspace.zoomed:
            self.workspace.zoom()
        screen = self.workspace.screen
        screen.set_focus(screen.query_one(StateRail))

    def action_zoom(self) -> None:
        """Show the active pane alone, or all again."""
        self.workspace.zoom()

    async def action_back(self) -> None:
        """Leave the question line, a filter, or the zoom, whichever is nearest."""
        self.workspace.back()

    def action_page(self, by: int) -> None:
        """Scroll the active pane by a page, from the question line."""
        self.workspace.page(by)

    def action_filter(self) -> None:
        """Filter the rows of the active pane."""
        self.workspace.pane(self.workspace.active).open_filter()

    def action_follow(self) -> None:
        """Show the whole run again and follow its end."""
        self.navigator.follow()

    def action_step(self, by: int) -> None:
        """Go back or forward one visit of a state."""
        self.navigator.step(by)

    def action_other(self, by: int) -> None:
        """Show an earlier or later answer."""
        self.navigator.other(by)

    def action_return(self) -> None:
        """Go back to where the last jump came from."""
        self.navigator.back()

    def action_yank(self) -> None:
        """Copy what is selected in the part that has the focus."""
        part = self.workspace.focused_part()
        take: Callable[[], str] | None = getattr(part, "yank", None)
        text = take() if take is not None else self.workspace.pane(self.workspace.active).yank()
        self.dialogs.copy(text)

    def action_open(self, name: str) -> None:
        """Open what stands over the screen."""
        over = self.dialogs
        openers: dict[str, Callable[[], None]] = {
            "export": over.export,
            "help": over.help,
            "history": over.history,
            "jump": over.jump,
            "map": over.map,
            "proof": over.proof,
            "statistics": over.statistics,
            "themes": over.themes,
        }
        openers[name]()

    def action_settings(self) -> None:
        """Change the settings."""
        self.dialogs.settings(self.change_settings)

    def action_open_state(self, place: int) -> None:
        """Jump to the last visit of the state in that place of the rail."""
        self.navigator.state_at(place)

    def action_open_citation(self, number: int, place: int) -> None:
        """Show the proof of a citation that was clicked, of any answer."""
        self.navigator.citation(number, place)

    # -- messages -----------------------------------------------------------------------------

    @on(Way)
    def go_where_wanted(self, event: Way) -> None:
        """Go where a pane wants to."""
        self.navigator.take(event)

    def on_welcome_chosen(self, event: Welcome.Chosen) -> None:
        """Ask an example."""
        self.workspace.go_question()
        self.start_run(event.question)

    def on_trace_pane_opened(self, event: TracePane.Opened) -> None:
        """Show everything about a row."""
        self.dialogs.details(event.row)

    def on_copy(self, event: Copy) -> None:
        """Copy what a dialog shows."""
        self.dialogs.copy(event.text)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Follow the focus with the active pane."""
        self.workspace.followed(event.widget)

    def on_resize(self, event: events.Resize) -> None:
        """Give the panes their places for the new width."""
        if self._built:
            self.workspace.place()
            self.call_after_refresh(self.workspace.refresh)


def _has_input(app: App[int]) -> bool:
    thread = getattr(app._driver, "_key_thread", None)
    return thread is None or bool(thread.is_alive())
