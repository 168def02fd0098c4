"""How requests are let out: addresses, credentials, clients within the settings, recordings.

Credentials come from the environment alone: ``NAME_USER`` with ``NAME_PASSWORD`` (basic), or
``NAME_TOKEN`` (bearer), where NAME is ``ROBODATA_SPARQL`` for the endpoints of ``sparql:URL``. They
are sent to one host and to no other (``credentials``).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError
from robodata_core.sources.http._client import (
    Credentials,
    HttpClient,
    HttpLimits,
    origin,
    user_agent,
)
from robodata_core.text import clean_text

if TYPE_CHECKING:
    from robodata_core.sources.http._wire import Wire

OPENAI: Final = "https://api.openai.com/v1"


class Traffic:
    """Where requests go: the network with a recorder in between, or a recording alone.

    One object serves the source and the model of a run, so that both are in one file.

    Args:
        record: File to record to, or empty.
        replay: Recording to answer from, or empty.

    Attributes:
        recorder: What writes requests and answers down, or None.
        replay: The recording that answers, or None.

    Raises:
        ConfigurationError: If both are asked for, or a file cannot be used.
    """

    def __init__(self, record: str = "", replay: str = "") -> None:
        from robodata_core.sources.http._recording import TrafficRecorder, TrafficReplay

        if bool(record) == bool(replay):
            raise ConfigurationError("Traffic can be recorded or replayed, not both at once.")
        self.recorder = TrafficRecorder(record) if record else None
        self.replay = TrafficReplay(replay) if replay else None

    def wire(self) -> Wire:
        """Return what carries the requests of a client."""
        if self.recorder is not None:
            return self.recorder.wire()
        assert self.replay is not None
        return self.replay.wire()

    def close(self) -> None:
        """Close the recording."""
        if self.recorder is not None:
            self.recorder.close()


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


def credentials(
    environment: Mapping[str, str], variables: str, urls: Sequence[str]
) -> Credentials | None:
    """Return what the variables beginning with ``variables`` hold, bound to one host.

    Args:
        environment: Where the variables are.
        variables: How they begin: with ``_TOKEN`` (bearer), or ``_USER`` and ``_PASSWORD`` (basic);
            ``_HOST`` (``host`` or ``host:port``) says for whom they are.
        urls: The addresses that will be asked.

    Raises:
        ConfigurationError: If there are several hosts and nobody says for which they are.
    """
    token = environment.get(f"{variables}_TOKEN", "")
    user = environment.get(f"{variables}_USER", "")
    password = environment.get(f"{variables}_PASSWORD", "")
    if not token and not user:
        return None
    pair = base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
    header = f"Bearer {token}" if token else f"Basic {pair}"
    origins = {origin(url) for url in urls}
    wanted = environment.get(f"{variables}_HOST", "").lower()
    if wanted:
        origins = {one for one in origins if wanted in (_host_of(one), one.partition("://")[2])}
    elif len(origins) > 1:
        hosts = ", ".join(sorted(one.partition("://")[2] for one in origins))
        raise ConfigurationError(
            f"There are credentials in {variables}_..., and several hosts: {hosts}.",
            hint=f"Say in {variables}_HOST for which host they are.",
        )
    secrets = {
        f"{variables}_TOKEN": token,
        f"{variables}_PASSWORD": password,
        f"{variables}_USER": user,
    }
    return Credentials({"Authorization": header}, frozenset(origins), secrets)


def model_key(environment: Mapping[str, str], url: str) -> str:
    """Return the key of the language model's service, or nothing where it is for another host.

    ``OPENAI_API_KEY`` is for the host that ``OPENAI_API_HOST`` names; without that for the server
    that ``OPENAI_BASE_URL`` names, and without that for OpenAI's.

    Args:
        environment: Where the variables are.
        url: The address that will be asked.
    """
    key = environment.get("OPENAI_API_KEY", "")
    wanted = environment.get("OPENAI_API_HOST", "").lower()
    asked = origin(url)
    if wanted:
        meant = wanted in (_host_of(asked), asked.partition("://")[2])
    else:
        meant = asked == origin(environment.get("OPENAI_BASE_URL", "") or OPENAI)
    return key if meant else ""


def _host_of(origin_: str) -> str:
    return urlsplit(origin_).hostname or ""


def open_client(
    settings: Settings, traffic: Traffic | None, known: Credentials | None = None
) -> HttpClient:
    """Return a client within the limits of the settings.

    Args:
        settings: The settings.
        traffic: A recorder or a recording, if there is one.
        known: Credentials and where they may go.
    """
    timeout = settings.http_timeout
    limits = HttpLimits(
        connect_seconds=min(5.0, timeout),
        read_seconds=timeout,
        total_seconds=timeout,
        bytes=settings.answer_bytes,
        tries=settings.http_tries,
        concurrency=settings.concurrency,
    )
    return HttpClient(
        limits,
        user_agent=user_agent(settings.contact),
        credentials=known,
        wire=traffic.wire() if traffic is not None else None,
        patient=traffic is None or traffic.replay is None,
    )
