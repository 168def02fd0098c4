"""Search by name: exact, alias, prefix, words, and fuzzy where nothing else was found.

Every stage looks at a bounded number of rows, whatever the text: rows are numbered by popularity,
so "the first hundred that match" are the hundred best known. Typing errors are found word by word:
a word's near neighbours in the vocabulary stand in for it, and ``rapidfuzz`` compares whole names
at the end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.model import EntityKind, MatchKind, SearchHit
from robodata_core.sources.snapshot._index import MAX_PREFIX, Index, Name, Row, grams, unpack
from robodata_core.text import MAX_NAME, clean_text, normalise_name

_MOST: Final = 100
_RANGE: Final = 4_000
_CANDIDATES: Final = 150
_PER_NAME: Final = 20
_MOST_WORDS: Final = 10
_NEIGHBOURS: Final = 12
_POSTINGS: Final = 15_000
_SIMILAR: Final = 0.72
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_WORD = re.compile(r"[^\W_]+")
_LAST: Final = "\U0010ffff"
_RANKS: Final = {kind: number for number, kind in enumerate(MatchKind)}


@dataclass(frozen=True, slots=True)
class _Found:
    """A name that matched."""

    name: Name
    match: MatchKind
    score: float


class NameSearch:
    """Searches an index.

    Args:
        index: The index.
    """

    def __init__(self, index: Index) -> None:
        self._index = index

    def lookup(self, kind: EntityKind, names: Iterable[str]) -> Mapping[str, tuple[SearchHit, ...]]:
        """Return exact label and alias matches of many names, by name as given.

        Names without a match are left out.
        """
        forms = {name: normalise_name(clean_text(name, limit=MAX_NAME)) for name in names}
        exact = self._index.exact(kind, (form for form in forms.values() if form), _PER_NAME)
        rows = self._index.rows_at(kind, {name.owner for found in exact.values() for name in found})
        hits = {}
        for name, form in forms.items():
            found = [self._exact(item, rows[item.owner], name) for item in exact.get(form, ())]
            if found:
                hits[name] = _ranked(found, rows, len(found))
        return hits

    def search(
        self, kind: EntityKind, text: str, limit: int, *, similar: bool = True
    ) -> tuple[SearchHit, ...]:
        """Return the best matches of ``text``, best first.

        Args:
            kind: Items or properties.
            text: What is searched for.
            limit: Most matches.
            similar: Whether names that are only similar count where there are no others.
        """
        text = clean_text(text, limit=MAX_NAME).strip()
        form = normalise_name(text)
        if not form or limit < 1:
            return ()
        names = self._index.exact(kind, (form,), max(limit, _PER_NAME)).get(form, [])
        rows = self._index.rows_at(kind, {name.owner for name in names})
        found = [self._exact(name, rows[name.owner], text) for name in names]
        owners = {name.owner for name in names}
        for stage in (self._prefix, self._words):
            if len(owners) < limit:
                found += stage(kind, form)
                owners |= {item.name.owner for item in found}
        if not found and similar:
            found = self._fuzzy(kind, form)
            owners = {item.name.owner for item in found}
        rows |= self._index.rows_at(kind, owners - rows.keys())
        return _ranked(found, rows, limit)

    # -- stages -------------------------------------------------------------------------------

    def _exact(self, name: Name, row: Row, text: str) -> _Found:
        """Rate a match of the compared form; the same spelling is a little better."""
        same = row.spelling(name.place) == text
        match = MatchKind.ALIAS if name.place else MatchKind.LABEL
        return _Found(name, match, 1.0 if same else 0.99)

    def _prefix(self, kind: EntityKind, form: str) -> list[_Found]:
        table = f"{kind.value}_name"
        if len(form) <= MAX_PREFIX:
            rows = self._index.query(
                f"SELECT names FROM {kind.value}_prefix WHERE prefix = ?", (form,)
            )
            names = self._index.names_at(kind, unpack(rows[0][0]).tolist()) if rows else []
        else:
            # The inner limit bounds the work; beyond it the alphabet decides, not popularity.
            found = self._index.query(
                f"SELECT norm, owner, place FROM (SELECT n, norm, owner, place FROM {table} "
                f"WHERE norm >= ? AND norm < ? LIMIT {_RANGE}) ORDER BY n LIMIT {_MOST}",
                (form, form + _LAST),
            )
            names = [Name(*row) for row in found]
        return [
            _Found(name, MatchKind.PREFIX, 0.9 if name.norm.startswith(form + " ") else 0.85)
            for name in names
            if name.norm != form
        ]

    def _words(self, kind: EntityKind, form: str) -> list[_Found]:
        words = _words_of(form)
        if not words:
            return []
        names = self._matching(kind, [[word] for word in words])
        if not names and len(words[-1]) >= MAX_PREFIX:
            names = self._matching(kind, [[word] for word in words[:-1]], words[-1])
        wanted = len(set(words))
        return [
            _Found(name, MatchKind.WORDS, 0.6 + 0.2 * wanted / max(wanted, len(name.norm.split())))
            for name in names
        ]

    def _fuzzy(self, kind: EntityKind, form: str) -> list[_Found]:
        words = _words_of(form)
        groups = self._neighbours(kind, words)
        names = self._relaxed(kind, groups)
        for split in self._joined_or_split(kind, words):
            names += self._matching(kind, [[word] for word in split])
        found = []
        for name in names:
            score = _similarity(form, name.norm)
            if score >= _SIMILAR:
                found.append(_Found(name, MatchKind.FUZZY, 0.8 * score))
        return found

    # -- words --------------------------------------------------------------------------------

    def _matching(
        self, kind: EntityKind, groups: Sequence[Sequence[str]], prefix: str = ""
    ) -> list[Name]:
        """Return names with a word of each group, the most popular first."""
        parts = ["(" + " OR ".join(f'"{word}"' for word in group) + ")" for group in groups]
        if prefix:
            parts.append(f'"{prefix}"*')
        table = f"{kind.value}_words"
        rows = self._index.query(
            f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid LIMIT {_CANDIDATES}",
            (" AND ".join(parts),),
        )
        return self._index.names_at(kind, [row[0] for row in rows]) if rows else []

    def _relaxed(self, kind: EntityKind, groups: list[dict[str, int]]) -> list[Name]:
        """Return names with as many of the words as possible, at least half of them."""
        known = sorted((group for group in groups if group), key=lambda group: sum(group.values()))
        least = (len(groups) + 1) // 2
        if len(known) < max(1, least):
            return []
        names = self._matching(kind, [list(group) for group in known])
        if names or len(known) == 1:
            return names
        if len(known) > least:
            # Any one word may be the wrong one, a known word too ("the an from Beyond").
            for out in range(len(known)):
                rest = known[:out] + known[out + 1 :]
                names += self._matching(kind, [list(group) for group in rest])
        for most in range(len(known) - 2, least - 1, -1):
            names = names or self._matching(kind, [list(group) for group in known[:most]])
        return names

    def _neighbours(self, kind: EntityKind, words: Sequence[str]) -> list[dict[str, int]]:
        """Return for each word the words it may be meant for, with their frequencies."""
        near = {word: self._near(kind, word) for word in dict.fromkeys(words)}
        return [near[word] for word in words]

    def _near(self, kind: EntityKind, word: str) -> dict[str, int]:
        allowed = _allowed(word)
        if not allowed:
            return self._known(kind, (word,))
        candidates: dict[str, int] = {}
        if len(word) <= 6:
            candidates |= self._known(kind, _edits(word))
        if len(word) >= 5:
            candidates |= self._sharing(kind, word)
        candidates |= self._known(kind, (word,))
        from rapidfuzz.distance import OSA  # Only misspelt names need it.

        rated = (
            (OSA.distance(word, other, score_cutoff=allowed), -count, other)
            for other, count in candidates.items()
        )
        best = sorted(item for item in rated if item[0] <= allowed)[:_NEIGHBOURS]
        return {other: -count for _, count, other in best}

    def _known(self, kind: EntityKind, words: Iterable[str]) -> dict[str, int]:
        sql = f"SELECT word, count FROM {kind.value}_word WHERE word IN {{}}"
        return dict(self._index.query_in(sql, words))

    def _sharing(self, kind: EntityKind, word: str) -> dict[str, int]:
        """Return words that share many three-letter pieces, the rarest pieces counting first."""
        pieces = sorted(grams(word))
        sql = f"SELECT gram, length(words), rowid FROM {kind.value}_gram WHERE gram IN {{}}"
        rows = self._index.query_in(sql, pieces)
        shared: Counter[int] = Counter()
        taken = counted = 0
        for _, size, rowid in sorted(rows, key=lambda row: (row[1], row[2])):
            taken += size // 4
            if taken > _POSTINGS and counted > 1:
                break
            ((data,),) = self._index.query(
                f"SELECT words FROM {kind.value}_gram WHERE rowid = ?", (rowid,)
            )
            shared.update(unpack(data))
            counted += 1
        best = _most_shared(shared, max(1, counted - 3 * _allowed(word)))
        sql = f"SELECT word, count FROM {kind.value}_word WHERE n IN {{}}"
        return dict(self._index.query_in(sql, best))

    def _joined_or_split(self, kind: EntityKind, words: Sequence[str]) -> list[list[str]]:
        """Return the words with one space more, less or mistyped, where all are known then."""
        joins = [
            [*words[:at], words[at] + words[at + 1], *words[at + 2 :]]
            for at in range(len(words) - 1)
        ]
        splits = [
            [*words[:at], word[:cut], word[cut:], *words[at + 1 :]]
            for at, word in enumerate(words)
            for cut in range(2, len(word) - 1)
            if len(word) <= 24
        ]
        # A wrong letter may stand where the space was.
        splits += [
            [*words[:at], word[:cut], word[cut + 1 :], *words[at + 1 :]]
            for at, word in enumerate(words)
            for cut in range(2, len(word) - 2)
            if len(word) <= 24
        ]
        options = joins + splits
        known = self._known(kind, {word for option in options for word in option})
        return [option for option in options if all(word in known for word in option)][:3]


def _most_shared(shared: Counter[int], least: int) -> list[int]:
    """Return the words that share the most pieces, not many more than there may be.

    One error touches three pieces at most, so what shares fewer than ``least`` is too far away.
    """
    best = [number for number, count in shared.items() if count >= least]
    while len(best) > _MOST:
        least += 1
        fewer = [number for number in best if shared[number] >= least]
        if not fewer:
            break
        best = fewer
    return best[: 5 * _MOST]


def _words_of(form: str) -> list[str]:
    """Return the words the index knows a name by; the longest ones, if there are too many."""
    words = form.split()
    if len(words) > _MOST_WORDS:
        longest = set(sorted(words, key=len, reverse=True)[:_MOST_WORDS])
        words = [word for word in words if word in longest][:_MOST_WORDS]
    return [word for word in words if _WORD.search(word) and '"' not in word]


def _allowed(word: str) -> int:
    """Return how many typing errors a word may hold."""
    if len(word) < 3 or any(map(str.isdigit, word)):
        return 0
    if len(word) <= 5:
        return 1
    return 2 if len(word) <= 12 else 3


def _edits(word: str) -> set[str]:
    """Return everything one error away."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {start + end[1:] for start, end in cuts if end}
    found |= {start + end[1] + end[0] + end[2:] for start, end in cuts if len(end) > 1}
    found |= {start + letter + end[1:] for start, end in cuts if end for letter in _LETTERS}
    found |= {start + letter + end for start, end in cuts for letter in _LETTERS}
    return found


def _similarity(form: str, other: str) -> float:
    """Return 0 to 1; the order of words counts a little, missing words count more."""
    from rapidfuzz import fuzz  # Only misspelt names need it.

    straight = fuzz.ratio(form, other)
    sorted_ = fuzz.token_sort_ratio(form, other) - 2
    closed = fuzz.ratio(form.replace(" ", ""), other.replace(" ", "")) - 1
    return float(max(straight, sorted_, closed)) / 100


def _ranked(found: Iterable[_Found], rows: Mapping[int, Row], limit: int) -> tuple[SearchHit, ...]:
    """Keep the best match of each owner, and sort by match, score and popularity."""
    best: dict[int, _Found] = {}
    for item in found:
        other = best.get(item.name.owner)
        if other is None or _key(item) < _key(other):
            best[item.name.owner] = item
    ordered = sorted(best.values(), key=lambda item: (*_key(item), item.name.owner))
    return tuple(_hit(item, rows[item.name.owner]) for item in ordered[:limit])


def _key(item: _Found) -> tuple[int, float]:
    # Scores within a twentieth of each other are the same: then popularity decides.
    fine = item.match in (MatchKind.LABEL, MatchKind.ALIAS)
    score = item.score if fine else round(item.score * 20)
    return _RANKS[item.match], -score


def _hit(item: _Found, row: Row) -> SearchHit:
    return SearchHit(
        id=row.id,
        label=row.label,
        description=row.description,
        match=item.match,
        matched=row.spelling(item.name.place),
        score=round(item.score, 4),
        popularity=row.popularity,
    )
