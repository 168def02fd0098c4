"""Walking a source breadth first, for the subgraph around some nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from robodata_core.model import Direction, EntityValue, Statement
from robodata_core.programs.steps import FilterByType
from robodata_core.tools._steps import run_steps, start

if TYPE_CHECKING:
    from robodata_core.tools.base import ToolContext


class Walk:
    """A breadth-first walk that stops at a number of statements.

    Args:
        relations: Properties to follow; empty means all that join entities.
        ends: Things and classes: of the last step only statements that lead to one of them, or to
            a thing of one of them, are kept.

    Attributes:
        found: Statements in the order they were met.
    """

    def __init__(
        self,
        nodes: Sequence[str],
        relations: Sequence[str],
        *,
        directions: Sequence[Direction],
        limit: int,
        context: ToolContext,
        until: Sequence[str] = (),
        ends: Sequence[str] = (),
    ) -> None:
        self._relations: Sequence[str | None] = relations or (None,)
        self._directions = directions
        self._limit = limit
        self._until = tuple(until)
        self._ends = tuple(ends)
        self._context = context
        self._frontier = tuple(dict.fromkeys(nodes))
        self._seen = set(self._frontier)
        self.found: dict[Statement, None] = {}
        self.cut = False

    def step(self, *, last: bool = True) -> None:
        """Take the statements of the frontier and move it on to the new entities."""
        before = dict(self.found)
        ends: dict[str, None] = {}
        for direction in self._directions:
            for relation in self._relations:
                ends.update(dict.fromkeys(self._take(direction, relation)))
        self._frontier = tuple(id_ for id_ in ends if id_ not in self._seen)
        self._seen.update(self._frontier)
        if self._until and self._frontier:
            met = self._of_classes(self._frontier, self._until)
            self._frontier = tuple(id_ for id_ in self._frontier if id_ not in met)
        if self._ends and last:
            self._keep_only(tuple(ends), before)

    def _keep_only(self, ends: Sequence[str], before: dict[Statement, None]) -> None:
        """Take back the statements of this step that lead elsewhere."""
        fresh = [statement for statement in self.found if statement not in before]
        self.found = before
        fit = set(self._of_classes(ends, self._ends)) | set(self._ends) if ends else set(self._ends)
        for statement in fresh:
            object_ = statement.value.id if isinstance(statement.value, EntityValue) else ""
            if fit & {object_, statement.subject}:
                self.found[statement] = None

    def _of_classes(self, ids: Sequence[str], classes: Sequence[str]) -> set[str]:
        """Return those of ``ids`` that are of the classes, and take the statements that say so."""
        given = start("given", [EntityValue(id_) for id_ in ids])
        found = run_steps(
            (*given, FilterByType("kept", "given", tuple(classes))), "kept", self._context
        )
        self.found.update(dict.fromkeys(found.evidence))
        return {value.id for value in found.values if isinstance(value, EntityValue)}

    def _take(self, direction: Direction, relation: str | None) -> list[str]:
        room = self._limit - len(self.found)
        if room <= 0 or not self._frontier:
            self.cut = self.cut or bool(self._frontier)
            return []
        self._context.cancel.check()
        pages = self._context.source.statements_many(
            self._frontier, direction=direction, property=relation, limit=room
        )
        ends: list[str] = []
        for page in pages.values():
            self.cut = self.cut or page.truncated
            for statement in page.statements:
                end = _end(statement, direction)
                if not end and relation is None:
                    continue  # literals are asked for by the name of their relation
                if len(self.found) >= self._limit and statement not in self.found:
                    self.cut = True
                    return ends
                self.found[statement] = None
                ends += [end] if end else []
        return ends


def _end(statement: Statement, direction: Direction) -> str:
    """Return the entity a statement leads to, or "" where it leads to a literal."""
    if direction is Direction.IN:
        return statement.subject
    return statement.value.id if isinstance(statement.value, EntityValue) else ""
