"""Where questions are typed, with the history of earlier ones."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding
from textual.message import Message

from robodata_tui.widgets.line import Line

__all__ = ["QuestionInput"]


class QuestionInput(Line):
    """An input line; up and down walk through earlier questions."""

    HELP: ClassVar = (
        "Type a question and press Enter. Up and down bring back earlier questions. Esc leaves"
        " the line, so that single keys (x, y, z, e, t, /) work; a comes back."
    )
    BINDINGS: ClassVar = [
        Binding("enter", "submit", "Ask", show=True),
        Binding("up", "earlier", "Earlier question", show=False),
        Binding("down", "later", "Later question", show=False),
    ]

    class Asked(Message):
        """A question was handed in."""

        def __init__(self, question: str) -> None:
            super().__init__()
            self.question = question

    def __init__(self, id: str, limit: int) -> None:
        super().__init__(placeholder="ask…", id=id, max_length=limit, select_on_focus=False)
        self.asked: list[str] = []
        self._place = 0
        self._draft = ""

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
        self._walk(1)

    def _walk(self, by: int) -> None:
        self._place = min(max(self._place + by, 0), len(self.asked))
        at_end = self._place == len(self.asked)
        self.value = self._draft if at_end else self.asked[self._place]
        self.cursor_position = len(self.value)

    async def action_submit(self) -> None:
        """Hand the question in."""
        question = self.value.strip()
        if question:
            self.post_message(self.Asked(question))
