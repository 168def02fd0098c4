"""What a terminal sends is read to the end, whatever bytes it holds.

Textual's drivers decode strictly: one byte that is no UTF-8 (a paste in another encoding) raises in
the thread that reads the keys, and the application ends. Here such a byte becomes U+FFFD.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

__all__ = ["read_any_bytes"]


def _forgiving(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


def read_any_bytes() -> None:
    """Make the drivers of this process decode forgivingly; before an application starts."""
    if sys.platform == "win32":  # there the console hands over characters
        return
    from textual.drivers import linux_driver, web_driver

    drivers: tuple[Any, ...] = (linux_driver, web_driver)
    for driver in drivers:
        driver.getincrementaldecoder = _forgiving
