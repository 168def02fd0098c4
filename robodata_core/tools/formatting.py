"""How texts are cut and counted: clipped cells, plurals, page notes, and the cap on a text.

Names and values are written by ``namer``, query results by ``_tables``. How a single value
becomes words is ``robodata_core.values``' business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from robodata_core.text import clean_text

MAX_TEXT: Final = 6_000
#: Characters kept free for notes that follow a text.
_ROOM: Final = 600
CELL: Final = 64


def clip(text: str, limit: int = CELL) -> str:
    """Return ``text`` on one clean line of at most ``limit`` characters."""
    clean = " ".join(clean_text(text).split())
    return clean if len(clean) <= limit else clean[: limit - 1].rstrip() + "…"


def quote(text: str, limit: int = CELL) -> str:
    """Return ``text`` clipped and in quotes, to show what somebody wrote."""
    return '"' + clip(text, limit).replace('"', "'") + '"'


def list_some(items: Sequence[str], limit: int = 5) -> str:
    """Return the first few items and how many are left out."""
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


def page_note(total: int, shown: int, offset: int) -> str:
    """Return what part of ``total`` is shown and how to get the next one, or ""."""
    if shown == 0:
        return f"Nothing at offset {offset}; there are {total:,}." if offset and total else ""
    if offset == 0 and shown >= total:
        return ""
    note = f"Shown: {offset + 1:,} to {offset + shown:,} of {total:,}."
    if offset + shown < total:
        note += f" For more, call again with offset={offset + shown}."
    return note


def compose(head: str, lines: Sequence[str]) -> tuple[str, int]:
    """Join a heading and as many lines as fit into a text.

    Args:
        head: First line or lines.
        lines: Body, best first; what does not fit is left out from the end.

    Returns:
        The text, and how many of the lines are in it.
    """
    head = head if len(head) <= MAX_TEXT - _ROOM else head[: MAX_TEXT - _ROOM - 1] + "…"
    left = MAX_TEXT - _ROOM - len(head)
    kept: list[str] = []
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join([head, *kept]), len(kept)
