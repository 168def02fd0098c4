"""The application's dialogs: opening them, and doing what they were dismissed with.

``Options`` is what the application is started with, apart from the core's settings.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual.app import App
from textual.binding import Binding

from robodata_core.answers.text import result_text
from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError, RoboDataError
from robodata_tui.drawing import drawing, path_lines, proof_text, question_line
from robodata_tui.exporting import Format, export_record, without_fonts
from robodata_tui.keymap import BINDINGS, help_text
from robodata_tui.navigator import Navigator
from robodata_tui.records import read_record
from robodata_tui.screens.chooser import ExportScreen, HistoryScreen, JumpScreen, ThemeScreen
from robodata_tui.screens.details import describe_row
from robodata_tui.screens.dialog import Confirm, Reader
from robodata_tui.screens.settings import SettingsScreen, write_settings
from robodata_tui.screens.statistics import statistics_text
from robodata_tui.session import Session
from robodata_tui.words import claim_mark, clean, reading_line
from robodata_tui.workspace import Workspace

if TYPE_CHECKING:
    from robodata_core.api import RoboData
    from robodata_core.belief import MapSeen

__all__ = [
    "Dialogs",
    "Options",
    "copy_locally",
]

_TOOLS: Final = (
    ("pbcopy", "", ["pbcopy"]),
    ("wl-copy", "WAYLAND_DISPLAY", ["wl-copy"]),
    ("xclip", "DISPLAY", ["xclip", "-selection", "clipboard"]),
)


def copy_locally(text: str) -> bool:
    """Hand ``text`` to the first tool that fits; tell whether there was one.

    Over ssh there is none: the clipboard would be the wrong machine's.
    """
    if os.environ.get("SSH_CONNECTION"):
        return False
    for name, variable, command in _TOOLS:
        if (not variable or os.environ.get(variable)) and shutil.which(name):
            threading.Thread(target=_run, args=(command, text), daemon=True).start()
            return True
    return False


def _run(command: list[str], text: str) -> None:
    try:
        subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=3,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return


@dataclass(frozen=True, slots=True)
class Options:
    """How the application is started.

    Attributes:
        settings: The core's settings.
        open_core: Opens the core with other settings.
        config: The settings file that the settings screen writes.
        journals: Folder that history lists and runs are journaled to, or None.
        replay: A journal to open at once.
        ssh: Whether to spare the line: no animation, few frames a second.
        theme: Name of the theme, or empty.
        keymap: Keys by binding id, instead of the ones built in.
        export_to: Folder that exports are written to.
        kept: File with what the screen keeps from session to session, or None.
    """

    settings: Settings
    open_core: Callable[[Settings], RoboData]
    config: Path = Path("robodata.yaml")
    journals: Path | None = None
    replay: Path | None = None
    ssh: bool = False
    theme: str = ""
    keymap: Mapping[str, str] = field(default_factory=dict)
    export_to: Path = Path(".")
    kept: Path | None = None


_WAITS = "That can be changed when the run is over."


class Dialogs:
    """Opens what stands over the main screen.

    Args:
        app: Over whose screen.
        options: Where files are and are written to.
        session: The runs.
        workspace: The panes.
        navigator: Goes where a dialog was dismissed to.
    """

    def __init__(
        self,
        app: App[int],
        options: Options,
        session: Session,
        workspace: Workspace,
        navigator: Navigator,
    ) -> None:
        self._app = app
        self.options = options
        self._session = session
        self._workspace = workspace
        self._navigator = navigator
        self.showing_bug = False
        self._seen: MapSeen | None = None

    def say(self, text: str, severity: str = "information") -> None:
        """Tell the reader something in passing."""
        self._app.notify(clean(text, 400), severity=severity, markup=False)  # type: ignore[arg-type]

    # -- texts --------------------------------------------------------------------------------

    def statistics(self) -> None:
        """Show time and tokens per state and tool."""
        record = self._session.conversation.record
        if record is None:
            self.say("No run yet.")
        else:
            self._app.push_screen(Reader("Statistics", statistics_text(record.shown)))

    def map(self) -> None:
        """Show the map of the robot that is watched."""
        from robodata_tui.screens.map import MapScreen

        self._app.push_screen(MapScreen(self._seen))

    def surveyed(self, seen: MapSeen) -> None:
        """Take the robot's map as it is now, and show it where it is looked at."""
        from robodata_tui.screens.map import MapScreen

        self._seen = seen
        if isinstance(self._app.screen, MapScreen):
            self._app.screen.show(seen)

    def help(self) -> None:
        """Explain the part that has the focus."""
        part = self._workspace.focused_part()
        own: list[Binding] = []
        for widget in dict.fromkeys((self._workspace.screen.focused, part)):
            for binding in getattr(widget, "BINDINGS", ()):
                own.append(binding if isinstance(binding, Binding) else Binding(*binding))
        own = [item for item in own if item.action != "submit"]
        title = getattr(part, "TITLE", "") or "Help"
        self._app.push_screen(Reader(f"Help: {title}", help_text(part, own, BINDINGS)))

    def details(self, row: object) -> None:
        """Show everything about a row of the trace."""
        record = self._session.conversation.record
        found = describe_row(row, record.state) if record is not None else None
        if found is not None:
            self._app.push_screen(Reader(*found))

    def proof(self) -> None:
        """Draw the whole proof of the claim that is selected."""
        view = self._session.conversation.view()
        claim = view.claim_by_id(view.claim) if view is not None else None
        if view is None or claim is None:
            self.say("There is no claim to prove here.")
            return
        proof = view.proof(claim)
        width = min(110, int(self._app.size.width * 0.8)) - 8
        head = [question_line(proof), *path_lines(proof)]
        names = [clean(result_text(item), 200) for item in view.members(claim)]
        text = proof_text(claim, reading_line(view.state), head, drawing(proof, width), names)
        mark, word = claim_mark(claim)
        self._app.push_screen(Reader(f"Proof of {clean(claim.id, 20)}: {mark} {word}", text))

    def bug(self, report: str) -> None:
        """Show the report of a bug."""
        self.showing_bug = True

        def shut(_: object) -> None:
            self.showing_bug = False

        head = (
            "Something went wrong that should not have. What was found so far is kept.\n"
            "y copies this report; please send it with what you did.\n\n"
        )
        self._app.push_screen(Reader("A bug in RoboData", head + report), shut)

    def sure(
        self,
        question: str,
        yes: str,
        then: Callable[[], None],
        otherwise: Callable[[], None] | None = None,
    ) -> None:
        """Ask before doing something."""

        def answered(sure: bool | None) -> None:
            if sure:
                then()
            elif otherwise is not None:
                otherwise()

        self._app.push_screen(Confirm(question, yes), answered)

    # -- choices ------------------------------------------------------------------------------

    def jump(self) -> None:
        """Jump to a part of the screen."""

        def chosen(name: str | None) -> None:
            if name:
                self._navigator.part(name)

        self._app.push_screen(JumpScreen(), chosen)

    def themes(self) -> None:
        """Choose a theme."""
        self._app.push_screen(ThemeScreen(), self._theme_chosen)

    def _theme_chosen(self, name: str | None) -> None:
        if name is None:
            return
        try:
            write_settings(self.options.config, {"tui": {"theme": name}})
        except RoboDataError as error:
            self.say(f"The theme is not kept: {error}", "warning")
        else:
            self.say(f"Written to {self.options.config}")

    def history(self) -> None:
        """Open earlier runs and journals."""
        screen = HistoryScreen(self._session.conversation.records, self.options.journals)
        self._app.push_screen(screen, self._history_chosen)

    def _history_chosen(self, chosen: int | Path | None) -> None:
        if isinstance(chosen, int):
            self._session.conversation.go(chosen)
            self._workspace.refresh()
            self._workspace.go("answer")
        elif chosen is not None:
            self.open_journal(chosen)

    def open_journal(self, path: Path) -> None:
        """Show the run of a journal, or say why it cannot be read."""
        try:
            record = read_record(path)
        except RoboDataError as error:
            self.say(str(error), "error")
            return
        self._session.conversation.append(record)
        if record.notice:
            self.say(record.notice, "warning")
        self._workspace.refresh()
        self._workspace.go("answer")

    def settings(self, changed: Callable[[Settings], None]) -> None:
        """Change the settings; ``changed`` puts them to use."""
        if not self._session.bridge.asks:
            self.say("This screen watches a robot; it has settings of its own.")
        elif self._session.running is not None:
            self.say(_WAITS)
        else:
            self._app.push_screen(
                SettingsScreen(self.options.settings, self.options.config),
                lambda settings: self._settings_saved(settings, changed),
            )

    def _settings_saved(
        self, settings: Settings | None, changed: Callable[[Settings], None]
    ) -> None:
        if settings is None:
            return
        try:
            changed(settings)
        except ConfigurationError as error:
            self.say(str(error), "error")
        else:
            self.say(f"Written to {self.options.config}")

    # -- files and the clipboard --------------------------------------------------------------

    def export(self) -> None:
        """Write answer, graph, screen or run to a file."""
        record = self._session.conversation.record
        if record is None:
            self.say("No run yet.")
            return
        self._app.push_screen(ExportScreen(record, self.options.export_to), self._export_chosen)

    def _export_chosen(self, chosen: tuple[Format, Path] | None) -> None:
        if chosen is not None:
            # After a refresh: a picture of the screen must not show the dialog.
            self._app.call_after_refresh(self.write_export, *chosen)

    def write_export(self, format_: Format, path: Path) -> None:
        """Write the run shown; in a browser, hand it over as a download."""
        record = self._session.conversation.record
        assert record is not None
        try:
            if format_.name == "svg":
                data = without_fonts(self._app.export_screenshot(title="RoboData")).encode()
            else:
                data = export_record(record, format_.name)
            if self._app.is_web:
                file = io.BytesIO(data)
                self._app.deliver_binary(file, save_filename=path.name, mime_type=format_.mime)
                return
            with path.open("xb") as target:
                target.write(data)
        except (RoboDataError, OSError) as error:
            self.say(f"Not exported: {error}", "error")
        else:
            self.say(f"Written to {path}")

    def copy(self, text: str) -> None:
        """Copy a text: through the terminal (OSC 52), and with a local tool where there is one."""
        if not text:
            self.say("There is nothing to copy here.")
            return
        self._app.copy_to_clipboard(text)
        copy_locally(text)
        self._app.notify(f"Copied {len(text):,} characters.", markup=False, timeout=2)
