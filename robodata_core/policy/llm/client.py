"""One call to a language model: messages and tools in, text and tool calls out.

``OpenAIClient`` speaks to any OpenAI-compatible server through the ``openai`` package, streams,
retries what may pass, leaves out parameters that a server does not take, and turns everything else
into one of our errors. What is asked and what the reply means is not its business.
"""

from __future__ import annotations

import logging
import os
import queue
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urlsplit

from robodata_core.cancellation import CancelToken, sleep
from robodata_core.errors import ConfigurationError, ModelUnavailableError
from robodata_core.outgoing import Request, outgoing
from robodata_core.policy.llm._troubles import (
    broken_reply,
    dropped_parameter,
    is_passing,
    is_too_large,
    named,
    wait_asked_for,
)
from robodata_core.policy.llm.completion import (
    Assembly,
    Completion,
    ContextOverflowError,
    CutOffError,
    RawCall,
    ToolsUnsupportedError,
)
from robodata_core.sources.http import OPENAI, model_key
from robodata_core.text import plural

if TYPE_CHECKING:
    import httpx2 as httpx

__all__ = [
    "Completion",
    "ContextOverflowError",
    "ModelClient",
    "ModelLimits",
    "OpenAIClient",
    "RawCall",
    "ToolsUnsupportedError",
]

_log = logging.getLogger("robodata.llm")
_STREAM: Final = "text/event-stream"
#: What reading a reply of another form ends in; JSON of any depth and numbers of any size included.
_BROKEN: Final = (
    ValueError, AttributeError, TypeError, LookupError, OverflowError, RecursionError,
)  # fmt: skip
_POLL: Final = 0.05
"""Seconds between two looks at cancellation while a model thinks."""


#: Beginnings of the names of headers that a server gets which no key is for.
_PLAIN: Final = ("accept", "connection", "content-", "host", "transfer-", "user-agent")
#: Ways to hold a reply to a schema: OpenAI's, and llama-cpp-python's.
_FORMATS: Final[tuple[Callable[[Mapping[str, Any]], dict[str, Any]], ...]] = (
    lambda schema: {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": dict(schema), "strict": False},
    },
    lambda schema: {"type": "json_object", "schema": dict(schema)},
)


class ModelClient(Protocol):
    """Whoever can complete a conversation."""

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        model: str,
        tools: Sequence[Mapping[str, Any]] = (),
        cancel: CancelToken | None = None,
        most_tokens: int = 2_000,
        schema: Mapping[str, Any] | None = None,
        temperature: float = 0.0,
    ) -> Completion:
        """Return the model's next message.

        Args:
            messages: The conversation, in the chat format.
            model: Which model.
            tools: What it may call.
            cancel: Ends the wait.
            most_tokens: Most tokens of the reply.
            schema: JSON schema that the reply is held to, where the server can do that.
            temperature: How much chance there is in the reply.

        Raises:
            ContextOverflowError: If the messages do not fit.
            ToolsUnsupportedError: If tools cannot be given.
            ModelUnavailableError: If there is no model to be had.
            PolicyError: If it refused or failed otherwise.
        """
        ...


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """Bounds of one completion, retries included.

    Attributes:
        connect_seconds: Most time to connect.
        read_seconds: Most time between two pieces of the reply; local models think long.
        total_seconds: Most time for everything.
        tries: Most attempts.
        backoff_seconds: First wait; doubles with every try.
        bytes: Most bytes of one answer, decoded.
    """

    connect_seconds: float = 10.0
    read_seconds: float = 120.0
    total_seconds: float = 600.0
    tries: int = 4
    backoff_seconds: float = 1.0
    bytes: int = 50_000_000


def _without_secrets(request: httpx.Request) -> None:
    """Take out what the openai package adds from the environment (organization, own headers)."""
    for name in list(request.headers):
        if not name.startswith(_PLAIN):
            del request.headers[name]
    request.headers["authorization"] = "Bearer none"


class OpenAIClient:
    """Asks an OpenAI-compatible endpoint.

    Args:
        base_url: Address of the API, e.g. ``http://127.0.0.1:11434/v1``; empty for
            ``OPENAI_BASE_URL`` or OpenAI itself.
        api_key: Key; empty for ``OPENAI_API_KEY``, where that is for this address (``model_key``).
            Local servers need none.
        limits: Bounds of every completion.
        transport: Replaces the network, for recording and replay.
        jitter: Returns a number in [0, 1).
    """

    def __init__(
        self,
        base_url: str = "",
        *,
        api_key: str = "",
        limits: ModelLimits | None = None,
        transport: httpx.BaseTransport | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        try:
            import httpx2 as httpx
            import openai

            from robodata_core.policy.llm.transport import BoundedTransport
        except ImportError as error:
            raise ConfigurationError(
                "The openai package is not installed.", hint="Run: pip install 'robodata[llm]'"
            ) from error
        self._openai = openai
        self.limits = limits or ModelLimits()
        self._jitter = jitter
        address = base_url or os.environ.get("OPENAI_BASE_URL", "")
        self.address = address or OPENAI
        key = api_key or model_key(os.environ, self.address)
        self._keyless = not key
        if "@" in urlsplit(self.address).netloc:
            raise ConfigurationError(
                "An address must not carry a user or password.", hint="Set OPENAI_API_KEY."
            )
        if not key and not address:
            raise ConfigurationError(
                "There is no key for the language model.",
                hint="Set OPENAI_API_KEY, or base_url for a local server.",
            )
        timeout = httpx.Timeout(self.limits.read_seconds, connect=self.limits.connect_seconds)
        self._unwanted: set[str] = set()
        self._format = 0
        self._client = openai.OpenAI(
            base_url=address or None,
            api_key=key or "none",
            max_retries=0,
            timeout=timeout,
            http_client=httpx.Client(
                transport=transport
                or BoundedTransport(None, self.limits.bytes, {"OPENAI_API_KEY": key}),
                timeout=timeout,
                event_hooks={"request": [_without_secrets] if self._keyless else []},
            ),
        )

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        model: str,
        tools: Sequence[Mapping[str, Any]] = (),
        cancel: CancelToken | None = None,
        most_tokens: int = 2_000,
        schema: Mapping[str, Any] | None = None,
        temperature: float = 0.0,
    ) -> Completion:
        """Return the model's next message; see ``ModelClient``."""
        what = f"{plural(len(messages), 'message')}, {plural(len(tools), 'tool')}"
        with outgoing(f"model {model}", what) as told:
            reply = self._complete(
                told, messages, model, tools, cancel, most_tokens, schema, temperature
            )
            told.end(reply.finish)
            return reply

    def _complete(
        self,
        told: Request,
        messages: Sequence[Mapping[str, Any]],
        model: str,
        tools: Sequence[Mapping[str, Any]],
        cancel: CancelToken | None,
        most_tokens: int,
        schema: Mapping[str, Any] | None,
        temperature: float,
    ) -> Completion:
        """Do what ``complete`` says, and tell of every further try."""
        deadline = self._deadline(cancel)
        request = self._request(messages, model, tools, most_tokens)
        request["temperature"] = temperature
        if schema is not None and self._format < len(_FORMATS):
            request["response_format"] = _FORMATS[self._format](schema)
        for name in self._unwanted:
            _leave_out(name, request)
        attempt = 0
        while True:
            if cancel is not None:
                cancel.check()
            try:
                return self._once(request, cancel, deadline)
            except (self._openai.OpenAIError, CutOffError) as error:
                if self._adapt(error, request):
                    continue
                attempt += 1
                pause = self._pause(error, attempt, deadline)
                if pause is None:
                    raise named(
                        error,
                        self._openai,
                        model=model,
                        address=self.address,
                        tools=bool(tools),
                        keyless=self._keyless,
                    ) from error
                _log.info("attempt %d failed: %s", attempt, error)
                told.again(pause, type(error).__name__)
                sleep(pause, cancel)

    def _deadline(self, cancel: CancelToken | None) -> float:
        left = cancel.remaining if cancel is not None else None
        most = self.limits.total_seconds
        return time.monotonic() + (most if left is None else min(most, left))

    def _request(
        self,
        messages: Sequence[Mapping[str, Any]],
        model: str,
        tools: Sequence[Mapping[str, Any]],
        most_tokens: int,
    ) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": model,
            "messages": list(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": most_tokens,
        }
        if tools:
            request["tools"] = list(tools)
        return request

    def _adapt(self, error: Exception, request: dict[str, Any]) -> bool:
        """Change what the server seems not to take; tell whether to try again at once."""
        if isinstance(error, CutOffError) and error.empty and request["stream"]:
            # Some servers break off an answer that went wrong; without a stream they say why.
            request["stream"] = False
            request.pop("stream_options", None)
            return True
        name = dropped_parameter(error, request)
        if not name:
            return False
        if name == "response_format":
            return self._other_format(request)
        _log.info("the server takes no %s; going on without", name)
        self._unwanted.add(name)
        _leave_out(name, request)
        return True

    def _other_format(self, request: dict[str, Any]) -> bool:
        """Say the schema in the next way that servers know, or leave it out."""
        self._format += 1
        asked = request.pop("response_format")
        schema = asked["json_schema"]["schema"] if "json_schema" in asked else asked["schema"]
        if self._format < len(_FORMATS):
            request["response_format"] = _FORMATS[self._format](schema)
        else:
            _log.info("the server holds replies to no schema; going on without")
        return True

    def close(self) -> None:
        """Close connections."""
        self._client.close()

    def _once(
        self, request: Mapping[str, Any], cancel: CancelToken | None, deadline: float
    ) -> Completion:
        """Ask once, in a thread of its own: a cancelled run does not wait for a slow model."""
        outcome: queue.SimpleQueue[Completion | BaseException] = queue.SimpleQueue()
        given_up = threading.Event()

        def _work() -> None:
            try:
                outcome.put(self._receive(request, given_up))
            except BaseException as error:  # handed over to the thread that waits
                outcome.put(error)

        threading.Thread(target=_work, name="robodata-model", daemon=True).start()
        try:
            while True:
                try:
                    found = outcome.get(timeout=_POLL)
                except queue.Empty:
                    if cancel is not None:
                        cancel.check()
                    if time.monotonic() > deadline:
                        raise ModelUnavailableError("The language model took too long.") from None
                    continue
                if isinstance(found, BaseException):
                    raise found
                return found
        finally:
            given_up.set()

    def _receive(self, request: Mapping[str, Any], given_up: threading.Event) -> Completion:
        import httpx2 as httpx

        assembly, pieces, replying = Assembly(), 0, False
        try:
            if not request["stream"]:
                assembly.take_whole(self._client.chat.completions.create(**request))
                return assembly.completion()
            with self._client.chat.completions.create(**request) as stream:
                replying = stream.response.headers.get("content-type", "").startswith(_STREAM)
                for chunk in stream:
                    if given_up.is_set():
                        raise CutOffError("Nobody waits for this reply any more.")
                    pieces += 1
                    assembly.take(chunk)
                    if assembly.endless:
                        assembly.finish = "length"
                        break
        except (httpx.TransportError, self._openai.APIConnectionError) as problem:
            if replying and is_too_large(problem):
                assembly.finish = "length"  # the model wrote too much, and is told so
            elif isinstance(problem, httpx.TransportError):
                # Not every version of the library wraps these while streaming.
                raise self._openai.APIConnectionError(request=None) from problem  # type: ignore[arg-type]
            else:
                raise
        except _BROKEN as problem:
            raise broken_reply() from problem
        if not assembly.finish:
            # Every server says why it stopped; one that does not was cut off, or is none.
            error = CutOffError("The language model's reply was cut off.")
            error.empty = not pieces
            raise error
        return assembly.completion()

    def _pause(self, error: Exception, attempt: int, deadline: float) -> float | None:
        """Return seconds to wait before another try, or None if that is no use."""
        if attempt >= self.limits.tries or not is_passing(error, self._openai):
            return None
        pause = wait_asked_for(error)
        if pause is None:
            pause = self.limits.backoff_seconds * 2 ** (attempt - 1) * (0.5 + self._jitter())
        return pause if time.monotonic() + pause < deadline else None


def _leave_out(name: str, request: dict[str, Any]) -> None:
    value = request.pop(name, None)
    if name == "max_tokens" and value is not None:
        request["max_completion_tokens"] = value  # what newer models of OpenAI call it
