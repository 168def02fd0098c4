"""Names of things in the language of a question, and an answer said in it.

A snapshot's index holds names in one language; its statements hold all of them. Nothing is
translated: a name is looked for as it is written, and labels are those of the graph, in the
language itself, else a form of it, else for all languages, else as the source gives them. The
sentence of an answer is the model's, with a place for it, and is shown as a comment beside what is
claimed, whose names are in the language of the settings.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from robodata_core.errors import RoboDataError
from robodata_core.iris import RDFS, SKOS, iri_of
from robodata_core.model import EntityValue, MatchKind, QuantityValue, SearchHit, TimeValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.chat.question import Qir
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.sources.capabilities import capabilities
from robodata_core.sources.names import NameKind, choose_names
from robodata_core.text import clean_text, normalise_name
from robodata_core.tools.base import ToolResult
from robodata_core.tools.variables import Variable
from robodata_core.values import format_value, iso_time

__all__ = [
    "labels_in",
    "named_in",
    "said_in",
]

_log = logging.getLogger("robodata.chat")
_LIMITS: Final = QueryLimits(rows=600, seconds=5.0)
_WORDS: Final = 6
_LEAST: Final = 3
_BEGUN: Final = 0.7
_NAMES: Final = f"(<{RDFS}label>|<{SKOS}altLabel>)"


def labels_in(language: str, values: Sequence[Value], source: KnowledgeSource) -> dict[str, str]:
    """Return labels of entities in a language or a form of it, else as the source gives them."""
    ids = [value.id for value in values if isinstance(value, EntityValue)]
    try:
        labels = {id_: one.label for id_, one in source.entities(ids).items() if one.label}
        if ids and _is_tag(language):
            listed = " ".join(f"<{iri_of(id_)}>" for id_ in ids)
            base = language.partition("-")[0]
            tags = f"LANGMATCHES(LANG(?label), '{base}') || LANG(?label) = 'mul'"
            where = f"VALUES ?thing {{ {listed} }} ?thing <{RDFS}label> ?label FILTER({tags})"
            found: dict[str, list[tuple[NameKind, int, str, str]]] = {}
            for id_, label, tag in _rows(where, source):
                found.setdefault(id_, []).append((NameKind.LABEL, 0, tag, label))
            labels |= {id_: choose_names(own, language).label for id_, own in found.items()}
    except RoboDataError as error:
        _log.info("labels in %s could not be read: %s", language, error)
        return {}
    return labels


def named_in(
    language: str, name: str, hits: Iterable[SearchHit], source: KnowledgeSource
) -> list[SearchHit]:
    """Return hits of a name, and before them things that have it in a language.

    Where nothing has it whole, in this language or another, things that share words with it: if
    looking through all names costs no network. What is added has the name that fits as its label.
    """
    found = list(hits)
    form = normalise_name(name)
    if not _is_tag(language):
        return found
    try:
        rows = _rows(_spelled(name, language), source)
        is_found = rows or any(normalise_name(hit.label) == form for hit in found)
        if not is_found and capabilities(source).on_this_machine:
            rows = _rows(_sharing(name, language), source)
    except RoboDataError as error:
        _log.info("names in %s could not be read: %s", language, error)
        return found
    begun = _begun(name)

    def _likeness(row: tuple[str, str, str]) -> tuple[int, int, str]:
        own = normalise_name(row[1])
        return (-sum(begin in own for begin in begun), len(own), row[0])

    added: dict[str, SearchHit] = {}
    for id_, label, _ in sorted(rows, key=_likeness):
        added.setdefault(id_, SearchHit(id_, label, matched=label))
    described = source.entities(added)
    known = {hit.id: hit for hit in found}
    for id_, hit in added.items():
        told = described[id_].description if id_ in described else ""
        before = known.get(id_, hit)
        added[id_] = replace(
            before, label=hit.label, description=told, match=MatchKind.LABEL, matched=hit.label
        )
    return [*added.values(), *(hit for hit in found if hit.id not in added)]


def _is_tag(language: str) -> bool:
    return bool(language) and language.isascii() and language.replace("-", "").isalnum()


def _spelled(name: str, language: str) -> str:
    """Return a pattern of things that have a name, in the spellings in which names begin."""
    forms = dict.fromkeys((name, name[:1].upper() + name[1:], name.casefold(), name.title()))
    listed = " ".join(f"{_literal(form)}@{language}" for form in forms)
    return f"VALUES ?label {{ {listed} }} ?thing {_NAMES} ?label"


def _begun(name: str) -> list[str]:
    """Return the words of a name without the ends by which languages decline them."""
    words = [word for word in normalise_name(name).split() if len(word) >= _LEAST]
    return [word[: max(_LEAST, round(_BEGUN * len(word)))] for word in words[:_WORDS]]


def _sharing(name: str, language: str) -> str:
    """Return a pattern of things whose name has a word of a name, whatever its end."""
    has = (f"CONTAINS(LCASE(?label), {_literal(word)})" for word in _begun(name))
    said = f"LANG(?label) = '{language}' && ({' || '.join(has) or 'false'})"
    return f"?thing {_NAMES} ?label FILTER({said})"


def _literal(text: str) -> str:
    """Return a text as SPARQL writes it, which escapes as JSON does."""
    return json.dumps(text, ensure_ascii=False)


def _rows(pattern: str, source: KnowledgeSource) -> list[tuple[str, str, str]]:
    """Return ids, labels and their languages that a pattern of ``?thing`` and ``?label`` finds."""
    query = f"SELECT ?thing ?label WHERE {{ {pattern} }}"
    return [
        (thing.id, format_value(label), getattr(label, "language", ""))
        for thing, label in source.sparql(query, limits=_LIMITS).rows
        if isinstance(thing, EntityValue) and label is not None
    ]


_PLACE: Final = "{answer}"
_MOST: Final = 20
_LONGEST: Final = 600
_YEAR: Final = 9


def said_in(qir: Qir, ran: ToolResult, source: KnowledgeSource) -> str:
    """Return the answer as a sentence in the question's language; empty where there is none.

    Without a sentence of the model that has a place for it, that is what was found alone.
    """
    found = ran.output.data
    if qir.language in ("", "en") or not isinstance(found, Variable):
        return ""
    if found.boolean is not None:
        return clean_text(qir.say if found.boolean else qir.deny, limit=_LONGEST)
    if not found.values:
        return ""
    say = qir.say if qir.say.count(_PLACE) == 1 else _PLACE
    stated = all(isinstance(value, QuantityValue) for value in found.values)
    if qir.kind is AnswerKind.NUMBER and not stated:
        if found.truncated:
            return ""
        return clean_text(say.replace(_PLACE, f"{len(found.values)}"), limit=_LONGEST)
    values = found.values[:_MOST]
    labels = labels_in(qir.language, values, source)
    told = [_told(value, labels) for value in values]
    more = ", ..." if len(found.values) > _MOST else ""
    return clean_text(say.replace(_PLACE, ", ".join(told) + more), limit=_LONGEST)


def _told(value: Value, labels: Mapping[str, str]) -> str:
    """Return a value without a word of English, where there is such a form."""
    if isinstance(value, TimeValue) and value.precision >= _YEAR and value.year > 0:
        return iso_time(value)
    return format_value(value, lambda id_: labels.get(id_, id_))
