"""``robodata verify``: does a triple hold, and what says so."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from robodata_core.cli._answer import narrator
from robodata_core.cli._output import print_json, print_styled
from robodata_core.cli.options import OutputPath, opened, settings_options

if TYPE_CHECKING:
    from robodata_core.verification.verdict import Verdict

__all__ = ["verify"]


@click.command(no_args_is_help=True)
@click.argument("subject", required=False)
@click.argument("predicate", required=False)
@click.argument("object_", metavar="[OBJECT]", required=False)
@settings_options
@click.option("--decide", is_flag=True, help="Decide also where the graph does not.")
@click.option("--without-itself", is_flag=True, help="Keep the triple and its copies out of sight.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.option("--explain", is_flag=True, help="Show what was measured, and how it was judged.")
@click.option("--trace", is_flag=True, help="Show states and calls as they happen (stderr).")
@click.option(
    "--file", "file_", metavar="FILE", help="Judge all triples of a file (tab-separated)."
)
@click.option("--report", type=OutputPath(), help="With --file: a report, .md or .html.")
@click.option("--learn", metavar="FILE", help="Learn a calibration from labelled triples.")
@click.option("--learn-scorer", is_flag=True, help="Train a link scorer on the source's graph.")
@click.option("--output", type=OutputPath(), help="Where verdicts, or what was learnt, go.")
def verify(
    subject: str | None,
    predicate: str | None,
    object_: str | None,
    decide: bool,
    without_itself: bool,
    as_json: bool,
    explain: bool,
    trace: bool,
    file_: str | None,
    report: str | None,
    learn: str | None,
    learn_scorer: bool,
    output: str | None,
    **options: Any,
) -> int:
    """Judge whether SUBJECT PREDICATE OBJECT holds: supported, refuted or unknown.

    Each part is an id or a name; the object may be a date or a number with its unit. What the
    source states counts first, then what speaks against it, then what rules mined from the source
    imply. No language model is asked, but with --policy llm: then it investigates with tools over
    the graph and over --texts, and judges by what it found.

    With --file TRIPLES --output VERDICTS a whole file is judged, one JSON object a line; run again,
    it goes on where it was ended.

    With --learn FILE --output FILE a calibration is learnt from labelled triples instead, for
    --calibration; with --learn-scorer --output FILE a scorer is trained on the graph, for --scorer.

    Exit codes: 0 supported or refuted, 1 unknown or failed, 2 usage, 3 a service is unavailable,
    130 cancelled.
    """
    if learn or learn_scorer:
        if subject or not output or (learn and learn_scorer):
            raise click.UsageError("--learn and --learn-scorer take --output and no triple.")
        from robodata_core.cli import _verify_file

        if learn:
            return _verify_file.learn_calibration(learn, output, options)
        return _verify_file.learn_scorer(output, options)
    if file_:
        if subject or not output:
            raise click.UsageError("--file takes --output and no triple.")
        from robodata_core.cli._verify_file import verify_file

        return verify_file(
            file_, output, report, decide=decide, without_itself=without_itself, options=options
        )
    if subject is None or predicate is None or object_ is None:
        raise click.UsageError("Give a subject, a predicate and an object.")
    told = (subject, predicate, object_)
    verdict, failure = _judged(
        told, decide=decide, without_itself=without_itself, trace=trace, options=options
    )
    _show(verdict, as_json=as_json, explain=explain)
    return _exit_code(verdict, failure)


def _judged(
    triple: tuple[str, str, str],
    *,
    decide: bool,
    without_itself: bool,
    trace: bool,
    options: dict[str, Any],
) -> tuple[Verdict, BaseException | None]:
    """Return the verdict on a triple, and what the run failed with."""
    from robodata_core.cli._waiting import in_thread

    with opened(options) as robodata:
        judge = partial(
            robodata.verify,
            *triple,
            decide=decide,
            without_itself=without_itself,
            on_event=narrator() if trace else None,
        )
        verdict = in_thread(lambda cancel: judge(cancel=cancel), robodata.time_left)
        return verdict, robodata.failure


def _show(verdict: Verdict, *, as_json: bool, explain: bool) -> None:
    if as_json:
        from robodata_core.verification.verdict import verdict_to_json

        print_json(verdict_to_json(verdict), indent=2)
        return
    from robodata_core.answers.text import spending_lines
    from robodata_core.verification.text import verdict_lines, verdict_status

    print_styled(verdict_lines(verdict, explain=explain))
    click.echo(verdict_status(verdict), err=True)
    for line in spending_lines(verdict.statistics):
        click.echo(line, err=True)


def _exit_code(verdict: Verdict, failure: BaseException | None) -> int:
    from robodata_core.errors import RoboDataError
    from robodata_core.model import AnswerStatus
    from robodata_core.verification.verdict import Judgement

    if verdict.status is AnswerStatus.CANCELLED:
        return 130
    if verdict.status is AnswerStatus.FAILED and isinstance(failure, RoboDataError):
        return failure.exit_code
    return 1 if verdict.judgement is Judgement.UNKNOWN else 0
