"""Where a session puts what is seldom looked at again: a file without a name, gone with it."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable
from functools import partial
from typing import IO

__all__ = ["Shelf"]


class Shelf:
    """Keeps bytes in a file that has no name; in memory where there can be no such file."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None

    def put(self, data: bytes) -> Callable[[], bytes]:
        """Keep some bytes; return what reads them."""
        packed = zlib.compress(data, 6)
        try:
            self._file = file = self._file or tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
            place = file.seek(0, 2)
            if file.write(packed) == len(packed):
                return partial(self._read, place, len(packed))
        except OSError:  # a full disk, or none to write to
            pass
        return partial(zlib.decompress, packed)

    def _read(self, place: int, size: int) -> bytes:
        assert self._file is not None
        self._file.seek(place)
        return zlib.decompress(self._file.read(size))
