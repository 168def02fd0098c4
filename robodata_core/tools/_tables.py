"""How query results read: counts, then the first five and the last five rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from robodata_core.errors import (
    QueryLimitError,
    QueryRefusedError,
    QuerySyntaxError,
    SourceTimeoutError,
    ToolError,
)
from robodata_core.model import EntityValue, SparqlResult, StringValue, Value, ids_in
from robodata_core.sources.base import QueryLimits
from robodata_core.text import plural
from robodata_core.tools.base import ToolContext, ToolOutput
from robodata_core.tools.formatting import clip, compose, list_some
from robodata_core.tools.known_ids import is_short_id
from robodata_core.tools.namer import Namer

if TYPE_CHECKING:
    from robodata_core.tools.base import ToolContext

_ENDS: Final = 5
_COLUMNS: Final = 12
_Row = TypeVar("_Row")

Cell: TypeAlias = Value | None


def query_output(result: SparqlResult, query: str, context: ToolContext) -> ToolOutput:
    """Return the table of a query with counts; every id in the result becomes known."""
    namer = Namer(context)
    text, shown = _table(result, namer)
    namer.show(_ids_of(result, query))
    total = None if result.truncated else len(result.rows) or len(result.triples)
    if result.boolean is not None:
        total = 1
    return ToolOutput(text, result, namer.ids, total, shown)


def _table(result: SparqlResult, namer: Namer) -> tuple[str, int]:
    """Return a SPARQL result as text, and how many rows or triples of it are shown."""
    if result.boolean is not None:
        return f"The query is an ASK; its answer is {'true' if result.boolean else 'false'}.", 1
    if result.triples:
        return _triples(result, namer)
    if not result.rows:
        columns = f" Columns: {list_some(result.variables, _COLUMNS)}." if result.variables else ""
        return f"The query is valid but found nothing: 0 rows.{columns}", 0
    return _rows(result, namer)


def _ids_of(result: SparqlResult, query: str) -> tuple[str, ...]:
    """Return every id that ``query`` found.

    Queries often cut ids out of IRIs, so a plain string may be one; a string that the query
    itself spells out was not found by it.
    """
    cells: list[Cell] = [cell for row in result.rows for cell in row]
    for triple in result.triples:
        cells += [EntityValue(triple.subject), EntityValue(triple.predicate), triple.object]
    texts = dict.fromkeys(cell.text for cell in cells if isinstance(cell, StringValue))
    found = [text for text in texts if is_short_id(text) and text not in query]
    return (*ids_in(cells), *found)


def _rows(result: SparqlResult, namer: Namer) -> tuple[str, int]:
    width = min(len(result.variables), _COLUMNS)
    first, last = _ends(result.rows)
    namer.load_mixed(ids_in(cell for row in (*first, *last) for cell in row[:width]))
    head = (
        f"{_count(len(result.rows), 'row', result.truncated)},"
        f" {plural(len(result.variables), 'column')}:"
        f" {' | '.join(clip(name, 32) for name in result.variables[:width])}"
    )
    before = [" | ".join(namer.value(cell) for cell in row[:width]) for row in first]
    after = [" | ".join(namer.value(cell) for cell in row[:width]) for row in last]
    return _body(head, before, after, len(result.rows), "row")


def _triples(result: SparqlResult, namer: Namer) -> tuple[str, int]:
    first, last = _ends(result.triples)
    for triple in (*first, *last):
        namer.load(ids_in([EntityValue(triple.subject), triple.object]), [triple.predicate])
    head = f"{_count(len(result.triples), 'triple', result.truncated)}:"
    before = [namer.triple(triple) for triple in first]
    after = [namer.triple(triple) for triple in last]
    return _body(head, before, after, len(result.triples), "triple")


def _body(
    head: str, before: Sequence[str], after: Sequence[str], total: int, noun: str
) -> tuple[str, int]:
    gap = total - len(before) - len(after)
    note = [f"... {plural(gap, noun)} left out; LIMIT and OFFSET show them"] if gap else []
    text, kept = compose(head, [*before, *note, *after])
    return text, kept - (1 if gap and kept > len(before) else 0)


def _count(number: int, noun: str, truncated: bool) -> str:
    if truncated:
        return f"The result was cut at its cap; first {plural(number, noun)}"
    return plural(number, noun)


def _ends(rows: Sequence[_Row]) -> tuple[Sequence[_Row], Sequence[_Row]]:
    if len(rows) <= 2 * _ENDS:
        return rows, ()
    return rows[:_ENDS], rows[-_ENDS:]


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
