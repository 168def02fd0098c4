"""``robodata train``: learn to rank programs from questions and their answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from robodata_core.cli._output import print_json
from robodata_core.cli.options import OutputPath, config_option, settings_from
from robodata_core.text import plural
from robodata_core.whole_files import writing

__all__ = ["train"]


@click.command()
@click.argument("data", nargs=-1, required=True, type=click.Path(), metavar="DATA...")
@config_option
@click.option("--source", metavar="SOURCE", help="The graph that the questions are about.")
@click.option("--language", metavar="TAG", help="Preferred language of labels.")
@click.option("--lexicon", metavar="FILE", help="Extra names of relations (tab-separated).")
@click.option("--output", required=True, type=OutputPath(), help="The ranker to write.")
@click.option("--format", "format_", default="", help="Format of DATA (else guessed).")
@click.option("--limit", type=click.IntRange(1), help="Only so many questions, spread evenly.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**31))
@click.option(
    "--hold-out",
    default=0.2,
    show_default=True,
    type=click.FloatRange(0.0, 0.9),
    help="Share of the questions to measure on, chosen by a hash of their words.",
)
@click.option(
    "--held-out-questions",
    "held_out",
    type=OutputPath(),
    help="Write the questions kept out of training there, for `robodata bench run`.",
)
@click.option("--processes", default=1, show_default=True, type=click.IntRange(1, 64))
@click.option("--json", "as_json", is_flag=True, help="The report as one JSON object.")
def train(
    data: tuple[str, ...],
    output: str,
    format_: str,
    limit: int | None,
    seed: int,
    hold_out: float,
    held_out: str | None,
    processes: int,
    as_json: bool,
    **options: Any,
) -> int:
    """Learn from the question sets DATA which programs answer which wordings.

    DATA are question sets as for `robodata bench run`: questions with their answers, no
    programs. The ranker is used with `--ranker FILE`.
    """
    from robodata_core.config import load_settings
    from robodata_core.evaluation.bench import spread
    from robodata_core.evaluation.datasets import load_questions
    from robodata_core.policy.offline.trained import write_ranker
    from robodata_core.training.train import is_held_out
    from robodata_core.training.train import train as run

    questions = spread([item for path in data for item in load_questions(path, format_)], limit)
    settings = load_settings(options.get("config"), **settings_from(options))
    with click.progressbar(length=len(questions), label="solving", file=sys.stderr) as bar:
        ranker, report = run(
            questions,
            settings,
            seed=seed,
            hold_out=hold_out,
            processes=processes,
            progress=lambda example: bar.update(1),
        )
    write_ranker(ranker, output)
    if held_out:
        kept = [item for item in questions if is_held_out(item.text, hold_out)]
        _write_questions(held_out, kept)
    if as_json:
        print_json(dict(ranker.manifest["figures"]))
        return 0
    click.echo(f"Trained on {plural(report.questions, 'question')}, {report.used:,} of use.")
    for reason, count in sorted(report.skipped.items(), key=lambda item: -item[1])[:5]:
        click.echo(f"  left out {count:,}: {reason}")
    click.echo(
        f"Right program first on {plural(report.held_out, 'held-out question')}:"
        f" {report.before:.3f} untrained, {report.after:.3f} trained."
        if report.held_out
        else f"Right program first on the questions trained on: {report.before_train:.3f} before,"
        f" {report.after_train:.3f} after; nothing was held out."
    )
    size = Path(output).stat().st_size
    click.echo(
        f"{output}: {plural(report.weights, 'weight')}, {size:,} bytes. Use it with --ranker."
    )
    return 0


def _write_questions(path: str, questions: list[Any]) -> None:
    lines = [
        json.dumps(
            {
                "id": str(number),
                "question": item.text,
                "gold": sorted(item.gold),
                "kind": item.kind,
            },
            ensure_ascii=False,
        )
        for number, item in enumerate(questions, 1)
    ]
    with writing(path) as file:
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
