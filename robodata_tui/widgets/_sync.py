"""Bringing a tree up to date row by row, so that cursor, scroll and open nodes stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.widgets.tree import TreeNode

__all__ = ["Row", "sync_rows"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a tree.

    Attributes:
        text: Its label.
        style: How it looks; never the only carrier of a meaning.
        data: What it stands for.
        rows: The rows below it.
        open: Whether it starts opened.
    """

    text: str
    style: str = ""
    data: object = None
    rows: tuple[Row, ...] = ()
    open: bool = True


def sync_rows(node: TreeNode[object], rows: Sequence[Row], before: Sequence[Row] = ()) -> None:
    """Make the children of ``node`` show ``rows``, changing only what differs.

    Args:
        node: Whose children.
        rows: What they are to show.
        before: What they show now, where the caller kept it: a row that is the same object is
            not looked at again, which is what makes long runs cheap.
    """
    children = list(node.children)
    for place, (child, row) in enumerate(zip(children, rows, strict=False)):
        old = before[place] if place < len(before) else None
        if row is old:
            continue
        label = child.label
        if not isinstance(label, Text) or label.plain != row.text or label.style != row.style:
            child.set_label(Text(row.text, style=row.style, no_wrap=True))
        child.data = row.data
        if child.allow_expand != bool(row.rows):
            child.allow_expand = bool(row.rows)
        if old is not None and old.open != row.open:
            # What was here has moved on: how far it was opened is not this row's.
            child.expand() if row.open else child.collapse()
        sync_rows(child, row.rows, old.rows if old is not None else ())
    for child in children[len(rows) :]:
        child.remove()
    for row in rows[len(children) :]:
        label = Text(row.text, style=row.style, no_wrap=True)
        added = node.add(label, row.data, expand=row.open, allow_expand=bool(row.rows))
        sync_rows(added, row.rows)
