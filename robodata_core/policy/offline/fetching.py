"""The tool calls that show the ids of statements and bring the statements into the local graph.

No call names an id that no result has shown; where one was never shown, all of that side is
fetched instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from robodata_core.model import EntityValue, Statement
from robodata_core.tools.base import ToolCall

__all__ = ["fetch_calls", "hurried_calls", "reveal_calls"]

_MAX_CALLS: Final = 8
_MAX_REFERENCES: Final = 100
_MAX_FETCHES: Final = 24
_MAX_IDS: Final = 400


def reveal_calls(
    statements: Sequence[Statement], known: frozenset[str], label: Callable[[str], str]
) -> tuple[ToolCall, ...]:
    """Return calls that show ids which the evidence needs and no step has shown yet."""
    subjects: dict[str, dict[str, None]] = defaultdict(dict)
    values: dict[str, dict[str, None]] = defaultdict(dict)
    for statement in statements:
        value, entity = statement.value, isinstance(statement.value, EntityValue)
        hidden = isinstance(value, EntityValue) and value.id not in known
        if hidden or statement.property not in known:
            subjects[statement.property][statement.subject] = None
        elif entity and statement.subject not in known:
            assert isinstance(value, EntityValue)
            values[statement.property][value.id] = None
    calls = []
    for property_, ids in values.items():
        at = list(ids)[:_MAX_REFERENCES]
        calls.append(ToolCall("get_head_entity", {"entities": at, "relation": [property_]}))
    for property_, ids in subjects.items():
        at = [id_ for id_ in ids if id_ in known][:_MAX_REFERENCES]
        if at and property_ in known:
            calls.append(ToolCall("get_tail_entity", {"entities": at, "relation": [property_]}))
        elif at:
            calls.append(ToolCall("get_relation", {"entities": at}))
    unseen = dict.fromkeys(s.subject for s in statements if s.subject not in known)
    calls += [ToolCall("search_entities", {"text": label(id_)[:200]}) for id_ in unseen]
    return tuple(calls[:_MAX_CALLS])


def fetch_calls(statements: Sequence[Statement], known: frozenset[str]) -> tuple[ToolCall, ...]:
    """Return calls that bring the statements into the local graph.

    Statements of one property are fetched together: by subject where they share it, else by
    value, else all at once. Where an end was never shown it is not named: all of that side is
    fetched instead.
    """
    by_property: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        by_property[statement.property].append(statement)
    calls: list[ToolCall] = []
    for property_, group in by_property.items():
        calls += [_named(call, known) for call in _fetches(property_, group)]
    return tuple(calls[:_MAX_FETCHES])


def hurried_calls(statements: Sequence[Statement]) -> tuple[ToolCall, ...]:
    """Return calls that bring the statements from the exploration state, a relation each.

    Other values of the same relations come along.
    """
    subjects: dict[str, dict[str, None]] = defaultdict(dict)
    for statement in statements:
        subjects[statement.property][statement.subject] = None
    return tuple(
        ToolCall(
            "build_local_graph",
            {"nodes": list(ids)[:_MAX_IDS], "relations": [name], "direction": "out"},
        )
        for name, ids in list(subjects.items())[:_MAX_CALLS]
    )


def _named(call: ToolCall, known: frozenset[str]) -> ToolCall:
    """Leave out the optional ids of a call if some of them were never shown."""
    arguments = dict(call.arguments)
    for name in ("values", "subjects"):
        if any(id_ not in known for id_ in arguments.get(name, ())):
            del arguments[name]
    return ToolCall(call.tool, arguments)


def _fetches(property_: str, group: Sequence[Statement]) -> list[ToolCall]:
    entities = [s for s in group if isinstance(s.value, EntityValue)]
    literal = list(dict.fromkeys(s.subject for s in group if not isinstance(s.value, EntityValue)))
    calls = [
        ToolCall("fetch_relationship_from_node", {"nodes": part, "property": property_})
        for part in _chunks(literal)
    ]
    subjects: dict[str, list[str]] = defaultdict(list)
    values: dict[str, list[str]] = defaultdict(list)
    for statement in entities:
        assert isinstance(statement.value, EntityValue)
        subjects[statement.subject].append(statement.value.id)
        values[statement.value.id].append(statement.subject)
    if not entities:
        return calls
    if len(subjects) <= min(len(values), 6):
        return calls + [
            ToolCall(
                "fetch_relationship_from_node",
                {"nodes": [subject], "property": property_, "values": part},
            )
            for subject, ids in subjects.items()
            for part in _chunks(ids)
        ]
    if len(values) <= 6:
        return calls + [
            ToolCall(
                "fetch_relationship_to_node",
                {"nodes": [value], "property": property_, "subjects": part},
            )
            for value, ids in values.items()
            for part in _chunks(ids)
        ]
    kept = list(values)[:_MAX_IDS]
    return calls + [
        ToolCall(
            "fetch_relationship_from_node",
            {"nodes": part, "property": property_, "values": kept},
        )
        for part in _chunks(list(subjects))
    ]


def _chunks(ids: Sequence[str]) -> list[list[str]]:
    unique = list(dict.fromkeys(ids))
    return [unique[i : i + _MAX_IDS] for i in range(0, len(unique), _MAX_IDS)]
