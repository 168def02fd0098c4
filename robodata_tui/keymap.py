"""Every key of the application in one table. Ids are what the settings' keymap refers to.

Ctrl+M and Ctrl+H are left alone: on plain terminals they are Enter and Backspace.
"""

from __future__ import annotations

from typing import Any, Final

from textual.binding import Binding

__all__ = ["BINDINGS"]


def _key(
    keys: str, action: str, text: str, tip: str, *, show: bool = False, priority: bool = False
) -> Binding:
    name = text.lower().replace(" ", "_")
    return Binding(keys, action, text, show=show, id=name, tooltip=tip, priority=priority)


BINDINGS: Final[list[Any]] = [
    _key("a", "ask", "Ask", "Go to the question line", show=True),
    _key("x", "cancel", "Cancel", "Cancel the run and keep what was found", show=True),
    _key("ctrl+c", "stop", "Stop", "Cancel from anywhere; or copy selected text", priority=True),
    _key("ctrl+n", "new_conversation", "New conversation", "Begin anew; facts found stay"),
    _key("p", "open('proof')", "Whole proof", "Draw the whole proof of the claim", show=True),
    _key("1", "pane('answer')", "Answer", "Go to the answer and its claims"),
    _key("2", "pane('proof')", "Proof", "Go to the proof of the claim"),
    _key("t,3", "pane('trace')", "Trace", "Go to the trace; again for its next tab", show=True),
    _key("g,4", "pane('graph')", "Graph", "Go to the graph", show=True),
    _key("d,5", "pane('doubt')", "Doubt", "Sources that differ; again: two runs", show=True),
    _key("0", "rail", "States", "Go to the state rail"),
    _key("b", "return", "Come back", "Go back to where the last jump came from"),
    _key("w", "live", "Ask live Wikidata", "Ask the last question of live Wikidata, after a yes"),
    _key("slash", "filter", "Filter", "Filter the rows of this pane", show=True),
    _key("y", "yank", "Yank", "Copy what is selected, over ssh as well", show=True),
    _key("z", "zoom", "Zoom", "This pane alone, and back", show=True),
    _key("e", "open('export')", "Export", "Save answer, graph, screen or run to a file", show=True),
    _key("s", "open('statistics')", "Statistics", "Time and tokens per state and tool"),
    _key("left_square_bracket", "step(-1)", "Step back", "One visit of a state back"),
    _key("right_square_bracket", "step(1)", "Step forward", "One visit of a state forward"),
    _key("f", "follow", "Follow", "Follow the run's end again"),
    _key("escape", "back", "Back", "Leave the question line, a filter or the zoom"),
    _key("ctrl+o", "open('jump')", "Jump", "Jump to any part of the screen"),
    _key("f1,question_mark", "open('help')", "Help", "What this part shows; its keys", show=True),
    _key("f2", "settings", "Settings", "Source, policy, model, store and limits"),
    _key("f3", "open('themes')", "Themes", "Choose a theme, with preview"),
    _key("f8", "open('history')", "History", "Open earlier runs and journals"),
    _key("ctrl+q,q", "leave", "Quit", "Leave; asks while a run goes on"),
]
