"""Fills an on-disk store from blocks of N-Quads, on as many threads as there are cores.

A bulk load uses one core and gives up the interpreter's lock, so several run side by side on one
store, each with its own block. Blocks that stand in a file as they are wait as a place in that
file, so that whoever hands them over can run ahead; others wait in memory, a few at a time. Blocks
are parsed strictly here; the place of an error is traced back to the file.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Final

import pyoxigraph as ox

from robodata_core.errors import LoadError
from robodata_core.sources.snapshot.loading._inputs import Block

__all__ = ["BulkStore", "fill_store", "located"]

# Of text; a bulk load takes about ten times as much memory. Larger batches are not faster.
_BATCH: Final = 4_000_000
_WAITING: Final = 3
_MOST_WORKERS: Final = 4


class BulkStore:
    """An Oxigraph store being filled; a context manager that ends its threads.

    Args:
        folder: Where the store is made.
    """

    def __init__(self, folder: Path) -> None:
        self._store = ox.Store(str(folder))
        self._queue: queue.Queue[list[_Waiting] | None] = queue.Queue()
        self._room = threading.Semaphore(_WAITING)
        self._batch: list[_Waiting] = []
        self._size = 0
        self._error: BaseException | None = None
        count = min(_MOST_WORKERS, max(2, os.cpu_count() or 2))
        self._workers = [
            threading.Thread(target=self._work, name=f"bulk-load-{number}", daemon=True)
            for number in range(count)
        ]
        for worker in self._workers:
            worker.start()

    def __enter__(self) -> BulkStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and self._error is None:
            self._error = error
        self._end()
        # The store has no close: it lets go of its files when nobody holds it.
        del self._store

    def add(self, block: Block) -> None:
        """Take a block; waits while enough others are being loaded.

        Raises:
            LoadError: If an earlier block could not be parsed.
        """
        size = len(block.data)
        if block.offset >= 0:
            block = replace(block, data=b"")
        self._batch.append(_Waiting(block, size))
        self._size += size
        if self._size >= _BATCH:
            self._send()

    def finish(self) -> int:
        """Load what is left and return the number of quads in the store.

        Raises:
            LoadError: If a block could not be parsed.
        """
        self._send()
        self._end()
        self._raise()
        self._store.flush()
        return len(self._store)

    def _send(self) -> None:
        batch, self._batch, self._size = self._batch, [], 0
        if _holds_data(batch):
            while not self._room.acquire(timeout=0.2):
                self._raise()
        self._raise()
        if batch:
            self._queue.put(batch)

    def _end(self) -> None:
        for _ in self._workers:
            self._queue.put(None)
        for worker in self._workers:
            worker.join()
        self._workers = []

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        while (batch := self._queue.get()) is not None:
            try:
                if self._error is None:
                    self._load(batch)
            except BaseException as error:
                self._error = error
            finally:
                if _holds_data(batch):
                    self._room.release()

    def _load(self, batch: Sequence[_Waiting]) -> None:
        parts = [waiting.data() for waiting in batch]
        # What was written by a parser need not be checked by one again.
        checked = not any(waiting.block.line for waiting in batch)
        try:
            self._store.bulk_load(b"".join(parts), ox.RdfFormat.N_QUADS, lenient=checked)
        except SyntaxError as error:
            blocks = [waiting.block for waiting in batch]
            raise located(error, blocks, parts) from error
        except MemoryError as error:
            path = str(batch[0].block.path)
            raise LoadError(
                "A value is longer than the store's parser takes.", path=path
            ) from error


def fill_store(folder: Path, blocks: Iterable[bytes]) -> int:
    """Make an on-disk store of N-Quads that were written by a parser; return their number.

    Args:
        folder: Where the store is made.
        blocks: Blocks of whole lines.
    """
    with BulkStore(folder) as store:
        for block in blocks:
            store.add(Block(block, folder, 0))
        return store.finish()


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A block to be loaded, and its size."""

    block: Block
    size: int

    def data(self) -> bytes:
        """Return the lines, from the block itself or read again from its file."""
        if self.block.offset < 0:
            return self.block.data
        with self.block.path.open("rb") as file:
            file.seek(self.block.offset)
            return file.read(self.size)


def _holds_data(batch: Sequence[_Waiting]) -> bool:
    return any(waiting.block.data for waiting in batch)


def located(error: SyntaxError, blocks: Sequence[Block], parts: Sequence[bytes]) -> LoadError:
    """Say in which file and line an error is.

    Args:
        error: What the parser said of the blocks, one after the other.
        blocks: Where they come from.
        parts: What they hold.
    """
    line = (error.lineno or 1) - 1
    for block, data in zip(blocks, parts, strict=True):
        lines = data.count(b"\n")
        if line < lines or block is blocks[-1]:
            break
        line -= lines
    text = str(error.msg).partition(": ")[2] or str(error.msg)
    where = block.line + line if block.line else None
    return LoadError(f"{text.rstrip('.')[:300]}.", path=str(block.path), line=where)
