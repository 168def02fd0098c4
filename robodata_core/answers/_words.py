"""Small text helpers of validation: folding, phrases, and closed word lists of English."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

__all__ = [
    "FUNCTION_WORDS",
    "NEGATIONS",
    "NUMBER_WORDS",
    "PRONOUNS",
    "contains_phrase",
    "fold",
    "tokens",
    "without_phrase",
]

_NAME: Final = 200
"""Up to this length a text may be a name, which is folded again and again."""
_WORD = re.compile(r"\w+")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'"})

_FUNCTION_WORDS: Final = """
a about above according across additionally after again all along already also although
    altogether among an and another any are around as at be because been before being below
    beside besides between both but by can currently did do does during each either else even
    every few finally first following for formerly from further furthermore had has have he her
    here hers herself him himself his how however i if in including indeed instead into is it its
    itself later likewise many may me meanwhile might more moreover most much must my namely near
    next now of off often on once one only or originally other others our out over own per
    previously related same second she should similarly since so some still such than that the
    their theirs them themselves then there therefore these they third this those three through
    thus to together too two under until up upon us was we were what when where whereas which
    while who whom whose why will with within would yes you your the's mr mrs ms dr
"""

_NEGATIONS: Final = """
not never no nobody none nothing neither nor nowhere cannot without isn wasn aren weren
    didn doesn hasn haven hadn won couldn wouldn shouldn lacks lacked lack unlike except
    excluding denied denies false untrue
"""

FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
NEGATIONS: Final = frozenset(_NEGATIONS.split())
PRONOUNS: Final = frozenset(
    ["he", "her", "hers", "him", "his", "it", "its", "she", "their", "they"]
)

NUMBER_WORDS: Final = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "twenty": 20,
    "thirty": 30,
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
}


def fold(text: str) -> str:
    """Return ``text`` lower-cased, without diacritics, white space folded."""
    return _fold_name(text) if len(text) <= _NAME else _fold(text)


def _fold(text: str) -> str:
    if text.isascii():
        return " ".join(text.translate(_APOSTROPHES).lower().split())
    decomposed = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES))
    plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(plain.casefold().split())


_fold_name = lru_cache(maxsize=4_096)(_fold)


def tokens(text: str) -> list[str]:
    """Return the folded words of ``text``; ``didn't`` gives ``didn`` and ``t``."""
    return _WORD.findall(fold(text))


def without_phrase(folded_text: str, folded_phrase: str) -> str:
    """Return a folded text with a folded phrase blanked out where it stands as words."""
    start = folded_text.find(folded_phrase)
    while start != -1:
        end = start + len(folded_phrase)
        if not (_is_inside(folded_text, start - 1) or _is_inside(folded_text, end)):
            folded_text = f"{folded_text[:start]} {folded_text[end:]}"
            end = start + 1
        start = folded_text.find(folded_phrase, end)
    return folded_text


def _is_inside(text: str, at: int) -> bool:
    """Tell whether a place in a text holds a character of a word."""
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")


def contains_phrase(folded_text: str, folded_phrase: str) -> bool:
    """Tell whether a folded phrase stands in a folded text at word boundaries."""
    start = folded_text.find(folded_phrase)
    while start != -1:
        end = start + len(folded_phrase)
        before = start == 0 or not folded_text[start - 1].isalnum()
        after = end == len(folded_text) or not folded_text[end].isalnum()
        if before and after:
            return True
        start = folded_text.find(folded_phrase, start + 1)
    return False
