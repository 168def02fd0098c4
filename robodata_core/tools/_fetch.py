"""Bringing statements into the local graph with their names, from one place or along a walk.

Shared by the update tools and ``build_local_graph``; which statements to bring is theirs to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from robodata_core.model import Direction, Entity, EntityValue, Statement
from robodata_core.programs.steps import FilterByType
from robodata_core.store.graph import Added, Fetch
from robodata_core.text import plural
from robodata_core.tools._steps import run_steps, start
from robodata_core.tools.base import ToolOutput
from robodata_core.tools.formatting import compose, list_some
from robodata_core.tools.namer import Namer, property_ids, things_in

if TYPE_CHECKING:
    from robodata_core.tools.base import ToolContext

#: Most statements one call brings in.
MAX_STATEMENTS: Final = 5_000


def bring_in(
    statements: Sequence[Statement],
    tool: str,
    context: ToolContext,
    *,
    entities: Iterable[Entity] = (),
) -> Added:
    """Add statements with labels of their subjects, properties, objects, units and qualifiers.

    Args:
        statements: What to add.
        tool: Name of the tool that fetched them.
        context: Of the call.
        entities: Entities to add in any case, statements or not.
    """
    context.cancel.check()
    store = context.store
    there = {entity.id: entity for entity in entities}
    # Names the graph holds already need not be fetched again.
    wanted = [i for i in things_in(statements) if i not in there and not store.label(i)]
    there.update(context.source.entities(wanted) if wanted else {})
    relations = [id_ for id_ in property_ids(statements) if not store.label(id_)]
    properties = context.source.properties(relations) if relations else {}
    context.labels.note_entities(there.values())
    context.labels.note_properties(properties.values())
    context.cancel.check()
    fetch = Fetch(context.run_id, context.call_id, tool, context.now)
    return store.add(statements, fetch, entities=there.values(), properties=properties.values())


def describe_added(
    added: Added,
    statements: Sequence[Statement],
    context: ToolContext,
    *,
    head: str,
    notes: Sequence[str] = (),
) -> ToolOutput:
    """Say what is new in the local graph, with handles, and what was there before.

    Args:
        added: What the store reported.
        statements: What was to be added.
        context: Of the call.
        head: First words of the text.
        notes: Further sentences, e.g. what was left out.
    """
    namer = Namer(context)
    old = _handles_before(added, statements, context)
    shown = added.evidence[: context.max_items]
    first = (
        f"{head} {plural(len(added.evidence), 'new triple')}, {plural(added.nodes, 'new node')}."
    )
    text, count = compose(first, [namer.evidence(evidence) for evidence in shown])
    more = []
    if count < len(added.evidence):
        left_out = [evidence.handle for evidence in added.evidence[count:]]
        more.append(f"Not shown: {list_some(_ranges(left_out), 12)}.")
    if old:
        more.append(f"In the graph before: {list_some(_ranges(old), 12)}.")
    ids = (*namer.ids, *things_in(statements), *property_ids(statements))
    return ToolOutput(
        "\n".join([text, *more, *filter(None, notes)]),
        added,
        tuple(dict.fromkeys(ids)),
        len(added.evidence),
        count,
        tuple(evidence.handle for evidence in added.evidence),
    )


def _handles_before(
    added: Added, statements: Sequence[Statement], context: ToolContext
) -> list[str]:
    """Return the handles of those statements that the graph held already."""
    new = {evidence.triple: evidence.handle for evidence in added.evidence}
    found = (context.store.find(s.triple) for s in statements if s.triple not in new)
    handles = dict.fromkeys(evidence.handle for evidence in found if evidence)
    fresh = set(new.values())
    return [handle for handle in handles if handle not in fresh]


def _ranges(handles: Sequence[str]) -> list[str]:
    """Write runs of handles short: ``T3 to T9``."""
    numbers = [int(handle[1:]) for handle in handles if handle[1:].isdigit()]
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [f"T{a}" if a == b else f"T{a} to T{b}" for a, b in runs]


class Walk:
    """A breadth-first walk that stops at a number of statements.

    Args:
        nodes: Where it starts.
        relations: Properties to follow; empty means all that join entities.
        directions: Ways to follow them.
        limit: Most statements in all.
        context: Of the call.
        until: Classes: things of them are not gone on from.
        ends: Things and classes: of the last step only statements that lead to one of them, or to
            a thing of one of them, are kept.

    Attributes:
        found: Statements in the order they were met.
        cut: Whether the limit cut something off.
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
        """Take the statements of the frontier and move it on to the new entities.

        Args:
            last: Whether no other step follows.
        """
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
