"""What all panes share: a frame with a number and a title, a filter, and a text to yank."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.style import Style as RichStyle
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Input, OptionList, Tree
from textual.widgets.option_list import Option
from textual.widgets.tree import TreeNode

from robodata_tui.guarded import Guarded
from robodata_tui.records import View
from robodata_tui.widgets.line import Line

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["VIM", "Pane", "Rows", "RowsTree"]

VIM: Final = [
    Binding("j", "cursor_down", "Down", show=False),
    Binding("k", "cursor_up", "Up", show=False),
]


class Rows(OptionList):
    """A list of rows with the keys of vi beside the arrows. Rows are never read as markup.

    Attributes:
        targets: What each row stands for; a row with None cannot be chosen.
        texts: What each row says.
    """

    BINDINGS: ClassVar = [
        *VIM,
        Binding("l", "select", "Open", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.targets: list[Any] = []
        self.texts: list[str] = []

    @property
    def target(self) -> Any:
        """What the row under the cursor stands for."""
        return self.targets[self.highlighted] if self.highlighted is not None else None

    @property
    def text(self) -> str:
        """What the row under the cursor says, with all its lines."""
        return self.texts[self.highlighted] if self.highlighted is not None else ""

    def put(self, rows: Iterable[tuple[Content | str, object]], *, stay: bool = True) -> None:
        """Show rows, each with what it stands for.

        Args:
            rows: The rows.
            stay: Whether the cursor stays on what it stood on, if that is still there; else it
                goes to the first row that can be chosen, and the view to the top.
        """
        made = [(Content(row) if isinstance(row, str) else row, target) for row, target in rows]
        texts, at = [row.plain for row, _ in made], self.target if stay else None
        changed, self.texts = texts != self.texts, texts
        self.targets = [target for _, target in made]
        if not changed:
            return
        self.clear_options()
        self.add_options(Option(row, disabled=target is None) for row, target in made)
        places = [place for place, target in enumerate(self.targets) if target is not None]
        same = [place for place in places if self.targets[place] == at]
        self.highlighted = next(iter([*same, *places]), None)
        if not stay:
            # What stands above the first row that can be chosen is read first.
            self.call_after_refresh(self.scroll_home, animate=False)

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """Return how a row looks; without colours the one with the cursor is reversed."""
        style = super().get_visual_style(*component_classes, partial=partial)
        highlighted = "option-list--option-highlighted" in component_classes
        return style + Style(reverse=True) if highlighted and self.app.no_color else style


class RowsTree(Tree[object]):
    """A tree with the keys of vi; its labels are Text, so nothing is read as markup."""

    BINDINGS: ClassVar = [
        *VIM,
        Binding("h,left", "shut", "Close", show=False),
        Binding("l,right", "open", "Open", show=False),
    ]

    def __init__(self, id: str) -> None:
        super().__init__("", id=id)
        self.show_root = False
        self.auto_expand = False
        self.guide_depth = 2

    def get_label_width(self, node: TreeNode[object]) -> int:
        """Return how wide a row is, without drawing it: asked for every row at every change."""
        label = node.label
        width = label.cell_len if isinstance(label, Text) else len(label)
        return min(width + (2 if node.allow_expand else 0), self._room(node))

    def render_label(self, node: TreeNode[object], base_style: RichStyle, style: RichStyle) -> Text:
        """Return a row as it is drawn: one that is too long ends in an ellipsis."""
        text = super().render_label(node, base_style, style)
        text.truncate(self._room(node), overflow="ellipsis")
        return text

    def _room(self, node: TreeNode[object]) -> int:
        """Return how many cells a row has behind its guides."""
        depth, above = 0, node.parent
        while above is not None and above is not self.root:
            depth, above = depth + 1, above.parent
        return max(1, self.scrollable_content_region.width - depth * self.guide_depth)

    def action_shut(self) -> None:
        """Close the node, or go to its parent."""
        node = self.cursor_node
        if node is None:
            return
        if node.is_expanded and node.children:
            node.collapse()
        elif node.parent is not None and node.parent is not self.root:
            self.move_cursor(node.parent)

    def action_open(self) -> None:
        """Open the node, or go to its first child."""
        node = self.cursor_node
        if node is None or not node.children:
            return
        if node.is_collapsed:
            node.expand()
        else:
            self.move_cursor(node.children[0])

    def action_to_end(self) -> None:
        """Go to the last row."""
        self.cursor_line = self.last_line
        self.scroll_end(animate=False)


class Pane(Guarded, Vertical):
    """A framed part of the main screen.

    Attributes:
        NUMBER: The key that goes there.
        TITLE: Its name in the frame, in tabs and in help.
        HELP: What contextual help says about it.
        LIVE: Whether it shows ages, so that time alone changes it.
        filter: The lower-case text rows must contain.
        view: What is shown.
    """

    NUMBER: ClassVar[int] = 0
    TITLE: ClassVar[str] = ""
    HELP: ClassVar[str] = ""
    LIVE: ClassVar[bool] = False

    _edge: tuple[Region, ...] = ()

    def __init__(self, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self._framed: dict[str, str] = {}
        self.filter = ""
        self.view: View | None = None

    def body(self) -> Widget:
        """Return the new widget that shows the rows."""
        raise NotImplementedError

    @property
    def main(self) -> Widget:
        """The widget that takes the focus."""
        return self.query_one(f"#{self.id}-body")

    def compose(self) -> ComposeResult:
        """Put the rows above the filter."""
        yield self.body()
        yield Line(placeholder="filter; Esc clears", classes="filter", select_on_focus=False)

    def on_mount(self) -> None:
        """Name the frame."""
        self.titled("")

    def titled(self, note: str) -> None:
        """Write the frame's title with a note behind it."""
        text = f"{self.NUMBER} {self.TITLE}" + (f" {note}" if note else "")
        self._frame("border_title", text)

    def noted(self, note: str) -> None:
        """Write a note into the lower edge of the frame."""
        if self.filter:
            note = f"filter: {self.filter}" + (f" · {note}" if note else "")
        self._frame("border_subtitle", note)

    def _frame(self, edge: str, text: str) -> None:
        """Write into the frame, as Content: a string would be read as markup."""
        if self._framed.get(edge) == text:
            return
        self._framed[edge] = text
        size, (left, top) = self.outer_size, self.content_offset
        row = 0 if edge == "border_title" else size.height - 1
        self._edge = (Region(-left, row - top, size.width, 1),)
        setattr(self, edge, Content(text) if text else None)
        self._edge = ()

    def refresh(self, *regions: Region, **what: bool) -> Self:
        """Draw again: where only a line of the frame was written, that line alone."""
        return super().refresh(*(regions or self._edge), **what)

    def show(self, view: View) -> None:
        """Show ``view``; called again whenever it changes."""
        self.view = view
        self.render_view(view)

    def render_view(self, view: View) -> None:
        """Bring the rows up to date."""
        raise NotImplementedError

    def yank(self) -> str:
        """Return the text of what is selected."""
        raise NotImplementedError

    def matches(self, *texts: str) -> bool:
        """Tell whether any of the texts passes the filter."""
        return not self.filter or any(self.filter in text.lower() for text in texts)

    # -- filter -------------------------------------------------------------------------------

    def open_filter(self) -> None:
        """Show the filter and go into it."""
        box = self.query_one(".filter", Input)
        box.display = True
        self.screen.set_focus(box)  # at once: what is typed behind it may be there already

    def clear_filter(self) -> bool:
        """Drop the filter; tell whether there was one."""
        box = self.query_one(".filter", Input)
        was = bool(self.filter) or box.display
        box.value = ""
        box.display = False
        self._filtered("")
        return was

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as the reader types."""
        if event.input.has_class("filter"):
            event.stop()
            self._filtered(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go back to the rows."""
        if event.input.has_class("filter"):
            event.stop()
            event.input.display = bool(event.value)
            self.main.focus()

    def _filtered(self, text: str) -> None:
        if text.lower() == self.filter:
            return
        self.filter = text.lower()
        self.noted("")
        if self.view is not None:
            self.show(self.view)
