"""Differences between sources that touch an answer, as sentences for its reader.

Looked for where the answer's facts are: what the local graph and a chain of sources hold about the
same property of the same entity, from whatever source. Beyond names nothing more is asked of a
source but of those on this machine.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from robodata_core.errors import RoboDataError
from robodata_core.model import EntityValue, Statement, Value
from robodata_core.sources.capabilities import heard_about
from robodata_core.sources.chained import Conflict, find_conflicts
from robodata_core.text import plural
from robodata_core.values import format_value

if TYPE_CHECKING:
    from robodata_core.model import Claim
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.store.graph import LocalGraph

_MOST_PAIRS: Final = 100
_MOST_FACTS: Final = 50
_MOST_NOTES: Final = 5
_MOST_VALUES: Final = 3


def conflict_notes(
    claims: Iterable[Claim], graph: LocalGraph, source: KnowledgeSource | None
) -> tuple[str, ...]:
    """Return a sentence for every fact of the answer that sources differ about, at most six.

    Args:
        claims: The answer's claims; only supported ones count.
        graph: The local graph.
        source: The source of the run, which may be a chain.
    """
    evidence = (e for claim in claims if claim.supported for e in claim.support.evidence)
    pairs = list(dict.fromkeys((e.triple.subject, e.triple.predicate) for e in evidence))
    said = (item for pair in pairs[:_MOST_PAIRS] for item in _said(*pair, graph, source))
    conflicts = find_conflicts(said)
    if not conflicts:
        return ()
    labels = _labels(conflicts[:_MOST_NOTES], graph, source)
    notes = [_sentence(conflict, labels) for conflict in conflicts[:_MOST_NOTES]]
    if len(conflicts) > _MOST_NOTES:
        notes.append(f"Sources differ about {plural(len(conflicts) - _MOST_NOTES, 'more fact')}.")
    return tuple(notes)


def _said(
    subject: str, predicate: str, graph: LocalGraph, source: KnowledgeSource | None
) -> Iterator[Statement]:
    for item in graph.match(subject, predicate, limit=_MOST_FACTS)[0]:
        for origin in item.provenance:
            yield Statement(subject, predicate, item.triple.object, source=origin.source)
    if source is not None:
        for statement in heard_about(source, subject, predicate):
            yield Statement(subject, predicate, statement.value, source=statement.source)


def _labels(
    conflicts: Iterable[Conflict], graph: LocalGraph, source: KnowledgeSource | None
) -> dict[str, str]:
    ids: set[str] = set()
    for conflict in conflicts:
        ids |= {conflict.subject, conflict.property}
        values = (item.value for item in conflict.statements)
        ids |= {value.id for value in values if isinstance(value, EntityValue)}
    labels = {id_: graph.label(id_) for id_ in ids}
    unknown = [id_ for id_, label in labels.items() if not label]
    if unknown and source is not None:
        with contextlib.suppress(RoboDataError):  # ids are good enough then
            labels |= {id_: item.label for id_, item in source.entities(unknown).items()}
    return labels


def _sentence(conflict: Conflict, labels: dict[str, str]) -> str:
    by_source: dict[str, dict[str, None]] = {}
    for item in conflict.statements:
        text = _text(item.value, labels)
        by_source.setdefault(item.source, {})[text] = None
    parts = []
    for name, texts in by_source.items():
        shown = ", ".join(list(texts)[:_MOST_VALUES])
        more = f" and {len(texts) - _MOST_VALUES} more" if len(texts) > _MOST_VALUES else ""
        parts.append(f"{name} says {shown}{more}")
    what = labels.get(conflict.property) or conflict.property
    whose = labels.get(conflict.subject) or conflict.subject
    return f"Sources differ about {what} of {whose}: {'; '.join(parts)}."


def _text(value: Value, labels: dict[str, str]) -> str:
    if isinstance(value, EntityValue):
        return labels.get(value.id) or value.id
    return format_value(value, lambda id_: labels.get(id_) or id_)
