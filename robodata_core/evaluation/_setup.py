"""What a run was made with, as far as it shapes answers: recorded with every results file.

Figures of different set-ups are never pooled, and a trained ranker is never reported as
zero-shot. Settings that only say where things are kept or how long to wait are left out; every
other one counts, those of later versions included.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from robodata_core.config import Settings
from robodata_core.whole_files import file_hash

_ASIDE: Final = frozenset(
    {
        *("store", "tui", "journal", "record", "replay_traffic", "cache", "cache_days"),
        *("contact", "prices", "http_timeout", "http_tries", "maxlag", "model_timeout"),
        *("model_tries", "max_question", "concurrency"),
    }
)
# Always written down, so that a reader need not know the defaults.
_ALWAYS: Final = ("source", "policy", "ranker", "lexicon")
_FILES: Final = ("ranker", "lexicon", "calibration", "scorer")


def setup_of(settings: Settings) -> dict[str, Any]:
    """Return the settings that shape answers: the main ones, and the others where set.

    A file counts by its content, not by its path.
    """
    given = settings.model_dump(mode="json")
    usual = {name: one.get_default(call_default_factory=True)
             for name, one in Settings.model_fields.items()}  # fmt: skip
    setup = {}
    for name, value in given.items():
        default = getattr(usual.get(name), "model_dump", lambda: None)() or usual.get(name)
        if isinstance(default, tuple):
            default = list(default)
        if name not in _ASIDE and (name in _ALWAYS or value != default):
            setup[name] = _fingerprint(value) if name in _FILES else value
    return setup


def label_of(setup: Mapping[str, Any]) -> str:
    """Return ``zero-shot`` or ``trained``, with what else was brought along."""
    learnt = setup.get("ranker") or setup.get("calibration")
    parts = ["trained" if learnt else "zero-shot"]
    parts += ["lexicon"] if setup.get("lexicon") else []
    if any(value for name, value in setup.items() if name.startswith(("semantic", "embedding"))):
        parts.append("semantic")
    return " + ".join(parts)


def _fingerprint(value: Any) -> Any:
    if not isinstance(value, str) or not value:
        return value
    path = Path(value)
    try:
        digest = file_hash(path)[:12]
    except OSError:
        digest = "unreadable"
    return f"{path.name} sha256:{digest}"


_PACKAGE: Final = Path(__file__).resolve().parents[1]
_CODE: Final = (".py", ".tsv", ".txt", ".json")
"""Modules, tables of words, prompts, and the manifest of the embedded snapshot."""
_DIGITS: Final = 12


def code_fingerprint(package: Path = _PACKAGE) -> str:
    """Return a short hash of what the package's files hold, or "" where they cannot be read.

    The same for the same files wherever and whenever they were installed: neither paths outside
    the package nor times count.

    Args:
        package: Folder of the package.
    """
    found = hashlib.sha256()
    try:
        for name in _files(package):
            content = (package / name).read_bytes()
            found.update(f"{name}\0{len(content)}\0".encode())
            found.update(content)
    except OSError:
        return ""
    return found.hexdigest()[:_DIGITS]


def _files(package: Path) -> list[str]:
    names = []
    for folder, folders, files in os.walk(package):
        folders[:] = [name for name in folders if name != "__pycache__"]
        inside = Path(folder).relative_to(package)
        names += [(inside / name).as_posix() for name in files if name.endswith(_CODE)]
    return sorted(names)
