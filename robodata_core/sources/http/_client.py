"""HTTP the way a polite, patient client of public services does it.

One class, ``HttpClient``: descriptive User-Agent, gzip, bounded body, bounded time, retries
with exponential backoff and jitter that honour ``Retry-After``, a cap on requests at the same
time, redirects at the same origin only, credentials for the hosts they are for, and typed errors.
What the body means is the caller's business. A wire can be given, which is how traffic is recorded
and replayed.
"""

from __future__ import annotations

import email.utils
import logging
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from robodata_core._version import __version__
from robodata_core.cancellation import CancelToken, current, sleep
from robodata_core.errors import (
    MalformedResponseError,
    RateLimitedError,
    SourceError,
    SourceRefusedError,
    SourceTimeoutError,
)
from robodata_core.masking import mask_bytes
from robodata_core.outgoing import Request, outgoing
from robodata_core.sources.http._wire import Bounds, Received, Sent, Wire
from robodata_core.text import clean_text, parse_json

USER_AGENT = f"RoboData/{__version__} (knowledge-graph question answering; python-requests)"

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS: Final = 5
_POLL: Final = 0.05
_MOST_WAIT: Final = 3_600.0
_UNREACHABLE_TRIES: Final = 2
_MOST_FIELD: Final = 80
_PROLOGUE: Final = re.compile(r"\A(?:\s*(?:BASE|PREFIX\s+\S*)\s*<[^>]*>)+", re.IGNORECASE)
"""Of a SPARQL query: it says nothing of what is asked."""
_TELLING: Final = frozenset({"action", "ids", "search", "titles", "property", "query", "entity"})
"""Fields whose values say what is asked; others are left out of what is told of a request."""

_log = logging.getLogger("robodata.http")


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Bounds of one logical request, retries included.

    Attributes:
        connect_seconds: Most time to connect.
        read_seconds: Most time between two pieces of the answer.
        total_seconds: Most time for everything, waits between tries included.
        bytes: Most bytes of a decoded body.
        tries: Most attempts.
        backoff_seconds: First wait; it doubles with every try.
        concurrency: Most requests at the same time.
    """

    connect_seconds: float = 5.0
    read_seconds: float = 30.0
    total_seconds: float = 60.0
    bytes: int = 50_000_000
    tries: int = 4
    backoff_seconds: float = 0.5
    concurrency: int = 4


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """Status, headers (lower-case names) and decoded body of a final answer below 500."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    def json(self) -> Any:
        """Return the body as JSON.

        Raises:
            MalformedResponseError: If it is not JSON.
        """
        try:
            return parse_json(self.body)
        except ValueError as error:
            raise MalformedResponseError(
                f"The answer of {_host(self.url)} is not valid JSON.",
                hint="It may be an error page; try again later.",
            ) from error


def user_agent(contact: str) -> str:
    """Return the User-Agent with a way to reach whoever runs this program, where one is given."""
    contact = clean_text(contact, limit=200).encode("ascii", "ignore").decode().strip()
    return USER_AGENT.replace("; python", f"; {contact}; python") if contact else USER_AGENT


def origin(url: str) -> str:
    """Return scheme, host and port of an address; empty if it is none (RFC 6454)."""
    try:
        split = urlsplit(url)
        port = split.port or {"http": 80, "https": 443}.get(split.scheme)
    except ValueError:
        return ""
    return f"{split.scheme}://{split.hostname}:{port}" if split.hostname and port else ""


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a service lets us in with, bound to where it may go.

    Attributes:
        headers: Headers to send.
        origins: Where to (see ``origin``).
        secrets: What must not come back: values by the name of their environment variable.
    """

    headers: Mapping[str, str]
    origins: frozenset[str]
    secrets: Mapping[str, str] = field(default_factory=dict)

    def fit(self, url: str) -> bool:
        """Tell whether they are for this address."""
        return origin(url) in self.origins

    def masked(self, body: bytes) -> bytes:
        """Return an answer without the secrets, which a server may repeat."""
        return mask_bytes(body, self.secrets)


class _Retry(Exception):
    """An attempt failed in a way that may pass; ``error`` is what to raise if it does not."""

    def __init__(
        self, error: SourceError, wait: float | None = None, tries: int | None = None
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait = wait
        self.tries = tries


class HttpClient:
    """Sends requests within ``limits``; safe to use from several threads.

    Args:
        limits: Bounds that apply to every request.
        user_agent: Sent with every request; services ask for a way to reach the operator.
        headers: Further headers of every request.
        credentials: Sent to the addresses they are for, and to no other.
        wire: Replaces the network, for recording and replay.
        jitter: Returns a number in [0, 1); injected so that runs can be repeated.
        patient: Whether to wait between tries; a replayed recording need not.

    Attributes:
        limits: As given.
        requests: Requests sent so far, repeated ones included.
    """

    def __init__(
        self,
        limits: HttpLimits | None = None,
        *,
        user_agent: str = USER_AGENT,
        headers: Mapping[str, str] | None = None,
        credentials: Credentials | None = None,
        wire: Wire | None = None,
        jitter: Callable[[], float] = random.random,
        patient: bool = True,
    ) -> None:
        from robodata_core.sources.http._network import Network

        self.limits = limits or HttpLimits()
        self.requests = 0
        self._jitter = jitter
        self._patient = patient
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(self.limits.concurrency)
        self._wire = wire or Network(self.limits.concurrency)
        self._credentials = credentials
        self._headers = {
            "User-Agent": user_agent,
            "Accept": "*/*",
            "Accept-Encoding": "gzip, deflate",
            **(headers or {}),
        }

    def get(self, url: str, params: Mapping[str, str] | None = None, **rest: Any) -> HttpResponse:
        """Send a GET; see ``request``."""
        return self.request("GET", url, params=params, **rest)

    def request(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        data: Mapping[str, Any] | bytes | None = None,
        headers: Mapping[str, str] | None = None,
        cancel: CancelToken | None = None,
        seconds: float | None = None,
        is_final: Callable[[HttpResponse], bool] | None = None,
        retry_body: Callable[[HttpResponse], float | None] | None = None,
    ) -> HttpResponse:
        """Send a request, again where that may help, and return the final answer.

        Args:
            method: HTTP method.
            url: Absolute URL.
            params: Query parameters.
            data: Form fields, or the body as it is.
            headers: Further headers.
            cancel: Ends the request at once and shortens its time; None takes the token of the
                run that this is part of.
            seconds: Most time for everything, where that is less than the limits allow.
            is_final: Says of an error answer that it will not get better, so that it is
                returned at once (a query that is too slow stays too slow).
            retry_body: Looks at a good answer and returns seconds to wait if it is really a
                "not now" (Wikibase reports ``maxlag`` with status 200), else None.

        Returns:
            An answer with a status below 500 other than 401, 403 and 429.

        Raises:
            RateLimitedError: Still limited after all tries.
            SourceTimeoutError: No answer in time.
            SourceRefusedError: Not reachable, not allowed, or failing.
            MalformedResponseError: Cut off, or larger than allowed.
        """
        cancel = cancel or current()
        deadline = time.monotonic() + self._seconds(cancel, seconds)
        with outgoing(_host(url), _asked_for(method, url, params, data)) as told:
            sent = _prepared(method, url, params, data, {**self._headers, **(headers or {})})
            for attempt in range(self.limits.tries):
                if cancel is not None:
                    cancel.check()
                try:
                    with self._slot(url, deadline, cancel):
                        response = self._once(sent, url, deadline, cancel)
                    response = _accepted(response, url, is_final, retry_body)
                    told.end(f"{response.status}, {len(response.body):,} bytes")
                    return response
                except _Retry as retry:
                    self._wait(retry, attempt, url, told, deadline, cancel)
        raise _timed_out(url)

    def _wait(
        self,
        retry: _Retry,
        attempt: int,
        url: str,
        told: Request,
        deadline: float,
        cancel: CancelToken | None,
    ) -> None:
        """Wait until a request is tried again."""
        pause = self._pause(attempt, retry.wait)
        _log.info("%s: attempt %d failed: %s", _host(url), attempt + 1, retry.error)
        most = min(self.limits.tries, retry.tries or self.limits.tries)
        if attempt + 1 >= most or time.monotonic() + pause > deadline:
            raise retry.error
        told.again(pause, str(retry.error))
        if self._patient:
            sleep(pause, cancel)

    @contextmanager
    def _slot(self, url: str, deadline: float, cancel: CancelToken | None) -> Iterator[None]:
        """Hold one of the places for requests at the same time."""
        while not self._slots.acquire(timeout=_POLL):
            if cancel is not None:
                cancel.check()
            if time.monotonic() > deadline:
                raise _Retry(_timed_out(url))
        try:
            with self._lock:
                self.requests += 1
            yield
        finally:
            self._slots.release()

    def _seconds(self, cancel: CancelToken | None, seconds: float | None) -> float:
        left = cancel.remaining if cancel is not None else None
        given = (self.limits.total_seconds, seconds, left)
        return min(item for item in given if item is not None)

    def _pause(self, attempt: int, asked: float | None) -> float:
        pause = self.limits.backoff_seconds * 2**attempt * (0.5 + self._jitter())
        return max(asked, 0.0) if asked is not None else float(pause)

    def _once(
        self, sent: Sent, url: str, deadline: float, cancel: CancelToken | None
    ) -> HttpResponse:
        limits = self.limits
        bounds = Bounds(limits.connect_seconds, limits.read_seconds, deadline, limits.bytes, cancel)
        known = self._credentials if self._credentials and self._credentials.fit(url) else None
        for _ in range(_MOST_REDIRECTS + 1):
            headers_of = (*sent.headers, *known.headers.items()) if known else sent.headers
            received = self._wire.send(replace(sent, headers=headers_of), bounds)
            if received.failure:
                raise _trouble(url, received, self.limits.bytes)
            if received.status not in _REDIRECTS:
                body = known.masked(received.body) if known else received.body
                return HttpResponse(received.status, dict(received.headers), body, url)
            sent = _redirected(sent, received, url)
        raise SourceRefusedError(f"{_host(url)} redirects in a circle.")

    def close(self) -> None:
        """Close open connections."""
        self._wire.close()


def _asked_for(
    method: str, url: str, params: Mapping[str, str] | None, data: Mapping[str, Any] | bytes | None
) -> str:
    """Return what a request asks, in few words: its path and the values of its fields."""
    fields = {**(params or {}), **(data if isinstance(data, Mapping) else {})}
    told = (_PROLOGUE.sub("", str(fields[name])) for name in fields if name in _TELLING)
    values = ", ".join(" ".join(text.split())[:_MOST_FIELD] for text in told)
    # No address is parsed here: whether it is one is told by who sends it.
    path = url.split("://", 1)[-1].partition("/")[2].split("?", 1)[0]
    return f"{method} /{path} {values}".strip()


def _prepared(
    method: str,
    url: str,
    params: Mapping[str, str] | None,
    data: Mapping[str, Any] | bytes | None,
    headers: Mapping[str, str],
) -> Sent:
    """Return a request as it goes over the wire."""
    from requests import Request, RequestException

    try:
        made = Request(method, url, headers=dict(headers), params=params, data=data).prepare()
    except (RequestException, ValueError) as error:
        raise _no_address(url) from error
    body = made.body.encode("utf-8") if isinstance(made.body, str) else made.body
    assert body is None or isinstance(body, bytes)
    given = ((str(name), str(value)) for name, value in made.headers.items())
    sent = tuple(pair for pair in given if pair[0].lower() != "content-length")
    return Sent(method, str(made.url), sent, body or b"")


def _redirected(sent: Sent, received: Received, url: str) -> Sent:
    """Return the request that a redirect asks for, at the same origin."""
    target = urljoin(sent.url, dict(received.headers).get("location", ""))
    if origin(target) != origin(sent.url):
        shown = clean_text(origin(target) or target, limit=100)
        raise SourceRefusedError(
            f"{_host(url)} redirects to another host, {shown}.",
            hint="Redirects are followed at the same host only; give that address if it is right.",
        )
    if received.status in (307, 308) or sent.method in ("GET", "HEAD"):
        return replace(sent, url=target)
    kept = tuple(
        (name, value) for name, value in sent.headers if not name.lower().startswith("content-")
    )
    return Sent("GET", target, kept, b"")


def _trouble(url: str, received: Received, most: int) -> Exception:
    """Return what to raise for an exchange that failed."""
    kind = received.failure
    if kind.endswith("Timeout"):
        return _Retry(_timed_out(url))
    if kind == "ConnectError":
        return _unreachable(url, received.message)
    if kind == "InvalidRequest":
        return _no_address(url)
    if kind == "TooLarge":
        return MalformedResponseError(
            f"The answer of {_host(url)} is larger than {most} bytes.",
            hint="Ask for less at a time.",
        )
    if kind == "ForeignEncoding":
        return MalformedResponseError(f"{_host(url)} sent an encoding nobody asked for.")
    return _Retry(_cut_off(url))


def _no_address(url: str) -> SourceRefusedError:
    return SourceRefusedError(f"{clean_text(url, limit=200)!r} is not an address to be asked.")


def _accepted(
    response: HttpResponse,
    url: str,
    is_final: Callable[[HttpResponse], bool] | None,
    retry_body: Callable[[HttpResponse], float | None] | None,
) -> HttpResponse:
    """Return an answer that is good, or will not get better; see ``HttpClient.request``."""
    if is_final is None or not is_final(response):
        _check(response)
    wait = retry_body(response) if retry_body is not None else None
    if wait is not None:
        raise _Retry(_limited(url, wait), wait)
    return response


def _check(response: HttpResponse) -> None:
    status, host = response.status, _host(response.url)
    if status == 429:
        wait = _retry_after(response.headers.get("retry-after", ""))
        raise _Retry(_limited(response.url, wait), wait)
    if status in (401, 403):
        raise SourceRefusedError(
            f"{host} denies access (status {status}).", hint="Check the credentials."
        )
    if status >= 500:
        wait = _retry_after(response.headers.get("retry-after", ""))
        raise _Retry(SourceRefusedError(f"{host} is failing (status {status})."), wait)


def _limited(url: str, wait: float | None) -> RateLimitedError:
    return RateLimitedError(
        f"{_host(url)} asks for fewer requests.",
        retry_after=wait,
        hint=f"Try again in {wait:.0f} s." if wait else "Try again later.",
    )


def _timed_out(url: str) -> SourceTimeoutError:
    return SourceTimeoutError(f"{_host(url)} gave no answer in time.", hint="Try again later.")


def _cut_off(url: str) -> MalformedResponseError:
    return MalformedResponseError(f"The answer of {_host(url)} was cut off.")


def _unreachable(url: str, message: str) -> Exception:
    """Return what to raise for a connection that could not be made."""
    text, host = message.lower(), _host(url)
    if "certificate" in text:
        return SourceRefusedError(f"The certificate of {host} cannot be trusted.")
    if "ssl" in text or "tls" in text:
        hint = "Is the address to begin with http://?"
        return SourceRefusedError(f"No secure connection to {host} could be made.", hint=hint)
    if "name" in text and ("resol" in text or "known" in text):
        hint = "Check the address and the network."
        return SourceRefusedError(f"There is no host called {host}.", hint=hint)
    refused = SourceRefusedError(f"{host} cannot be reached.", hint="Is it running?")
    return _Retry(refused, tries=_UNREACHABLE_TRIES)


def _retry_after(text: str) -> float | None:
    """Read a Retry-After header: seconds or an HTTP date (RFC 9110, 10.2.3)."""
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return min(float(text), _MOST_WAIT)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return min(max(0.0, (moment - datetime.now(timezone.utc)).total_seconds()), _MOST_WAIT)


def _host(url: str) -> str:
    rest = url.split("://", 1)[-1]
    return rest.split("/", 1)[0].rsplit("@", 1)[-1] or url
