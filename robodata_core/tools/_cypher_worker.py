"""Runs one Cypher query on a property graph, in a worker that can be ended.

The Cypher library enumerates matches without limits of its own, so it never runs inside RoboData's
process.
"""

from __future__ import annotations

import importlib
import json
from typing import IO, Any, Final

_CELL: Final = 1_000
_LIST: Final = 20


def _graph(task: dict[str, Any]) -> Any:
    graph = importlib.import_module("networkx").MultiDiGraph()
    for key, labels, attributes in task["nodes"]:
        graph.add_node(key, __labels__=set(labels), key=key, **attributes)
    for start, end, label, attributes in task["edges"]:
        graph.add_edge(start, end, __labels__={label}, **attributes)
    return graph


def _cell(value: Any) -> Any:
    """Return a result as JSON: a node as its key, an edge as its handle."""
    if isinstance(value, dict):
        if "key" in value:
            return {"node": value["key"]}
        if "handle" in value:
            return {"edge": value["handle"]}
        return [_cell(part) for part in list(value.values())[:_LIST]]
    if isinstance(value, (list, tuple, set)):
        return [_cell(part) for part in list(value)[:_LIST]]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return str(value)[:_CELL]


def _run(task: dict[str, Any]) -> dict[str, Any]:
    # Neither library is typed, and both are optional.
    engine = importlib.import_module("grandcypher").GrandCypher
    lark = importlib.import_module("lark.exceptions")
    try:
        result = engine(_graph(task)).run(task["query"])
    except lark.UnexpectedInput as error:
        return _error("syntax", error)
    except MemoryError as error:
        return _error("memory", error)
    except Exception as error:  # the library raises all kinds for queries it cannot carry out
        cause = getattr(error, "orig_exc", error)
        return _error("memory" if isinstance(cause, MemoryError) else "unsupported", cause)
    columns = [str(name) for name in result]
    lists = list(result.values())
    length = max((len(column) for column in lists), default=0)
    rows = [
        [_cell(column[index]) if index < len(column) else None for column in lists]
        for index in range(min(length, task["rows"]))
    ]
    return {"columns": columns, "rows": rows, "truncated": length > task["rows"]}


def _error(kind: str, error: BaseException) -> dict[str, Any]:
    return {"error": kind, "message": str(error).strip().split("\n")[0][:_CELL]}


def serve(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Answer the query on stdin; a job of a worker."""
    answer = _run(json.loads(stdin.readline()))
    stdout.write(json.dumps(answer).encode() + b"\n")
    stdout.flush()
