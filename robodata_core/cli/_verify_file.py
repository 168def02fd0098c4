"""``robodata verify`` over whole files: triples judged, or a calibration learnt from them."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from robodata_core.cli.options import opened
from robodata_core.errors import (
    CancelledError,
    ConfigurationError,
    DeadlineExceededError,
    InvalidRequestError,
    ModelUnavailableError,
    SourceError,
)
from robodata_core.text import plural
from robodata_core.whole_files import writing

if TYPE_CHECKING:
    from robodata_core.api import RoboData
    from robodata_core.cancellation import CancelToken
    from robodata_core.verification.files import TripleRow, VerdictFile
    from robodata_core.verification.verdict import Verdict

_SHOWN: Final = 3


def learn_calibration(path: str, output: str, options: dict[str, Any]) -> int:
    """Learn, measure on a fifth that is kept apart, and write.

    Raises:
        ConfigurationError: If there is too little to learn from, or a file cannot be used.
        SourceError: If the source cannot be read.
    """
    from robodata_core.evaluation.datasets import GoldTriple, load_dataset
    from robodata_core.verification.calibration import Example, fit, measure
    from robodata_core.verification.verifying import Request, Verifier

    data = load_dataset(path)
    if data.task != "triples":
        raise ConfigurationError(f"{path} holds {data.task}, not labelled triples.")
    items = [item for item in data.items if isinstance(item, GoldTriple)]
    examples: list[tuple[str, Example]] = []
    left_out: list[str] = []
    with opened(options) as robodata:
        verifier = Verifier(robodata.source, robodata.settings)
        with click.progressbar(items, label="Looking at triples", file=_stderr()) as shown:
            for item in shown:
                request = Request(item.subject, item.predicate, item.object)
                try:
                    example = verifier.example(request, item.holds)
                except InvalidRequestError as error:
                    left_out.append(f"{item.id}: {error}")
                    continue
                if example is None:
                    left_out.append(f"{item.id}: rules join entities only, in a snapshot")
                else:
                    examples.append((item.id, example))
    apart = [one for id_, one in examples if _kept_apart(id_)]
    scorer = verifier.scorer.learnt_from if verifier.scorer else ""
    first = fit([one for id_, one in examples if not _kept_apart(id_)], "", scorer)
    held_out = measure(first.probability, apart)
    name = f"{plural(len(examples), 'triple')} of {data.name} ({data.sha256[:12]})"
    learnt = replace(fit([one for _, one in examples], name, scorer), held_out=held_out)
    learnt.write(output)
    for line in left_out[:_SHOWN]:
        click.echo(f"left out: {line}", err=True)
    more = f" {len(left_out):,} were left out." if left_out else ""
    click.echo(
        f"Learnt from {name}.{more} On {held_out.triples:,} kept apart (a fifth, learning from the"
        f" rest): accuracy {held_out.accuracy:.3f}, F1 {held_out.f1:.3f}. Use it with"
        f" --calibration {output}"
    )
    return 0


def learn_scorer(output: str, options: dict[str, Any]) -> int:
    """Train a scorer on the source's graph, and write it.

    Raises:
        ConfigurationError: If there is too little to learn from, or NumPy is missing.
        SourceError: If the source cannot be read.
    """
    from robodata_core.verification.verifying import Verifier

    with opened(options) as robodata:
        verifier = Verifier(robodata.source, robodata.settings)
        with click.progressbar(length=1_000, label="Training", file=_stderr()) as shown:
            scorer = verifier.learn_scorer(
                lambda share: shown.update(int(share * 1_000) - shown.pos)
            )
    scorer.write(output)
    click.echo(
        f"Learnt from {scorer.learnt_from}: {plural(len(scorer.entities), 'thing')},"
        f" {plural(len(scorer.relations), 'relation')}. It counts where a calibration weighs it:"
        f" robodata verify --learn TRIPLES --output FILE --scorer {output}"
    )
    return 0


def _kept_apart(id_: str) -> bool:
    return hashlib.sha256(id_.encode("utf-8", "replace")).digest()[0] % 5 == 0


def _stderr() -> Any:
    import sys

    return sys.stderr


_TRIED: Final = 5
"""Triples after which the time for all is estimated."""
_TOLD: Final = 10.0
"""Seconds between two lines about the progress."""
_VERDICTS_DEPEND_ON: Final = (
    "source", "calibration", "scorer", "language", "policy", "model", "texts", "web_search",
)  # fmt: skip
_CALLS: Final = (3, 13)
"""Fewest and most calls of an investigation that no reply goes wrong in: a plan, up to ten steps,
a judgement, and a retry."""
_USUAL: Final = (7_000, 500)
"""Tokens sent and received in an investigation of two steps, as measured: docs/VERIFICATION.md."""


def verify_file(
    path: str,
    output: str,
    report: str | None,
    *,
    decide: bool,
    without_itself: bool,
    options: dict[str, Any],
) -> int:
    """Judge every triple of a file that has no verdict yet, then write the report.

    Args:
        path: Tab-separated triples.
        output: Where verdicts go, one JSON object a line; what is there is gone on with.
        report: Where a report goes (``.html`` or Markdown), or None.
        decide: Decide also where the graph does not.
        without_itself: Keep each triple and its copies out of sight.
        options: Settings.

    Returns:
        The exit code: 130 if Ctrl+C ended it, else 0.

    Raises:
        ConfigurationError: If a file cannot be used.
        SourceError: If the source is down.
    """
    from robodata_core.cli._waiting import in_thread
    from robodata_core.verification.files import VerdictFile, read_triples

    rows = read_triples(path)
    with opened(options) as robodata:
        known = {name: str(getattr(robodata.settings, name)) for name in _VERDICTS_DEPEND_ON}
        setup = {**known, "decide": decide, "without_itself": without_itself}
        with VerdictFile(output, path, setup) as verdicts:
            left = verdicts.left(rows)
            done = len(rows) - len(left)
            click.echo(
                f"{plural(len(rows), 'triple')}"
                f"{f', {done:,} of them judged before' if done else ''};"
                f" {_cost(robodata, len(left))}.",
                err=True,
            )
            ended = in_thread(
                lambda cancel: _judge(
                    robodata, verdicts, left, cancel, decide=decide, without_itself=without_itself
                )
            )
            found = list(verdicts.verdicts.values())
    _conclude(found, path, report)
    return 130 if ended else 0


def _judge(
    robodata: RoboData,
    verdicts: VerdictFile,
    rows: tuple[TripleRow, ...],
    cancel: CancelToken,
    *,
    decide: bool,
    without_itself: bool,
) -> bool:
    """Judge the rows; returns whether it was ended before the last one."""
    judge = partial(robodata.verify, decide=decide, without_itself=without_itself)
    started = told = time.monotonic()
    spent = 0
    for number, row in enumerate(rows):
        one = cancel.part(robodata.settings.time_budget)
        found = _found(robodata, judge, row, one)
        if cancel.cancelled:
            click.echo(
                f"Ended; the same command goes on with the other {len(rows) - number:,}.", err=True
            )
            return True
        if isinstance(found, str):
            verdicts.add_error(row, found)
        else:
            verdicts.add(row, found)
            tokens = found.statistics.tokens
            spent += tokens.prompt + tokens.completion
        now = time.monotonic()
        if number + 1 == _TRIED < len(rows) or now - told >= _TOLD:
            told = now
            seconds = (now - started) / (number + 1) * (len(rows) - number - 1)
            more = spent // (number + 1) * (len(rows) - number - 1)
            tokens_left = f" and {more:,} tokens" if spent else ""
            click.echo(
                f"{number + 1:,} of {len(rows):,}, about {_time(seconds)}{tokens_left} left",
                err=True,
            )
    return False


def _found(
    robodata: RoboData, judge: Callable[..., Verdict], row: TripleRow, token: CancelToken
) -> Verdict | str:
    """Return the verdict on a row, or why there is none."""
    from robodata_core.model import AnswerStatus
    from robodata_core.verification.verdict import Judgement

    try:
        verdict = judge(row.subject, row.predicate, row.object, cancel=token)
    except (InvalidRequestError, CancelledError, DeadlineExceededError) as error:
        return str(error)
    if isinstance(robodata.failure, (SourceError, ModelUnavailableError)):
        raise robodata.failure
    ran_out = token.remaining == 0 and verdict.judgement is Judgement.UNKNOWN
    return verdict.explanation if ran_out or verdict.status is AnswerStatus.FAILED else verdict


def _cost(robodata: RoboData, number: int) -> str:
    """Say what judging so many triples will take of a model."""
    from robodata_core.model import TokenCount
    from robodata_core.policy.llm.open import prices_of
    from robodata_core.verification.verifying import unasked

    settings = robodata.settings
    if settings.policy != "llm":
        return "; ".join(("no language model is asked", *unasked(settings))).removesuffix(".")
    fewest, most = _CALLS
    usual = TokenCount(*(number * tokens for tokens in _USUAL))
    price = prices_of(settings).cost(settings.model, usual)
    priced = "" if price is None else f", at a price of {price:,.2f}"
    return (
        f"{settings.model} is asked {fewest * number:,} to {most * number:,} times, for about"
        f" {usual.prompt + usual.completion:,} tokens where two steps do{priced}; the rest is"
        f" estimated anew after {_TRIED}"
    )


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _conclude(found: list[dict[str, Any]], path: str, report: str | None) -> None:
    from robodata_core.verification.files import html_report, markdown_report

    title = f"Verdicts on {Path(path).name}"
    text = markdown_report(found, title)
    if report is None:
        click.echo(text.splitlines()[2])
        return
    as_html = Path(report).suffix.lower() in (".html", ".htm")
    with writing(report) as file:
        file.write_text(html_report(found, title) if as_html else text, encoding="utf-8")
    click.echo(text.splitlines()[2])
    click.echo(f"The report is in {report}.", err=True)
    sys.stdout.flush()
