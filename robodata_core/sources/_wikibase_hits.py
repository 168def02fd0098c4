"""What ``wbsearchentities`` gives, as hits: how they match, and in which order they stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from robodata_core.iris import is_id
from robodata_core.model import EXACT_MATCHES, MatchKind, SearchHit
from robodata_core.text import clean_text

__all__ = ["rank_of", "read_hit"]

_MATCHES: Final = {
    "label": MatchKind.LABEL,
    "alias": MatchKind.ALIAS,
    "entityId": MatchKind.ID,
}
_SCORES: Final = {MatchKind.ID: 1.0, MatchKind.LABEL: 1.0, MatchKind.ALIAS: 0.95}


def read_hit(item: Mapping[str, Any], words: str) -> SearchHit | None:
    """Return a hit for the words that were searched; None if it is none."""
    id_ = item.get("id")
    if not isinstance(id_, str) or not is_id(id_):
        return None
    label = clean_text(str(item.get("label") or ""))
    match = item.get("match")
    match = match if isinstance(match, Mapping) else {}
    matched = clean_text(str(match.get("text") or label))
    kind = _MATCHES.get(str(match.get("type")), MatchKind.LABEL)
    exact = matched.casefold() == words.casefold() or kind is MatchKind.ID
    if not exact:
        kind = MatchKind.PREFIX
    return SearchHit(
        id_,
        label,
        clean_text(str(item.get("description") or "")),
        kind,
        matched,
        _SCORES.get(kind, 0.8 * len(words) / max(len(matched), len(words), 1)),
    )


def rank_of(hit: SearchHit) -> tuple[bool, bool, int]:
    """Return what hits are sorted by: ids, exact names by how well known they are, the rest."""
    exact = hit.match in EXACT_MATCHES
    return hit.match is not MatchKind.ID, not exact, -hit.popularity if exact else 0
