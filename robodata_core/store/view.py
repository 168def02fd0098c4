"""The local graph as a model reads it: each fact once, grouped, nearest to the question first.

A view is text within a budget of tokens: subjects as headings, under each its relations, and
behind each relation the objects with the handles of their triples::

    623 triples, 480 nodes; all are shown.
    Douglas Adams (Q42)
     father (P22): T1 Christopher Douglas Adams (Q14623675)
     height (P2048): T7 1.96 metre

A relation's id stands where it is met first, or everywhere if two relations have the same name.
Labels come from outside: they are cut, and what could end a line or pose as another fact is taken
out of them. Which facts matter is judged by words alone (what the question names, what is near to
that); there is no model here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from robodata_core.model import EntityValue
from robodata_core.store.graph import LocalGraph, StoredTriple
from robodata_core.text import clean_text, estimate_tokens, normalise_name, plural, tokens_of
from robodata_core.values import format_value

__all__ = ["GraphView", "estimate_tokens", "render_view"]

_MAX_LABEL: Final = 80
_FAR: Final = 1_000_000
_STOP_WORDS: Final = frozenset(
    (
        *("a", "all", "an", "and", "are", "as", "at", "by", "did", "do", "does", "for", "from"),
        *("has", "have", "how", "in", "is", "it", "its", "many", "of", "on", "or", "that", "the"),
        *("their", "they", "to", "was", "were", "what", "when", "where", "which", "who", "whom"),
        *("whose", "with"),
    )
)


@dataclass(frozen=True, slots=True)
class GraphView:
    """A rendered view.

    Attributes:
        text: What to put into a prompt.
        tokens: Estimated tokens of ``text``.
        shown: How many triples it shows.
        total: How many there are.
    """

    text: str
    tokens: int
    shown: int
    total: int


def render_view(graph: LocalGraph, question: str, *, budget_tokens: int) -> GraphView:
    """Show as much of ``graph`` as fits, what is nearest to ``question`` first.

    Args:
        graph: The local graph.
        question: What the reader is to answer.
        budget_tokens: Most tokens (by ``estimate_tokens``) the text may have.
    """
    triples = graph.triples()
    page = _Page(_Writer(graph, triples), len(triples), graph.node_count, budget_tokens)
    for triple in _by_nearness(graph, triples, question):
        if not page.take(triple):
            break
    text = page.text(graph.isolated())
    return GraphView(text, estimate_tokens(text), page.shown if text else 0, len(triples))


# -- what comes first -------------------------------------------------------------------------


def _words(text: str) -> frozenset[str]:
    return frozenset(normalise_name(text).split()) - _STOP_WORDS


def _by_nearness(
    graph: LocalGraph, triples: tuple[StoredTriple, ...], question: str
) -> list[StoredTriple]:
    """Order triples by distance from what the question names, then by words in common."""
    wanted = _words(question)
    names = _Names(graph, question)
    nodes = {node for stored in triples for node in stored.nodes}
    distance = _distances(triples, {node for node in nodes if names.is_asked_for(node)})

    def _nearness(stored: StoredTriple) -> tuple[int, int, int, int]:
        near = min(distance.get(node, _FAR) for node in stored.nodes)
        common = 2 * len(wanted & names.words(stored.triple.predicate))
        common += sum(len(wanted & names.words(node)) for node in stored.nodes)
        return near, -common, distance.get(stored.triple.subject, _FAR), stored.number

    return sorted(triples, key=_nearness)


class _Names:
    """Words of labels and aliases, worked out once for each id."""

    def __init__(self, graph: LocalGraph, question: str) -> None:
        self._graph = graph
        self._question = f" {normalise_name(question)} "
        self._known: dict[str, frozenset[str]] = {}

    def words(self, id_: str) -> frozenset[str]:
        """Return all words of the label and aliases."""
        known = self._known.get(id_)
        if known is None:
            known = self._known[id_] = _words(" ".join(self._names(id_)))
        return known

    def is_asked_for(self, id_: str) -> bool:
        """Tell whether the question names the node by id, label or alias."""
        names = (normalise_name(name) for name in (id_, *self._names(id_)))
        return any(f" {name} " in self._question for name in names if name)

    def _names(self, id_: str) -> Iterable[str]:
        known = self._graph.entity(id_) or self._graph.property(id_)
        return (known.label, *known.aliases) if known else ()


def _distances(triples: Iterable[StoredTriple], start: set[str]) -> dict[str, int]:
    """Return how many triples away from ``start`` every node is."""
    neighbours: dict[str, list[str]] = {}
    for stored in triples:
        if len(stored.nodes) == 2:
            one, other = stored.nodes
            neighbours.setdefault(one, []).append(other)
            neighbours.setdefault(other, []).append(one)
    distance = dict.fromkeys(start, 0)
    queue = deque(start)
    while queue:
        node = queue.popleft()
        for other in neighbours.get(node, ()):
            if other not in distance:
                distance[other] = distance[node] + 1
                queue.append(other)
    return distance


# -- writing ----------------------------------------------------------------------------------


class _Writer:
    """Writes names and objects so that none of them can pose as something else."""

    def __init__(self, graph: LocalGraph, triples: Iterable[StoredTriple]) -> None:
        self._graph = graph
        self._names: dict[str, str] = {}
        labels: dict[str, set[str]] = {}
        for stored in triples:
            id_ = stored.triple.predicate
            labels.setdefault(self._label(id_), set()).add(id_)
        self._ambiguous = {label for label, ids in labels.items() if len(ids) > 1}

    def name(self, id_: str) -> str:
        """``label (Q42)``, or the id alone."""
        name = self._names.get(id_)
        if name is None:
            label = self._label(id_)
            id_text = clean_text(id_, limit=200)
            name = self._names[id_] = f"{label} ({id_text})" if label else id_text
        return name

    def relation(self, id_: str, *, first: bool) -> str:
        """The name of a relation; short where that says it."""
        label = self._label(id_)
        return self.name(id_) if first or not label or label in self._ambiguous else label

    def item(self, stored: StoredTriple) -> str:
        """Handle and object of a triple."""
        value = stored.triple.object
        if isinstance(value, EntityValue):
            text = self.name(value.id)
        else:
            text = _harmless(format_value(value, self._graph.label))
        return f"{stored.handle} {text}{' (deprecated)' if stored.deprecated else ''}"

    def _label(self, id_: str) -> str:
        return _harmless(self._graph.label(id_))


def _harmless(label: str) -> str:
    return " ".join(clean_text(label, limit=_MAX_LABEL).replace(";", ",").split())


@dataclass(slots=True)
class _Page:
    """Collects triples as long as the whole text stays within the budget."""

    writer: _Writer
    total: int
    nodes: int
    budget: int
    shown: int = 0
    groups: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    characters: int = 0
    words: int = 0
    met: set[str] = field(default_factory=set)

    def take(self, stored: StoredTriple) -> bool:
        """Take a triple if it fits."""
        subject, predicate = stored.triple.subject, stored.triple.predicate
        item = self.writer.item(stored)
        added = item + "; "
        if predicate not in self.groups.get(subject, {}):
            # A relation's long name stands once, wherever that will be.
            added += f"\n {self.writer.relation(predicate, first=predicate not in self.met)}: "
        if subject not in self.groups:
            added += f"\n{self.writer.name(subject)}"
        characters = self.characters + len(added)
        words = self.words + len(added.split())
        # The head is written last; this is the longest it can become.
        head = self._head(shown=self.total - 1)
        if tokens_of(characters + len(head) + 2, words + len(head.split())) > self.budget:
            return False
        self.characters, self.words, self.shown = characters, words, self.shown + 1
        self.groups.setdefault(subject, {}).setdefault(predicate, []).append(item)
        self.met.add(predicate)
        return True

    def text(self, isolated: Iterable[str]) -> str:
        """Write everything down; an empty text if not even the head fits."""
        lines = [self._head(self.shown)]
        met: set[str] = set()
        for subject, relations in self.groups.items():
            lines.append(self.writer.name(subject))
            for predicate, items in relations.items():
                name = self.writer.relation(predicate, first=predicate not in met)
                met.add(predicate)
                lines.append(f" {name}: {'; '.join(items)}")
        text = "\n".join(lines)
        alone = [self.writer.name(node) for node in isolated]
        if alone and self.shown == self.total:
            longer = f"{text}\nIn no triple: {'; '.join(alone)}"
            text = longer if estimate_tokens(longer) <= self.budget else text
        return text if estimate_tokens(text) <= self.budget else ""

    def _head(self, shown: int) -> str:
        counts = f"{plural(self.total, 'triple')}, {plural(self.nodes, 'node')}"
        if shown == self.total:
            return f"{counts}; {'that is all' if self.total == 1 else 'all are shown'}."
        left = f"{self.total - shown} left out (LOCAL_GRAPH_EXPLORATION shows more)"
        return f"{counts}; {shown} shown, {left}."
