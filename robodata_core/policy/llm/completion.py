"""What a model replied, and how a reply is put together from the pieces of a stream.

The reply is untrusted: sizes are bounded here, contents are checked by whoever reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from robodata_core.errors import PolicyError
from robodata_core.model import TokenCount

__all__ = [
    "TOO_LARGE",
    "Assembly",
    "Completion",
    "ContextOverflowError",
    "CutOffError",
    "RawCall",
    "ToolsUnsupportedError",
]

#: What a transport says of a reply that it does not read to its end.
TOO_LARGE: Final = "The answer is larger than it may be."
_MAX_TEXT: Final = 100_000
_MAX_ARGUMENTS: Final = 100_000
_MAX_CALLS: Final = 64
_MAX_STREAM: Final = 2_000_000
_MOST_TOKENS: Final = 1e12


class ContextOverflowError(PolicyError):
    """The prompt is longer than the model's context."""


class ToolsUnsupportedError(PolicyError):
    """The server does not take tool definitions."""


class CutOffError(PolicyError):
    """A reply that ended before it was over.

    Attributes:
        empty: Whether nothing of it came at all.
    """

    empty = False


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


@dataclass(slots=True)
class Assembly:
    """A reply while its pieces arrive."""

    text: list[str] = field(default_factory=list)
    size: int = 0
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    finish: str = ""
    refused: bool = False
    tokens: TokenCount = TokenCount()

    @property
    def endless(self) -> bool:
        """Whether more came than any reply needs."""
        return self.size > _MAX_STREAM

    def take(self, chunk: Any) -> None:
        """Add one piece, as the ``openai`` package reads it."""
        usage = getattr(chunk, "usage", None)
        if usage is not None:
            prompt, completion = usage.prompt_tokens, usage.completion_tokens
            self.tokens = TokenCount(_count(prompt), _count(completion))
        for choice in chunk.choices or ():
            if choice.finish_reason:
                self.finish = str(choice.finish_reason)
            if choice.delta is not None:
                self._take_delta(choice.delta)

    def take_whole(self, response: Any) -> None:
        """Take a reply that was not streamed."""
        usage = getattr(response, "usage", None)
        if usage is not None:
            self.tokens = TokenCount(_count(usage.prompt_tokens), _count(usage.completion_tokens))
        choice = response.choices[0]
        self.finish = str(choice.finish_reason or "")
        message = choice.message
        self.refused = bool(getattr(message, "refusal", None))
        self._add_text(str(message.content or ""))
        for index, call in enumerate(message.tool_calls or ()):
            function = call.function
            name, arguments = str(function.name or ""), str(function.arguments or "")
            self._add_call(index, str(call.id or ""), name, arguments)

    def _take_delta(self, delta: Any) -> None:
        self.refused = self.refused or bool(getattr(delta, "refusal", None))
        if delta.content:
            self._add_text(str(delta.content))
        for call in delta.tool_calls or ():
            function = call.function
            self._add_call(
                int(call.index or 0),
                str(call.id or ""),
                str((function.name if function else "") or ""),
                str((function.arguments if function else "") or ""),
            )

    def _add_text(self, text: str) -> None:
        if self.size < _MAX_TEXT:
            self.text.append(text[: _MAX_TEXT - self.size])
        self.size += len(text)

    def _add_call(self, index: int, id_: str, name: str, arguments: str) -> None:
        self.size += len(name) + len(arguments)
        if index not in self.calls and len(self.calls) >= _MAX_CALLS:
            return
        call = self.calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        call["id"] = call["id"] or id_[:200]
        call["name"] = (call["name"] + name)[:200]
        if len(call["arguments"]) <= _MAX_ARGUMENTS:
            call["arguments"] += arguments

    def completion(self) -> Completion:
        """Return the whole reply; one that the model refused counts as filtered."""
        calls = tuple(
            RawCall(call["id"] or f"call_{index}", call["name"], call["arguments"])
            for index, call in sorted(self.calls.items())
        )
        finish = "content_filter" if self.refused else self.finish
        return Completion("".join(self.text), calls, self.tokens, finish)


def _count(value: Any) -> int:
    """Return a number of tokens; 0 where the server says none that can be."""
    return int(value) if isinstance(value, int | float) and 0 <= value < _MOST_TOKENS else 0
