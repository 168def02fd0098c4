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
from robodata_core.model import EntityValue, Saying, Statement, Value
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


def what_is_said(
    claims: Iterable[Claim], graph: LocalGraph, source: KnowledgeSource | None
) -> tuple[tuple[Saying, ...], tuple[str, ...]]:
    """Return what each of several sources says, and a sentence for what they differ about.

    Args:
        claims: The answer's claims; only supported ones count.
        graph: The local graph.
        source: The source of the run, which may be a chain.

    Returns:
        What is said about each property of an entity that more than one source speaks of; at most
        six sentences.
    """
    evidence = (e for claim in claims if claim.supported for e in claim.support.evidence)
    pairs = list(dict.fromkeys((e.triple.subject, e.triple.predicate) for e in evidence))
    said = [item for pair in pairs[:_MOST_PAIRS] for item in _said(*pair, graph, source)]
    conflicts = find_conflicts(said)
    labels = _labels(conflicts[:_MOST_NOTES], graph, source) if conflicts else {}
    differ = {(item.subject, item.property) for item in conflicts}
    values: dict[tuple[str, str], dict[str, dict[Value, None]]] = {}
    for item in said:
        by_source = values.setdefault((item.subject, item.property), {})
        by_source.setdefault(item.source, {})[item.value] = None
    sayings = {
        pair: [
            Saying(name, *pair, tuple(told), _told(told, labels) if pair in differ else "")
            for name, told in by_source.items()
        ]
        for pair, by_source in values.items()
        if len(by_source) > 1
    }
    notes = []
    for subject, name in [pair for pair in sayings if pair in differ][:_MOST_NOTES]:
        told = "; ".join(f"{one.source} says {one.text}" for one in sayings[subject, name])
        what, whose = labels.get(name) or name, labels.get(subject) or subject
        notes.append(f"Sources differ about {what} of {whose}: {told}.")
    if len(differ) > _MOST_NOTES:
        notes.append(f"Sources differ about {plural(len(differ) - _MOST_NOTES, 'more fact')}.")
    return tuple(item for made in sayings.values() for item in made), tuple(notes)


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


def _told(values: Iterable[Value], labels: dict[str, str]) -> str:
    texts = list(dict.fromkeys(_text(value, labels) for value in values))
    more = f" and {len(texts) - _MOST_VALUES} more" if len(texts) > _MOST_VALUES else ""
    return ", ".join(texts[:_MOST_VALUES]) + more


def _text(value: Value, labels: dict[str, str]) -> str:
    if isinstance(value, EntityValue):
        return labels.get(value.id) or value.id
    return format_value(value, lambda id_: labels.get(id_) or id_)
