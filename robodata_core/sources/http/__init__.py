"""HTTP for sources and stores: bounded requests, credentials, a response cache, recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from robodata_core.sources.http._access import (
    OPENAI,
    Traffic,
    address,
    credentials,
    model_key,
    open_client,
    open_traffic,
)
from robodata_core.sources.http._client import (
    USER_AGENT,
    Credentials,
    HttpClient,
    HttpLimits,
    HttpResponse,
    origin,
    user_agent,
)
from robodata_core.sources.http._recording import (
    TrafficRecorder,
    TrafficReplay,
    UnrecordedRequestError,
)
from robodata_core.sources.http._responses import ResponseCache, default_cache_path
from robodata_core.sources.http._wire import Bounds, Received, Sent, Wire, unpacked

if TYPE_CHECKING:
    from robodata_core.sources.http._network import Network

__all__ = [
    "Bounds",
    "Credentials",
    "HttpClient",
    "HttpLimits",
    "HttpResponse",
    "Network",
    "OPENAI",
    "Received",
    "ResponseCache",
    "Sent",
    "Traffic",
    "TrafficRecorder",
    "TrafficReplay",
    "USER_AGENT",
    "UnrecordedRequestError",
    "Wire",
    "address",
    "credentials",
    "default_cache_path",
    "model_key",
    "open_client",
    "open_traffic",
    "origin",
    "unpacked",
    "user_agent",
]


def __getattr__(name: str) -> Any:
    """Load what needs ``requests`` only when it is asked for."""
    if name == "Network":
        from robodata_core.sources.http._network import Network

        return Network
    raise AttributeError(name)
