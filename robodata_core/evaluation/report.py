"""A report in Markdown; ``html`` is the same with pictures.

A summary names no question, so that a test set can be scored without being looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from robodata_core.evaluation.results import Results, Row
from robodata_core.evaluation.summary import (
    Summary,
    by_hops,
    by_kind,
    by_turn,
    outcome_of,
    stages_of,
    summarise,
    verification,
)
from robodata_core.reports import markdown_table
from robodata_core.text import plural

__all__ = ["COLUMNS", "as_json", "facts", "figures", "in_short", "markdown", "setup_lines", "table"]

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

    Args:
        results: Of one run, or pooled.
        summary_only: Only figures over all questions, no groups and no question's words.

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
    stages = stages_of(rows)
    if stages:
        cells = ((name, str(n), f"{n / len(rows):.3f}") for name, n in stages.items())
        lines += ["", "## Where answers went wrong", ""]
        lines += markdown_table(("stage", "answers", "share of all"), cells)
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
    lines += [f"  {line}" for line in _mixed(results)]
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
    lines += [header.version, *_mixed(results)]
    if header.turns_alone:
        lines.append("turns of dialogues asked each by itself: what earlier turns said is unknown")
    if header.left_out:
        lines.append(
            f"{plural(len(header.left_out), 'row')} of the data left out: {header.left_out[0]}"
        )
    return lines


def _mixed(results: Results) -> list[str]:
    other = results.of_other_code
    if not other:
        return []
    verb = "comes" if other == 1 else "come"
    return [f"{other:,} of {plural(len(results.rows), 'answer')} {verb} from other code"]


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
        "code": header.code,
        "of_other_code": results.of_other_code,
        "asked": len(results.rows),
        "items": header.items,
        "figures": asdict(summarise(results.rows)),
        "stages": stages_of(results.rows),
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
            row.stage,
            ", ".join(row.found[:5]) or row.error or "nothing",
            ", ".join(row.gold[:5]) or "-",
        )
        for row in worst
    )
    head = ("question", "outcome", "stage", "found", "expected")
    return ["", f"## Not fully right (first {len(worst)})", "", *markdown_table(head, cells)]


def _plain(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value) if value not in ("", None) else "none"
