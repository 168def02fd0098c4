"""What SPARQL and Cypher tools share: limits of a query, and failures told apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from robodata_core.errors import (
    QueryLimitError,
    QueryRefusedError,
    QuerySyntaxError,
    SourceTimeoutError,
    ToolError,
)
from robodata_core.sources.base import QueryLimits

if TYPE_CHECKING:
    from robodata_core.tools.base import ToolContext

MAX_ROWS: Final = 1_000
_SECONDS: Final = 10.0
_BYTES: Final = 2_000_000


def limits_for(context: ToolContext) -> QueryLimits:
    """Return the caps of one query, within the time the run has left."""
    left = context.cancel.remaining
    seconds = _SECONDS if left is None else max(0.1, min(_SECONDS, left))
    return QueryLimits(rows=MAX_ROWS, seconds=seconds, bytes=_BYTES)


@contextmanager
def describe_failure(language: str) -> Iterator[None]:
    """Open the sentence of a failed query with what kind of failure it is.

    Raises:
        ToolError: In place of the query errors.
    """
    try:
        yield
    except QuerySyntaxError as error:
        raise ToolError(f"{language} syntax error: {error}") from error
    except QueryRefusedError as error:
        raise ToolError(f"Refused: {error}") from error
    except (QueryLimitError, SourceTimeoutError) as error:
        hint = "" if error.hint else "Narrow the query: name an id, add LIMIT."
        raise ToolError(f"Timeout or size limit: {error}", hint=hint) from error
