"""Settings and names as they may be written into events and journals: without credentials.

Keys are never settings, but an address may carry a user, a password or a token.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robodata_core.config import Settings

_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_REST = re.compile(r"(://[^\s?#]*)[?#]\S*")


def without_credentials(text: str) -> str:
    """Return ``text`` with user, query and fragment taken out of any address in it."""
    return _REST.sub(r"\1", _USER.sub("", text)) if "://" in text else text


def public_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings as plain JSON data without credentials."""
    data: dict[str, Any] = settings.model_dump(mode="json")
    return {name: _clean(value) for name, value in data.items()}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return without_credentials(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value
