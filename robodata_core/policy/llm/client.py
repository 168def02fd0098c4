"""One call to a language model: messages and tools in, text and tool calls out.

``OpenAIClient`` speaks to any OpenAI-compatible server through the ``openai`` package, streams,
retries what may pass, and turns everything else into one of our errors. What is asked and what
the reply means is not its business. The reply is untrusted: sizes are bounded here, contents are
checked by whoever reads them.
"""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from robodata_core.cancellation import CancelToken
from robodata_core.errors import ConfigurationError, ModelUnavailableError, PolicyError
from robodata_core.model import TokenCount

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
_MAX_TEXT: Final = 100_000
_MAX_ARGUMENTS: Final = 100_000
_MAX_CALLS: Final = 64


class ContextOverflowError(PolicyError):
    """The prompt is longer than the model's context."""


class ToolsUnsupportedError(PolicyError):
    """The server does not take tool definitions."""


class _CutOffError(PolicyError):
    """A reply that ended before it was over."""


@dataclass(frozen=True, slots=True)
class RawCall:
    """A tool call as the model wrote it; ``arguments`` is meant to be JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model replied.

    Attributes:
        text: Its prose, possibly empty.
        calls: Its tool calls.
        tokens: As the server counts them (0 where it does not say).
        finish: Why it stopped: ``stop``, ``tool_calls``, ``length``, ``content_filter``...
    """

    text: str = ""
    calls: tuple[RawCall, ...] = ()
    tokens: TokenCount = TokenCount()
    finish: str = ""


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
    ) -> Completion:
        """Return the model's next message.

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
    """

    connect_seconds: float = 10.0
    read_seconds: float = 120.0
    total_seconds: float = 600.0
    tries: int = 4
    backoff_seconds: float = 1.0


@dataclass(slots=True)
class _Assembly:
    """A reply while its pieces arrive."""

    text: list[str] = field(default_factory=list)
    size: int = 0
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    finish: str = ""
    tokens: TokenCount = TokenCount()

    def add_text(self, text: str) -> None:
        self.size += len(text)
        if self.size <= _MAX_TEXT:
            self.text.append(text)

    def add_call(self, index: int, id_: str, name: str, arguments: str) -> None:
        if index not in self.calls and len(self.calls) >= _MAX_CALLS:
            return
        call = self.calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        call["id"] = call["id"] or id_
        call["name"] = (call["name"] + name)[:200]
        if len(call["arguments"]) <= _MAX_ARGUMENTS:
            call["arguments"] += arguments

    def completion(self) -> Completion:
        calls = tuple(
            RawCall(call["id"] or f"call_{index}", call["name"], call["arguments"])
            for index, call in sorted(self.calls.items())
        )
        return Completion("".join(self.text), calls, self.tokens, self.finish)


class OpenAIClient:
    """Asks an OpenAI-compatible endpoint.

    Args:
        base_url: Address of the API, e.g. ``http://127.0.0.1:11434/v1``; empty for
            ``OPENAI_BASE_URL`` or OpenAI itself.
        api_key: Key; empty for ``OPENAI_API_KEY``. Local servers need none.
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
        except ImportError as error:
            raise ConfigurationError(
                "The openai package is not installed.", hint="Run: pip install 'robodata[llm]'"
            ) from error
        self._openai = openai
        self.limits = limits or ModelLimits()
        self._jitter = jitter
        address = base_url or os.environ.get("OPENAI_BASE_URL", "")
        key = api_key or os.environ.get("OPENAI_API_KEY", "")
        if not key and not address:
            raise ConfigurationError(
                "There is no key for the language model.",
                hint="Set OPENAI_API_KEY, or base_url for a local server.",
            )
        timeout = httpx.Timeout(self.limits.read_seconds, connect=self.limits.connect_seconds)
        self.address = address or "https://api.openai.com/v1"
        self._stream_usage = True
        self._client = openai.OpenAI(
            base_url=address or None,
            api_key=key or "none",
            max_retries=0,
            timeout=timeout,
            http_client=httpx.Client(transport=transport, timeout=timeout),
        )

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        model: str,
        tools: Sequence[Mapping[str, Any]] = (),
        cancel: CancelToken | None = None,
        most_tokens: int = 2_000,
    ) -> Completion:
        """Return the model's next message; see ``ModelClient``."""
        deadline = time.monotonic() + self.limits.total_seconds
        for attempt in range(self.limits.tries):
            if cancel is not None:
                cancel.check()
            try:
                return self._once(messages, model, tools, cancel, most_tokens, deadline)
            except (self._openai.OpenAIError, _CutOffError) as error:
                pause = self._pause(error, attempt, deadline)
                if pause is None:
                    raise self._named(error, model, bool(tools)) from error
                _log.info("attempt %d failed: %s", attempt + 1, error)
                _wait(pause, cancel)
        raise ModelUnavailableError("The language model gave no answer.")

    def close(self) -> None:
        """Close connections."""
        self._client.close()

    def _once(
        self,
        messages: Sequence[Mapping[str, Any]],
        model: str,
        tools: Sequence[Mapping[str, Any]],
        cancel: CancelToken | None,
        most_tokens: int,
        deadline: float,
    ) -> Completion:
        import httpx2 as httpx

        request: dict[str, Any] = {
            "model": model,
            "messages": list(messages),
            "max_tokens": most_tokens,
            "temperature": 0,
            "stream": True,
        }
        if self._stream_usage:
            request["stream_options"] = {"include_usage": True}
        if tools:
            request["tools"] = list(tools)
        assembly = _Assembly()
        try:
            with self._client.chat.completions.create(**request) as stream:
                for chunk in stream:
                    if cancel is not None:
                        cancel.check()
                    if time.monotonic() > deadline:
                        raise ModelUnavailableError("The language model took too long.")
                    _take(chunk, assembly)
        except httpx.TransportError as error:
            # The library wraps these while connecting but not while streaming.
            raise self._openai.APIConnectionError(request=None) from error  # type: ignore[arg-type]
        except (ValueError, AttributeError, TypeError, KeyError) as error:
            raise PolicyError("The language model's server sent a broken reply.") from error
        if not assembly.finish:
            # Every server says why it stopped; one that does not was cut off, or is none.
            raise _CutOffError("The language model's reply was cut off.")
        return assembly.completion()

    def _pause(self, error: Exception, attempt: int, deadline: float) -> float | None:
        """Return seconds to wait before another try, or None if that is no use."""
        openai = self._openai
        passing = (
            openai.RateLimitError,
            openai.InternalServerError,
            openai.APIConnectionError,
            _CutOffError,
        )
        if not isinstance(error, passing) or attempt + 1 >= self.limits.tries:
            return None
        response = getattr(error, "response", None)
        asked = response.headers.get("retry-after", "") if response is not None else ""
        pause = self.limits.backoff_seconds * 2**attempt * (0.5 + self._jitter())
        if asked.isascii() and asked.isdigit():
            pause = float(asked)
        return pause if time.monotonic() + pause < deadline else None

    def _named(self, error: Exception, model: str, with_tools: bool) -> PolicyError:
        """Return our error for one of the library's, in words for the person who asked."""
        openai = self._openai
        if isinstance(error, _CutOffError):
            hint = "Is the address that of an OpenAI-compatible API?"
            return ModelUnavailableError(str(error), hint=hint)
        if isinstance(error, openai.BadRequestError):
            return _bad_request(str(error).lower(), with_tools)
        sentences: tuple[tuple[Any, str, str], ...] = (
            (
                (openai.AuthenticationError, openai.PermissionDeniedError),
                "The language model's server denies access.",
                "Check OPENAI_API_KEY.",
            ),
            (
                openai.NotFoundError,
                f"There is no model called {model} at {self.address}.",
                "Check --model and --base-url.",
            ),
            (openai.APITimeoutError, "The language model gave no answer in time.", ""),
            (
                openai.RateLimitError,
                "The language model's server asks for fewer requests.",
                "Try again later.",
            ),
            (openai.InternalServerError, "The language model's server is failing.", ""),
            (
                openai.APIConnectionError,
                f"The language model at {self.address} cannot be reached.",
                "Is it running?",
            ),
        )
        for kinds, sentence, hint in sentences:
            if isinstance(error, kinds):
                return ModelUnavailableError(sentence, hint=hint)
        return PolicyError("The language model's server sent a broken reply.")


def _bad_request(text: str, with_tools: bool) -> PolicyError:
    if any(mark in text for mark in ("context", "too long", "maximum length", "too many tokens")):
        return ContextOverflowError("The prompt is longer than the model's context.")
    if with_tools and ("tool" in text or "function" in text):
        return ToolsUnsupportedError("The server takes no tool definitions.")
    return PolicyError("The language model's server does not take the request.")


def _take(chunk: Any, assembly: _Assembly) -> None:
    usage = getattr(chunk, "usage", None)
    if usage is not None:
        assembly.tokens = TokenCount(
            int(usage.prompt_tokens or 0), int(usage.completion_tokens or 0)
        )
    for choice in chunk.choices or ():
        delta = choice.delta
        if choice.finish_reason:
            assembly.finish = str(choice.finish_reason)
        if delta is None:
            continue
        if delta.content:
            assembly.add_text(str(delta.content))
        for call in delta.tool_calls or ():
            function = call.function
            assembly.add_call(
                int(call.index or 0),
                str(call.id or ""),
                str((function.name if function else "") or ""),
                str((function.arguments if function else "") or ""),
            )


def _wait(seconds: float, cancel: CancelToken | None) -> None:
    if cancel is not None:
        cancel.wait(seconds)
    else:
        time.sleep(seconds)
