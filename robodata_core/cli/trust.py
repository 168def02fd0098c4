"""``robodata trust``: let the settings file of a folder decide where secrets go."""

from __future__ import annotations

from pathlib import Path

import click

from robodata_core.errors import ConfigurationError
from robodata_core.text import clean_text
from robodata_core.trust import distrust, harmless, read_settings_file, trust

__all__ = ["trust_folder"]


@click.command("trust")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--revoke", is_flag=True, help="Trust it no longer.")
def trust_folder(folder: Path, revoke: bool) -> int:
    """Let all settings of FOLDER/robodata.yaml count (default: this folder).

    Until then those that name hosts, write files or load models are ignored there, because such a
    file may come with somebody else's work. Trust ends when the file changes.
    """
    path = folder / "robodata.yaml" if folder.is_dir() else folder
    if revoke:
        was = distrust(path)
        click.echo(f"{path} is trusted no longer." if was else f"{path} was not trusted.", err=True)
        return 0
    if not path.is_file():
        raise ConfigurationError(f"There is no settings file at {path}.")
    settings, _ = read_settings_file(path)
    for name in harmless(settings)[1]:
        click.echo(f"{name}: {clean_text(str(settings[name]), limit=200)}", err=True)
    trust(path)
    click.echo(f"{path} is trusted as it is now.", err=True)
    return 0
