"""A results file: JSON Lines, first a header that says what was run, then one row an answer.

Rows are written as soon as they are there. Reading forgives a cut last line, as a run that was
killed leaves it, and nothing else. The header is what keeps figures apart that must not be
mixed: rows of another data set or of another set-up are never added to a file, and rows of other
code only on request; every row says which code gave it.
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
from robodata_core.errors import ConfigurationError
from robodata_core.evaluation._setup import label_of
from robodata_core.text import parse_json
from robodata_core.whole_files import form_limit, writing

__all__ = [
    "Header",
    "Results",
    "Row",
    "append_rows",
    "difference",
    "pool",
    "read_results",
]

_FORMAT: Final = "robodata-bench"
_VERSION: Final = 1
_MOST_LINE: Final = 10_000_000


#: What a line holds is as it was written: nothing is turned into another type, or left out.
_STRICT: Final = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Row:
    """One answer's outcome.

    Attributes:
        id: The question's id in its set.
        question: Its words.
        kind: Its group.
        status: Status of the answer, or ``error``.
        found: Results as text, in order (the first hundred).
        gold: Gold keys (the first hundred).
        hit: Whether the first result is right (1 or 0); see ``metrics.Marks``.
        reciprocal_rank: 1 over the rank of the first right result.
        hit_at_5: Whether a right result is among the first five.
        precision: Share of results that are right.
        recall: Share of gold that was found.
        f1: Harmonic mean of the two.
        exact: Whether the results are the gold.
        claims: Claims stated as supported.
        supported: Those of them whose every triple was found again in the source.
        seconds: Wall time of the run.
        place: Place in the data set, from 0.
        hops: Relations between what is named and what is asked; 0 where the set does not say.
        task: ``questions``, ``dialogues`` (a turn of one) or ``triples``.
        expected: Number of gold keys.
        turns: Turns of the machine.
        tokens: Tokens of all model calls.
        stage: Where it failed (see ``stages``); empty if it did not.
        program: The reasoning program in words.
        error: What went wrong, or empty.
        code: Fingerprint of the code that gave it (see ``_code``); empty where none was noted.
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
    stage: str = ""
    program: str = ""
    error: str = ""
    code: str = ""

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
        data: Name of the data set.
        sha256: Of its content.
        format: Its format.
        task: What its items are.
        items: How many questions it holds, asked or not.
        setup: The settings that shape answers (see ``_setup``).
        turns_alone: Whether the turns of dialogues were asked each by itself.
        left_out: Rows of the data set that could not be used, as sentences.
        robodata: Version that the run was begun with.
        code: Fingerprint of the code it was begun with; empty where none was noted.
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
    code: str = ""

    @property
    def label(self) -> str:
        """``zero-shot`` or ``trained``, and what else was used."""
        return label_of(self.setup)

    @property
    def version(self) -> str:
        """Version and code, in words."""
        return f"robodata {self.robodata}, code {self.code or 'not noted'}"

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

    @property
    def of_other_code(self) -> int:
        """How many rows come from other code than the file was begun by."""
        return sum(row.code != self.header.code for row in self.rows)


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


def append_rows(
    path: str | Path, header: Header, *, other_code: bool = False
) -> tuple[int, Sequence[Row]]:
    """Make a file ready to take rows: write its header, or cut off a last line that broke off.

    Args:
        path: The file.
        header: Describes the run whose rows are to come.
        other_code: Take a file that was begun by other code.

    Returns:
        A file descriptor to append to, and the rows that are there already.

    Raises:
        ConfigurationError: If the file cannot be written, or holds the results of another run or
            of other code.
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
        if there.header.code != header.code and not other_code:
            raise ConfigurationError(
                f"{path} was begun by other code ({there.header.version}) than is installed now"
                f" ({header.version}).",
                hint="Choose another --output, or go on in this file with --other-code; reports"
                " then count the answers of other code.",
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


def pool(results: Sequence[Results], *, other_code: bool = False) -> Results:
    """Put the results of several files together.

    Args:
        results: What the files hold.
        other_code: Take files that were begun by different code.

    Raises:
        ConfigurationError: If their set-ups or their code differ, or two hold the same data set:
            zero-shot and trained figures, figures of before and after a change, or the same
            question twice, do not belong in one figure.
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
        if part.header.code != first.header.code and not other_code:
            raise ConfigurationError(
                f"{first.header.data} was run by {first.header.version}, {part.header.data} by"
                f" other code ({part.header.version}).",
                hint="Report each by itself, or all together with --other-code; the report then"
                " counts the answers of other code.",
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
        code=first.header.code,
    )
    return Results(header, tuple(rows))
