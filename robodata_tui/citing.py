"""Which ``[c3]`` in an answer's text are citations of its claims, and what the text says besides.

Names in a graph may look like a citation; they come with the claims and their triples, so what
stands inside one of those names is never taken for one.
"""

from __future__ import annotations

import re
from typing import Final

from robodata_core.model import Answer
from robodata_core.text import clean_text
from robodata_tui.words import steady

__all__ = ["sentence_parts", "spare_words"]

_CITED: Final = re.compile(r"\[(c\d{1,6})\]")
_EDGES: Final = " \t\n.,;:"
_MOST_CLAIMS: Final = 100


def sentence_parts(answer: Answer, limit: int = 20_000) -> list[tuple[str, int | None]]:
    """Return the text in parts: plain ones, and for each citation the place of its claim."""
    text = clean_text(answer.text, limit=limit, multiline=True) or "There is no answer."
    text = steady(text)
    places = {claim.id: place for place, claim in enumerate(answer.claims)}
    literal = _literal(answer, text)
    parts: list[tuple[str, int | None]] = []
    end = 0
    for match in _CITED.finditer(text):
        place = places.get(match[1])
        if place is None or any(a <= match.start() and match.end() <= b for a, b in literal):
            continue
        parts += [(text[end : match.start()], None), (match[0], place)]
        end = match.end()
    return [*parts, (text[end:], None)]


def _literal(answer: Answer, text: str) -> list[tuple[int, int]]:
    """Return where names stand in the text that look like citations or hold one."""
    names = {
        steady(clean_text(name))
        for claim in answer.claims
        for name in (
            claim.text,
            *(item.subject_label for item in claim.support.evidence),
            *(item.predicate_label for item in claim.support.evidence),
            *(item.object_label for item in claim.support.evidence),
        )
    }
    names |= {steady(clean_text(item.label)) for item in answer.results}
    return [
        match.span()
        for name in names
        if _CITED.search(name)
        for match in re.finditer(re.escape(name), text)
    ]


def spare_words(answer: Answer) -> str | None:
    """Return what the text says besides its claims, or None where it does not say one of them.

    Where a claim is not there word by word the text is told in words of its own, and only the
    whole of it will do.
    """
    text = " ".join(part for part, place in sentence_parts(answer) if place is None)
    text = " ".join(text.split())
    for claim in answer.claims[:_MOST_CLAIMS]:
        said = " ".join(clean_text(claim.text).split()).strip(_EDGES)
        start = text.lower().find(said.lower())
        if not said or start < 0:
            return None
        text = text[:start] + text[start + len(said) :]
    parts = (part.strip(_EDGES) for part in re.split(r"[.;:](?=\s|$)", text))
    return " · ".join(part for part in parts if re.search(r"\w", part))
