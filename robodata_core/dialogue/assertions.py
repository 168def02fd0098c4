"""What must hold of a question after it was rewritten, whoever rewrote it.

A rewriting that fails is given up, and the question is asked as it stands, with the reason shown;
one that still points back is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from robodata_core.dialogue.anaphora import pointing
from robodata_core.dialogue.naming import ids_in
from robodata_core.dialogue.reading import Knowledge
from robodata_core.policy.offline.words import FUNCTION_WORDS, tokenize
from robodata_core.question import without_ids
from robodata_core.text import normalise_name

__all__ = ["objection"]

_NAME_WORD: Final = re.compile(r"[^\W\d_]")


def objection(
    text: str,
    typed: str,
    told: Iterable[str],
    known: frozenset[str],
    knowledge: Knowledge,
    most: int,
) -> str:
    """Return why a rewritten question must not be asked, or nothing.

    Args:
        text: The rewritten question.
        typed: The question as typed.
        told: Texts that its names may come from: earlier questions, labels of earlier things.
        known: Ids that the conversation has shown.
        knowledge: What is known.
        most: Most characters.
    """
    if len(text) > most:
        return f"it would have {len(text):,} characters"
    strangers = [id_ for id_ in ids_in(text) if id_ not in known]
    if strangers:
        return f"{strangers[0]} was not named before"
    foreign = _foreign(text, (typed, *told))
    if foreign:
        return f"“{foreign}” was not named before"
    read = knowledge.read(text)
    if not read.question.requests or not any(token.word for token in read.tokens):
        return "nothing is asked"
    left = pointing(read)
    if left:
        return f"“{left[0].text}” still points back"
    if not (read.names or read.matches):
        return "it names nothing"
    return ""


def _foreign(text: str, told: Iterable[str]) -> str:
    """Return the first word written as a name that nobody has said."""
    plain = [without_ids(one) for one in told]
    said = {word for one in plain for word in normalise_name(one).split()}
    # Initials stand together in a name that is compared, and apart in one that is written.
    said |= {normalise_name(token.text) for one in plain for token in tokenize(one)}
    tokens = tokenize(without_ids(text))
    for place, token in enumerate(tokens):
        if not place or not token.capitalised or not _NAME_WORD.search(token.text):
            continue
        words = normalise_name(token.text).split()
        if any(word not in said and word not in FUNCTION_WORDS for word in words):
            return token.text
    return ""
