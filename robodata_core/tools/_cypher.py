"""Cypher over the local graph: what is refused, the property graph, and the bounded process.

The query language itself is the optional library grand-cypher's. Its grammar has no writing
clauses; they are refused by name all the same, so that the reason is clear.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

from robodata_core.errors import (
    QueryLimitError,
    QueryRefusedError,
    QuerySyntaxError,
    RoboDataError,
    ToolError,
)
from robodata_core.model import (
    EntityValue,
    Evidence,
    QuantityValue,
    SparqlResult,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.tools._tables import MAX_ROWS, limits_for
from robodata_core.tools.formatting import clip
from robodata_core.values import format_value, iso_time
from robodata_core.worker import TimeOverError, Worker, WorkerEndedError

if TYPE_CHECKING:
    from robodata_core.tools.base import ToolContext

MAX_EDGES: Final = 5_000
_PAGE: Final = 1_000
_MEMORY: Final = 2 * 1024**3
_JOB: Final = "robodata_core.tools._cypher_worker:serve"
_TEXT: Final = 500

# A string that is never closed runs to the end; the library will not understand it either.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?' + r"|'(?:[^'\\]|\\.)*'?", re.DOTALL)
_WRITES = re.compile(
    r"\b(CREATE|MERGE|SET|DELETE|DETACH|REMOVE|DROP|FOREACH|LOAD|CALL)\b", re.IGNORECASE
)
_UNDIRECTED = re.compile(r"(?<!<)(?:--|-\[[^\][]*\]-)(?!>)")
_AGGREGATE = re.compile(r"\b(count|sum|avg|max|min|collect)(?=\s*\()", re.IGNORECASE)
_SUPPORTED: Final = (
    "Supported: MATCH (several), WHERE, RETURN [DISTINCT], COUNT(x), SUM, AVG, MIN, MAX, COLLECT,"
    " ORDER BY, SKIP, LIMIT."
)


def run_cypher(query: str, context: ToolContext) -> SparqlResult:
    """Run a reading Cypher query on the local graph.

    Nodes and relationships come back as entities and handles, everything else as literals.

    Raises:
        ToolError: If the library is not installed or the graph is too large.
        QuerySyntaxError: If the query is not understood.
        QueryRefusedError: If it writes, or would not mean what it says.
        QueryLimitError: If it runs over its time or memory.
    """
    prepared = _prepare(query)
    if importlib.util.find_spec("grandcypher") is None:
        raise ToolError(
            "Cypher is not available because the package grand-cypher is not installed.",
            hint="Use sparql_query_local, or install robodata[cypher].",
        )
    edges = context.store.edge_count
    if edges > MAX_EDGES:
        raise ToolError(
            f"The local graph has {edges:,} triples, too many for Cypher (at most {MAX_EDGES:,}).",
            hint="Use sparql_query_local.",
        )
    graph = _PropertyGraph(context)
    task = {"query": prepared, "nodes": graph.nodes(), "edges": graph.edges}
    answer = _in_process(task, context)
    if "error" in answer:
        raise _failure(answer)
    rows = tuple(tuple(_value(cell, graph.values) for cell in row) for row in answer["rows"])
    columns = tuple(str(name) for name in answer["columns"])
    return SparqlResult(columns, rows, truncated=bool(answer["truncated"]))


def _prepare(query: str) -> str:
    """Refuse what cannot be meant, and write the rest as the library's grammar wants it."""
    bare = _STRING.sub('""', query)
    writes = _WRITES.search(bare)
    if writes:
        raise QueryRefusedError(f"The local graph cannot be changed by {writes[1].upper()}.")
    if _UNDIRECTED.search(bare):
        # The library would read it as "in both directions at once".
        raise QueryRefusedError("Every relationship needs a direction, -[r]-> or <-[r]-.")
    parts: list[str] = []
    position = 0
    for match in _STRING.finditer(query):
        parts += [_upper_aggregates(query[position : match.start()]), _double_quoted(match[0])]
        position = match.end()
    return "".join([*parts, _upper_aggregates(query[position:])])


def _upper_aggregates(text: str) -> str:
    return _AGGREGATE.sub(lambda match: match[1].upper(), text)


def _double_quoted(literal: str) -> str:
    if literal.startswith('"'):
        return literal
    return '"' + literal[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'


class _PropertyGraph:
    """The local graph as nodes and edges with attributes."""

    def __init__(self, context: ToolContext) -> None:
        self._label = context.store.label
        self.edges: list[tuple[str, str, str, dict[str, Any]]] = []
        self.values: dict[str, Value] = {}
        self._kinds: dict[str, list[str]] = {}
        self._names: dict[str, str] = {}
        for node in context.store.nodes():
            self._entity(node, "")
        for evidence in _all_evidence(context):
            self._add(evidence)

    def nodes(self) -> list[tuple[str, list[str], dict[str, Any]]]:
        """Return key, type names and attributes of every node."""
        return [
            (key, self._kinds[key], {"id": key, "label": self._names[key] or self._label(key)})
            if isinstance(value, EntityValue)
            else (key, ["Literal"], _literal(value))
            for key, value in self.values.items()
        ]

    def _add(self, evidence: Evidence) -> None:
        subject, predicate, value = (
            evidence.triple.subject,
            evidence.triple.predicate,
            evidence.triple.object,
        )
        self._entity(subject, evidence.subject_label)
        if isinstance(value, EntityValue):
            end = value.id
            self._entity(end, evidence.object_label)
            if predicate == "P31":
                self._kinds[subject].append(_type_name(end))
        else:
            end = f"literal:{len(self.edges)}"
            self.values[end] = value
        self.edges.append((subject, end, _type_name(predicate), _edge(evidence)))

    def _entity(self, id_: str, label: str) -> None:
        self.values.setdefault(id_, EntityValue(id_))
        self._kinds.setdefault(id_, ["Entity"])
        self._names[id_] = label or self._names.get(id_, "")


def _all_evidence(context: ToolContext) -> list[Evidence]:
    found: list[Evidence] = []
    while len(found) < MAX_EDGES:
        page, total = context.store.match(limit=_PAGE, offset=len(found))
        found += page
        if not page or len(found) >= total:
            break
        context.cancel.check()
    return found


def _edge(evidence: Evidence) -> dict[str, Any]:
    return {
        "handle": evidence.handle,
        "property": evidence.triple.predicate,
        "label": evidence.predicate_label[:_TEXT],
    }


def _literal(value: Value) -> dict[str, Any]:
    text = format_value(value)[:_TEXT]
    if isinstance(value, QuantityValue):
        return {"label": text, "value": float(value.amount)}
    return {"label": text, "value": iso_time(value) if isinstance(value, TimeValue) else text}


def _type_name(id_: str) -> str:
    """Return an id as a Cypher name: ``P36``, or the last part of an IRI."""
    last = re.split(r"[/#:]", id_)[-1] or "relation"
    name = re.sub(r"\W", "_", last, flags=re.ASCII)
    return name if name[:1].isalpha() else f"r_{name}"


def _in_process(task: dict[str, Any], context: ToolContext) -> dict[str, Any]:
    seconds = limits_for(context).seconds
    with Worker(_JOB, memory=_MEMORY, seconds=seconds + 2) as worker:
        try:
            worker.send(task | {"rows": MAX_ROWS})
            answer, _ = next(worker.replies(seconds, context.cancel))
        except TimeOverError as error:
            raise QueryLimitError("The query did not finish in time.") from error
        except WorkerEndedError:  # by its memory limit
            return {"error": "memory"}
    return answer


def _failure(answer: dict[str, Any]) -> RoboDataError:
    message = clip(str(answer.get("message", "")), 200)
    if answer["error"] == "syntax":
        return QuerySyntaxError(f"{message or 'not understood'}.", hint=_SUPPORTED)
    if answer["error"] == "memory":
        return QueryLimitError("The query was stopped because it needs too much memory or time.")
    return ToolError(
        f"The query is understood but cannot be carried out ({message}).",
        hint="Return attributes such as a.id, above all beside COUNT. " + _SUPPORTED,
    )


def _value(cell: Any, values: Mapping[str, Value]) -> Value | None:
    if isinstance(cell, dict):
        key = str(cell.get("node") or cell.get("edge") or "")
        return values.get(key, StringValue(key))
    if cell is None:
        return None
    if isinstance(cell, bool):
        return StringValue("true" if cell else "false")
    if isinstance(cell, (int, float)):
        return _number(cell)
    if isinstance(cell, list):
        return StringValue(", ".join(str(_plain(part)) for part in cell))
    return values.get(str(cell), StringValue(str(cell)))


def _plain(cell: Any) -> Any:
    if isinstance(cell, dict):
        return cell.get("node") or cell.get("edge")
    return [_plain(part) for part in cell] if isinstance(cell, list) else cell


def _number(number: float) -> Value:
    try:
        amount = Decimal(str(number))
    except InvalidOperation:
        return StringValue(str(number))
    return QuantityValue(amount) if amount.is_finite() else StringValue(str(number))
