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
    "ends_open",
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
        "near",
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
#: Nouns that labels of relations begin with, with the article they take: "member of".
_ARTICLES: Final = {
    "candidate": "a",
    "capital": "the",
    "employee": "an",
    "instance": "an",
    "member": "a",
    "participant": "a",
    "partner": "a",
    "student": "a",
    "subclass": "a",
    "subsidiary": "a",
}
#: Participles that tell what holds, not what happened.
_STATES: Final = frozenset(
    ["associated", "based", "composed", "connected", "located", "related", "situated"]
)
_SILENT: Final = ("heir", "honest", "honor", "honour", "hour")
#: How words begin that are written with a vowel and spoken without.
_SPOKEN_WITHOUT: Final = (
    "eu", "one ", "unic", "unif", "unio", "uniq", "unit", "univ", "use", "usu", "utop"
)  # fmt: skip
_IRREGULAR: Final = {"child": "children", "person": "people"}


def listed(names: Iterable[str], word: str = "and") -> str:
    """Join names as English does: "a, b and c"."""
    items = list(names)
    return "".join(items) if len(items) < 2 else f"{', '.join(items[:-1])} {word} {items[-1]}"


def one(name: str) -> str:
    """Return a noun with its article."""
    spoken = name.lower()
    written = spoken.startswith((*"aeiou", *_SILENT))
    return f"an {name}" if written and not spoken.startswith(_SPOKEN_WITHOUT) else f"a {name}"


def verb(label: str, *, many: bool = False) -> str | None:
    """Return a relation's label as the verb of a sentence, None where it names a thing.

    Args:
        label: The label.
        many: Whether the subject is more than one.
    """
    words = label.lower().split()
    if not words:
        return None
    if words[0] in _VERBS:
        first, rest = label[: len(words[0])], label[len(words[0]) :]
        return ("have" if words[0] == "has" else first[:-1]) + rest if many else label
    if ends_open(label):
        past = words[0].endswith("ed") or words[-1] in ("by", "at")
        if past and words[0] not in _STATES:
            return f"{'were' if many else 'was'} {label}"
        if words[0] in _ARTICLES:
            return f"are {plural(label)}" if many else f"is {_ARTICLES[words[0]]} {label}"
    elif len(words) < 3 or not words[0].endswith("ed") or not _is_preposition(words[1]):
        return None
    return f"{'are' if many else 'is'} {label}"


def _is_preposition(word: str) -> bool:
    return all(part in _PREPOSITIONS for part in word.split("/"))


def ends_open(label: str) -> bool:
    """Tell whether a label ends where the name of the other end has to follow: "member of"."""
    words = label.lower().split()
    return words[0] in _VERBS or words[-1] in _PREPOSITIONS


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
