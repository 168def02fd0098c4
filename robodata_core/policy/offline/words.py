"""Words of a question: tokens with their place in the text, stems, and closed sets of words.

English only and deliberately small: a light stemmer that makes "director", "directed" and
"directs" one stem; irregular forms and the sets stand in tables. Nothing here knows about graphs
or relations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from robodata_core.iris import is_id
from robodata_core.language.lexicon.lexicon import read_table
from robodata_core.question import ID
from robodata_core.text import is_plain, normalise_name

__all__ = [
    "ARTICLES",
    "AUXILIARIES",
    "BE",
    "COPULAS",
    "DENYING",
    "DIRECTIONS",
    "FUNCTION_WORDS",
    "GENERIC_NOUNS",
    "HAVING",
    "INDEFINITE",
    "JOINING",
    "LIGHT_VERBS",
    "MODALS",
    "NUMBERS",
    "PAST_COPULAS",
    "PREPOSITIONS",
    "PRONOUNS",
    "SHARING",
    "STANDS_FOR",
    "STEP_WORDS",
    "WH_WORDS",
    "Token",
    "bound_until",
    "noun_of",
    "number_of",
    "said",
    "shared_by",
    "singular",
    "singular_phrase",
    "stem",
    "stems",
    "tokenize",
]

_LANGUAGE: Final = "en"
_TEN: Final = 10
_SETS: Final = {
    row["role"]: frozenset(row["words"].split("|")) for row in read_table(_LANGUAGE, "word_sets")
}


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign of the question.

    Attributes:
        text: As written.
        norm: As compared: lower case, no diacritics, no apostrophes.
        stem: What is left after taking off inflections.
        start: Offset of its first character.
        end: Offset after its last character.
        word: Whether it is a word or number (else punctuation).
        ids: What the name that ends here is bound to: "John Smith (Q123)".
    """

    text: str
    norm: str
    stem: str
    start: int
    end: int
    word: bool
    ids: tuple[str, ...] = ()

    @property
    def capitalised(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[:1].isupper()

    @property
    def is_id(self) -> bool:
        """Whether it is an id as Wikidata writes them: "Q42"."""
        return ":" not in self.text and is_id(self.text)


def said(role: str) -> frozenset[str]:
    """Return the words that have a role in sentences (``lexicon/en/word_sets.tsv``)."""
    return _SETS[role]


#: The word for what an inner question gave; it names nothing by itself.
STANDS_FOR: Final = "□"
WH_WORDS: Final = said("question")
ARTICLES: Final = said("article")
INDEFINITE: Final = said("indefinite")
COPULAS: Final = said("copula")
#: Those of what is over.
PAST_COPULAS: Final = said("past copula")
BE: Final = COPULAS | said("being")
MODALS: Final = said("modal")
#: Auxiliaries that deny.
DENYING: Final = said("denying")
AUXILIARIES: Final = BE | MODALS | DENYING | said("auxiliary")
PRONOUNS: Final = said("pronoun")
_DETERMINERS: Final = said("determiner")
#: The usual prepositions; what stands before a name or behind a noun is mostly one of them.
PREPOSITIONS: Final = said("preposition")
_LINKING: Final = PREPOSITIONS | said("linking")
#: Words that put names beside one another.
JOINING: Final = said("joining")
#: Words before what somebody or something has.
HAVING: Final = said("having")
_OTHERS: Final = said("filling")
FUNCTION_WORDS: Final = WH_WORDS | AUXILIARIES | PRONOUNS | _DETERMINERS | _LINKING | _OTHERS

_NOUN_ENDS: Final = said("noun end")

# Words that say that one thing is had in common: the walk goes back the way it came.
SHARING: Final = said("sharing")


def shared_by(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a word says that something is had in common; "a share in" does not."""
    noun = tokens[index].norm == "share" and index > 0 and tokens[index - 1].norm in ARTICLES
    return tokens[index].norm in SHARING and not noun


# Nouns so general that any answer may be one; leaving them unmatched says little.
GENERIC_NOUNS: Final = said("generic")

# With a name they make another one: South Africa is not Africa, nor New York York.
DIRECTIONS: Final = said("direction")

# Verbs that say little beside the noun they go with ("which genre does X belong to").
LIGHT_VERBS: Final = said("light verb")
# Adjectives that say "one step only", which a program does anyway.
STEP_WORDS: Final = said("single step")

#: Words for a few, with how many that is.
NUMBERS: Final = {
    row["word"]: int(row["value"])
    for row in read_table(_LANGUAGE, "numbers")
    if row["kind"] == "number" and 1 < int(row["value"]) <= _TEN
}
_ONE: Final = said("one")
_IRREGULAR: Final = {
    word: row["stem"]
    for row in read_table(_LANGUAGE, "irregular")
    for word in row["words"].split("|")
}

_TOKEN = re.compile(r"[^\W_]+(?:[-'’.&](?=[^\W_])[^\W_]+)*|[^\w\s]|_", re.UNICODE)
_JOINED = re.compile(r"(\w{3,})-(speaking|born|based|trained)\Z", re.IGNORECASE)
_AFTER_IDS = re.compile(r"['’](?:[sS](?!\w)|(?=\s+\w))")
_BOUND = re.compile(rf"(?<=[^\s(,])\s?\(({ID}(?:, {ID})*)\)")


def tokenize(text: str) -> tuple[Token, ...]:
    """Split a question into words and signs; a possessive ``'s`` stands alone.

    Ids in parentheses are no words of the question: they bind the name before them.
    """
    found: list[Token] = []
    at = 0
    for bound in _BOUND.finditer(text):
        found += _split(text, at, bound.start())
        at = bound.start()
        if found and (found[-1].norm not in FUNCTION_WORDS or found[-1].capitalised):
            ids = tuple(id_.strip("<>") for id_ in bound[1].split(", "))
            found[-1] = replace(found[-1], ids=ids)
            at = bound.end()
    return (*found, *_split(text, at, len(text)))


def bound_until(text: str, end: int) -> int:
    """Return where the ids end that bind a name ending at ``end``; ``end`` where none do."""
    bound = _BOUND.match(text, end)
    return bound.end() if bound else end


def _split(text: str, first: int, last: int) -> list[Token]:
    found: list[Token] = []
    for match in _TOKEN.finditer(text, first, last):
        raw, start = match.group(), match.start()
        if start == first and raw in ("'", "’") and _AFTER_IDS.match(text, start):
            continue  # "John Smith (Q123)'s": the letter behind it is the possessive
        joint = re.match(r"[cC]o-(?=\w{3})", raw)
        if joint:
            found.append(_token(raw[:2], start))
            raw, start = raw[3:], start + 3
        joined = _JOINED.match(raw)
        if joined:  # "French-speaking": a name and what is said of it
            found.append(_token(joined[1], start))
            raw, start = joined[2], start + joined.start(2)
        possessive = re.search(r"['’][sS]$", raw)
        if possessive and len(raw) > 2:
            cut = possessive.start()
            found.append(_token(raw[:cut], start))
            found.append(_token(raw[cut:], start + cut))
        else:
            found.append(_token(raw, start))
    return found


def _token(raw: str, start: int) -> Token:
    if raw in ("'s", "’s", "'S", "’S"):
        return Token(raw, "s", "s", start, start + len(raw), True)
    word = raw[0].isalnum()
    norm = normalise_name(raw) if word else raw
    return Token(raw, norm, stem(norm) if word else raw, start, start + len(raw), word)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the stem of a normalised word."""
    known = _IRREGULAR.get(word)
    if known is not None:
        return known if known == word else stem(known)
    if len(word) <= 3 or not word.isalpha():
        return word
    return _strip(word)


# Ending, shortest word it is taken from, what stands in its place; the first that fits.
_ENDINGS: Final = (
    ("isations", 11, "iz"), ("izations", 11, "iz"), ("isation", 10, "iz"), ("ization", 10, "iz"),
    ("isers", 8, "iz"), ("izers", 8, "iz"), ("ising", 8, "iz"), ("ised", 7, "iz"),
    ("ations", 9, "at"), ("ation", 8, "at"), ("ctions", 8, "ct"), ("ction", 7, "ct"),
    ("tions", 8, "t"), ("tion", 7, "t"), ("ators", 8, "at"), ("ator", 7, "at"),
    ("ists", 7, "ist"), ("ies", 5, "y"), ("sses", 6, "ss"), ("xes", 5, "x"), ("ches", 6, "ch"),
    ("shes", 6, "sh"), ("ers", 6, ""), ("ors", 6, ""), ("er", 6, ""), ("or", 6, ""),
    ("ing", 6, ""), ("ied", 5, "y"), ("ed", 5, ""), ("es", 5, ""), ("ss", 4, "ss"),
    ("us", 4, "us"), ("is", 4, "is"), ("s", 4, ""), ("e", 4, ""),
)  # fmt: skip
_BY_LAST: Final = {
    last: tuple(one for one in _ENDINGS if one[0][-1] == last)
    for last in sorted({ending[-1] for ending, _, _ in _ENDINGS})
}


def _strip(word: str) -> str:
    base = word
    for ending, shortest, instead in _BY_LAST.get(word[-1], ()):
        if len(word) >= shortest and word.endswith(ending):
            base = word[: -len(ending)] + instead
            break
    if len(base) > 4 and base[-1] == base[-2] and base[-1] in "bdgmnprt":
        base = base[:-1]
    if base.endswith("e") and len(base) > 3:
        base = base[:-1]
    if base.endswith("y") and len(base) > 3:
        base = base[:-1] + "i"
    return base


@lru_cache(maxsize=20_000)
def stems(text: str) -> tuple[str, ...]:
    """Return the stems of all words of ``text``, function words included."""
    if is_plain(text):
        return tuple(stem(word) for word in text.lower().split())
    return tuple(token.stem for token in tokenize(text.replace("_", " ")) if token.word)


_PLURALS: Final = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "wives": "wife",
    "knives": "knife", "lives": "life", "feet": "foot", "teeth": "tooth", "mice": "mouse",
    "geese": "goose", "movies": "movie", "series": "series", "species": "species",
    "businessmen": "businessman", "politicians": "politician", "shelves": "shelf",
    "loaves": "loaf", "leaves": "leaf", "wolves": "wolf", "halves": "half", "scissors": "scissors",
    "cookies": "cookie", "ties": "tie", "pies": "pie", "universities": "university",
    "actresses": "actress", "glasses": "glass", "buses": "bus", "churches": "church",
    "heroes": "hero", "potatoes": "potato", "tomatoes": "tomato", "phenomena": "phenomenon",
    "criteria": "criterion", "media": "medium", "data": "data", "crises": "crisis",
    "analyses": "analysis", "oases": "oasis", "theses": "thesis", "hypotheses": "hypothesis",
}  # fmt: skip


def singular(word: str) -> str:
    """Return the singular of a normalised English noun (the word itself if it is none)."""
    known = _PLURALS.get(word)
    if known is not None:
        return known
    if len(word) > 5 and word.endswith("men"):
        return word[:-3] + "man"
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("polises"):
        return word[:-2]
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def number_of(word: str) -> Decimal | None:
    """Return the number that a word is; None for other words."""
    if word in _ONE:
        return Decimal(1)
    if word in NUMBERS:
        return Decimal(NUMBERS[word])
    try:
        number = Decimal(word)
    except InvalidOperation:
        return None
    return number if number.is_finite() and number >= 0 else None


def noun_of(label: str) -> str:
    """Return the noun that a label is about, with what stands before it: "city of ..." is a city.

    Args:
        label: Of a class; hyphens part words.
    """
    words = label.lower().replace("-", " ").split()
    end = next((i for i, w in enumerate(words) if i and w in _NOUN_ENDS), len(words))
    return " ".join(words[:end])


def singular_phrase(phrase: str) -> str:
    """Return a normalised noun phrase with its head noun in the singular.

    The head is the word before the first preposition ("members of parliament"), else the last.
    """
    words = phrase.split()
    head = next((i for i, word in enumerate(words) if i and word in _LINKING), len(words)) - 1
    if head < 0:
        return phrase
    words[head] = singular(words[head])
    return " ".join(words)
