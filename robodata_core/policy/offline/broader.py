"""Words that say more than any relation of a graph: "mother" where it has only "parent".

Which these are is read from the lexicon: its rows mark relations as broader than their phrases.
How candidates are narrowed to such words is in ``narrowing``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from robodata_core.model import Direction
from robodata_core.policy.offline.evidence import Evidence, evidence_for
from robodata_core.policy.offline.lexicon import Condition, LabelHop, Row
from robodata_core.policy.offline.relations import Edge, reverse
from robodata_core.policy.offline.words import stems
from robodata_core.text import normalise_name

__all__ = ["Broader", "read_broader"]


@dataclass(frozen=True, slots=True)
class Broader:
    """The relations of a graph that say less than a phrase.

    Attributes:
        edges: The relations, walked towards what the phrase names.
        relations: Properties that tell which of these are meant, may be empty.
        values: Names of the values they have then, normalised.
        either: Whether the relation holds both ways, so that words alone say who is meant.
        evidence: What else tells who is meant.
        must: Whether only those count who are shown to be meant.
        after: How many hops of the phrase follow.
        of: How many hops the phrase has.
    """

    edges: frozenset[Edge]
    relations: tuple[str, ...]
    values: frozenset[str]
    either: bool
    evidence: Evidence = Evidence()
    must: bool = False
    after: int = 0
    of: int = 1


def read_broader(
    rows: Iterable[Row],
    find: Callable[[str], Sequence[str]],
    is_label: Callable[[str, str], bool],
) -> Mapping[tuple[str, ...], tuple[tuple[Broader, ...], ...]]:
    """Return by phrase (as stems) which relations of a graph say less than it, row by row.

    Args:
        rows: A lexicon.
        find: Properties by a label or alias.
        is_label: Whether a property is labelled so.
    """
    found: dict[tuple[str, ...], list[tuple[Broader, ...]]] = defaultdict(list)
    for row in rows:
        hops = enumerate(row.hops, 1)
        read = (_read_hop(row, hop, len(row.hops) - at, find, is_label) for at, hop in hops)
        broader = tuple(one for one in read if one is not None)
        for phrase in row.phrases if broader else ():
            found[stems(phrase)].append(broader)
    return {phrase: tuple(items) for phrase, items in found.items()}


def _read_hop(
    row: Row,
    hop: LabelHop,
    after: int,
    find: Callable[[str], Sequence[str]],
    is_label: Callable[[str, str], bool],
) -> Broader | None:
    """Return what one hop of a row says less than the phrases, or None."""
    exact = hop.exact(find, is_label) if hop.broader else frozenset()
    edges = {
        (name, Direction.IN if back else Direction.OUT)
        for label, back in hop.labels
        if label in hop.broader
        for name in find(label)
        if name not in exact
    }
    if not edges:
        return None
    either = row.direction == "either"
    if either:
        edges |= set(reverse((tuple(edges),))[0])
    condition = hop.condition or Condition((), ())
    names = dict.fromkeys(name for label in condition.relations for name in find(label))
    values = frozenset(normalise_name(value) for value in condition.values)
    shown = evidence_for(condition.values, find, is_label)
    return Broader(
        frozenset(edges), tuple(names), values, either, shown, condition.must, after, len(row.hops)
    )
