"""``robodata bench``: measured quality, in tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from robodata_core.cli._output import print_json
from robodata_core.cli.options import OutputPath, opened, settings_from, settings_options
from robodata_core.config import load_settings
from robodata_core.text import plural
from robodata_core.whole_files import writing

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
    for row in run_paper(partial(opened, options)):
        rows.append(row)
        click.echo(f"{row.question.id}: {row.answer.status.value}", err=True)
    if as_json:
        for row in rows:
            print_json(_paper_json(row))
        return 0
    header = (
        *("Question", "Status", "Iterations", "Tools", "Tokens", "Time (s)", "Nodes", "Edges"),
        *("Found", "Expected", "F1", "Paper"),
    )
    _table(header, [_paper_cells(row) for row in rows])
    mean = sum(row.score.f1 for row in rows) / len(rows)
    click.echo(f"\nMacro F1 {mean:.3f} over {plural(len(rows), 'question')}.")
    return 0


@bench.command()
@settings_options
@click.option("-n", "runs", default=10, show_default=True, type=click.IntRange(1, 10_000))
def consistency(runs: int, **options: Any) -> int:
    """Ask "What is the capital of Canada?" N times and print how much the runs differ."""
    from robodata_core.evaluation.paper import consistency as measure

    rows, answers = measure(partial(opened, options), runs)
    cells = [
        (row.name, f"{row.lowest:.4g}", f"{row.highest:.4g}", f"{row.mean:.4g}") for row in rows
    ]
    _table(("Metric", "Min", "Max", "Mean"), cells)
    distinct = {answer.text for answer in answers}
    click.echo(f"\n{plural(len(distinct), 'distinct answer')} in {plural(runs, 'run')}.")
    return 0


@bench.command()
@click.argument("questions", type=click.Path())
@settings_options
@click.option("--format", "format_", default="", help="metaqa, qald, tsv, csv, jsonl, dialogues,"
              " triples, or an installed one (default: told from the file).")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), help="Only so many questions, spread evenly.")
@click.option("--processes", default=1, show_default=True, type=click.IntRange(1, 64))
@click.option("--timeout", default=300.0, show_default=True, type=click.FloatRange(min=0.1),
              help="Seconds a question may take.")  # fmt: skip
@click.option("--output", type=OutputPath(), help="Keep the results there (JSON Lines); a second"
              " run with the same file goes on where the first one ended.")  # fmt: skip
@click.option("--report", "markdown", type=OutputPath(), help="Write a Markdown report there.")
@click.option("--html", type=OutputPath(), help="Write a report with plots there.")
@click.option("--summary-only", is_flag=True, help="Only figures over all questions, no words.")
@click.option("--json", "as_json", is_flag=True, help="Figures as one JSON object.")
@click.option("--retry-errors", is_flag=True, help="Ask again what ended in an error.")
@click.option("--other-code", is_flag=True, help="Go on with an --output that other code began.")
@click.option("--turns-alone", is_flag=True, help="Ask the turns of dialogues each by itself.")
def run(questions: str, **options: Any) -> int:
    """Ask the QUESTIONS of a file and score the answers.

    Figures go to stdout. Without --output nothing is kept.
    """
    import tempfile
    from pathlib import Path

    from robodata_core.cli._progress import BenchProgress
    from robodata_core.evaluation.bench import run_dataset
    from robodata_core.evaluation.datasets import load_dataset

    data = load_dataset(questions, options["format_"])
    _try_embeddings(options)
    if options["store"]:
        click.echo("--store is not used: every question has a local graph of its own.", err=True)
    for bad in data.bad[:5]:
        click.echo(f"{data.name}, line {bad.line}: {bad.problem}; left out.", err=True)
    if len(data.bad) > 5:
        click.echo(f"{plural(len(data.bad) - 5, 'more row')} left out.", err=True)
    try:
        with tempfile.TemporaryDirectory() as folder, BenchProgress(sys.stderr) as progress:
            results = run_dataset(
                data,
                settings_from(options),
                options["output"] or Path(folder) / "results.jsonl",
                config=options["config"],
                limit=options["limit"],
                processes=options["processes"],
                timeout=options["timeout"],
                turns_alone=options["turns_alone"],
                retry_errors=options["retry_errors"],
                other_code=options["other_code"],
                progress=progress.update,
            )
    except KeyboardInterrupt:
        if options["output"]:
            kept = f"What was answered is kept in {options['output']}; the same command goes on."
            click.echo(kept, err=True)
        raise
    _show(results, options)
    return 0


def _try_embeddings(options: dict[str, Any]) -> None:
    """Refuse to measure with a service that does not answer: runs go on without one."""
    settings = load_settings(options.get("config"), **settings_from(options))
    if settings.semantic == "endpoint" and settings.policy == "offline":
        from robodata_core.policy.offline.embeddings import examined

        examined(settings)


@bench.command()
@click.argument("results", nargs=-1, required=True, type=click.Path())
@click.option("--report", "markdown", type=OutputPath(), help="Write a Markdown report there.")
@click.option("--html", type=OutputPath(), help="Write a report with plots there.")
@click.option("--summary-only", is_flag=True, help="Only figures over all questions, no words.")
@click.option("--json", "as_json", is_flag=True, help="Figures as one JSON object.")
@click.option("--other-code", is_flag=True, help="Pool files that were begun by different code.")
def report(results: tuple[str, ...], **options: Any) -> int:
    """Report on RESULTS kept with --output.

    Files of one set-up and one code are pooled, others refused.
    """
    from robodata_core.evaluation.results import pool, read_results

    kept = [read_results(path) for path in results]
    _show(pool(kept, other_code=options["other_code"]), options)
    return 0


@bench.command()
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@click.option("--by", "measure", type=click.Choice(["exact", "hit"]), default="exact",
              show_default=True, help="What counts as right.")  # fmt: skip
@click.option("--summary-only", is_flag=True, help="Only figures, no words of questions.")
def compare(first: str, second: str, measure: str, summary_only: bool) -> int:
    """Compare two results files over the same data, question by question."""
    from pathlib import Path

    from robodata_core.evaluation.compare import compare as compared
    from robodata_core.evaluation.compare import comparison_markdown
    from robodata_core.evaluation.results import read_results

    found = compared(read_results(first), read_results(second), measure)
    names = (Path(first).name, Path(second).name)
    click.echo(comparison_markdown(found, names, summary_only=summary_only), nl=False)
    return 0


def _show(results: Any, options: dict[str, Any]) -> None:
    """Print figures, and write the reports that were asked for."""
    from robodata_core.errors import ConfigurationError
    from robodata_core.evaluation.html import html_report
    from robodata_core.evaluation.report import as_json, in_short, markdown

    if not results.rows:
        raise ConfigurationError("There are no results yet.")
    short = options["summary_only"]
    if options["as_json"]:
        print_json(as_json(results))
    else:
        click.echo(in_short(results), nl=False)
    for path, make in ((options["markdown"], markdown), (options["html"], html_report)):
        if path:
            with writing(path) as file:
                file.write_text(make(results, summary_only=short), encoding="utf-8")


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
