"""``robodata ask``: one question, one answer with its evidence."""

from __future__ import annotations

from typing import Any

import click

from robodata_core.cli._answer import exit_code, narrator, show_answer
from robodata_core.cli.options import settings_from, settings_options

__all__ = ["ask"]


@click.command()
@click.argument("question", nargs=-1, required=True)
@settings_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.option("--trace", is_flag=True, help="Show states and calls as they happen (stderr).")
@click.option("--explain", is_flag=True, help="Show the reasoning program and its SPARQL.")
@click.option("--interactive", is_flag=True, help="Accept, ask for more, or ask anew.")
@click.option("--all", "show_all", is_flag=True, help="Show every claim, however many.")
def ask(
    question: tuple[str, ...],
    as_json: bool,
    trace: bool,
    explain: bool,
    interactive: bool,
    show_all: bool,
    **options: Any,
) -> int:
    """Answer QUESTION with numbered claims and the triples behind each.

    Exit codes: 0 answered or partial, 1 unknown or failed, 2 usage, 3 a service is
    unavailable, 130 cancelled.
    """
    from robodata_core.api import RoboData, clean_question
    from robodata_core.beyond import ends_here
    from robodata_core.cli._answer import say_where_it_ends
    from robodata_core.config import load_settings

    settings = settings_from(options)
    loaded = load_settings(options.get("config"), **settings)
    text = clean_question(" ".join(question), loaded.max_question)
    with RoboData.open(options.get("config"), **settings) as robodata:
        watch = narrator() if trace else None
        if interactive:
            from robodata_core.cli._interactive import converse

            answer = converse(robodata, text, watch)
        else:
            from robodata_core.cli._waiting import in_thread

            answer = in_thread(
                lambda cancel: robodata.ask(text, on_event=watch, cancel=cancel),
                robodata.time_left,
            )
        failure = robodata.failure
    told = ends_here(loaded, answer) if as_json else answer
    show_answer(told, as_json=as_json, explain=explain, show_all=show_all)
    say_where_it_ends(loaded, answer)
    return exit_code(answer, failure)
