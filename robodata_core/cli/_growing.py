"""``robodata kg grow``: says what it will take, asks, shows how far it is, writes the snapshot."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from robodata_core.errors import ConfigurationError
from robodata_core.text import plural

if TYPE_CHECKING:
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.sources.growing import Estimate, Step

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
