"""Text from outside made safe to show, and names made comparable.

``clean_text`` is for everything that ends on a screen, in a prompt or in an answer and was
written by somebody else. ``normalise_name`` is the one definition of when two names are "the
same name" for look-ups, ``estimate_tokens`` the one measure of how much of a prompt a text takes,
``plural`` a count with its noun, ``told_name`` a thing in a sentence, ``parse_json`` and
``parse_yaml`` the reading of JSON and YAML that others wrote. None knows about graphs, indexes or
terminals.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from typing import Any, Final

__all__ = [
    "MAX_NAME",
    "clean_text",
    "estimate_tokens",
    "is_plain",
    "normalise_name",
    "parse_json",
    "parse_yaml",
    "plural",
    "tokens_of",
    "told_name",
    "whole_number",
]

MAX_NAME: Final = 400
"""Names are compared on at most this many characters."""

_CHARS_PER_TOKEN: Final = 3.5
_TOKENS_PER_WORD: Final = 1.3

_ESCAPES = re.compile(
    r"""
    (?:\x1b\[|\x9b)[0-?]*[\x20-/]*[@-~]                                # CSI: colours, cursor
    | (?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)  # OSC, DCS, ...
    | \x1b[\x20-/]*[0-~]                                               # two-character escapes
    """,
    re.VERBOSE,
)
_BREAKS = re.compile("[\t\n\x0b\x0c\r\x85\u2028\u2029]+")
_NEWLINES = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Bidirectional controls reorder what is read; tags and the rest are invisible.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
#: Most values in one document of JSON: each takes some hundred bytes, however short it is.
_MOST_VALUES: Final = 4_000_000
_MOST_EVENTS: Final = 200_000  # of YAML: values, and where lists and mappings begin and end
_DEEPEST_YAML: Final = 50
_MOST_DIGITS: Final = 1_000
_LONG_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9a-fA-Fxob_:.]*")
_SURROGATES = re.compile("[\ud800-\udfff]")


def parse_json(data: str | bytes, **how: Any) -> Any:
    """Return what JSON from outside says.

    Args:
        data: The JSON.
        how: As for ``json.loads`` (``parse_constant``, ``object_pairs_hook``).

    Raises:
        ValueError: If it is not JSON, not UTF-8, nested too deeply to be read, or holds so many
            values that they take many times the memory of their text.
    """
    comma, brace = (",", "{") if isinstance(data, str) else (b",", b"{")
    if len(data) > _MOST_VALUES and data.count(comma) + data.count(brace) > _MOST_VALUES:  # type: ignore[arg-type]
        raise ValueError("it holds too many values")
    try:
        return json.loads(data, **how)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def parse_yaml(data: str | bytes) -> Any:
    """Return what YAML from outside says, as plain values.

    Raises:
        ValueError: If it is no YAML, nested too deeply, too much or has aliases; in one line.
    """
    import yaml

    # The parser in C where there is one: the one in Python takes half a minute for a megabyte.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    try:
        for number, event in enumerate(yaml.parse(data, Loader=loader)):
            if isinstance(event, yaml.AliasEvent):
                # A few lines of them can stand for gigabytes.
                raise ValueError("aliases (*name) are not taken")
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST_YAML:
                raise ValueError("it is nested too deeply")
            if number > _MOST_EVENTS:
                raise ValueError("it holds too many values")
            if isinstance(event, yaml.ScalarEvent) and _is_endless_number(event.value):
                raise ValueError("it holds a number of too many digits")
        return yaml.load(data, Loader=loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(" ".join(str(error).split())) from error


def _is_endless_number(value: str) -> bool:
    """Tell whether YAML would reckon with thousands of digits, which takes seconds."""
    return len(value) > _MOST_DIGITS and _LONG_NUMBER.fullmatch(value) is not None


def clean_text(text: str, *, limit: int = 1_000, multiline: bool = False) -> str:
    """Return ``text`` without anything that could steer a terminal or hide from a reader.

    Removes ANSI escapes, control characters, bidirectional overrides and invisible tag
    characters; lone surrogates become U+FFFD.

    Args:
        text: Any text.
        limit: Most characters returned; a longer text ends in an ellipsis.
        multiline: Keep line breaks and tabs instead of turning them into spaces.
    """
    if len(text) <= limit and text.isprintable():
        return text
    window = text[: limit * 8 + 64]
    cleaned = _ESCAPES.sub("", window)
    cleaned = _NEWLINES.sub("\n", cleaned) if multiline else _BREAKS.sub(" ", cleaned)
    cleaned = _SURROGATES.sub("\ufffd", _HIDDEN.sub("", cleaned))
    if len(cleaned) > limit or len(window) < len(text):
        return cleaned[: max(0, limit - 1)].rstrip() + "…"
    return cleaned


def is_plain(text: str) -> bool:
    """Tell whether a text is words of ASCII letters and spaces between them, and nothing else."""
    return text.isascii() and text.replace(" ", "").isalpha()


def whole_number(text: str, most: int) -> int | None:
    """Return the number that ASCII digits stand for, ``most`` if it is larger, None of other text.

    Python refuses to read thousands of digits, or takes long over them.
    """
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0")
    return min(int(digits or "0"), most) if len(digits) <= len(str(most)) else most


# -- names ------------------------------------------------------------------------------------

_APOSTROPHES = "'`\u2018\u2019\u201b\u02bc\u00b4\u2032"
_LETTERS = {
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i",
    "ħ": "h", "ŧ": "t", "ŋ": "n", "ĸ": "k", "ƒ": "f", "ə": "e",
}  # fmt: skip
_ASCII = {
    **{code: " " for code in range(128) if not chr(code).isalnum()},
    **{ord(mark): None for mark in _APOSTROPHES},
}
_FOLDED = {ord(letter): plain for letter, plain in _LETTERS.items()}
_DIACRITICS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_SINGLES = re.compile(r"(?<!\S)([^\W\d_](?: [^\W\d_])+)(?!\S)")
_SUFFIXES = re.compile(r"(?<=[^\W_])(\+\+|[+#])(?![^\W_])")
_SUFFIX_WORDS = {"++": "plusplus", "+": "plus", "#": "sharp"}
_AMPERSAND = re.compile(r"(?<=\w)[.!?]?\s*&\s*(?=\w)")


def normalise_name(text: str) -> str:
    """Return the form in which names are compared.

    Case, diacritics, punctuation and spacing do not count; initials stand together ("J. K." is
    "JK"); a final ``+``, ``++`` or ``#`` is spelled out, so that C, C++ and C# differ, and so is
    ``&`` between words ("Pride & Prejudice" is also written "Pride and Prejudice"). A name made of
    symbols alone stays as it is. The result is words joined by single spaces.
    """
    text = text[:MAX_NAME]
    if "+" in text or "#" in text:
        text = _SUFFIXES.sub(lambda match: _SUFFIX_WORDS[match[1]], text)
    if "&" in text:
        text = _AMPERSAND.sub(" and ", text)
    plain = text.lower().translate(_ASCII) if text.isascii() else _fold(text)
    words = plain.split()
    joined = " ".join(words)
    if len(words) > 1 and min(map(len, words)) == 1:
        joined = _SINGLES.sub(lambda match: match[1].replace(" ", ""), joined)
    return joined or " ".join(text.casefold().split())


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    decomposed = unicodedata.normalize("NFKD", folded)
    stripped = _DIACRITICS.sub("", decomposed).translate(_FOLDED)
    characters = []
    for character in stripped:
        if character.isalnum() or unicodedata.category(character)[0] == "M":
            characters.append(character)
        elif character not in _APOSTROPHES:
            characters.append(" ")
    # Recomposed, so that Hangul syllables and the like stay one letter each.
    return unicodedata.normalize("NFC", "".join(characters))


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a model makes of ``text``.

    An estimate on the safe side for English and ids, not a count: the real number depends on the
    model. It grows with the length and with the number of words, whichever says more.
    """
    return tokens_of(len(text), len(text.split()))


def tokens_of(characters: int, words: int) -> int:
    """Estimate the tokens of a text with so many characters and words."""
    return math.ceil(max(characters / _CHARS_PER_TOKEN, words * _TOKENS_PER_WORD))


def told_name(label: str, id_: str, description: str = "") -> str:
    """Return a thing as a sentence names it: its label, and what tells it from its namesakes.

    That is its id where people know and type such ids; an IRI says nothing to them, so what the
    thing is stands in its place.

    Args:
        label: Its label, or its id where it has none.
        id_: Its id.
        description: What it is, in a few words.
    """
    beside = description if ":" in id_ else id_
    return f"{label} ({beside})" if beside and beside != label else label


def plural(number: int, noun: str, many: str = "") -> str:
    """Return ``1 row``, ``2 rows``, ``2,000 entities``."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"
