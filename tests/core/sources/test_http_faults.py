"""Every way a service can fail, over real loopback connections: the right error, in time."""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from robodata_core.cancellation import CancelToken
from robodata_core.errors import (
    CancelledError,
    DeadlineExceededError,
    MalformedResponseError,
    QueryLimitError,
    RateLimitedError,
    SourceError,
    SourceRefusedError,
    SourceTimeoutError,
)
from robodata_core.model import Direction
from robodata_core.sources.base import QueryLimits
from robodata_core.sources.http import USER_AGENT, user_agent
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.sparql import SparqlEndpoint, SparqlSource
from tests.core.fixtures import tiny_snapshot
from tests.core.sources.live import QUICK, limits_for, quick_client, serving, wikidata_at


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    with open_snapshot(tiny_snapshot(tmp_path_factory.mktemp("faults"))) as source:
        yield source


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("401", SourceRefusedError, "denies access"),
        ("403", SourceRefusedError, "denies access"),
        ("404", SourceRefusedError, "status 404"),
        ("429", RateLimitedError, "fewer requests"),
        ("429=0", RateLimitedError, "fewer requests"),
        ("429=3000", RateLimitedError, "fewer requests"),
        ("429=+3000", RateLimitedError, "fewer requests"),
        ("500", SourceRefusedError, "failing"),
        ("503", SourceRefusedError, "failing"),
        ("503=3000", SourceRefusedError, "failing"),
        ("maxlag=0", RateLimitedError, "fewer requests"),
        ("slow=30", SourceTimeoutError, "in time"),
        ("stall=30", SourceTimeoutError, "in time"),
        ("truncate", MalformedResponseError, "cut off"),
        ("reset", MalformedResponseError, "cut off"),
        ("malformed", MalformedResponseError, "not valid JSON"),
        ("html", MalformedResponseError, "not valid JSON"),
        ("oversize=5000000", MalformedResponseError, "larger than"),
        ("bomb=20000000", MalformedResponseError, "larger than"),
    ],
)
def test_a_lasting_fault_ends_in_the_right_error(
    snapshot: SnapshotSource, fault: str, error: type[SourceError], words: str
) -> None:
    with serving(snapshot, fault) as server:
        source = wikidata_at(server, client=quick_client(limits=limits_for(fault, tries=2)))
        with pytest.raises(error, match=words):
            source.entity("Q42")


@pytest.mark.parametrize(
    "fault",
    ["429:2", "429=0:2", "429=+0:2", "500:2", "503=0:2", "maxlag=0:2", "truncate:2", "reset:2",
     "slow=30:1", "stall=30:1"],
)  # fmt: skip
def test_a_passing_fault_is_outlived(snapshot: SnapshotSource, fault: str) -> None:
    with serving(snapshot, fault) as server:
        source = wikidata_at(server, client=quick_client(limits=limits_for(fault)))
        assert source.entity("Q42").label == "Douglas Adams"
        assert len(server.requests) == int(fault[-1]) + 1


@pytest.mark.parametrize("fault", ["401:1", "403:1", "404:1", "malformed:1", "html:1"])
def test_what_will_not_pass_is_not_tried_again(snapshot: SnapshotSource, fault: str) -> None:
    with serving(snapshot, fault) as server:
        source = wikidata_at(server)
        with pytest.raises(SourceError):
            source.entity("Q42")
        assert len(server.requests) == 1
        assert source.entity("Q42").label == "Douglas Adams"


@pytest.mark.parametrize(("fault", "low", "high"), [("429=77", 77, 77), ("429=+90", 60, 91)])
def test_the_error_says_how_long_to_wait(
    snapshot: SnapshotSource, fault: str, low: float, high: float
) -> None:
    with serving(snapshot, fault) as server, pytest.raises(RateLimitedError) as caught:
        wikidata_at(server).entity("Q42")
    assert caught.value.retry_after is not None
    assert low <= caught.value.retry_after <= high
    assert len(server.requests) == 1, "the wait is longer than the time there is"


def test_queries_that_are_too_slow_are_not_repeated(snapshot: SnapshotSource) -> None:
    with serving(snapshot, "querytimeout") as server:
        with pytest.raises(QueryLimitError):
            wikidata_at(server).sparql("SELECT * WHERE { ?s ?p ?o }")
        assert len(server.requests) == 1


def test_what_is_too_much_to_be_sorted_or_counted_comes_as_it_is(snapshot: SnapshotSource) -> None:
    with serving(snapshot) as server:
        whole = wikidata_at(server).statements("Q5", direction=Direction.IN)
        server.break_with("querytimeout:1")
        page = wikidata_at(server).statements("Q5", direction=Direction.IN, limit=10)
        assert {s.triple for s in page.statements} == {s.triple for s in whole.statements}
        server.break_with("querytimeout:1")
        pages = wikidata_at(server).statements_many(["Q5", "Q515"], direction=Direction.IN)
        assert pages["Q5"].total == whole.total


def test_a_query_keeps_its_own_time(snapshot: SnapshotSource) -> None:
    limits = QueryLimits(seconds=0.2)
    with serving(snapshot, "slow=30") as server:
        client = quick_client(limits=replace(QUICK, read_seconds=5.0, total_seconds=50.0))
        with pytest.raises(SourceTimeoutError):
            wikidata_at(server, client=client).sparql("ASK { ?s ?p ?o }", limits=limits)


@pytest.mark.parametrize("body", ["malformed", "html", "truncate"])
def test_broken_rows_are_malformed(snapshot: SnapshotSource, body: str) -> None:
    with serving(snapshot, body) as server, pytest.raises(MalformedResponseError):
        wikidata_at(server).sparql("SELECT * WHERE { ?s ?p ?o }")


def test_a_closed_port(snapshot: SnapshotSource) -> None:
    with serving(snapshot) as server:
        source = wikidata_at(server)
    with pytest.raises(SourceRefusedError, match="cannot be reached"):
        source.entity("Q42")


def test_a_host_that_is_none() -> None:
    client = quick_client()
    with pytest.raises(SourceRefusedError, match=r"no host|cannot be reached|in time"):
        client.get("http://no-such-host.invalid/")
    assert client.requests <= 2


def test_a_server_that_does_not_answer_a_connection() -> None:
    with contextlib.ExitStack() as opened:
        full = opened.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(4):  # whoever waits to be accepted keeps others from being connected
            waiting = opened.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        limits = replace(QUICK, connect_seconds=0.2, read_seconds=60.0, total_seconds=60.0, tries=1)
        started = time.monotonic()
        with pytest.raises(SourceTimeoutError):
            quick_client(limits=limits).get(f"http://127.0.0.1:{full.getsockname()[1]}/")
        assert time.monotonic() - started < 30, "it did not wait for an answer to read"


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("401", SourceRefusedError, "denies access"),
        ("403", SourceRefusedError, "denies access"),
        ("404", SourceRefusedError, "no SPARQL endpoint"),
        ("429", RateLimitedError, "fewer requests"),
        ("429=3000", RateLimitedError, "fewer requests"),
        ("500", SourceRefusedError, "failing"),
        ("503", SourceRefusedError, "failing"),
        ("querytimeout", QueryLimitError, "too long"),
        ("slow=30", SourceTimeoutError, "in time"),
        ("stall=30", SourceTimeoutError, "in time"),
        ("truncate", MalformedResponseError, "cut off"),
        ("reset", MalformedResponseError, "cut off"),
        ("malformed", MalformedResponseError, "not a valid SPARQL result"),
        ("html", MalformedResponseError, "not a valid SPARQL result"),
        ("oversize=5000000", MalformedResponseError, "larger than"),
        ("bomb=20000000", MalformedResponseError, "larger than"),
    ],
)
def test_a_lasting_fault_of_an_endpoint(
    snapshot: SnapshotSource, fault: str, error: type[Exception], words: str
) -> None:
    with serving(snapshot, fault) as server:
        client = quick_client(limits=limits_for(fault, tries=2))
        endpoint = SparqlEndpoint(client, server.sparql_url)
        source = SparqlSource(client, endpoint, name="sparql:test")
        with pytest.raises(error, match=words):
            source.sparql("SELECT * WHERE { ?s ?p ?o }")
        with pytest.raises((error, SourceError)):
            source.statements("Q42")


def test_no_tls_where_tls_is_expected(snapshot: SnapshotSource) -> None:
    with serving(snapshot) as server:
        address = server.api_url.replace("http:", "https:")
        with pytest.raises(SourceRefusedError, match="secure connection"):
            quick_client().get(address)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_certificate_nobody_vouches_for(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout",
         str(key), "-out", str(certificate), "-subj", "/CN=127.0.0.1"],
        check=True,
        capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            try:
                connection, _ = listener.accept()
                with connection, context.wrap_socket(connection, server_side=True):
                    pass
            except OSError:
                pass

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        with pytest.raises(SourceRefusedError, match="certificate"):
            quick_client().get(f"https://127.0.0.1:{listener.getsockname()[1]}/")
        thread.join()


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "nonsense", "http://[", "http://:80/"])
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(SourceRefusedError):
        quick_client().get(url)


def test_waiting_ends_when_the_run_does(snapshot: SnapshotSource) -> None:
    token = CancelToken()
    limits = replace(QUICK, total_seconds=600.0)
    with serving(snapshot, "429=300") as server:
        threading.Timer(0.2, token.cancel).start()
        with pytest.raises(CancelledError):
            quick_client(limits=limits).get(server.api_url, cancel=token)


def test_a_deadline_of_the_run_shortens_everything(snapshot: SnapshotSource) -> None:
    with serving(snapshot, "slow=30") as server:
        client = quick_client(limits=replace(QUICK, read_seconds=60.0, total_seconds=60.0))
        with pytest.raises((SourceTimeoutError, DeadlineExceededError)):
            client.get(server.api_url, cancel=CancelToken(0.3))


def test_no_more_requests_at_once_than_allowed(snapshot: SnapshotSource) -> None:
    running, most, lock = 0, 0, threading.Lock()

    def nap(seconds: float) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.05)
        with lock:
            running -= 1

    with serving(snapshot, "slow=1", sleep=nap) as server:
        client = quick_client(limits=replace(QUICK, concurrency=2, total_seconds=30.0))
        threads = [
            threading.Thread(target=client.get, args=(f"{server.url}/{n}",)) for n in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most == 2
    assert client.requests == 6


def test_the_user_agent_says_who_asks() -> None:
    assert "RoboData/" in USER_AGENT
    assert "me@example.org" in user_agent("me@example.org")
    assert user_agent("evil\r\nX-Header: 1").count("\n") == 0
    assert user_agent("") == USER_AGENT
