"""A question as it comes from outside, made fit to be asked; the ids its names are bound to."""

from __future__ import annotations

import re
from typing import Final

from robodata_core.errors import InvalidRequestError
from robodata_core.text import clean_text

__all__ = ["BOUND_IDS", "ID", "bound_name", "clean_question", "without_ids", "written_id"]

#: "Canada (Q16)" and "these 5 (Q1, Q2, ...)": how a conversation writes what a name stands for.
BOUND_IDS: Final = re.compile(r"\s?\(((?:Q\d+|<[^<>\s]+>)(?:, (?:Q\d+|<[^<>\s]+>))*)\)")

#: An id that a name may be bound to: Q42, or an IRI in angle brackets.
ID: Final = r"(?:Q[1-9][0-9]{0,11}|<[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+>)"


def clean_question(question: str, limit: int) -> str:
    """Return the question on one line, without control characters.

    Raises:
        InvalidRequestError: If nothing is left, or more than ``limit`` characters.
    """
    if not isinstance(question, str):
        raise InvalidRequestError("The question must be text.")
    if len(question) > limit:
        raise InvalidRequestError(
            f"The question has {len(question)} characters; at most {limit} are taken.",
            hint="Ask for one thing at a time, or raise max_question.",
        )
    text = " ".join(clean_text(question, limit=limit).split())
    if not any(char.isalnum() for char in text):
        raise InvalidRequestError(
            "The question is empty.",
            hint='For example: robodata ask "What is the capital of Canada?"',
        )
    return text


def without_ids(text: str) -> str:
    """Return a text without the ids that bind its names."""
    return BOUND_IDS.sub("", text)


def written_id(id_: str) -> str:
    """Return an id as a question has it: IRIs stand in angle brackets."""
    return id_ if re.fullmatch(ID, id_) else f"<{id_}>"


def bound_name(label: str, id_: str) -> str:
    """Return a name with what it is bound to, as a question has it: "John Smith (Q123)"."""
    return f"{label.strip(' ?!.()') or id_} ({written_id(id_)})"
