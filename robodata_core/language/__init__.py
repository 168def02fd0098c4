"""From text to meanings: names linked, readings built and ranked with a calibrated probability.

``Understanding`` is the one door. It asks a ``View`` of a source for what is really there, never
for more than it needs, and gives programs of ``robodata_core.programs``. Words of a language stand
in tables under ``lexicon`` and ``grammar``; nothing here knows a thing or a relation of one graph.
"""

from __future__ import annotations

from robodata_core.language.types import (
    Candidate,
    Hop,
    Mention,
    MentionKind,
    NotUnderstood,
    Reading,
    Reason,
    Understood,
)
from robodata_core.language.understanding import Understanding
from robodata_core.language.view import View

__all__ = [
    "Candidate",
    "Hop",
    "Mention",
    "MentionKind",
    "NotUnderstood",
    "Reading",
    "Reason",
    "Understanding",
    "Understood",
    "View",
]
