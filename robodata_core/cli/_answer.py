"""Showing a run on stderr and its answer on stdout, for every command that ends in one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import click

from robodata_core.answers.text import answer_lines, spending_lines, status_line
from robodata_core.cli._output import print_json, print_styled
from robodata_core.config import Settings
from robodata_core.errors import RoboDataError
from robodata_core.model import Answer, AnswerStatus

if TYPE_CHECKING:
    from robodata_core.events import RunEvent

EXIT_CODES: Final = {
    AnswerStatus.ANSWERED: 0,
    AnswerStatus.PARTIAL: 0,
    AnswerStatus.UNKNOWN: 1,
    AnswerStatus.FAILED: 1,
    AnswerStatus.CANCELLED: 130,
}


def exit_code(answer: Answer, failure: BaseException | None = None) -> int:
    """Return the documented exit code of a run.

    Args:
        answer: How it ended.
        failure: What made it fail, if it did; a missing service has a code of its own.
    """
    if answer.status is AnswerStatus.FAILED and isinstance(failure, RoboDataError):
        return failure.exit_code
    return EXIT_CODES[answer.status]


def narrator() -> Callable[[RunEvent], None]:
    """Return a watcher that tells of a run on stderr, a line for every event that has one."""
    from robodata_core.narrate import narrate

    def _tell(event: RunEvent) -> None:
        line = narrate(event)
        if line:
            click.echo(line, err=True)

    return _tell


def show_answer(
    answer: Answer,
    *,
    as_json: bool = False,
    explain: bool = False,
    show_all: bool = False,
    looked_up: bool = True,
    label: Callable[[str], str] = str,
) -> None:
    """Write ``answer`` to stdout, for people or as the JSON contract.

    A reply that was not looked up has no status worth a line.
    """
    if as_json:
        from robodata_core.answers.json import answer_to_json

        print_json(answer_to_json(answer), indent=2)
        return
    most = None if show_all else 30
    print_styled(answer_lines(answer, explain=explain, most_claims=most, label=label))
    if looked_up:
        click.echo(status_line(answer), err=True)
    for line in spending_lines(answer.statistics):
        click.echo(line, err=True)


def say_where_it_ends(settings: Settings, answer: Answer) -> bool:
    """Say after an answer that is unknown what was asked, and how to ask more; tell whether."""
    from robodata_core.beyond import asked_alone

    asked = asked_alone(settings, answer)
    if not asked:
        return False
    click.echo(
        f"{asked} Live Wikidata may know: --source auto goes on to it for what the snapshot lacks"
        " (words of the question are sent there); robodata kg grow makes a snapshot of a topic.",
        err=True,
    )
    return True
