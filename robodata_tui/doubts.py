"""How much a claim can be relied on: who agrees, who differs, who is silent; and two runs compared.

Pure functions over what a run holds. Sources differ about a property of an entity where each gives
values and none of them in common: several values of one source are no contradiction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from robodata_core.model import Claim, Evidence
from robodata_core.run_state import RunState
from robodata_tui.words import many, source_name, triple_tail

__all__ = ["Comparison", "Doubt", "claim_doubt", "compare", "other_run"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """What the sources say about one claim.

    Attributes:
        agree: Sources that state every triple of it.
        some: Sources that state some of its triples.
        differ: What other sources say in place of a triple, with their names.
        silent: Sources of the run that say nothing of it.
        ranks: Ranks of its triples, each once.
        oldest: When the oldest of its triples was fetched, or None.
    """

    agree: tuple[str, ...]
    some: tuple[str, ...]
    differ: tuple[str, ...]
    silent: tuple[str, ...]
    ranks: tuple[str, ...]
    oldest: datetime | None


def claim_doubt(claim: Claim, graph: Mapping[str, Evidence], source: str) -> Doubt:
    """Return what the sources say about a claim.

    Args:
        claim: The claim.
        graph: The triples of the local graph, by handle.
        source: The sources of the run, as its start names them (joined by ``+``).
    """
    items = claim.support.evidence
    said = [{record.source for record in item.provenance} for item in items]
    all_, any_ = (set.intersection(*said), set.union(*said)) if said else (set(), set())
    differ, others = _differing(items, graph)
    named = {name for name in source.split("+") if name}
    ranks = dict.fromkeys(r.rank.value for item in items for r in item.provenance)
    times = [record.retrieved for item in items for record in item.provenance]
    return Doubt(
        tuple(sorted(all_)),
        tuple(sorted(any_ - all_)),
        tuple(differ),
        tuple(sorted(named - any_ - others)),
        tuple(ranks),
        min(times, default=None),
    )


def _differing(
    items: Iterable[Evidence], graph: Mapping[str, Evidence]
) -> tuple[list[str], set[str]]:
    """Return what sources say that give other values alone, and who they are."""
    wanted = {(item.triple.subject, item.triple.predicate): item for item in items}
    told: dict[tuple[str, str], dict[str, list[Evidence]]] = {key: {} for key in wanted}
    for item in graph.values():
        key = (item.triple.subject, item.triple.predicate)
        for record in item.provenance if key in told else ():
            told[key].setdefault(record.source, []).append(item)
    lines, others = [], set()
    for key, by_source in told.items():
        mine = {record.source for record in wanted[key].provenance}
        values = {item.triple.object for name in mine for item in by_source.get(name, ())}
        for name, said in by_source.items():
            if name not in mine and values.isdisjoint(item.triple.object for item in said):
                others.add(name)
                texts = ", ".join(triple_tail(item) for item in said[:3])
                lines.append(f"{source_name(name)}: {texts}")
    return lines, others


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between an earlier and a later run.

    Attributes:
        added: Claims of the later run alone.
        lost: Claims of the earlier run alone.
        changed: Pairs of claims about the same thing (earlier, later).
        same: How many claims both have.
    """

    added: tuple[Claim, ...]
    lost: tuple[Claim, ...]
    changed: tuple[tuple[Claim, Claim], ...]
    same: int


def compare(before: RunState, after: RunState) -> Comparison:
    """Compare two runs claim by claim, by what they say and what they rest on."""
    old = {_key(claim): claim for claim in before.claims}
    new = {_key(claim): claim for claim in after.claims}
    changed = [
        (old[key], new[key]) for key in old.keys() & new.keys() if not _alike(old[key], new[key])
    ]
    lost = [claim for key, claim in old.items() if key not in new]
    added = []
    for key, claim in new.items():
        if key in old:
            continue
        twin = next((item for item in lost if _about(item) & _about(claim)), None)
        if twin is None:
            added.append(claim)
        else:
            lost.remove(twin)
            changed.append((twin, claim))
    same = len(old.keys() & new.keys()) - sum(_key(a) == _key(b) for a, b in changed)
    return Comparison(tuple(added), tuple(lost), tuple(changed), same)


def _key(claim: Claim) -> str:
    return " ".join(claim.text.casefold().split())


def _about(claim: Claim) -> frozenset[tuple[str, str]]:
    return frozenset(
        (item.triple.subject, item.triple.predicate) for item in claim.support.evidence
    )


def _alike(one: Claim, other: Claim) -> bool:
    return (one.supported, one.kind, _triples(one)) == (
        other.supported,
        other.kind,
        _triples(other),
    )


def _triples(claim: Claim) -> frozenset[object]:
    return frozenset(item.triple for item in claim.support.evidence)


def other_run(states: Iterable[RunState], here: int) -> int | None:
    """Return which run to compare one with, by its place; None for the first run.

    It is the last one before it that asked the same, else the one before it.

    Args:
        states: All runs, oldest first.
        here: Place of the run.
    """
    before = list(states)[: here + 1]
    if here <= 0 or here >= len(before):
        return None
    asked = before[here].question.casefold().split()
    same = [n for n in range(here) if before[n].question.casefold().split() == asked]
    return same[-1] if same else here - 1


def summary(found: Comparison) -> str:
    """Return a comparison in one line."""
    parts = [
        f"{len(found.added)} added",
        f"{len(found.lost)} lost",
        f"{len(found.changed)} changed",
        f"{many(found.same, 'claim')} the same",
    ]
    return " · ".join(parts)
