"""How old a claim is: the time of what changes, from the statements that it rests on.

Which facts change is no list of relations here: a source that states a value for one point in time
and prefers it to others says so itself, as Wikidata does with populations and heads of state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from robodata_core.belief import ObjectState, said_by
from robodata_core.belief.vocabulary import INSTANCE_OF, STATE
from robodata_core.model import Evidence, Provenance, Rank, StringValue, TimeValue, Value
from robodata_core.values import format_time, iso_time

__all__ = ["as_of", "seen_last"]

_POINT_IN_TIME: Final = "P585"


def as_of(evidence: Iterable[Evidence]) -> str:
    """Return the year, or the years from first to last, that current values were stated for.

    Args:
        evidence: What a claim rests on.

    Returns:
        ``2025`` or ``2019 to 2025``; empty where nothing of it is a value of its time.
    """
    years = sorted(
        snak.value.year
        for item in evidence
        for record in item.provenance
        if record.rank is Rank.PREFERRED
        for snak in record.qualifiers
        if snak.property == _POINT_IN_TIME and isinstance(snak.value, TimeValue)
    )
    if not years:
        return ""
    return str(years[0]) if years[0] == years[-1] else f"{years[0]} to {years[-1]}"


def seen_last(text: str, evidence: Sequence[Evidence]) -> str:
    """Return what a claim tells, with when that was seen where it is out of sight by now.

    What nobody saw, but somebody said, stands with who that was.
    """
    if author := said_by(evidence):
        others = (item for item in evidence if item.triple.predicate != INSTANCE_OF)
        mixed = any(STATE in _told(record) for item in others for record in item.provenance)
        return f"Said {'in part ' if mixed else ''}by {author}: {text}"
    seen = _out_of_sight(evidence)
    return f"Last seen {seen}: {text}" if seen else text


def _out_of_sight(evidence: Iterable[Evidence]) -> str:
    """Return when what is told of was seen last, if something of it is out of sight by now.

    Returns:
        The time, or the earliest one "or later", for people; empty where all of it is in sight,
        or was never seen.
    """
    records = [record for item in evidence for record in item.provenance]
    seen = [told for record in records if STATE in (told := _told(record))]
    if not any(told[STATE] == StringValue(ObjectState.LOST.value) for told in seen):
        return ""
    times = {
        iso_time(at): at for told in seen if isinstance(at := told.get(_POINT_IN_TIME), TimeValue)
    }
    if not times:
        return ""
    return format_time(times[min(times)]) + (" or later" if len(times) > 1 else "")


def _told(record: Provenance) -> dict[str, Value | None]:
    return {snak.property: snak.value for snak in record.qualifiers}
