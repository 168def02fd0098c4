"""Where an answer that is not fully right went wrong, as far as the run's own events tell.

The rule, in this order; the first that fits is given:

``error``         the run failed, was cancelled, or could not be started
``overreach``     nothing was expected, and something was answered
``structure``     some right results were given among wrong or missing ones, or right ones stood
                  in the local graph and were not answered: the facts were there, the
                  combination of them was not what was asked
``missing fact``  the source knows none of the expected entities, or it knows them and the
                  topic, and no statement joins the two in a question of one hop
``linking``       the data set names the topic and the run never worked with it; or a name of
                  the question was looked for in vain; or the run worked with no entity at all
``relation``      an expected result stands one statement away from an entity the run worked
                  with; or the topic is known to be linked and other relations were followed
``unclear``       none of these can be shown

Events and the source are all that is used, so the rule serves every policy. It explains; no
figure but the one of the same name rests on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from robodata_core.errors import RoboDataError
from robodata_core.evaluation.datasets import GoldQuestion, keys_of
from robodata_core.events import GraphChanged, RunEvent, ToolCalled, ToolReturned
from robodata_core.iris import is_id
from robodata_core.model import Answer, Direction, EntityValue, ResultItem
from robodata_core.sources.base import KnowledgeSource
from robodata_core.text import normalise_name

__all__ = ["Trail", "stage_of"]

# Looking is bounded: a gold set of thousands, or a hub, must not make a report wait.
_MOST_GOLD: Final = 5
_MOST_TOUCHED: Final = 10
_MOST_STATEMENTS: Final = 1_000
_LITERAL: Final = re.compile(r"true|false|[+-]?\d[\d.,:tz-]*")
_SHORT: Final = re.compile(r"[qp]\d+")


class Trail:
    """What a run touched, gathered and missed; hand ``see`` to it as ``on_event``."""

    def __init__(self) -> None:
        self.touched: dict[str, None] = {}
        self.gathered: set[str] = set()
        self.in_vain = False
        self.searched: dict[str, None] = {}
        self._searching: dict[str, str] = {}

    def see(self, event: RunEvent) -> None:
        """Take note of one event."""
        if isinstance(event, ToolCalled):
            if event.tool == "search_entities":
                self._searching[event.call_id] = str(event.arguments.get("text", ""))
            self.touched.update(dict.fromkeys(_ids(event.arguments)))
        elif isinstance(event, ToolReturned):
            text = self._searching.get(event.call_id, "")
            if text and event.ok:
                self.in_vain = self.in_vain or event.total == 0
                self.searched.update({text: None} if event.total else {})
        elif isinstance(event, GraphChanged):
            for evidence in event.added:
                self._gather(EntityValue(evidence.triple.subject), evidence.subject_label)
                self._gather(evidence.triple.object, evidence.object_label)

    def _gather(self, value: Any, label: str) -> None:
        self.gathered |= keys_of(ResultItem(value, label))


def _ids(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        if is_id(value) and not re.fullmatch(r"P\d+", value):
            yield value
    elif isinstance(value, Mapping):
        # Relations may be IRIs like entities are; they are told apart by their argument's name.
        for name, part in value.items():
            if name not in ("property", "relation", "relations", "properties", "predicate"):
                yield from _ids(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _ids(part)


def stage_of(
    question: GoldQuestion, answer: Answer, f1: float, trail: Trail, source: KnowledgeSource
) -> str:
    """Name the stage at which an answer that is not fully right went wrong."""
    if answer.status.value in ("failed", "cancelled"):
        return "error"
    if not question.gold:
        return "overreach"
    if f1 > 0 or question.gold & trail.gathered:
        return "structure"
    try:
        return _looked_up(question, answer, trail, source)
    except RoboDataError:
        return "unclear"


def _looked_up(
    question: GoldQuestion, answer: Answer, trail: Trail, source: KnowledgeSource
) -> str:
    names = sorted(key for key in question.gold if not _LITERAL.fullmatch(key))[:_MOST_GOLD]
    known = _known(names, source)
    if names and not known and not any(_LITERAL.fullmatch(key) for key in question.gold):
        return "missing fact"
    touched = _worked_with(trail, source)
    linked = bool(question.topic) and _called(question.topic, touched, source)
    if (question.topic and not linked) or trail.in_vain or not touched:
        return "linking"
    if _adjacent(touched, known, question.gold, source):
        return "relation"
    if linked and question.hops == 1 and known:
        return "missing fact"
    return "relation" if linked and answer.results else "unclear"


def _worked_with(trail: Trail, source: KnowledgeSource) -> list[str]:
    """Return the entities of tool calls, and the best hits of searches: they were linked too."""
    ids = dict(trail.touched)
    for text in list(trail.searched)[:_MOST_TOUCHED]:
        ids.update({hit.id: None for hit in source.search(text, limit=1)})
    return list(ids)[:_MOST_TOUCHED]


def _known(names: Iterable[str], source: KnowledgeSource) -> set[str]:
    """Return the ids of those gold entries that the source knows."""
    found: set[str] = set()
    for name in names:
        if _SHORT.fullmatch(name):
            found |= set(source.entities([name.upper()]))
        else:
            hits = source.search(name, limit=5)
            found |= {hit.id for hit in hits if normalise_name(hit.label) == name}
    return found


def _called(topic: str, touched: Iterable[str], source: KnowledgeSource) -> bool:
    wanted = normalise_name(topic)
    entities = source.entities(list(touched))
    return any(
        id_.lower() == topic.lower() or wanted in map(normalise_name, (one.label, *one.aliases))
        for id_, one in entities.items()
    )


def _adjacent(
    touched: Iterable[str], known: set[str], gold: frozenset[str], source: KnowledgeSource
) -> bool:
    for id_ in touched:
        out = source.statements(id_, limit=_MOST_STATEMENTS)
        for statement in out.statements:
            value = statement.value
            if isinstance(value, EntityValue):
                if value.id in known:
                    return True
            elif keys_of(ResultItem(value)) & gold:
                return True
        into = source.statements(id_, direction=Direction.IN, limit=_MOST_STATEMENTS)
        if any(statement.subject in known for statement in into.statements):
            return True
    return False
