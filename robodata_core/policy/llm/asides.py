"""Short calls to a language model beside a run, each of them one structured reply.

``Rephraser`` tells whether a question depends on earlier ones and says it anew (the classifier and
the rephraser of Chatty-KG in one call). ``decompose`` takes a question apart: the sub-questions are
asked one after the other on the same local graph, and the whole question last, so that its answer
is a synthesis that is validated like any other. ``SecondLook`` holds what was run against what was
asked: the model sees the question and the reading, nothing else, so that nothing it saw before can
persuade it, and what it objects to is shown beside the answer and decides nothing.

What the model says is checked by whoever asked; without a usable reply all goes on as if nobody
had been asked.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
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

__all__ = [
    "MOST_TURNS",
    "PastTurn",
    "Rephrased",
    "Rephraser",
    "Rephrases",
    "SecondLook",
    "decompose",
    "told_of",
]

_log = logging.getLogger("robodata.llm")
MOST_TURNS: Final = 8
"""Turns that a model is told of."""

_MOST_ITEMS: Final = 30
_MOST_NAMED: Final = 10
_LONGEST_SAID: Final = 300
_LONGEST: Final = 1_000
_LONGEST_REPLY: Final = 6_000
_MOST_PARTS: Final = 5
_LONGEST_PART: Final = 500
_MOST_READING: Final = 2_000
_MOST_OBJECTION: Final = 300
_FITS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"fits": {"type": "boolean"}, "objection": {"type": "string"}},
    "required": ["fits"],
}


@dataclass(frozen=True, slots=True)
class _Aside:
    """Asks a model for one object.

    Attributes:
        client: Completes conversations.
        model: Which model; a cheap one will do.
        prices: What models cost.
    """

    client: ModelClient
    model: str
    prices: Prices = Prices()

    def _asked(
        self, prompt: str, told: Mapping[str, Any], otherwise: str, **how: Any
    ) -> tuple[Mapping[str, Any], ModelCall | None]:
        """Return the object of a reply, an empty one where there is none, and what it took.

        Args:
            prompt: Name of the prompt.
            told: What the model is told, as JSON.
            otherwise: What is logged where the model fails.
            how: Role, most tokens and the like, as for ``ledger.ask``.
        """
        messages = [
            {"role": "system", "content": load(prompt)},
            {"role": "user", "content": json.dumps(told, ensure_ascii=False)},
        ]
        try:
            completion, call = ask(
                self.client, messages, model=self.model, prices=self.prices, **how
            )
        except PolicyError as error:
            _log.warning("%s: %s", otherwise, error)
            return {}, None
        return next(objects_in(completion.text), {}), call


# -- questions of conversations -------------------------------------------------------------------


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


class Rephraser(_Aside):
    """Asks a model to make questions stand alone."""

    def rephrase(
        self, question: str, history: Sequence[PastTurn], cancel: CancelToken | None = None
    ) -> tuple[Rephrased | None, ModelCall | None]:
        """Return what the model says, None if it says nothing usable; and what it took."""
        found, call = self._asked(
            "rephrase",
            {"history": told_of(history), "question": question},
            "the question is understood by rules",
            role="conversation",
            cancel=cancel,
            most_tokens=1_500,
        )
        depends, said = found.get("depends"), found.get("question")
        if not isinstance(depends, bool) or not isinstance(said, str) or not said.strip():
            return None, call
        text = " ".join(clean_text(said, limit=_LONGEST_REPLY).split())
        return Rephrased(depends, text), call


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


# -- sub-questions --------------------------------------------------------------------------------


def decompose(
    client: ModelClient,
    model: str,
    question: str,
    *,
    prices: Prices,
    cancel: CancelToken | None = None,
) -> tuple[tuple[str, ...], ModelCall | None]:
    """Return sub-questions of ``question``, none if it is better asked as it is; and what it took.

    Args:
        client: Completes conversations.
        model: Which model.
        question: The cleaned question.
        prices: What models cost.
        cancel: Ends the call.
    """
    found, call = _Aside(client, model, prices)._asked(
        "decompose",
        {"question": question},
        "the question is not taken apart",
        role="decomposition",
        cancel=cancel,
        most_tokens=600,
    )
    raw = found.get("questions")
    texts = [item for item in raw if isinstance(item, str)] if isinstance(raw, list) else []
    parts = dict.fromkeys(clean_text(item, limit=_LONGEST_PART) for item in texts)
    distinct = [part for part in parts if part.strip()][:_MOST_PARTS]
    if len(distinct) < 2:
        return (), call
    return tuple(part for part in distinct if part.casefold() != question.casefold()), call


# -- answers --------------------------------------------------------------------------------------


class SecondLook(_Aside):
    """Asks a model whether a reading fits a question."""

    def objection(
        self, question: str, reading: str, cancel: CancelToken | None = None
    ) -> tuple[str, ModelCall | None]:
        """Return what the model objects to, nothing where it does not; and what it took."""
        found, call = self._asked(
            "second_look",
            {"question": question, "read as": clean_text(reading, limit=_MOST_READING)},
            "there is no second look",
            role="second look",
            state="PRODUCE_ANSWER",
            cancel=cancel,
            most_tokens=150,
            schema=_FITS,
        )
        if found.get("fits") is not False:
            return "", call
        said = found.get("objection")
        words = clean_text(said, limit=_MOST_OBJECTION).strip() if isinstance(said, str) else ""
        return words or "It asks something else.", call
