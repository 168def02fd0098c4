"""A proof in characters: the question with its words marked, paths on a line, a small graph.

``proof_text`` puts them together to the whole proof of a claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from robodata_core.model import Claim
from robodata_tui.proof import Edge, Proof
from robodata_tui.words import claim_line, clean, fitted

__all__ = [
    "drawing",
    "path_lines",
    "proof_text",
    "question_line",
]

GAP: Final = "┄┄ not stated ┄┄"
_MOST_PATHS: Final = 6


def question_line(proof: Proof, room: int | None = None) -> Content:
    """Return the question, its words in the colours and with the numbers of what answers them.

    Args:
        proof: The proof.
        room: Cells for a stretch that nothing answers: of a longer one the middle is left out.
    """
    parts: list[Content] = []
    for text, number in proof.question:
        edge = next((item for item in proof.edges if number and item.number == number), None)
        if edge is None:
            parts.append(Content(text if room is None else fitted(text, room)))
        else:
            parts.append(Content.styled(text + edge.raised, edge.style))
    return Content.assemble(*parts)


def path_lines(proof: Proof) -> list[Content]:
    """Return the first paths, one line each; where nothing connects two, the gap is marked."""
    lines = []
    for (start, path), apart in list(zip(proof.paths, proof.apart, strict=True))[:_MOST_PATHS]:
        parts = [Content.styled(f"{GAP} ", "$text-error")] if apart else []
        parts.append(Content.styled(proof.names[start], "bold"))
        here = start
        for edge in path:
            forward = edge.start == here
            here = edge.end if forward else edge.start
            parts += [_arrow(edge, forward), Content.styled(proof.names[here], "bold")]
        lines.append(Content.assemble(*parts))
    if more := len(proof.paths) - len(lines):
        lines.append(Content.styled(f"… and {more} more", "$foreground-muted"))
    return lines


def _arrow(edge: Edge, forward: bool) -> Content:
    name = f"{edge.line}{edge.told}{edge.line}"
    return Content.styled(f" {name}▶ " if forward else f" ◀{name} ", edge.style)


def drawing(proof: Proof, width: int) -> Content:
    """Return the proof as a small graph: what decides across, what else is stated below its ends.

    Args:
        proof: What to draw.
        width: Columns there are; where they do not suffice, the second end goes below the first.
    """
    if not proof.edges:
        return Content("No triple supports this claim.")
    first = proof.edges[0]
    drawn = {id(first.item)}
    ends = {first.start, first.end}
    left = _below(proof, first.start, drawn, set(ends), fence=first.end)
    right = _below(proof, first.end, drawn, set(ends))
    start, end = proof.names[first.start], proof.names[first.end]
    if first.gap:
        lines = [_join((f"{start} ", "bold"), (f"{first.line * 2} {first.told} ", first.style),
                       (f"{first.line * 2}▶ ", first.style), (end, "bold"))]  # fmt: skip
        lines += [_join(line) for line in (*left, *right)]
        return Content("\n").join(lines)
    line = first.line
    arrow = f" {line * 2} {first.told} {line * 2}▶ "
    column = max(len(start) + len(arrow), *(len(line) + 2 for line, _ in left), 0)
    if column + max(len(end), *(len(line) for line, _ in right), 0) <= width:
        arrow = f"{arrow[:-2]}{line * (column - len(start) - len(arrow))}▶ "
        lines = [_join(("", ""), (start, "bold"), (arrow, first.style), (end, "bold"))]
        for n in range(max(len(left), len(right))):
            one = left[n] if n < len(left) else ("", "")
            other = right[n] if n < len(right) else ("", "")
            lines.append(_join((one[0].ljust(column), one[1]), other))
    else:
        lines = [_join((start, "bold")), *(_join(line) for line in left)]
        lines += [
            _join(
                (f"  ╚{line} {first.told} {line}▶ ", first.style),
                (end, "bold"),
            )
        ]
        lines += [_join((f"      {text}", style)) for text, style in right]
    rest = [edge for edge in proof.edges if id(edge.item) not in drawn]
    while rest:
        start = rest[0].start
        gap = GAP if any(proof.apart) else ""
        lines += [_join((gap, "$text-error")), _join((proof.names[start], "bold"))]
        lines += [_join(line) for line in _below(proof, start, drawn, {start})]
        rest = [edge for edge in rest if id(edge.item) not in drawn]
    return Content("\n").join(lines)


def _join(*parts: tuple[str, str]) -> Content:
    return Content.assemble(*(Content.styled(text, style) for text, style in parts if text))


def _below(
    proof: Proof, node: str, drawn: set[int], seen: set[str], fence: str = ""
) -> list[tuple[str, str]]:
    """Return the edges at a node that are not drawn yet, as a tree: lines with their styles.

    Those at the node called ``fence`` are left to another tree.
    """
    left = (e for e in proof.edges if id(e.item) not in drawn and fence not in (e.start, e.end))
    here = [edge for edge in left if node in (edge.start, edge.end)]
    drawn |= {id(edge.item) for edge in here}
    lines: list[tuple[str, str]] = []
    for n, edge in enumerate(here):
        last = n == len(here) - 1
        other = edge.end if edge.start == node else edge.start
        arrow = f"─ {edge.told} ─▶ " if edge.start == node else f"◀─ {edge.told} ─ "
        again = " ↑" if other in seen else ""
        lines.append((f" {'└' if last else '├'}{arrow}{proof.names[other]}{again}", edge.style))
        if other not in seen:
            seen.add(other)
            stem = " " if last else "│"
            lines += [
                (f" {stem}  {text}", style)
                for text, style in _below(proof, other, drawn, seen, fence)
            ]
    return lines


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
