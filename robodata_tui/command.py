"""``robodata tui``: starts the application, or serves it to browsers."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from robodata_core.cli.options import settings_from, settings_options
from robodata_core.errors import ConfigurationError, SnapshotError
from robodata_core.sources.open import kind_of_source
from robodata_tui.kept import default_folder, kept_file, prune
from robodata_tui.memory import in_haste, keep_little
from robodata_tui.starting import keep_keys_behind_escape, read_any_bytes, set_pace

if TYPE_CHECKING:
    from robodata_core.api import RoboData
    from robodata_core.config import Settings
    from robodata_tui.bridge import Bridge

__all__ = ["start", "tui"]


def _number(
    name: str, default: int, between: tuple[int, int], text: str
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return an option for a whole number."""
    kind = click.IntRange(*between)
    return click.option(name, default=default, show_default=True, type=kind, help=text)


@click.command()
@settings_options
@click.option("--replay", "replay", metavar="FILE", type=click.Path(), help="Open a journal.")
@click.option("--ssh", is_flag=True, help="Spare the line: 15 frames a second, no animation.")
@click.option("--serve", is_flag=True, help="Serve it to a browser instead (this machine only).")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address for --serve.")
@_number("--port", 8000, (0, 65_535), "Port for --serve; 0 takes a free one.")
@click.option("--yes", is_flag=True, help="With --serve: do not ask before binding elsewhere.")
@_number("--sessions", 8, (1, 1_000), "With --serve: most windows at the same time.")
@click.option("--no-history", is_flag=True, help="Do not keep journals of runs.")
@click.option("--ros", is_flag=True, help="Watch the runs of a robot's node instead of asking.")
@click.option("--topic", metavar="NAME", help="Its events, with --ros.  [default: robodata/events]")
def tui(
    replay: str | None,
    ssh: bool,
    serve: bool,
    host: str,
    port: int,
    yes: bool,
    sessions: int,
    no_history: bool,
    ros: bool,
    topic: str | None,
    **options: Any,
) -> int:
    """Open the terminal UI."""
    if topic and not ros:
        raise ConfigurationError("--topic says what --ros watches.", hint="Add --ros.")
    watched = _topic(topic) if ros else None
    if serve:
        from robodata_tui.serving import serve as serve_it

        _settings(options.get("config"), settings_from(options), ssh=ssh)
        arguments = _arguments(options, no_history=no_history)
        arguments += ["--ros", f"--topic={watched}"] if watched is not None else []
        return serve_it(arguments, host, port, sure=yes, sessions=sessions)
    return start(
        options.pop("config", None),
        settings_from(options),
        replay=Path(replay) if replay else None,
        ssh=ssh,
        history=not no_history,
        watched=watched,
    )


@in_haste()
def start(
    config: str | None,
    overrides: dict[str, Any],
    *,
    replay: Path | None = None,
    ssh: bool = False,
    history: bool = True,
    watched: str | None = None,
) -> int:
    """Open the application and return its exit code.

    Args:
        config: The settings file, if one is named.
        overrides: Settings by name.
        replay: A journal to open at once.
        ssh: Whether to spare the line.
        history: Whether to keep journals.
        watched: The topic of a robot's events to watch instead of asking.

    Raises:
        ConfigurationError: If a setting, the source or the journal is wrong; before any screen.
    """
    settings = _settings(config, overrides, ssh=ssh)
    _check_place(replay)
    settings, journals = _journaled(config, overrides, settings, history)

    def open_core(chosen: Settings) -> RoboData:
        # In the core's thread: all that answers questions is not needed for the first picture.
        from robodata_core.api import RoboData

        return RoboData.open(config, **chosen.model_dump())

    _quiet()
    read_any_bytes()
    keep_keys_behind_escape()
    bridge = _bridge(partial(open_core, settings), watched)
    from robodata_tui.app import RoboDataApp
    from robodata_tui.dialogs import Options

    keep_little()
    app = RoboDataApp(
        Options(
            settings=settings,
            open_core=open_core,
            config=Path(config or "robodata.yaml"),
            journals=journals,
            replay=replay,
            ssh=ssh or settings.tui.ssh,
            theme=settings.tui.theme,
            keymap=settings.tui.keymap,
            kept=kept_file(),
        ),
        bridge,
    )
    try:
        return app.run() or 0
    finally:
        bridge.close()


def _check_place(replay: Path | None) -> None:
    """Refuse a journal that is not there, and a place without a terminal."""
    if replay is not None and not replay.is_file():
        raise ConfigurationError(f"There is no journal at {replay}.")
    # Textual draws on the standard error: sent to a file, the terminal would stay black.
    here = sys.stdin.isatty() and sys.stderr.isatty()
    if not here and not os.environ.get("TEXTUAL_DRIVER"):
        raise ConfigurationError(
            "The terminal UI needs a terminal.", hint="Use robodata ask, or robodata chat."
        )


def _journaled(
    config: str | None, overrides: dict[str, Any], settings: Settings, history: bool
) -> tuple[Settings, Path | None]:
    """Return the settings with the folder for journals of runs, and the folder if there is one.

    In the usual folder the oldest journals go; one that is named is the user's own.
    """
    from robodata_core.config import load_settings

    if settings.journal:
        return settings, Path(settings.journal)
    if not history:
        return settings, None
    journals = default_folder()
    try:
        journals.mkdir(parents=True, exist_ok=True)
        writable = os.access(journals, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        click.echo(f"robodata: No journals are kept: {journals} cannot be written.", err=True)
        return settings, None
    settings = load_settings(config, **{**overrides, "journal": str(journals)})
    prune(journals, settings.tui.journals)
    return settings, journals


def _bridge(open_core: Callable[[], RoboData], watched: str | None) -> Bridge:
    """Return what runs a core, or what listens to a robot."""
    from robodata_tui.bridge import Bridge

    if watched is None:
        return Bridge(open_core)
    from robodata_tui.watching import RobotBridge, load_watch

    return RobotBridge(load_watch(), watched)


def _topic(name: str | None) -> str:
    """Return the topic to watch; before a screen or a server that could show nothing."""
    from robodata_tui.watching import DEFAULT_TOPIC, check_topic, load_watch

    load_watch()
    return check_topic(name or DEFAULT_TOPIC)


def _settings(config: str | None, overrides: dict[str, Any], *, ssh: bool) -> Settings:
    """Load the settings and check what can be checked without opening anything."""
    from robodata_core.config import load_settings

    settings = load_settings(config, **overrides)
    set_pace(ssh=ssh or settings.tui.ssh)  # the checks import Textual
    _check_keymap(settings.tui.keymap)
    _check_theme(settings.tui.theme)
    _check_sources(settings)
    return settings


def _check_sources(settings: Settings) -> None:
    """Refuse before the screen what cannot be; opening it comes after the first picture.

    What only opening finds closes the screen again, and is told then.
    """
    if settings.policy in ("chat", "llm") and not settings.model:
        raise ConfigurationError(
            "No language model is named.", hint="Give --model NAME, or use --policy offline."
        )
    for source in settings.source:
        kind, rest = kind_of_source(source)
        if kind == "snapshot" and os.sep in rest and not Path(rest).expanduser().exists():
            raise SnapshotError(f"There is no snapshot at {rest}.")


def _check_keymap(keymap: dict[str, str]) -> None:
    """Refuse names that no key has."""
    from robodata_tui.keymap import BINDINGS

    names = {binding.id for binding in BINDINGS}
    unknown = [name for name in keymap if name not in names]
    if unknown:
        raise ConfigurationError(
            f"tui.keymap: there is no key called {unknown[0][:60]!r}.",
            hint=f"There are: {', '.join(sorted(map(str, names)))}.",
        )


def _check_theme(theme: str) -> None:
    """Refuse a theme that does not exist."""
    if not theme:
        return
    from textual.theme import BUILTIN_THEMES

    if theme not in BUILTIN_THEMES:
        raise ConfigurationError(
            f"tui.theme: there is no theme called {theme[:60]!r}.",
            hint=f"There are: {', '.join(sorted(BUILTIN_THEMES))}.",
        )


def _quiet() -> None:
    """Keep the log off the screen (--verbose writes to stderr); its file goes on."""
    logger = logging.getLogger("robodata")
    for handler in list(logger.handlers):
        if isinstance(handler, logging.StreamHandler) and not hasattr(handler, "baseFilename"):
            logger.removeHandler(handler)


def _arguments(options: dict[str, Any], *, no_history: bool) -> list[str]:
    """Return the flags that every served application is started with."""
    arguments = [f"--config={options['config']}"] if options.get("config") else []
    for name, value in settings_from(options).items():
        flag = "--" + name.replace("_", "-")
        arguments.append(flag if value is True else f"{flag}={value}")
    return [*arguments, "--no-history"] if no_history else arguments
