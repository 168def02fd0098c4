"""A second look at an answer: whether what was read is what was asked, by one short call.

The model sees the question and the reading of what was run, nothing else, so that nothing it saw
before can persuade it. What it objects to is shown beside the answer, in its words; it decides
nothing.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import Any, Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import PolicyError
from robodata_core.events import ModelCall
from robodata_core.policy.llm.client import ModelClient
from robodata_core.policy.llm.ledger import Prices, ask
from robodata_core.policy.llm.replies import objects_in
from robodata_core.prompts import load
from robodata_core.text import clean_text

__all__ = ["SecondLook"]

_log = logging.getLogger("robodata.llm")
_MOST_READING: Final = 2_000
_MOST_OBJECTION: Final = 300
_REPLY_TOKENS: Final = 150
_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"fits": {"type": "boolean"}, "objection": {"type": "string"}},
    "required": ["fits"],
}


@dataclass(frozen=True, slots=True)
class SecondLook:
    """Asks a model whether a reading fits a question.

    Attributes:
        client: Completes conversations.
        model: Which model; a cheap one will do.
        prices: What models cost.
    """

    client: ModelClient
    model: str
    prices: Prices = Prices()

    def objection(
        self, question: str, reading: str, cancel: CancelToken | None = None
    ) -> tuple[str, ModelCall | None]:
        """Return what the model objects to, nothing where it does not; and what it took."""
        told = {"question": question, "read as": clean_text(reading, limit=_MOST_READING)}
        messages = [
            {"role": "system", "content": load("second_look")},
            {"role": "user", "content": json.dumps(told, ensure_ascii=False)},
        ]
        try:
            completion, call = ask(
                self.client,
                messages,
                role="second look",
                state="PRODUCE_ANSWER",
                model=self.model,
                prices=self.prices,
                cancel=cancel,
                most_tokens=_REPLY_TOKENS,
                schema=_SCHEMA,
            )
        except PolicyError as error:
            _log.warning("there is no second look: %s", error)
            return "", None
        found = next(objects_in(completion.text), {})
        said = found.get("objection")
        if found.get("fits") is not False:
            return "", call
        words = clean_text(said, limit=_MOST_OBJECTION).strip() if isinstance(said, str) else ""
        return words or "It asks something else.", call
