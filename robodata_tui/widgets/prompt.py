"""Where questions are typed, with the history of earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import Binding

from robodata_core.text import plural
from robodata_tui.widgets.line import Line
from robodata_tui.words import clean

__all__ = ["QuestionInput"]


class QuestionInput(Line):
    """An input line; up and down walk through earlier questions.

    Args:
        id: Its id.
        limit: The most characters of a question.
        take: Gets what is handed in and tells whether it is done with; else it stays in the line.
    """

    HELP: ClassVar = (
        "Type a question and press Enter; the next one can be typed at once, and may point back"
        " (“And of Germany?”). During a run Enter puts it behind those that wait."
        " /new or Ctrl+N begins a new conversation. Up and down bring back earlier questions,"
        " PgUp and PgDn scroll the answer. Esc leaves the line, so that single"
        " keys (p, t, g, d, x, y, z, /) work; a comes back. Ctrl+C cancels a run from here."
    )
    TITLE: ClassVar = "Question line"
    BINDINGS: ClassVar = [
        Binding("enter", "submit", "Ask", show=True),
        # Before the letters that come after it: they are not for the line any more.
        Binding(
            "escape", "app.back", "Panes", tooltip="Leave the line for the panes", priority=True
        ),
        Binding(
            "ctrl+c",
            "app.stop",
            "Cancel",
            tooltip="Cancel the run, or copy selected text",
            show=False,
            id="stop",
            priority=True,
        ),
        Binding(
            "ctrl+n",
            "app.new_conversation",
            "New",
            tooltip="Begin a new conversation",
            id="new_conversation",
        ),
        Binding("up", "earlier", "Earlier question", show=False),
        Binding("down", "later", "Later question", show=False),
        Binding("pageup", "app.page(-1)", "Scroll up", show=False),
        Binding("pagedown", "app.page(1)", "Scroll down", show=False),
    ]

    def __init__(self, id: str, limit: int, take: Callable[[str], bool]) -> None:
        super().__init__(placeholder="ask…", id=id, max_length=limit, select_on_focus=False)
        self.asked: list[str] = []
        self._take = take
        self._place = 0
        self._draft = ""

    def hint(self, turns: int, running: bool, queued: int = 0) -> None:
        """Say what can be typed, as long as nothing is.

        Args:
            turns: Questions asked in this conversation.
            running: Whether a run goes on.
            queued: Questions that wait for its end.
        """
        if self.disabled:
            self.placeholder = "watching a robot: nothing is asked from here"
        elif running:
            waits = f"{plural(queued, 'question')} waiting; " if queued else ""
            self.placeholder = f"type the next question… ({waits}Ctrl+C cancels the run)"
        elif turns:
            so_far = plural(turns, "question")
            self.placeholder = f"ask or follow up… ({so_far} so far; ^n begins anew)"
        else:
            self.placeholder = "ask…"

    def remember(self, question: str) -> None:
        """Put a question at the end of the history."""
        if not self.asked or self.asked[-1] != question:
            self.asked.append(question)
        self._place = len(self.asked)

    def action_earlier(self) -> None:
        """Bring back the question before."""
        if self._place == len(self.asked):
            self._draft = self.value
        self._walk(-1)

    def action_later(self) -> None:
        """Bring back the question after, at last what was being typed."""
        if self._place < len(self.asked):
            self._walk(1)

    def _walk(self, by: int) -> None:
        self._place = min(max(self._place + by, 0), len(self.asked))
        at_end = self._place == len(self.asked)
        self.value = self._draft if at_end else self.asked[self._place]
        self.cursor_position = len(self.value)

    def on_paste(self, event: events.Paste) -> None:
        """Take a paste with all its lines on one, and say what of it has no room."""
        event.stop()
        event.prevent_default()  # Input takes the first line alone, and nothing of a long one
        text = clean(" ".join(event.text.split()), len(event.text) + 1)
        kept = len(self.value) - len(self.selected_text)
        room = max(0, (self.max_length or len(text)) - kept)
        self.replace(text[:room], *sorted(self.selection))
        if len(text) > room:
            told = f"{len(text) - room:,} characters of the paste did not fit: a question has at"
            told += f" most {self.max_length:,}."
            self.app.notify(told, severity="warning", markup=False)

    async def action_submit(self) -> None:
        """Hand the question in."""
        question = self.value.strip()
        if question and self._take(question):
            self.value = ""
