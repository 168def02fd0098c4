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
_ESCAPE: Final = "30"
"""Milliseconds after which a lone Esc is a key of its own (Textual: 100). A key that follows
sooner is read together with it, as Alt and that key: Esc and / in quick succession are two keys.
What a terminal sends for one key comes in one piece, except over a slow line."""
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
    else:
        os.environ.setdefault("ESCDELAY", _ESCAPE)
    sys.setswitchinterval(_SWITCH)
