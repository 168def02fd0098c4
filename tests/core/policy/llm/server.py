"""A loopback server that speaks the OpenAI chat protocol and replies from a script.

A script is a function from the request body (a dict) to a ``Reply``; replies may be broken on
purpose. Real sockets, real HTTP, real server-sent events.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Call = tuple[str, dict[str, Any] | str]


@dataclass(frozen=True)
class Reply:
    """What the server sends back."""

    text: str | None = None
    calls: tuple[Call, ...] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None  # sent as it is, instead of a completion
    finish: str = ""
    first_byte_after: float = 0.0
    cut_after: int | None = None  # close the connection after so many events
    stall_after: int | None = None  # stop sending after so many events
    usage: tuple[int, int] | None = (100, 10)
    refusal: str = ""
    endless: bool = False  # the text is sent again and again until nobody listens


Script = Callable[[dict[str, Any]], Reply]


class ModelServer:
    """The running server."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.stop = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            disable_nagle_algorithm = True  # or each reply waits 40 ms
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                request = json.loads(self.rfile.read(length))
                owner.times.append(time.monotonic())
                owner.requests.append(request)
                owner.answer(self, request)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()

    def answer(self, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        reply = self.script(request)
        if reply.first_byte_after:
            self.stop.wait(reply.first_byte_after)
        try:
            if reply.body is not None or reply.status != 200:
                _send(handler, reply.status, reply.headers, reply.body or _error(reply.status))
            else:
                self._stream(handler, reply)
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True

    def _stream(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        for number, chunk in enumerate(_chunks(reply)):
            if reply.cut_after is not None and number >= reply.cut_after:
                handler.wfile.flush()
                handler.connection.shutdown(socket.SHUT_RDWR)
                handler.close_connection = True
                return
            if reply.stall_after is not None and number >= reply.stall_after:
                handler.wfile.flush()
                self.stop.wait(60)
                return
            handler.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        handler.wfile.write(b"data: [DONE]\n\n")
        handler.close_connection = True

    def close(self) -> None:
        self.stop.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=5)


@contextmanager
def model_server(script: Script) -> Iterator[ModelServer]:
    server = ModelServer(script)
    try:
        yield server
    finally:
        server.close()


def _error(status: int) -> bytes:
    return json.dumps({"error": {"message": f"status {status}", "type": "test"}}).encode()


def _send(
    handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes
) -> None:
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", **headers}.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def _chunks(reply: Reply) -> Iterator[dict[str, Any]]:
    base = {
        "id": "r1",
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": "scripted",
    }

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    text = reply.text or ""
    while reply.endless:
        yield chunk({"content": text})
    if reply.refusal:
        yield chunk({"refusal": reply.refusal})
    for start in range(0, len(text), 40):
        yield chunk({"content": text[start : start + 40]})
    for index, (name, arguments) in enumerate(reply.calls):
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        head = {"index": index, "id": f"call_{index}", "type": "function"}
        yield chunk({"tool_calls": [{**head, "function": {"name": name, "arguments": ""}}]})
        for start in range(0, len(raw), 30):
            piece = {"index": index, "function": {"arguments": raw[start : start + 30]}}
            yield chunk({"tool_calls": [piece]})
    yield chunk({}, reply.finish or ("tool_calls" if reply.calls else "stop"))
    if reply.usage is None:
        return
    prompt, completion = reply.usage
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    yield {**base, "choices": [], "usage": usage}
