"""What a hostile service can do to a client: not hold it, not redirect it, not get or show keys."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from robodata_core.cancellation import CancelToken
from robodata_core.errors import (
    CancelledError,
    ConfigurationError,
    MalformedResponseError,
    SourceError,
    SourceRefusedError,
    SourceTimeoutError,
)
from robodata_core.sources.http import Credentials, HttpClient, HttpLimits, credentials, origin

SECRET = "sk-canary-5f3a9c/+="
LIMITS = HttpLimits(read_seconds=5.0, total_seconds=1.0, tries=1, bytes=1_000_000)


class Service:
    """A server that does with each connection what it is told; it keeps what it was sent."""

    def __init__(self, talk: Callable[[socket.socket, bytes], None]) -> None:
        self._talk = talk
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/q"
        self.seen: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(65_536)
            head, _, body = data.partition(b"\r\n\r\n")
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    while len(body) < int(line.partition(b":")[2]):
                        body += connection.recv(65_536)
            self.seen.append(head + b"\r\n\r\n" + body)
            self._talk(connection, data)

    def close(self) -> None:
        self._server.close()


@contextlib.contextmanager
def serving(talk: Callable[[socket.socket, bytes], None]) -> Iterator[Service]:
    service = Service(talk)
    try:
        yield service
    finally:
        service.close()


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def drip_headers(connection: socket.socket, _: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(200):
        connection.sendall(f"X-{number}: y\r\n".encode())
        time.sleep(0.1)


def drip_body(connection: socket.socket, _: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _number in range(200):
        connection.sendall(b"x")
        time.sleep(0.1)


def say_nothing(connection: socket.socket, _: bytes) -> None:
    time.sleep(20)


@pytest.mark.parametrize("talk", [drip_headers, drip_body, say_nothing])
def test_a_service_that_drips_is_ended(talk: Callable[[socket.socket, bytes], None]) -> None:
    with serving(talk) as service:
        client = HttpClient(LIMITS)
        started = time.monotonic()
        with pytest.raises(SourceTimeoutError):
            client.get(service.url)
        assert time.monotonic() - started < 2.0
        client.close()


@pytest.mark.parametrize("talk", [drip_headers, drip_body, say_nothing])
@pytest.mark.parametrize("ambient", [False, True])
def test_a_cancelled_request_ends_at_once(
    talk: Callable[[socket.socket, bytes], None], ambient: bool
) -> None:
    with serving(talk) as service:
        client = HttpClient(HttpLimits(total_seconds=30.0, tries=1))
        token = CancelToken()
        threading.Timer(0.3, token.cancel).start()
        started = time.monotonic()
        with pytest.raises(CancelledError):
            if ambient:
                with token.active():
                    client.get(service.url)
            else:
                client.get(service.url, cancel=token)
        assert time.monotonic() - started < 1.3
        client.close()


@pytest.mark.parametrize("more", [b"\0" * 65_536, gzip.compress(b"{}") * 500])
def test_nothing_is_read_behind_the_end_of_a_packed_answer(more: bytes) -> None:
    def talk(connection: socket.socket, _: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
        connection.sendall(gzip.compress(b"{}"))
        while True:
            connection.sendall(more)

    with serving(talk) as service:
        client = HttpClient(LIMITS)
        assert client.get(service.url).body == b"{}"
        client.close()


_LATE = "Fri, 31 Dec 99999999999 23:59:59 GMT"


@pytest.mark.parametrize(
    "wait", ["1e400", "-5", "\u00b2\u00b3", "Fri, 31 Dec 9999 23:59:59 GMT", _LATE]
)
def test_a_wait_that_is_none_is_no_failure_of_its_own(wait: str) -> None:
    said = answer(b"", f"Retry-After: {wait}", status="503 Busy")
    with serving(lambda connection, _: connection.sendall(said)) as service:
        client = HttpClient(LIMITS)
        with pytest.raises(SourceRefusedError, match="failing"):
            client.get(service.url)
        client.close()


def test_headers_that_contradict_each_other_are_the_services_fault() -> None:
    said = answer(b"{}", "Content-Length: 999")
    with serving(lambda connection, _: connection.sendall(said)) as service:
        client = HttpClient(LIMITS)
        with pytest.raises(MalformedResponseError, match="cut off"):
            client.get(service.url)
        client.close()


def test_the_threads_of_ended_requests_end_too() -> None:
    with serving(drip_headers) as service:
        client = HttpClient(LIMITS)
        with pytest.raises(SourceTimeoutError):
            client.get(service.url)
        deadline = time.monotonic() + 2.0
        while time.monotonic() < deadline and _workers():
            time.sleep(0.05)
        assert not _workers()


def _workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "robodata-http"]


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See", "307 Temp", "308 Perm"])
def test_a_redirect_to_another_host_is_not_followed(status: str) -> None:
    with serving(lambda c, _: c.sendall(answer(b"{}"))) as other:

        def redirect(connection: socket.socket, _: bytes) -> None:
            connection.sendall(answer(b"", f"Location: {other.url}", status=status))

        with serving(redirect) as service:
            client = HttpClient(LIMITS)
            with pytest.raises(SourceRefusedError, match=f"another host, .*:{other.port}"):
                client.request("POST", service.url, data={"query": "SELECT"})
        assert other.seen == []


def test_a_redirect_at_the_same_host_is_followed_with_its_body() -> None:
    def talk(connection: socket.socket, data: bytes) -> None:
        moved = data.startswith(b"POST /there")
        back = answer(b"ok") if moved else answer(b"", "Location: /there", status="307 T")
        connection.sendall(back)

    with serving(talk) as service:
        assert HttpClient(LIMITS).request("POST", service.url, data={"a": "b"}).body == b"ok"
        assert service.seen[-1].endswith(b"a=b")


def test_credentials_go_to_the_host_they_are_for() -> None:
    with (
        serving(lambda c, _: c.sendall(answer(b"{}"))) as one,
        serving(lambda c, _: c.sendall(answer(b"{}"))) as two,
    ):
        known = Credentials({"Authorization": f"Bearer {SECRET}"}, frozenset({origin(one.url)}))
        client = HttpClient(LIMITS, credentials=known)
        client.get(one.url)
        client.get(two.url)
        assert SECRET.encode() in one.seen[0]
        assert SECRET.encode() not in two.seen[0]


def test_credentials_for_several_hosts_must_say_for_which() -> None:
    environment = {"ROBODATA_SPARQL_TOKEN": SECRET}
    urls = ["https://a.example/sparql", "https://b.example/sparql"]
    with pytest.raises(ConfigurationError, match="a.example:443, b.example:443"):
        credentials(environment, "ROBODATA_SPARQL", urls)
    for host in ("b.example", "B.example:443"):
        named = {**environment, "ROBODATA_SPARQL_HOST": host}
        known = credentials(named, "ROBODATA_SPARQL", urls)
        assert known is not None and known.origins == {"https://b.example:443"}
    same = credentials(environment, "ROBODATA_SPARQL", [urls[0], urls[0] + "/other"])
    assert same is not None and same.fit(urls[0]) and not same.fit("http://a.example/sparql")
    assert credentials({}, "ROBODATA_SPARQL", urls) is None


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "422 No"])
def test_a_service_that_repeats_a_key_does_not_show_it(status: str) -> None:
    def echo(connection: socket.socket, data: bytes) -> None:
        connection.sendall(answer(b'{"you sent": "' + data + b'"}', status=status))

    with serving(echo) as service:
        known = credentials({"X_USER": "me", "X_PASSWORD": SECRET}, "X", [service.url])
        assert known is not None
        response = HttpClient(LIMITS, credentials=known).get(service.url)
        encoded = known.headers["Authorization"].partition(" ")[2].encode()
        assert encoded in service.seen[0]
        assert encoded not in response.body and b"[removed]" in response.body


def test_netrc_sends_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("netrc")
    (home / ".netrc").write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    monkeypatch.setenv("NETRC", str(home / ".netrc"))
    with serving(lambda c, _: c.sendall(answer(b"{}"))) as service:
        HttpClient(LIMITS).get(service.url)
        assert b"authorization" not in service.seen[0].lower()


def test_an_endless_answer_is_cut() -> None:
    def endless(connection: socket.socket, _: bytes) -> None:
        connection.sendall(b"HTTP/1.1 500 Oops\r\n\r\n")
        while True:
            connection.sendall(b"x" * 65_536)

    with serving(endless) as service, pytest.raises(MalformedResponseError, match="larger"):
        HttpClient(LIMITS).get(service.url)


def test_a_host_that_is_gone_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(SourceError, match="cannot be reached"):
        HttpClient(LIMITS).get(f"http://127.0.0.1:{port}/")
