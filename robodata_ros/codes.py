"""Error codes of requests, and which exception means which."""

from __future__ import annotations

import enum
from typing import Final

from robodata_core.errors import (
    CancelledError,
    ConfigurationError,
    DeadlineExceededError,
    InvalidRequestError,
    PolicyError,
    QueryError,
    QueryLimitError,
    RoboDataError,
    SnapshotError,
    SourceError,
    StoreError,
)

__all__ = ["Code", "code_of", "sentence_of"]


class Code(enum.IntEnum):
    """``robodata_msgs/msg/ErrorCode``; a test compares the two."""

    NONE = 0
    INVALID_REQUEST = 1
    NOT_ACTIVE = 2
    BUSY = 3
    TIMEOUT = 4
    CANCELED = 5
    KNOWLEDGE_SOURCE_UNAVAILABLE = 6
    MODEL_UNAVAILABLE = 7
    UNKNOWN = 99


_CODES: Final[tuple[tuple[type[BaseException], Code], ...]] = (
    (ConfigurationError, Code.INVALID_REQUEST),
    (CancelledError, Code.CANCELED),
    (DeadlineExceededError, Code.TIMEOUT),
    (QueryLimitError, Code.TIMEOUT),
    (QueryError, Code.INVALID_REQUEST),
    (PolicyError, Code.MODEL_UNAVAILABLE),
    (SourceError, Code.KNOWLEDGE_SOURCE_UNAVAILABLE),
    (SnapshotError, Code.KNOWLEDGE_SOURCE_UNAVAILABLE),
    (StoreError, Code.KNOWLEDGE_SOURCE_UNAVAILABLE),
)


def code_of(error: BaseException) -> Code:
    """Return the code for what ended a request."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), Code.UNKNOWN)


def sentence_of(error: BaseException) -> str:
    """Return one sentence for the caller; details of faults stay in the log."""
    if isinstance(error, InvalidRequestError):
        return error.message  # what to do about it is told for the command line
    if isinstance(error, RoboDataError):
        return str(error)
    return f"An internal error ended the request ({type(error).__name__}); the log has details."
