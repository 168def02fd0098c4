"""What went wrong with a model's server, in our errors and words, and what may be tried again.

OpenAI-compatible servers differ in which optional parameters they take; ``dropped_parameter``
reads from a refusal which one to leave out. The wording of refusals follows the servers'
documentation and, for llama.cpp, its behaviour.
"""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import urlsplit

from robodata_core.errors import ModelUnavailableError, PolicyError
from robodata_core.policy.llm.completion import (
    TOO_LARGE,
    ContextOverflowError,
    CutOffError,
    ToolsUnsupportedError,
)
from robodata_core.text import clean_text

__all__ = [
    "broken_reply",
    "dropped_parameter",
    "is_passing",
    "is_too_large",
    "named",
    "wait_asked_for",
]

_OPTIONAL: Final = ("response_format", "stream_options", "max_tokens", "temperature")
_UNWANTED: Final = ("unsupported", "not supported", "not support", "unrecognized", "unknown")
_FORBIDDEN: Final = ("extra inputs are not permitted", "extra_forbidden", "not permitted")
_ABOUT_SCHEMAS: Final = ("response_format", "json_schema", "json schema", "grammar", "schema")
_OVERFLOW: Final = ("context", "too long", "maximum length", "too many tokens")
_NO_TOOLS: Final = re.compile(r"\b(tools?|functions?)\b|tool_choice|--jinja")
_REFUSED_STATUS: Final = frozenset({400, 413, 422, 501})


def is_passing(error: Exception, openai: Any) -> bool:
    """Tell whether another try may help."""
    if _wants_no_tools(error) or is_too_large(error):
        return False
    kinds = (
        openai.RateLimitError,
        openai.InternalServerError,
        openai.APIConnectionError,
        CutOffError,
    )
    return isinstance(error, kinds) and _status(error) != 501


def is_too_large(error: BaseException | None) -> bool:
    """Tell whether a reply was cut at the limit; the library tells that as a lost connection."""
    while error is not None and str(error) != TOO_LARGE:
        error = error.__cause__
    return error is not None


def wait_asked_for(error: Exception) -> float | None:
    """Return the seconds that the server asks to wait, if it does."""
    response = getattr(error, "response", None)
    asked = response.headers.get("retry-after", "") if response is not None else ""
    return float(asked) if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", asked) else None


def dropped_parameter(error: Exception, request: dict[str, Any]) -> str:
    """Return which optional parameter of ``request`` the server objects to, or nothing."""
    text = str(error).lower()
    if _status(error) == 500 and "response_format" in request and "response_format" in text:
        return "response_format"  # llama-cpp-python says by a 500 what it does not take
    if _status(error) not in _REFUSED_STATUS:
        return ""
    if any(mark in text for mark in _OVERFLOW):
        return ""
    if "response_format" in request and any(mark in text for mark in _ABOUT_SCHEMAS):
        return "response_format"
    if not any(mark in text for mark in (*_UNWANTED, *_FORBIDDEN)):
        return ""
    return next((name for name in _OPTIONAL if name in request and name in text), "")


def named(
    error: Exception, openai: Any, *, model: str, address: str, tools: bool, keyless: bool = False
) -> PolicyError:
    """Return our error for one of the library's, in words for the person who asked.

    Args:
        error: What the library raised.
        openai: The library.
        model: Which model was asked.
        address: Where.
        tools: Whether tools were offered.
        keyless: Whether no key was sent.
    """
    if isinstance(error, CutOffError):
        hint = "Is the address that of an OpenAI-compatible API?"
        return ModelUnavailableError(str(error), hint=hint)
    if is_too_large(error):
        return ModelUnavailableError(
            f"The language model at {address} answered with more than may be read.",
            hint="Is the address that of an OpenAI-compatible API? The limit is read_bytes.",
        )
    if tools and _wants_no_tools(error):
        return ToolsUnsupportedError("The server takes no tool definitions.")
    if _status(error) in _REFUSED_STATUS:
        return _refusal(error)
    if isinstance(error, openai.RateLimitError):
        return _too_often(error)
    for kinds, sentence, hint in _sentences(openai, model, address, keyless):
        if isinstance(error, kinds):
            return ModelUnavailableError(sentence, hint=hint)
    return broken_reply()


def broken_reply() -> PolicyError:
    """Return the error of a reply that is none of an OpenAI-compatible API."""
    return PolicyError(
        "The language model's server sent a broken reply.",
        hint="Is --base-url the address of an OpenAI-compatible API (most end in /v1)?",
    )


def _sentences(
    openai: Any, model: str, address: str, keyless: bool
) -> tuple[tuple[Any, str, str], ...]:
    host = urlsplit(address).hostname or ""
    return (
        (
            (openai.AuthenticationError, openai.PermissionDeniedError),
            "The language model's server denies access.",
            f"No key was sent there; where OPENAI_API_KEY is for it, set OPENAI_API_HOST={host}."
            if keyless
            else "Check OPENAI_API_KEY.",
        ),
        (
            openai.NotFoundError,
            f"There is no model called {model} at {address}.",
            "Check --model and --base-url (most addresses end in /v1).",
        ),
        (openai.APITimeoutError, "The language model gave no answer in time.", ""),
        (openai.InternalServerError, "The language model's server is failing.", ""),
        (
            openai.APIConnectionError,
            f"The language model at {address} cannot be reached.",
            "Is it running?",
        ),
    )


def _too_often(error: Exception) -> PolicyError:
    pause = wait_asked_for(error)
    when = "later" if pause is None else f"in {pause:.0f} s"
    return ModelUnavailableError(
        "The language model's server asks for fewer requests.", hint=f"Try again {when}."
    )


def _status(error: Exception) -> int:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else 0


def _wants_no_tools(error: Exception) -> bool:
    """Tell whether the server objects to tools (llama.cpp without templates does by a 500)."""
    text = str(error).lower()
    if _status(error) == 500:
        return "--jinja" in text
    overflow = any(mark in text for mark in _OVERFLOW)
    return _status(error) in _REFUSED_STATUS and not overflow and bool(_NO_TOOLS.search(text))


def _refusal(error: Exception) -> PolicyError:
    text = str(error)
    if any(mark in text.lower() for mark in _OVERFLOW):
        return ContextOverflowError(
            "The prompt is longer than the model's context.",
            hint="Set context_tokens to what the server has, or start it with more.",
        )
    body = getattr(error, "body", None)
    reason = body.get("message") if isinstance(body, dict) else None
    said = f": {clean_text(reason, limit=200)}" if isinstance(reason, str) and reason else ""
    return PolicyError(
        f"The language model's server does not take the request{said}".rstrip(".") + "."
    )
