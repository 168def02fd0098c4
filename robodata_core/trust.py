"""Which settings files may decide where secrets go, what is written and which hosts are asked.

A ``robodata.yaml`` in the working folder may come with a cloned repository. Until the user has said
``robodata trust`` there, only those of its settings count that can harm nobody (``HARMLESS``).
Trust is bound to the file's content, as direnv does: a changed file is trusted anew or not at all.
What is trusted is kept in the user's own configuration folder, with the user's own settings.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from robodata_core.errors import ConfigurationError
from robodata_core.text import parse_json, parse_yaml
from robodata_core.whole_files import read_whole, write_whole

__all__ = [
    "HARMLESS",
    "distrust",
    "harmless",
    "is_trusted",
    "read_settings_file",
    "trust",
    "user_settings_path",
]

HARMLESS: Final = frozenset(
    {
        "cache_days",
        "chain",
        "concurrency",
        "confidence",
        "context_tokens",
        "http_timeout",
        "http_tries",
        "language",
        "max_question",
        "max_turns",
        "maxlag",
        "metacognition",
        "model_timeout",
        "model_tries",
        "reply_tokens",
        "second_look",
        "self_reflection",
        "sparql_aliases",
        "sparql_descriptions",
        "sparql_graphs",
        "sparql_labels",
        "sparql_page",
        "sparql_types",
        "time_budget",
        "tool_calls",
        "tui",
        "view_tokens",
    }
)
"""Settings that count in a file that nobody trusts yet; all others send questions or secrets
somewhere, name hosts, write files, or load what answers rest on."""

_MOST_BYTES: Final = 200_000
_FILE: Final = "trusted.json"


def user_settings_path() -> Path:
    """Return where the user's own settings are, whether there are any or not."""
    import platformdirs

    return Path(platformdirs.user_config_dir("robodata", appauthor=False)) / "robodata.yaml"


def read_settings_file(path: Path) -> tuple[dict[str, Any], str]:
    """Return the settings of a YAML file by name, and the hash of its content.

    Raises:
        ConfigurationError: If it cannot be read, is too large or is no mapping.
    """
    data = read_whole(path, most=_MOST_BYTES, what="The settings file")
    return _parsed(path, data), hashlib.sha256(data).hexdigest()


def _parsed(path: Path, data: bytes) -> dict[str, Any]:
    try:
        found = parse_yaml(data)
    except ValueError as error:
        raise ConfigurationError(f"The settings in {path} cannot be read: {error}.") from error
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise ConfigurationError(f"The settings in {path} cannot be read: they are no mapping.")
    return found


def harmless(settings: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Part settings of a file that nobody trusts yet.

    Returns:
        What counts all the same, and the names of what does not.
    """
    ignored = tuple(sorted(name for name in settings if _is_guarded(name, settings[name])))
    return {name: value for name, value in settings.items() if name not in ignored}, ignored


def _is_guarded(name: str, value: Any) -> bool:
    if name != "source":
        return name not in HARMLESS
    # A snapshot is only read; whatever else there is gets to know what is asked.
    parts = value.split(",") if isinstance(value, str) else value
    parts = parts if isinstance(parts, (list, tuple)) else [parts]
    return not all(str(part).strip().startswith("snapshot:") for part in parts)


def is_trusted(path: Path, content: str) -> bool:
    """Tell whether the user trusted this file with this very content (a hash)."""
    return _trusted().get(str(path.resolve())) == content


def trust(path: Path) -> None:
    """Trust a settings file as it is now.

    Raises:
        ConfigurationError: If it cannot be read, or trust cannot be written down.
    """
    _, content = read_settings_file(path)
    _keep({**_trusted(), str(path.resolve()): content})


def distrust(path: Path) -> bool:
    """Take trust in a settings file back; tell whether there was any.

    Raises:
        ConfigurationError: If that cannot be written down.
    """
    known = _trusted()
    there = known.pop(str(path.resolve()), None) is not None
    if there:
        _keep(known)
    return there


def _trusted() -> dict[str, str]:
    try:
        text = (user_settings_path().parent / _FILE).read_text(encoding="utf-8")
        known = parse_json(text)
    except (OSError, ValueError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {str(path): str(content) for path, content in known.items()}


def _keep(known: Mapping[str, str]) -> None:
    home = user_settings_path().parent
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(home / _FILE, json.dumps(dict(sorted(known.items())), indent=1), mode=0o600)
    except OSError as error:
        raise ConfigurationError(
            f"What is trusted cannot be written to {home}: {error.strerror}."
        ) from error
