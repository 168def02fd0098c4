"""``robodata serve-wikibase``: Wikidata's interface over a snapshot, on this machine alone."""

from __future__ import annotations

import click

__all__ = ["serve_wikibase"]


@click.command("serve-wikibase")
@click.option(
    "--source",
    default="snapshot:wikidata-sample",
    show_default=True,
    metavar="SOURCE",
    help="What is served.",
)
@click.option(
    "--port", default=8_790, show_default=True, type=click.IntRange(0, 65_535), help="0: any."
)
@click.option(
    "--redirect", "redirects", multiple=True, metavar="OLD=NEW", help="An id that redirects."
)
def serve_wikibase(source: str, port: int, redirects: tuple[str, ...]) -> int:
    """Serve the parts of Wikidata's interface that RoboData uses, over a snapshot.

    It listens on 127.0.0.1 only. Prints the settings that point RoboData at it on stdout, then
    serves until it is interrupted.
    """
    from robodata_core.api import open_source
    from robodata_core.config import load_settings
    from robodata_core.errors import ConfigurationError
    from robodata_core.serve.server import WikibaseServer
    from robodata_core.serve.wikibase import WikibaseApi

    pairs = dict(pair.partition("=")[::2] for pair in redirects)
    if not all(pairs.values()):
        raise click.UsageError("--redirect takes OLD=NEW.")
    opened = open_source(load_settings(source=source))
    try:
        api = WikibaseApi(opened, redirects=pairs)
        try:
            server = WikibaseServer(api, port=port)
        except OSError as error:
            raise ConfigurationError(
                f"Port {port} cannot be used: {error.strerror}.", hint="Give another --port."
            ) from error
        click.echo(f"export ROBODATA_WIKIDATA_API={server.api_url}")
        click.echo(f"export ROBODATA_WIKIDATA_SPARQL={server.sparql_url}")
        click.echo(f"Serving {opened.name} until interrupted; --source wikidata asks it.", err=True)
        try:
            server.serve_forever()
        finally:
            server.close()
    finally:
        opened.close()
    return 0
