"""The settings that matter at the screen, checked and written to ``robodata.yaml``.

Keys of model services are never settings: they are read from the environment where they are
used, so this screen neither shows nor stores one.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Input, Label, Select, Static

from robodata_core.config import Settings, load_settings
from robodata_core.errors import ConfigurationError, RoboDataError
from robodata_core.sources.open import SOURCE_FORMS
from robodata_core.trust import is_trusted, read_settings_file, trust
from robodata_core.whole_files import write_whole
from robodata_tui.screens.dialog import Dialog
from robodata_tui.widgets.line import Line
from robodata_tui.words import clean

__all__ = ["SettingsScreen", "write_settings"]

_FIELDS: Final = ("source", "store", "model", "max_turns")
_USER = re.compile(r"://[^/?#\s]*@")
_KEY = re.compile(r"(?i)\b(sk-|key-|ghp_|hf_)[A-Za-z0-9_-]{12,}|api[_-]?key|token=|password=")


def write_settings(path: Path, changes: dict[str, Any]) -> Settings:
    """Check ``changes`` on top of the settings file and write them into it.

    Other entries of the file stay, also those below ``tui``; its comments do not.

    Raises:
        ConfigurationError: If a value is wrong, looks like a secret, or the file cannot be
            written; nothing is written then.
    """
    import yaml

    for name, value in changes.items():
        if isinstance(value, str) and (_USER.search(value) or _KEY.search(value)):
            raise ConfigurationError(
                f"The value of {name} looks like it holds a secret, which is never written.",
                hint="Put keys into the environment.",
            )
    config = path if path.is_file() else None
    # What somebody else put into the file is not trusted by adding to it.
    mine = config is None or is_trusted(path, read_settings_file(path)[1])
    load_settings(config)  # a file that is wrong already is not touched
    try:
        data = read_settings_file(path)[0] if config else {}
        if "tui" in changes:
            changes = {**changes, "tui": {**(data.get("tui") or {}), **changes["tui"]}}
        settings = load_settings(config, **changes)
        data = {**data, **changes}
        text = yaml.safe_dump(data, sort_keys=True, allow_unicode=True)
        write_whole(path, text)
        if mine:
            trust(path)
    except OSError as error:
        raise ConfigurationError(f"The settings cannot be written to {path}: {error}.") from error
    return settings


class SettingsScreen(Dialog):
    """A form; dismissed with the new settings once they are written, or with None."""

    TITLE_TEXT = "Settings"
    BINDINGS: ClassVar = [
        ("escape", "dismiss(None)", "Close"),
        ("ctrl+s", "save", "Save"),
    ]

    def __init__(self, settings: Settings, path: Path) -> None:
        super().__init__()
        self._settings = settings
        self._path = path

    def compose(self) -> ComposeResult:
        """Lay the form out."""
        now = self._settings
        policies = [
            ("offline: no language model", "offline"),
            ("chat: a language model, few calls", "chat"),
            ("llm: a language model explores", "llm"),
            ("auto: the cheapest that is sure", "auto"),
        ]
        switch = [("off", False), ("on", True)]
        form = VerticalScroll(
            Label(f"Source: {', '.join(SOURCE_FORMS)}", markup=False),
            Line(", ".join(now.source), id="source", compact=True),
            Label("Store: folder of the local graph; empty keeps it in memory", markup=False),
            Line(now.store, id="store", compact=True),
            Label("Policy", markup=False),
            Select(policies, value=now.policy, allow_blank=False, id="policy", compact=True),
            Label("Model, for the policy llm; its key stays in the environment", markup=False),
            Line(now.model, id="model", compact=True),
            Label("Most turns of a run", markup=False),
            Line(str(now.max_turns), id="max_turns", compact=True, type="integer"),
            Label("Metacognition", markup=False),
            Select(
                switch, value=now.metacognition, allow_blank=False, id="metacognition", compact=True
            ),
            classes="form",
        )
        yield self.framed(
            form,
            Static("", classes="problem", markup=False),
            Horizontal(
                Button(f"Save to {self._path.name}", id="save", variant="primary", compact=True),
                Button("Leave", id="leave", compact=True),
                classes="buttons",
            ),
            hint="Tab moves · Ctrl+S saves · Esc leaves",
        )

    def on_mount(self) -> None:
        """Begin at the source."""
        self.query_one("#source", Input).focus()

    def _changes(self) -> dict[str, Any]:
        texts = {name: self.query_one(f"#{name}", Input).value.strip() for name in _FIELDS}
        turns = texts.pop("max_turns")
        sources = [part.strip() for part in texts.pop("source").split(",") if part.strip()]
        return {
            **texts,
            "source": ", ".join(sources),
            "max_turns": int(turns) if turns.isascii() and turns.isdigit() else turns,
            "policy": self.query_one("#policy", Select).value,
            "metacognition": self.query_one("#metacognition", Select).value,
        }

    def action_save(self) -> None:
        """Check and write."""
        try:
            settings = write_settings(self._path, self._changes())
        except RoboDataError as error:
            self.query_one(".problem", Static).update(f"✗ {clean(str(error), 600)}")
            return
        self.dismiss(settings)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Check and write."""
        self.action_save()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Save or leave."""
        event.stop()
        if event.button.id == "save":
            self.action_save()
        else:
            self.dismiss(None)
