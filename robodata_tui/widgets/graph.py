"""The local graph by subject: what is new, and what supports which claim."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import ClassVar, Final

from textual.widget import Widget
from textual.widgets import Tree

from robodata_core.model import Evidence
from robodata_core.text import plural
from robodata_tui.records import View
from robodata_tui.widgets._sync import Row, sync_rows
from robodata_tui.widgets.pane import Pane, RowsTree
from robodata_tui.widgets.ways import ToTriple
from robodata_tui.words import clean, named, triple_tail

__all__ = ["GraphPane"]

_MOST_SUBJECTS: Final = 100
_MOST_TRIPLES: Final = 100
"""Every row is some kilobytes and drawn again with every change; the filter finds the rest."""
_MOST_PREDICATE: Final = 24
"""Characters; longer ones are cut."""


class GraphPane(Pane):
    """Triples grouped by subject."""

    NUMBER = 4
    TITLE = "Graph"
    HELP: ClassVar = (
        "The local graph: every triple the run fetched, by subject. + marks what came in this"
        " turn; c1, c2 … are the claims a triple supports. Enter shows where a triple came from"
        " and the claims it supports."
    )

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._rows: list[Row] = []
        self._triples: dict[str, tuple[Evidence, tuple[str, ...], bool, Row]] = {}
        self._subjects: dict[str, Row] = {}

    def body(self) -> Widget:
        """Return the tree."""
        return RowsTree(id=f"{self.id}-body")

    def render_view(self, view: View) -> None:
        """Bring the tree up to date."""
        new = set(view.state.new_handles) if not view.state.ended else set()
        subjects: dict[str, list[Evidence]] = {}
        for item in self._ordered(view):
            if self._passes(item, view):
                subjects.setdefault(item.triple.subject, []).append(item)
        shown = list(islice(subjects.items(), _MOST_SUBJECTS))
        rows = [self._subject(subject, items, view, new) for subject, items in shown]
        if len(subjects) > _MOST_SUBJECTS:
            rows.append(Row(f"… {len(subjects) - _MOST_SUBJECTS:,} more subjects; / filters"))
        sync_rows(self._tree.root, rows, self._rows)
        self._rows = rows
        self._subjects = {id_: row for (id_, _), row in zip(shown, rows, strict=False)}
        handles = [item.handle for _, items in shown for item in items[:_MOST_TRIPLES]]
        self._triples = {handle: self._triples[handle] for handle in handles}
        total = len(view.graph)
        self.titled(plural(total, "triple") + (f" +{len(new)} new" if new else ""))

    @staticmethod
    def _ordered(view: View) -> Iterator[Evidence]:
        """Yield the triples: what the run fetched or rests on, then what stood there before."""
        before = []
        for handle, item in view.graph.items():
            if handle in view.state.graph or handle in view.supports:
                yield item
            else:
                before.append(item)
        yield from before

    @property
    def _tree(self) -> RowsTree:
        return self.query_one(RowsTree)

    def _passes(self, item: Evidence, view: View) -> bool:
        if not self.filter:
            return True
        claims = " ".join(view.supports.get(item.handle, ()))
        subject = named(item.subject_label, item.triple.subject)
        return self.matches(f"{subject} {triple_tail(item, ids=True)} {item.handle} {claims}")

    def _subject(self, id_: str, items: list[Evidence], view: View, new: set[str]) -> Row:
        label = next((item.subject_label for item in items if item.subject_label), "")
        rows = [self._triple(item, view, item.handle in new) for item in items[:_MOST_TRIPLES]]
        if len(items) > _MOST_TRIPLES:
            rows.append(Row(f"… {len(items) - _MOST_TRIPLES:,} more; / filters", "dim"))
        names = list(
            dict.fromkeys(name for item in items for name in view.supports.get(item.handle, ()))
        )
        tail = f"  {' '.join(names[:6])}{' …' if names[6:] else ''}" if names else ""
        row = Row(named(label, id_) + clean(tail), "bold", id_, tuple(rows))
        # The row made earlier where it is equal: what is the same costs no drawing.
        known = self._subjects.get(id_)
        return known if known is not None and known == row else row

    def _triple(self, item: Evidence, view: View, new: bool) -> Row:
        claims = view.supports.get(item.handle, ())
        known = self._triples.get(item.handle)
        if known is not None and known[0] is item and known[1] == claims and known[2] == new:
            return known[3]
        # The object is to be seen in a narrow pane as well.
        tail = triple_tail(item, ids=True, most=_MOST_PREDICATE)
        text = ("+ " if new else "") + f"{tail}  {item.handle}"
        text += f" ✓{' '.join(claims)}" if claims else ""
        row = Row(clean(text, 400), "green" if new else "", item)
        self._triples[item.handle] = (item, claims, new, row)
        return row

    def on_tree_node_selected(self, event: Tree.NodeSelected[object]) -> None:
        """Choose the triple, or open and close the subject."""
        event.stop()
        if isinstance(event.node.data, Evidence):
            self.post_message(ToTriple(event.node.data.handle))
        elif event.node.children:
            event.node.toggle()

    def yank(self) -> str:
        """Return the row under the cursor."""
        node = self._tree.cursor_node
        if node is None:
            return ""
        if isinstance(node.data, Evidence):
            return named(node.data.subject_label, node.data.triple.subject) + (
                f" — {triple_tail(node.data, ids=True)}"
            )
        return str(node.label)
