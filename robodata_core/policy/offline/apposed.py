"""What stands beside a name and says who is meant: "Michael Mann, the son of Thomas Mann".

It is read as a description of the name, and chooses among those that go by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.words import ARTICLES, AUXILIARIES, JOINING, WH_WORDS, Token

__all__ = ["appositions"]


def appositions(
    question: Question, request: Request, linking: Linking
) -> Iterator[tuple[Mention, tuple[int, ...], tuple[Token, ...]]]:
    """Yield names with the places of what stands beside them, and its words without signs."""
    tokens, end = question.tokens, request.end
    while end > request.start and not tokens[end - 1].word:
        end -= 1
    quoted = {i for quote in question.quotes for i in range(quote.start, quote.end)}
    named = {i for m in linking.mentions if m.proper for i in m.span}
    commas = [
        i for i in range(request.start, end)
        if tokens[i].text == "," and i not in quoted and i not in named
    ]  # fmt: skip
    words = {tokens[i].norm for i in range(request.start, end) if i not in named | quoted}
    if not commas or len(commas) > 2 or words & JOINING:
        return
    at = commas[0]
    last = commas[1] if len(commas) > 1 else end
    beside = tokens[at + 1 : last]
    before = [m for m in linking.mentions if m.proper and m.entities and m.end <= at]
    if not before or not _is_noun_phrase(beside) or not named & set(range(at + 1, last)):
        return
    name = max(before, key=lambda m: (m.end, len(m.span), not m.demonym))
    if name.end == at or last == end:
        places = tuple(range(at, min(last + 1, end)))
        yield name, places, tuple(beside)


def _is_noun_phrase(words: Sequence[Token]) -> bool:
    """Tell whether words are "the N of ..." and no clause."""
    norms = [token.norm for token in words]
    if len(norms) < 3 or set(norms) & (AUXILIARIES | WH_WORDS):
        return False
    return (norms[0] in ARTICLES and "of" in norms) or "s" in norms
