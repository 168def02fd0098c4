"""``robodata memory``: the investigations that verification by a model recalls."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from robodata_core.cli._output import print_json
from robodata_core.cli.options import config_option
from robodata_core.errors import ConfigurationError
from robodata_core.text import parse_json
from robodata_core.whole_files import read_text

if TYPE_CHECKING:
    from robodata_core.verification.trajectories import Trajectories, Trajectory

__all__ = ["memory"]

_MOST_BYTES: Final = 10_000_000


@click.group(no_args_is_help=True)
def memory() -> None:
    """Investigations of triples that `robodata verify --policy llm` is shown as examples.

    Some ship with RoboData; your own are kept in a file of yours.
    """


def _open(config: str | None) -> Trajectories:
    from robodata_core.config import load_settings
    from robodata_core.verification.trajectories import Trajectories, own_path

    return Trajectories(own_path(load_settings(config).trajectories))


@memory.command("list")
@click.argument("words", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@config_option
def list_(words: tuple[str, ...], as_json: bool, config: str | None) -> int:
    """List them, or those most like a relation named by WORDS."""
    from robodata_core.verification.trajectories import Schema

    bank = _open(config)
    every = bank.all()
    found = bank.recall(Schema(" ".join(words)), len(every)) if words else every
    for one in found:
        if as_json:
            print_json(asdict(one))
        else:
            click.echo(f"{one.id}  {one.judgement:9}  {' / '.join(one.triple)}  [{one.origin}]")
    click.echo(f"{len(found)} of {len(every)}", err=True)
    return 0


@memory.command(no_args_is_help=True)
@click.argument("id_", metavar="ID")
@config_option
def show(id_: str, config: str | None) -> int:
    """Show one from plan to judgement."""
    one = _open(config).get(id_)
    click.echo(f"{one.id} [{one.origin}]")
    for place, step in enumerate(one.plan, 1):
        click.echo(f"Plan {place}: {step}")
    click.echo(one.text())
    return 0


@memory.command(no_args_is_help=True)
@click.argument("file", type=click.Path(path_type=Path))
@config_option
def add(file: Path, config: str | None) -> int:
    """Keep the investigations of FILE: what `robodata verify --json` wrote, or one a line."""
    new = _open(config).add(_found_in(file))
    click.echo(f"{new} new.")
    return 0


@memory.command(no_args_is_help=True)
@click.argument("id_", metavar="ID")
@config_option
def remove(id_: str, config: str | None) -> int:
    """Forget one, shipped or your own; `add` brings it back."""
    _open(config).remove(id_)
    click.echo(f"{id_} is forgotten.")
    return 0


def _found_in(file: Path) -> tuple[Trajectory, ...]:
    """Read investigations."""
    from robodata_core.verification.trajectories import read_trajectories

    text = read_text(file, most=_MOST_BYTES)
    try:
        verdict = parse_json(text)
    except ValueError:
        verdict = None
    if isinstance(verdict, dict) and "judgement" in verdict and "investigation" in verdict:
        if not verdict["investigation"]:
            raise ConfigurationError(
                f"The verdict in {file} has no investigation.",
                hint="Only `robodata verify --policy llm` makes one.",
            )
        if verdict.get("status") == "failed":
            raise ConfigurationError(f"The investigation in {file} came to no judgement.")
        text = json.dumps(verdict["investigation"])
    return read_trajectories(text, str(file))
