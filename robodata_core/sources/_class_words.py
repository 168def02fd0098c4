"""Anonymous class expressions of OWL in words: ``has physical component exactly 1 Blade``.

Close to Manchester syntax, with names made from IRIs: labels may stand in other files. Pure
functions over nodes as ``_class_facts`` holds them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from robodata_core.sources._lines import iri_text, literal_parts
from robodata_core.sources._names import MAX_NAME, derived_names
from robodata_core.text import clean_text

__all__ = ["Expression", "list_members", "words_of"]

Expression: TypeAlias = dict[str, list[bytes]]
"""What is said of a blank node: part names without their namespace, and the objects."""

Nodes: TypeAlias = Mapping[bytes, Expression]

_NIL: Final = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>"
_MOST_DEPTH: Final = 20
_MOST_MEMBERS: Final = 30
_MOST_NODES: Final = 100
_RESTRICTIONS: Final = {
    "someValuesFrom": "some",
    "allValuesFrom": "only",
    "hasValue": "value",
}
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
        parts = self._nodes.get(node, {})
        self._left -= 1
        if depth > _MOST_DEPTH or self._left < 0:
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
