"""Which triples a proof shows: those of one result among many, or what stands in a gap's place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from robodata_core.model import Absence, Claim, Evidence, SomeValue, TruthKind
from robodata_tui.proof import edge_of

__all__ = ["gap_of", "in_place_of", "of_member"]


def of_member(claim: Claim, members: Sequence[str], member: str) -> tuple[Evidence, ...]:
    """Return the triples of a claim about many that concern one of them.

    They are those on the shortest ways from it outwards; what many have in common (a country, a
    class) is an end, never a way to the next one.

    Args:
        claim: The claim.
        members: Ids of all that it is about.
        member: Id of the one.
    """
    items = claim.support.evidence
    if len(members) < 2 or member not in members:
        return items
    at: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for place, edge in enumerate(edge_of(item, {}) for item in items):
        at[edge.start].append((place, edge.end))
        at[edge.end].append((place, edge.start))
    far, hubs = _distances(at, members)
    found: set[int] = set()
    here, seen = [member], {member}
    for node in here:
        for place, other in at[node]:
            outwards = far[other] > far[node]
            if outwards or (far[other] == far[node] > 0 and node not in hubs):
                found.add(place)
            if outwards and other not in seen:
                seen.add(other)
                here.append(other)
    return tuple(item for place, item in enumerate(items) if place in found) or items


def _distances(
    at: Mapping[str, Sequence[tuple[int, str]]], members: Sequence[str]
) -> tuple[dict[str, int], set[str]]:
    """Return how far every node is from the nearest member, and those near to several."""
    far = dict.fromkeys(at, len(at))
    near: dict[str, set[str]] = defaultdict(set)
    for name in members:
        far[name] = 0
        near[name] = {name}
    here = [name for name in members if name in at]
    while here:
        onward: list[str] = []
        for node in here:
            for _, other in at[node]:
                if far[other] > far[node] + 1:
                    far[other] = far[node] + 1
                    onward.append(other)
                if far[other] == far[node] + 1:
                    near[other] |= near[node]
        here = onward
    return far, {node for node, names in near.items() if len(names) > 1}


def gap_of(absence: Absence) -> Evidence | None:
    """Return the triple that a look-up did not find, None where it looked for more than one."""
    triple, labels = absence.triple, absence.labels
    if triple is None:
        return None
    ids = (triple.subject, triple.predicate, getattr(triple.object, "id", ""))
    subject, predicate, object_ = (labels.get(id_, "") for id_ in ids)
    return Evidence(
        absence.handle,
        triple,
        subject_label=subject,
        predicate_label=predicate,
        object_label="anything" if isinstance(triple.object, SomeValue) else object_,
    )


def in_place_of(gap: Evidence | None, claims: Iterable[Claim]) -> tuple[Evidence, ...]:
    """Return what claims state in the place of a gap: all that can be reached from its subject.

    Args:
        gap: What is not stated; without it all that they state is taken.
        claims: The claims of the answer.
    """
    stated = (claim for claim in claims if claim.kind is not TruthKind.ABSENT)
    items = {item.handle: item for claim in stated for item in claim.support.evidence}
    if gap is None:
        return tuple(items.values())
    found: dict[str, Evidence] = {}
    reached, grown = {gap.triple.subject}, True
    while grown:
        grown = False
        for handle, item in items.items():
            ends = {item.triple.subject, getattr(item.triple.object, "id", item.triple.subject)}
            if handle not in found and ends & reached:
                found[handle], grown = item, True
                reached |= ends
    return tuple(found.values())
