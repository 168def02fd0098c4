"""RoboData as a Model Context Protocol server, asked by the official client."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp", reason="needs the package mcp (pip install 'robodata[mcp]')")

from mcp import Client, StdioServerParameters, stdio_client

from robodata_core.cancellation import CancelToken
from robodata_core.errors import CancelledError
from robodata_core.serve.mcp import LOOKUPS, build_server

SERVE = [sys.executable, "-m", "robodata_core.cli", "mcp", "--source", "snapshot:wikidata-sample"]
CAPITAL = "What is the capital of Canada?"


def over_stdio(work: Callable[[Client], Any]) -> Any:
    """Let ``work`` talk to a server in a process of its own."""

    async def talk() -> Any:
        with anyio.fail_after(60):
            async with Client(
                stdio_client(StdioServerParameters(command=SERVE[0], args=SERVE[1:]))
            ) as client:
                return await work(client)

    return anyio.run(talk)


def text_of(result: Any) -> str:
    return str(result.content[0].text)


def test_tools_only_read_and_say_what_they_take() -> None:
    async def work(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in over_stdio(work)}
    assert set(tools) == {"ask", "chat", "verify", *LOOKUPS}
    assert all(tool.annotations.read_only_hint for tool in tools.values())
    assert tools["verify"].input_schema["required"] == ["subject", "predicate", "object"]


def test_an_answer_carries_claims_kinds_and_provenance_and_tells_its_progress() -> None:
    lines: list[str] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        lines.append(message or "")

    async def work(client: Client) -> Any:
        return await client.call_tool("ask", {"question": CAPITAL}, progress_callback=heard)

    result = over_stdio(work)
    assert not result.is_error
    assert "Ottawa" in text_of(result)
    (claim,) = result.structured_content["claims"]
    assert (claim["kind"], claim["supported"]) == ("stated", True)
    (support,) = claim["support"]
    assert support["object"] == {"id": "Q1930", "label": "Ottawa"}
    assert support["provenance"]["source"] == "snapshot:wikidata-sample"
    assert any("REMOTE_GRAPH_EXPLORATION" in line for line in lines)


def test_a_conversation_goes_on_by_its_id_and_a_triple_is_judged() -> None:
    async def work(client: Client) -> Any:
        first = await client.call_tool("chat", {"message": "Who was born in Cambridge?"})
        id_ = first.structured_content["conversation"]
        again = await client.call_tool("chat", {"message": CAPITAL, "conversation": id_})
        lost = await client.call_tool("chat", {"message": CAPITAL, "conversation": "nobody's"})
        triple = {"subject": "Canada", "predicate": "capital", "object": "Ottawa"}
        verdict = await client.call_tool("verify", triple)
        unseen = await client.call_tool("verify", {**triple, "without_itself": True})
        return id_, again, lost, verdict, unseen

    id_, again, lost, verdict, unseen = over_stdio(work)
    assert again.structured_content["conversation"] == id_
    assert lost.is_error
    assert "conversation" in text_of(lost)
    assert verdict.structured_content["judgement"] == "supported"
    assert verdict.structured_content["evidence"][0]["supported"]
    assert unseen.structured_content["without_itself"]
    assert unseen.structured_content["judgement"] == "unknown"


def test_what_cannot_be_done_is_said_in_a_sentence() -> None:
    refused: list[tuple[str, dict[str, Any], str]] = [
        ("remove_node", {"entity": "Q16"}, "no tool"),
        ("ask", {"query": "?"}, "question"),
        ("ask", {"question": ""}, "question"),
        ("ask", {"question": "x" * 2_001}, "question"),
        ("verify", {"subject": "Canada", "predicate": "capital", "object": "Nowhere at all"}, ""),
        ("sparql_query", {"query": "DELETE WHERE { ?s ?p ?o }"}, ""),
        ("sparql_query", {"query": "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }"}, ""),
        ("get_entity_info", {"entities": 7}, "entity"),
    ]

    async def work(client: Client) -> Any:
        return [await client.call_tool(tool, arguments) for tool, arguments, _ in refused]

    for (tool, arguments, told), result in zip(refused, over_stdio(work), strict=True):
        assert result.is_error, (tool, arguments)
        assert told in text_of(result)
        assert "Traceback" not in text_of(result)


def test_a_look_up_promises_nothing_to_the_next_call() -> None:
    async def work(client: Client) -> Any:
        return await client.call_tool("get_tail_entity", {"entities": ["Q16"], "relation": ["P36"]})

    text = text_of(over_stdio(work))
    assert "Ottawa (Q1930)" in text and "1 node." in text and "$" not in text


def test_a_call_that_is_given_up_ends_its_run() -> None:
    begun, ended = threading.Event(), threading.Event()

    def ask(text: str, *, on_event: Any, cancel: CancelToken) -> Any:
        begun.set()
        try:
            cancel.wait(30)
        except CancelledError:
            ended.set()
            raise

    stand_in: Any = SimpleNamespace(ask=ask, settings=SimpleNamespace(time_budget=30.0))

    async def give_up() -> None:
        async with Client(build_server(stand_in)) as client:
            with anyio.move_on_after(0.5):
                await client.call_tool("ask", {"question": "?"})
            await anyio.to_thread.run_sync(ended.wait, 5)

    anyio.run(give_up)
    assert begun.is_set()
    assert ended.is_set()


def _line(number: int, method: str, parameters: dict[str, Any]) -> bytes:
    call = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
    return json.dumps(call).encode() + b"\n"


@pytest.mark.parametrize(("how", "code"), [("interrupted", 130), ("unread", 0)])
def test_a_server_that_has_much_to_do_ends_with_its_client(how: str, code: int) -> None:
    """Nothing that was asked last is waited for, and nothing has gone wrong."""
    server = subprocess.Popen(
        SERVE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert server.stdin and server.stdout and server.stderr
    client = {"clientInfo": {"name": "c", "version": "1"}, "capabilities": {}}
    server.stdin.write(_line(1, "initialize", {**client, "protocolVersion": "2025-06-18"}))
    server.stdin.flush()
    assert b'"id":1' in server.stdout.readline()
    server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    if how == "unread":
        server.stdout.close()
    for number in range(2, 150):
        asked = {"name": "ask", "arguments": {"question": f"Who is older than {number}?"}}
        with contextlib.suppress(BrokenPipeError):
            server.stdin.write(_line(number, "tools/call", asked))
            server.stdin.flush()
    if how == "interrupted":
        server.send_signal(signal.SIGINT)
    assert server.wait(60) == code
    assert b"went wrong" not in server.stderr.read()


@contextlib.contextmanager
def over_http() -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """Serve over HTTP in a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [*SERVE, "--http", str(port)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        _wait_for(port)
        yield port, server
    finally:
        server.terminate()
        server.wait(20)
    assert server.stdout is not None and server.stderr is not None
    assert server.stdout.read() == b""
    assert b"Traceback" not in server.stderr.read()


def test_over_http_on_loopback_for_its_own_host_alone() -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def talk(url: str) -> Any:
        with anyio.fail_after(60):
            async with Client(streamable_http_client(url)) as client:
                return await client.call_tool("ask", {"question": CAPITAL})

    with over_http() as (port, _):
        url = f"http://127.0.0.1:{port}/mcp"
        assert "Ottawa" in text_of(anyio.run(talk, url))
        strange = httpx2.post(url, json={}, headers={"Host": "evil.example"})
        assert strange.status_code in (403, 421)
        second = subprocess.run([*SERVE, "--http", str(port)], capture_output=True, timeout=60)
        assert second.returncode == 2
        assert second.stderr.startswith(b"robodata: Port %d cannot be used" % port)


def _begun(port: int, length: str) -> socket.socket:
    """Return a connection over which a request was begun."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.settimeout(60)
    heads = ("Accept: application/json, text/event-stream", "Content-Type: application/json")
    lines = ("POST /mcp HTTP/1.1", f"Host: 127.0.0.1:{port}", *heads, length, "", "")
    connection.sendall("\r\n".join(lines).encode())
    return connection


def _said(connection: socket.socket) -> bytes:
    """Return what was answered so far."""
    connection.setblocking(False)
    with contextlib.suppress(OSError):
        return connection.recv(100)
    return b""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
def test_a_flood_over_http_is_refused_and_holds_few_threads_and_little_memory() -> None:
    def threads_and_megabytes(process: int) -> tuple[int, int]:
        status = Path(f"/proc/{process}/status").read_text()
        pages = int(status.split("VmRSS:")[1].split()[0])
        return len(list(Path(f"/proc/{process}/task").iterdir())), pages // 1_000

    with over_http() as (port, server), contextlib.ExitStack() as held:
        before = threads_and_megabytes(server.pid)[1]
        body = b"\r\n100000\r\n" + b"x" * 0x100000
        with _begun(port, "Transfer-Encoding: chunked") as large:
            large.sendall(b"100000\r\n" + b"x" * 0x100000 + body)
            assert b" 413 " in large.recv(100)
        # Sockets over which nothing comes, bodies that never end: from a number on the others
        # are told that it is too much.
        begun = [_begun(port, "Content-Length: 100000") for _ in range(300)]
        for one in begun:
            held.enter_context(contextlib.closing(one))
        time.sleep(2.0)
        assert sum(_said(one).startswith(b"HTTP/1.1 503") for one in begun) >= 30
        threads, after = threads_and_megabytes(server.pid)
        assert threads <= 50
        assert after - before < 100
        held.close()
        said = b" 503 "
        while b" 503 " in said:  # until it has seen that they are gone
            with _begun(port, "Content-Length: 2") as good:
                good.sendall(b"{}")
                said = good.recv(100)
        assert b" 400 " in said


def test_a_request_that_does_not_come_whole_loses_its_connection() -> None:
    import uvicorn

    from robodata_core.serve.mcp import impatient

    async def application(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] == "http.request" and message["more_body"]:
            pass
        await anyio.sleep(2.0)  # an answer may take longer than a request
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    protocol = impatient(patience=0.5)
    config = uvicorn.Config(application, port=0, log_level="error", http=protocol, lifespan="off")
    listening = config.bind_socket()
    port = listening.getsockname()[1]
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        _wait_for(port)
        with (
            _begun(port, "Content-Length: 0") as good,
            _begun(port, "Content-Length: 9") as unending,
            socket.create_connection(("127.0.0.1", port), 60) as silent,
        ):
            unending.sendall(b"{")
            assert silent.recv(100) == b""
            assert unending.recv(100) == b""
            assert b" 200 " in good.recv(100)
    finally:
        server.should_exit = True
        thread.join(20)


def test_a_line_without_an_end_ends_the_server_in_a_sentence() -> None:
    server = subprocess.Popen(
        SERVE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert server.stdin and server.stderr
    with contextlib.suppress(BrokenPipeError):
        for _ in range(3):
            server.stdin.write(b"x" * 1_000_000)
            server.stdin.flush()
    # Its end of the pipe is still open: it is not that the client has gone.
    assert server.wait(60) == 2
    assert server.stderr.read() == b"robodata: The client sent a message of over 1,000,000 bytes.\n"


def _wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server did not come up")
