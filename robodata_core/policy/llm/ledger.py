"""What every model call cost, by role, state and model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from robodata_core.model import TokenCount

__all__ = ["Ledger", "LedgerRow", "Price"]


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, per million tokens, in whatever currency the user thinks in."""

    prompt: float
    completion: float


_NO_PRICES: Final[Mapping[str, Price]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One line of the ledger; ``cost`` is None where no price is known."""

    role: str
    state: str
    model: str
    calls: int
    tokens: TokenCount
    cost: float | None


class Ledger:
    """Adds up calls; not thread-safe, one a run.

    Args:
        prices: By model name.
    """

    def __init__(self, prices: Mapping[str, Price] = _NO_PRICES) -> None:
        self._prices = prices
        self._rows: dict[tuple[str, str, str], tuple[int, TokenCount]] = {}

    def add(self, role: str, state: str, model: str, tokens: TokenCount) -> None:
        """Count one call."""
        calls, before = self._rows.get((role, state, model), (0, TokenCount()))
        self._rows[role, state, model] = (calls + 1, before + tokens)

    @property
    def total(self) -> TokenCount:
        """All tokens."""
        total = TokenCount()
        for _, tokens in self._rows.values():
            total += tokens
        return total

    def rows(self) -> tuple[LedgerRow, ...]:
        """Return the ledger, in the order things were first asked for."""
        return tuple(
            LedgerRow(role, state, model, calls, tokens, self._cost(model, tokens))
            for (role, state, model), (calls, tokens) in self._rows.items()
        )

    def _cost(self, model: str, tokens: TokenCount) -> float | None:
        price = self._prices.get(model)
        if price is None:
            return None
        return (tokens.prompt * price.prompt + tokens.completion * price.completion) / 1_000_000
