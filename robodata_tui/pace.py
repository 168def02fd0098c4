"""How often the screen is drawn. Textual reads it when it is first imported, so this comes first.

It draws at fixed beats and may let two of them pass after a long drawing, so that a key waits for
them however soon it was handled: short beats make that wait short. They cost nothing where
nothing changes.
"""

from __future__ import annotations

import os
import sys
from typing import Final

__all__ = ["set_pace"]

_BEATS: Final = "120"
_BEATS_OVER_SSH: Final = "15"
_SWITCH: Final = 0.002
"""Seconds after which a thread that computes lets another one in (Python: 0.005): a key goes
through the threads that read and write the terminal."""


def set_pace(*, ssh: bool = False) -> None:
    """Set the beats, unless the environment has them already.

    Args:
        ssh: Whether to spare the line: few pictures, no animation.
    """
    os.environ.setdefault("TEXTUAL_FPS", _BEATS_OVER_SSH if ssh else _BEATS)
    if ssh:
        os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
    sys.setswitchinterval(_SWITCH)
