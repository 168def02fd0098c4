"""Vectors of short texts: what makes them, and how alike two of them are.

Vectors have length one, so that their product is their similarity.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from operator import mul
from typing import Any, Final, Protocol

from robodata_core.cancellation import CancelToken
from robodata_core.errors import MalformedResponseError

__all__ = ["Embedder", "nonsense", "similarity", "unit"]

_MOST_NUMBERS: Final = 8_192


class Embedder(Protocol):
    """Makes vectors of texts.

    Attributes:
        name: What made them; vectors of different names are never compared.
    """

    name: str

    def embed(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[array[float]]:
        """Return one vector of length one for every text.

        Raises:
            SourceError: If the service fails or answers nonsense.
        """
        ...

    @property
    def close(self) -> Callable[[], object]:
        """Release connections."""
        ...


def similarity(one: array[float], other: array[float]) -> float:
    """Return the cosine of two vectors of length one; 0 where they cannot be compared."""
    return sum(map(mul, one, other)) if len(one) == len(other) else 0.0


def unit(numbers: Any) -> array[float]:
    """Return numbers as a vector of length one.

    Raises:
        MalformedResponseError: If they are none that have a direction, or too many.
    """
    if not isinstance(numbers, list) or not 0 < len(numbers) <= _MOST_NUMBERS:
        raise nonsense()
    if not all(isinstance(n, (int, float)) and math.isfinite(n) for n in numbers):
        raise nonsense()
    length = math.sqrt(sum(n * n for n in numbers))
    if not length or not math.isfinite(length):
        raise nonsense()
    return array("f", [n / length for n in numbers])


def nonsense() -> MalformedResponseError:
    """Return the error for an answer of a service that is no vector for every text."""
    return MalformedResponseError(
        "The embeddings service did not answer with one vector for every text.",
        hint="Check semantic_url and semantic_model.",
    )
