"""Two runs over the same data set, question by question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from robodata_core.errors import ConfigurationError
from robodata_core.evaluation.metrics import mcnemar_exact
from robodata_core.evaluation.report import COLUMNS, figures
from robodata_core.evaluation.results import Results, Row
from robodata_core.evaluation.summary import summarise
from robodata_core.reports import markdown_table
from robodata_core.text import plural

__all__ = ["MEASURES", "Comparison", "compare", "comparison_markdown"]

MEASURES: Final[Mapping[str, Callable[[Row], bool]]] = MappingProxyType(
    {"exact": lambda row: row.exact == 1.0, "hit": lambda row: row.hit == 1.0}
)
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from one run to another.

    Attributes:
        first: The one run.
        second: The other.
        measure: What counted as right.
        gained: Questions only the second has right, as (first's row, second's row).
        lost: Questions only the first has right.
        both_right: How many both have right.
        both_wrong: Questions neither has right.
        unpaired: How many stand in one of the two only.
        p_value: Of McNemar's exact test on gained and lost.
    """

    first: Results
    second: Results
    measure: str
    gained: tuple[tuple[Row, Row], ...]
    lost: tuple[tuple[Row, Row], ...]
    both_right: int
    both_wrong: tuple[tuple[Row, Row], ...]
    unpaired: int
    p_value: float


def compare(first: Results, second: Results, measure: str = "exact") -> Comparison:
    """Compare two runs by the questions that both have answered.

    Args:
        first: The one run.
        second: The other; its set-up may differ, its data may not.
        measure: One of ``MEASURES``.

    Raises:
        ConfigurationError: If the data sets differ or no question stands in both.
    """
    if first.header.sha256 != second.header.sha256:
        raise ConfigurationError(
            f"{first.header.data} and {second.header.data} are not the same data.",
            hint="Compare two runs over one file.",
        )
    right = MEASURES[measure]
    others = {row.id: row for row in second.rows}
    pairs = [(row, others[row.id]) for row in first.rows if row.id in others]
    if not pairs:
        raise ConfigurationError("No question stands in both files.")
    gained = tuple(pair for pair in pairs if not right(pair[0]) and right(pair[1]))
    lost = tuple(pair for pair in pairs if right(pair[0]) and not right(pair[1]))
    wrong = tuple(pair for pair in pairs if not right(pair[0]) and not right(pair[1]))
    return Comparison(
        first=first,
        second=second,
        measure=measure,
        gained=gained,
        lost=lost,
        both_right=len(pairs) - len(gained) - len(lost) - len(wrong),
        both_wrong=wrong,
        unpaired=len(first.rows) + len(second.rows) - 2 * len(pairs),
        p_value=mcnemar_exact(len(gained), len(lost)),
    )


def comparison_markdown(found: Comparison, names: tuple[str, str], *, summary_only: bool) -> str:
    """Write a comparison down: figures side by side, then what was gained and lost."""
    count = found.both_right + len(found.gained) + len(found.lost) + len(found.both_wrong)
    lines = [
        f"# {found.first.header.data}: {names[0]} and {names[1]}",
        "",
        *markdown_table(("", f"A: {names[0]}", f"B: {names[1]}"), _side_by_side(found)),
        "",
        f"By {found.measure}, over {plural(count, 'question')} in both: gained {len(found.gained)},"
        f" lost {len(found.lost)}, both right {found.both_right},"
        f" both wrong {len(found.both_wrong)}."
        + (f" Not in both: {found.unpaired}." if found.unpaired else ""),
        f"McNemar's exact test, two-sided: p = {found.p_value:.4g}"
        + (" (nothing changed)." if not found.gained and not found.lost else "."),
    ]
    if not summary_only:
        for title, pairs in (
            ("Gained", found.gained),
            ("Lost", found.lost),
            ("Both wrong", found.both_wrong),
        ):
            lines += _listed(title, pairs)
    return "\n".join(lines) + "\n"


def _side_by_side(found: Comparison) -> Iterator[tuple[str, str, str]]:
    yield "set-up", found.first.header.label, found.second.header.label
    yield from _differences(found)
    one, other = summarise(found.first.rows), summarise(found.second.rows)
    names = (name for name, _ in COLUMNS)
    yield from zip(names, figures(one), figures(other), strict=True)


def _differences(found: Comparison) -> Iterator[tuple[str, str, str]]:
    one, other = (
        {
            **part.header.setup,
            "version": part.header.version,
            "answers of other code": part.of_other_code or None,
        }
        for part in (found.first, found.second)
    )
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    for name in names:
        yield name, _said(one.get(name)), _said(other.get(name))


def _said(value: object) -> str:
    return "-" if value in (None, "", [], ()) else str(value)


def _listed(title: str, pairs: tuple[tuple[Row, Row], ...]) -> list[str]:
    if not pairs:
        return []
    lines = ["", f"## {title} ({len(pairs)})", ""]
    for one, other in pairs[:_SHOWN]:
        lines.append(f"- {one.question}")
        lines.append(
            f"  - A: {_found(one)}; B: {_found(other)}; expected: {', '.join(one.gold[:5]) or '-'}"
        )
    if len(pairs) > _SHOWN:
        lines.append(f"- and {len(pairs) - _SHOWN} more")
    return lines


def _found(row: Row) -> str:
    return ", ".join(row.found[:5]) or row.error or row.status
