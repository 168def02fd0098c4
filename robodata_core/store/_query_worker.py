"""The worker that runs queries which may never end.

It takes ``load``, ``change`` and ``query`` requests and gives replies, in lines of JSON. Every
request arms a kernel alarm that ends the process on its own, so that nothing runs on even when the
parent is gone. Only the standard library and pyoxigraph are used; terms travel as small lists (see
``_term``).
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import signal
from typing import Any, BinaryIO

GRACE = 3.0
LOAD_SECONDS = 300.0
IDLE_SECONDS = 120.0
MEMORY = 1_000_000_000


def serve(stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve requests until stdin closes or nothing is asked for a while; a job of a worker."""
    import pyoxigraph

    store = pyoxigraph.Store()
    while True:
        signal.setitimer(signal.ITIMER_REAL, IDLE_SECONDS)
        line = stdin.readline()
        if not line:
            return
        request = json.loads(line)
        try:
            if "load" in request:
                signal.setitimer(signal.ITIMER_REAL, LOAD_SECONDS)
                store = _load(pyoxigraph, request["load"], stdin)
                _limit_memory()
                if request["load"]["kind"] != "folder":  # all of it is in memory by now
                    _forbid_files()
                _send(stdout, {"ready": True})
            elif "change" in request:
                _change(pyoxigraph, store, request["change"], stdin)
                _send(stdout, {"ready": True})
            elif "ping" in request:
                _send(stdout, {"ready": True})
            else:
                signal.setitimer(signal.ITIMER_REAL, request["seconds"] + GRACE)
                _answer(pyoxigraph, store, request, stdout)
        except MemoryError:
            _send(stdout, {"error": "memory", "text": ""})
        except SyntaxError as error:
            kind = "failed" if "load" in request else "syntax"
            _send(stdout, {"error": kind, "text": str(error)})
        except Exception as error:  # whatever it is, the parent turns it into a sentence
            _send(stdout, {"error": "failed", "text": str(error)})


def _load(pyoxigraph: Any, what: dict[str, Any], stdin: BinaryIO) -> Any:
    if what["kind"] == "folder":
        return pyoxigraph.Store.read_only(what["path"])
    store = pyoxigraph.Store()
    if what["kind"] == "nothing":
        return store
    format_ = pyoxigraph.RdfFormat.from_extension(what["format"])
    if what["kind"] == "bytes":
        data = stdin.read(what["size"])
        store.bulk_load(io.BytesIO(data), format_, lenient=True)
        return store
    packed = {"gz": gzip.open, "xz": lzma.open}
    opener: Any = packed.get(what["path"].rpartition(".")[2], open)
    with opener(what["path"], "rb") as file:
        store.bulk_load(file, format_, lenient=True)
    return store


def _change(pyoxigraph: Any, store: Any, sizes: list[int], stdin: BinaryIO) -> None:
    for number, size in enumerate(sizes):
        quads = pyoxigraph.parse(stdin.read(size), pyoxigraph.RdfFormat.N_QUADS, lenient=True)
        if number % 2:
            store.extend(quads)
        else:
            for quad in quads:
                store.remove(quad)


def _forbid_files() -> None:
    """Forbid to open files and sockets: if a SERVICE ever slipped through, it would get nowhere."""
    try:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    except (ImportError, OSError, ValueError):
        return  # the guard in front of the queries remains


def _limit_memory() -> None:
    """Allow a query a bounded amount of memory on top of the data."""
    try:
        import resource

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[5]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, hard))
    except (ImportError, OSError, ValueError):
        return  # other systems: time alone is bounded


def _answer(pyoxigraph: Any, store: Any, request: dict[str, Any], stdout: BinaryIO) -> None:
    options: dict[str, Any] = {"prefixes": request["prefixes"]}
    if request["parse_only"]:
        # A variable that is in no projection stops the engine between planning and running.
        options["substitutions"] = {
            pyoxigraph.Variable(request["parse_only"]): pyoxigraph.Literal("")
        }
        try:
            store.query(request["query"], **options)
        except RuntimeError as error:
            if request["parse_only"] not in str(error):
                raise
        _send(stdout, {"done": True, "truncated": False})
        return
    options["use_default_graph_as_union"] = request["union"]
    result = store.query(request["query"], **options)
    if isinstance(result, pyoxigraph.QueryBoolean):
        _send(stdout, {"done": True, "boolean": bool(result), "truncated": False})
        return
    select = isinstance(result, pyoxigraph.QuerySolutions)
    if select:
        _send(stdout, {"variables": [variable.value for variable in result.variables]})
    rows: list[Any] = []
    size = 0
    truncated = False
    for item in result:
        row = [_term(term) for term in item]
        size += sum(len(part) for term in row if term for part in term if part)
        if len(rows) >= request["rows"] or size > request["bytes"]:
            truncated = True
            break
        rows.append(row)
        if len(rows) == request["rows"]:
            # Sent before looking for one more: finding out that there is none may take forever.
            _send(stdout, {"rows": rows, "select": select})
    if len(rows) != request["rows"]:
        _send(stdout, {"rows": rows, "select": select})
    _send(stdout, {"done": True, "truncated": truncated})


def _term(term: Any) -> list[Any] | None:
    """Write a term as ``[kind, text, datatype, language]``, shortened from the right."""
    if term is None:
        return None
    kind = type(term).__name__
    if kind == "NamedNode":
        return ["iri", term.value]
    if kind == "BlankNode":
        return ["blank", term.value]
    if kind == "Literal":
        if term.language:
            return ["text", term.value, "", term.language]
        return ["text", term.value, term.datatype.value]
    return ["other", str(term)]


def _send(stdout: BinaryIO, reply: dict[str, Any]) -> None:
    stdout.write(json.dumps(reply, separators=(",", ":")).encode("ascii") + b"\n")
    stdout.flush()
