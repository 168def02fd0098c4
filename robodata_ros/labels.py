"""Under which names a detector's label is looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from robodata_core.errors import ConfigurationError
from robodata_core.text import clean_text
from robodata_core.whole_files import read_text

__all__ = ["TABLE", "LabelTable", "normal_label"]

TABLE: Final = Path(__file__).parent / "data" / "detector_labels.tsv"
_MOST_NAMES: Final = 10
_PLURAL: Final = re.compile(r"(?<=(?:ch|sh))es\Z|(?<=[^s\W])s\Z|(?<=[sx])es\Z")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BRACKETS: Final = re.compile(r"\(.*?\)")


def normal_label(label: str) -> str:
    """Return a detector's label as the table spells it: ``Dining_Table`` is ``dining table``."""
    words = _CAMEL.sub(" ", clean_text(label, limit=200)).replace("_", " ").replace("-", " ")
    return " ".join(words.casefold().split())


class LabelTable:
    """Names to look a detector's label up under.

    Args:
        entries: Normal label to names, best first.
    """

    def __init__(self, entries: Mapping[str, Sequence[str]]) -> None:
        self._entries = {normal_label(label): tuple(names) for label, names in entries.items()}

    @classmethod
    def read(cls, path: Path = TABLE, extra: Iterable[str] = ()) -> LabelTable:
        """Read the table from a file, then add ``extra`` entries spelt ``label=name|name``.

        Raises:
            ConfigurationError: If the file cannot be read, or an entry is not spelt like that.
        """
        lines = read_text(path, what="The label table").splitlines()
        given = [line for line in lines if line.strip() and not line.startswith("#")]
        entries = dict(_entry(line, "\t") for line in given)
        entries.update(_entry(line, "=") for line in extra if line)
        return cls(entries)

    def names(self, label: str) -> tuple[str, ...]:
        """Return the names to look ``label`` up under, in this order.

        What a label adds in brackets and the end of a plural are no part of a name: "fig (fruit)"
        is a fig, and "Chopsticks" are what a chopstick is. "ArmChair" may be one word.
        """
        normal = normal_label(label)
        listed = self._entries.get(normal, ())
        forms = (normal, normal.replace(" ", ""), *_forms(normal))
        return tuple(dict.fromkeys((*listed, *forms)))[:_MOST_NAMES]

    def kinds(self, label: str) -> tuple[str, ...]:
        """Return what ``label`` is a kind of by its own words, the narrowest first.

        A "wood-burning stove" is a stove, and an "AppleSliced" is an apple.
        """
        words = _forms(normal_label(label))[1].split()
        ends = [" ".join(words[at:]) for at in range(1, len(words))]
        if words[-1:] and words[-1].endswith("ed"):
            ends.append(" ".join(words[:-1]))
        return tuple(filter(None, ends))


def _forms(normal: str) -> tuple[str, str]:
    """Return a normal label without what is in brackets, and one of what it names."""
    bare = " ".join(_BRACKETS.sub(" ", normal).split())
    return bare, _PLURAL.sub("", bare)


def _entry(line: str, separator: str) -> tuple[str, tuple[str, ...]]:
    label, found, names = line.partition(separator)
    listed = tuple(name.strip() for name in names.split("|") if name.strip())
    if not found or not label.strip() or not listed:
        shape = "label=name|name" if separator == "=" else "label<TAB>name|name"
        raise ConfigurationError(f"{line[:80]!r} is no entry of a label table: {shape}.")
    return normal_label(label), listed
