"""Bugs stay where they happen: an exception in a handler becomes a report, not an exit.

Textual ends an application at the first exception in a handler. Here the handler that failed is
given up, the reader gets a dialog with a report to copy, and everything found so far stays.
"""

from __future__ import annotations

import logging
import platform
import traceback

from textual.message import Message
from textual.message_pump import MessagePump

from robodata_core import __version__

__all__ = ["Guarded", "bug_report", "log_path"]


class Guarded(MessagePump):
    """Stands before a widget or the application among the base classes."""

    async def _dispatch_message(self, message: Message) -> None:
        try:
            await super()._dispatch_message(message)
        except Exception as error:
            self.app._handle_exception(error)


def log_path() -> str:
    """Return where the log is written, or a phrase where it is not."""
    for handler in logging.getLogger("robodata").handlers:
        name = getattr(handler, "baseFilename", "")
        if name:
            return str(name)
    return "(no log file)"


def bug_report(error: BaseException) -> str:
    """Return what somebody needs who looks for the cause."""
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return (
        f"RoboData {__version__}, Python {platform.python_version()}, {platform.system()}\n"
        f"log: {log_path()}\n\n{trace}"
    )
