"""Connections to the Model Context Protocol over HTTP: bounded in number and in patience.

uvicorn itself waits without an end for a request that was begun. It comes with the package ``mcp``
and is imported when a server is built.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

__all__ = ["MOST_CONNECTIONS", "impatient"]

MOST_CONNECTIONS: Final = 256
"""Connections from which on a request is answered that there are too many."""


def impatient(patience: float = 30.0) -> Any:
    """Return a protocol whose connections are closed when no whole request comes over them.

    Args:
        patience: Seconds in which a request comes whole.
    """
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Impatient(H11Protocol):
        _unasked: object = None  # what was answered when it last was without a whole request

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._look_later()

        def _look_later(self) -> None:
            asyncio.get_running_loop().call_later(patience / 2, self._look)

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

    return Impatient
