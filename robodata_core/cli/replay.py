"""``robodata replay``: a journaled run once more, without model, source or threads."""

from __future__ import annotations

import click

from robodata_core import journal
from robodata_core.cli._answer import EXIT_CODES, narrator, show_answer
from robodata_core.run_state import RunState, apply

__all__ = ["replay"]


@click.command()
@click.argument("path", metavar="JOURNAL", type=click.Path())
@click.option("--trace", is_flag=True, help="Show states and calls in their order (stderr).")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.option("--explain", is_flag=True, help="Show the reasoning program and its SPARQL.")
@click.option("--all", "show_all", is_flag=True, help="Show every claim, however many.")
def replay(path: str, trace: bool, as_json: bool, explain: bool, show_all: bool) -> int:
    """Show what the run in JOURNAL did and answered.

    Output and exit code are those the run had: 0 answered or partial, 1 unknown or failed (or
    the journal ends before the answer), 2 not a journal, 130 cancelled.
    """
    state = RunState()
    tell = narrator() if trace else None
    for event in journal.read(path, notice=lambda text: click.echo(text, err=True)):
        if tell:
            tell(event)
        state = apply(state, event)
    if state.answer is None:
        where = f" in turn {state.turn.number}, {state.state}" if state.turn else ""
        click.echo(f"The journal ends before the answer{where}.", err=True)
        return 1
    show_answer(state.answer, as_json=as_json, explain=explain, show_all=show_all)
    return EXIT_CODES[state.answer.status]
