"""The six comparisons."""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable
from typing import Any, Final

__all__ = ["OPERATORS", "Comparison"]


class Comparison(str, enum.Enum):
    """How a value is compared."""

    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="

    @property
    def contrary(self) -> Comparison:
        """What holds of a number where this does not."""
        return _CONTRARY[self]

    @property
    def grows(self) -> bool:
        """Whether a number that passes also passes when it is larger."""
        return self in (Comparison.GT, Comparison.GE)


_CONTRARY: Final = {
    Comparison.EQ: Comparison.NE,
    Comparison.NE: Comparison.EQ,
    Comparison.LT: Comparison.GE,
    Comparison.LE: Comparison.GT,
    Comparison.GT: Comparison.LE,
    Comparison.GE: Comparison.LT,
}

OPERATORS: Final[dict[Comparison, Callable[[Any, Any], bool]]] = {
    Comparison.EQ: operator.eq,
    Comparison.NE: operator.ne,
    Comparison.LT: operator.lt,
    Comparison.LE: operator.le,
    Comparison.GT: operator.gt,
    Comparison.GE: operator.ge,
}
