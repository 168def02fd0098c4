"""Saying an answer in the language of its question, beside what is claimed.

The sentence is the model's, with a place for the answer, and is shown as its comment; what stands
in that place are labels of the graph in that language, or those that the graph has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from robodata_core.model import QuantityValue, TimeValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.chat.question import Qir
from robodata_core.policy.chat.tongues import labels_in
from robodata_core.sources.base import KnowledgeSource
from robodata_core.text import clean_text
from robodata_core.tools.base import ToolResult
from robodata_core.tools.variables import Variable
from robodata_core.values import format_value, iso_time

__all__ = ["said_in"]

_PLACE: Final = "{answer}"
_MOST: Final = 20
_LONGEST: Final = 600
_YEAR: Final = 9


def said_in(qir: Qir, ran: ToolResult, source: KnowledgeSource) -> str:
    """Return the answer as a sentence in the question's language; empty where there is none."""
    found = ran.output.data
    if qir.language in ("", "en") or not isinstance(found, Variable):
        return ""
    if found.boolean is not None:
        return clean_text(qir.say if found.boolean else qir.deny, limit=_LONGEST)
    if qir.say.count(_PLACE) != 1 or not found.values:
        return ""
    stated = all(isinstance(value, QuantityValue) for value in found.values)
    if qir.kind is AnswerKind.NUMBER and not stated:
        if found.truncated:
            return ""
        return clean_text(qir.say.replace(_PLACE, f"{len(found.values)}"), limit=_LONGEST)
    values = found.values[:_MOST]
    labels = labels_in(qir.language, values, source)
    told = [_told(value, labels) for value in values]
    more = ", ..." if len(found.values) > _MOST else ""
    return clean_text(qir.say.replace(_PLACE, ", ".join(told) + more), limit=_LONGEST)


def _told(value: Value, labels: Mapping[str, str]) -> str:
    """Return a value without a word of English, where there is such a form."""
    if isinstance(value, TimeValue) and value.precision >= _YEAR and value.year > 0:
        return iso_time(value)
    return format_value(value, lambda id_: labels.get(id_, id_))
