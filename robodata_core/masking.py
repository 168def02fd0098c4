"""Secrets taken out of text that leaves: errors, logs, journals, recordings, answers of services.

Secrets are the values of environment variables whose names say so (``OPENAI_API_KEY``,
``ROBODATA_SPARQL_TOKEN`` ...), as they are and in the forms in which they travel: in an address, in
JSON, and in the header of basic authentication. ``mask`` is the one function that removes them;
every place where text leaves, or where a service that was given a secret answers, calls it, and
what is shown to people goes through ``shown``.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from robodata_core.text import clean_text

__all__ = ["GONE", "is_secret_name", "mask", "mask_bytes", "secrets_of", "shown"]

GONE: Final = "[removed]"
"""What stands where a secret stood."""

_VARIABLE: Final = re.compile(
    r"(?:^|_)(?:API)?(?:KEY|TOKEN|PASSWORD|PASSWD|SECRET|CREDENTIALS?)(?:_|$)", re.IGNORECASE
)
_SHORTEST: Final = 6
_PASSWORD: Final = "_PASSWORD"


def is_secret_name(name: str) -> bool:
    """Tell whether an environment variable of this name holds a secret."""
    return bool(_VARIABLE.search(name))


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the secrets of an environment in all forms in which they travel, longest first.

    Values of fewer than six characters are too likely to be something else.
    """
    named = {name: value for name, value in environment.items() if is_secret_name(name)}
    users = {
        name: environment.get(name[: -len(_PASSWORD)] + "_USER", "")
        for name in named
        if name.endswith(_PASSWORD)
    }
    return _forms(tuple(sorted(named.items())), tuple(sorted(users.items())))


@lru_cache(maxsize=16)
def _forms(
    named: tuple[tuple[str, str], ...], users: tuple[tuple[str, str], ...]
) -> tuple[str, ...]:
    user_of = dict(users)
    found: set[str] = set()
    for name, value in named:
        if len(value) < _SHORTEST:
            continue
        found |= {value, quote(value, safe=""), json.dumps(value)[1:-1]}
        found.add(json.dumps(value, ensure_ascii=False)[1:-1])
        if user_of.get(name):
            pair = f"{user_of[name]}:{value}".encode()
            found.add(base64.b64encode(pair).decode("ascii"))
    return tuple(sorted(found, key=len, reverse=True))


def mask(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return ``text`` without any secret of the environment.

    Args:
        text: Any text.
        environment: Where secrets are; None for that of this process.
    """
    for secret in secrets_of(os.environ if environment is None else environment):
        if secret in text:
            text = text.replace(secret, GONE)
    return text


def mask_bytes(data: bytes, environment: Mapping[str, str] | None = None) -> bytes:
    """Return ``data`` without any secret of the environment; see ``mask``."""
    for secret in secrets_of(os.environ if environment is None else environment):
        found = secret.encode("utf-8", "surrogateescape")
        if found in data:
            data = data.replace(found, GONE.encode("ascii"))
    return data


def shown(text: str, *, limit: int = 1_000, multiline: bool = False) -> str:
    """Return ``text`` without secrets, and without what steers a terminal; see ``clean_text``.

    Secrets are looked for in what is left to be seen: between hidden characters they would be
    found by nobody but the reader. Cut it is last, or half of one would stay.
    """
    seen = clean_text(text, limit=len(text), multiline=multiline)
    return clean_text(mask(seen), limit=limit, multiline=multiline)
