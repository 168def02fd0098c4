"""The row of pane names that stands in for the columns on a narrow screen."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.style import Style
from textual.widgets import Static

__all__ = ["PaneTabs"]


class PaneTabs(Static):
    """Names of the panes; the current one in brackets, each of them a link."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)

    def put(self, panes: Sequence[tuple[int, str, str]], active: str) -> None:
        """Show ``panes`` (number, title, id); ``active`` is the id of the current one."""
        parts: list[Content | tuple[str, Style]] = [Content(" ")]
        for number, title, id_ in panes:
            text = f"{number} {title}"
            current = id_ == active
            style = Style.from_meta({"@click": f"app.pane('{id_}')"})
            parts.append((f"[{text}]" if current else f" {text} ", style + Style(reverse=current)))
        self.update(Content.assemble(*parts))
