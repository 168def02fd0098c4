"""Flags that carry the settings' names, shared by the commands that run questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from robodata_core.errors import ConfigurationError

if TYPE_CHECKING:
    from robodata_core.api import RoboData

__all__ = ["OutputPath", "config_option", "opened", "settings_from", "settings_options"]

F = TypeVar("F", bound=Callable[..., Any])


class OutputPath(click.Path):
    """A file to write: that its folder is not there is told before the work, not after it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path as it was given."""
        folder = Path(value).parent
        if not folder.is_dir():
            raise ConfigurationError(f"{value} cannot be written: there is no folder {folder}.")
        return super().convert(value, param, ctx)


config_option = click.option(
    "--config", metavar="FILE", help="Settings file (default: robodata.yaml)."
)

_OPTIONS: tuple[Callable[[F], F], ...] = (
    config_option,
    click.option(
        "--source",
        metavar="SOURCE",
        help="snapshot:NAME or PATH, wikidata, sparql:URL, or several with commas"
        " (default: snapshot:world).",
    ),
    click.option(
        "--policy",
        type=click.Choice(["offline", "chat", "llm", "auto"]),
        help="Who decides (default: llm where a model is named, else offline).",
    ),
    click.option("--model", metavar="NAME", help="Language model that decides."),
    click.option("--base-url", metavar="URL", help="OpenAI-compatible endpoint."),
    click.option(
        "--store", metavar="STORE", help="Keep the local graph: a folder, or sparql:URL (a server)."
    ),
    click.option("--language", metavar="TAG", help="Preferred language of labels."),
    click.option(
        "--metacognition/--no-metacognition", default=None, help="Watch and correct the strategy."
    ),
    click.option(
        "--second-look/--no-second-look",
        default=None,
        help="Have the model look again whether the answer fits the question.",
    ),
    click.option(
        "--decompose/--no-decompose", default=None, help="Take questions apart first (llm)."
    ),
    click.option("--max-turns", type=int, metavar="N", help="Most turns of the machine."),
    click.option("--time-budget", type=float, metavar="SECONDS", help="Most time for a run."),
    click.option(
        "--confidence", type=float, metavar="0..1", help="Below this the answer is unknown."
    ),
    click.option(
        "--likely", type=float, metavar="0..1", help="From this probability on it is likely."
    ),
    click.option("--sure", type=float, metavar="0..1", help="From this probability on it is sure."),
    click.option("--lexicon", metavar="FILE", help="Extra names of relations (tab-separated)."),
    click.option("--ranker", metavar="FILE", help="Trained ranker, from `robodata train`."),
    click.option(
        "--calibration", metavar="FILE", help="For triples, from `robodata verify --learn`."
    ),
    click.option(
        "--scorer", metavar="FILE", help="For triples, from `robodata verify --learn-scorer`."
    ),
    click.option(
        "--texts",
        metavar="TEXTS",
        help="Texts to quote: an index of `robodata text load`, wikipedia, or several with commas.",
    ),
    click.option("--web-search", metavar="URL", help="Search service: an address with {query}."),
    click.option(
        "--semantic",
        type=click.Choice(["off", "endpoint", "local"]),
        help="Compare words with relations by meaning as well (offline).",
    ),
    click.option("--semantic-url", metavar="URL", help="Embeddings service, for endpoint."),
    click.option("--semantic-model", metavar="NAME", help="Embedding model."),
    click.option("--record", metavar="FILE", help="Record all traffic, without secrets."),
    click.option(
        "--replay-traffic", metavar="FILE", help="Answer from a recording, without any network."
    ),
    click.option("--journal", metavar="FOLDER", help="Write every run's journal there."),
)


def settings_options(command: F) -> F:
    """Add the settings' flags to a click command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_from(options: dict[str, Any]) -> dict[str, Any]:
    """Take the settings out of a command's parameters, ready for ``RoboData.open``."""
    from robodata_core.config import Settings

    return {name: options[name] for name in Settings.model_fields if options.get(name) is not None}


def opened(options: dict[str, Any]) -> RoboData:
    """Open RoboData as a command's parameters say."""
    from robodata_core.api import RoboData

    return RoboData.open(options.get("config"), **settings_from(options))
