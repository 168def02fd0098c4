"""Toolboxes: which tools a state offers, and how a call is carried out.

``Toolbox.execute`` is the one door to tools. Behind it arguments are validated, errors become
sentences, results are bounded and their ids become known. Repeated calls, concurrency and events
are the orchestrator's business. A look-up that found nothing is written down, so that an answer can
point at it; which may say so is the tools' business, and what may rest on it that of ``answers``.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import ValidationError

from robodata_core._codec import plain
from robodata_core.errors import (
    CancelledError,
    ConfigurationError,
    DeadlineExceededError,
    RoboDataError,
    ToolArgumentError,
    UnknownToolError,
)
from robodata_core.model import Absence
from robodata_core.orchestrator.machine import State
from robodata_core.text import clean_text
from robodata_core.tools.arguments import RARE
from robodata_core.tools.base import Tool, ToolCall, ToolContext, ToolFamily, ToolOutput, ToolResult
from robodata_core.tools.extraction import (
    GetEntityByConstraint,
    GetEntityByType,
    GetHeadEntity,
    GetRelation,
    GetTailEntity,
)
from robodata_core.tools.formatting import MAX_TEXT, clip, list_some
from robodata_core.tools.local import CypherQuery, GetEdge, GetNode, SparqlQueryLocal
from robodata_core.tools.logic import Count, End, Intersect, Judge, Union
from robodata_core.tools.programs import RunProgram
from robodata_core.tools.remote import (
    BuildLocalGraph,
    ExploreEntityNeighbors,
    GetEntityInfo,
    GetPropertyInfo,
    SearchEntities,
    SparqlQuery,
)
from robodata_core.tools.semantic import DisambiguateEntity, RetrieveRelation
from robodata_core.tools.update import (
    FetchNode,
    FetchRelationshipFromNode,
    FetchRelationshipToNode,
    RemoveNode,
)

__all__ = ["ALL_TOOLS", "ToolSpec", "Toolbox", "toolboxes"]

_log = logging.getLogger("robodata.tools")

ALL_TOOLS: Final[tuple[Tool[Any], ...]] = (
    GetNode(),
    GetEdge(),
    SparqlQueryLocal(),
    CypherQuery(),
    SearchEntities(),
    GetEntityInfo(),
    GetPropertyInfo(),
    ExploreEntityNeighbors(),
    SparqlQuery(),
    BuildLocalGraph(),
    RunProgram(),
    FetchNode(),
    FetchRelationshipFromNode(),
    FetchRelationshipToNode(),
    RemoveNode(),
    GetRelation(),
    GetTailEntity(),
    GetHeadEntity(),
    GetEntityByType(),
    GetEntityByConstraint(),
    Count(),
    Intersect(),
    Union(),
    Judge(),
    End(),
    RetrieveRelation(),
    DisambiguateEntity(),
)

_FAMILIES: Final[Mapping[State, frozenset[ToolFamily]]] = {
    State.LOCAL_GRAPH_EXPLORATION: frozenset({ToolFamily.LOCAL}),
    State.REMOTE_GRAPH_EXPLORATION: frozenset(
        {ToolFamily.REMOTE, ToolFamily.EXTRACTION, ToolFamily.LOGIC, ToolFamily.SEMANTIC}
    ),
    State.LOCAL_GRAPH_UPDATE: frozenset({ToolFamily.UPDATE}),
}
_EXTRA: Final[Mapping[State, frozenset[str]]] = {
    State.LOCAL_GRAPH_UPDATE: frozenset({BuildLocalGraph.name, RunProgram.name})
}


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it.

    Attributes:
        name: Its name.
        description: What it does.
        parameters: JSON schema of its arguments.
        rare: Arguments that are seldom needed; results say when they are.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    rare: frozenset[str] = frozenset()


class Toolbox:
    """Some tools, and the way to call them. Immutable, so one may serve many runs.

    Args:
        tools: What is in it, in the order it is shown.
        clock: Seconds, to measure calls with.
    """

    def __init__(
        self, tools: Iterable[Tool[Any]], *, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._clock = clock

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in order."""
        return tuple(self._tools)

    def __iter__(self) -> Iterator[Tool[Any]]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def get(self, name: str) -> Tool[Any]:
        """Return a tool by name.

        Raises:
            UnknownToolError: If it is not in this box.
        """
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            there = ", ".join(self._tools) if self._tools else "none in this state"
            hint = f"Tools: {there}.{_elsewhere(name)}"
            raise UnknownToolError(f"There is no tool {clip(str(name))} here.", hint=hint)
        return tool

    def specs(self, *, told: bool = False) -> tuple[ToolSpec, ...]:
        """Return names, descriptions and JSON schemas of all tools, or of those models are told."""
        return tuple(
            ToolSpec(tool.name, tool.description, _schema(tool), _rare(tool))
            for tool in self._tools.values()
            if tool.told or not told
        )

    def execute(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Carry out a call; what goes wrong becomes a result that says so.

        Raises:
            CancelledError: If the run was cancelled.
            DeadlineExceededError: If its time is over.
        """
        started = self._clock()
        try:
            context.cancel.check()
            tool = self.get(call.tool)
            output = tool.run(_validated(tool, call.arguments), context)
            if context.notes:
                output = replace(output, text="\n".join((output.text, *context.notes)))
            output = _bounded(output)
            if output.absence:
                output = note_absence(call, output, context)
        except (CancelledError, DeadlineExceededError):
            raise
        except RoboDataError as error:
            return self._failed(call, str(error), started)
        except Exception:
            _log.exception("Tool %s failed unexpectedly", clip(str(call.tool)))
            sentence = f"{clip(str(call.tool))} failed with an internal error; try another way."
            return self._failed(call, sentence, started)
        context.known.add(output.ids)
        seconds = self._clock() - started
        return ToolResult(call, output, repeated=output.recalled, seconds=seconds)

    def _failed(self, call: ToolCall, sentence: str, started: float) -> ToolResult:
        text = clean_text(sentence, limit=MAX_TEXT // 4, multiline=True)
        return ToolResult(call, ToolOutput(text), ok=False, seconds=self._clock() - started)


def toolboxes(more: Iterable[Tool[Any]] = ()) -> Mapping[State, Toolbox]:
    """Return the tools of every state; evaluation states and PRODUCE_ANSWER have none.

    Args:
        more: Tools of somebody's own beside ``ALL_TOOLS``; each is offered where its family is.

    Raises:
        ConfigurationError: If two tools have one name.
    """
    own = tuple(more)
    if not own:
        return _TOOLBOXES
    names = [tool.name for tool in (*ALL_TOOLS, *own)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigurationError(f"Two tools are called {twice}.", hint="Give yours another name.")
    return {state: _toolbox(state, (*ALL_TOOLS, *own)) for state in State}


def _toolbox(state: State, tools: Iterable[Tool[Any]]) -> Toolbox:
    families = _FAMILIES.get(state, frozenset())
    extra = _EXTRA.get(state, frozenset())
    return Toolbox(tool for tool in tools if tool.family in families or tool.name in extra)


def _elsewhere(name: object) -> str:
    states = [state.value for state, box in _TOOLBOXES.items() if name in box]
    return f" It is offered in {' and '.join(states)}." if states else ""


_TOOLBOXES: Final[Mapping[State, Toolbox]] = {state: _toolbox(state, ALL_TOOLS) for state in State}


def _bounded(output: ToolOutput) -> ToolOutput:
    text = clean_text(output.text, limit=MAX_TEXT, multiline=True)
    if text == output.text:
        return output
    return replace(output, text=text)


def _validated(tool: Tool[Any], arguments: object) -> Any:
    if not isinstance(arguments, Mapping):
        raise ToolArgumentError(f"The arguments of {tool.name} must be an object.")
    try:
        return tool.arguments.model_validate(dict(arguments))
    except ValidationError as error:
        raise ToolArgumentError(_sentence(tool, error), hint=_accepted(tool)) from None


def _sentence(tool: Tool[Any], error: ValidationError) -> str:
    """Name the fields that do not fit and what is allowed, in one readable sentence."""
    problems = []
    for item in error.errors(include_url=False, include_context=False):
        problems.append(f"{_place(item['loc'])} {_problem(item['type'], item['msg'])}")
    shown = list_some([*dict.fromkeys(problems)], 4)
    return f"{tool.name} cannot be called like this: {shown}."


def _place(path: tuple[int | str, ...]) -> str:
    """Return the argument and the number of its item; what pydantic calls its branches is ours."""
    if not path:
        return "arguments"
    items = "".join(f"[{part}]" for part in path[1:] if isinstance(part, int))
    return clip(str(path[0]), 40) + items


def _problem(kind: str, message: str) -> str:
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return "is not an argument of this tool"
    text = clip(message.removeprefix("Value error, "), 160)
    for opening, ours in (("Input should be", "should be"), ("String should", "should")):
        if text.startswith(opening):
            return ours + text[len(opening) :]
    if text.startswith(("List should", "must")):
        return text.removeprefix("List ")
    return f"is not valid: {text[:1].lower()}{text[1:]}"


def _accepted(tool: Tool[Any]) -> str:
    fields = tool.arguments.model_fields
    names = [
        name if field.is_required() else f"{name} (optional)" for name, field in fields.items()
    ]
    return f"Arguments: {', '.join(names)}." if names else "It takes no arguments."


def _rare(tool: Tool[Any]) -> frozenset[str]:
    return frozenset(
        name for name, field in tool.arguments.model_fields.items() if RARE in field.metadata
    )


def _schema(tool: Tool[Any]) -> Mapping[str, Any]:
    schema = tool.arguments.model_json_schema()
    properties = {name: _plain(field) for name, field in schema["properties"].items()}
    return {
        "type": "object",
        "properties": properties,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _plain(field: Mapping[str, Any]) -> dict[str, Any]:
    """Write a field short: no title, and "may be left out" in place of "or null"."""
    kept = {key: value for key, value in field.items() if key != "title"}
    choices = [choice for choice in kept.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        del kept["anyOf"]
        kept = {**choices[0], **kept}
    elif choices:
        kept["anyOf"] = choices
    if kept.get("default", ...) is None:
        del kept["default"]
    return kept


def note_absence(call: ToolCall, output: ToolOutput, context: ToolContext) -> ToolOutput:
    """Remember what ``output`` says is not there; return it with the handle in its text.

    The handle takes the number of the call, so it does not depend on which call ends first.
    """
    number = "".join(filter(str.isdigit, context.call_id)) or str(len(context.absences) + 1)
    handle = f"N{number}"
    arguments = plain(call.arguments)
    context.absences[handle] = Absence(
        handle=handle,
        text=clip(output.absence, 600),
        source=context.source.name,
        tool=call.tool,
        arguments=arguments if isinstance(arguments, dict) else {},
        retrieved=context.now,
        run_id=context.run_id,
        call_id=context.call_id,
    )
    return replace(output, text=f"{output.text}\nThis look-up can be cited as {handle}.")
