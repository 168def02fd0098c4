"""What is shown before the first question: what is held here, what can be asked, what is where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static

from robodata_tui.widgets.pane import Rows

__all__ = ["Welcome"]

_CLAIMS: Final = "Every claim of the answer comes with its triples."
_PANES: Final = (
    ("Answer", "what was found, its claims below it, each with the sign of how it holds"),
    ("Proof", "how a claim holds: its triples as a path, where each comes from"),
    ("Trace", "what the run did and waits for, call by call"),
    ("Graph", "every triple that was fetched"),
    ("Doubt", "which sources agree, and what changed since the last run"),
)


class Examples(Rows):
    """Questions to choose from, by number or by Enter."""

    BINDINGS: ClassVar = [
        Binding(f"{number}", f"choose({number})", f"Example {number}", show=False)
        for number in range(1, 7)
    ]

    def action_choose(self, number: int) -> None:
        """Ask the example of that number."""
        if number <= self.option_count:
            self.highlighted = number - 1
            self.action_select()


class Welcome(VerticalScroll, can_focus=False):
    """The first screen's text."""

    @dataclass
    class Chosen(Message):
        """An example was chosen."""

        question: str

    def compose(self) -> ComposeResult:
        """Put what is held here above the examples and the panes."""
        yield Static(f"Ask below, in plain English. {_CLAIMS}", id="what", markup=False)
        yield Static("opening the source …", id="held", markup=False)
        yield Static("", id="tried", markup=False)
        yield Examples(id="examples")
        lines = [Content.assemble(Content.styled(f"{n:<7}", "bold"), t) for n, t in _PANES]
        yield Static(Content("\n").join(lines), id="legend", markup=False)

    @property
    def rows(self) -> Examples:
        """The examples."""
        return self.query_one(Examples)

    def on_mount(self) -> None:
        """Show no list before there is one."""
        self.rows.display = False

    def watching(self) -> None:
        """Say what a screen is for that asks nothing."""
        told = f"What a robot is asked comes up here; nothing is asked from here. {_CLAIMS}"
        self.query_one("#what", Static).update(told)

    def put(self, held: str, examples: Sequence[str], checked: bool) -> None:
        """Show what the source holds and what can be asked of it.

        Args:
            held: The source in a line.
            examples: Questions, six at most.
            checked: Whether the source was seen to hold what they ask for.
        """
        self.query_one("#held", Static).update(held)
        offered = list(examples)[:6]
        told = "For example (Tab, then a number or Enter):"
        if not checked:
            told = "For example (Tab, then a number or Enter; not checked with this source):"
        self.query_one("#tried", Static).update(told if offered else "")
        self.rows.display = bool(offered)
        self.rows.put((f"{number}  {text}", text) for number, text in enumerate(offered, 1))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Ask the example."""
        event.stop()
        self.post_message(self.Chosen(str(self.rows.targets[event.option_index])))
