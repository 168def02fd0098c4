"""The command group, lazy loading of commands, and what happens to every exception."""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import logging.handlers
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from robodata_core._version import __version__
from robodata_core.cli._interrupts import was_interrupted
from robodata_core.errors import RoboDataError
from robodata_core.masking import shown

_COMMANDS: Final = {
    "ask": "robodata_core.cli.ask:ask",
    "bench": "robodata_core.cli.bench:bench",
    "chat": "robodata_core.cli.chat:chat",
    "doctor": "robodata_core.cli.doctor:doctor",
    "kg": "robodata_core.cli.kg:kg",
    "mcp": "robodata_core.cli.mcp:mcp",
    "memory": "robodata_core.cli.memory:memory",
    "replay": "robodata_core.cli.replay:replay",
    "node": "robodata_ros.command:node",
    "serve-wikibase": "robodata_core.cli.serve:serve_wikibase",
    "synthesize": "robodata_core.cli.synthesize:synthesize",
    "text": "robodata_core.cli.text:text",
    "train": "robodata_core.cli.train:train",
    "trust": "robodata_core.cli.trust:trust_folder",
    "verify": "robodata_core.cli.verify:verify",
    # Front ends (node, tui): named here, imported only when they are asked for.
    "tui": "robodata_tui.command:tui",
}

#: Flags of the command group itself.
_OWN: Final = frozenset({"--help", "--version"})
_MOST_PIPED: Final = 100_000
_MOST_LOGGED: Final = 50_000
#: Loggers whose lines are for whoever asks: what of the settings does not count, what was asked to
#: be kept and is not, what leaves this machine, and what takes long once.
_TOLD: Final = (
    "robodata.config",
    "robodata.journal",
    "robodata.leaving",
    "robodata.preparing",
    "robodata.recording",
)

_log = logging.getLogger("robodata.cli")


class _ReaderGone(Exception):
    """Nobody reads the output any more. No OSError: click makes an exit code of its own of one."""


class _LazyGroup(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError as error:
            raise _ReaderGone from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        home = _COMMANDS.get(cmd_name)
        if home is None:
            return None
        module, _, name = home.partition(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command)
        return command


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Shell completion: see the README.",
)
@click.version_option(__version__, prog_name="robodata")
@click.option("-v", "--verbose", is_flag=True, help="Show the log on stderr.")
@click.pass_context
def cli(context: click.Context, verbose: bool) -> int | None:
    """Ask knowledge graphs; every claim comes with the triples behind it.

    Without a command the terminal UI opens.
    """
    if verbose:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(_Masked("%(levelname)s %(name)s: %(message)s"))
        logging.getLogger("robodata").addHandler(handler)
        logging.getLogger("robodata").setLevel(logging.DEBUG)
    if context.invoked_subcommand is not None:
        return None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo(context.get_help())
        return 0
    command = context.command.get_command(context, "tui")  # type: ignore[attr-defined]
    result: int = context.invoke(command)
    return result


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; nothing is raised but KeyboardInterrupt."""
    _mend_streams()
    with _log_file() as log_file:
        return _run(_meant(arguments), log_file)


def _mend_streams() -> None:
    """Put an empty stream in the place of a closed one; write what one cannot encode as escapes."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            how = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, how, encoding="utf-8"))  # noqa: SIM115
        elif name == "stdout" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _meant(arguments: Sequence[str]) -> Sequence[str]:
    """Return a command line with the command that one without any means.

    ``robodata --source X`` opens the terminal UI there; ``echo Q | robodata`` and ``robodata "Q"``
    answer Q. Options of a command may stand before it, too.
    """
    first = next((one for one in arguments if one not in ("-v", "--verbose")), "")
    at = arguments.index(first) if first else len(arguments)
    if " " in first.strip():  # no command has one: it is a question in quotes
        return [*arguments[:at], "ask", *arguments[at:]]
    if first in _COMMANDS or (first and not first.startswith("--")) or first in _OWN:
        return arguments
    later = next((place for place in _words_in(arguments) if arguments[place] in _COMMANDS), None)
    if later is not None:
        return [*arguments[:at], arguments[later], *arguments[at:later], *arguments[later + 1 :]]
    if any(" " in arguments[place].strip() for place in _words_in(arguments)):
        return [*arguments[:at], "ask", *arguments[at:]]
    if sys.stdin.isatty():
        # Without any flag the group itself opens the terminal UI, or shows what there is.
        return [*arguments[:at], "tui", *arguments[at:]] if first else arguments
    question = sys.stdin.read(_MOST_PIPED).strip()
    if not question:
        return arguments if not first else [*arguments[:at], "tui", *arguments[at:]]
    return [*arguments[:at], "ask", *arguments[at:], "--", question]


def _words_in(arguments: Sequence[str]) -> Iterator[int]:
    """Yield the places of what is neither an option nor the value of one.

    ``--source text`` is a source called so; an option that nobody knows takes a value.
    """
    context = click.Context(cli)
    for at, one in enumerate(arguments):
        if one == "--":
            break
        commands = [cli.get_command(context, name) for name in (one, "ask")]
        flags = {
            name
            for command in commands
            for known in (command.params if command else ())
            if isinstance(known, click.Option) and known.is_flag
            for name in (*known.opts, *known.secondary_opts)
        }
        before = arguments[at - 1] if at else ""
        valued = before.startswith("-") and before not in flags | {"-v", "--verbose"}
        if not valued and not one.startswith("-"):
            yield at


def _run(arguments: Sequence[str], log_file: Path | None) -> int:
    try:
        result: Any = cli.main(list(arguments), prog_name="robodata", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        error.show()
        return 2
    except click.exceptions.Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _cancelled()
    except RoboDataError as error:
        if was_interrupted(error):
            return _cancelled()
        _log.info("%s", error, exc_info=True)
        click.echo(f"robodata: {error}", err=True)
        return error.exit_code
    except _ReaderGone:
        # The reader went away; without this the interpreter complains once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if was_interrupted(error):
            return _cancelled()
        return _unexpected(error, log_file)


def _unexpected(error: Exception, log_file: Path | None) -> int:
    _log.exception("unexpected error")
    what = f"something went wrong that should not have ({type(error).__name__})."
    if isinstance(error, OSError) and error.strerror:  # a full disk, a folder that is gone
        what = f"{error.filename or 'the output'}: {error.strerror.lower()}."
    where = f" Details are in {log_file}." if log_file else ""
    click.echo(shown(f"robodata: {what}{where}"), err=True)
    return 1


def _cancelled() -> int:
    click.echo("robodata: cancelled.", err=True)
    return 130


class _Masked(logging.Formatter):
    """Writes records, tracebacks included, without secrets and without what steers a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return shown(super().format(record), limit=_MOST_LOGGED, multiline=True)


class _Notices(logging.Handler):
    """Tells the user on stderr what loggers of ``_TOLD`` say, each thing once."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        text = shown(record.getMessage())
        if text not in self._told:
            self._told.add(text)
            click.echo(f"robodata: {text}", err=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class _LogFile(logging.handlers.RotatingFileHandler):
    """A log that nobody but its owner may read: questions stand in it.

    Where it cannot be written (a full disk), one line says so, and nothing is stopped by it.
    """

    _told = False

    def _open(self) -> Any:
        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=_private)

    def handleError(self, record: logging.LogRecord) -> None:
        """Say once why nothing is logged, instead of where in the program that was seen."""
        if not self._told:
            self._told = True
            error = sys.exc_info()[1]
            reason = getattr(error, "strerror", None) or type(error).__name__
            told = shown(f"The log {self.baseFilename} cannot be written: {reason.lower()}.")
            click.echo(f"robodata: {told}", err=True)

    def close(self) -> None:
        """Close the file; what could not be written is lost."""
        with contextlib.suppress(OSError):
            super().close()


@contextlib.contextmanager
def _log_file() -> Iterator[Path | None]:
    """Send the project's log to a file that is made only when there is something to log.

    Afterwards logging is as it was before: a program that calls ``run`` keeps its own.
    """
    import platformdirs

    logger = logging.getLogger("robodata")
    before = (list(logger.handlers), logger.level, logger.propagate)
    path = Path(platformdirs.user_log_dir("robodata", appauthor=False)) / "robodata.log"
    handler: logging.Handler
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _LogFile(path, maxBytes=1_000_000, backupCount=1, delay=True, encoding="utf-8")
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(_Masked("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger.addHandler(handler)
    notices = _Notices(logging.INFO)
    for name in _TOLD:
        logging.getLogger(name).addHandler(notices)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield None if isinstance(handler, logging.NullHandler) else path
    finally:
        for name in _TOLD:
            logging.getLogger(name).removeHandler(notices)
        logger.handlers[:], level, logger.propagate = before
        logger.setLevel(level)
        handler.close()
