"""Copying with a tool of this machine, for terminals that do not take OSC 52."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from typing import Final

__all__ = ["copy_locally"]

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
