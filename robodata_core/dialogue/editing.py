"""Edits of a text: what stands in whose place and why, or that it cannot be decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from robodata_core.dialogue.names import Read
from robodata_core.dialogue.naming import names_of
from robodata_core.dialogue.reading import Knowledge
from robodata_core.dialogue.referents import Found, Referents

__all__ = ["Edit", "Editor", "Undecided", "applied"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement in a text.

    Attributes:
        start: Offset of the first character replaced.
        end: Offset after the last.
        text: What stands there instead.
        reason: For people: what was put for what.
        ids: What it points to.
        gender: What the word said of it.
    """

    start: int
    end: int
    text: str
    reason: str = ""
    ids: tuple[str, ...] = ()
    gender: str = ""


class Undecided(Exception):  # noqa: N818 - no error, but a question back
    """A word may mean several things, or nothing was said that it could mean.

    Attributes:
        word: The word.
        start: Where it stands, and ``end``.
        end: See ``start``.
        options: Ids of what it may mean.
        text: What it stands in, where that is not what was typed.
    """

    text = ""

    def __init__(self, word: str, start: int, end: int, options: tuple[str, ...] = ()) -> None:
        super().__init__(word)
        self.word, self.start, self.end, self.options = word, start, end, options


@dataclass
class Editor:
    """Collects the edits of one text."""

    read: Read
    referents: Referents
    knowledge: Knowledge
    again: Found | None = None
    edits: list[Edit] = field(default_factory=list)

    def free(self, start: int, end: int) -> bool:
        """Tell whether nothing is replaced there yet and no name stands there."""
        taken = [(e.start, e.end) for e in self.edits]
        taken += [(n.start, n.end) for n in self.read.names if n.proper]
        taken += [
            (self.read.tokens[q.start].start, self.read.tokens[q.end - 1].end)
            for q in self.read.question.quotes
        ]
        return all(end <= first or start >= last for first, last in taken)

    def put(self, start: int, end: int, text: str, found: Found, word: str) -> None:
        """Replace a place by what it points to."""
        size = f"{len(found.ids)}"
        if found.whole > len(found.ids):
            size = f"the first {size} of {found.whole:,}"
        shown = text if len(found.ids) == 1 else f"{size} things named before"
        reason = f"“{word}” is {shown}"
        if found.options:
            others = names_of(found.options, self.knowledge)
            reason += f"; it may also be {others}, of which nothing asked for is stated"
        self.edits.append(Edit(start, end, text, reason, found.ids, found.gender))

    def resolved(self, found: Found | None, word: str, start: int, end: int) -> Found:
        """Return what was found.

        Raises:
            Undecided: If nothing was, or several things were.
        """
        if found is None or not found.ids:
            raise Undecided(word, start, end, found.options if found else ())
        return found


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits made."""
    out, at = [], 0
    for edit in edits:
        out += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join((*out, text[at:]))
