"""How much a claim can be relied on: who agrees, who differs, who is silent; and two runs compared.

Pure functions over what a run holds. Sources differ about a property of an entity where each gives
values and none of them in common: several values of one source are no contradiction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from robodata_core.model import Claim, Saying
from robodata_core.run_state import RunState
from robodata_core.sources.chained import agree
from robodata_core.text import plural
from robodata_tui.words import data_sets, source_name

__all__ = ["Comparison", "Doubt", "claim_doubt", "compare", "other_run"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """What the sources say about one claim.

    Attributes:
        agree: Sources that state every triple of it.
        some: Sources that state some of its triples.
        differ: What other sources say in place of a triple, with their names.
        silent: Sources of the run that say nothing of it.
        data: Data sets that the sources have its triples from, each once.
        ranks: Ranks of its triples, each once.
        oldest: When the oldest of its triples was fetched, or None.
    """

    agree: tuple[str, ...]
    some: tuple[str, ...]
    differ: tuple[str, ...]
    silent: tuple[str, ...]
    data: tuple[str, ...]
    ranks: tuple[str, ...]
    oldest: datetime | None


def claim_doubt(claim: Claim, said: Iterable[Saying], source: str) -> Doubt:
    """Return what the sources say about a claim.

    Args:
        claim: The claim.
        said: What sources say about what the answer's claims rest on.
        source: The sources of the run, as its start names them (joined by ``+``).
    """
    items = claim.support.evidence
    records = [record for item in items for record in item.provenance]
    heard = {(one.source, one.subject, one.predicate): one for one in said}
    names = {name for name in source.split("+") if name} | {record.source for record in records}
    names |= {name for name, _, _ in heard}
    agreed: Counter[str] = Counter()
    differ: dict[str, dict[str, None]] = {}
    for item in items:
        value, mine = item.triple.object, {record.source for record in item.provenance}
        pair = (item.triple.subject, item.triple.predicate)
        told = {name: one for name in names if (one := heard.get((name, *pair)))}
        known = {value, *(other for name in mine & told.keys() for other in told[name].values)}
        for name in names:
            values = told[name].values if name in told else ()
            if name in mine or any(agree(value, other) for other in values):
                agreed[name] += 1
            elif values and known.isdisjoint(values):
                what = item.predicate_label or item.triple.predicate
                line = f"{source_name(name)}: {what} → {told[name].text}"
                differ.setdefault(name, {})[line] = None
    return Doubt(
        tuple(sorted(name for name in agreed if agreed[name] == len(items))),
        tuple(sorted(name for name in agreed if agreed[name] < len(items))),
        tuple(line for name in sorted(differ) for line in differ[name]),
        tuple(sorted(names - agreed.keys() - differ.keys())),
        tuple(dict.fromkeys(name for record in records for name in data_sets(record))),
        tuple(dict.fromkeys(record.rank.value for record in records)),
        min((record.retrieved for record in records), default=None),
    )


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
    """Return which run to compare one with, by its place: the last before it that asked the same.

    None where none did: what differs between two questions says nothing.

    Args:
        states: All runs, oldest first.
        here: Place of the run.
    """
    before = list(states)[: here + 1]
    if here <= 0 or here >= len(before):
        return None
    asked = before[here].question.casefold().split()
    same = [n for n in range(here) if before[n].question.casefold().split() == asked]
    return same[-1] if same else None


def summary(found: Comparison) -> str:
    """Return a comparison in one line."""
    parts = [
        f"{len(found.added)} added",
        f"{len(found.lost)} lost",
        f"{len(found.changed)} changed",
        f"{plural(found.same, 'claim')} the same",
    ]
    return " · ".join(parts)
