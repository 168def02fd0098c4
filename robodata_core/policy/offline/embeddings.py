"""Embeddings of short texts: from an OpenAI-compatible endpoint or a local model, and kept.

Only names of relations and words of questions are sent. What a service answers is checked before
it is used. What a vector is stands in ``vectors``; models on this machine are ``local_model``'s,
keeping is ``vector_cache``'s. Off unless ``semantic`` is set.
"""

from __future__ import annotations

import json
import os
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError, MalformedResponseError
from robodata_core.policy.offline.local_model import LocalEmbedder
from robodata_core.policy.offline.vector_cache import CachedEmbedder
from robodata_core.policy.offline.vectors import Embedder, nonsense, unit
from robodata_core.sources.http import (
    Credentials,
    HttpClient,
    HttpLimits,
    HttpResponse,
    address,
    credentials,
    default_cache_path,
)
from robodata_core.text import clean_text

__all__ = ["EndpointEmbedder", "examined", "open_embedder"]

_CLIP: Final = 200
_BATCH: Final = 64
_LIMITS: Final = HttpLimits(read_seconds=20.0, total_seconds=30.0, bytes=20_000_000, tries=2)
_VARIABLES: Final = "ROBODATA_EMBEDDINGS"


class EndpointEmbedder:
    """Asks ``POST {url}/embeddings`` of an OpenAI-compatible service.

    Args:
        url: Base address, as ``https://host/v1``.
        model: Name of the model there.
        known: Credentials and where they may go.
    """

    def __init__(self, url: str, model: str, known: Credentials | None = None) -> None:
        self.name = f"{url.rstrip('/')} {model}"
        self._url = f"{url.rstrip('/')}/embeddings"
        self._model = model
        headers = {"Content-Type": "application/json"}
        self._client = HttpClient(_LIMITS, headers=headers, credentials=known)

    def embed(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[array[float]]:
        """Return one vector for every text; see ``Embedder``."""
        found: list[array[float]] = []
        for start in range(0, len(texts), _BATCH):
            found += self._batch([text[:_CLIP] for text in texts[start : start + _BATCH]], cancel)
        return found

    def _batch(self, texts: list[str], cancel: CancelToken | None) -> list[array[float]]:
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        data = json.dumps(body).encode()
        response = self._client.request("POST", self._url, data=data, cancel=cancel)
        if response.status != 200:
            raise MalformedResponseError(
                f"The embeddings service at {self._url} answered with status {response.status}"
                f"{_reason(response)}.",
                hint="Check semantic_url (it usually ends in /v1) and semantic_model.",
            )
        return _vectors(response.json(), len(texts))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def open_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder that the settings name, with what it made before, or None.

    Raises:
        ConfigurationError: If a model or an address is missing, or the extra is not installed.
    """
    inner = _named(settings)
    if inner is None:
        return None
    folder = Path(settings.cache) if settings.cache else default_cache_path().parent
    return CachedEmbedder(inner, folder / "embeddings.sqlite" if settings.cache_days else None)


def examined(settings: Settings) -> str:
    """Make one vector, whatever was kept, and tell of it; empty where ``semantic`` is off.

    Raises:
        ConfigurationError: As ``open_embedder``, and if a local model cannot be loaded.
        SourceError: If the service fails or answers nonsense.
    """
    inner = _named(settings)
    if inner is None:
        return ""
    started = time.monotonic()
    try:
        (vector,) = inner.embed(["ready"])
    finally:
        inner.close()
    seconds = time.monotonic() - started
    return f"{settings.semantic_model} gives {len(vector)} numbers a text, in {seconds:.1f} s"


def _named(settings: Settings) -> Embedder | None:
    if settings.semantic == "off":
        return None
    if not settings.semantic_model:
        raise ConfigurationError(
            "No embedding model is named.", hint="Give --semantic-model NAME, or --semantic off."
        )
    if settings.semantic == "local":
        return LocalEmbedder(settings.semantic_model)
    if not settings.semantic_url:
        raise ConfigurationError(
            "No embeddings service is named.",
            hint="Give --semantic-url https://host/v1, or --semantic off.",
        )
    url = address(settings.semantic_url, _VARIABLES)
    return EndpointEmbedder(
        url, settings.semantic_model, credentials(os.environ, _VARIABLES, (url,))
    )


# -- what a service answers ---------------------------------------------------------------------


def _vectors(answer: Any, count: int) -> list[array[float]]:
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or len(rows) != count:
        raise nonsense()
    found: dict[int, array[float]] = {}
    for place, row in enumerate(rows):
        if not isinstance(row, dict):
            raise nonsense()
        index = row.get("index", place)
        if not isinstance(index, int) or not 0 <= index < count or index in found:
            raise nonsense()
        found[index] = unit(row.get("embedding"))
    if len({len(vector) for vector in found.values()}) > 1:
        raise nonsense()
    return [found[index] for index in range(count)]


def _reason(response: HttpResponse) -> str:
    """Return what a service says went wrong, in brackets, or nothing."""
    try:
        answer = response.json()
    except MalformedResponseError:
        return ""
    error = answer.get("error") if isinstance(answer, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    if not isinstance(said, str) or not said.strip():
        return ""
    return f" ({clean_text(said)[:200].strip().rstrip('.')})"
