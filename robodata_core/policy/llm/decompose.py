"""Taking a question apart into sub-questions, with a language model.

The sub-questions are asked one after the other on the same local graph; the whole question is
asked last, so that its answer is a synthesis that is validated like any other answer.
"""

from __future__ import annotations

import json
import logging
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import PolicyError
from robodata_core.events import ModelCall
from robodata_core.policy.llm.client import ModelClient
from robodata_core.policy.llm.ledger import Prices, ask
from robodata_core.policy.llm.replies import objects_in
from robodata_core.prompts import load
from robodata_core.text import clean_text

__all__ = ["decompose"]

_log = logging.getLogger("robodata.llm")
_MOST: Final = 5
_LONGEST: Final = 500


def decompose(
    client: ModelClient,
    model: str,
    question: str,
    *,
    prices: Prices | None = None,
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
    messages = [
        {"role": "system", "content": load("decompose")},
        {"role": "user", "content": json.dumps({"question": question}, ensure_ascii=False)},
    ]
    try:
        completion, call = ask(
            client,
            messages,
            role="decomposition",
            model=model,
            prices=prices or Prices(),
            cancel=cancel,
            most_tokens=600,
        )
    except PolicyError as error:
        _log.warning("the question is not taken apart: %s", error)
        return (), None
    return _parts(completion.text, question), call


def _parts(reply: str, question: str) -> tuple[str, ...]:
    found = next(objects_in(reply), {})
    raw = found.get("questions")
    parts = (
        [clean_text(item, limit=_LONGEST) for item in raw if isinstance(item, str)]
        if (isinstance(raw, list))
        else []
    )
    distinct = tuple(dict.fromkeys(part for part in parts if part.strip()))[:_MOST]
    if len(distinct) < 2:
        return ()
    return tuple(part for part in distinct if part.casefold() != question.casefold())
