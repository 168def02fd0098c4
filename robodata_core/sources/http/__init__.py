"""HTTP for sources and stores: bounded requests, credentials, a response cache, recordings."""

from __future__ import annotations

from robodata_core.sources.http._access import (
    Traffic,
    address,
    authorization,
    open_client,
    open_traffic,
)
from robodata_core.sources.http._client import (
    USER_AGENT,
    HttpClient,
    HttpLimits,
    HttpResponse,
    user_agent,
)
from robodata_core.sources.http._responses import ResponseCache, default_cache_path

__all__ = [
    "HttpClient",
    "HttpLimits",
    "HttpResponse",
    "ResponseCache",
    "Traffic",
    "USER_AGENT",
    "address",
    "authorization",
    "default_cache_path",
    "open_client",
    "open_traffic",
    "user_agent",
]
