"""Bringing statements into the local graph, with the names of everything they mention.

Shared by the update tools and ``build_local_graph``; which statements to bring is theirs to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from robodata_core.model import Entity, Statement
from robodata_core.store.graph import Added, Fetch
from robodata_core.text import plural
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
    """Add statements with labels of their subjects, properties, objects, units and qualifiers."""
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
    """Say what is new in the local graph, with handles, and what was there before."""
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
