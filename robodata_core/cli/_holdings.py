"""What a snapshot holds: its classes, relations, coverage and origins, as lines, JSON and a page.

One pass over the graph; a page is one file without a script or a request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from robodata_core.iris import WDT, id_from_iri
from robodata_core.reports import html_list, page
from robodata_core.sources.predicates import (
    ALIASES,
    DESCRIPTIONS,
    LABELS,
    SUBCLASS,
    TYPE,
    Role,
    is_encoding,
    origin_of,
    role_of,
)
from robodata_core.text import clean_text, plural

if TYPE_CHECKING:
    from robodata_core.sources.snapshot import SnapshotSource

_ROWS: Final = 20
_CELL: Final = 48
_CLASS: Final = frozenset({TYPE, WDT + "P31"})
_ABOVE: Final = frozenset({SUBCLASS, WDT + "P279"})


@dataclass(frozen=True, slots=True)
class Named:
    """A class, relation or origin with how often it occurs."""

    id: str
    label: str
    count: int

    @property
    def text(self) -> str:
        """Its label and id."""
        label = clean_text(self.label, limit=_CELL)
        return f"{label} ({clean_text(self.id, limit=_CELL)})" if label else clean_text(self.id)


@dataclass(frozen=True, slots=True)
class Holdings:
    """What is in a snapshot.

    Attributes:
        name: The snapshot's.
        things: How many things something is stated of.
        classes: Classes by the number of things and classes right below them, most first.
        relations: Relations by the number of their statements, most first.
        coverage: What how many of the things have: a label, a class, and so on.
        origins: Data sets by the number of triples that they give, most first.
    """

    name: str
    things: int
    classes: tuple[Named, ...]
    relations: tuple[Named, ...]
    coverage: Mapping[str, int]
    origins: tuple[Named, ...]

    @classmethod
    def read(cls, source: SnapshotSource) -> Holdings:
        """Read a snapshot once through.

        Raises:
            SnapshotError: If it cannot be read.
        """
        classes: Counter[str] = Counter()
        origins: Counter[str] = Counter()
        having: dict[str, set[str]] = {
            name: set() for name in ("a label", "another name", "a description", "a class")
        }
        things: set[str] = set()
        relations = source.all_properties()
        properties = {one.id for one in relations}
        for quad in source.quads():
            subject, predicate = _iri(quad.subject), quad.predicate.value
            if not subject:
                continue
            kind = _KINDS.get(predicate)
            if kind:
                having[kind].add(subject)
            if role_of(predicate)[0] is not Role.FACT or id_from_iri(subject) in properties:
                continue
            end = _iri(quad.object)
            if predicate == TYPE and is_encoding(end):
                continue
            things.add(subject)
            if graph := _iri(quad.graph_name):
                origins[origin_of(graph)] += 1
            if end and predicate in _CLASS | _ABOVE:
                classes[end] += 1
        return cls(
            source.name,
            len(things),
            _named(classes, source),
            tuple(Named(one.id, one.label, one.uses) for one in relations if one.uses),
            {name: len(found & things) for name, found in having.items()},
            tuple(Named(name, "", count) for name, count in origins.most_common()),
        )

    def lines(self) -> Iterator[str]:
        """Yield tables for a reader."""
        yield plural(self.things, "thing")
        yield "Of these have"
        for name, count in self.coverage.items():
            yield f"  {name:<14} {count:>9,}  {_share(count, self.things)}"
        for title, rows in self._tables():
            yield f"{title} ({len(rows):,})"
            width = max((len(row.text) for row in rows[:_ROWS]), default=0)
            for row in rows[:_ROWS]:
                yield f"  {row.text:<{width}} {row.count:>9,}"
            if len(rows) > _ROWS:
                yield f"  ... {len(rows) - _ROWS:,} more"

    def to_json(self) -> dict[str, Any]:
        """Return the same as JSON, with all rows."""
        return {
            "things": self.things,
            "coverage": dict(self.coverage),
            **{
                title.lower(): [
                    {"id": row.id, "label": row.label, "count": row.count} for row in rows
                ]
                for title, rows in self._tables()
            },
        }

    def page(self, about: Iterable[str]) -> str:
        """Return the same as an HTML page with plots.

        Args:
            about: Lines on the snapshot, for the head of the page.
        """
        from robodata_core.evaluation.html import bars

        parts = [f"<h1>{escape(self.name)}</h1>", html_list(map(str.strip, about), "setup")]
        parts.append(f"<h2>Coverage of {self.things:,} things</h2>")
        parts.append(bars(self.coverage, "Things that have a label, a class and so on"))
        for title, rows in self._tables():
            parts.append(f"<h2>{title} ({len(rows):,})</h2>")
            shown = {row.text: row.count for row in rows[:_ROWS]}
            parts.append(bars(shown, f"{title} by how often they occur"))
            parts.append(
                '<details class="wide"><summary>All of them</summary><table class="texts">'
            )
            parts += [f"<tr><td>{escape(row.text)}</td><td>{row.count:,}</td></tr>" for row in rows]
            parts.append("</table></details>")
        return page(self.name, parts)

    def _tables(self) -> tuple[tuple[str, tuple[Named, ...]], ...]:
        return (("Classes", self.classes), ("Relations", self.relations), ("Origins", self.origins))


_KINDS: Final = {
    **dict.fromkeys(LABELS, "a label"),
    **dict.fromkeys(ALIASES, "another name"),
    **dict.fromkeys(DESCRIPTIONS, "a description"),
    **dict.fromkeys(_CLASS | _ABOVE, "a class"),
}


def _named(counts: Counter[str], source: SnapshotSource) -> tuple[Named, ...]:
    ids = {iri: id_from_iri(iri) for iri in counts}
    known = source.entities(ids.values())
    return tuple(
        Named(ids[iri], known[ids[iri]].label if ids[iri] in known else "", count)
        for iri, count in counts.most_common()
    )


def _iri(term: object) -> str:
    """Return the IRI of a term of RDF; empty for a literal, a blank node, the default graph."""
    text = str(term)
    return text[1:-1] if text.startswith("<") and not text.startswith("<<") else ""


def _share(count: int, of: int) -> str:
    return f"{count / of:.0%}" if of else "-"
