"""What the application is started with, apart from the core's settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from robodata_core.config import Settings

if TYPE_CHECKING:
    from robodata_core.api import RoboData

__all__ = ["Options"]


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
