"""``robodata synthesize``: reasoning programs and instruction data from a graph."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

import click

from robodata_core.cli._output import print_json
from robodata_core.cli.options import OutputPath, config_option
from robodata_core.text import plural
from robodata_core.whole_files import writing

if TYPE_CHECKING:
    from robodata_core.synthesis.corpus import Report, Sample
    from robodata_core.synthesis.grounded import Fit

__all__ = ["synthesize"]


@click.command()
@click.option("--source", metavar="SOURCE", help="snapshot:NAME or PATH (default: snapshot:world).")
@config_option
@click.option("--output", required=True, type=OutputPath(), help="Examples, as JSON Lines.")
@click.option("--programs", type=OutputPath(), help="Also write the programs, one a line.")
@click.option(
    "--examples", default=10_000, show_default=True, type=click.IntRange(0, 10_000_000),
    help="How many examples, one a call.",
)  # fmt: skip
@click.option(
    "--queries",
    multiple=True,
    type=click.Path(),
    help="Real questions, taken first: QALD JSON or JSON Lines with SPARQL, or the lines of"
    " SimpleQuestions on Wikidata (.tsv). Repeatable.",
)
@click.option(
    "--slips", default=0.15, show_default=True, type=click.FloatRange(0, 1),
    help="In which share of the programs a call fails first, to be recovered from.",
)  # fmt: skip
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**31))
@click.option("--json", "as_json", is_flag=True, help="The report as one JSON object.")
def synthesize(
    source: str | None,
    config: str | None,
    output: str,
    programs: str | None,
    examples: int,
    queries: tuple[str, ...],
    slips: float,
    seed: int,
    as_json: bool,
) -> int:
    """Make instruction data for fine-tuning: programs over a graph, one example a call.

    Every program was carried out on the graph, with the agent's own tools, and is kept only if it
    yields its answer. Questions are templates filled with labels, unless --queries gives real
    ones.
    """
    from robodata_core.config import load_settings
    from robodata_core.errors import ConfigurationError
    from robodata_core.sources.open import open_source
    from robodata_core.sources.snapshot import SnapshotSource
    from robodata_core.synthesis.corpus import Corpus, Report, from_graph, write
    from robodata_core.synthesis.grounded import Fit, from_queries, read_queries

    given = {"source": source} if source else {}
    asked = [one for path in queries for one in read_queries(path)]
    started = time.monotonic()
    report, fit = Report(), Fit(0, 0, {})
    with ExitStack() as stack:
        graph = open_source(load_settings(config, **given))
        stack.callback(graph.close)
        if not isinstance(graph, SnapshotSource):
            raise ConfigurationError(
                "Programs are drawn from a snapshot, not from a live source or a chain.",
                hint="Build one with robodata kg load, and give --source snapshot:PATH.",
            )
        corpus = stack.enter_context(Corpus(graph, slips=slips, seed=seed))
        into = _writable(output, stack)
        also = _writable(programs, stack) if programs else None

        def _samples() -> Iterator[Sample]:
            yield from from_queries(asked, graph, corpus, report=report, fit=fit)
            if report.examples < examples:
                yield from from_graph(graph, corpus, examples=examples, seed=seed, report=report)

        made = _watched(_samples(), examples)
        write(made, corpus, into.write, also.write if also else None)
    seconds = time.monotonic() - started
    _print(report, fit, seconds, output, as_json)
    if report.examples < examples:
        click.echo("The graph gave no more programs than these.", err=True)
    return 0 if report.examples else 1


def _writable(path: str, opened: ExitStack) -> IO[str]:
    with writing(path) as file:
        return opened.enter_context(file.open("w", encoding="utf-8"))


def _watched(samples: Iterator[Sample], examples: int) -> Iterator[Sample]:
    if not sys.stderr.isatty():
        yield from samples
        return
    with click.progressbar(length=examples, label="synthesizing", file=sys.stderr) as bar:
        for sample in samples:
            yield sample
            bar.update(len(sample.made))


def _print(report: Report, fit: Fit, seconds: float, output: str, as_json: bool) -> None:
    if as_json:
        data = {
            "examples": report.examples,
            "programs": report.programs,
            "kinds": dict(report.kinds.most_common()),
            "dropped": dict(report.dropped.most_common()),
            "natural": {"programs": report.natural, "literal": report.literal},
            "queries": {"read": fit.read, "programs": fit.programs, "unfit": fit.unfit},
            "seconds": round(seconds, 2),
        }
        print_json(data)
        return
    click.echo(
        f"{plural(report.examples, 'example')} of {plural(report.programs, 'program')} in"
        f" {seconds:.1f} s: {output}"
    )
    for kind, count in report.kinds.most_common():
        click.echo(f"  {count:6,}  {kind}")
    if fit.read:
        click.echo(
            f"{plural(report.natural, 'question')} in people's own words, {report.literal:,} of"
            " them with the label of a relation."
        )
        click.echo(
            f"{fit.programs:,} of {plural(fit.read, 'query', 'queries')} fit the toolbox;"
            " the others:"
        )
        for reason, count in sorted(fit.unfit.items(), key=lambda item: -item[1]):
            click.echo(f"  {count:6,}  {reason}")
    if report.dropped:
        click.echo("Dropped:")
        for reason, count in report.dropped.most_common():
            click.echo(f"  {count:6,}  {reason}")
