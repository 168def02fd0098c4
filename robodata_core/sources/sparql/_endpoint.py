"""SPARQL 1.1 Protocol: a query out, a bounded ``SparqlResult`` back.

Queries are checked to be read-only, and what leaves is the text that was checked, written anew,
never the text that came in. Results are parsed by pyoxigraph.
Specification: SPARQL 1.1 Protocol, SPARQL 1.1 Query Results JSON Format.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, Protocol

import pyoxigraph as ox

from robodata_core.cache import BoundedCache
from robodata_core.cancellation import CancelToken
from robodata_core.errors import (
    MalformedResponseError,
    QueryLimitError,
    QueryRefusedError,
    QuerySyntaxError,
    SourceRefusedError,
)
from robodata_core.model import NoValue, SparqlResult, Triple, Value
from robodata_core.sources.base import QueryLimits
from robodata_core.sources.http import HttpClient, HttpResponse
from robodata_core.store.queries import query_to_send
from robodata_core.store.terms import term_to_value, terms_to_triple, triple_to_terms, value_to_term
from robodata_core.text import clean_text

_ACCEPT: Final = "application/sparql-results+json, application/n-triples;q=0.9, text/turtle;q=0.5"
#: Most rows remembered in all.
_ROWS_KEPT: Final = 200_000
_TIMEOUT_MARKS: Final = ("TimeoutException", "timed out", "timeout", "QueryTimeout")
_TRIPLES: Final[Mapping[str, ox.RdfFormat]] = {
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/x-turtle": ox.RdfFormat.TURTLE,
    "text/plain": ox.RdfFormat.N_TRIPLES,
}


class Queryable(Protocol):
    """Whatever takes a query."""

    def query(
        self, query: str, *, limits: QueryLimits | None = None, cancel: CancelToken | None = None
    ) -> SparqlResult:
        """Run a read-only query; see ``SparqlEndpoint.query``."""
        ...


class SparqlEndpoint:
    """Sends read-only queries to one endpoint.

    Args:
        client: Sends the requests.
        url: Address of the query service.
        default_graphs: IRIs of the graphs to query; empty leaves it to the endpoint.
    """

    def __init__(
        self, client: HttpClient, url: str, *, default_graphs: tuple[str, ...] = ()
    ) -> None:
        self._client = client
        self.url = url
        self._graphs = default_graphs

    def query(
        self, query: str, *, limits: QueryLimits | None = None, cancel: CancelToken | None = None
    ) -> SparqlResult:
        """Run ``query`` and return at most ``limits.rows`` rows.

        Raises:
            QuerySyntaxError: If it does not parse, here or there.
            QueryRefusedError: If it asks for more than reading, or names graphs to load.
            QueryLimitError: If the endpoint gave up on it.
            SourceError: If the endpoint cannot answer.
        """
        limits = limits or QueryLimits()
        checked = query_to_send(query)
        if checked.names_graphs:  # some servers take them for addresses to load
            raise QueryRefusedError(
                "Queries to an endpoint may not choose their graphs: FROM is refused.",
                hint="Use GRAPH, or set sparql_graphs.",
            )
        fields: dict[str, Any] = {"query": checked.text}
        if self._graphs:
            fields["default-graph-uri"] = list(self._graphs)
        response = self._client.request(
            "POST",
            self.url,
            data=fields,
            headers={"Accept": _ACCEPT},
            cancel=cancel,
            seconds=limits.seconds,
            is_final=_is_query_timeout,
        )
        _raise_for(response, self.url)
        return _as_asked(_parse(response, limits), checked.form, checked.variables)


class Remembering:
    """Remembers the answers to the latest queries for some minutes: a run repeats itself.

    Args:
        inner: Takes the queries.
        seconds: How long an answer is good.
        now: Clock in seconds.
    """

    def __init__(
        self, inner: Queryable, *, seconds: float = 600.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._inner = inner
        self._kept: BoundedCache[tuple[str, QueryLimits], SparqlResult]
        self._kept = BoundedCache(_ROWS_KEPT, seconds=seconds, now=now)

    def query(
        self, query: str, *, limits: QueryLimits | None = None, cancel: CancelToken | None = None
    ) -> SparqlResult:
        """Return what is remembered, or ask; see ``SparqlEndpoint.query``."""
        key = (query, limits or QueryLimits())
        result = self._kept.get(key)
        if result is None:
            result = self._inner.query(query, limits=limits, cancel=cancel)
            self._kept.put(key, result, 1 + len(result.rows))
        return result


def _is_query_timeout(response: HttpResponse) -> bool:
    if response.status < 500:
        return False
    head = response.body[:20_000].decode("utf-8", "replace")
    return any(mark in head for mark in _TIMEOUT_MARKS)


def _raise_for(response: HttpResponse, url: str) -> None:
    if response.status < 300:
        return
    if response.status >= 500 and _is_query_timeout(response):
        raise QueryLimitError("The query took too long at the endpoint.", hint="Ask for less.")
    reason = clean_text(response.body[:300].decode("utf-8", "replace"), limit=200)
    if response.status == 400:
        raise QuerySyntaxError(f"The endpoint does not take the query: {reason}")
    if response.status == 404:
        raise SourceRefusedError(
            f"There is no SPARQL endpoint at {url}.", hint="Check the address."
        )
    raise SourceRefusedError(f"The endpoint refused the query (status {response.status}).")


def _parse(response: HttpResponse, limits: QueryLimits) -> SparqlResult:
    kind = response.headers.get("content-type", "").split(";")[0].strip().lower()
    form = ox.QueryResultsFormat.XML if "xml" in kind else ox.QueryResultsFormat.JSON
    try:
        if kind in _TRIPLES:
            return _triples(response.body, _TRIPLES[kind], limits)
        return _rows(response.body, form, limits)
    except (SyntaxError, ValueError) as error:
        raise MalformedResponseError(
            "The endpoint's answer is not a valid SPARQL result.",
            hint="Is its address right? It may also have been cut off; ask for fewer rows.",
        ) from error


def _as_asked(result: SparqlResult, form: str, asked: tuple[str, ...]) -> SparqlResult:
    """Return rows of the variables that were asked for, in their order, whatever else came."""
    other = form == "SELECT" and bool(result.triples)
    strangers = result.rows and asked and not set(asked) & set(result.variables)
    if (form == "ASK") != (result.boolean is not None) or other or strangers:
        raise MalformedResponseError(
            f"The endpoint's answer is none to a query of the form {form}"
            f"{' with these variables' if strangers else ''}.",
            hint="Is that the address of a SPARQL query service?",
        )
    if not asked or asked == result.variables:
        return result
    place = {name: at for at, name in enumerate(result.variables)}
    rows = [[row[place[name]] if name in place else None for name in asked] for row in result.rows]
    return replace(result, variables=asked, rows=tuple(map(tuple, rows)))


def _rows(body: bytes, form: ox.QueryResultsFormat, limits: QueryLimits) -> SparqlResult:
    found: Any = ox.parse_query_results(body, format=form)
    if isinstance(found, ox.QueryBoolean):
        return SparqlResult(boolean=bool(found))
    variables = tuple(variable.value for variable in found.variables)
    rows: list[tuple[Value | None, ...]] = []
    size, cut = 0, False
    try:
        for solution in found:
            if len(rows) >= limits.rows or size > limits.bytes:
                cut = True
                break
            cells = [solution[name] for name in variables]
            size += sum(len(str(cell)) for cell in cells)
            rows.append(tuple(None if cell is None else term_to_value(cell) for cell in cells))
    finally:
        del found  # an error would take it to another thread, where it must not end
    return SparqlResult(variables=variables, rows=tuple(rows), truncated=cut)


def _triples(body: bytes, kind: ox.RdfFormat, limits: QueryLimits) -> SparqlResult:
    triples: list[Triple] = []
    cut = False
    for quad in ox.parse(body, format=kind):
        if len(triples) >= limits.rows:
            cut = True
            break
        triples.append(terms_to_triple(quad.subject, quad.predicate, quad.object))
    return SparqlResult(triples=tuple(triples), truncated=cut)


def results_json(result: SparqlResult) -> bytes:
    """Return the rows of a SELECT, or the answer of an ASK."""
    if result.boolean is not None:
        return json.dumps({"head": {}, "boolean": result.boolean}).encode()
    bindings = [
        {
            name: _term(value, f"{number}.{name}")
            for name, value in zip(result.variables, row, strict=True)
            if value is not None and not isinstance(value, NoValue)
        }
        for number, row in enumerate(result.rows)
    ]
    head = {"vars": list(result.variables)}
    return json.dumps({"head": head, "results": {"bindings": bindings}}).encode()


def results_ntriples(result: SparqlResult) -> bytes:
    """Return the triples of a CONSTRUCT or DESCRIBE."""
    lines = []
    for triple in result.triples:
        try:
            terms = triple_to_terms(triple)
        except ValueError:
            continue  # a blank node as subject: it has no name outside of its graph
        lines.append(" ".join(map(str, terms)) + " .\n")
    return "".join(lines).encode()


def _term(value: Value, seed: str) -> dict[str, Any]:
    term = value_to_term(value, seed=seed)
    if isinstance(term, ox.NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, ox.BlankNode):
        return {"type": "bnode", "value": term.value}
    if term.language:
        return {"type": "literal", "value": term.value, "xml:lang": term.language}
    return {"type": "literal", "value": term.value, "datatype": term.datatype.value}
