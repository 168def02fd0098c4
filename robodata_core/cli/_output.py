"""What is written to stdout: lines in their styles, and JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

import click


def print_styled(lines: Iterable[tuple[str, str]]) -> None:
    """Write lines to stdout, in their styles where that is a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True, file=sys.stdout)
    with console.capture() as text:  # rich leaves the process where the reader has gone
        for style, line in lines:
            console.print(Text(line, style=style if console.is_terminal else ""))
    click.echo(text.get(), nl=False)


def print_json(data: object, indent: int | None = None) -> None:
    """Write data to stdout as JSON, one object a line or indented, in whatever stdout can take."""
    plain = "utf" not in (sys.stdout.encoding or "").lower()
    click.echo(json.dumps(data, ensure_ascii=plain, indent=indent))
