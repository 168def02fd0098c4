"""``robodata text``: texts that verification may quote."""

from __future__ import annotations

from pathlib import Path

import click

from robodata_core.cli.options import OutputPath

__all__ = ["text"]


@click.group(no_args_is_help=True)
def text() -> None:
    """Texts that `robodata verify --policy llm` may quote as evidence."""


@text.command(no_args_is_help=True)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--output", required=True, type=OutputPath(path_type=Path), help="The index to make.")
def load(files: tuple[Path, ...], output: Path) -> int:
    """Make an index of FILES: text, Markdown, JSON Lines (title, text, url), or folders of them.

    Use it with `--texts PATH`.
    """
    from robodata_core.clock import SystemClock
    from robodata_core.text import plural
    from robodata_core.texts.index import load_texts

    loaded = load_texts(files, output, SystemClock().now(), lambda name: click.echo(name, err=True))
    click.echo(
        f"{plural(loaded.documents, 'document')}, {plural(loaded.sentences, 'sentence')}: {output}"
    )
    return 0


@text.command(no_args_is_help=True)
@click.argument("index", type=click.Path(path_type=Path))
@click.argument("name")
@click.argument("other", required=False)
@click.option("--limit", default=10, type=click.IntRange(1, 100), help="Most sentences.")
def search(index: Path, name: str, other: str | None, limit: int) -> int:
    """Show what INDEX says about NAME, or about NAME and OTHER together."""
    from contextlib import closing

    from robodata_core.texts.index import TextIndex

    with closing(TextIndex(index)) as corpus:
        if other is None:
            found = corpus.about((name,), limit)
        else:
            found = corpus.together((name,), (other,), limit)
    for one in found:
        click.echo(f"{one.document}, sentence {one.position}: {one.text}")
    if not found:
        click.echo("Nothing is said of that.", err=True)
    return 0 if found else 1
