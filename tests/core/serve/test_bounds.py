"""The server of `serve-wikibase`: whom it answers, what it keeps, how many it holds."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from pathlib import Path

import pytest

from robodata_core.errors import MalformedResponseError
from robodata_core.serve import server as serving_module
from robodata_core.serve.wikibase import Reply
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.sources.sparql import SparqlEndpoint
from tests.core.fixtures import tiny_snapshot
from tests.core.sources.live import Canned, quick_client, serving


def ask(port: int, host: str, path: str = "/sparql") -> bytes:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        return connection.recv(64)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:7", "[::1]:7"])
def test_the_local_host_is_served(host: str) -> None:
    with serving(Canned()) as server:
        assert b"400" in ask(server.port, host)


@pytest.mark.parametrize(
    ("host", "path"),
    [
        ("evil.example", "/sparql"),
        ("127.0.0.1.evil.example", "/sparql"),
        ("localhost.evil:80", "/sparql"),
        ("localhost\r\nHost: evil.example", "/sparql"),
        ("localhost", "http://evil.example/sparql"),
    ],
)
def test_no_other_name_is_served(host: str, path: str) -> None:
    with serving(Canned()) as server:
        assert b"403" in ask(server.port, host, path)
        assert server.requests == []


def test_idle_connections_hold_few_threads() -> None:
    with serving(Canned()) as server:
        before = threading.active_count()
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(150)]
        time.sleep(1.0)
        assert threading.active_count() - before <= 64
        for connection in idle:
            connection.close()


@pytest.mark.parametrize("said", [b"", b"GET /sparql HTTP/1.1\r\nHost:"])
def test_idle_connections_keep_nobody_from_being_served(said: bytes) -> None:
    with serving(Canned()) as server:
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(150)]
        for connection in idle:
            with contextlib.suppress(OSError):  # dropped already, for a later one
                connection.sendall(said)
        for _ in range(5):
            assert b"400" in ask(server.port, "localhost")
        for connection in idle:
            connection.close()


def test_connections_that_are_being_answered_are_not_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serving_module, "_MOST_CONNECTIONS", 2)
    monkeypatch.setattr(serving_module, "_SECONDS_TO_GO", 0.1)
    go = threading.Event()
    api = Canned()
    monkeypatch.setattr(api, "sparql", lambda query: go.wait(20.0) and Reply(404))
    with serving(api) as server:
        busy = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(2)]
        for connection in busy:
            connection.sendall(b"GET /sparql?query=x HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while len(server.requests) < 2:
            time.sleep(0.01)
        assert ask(server.port, "localhost") == b""
        go.set()
        assert all(b"404" in connection.recv(64) for connection in busy)
        for connection in busy:
            connection.close()


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("SELECT * { ?a ?b ?c }", b'{"head": {}, "boolean": true}'),
        ("ASK { ?a ?b ?c }", b'{"head": {"vars": []}, "results": {"bindings": []}}'),
    ],
)
def test_an_answer_of_another_form_is_none(query: str, body: bytes) -> None:
    reply = Reply(200, body, "application/sparql-results+json")
    with serving(Canned(sparql=reply)) as server, pytest.raises(MalformedResponseError):
        SparqlEndpoint(quick_client(), server.sparql_url).query(query)


def test_deep_json_is_told() -> None:
    with serving(Canned(action=Reply(200, b"[" * 200_000, "application/json"))) as server:
        response = quick_client().get(server.api_url)
        with pytest.raises(MalformedResponseError):
            response.json()


LONG = "9" * 5_000


def test_a_number_of_any_length_is_a_number(tmp_path: Path) -> None:
    with open_snapshot(tiny_snapshot(tmp_path)) as source, serving(source) as server:
        where = f"{server.api_url}?action=wbsearchentities&search=a&language=en&format=json"
        client = quick_client()
        assert client.get(f"{where}&limit={LONG}").status == 200
        client.close()


@pytest.mark.parametrize(
    "header", [f"Content-Length: {LONG}", "Content-Length: -1", "Transfer-Encoding: chunked"]
)
def test_the_rest_of_a_body_is_no_request(header: str) -> None:
    hidden = "GET /hidden HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with serving(Canned()) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            text = f"POST /sparql HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n\r\n{hidden}"
            connection.sendall(text.encode())
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4_096):
                pass
        assert not [request for request in server.requests if "hidden" in request]
