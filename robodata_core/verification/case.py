"""One triple under investigation: what may be seen of it, and the evidence that was shown.

A model cites handles: ``E3`` of statements, ``S2`` of a sentence, ``O4`` of an observation. Only
what was shown has one.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

from robodata_core.errors import UnknownIdError
from robodata_core.model import EntityValue, Statement
from robodata_core.texts.corpus import Sentence, mentions
from robodata_core.texts.open import Texts
from robodata_core.tools.formatting import clip
from robodata_core.tools.guard import stands_in
from robodata_core.values import format_value
from robodata_core.verification.findings import Finding
from robodata_core.verification.judging import Judge, Knowledge
from robodata_core.verification.naming import Named
from robodata_core.verification.profiles import Profile
from robodata_core.verification.rules import Gauge, Hidden, Path, PathRule, hidden_edges
from robodata_core.verification.values import Agreement, compare

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from robodata_core.cancellation import CancelToken
    from robodata_core.tools.base import ToolContext

__all__ = ["Case", "Chain", "Exhibits", "require_shown"]

Chain = tuple[Statement, ...]
_Item = TypeVar("_Item")
_COPIES: Final = frozenset({Agreement.SAME, Agreement.WITHIN, Agreement.BEYOND})


@dataclass(slots=True)
class Exhibits:
    """Everything that was shown as evidence, by handle. Thread-safe."""

    chains: dict[str, Chain] = field(default_factory=dict)
    sentences: dict[str, Sentence] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, *chain: Statement) -> str:
        """Return the handle of statements that belong together."""
        with self._lock:
            return _handle(self.chains, chain, "E")

    def quote(self, sentence: Sentence) -> str:
        """Return the handle of a sentence."""
        with self._lock:
            return _handle(self.sentences, sentence, "S")


def _handle(known: dict[str, _Item], item: _Item, letter: str) -> str:
    for handle, there in known.items():
        if there == item:
            return handle
    handle = f"{letter}{len(known) + 1}"
    known[handle] = item
    return handle


class Case:
    """A triple, the source's knowledge, and the one place that says what must not be seen.

    Args:
        named: The triple.
        knowledge: About the source.
        texts: Corpora and search service.
        hidden: Keep the triple, its copies and infobox lines of texts out of sight.
        cancel: Ends it early.
    """

    def __init__(
        self,
        named: Named,
        knowledge: Knowledge,
        texts: Texts,
        *,
        hidden: bool,
        cancel: CancelToken | None = None,
    ) -> None:
        self.named = named
        self.triple = named.triple
        self.knowledge = knowledge
        self.texts = texts
        self.hidden = hidden
        self.cancel = cancel
        self.exhibits = Exhibits()
        self._finding: Finding | None = None

    @cached_property
    def profile(self) -> Profile:
        """What is measured of the triple's property."""
        return self.knowledge.profiles.of(self.triple.predicate, self.cancel)

    @cached_property
    def unseen(self) -> Hidden:
        """Steps that must not be shown or walked."""
        object_ = self.triple.object
        if not self.hidden or not isinstance(object_, EntityValue):
            return frozenset()
        edges = [(self.triple.subject, self.triple.predicate, object_.id)]
        edges += [(object_.id, name, self.triple.subject) for name in self.profile.copies()]
        return hidden_edges(edges)

    def shows(self, statement: Statement) -> bool:
        """Tell whether a statement may be seen."""
        if not self.hidden:
            return True
        value = statement.value
        if isinstance(value, EntityValue):
            return (statement.subject, statement.property, value.id) not in self.unseen
        return not self.states(statement)

    def measured(self, label: Callable[[str], str]) -> Finding:
        """Return what rules and statistics make of the triple; worked out once."""
        if self._finding is None:
            judge = Judge(self.knowledge, label, self.cancel)
            self._finding = judge.judge(self.triple, hidden=self.hidden, decide=False)
        return self._finding

    @property
    def finding(self) -> Finding | None:
        """The same, where it was worked out."""
        return self._finding

    def states(self, statement: Statement) -> bool:
        """Tell whether a statement is the triple, perhaps more or less precisely."""
        mine = (statement.subject, statement.property)
        agrees = compare(self.triple.object, statement.value) in _COPIES
        return agrees and mine == (self.triple.subject, self.triple.predicate)

    def rate(self, path: Path) -> PathRule:
        """Return how often the relation holds at the ends of such paths, measured once.

        Of no case where that cannot be measured: over a live service, and of paths that lead to
        too many things to say anything of one.
        """
        if not self.knowledge.mining:
            return PathRule(path, 0, 0)
        found = next((rule for rule in self.profile.rules if rule.path == path), None)
        return found or self._gauge.measure(path)

    @cached_property
    def _gauge(self) -> Gauge:
        graph, profile = self.knowledge.graph, self.profile
        return Gauge(graph, profile.property, profile.pairs, self.cancel)

    def names_both(self, sentence: Sentence) -> bool:
        """Tell whether a sentence names subject (perhaps by its document) and object."""
        ends: list[tuple[str, ...]] = []
        for value in (EntityValue(self.triple.subject), self.triple.object):
            if isinstance(value, EntityValue):
                found = self.knowledge.source.entities((value.id,)).get(value.id)
                ends.append((found.label, *found.aliases) if found else ())
            else:
                ends.append((format_value(value, lambda _: self.named.unit_label),))
        told = f"{sentence.document}. {sentence.text}"
        return mentions(told, ends[0]) and mentions(sentence.text, ends[1])


def require_shown(ids: Sequence[str], context: ToolContext) -> None:
    """Return if all ids were shown.

    Raises:
        UnknownIdError: If one was not.
    """
    for id_ in context.known.unknown(ids):
        if not stands_in(context.store, id_):
            raise UnknownIdError(
                f"{clip(id_)} has not been shown.", hint="Use the ids of the triple and of results."
            )
