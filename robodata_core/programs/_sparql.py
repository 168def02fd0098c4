"""Pieces of SPARQL text: terms that cannot break out of their place, fresh variables, prefixes.

Every value reaches a query as one serialised term, so nothing that stands in a label or a string
can become syntax.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import pyoxigraph as ox

from robodata_core.errors import ProgramError
from robodata_core.iris import RDF, RDFS, WD, WDT, WIKIBASE, XSD, iri_of, predicate_iri
from robodata_core.model import TimeValue, Value
from robodata_core.programs.instants import Instant
from robodata_core.store.terms import value_to_term

__all__ = ["INDENT", "PREFIXES", "Text", "extremes", "indented"]

INDENT: Final = "  "
_WIKIDATA_PROPERTIES: Final = "http://www.wikidata.org/prop/"
PREFIXES: Final = {
    "wd": WD,
    "wdt": WDT,
    "p": _WIKIDATA_PROPERTIES,
    "psv": _WIKIDATA_PROPERTIES + "statement/value/",
    "wikibase": WIKIBASE,
    "rdf": RDF,
    "rdfs": RDFS,
    "xsd": XSD,
}
_LOCAL = re.compile(r"[A-Za-z][A-Za-z0-9]*\Z", re.ASCII)
#: An escaped backslash before a "u": some engines undo "\u" escapes before they look at strings.
_BACKSLASH_U = re.compile(r"(?<!\\)((?:\\\\)+)([uU])")


class Text:
    """Writes terms and hands out variables; remembers the prefixes that were used."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._variables = 0

    def variable(self, stem: str = "x") -> str:
        """Return a variable that was not used yet."""
        self._variables += 1
        return f"?{stem}{self._variables}"

    def iri(self, iri: str) -> str:
        """Return an IRI, shortened where a prefix fits."""
        for prefix in sorted(PREFIXES, key=lambda name: -len(PREFIXES[name])):
            base = PREFIXES[prefix]
            if iri.startswith(base) and _LOCAL.match(iri[len(base) :]):
                self._used.add(prefix)
                return f"{prefix}:{iri[len(base) :]}"
        try:
            return str(ox.NamedNode(iri))
        except ValueError:
            raise ProgramError(f"{iri[:80]!r} is not an IRI a query can hold.") from None

    def entity(self, id_: str) -> str:
        """Return the IRI of an entity."""
        return self.iri(iri_of(id_))

    def predicate(self, id_: str) -> str:
        """Return the predicate of direct triples of a property."""
        return self.iri(predicate_iri(id_))

    def wikibase(self, name: str) -> str:
        """Return a term of Wikibase's ontology."""
        return self.iri(WIKIBASE + name)

    @staticmethod
    def is_wikidata(id_: str) -> bool:
        """Tell whether ``id_`` is one of Wikidata's short ids."""
        return ":" not in id_

    def path(self, ids: Iterable[str]) -> str:
        """Return a path along any of several properties."""
        predicates = list(dict.fromkeys(self.predicate(id_) for id_ in ids))
        return predicates[0] if len(predicates) == 1 else f"({'|'.join(predicates)})"

    def term(self, value: Value) -> str:
        """Return a value as the object of its direct triple."""
        try:
            term = value_to_term(value)
        except ValueError as error:
            raise ProgramError(f"A query cannot hold {value}: {error}") from None
        return self.serialised(term)

    def serialised(self, term: ox.NamedNode | ox.BlankNode | ox.Literal) -> str:
        """Return an RDF term."""
        if isinstance(term, ox.NamedNode):
            return self.iri(term.value)
        if isinstance(term, ox.BlankNode):
            raise ProgramError("A query cannot hold a blank node.")
        return _BACKSLASH_U.sub(lambda m: f"{m[1]}\\u{ord(m[2]):04X}", str(term))

    def text(self, text: str) -> str:
        """Return a plain string."""
        return self.serialised(ox.Literal(text))

    def instant(self, instant: Instant) -> str:
        """Return an instant as xsd:dateTime."""
        return self.term(TimeValue(*instant, precision=14))

    def values(self, variable: str, terms: Sequence[str]) -> str:
        """Return a VALUES block for one variable."""
        return f"VALUES {variable} {{ {' '.join(terms)} }}"

    def prologue(self) -> list[str]:
        """Return the PREFIX lines of what was used."""
        return [f"PREFIX {name}: <{PREFIXES[name]}>" for name in PREFIXES if name in self._used]


def indented(lines: Iterable[str]) -> list[str]:
    """Return ``lines`` one level deeper."""
    return [INDENT + line for line in lines]


def extremes(
    text: Text, write: Callable[[str, str], list[str]], node: str, *, largest: bool, number: str
) -> list[str]:
    """Write the nodes whose number is the largest or smallest of all.

    Args:
        text: The query.
        write: Gives lines that bind, for two variables, nodes and their numbers.
        node: The variable for the nodes.
        largest: Whether the largest are meant.
        number: Stem of the variables for numbers.
    """
    own, any_, best = (text.variable(stem) for stem in (number, number, "m"))
    function = "MAX" if largest else "MIN"
    return [
        *write(node, own),
        f"{{ SELECT ({function}({any_}) AS {best}) WHERE {{",
        *indented(write(text.variable(), any_)),
        "} }",
        f"FILTER({own} = {best})",
    ]
