"""Runs one Cypher query on a property graph, in a process that can be ended.

Reads one JSON object from stdin, writes one to stdout. The Cypher library enumerates matches
without limits of its own, so it never runs inside RoboData's process. Started by ``_cypher`` as
a script; nothing of RoboData is imported here.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
from typing import Any, Final

_CELL: Final = 1_000
_LIST: Final = 20


def _limit_resources(seconds: float, memory: int) -> None:
    """Cap memory and processor time where the system can (not on Windows)."""
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 2, int(seconds) + 3))


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


def main() -> None:
    """Answer the query on stdin."""
    # The folder of this script holds modules named like common ones; it is no place to import
    # from. Python put it first.
    sys.path.pop(0)
    task = json.load(sys.stdin)
    _limit_resources(task["seconds"], task["memory"])
    answer = _run(task)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
