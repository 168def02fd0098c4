"""The row of pane names: what is in sight, and the key of each."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual.content import Content
from textual.style import Style
from textual.widgets import Static

__all__ = ["PaneTabs"]


class PaneTabs(Static):
    """Names of the panes; the active one in brackets, each of them a link."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._seen: object = None

    def put(
        self,
        panes: Sequence[tuple[int, str, str]],
        shown: Collection[str],
        active: str,
        *,
        short: bool = False,
    ) -> None:
        """Show the panes.

        Args:
            panes: Number, title and id of each.
            shown: Ids of those in sight; they stand in bold.
            active: Id of the one that has, or had last, the keyboard.
            short: Whether there is no room for the numbers.
        """
        key = (tuple(panes), frozenset(shown), active, short)
        if key == self._seen:
            return
        self._seen = key
        parts: list[Content | tuple[str, Style]] = []
        for number, title, id_ in panes:
            text = title if short else f"{number} {title}"
            current = id_ == active
            style = Style.from_meta({"@click": f"app.pane('{id_}')"})
            style += Style(reverse=current, bold=id_ in shown)
            parts.append((f"[{text}]" if current else f" {text} ", style))
        self.update(Content.assemble(*parts))
