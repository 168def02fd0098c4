"""Files that commands write: what can go wrong with one, as a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from robodata_core.errors import ConfigurationError


@contextmanager
def writing(path: str | Path, hint: str = "") -> Iterator[Path]:
    """Give the path to write to.

    Raises:
        ConfigurationError: If writing fails.
    """
    try:
        yield Path(path)
    except OSError as error:
        reason = error.strerror or error
        raise ConfigurationError(f"{path} cannot be written: {reason}.", hint=hint) from error
