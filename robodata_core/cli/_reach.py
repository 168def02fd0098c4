"""Says how far the sources of a question reach: what leaves this machine, and where they end."""

from __future__ import annotations

import click

from robodata_core.config import Settings
from robodata_core.model import Answer, AnswerStatus


def say_what_leaves(settings: Settings) -> None:
    """Say before a question is asked that some of its words are sent to Wikidata."""
    if "auto" in settings.source:
        click.echo(
            "Names that the snapshot lacks are looked up at Wikidata: words of the question and"
            " ids are sent there.",
            err=True,
        )


def say_where_it_ends(settings: Settings, answer: Answer) -> bool:
    """Say after an answer that is unknown what was asked, and how to ask more; tell whether."""
    snapshots = [name for name in settings.source if name.startswith("snapshot:")]
    if answer.status is not AnswerStatus.UNKNOWN or len(snapshots) < len(settings.source):
        return False
    asked = " and ".join(snapshots)
    click.echo(
        f"Only {asked} was asked, without a network. Live Wikidata may know: --source auto goes on"
        " to it for what the snapshot lacks (words of the question are sent there); robodata kg"
        " grow makes a snapshot of a topic.",
        err=True,
    )
    return True
