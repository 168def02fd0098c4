"""What OWL says of classes in anonymous expressions, as facts between named things.

OWL states that every cup has a handle as "cup is a subclass of [whatever has some handle as a
component]", where the bracket is a blank node. ``ClassFacts`` reads such nodes while a file is
loaded and adds, for a class C, a property P and a named class or thing D, one triple of a property
of its own:

``<C> <urn:robodata:some:P> <D>``
    Each member of C has some member of D as P: from "P some D", and from "at least n P D" or
    "exactly n P D" with n over 0.
``<C> <urn:robodata:only:P> <D>``
    Whatever a member of C has as P is a member of D; there may be none. From "P only D".
``<C> <urn:robodata:each:P> <d>``
    Each member of C has d itself as P. From "P value d".

None of them says that C itself has D as P, nor anything of a single cup: P keeps its meaning, and
its own triples are never touched. What an axiom says beyond such a triple (exact numbers, either
this or that, the other direction of an equivalence) stays as the blank node it was, labelled in
words; an axiom that a triple says whole is replaced by it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from robodata_core.iris import EACH, ONLY, RDF, RDFS, SOME, XSD, class_property
from robodata_core.sources.names import MAX_NAME, derived_names
from robodata_core.sources.ntriples import iri_text, literal_parts, split_line
from robodata_core.text import clean_text

_log = logging.getLogger("robodata.sources.load")

_OWL: Final = "http://www.w3.org/2002/07/owl#"
_MOST_HELD: Final = 500_000
_MOST_DEPTH: Final = 200
_MOST_FACTS: Final = 1_000
_BLOCK: Final = 20_000
_TYPE: Final = f"<{RDF}type>".encode()
_LABEL: Final = f"<{RDFS}label>".encode()
_COMMENT: Final = f"<{RDFS}comment>".encode()
_SUBCLASS: Final = f"<{RDFS}subClassOf>".encode()
_EQUIVALENT: Final = f"<{_OWL}equivalentClass>".encode()
_EDGES: Final = (_SUBCLASS, _EQUIVALENT)
_PARTS: Final = {
    f"<{_OWL}{name}>".encode(): name
    for name in (
        *("onProperty", "onClass", "onDataRange", "inverseOf"),
        *("someValuesFrom", "allValuesFrom", "hasValue", "hasSelf"),
        *("minCardinality", "maxCardinality", "cardinality"),
        *("minQualifiedCardinality", "maxQualifiedCardinality", "qualifiedCardinality"),
        *("intersectionOf", "unionOf", "complementOf", "oneOf"),
    )
} | {f"<{RDF}{name}>".encode(): name for name in ("first", "rest")}
_CLASSES: Final = tuple(f"<{_OWL}{name}>".encode() for name in ("Restriction", "Class"))
_NO_CLASS: Final = (
    f"<{XSD}".encode(),
    f"<{_OWL}".encode(),
    f"<{RDF}".encode(),
    f"<{RDFS}".encode(),
)
_WORDS: Final = {SOME: "some", ONLY: "only", EACH: "value"}
_SAYS: Final = {
    SOME: "Each member of the class has some member of the other class as '{}'",
    ONLY: "Whatever a member of the class has as '{}' is a member of the other class",
    EACH: "Each member of the class has the other thing as '{}'",
}


_Fact: TypeAlias = tuple[str, bytes, bytes]
"""The kind of property (empty: the property itself), the property, and the object."""


class ClassFacts:
    """Reads the blocks of one file and gives them back with facts for anonymous expressions.

    Args:
        path: The file, for the log.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._held: list[bytes] = []
        self._nodes: dict[bytes, Expression] = {}
        self._edges: list[tuple[bytes, bytes, bytes]] = []
        self._used: set[bytes] = set()
        self._full = False

    def blocks(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield canonical lines: those that stay, and at the end what was made of the rest."""
        for block in blocks:
            # Where nothing is anonymous, nothing is read twice.
            if self._full or b"_:" not in block:
                yield block
            else:
                yield from self._block(block)
        if self._full:
            return
        lines = list(dict.fromkeys(self._finish()))
        for start in range(0, len(lines), _BLOCK):
            yield b"\n".join(lines[start : start + _BLOCK]) + b"\n"

    # -- reading --------------------------------------------------------------------------------

    def _block(self, block: bytes) -> Iterator[bytes]:
        kept = [line for line in block.split(b"\n") if line and not self._hold(line)]
        if len(self._held) + len(self._used) > _MOST_HELD:
            self._full = True
            _log.warning("%s has too many class expressions to state them as facts", self._path)
            kept += self._held
            self._held.clear()
            self._nodes.clear()
        if kept:
            yield b"\n".join(kept) + b"\n"

    def _hold(self, line: bytes) -> bool:
        """Keep a line back that belongs to a class expression."""
        if b"_:" not in line:
            return False
        subject, predicate, object_, graph = split_line(line)
        # Expressions are read where OWL files have them: in no named graph.
        if graph or not self._belongs(subject, predicate, object_):
            self._used.update(term for term in (subject, object_) if term.startswith(b"_:"))
            return False
        self._held.append(line)
        return True

    def _belongs(self, subject: bytes, predicate: bytes, object_: bytes) -> bool:
        if not subject.startswith(b"_:"):
            if predicate not in _EDGES or not object_.startswith(b"_:"):
                return False
            self._edges.append((subject, predicate, object_))
            return True
        if predicate == _TYPE and object_ in _CLASSES:
            self._nodes.setdefault(subject, {})
            return True
        part = _PARTS.get(predicate)
        if part is not None:
            self._nodes.setdefault(subject, {}).setdefault(part, []).append(object_)
        return part is not None

    # -- putting together -----------------------------------------------------------------------

    def _finish(self) -> Iterator[bytes]:
        needed = self._used | self._shared()
        replaced: set[bytes] = set()
        properties: dict[tuple[str, str], None] = {}
        made = 0
        for subject, predicate, node in self._edges:
            if made > _MOST_HELD:
                _log.warning("%s has too many class expressions: some are no facts", self._path)
                break
            facts: list[_Fact] = []
            whole = self._facts(node, facts, set())
            made += len(facts)
            for kind, property_, object_ in facts:
                if not kind:
                    yield b"%b %b %b ." % (subject, property_, object_)
                    continue
                name = iri_text(property_)
                properties[name, kind] = None
                yield b"%b <%b> %b ." % (subject, class_property(name, kind).encode(), object_)
            if whole and predicate == _SUBCLASS:
                replaced |= self._tree(node, needed)
        for name, kind in properties:
            yield from _described(name, kind)
        yield from self._kept(replaced)

    def _kept(self, replaced: set[bytes]) -> Iterator[bytes]:
        """Yield the lines that no fact replaces, and what their nodes say in words."""
        for line in self._held:
            subject, _, object_, _ = split_line(line)
            if subject not in replaced and object_ not in replaced:
                yield line
        for node in self._nodes:
            words = "" if node in replaced else words_of(node, self._nodes)
            if words:
                yield b"%b %b %b ." % (node, _LABEL, _literal(words))

    def _shared(self) -> set[bytes]:
        """Return the nodes that more than one thing refers to."""
        once: set[bytes] = set()
        shared: set[bytes] = set()
        everywhere = [node for _, _, node in self._edges]
        everywhere += [
            term for parts in self._nodes.values() for terms in parts.values() for term in terms
        ]
        for term in everywhere:
            if term.startswith(b"_:"):
                (shared if term in once else once).add(term)
        return shared

    def _facts(self, node: bytes, facts: list[_Fact], seen: set[bytes]) -> bool:
        """Collect what follows for a subclass of ``node``; tell whether that is all it says."""
        parts = self._nodes.get(node)
        if parts is None or node in seen or len(seen) > _MOST_DEPTH or len(facts) > _MOST_FACTS:
            return False
        seen.add(node)
        if set(parts) == {"intersectionOf"}:
            members = list_members(parts["intersectionOf"][0], self._nodes)
            whole = 0 < len(members) <= _MOST_FACTS
            for member in members[:_MOST_FACTS]:
                if member.startswith(b"<"):
                    facts.append(("", _SUBCLASS, member))
                else:
                    whole &= self._facts(member, facts, seen)
            return whole
        return self._restriction(parts, facts)

    def _restriction(self, parts: Expression, facts: list[_Fact]) -> bool:
        on = parts.get("onProperty", [])
        if len(on) != 1 or not on[0].startswith(b"<"):
            return False
        for part, kind in (("someValuesFrom", SOME), ("allValuesFrom", ONLY), ("hasValue", EACH)):
            if part in parts:
                fillers, whole = self._fillers(parts[part][0], kind)
                facts += [(kind, on[0], filler) for filler in fillers]
                return whole and len(parts) == 2 and len(parts[part]) == 1
        for part in ("minQualifiedCardinality", "qualifiedCardinality"):
            if "onClass" in parts and _number(parts.get(part)) > 0:
                fillers, _ = self._fillers(parts["onClass"][0], SOME)
                facts += [(SOME, on[0], filler) for filler in fillers]
        return False

    def _fillers(self, filler: bytes, kind: str) -> tuple[list[bytes], bool]:
        """Return the named things that a restriction speaks of, and whether that is all of it."""
        if kind == EACH:
            return ([filler], True) if not filler.startswith(b"_:") else ([], False)
        if filler.startswith(b"<"):
            return ([], False) if filler.startswith(_NO_CLASS) else ([filler], True)
        parts = self._nodes.get(filler, {})
        members = (
            list_members(parts["intersectionOf"][0], self._nodes)
            if "intersectionOf" in parts
            else []
        )
        # "some (A and B)" says more than "some A" and "some B"; "only (A and B)" does not.
        named = [item for item in members if item[:1] == b"<" and not item.startswith(_NO_CLASS)]
        return named, kind == ONLY and bool(members) and len(named) == len(members)

    def _tree(self, node: bytes, needed: set[bytes]) -> set[bytes]:
        """Return a node and every blank node below it; nothing if one of them is needed."""
        found: set[bytes] = set()
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if node in needed:
                return set()
            if node not in found:
                found.add(node)
                terms = (term for objects in self._nodes.get(node, {}).values() for term in objects)
                waiting += [term for term in terms if term.startswith(b"_:")]
        return found


def _number(terms: list[bytes] | None) -> int:
    if not terms or not terms[0].startswith(b'"'):
        return 0
    text = literal_parts(terms[0])[0]
    return int(text) if text.isdigit() and len(text) < 10 else 0


def _described(property_: str, kind: str) -> Iterator[bytes]:
    """Yield what a property of classes is called and means."""
    names = derived_names(property_, is_property=True) or (property_,)
    subject = b"<%b>" % class_property(property_, kind).encode()
    yield b"%b %b %b ." % (subject, _LABEL, _literal(f"{names[0]} ({_WORDS[kind]})"))
    alias = b"<http://www.w3.org/2004/02/skos/core#altLabel>"
    yield b"%b %b %b ." % (subject, alias, _literal(names[0]))
    says = _SAYS[kind].format(names[0])
    yield b"%b %b %b ." % (subject, _COMMENT, _literal(f"{says} (an OWL restriction)."))


def _literal(text: str) -> bytes:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'.replace("\r", "\\r").encode("utf-8", "replace")


Expression: TypeAlias = dict[str, list[bytes]]
"""What is said of a blank node: part names without their namespace, and the objects."""

Nodes: TypeAlias = Mapping[bytes, Expression]

_NIL: Final = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>"
_MOST_WORDS_DEPTH: Final = 20
_MOST_MEMBERS: Final = 30
_MOST_NODES: Final = 100
_RESTRICTIONS: Final = {"someValuesFrom": "some", "allValuesFrom": "only", "hasValue": "value"}
_NUMBERS: Final = {
    "minCardinality": "at least",
    "minQualifiedCardinality": "at least",
    "maxCardinality": "at most",
    "maxQualifiedCardinality": "at most",
    "cardinality": "exactly",
    "qualifiedCardinality": "exactly",
}


def list_members(start: bytes, nodes: Nodes) -> list[bytes]:
    """Return the members of an RDF list, or nothing if it is not whole."""
    found: list[bytes] = []
    seen: set[bytes] = set()
    while start != _NIL:
        cell = nodes.get(start, {})
        if start in seen or len(cell.get("first", ())) != 1 or len(cell.get("rest", ())) != 1:
            return []
        seen.add(start)
        found.append(cell["first"][0])
        start = cell["rest"][0]
    return found


def words_of(node: bytes, nodes: Nodes) -> str:
    """Return what a blank node says in words, or an empty string if it is no class expression."""
    return clean_text(_Writer(nodes).words(node, 0), limit=MAX_NAME)


class _Writer:
    """Writes one expression; what is too deep or too long is left out."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._left = _MOST_NODES

    def words(self, node: bytes, depth: int) -> str:
        """Return what a node of a class expression says, "..." where it is too deep or too long."""
        parts = self._nodes.get(node, {})
        self._left -= 1
        if depth > _MOST_WORDS_DEPTH or self._left < 0:
            return "..."
        for part, joint in (("intersectionOf", " and "), ("unionOf", " or ")):
            if part in parts:
                return joint.join(self._list(parts[part], depth))
        if "complementOf" in parts:
            return f"not {self._inner(parts['complementOf'][0], depth)}"
        if "oneOf" in parts:
            return f"one of {', '.join(self._list(parts['oneOf'], depth))}"
        if "onProperty" in parts:
            return self._restriction(parts, depth)
        return ""

    def _restriction(self, parts: Expression, depth: int) -> str:
        name = self._property(parts["onProperty"][0])
        for part, word in _RESTRICTIONS.items():
            if part in parts:
                return f"{name} {word} {self._inner(parts[part][0], depth)}"
        if "hasSelf" in parts:
            return f"{name} itself"
        for part, word in _NUMBERS.items():
            if part in parts:
                of = parts.get("onClass", parts.get("onDataRange", []))
                filler = f" {self._inner(of[0], depth)}" if of else ""
                return f"{name} {word} {_name(parts[part][0])}{filler}"
        return ""

    def _property(self, term: bytes) -> str:
        inverse = self._nodes.get(term, {}).get("inverseOf")
        if inverse:
            return f"inverse of {_name(inverse[0], is_property=True)}"
        return _name(term, is_property=True)

    def _list(self, start: Sequence[bytes], depth: int) -> list[str]:
        members = list_members(start[0], self._nodes)
        shown = [self._inner(member, depth) for member in members[:_MOST_MEMBERS]]
        return [*shown, "..."] if len(members) > len(shown) or not members else shown

    def _inner(self, term: bytes, depth: int) -> str:
        if not term.startswith(b"_:"):
            return _name(term)
        return f"({self.words(term, depth + 1) or '...'})"


def _name(term: bytes, *, is_property: bool = False) -> str:
    if term.startswith(b'"'):
        return literal_parts(term)[0]
    if term.startswith(b"_:"):
        return "..."
    iri = iri_text(term)
    return (derived_names(iri, is_property=is_property) or (iri,))[0]
