"""The whole proof of a claim: its reading, its path, a small graph drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from robodata_core.model import Claim
from robodata_tui.words import claim_line, clean

__all__ = ["proof_text"]

_MOST_CLAIM: Final = 200
"""Cells of a claim; of a longer one the names it lists are left out."""


def proof_text(
    claim: Claim,
    reading: Content,
    head: Sequence[Content],
    picture: Content,
    listed: Sequence[str] = (),
) -> Content:
    """Return a proof to look at and to copy: how it holds first, the claim in words below.

    Args:
        claim: What is proved.
        reading: What the question was taken to ask, or empty.
        head: The question and the path, as lines.
        picture: The drawing.
        listed: Names of all that the claim is about, where it is about many.
    """
    legend = "═ decides   ┄ not stated   ¹²³ as in the question"
    parts = [*([reading] if reading else []), *head, Content(""), picture, Content("")]
    parts.append(Content.styled(legend, "$foreground-muted"))
    parts += [Content(""), Content(claim_line(claim, _MOST_CLAIM, listed))]
    parts += [Content.styled(clean(claim.problem), "$error")] if claim.problem else []
    return Content("\n").join(parts)
