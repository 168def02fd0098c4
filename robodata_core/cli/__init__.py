"""The ``robodata`` command. stdout is data, stderr is narration; commands load when called."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

from robodata_core.cli._interrupts import was_interrupted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from sys import UnraisableHookArgs

__all__ = ["main", "run"]

_CANCELLED = "robodata: cancelled."


def main() -> None:
    """Run the command line and exit with a documented code.

    0 answered or partial, 1 unknown or failed, 2 usage or configuration, 3 a service is
    unavailable, 130 cancelled.
    """
    code = 130
    sys.unraisablehook = _unraisable
    try:
        code = run(sys.argv[1:])
        # The work is done: a Ctrl+C during the interpreter's clean-up changes nothing any more.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.freeze()  # Nothing is searched for garbage that goes with the process anyway.
    except BaseException as error:
        if not was_interrupted(error):
            raise
        code = 130
        print(_CANCELLED, file=sys.stderr)
    if code == 130 or any(one.daemon for one in threading.enumerate()):
        _leave(code)
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run the command line within this process; return its exit code, see ``main``."""
    from robodata_core.cli._main import run as run_group

    return run_group(arguments)


def _unraisable(info: UnraisableHookArgs) -> None:
    """Obey a Ctrl+C that came where Python cannot raise it, as in a clean-up while importing.

    The interpreter would print a traceback, forget the signal and go on.
    """
    if info.exc_type.__name__ == "Stopped":  # work that was ended, see robodata_core.killable
        return
    if not issubclass(info.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(info)
        return
    print(_CANCELLED, file=sys.stderr)
    _leave(130)


def _leave(code: int) -> None:
    """End the process at once with ``code``; everything of ours is closed by now.

    After Ctrl+C the interpreter would end itself by the signal again, and a second Ctrl+C would
    show a traceback from its clean-up. Beside a thread that is left to itself, as one that was
    importing, the clean-up may wait for ever for what the thread holds.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
