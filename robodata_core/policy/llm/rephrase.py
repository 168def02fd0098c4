"""Telling whether a question depends on earlier ones, and saying it anew, with a language model.

One structured call for both (the classifier and the rephraser of Chatty-KG). What the model says
is checked by whoever asked, as what the rules say is; a model that fails leaves it to the rules.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from robodata_core.cancellation import CancelToken
from robodata_core.errors import PolicyError
from robodata_core.events import ModelCall
from robodata_core.policy.llm.client import ModelClient
from robodata_core.policy.llm.ledger import Prices, ask
from robodata_core.policy.llm.replies import objects_in
from robodata_core.prompts import load
from robodata_core.text import clean_text

__all__ = ["MOST_TURNS", "PastTurn", "Rephrased", "Rephraser", "Rephrases", "told_of"]

_log = logging.getLogger("robodata.llm")
MOST_TURNS: Final = 8
"""Turns that a model is told of."""

_MOST_ITEMS: Final = 30
_MOST_NAMED: Final = 10
_LONGEST_SAID: Final = 300
_LONGEST: Final = 1_000
_LONGEST_REPLY: Final = 6_000


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn as the model is told of it.

    Attributes:
        question: The standalone question.
        answer: The things of the answer, as "name (id)".
        group: A short name for all of them, where they are many; nothing where they are few.
        named: Other things that question or answer named, as "name (id)".
        text: What was said, where the answer is a number, a yes or a no, or none.
    """

    question: str
    answer: tuple[str, ...]
    group: str = ""
    named: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Rephrased:
    """What the model says: whether the question depends on the history, and the standalone one."""

    depends: bool
    question: str


class Rephrases(Protocol):
    """Whoever can make a question stand alone."""

    def rephrase(
        self, question: str, history: Sequence[PastTurn], cancel: CancelToken | None = None
    ) -> tuple[Rephrased | None, ModelCall | None]:
        """Return the question said anew, None if nothing usable is said; and what it took."""
        ...


def told_of(history: Sequence[PastTurn]) -> list[dict[str, Any]]:
    """Return the turns as a model is told of them, the latest ``MOST_TURNS``."""
    return [_told(turn) for turn in history[-MOST_TURNS:]]


@dataclass(frozen=True, slots=True)
class Rephraser:
    """Asks a model to make questions stand alone.

    Attributes:
        client: Completes conversations.
        model: Which model.
        prices: What models cost.
    """

    client: ModelClient
    model: str
    prices: Prices = Prices()

    def rephrase(
        self, question: str, history: Sequence[PastTurn], cancel: CancelToken | None = None
    ) -> tuple[Rephrased | None, ModelCall | None]:
        """Return what the model says, None if it says nothing usable; and what it took."""
        told = {"history": told_of(history), "question": question}
        messages = [
            {"role": "system", "content": load("rephrase")},
            {"role": "user", "content": json.dumps(told, ensure_ascii=False)},
        ]
        try:
            completion, call = ask(
                self.client,
                messages,
                role="conversation",
                model=self.model,
                prices=self.prices,
                cancel=cancel,
                most_tokens=1_500,
            )
        except PolicyError as error:
            _log.warning("the question is understood by rules: %s", error)
            return None, None
        return _read(completion.text), call


def _told(turn: PastTurn) -> dict[str, Any]:
    data: dict[str, Any] = {"question": clean_text(turn.question, limit=_LONGEST)}
    said = clean_text(turn.text, limit=_LONGEST_SAID)
    if said or not turn.answer:
        data["said"] = said or "(nothing)"
    if turn.answer:
        data["answer"] = list(turn.answer[:_MOST_ITEMS])
    if turn.group:
        data["set"] = f"these {len(turn.answer)} ({turn.group})"
    if turn.named:
        data["named"] = list(turn.named[:_MOST_NAMED])
    return data


def _read(reply: str) -> Rephrased | None:
    found = next(objects_in(reply), {})
    depends, question = found.get("depends"), found.get("question")
    if not isinstance(depends, bool) or not isinstance(question, str) or not question.strip():
        return None
    text = " ".join(clean_text(question, limit=_LONGEST_REPLY).split())
    return Rephrased(depends, text)
