"""One pass over a graph that gathers what the name index needs, in memory of a fixed size.

``Collector.observe`` takes N-Quads in blocks of whole lines and notes names, how often every node
is mentioned, and how predicates are used; ``records`` puts the notes (``_spool``) together.
Validation is not its business: the graph store parses the same bytes strictly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final

from robodata_core.iris import RDF, RDFS, SCHEMA, id_from_iri
from robodata_core.sources.names import (
    MAX_DESCRIPTION,
    MAX_NAME,
    WELL_KNOWN,
    NameKind,
    Names,
    choose_names,
    derived_names,
    name_kind,
    page_of_a_wiki,
)
from robodata_core.sources.ntriples import canonical_lines, iri_text, literal_parts, split_line
from robodata_core.sources.predicates import (
    DATATYPE,
    DERIVED,
    PROPERTY_CLASSES,
    TYPE,
    Role,
    role_of,
)
from robodata_core.sources.snapshot.loading._spool import Node, Spool, kind_of, observed_datatype
from robodata_core.text import clean_text

__all__ = ["Collector", "Record"]

_MAX_COUNTED: Final = 400_000
_SAMPLED: Final = 100
_TYPE_KEY: Final = b"<" + TYPE.encode() + b">"
_DERIVED_KEY: Final = b"<" + DERIVED.encode() + b">"
_PAGES: Final = tuple(SCHEMA + name for name in ("about", "isPartOf", "inLanguage"))
_ABOUT_PAGES: Final = frozenset(b"<" + iri.encode() + b">" for iri in _PAGES)
_OWL: Final = "http://www.w3.org/2002/07/owl#"
_SPECIAL: Final = frozenset((TYPE, DERIVED, *_PAGES))
_STATEMENTS: Final = (b"<http://www.wikidata.org/entity/statement/", b"<urn:robodata:statement:")
_WIKIDATA: Final = b"<http://www.wikidata.org/"
_ITEM: Final = b"<http://www.wikidata.org/entity/Q"
_ENCODING: Final = b"<http://wikiba.se/ontology#"
_DECLARED: Final = tuple(f"<{space}".encode() for space in (_OWL, RDFS, RDF))
# Wikidata's predicates are described, too, but the properties behind them are what counts.
_PREDICATES: Final = b"<http://www.wikidata.org/prop/"
_CLASS_KEYS: Final = frozenset(b"<" + iri.encode() + b">" for iri in PROPERTY_CLASSES)

_FACT, _NAME, _DATATYPE, _OTHER = range(4)


@dataclass(frozen=True, slots=True)
class Record:
    """What the index keeps of one entity or property.

    Attributes:
        id: Its id.
        names: Label, aliases, description.
        is_property: Whether it is a property.
        popularity: How often edges touch it; of a property, how often it is used.
        datatype: Of a property, the Wikibase datatype of its values.
    """

    id: str
    names: Names
    is_property: bool
    popularity: int
    datatype: str = ""


@dataclass(slots=True)
class _Use:
    """How a predicate is used."""

    action: int
    property: str = ""
    role: Role = Role.ASIDE
    place: tuple[NameKind, int] | None = None
    count: int = 0
    kinds: dict[str, int] = field(default_factory=dict)


class Collector:
    """Gathers names and counts; a context manager, for its files.

    Args:
        folder: Where to spool; must exist, and nothing else may be in it.
        language: Preferred language of labels.
    """

    def __init__(self, folder: Path, language: str) -> None:
        self._language = language
        self._uses: dict[bytes, _Use] = {}
        self._plain: dict[bytes, _Use] = {}
        self._names: dict[bytes, tuple[NameKind, int]] = {}
        self._outgoing: Counter[bytes] = Counter()
        self._incoming: Counter[bytes] = Counter()
        self._spool = Spool(folder)

    def __enter__(self) -> Collector:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._spool.__exit__(kind, error, trace)

    # -- observing ----------------------------------------------------------------------------

    def observe(self, block: bytes) -> None:
        """Note what stands in some whole lines of N-Quads.

        Raises:
            SyntaxError: If a line that is not in the usual form cannot be parsed.
            ValueError: If a line holds what a snapshot cannot.
        """
        plain, names, escapes = self._plain, self._names, b"\\" in block
        outgoing, objects = self._outgoing, []
        last, run = b"", 0
        for line in block.split(b"\n"):
            # This loop sees every triple of every load: it does as little as it can.
            try:
                subject, predicate, rest = line.split(b" ", 2)
            except ValueError:
                self._unusual(line)
                continue
            use = plain.get(predicate)
            if use is None or (escapes and b"\\" in line) or not subject.endswith(b">"):
                place = names.get(predicate)
                if place is None or not self._plain_name(subject, rest, place):
                    self._unusual(line)
                continue
            use.count += 1
            if subject == last:
                run += 1
            else:
                outgoing[last] += run
                last, run = subject, 1
            if rest[:1] == b"<":
                objects.append(rest[: rest.index(b">") + 1])
            if use.count <= _SAMPLED:
                _sample(use, rest)
        outgoing[last] += run
        # A Counter counts a list without coming back to the interpreter.
        self._incoming.update(objects)
        if len(outgoing) + len(self._incoming) > _MAX_COUNTED:
            self._spool_counts()

    def _plain_name(self, subject: bytes, rest: bytes, place: tuple[NameKind, int]) -> bool:
        """Take a name in the usual form: printable, without escapes, in the default graph."""
        end = rest.rfind(b'"')
        suffix = rest[end + 1 :]
        if end < 1 or rest[:1] != b'"' or b"\\" in rest or subject[-1:] != b">":
            return False
        if suffix != b" ." and not (suffix[:1] == b"@" and suffix.find(b" ") == len(suffix) - 2):
            return False
        try:
            text = rest[1:end].decode("utf-8")
        except UnicodeDecodeError:
            return False
        if len(text) > MAX_NAME or not text.isprintable() or not text.strip():
            return False
        self._spool.note(
            subject, b"N", b"%d\t%d\t%b\t%b" % (*place, suffix[1:-2], rest[1:end].strip())
        )
        return True

    def _unusual(self, line: bytes) -> None:
        """Take a line whose predicate is new, or that is not written as usual."""
        stripped = line.strip()
        if not stripped or stripped.startswith(b"#"):
            return
        use = self._use(stripped)
        if use is not None:
            self._special(stripped, use)
            return
        for canonical in canonical_lines(stripped):
            use = self._use(canonical)
            if use is None:
                raise ValueError("a line is not N-Quads")
            self._special(canonical, use)

    def _use(self, line: bytes) -> _Use | None:
        """Return how the predicate of a line in the usual form is used; None for other lines."""
        try:
            subject, predicate, _ = line.split(b" ", 2)
        except ValueError:
            return None
        use = self._uses.get(predicate)
        if use is None and _usual(subject) and _usual(predicate):
            use = self._uses[predicate] = _use_of(iri_text(predicate))
            if use.action == _FACT:
                self._plain[predicate] = use
            if use.place is not None:
                self._names[predicate] = use.place
        return use

    def _special(self, line: bytes, use: _Use) -> None:
        """Take a line that is more than a plain fact between plain IRIs."""
        if b"\\" in line or line[-2:] != b" .":
            (line,) = canonical_lines(line)
        subject, predicate, object_, _ = split_line(line)
        use.count += 1
        if subject[:1] != b"<":
            return
        if use.action == _NAME and use.place is not None:
            self._name(subject, object_, use.place)
        elif use.action == _DATATYPE:
            self._spool.note(subject, b"D", iri_text(object_).encode())
        elif predicate == _TYPE_KEY:
            self._type(subject, object_, use)
        elif predicate in _ABOUT_PAGES and _is_page(subject):
            # How many pages are about a thing tells how well it is known; no more than that.
            use.count -= 1
            self._incoming[object_] += 1
        elif predicate == _DERIVED_KEY and subject.startswith(_STATEMENTS):
            use.count -= 1
        elif use.role is Role.FACT:
            self._outgoing[subject] += 1
            _sample(use, object_)
            if object_[:1] == b"<":
                self._incoming[object_] += 1

    def _type(self, subject: bytes, class_: bytes, use: _Use) -> None:
        if class_ in _CLASS_KEYS:
            self._spool.note(subject, b"P", b"")
        if class_.startswith(_ENCODING):
            use.count -= 1
        elif class_.startswith(_DECLARED):
            # No statement, but whoever declares something speaks of it.
            use.count -= 1
            self._outgoing[subject] += 1
        elif class_[:1] == b"<":
            self._outgoing[subject] += 1
            self._incoming[class_] += 1
            _sample(use, class_)

    def _name(self, subject: bytes, object_: bytes, place: tuple[NameKind, int]) -> None:
        if object_[:1] != b'"':
            return
        text, language, _ = literal_parts(object_)
        limit = MAX_DESCRIPTION if place[0] is NameKind.DESCRIPTION else MAX_NAME
        text = clean_text(text, limit=limit).strip()
        if text:
            data = f"{place[0]:d}\t{place[1]}\t{language}\t{text}"
            self._spool.note(subject, b"N", data.encode("utf-8", "replace"))

    def _spool_counts(self) -> None:
        for kind, counts in ((b"O", self._outgoing), (b"I", self._incoming)):
            counts.pop(b"", None)
            for key, count in counts.items():
                self._spool.note(key, kind, b"%d" % count)
            counts.clear()

    # -- putting together ---------------------------------------------------------------------

    def records(self) -> Iterator[Record]:
        """Yield one record for everything that has, or can be given, a name."""
        self._spool_counts()
        properties = self._properties()
        for nodes in self._spool.shares():
            for key, node in nodes.items():
                if key.startswith(_PREDICATES):
                    continue
                record = self._record(_id_of(key), node, properties)
                if record is not None:
                    yield record
        for id_, use in properties.items():
            if not use.count:
                continue
            names = _with_derived(id_, Names(), is_property=True)
            yield Record(id_, names, True, use.count, observed_datatype(use.kinds))

    def _properties(self) -> dict[str, _Use]:
        found: dict[str, _Use] = {}
        for use in self._uses.values():
            if use.role not in (Role.FACT, Role.NODE) or not use.property:
                continue
            other = found.get(use.property)
            if other is None:
                found[use.property] = use
            else:
                # Truthy triples and full statements say the same: the larger number counts.
                other.count = max(other.count, use.count)
                other.kinds = other.kinds or use.kinds
        return found

    def _record(self, id_: str, node: Node, properties: dict[str, _Use]) -> Record | None:
        use = properties.pop(id_, None)
        is_property = use is not None or node.is_property or _is_wikidata_property(id_)
        names = choose_names(node.names, self._language)
        if not names.label:
            if not (node.outgoing or is_property):
                return None
            names = _with_derived(id_, names, is_property=is_property)
        if not (names.label or is_property) or ("/wiki/" in id_ and page_of_a_wiki(id_)):
            return None
        if not is_property:
            return Record(id_, names, False, node.outgoing + node.incoming)
        uses = use.count if use else 0
        datatype = node.datatype or (observed_datatype(use.kinds) if use else "")
        return Record(id_, names, True, uses, datatype)


def _use_of(predicate: str) -> _Use:
    role, property_ = role_of(predicate)
    if role is Role.FACT:
        action = _OTHER if predicate in _SPECIAL else _FACT
    elif role is Role.NAME:
        action = _NAME
    else:
        action = _DATATYPE if predicate == DATATYPE else _OTHER
    return _Use(action, property_, role, name_kind(predicate))


def _is_page(subject: bytes) -> bool:
    return subject.startswith(b"<http://www.wikidata.org/wiki/") or page_of_a_wiki(
        iri_text(subject)
    )


def _usual(term: bytes) -> bool:
    return term[:1] == b"<" and term.find(b">") == len(term) - 1 and b"\\" not in term


def _sample(use: _Use, object_: bytes) -> None:
    kind = kind_of(object_)
    # Wikidata has nothing but its own entities; any other IRI is a link to a page.
    if kind == "wikibase-item" and ":" not in use.property and object_.startswith(b"<http"):
        kind = kind if object_.startswith(_WIKIDATA) else "url"
    use.kinds[kind] = use.kinds.get(kind, 0) + 1


def _id_of(key: bytes) -> str:
    number = key[len(_ITEM) : -1]
    if key.startswith(_ITEM) and number.isdigit() and number[:1] != b"0" and len(number) <= 12:
        return f"Q{number.decode()}"
    return id_from_iri(iri_text(key))


def _is_wikidata_property(id_: str) -> bool:
    return id_[:1] == "P" and id_[1:].isdigit()


def _with_derived(id_: str, names: Names, *, is_property: bool) -> Names:
    if id_ in WELL_KNOWN:
        label, *aliases = WELL_KNOWN[id_]
    else:
        label, *aliases = derived_names(id_, is_property=is_property) or ("",)
    return Names(label, (*names.aliases, *aliases), names.description)
