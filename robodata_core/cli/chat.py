"""``robodata chat``: question after question on a plain line, with history and no screen.

The alternative to the terminal UI for screen readers, dumb terminals and pipes: nothing is drawn
over, every answer is plain lines like those of ``ask``. Questions share one local graph and are
one conversation: later ones may point back to earlier ones.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from robodata_core.cli._answer import narrator, show_answer
from robodata_core.cli.options import opened, settings_options
from robodata_core.errors import RoboDataError

__all__ = ["chat"]

_MOST_CHARACTERS: Final = 1_000_000
_HELP: Final = (
    "Type a question and press Enter. It may point back to earlier ones (“And of Germany?”, “When"
    " was she born?”); how it was understood is shown. /new begins a new conversation, /explain"
    " shows how the last answer was found, /all shows all its claims, /quit or the end of input"
    " (Ctrl+D) leaves. Ctrl+C cancels a run."
)


@click.command()
@settings_options
@click.option("--trace", is_flag=True, help="Show states and calls as they happen (stderr).")
@click.option("--no-history", is_flag=True, help="Do not keep the questions.")
def chat(trace: bool, no_history: bool, **options: Any) -> int:
    """Ask question after question on a plain line.

    Questions are one conversation. "And of Germany?", "When was she born?", "Which of them play
    the guitar?" are said anew with the names they point to, and that is shown as "understood as".
    Lines that begin with a slash are commands: /new begins a new conversation (facts found so far
    stay in the local graph), /explain shows how the last answer was found, /all shows all its
    claims, /quit leaves.

    Answers go to stdout as with `ask`; prompt and narration go to stderr. Exit code 0 at the end
    of input.
    """
    with (
        opened(options) as robodata,
        _history(enabled=not no_history and sys.stdin.isatty()),
        _typing_ahead(),
    ):
        _converse(robodata, narrator() if trace else None)
    return 0


def _converse(robodata: Any, watch: Any) -> None:
    from robodata_core.cli._answer import say_where_it_ends

    last: Any = None
    told = False
    conversation = robodata.conversation()
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
        elif text == "/new":
            conversation.reset()
            click.echo("A new conversation begins.", err=True)
        elif text.startswith("/"):
            click.echo(_HELP, err=True)
        elif text:
            last = _answered(robodata, conversation, text, watch) or last
            told = told or (last is not None and say_where_it_ends(robodata.settings, last))


def _answered(robodata: Any, conversation: Any, question: str, watch: Any) -> Any:
    """Ask and show; a question that fails or is cancelled does not end the conversation."""
    from robodata_core.answers.text import labelled
    from robodata_core.cli._waiting import in_thread

    try:
        answer = in_thread(
            lambda cancel: conversation.ask(question, on_event=watch, cancel=cancel),
            robodata.settings.time_budget,
        )
    except RoboDataError as error:
        click.echo(str(error), err=True)
        return None
    # A Ctrl+C while a long answer is printed is about the printing.
    with contextlib.suppress(KeyboardInterrupt):
        claims = (claim for turn in conversation.turns for claim in turn.answer.claims)
        label = labelled(item for claim in claims for item in claim.support.evidence)
        show_answer(answer, looked_up=bool(answer.trace), label=label)
        sys.stdout.flush()
    return answer


def _lines() -> Iterator[str]:
    """Yield what is typed; the prompt is narration and must not get into a pipe."""
    from robodata_core.cli._waiting import heeding_ctrl_c

    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")  # a byte that is no text does not end the conversation
    while True:
        try:
            with heeding_ctrl_c():
                line = input("> ") + "\n" if _is_edited() else _read_line()
        except KeyboardInterrupt:
            click.echo("", err=True)
        except EOFError:
            click.echo("", err=True)
            return
        else:
            if not line:
                return
            yield line


def _read_line() -> str:
    """Return the next line, of one without end no more than its beginning; empty at the end."""
    line = rest = sys.stdin.readline(_MOST_CHARACTERS)
    while rest and not rest.endswith("\n"):
        rest = sys.stdin.readline(_MOST_CHARACTERS)
    return line


def _is_edited() -> bool:
    """Tell whether lines come from a person at a terminal, through the line editor if any."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextlib.contextmanager
def _typing_ahead() -> Iterator[None]:
    """Keep what is typed during a run, Ctrl+D too, as it is for the line editor's next line.

    In its usual mode the terminal takes Ctrl+D for itself, and what it makes of it is lost when
    the line editor starts. Without a line editor the terminal has to edit, so it stays as it is.
    """
    try:
        import readline  # noqa: F401
        import termios
    except ImportError:
        yield
        return
    if not _is_edited():
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    mode = termios.tcgetattr(terminal)
    # Not the echo: what the terminal does not show, the line editor would not show either.
    mode[3] &= ~termios.ICANON
    # Ctrl+C would throw away what stands in line, in both directions.
    mode[3] |= termios.NOFLSH
    termios.tcsetattr(terminal, termios.TCSADRAIN, mode)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


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
