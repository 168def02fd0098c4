"""How a claim holds: its triples as a path, the words of the question each of them answers.

Pure functions from a claim and its question to a ``Proof``; ``supporting`` says which triples,
``drawing`` draws it. The triple that decides stands first; what is not connected to it is a gap. Of
a "no" the gap is what decides: the triple that a complete look-up did not find, then what is stated
in its place.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Claim, EntityValue, Evidence, SomeValue, TruthKind
from robodata_core.values import format_value
from robodata_tui.words import clean

__all__ = [
    "Edge",
    "Proof",
    "edge_colours",
    "edge_of",
    "make_proof",
]

_COLOURS: Final = {
    True: ["#ffd866", "#7cc4ff", "#7ee787", "#dab6ff", "#5fe0d0", "#ffaad9", "#ffb480", "#c3dc4f"],
    False: ["#6e4d00", "#0a4f96", "#0d5f0d", "#7426a8", "#005f57", "#981662", "#8f3800", "#2f3bb8"],
}
"""Of edges, on dark ground and on light; no red, which is an error's. Neighbours differ most."""
_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_WORD: Final = re.compile(r"\w+")
_GROUPS: Final = re.compile(r"(?<=\d),(?=\d{3})")
_MOST_EDGES: Final = 40
_SHORT: Final = 3
_MOST_STEPS: Final = 3_000
_MOST_NAME: Final = 60


@dataclass(frozen=True, slots=True)
class Edge:
    """A triple as a step of a proof.

    Attributes:
        item: The triple.
        start: Key of its subject.
        end: Key of its object: an id, or the text of a value.
        number: Its place along the paths: 1, 2, ...; words of the question have the number of the
            edge that answers them.
        decides: Whether it is the triple that decides.
        gap: Whether it is what was looked for and is not stated.
    """

    item: Evidence
    start: str
    end: str
    number: int = 0
    decides: bool = False
    gap: bool = False

    @property
    def name(self) -> str:
        """The relation in words."""
        return clean(self.item.predicate_label or self.item.triple.predicate, _MOST_NAME)

    @property
    def raised(self) -> str:
        """Its number, small and raised."""
        return str(self.number).translate(_RAISED)

    @property
    def told(self) -> str:
        """The relation as it is drawn: with its number, raised, and the sign of a gap."""
        return f"{self.name}{self.raised} ∅" if self.gap else f"{self.name}{self.raised}"

    @property
    def line(self) -> str:
        """What its line is made of."""
        return "┄" if self.gap else "═" if self.decides else "─"

    @property
    def style(self) -> str:
        """How it is drawn."""
        colour = f"$edge-{(self.number - 1) % len(_COLOURS[True])}"
        return f"bold {colour}" if self.decides else colour


@dataclass(frozen=True, slots=True)
class Proof:
    """How a claim holds.

    Attributes:
        edges: All triples, the one that decides first.
        names: What the nodes are called, by key.
        paths: Paths that cover the triples, each a start and its edges: the first one holds the
            triple that decides. Those with ``apart`` set do not touch the ones before.
        apart: For every path whether nothing connects it with those before.
        question: The words of the question, each with the number of the edge it asks for.
    """

    edges: tuple[Edge, ...]
    names: dict[str, str]
    paths: tuple[tuple[str, tuple[Edge, ...]], ...]
    apart: tuple[bool, ...]
    question: tuple[tuple[str, int], ...]


def edge_colours(*, dark: bool) -> dict[str, str]:
    """Return the variables of a theme that edges are drawn with: ``edge-0`` and so on."""
    return {f"edge-{place}": colour for place, colour in enumerate(_COLOURS[dark])}


def make_proof(
    claim: Claim,
    question: str,
    items: Sequence[Evidence] | None = None,
    gap: Evidence | None = None,
    result: str = "",
) -> Proof:
    """Return how a claim holds.

    Args:
        claim: What is claimed, with its support.
        question: What was asked.
        items: The triples to show, where it is not all of them.
        gap: The triple that is not stated, where the claim rests on that.
        result: The entity that was found: where triples have it, one of them decides.
    """
    names: dict[str, str] = {}
    shown = claim.support.evidence if items is None else items
    edges = [edge_of(item, names) for item in shown[:_MOST_EDGES]]
    if gap is not None:
        edges.insert(0, replace(edge_of(gap, names), gap=True))
    words = list(_WORD.finditer(question))
    # What is asked for is the gap, whatever is stated in its place.
    asked = _asked([match[0] for match in words], edges[:1] if gap else edges, names)
    if edges and (gap is not None or claim.support):
        answered = set(asked.values())
        best = max(
            range(1 if gap is not None else len(edges)),
            key=lambda n: (
                result in (edges[n].start, edges[n].end),
                _weight(edges[n], claim, question, names) + 0.5 * (n in answered),
                -n,
            ),
        )
        edges[best] = replace(edges[best], decides=True)
        edges.insert(0, edges.pop(best))
        asked = {word: (0 if n == best else n + (n < best)) for word, n in asked.items()}
    paths, apart = _paths(edges)
    if claim.kind in (TruthKind.ABSENT, TruthKind.RECKONED):
        apart = [False] * len(apart)  # what is compared or looked for need not be connected
    numbers = {id(e.item): n for n, e in enumerate((e for _, way in paths for e in way), 1)}
    fresh = {id(e.item): replace(e, number=numbers[id(e.item)]) for e in edges}
    return Proof(
        tuple(fresh[id(edge.item)] for edge in edges),
        names,
        tuple((start, tuple(fresh[id(e.item)] for e in path)) for start, path in paths),
        tuple(apart),
        _marked(question, words, {word: numbers[id(edges[n].item)] for word, n in asked.items()}),
    )


def edge_of(item: Evidence, names: dict[str, str]) -> Edge:
    """Return a triple as a step; what its ends are called is added to the names."""
    start, object_ = item.triple.subject, item.triple.object
    names.setdefault(start, clean(item.subject_label or start, _MOST_NAME))
    if isinstance(object_, EntityValue):
        end = object_.id
        names.setdefault(end, clean(item.object_label or end, _MOST_NAME))
    else:
        told = item.object_label if isinstance(object_, SomeValue) else ""
        text = clean(told or format_value(object_, lambda id_: item.unit_label or id_), _MOST_NAME)
        end = f"={text}"
        names[end] = text
    return Edge(item, start, end)


# -- words ------------------------------------------------------------------------------------


def _alike(one: str, other: str) -> float:
    """Return how much two words are forms of one: 1 for the same, 0 for nothing in common."""
    if one == other:
        return 1.0
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    shorter = min(len(one), len(other))
    return 0.8 * shared / shorter if shorter > 3 and shared >= max(3, 0.6 * shorter) else 0.0


def _asked(words: Sequence[str], edges: Sequence[Edge], names: dict[str, str]) -> dict[int, int]:
    """Return for words of the question, by place, which edge answers them.

    A word that several edges answer as well (two things of one class) goes with the words around
    it: to the edge that touches theirs.
    """
    degrees: dict[str, int] = defaultdict(int)
    for edge in edges:
        degrees[edge.start] += 1
        degrees[edge.end] += 1
    found: dict[int, int] = {}
    open_: dict[int, list[int]] = {}
    for place, word in enumerate(words):
        weights = [_fits(word, edge, names, degrees) for edge in edges]
        best = [n for n, weight in enumerate(weights) if weight > max(0.1, max(weights) - 1e-6)]
        if len(best) == 1:
            found[place] = best[0]
        elif best:
            open_[place] = best
    for place, best in open_.items():
        near = sorted(found, key=lambda other: (abs(other - place), other))
        sure = ((edges[found[other]], n) for other in near for n in best)
        touching = (n for edge, n in sure if edges[n].start in (edge.start, edge.end))
        taken = list(found.values())
        found[place] = next(touching, min(best, key=taken.count))
    return found


def _fits(word: str, edge: Edge, names: dict[str, str], degrees: dict[str, int]) -> float:
    """Return how well a word of the question asks for an edge: by its relation or its ends.

    A short word is part of a name only where it is written as one, or is all of it.
    """
    keys = [edge.start, edge.end]
    if len(word) < _SHORT or (len(word) == _SHORT and not word[0].isupper()):
        keys = [key for key in keys if names[key].casefold() == word]
        relation = 1.0 if edge.name.casefold() == word else 0.0
    else:
        word = word.casefold()
        relation = _best(word, edge.name)
    ends = [_best(word, names[key]) / (1 if degrees[key] == 1 else 2) for key in keys]
    return max(relation, 0.9 * max(ends, default=0.0))


def _best(word: str, name: str) -> float:
    return max((_alike(word, part) for part in _WORD.findall(name.casefold())), default=0.0)


def _weight(edge: Edge, claim: Claim, question: str, names: dict[str, str]) -> float:
    """Return how much an edge says of what was asked and of what the claim says."""
    text = _GROUPS.sub("", claim.text.casefold())
    ends = sum(_GROUPS.sub("", names[key].casefold()) in text for key in (edge.start, edge.end))
    words = _WORD.findall(edge.name.casefold())
    words = [word for word in words if len(word) >= _SHORT] or words  # "of" says nothing
    said = [_best(word, claim.text) for word in words]
    relation = max((_best(word, question) for word in words), default=0.0)
    return ends + (sum(said) / len(said) if said else 0.0) + 2 * relation


def _marked(
    question: str, words: Sequence[re.Match[str]], numbers: dict[int, int]
) -> tuple[tuple[str, int], ...]:
    """Return the question in parts; words of one number with short ones between are one part."""
    parts: list[tuple[str, int]] = []
    end = 0
    for place in sorted(numbers):
        match = words[place]
        between = question[end : match.start()]
        short = all(len(word) <= _SHORT for word in _WORD.findall(between))
        if parts and parts[-1][1] == numbers[place] and short:
            parts[-1] = (f"{parts[-1][0]}{between}{match[0]}", numbers[place])
        else:
            parts += [(between, 0), (match[0], numbers[place])]
        end = match.end()
    parts.append((question[end:], 0))
    return tuple((clean(text, 20_000) if text.strip() else " ", n) for text, n in parts if text)


# -- paths ------------------------------------------------------------------------------------


def _paths(edges: Sequence[Edge]) -> tuple[list[tuple[str, tuple[Edge, ...]]], list[bool]]:
    """Cover the edges with paths; the first one goes through the first edge, or is the gap."""
    gaps = [edge for edge in edges if edge.gap]
    left = [edge for edge in edges if not edge.gap]
    seen = {edge.start for edge in gaps}
    paths: list[tuple[str, tuple[Edge, ...]]] = [(edge.start, (edge,)) for edge in gaps]
    apart = [False] * len(gaps)
    while left:
        touching = next((e for e in left if e.start in seen or e.end in seen), None)
        apart.append(bool(seen) and touching is None)
        start, path = _longest(left, touching or left[0], frozenset(seen))
        for edge in path:
            left.remove(edge)
            seen |= {edge.start, edge.end}
        paths.append((start, path))
    return paths, apart


def _longest(
    edges: Sequence[Edge], through: Edge, known: frozenset[str]
) -> tuple[str, tuple[Edge, ...]]:
    """Return a long simple path through an edge, from its far left.

    Args:
        edges: What it may go over.
        through: The edge it holds.
        known: Nodes of paths before: it starts at one of them and does not come back to any.
    """
    at: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        at[edge.start].append(edge)
        at[edge.end].append(edge)
    steps = _MOST_STEPS

    def walk(node: str, seen: frozenset[str]) -> tuple[Edge, ...]:
        nonlocal steps
        best: tuple[Edge, ...] = ()
        for edge in at[node]:
            other = edge.end if edge.start == node else edge.start
            steps -= 1
            if other in seen or steps < 0:
                continue
            tail = (edge, *walk(other, seen | {other}))
            if len(tail) > len(best):
                best = tail
        return best

    if through.start == through.end:
        return through.start, (through,)
    both = known | {through.start, through.end}
    left = walk(through.start, both) if through.start not in known else ()
    ends = _nodes(through.start, left)
    right = walk(through.end, both | ends) if through.end not in known else ()
    start = through.start
    if through.end in known and through.start not in known:
        # From what is known to what is new.
        return through.end, (through, *left)
    for edge in left:
        start = edge.start if edge.end == start else edge.end
    return start, (*reversed(left), through, *right)


def _nodes(start: str, path: Iterable[Edge]) -> frozenset[str]:
    return frozenset({start, *(key for edge in path for key in (edge.start, edge.end))})
