"""``robodata tui``: starts the application, or serves it to browsers."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Any

import click

from robodata_core.cli._options import settings_from, settings_options
from robodata_core.errors import ConfigurationError
from robodata_tui.pace import set_pace
from robodata_tui.watching import DEFAULT_TOPIC, RobotBridge, check_topic, load_watch

__all__ = ["start", "tui"]


@click.command()
@settings_options
@click.option("--replay", "replay", metavar="FILE", type=click.Path(), help="Open a journal.")
@click.option("--ssh", is_flag=True, help="Spare the line: 15 frames a second, no animation.")
@click.option("--serve", is_flag=True, help="Serve it to a browser instead (this machine only).")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address for --serve.")
@click.option("--port", default=8000, show_default=True, help="Port for --serve.")
@click.option("--yes", is_flag=True, help="With --serve: do not ask before binding elsewhere.")
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
    no_history: bool,
    ros: bool,
    topic: str | None,
    **options: Any,
) -> int:
    """Open the terminal UI."""
    if topic and not ros:
        raise ConfigurationError("--topic says what --ros watches.", hint="Add --ros.")
    watched = check_topic(topic or DEFAULT_TOPIC) if ros else None
    if watched is not None:
        load_watch()  # before a server starts that could show nothing
    if serve:
        from robodata_tui.serving import serve as serve_it

        arguments = _arguments(options, no_history=no_history)
        arguments += ["--ros", f"--topic={watched}"] if watched is not None else []
        return serve_it(arguments, host, port, sure=yes)
    return start(
        options.pop("config", None),
        settings_from(options),
        replay=Path(replay) if replay else None,
        ssh=ssh,
        history=not no_history,
        watched=watched,
    )


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
    from robodata_core.api import RoboData
    from robodata_core.config import Settings, load_settings
    from robodata_tui.bridge import Bridge
    from robodata_tui.options import Options

    settings = load_settings(config, **overrides)
    journals = _journals(settings, history)
    if journals is not None and not settings.journal:
        overrides = {**overrides, "journal": str(journals)}
        settings = load_settings(config, **overrides)

    def open_core(chosen: Settings) -> RoboData:
        return RoboData.open(config, **chosen.model_dump())

    _check_sources(settings.source)
    bridge = (
        RobotBridge(load_watch(), watched)
        if watched is not None
        else Bridge(lambda: open_core(settings))
    )
    ssh = ssh or settings.tui.ssh
    set_pace(ssh=ssh)
    from robodata_tui.app import RoboDataApp

    if replay is not None and not replay.is_file():
        raise ConfigurationError(f"There is no journal at {replay}.")
    if not sys.stdin.isatty() and not os.environ.get("TEXTUAL_DRIVER"):
        raise ConfigurationError(
            "The terminal UI needs a terminal.", hint="Use robodata ask, or robodata chat."
        )
    _quiet()
    app = RoboDataApp(
        Options(
            settings=settings,
            open_core=open_core,
            config=Path(config or "robodata.yaml"),
            journals=journals,
            replay=replay,
            ssh=ssh,
            theme=settings.tui.theme,
            keymap=settings.tui.keymap,
        ),
        bridge,
    )
    try:
        return app.run() or 0
    finally:
        bridge.close()


def _check_sources(sources: tuple[str, ...]) -> None:
    """Refuse before the screen what cannot be a source; opening it comes after the first paint."""
    for source in sources:
        kind, _, rest = source.partition(":")
        if kind not in ("snapshot", "wikidata", "sparql") or (kind != "wikidata" and not rest):
            raise ConfigurationError(
                f"There is no source called {source!r}.",
                hint="Use snapshot:NAME, snapshot:PATH, wikidata or sparql:URL.",
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


def _journals(settings: Any, history: bool) -> Path | None:
    if settings.journal:
        return Path(settings.journal)
    if not history:
        return None
    import platformdirs

    return Path(platformdirs.user_state_dir("robodata", appauthor=False)) / "journals"
