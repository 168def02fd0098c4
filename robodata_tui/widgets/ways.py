"""Where a reader wants to go: what panes post, and the navigator does."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

__all__ = ["ToAnswer", "ToCall", "ToClaim", "ToState", "ToTriple", "Way"]


class Way(Message):
    """A wish to go somewhere."""


@dataclass
class ToClaim(Way):
    """Show the proof of a claim, or of one of its results; ``enter`` goes there as well."""

    claim_id: str
    member: str = ""
    enter: bool = True


@dataclass
class ToAnswer(Way):
    """Go to a claim in the answer."""

    claim_id: str


@dataclass
class ToTriple(Way):
    """Show where a triple came from, and the claims it supports."""

    handle: str


@dataclass
class ToCall(Way):
    """Go to a call, in whichever run it was."""

    run_id: str
    call_id: str


@dataclass
class ToState(Way):
    """Go to the last visit of a state."""

    state: str
