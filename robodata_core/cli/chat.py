"""``robodata chat``: question after question on a plain line, with history and no screen.

The alternative to the terminal UI for screen readers, dumb terminals and pipes: nothing is drawn
over, every answer is plain lines like those of ``ask``. Questions share one local graph.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from robodata_core.cli._answer import show_answer
from robodata_core.cli._options import settings_from, settings_options
from robodata_core.errors import RoboDataError

__all__ = ["chat"]

_HELP = (
    "Type a question and press Enter. /explain shows how the last answer was found, /all shows"
    " all its claims, /quit or the end of input (Ctrl+D) leaves. Ctrl+C cancels a run."
)


@click.command()
@settings_options
@click.option("--no-history", is_flag=True, help="Do not keep the questions.")
def chat(no_history: bool, **options: Any) -> int:
    """Ask question after question on a plain line.

    Answers go to stdout as with `ask`; prompt and narration go to stderr. Exit code 0 at the end
    of input.
    """
    from robodata_core.api import RoboData

    with (
        RoboData.open(options.get("config"), **settings_from(options)) as robodata,
        _history(enabled=not no_history and sys.stdin.isatty()),
    ):
        _converse(robodata)
    return 0


def _converse(robodata: Any) -> None:
    last: Any = None
    if sys.stdin.isatty():
        click.echo(_HELP, err=True)
    for line in _lines():
        text = line.strip()
        if text in ("/quit", "/exit", "/q"):
            return
        if text in ("/explain", "/all"):
            if last is None:
                click.echo("There is no answer yet.", err=True)
            else:
                show_answer(last, explain=text == "/explain", show_all=text == "/all")
        elif text.startswith("/"):
            click.echo(_HELP, err=True)
        elif text:
            last = _answered(robodata, text) or last


def _answered(robodata: Any, question: str) -> Any:
    """Ask and show; a question that fails or is cancelled does not end the conversation."""
    try:
        answer = robodata.ask(question)
    except KeyboardInterrupt:
        click.echo("cancelled", err=True)
        return None
    except RoboDataError as error:
        click.echo(str(error), err=True)
        return None
    show_answer(answer)
    sys.stdout.flush()
    return answer


def _lines() -> Iterator[str]:
    """Yield what is typed; the prompt is narration and must not get into a pipe."""
    while True:
        try:
            if sys.stdin.isatty() and sys.stdout.isatty():
                yield input("> ")  # with the line editor, where there is one
            else:
                line = sys.stdin.readline()
                if not line:
                    return
                yield line
        except KeyboardInterrupt:
            click.echo("", err=True)
        except EOFError:
            click.echo("", err=True)
            return


@contextlib.contextmanager
def _history(*, enabled: bool) -> Iterator[None]:
    """Give the line the questions of earlier conversations, where the platform can."""
    try:
        import readline
    except ImportError:
        enabled = False
    if not enabled:
        yield
        return
    import platformdirs

    path = Path(platformdirs.user_state_dir("robodata", appauthor=False)) / "chat_history"
    with contextlib.suppress(OSError):
        readline.read_history_file(path)
    try:
        yield
    finally:
        readline.set_history_length(1_000)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(path)
            path.chmod(0o600)
