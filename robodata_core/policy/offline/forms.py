"""Forms that a sentence may have, as tables hold them: what a robot is asked of what it sees.

Nothing of a graph is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from robodata_core.errors import ConfigurationError
from robodata_core.policy.offline.tables import rows_in

__all__ = ["Form", "read_forms"]

_COLUMNS: Final = 2
_SLOT: Final = re.compile(r"\{(\w*)(?::([^{}]*))?\}")
_ONE_WORD: Final = "1"
_NAMED: Final = re.compile(r"\$(\w+)")
#: What stands in a slot behind its name.
_CHOICES: Final = re.compile(r"(?<=:)[^{}]*(?=\})")
_WORD: Final = re.compile(r"[\w'’-]+")
#: Where a word may end.
_GAP: Final = re.compile(r"(?<=\S)(?=\s|,|$)")


@dataclass(frozen=True, slots=True)
class Form:
    """A form that a question may have, and the one to ask instead.

    Attributes:
        pieces: The parts of the form, one after the other.
        instead: Text with ``{name}`` where words of the question come.
        needed: What must stand in a text, one after the other.
    """

    pieces: tuple[_Piece, ...]
    instead: str
    needed: tuple[re.Pattern[str], ...]

    def apply(self, text: str) -> str:
        """Return the other form of ``text``, or an empty string if it is not of this form."""
        return next(self.each(text), "")

    def each(self, text: str) -> Iterator[str]:
        """Yield the other forms of ``text``, one for each way in which its words fill the slots.

        Those whose first slots hold fewest words come first.
        """
        text, small = _spaced(text)
        told = set[str]()
        if len(small) != len(text) or not self._may_be(small):
            return
        for words in self._filled(text, small, 0, 0):
            form = " ".join(self.instead.format_map(words).split())
            if form not in told:
                told.add(form)
                yield form

    def _may_be(self, text: str) -> bool:
        """Tell whether every part may stand in a text: most forms fail by that, and it is cheap."""
        first, last = self.pieces[0].choices, self.pieces[-1].choices
        if (first and not text.startswith(first)) or (last and not text.endswith(last)):
            return False
        at = 0
        for words in self.needed:
            found = words.search(text, at)
            if found is None:
                return False
            at = found.start() + 1
        return True

    def _filled(self, text: str, small: str, at: int, number: int) -> Iterator[dict[str, str]]:
        if number == len(self.pieces):
            if at == len(text):
                yield {}
            return
        piece = self.pieces[number]
        for end in piece.ends(small, at):
            filled = (small if piece.choices else text)[at:end].strip()
            for rest in self._filled(text, small, end, number + 1):
                yield {piece.name: filled, **rest}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a form.

    Attributes:
        name: Of the slot; empty where the words are not used again.
        choices: What it may be, in small letters; nothing for any words, or any word.
        single: Whether it is one word.
    """

    name: str
    choices: tuple[str, ...] = ()
    single: bool = False

    def ends(self, text: str, at: int) -> Iterator[int]:
        """Yield where the part may end that begins at a place."""
        if self.choices:
            yield from (at + len(one) for one in self.choices if text.startswith(one, at))
        elif self.single:
            word = _WORD.match(text, at)
            yield from [word.end()] if word else []
        elif text[at : at + 1].strip():
            yield from (gap.start() for gap in _GAP.finditer(text, at + 1))


def read_forms(text: str) -> Iterator[Form]:
    """Yield the forms of a table; a line ``$name`` and words names these for the lines below it.

    Raises:
        ConfigurationError: If a line has not two columns, or names a slot that it does not have, or
            uses words that have no name.
    """
    named: dict[str, str] = {}
    for cells in rows_in(text):
        unknown = set(_NAMED.findall("\t".join(cells))) - {*named, cells[0][1:]}
        if unknown:
            raise ConfigurationError(f"No words are named ${min(unknown)} in the table of forms.")
        if cells[0].startswith("$"):
            named[cells[0][1:]] = _spelled(cells[-1], named)
            continue
        cells = [_CHOICES.sub(lambda found: _spelled(found[0], named), cell) for cell in cells]
        form, instead = cells if len(cells) == _COLUMNS else ("", "")
        names = {name for name, _ in _SLOT.findall(form)}
        used = set(re.findall(r"\{(\w*)\}", instead))
        if not instead or not used <= names:
            line = "\t".join(cells)
            raise ConfigurationError(f"This form cannot be read: {line[:100]}")
        yield _form(form, instead)


@lru_cache(maxsize=256)
def _spaced(text: str) -> tuple[str, str]:
    """Return a text with single spaces, and in small letters: every form asks for both."""
    text = " ".join(text.split())
    return text, text.lower()


def _spelled(choices: str, named: Mapping[str, str]) -> str:
    """Return choices with each of the words that a name in one of them stands for: "$that "."""
    found: list[str] = []
    for choice in choices.split("|"):
        name = _NAMED.search(choice)
        every = named[name[1]].split("|") if name else [""]
        found += [_NAMED.sub(one.replace("\\", r"\\"), choice, count=1) for one in every]
    again = "|".join(found)
    return _spelled(again, named) if _NAMED.search(again) else again


def _form(form: str, instead: str) -> Form:
    pieces: list[_Piece] = []
    at = 0
    for slot in _SLOT.finditer(form):
        pieces += [_piece("", form[at : slot.start()]), _piece(*slot.groups())]
        at = slot.end()
    pieces.append(_piece("", form[at:]))
    kept = tuple(piece for piece in pieces if piece.choices != ("",))
    needed = (piece.choices for piece in kept[1:-1] if piece.choices and "" not in piece.choices)
    return Form(kept, instead, tuple(map(_any_of, needed)))


def _any_of(choices: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, choices)))


def _piece(name: str, choices: str | None) -> _Piece:
    if choices is None or choices == _ONE_WORD:
        return _Piece(name, single=choices == _ONE_WORD)
    return _Piece(name, tuple(dict.fromkeys(choices.lower().split("|"))))
