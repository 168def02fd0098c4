"""SPARQL from strangers: read-only, and bounded in rows, bytes and time.

pyoxigraph cannot cancel a query, so a query runs in the calling thread only if its shape and the
store's own counts prove that it is small (``_query_cost``). Everything else runs in a child process
that is killed when its time is over or the run is cancelled; ``QueryProcesses`` says how a child
gets the same data. A loaded child waits for the next query, so loading is paid once; its time does
not count as the query's.

The default graph of a query is the union of all graphs, unless it has FROM. Oxigraph does not
remove duplicates there: a triple that stands in two graphs gives two rows, so owners of stores keep
each triple in one graph only.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

import pyoxigraph as ox

from robodata_core.cancellation import CancelToken, current
from robodata_core.errors import QueryError, QueryLimitError, QueryRefusedError, QuerySyntaxError
from robodata_core.iris import PROV, RDF, RDFS, SCHEMA, SKOS, WD, WDT, WIKIBASE, XSD, id_from_iri
from robodata_core.model import SparqlResult, Triple, Value
from robodata_core.sources.base import QueryLimits
from robodata_core.store._query_cost import CHEAP, upper_bound
from robodata_core.store._query_process import QueryProcess, QueryProcesses
from robodata_core.store._sparql_text import QueryText, read_query
from robodata_core.store.terms import term_to_value
from robodata_core.text import clean_text
from robodata_core.worker import TimeOverError, WorkerEndedError

__all__ = [
    "PREFIXES",
    "QueryLimits",
    "QueryProcesses",
    "check_read_only",
    "query_to_send",
    "run_bounded",
]

_WIKIDATA: Final = "http://www.wikidata.org/"
PREFIXES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "geo": "http://www.opengis.net/ont/geosparql#",
        "owl": "http://www.w3.org/2002/07/owl#",
        "p": _WIKIDATA + "prop/",
        "pq": _WIKIDATA + "prop/qualifier/",
        "pqv": _WIKIDATA + "prop/qualifier/value/",
        "pr": _WIKIDATA + "prop/reference/",
        "prov": PROV,
        "prv": _WIKIDATA + "prop/reference/value/",
        "ps": _WIKIDATA + "prop/statement/",
        "psv": _WIKIDATA + "prop/statement/value/",
        "rd": "urn:robodata:term:",
        "rdf": RDF,
        "rdfs": RDFS,
        "schema": SCHEMA,
        "skos": SKOS,
        "wd": WD,
        "wdno": _WIKIDATA + "prop/novalue/",
        "wdt": WDT,
        "wds": _WIKIDATA + "entity/statement/",
        "wikibase": WIKIBASE,
        "xsd": XSD,
    }
)

_NOWHERE: Final = "robodata_parse_only"
_PARSE_WEIGHT: Final = 50
_PARSE_TOKENS: Final = 2_000
_PARSE_SECONDS: Final = 5.0
_CHECK_EVERY: Final = 64
_DEFAULT_LIMITS: Final = QueryLimits()
_POSITION = re.compile(r"error at (\d+):(\d+)")
_SENTENCE = re.compile(r"\bThe [A-Z]\w* [a-z][\w ]+")


def check_read_only(query: str) -> str:
    """Make sure that ``query`` is SPARQL and asks for nothing but reading.

    Args:
        query: The text, from anyone; it may use ``PREFIXES`` without declaring them.

    Returns:
        The same query written in the only form that is safe to hand to an engine.

    Raises:
        QuerySyntaxError: If it is not SPARQL.
        QueryRefusedError: For updates, LOAD, SERVICE, and queries too complex to be parsed.
    """
    return _checked(query).text


def query_to_send(query: str) -> QueryText:
    """Check ``query`` as ``check_read_only`` does, and return the only text that may leave.

    Args:
        query: The text, from anyone; it may use ``PREFIXES`` without declaring them.

    Returns:
        The checked query, its text with the prefixes it uses declared in front of it.

    Raises:
        QuerySyntaxError: If it is not SPARQL.
        QueryRefusedError: For updates, LOAD, SERVICE, and queries too complex to be parsed.
    """
    parsed = _checked(query)
    used = {token.text.partition(":")[0] for token in parsed.tokens if token.kind == "name"}
    missing = sorted(used & PREFIXES.keys() - parsed.prefixes.keys())
    declared = "".join(f"PREFIX {name}: <{PREFIXES[name]}>\n" for name in missing)
    return replace(parsed, text=declared + parsed.text)


def _checked(query: str) -> QueryText:
    parsed = _read(query)
    if parsed.weight <= _PARSE_WEIGHT and len(parsed.tokens) <= _PARSE_TOKENS:
        _parse_here(parsed)
    else:
        with QueryProcesses.empty() as processes:
            limits = QueryLimits(rows=0, seconds=_PARSE_SECONDS)
            try:
                _run_there(parsed, limits, None, processes, parse_only=True)
            except QueryLimitError as error:
                raise QueryRefusedError("The query is too complex to be run.") from error
    return parsed


def run_bounded(
    store: ox.Store,
    query: str,
    *,
    limits: QueryLimits = _DEFAULT_LIMITS,
    cancel: CancelToken | None = None,
    processes: QueryProcesses | None = None,
) -> SparqlResult:
    """Run a read-only query within ``limits``.

    Args:
        store: What to query.
        query: The text, from anyone; it may use ``PREFIXES`` without declaring them.
        limits: Caps; rows and bytes over them are cut and reported as cut.
        cancel: Stops it from outside; None takes the token of the run that this is part of.
        processes: How a child process gets the same data.

    Raises:
        QuerySyntaxError: If it is not SPARQL.
        QueryRefusedError: For updates, LOAD and SERVICE.
        QueryLimitError: If it needs more time or memory than it may have.
        CancelledError: If ``cancel`` says so.
        DeadlineExceededError: If the whole run's time is over.
    """
    parsed = _read(query)
    cancel = cancel or current()
    if cancel is not None:
        cancel.check()
    if upper_bound(parsed, store, PREFIXES) <= CHEAP:
        return _run_here(parsed, store, limits, cancel)
    if processes is not None:
        return _run_there(parsed, limits, cancel, processes)
    with QueryProcesses.for_dump(lambda: store.dump(format=ox.RdfFormat.N_QUADS) or b"") as own:
        return _run_there(parsed, limits, cancel, own)


def _read(query: str) -> QueryText:
    parsed = read_query(query)
    for token in parsed.tokens:
        if token.kind == "name":
            prefix = token.text.partition(":")[0]
            if prefix not in PREFIXES and prefix not in parsed.prefixes:
                shown = clean_text(prefix, limit=60)
                raise QuerySyntaxError(
                    f"The query uses the prefix '{shown}:' at line {token.line}, column "
                    f"{token.column} without declaring it.",
                    hint="Known without declaration: " + ", ".join(sorted(PREFIXES)) + ".",
                )
    return parsed


def _parse_here(parsed: QueryText) -> None:
    # A variable that is in no projection stops the engine between planning and running: even on
    # an empty store a query may run for ever (VALUES against VALUES).
    name = _unused_variable(parsed)
    nowhere: dict[ox.Variable, Any] = {ox.Variable(name): ox.Literal("")}
    try:
        ox.Store().query(parsed.text, prefixes=dict(PREFIXES), substitutions=nowhere)
    except RuntimeError as error:
        if name not in str(error):
            raise _no_sense(str(error)) from error
    except SyntaxError as error:
        raise _syntax_error(parsed, str(error)) from error


def _unused_variable(parsed: QueryText) -> str:
    name = _NOWHERE
    while name in parsed.text:
        name += "_"
    return name


# -- in this thread ---------------------------------------------------------------------------


def _run_here(
    parsed: QueryText, store: ox.Store, limits: QueryLimits, cancel: CancelToken | None
) -> SparqlResult:
    end = time.monotonic() + limits.seconds
    try:
        result: Any = store.query(
            parsed.text, prefixes=dict(PREFIXES), use_default_graph_as_union=not parsed.names_graphs
        )
    except SyntaxError as error:
        raise _syntax_error(parsed, str(error)) from error
    except RuntimeError as error:
        if _is_damage(str(error)):
            raise  # the owner of the store knows what to say about it
        raise _no_sense(str(error)) from error
    if isinstance(result, ox.QueryBoolean):
        return SparqlResult(boolean=bool(result))
    try:
        return _rows(result, limits, end, cancel)
    finally:
        del result  # an error would take it to another thread, where it must not end


def _rows(found: Any, limits: QueryLimits, end: float, cancel: CancelToken | None) -> SparqlResult:
    names = tuple(variable.value for variable in found.variables)
    rows: list[tuple[Value | None, ...]] = []
    size, truncated = 0, False
    try:
        for number, solution in enumerate(found):
            if number % _CHECK_EVERY == 0:
                if cancel is not None:
                    cancel.check()
                if time.monotonic() > end:
                    raise _over_time(limits)
            size += sum(len(str(term)) for term in solution if term is not None)
            if number >= limits.rows or size > limits.bytes:
                truncated = True
                break
            rows.append(tuple(None if term is None else term_to_value(term) for term in solution))
    finally:
        del found
    return SparqlResult(variables=names, rows=tuple(rows), truncated=truncated)


# -- in a child process -----------------------------------------------------------------------


def _run_there(
    parsed: QueryText,
    limits: QueryLimits,
    cancel: CancelToken | None,
    processes: QueryProcesses,
    *,
    parse_only: bool = False,
) -> SparqlResult:
    request = {
        "query": parsed.text,
        "prefixes": dict(PREFIXES),
        "union": not parsed.names_graphs,
        "parse_only": _unused_variable(parsed) if parse_only else "",
        "rows": limits.rows,
        "bytes": limits.bytes,
        "seconds": limits.seconds,
    }
    replies: list[dict[str, Any]] = []
    with processes.process(cancel) as process:
        try:
            _collect(process, request, replies, limits, cancel)
        except TimeOverError as error:
            # The child sends what it has when the rows are full, before it looks for one more.
            if not any(reply.get("rows") for reply in replies):
                raise _over_time(limits) from error
            process.end()
            replies.append({"truncated": True})
        except WorkerEndedError as error:
            raise QueryLimitError(
                "The query needs more memory than it may have, or is too complex to be run.",
                hint="Narrow it down with more triple patterns or a LIMIT.",
            ) from error
    return _result(parsed, replies)


def _collect(
    process: QueryProcess,
    request: Mapping[str, Any],
    replies: list[dict[str, Any]],
    limits: QueryLimits,
    cancel: CancelToken | None,
) -> None:
    process.send(request)
    for reply in process.answers(limits.seconds, cancel):
        replies.append(reply)
        if "done" in reply or "error" in reply:
            return


def _result(parsed: QueryText, replies: Iterable[Mapping[str, Any]]) -> SparqlResult:
    variables: tuple[str, ...] = ()
    rows: list[list[list[Any] | None]] = []
    boolean: bool | None = None
    select, truncated = True, False
    for reply in replies:
        if "error" in reply:
            raise _child_error(parsed, reply)
        variables = tuple(reply.get("variables", variables))
        rows.extend(reply.get("rows", ()))
        select = reply.get("select", select)
        boolean = reply.get("boolean", boolean)
        truncated = reply.get("truncated", truncated)
    if select:
        values = tuple(tuple(None if t is None else _value(t) for t in row) for row in rows)
        return SparqlResult(variables, values, boolean, truncated=truncated)
    triples = tuple(Triple(_name(s), _name(p), _value(o)) for s, p, o in rows if s and p and o)
    return SparqlResult(triples=triples, truncated=truncated)


def _value(term: list[Any]) -> Value:
    kind, text, *rest = term
    if kind == "iri":
        return term_to_value(ox.NamedNode(text))
    if kind == "blank":
        return term_to_value(ox.BlankNode(text))
    if len(rest) == 2:
        return term_to_value(ox.Literal(text, language=rest[1]))
    if rest:
        return term_to_value(ox.Literal(text, datatype=ox.NamedNode(rest[0])))
    return term_to_value(ox.Literal(text))


def _name(term: list[Any]) -> str:
    return id_from_iri(term[1]) if term[0] == "iri" else f"_:{term[1]}"


# -- errors -----------------------------------------------------------------------------------


def _child_error(parsed: QueryText, reply: Mapping[str, Any]) -> Exception:
    if reply["error"] == "syntax":
        return _syntax_error(parsed, reply["text"])
    if reply["error"] == "memory":
        return QueryLimitError("The query needs more memory than it may have.")
    if _is_damage(reply["text"]):
        return QueryError("The query failed because the data is damaged.")
    return _no_sense(reply["text"])


def _is_damage(text: str) -> bool:
    return text.startswith(("Corruption", "IO error"))


def _no_sense(text: str) -> QuerySyntaxError:
    return QuerySyntaxError(
        "The query cannot be run: " + clean_text(text, limit=200).rstrip(".") + "."
    )


def _over_time(limits: QueryLimits) -> QueryLimitError:
    return QueryLimitError(
        f"The query was ended after {limits.seconds:g} seconds.",
        hint="Narrow it down with more triple patterns or a LIMIT.",
    )


def _syntax_error(parsed: QueryText, text: str) -> QuerySyntaxError:
    """Say where it stands in the query as it was given, not as it was written again."""
    match = _POSITION.match(text)
    token = parsed.at(int(match.group(1)), int(match.group(2))) if match else None
    if token is None:
        return QuerySyntaxError(
            "The query is not valid SPARQL: " + clean_text(text, limit=200) + "."
        )
    why = _SENTENCE.search(text)
    return QuerySyntaxError(
        f"The query is not valid SPARQL: it makes no sense at {token.shown} at line "
        f"{token.line}, column {token.column}.",
        hint=f"{why.group()}." if why else "",
    )
