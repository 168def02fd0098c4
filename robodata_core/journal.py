"""A run as a file: JSON Lines, a header line and then one event a line.

Written as the run goes, each event in one piece, so that a run that dies leaves everything up
to its last moment; reading forgives a cut last line and nothing else. Folding what was read is
``run_state``'s business, showing it that of ``narrate`` and the front ends.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final

from robodata_core._codec import decode, encode
from robodata_core._version import __version__
from robodata_core.errors import ConfigurationError
from robodata_core.events import RunEvent
from robodata_core.masking import mask
from robodata_core.text import parse_json
from robodata_core.whole_files import form_limit

__all__ = [
    "FORMAT", "VERSION", "JournalWriter", "line_of", "read", "reason_of", "write",
]  # fmt: skip

FORMAT: Final = "robodata-journal"
VERSION: Final = 1

# Far above any real event; keeps a damaged or hostile file from filling the memory.
_MAX_LINE: Final = 64 * 1024 * 1024

_log = logging.getLogger("robodata.journal")


def line_of(event: RunEvent) -> str:
    """Return an event as one line of a journal, without the end of the line."""
    return _line(encode(event))


def _line(data: Any) -> str:
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def write(path: str | Path) -> JournalWriter:
    """Begin a journal at ``path``; hand the result to a run as (part of) its ``emit``.

    Raises:
        ConfigurationError: If the file exists already or cannot be created.
    """
    return JournalWriter(path)


class JournalWriter:
    """A sink that writes every event it is called with. Not thread-safe; one run, one writer.

    A disk that fills up must not end a run: after a failed write the journal stops where it is,
    says so in the log, and ``problem`` holds the sentence.

    Attributes:
        path: The file.
        problem: Why nothing is written any more, or empty.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.problem = ""
        self._seq = 0
        try:
            # "x": a journal is a record, so it never replaces another one.
            self._file: IO[bytes] = open(  # noqa: SIM115 - open for the run
                self.path, "xb", opener=_private
            )
        except OSError as error:
            raise ConfigurationError(
                f"The journal {self.path} cannot be created: {reason_of(error)}."
            ) from error
        self._put(_line({"format": FORMAT, "version": VERSION, "robodata": __version__}))
        if self.problem:
            self.path.unlink(missing_ok=True)  # an empty journal would say that nothing happened

    def __call__(self, event: RunEvent) -> None:
        """Write ``event``, and flush it."""
        # An event that was interrupted on its way here (Ctrl+C) is handed over once more.
        if self.problem or event.header.seq <= self._seq:
            return
        self._put(line_of(event))
        self._seq = event.header.seq

    def _put(self, line: str) -> None:
        line = mask(line)
        try:
            self._file.write(line.encode("ascii") + b"\n")
            self._file.flush()
        except (OSError, ValueError) as error:
            self.problem = f"The journal {self.path} ends early: {reason_of(error)}."
            _log.error("%s", self.problem)

    def close(self) -> None:
        """Close the file; further events are ignored."""
        told, self.problem = self.problem, self.problem or "The journal is closed."
        try:
            self._file.close()
        except OSError as error:
            if not told:  # or it is what could not be written before
                _log.error("The journal %s could not be closed: %s.", self.path, reason_of(error))

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


def read(path: str | Path, *, notice: Callable[[str], None] | None = None) -> Iterator[RunEvent]:
    """Yield the events of a journal in order.

    Args:
        path: The file.
        notice: Told when the last line is cut off (the run or the machine died while writing);
            None sends that to the log.

    Raises:
        ConfigurationError: If the file cannot be read, is no journal, is of another version,
            or is damaged anywhere but at its very end; with the line number.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            yield from _events(path, file, notice or _log.warning)
    except OSError as error:
        raise ConfigurationError(
            f"The journal {path} cannot be read: {reason_of(error)}."
        ) from error


def _events(path: Path, file: IO[bytes], notice: Callable[[str], None]) -> Iterator[RunEvent]:
    most = form_limit(_MAX_LINE)
    _check_header(path, file.readline(most))
    run_id, seq, number = "", 0, 1
    while line := file.readline(most):
        number += 1
        try:
            event = decode(_parse(line), RunEvent)
        except ValueError as error:
            if not line.endswith(b"\n") and len(line) < most:
                notice(f"The last line of the journal {path} is cut off and was left out.")
                return
            raise _damaged(path, number, str(error)) from error
        run_id = run_id or event.header.run_id
        seq += 1
        if event.header.run_id != run_id:
            raise _damaged(path, number, "it belongs to another run")
        if event.header.seq != seq:
            raise _damaged(path, number, f"it is event {event.header.seq}, expected {seq}")
        yield event


def _check_header(path: Path, line: bytes) -> None:
    try:
        header = _parse(line)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ConfigurationError(f"{path} is not a journal of a RoboData run.")
    if header.get("version") != VERSION:
        raise ConfigurationError(
            f"The journal {path} is of version {str(header.get('version'))[:20]}; this RoboData"
            f" reads version {VERSION}.",
            hint="Use the RoboData that wrote it, or a newer one.",
        )


def _parse(line: bytes) -> Any:
    try:
        return parse_json(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError("it is not text in UTF-8") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON ({error.msg} at column {error.colno})") from error


def _damaged(path: Path, number: int, reason: str) -> ConfigurationError:
    return ConfigurationError(f"The journal {path} is damaged at line {number}: {reason[:300]}.")


def _private(path: str, flags: int) -> int:
    """Open a file that nobody but its owner may read: questions stand in it."""
    return os.open(path, flags, 0o600)


def reason_of(error: BaseException) -> str:
    """Return what went wrong, as the end of a sentence."""
    text = getattr(error, "strerror", None) or str(error)
    return text[:1].lower() + text[1:]
