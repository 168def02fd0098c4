"""A small graph as sorted arrays: opened in milliseconds, read in microseconds.

Edges are four arrays of 32-bit numbers sorted by subject, predicate and object, plus the order by
object; terms are one text, sorted, so that a node is a position in it. Names (labels, aliases,
descriptions) are left out: the name index has them. Built once, stored in the index's database.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from robodata_core.iris import id_from_iri
from robodata_core.model import Direction, EntityValue, Value
from robodata_core.sources.ntriples import iri_text, split_line, term_of
from robodata_core.sources.predicates import Role, origin_of, role_of
from robodata_core.sources.snapshot._graph import Edge, Run
from robodata_core.store.terms import term_to_value

PARTS = (
    "terms",
    "predicates",
    "graphs",
    "out_start",
    "predicate",
    "subject",
    "object",
    "graph",
    "in_start",
    "in_edge",
    "in_predicate",
)
"""Names of the parts that ``build_compact`` gives and ``CompactGraph`` takes."""

_ENTITIES = (b"<http://www.wikidata.org/entity/Q", b"<http://www.wikidata.org/entity/P")
_TYPECODE = "I" if array("I").itemsize == 4 else "L"
_HASH = (1 << 32) - 1
#: Values that are kept, in a plain dictionary: they are read tens of thousands of times a question.
_KEPT_VALUES = 10_000


def build_compact(lines: Iterable[bytes]) -> dict[str, bytes]:
    """Return the parts of a compact graph, by name, from canonical N-Quads lines.

    Args:
        lines: One line for each triple: a triple stands in one graph only.
    """
    edges = []
    terms: set[bytes] = set()
    predicates: dict[bytes, bool] = {}
    graphs: set[bytes] = set()
    for line in lines:
        subject, predicate, object_, graph = split_line(line)
        if predicate not in predicates:
            predicates[predicate] = role_of(iri_text(predicate))[0] is not Role.NAME
        if predicates[predicate]:
            edges.append((subject, predicate, object_, graph))
            terms.add(subject)
            terms.add(object_)
            graphs.add(graph)
    term_list = _ordered(terms)
    predicate_list = _ordered(name for name, kept in predicates.items() if kept)
    graph_list = _ordered(graphs)
    return {
        "terms": b"\n".join(term_list),
        "predicates": b"\n".join(predicate_list),
        "graphs": b"\n".join(graph_list),
        **_arrays(edges, term_list, predicate_list, graph_list),
    }


def _ordered(terms: Iterable[bytes]) -> list[bytes]:
    """Sort so that Q9 comes before Q10 and P6 before P36."""
    return sorted(terms, key=lambda term: (len(term), term))


def _arrays(
    edges: list[tuple[bytes, bytes, bytes, bytes]],
    terms: list[bytes],
    predicates: list[bytes],
    graphs: list[bytes],
) -> dict[str, bytes]:
    term_at = {term: number for number, term in enumerate(terms)}
    predicate_at = {term: number for number, term in enumerate(predicates)}
    graph_at = {term: number for number, term in enumerate(graphs)}
    rows = sorted((term_at[s], predicate_at[p], term_at[o], graph_at[g]) for s, p, o, g in edges)
    incoming = sorted(range(len(rows)), key=lambda n: (rows[n][2], rows[n][1], rows[n][0]))
    return {
        "out_start": _pack(_starts((row[0] for row in rows), len(terms))),
        "predicate": _pack(row[1] for row in rows),
        "subject": _pack(row[0] for row in rows),
        "object": _pack(row[2] for row in rows),
        "graph": _pack(row[3] for row in rows),
        "in_start": _pack(_starts((rows[n][2] for n in incoming), len(terms))),
        "in_edge": _pack(incoming),
        "in_predicate": _pack(rows[n][1] for n in incoming),
    }


def _starts(owners: Iterable[int], size: int) -> list[int]:
    counts = [0] * (size + 1)
    for owner in owners:
        counts[owner + 1] += 1
    for number in range(size):
        counts[number + 1] += counts[number]
    return counts


def _pack(numbers: Iterable[int]) -> bytes:
    packed = array(_TYPECODE, numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _unpack(data: bytes) -> array[int]:
    unpacked = array(_TYPECODE)
    unpacked.frombytes(data)
    if sys.byteorder == "big":
        unpacked.byteswap()
    return unpacked


def _narrow(data: bytes, most: int) -> array[int]:
    """Return the numbers in ``data``, none above ``most``, in as few bytes each as will do."""
    width, code = (1, "B") if most < 1 << 8 else (2, "H") if most < 1 << 16 else (4, _TYPECODE)
    if any(data[place::4].strip(b"\0") for place in range(width, 4)):
        raise ValueError("a number is too large")
    packed = bytearray(len(data) // 4 * width)
    for place in range(width):
        packed[place::width] = data[place::4]
    narrow = array(code)
    narrow.frombytes(packed)
    if sys.byteorder == "big":
        narrow.byteswap()
    return narrow


class _Terms:
    """Terms by their numbers, and the other way round: one text, and where each begins in it."""

    def __init__(self, text: bytes) -> None:
        terms = text.split(b"\n") if text else []
        self._text = text
        self._starts = array(_TYPECODE, accumulate((len(term) + 1 for term in terms), initial=0))
        # In place of a dict, which takes as much as the terms: hashes with the numbers, in order.
        self._numbers = array(
            "Q", sorted((hash(term) & _HASH) << 32 | n for n, term in enumerate(terms))
        )

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, number: int) -> bytes:
        return self._text[self._starts[number] : self._starts[number + 1] - 1]

    def find(self, term: bytes) -> int | None:
        """Return the number of a term, or None if there is none such."""
        wanted = hash(term) & _HASH
        place = bisect_left(self._numbers, wanted << 32)
        while place < len(self._numbers) and self._numbers[place] >> 32 == wanted:
            number = self._numbers[place] & _HASH
            if self[number] == term:
                return number
            place += 1
        return None


class CompactGraph:
    """The arrays, opened for reading. Nodes are positions in the list of terms.

    Args:
        parts: What ``build_compact`` gave.

    Raises:
        KeyError: If a part is missing.
        ValueError: If the parts do not fit together.
    """

    def __init__(self, parts: Mapping[str, bytes]) -> None:
        self._terms = _Terms(parts["terms"])
        self._predicates = _iris(parts["predicates"])
        self._origins = [
            origin_of(iri_text(graph)) if graph[:1] == b"<" else graph.decode("utf-8")
            for graph in parts["graphs"].split(b"\n")
        ]
        self._out_start = _unpack(parts["out_start"])
        self._predicate = _narrow(parts["predicate"], len(self._predicates))
        self._object = _narrow(parts["object"], len(self._terms))
        self._graph = _narrow(parts["graph"], len(self._origins))
        self._in_start = _unpack(parts["in_start"])
        self._in_edge = _unpack(parts["in_edge"])
        self._in_predicate = _narrow(parts["in_predicate"], len(self._predicates))
        edges = len(self._predicate)
        sizes = {len(self._object), len(self._graph), len(self._in_edge), len(self._in_predicate)}
        starts = {len(self._out_start), len(self._in_start)}
        if sizes != {edges} or starts != {len(self._terms) + 1}:
            raise ValueError("the arrays do not fit together")
        self._predicate_at = {iri: number for number, iri in enumerate(self._predicates)}
        self._values: dict[int, Value] = {}

    @property
    def edge_count(self) -> int:
        """How many edges there are."""
        return len(self._predicate)

    def find(self, iri: str) -> int | None:
        """Return the node of an IRI, or None if no edge touches it."""
        return self._terms.find(b"<" + iri.encode("utf-8", "replace") + b">")

    def rest(self) -> None:
        """Let go of the values that were read."""
        self._values = {}

    def runs(self, node: int, direction: Direction) -> Sequence[Run]:
        """Return the predicates at a node with their counts."""
        runs = self._runs(node, direction)
        return [(self._predicates[number], end - start) for number, start, end in runs]

    def around(
        self, node: int, direction: Direction, most: int = 1 << 62
    ) -> Sequence[tuple[str, Sequence[Edge[int]]]]:
        """Return the edges at a node by predicate, at most ``most`` of each."""
        return [
            (self._predicates[number], self._edges(direction, start, min(end, start + most)))
            for number, start, end in self._runs(node, direction)
        ]

    def _runs(self, node: int, direction: Direction) -> Iterator[tuple[int, int, int]]:
        """Yield the numbers of the predicates at a node, and where their edges lie."""
        predicates, start, end = self._span(node, direction)
        while start < end:
            number = predicates[start]
            # Most runs are short; only a hub is worth a search for its end.
            after = start + 1
            if after < end and predicates[after] == number:
                after = bisect_right(predicates, number, after, end)
            yield number, start, after
            start = after

    def count(self, node: int, direction: Direction, predicate: str) -> int:
        """Return how many edges of one predicate there are."""
        first, last = self._range(node, direction, predicate)
        return last - first

    def edges(
        self, node: int, direction: Direction, predicate: str, start: int = 0, stop: int = 1 << 62
    ) -> Sequence[Edge[int]]:
        """Return some of the edges of one predicate, sorted by the far end."""
        first, last = self._range(node, direction, predicate)
        first, last = min(last, first + start), min(last, first + stop)
        return self._edges(direction, first, last)

    def _edges(self, direction: Direction, first: int, last: int) -> list[Edge[int]]:
        origins, graphs = self._origins, self._graph
        if direction is Direction.OUT:
            objects = self._object
            return [(objects[n], origins[graphs[n]]) for n in range(first, last)]
        return [(self._subject(n), origins[graphs[n]]) for n in self._in_edge[first:last]]

    def pairs(self, predicate: str, most: int) -> list[tuple[Value, Value]] | None:
        """Return all edges of a predicate; None if there are none here, or more than ``most``."""
        number = self._predicate_at.get(predicate)
        places = [n for n, one in enumerate(self._predicate) if one == number]
        if not 0 < len(places) <= most:
            return None
        return [(self.value(self._subject(n)), self.value(self._object[n])) for n in places]

    def iri(self, node: int) -> str:
        """Return the IRI of a node, or an empty string."""
        term = self._terms[node]
        return iri_text(term) if term[:1] == b"<" else ""

    def value(self, node: int, kind: str = "") -> Value:
        """Return what the node stands for."""
        if kind and not (kind == "url" and self._terms[node].startswith(_ENTITIES)):
            return term_to_value(self.term(node), kind=kind)
        value = self._values.get(node)
        if value is None:
            if len(self._values) >= _KEPT_VALUES:
                self._values = {}
            value = self._values[node] = self._read(self._terms[node])
        return value

    def term(self, node: int) -> object:
        """Return the pyoxigraph term of a node."""
        return term_of(self._terms[node])

    def uses(self, predicate: str) -> int:
        """Return whether any edge has this predicate, as 0 or 1."""
        return int(predicate in self._predicate_at)

    def _subject(self, edge: int) -> int:
        return bisect_right(self._out_start, edge) - 1

    def _span(self, node: int, direction: Direction) -> tuple[array[int], int, int]:
        if direction is Direction.OUT:
            return self._predicate, self._out_start[node], self._out_start[node + 1]
        return self._in_predicate, self._in_start[node], self._in_start[node + 1]

    def _range(self, node: int, direction: Direction, predicate: str) -> tuple[int, int]:
        number = self._predicate_at.get(predicate)
        if number is None:
            return 0, 0
        predicates, start, end = self._span(node, direction)
        first = bisect_left(predicates, number, start, end)
        return first, bisect_right(predicates, number, first, end)

    @staticmethod
    def _read(term: bytes) -> Value:
        if term.startswith(_ENTITIES):
            return EntityValue(id_from_iri(iri_text(term)))
        return term_to_value(term_of(term))


def _iris(text: bytes) -> list[str]:
    return [iri_text(term) for term in text.split(b"\n")] if text else []
