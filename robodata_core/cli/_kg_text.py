"""What the ``kg`` commands print: search hits, one entity, one snapshot, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from robodata_core.answers.json import value_to_json
from robodata_core.errors import InvalidRequestError, NotFoundError
from robodata_core.iris import id_from_iri, is_id
from robodata_core.model import (
    Direction,
    Entity,
    EntityValue,
    Property,
    QuantityValue,
    RelationCount,
    SearchHit,
    Snak,
    Statement,
    StatementPage,
    Value,
    ids_in,
)
from robodata_core.text import clean_text, plural
from robodata_core.values import format_value

if TYPE_CHECKING:
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.sources.snapshot import SnapshotSource

_CELL = 64
_EXAMPLES = 3


# -- search -----------------------------------------------------------------------------------


def hit_lines(hits: Sequence[SearchHit]) -> list[str]:
    """Return one aligned line a hit: id, label, description, how it matched."""
    rows = []
    for hit in hits:
        matched = hit.match.value
        if hit.matched not in ("", hit.label, hit.id):
            matched += f": {hit.matched}"
        rows.append((hit.id, hit.label, hit.description, matched))
    return _aligned(rows)


def hit_json(hit: SearchHit) -> dict[str, Any]:
    """Return a hit as JSON."""
    return {
        "id": hit.id,
        "label": hit.label,
        "description": hit.description,
        "match": hit.match.value,
        "matched": hit.matched,
        "score": hit.score,
        "popularity": hit.popularity,
    }


# -- one entity -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shown:
    """An entity with everything that is shown of it.

    Attributes:
        entity: Its names and types.
        groups: A page of statements for each of its properties.
        incoming: The relations that point to it.
        examples: Some subjects of each of these.
        labels: Labels of all ids that occur.
        property: The same as a property, where it is one.
    """

    entity: Entity
    groups: Mapping[str, StatementPage]
    incoming: tuple[RelationCount, ...]
    examples: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, str]
    property: Property | None

    @classmethod
    def read(cls, source: KnowledgeSource, text: str, limit: int, all_ranks: bool) -> Shown:
        """Read from a source.

        Raises:
            InvalidRequestError: If ``text`` is not an id.
            NotFoundError: If the source does not know it.
        """
        id_ = _id(source, text)
        entity = source.entity(id_)
        relations = source.relations([id_])
        groups = {
            relation.property: source.statements(
                id_, property=relation.property, limit=limit, all_ranks=all_ranks
            )
            for relation in relations
            if relation.direction is Direction.OUT
        }
        incoming = tuple(item for item in relations if item.direction is Direction.IN)
        examples = {
            relation.property: tuple(
                statement.subject
                for statement in source.statements(
                    id_, direction=Direction.IN, property=relation.property, limit=_EXAMPLES
                ).statements
            )
            for relation in incoming
        }
        statements = [item for page in groups.values() for item in page.statements]
        labels = _labels(source, entity, statements, (*groups, *examples), examples.values())
        property_ = source.properties([id_]).get(id_)
        return cls(entity, groups, incoming, examples, labels, property_)

    def lines(self) -> Iterator[str]:
        """Yield the lines for a reader."""
        yield from self._head()
        if self.groups:
            yield ""
            yield f"Statements: {sum(page.total for page in self.groups.values()):,}"
        for property_, page in self.groups.items():
            yield f"  {self._name(property_)}"
            for statement in page.statements:
                yield f"    {self._statement(statement)}"
            if page.truncated:
                yield f"    ... {page.total - len(page.statements):,} more (raise --limit)"
        if self.incoming:
            yield ""
            yield f"Points to it: {sum(item.count for item in self.incoming):,}"
        for item in self.incoming:
            names = ", ".join(self._name(id_) for id_ in self.examples[item.property])
            more = ", ..." if item.count > len(self.examples[item.property]) else ""
            yield f"  {self._name(item.property)}: {item.count:,} ({names}{more})"

    def _head(self) -> Iterator[str]:
        entity = self.entity
        yield self._name(entity.id)
        if entity.description:
            yield _clean(entity.description, 300)
        if entity.aliases:
            yield "Also called: " + ", ".join(_clean(alias) for alias in entity.aliases)
        if entity.types:
            yield "Is: " + ", ".join(self._name(type_) for type_ in entity.types)
        if self.property is not None:
            kind = (
                f" with values of type {self.property.datatype}" if self.property.datatype else ""
            )
            uses = self.property.uses
            yield f"A property{kind}, used {plural(uses, 'time')}"

    def to_json(self) -> dict[str, Any]:
        """Return the same as JSON."""
        entity = self.entity
        return {
            "id": entity.id,
            "label": entity.label,
            "description": entity.description,
            "aliases": list(entity.aliases),
            "types": [self._ref(type_) for type_ in entity.types],
            "popularity": entity.popularity,
            "property": self._property_json(),
            "statements": [
                {
                    "property": self._ref(property_),
                    "total": page.total,
                    "values": [self._statement_json(item) for item in page.statements],
                }
                for property_, page in self.groups.items()
            ],
            "incoming": [
                {
                    "property": self._ref(item.property),
                    "total": item.count,
                    "examples": [self._ref(id_) for id_ in self.examples[item.property]],
                }
                for item in self.incoming
            ],
        }

    def _property_json(self) -> dict[str, Any] | None:
        if self.property is None:
            return None
        return {"datatype": self.property.datatype, "uses": self.property.uses}

    def _statement(self, statement: Statement) -> str:
        parts = [self._value(statement.value)]
        if statement.rank.value != "normal":
            parts.append(f"({statement.rank.value})")
        if statement.qualifiers:
            parts.append("[" + "; ".join(map(self._snak, statement.qualifiers)) + "]")
        if statement.origin:
            parts.append(f"<{_clean(statement.origin)}>")
        return " ".join(parts)

    def _snak(self, snak: Snak) -> str:
        name = _clean(self.labels.get(snak.property, "")) or snak.property
        return f"{name}: {self._value(snak.value)}"

    def _value(self, value: Value) -> str:
        if isinstance(value, EntityValue):
            return self._name(value.id)
        return _clean(format_value(value, lambda id_: self.labels.get(id_, "")), 200)

    def _name(self, id_: str) -> str:
        label = _clean(self.labels.get(id_, ""))
        return f"{label} ({clean_text(id_)})" if label else clean_text(id_)

    def _ref(self, id_: str) -> dict[str, str]:
        return {"id": id_, "label": self.labels.get(id_, "")}

    def _statement_json(self, statement: Statement) -> dict[str, Any]:
        return {
            **self._value_json(statement.value),
            "statement": statement.id,
            "rank": statement.rank.value,
            "origin": statement.origin,
            "qualifiers": [self._snak_json(snak) for snak in statement.qualifiers],
            "references": [
                [self._snak_json(snak) for snak in reference.snaks]
                for reference in statement.references
            ],
        }

    def _snak_json(self, snak: Snak) -> dict[str, Any]:
        return {"property": self._ref(snak.property), **self._value_json(snak.value)}

    def _value_json(self, value: Value) -> dict[str, Any]:
        label = self.labels.get(value.id, "") if isinstance(value, EntityValue) else ""
        unit = value.unit if isinstance(value, QuantityValue) else None
        return value_to_json(value, label, self.labels.get(unit or "", ""))


def _id(source: KnowledgeSource, text: str) -> str:
    """Return the id in ``text``; a name is not taken for one, but its near matches are shown."""
    text = clean_text(text, limit=2_000).strip().strip("<>").removeprefix("wd:")
    text = text.upper() if text[1:].isdigit() else text
    id_ = id_from_iri(text)
    if is_id(id_) and (":" not in id_ or id_.startswith(("http://", "https://", "urn:"))):
        return id_
    near = ", ".join(f"{_clean(hit.label)} ({hit.id})" for hit in source.search(text, limit=3))
    if near:
        raise NotFoundError(f"{_clean(text)!r} is not an id.", hint=f"Perhaps: {near}.")
    raise InvalidRequestError(
        f"{_clean(text)!r} is not an id.", hint="Find ids by name with: robodata kg search NAME"
    )


def _labels(
    source: KnowledgeSource,
    entity: Entity,
    statements: Iterable[Statement],
    properties: Iterable[str],
    examples: Iterable[Iterable[str]],
) -> dict[str, str]:
    items = {entity.id: None, **dict.fromkeys(entity.types)}
    names = dict.fromkeys(properties)
    for statement in statements:
        snaks = statement.circumstances
        names.update(dict.fromkeys(snak.property for snak in snaks))
        items.update(dict.fromkeys(ids_in((statement.value, *(snak.value for snak in snaks)))))
    for some in examples:
        items.update(dict.fromkeys(some))
    labels = {id_: found.label for id_, found in source.entities(items).items()}
    labels |= {id_: found.label for id_, found in source.properties(names).items()}
    return labels | {entity.id: entity.label}


# -- a snapshot -------------------------------------------------------------------------------


def info_lines(source: SnapshotSource, problems: Sequence[str] | None) -> Iterator[str]:
    """Yield what a snapshot says of itself."""
    manifest = source.manifest
    yield f"{source.name}: {_clean(manifest.title, 200)}".rstrip(": ")
    yield f"Folder: {source.folder}"
    form = "one compressed file" if manifest.form == "nquads" else "an on-disk store"
    yield f"Form: {form}, format {manifest.format}, labels in {_clean(manifest.language)}"
    yield ", ".join(f"{count:,} {name}" for name, count in sorted(manifest.counts.items()))
    yield f"SHA-256: {_clean(manifest.sha256)}"
    for origin in manifest.sources:
        name, *rest = origin.items()
        yield f"From {_clean(name[1])}"
        yield from (f"  {_clean(key)}: {_clean(value, 200)}" for key, value in rest)
    for licence in manifest.licences:
        yield f"Licence: {_clean(licence, 200)}"
    if problems is not None:
        yield from (f"Problem: {_clean(problem, 300)}" for problem in problems)
        yield "Check: " + (
            plural(len(problems), "problem") if problems else "everything is as it was"
        )


def info_json(source: SnapshotSource, problems: Sequence[str] | None) -> dict[str, Any]:
    """Return the same as JSON."""
    manifest = source.manifest
    data: dict[str, Any] = {
        "name": manifest.name,
        "title": manifest.title,
        "folder": str(source.folder),
        "form": manifest.form,
        "format": manifest.format,
        "language": manifest.language,
        "sha256": manifest.sha256,
        "counts": dict(sorted(manifest.counts.items())),
        "sources": [dict(origin) for origin in manifest.sources],
        "licences": list(manifest.licences),
    }
    if problems is not None:
        data["problems"] = list(problems)
    return data


def _clean(text: str, limit: int = _CELL) -> str:
    return clean_text(text, limit=limit)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    cleaned = [[_clean(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cleaned, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cleaned
    ]


# -- the snapshots there are ----------------------------------------------------------------------


def snapshot_rows() -> list[dict[str, Any]]:
    """Return what is said of every snapshot that has a name, for ``kg list``."""
    from robodata_core.errors import SnapshotError
    from robodata_core.sources.snapshot import (
        embedded_snapshots,
        find_snapshot,
        read_manifest,
        user_snapshots,
    )

    rows: list[dict[str, Any]] = []
    packaged = embedded_snapshots()
    names = [*packaged, *(name for name in user_snapshots() if name not in packaged)]
    for name in names:
        folder = find_snapshot(name)
        row: dict[str, Any] = {"name": name, "path": str(folder), "own": name not in packaged}
        try:
            manifest = read_manifest(folder)
        except SnapshotError as error:
            rows.append(row | {"problem": error.message})
            continue
        counts = dict(manifest.counts)
        rows.append(row | {"title": clean_text(manifest.title, limit=200), "counts": counts})
    return rows


def snapshot_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each snapshot: name, size, title, whose it is."""
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        whose = "yours" if row["own"] else "with the package"
        if "problem" in row:
            yield f"snapshot:{row['name']:<{width}}  {row['problem']}"
            continue
        triples = f"{row['counts'].get('triples', 0):,} triples"
        yield f"snapshot:{row['name']:<{width}}  {triples:>16}  {whose}  {row['title']}".rstrip()
