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
    "NUMBER_COMPARISONS",
    "PRECISIONS",
    "TIME_COMPARISONS",
    "ends_open",
    "is_noun",
    "listed",
    "named_place",
    "of_several",
    "one",
    "ordinal",
    "plural",
    "superlative",
    "verb",
]

_ORDINALS: Final = (
    "", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth",
)  # fmt: skip
_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}
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
    Comparison.LT: "fewer than",
    Comparison.LE: "at most",
    Comparison.GT: "more than",
    Comparison.GE: "at least",
}
PRECISIONS: Final = {6: "millennium", 7: "century", 8: "decade", 9: "year", 10: "month", 11: "day"}
_PREPOSITIONS: Final = frozenset(
    [
        "about",
        "above",
        "after",
        "against",
        "along",
        "as",
        "at",
        "before",
        "below",
        "between",
        "by",
        "for",
        "from",
        "in",
        "into",
        "near",
        "of",
        "on",
        "per",
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
        "exports",
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
#: What labels begin with that say what is possible: "can slice".
_MODALS: Final = frozenset(["can", "could", "may", "must", "should"])
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
#: Words that labels begin with and that take no article: "part of", "different from".
_PLAIN: Final = frozenset(["different", "opposite", "part", "said", "similar"])
#: Verbs of the past that labels begin with: "won an award together with".
_PASTS: Final = frozenset(["fought", "held", "led", "met", "won", "wrote"])
#: Participles that tell what holds, not what happened.
_STATES: Final = frozenset(
    ["associated", "based", "composed", "connected", "found", "located", "made", "related",
     "situated"]
)  # fmt: skip
#: What the labels of relations to times are called by.
_TIMES: Final = frozenset(["date", "inception"])
_PARTICIPLES: Final = frozenset(["held", "made", "spoken", "sung", "won", "written"])
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
    if words[0] in _MODALS and len(words) > 1:
        return label
    if words[0] in _PASTS:
        return label if ends_open(label) else None
    if "it" in words or {"is", "are"} & set(words):
        return None
    if not ends_open(label):
        return f"{'are' if many else 'is'} {label}" if named_place(label) else None
    if words[0] in _PLAIN | _STATES | _PREPOSITIONS:
        return f"{'are' if many else 'is'} {label}"
    if _is_participle(words[0]) or words[1:] == ["by"]:
        return f"{'were' if many else 'was'} {label}"
    if many or not plural(label):
        return f"are {plural(label)}" if plural(label) else None
    return f"is {_ARTICLES.get(words[0], one(words[0]).split()[0])} {label}"


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or word in _PARTICIPLES


def named_place(label: str) -> tuple[str, str] | None:
    """Return the noun that a label ends with, and what leads to it: ("time zone", "located in")."""
    words = label.split()
    place = 1
    while place < len(words) and _is_preposition(words[place].lower()):
        place += 1
    if place == 1 or place == len(words) or not words[0].lower().endswith("ed"):
        return None
    noun = words[place + (words[place] == "the") :]
    return (" ".join(noun), " ".join(words[:place])) if noun else None


def of_several(condition: str) -> str:
    """Return what one thing has to be as said of several: "that are a city"."""
    for single, several in (("is", "are"), ("was", "were"), ("has", "have")):
        if condition.startswith(f"that {single} "):
            return f"that {several} " + condition.removeprefix(f"that {single} ")
    return condition


def superlative(relation: str, *, largest: bool) -> str:
    """Return how what has the most of a relation is called: "largest population"."""
    if _TIMES & set(relation.lower().split()):
        return f"{'latest' if largest else 'earliest'} {relation}"
    return f"{'largest' if largest else 'smallest'} {relation}"


def ordinal(number: int) -> str:
    """Return a place in an order: "second", "12th"."""
    if 0 < number < len(_ORDINALS):
        return _ORDINALS[number]
    ending = "th" if number % 100 in (11, 12, 13) else _ENDINGS.get(number % 10, "th")
    return f"{number:,}{ending}"


def _is_preposition(word: str) -> bool:
    return all(part in _PREPOSITIONS for part in word.split("/"))


def ends_open(label: str) -> bool:
    """Tell whether a label ends where the name of the other end has to follow: "member of"."""
    words = label.lower().split()
    return words[0] in _VERBS | _MODALS or words[-1] in _PREPOSITIONS


def is_noun(label: str) -> bool:
    """Tell whether "the LABEL of" can be said of a relation: "capital", and not "dated"."""
    words = label.lower().split()
    return len(words) != 1 or not _is_participle(words[0])


def plural(label: str) -> str:
    """Return the plural of a noun phrase in English, or nothing where it may be one already."""
    words = label.split()
    if len(words) == 3 and words[1] == "or":
        both = plural(words[0]), plural(words[2])
        return " or ".join(both) if all(both) else ""
    cut = next((i for i, word in enumerate(words) if i and word in _PREPOSITIONS), len(words))
    if cut > 1 and _is_participle(words[cut - 1]):  # "languages used"
        cut -= 1
    head = words[cut - 1]
    if _is_participle(head) or head in ("and", "or"):
        return ""
    if not head.isascii() or not head.isalpha() or head != head.lower():
        return ""
    if head.endswith("s") and not head.endswith("ss"):
        return ""
    if head in _IRREGULAR.values():
        return ""
    if head in _IRREGULAR:
        several = _IRREGULAR[head]
    elif head.endswith("y") and head[-2:-1] not in tuple("aeiou"):
        several = head[:-1] + "ies"
    else:
        several = head + ("es" if head.endswith(("x", "ch", "sh", "ss")) else "s")
    return " ".join([*words[: cut - 1], several, *words[cut:]])
