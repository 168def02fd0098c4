"""Judging whole files of triples: rows in, one verdict a line out, and a report of them.

What was judged before is not judged again, so that a run which was ended goes on where it stopped.
How a single triple is judged is ``judging``'s; what is printed meanwhile is the command line's.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final, TextIO

from robodata_core.errors import ConfigurationError
from robodata_core.reports import html_table, markdown_table, page, plain
from robodata_core.text import clean_text, parse_json, plural
from robodata_core.verification.verdict import Judgement, Verdict, verdict_to_json
from robodata_core.whole_files import file_hash, read_text, write_whole, writing

__all__ = ["TripleRow", "VerdictFile", "html_report", "markdown_report", "read_triples"]

_FORMAT: Final = "robodata-verdicts-1"
_MOST_CELL: Final = 2_000
_MOST_LISTED: Final = 1_000
_HEADS: Final = frozenset({"subject", "head", "s", "source"})
_ERROR: Final = "error"


@dataclass(frozen=True, slots=True)
class TripleRow:
    """A row of a file: its line number (from 1) and the three parts as written."""

    line: int
    subject: str
    predicate: str
    object: str


def read_triples(path: str | Path) -> tuple[TripleRow, ...]:
    """Read tab-separated triples; a first line of column names is left out, empty lines too.

    Raises:
        ConfigurationError: If the file cannot be read, is too large, or a row lacks a part.
    """
    rows = []
    for number, text in enumerate(read_text(path).splitlines(), 1):
        cells = [cell.strip() for cell in text.split("\t")]
        if not any(cells) or (number == 1 and cells[0].lower() in _HEADS):
            continue
        if len(cells) < 3 or not all(cells[:3]) or max(map(len, cells[:3])) > _MOST_CELL:
            raise ConfigurationError(
                f"{path}, line {number} is no triple: subject, predicate and object, with a tab"
                f" between them and at most {_MOST_CELL:,} characters each."
            )
        rows.append(TripleRow(number, *cells[:3]))
    if not rows:
        raise ConfigurationError(f"{path} holds no triples.")
    return tuple(rows)


class VerdictFile:
    """Verdicts as JSON Lines: a header that says what was judged and how, then one each row.

    Args:
        path: The file; one that is there is gone on with.
        triples: Path of the file of triples, for its fingerprint.
        setup: What verdicts depend on; another set-up is not mixed in.

    Raises:
        ConfigurationError: If the file is of other triples or another set-up, or damaged.
    """

    def __init__(self, path: str | Path, triples: str | Path, setup: Mapping[str, Any]) -> None:
        self._path = Path(path)
        digest = file_hash(triples)
        self._header = {"file": _FORMAT, "triples": digest, "setup": dict(setup)}
        self.verdicts: dict[int, dict[str, Any]] = {}
        self._file: TextIO | None = None
        if self._path.exists():
            self._read()

    def _read(self) -> None:
        lines = read_text(self._path).splitlines()
        try:
            header = parse_json(lines[0])
        except (ValueError, IndexError):
            header = None
        if not isinstance(header, dict) or header.get("file") != _FORMAT:
            raise ConfigurationError(f"{self._path} holds no verdicts; name another --output.")
        if header != self._header:
            raise ConfigurationError(
                f"{self._path} holds verdicts of other triples, or judged with other settings.",
                hint="Name another --output, or remove it.",
            )
        for place, line in enumerate(lines[1:], 2):
            try:
                data = parse_json(line)
                self.verdicts[int(data["line"])] = data
            except (ValueError, KeyError, TypeError):
                if place < len(lines):
                    raise ConfigurationError(
                        f"{self._path}, line {place} is damaged; remove it to judge again."
                    ) from None

    def __enter__(self) -> VerdictFile:
        # Written anew and then put in place: a last line that was cut when a run was killed is
        # gone then, and whatever happens meanwhile, the old file or the new one is there whole.
        rows = (self._header, *self.verdicts.values())
        with writing(self._path):
            lines = (json.dumps(data, ensure_ascii=False) + "\n" for data in rows)
            write_whole(self._path, "".join(lines))
            self._file = self._path.open("a", encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):  # each line was written out, or it was told
                self._file.close()
            self._file = None

    def left(self, rows: Sequence[TripleRow]) -> tuple[TripleRow, ...]:
        """Return the rows without a verdict."""
        return tuple(row for row in rows if row.line not in self.verdicts)

    def add(self, row: TripleRow, verdict: Verdict) -> None:
        """Keep a verdict.

        Raises:
            ConfigurationError: If it cannot be written, as on a full disk.
        """
        self._add(row, verdict_to_json(verdict))

    def add_error(self, row: TripleRow, sentence: str) -> None:
        """Keep that a row could not be judged, and why; raises as ``add``."""
        self._add(row, {"judgement": _ERROR, "explanation": sentence})

    def _add(self, row: TripleRow, data: Mapping[str, Any]) -> None:
        asked = [row.subject, row.predicate, row.object]
        kept = {"line": row.line, "asked": asked, **data}
        self.verdicts[row.line] = kept
        assert self._file is not None, "open it with `with`"
        with writing(self._path):
            self._file.write(json.dumps(kept, ensure_ascii=False) + "\n")
            self._file.flush()


# -- reports --------------------------------------------------------------------------------------


def markdown_report(verdicts: Sequence[Mapping[str, Any]], title: str) -> str:
    """Return a report in Markdown, the doubtful triples first.

    Args:
        verdicts: As ``VerdictFile.verdicts`` has them.
        title: Its heading.
    """
    table = markdown_table(_COLUMNS, _listed(verdicts), _MOST_CELL)
    parts = [f"# {plain(title)}", "", _summary(verdicts), "", _ORDER, "", *table, *_rest(verdicts)]
    return "\n".join(parts) + "\n"


def html_report(verdicts: Sequence[Mapping[str, Any]], title: str) -> str:
    """Return the same report as one HTML page without scripts or requests."""
    parts = [f"<h1>{escape(title)}</h1>", f"<p>{escape(_summary(verdicts))} {_ORDER}</p>"]
    parts.append(html_table(_COLUMNS, _listed(verdicts), "texts"))
    return page(title, [*parts, *(f"<p>{escape(line)}</p>" for line in _rest(verdicts))])


_ORDER: Final = "The doubtful come first."
_COLUMNS: Final = ("line", "triple", "judgement", "probability", "why")


def _summary(verdicts: Sequence[Mapping[str, Any]]) -> str:
    counts = Counter(str(one["judgement"]) for one in verdicts)
    order = (*(one.value for one in Judgement), _ERROR)
    told = ", ".join(f"{counts[name]:,} {name}" for name in order if counts[name])
    return f"{plural(len(verdicts), 'triple')}: {told}." if told else "No triple is judged yet."


def _listed(verdicts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    for one in sorted(verdicts, key=_doubt)[:_MOST_LISTED]:
        probability = one.get("probability")
        asked = " — ".join(clean_text(str(part), limit=120) for part in one["asked"])
        yield (
            str(one["line"]),
            asked,
            str(one["judgement"]),
            f"{probability:.2f}" if isinstance(probability, float) else "",
            clean_text(str(one["explanation"]), limit=400),
        )


def _rest(verdicts: Sequence[Mapping[str, Any]]) -> list[str]:
    more = len(verdicts) - _MOST_LISTED
    return [f"{more:,} more, surer ones, are in the file of verdicts."] if more > 0 else []


def _doubt(one: Mapping[str, Any]) -> tuple[float, int]:
    """Return what sorts rows: not judged, then open, then refuted, then supported, surest last."""
    rank = {_ERROR: 0.0, Judgement.UNKNOWN.value: 1.0, Judgement.REFUTED.value: 2.0}
    probability = one.get("probability")
    sure = abs(probability - 0.5) if isinstance(probability, float) else 0.0
    return rank.get(str(one["judgement"]), 3.0) + sure, int(one["line"])
