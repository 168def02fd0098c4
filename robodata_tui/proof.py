"""How a claim holds: its triples as a path, the words of the question each of them answers.

Pure functions from a claim and its question to a ``Proof`` and from that to lines. The triple that
decides stands first; what is not connected to it is a gap, and shown as one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from textual.content import Content

from robodata_core.model import Claim, EntityValue, Evidence
from robodata_core.values import format_value
from robodata_tui.words import clean

__all__ = [
    "Edge",
    "Proof",
    "drawing",
    "make_proof",
    "of_member",
    "path_lines",
    "question_line",
]

GAP: Final = "┄┄ not stated ┄┄"
_COLOURS: Final = ("$text-accent", "$text-success", "$text-warning", "$text-secondary")
_RAISED: Final = "¹²³⁴⁵⁶⁷⁸⁹"
_WORD: Final = re.compile(r"\w+")
_GROUPS: Final = re.compile(r"(?<=\d),(?=\d{3})")
_MOST_EDGES: Final = 40
_MOST_STEPS: Final = 3_000
_MOST_NAME: Final = 60
_INDENT: Final = 2


@dataclass(frozen=True, slots=True)
class Edge:
    """A triple as a step of a proof.

    Attributes:
        item: The triple.
        start: Key of its subject.
        end: Key of its object: an id, or the text of a value.
        number: Which words of the question it answers: 1, 2, ...; 0 for none.
        decides: Whether it is the triple that decides.
    """

    item: Evidence
    start: str
    end: str
    number: int = 0
    decides: bool = False

    @property
    def name(self) -> str:
        """The relation in words."""
        return clean(self.item.predicate_label or self.item.triple.predicate, _MOST_NAME)

    @property
    def style(self) -> str:
        """How it is drawn."""
        colour = _COLOURS[(self.number - 1) % len(_COLOURS)] if self.number else ""
        return f"bold {colour}".strip() if self.decides else colour

    @property
    def raised(self) -> str:
        """Its number, raised; empty without one."""
        return _RAISED[self.number - 1] if 0 < self.number <= len(_RAISED) else ""


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


def of_member(claim: Claim, members: Sequence[str], member: str) -> tuple[Evidence, ...]:
    """Return the triples of a claim about many that concern one of them.

    They are those on the shortest ways from it outwards; what many have in common (a country, a
    class) is an end, never a way to the next one.

    Args:
        claim: The claim.
        members: Ids of all that it is about.
        member: Id of the one.
    """
    items = claim.support.evidence
    if len(members) < 2 or member not in members:
        return items
    at: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for place, edge in enumerate(_edge(item, {}) for item in items):
        at[edge.start].append((place, edge.end))
        at[edge.end].append((place, edge.start))
    far, hubs = _distances(at, members)
    found: set[int] = set()
    here, seen = [member], {member}
    for node in here:
        for place, other in at[node]:
            outwards = far[other] > far[node]
            if outwards or (far[other] == far[node] > 0 and node not in hubs):
                found.add(place)
            if outwards and other not in seen:
                seen.add(other)
                here.append(other)
    return tuple(item for place, item in enumerate(items) if place in found) or items


def _distances(
    at: Mapping[str, Sequence[tuple[int, str]]], members: Sequence[str]
) -> tuple[dict[str, int], set[str]]:
    """Return how far every node is from the nearest member, and those near to several."""
    far = dict.fromkeys(at, len(at))
    near: dict[str, set[str]] = defaultdict(set)
    for name in members:
        far[name] = 0
        near[name] = {name}
    here = [name for name in members if name in at]
    while here:
        onward: list[str] = []
        for node in here:
            for _, other in at[node]:
                if far[other] > far[node] + 1:
                    far[other] = far[node] + 1
                    onward.append(other)
                if far[other] == far[node] + 1:
                    near[other] |= near[node]
        here = onward
    return far, {node for node, names in near.items() if len(names) > 1}


def make_proof(claim: Claim, question: str, items: Sequence[Evidence] | None = None) -> Proof:
    """Return how a claim holds.

    Args:
        claim: What is claimed, with its support.
        question: What was asked.
        items: The triples to show, where it is not all of them.
    """
    names: dict[str, str] = {}
    shown = claim.support.evidence if items is None else items
    edges = [_edge(item, names) for item in shown[:_MOST_EDGES]]
    words = list(_WORD.finditer(question))
    asked = _asked([match[0].casefold() for match in words], edges, names)
    if edges:
        answered = set(asked.values())
        best = max(
            range(len(edges)),
            key=lambda n: (_weight(edges[n], claim, question, names, n in answered), -n),
        )
        edges[best] = replace(edges[best], decides=True)
        edges.insert(0, edges.pop(best))
        asked = {word: (0 if n == best else n + (n < best)) for word, n in asked.items()}
    paths, apart = _paths(edges)
    order = {id(edge.item): n for n, edge in enumerate(e for _, path in paths for e in path)}
    used = sorted(set(asked.values()), key=lambda n: order[id(edges[n].item)])
    numbers = {n: place for place, n in enumerate(used, 1)}
    fresh = {id(e.item): replace(e, number=numbers.get(n, 0)) for n, e in enumerate(edges)}
    return Proof(
        tuple(fresh[id(edge.item)] for edge in edges),
        names,
        tuple((start, tuple(fresh[id(e.item)] for e in path)) for start, path in paths),
        tuple(apart),
        _marked(question, words, {word: numbers[n] for word, n in asked.items()}),
    )


def _edge(item: Evidence, names: dict[str, str]) -> Edge:
    start, object_ = item.triple.subject, item.triple.object
    names.setdefault(start, clean(item.subject_label or start, _MOST_NAME))
    if isinstance(object_, EntityValue):
        end = object_.id
        names.setdefault(end, clean(item.object_label or end, _MOST_NAME))
    else:
        text = clean(format_value(object_, lambda id_: item.unit_label or id_), _MOST_NAME)
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
    """Return for words of the question, by place, which edge answers them."""
    degrees: dict[str, int] = defaultdict(int)
    for edge in edges:
        degrees[edge.start] += 1
        degrees[edge.end] += 1
    taken: dict[int, int] = defaultdict(int)
    found: dict[int, int] = {}
    for place, word in enumerate(words):
        if len(word) < 3:
            continue
        best, score = -1, 0.0
        for n, edge in enumerate(edges):
            weight = _fits(word, edge, names, degrees) - 0.01 * taken[n]
            if weight > max(score, 0.1):
                best, score = n, weight
        if best >= 0:
            found[place] = best
            taken[best] += 1
    return found


def _fits(word: str, edge: Edge, names: dict[str, str], degrees: dict[str, int]) -> float:
    """Return how well a word of the question asks for an edge: by its relation or its ends."""
    relation = _best(word, edge.name)
    ends = max(
        _best(word, names[key]) / (1 if degrees[key] == 1 else 2) for key in (edge.start, edge.end)
    )
    return max(relation, 0.9 * ends)


def _best(word: str, name: str) -> float:
    return max((_alike(word, part) for part in _WORD.findall(name.casefold())), default=0.0)


def _weight(edge: Edge, claim: Claim, question: str, names: dict[str, str], asked: bool) -> float:
    """Return how much an edge says of what was asked and of what the claim says."""
    text = _GROUPS.sub("", claim.text.casefold())
    ends = sum(_GROUPS.sub("", names[key].casefold()) in text for key in (edge.start, edge.end))
    said = [_best(word, claim.text) for word in _WORD.findall(edge.name.casefold())]
    relation = max(
        (_best(word, question) for word in _WORD.findall(edge.name.casefold())), default=0.0
    )
    return ends + (sum(said) / len(said) if said else 0.0) + 2 * relation + (0.5 if asked else 0.0)


def _marked(
    question: str, words: Sequence[re.Match[str]], numbers: dict[int, int]
) -> tuple[tuple[str, int], ...]:
    parts: list[tuple[str, int]] = []
    end = 0
    for place, match in enumerate(words):
        if place in numbers:
            parts += [(question[end : match.start()], 0), (match[0], numbers[place])]
            end = match.end()
    parts.append((question[end:], 0))
    return tuple((clean(text, 600) if text.strip() else " ", n) for text, n in parts if text)


# -- paths ------------------------------------------------------------------------------------


def _paths(edges: Sequence[Edge]) -> tuple[list[tuple[str, tuple[Edge, ...]]], list[bool]]:
    """Cover the edges with paths; the first one goes through the first edge."""
    left = list(edges)
    seen: set[str] = set()
    paths, apart = [], []
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


# -- lines ------------------------------------------------------------------------------------


def question_line(proof: Proof) -> Content:
    """Return the question, its words in the colours and with the numbers of what answers them."""
    parts: list[Content] = []
    for text, number in proof.question:
        edge = next((item for item in proof.edges if number and item.number == number), None)
        if edge is None:
            parts.append(Content(text))
        else:
            parts.append(Content.styled(text + edge.raised, edge.style))
    return Content.assemble(*parts)


def path_lines(proof: Proof) -> list[Content]:
    """Return the paths, one line each; where nothing connects two of them, the gap is marked."""
    lines = []
    for (start, path), apart in zip(proof.paths, proof.apart, strict=True):
        parts = [Content.styled(f"{GAP} ", "$text-error")] if apart else []
        parts.append(Content.styled(proof.names[start], "bold"))
        here = start
        for edge in path:
            forward = edge.start == here
            here = edge.end if forward else edge.start
            parts += [_arrow(edge, forward), Content.styled(proof.names[here], "bold")]
        lines.append(Content.assemble(*parts))
    return lines


def _arrow(edge: Edge, forward: bool) -> Content:
    line = "═" if edge.decides else "─"
    name = f"{line}{edge.name}{edge.raised}{line}"
    return Content.styled(f" {name}▶ " if forward else f" ◀{name} ", edge.style)


def drawing(proof: Proof, width: int) -> Content:
    """Return the proof as a small graph: what decides across, what else is stated below its ends.

    Args:
        proof: What to draw.
        width: Columns there are; where they do not suffice, the second end goes below the first.
    """
    if not proof.edges:
        return Content("No triple supports this claim.")
    first = proof.edges[0]
    drawn = {id(first.item)}
    ends = {first.start, first.end}
    left = _below(proof, first.start, drawn, set(ends), fence=first.end)
    right = _below(proof, first.end, drawn, set(ends))
    start, end = proof.names[first.start], proof.names[first.end]
    arrow = f" ══ {first.name}{first.raised} ══▶ "
    column = max(len(start) + len(arrow), *(len(line) + 2 for line, _ in left), 0)
    if column + max(len(end), *(len(line) for line, _ in right), 0) <= width:
        arrow = arrow.replace("══▶", "═" * (2 + column - len(start) - len(arrow)) + "▶")
        lines = [_join(("", ""), (start, "bold"), (arrow, first.style), (end, "bold"))]
        for n in range(max(len(left), len(right))):
            one = left[n] if n < len(left) else ("", "")
            other = right[n] if n < len(right) else ("", "")
            lines.append(_join((one[0].ljust(column), one[1]), other))
    else:
        lines = [_join((start, "bold")), *(_join(line) for line in left)]
        lines += [_join((f"  ╚═ {first.name}{first.raised} ═▶ ", first.style), (end, "bold"))]
        lines += [_join((f"      {text}", style)) for text, style in right]
    rest = [edge for edge in proof.edges if id(edge.item) not in drawn]
    while rest:
        start = rest[0].start
        lines += [_join((GAP, "$text-error")), _join((proof.names[start], "bold"))]
        lines += [_join(line) for line in _below(proof, start, drawn, {start})]
        rest = [edge for edge in rest if id(edge.item) not in drawn]
    return Content("\n").join(lines)


def _join(*parts: tuple[str, str]) -> Content:
    return Content.assemble(*(Content.styled(text, style) for text, style in parts if text))


def _below(
    proof: Proof, node: str, drawn: set[int], seen: set[str], fence: str = ""
) -> list[tuple[str, str]]:
    """Return the edges at a node that are not drawn yet, as a tree: lines with their styles.

    Those at the node called ``fence`` are left to another tree.
    """
    left = (e for e in proof.edges if id(e.item) not in drawn and fence not in (e.start, e.end))
    here = [edge for edge in left if node in (edge.start, edge.end)]
    drawn |= {id(edge.item) for edge in here}
    lines: list[tuple[str, str]] = []
    for n, edge in enumerate(here):
        last = n == len(here) - 1
        other = edge.end if edge.start == node else edge.start
        name = f"{edge.name}{edge.raised}"
        arrow = f"─ {name} ─▶ " if edge.start == node else f"◀─ {name} ─ "
        again = " ↑" if other in seen else ""
        lines.append((f" {'└' if last else '├'}{arrow}{proof.names[other]}{again}", edge.style))
        if other not in seen:
            seen.add(other)
            stem = " " if last else "│"
            lines += [
                (f" {stem}{' ' * _INDENT}{text}", style)
                for text, style in _below(proof, other, drawn, seen, fence)
            ]
    return lines
