"""The application's dialogs: opening them and doing what they were dismissed with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import SystemCommand
from textual.binding import Binding
from textual.screen import Screen

from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError, RoboDataError
from robodata_tui.exporting import Format, export_record, without_fonts
from robodata_tui.keymap import BINDINGS
from robodata_tui.palette import commands
from robodata_tui.records import read_record
from robodata_tui.screens.chooser import JumpScreen, ThemeScreen
from robodata_tui.screens.dialog import Reader
from robodata_tui.screens.export import ExportScreen
from robodata_tui.screens.help import help_text
from robodata_tui.screens.history import HistoryScreen
from robodata_tui.screens.settings import SettingsScreen, write_settings
from robodata_tui.screens.statistics import statistics_text
from robodata_tui.widgets.timeline import TimelinePane
from robodata_tui.words import clean

if TYPE_CHECKING:
    from robodata_tui.app import RoboDataApp

    _Self = RoboDataApp
else:
    _Self = Any

__all__ = ["Openers"]


class Openers:
    """Mixed into the application."""

    def action_statistics(self: _Self) -> None:
        """Show time and tokens per state and tool."""
        record = self.conversation.record
        if record is None:
            self.notify("No run yet.", markup=False)
        else:
            self.push_screen(Reader("Statistics", statistics_text(record.shown)))

    def action_help(self: _Self) -> None:
        """Explain the part that has the focus."""
        part = self.focused_part()
        focused = self.main_screen.focused
        own: list[Binding] = []
        for widget in dict.fromkeys((focused, part)):
            for binding in getattr(widget, "BINDINGS", ()):
                own.append(binding if isinstance(binding, Binding) else Binding(*binding))
        own = [item for item in own if item.action not in ("submit",)]
        title = getattr(part, "TITLE", "") or "Help"
        self.push_screen(Reader(f"Help: {title}", help_text(part, own, BINDINGS)))

    def action_jump(self: _Self) -> None:
        """Jump to a part of the screen."""
        self.push_screen(JumpScreen(), self._jumped)

    def _jumped(self: _Self, name: str | None) -> None:
        if name == "question":
            self.action_ask()
        elif name == "rail":
            self.action_rail()
        elif name in ("timeline", "prompts", "log"):
            self.activate("timeline")
            pane = self.main_screen.query_one(TimelinePane)
            self.call_after_refresh(pane.go_tab, name)
        elif name:
            self.action_pane(name)

    def action_themes(self: _Self) -> None:
        """Choose a theme."""
        self.push_screen(ThemeScreen(), self._theme_chosen)

    def _theme_chosen(self: _Self, name: str | None) -> None:
        if name is None:
            return
        try:
            write_settings(self.options.config, {"tui": {"theme": name}})
        except RoboDataError as error:
            text = f"The theme is not kept: {clean(str(error), 300)}"
            self.notify(text, severity="warning", markup=False)
        else:
            self.notify(f"Written to {self.options.config}", markup=False)

    def get_system_commands(self: _Self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Offer every action in the command palette."""
        yield from commands(lambda action: self.call_later(self.run_action, action))

    # -- history ------------------------------------------------------------------------------

    def action_history(self: _Self) -> None:
        """Open earlier runs and journals."""
        screen = HistoryScreen(self.conversation.records, self.options.journals)
        self.push_screen(screen, self._history_chosen)

    def _history_chosen(self: _Self, chosen: int | Path | None) -> None:
        if isinstance(chosen, int):
            self.conversation.go(chosen)
            self.refresh_view()
        elif chosen is not None:
            self.open_journal(chosen)

    def open_journal(self: _Self, path: Path) -> None:
        """Show the run of a journal, or say why it cannot be read."""
        try:
            self.open_record(read_record(path))
        except RoboDataError as error:
            self.notify(clean(str(error), 400), severity="error", markup=False)

    # -- export -------------------------------------------------------------------------------

    def action_export(self: _Self) -> None:
        """Write answer, graph, screen or run to a file."""
        record = self.conversation.record
        if record is None:
            self.notify("No run yet.", markup=False)
            return
        self.push_screen(ExportScreen(record, self.options.export_to), self._export_chosen)

    def _export_chosen(self: _Self, chosen: tuple[Format, Path] | None) -> None:
        if chosen is not None:
            # After a refresh: a picture of the screen must not show the dialog.
            self.call_after_refresh(self.write_export, *chosen)

    def write_export(self: _Self, format_: Format, path: Path) -> None:
        """Write the run shown; in a browser, hand it over as a download."""
        record = self.conversation.record
        assert record is not None
        try:
            if format_.name == "svg":
                data = without_fonts(self.export_screenshot(title="RoboData")).encode()
            else:
                data = export_record(record, format_.name)
            if self.is_web:
                self._download(data, path.name, format_.mime)
                return
            with path.open("xb") as file:
                file.write(data)
        except (RoboDataError, OSError) as error:
            self.notify(f"Not exported: {clean(str(error), 300)}", severity="error", markup=False)
        else:
            self.notify(f"Written to {path}", markup=False)

    def _download(self: _Self, data: bytes, name: str, mime: str) -> None:
        import io

        self.deliver_binary(io.BytesIO(data), save_filename=name, mime_type=mime)

    # -- settings -----------------------------------------------------------------------------

    def action_settings(self: _Self) -> None:
        """Change the settings."""
        if not self.bridge.asks:
            self.notify("This screen watches a robot; it has settings of its own.", markup=False)
            return
        if self.running is not None:
            self.notify("Settings can be changed when the run is over.", markup=False)
            return
        screen = SettingsScreen(self.options.settings, self.options.config)
        self.push_screen(screen, self._settings_saved)

    def _settings_saved(self: _Self, settings: Settings | None) -> None:
        if settings is None:
            return
        try:
            self.change_settings(settings)
        except ConfigurationError as error:
            self.notify(clean(str(error), 400), severity="error", markup=False)
        else:
            self.notify(f"Written to {self.options.config}", markup=False)
