"""The English of readings and claims: tables of words, and how labels become parts of sentences.

Everything that a verbaliser of another language would have to say otherwise stands here or in the
phrases of the steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from robodata_core.programs.comparison import Comparison

__all__ = [
    "COMPARISONS",
    "FIRST_WORDS",
    "NUMBER_COMPARISONS",
    "PRECISIONS",
    "TIME_COMPARISONS",
    "listed",
    "one",
    "plural",
    "verb",
]

COMPARISONS: Final = {
    Comparison.EQ: "is",
    Comparison.NE: "is something else than",
    Comparison.LT: "is less than",
    Comparison.LE: "is at most",
    Comparison.GT: "is more than",
    Comparison.GE: "is at least",
}
TIME_COMPARISONS: Final = {
    Comparison.EQ: "is in",
    Comparison.NE: "is not in",
    Comparison.LT: "is before",
    Comparison.LE: "is not after",
    Comparison.GT: "is after",
    Comparison.GE: "is not before",
}
NUMBER_COMPARISONS: Final = {
    Comparison.EQ: "exactly",
    Comparison.NE: "not",
    Comparison.LT: "less than",
    Comparison.LE: "at most",
    Comparison.GT: "more than",
    Comparison.GE: "at least",
}
PRECISIONS: Final = {6: "millennium", 7: "century", 8: "decade", 9: "year", 10: "month", 11: "day"}
#: Words of ours that sentences begin with, so that they get a capital.
FIRST_WORDS: Final = frozenset(
    [
        "the",
        "each",
        "it",
        "there",
        "nothing",
        "any",
        "anything",
        "what",
        "one",
        "how",
        "every",
        "not",
        "none",
        "more",
    ]
)
_PREPOSITIONS: Final = frozenset(
    [
        "about",
        "after",
        "against",
        "as",
        "at",
        "before",
        "by",
        "for",
        "from",
        "in",
        "into",
        "of",
        "on",
        "to",
        "under",
        "with",
    ]
)
#: How labels begin that are verbs already.
_VERBS: Final = frozenset(
    [
        "affects",
        "causes",
        "contains",
        "depicts",
        "follows",
        "has",
        "includes",
        "lacks",
        "owns",
        "produces",
        "replaces",
        "requires",
        "shares",
        "treats",
        "uses",
    ]
)
_IRREGULAR: Final = {"child": "children", "person": "people"}


def listed(names: Iterable[str], word: str = "and") -> str:
    """Join names as English does: "a, b and c"."""
    items = list(names)
    return "".join(items) if len(items) < 2 else f"{', '.join(items[:-1])} {word} {items[-1]}"


def one(name: str) -> str:
    """Return a noun with its article."""
    return f"an {name}" if name[:1].lower() in tuple("aeiou") else f"a {name}"


def verb(label: str) -> str | None:
    """Return a relation's label as the verb of a sentence, None where it names a thing."""
    words = label.lower().split()
    if not words:
        return None
    if words[0] in _VERBS:
        return label
    if len(words) > 1 and words[-1] in _PREPOSITIONS:
        past = words[0].endswith("ed") or words[-1] in ("by", "at")
        return f"was {label}" if past and not words[0].endswith("ted in") else f"is {label}"
    return None


def plural(label: str) -> str:
    """Return the plural of a noun phrase in English, or nothing where it may be one already."""
    words = label.split()
    cut = next((i for i, word in enumerate(words) if i and word in _PREPOSITIONS), len(words))
    head = words[cut - 1]
    if not head.isascii() or not head.isalpha() or head.endswith("s") or head != head.lower():
        return ""
    if head in _IRREGULAR.values():
        return ""
    if head in _IRREGULAR:
        plural = _IRREGULAR[head]
    elif head.endswith("y") and head[-2:-1] not in tuple("aeiou"):
        plural = head[:-1] + "ies"
    elif head.endswith(("x", "ch", "sh")):
        plural = head + "es"
    else:
        plural = head + "s"
    return " ".join([*words[: cut - 1], plural, *words[cut:]])
