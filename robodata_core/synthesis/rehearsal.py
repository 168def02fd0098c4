"""Programs carried out with the agent's own tools, one call after the other.

Each step of a program becomes the calls an agent would make: it looks which relations there are,
follows one, keeps what it needs, ends. The calls are really made, on the source, by the tools that
serve every run; so what an example shows as seen was seen, and a program whose last call does not
give the program's answer is not used.

Source: KG-Agent paper, sections 4.2.1 ("Reasoning Program Generation") and 4.2.2.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Final, TypeGuard

from robodata_core.cancellation import CancelToken
from robodata_core.errors import ProgramError
from robodata_core.model import (
    Direction,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.programs.keys import key_of
from robodata_core.programs.steps import (
    Count,
    Difference,
    End,
    Extreme,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.store.graph import LocalGraph
from robodata_core.tools.base import ToolCall, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.known_ids import KnownIds
from robodata_core.tools.labels import LabelCache
from robodata_core.tools.registry import ALL_TOOLS, Toolbox
from robodata_core.tools.variables import Variable
from robodata_core.values import iso_time

__all__ = ["TOOLS", "Made", "Rehearsal", "same_answer"]

_FAMILIES: Final = (ToolFamily.EXTRACTION, ToolFamily.LOGIC)
#: The toolbox of instruction data: KG-Agent's extraction and logic tools.
TOOLS: Final = Toolbox(tool for tool in ALL_TOOLS if tool.family in _FAMILIES)

_MAX_PAGES: Final = 5
#: Of the errors made on purpose, so many are guessed relations; the others unknown variables.
_GUESSES: Final = 0.7
_TIME: Final = datetime(2000, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made, and what an agent had before it.

    Attributes:
        call: The call.
        relations: The relations last listed and not used yet; empty if there are none.
        seen: What the calls before gave, oldest first, each in its own words.
        history: The calls before, oldest first.
    """

    call: ToolCall
    relations: str
    seen: tuple[str, ...]
    history: tuple[ToolCall, ...]


class Rehearsal:
    """Carries out programs with tools. For one thread.

    Args:
        source: What the tools look into.
        labels: Labels, kept from program to program.
    """

    def __init__(self, source: KnowledgeSource, labels: LabelCache | None = None) -> None:
        self._source = source
        self._labels = labels or LabelCache()
        # No tool of the box writes; a local graph belongs to every context all the same.
        self._store = LocalGraph.in_memory()

    def close(self) -> None:
        """Release the local graph."""
        self._store.close()

    def carry_out(
        self, program: Program, question: str, slips: random.Random | None = None
    ) -> tuple[tuple[Made, ...], Variable]:
        """Make the calls of ``program``.

        Args:
            program: A well-formed program.
            question: What the tools are told to be about.
            slips: Where given, a call that must fail comes first, of the kind it draws: what is
                done after an error is an example, the error is none.

        Returns:
            The calls, each with what was known before it, and what the last one ended with.

        Raises:
            ProgramError: If no tool does one of the steps, or a call failed.
        """
        return self._run(program, question).all(slips)

    def look_in_vain(self, program: Program, question: str) -> tuple[tuple[Made, ...], Variable]:
        """Make the calls of an agent that looks for the first relation of a program, not there.

        Raises:
            ProgramError: If the relation is there, or the program does not begin with one.
        """
        return self._run(program, question).in_vain()

    def _run(self, program: Program, question: str) -> _Run:
        return _Run(program, question, self._source, self._store, self._labels)


class _Run:
    def __init__(
        self,
        program: Program,
        question: str,
        source: KnowledgeSource,
        store: LocalGraph,
        labels: LabelCache,
    ) -> None:
        self._program = program
        self._question = question
        self._source, self._store = source, store
        self._labels = labels
        self._known = KnownIds()
        self._known.add(program.mentioned)
        self._variables: dict[str, Any] = {}
        self._references: dict[str, list[str]] = {}
        self._made: list[Made] = []
        self._calls_made: list[ToolCall] = []
        self._seen: list[str] = []
        self._relations = ""
        self._shown = 0

    def all(self, slips: random.Random | None = None) -> tuple[tuple[Made, ...], Variable]:
        """Make the calls of all steps; return them and the variable of the result."""
        if self._program.exclude_start:
            raise ProgramError("No tool leaves out what a program started from.")
        output = ToolOutput("")
        for step in self._program.steps:
            if isinstance(step, Start):
                self._references[step.out] = _start(step)
                continue
            for name, arguments in self._calls(step):
                if slips is not None and name != "get_relation":
                    self._slip(name, arguments, slips)
                    slips = None
                output = self._call(name, arguments)
            if not isinstance(step, End):
                self._references[step.out] = [_variable(step.out)]
        if not isinstance(output.data, Variable):
            raise ProgramError("The last call ended with nothing.")
        return tuple(self._made), output.data

    def in_vain(self) -> tuple[tuple[Made, ...], Variable]:
        """Look for the first relation among all that are there, in vain; return as ``all`` does."""
        start, follow = self._program.steps[:2]
        if not isinstance(start, Start) or not isinstance(follow, Follow):
            raise ProgramError("It does not begin with a relation of something.")
        direction = "out" if follow.direction is Direction.OUT else "in"
        offset = 0
        for _ in range(_MAX_PAGES):
            arguments: dict[str, Any] = {"entities": _start(start), "direction": direction}
            output = self._call("get_relation", arguments | ({"offset": offset} if offset else {}))
            if any(f"({name})" in self._relations for name in follow.properties):
                raise ProgramError("The relation is there.")
            offset += self._shown
            if not self._shown or offset >= (output.total or 0):
                break
        else:
            raise ProgramError("There are too many relations to say that one is missing.")
        end = self._call("end", {"result": []})
        assert isinstance(end.data, Variable)
        return tuple(self._made), end.data

    def _slip(self, name: str, arguments: Mapping[str, Any], slips: random.Random) -> None:
        """Make a call that fails: of a relation or a variable that nothing has shown."""
        wrong = dict(arguments)
        guessed = f"P{slips.randrange(1, 2_000)}"
        keys = [key for key in ("relation", "property") if key in wrong]
        if keys and slips.random() < _GUESSES and f"({guessed})" not in self._relations:
            wrong[keys[0]] = guessed
        else:
            key = next((key for key in ("entities", "sets", "result") if key in wrong), "")
            wrong[key] = [["$found"]] if key == "sets" else ["$found"]
        call = ToolCall(name, wrong, f"k{len(self._calls_made) + 1}")
        result = TOOLS.execute(call, self._context(call.id))
        if not result.ok:
            self._calls_made.append(call)
            self._seen.append(result.output.text)

    def _calls(self, step: Step) -> Iterator[tuple[str, dict[str, Any]]]:
        if isinstance(step, Follow):
            yield from self._follow(step)
        elif isinstance(step, (FilterByType, FilterByConstraint, Extreme)):
            yield from self._filter(step)
        elif isinstance(step, (Intersect, Union)):
            name = "intersect" if isinstance(step, Intersect) else "union"
            sets = [self._references[source] for source in step.sources]
            yield name, {"sets": sets, "into": _variable(step.out)}
        elif isinstance(step, Count):
            given = self._references[step.source]
            yield "count", {"entities": given, "into": _variable(step.out)}
        elif isinstance(step, Judge):
            yield "judge", self._judge(step)
        elif isinstance(step, End):
            yield "end", {"result": self._references[step.source]}
        elif isinstance(step, Difference):
            raise ProgramError("No tool takes one set away from another.")

    def _follow(self, step: Follow) -> Iterator[tuple[str, dict[str, Any]]]:
        given = self._references[step.source]
        if len(step.properties) != 1:
            raise ProgramError("A call follows one relation here.")
        outward = step.direction is Direction.OUT
        yield from self._look(given, "out" if outward else "in", step.properties[0])
        arguments = {"entities": given, "relation": step.properties[0]}
        name = "get_tail_entity" if outward else "get_head_entity"
        yield name, {**arguments, "into": _variable(step.out)}

    def _filter(
        self, step: FilterByType | FilterByConstraint | Extreme
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        if not step.source:
            raise ProgramError("No call starts a set from a condition alone.")
        given = self._references[step.source]
        into = _variable(step.out)
        if isinstance(step, FilterByType):
            arguments: dict[str, Any] = {"types": list(step.type_ids), "entities": given}
            if step.via != ("P31",):
                arguments["via"] = list(step.via)
            yield "get_entity_by_type", {**arguments, "into": into}
            return
        yield from self._look(given, "out", step.property)
        arguments = {"entities": given, "property": step.property}
        if isinstance(step, Extreme):
            arguments["comparison"] = "max" if step.largest else "min"
        else:
            arguments["comparison"] = step.comparison.value
            arguments |= _literal(step.value)
        yield "get_entity_by_constraint", {**arguments, "into": into}

    def _look(
        self, given: list[str], direction: str, property_: str
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """List relations, page by page, until the one that is needed was shown."""
        offset = 0
        for _ in range(_MAX_PAGES):
            arguments: dict[str, Any] = {"entities": given, "direction": direction}
            yield "get_relation", arguments | ({"offset": offset} if offset else {})
            if f"({property_})" in self._relations:
                return
            offset += self._shown
            if not self._shown:
                break
        raise ProgramError("The relation stands too far down the list of relations.")

    def _judge(self, step: Judge) -> dict[str, Any]:
        arguments: dict[str, Any] = {"entities": self._references[step.source]}
        if step.kind is JudgeKind.CONTAINS:
            if not _is_entity(step.value):
                raise ProgramError("A call looks for entities in a set, not for values.")
            arguments["contains"] = [step.value.id]
        return {**arguments, "into": _variable(step.out)}

    def _call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutput:
        call = ToolCall(name, arguments, f"k{len(self._calls_made) + 1}")
        history = tuple(self._calls_made)
        self._calls_made.append(call)
        self._made.append(Made(call, self._relations, tuple(self._seen), history))
        result = TOOLS.execute(call, self._context(call.id))
        output = result.output
        if not result.ok:
            raise ProgramError(f"A call failed: {output.text}")
        self._relations = output.text if name == "get_relation" else ""
        self._shown = (output.shown or 0) if name == "get_relation" else 0
        if name != "get_relation":
            self._seen.append(output.text)
        return output

    def _context(self, call_id: str) -> ToolContext:
        return ToolContext(
            source=self._source,
            store=self._store,
            known=self._known,
            variables=self._variables,
            question=self._question,
            run_id="synthesis",
            call_id=call_id,
            now=_TIME,
            language="en",
            cancel=CancelToken(),
            labels=self._labels,
        )


def same_answer(
    variable: Variable, values: Sequence[Value], number: int | None, boolean: bool | None
) -> bool:
    """Tell whether a variable holds the answer, in whatever order."""
    if variable.truncated or variable.number != number or variable.boolean != boolean:
        return False
    return {key_of(one) for one in variable.values} == {key_of(one) for one in values}


def _start(step: Start) -> list[str]:
    if not all(map(_is_entity, step.values)):
        raise ProgramError("A call starts from entities, not from values.")
    return [value.id for value in step.values if isinstance(value, EntityValue)]


def _variable(name: str) -> str:
    return f"${name}"


def _is_entity(value: Value | None) -> TypeGuard[EntityValue]:
    return isinstance(value, EntityValue)


def _literal(value: Value) -> dict[str, Any]:
    if isinstance(value, EntityValue):
        return {"value": value.id}
    if isinstance(value, TimeValue):
        return {"value": iso_time(value)}
    if isinstance(value, QuantityValue):
        return {"value": str(value.amount)} | ({"unit": value.unit} if value.unit else {})
    if isinstance(value, (StringValue, MonolingualTextValue, ExternalIdValue)):
        return {"value": value.text}
    raise ProgramError(f"A call cannot be given a {type(value).__name__}.")
