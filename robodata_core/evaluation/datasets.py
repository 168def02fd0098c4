"""Data sets as plug-ins: a format turns the text of a file into questions, dialogues or triples.

Gold is a set of keys (ids, labels or literals as text, folded), so that sets that know only
names and sets that know ids are scored by one rule. Built-in formats are in ``_formats``; others
can be installed as entry points of the group ``robodata.datasets``, each naming a ``Format``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType
from typing import Final

from robodata_core.errors import ConfigurationError
from robodata_core.evaluation._formats import (
    BadRow,
    Format,
    GoldDialogue,
    GoldItem,
    GoldQuestion,
    GoldTriple,
    Task,
    fold,
    formats,
    keys_of,
)
from robodata_core.whole_files import read_whole

__all__ = [
    "FORMATS",
    "BadRow",
    "DataSet",
    "Format",
    "GoldDialogue",
    "GoldItem",
    "GoldQuestion",
    "GoldTriple",
    "Task",
    "fold",
    "keys_of",
    "load_dataset",
    "load_questions",
]

_GROUP: Final = "robodata.datasets"


@dataclass(frozen=True, slots=True)
class DataSet:
    """A file that was read.

    Attributes:
        name: File name without folders.
        format: Name of its format.
        task: What its items are.
        items: In the order of the file.
        bad: Rows left out.
        sha256: Of the file's content, unpacked.
    """

    name: str
    format: str
    task: Task
    items: tuple[GoldItem, ...]
    bad: tuple[BadRow, ...]
    sha256: str


def load_questions(path: str | Path, format_: str = "") -> tuple[GoldQuestion, ...]:
    """Read a question set; a dialogue counts as its questions, each alone.

    Args:
        path: File, possibly gzipped.
        format_: One of ``FORMATS``; empty guesses from name and content.

    Raises:
        ConfigurationError: If the file cannot be read, has another shape, or holds no questions.
    """
    found: list[GoldQuestion] = []
    for item in load_dataset(path, format_).items:
        if isinstance(item, GoldQuestion):
            found.append(item)
        elif isinstance(item, GoldDialogue):
            found.extend(item.turns)
    if not found:
        raise ConfigurationError(f"There are no questions in {path}.")
    return tuple(found)


def load_dataset(path: str | Path, format_: str = "") -> DataSet:
    """Read a file of any known format; rows that make no sense are left out and listed.

    Args:
        path: File, possibly gzipped.
        format_: One of ``FORMATS`` or an installed one; empty guesses from name and content.

    Raises:
        ConfigurationError: If the file cannot be read or nothing in it can be used.
    """
    path = Path(path)
    raw = read_whole(path, what="The questions in")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"The questions in {path} are not UTF-8 text.") from error
    chosen = _format(path, text, format_)
    items: list[GoldItem] = []
    bad: list[BadRow] = []
    try:
        for item in chosen.read(text):
            (bad if isinstance(item, BadRow) else items).append(item)  # type: ignore[arg-type]
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            f"The questions in {path} do not have the shape of {chosen.name}: {error!r}.",
            hint="Give the right one with --format.",
        ) from error
    if not items:
        first = f" Line {bad[0].line}: {bad[0].problem}." if bad else ""
        raise ConfigurationError(f"There are no questions in {path}.{first}")
    digest = hashlib.sha256(raw).hexdigest()
    return DataSet(path.name, chosen.name, chosen.task, _unique(items, bad), tuple(bad), digest)


def _unique(items: list[GoldItem], bad: list[BadRow]) -> tuple[GoldItem, ...]:
    """Leave items out whose id was there before: results are kept by id."""
    seen: dict[str, GoldItem] = {}
    for number, item in enumerate(items, 1):
        if item.id in seen:
            bad.append(BadRow(0, f"item {number} repeats the id {item.id!r}"))
        else:
            seen[item.id] = item
    return tuple(seen.values())


def _format(path: Path, text: str, name: str) -> Format:
    known = dict(FORMATS)
    if name and name not in known:
        known |= _installed()
    if name:
        if name not in known:
            raise ConfigurationError(
                f"There is no format {name!r}.", hint=f"Known: {', '.join(known)}."
            )
        return known[name]
    file_name = path.name.removesuffix(".gz").lower()
    for format_ in (*FORMATS.values(), *_installed().values()):
        if format_.recognises(file_name, text[:4_000]):
            return format_
    raise ConfigurationError(
        f"What kind of data set {path.name} is cannot be told from its name and first lines.",
        hint=f"Give --format: {', '.join(known)}.",
    )


def _installed() -> dict[str, Format]:
    """Return the formats that other packages bring; one that cannot be loaded says so."""
    found = {}
    for point in entry_points(group=_GROUP):
        try:
            format_ = point.load()
        except Exception as error:  # somebody else's code
            raise ConfigurationError(
                f"The data set format {point.name!r} cannot be loaded: {error}."
            ) from error
        if not isinstance(format_, Format):
            raise ConfigurationError(f"The data set format {point.name!r} is no Format.")
        found[format_.name] = format_
    return found


FORMATS: Final[Mapping[str, Format]] = MappingProxyType({one.name: one for one in formats()})
