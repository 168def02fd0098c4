"""Know before use, as tools apply it: known ids are those shown, or standing in the local graph.

The local graph is part of every prompt, so its nodes and relations count as shown, also when an
earlier run put them there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from robodata_core.model import EntityValue
from robodata_core.tools.formatting import list_some
from robodata_core.tools.known_ids import refuse

if TYPE_CHECKING:
    from robodata_core.store.graph import LocalGraph
    from robodata_core.tools.base import ToolContext


def require_known(ids: Iterable[str], context: ToolContext) -> None:
    """Return if all of ``ids`` may be used.

    Raises:
        UnknownIdError: Naming those that may not.
    """
    unknown = context.known.unknown(ids)
    refuse(tuple(id_ for id_ in unknown if not stands_in(context.store, id_)))


def known_among(ids: Sequence[str], context: ToolContext) -> list[str]:
    """Return those of ``ids`` that may be used; what is left out is noted beside the result.

    Raises:
        UnknownIdError: If there are ids and none of them may be used.
    """
    unknown = set(context.known.unknown(ids))
    kept = [id_ for id_ in ids if id_ not in unknown or stands_in(context.store, id_)]
    left_out = tuple(dict.fromkeys(id_ for id_ in ids if id_ not in kept))
    if left_out and not kept:
        refuse(left_out)
    if left_out:
        shown = list_some(left_out)
        context.notes.append(f"Left out, because nothing has shown it so far: {shown}.")
    return kept


def stands_in(store: LocalGraph, id_: str) -> bool:
    """Tell whether the local graph mentions ``id_``, by name or in a triple."""
    if store.entity(id_) is not None or store.property(id_) is not None:
        return True
    value = EntityValue(id_)
    return any(
        store.match(subject, predicate, object_, limit=1)[1]
        for subject, predicate, object_ in (
            (id_, None, None),
            (None, id_, None),
            (None, None, value),
        )
    )
