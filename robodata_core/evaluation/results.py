"""A results file: JSON Lines, first a header that says what was run, then one row an answer.

Rows are written as soon as they are there. Reading forgives a cut last line, as a run that was
killed leaves it, and nothing else. The header is what keeps figures apart that must not be
mixed: rows of another data set or of another set-up are never added to a file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import ConfigDict, TypeAdapter

from robodata_core._version import __version__
from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError
from robodata_core.text import parse_json
from robodata_core.whole_files import file_hash, form_limit, writing

__all__ = ["Header", "Results", "Row", "append_rows", "difference", "pool", "read_results"]

_ASIDE: Final = frozenset(
    {
        *("store", "tui", "journal", "record", "replay_traffic", "cache", "cache_days"),
        *("contact", "prices", "http_timeout", "http_tries", "maxlag", "model_timeout"),
        *("model_tries", "max_question", "concurrency"),
    }
)
# Always written down, so that a reader need not know the defaults.
_ALWAYS: Final = ("source", "policy", "ranker", "lexicon")
_FILES: Final = ("ranker", "lexicon", "calibration", "scorer")


def setup_of(settings: Settings) -> dict[str, Any]:
    """Return the settings that shape answers: the main ones, and the others where set.

    A file counts by its content, not by its path.
    """
    given = settings.model_dump(mode="json")
    usual = {name: one.get_default(call_default_factory=True)
             for name, one in Settings.model_fields.items()}  # fmt: skip
    setup = {}
    for name, value in given.items():
        default = getattr(usual.get(name), "model_dump", lambda: None)() or usual.get(name)
        if isinstance(default, tuple):
            default = list(default)
        if name not in _ASIDE and (name in _ALWAYS or value != default):
            setup[name] = _fingerprint(value) if name in _FILES else value
    return setup


def label_of(setup: Mapping[str, Any]) -> str:
    """Return ``zero-shot`` or ``trained``, with what else was brought along."""
    learnt = setup.get("ranker") or setup.get("calibration")
    parts = ["trained" if learnt else "zero-shot"]
    parts += ["lexicon"] if setup.get("lexicon") else []
    if any(value for name, value in setup.items() if name.startswith(("semantic", "embedding"))):
        parts.append("semantic")
    return " + ".join(parts)


def _fingerprint(value: Any) -> Any:
    if not isinstance(value, str) or not value:
        return value
    path = Path(value)
    try:
        digest = file_hash(path)[:12]
    except OSError:
        digest = "unreadable"
    return f"{path.name} sha256:{digest}"


_FORMAT: Final = "robodata-bench"
_VERSION: Final = 2
_MOST_LINE: Final = 10_000_000


#: What a line holds is as it was written: nothing is turned into another type, or left out.
_STRICT: Final = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Row:
    """One answer's outcome.

    Attributes:
        found: Results as text, in order (the first hundred).
        gold: Gold keys (the first hundred).
        hit: Whether the first result is right (1 or 0); see ``metrics.Marks``.
        reciprocal_rank: 1 over the rank of the first right result.
        hit_at_5: Whether a right result is among the first five.
        supported: Those of them whose every triple was found again in the source.
        place: Place in the data set, from 0.
        hops: Relations between what is named and what is asked; 0 where the set does not say.
        task: ``questions``, ``dialogues`` (a turn of one) or ``triples``.
        error: What went wrong, or empty.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    id: str
    question: str
    kind: str
    status: str
    found: tuple[str, ...]
    gold: tuple[str, ...]
    hit: float = 0.0
    reciprocal_rank: float = 0.0
    hit_at_5: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    exact: float = 0.0
    claims: int = 0
    supported: int = 0
    seconds: float = 0.0
    place: int = 0
    hops: int = 0
    task: str = "questions"
    expected: int = 0
    turns: int = 0
    tokens: int = 0
    program: str = ""
    error: str = ""

    @property
    def answered(self) -> bool:
        """Whether anything was answered at all."""
        return self.status in ("answered", "partial") and bool(self.found or self.claims)

    @property
    def abstained(self) -> bool:
        """Whether the run came to its end and gave no answer."""
        return self.status in ("answered", "partial", "unknown") and not self.answered


@dataclass(frozen=True, slots=True)
class Header:
    """What a results file holds the results of.

    Attributes:
        items: How many questions it holds, asked or not.
        setup: The settings that shape answers (see ``setup_of``).
        turns_alone: Whether the turns of dialogues were asked each by itself.
        left_out: Rows of the data set that could not be used, as sentences.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    data: str
    sha256: str
    format: str
    task: str
    items: int
    setup: Mapping[str, Any] = field(default_factory=dict)
    turns_alone: bool = False
    left_out: tuple[str, ...] = ()
    robodata: str = __version__

    @property
    def label(self) -> str:
        """``zero-shot`` or ``trained``, and what else was used."""
        return label_of(self.setup)

    def same_run(self, other: Header) -> bool:
        """Tell whether rows of ``other`` may stand in the same file."""
        return (
            self.sha256 == other.sha256
            and dict(self.setup) == dict(other.setup)
            and self.turns_alone == other.turns_alone
        )


_HEADER: Final = TypeAdapter(Header)
_ROW: Final = TypeAdapter(Row)


@dataclass(frozen=True, slots=True)
class Results:
    """A results file that was read; rows in the order of the data set, the last of an id wins."""

    header: Header
    rows: tuple[Row, ...]


def read_results(path: str | Path) -> Results:
    """Read a results file.

    Raises:
        ConfigurationError: If it cannot be read or is no results file.
    """
    path = Path(path)
    lines = _lines(path)
    try:
        first = parse_json(next(lines)[1])
        if first.pop("file", None) != _FORMAT or first.pop("version", None) != _VERSION:
            raise ValueError("another format")
        header = _HEADER.validate_json(json.dumps(first))
    except (StopIteration, ValueError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            f"{path} is no results file of this version of robodata bench.",
            hint="Choose another --output.",
        ) from error
    rows: dict[str, Row] = {}
    broken = 0
    for number, line in lines:
        if broken:
            raise ConfigurationError(f"{path}:{broken}: not a line of results.")
        try:
            row = _ROW.validate_json(line)
            rows[row.id] = row
        except ValueError:
            broken = number
    ordered = sorted(rows.values(), key=lambda row: (row.place, row.id))
    return Results(header, tuple(ordered))


def append_rows(path: str | Path, header: Header) -> tuple[int, Sequence[Row]]:
    """Make a file ready to take rows: write its header, or cut off a last line that broke off.

    Returns:
        A file descriptor to append to, and the rows that are there already.

    Raises:
        ConfigurationError: If the file cannot be written, or holds the results of another run.
    """
    path = Path(path)
    fresh = not path.exists() or path.stat().st_size == 0
    old: Sequence[Row] = ()
    if not fresh:
        there = read_results(path)
        if not there.header.same_run(header):
            raise ConfigurationError(
                f"{path} holds the results of another run; {difference(there.header, header)}.",
                hint="Results of different runs are never mixed: choose another --output.",
            )
        old = there.rows
    with writing(path):
        if not fresh:
            _cut_last_line(path)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        if fresh:
            write_line(descriptor, {"file": _FORMAT, "version": _VERSION, **asdict(header)})
    except ConfigurationError:
        os.close(descriptor)
        raise
    return descriptor, old


def write_line(descriptor: int, data: Mapping[str, Any]) -> None:
    """Append one object as a line, in one piece.

    Raises:
        ConfigurationError: If it cannot be written.
    """
    rest = (json.dumps(data, ensure_ascii=False) + "\n").encode("utf-8", "replace")
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError as error:
        raise ConfigurationError(
            f"The results cannot be written: {error.strerror}.",
            hint="What was written before is kept; the same command goes on from there.",
        ) from error


def difference(one: Header, other: Header, *, data: bool = True) -> str:
    """Say in what two runs differ: ``ranker: none and r.json``."""
    pairs = [(name, one.setup.get(name), other.setup.get(name))
             for name in {**one.setup, **other.setup}]  # fmt: skip
    if data:
        pairs.insert(
            0, ("data", f"{one.data} {one.sha256[:8]}", f"{other.data} {other.sha256[:8]}")
        )
        pairs.append(("turns alone", one.turns_alone, other.turns_alone))
    return "; ".join(
        f"{name}: {_said(first)} and {_said(second)}"
        for name, first, second in pairs
        if first != second
    )


def _said(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return "none" if value in ("", None) else str(value)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        most = form_limit(_MOST_LINE)
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(most + 1), b""), 1):
                if len(line) > most:
                    raise ConfigurationError(f"{path}:{number}: the line is too long.")
                if line.strip():
                    yield number, line
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from error


def _cut_last_line(path: Path) -> None:
    """Remove what stands after the last line that is whole."""
    with path.open("r+b") as file:
        whole = 0
        for line in file:
            if not line.endswith(b"\n"):
                break
            try:
                parse_json(line)
            except ValueError:
                break
            whole += len(line)
        file.truncate(whole)


def pool(results: Sequence[Results]) -> Results:
    """Put the results of several files together.

    Raises:
        ConfigurationError: If their set-ups differ, or two hold the same data set: zero-shot and
            trained figures, or the same question twice, do not belong in one figure.
    """
    first = results[0]
    seen: set[tuple[str, str]] = set()
    rows: list[Row] = []
    for number, part in enumerate(results):
        if dict(part.header.setup) != dict(first.header.setup):
            raise ConfigurationError(
                f"{first.header.data} was run {first.header.label}, {part.header.data}"
                f" {part.header.label}; {difference(first.header, part.header, data=False)}.",
                hint="Figures of different set-ups are never pooled: report each by itself.",
            )
        for row in part.rows:
            if (part.header.sha256, row.id) in seen:
                raise ConfigurationError(f"{part.header.data} is given twice.")
            seen.add((part.header.sha256, row.id))
            rows.append(replace(row, id=f"{number + 1}:{row.id}") if len(results) > 1 else row)
    names = ", ".join(part.header.data for part in results)
    header = Header(
        data=names,
        sha256=" ".join(part.header.sha256 for part in results),
        format=first.header.format,
        task=first.header.task,
        items=sum(part.header.items for part in results),
        setup=first.header.setup,
        turns_alone=first.header.turns_alone,
        left_out=tuple(line for part in results for line in part.header.left_out),
        robodata=first.header.robodata,
    )
    return Results(header, tuple(rows))
