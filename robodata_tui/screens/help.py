"""Help for the part of the screen that has the focus."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget

__all__ = ["help_text"]

_NAMES = {
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "escape": "Esc",
    "enter": "Enter",
    "space": "Space",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "backspace": "Backspace",
}


def help_text(
    part: Widget | None, bindings: Iterable[Binding], general: Iterable[Binding]
) -> Content:
    """Return what ``part`` shows and its keys, then the keys that work everywhere."""
    about = str(getattr(part, "HELP", "")) or "RoboData answers questions from a knowledge graph."
    parts = [Content(about + "\n\n")]
    own = list(bindings)
    if own:
        parts += [Content.styled("Keys here\n", "bold"), _table(own), Content("\n")]
    parts += [Content.styled("Keys everywhere\n", "bold"), _table(general)]
    parts.append(Content("\nOn the question line letters are text: Esc leaves it, a comes back.\n"))
    return Content.assemble(*parts)


def _table(bindings: Iterable[Binding]) -> Content:
    rows = [
        (" ".join(_name(key) for key in item.key.split(",")), item.tooltip or item.description)
        for item in bindings
    ]
    return Content("".join(f"  {keys:<14} {text}\n" for keys, text in rows))


def _name(key: str) -> str:
    key = key.strip()
    return _NAMES.get(key) or key.replace("ctrl+", "^")
