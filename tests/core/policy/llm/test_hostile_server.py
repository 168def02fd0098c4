"""A model's server that sends too much, or sends the key back."""

from __future__ import annotations

import contextlib
import gzip
import json
import logging
import os
import socket
import subprocess
import sys
from dataclasses import replace

import pytest

from robodata_core.errors import ModelUnavailableError, PolicyError, RoboDataError
from robodata_core.policy.llm.client import ModelLimits, OpenAIClient
from tests.conftest import ROOT
from tests.core.sources.test_http_bounds import answer, serving

pytest.importorskip("openai", reason="the openai package is not installed (extra 'llm')")

CANARY = "sk-canary-0123456789abcdef"
MESSAGES = [{"role": "user", "content": "hello"}]
LIMITS = ModelLimits(tries=1, total_seconds=20.0, bytes=3_000_000)


def client_at(url: str) -> OpenAIClient:
    return OpenAIClient(url.removesuffix("/q"), api_key=CANARY, limits=LIMITS)


@pytest.mark.parametrize("kind", ["error", "line", "bomb", "bomb line"])
def test_an_answer_without_end_is_cut_in_little_memory(kind: str) -> None:
    """In a process of its own, with little more memory than it needs anyway."""
    code = f"""
import contextlib, gzip, resource, sys, threading, zlib
from tests.core.policy.llm.test_hostile_server import MESSAGES, client_at
from tests.core.sources.test_http_bounds import serving
from robodata_core.errors import PolicyError

KIND = {kind!r}

def talk(connection, _):
    head = "500 Oops" if KIND in ("error", "bomb") else "200 OK"
    lines = [f"HTTP/1.1 {{head}}", "Connection: close"]
    if "line" in KIND:
        lines.append("Content-Type: text/event-stream")
    if "bomb" in KIND:
        lines.append("Content-Encoding: gzip")
    connection.sendall("\\r\\n".join(lines).encode() + b"\\r\\n\\r\\n")
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b"data: " + b"x" * 1_000_000
    with contextlib.suppress(OSError):
        while True:
            connection.sendall(packer.compress(block) if "bomb" in KIND else block)

with serving(talk) as service:
    client = client_at(service.url)
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 400_000_000, used + 400_000_000))
    try:
        print("told", client.complete(MESSAGES, model="m").finish)
    except PolicyError as error:
        print("told", error)
    except MemoryError:
        print("memory")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OPENAI_API_KEY": CANARY},
        timeout=60,
    )
    assert done.stdout.startswith("told"), done.stdout + done.stderr
    assert ("length" if "line" in kind else "more than may be read") in done.stdout


@pytest.mark.parametrize("status", ["200 OK", "500 Oops"])
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_an_answer_that_is_too_large_is_asked_for_once(status: str, kind: str) -> None:
    """A model is told that it wrote too much; what is no reply of a model ends the run."""

    def talk(connection: socket.socket, _: bytes) -> None:
        with contextlib.suppress(OSError):  # it is hung up on
            data = b"data: " + b"x" * LIMITS.bytes
            connection.sendall(answer(data, f"Content-Type: {kind}", status=status))

    with serving(talk) as service:
        url = service.url.removesuffix("/q")
        client = OpenAIClient(url, api_key=CANARY, limits=replace(LIMITS, tries=4))
        if (status, kind) == ("200 OK", "text/event-stream"):
            assert client.complete(MESSAGES, model="m").finish == "length"
        else:
            with pytest.raises(ModelUnavailableError, match="more than may be read"):
                client.complete(MESSAGES, model="m")
    assert len(service.seen) == 1


@pytest.mark.parametrize(
    "status", ["400 Bad", "401 Who", "403 No", "422 Hm", "429 Slow", "500 Oops"]
)
@pytest.mark.parametrize("form", ["plain", "json", "headers"])
def test_a_server_that_sends_the_key_back_shows_it_to_nobody(
    status: str, form: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    caplog.set_level(logging.DEBUG)
    text = f"Incorrect API key provided: Bearer {CANARY}"
    body = json.dumps({"error": {"message": text, "code": CANARY}}) if form == "json" else text
    extra = (f"X-Echo: {CANARY}",) if form == "headers" else ()
    data = body.encode()
    with serving(lambda c, _: c.sendall(answer(data, *extra, status=status))) as service:
        client = client_at(service.url)
        with pytest.raises(RoboDataError) as caught:
            client.complete(MESSAGES, model="m")
    shown = f"{caught.value} {caught.value.hint}"
    chain: BaseException | None = caught.value
    while chain is not None:
        shown += f" {chain} {chain!r}"
        chain = chain.__cause__ or chain.__context__
    assert CANARY not in shown
    # Other libraries log what they like, where somebody asks them to; RoboData never does.
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("robodata")]
    assert CANARY not in " ".join(ours)


def test_a_key_in_a_streamed_reply_is_removed_wherever_it_is_cut() -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": f"it is {CANARY}!"}}]}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    lines = "".join(f"data: {json.dumps(one)}\n\n" for one in (chunk, end)) + "data: [DONE]\n\n"
    data = lines.encode()

    def talk(connection: object, _: bytes) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        connection.sendall(head)  # type: ignore[attr-defined]
        for start in range(0, len(data), 7):
            connection.sendall(data[start : start + 7])  # type: ignore[attr-defined]

    with serving(talk) as service:
        assert client_at(service.url).complete(MESSAGES, model="m").text == "it is [removed]!"


def test_a_packed_reply_is_read() -> None:
    end = {"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}
    data = gzip.compress(f"data: {json.dumps(end)}\n\ndata: [DONE]\n\n".encode())
    kinds = ("Content-Type: text/event-stream", "Content-Encoding: gzip")
    with serving(lambda c, _: c.sendall(answer(data, *kinds))) as service:
        assert client_at(service.url).complete(MESSAGES, model="m").text == "hi"


def test_an_encoding_that_nobody_asked_for_is_refused() -> None:
    packed = answer(b"x", "Content-Encoding: br")
    with serving(lambda c, _: c.sendall(packed)) as service, pytest.raises(PolicyError):
        client_at(service.url).complete(MESSAGES, model="m")


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({}, False),
        ({"OPENAI_BASE_URL": "https://models.example/v1"}, False),
        ({"OPENAI_API_HOST": "models.example"}, False),
        ({"OPENAI_API_HOST": "127.0.0.1"}, True),
        ({"OPENAI_API_HOST": "127.0.0.1:{port}"}, True),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:{port}/v1"}, True),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, False),
    ],
)
def test_the_key_goes_to_the_host_it_was_given_for_alone(
    given: dict[str, str], sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Own: {CANARY}")
    data = b"no"
    with serving(lambda c, _: c.sendall(answer(data, status="401 Who"))) as service:
        for name, value in given.items():
            monkeypatch.setenv(name, value.format(port=service.port))
        client = OpenAIClient(service.url.removesuffix("/q") + "/v1", limits=LIMITS)
        with pytest.raises(PolicyError) as caught:
            client.complete(MESSAGES, model="m")
    (request,) = service.seen
    assert (CANARY.encode() in request) is sent
    assert ("OPENAI_API_HOST=127.0.0.1" in caught.value.hint) is not sent


def test_an_address_with_a_password_is_refused_and_not_shown() -> None:
    with pytest.raises(RoboDataError) as caught:
        OpenAIClient(f"http://user:{CANARY}@127.0.0.1:9/v1")
    assert CANARY not in str(caught.value)
