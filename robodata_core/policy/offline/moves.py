"""The tool calls of a plan: what the machine does, state by state, so that a run can be watched.

Exploration repeats the winning programs with the agent's own tools, one step a round, each step
only when the ids it uses have been shown (know before use). How the statements that the answer
rests on are fetched is in ``fetching``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from robodata_core.model import (
    Direction,
    EntityValue,
    QuantityValue,
    TimeValue,
    Value,
)
from robodata_core.policy.offline.parts import Part
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.steps import (
    Aggregate,
    Closure,
    Coarsen,
    Count,
    Difference,
    Elapsed,
    End,
    Extreme,
    ExtremeCount,
    ExtremeSpan,
    FilterByConstraint,
    FilterByCount,
    FilterBySame,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.tools.base import ToolCall
from robodata_core.values import format_value, iso_time

__all__ = [
    "Exploration",
    "neighbour_calls",
    "search_calls",
]

_MAX_SEARCHES: Final = 8
_MAX_REFERENCES: Final = 100
_NEIGHBOURS: Final = 100
#: Steps that are reckoned from what other calls have shown.
_RECKONED: Final = (
    Aggregate, Coarsen, Difference, Elapsed, ExtremeCount, ExtremeSpan, FilterByCount, FilterBySame,
)  # fmt: skip


def search_calls(parts: Iterable[Part]) -> tuple[ToolCall, ...]:
    """Return one search for every name the question mentions."""
    texts: dict[str, None] = {}
    for part in parts:
        for mention in part.linking.mentions:
            if mention.entities and any(char.isalnum() for char in mention.text):
                texts[_searched(mention.text, mention.entities[0].label)] = None
        for name in part.linking.unlinked:
            texts[name] = None
    return tuple(
        ToolCall("search_entities", {"text": text[:200]}) for text in list(texts)[:_MAX_SEARCHES]
    )


def _spelt(step: Step) -> tuple[Step, ...]:
    """Return steps that tools can take in the place of one that goes any number of times."""
    if not isinstance(step, Closure):
        return (step,)
    once, twice = f"{step.out}a", f"{step.out}b"
    return (
        Follow(once, step.source, step.properties, step.direction),
        Follow(twice, once, step.properties, step.direction),
        Union(step.out, (step.source, once, twice)),
    )


def _searched(text: str, label: str) -> str:
    """Return what to search for: the words as written where the label holds them, else it."""
    return text if text.casefold().strip(" ?!.,") in label.casefold() else label


class Exploration:
    """The steps of one part's program as tool calls; ``next`` gives what can be done now.

    Args:
        number: Distinguishes the variables of several parts.
        part: The part to explore.
        label: Gives the label of an entity, to search for it by name.
        property_label: Gives the label of a property.
    """

    def __init__(
        self, number: int, part: Part, label: Mapping[str, str], property_label: Mapping[str, str]
    ) -> None:
        self._prefix = f"$p{number}_"
        self._label = label
        self._property_label = property_label
        program = part.program
        self._steps: list[Step] = (
            [one for step in program.steps[:-1] for one in _spelt(step)] if program else []
        )
        self._done: list[Step] = []
        self._references: dict[str, list[str]] = {}
        self._asked: set[str] = set()
        self._related: set[str] = set()

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return not self._steps

    def next(self, known: frozenset[str]) -> tuple[ToolCall, ...]:
        """Return the next calls, or nothing when all is done or cannot be gone on with.

        Args:
            known: Ids that results have shown so far.
        """
        calls: list[ToolCall] = []
        while self._steps and not calls:
            step = self._steps[0]
            if getattr(step, "source", "") and not self._references.get(
                getattr(step, "source", "")
            ):
                self._steps.clear()
                return ()
            calls = self._discover(step, known)
            if calls:
                break
            if self._missing(step, known):
                self._steps.clear()
                return ()
            self._steps.pop(0)
            calls = self._carry_out(step)
            self._done.append(step)
        return tuple(calls)

    # -- ids first ----------------------------------------------------------------------------

    def _missing(self, step: Step, known: frozenset[str]) -> bool:
        return any(id_ not in known for id_ in (*step.mentioned[:_MAX_REFERENCES], *step.relations))

    def _discover(self, step: Step, known: frozenset[str]) -> list[ToolCall]:
        """Return the calls that show ids a step needs, each asked for once."""
        calls = []
        for id_ in step.mentioned[:_MAX_SEARCHES]:
            if id_ not in known and id_ not in self._asked:
                self._asked.add(id_)
                name = self._label.get(id_, id_)
                calls.append(ToolCall("search_entities", {"text": name[:200] or id_}))
        unknown = [name for name in step.relations if name not in known]
        source = _source(step)
        around = self._references.get(source, [])
        if unknown and around and source not in self._related:
            self._related.add(source)
            calls.append(ToolCall("get_relation", {"entities": around[:_MAX_REFERENCES]}))
        elif unknown:
            for name in unknown:
                if name not in self._asked:
                    self._asked.add(name)
                    text = self._property_label.get(name, name)
                    call = {"text": text[:200], "kind": "property", "limit": 10}
                    calls.append(ToolCall("search_entities", call))
        return calls

    # -- then the step ------------------------------------------------------------------------

    def _carry_out(self, step: Step) -> list[ToolCall]:
        if isinstance(step, Start):
            ids = [v.id for v in step.values if isinstance(v, EntityValue)]
            self._references[step.out] = ids[:_MAX_REFERENCES]
            return []
        if isinstance(step, (ExtremeCount, FilterByCount, FilterBySame)) and not step.source:
            return self._asked_for(step)
        if isinstance(step, _RECKONED):
            self._references[step.out] = self._references.get(step.source, [])
            return []
        name, arguments = self._call(step)
        if not name:
            return []
        variable = self._prefix + getattr(step, "out", "")
        if name == "sparql_query":
            return [ToolCall(name, arguments)]
        arguments["into"] = variable
        self._references[getattr(step, "out", "")] = [variable]
        return [ToolCall(name, arguments)]

    def _asked_for(self, step: ExtremeCount | FilterByCount | FilterBySame) -> list[ToolCall]:
        """Return the query for a step that looks at all there is, with the steps before it."""
        among = "" if isinstance(step, FilterBySame) else step.among
        self._references[step.out] = self._references.get(among, [])
        done = self._done if among else ()
        query = compile_sparql(Program((*done, step, End(step.out))))
        return [ToolCall("sparql_query", {"query": query})]

    def _call(self, step: Step) -> tuple[str, dict[str, Any]]:
        """Return the tool and arguments that do what a step does; no tool where none does."""
        at = self._references.get(_source(step), [])
        if isinstance(step, Follow):
            return self._follow(step, at)
        if isinstance(step, (FilterByType, FilterByConstraint)):
            return _filter(step, at)
        if isinstance(step, Extreme):
            which = "max" if step.largest else "min"
            arguments = {"entities": at, "property": step.property, "comparison": which}
            return "get_entity_by_constraint", arguments
        if isinstance(step, (Union, Intersect)):
            sets = [self._references.get(name, []) for name in step.sources]
            return "union" if isinstance(step, Union) else "intersect", {"sets": sets}
        if isinstance(step, Count) and not step.minus:
            return "count", {"entities": at}
        if isinstance(step, Judge) and isinstance(step.value, EntityValue):
            return "judge", {"entities": at, "contains": [step.value.id]}
        return ("judge", {"entities": at}) if isinstance(step, Judge) else ("", {})

    def _follow(self, step: Follow, at: list[str]) -> tuple[str, dict[str, Any]]:
        if not step.properties:
            self._references[step.out] = at  # looked at as a neighbourhood
            return "", {}
        outward = step.direction is Direction.OUT
        name = "get_tail_entity" if outward else "get_head_entity"
        return name, {"entities": at, "relation": list(step.properties)}


def _source(step: Step) -> str:
    return str(getattr(step, "source", ""))


def _filter(step: FilterByType | FilterByConstraint, at: list[str]) -> tuple[str, dict[str, Any]]:
    if isinstance(step, FilterByType):
        arguments: dict[str, Any] = {"types": list(step.type_ids), "via": list(step.via)}
        if step.source:
            arguments["entities"] = at
        return "get_entity_by_type", arguments
    if not step.source:
        return "sparql_query", {"query": compile_sparql(Program((step, End(step.out))))}
    arguments = {
        "entities": at,
        "property": step.property,
        "comparison": step.comparison.value,
        "value": _written(step.value),
    }
    if isinstance(step.value, QuantityValue) and step.value.unit:
        arguments["unit"] = step.value.unit
    return "get_entity_by_constraint", arguments


def _written(value: Value) -> str:
    """Return a value as tools read it: ids, ISO dates, plain numbers."""
    if isinstance(value, EntityValue):
        return value.id
    if isinstance(value, TimeValue):
        return iso_time(value)
    if isinstance(value, QuantityValue):
        return f"{value.amount:f}"
    return format_value(value)


def neighbour_calls(part: Part) -> tuple[ToolCall, ...]:
    """Return a look at the neighbourhood where a program follows any relation."""
    program = part.program
    if program is None or not any(
        isinstance(step, Follow) and not step.properties for step in program.steps
    ):
        return ()
    starts = [
        value.id
        for step in program.steps
        if isinstance(step, Start)
        for value in step.values
        if isinstance(value, EntityValue)
    ]
    return tuple(
        ToolCall(
            "explore_entity_neighbors",
            {"entity": id_, "direction": "out", "limit": _NEIGHBOURS},
        )
        for id_ in starts[:3]
    )
