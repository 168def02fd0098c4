"""The claims of the answer, one row each."""

from __future__ import annotations

from typing import ClassVar

from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from robodata_core.model import Claim
from robodata_tui.records import View
from robodata_tui.widgets.pane import Pane, Rows
from robodata_tui.words import claim_line, clean

__all__ = ["ClaimsPane"]


class ClaimsPane(Pane):
    """Claims with their verdicts."""

    NUMBER = 5
    TITLE = "Claims"
    HELP: ClassVar = (
        "Every claim of the answer, checked against the local graph: ✓ and the number of triples"
        " that support it, or ✗ unsupported. Moving here shows the triples of the claim; Enter"
        " goes to them."
    )

    class Chosen(Message):
        """A claim was chosen; ``enter`` tells whether its evidence should be gone to."""

        def __init__(self, claim_id: str, enter: bool) -> None:
            super().__init__()
            self.claim_id = claim_id
            self.enter = enter

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._shown: list[Claim] = []
        self._told: list[str] = []
        self._seen = ""
        self._place: int | None = None

    def body(self) -> Widget:
        """Return the list."""
        return Rows(id=f"{self.id}-body")

    @property
    def _rows(self) -> Rows:
        return self.query_one(Rows)

    def render_view(self, view: View) -> None:
        """Bring the list up to date."""
        claims = [claim for claim in view.state.claims if self.matches(claim_line(claim))]
        # The keyboard may be ahead of what is shown, so only a change of claims rebuilds rows.
        if claims != self._shown:
            self._shown = claims
            with self.prevent(OptionList.OptionHighlighted):
                self._rows.clear_options()
                self._rows.add_options(
                    Option(Content.styled(claim_line(claim), "" if claim.supported else "$error"))
                    for claim in claims
                )
            self._told.clear()
            self._place = self._rows.highlighted
        self._mark(view.claim)
        good = sum(claim.supported for claim in view.state.claims)
        total = len(view.state.claims)
        self.titled(f"{good} of {total} supported" if total else "")

    def _mark(self, claim_id: str) -> None:
        """Put the cursor on the claim that is shown, unless the keyboard is further by now."""
        if claim_id in self._told:
            del self._told[: self._told.index(claim_id) + 1]
        elif claim_id != self._seen:
            self._told.clear()  # somebody else chose it
        self._seen = claim_id
        place = next((n for n, claim in enumerate(self._shown) if claim.id == claim_id), None)
        if place is None or self._told or self._rows.highlighted != self._place:
            return
        with self.prevent(OptionList.OptionHighlighted):
            self._rows.highlighted = self._place = place

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the claim's triples while moving."""
        event.stop()
        self._place = event.option_index
        if self._rows.has_focus and event.option_index < len(self._shown):
            self._told.append(self._shown[event.option_index].id)
            self.post_message(self.Chosen(self._told[-1], enter=False))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the claim's triples."""
        event.stop()
        if event.option_index < len(self._shown):
            self.post_message(self.Chosen(self._shown[event.option_index].id, enter=True))

    def yank(self) -> str:
        """Return the claim under the cursor."""
        place = self._rows.highlighted
        if place is None or place >= len(self._shown):
            return ""
        return clean(self._shown[place].text, 4_000)
