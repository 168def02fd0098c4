"""How requests are let out: addresses, credentials, clients within the settings, recordings.

Credentials come from the environment alone: ``NAME_USER`` with ``NAME_PASSWORD`` (basic), or
``NAME_TOKEN`` (bearer), where NAME is ``ROBODATA_SPARQL`` for the endpoints of ``sparql:URL``. They
are sent there and nowhere else.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError
from robodata_core.sources.http._client import HttpClient, HttpLimits, user_agent
from robodata_core.text import clean_text

if TYPE_CHECKING:
    import httpx2 as httpx

__all__ = ["Traffic", "address", "authorization", "open_client", "open_traffic"]


class Traffic:
    """Where requests go: the network, the network with a recording, or a recording alone.

    One object serves the source and the model of a run, so that both are in one file.

    Args:
        record: File to record to, or empty.
        replay: Recording to answer from, or empty.

    Attributes:
        live: Whether the network is asked and nothing is recorded.
        replayed: Whether a recording answers.

    Raises:
        ConfigurationError: If both are asked for, or a file cannot be used.
    """

    def __init__(self, record: str = "", replay: str = "") -> None:
        from robodata_core.sources.recording import TrafficRecorder, TrafficReplay

        if record and replay:
            raise ConfigurationError("Traffic can be recorded or replayed, not both at once.")
        self._recorder = TrafficRecorder(record) if record else None
        self._replay = TrafficReplay(replay) if replay else None
        self.live = not record and not replay
        self.replayed = self._replay is not None

    def transport(self) -> httpx.BaseTransport | None:
        """Return the transport for a client; None is the network."""
        if self._recorder is not None:
            return self._recorder.transport()
        return self._replay.transport() if self._replay is not None else None

    def close(self) -> None:
        """Close the recording."""
        if self._recorder is not None:
            self._recorder.close()


def open_traffic(settings: Settings) -> Traffic | None:
    """Return what the settings ask for; None where nothing is recorded or replayed."""
    if not settings.record and not settings.replay_traffic:
        return None
    return Traffic(settings.record, settings.replay_traffic)


def address(text: str, variables: str = "ROBODATA_SPARQL") -> str:
    """Check an address, without which no request makes sense.

    Args:
        text: The address.
        variables: How the environment variables begin that hold its credentials.

    Raises:
        ConfigurationError: If it is none, or carries a password.
    """
    try:
        split = urlsplit(text)
        good = split.scheme in ("http", "https") and bool(split.hostname)
        secret = "@" in split.netloc
    except ValueError:
        good = secret = False
    if secret:
        raise ConfigurationError(
            "An address must not carry a user or password.",
            hint=f"Set {variables}_USER and {variables}_PASSWORD.",
        )
    if not good:
        raise ConfigurationError(
            f"{clean_text(text, limit=100)!r} is no address.", hint="It begins with https://."
        )
    return text


def authorization(environment: Mapping[str, str], variables: str) -> dict[str, str]:
    """Return the header that the variables beginning with ``variables`` ask for, if any."""
    token = environment.get(f"{variables}_TOKEN", "")
    user = environment.get(f"{variables}_USER", "")
    if token:
        return {"Authorization": f"Bearer {token}"}
    if user:
        pair = f"{user}:{environment.get(f'{variables}_PASSWORD', '')}"
        return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode("ascii")}
    return {}


def open_client(
    settings: Settings, traffic: Traffic | None, headers: Mapping[str, str]
) -> HttpClient:
    """Return a client within the limits of the settings."""
    timeout = settings.http_timeout
    limits = HttpLimits(
        connect_seconds=min(5.0, timeout),
        read_seconds=timeout,
        total_seconds=timeout,
        tries=settings.http_tries,
        concurrency=settings.concurrency,
    )
    more: dict[str, Any] = {}
    if traffic is not None:
        more = {"transport": traffic.transport(), "patient": not traffic.replayed}
    return HttpClient(limits, user_agent=user_agent(settings.contact), headers=headers, **more)
