"""Exact names looked up through SPARQL, many in one query.

A literal is found by what it is, so a name is asked for as written and with other first letters.
What is only similar is the business of a source's ``search``. Whoever takes a question apart asks
for the same words again and again, so what was found, or not, is remembered for a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from robodata_core.cache import BoundedCache
from robodata_core.model import (
    EntityKind,
    EntityValue,
    MatchKind,
    MonolingualTextValue,
    QuantityValue,
    SearchHit,
    StringValue,
    Value,
)
from robodata_core.sources.base import QueryLimits
from robodata_core.sources.sparql._endpoint import Queryable
from robodata_core.sources.sparql._triples import Vocabulary, best_text, language_chain
from robodata_core.text import clean_text, normalise_name

_WIKIDATA: Final = Vocabulary(descriptions=("http://schema.org/description",))
_NAMES: Final = 150
_ROWS: Final = 5_000
_MOST_HITS: Final = 20
_LONGEST: Final = 250
_SECONDS: Final = 600.0
_KEPT: Final = 50_000


class ExactNames:
    """Looks exact names up at one endpoint, each once in some minutes. Thread-safe.

    Args:
        endpoint: Takes the queries.
        language: Preferred language; names in its fallbacks count as well.
        vocabulary: Predicates of names.
        wikibase: Whether properties are marked as Wikibase marks them.
        now: Clock in seconds, for how long what was found is good.
    """

    def __init__(
        self,
        endpoint: Queryable,
        *,
        language: str,
        vocabulary: Vocabulary = _WIKIDATA,
        wikibase: bool = True,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint = endpoint
        self._language = language
        self._vocabulary = vocabulary
        self._wikibase = wikibase
        self._known: BoundedCache[tuple[EntityKind, str], tuple[SearchHit, ...]]
        self._known = BoundedCache(_KEPT, seconds=_SECONDS, now=now)

    def lookup(self, names: Iterable[str], kind: EntityKind) -> dict[str, tuple[SearchHit, ...]]:
        """Return the entities of each name, labels before aliases; names without are left out.

        Args:
            names: What to look for.
            kind: Items or properties.
        """
        wanted = [name for name in dict.fromkeys(names) if 0 < len(name.strip()) <= _LONGEST]
        known = ((name, self._known.get((kind, name))) for name in wanted)
        found = {name: hits for name, hits in known if hits is not None}
        unknown = [name for name in wanted if name not in found]
        for start in range(0, len(unknown), _NAMES):
            batch = unknown[start : start + _NAMES]
            hits = self._look(batch, kind)
            for name in batch:
                found[name] = hits.get(name, ())
                self._known.put((kind, name), found[name], 1 + len(found[name]))
        return {name: found[name] for name in wanted if found[name]}

    def _look(self, names: Sequence[str], kind: EntityKind) -> dict[str, tuple[SearchHit, ...]]:
        language = self._language
        rows = _ask(self._endpoint, names, kind, language, self._vocabulary, self._wikibase)
        keys: dict[str, list[str]] = {}
        for name in names:
            keys.setdefault(normalise_name(name), []).append(name)
        found: dict[str, dict[str, SearchHit]] = {}
        for id_, hit in _hits(rows, language):
            for name in keys.get(normalise_name(hit.matched), ()):
                mine = found.setdefault(name, {})
                if id_ not in mine or hit.match is MatchKind.LABEL:
                    mine[id_] = hit
        return {name: _best(hits.values()) for name, hits in found.items()}


def quoted(text: str) -> str:
    """Return ``text`` as a SPARQL string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def _ask(
    endpoint: Queryable,
    names: Sequence[str],
    kind: EntityKind,
    language: str,
    vocabulary: Vocabulary,
    wikibase: bool,
) -> Sequence[Sequence[Value | None]]:
    tags = language_chain(language)
    spoken = dict.fromkeys(form for name in names for form in _forms(clean_text(name)))
    literals = " ".join(
        f"{quoted(form)}{f'@{tag}' if tag else ''}"
        for form in spoken
        for tag in (tags if wikibase else ("", *tags))
    )
    label_in = ", ".join(f'"{tag}"' for tag in ("", *tags))
    places = [(p, "label") for p in vocabulary.labels] + [(p, "alias") for p in vocabulary.aliases]
    unions = " UNION ".join(
        f'{{ VALUES ?name {{ {literals} }} ?x <{p}> ?name BIND("{what}" AS ?k) }}'
        for p, what in places
    )
    marked = "?x a wikibase:Property" if kind is EntityKind.PROPERTY else ""
    if kind is EntityKind.ITEM:
        marked = "FILTER NOT EXISTS { ?x a wikibase:Property }"
    query = (
        f"SELECT ?x ?k ?name ?label ?description ?links WHERE {{ {unions} {marked} "
        f"OPTIONAL {{ ?x <{vocabulary.labels[0]}> ?label FILTER(LANG(?label) IN ({label_in})) }} "
        f"OPTIONAL {{ ?x <{vocabulary.descriptions[0]}> ?description "
        f"FILTER(LANG(?description) IN ({label_in})) }} "
        f"OPTIONAL {{ ?x wikibase:sitelinks ?links }} }} LIMIT {_ROWS}"
    )
    limits = QueryLimits(rows=_ROWS, seconds=30.0, bytes=20_000_000)
    return endpoint.query(query, limits=limits).rows


def _forms(name: str) -> tuple[str, ...]:
    """Return the spellings to look for: capital letters are the one thing that varies."""
    name = " ".join(name.split())
    capital = name[:1].upper() + name[1:]
    small = name[:1].lower() + name[1:]
    titled = " ".join(word[:1].upper() + word[1:] for word in name.split(" "))
    return (name, capital, small, titled, name.lower())


def _hits(rows: Iterable[Sequence[Value | None]], language: str) -> Iterable[tuple[str, SearchHit]]:
    labels: dict[str, list[Value]] = {}
    descriptions: dict[str, list[Value]] = {}
    matches: dict[tuple[str, str, str], int] = {}
    for x, kind, name, label, description, links in rows:
        if not isinstance(x, EntityValue) or not isinstance(kind, StringValue):
            continue
        if not isinstance(name, (MonolingualTextValue, StringValue)):
            continue
        if label is not None:
            labels.setdefault(x.id, []).append(label)
        if description is not None:
            descriptions.setdefault(x.id, []).append(description)
        count = int(links.amount) if isinstance(links, QuantityValue) else 0
        matches[x.id, kind.text, name.text] = count
    for (id_, kind_text, matched), count in matches.items():
        match = MatchKind.LABEL if kind_text == "label" else MatchKind.ALIAS
        label_text = clean_text(best_text(labels.get(id_, ()), language))
        text = clean_text(best_text(descriptions.get(id_, ()), language))
        score = 1.0 if match is MatchKind.LABEL else 0.95
        yield id_, SearchHit(id_, label_text, text, match, clean_text(matched), score, count)


def _best(hits: Iterable[SearchHit]) -> tuple[SearchHit, ...]:
    ordered = sorted(hits, key=lambda hit: (-hit.score, -hit.popularity, len(hit.id), hit.id))
    return tuple(ordered[:_MOST_HITS])
