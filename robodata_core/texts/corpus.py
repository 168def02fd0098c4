"""What a sentence is as evidence, what a corpus is, and how a text falls into sentences.

Everything here was written by strangers: it is cleaned, bounded, and only ever quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol

from robodata_core.text import clean_text, normalise_name

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken

__all__ = ["Sentence", "TextCorpus", "mentions", "sentence_to_json", "split"]

MOST_CHARACTERS: Final = 600
_WRAPPED: Final = 50
"""A line that goes on in the next has at least so many characters."""
_MARKS: Final = ("#", "|", "-", "*", "•", ">", "`", "=")
_MOST_SENTENCES: Final = 20_000
_END: Final = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[^\Wa-z_])|(?<=[。！？])")
_TURNED: Final = re.compile(r"(?:\b[A-Z]|\b(?:Mr|Mrs|Dr|St|No|vs|Jr|Sr|ca|cf|e\.g|i\.e))\.$")
_LONGEST_TURNED: Final = 8
"""More characters than the longest of those and the one before."""
_FIELD: Final = re.compile(r"^[|*\-•]*\s*[^.!?:=|]{1,40}\s*[:=|]\s*\S")
_WORD: Final = re.compile(r"\w+")
_MARKUP: Final = re.compile(
    r"!?\[([^\[\]]{0,400})\]\([^)\s\[]{0,2000}\)|[*_`]{1,3}|^#{1,6}\s+|^>\s?"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as evidence.

    Attributes:
        text: What it says, on one line.
        corpus: Name of the corpus or search service.
        document: Title of its document.
        address: Where that is (a file name or an address), may be empty.
        position: Its number in the document, from 1; of a search, its rank.
        retrieved: When it was read into the corpus or from the service.
        is_field: Whether it looks like a line of an infobox or table ("Capital: Ottawa").
    """

    text: str
    corpus: str
    document: str
    address: str = ""
    position: int = 1
    retrieved: datetime | None = None
    is_field: bool = False


class TextCorpus(Protocol):
    """Where sentences come from; safe to ask from several threads.

    Attributes:
        name: What it is called in evidence.
    """

    name: str

    def about(
        self, names: Sequence[str], limit: int, cancel: CancelToken | None = None
    ) -> tuple[Sentence, ...]:
        """Return sentences about a thing, given its names, best first.

        Raises:
            SourceError: If a service does not answer.
        """
        ...

    def together(
        self,
        names: Sequence[str],
        others: Sequence[str],
        limit: int,
        cancel: CancelToken | None = None,
    ) -> tuple[Sentence, ...]:
        """Return sentences that mention both of two things, or one on a page about the other.

        Raises:
            SourceError: If a service does not answer.
        """
        ...

    def close(self) -> None:
        """Release what is open."""
        ...


def split(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a text, each with whether it looks like a line of an infobox.

    A line does all of whose sentences begin with a short name and a colon ("Capital: Washington,
    D.C."), and so does a sentence that begins like that and does not end like one.
    """
    count = 0
    for line in _unwrapped(text):
        pieces = _of_line(_MARKUP.sub(lambda found: found[1] or "", line.strip()))
        cleaned = (clean_text(one, limit=MOST_CHARACTERS) for one in pieces)
        sentences = [one for one in cleaned if any(character.isalnum() for character in one)]
        named = [bool(_FIELD.match(one)) for one in sentences]
        for said, is_field in zip(sentences, named, strict=True):
            yield said, is_field and (all(named) or not said.endswith((".", "!", "?")))
            count += 1
            if count >= _MOST_SENTENCES:
                return


def _unwrapped(text: str) -> Iterator[str]:
    """Yield the lines of a text, those of a paragraph that was wrapped at a width as one."""
    block: list[str] = []
    for line in (*text.splitlines(), ""):
        if line.strip():
            block.append(line.strip())
            continue
        wrapped = all(len(one) >= _WRAPPED for one in block[:-1])
        if wrapped and not any(one.startswith(_MARKS) for one in block):
            block = [" ".join(block)]
        yield from filter(None, block)
        block = []


def _of_line(line: str) -> Iterator[str]:
    """Yield the sentences of a line; initials and the like end none, unless it grows too long."""
    begun = ""
    for piece in filter(None, map(str.strip, _END.split(line))):
        if begun and len(begun) + len(piece) >= MOST_CHARACTERS:
            yield begun
            begun = ""
        begun = f"{begun} {piece}" if begun else piece
        if not _TURNED.search(piece[-_LONGEST_TURNED:]):
            yield begun
            begun = ""
    if begun:
        yield begun


def mentions(text: str, names: Sequence[str]) -> bool:
    """Tell whether a text holds one of the names, as whole words, whatever their capitals."""
    said = f" {_words(text)} "
    return any(f" {_words(name)} " in said for name in names if _words(name))


def _words(text: str) -> str:
    return " ".join(_WORD.findall(normalise_name(text)))


def sentence_to_json(sentence: Sentence) -> dict[str, Any]:
    """Return a sentence as plain JSON data."""
    return {
        "text": sentence.text,
        "corpus": sentence.corpus,
        "document": sentence.document,
        "address": sentence.address,
        "position": sentence.position,
        "retrieved": sentence.retrieved.isoformat() if sentence.retrieved else None,
    }
