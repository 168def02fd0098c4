"""``robodata bench``: measured quality, in tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from robodata_core.cli._options import settings_from, settings_options

__all__ = ["bench"]


@click.group()
def bench() -> None:
    """Run question sets and report how good the answers are."""


@bench.command()
@settings_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object a question.")
def paper(as_json: bool, **options: Any) -> int:
    """Run the RoboData paper's questions and print its table with F1 against the facts."""
    from robodata_core.evaluation.paper import run_paper

    rows = []
    for row in run_paper(_opener(options)):
        rows.append(row)
        click.echo(f"{row.question.id}: {row.answer.status.value}", err=True)
    if as_json:
        for row in rows:
            click.echo(json.dumps(_paper_json(row), ensure_ascii=False))
        return 0
    header = (
        *("Question", "Status", "Iterations", "Tools", "Tokens", "Time (s)", "Nodes", "Edges"),
        *("Found", "Expected", "F1", "Paper"),
    )
    _table(header, [_paper_cells(row) for row in rows])
    mean = sum(row.score.f1 for row in rows) / len(rows)
    click.echo(f"\nMacro F1 {mean:.3f} over {len(rows)} questions.")
    return 0


@bench.command()
@settings_options
@click.option("-n", "runs", default=10, show_default=True, type=click.IntRange(1, 10_000))
def consistency(runs: int, **options: Any) -> int:
    """Ask "What is the capital of Canada?" N times and print how much the runs differ."""
    from robodata_core.evaluation.paper import consistency as measure

    rows, answers = measure(_opener(options), runs)
    cells = [
        (row.name, f"{row.lowest:.4g}", f"{row.highest:.4g}", f"{row.mean:.4g}") for row in rows
    ]
    _table(("Metric", "Min", "Max", "Mean"), cells)
    distinct = {answer.text for answer in answers}
    click.echo(f"\n{len(distinct)} distinct answer(s) in {runs} runs.")
    return 0


@bench.command()
@click.argument("questions", type=click.Path())
@settings_options
@click.option("--format", "format_", default="", help="metaqa, tsv, jsonl or qald (else guessed).")
@click.option("--limit", type=click.IntRange(1), help="Only so many questions, spread evenly.")
@click.option("--processes", default=1, show_default=True, type=click.IntRange(1, 64))
@click.option("--output", required=True, type=click.Path(), help="Results, one JSON line each.")
@click.option("--report", "report_", type=click.Path(), help="Write a Markdown report there.")
def run(
    questions: str,
    format_: str,
    limit: int | None,
    processes: int,
    output: str,
    report_: str | None,
    **options: Any,
) -> int:
    """Ask the QUESTIONS of a file and score the answers; goes on where OUTPUT ends."""
    from pathlib import Path

    from robodata_core.evaluation.bench import read_rows, report, run_questions
    from robodata_core.evaluation.datasets import load_questions

    chosen = load_questions(questions, format_)
    if limit is not None and limit < len(chosen):
        step = len(chosen) / limit
        chosen = tuple(chosen[int(index * step)] for index in range(limit))
    settings = settings_from(options)
    with click.progressbar(length=len(chosen), label="asking", file=sys.stderr) as bar:
        run_questions(
            chosen,
            settings,
            output,
            config=options.get("config"),
            processes=processes,
            progress=lambda row: bar.update(1),
        )
    wanted = {question.id for question in chosen}
    rows = [row for row in read_rows(output) if row.id in wanted]
    trained = "trained" if settings.get("ranker") else "untrained"
    setup = {"questions": questions, "ranker": trained, **settings}
    text = report(rows, f"Results on {Path(questions).name}", setup)
    if report_:
        Path(report_).write_text(text, encoding="utf-8")
    click.echo(text.split("\n## ", 1)[0].rstrip())
    return 0


def _opener(options: dict[str, Any]) -> Any:
    from robodata_core.api import RoboData

    return lambda: RoboData.open(options.get("config"), **settings_from(options))


def _paper_cells(row: Any) -> tuple[str, ...]:
    stats = row.answer.statistics
    tokens = stats.tokens.prompt + stats.tokens.completion
    return (
        row.question.id,
        row.answer.status.value,
        str(stats.turns),
        str(stats.tool_calls),
        str(tokens),
        f"{stats.seconds:.3f}",
        str(stats.nodes),
        str(stats.edges),
        str(len(row.answer.results)),
        str(row.expected),
        f"{row.score.f1:.3f}",
        str(row.question.published.get("verdict", "")),
    )


def _paper_json(row: Any) -> dict[str, Any]:
    from robodata_core.answers.json import answer_to_json

    return {
        "id": row.question.id,
        "expected": row.expected,
        "precision": row.score.precision,
        "recall": row.score.recall,
        "f1": row.score.f1,
        "published": dict(row.question.published),
        "answer": answer_to_json(row.answer),
    }


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print a Markdown table with aligned columns: readable as text, pasted as it is."""
    widths = [max(len(line[i]) for line in (header, *rows)) for i in range(len(header))]
    for line in (header, tuple("-" * width for width in widths), *rows):
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("| " + " | ".join(cells) + " |")
