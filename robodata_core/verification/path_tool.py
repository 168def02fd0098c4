"""The tool of an investigation that finds paths between two things.

It shows nothing that ``Case`` hides, and gives every path a handle. Source: the KGV-Agent paper,
section 2.5.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from robodata_core.model import EntityValue
from robodata_core.tools.arguments import EntityId
from robodata_core.tools.base import Arguments, Tool, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.namer import Namer
from robodata_core.verification.case import Case, require_shown
from robodata_core.verification.findings import statements_of
from robodata_core.verification.neighbourhoods import Edge, back
from robodata_core.verification.rules import PathRule

__all__ = ["Paths"]

_PATHS: Final = 8
_WALKS: Final = 200
_NARROW: Final = 60
_MIDDLES: Final = 400


class PathsArguments(Arguments):
    """Arguments of ``kg_paths``."""

    entity_a: EntityId
    entity_b: EntityId


class Paths(Tool[PathsArguments]):
    """How two things hang together in up to three steps."""

    name = "kg_paths"
    description = (
        "Paths of one to three statements between two things; between the triple's ends with how"
        " often the relation holds where such paths lead."
    )
    family = ToolFamily.REMOTE

    def __init__(self, case: Case) -> None:
        self._case = case

    def run(self, args: PathsArguments, context: ToolContext) -> ToolOutput:
        """Search from both ends."""
        require_shown([args.entity_a, args.entity_b], context)
        far = self._case.knowledge.mining  # over a live service each node is a request
        walks = _Walks(self._case, args.entity_a, args.entity_b, context)
        shapes: dict[tuple[str, ...], list[tuple[Edge, ...]]] = {}
        for walk in islice(walks.all(3 if far else 2), _WALKS):
            shapes.setdefault(_shape(args.entity_a, walk), []).append(walk)
        found = list(shapes.items())[:_PATHS]
        namer = Namer(context)
        namer.load([args.entity_a, args.entity_b])
        both = f"{namer.name(args.entity_a)} and {namer.name(args.entity_b)}"
        if not found:
            text = f"No path of up to {3 if far else 2} statements joins {both}."
            return ToolOutput(text, ids=namer.ids, total=0, shown=0)
        rules = [self._rule(args, shape) for shape, _ in found]
        order = sorted(range(len(found)), key=lambda place: -_worth(rules[place]))
        lines = []
        for place in order:
            walk, *others = found[place][1]
            chain = statements_of(walk)
            namer.load_statements(chain)
            told = "; ".join(namer.triple(one) for one in chain)
            more = f" (and {len(others)} of the same kind)" if others else ""
            lines.append(f"{self._case.exhibits.add(*chain)}: {told}{more}{_rate(rules[place])}")
        first = "those that say most" if rules[0] else "the shortest"
        head = f"Paths between {both}, one of each kind, {first} first:"
        return ToolOutput("\n".join([head, *lines]), ids=namer.ids, shown=len(found))

    def _rule(self, args: PathsArguments, shape: tuple[str, ...]) -> PathRule | None:
        """Return what such paths say of the relation; None where they do not join its ends."""
        triple = self._case.triple
        if not isinstance(triple.object, EntityValue) or not self._case.knowledge.mining:
            return None
        ends = (triple.subject, triple.object.id)
        if ends == (args.entity_b, args.entity_a):
            shape = tuple(back(step) for step in reversed(shape))
        elif ends != (args.entity_a, args.entity_b):
            return None
        return self._case.rate(shape)


def _worth(rule: PathRule | None) -> float:
    return rule.confidence if rule else 0.0


def _rate(rule: PathRule | None) -> str:
    if rule is None:
        return ""
    if not rule.cases:
        return " [too many things are at the ends of such paths to say anything of one]"
    return f" [the relation holds at {rule.hits} of {rule.cases} ends of such paths]"


def _shape(start: str, walk: Sequence[Edge]) -> tuple[str, ...]:
    """Return the steps of a walk, without the things that it leads through."""
    steps, at = [], start
    for subject, name, value in walk:
        steps.append(name if subject == at else back(name))
        at = value if subject == at else subject
    return tuple(steps)


class _Walks:
    """Walks between two things, within bounds."""

    def __init__(self, case: Case, start: str, end: str, context: ToolContext) -> None:
        self._graph, self._unseen = case.knowledge.graph, case.unseen
        self._start, self._end, self._cancel = start, end, context.cancel

    def all(self, most: int) -> Iterator[tuple[Edge, ...]]:
        """Yield walks of up to ``most`` statements, the shortest first, hubs last."""
        near: dict[str, list[Edge]] = defaultdict(list)
        for edge, node in self._edges(self._end):
            near[node].append(edge)
        yield from ((edge,) for edge in near.get(self._start, ()))
        middles = [
            (edge, node)
            for edge, node in self._edges(self._start)
            if node not in (self._start, self._end)
        ]
        joined = [(edge, node) for edge, node in middles if node in near]
        yield from ((edge, last) for edge, node in self._apart(joined) for last in near[node])
        if most > 2:
            yield from self._long(middles[:_MIDDLES], near)

    def _long(
        self, middles: Iterable[tuple[Edge, str]], near: dict[str, list[Edge]]
    ) -> Iterator[tuple[Edge, ...]]:
        ends = {self._start, self._end}
        for first, middle in self._apart(middles):
            for second, node in islice(self._edges(middle), _MIDDLES):
                if node in near and node not in ends and node != middle:
                    yield from ((first, second, last) for last in near[node])

    def _apart(self, found: Iterable[tuple[Edge, str]]) -> list[tuple[Edge, str]]:
        """Sort nodes so that those with few neighbours, which say most, come first."""
        narrow = list(found)[:_MIDDLES]
        return sorted(narrow, key=lambda one: (self._graph.degree(one[1], self._cancel), one))

    def _edges(self, node: str) -> Iterator[tuple[Edge, str]]:
        for step, ends in self._graph.around(node, self._cancel).items():
            kept = sorted(ends)
            if len(kept) > _NARROW:
                kept = [one for one in kept if one in (self._start, self._end)] or kept[:_NARROW]
            for end in kept:
                if (node, step, end) not in self._unseen:
                    edge = (end, step[1:], node) if step.startswith("^") else (node, step, end)
                    yield edge, end
