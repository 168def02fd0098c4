"""Every exception RoboData raises on purpose, in one tree.

::

    RoboDataError
    ├── ConfigurationError          settings, files or ids the caller must correct
    │   └── InvalidRequestError     a question or argument that cannot be taken
    ├── StoreError                  the local graph
    │   ├── StoreBusyError          another process has it open
    │   └── StoreFullError          no space left; what was stored before is kept
    ├── SnapshotError               a snapshot that is missing, damaged or of another version
    ├── LoadError                   input of ``kg load`` that cannot be read (has file and line)
    ├── SourceError                 a knowledge source could not answer
    │   ├── NotFoundError           the id does not exist there
    │   ├── RateLimitedError        asked to slow down
    │   ├── SourceTimeoutError      no answer in time
    │   ├── SourceRefusedError      unreachable, or access denied
    │   └── MalformedResponseError  an answer that cannot be understood
    ├── QueryError                  a query that was refused or failed
    │   ├── QuerySyntaxError        not SPARQL (or Cypher)
    │   ├── QueryRefusedError       updates, SERVICE, LOAD, ...
    │   └── QueryLimitError         ran over its row, byte or time cap
    ├── ToolError                   a tool call that cannot be carried out
    │   ├── UnknownToolError        no such tool in this state
    │   ├── ToolArgumentError       arguments that do not fit the tool's schema
    │   └── UnknownIdError          an id that nothing has shown before
    ├── ProgramError                a reasoning program that is not well formed
    ├── PolicyError                 whoever decides the turn failed
    │   ├── ModelReplyError         replies of a language model that cannot be used
    │   └── ModelUnavailableError   the language model cannot be reached
    ├── DeadlineExceededError       the time given ran out
    └── CancelledError              the caller asked to stop

The text of an exception is one sentence that may be shown to a person, without secrets;
``hint`` says what to do about it. Details for developers go to the log or to ``__cause__``.
"""

from __future__ import annotations

from typing import Final

from robodata_core.masking import shown

__all__ = [
    "CancelledError",
    "ConfigurationError",
    "DeadlineExceededError",
    "InvalidRequestError",
    "LoadError",
    "MalformedResponseError",
    "ModelReplyError",
    "ModelUnavailableError",
    "NotFoundError",
    "PolicyError",
    "ProgramError",
    "QueryError",
    "QueryLimitError",
    "QueryRefusedError",
    "QuerySyntaxError",
    "RateLimitedError",
    "RoboDataError",
    "SnapshotError",
    "SourceError",
    "SourceRefusedError",
    "SourceTimeoutError",
    "StoreBusyError",
    "StoreError",
    "StoreFullError",
    "ToolArgumentError",
    "ToolError",
    "UnknownIdError",
    "UnknownToolError",
]

_MOST_TEXT: Final = 4_000


class RoboDataError(Exception):
    """Base of everything RoboData raises on purpose.

    Args:
        message: One sentence for the person in front of the screen.
        hint: What that person can do about it, or an empty string.
    """

    exit_code: int = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = shown(message, limit=_MOST_TEXT, multiline=True)
        self.hint = shown(hint, limit=_MOST_TEXT, multiline=True)
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class ConfigurationError(RoboDataError):
    """A setting, file or flag that the caller must correct."""

    exit_code = 2


class InvalidRequestError(ConfigurationError):
    """A question or argument that cannot be taken as it is."""


class StoreError(RoboDataError):
    """The local graph could not be read or written."""

    exit_code = 3


class StoreBusyError(StoreError):
    """The store is open in another process."""


class StoreFullError(StoreError):
    """There is no space left; everything stored before is kept."""


class SnapshotError(RoboDataError):
    """A snapshot that is missing, damaged, or of another format version."""

    exit_code = 3


class LoadError(RoboDataError):
    """Input that cannot be loaded into a snapshot.

    Args:
        message: What is wrong, in one sentence.
        path: The file it is in.
        line: The line number, counted from 1, where it is known.
        hint: What can be done about it.
    """

    def __init__(
        self, message: str, *, path: str = "", line: int | None = None, hint: str = ""
    ) -> None:
        where = f"{path}:{line}: " if path and line else f"{path}: " if path else ""
        super().__init__(where + message, hint=hint)
        self.path = path
        self.line = line


class SourceError(RoboDataError):
    """A knowledge source could not answer."""

    exit_code = 3


class NotFoundError(SourceError):
    """The source has no entity or property of that id."""

    exit_code = 1


class RateLimitedError(SourceError):
    """The source asks for fewer requests.

    Args:
        message: One sentence.
        retry_after: Seconds to wait, where the source says.
        hint: What can be done about it.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class SourceTimeoutError(SourceError):
    """The source gave no answer in time."""


class SourceRefusedError(SourceError):
    """The source cannot be reached, or denies access."""


class MalformedResponseError(SourceError):
    """The source answered with something that cannot be understood."""


class QueryError(RoboDataError):
    """A query was refused or failed."""


class QuerySyntaxError(QueryError):
    """The text is not a query."""


class QueryRefusedError(QueryError):
    """The query asks for something read-only access does not give."""


class QueryLimitError(QueryError):
    """The query ran over its row, byte or time cap."""


class ToolError(RoboDataError):
    """A tool call that cannot be carried out; its text goes back to whoever called."""


class UnknownToolError(ToolError):
    """There is no tool of that name in this state."""


class ToolArgumentError(ToolError):
    """The arguments do not fit the tool's schema."""


class UnknownIdError(ToolError):
    """An id that neither the question nor any tool result has shown."""


class ProgramError(RoboDataError):
    """A reasoning program that is not well formed."""


class PolicyError(RoboDataError):
    """Whoever decides the turn failed."""


class ModelReplyError(PolicyError):
    """A language model's replies could not be used, however often it was asked."""


class ModelUnavailableError(PolicyError):
    """The language model cannot be reached."""

    exit_code = 3


class DeadlineExceededError(RoboDataError):
    """The time given for a run ran out."""


class CancelledError(RoboDataError):
    """The caller asked the run to stop."""

    exit_code = 130
