"""The core's log as the node's own: to the console and ``/rosout``, a sentence a line.

Python would else write the core's warnings and errors to stderr, with tracebacks. Those are kept
for whoever runs the node with the log level ``debug``.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Any, Final

from robodata_core.masking import shown

__all__ = ["RosLog"]

_CORE: Final = "robodata"
_MOST_STACK: Final = 20_000


class RosLog(logging.Handler):
    """Hands records of ``robodata.*`` on to a ROS logger while it is attached.

    Args:
        logger: The ROS logger.
    """

    def __init__(self, logger: Any) -> None:
        super().__init__(logging.INFO)
        self._logger = logger

    def attach(self) -> None:
        """Take the core's records from now on."""
        logging.getLogger(_CORE).addHandler(self)

    def detach(self) -> None:
        """Take no more."""
        logging.getLogger(_CORE).removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Hand on one record; what cannot be told any more is not an error of its own."""
        with suppress(Exception):
            message = shown(record.getMessage())
            if record.levelno >= logging.ERROR:
                self._logger.error(message)
            elif record.levelno >= logging.WARNING:
                self._logger.warning(message)
            else:
                self._logger.info(message)
            if record.exc_info:
                stack = logging.Formatter().formatException(record.exc_info)
                self._logger.debug(shown(stack, limit=_MOST_STACK, multiline=True))
