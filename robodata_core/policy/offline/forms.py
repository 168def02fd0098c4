"""Forms that a sentence may have, as tables hold them: what a robot is asked of what it sees.

Nothing of a graph is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from robodata_core.errors import ConfigurationError
from robodata_core.policy.offline.tables import rows_in

__all__ = ["Form", "read_forms"]

_COLUMNS: Final = 2
_SLOT: Final = re.compile(r"\{(@?)(\w*)(?::([^{}]*))?\}")
_ONE_WORD: Final = "1"
_NAMED: Final = re.compile(r"\$(\w+)")
#: What stands in a slot behind its name.
_CHOICES: Final = re.compile(r"(?<=:)[^{}]*(?=\})")
#: Words that begin as a name does: with a capital, and not with what begins a question or order.
_NAME: Final = (
    r"(?!(?:who|whom|whose|what|which|where|when|why|how|is|are|was|were|do|does|did|has|have|had"
    r"|can|could|list|name|give|show|tell|find|if|in|on|at|of|for|by|from|between|over|under|with|to"
    r"|into|among|amongst|after|before|during|about)\b)"
    r"(?-i:[^\W\d_a-zà-ÿ])(?:(?!\.\s+(?:who|whom|whose|what|which|where|when|why|how|is|are|was|were"
    r"|do|does|did|has|have|can)\b)[^,;:?!])*?"
)


@dataclass(frozen=True, slots=True)
class Form:
    """A form that a question may have, and the one to ask instead.

    Attributes:
        pattern: Matches the whole question without the mark at its end.
        instead: Text with ``{name}`` where words of the question come.
        small: Slots with a choice of words; these are no names, whatever they began.
    """

    pattern: re.Pattern[str]
    instead: str
    small: frozenset[str]

    def apply(self, text: str) -> str:
        """Return the other form of ``text``, or an empty string if it is not of this form."""
        match = self.pattern.fullmatch(text)
        if match is None:
            return ""
        words = {
            name: value.strip().lower() if name in self.small else value.strip()
            for name, value in match.groupdict().items()
        }
        return " ".join(self.instead.format_map(words).split())


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
        slots = [(name, choices) for _, name, choices in _SLOT.findall(form)]
        names = {name for name, _ in slots}
        used = set(re.findall(r"\{(\w*)\}", instead))
        if not instead or not used <= names:
            line = "\t".join(cells)
            raise ConfigurationError(f"This form cannot be read: {line[:100]}")
        small = frozenset(name for name, choices in slots if choices and choices != _ONE_WORD)
        yield Form(re.compile(_as_pattern(form), re.IGNORECASE | re.DOTALL), instead, small)


def _spelled(choices: str, named: Mapping[str, str]) -> str:
    """Return choices with each of the words that a name in one of them stands for: "$that "."""
    found: list[str] = []
    for choice in choices.split("|"):
        name = _NAMED.search(choice)
        every = named[name[1]].split("|") if name else [""]
        found += [_NAMED.sub(one.replace("\\", r"\\"), choice, count=1) for one in every]
    again = "|".join(found)
    return _spelled(again, named) if _NAMED.search(again) else again


def _as_pattern(form: str) -> str:
    parts: list[str] = []
    at = 0
    for slot in _SLOT.finditer(form):
        parts += [_literal(form[at : slot.start()]), _slot(*slot.groups())]
        at = slot.end()
    return "".join([*parts, _literal(form[at:])])


def _literal(text: str) -> str:
    return re.escape(text).replace("\\ ", r"\s+")


def _slot(mark: str, name: str, choices: str | None) -> str:
    anything = _NAME if mark else r"\S.*?"
    inside = "|".join(_literal(choice) for choice in choices.split("|")) if choices else anything
    if choices == _ONE_WORD:
        inside = r"[\w'’-]+"
    return f"(?P<{name}>{inside})" if name else f"(?:{inside})"
