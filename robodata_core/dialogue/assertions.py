"""What must hold of a question after it was rewritten, whoever rewrote it.

A rewriting that fails is given up, and the question is asked as it stands, with the reason shown;
one that still points back is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from robodata_core.dialogue.anaphora import pointing
from robodata_core.dialogue.history import History
from robodata_core.dialogue.naming import ids_in, name_of
from robodata_core.dialogue.reading import Knowledge
from robodata_core.dialogue.rewriting import Whole
from robodata_core.policy.offline.words import FUNCTION_WORDS, tokenize
from robodata_core.question import without_ids
from robodata_core.text import normalise_name

__all__ = ["bound", "checked"]

_LONGEST: Final = 6_000
_MOST_TOLD: Final = 40
_MOST_LABELS: Final = 300
_NAME_WORD: Final = re.compile(r"[^\W\d_]")


def checked(whole: Whole, typed: str, history: History, knowledge: Knowledge) -> str:
    """Return what speaks against a rewritten question; nothing where it may be asked."""
    text, told, known = whole.text, [typed], set(whole.pointed)
    for heard in list(history.back())[:_MOST_TOLD]:
        told += (heard.turn.question, heard.turn.standalone)
        known.update((*heard.members, *heard.pointed, *heard.shown))
        known.update(id_ for name in heard.read.names for id_ in name.ids)
    known.update(id_ for name in knowledge.read(typed).names for id_ in name.ids)
    told += [history.labels.get(id_) or knowledge.label(id_) for id_ in sorted(known)[:400]]
    if len(text) > _LONGEST:
        return f"it would have {len(text):,} characters"
    foreign = _foreign(text, told)
    strange = [id_ for id_ in ids_in(text) if id_ not in known] + (
        [f"“{foreign}”"] if foreign else []
    )
    if strange:
        return f"{strange[0]} was not named before"
    read = knowledge.read(text)
    if not read.question.requests or not any(token.word for token in read.tokens):
        return "nothing is asked"
    # What was answered with a word that points nowhere ("what do they pay with") may be so again.
    last = history.last
    idle = (
        {token.norm for token in pointing(last.read)} if last and last.turn.answer.results else ()
    )
    here = {token.norm for token in knowledge.read(typed).tokens}
    for left in pointing(read):
        if left.norm in here or left.norm not in idle:
            return f"“{left.text}” still points back"
    return "" if read.names or read.matches else "it names nothing"


def bound(text: str, history: History, knowledge: Knowledge) -> Whole:
    """Bind the names of earlier turns in a question that somebody else made whole."""
    labels: dict[str, str] = {}
    for heard in history.back():
        for id_ in (*heard.members, *heard.topics, *heard.pointed, *heard.shown):
            labels.setdefault(knowledge.label(id_), id_)
    given = set(ids_in(text))  # what the model wrote has to be known, as what it names
    taken = set(given)
    for label in sorted(labels, key=len, reverse=True)[:_MOST_LABELS]:
        id_ = labels[label]
        if id_ in taken or not label or not label[0].isupper():
            continue
        name = re.compile(rf"(?<!\w){re.escape(label)}(?!\w)(?!\s?\()")
        written = name_of(id_, knowledge)
        found = name.search(text)
        if found is not None:
            text = f"{text[: found.start()]}{written}{text[found.end() :]}"
            taken.add(id_)
    return Whole(text, ("said anew by the model",), tuple(sorted(taken - given)))


def _foreign(text: str, told: Iterable[str]) -> str:
    """Return the first word written as a name that nobody has said, quoted."""
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
            return f"“{token.text}”"
    return ""
