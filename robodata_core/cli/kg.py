"""``robodata kg``: build, search, look at and export knowledge graphs.

Commands only: what is shown and how is in ``_kg_text``; the work is done by the sources.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from robodata_core.cli._output import print_json
from robodata_core.cli.options import OutputPath, config_option
from robodata_core.errors import ConfigurationError
from robodata_core.text import plural
from robodata_core.whole_files import writing

if TYPE_CHECKING:
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.sources.growing import Estimate, Step
    from robodata_core.sources.snapshot import SnapshotSource

__all__ = ["kg"]

_DAY = 86_400.0
_LICENCES = {"wikidata": ("CC0-1.0",)}


def grow_snapshot(
    output: Path, source: str, options: dict[str, Any], *, only_estimate: bool, confirmed: bool
) -> int:
    """Run the command; see ``robodata kg grow --help``."""
    from robodata_core.sources.growing import Growth, Plan

    languages = tuple(code.strip() for code in options["languages"].split(",") if code.strip())
    if not languages:
        raise ConfigurationError("--languages names no language.", hint="For example: en,de")
    days = options["update"]
    plan = Plan(
        tuple(options["topics"]),
        options["depth"],
        options["limit"],
        languages,
        days * _DAY if days is not None else None,
    )
    with ExitStack() as opened:
        sources = {code: _open(source, code, options, days is not None) for code in languages}
        for one in sources.values():
            opened.callback(one.close)
        growth = opened.enter_context(Growth(sources, output, plan))
        estimate = growth.estimate()
        for line in _expected(estimate, sources[languages[0]].name):
            click.echo(line, err=True)
        if only_estimate:
            return 0
        if not confirmed and sys.stdin.isatty() and not click.confirm("Begin?", err=True):
            return 130
        step = growth.run((id_ for id_, _ in estimate.topics), told=_tell)
        click.echo("", err=True)
        name = sources[languages[0]].name
        manifest = growth.write(licences=_LICENCES.get(name, ()))
    more = " The limit was reached; --limit goes further." if step.full else ""
    click.echo(
        f"{output}: {plural(manifest.counts['triples'], 'triple')} about"
        f" {plural(step.entities, 'entity', 'entities')}.{more}"
        f" Ask it with --source snapshot:{output}",
        err=True,
    )
    return 0


def _open(source: str, language: str, options: dict[str, Any], fresh: bool) -> KnowledgeSource:
    from robodata_core.api import open_source
    from robodata_core.config import load_settings

    if source.startswith("snapshot:"):
        raise ConfigurationError(
            "A snapshot is here already; it is grown from a live source.",
            hint="Use --from wikidata or --from sparql:URL.",
        )
    # What is read anew must not come from the cache of answers.
    more = {"cache_days": 0} if fresh else {}
    settings = load_settings(options.get("config"), source=source, language=language, **more)
    return open_source(settings)


def _expected(estimate: Estimate, name: str) -> list[str]:
    topics = ", ".join(f"{label or id_} ({id_})" for id_, label in estimate.topics)
    minutes = max(1, round(estimate.seconds / 60))
    return [
        f"Topics: {topics}",
        f"About {plural(estimate.entities, 'entity', 'entities')},"
        f" {plural(estimate.requests, 'request')} to {name},"
        f" {plural(minutes, 'minute')}; a rough guess.",
    ]


def _tell(step: Step) -> None:
    if sys.stderr.isatty():
        text = (
            f"\r{plural(step.entities, 'entity', 'entities')} read, {step.waiting:,} waiting,"
            f" {plural(step.statements, 'statement')}  "
        )
        click.echo(text, err=True, nl=False)


_FORMATS = ("turtle", "trig", "nquads", "ntriples", "jsonld", "rdfxml")


@click.group()
def kg() -> None:
    """Build, search, look at and export knowledge graphs."""


_source_option = click.option(
    "--source",
    metavar="SOURCE",
    help="snapshot:NAME, snapshot:PATH or another source (default: snapshot:world).",
)


@kg.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--output", required=True, type=click.Path(path_type=Path), help="Folder to make.")
@click.option("--name", default="", help="Name of the snapshot (default: the folder's).")
@click.option("--title", default="", help="A line that says what it is.")
@click.option("--licence", "licences", multiple=True, help="A licence that applies; repeatable.")
@click.option("--language", default="en", show_default=True, help="Preferred language of labels.")
@click.option("--delimiter", default="", help=r"Files are tables with this between cells (\t, |).")
@click.option("--force", is_flag=True, help="Replace a snapshot that is there already.")
def load(files: tuple[Path, ...], output: Path, delimiter: str, **options: Any) -> int:
    r"""Build a snapshot from RDF files or delimited triples.

    N-Triples, N-Quads, Turtle, TriG, RDF/XML, OWL in these, JSON-LD, and tables like
    ``subject|relation|object``, each also as .gz or .bz2. With py-horned-owl installed (pip install
    'robodata[owl]') also OWL in functional and Manchester syntax and OWL/XML. Use the result with
    ``--source snapshot:PATH``.
    """
    _load(files, output, f"snapshot:{output}", delimiter, options)
    return 0


@kg.command()
@click.argument("name")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--title", default="", help="A line that says what it is.")
@click.option("--licence", "licences", multiple=True, help="A licence that applies; repeatable.")
@click.option("--language", default="en", show_default=True, help="Preferred language of labels.")
@click.option("--delimiter", default="", help=r"Files are tables with this between cells (\t, |).")
@click.option("--force", is_flag=True, help="Replace the snapshot of that name.")
def add(name: str, files: tuple[Path, ...], delimiter: str, **options: Any) -> int:
    """Build a snapshot from FILES and keep it under NAME, beside those of the package.

    What files it takes says ``robodata kg load --help``. Use the result with
    ``--source snapshot:NAME``, also with others: ``--source snapshot:NAME,snapshot:world``.
    """
    from robodata_core.sources.snapshot import check_name, embedded_snapshots, user_folder

    if check_name(name) in embedded_snapshots():
        raise ConfigurationError(
            f"The package has a snapshot called {name}.", hint="Choose another name."
        )
    _load(files, user_folder() / name, f"snapshot:{name}", delimiter, {"name": name, **options})
    return 0


@kg.command()
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--from", "source", default="wikidata", show_default=True, metavar="SOURCE",
              help="Where to read: wikidata or sparql:URL.")  # fmt: skip
@click.option("--topic", "topics", multiple=True, required=True,
              help="A name or an id to begin with; repeatable.")  # fmt: skip
@click.option("--depth", default=1, show_default=True, type=click.IntRange(0, 6),
              help="Steps: down to members and subclasses, out along statements.")  # fmt: skip
@click.option("--limit", default=50_000, show_default=True, type=click.IntRange(1, 5_000_000),
              help="Most statements.")  # fmt: skip
@click.option("--languages", default="en", show_default=True, metavar="CODE,...",
              help="Of labels and aliases, the preferred one first.")  # fmt: skip
@click.option("--update", type=click.IntRange(0), metavar="DAYS", default=None,
              help="Read again what is older than DAYS (0: all).")  # fmt: skip
@click.option("--estimate", is_flag=True, help="Only say about how much there is.")
@click.option("--yes", is_flag=True, help="Do not ask whether to begin.")
@config_option
def grow(output: Path, source: str, estimate: bool, yes: bool, **options: Any) -> int:
    """Grow a snapshot from a live source, to be asked without a network afterwards.

    The topics' names and ids are sent to the source. What was read is kept in OUTPUT.growing: run
    the same command again to go on after an interruption, or with more depth or topics.
    """
    from robodata_core.cli.kg import grow_snapshot

    return grow_snapshot(output, source, options, only_estimate=estimate, confirmed=yes)


@kg.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON list.")
def list_(as_json: bool) -> int:
    """List the snapshots there are by name: those of the package and your own."""
    from robodata_core.cli import _kg_text

    rows = _kg_text.snapshot_rows()
    if as_json:
        print_json(rows, indent=2)
    else:
        for line in _kg_text.snapshot_lines(rows):
            click.echo(line)
    return 0


def _load(
    files: tuple[Path, ...], output: Path, source: str, delimiter: str, options: dict[str, Any]
) -> None:
    from robodata_core.cli._progress import LoadProgress
    from robodata_core.sources.snapshot.loading import load_files

    with LoadProgress(sys.stderr) as progress:
        manifest = load_files(
            files,
            output,
            delimiter="\t" if delimiter == r"\t" else delimiter,
            progress=progress.update,
            **options,
        )
    counts = manifest.counts
    click.echo(
        f"{output}: {plural(counts['triples'], 'triple')},"
        f" {plural(counts['entities'], 'entity', 'entities')},"
        f" {plural(counts['properties'], 'property', 'properties')} in {progress.seconds:,.1f} s. "
        f"Ask it with --source {source}",
        err=True,
    )


@kg.command()
@click.argument("text")
@click.option("--kind", type=click.Choice(["item", "property"]), default="item", show_default=True)
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 1_000))
@click.option("--json", "as_json", is_flag=True, help="One JSON list.")
@config_option
@_source_option
def search(text: str, kind: str, limit: int, as_json: bool, **options: Any) -> int:
    """Find entities or properties by name: exact, alias, prefix, words, fuzzy."""
    from robodata_core.cli import _kg_text
    from robodata_core.model import EntityKind

    with _opened(options) as source:
        hits = source.search(text, kind=EntityKind(kind), limit=limit)
    if as_json:
        print_json([_kg_text.hit_json(hit) for hit in hits], indent=2)
    else:
        for line in _kg_text.hit_lines(hits):
            click.echo(line)
    if not hits:
        click.echo(f"Nothing in {source.name} is called like that.", err=True)
    return 0 if hits else 1


@kg.command()
@click.argument("id_", metavar="ID")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 10_000),
              help="Most statements of one property.")  # fmt: skip
@click.option("--all-ranks", is_flag=True, help="Also statements that are not the best known.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@config_option
@_source_option
def show(id_: str, limit: int, all_ranks: bool, as_json: bool, **options: Any) -> int:
    """Show an entity: its names, types, statements, and what points to it."""
    from robodata_core.cli import _kg_text

    with _opened(options) as source:
        shown = _kg_text.Shown.read(source, id_, limit, all_ranks)
        if as_json:
            print_json(shown.to_json(), indent=2)
        else:
            for line in shown.lines():
                click.echo(line)
    return 0


@kg.command()
@click.option("--check", is_flag=True, help="Compare all files with their check sums.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--html", "page", type=OutputPath(path_type=Path), metavar="FILE",
              help="Write the same as a page with plots.")  # fmt: skip
@config_option
@_source_option
def info(check: bool, as_json: bool, page: Path | None, **options: Any) -> int:
    """Show what a snapshot holds and where it is from.

    Classes, relations, coverage (how many things have a label, a class, ...) and origins are
    counted in one pass over the graph.
    """
    from robodata_core.cli import _kg_text
    from robodata_core.cli._holdings import Holdings

    with _opened(options) as opened:
        source = _snapshot(opened)
        problems = source.problems() if check else None
        holdings = Holdings.read(source) if not problems else None
    told = list(_kg_text.info_lines(source, problems))
    if page is not None and holdings is not None:
        with writing(page, "Give another file to --html."):
            page.write_text(holdings.page(told), encoding="utf-8")
    if as_json:
        data = _kg_text.info_json(source, problems)
        print_json(data | (holdings.to_json() if holdings else {}), indent=2)
        return 3 if problems else 0
    checked = told[-1:] if check else []
    for line in told[: len(told) - len(checked)]:
        click.echo(line)
    for line in (*(holdings.lines() if holdings else ()), *checked):
        click.echo(line)
    return 3 if problems else 0


@kg.command()
@click.option("--format", "format_", type=click.Choice(_FORMATS), default="turtle",
              show_default=True)  # fmt: skip
@click.option("--output", metavar="FILE", help="Where to write (default: stdout).")
@config_option
@_source_option
def export(format_: str, output: str | None, **options: Any) -> int:
    """Write a snapshot's whole graph in an RDF syntax."""
    from robodata_core.sources.snapshot import write_graph

    with _opened(options) as opened:
        source = _snapshot(opened)
        if output is None:
            sys.stdout.flush()
            write_graph(source, format_, sys.stdout.buffer)
            return 0
        with writing(output) as path, path.open("wb") as file:
            write_graph(source, format_, file)
    return 0


def _opened(options: dict[str, Any]) -> closing[KnowledgeSource]:
    """Open the source that flags and settings name, to be closed at the end of a block."""
    from robodata_core.api import open_source
    from robodata_core.config import load_settings

    return closing(open_source(load_settings(options["config"], source=options["source"])))


def _snapshot(source: KnowledgeSource) -> SnapshotSource:
    from robodata_core.sources.snapshot import SnapshotSource

    if not isinstance(source, SnapshotSource):
        raise ConfigurationError(
            f"{source.name} is not a snapshot.", hint="Use --source snapshot:NAME-OR-PATH."
        )
    return source
