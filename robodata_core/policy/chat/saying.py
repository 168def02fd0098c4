"""Saying an answer in the language of its question, beside what is claimed.

The sentence is the model's, with a place for the answer, and is shown as its comment; what stands
in that place are labels of the graph in that language, or those that the graph has.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from robodata_core.errors import RoboDataError
from robodata_core.iris import iri_of
from robodata_core.model import EntityValue, QuantityValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.chat.question import Qir
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.text import clean_text
from robodata_core.tools.base import ToolResult
from robodata_core.tools.variables import Variable
from robodata_core.values import format_value

__all__ = ["labels_in", "said_in"]

_log = logging.getLogger("robodata.chat")
_PLACE: Final = "{answer}"
_MOST: Final = 20
_LONGEST: Final = 600
_LIMITS: Final = QueryLimits(rows=200, seconds=5.0)


def said_in(qir: Qir, ran: ToolResult, source: KnowledgeSource) -> str:
    """Return the answer as a sentence in the question's language; empty where there is none."""
    found = ran.output.data
    if qir.language in ("", "en") or qir.say.count(_PLACE) != 1 or not isinstance(found, Variable):
        return ""
    if found.boolean is not None or not found.values:
        return ""
    stated = all(isinstance(value, QuantityValue) for value in found.values)
    if qir.kind is AnswerKind.NUMBER and not stated:
        if found.truncated:
            return ""
        return clean_text(qir.say.replace(_PLACE, f"{len(found.values)}"), limit=_LONGEST)
    values = found.values[:_MOST]
    labels = labels_in(qir.language, values, source)
    told = [format_value(value, lambda id_: labels.get(id_, id_)) for value in values]
    more = ", ..." if len(found.values) > _MOST else ""
    return clean_text(qir.say.replace(_PLACE, ", ".join(told) + more), limit=_LONGEST)


def labels_in(language: str, values: Sequence[Value], source: KnowledgeSource) -> dict[str, str]:
    """Return labels of entities in a language, else those the source gives anyway."""
    ids = [value.id for value in values if isinstance(value, EntityValue)]
    try:
        labels = {id_: one.label for id_, one in source.entities(ids).items() if one.label}
        if ids and language.replace("-", "").isalnum() and language.isascii():
            labels |= _asked_for(language, ids, source)
    except RoboDataError as error:
        _log.info("labels in %s could not be read: %s", language, error)
        return {}
    return labels


def _asked_for(language: str, ids: Sequence[str], source: KnowledgeSource) -> dict[str, str]:
    listed = " ".join(f"<{iri_of(id_)}>" for id_ in ids)
    query = (
        f"SELECT ?thing ?label WHERE {{ VALUES ?thing {{ {listed} }} ?thing"
        " <http://www.w3.org/2000/01/rdf-schema#label> ?label"
        f' FILTER(LANG(?label) = "{language}") }}'
    )
    found = source.sparql(query, limits=_LIMITS)
    labels: dict[str, str] = {}
    for row in found.rows:
        thing, label = row[0], row[1]
        if isinstance(thing, EntityValue) and label is not None:
            labels.setdefault(thing.id, format_value(label))
    return labels
