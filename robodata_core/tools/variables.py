"""KG-Agent's knowledge memory: named results of extraction and logic steps.

A name is written once, as in a reasoning program, so a call on ``$x`` means the same whenever it
is made and may be answered from memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from robodata_core.errors import ToolArgumentError
from robodata_core.model import EntityValue, Value
from robodata_core.tools.formatting import list_some
from robodata_core.tools.guard import known_among

if TYPE_CHECKING:
    from robodata_core.tools.base import ToolContext

__all__ = [
    "MAX_FETCHED",
    "MAX_NODES",
    "Nodes",
    "Variable",
    "entities_of",
    "free_name",
    "keep",
    "look_up",
    "plain_ids",
    "resolve",
]

#: Most entities that one call brings facts of into the local graph.
MAX_FETCHED: Final = 1_000

#: Most nodes a tool works on; what is cut is said to be cut.
MAX_NODES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Variable:
    """A named result.

    Attributes:
        name: With its dollar sign.
        values: The nodes, each once, in a stable order.
        number: The result of ``count``, else None.
        boolean: The result of ``judge``, else None.
        truncated: Whether the nodes were cut at the cap, here or in a step before.
    """

    name: str
    values: tuple[Value, ...] = ()
    number: int | None = None
    boolean: bool | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Nodes:
    """What references resolve to; ``truncated`` if a variable among them was cut."""

    values: tuple[Value, ...]
    truncated: bool = False

    @property
    def entity_ids(self) -> tuple[str, ...]:
        """The ids of those nodes that are entities."""
        return tuple(value.id for value in self.values if isinstance(value, EntityValue))


def look_up(name: str, context: ToolContext) -> Variable:
    """Return a variable.

    Raises:
        ToolArgumentError: If nothing of that name was stored.
    """
    variable = context.variables.get(name)
    if isinstance(variable, Variable):
        return variable
    names = sorted(key for key, kept in context.variables.items() if isinstance(kept, Variable))
    hint = f"There are: {list_some(names, 20)}." if names else "None has been stored so far."
    raise ToolArgumentError(f"There is no variable {name}.", hint=hint)


def resolve(references: Sequence[str], context: ToolContext) -> Nodes:
    """Return the nodes that ids and variables stand for, each once.

    Raises:
        ToolArgumentError: If a variable does not exist or holds no nodes.
        UnknownIdError: If an id was never shown.
    """
    known = set(known_among([ref for ref in references if not ref.startswith("$")], context))
    references = [ref for ref in references if ref.startswith("$") or ref in known]
    values: dict[Value, None] = {}
    truncated = False
    for reference in references:
        if reference.startswith("$"):
            variable = look_up(reference, context)
            if variable.number is not None or variable.boolean is not None:
                raise ToolArgumentError(f"{reference} is not a set of nodes.")
            values.update(dict.fromkeys(variable.values))
            truncated = truncated or variable.truncated
        else:
            values[EntityValue(reference)] = None
    return Nodes(tuple(values)[:MAX_NODES], truncated or len(values) > MAX_NODES)


def plain_ids(*references: Sequence[str] | None) -> list[str]:
    """Return the ids among references, without the variables."""
    return [ref for refs in references for ref in refs or () if not ref.startswith("$")]


def entities_of(references: Sequence[str], context: ToolContext) -> list[str]:
    """Return the ids of the entities that ids and variables stand for, for fetching.

    Raises:
        ToolArgumentError: If there is none, or more than one call fetches.
        UnknownIdError: If an id was never shown.
    """
    ids = resolve(references, context).entity_ids
    names = list_some([ref for ref in references if ref.startswith("$")] or list(references))
    if not ids:
        raise ToolArgumentError(f"There are no entities in {names}.")
    if len(ids) > MAX_FETCHED:
        raise ToolArgumentError(
            f"{names} holds {len(ids):,} entities; one call fetches at most {MAX_FETCHED:,}.",
            hint="Narrow the set first, for example with get_entity_by_type or intersect.",
        )
    return list(ids)


def free_name(wanted: str | None, context: ToolContext) -> str:
    """Return the name a result will be stored under; ``$`` and the call's id by default."""
    if wanted:
        return wanted
    return f"${context.call_id or f'v{len(context.variables) + 1}'}"


def keep(variable: Variable, context: ToolContext) -> None:
    """Store a result.

    Raises:
        ToolArgumentError: If the name is taken by another result.
    """
    there = context.variables.setdefault(variable.name, variable)
    if there != variable:
        raise ToolArgumentError(
            f"{variable.name} already holds another result.", hint="Choose a new name."
        )
