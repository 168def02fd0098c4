"""``robodata doctor``: is everything there that the settings ask for?"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from robodata_core.cli.options import settings_from, settings_options
from robodata_core.config import Settings, load_settings
from robodata_core.errors import RoboDataError
from robodata_core.text import clean_text, plural

if TYPE_CHECKING:
    from robodata_core.policy.llm.client import ModelClient

__all__ = ["Finding", "doctor", "examine"]

_SIGNS: Final = {"ok": "✓", "off": "·", "bad": "✗"}


_READY: Final = ({"role": "user", "content": "Reply with the one word: ready"},)
_ASK: Final = ({"role": "user", "content": "Switch the light on by calling the tool."},)
_LIGHT: Final[dict[str, Any]] = {
    "type": "function",
    "function": {
        "name": "switch_light",
        "description": "Switch the light on or off.",
        "parameters": {
            "type": "object",
            "properties": {"on": {"type": "boolean"}},
            "required": ["on"],
        },
    },
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One verdict: ``ok``, ``off`` (not asked for, or not installed), or ``bad``."""

    part: str
    verdict: str
    text: str


@click.command()
@settings_options
def doctor(**options: Any) -> int:
    """Check model, source, store and ROS in turn; exit 0 if all that is asked for works."""
    findings = []
    for finding in examine(options.get("config"), settings_from(options)):
        findings.append(finding)
        click.echo(f"{_SIGNS[finding.verdict]} {finding.part}: {clean_text(finding.text)}")
    return 3 if any(finding.verdict == "bad" for finding in findings) else 0


def examine(config: str | None, overrides: dict[str, Any]) -> Iterator[Finding]:
    """Yield one finding a part, in order; never raises for what is wrong with a part."""
    try:
        settings = load_settings(config, **overrides)
    except RoboDataError as error:
        yield Finding("settings", "bad", str(error))
        return
    yield Finding(
        "settings", "ok", f"policy {settings.policy}, at most {plural(settings.max_turns, 'turn')}"
    )
    yield _guarded("model", settings, _model)
    if settings.semantic != "off":
        yield _guarded("embeddings", settings, _embeddings)
    yield _guarded("source", settings, _source)
    yield _guarded("store", settings, _store)
    yield _guarded("ROS", settings, _ros)


def _guarded(part: str, settings: Settings, check: Callable[[Settings], Finding]) -> Finding:
    try:
        return check(settings)
    except RoboDataError as error:
        return Finding(part, "bad", str(error))
    except Exception as error:
        return Finding(part, "bad", f"an internal error ({type(error).__name__}: {error})")


def _model(settings: Settings) -> Finding:
    if settings.policy == "offline":
        return Finding("model", "off", "not used: the policy is offline")
    from robodata_core.policy.llm.open import open_client

    client = open_client(settings)
    started = time.monotonic()
    completion = client.complete(_READY, model=settings.model, most_tokens=20)
    seconds = time.monotonic() - started
    said = clean_text(completion.text, limit=40).strip() or "nothing"
    text = f"{settings.model} at {client.address} said {said!r} in {seconds:.1f} s"
    others = sorted({name for name in settings.models.values() if name} - {settings.model})
    for name in others:  # a role's model that is missing would only show in the middle of a run
        client.complete(_READY, model=name, most_tokens=20)
    if others:
        text += f"; {', '.join(others)} answered too"
    return Finding("model", "ok", f"{text}; {_tool_calls(client, settings)}")


def _tool_calls(client: ModelClient, settings: Settings) -> str:
    """Say whether the model uses a tool it is offered."""
    from robodata_core.policy.llm.completion import ToolsUnsupportedError

    if settings.tool_calls == "json":
        return "the JSON protocol is set"
    try:
        completion = client.complete(_ASK, model=settings.model, tools=[_LIGHT], most_tokens=200)
    except ToolsUnsupportedError:
        return "the server takes no tools, so the JSON protocol will be used"
    if any(call.name == "switch_light" for call in completion.calls):
        return "it makes tool calls"
    return "it did not use the tool it was offered: set tool_calls: json if runs get nowhere"


def _embeddings(settings: Settings) -> Finding:
    from robodata_core.policy.offline.embeddings import examined

    return Finding("embeddings", "ok", examined(settings))


def _source(settings: Settings) -> Finding:
    from robodata_core.api import open_source

    source = open_source(settings)
    try:
        started = time.monotonic()
        hits = source.search("Canada", limit=1)
        seconds = time.monotonic() - started
    finally:
        source.close()
    found = f"found {hits[0].label} ({hits[0].id})" if hits else "found nothing for Canada"
    return Finding("source", "ok", f"{source.name} answers in {seconds:.2f} s: a search {found}")


def _store(settings: Settings) -> Finding:
    from robodata_core.store.open import is_server, open_graph

    if not settings.store:
        return Finding("store", "ok", "in memory; --store FOLDER or sparql:URL keeps it")
    started = time.monotonic()
    with open_graph(settings) as graph:
        held = f"{settings.store}: {plural(graph.node_count, 'node')},"
        held += f" {plural(graph.edge_count, 'triple')}"
    if is_server(settings.store):
        held += f"; takes queries and updates, read in {time.monotonic() - started:.2f} s"
    return Finding("store", "ok", held)


def _ros(_: Settings) -> Finding:
    if importlib.util.find_spec("rclpy") is None:
        return Finding("ROS", "off", "rclpy is not installed; the robot node is not available")
    if importlib.util.find_spec("robodata_msgs") is None:
        return Finding("ROS", "bad", "rclpy is there, robodata_msgs is not: build the interfaces")
    return Finding("ROS", "ok", "rclpy and robodata_msgs are there")
