"""A text as tokens: words and signs, with quotes and brackets found. No language is known here.

Case never counts: everything compares the folded form. How a word was written is kept as a hint.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from robodata_core.text import clean_text, is_plain

__all__ = ["MAX_TOKENS", "Marked", "Text", "Token", "fold", "read_text", "words_of"]

MAX_CHARACTERS: Final = 4_000
#: Tokens beyond these are not read (a question of 2,000 characters has about 400).
MAX_TOKENS: Final = 600
_TOKEN: Final = re.compile(
    r"\d[\d,]*\.\d+|\d{1,3}(?:,\d{3})+|[^\W_]+|['\u2019](?=\w)|[^\w\s]|_", re.UNICODE
)
_PAIRS: Final = {'"': '"', "\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb", "[": "]"}
_LETTERS: Final = str.maketrans(
    {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe",
     "ı": "i", "\u2019": "'", "\u2018": "'", "`": "'"}
)  # fmt: skip


def fold(text: str) -> str:
    """Return a text without case and diacritics."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold().translate(_LETTERS)


def words_of(text: str) -> tuple[str, ...]:
    """Return the folded words of a name or label; signs and possessive s fall away."""
    if is_plain(text) and len(text) <= MAX_TOKENS:
        return tuple(text.lower().split())
    return tuple(token.norm for token in read_text(text).tokens if token.is_word)


@dataclass(frozen=True, slots=True)
class Token:
    """One word or sign.

    Attributes:
        text: As written.
        norm: Folded, as words are compared.
        start: Its first character in the text.
        end: First character after it.
        is_word: Whether it has letters or digits.
        possessive: Whether it is the s of a possessive ("Anna's").
        acronym: Whether it alone is in capitals, as no word is: "US", not "us".
    """

    text: str
    norm: str
    start: int
    end: int
    is_word: bool
    possessive: bool = False
    acronym: bool = False


@dataclass(frozen=True, slots=True)
class Marked:
    """Tokens that quotes or brackets mark as one name, without the signs themselves."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text as it is read.

    Attributes:
        raw: Cleaned, as written otherwise.
        tokens: Its words and signs, in order.
        marked: What quotes and brackets mark, in order; never overlapping.
    """

    raw: str
    tokens: tuple[Token, ...]
    marked: tuple[Marked, ...] = ()

    def written(self, start: int, end: int) -> str:
        """Return the tokens from ``start`` up to ``end`` as they were written."""
        return self.raw[self.tokens[start].start : self.tokens[end - 1].end] if start < end else ""

    def norms(self, start: int, end: int) -> tuple[str, ...]:
        """Return the folded words from ``start`` up to ``end``, without signs."""
        return tuple(token.norm for token in self.tokens[start:end] if token.is_word)


def read_text(raw: str) -> Text:
    """Read a text: tokens, quotes and brackets."""
    raw = clean_text(raw, limit=MAX_CHARACTERS).strip()
    tokens: list[Token] = []
    shouted = raw.isupper()
    for match in _TOKEN.finditer(raw):
        norm = fold(match[0])
        is_word = any(c.isalnum() for c in norm)
        owned = norm == "s" and bool(tokens) and tokens[-1].norm == "'" and len(tokens) > 1
        owned = owned and tokens[-1].end == match.start() and tokens[-2].end == tokens[-1].start
        acronym = not shouted and len(match[0]) > 1 and match[0].isupper()
        tokens.append(Token(match[0], norm, match.start(), match.end(), is_word, owned, acronym))
        if len(tokens) >= MAX_TOKENS:
            break
    return Text(raw, tuple(tokens), _marked(raw, tokens))


def _marked(raw: str, tokens: list[Token]) -> tuple[Marked, ...]:
    found: list[Marked] = []
    at = 0
    while at < len(tokens):
        closing = _PAIRS.get(tokens[at].text)
        end = _closing(tokens, at + 1, closing) if closing else None
        if end is None:
            at += 1
            continue
        if any(token.is_word for token in tokens[at + 1 : end]):
            text = raw[tokens[at + 1].start : tokens[end - 1].end]
            found.append(Marked(at + 1, end, text))
        at = end + 1
    return tuple(found)


def _closing(tokens: list[Token], start: int, closing: str) -> int | None:
    return next((i for i in range(start, len(tokens)) if tokens[i].text == closing), None)
