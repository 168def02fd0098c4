"""Connections to the Model Context Protocol over HTTP: bounded in number and in patience.

uvicorn itself waits without an end for a request that was begun. It is imported with this module,
which only ``robodata mcp --http`` needs.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["MOST_CONNECTIONS", "Impatient"]

MOST_CONNECTIONS: Final = 256
"""Connections from which on a request is answered that there are too many."""


class Impatient(H11Protocol):
    """A connection that is closed when no whole request comes over it."""

    patience = 30.0  # seconds in which a request comes whole
    _unasked: object = None  # what was being answered when it last was without a whole request

    def connection_made(self, transport: Any) -> None:
        """Begin to look after it."""
        super().connection_made(transport)
        self._look_later()

    def _look_later(self) -> None:
        asyncio.get_running_loop().call_later(self.patience / 2, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        answers = self.cycle is not None and not self.cycle.response_complete
        if answers and not self.cycle.more_body:
            self._unasked = None
        elif self._unasked is (now := self.cycle or self):
            self.transport.close()
            return
        else:
            self._unasked = now
        self._look_later()
