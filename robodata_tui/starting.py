"""What is set before an application starts: how often it draws, how it reads a terminal.

Textual draws at fixed beats and may let two of them pass after a long drawing, so that a key waits
for them however soon it was handled: short beats make that wait short, and cost nothing where
nothing changes. It reads them when it is first imported.

What a terminal sends is read to the end, whatever bytes it holds; its end is taken for one.

A key right behind Esc is Esc and that key: Textual takes some of them for signs and for other keys.

Textual's drivers decode strictly: one byte that is no UTF-8 (a paste in another encoding) raises in
the thread that reads the keys, and the application ends. Here such a byte becomes U+FFFD. A
terminal that is gone gives no bytes for ever, which Textual would read again and again.
"""

from __future__ import annotations

import codecs
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

__all__ = [
    "keep_keys_behind_escape",
    "read_any_bytes",
    "set_pace",
]

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


_PATIENCE: Final = 3.0
"""Seconds to leave in good order once the terminal is gone; drawing into it may hang."""
_PAUSE: Final = 0.1


def _forgiving(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


class _Decoder:
    """Decodes what one terminal sends; where nothing comes though there is something to read."""

    def __init__(self, encoding: str) -> None:
        self._decode = _forgiving(encoding)().decode
        self._gone = False

    def decode(self, data: bytes, final: bool = False) -> str:
        """Return the text; leave, once, where the terminal is gone."""
        if not data and not final:
            if not self._gone:
                self._gone = True
                threading.Thread(target=_leave, name="robodata-leave", daemon=True).start()
            time.sleep(_PAUSE)
        return self._decode(data, final)


def _leave() -> None:
    """End this process as the system does when a terminal is closed."""
    os.kill(os.getpid(), signal.SIGHUP)
    time.sleep(_PATIENCE)
    os._exit(128 + signal.SIGHUP)


def read_any_bytes() -> None:
    """Make the drivers of this process decode forgivingly; before an application starts."""
    if sys.platform == "win32":  # there the console hands over characters
        return
    from textual.drivers import linux_driver, web_driver

    drivers: tuple[tuple[Any, Any], ...] = (
        (linux_driver, lambda encoding: partial(_Decoder, encoding)),
        (web_driver, _forgiving),
    )
    for driver, decoder in drivers:
        driver.getincrementaldecoder = decoder


def keep_keys_behind_escape() -> None:
    """Make "Esc, 2" sent in one go come as Alt and 2, as letters do; before an application starts.

    Some terminals on macOS send that for Option and a digit, which Textual turns into a sign, and
    others Esc and "f" for a step of a word, which here are two keys of this application. Of "Esc,
    Ctrl+O" it forgets the Esc.
    """
    from textual import _ansi_sequences

    table: Any = _ansi_sequences.ANSI_SEQUENCES_KEYS
    for sequence in [one for one in table if len(one) == 2 and one[0] == "\x1b"]:
        if sequence[1].isprintable():
            del table[sequence]
    escape = table["\x1b"]
    for code in range(1, 32):  # but for what means something by itself, as Esc and Tab do
        if keys := table.get(chr(code)):
            table.setdefault(f"\x1b{chr(code)}", (*escape, *keys))
