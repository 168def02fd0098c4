"""Reports in Markdown: of one run (``html`` is the same with pictures), and of two compared.

A summary names no question, so that a test set can be scored without being looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Final

from robodata_core.errors import ConfigurationError
from robodata_core.evaluation.metrics import mcnemar_exact
from robodata_core.evaluation.results import Results, Row
from robodata_core.evaluation.summary import (
    Summary,
    by_hops,
    by_kind,
    by_turn,
    outcome_of,
    summarise,
    verification,
)
from robodata_core.reports import markdown_table
from robodata_core.text import plural

__all__ = [
    "COLUMNS",
    "Comparison",
    "MEASURES",
    "as_json",
    "compare",
    "comparison_markdown",
    "facts",
    "figures",
    "in_short",
    "markdown",
    "setup_lines",
    "table",
]

_WORST: Final = 50
COLUMNS: Final = (
    ("n", "questions"),
    ("Hits@1", "hits_at_1"),
    ("P@1", "precision_at_1"),
    ("MRR", "mrr"),
    ("Hit@5", "hit_at_5"),
    ("P", "precision"),
    ("R", "recall"),
    ("F1 (GERBIL)", "f1"),
    ("F1 (harmonic)", "f1_of_means"),
    ("F1 (QALD)", "f1_qald"),
    ("accuracy", "accuracy"),
    ("abstained", "abstained"),
    ("wrong", "wrong"),
    ("errors", "errors"),
    ("support", "support"),
    ("median ms", "median_seconds"),
    ("p95 ms", "p95_seconds"),
)


def markdown(results: Results, *, summary_only: bool = False) -> str:
    """Return a report: set-up, figures in all and by group, failures.

    Raises:
        ValueError: If there are no rows.
    """
    header, rows = results.header, results.rows
    total = summarise(rows)
    lines = [
        f"# {header.data}: {header.label}",
        "",
        *(f"- {line}" for line in setup_lines(results)),
    ]
    lines += ["", "## Figures", "", *markdown_table(*table(rows, summary_only=summary_only))]
    lines += ["", *(f"- {line}" for line in facts(rows, total))]
    if summary_only:
        return "\n".join(lines) + "\n"
    lines += _worst(rows)
    lines += ["", "docs/EVALUATION.md says what the figures mean.", ""]
    return "\n".join(lines)


def in_short(results: Results) -> str:
    """Return the figures over all answers, one a line, for a terminal."""
    rows = results.rows
    total = summarise(rows)
    width = max(len(name) for name, _ in COLUMNS)
    lines = [f"{results.header.data}: {results.header.label}"]
    if len(rows) < results.header.items:
        lines.append(f"  {len(rows):,} of {plural(results.header.items, 'question')} asked")
    lines += [
        f"  {name.ljust(width)}  {value}"
        for (name, _), value in zip(COLUMNS, figures(total), strict=True)
    ]
    return "\n".join([*lines, *facts(rows, total)]) + "\n"


def setup_lines(results: Results) -> list[str]:
    """Say what was run, a line each."""
    header = results.header
    lines = [f"set-up: {header.label}"]
    lines += [f"{name}: {_plain(value)}" for name, value in header.setup.items()]
    lines += [f"data: {header.data} ({header.format}), sha256 {header.sha256[:16]}"]
    if len(results.rows) < header.items:
        lines.append(f"asked: {len(results.rows):,} of its {plural(header.items, 'question')}")
    lines.append(f"robodata {header.robodata}")
    if header.turns_alone:
        lines.append("turns of dialogues asked each by itself: what earlier turns said is unknown")
    if header.left_out:
        lines.append(
            f"{plural(len(header.left_out), 'row')} of the data left out: {header.left_out[0]}"
        )
    return lines


def figures(summary: Summary) -> list[str]:
    """Return the cells of ``COLUMNS``."""
    cells = []
    for _, name in COLUMNS:
        value = getattr(summary, name)
        if name == "questions":
            cells.append(f"{value:,}")
        elif name.endswith("_seconds"):
            cells.append(f"{1000 * value:.1f}")
        else:
            cells.append(f"{value:.3f}")
    return cells


def facts(rows: Sequence[Row], total: Summary) -> list[str]:
    """Say what the table has no column for."""
    unknown = round(total.abstained * total.questions)
    rightly = round(total.abstained_rightly * total.questions)
    wrong = round(total.wrong * total.questions)
    lines = [
        f"Right {total.right:.1%}, partly right {total.partly:.1%}, wrong {total.wrong:.1%},"
        f" abstained {total.abstained - total.abstained_rightly:.1%}, error {total.errors:.1%}.",
        f"Abstained {plural(unknown, 'time')}, {rightly} of them rightly (nothing was expected).",
        f"{plural(total.claims, 'claim')} stated as supported; {total.support:.4f} of them hold in"
        f" the source. Answers with a claim that does not hold: {total.unsound}"
        f" ({total.wrong_unsound} of them wrong).",
        f"Wrong answers: {wrong}; stated with support that holds, but does not answer the"
        f" question: {total.wrong_supported}.",
    ]
    judged = [row for row in rows if row.task == "triples"]
    if judged:
        verdicts = verification(judged)
        lines.append(
            f"Triples: accuracy {verdicts.accuracy:.3f}, F1 {verdicts.f1:.3f}"
            f" (precision {verdicts.precision:.3f}, recall {verdicts.recall:.3f})."
            f" The graph left {verdicts.forced:.1%} open; forced decisions on these were right in"
            f" {verdicts.open_accuracy:.3f}, the others in {verdicts.free_accuracy:.3f}."
        )
    turns = {name: summarise(part) for name, part in by_turn(rows).items()}
    if turns:
        parts = (
            f"{name} {one.precision_at_1:.3f} ({one.questions:,})" for name, one in turns.items()
        )
        lines.append(f"P@1 by turn: {', '.join(parts)}.")
    if total.tokens:
        lines.append(f"{total.tokens:,.0f} tokens a question.")
    return lines


def as_json(results: Results) -> dict[str, Any]:
    """Return set-up and figures for other programs; no question's words."""
    header = results.header
    return {
        "data": header.data,
        "sha256": header.sha256,
        "label": header.label,
        "setup": dict(header.setup),
        "robodata": header.robodata,
        "asked": len(results.rows),
        "items": header.items,
        "figures": asdict(summarise(results.rows)),
    }


def table(rows: Sequence[Row], *, summary_only: bool) -> tuple[list[str], list[list[str]]]:
    """Return the head and the cells of all figures: over all rows, and by group."""
    parts = {"all": rows, **by_turn(rows)}
    if not summary_only:
        kinds = by_kind(rows)
        parts |= by_hops(rows) | (kinds if len(kinds) > 1 else {})
    head = ["questions of", *(name for name, _ in COLUMNS)]
    return head, [[name, *figures(summarise(part))] for name, part in parts.items()]


def _worst(rows: Sequence[Row]) -> list[str]:
    worst = [row for row in rows if outcome_of(row) != "right"][:_WORST]
    if not worst:
        return []
    cells = (
        (
            row.question,
            outcome_of(row),
            ", ".join(row.found[:5]) or row.error or "nothing",
            ", ".join(row.gold[:5]) or "-",
        )
        for row in worst
    )
    head = ("question", "outcome", "found", "expected")
    return ["", f"## Not fully right (first {len(worst)})", "", *markdown_table(head, cells)]


def _plain(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value) if value not in ("", None) else "none"


MEASURES: Final[Mapping[str, Callable[[Row], bool]]] = MappingProxyType(
    {"exact": lambda row: row.exact == 1.0, "hit": lambda row: row.hit == 1.0}
)
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from one run to another.

    Attributes:
        gained: Questions only the second has right, as (first's row, second's row).
        lost: Questions only the first has right.
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
        {**part.header.setup, "version": part.header.robodata}
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
