"""The whole proof of a claim: its reading, its path, a small graph drawing."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from robodata_core.model import Claim
from robodata_tui.words import claim_mark, clean

__all__ = ["proof_text"]


def proof_text(
    claim: Claim, reading: Content, head: Sequence[Content], picture: Content
) -> Content:
    """Return a proof to look at and to copy.

    Args:
        claim: What is proved.
        reading: What the question was taken to ask, or empty.
        head: The question and the path, as lines.
        picture: The drawing.
    """
    mark, word = claim_mark(claim)
    why = f": {clean(claim.problem)}" if claim.problem else ""
    parts = [Content.styled(clean(claim.text), "bold"), Content(f"{mark} {word}{why}")]
    parts += [reading] if reading else []
    legend = "═ decides   ┄ not stated   ¹²³ as in the question"
    parts += [Content(""), *head, Content(""), picture, Content("")]
    return Content("\n").join([*parts, Content.styled(legend, "$foreground-muted")])
