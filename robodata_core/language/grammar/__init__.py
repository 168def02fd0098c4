"""Rules of a language as data: operator words and comparisons, in a folder for each language.

``operators`` finds them in a text; what they are said of, ``language.chart`` tries out. No row
names a thing, a relation or a class of one graph.
"""

from __future__ import annotations

from robodata_core.language.grammar.operators import (
    ANY,
    TIME,
    Degree,
    Denied,
    Extreme,
    Grammar,
    Limited,
    Operators,
    open_grammar,
)

__all__ = [
    "ANY",
    "TIME",
    "Degree",
    "Denied",
    "Extreme",
    "Grammar",
    "Limited",
    "Operators",
    "open_grammar",
]
