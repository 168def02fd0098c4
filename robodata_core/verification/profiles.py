"""What is known of a property from the graph itself: how it behaves, and its rules.

Nothing here knows a property by name. Behaviour is counted: how many values a subject has, how
often a statement holds the other way round too, what classes stand at its ends. What OWL or RDFS
say of a property in the graph counts beside it. A profile is made when a property is first asked
for, and kept.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import SourceError
from robodata_core.iris import OWL
from robodata_core.model import EntityValue
from robodata_core.sources.base import KnowledgeSource
from robodata_core.verification.neighbourhoods import Neighbourhoods, Pairs, back, property_of
from robodata_core.verification.rules import PathRule, mine, sample

__all__ = ["Behaviour", "Profile", "Profiles"]

_MOST_PROFILES: Final = 300
_TYPED: Final = 200
_MOST_COUNTED: Final = 5
_SAYS: Final = {
    f"{OWL}FunctionalProperty": "functional",
    f"{OWL}InverseFunctionalProperty": "inverse functional",
    f"{OWL}AsymmetricProperty": "asymmetric",
    f"{OWL}IrreflexiveProperty": "irreflexive",
    f"{OWL}SymmetricProperty": "symmetric",
}
_INVERSE: Final = f"{OWL}inverseOf"
_COPY: Final = 0.5


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How often something was seen in how many cases."""

    seen: int = 0
    cases: int = 0

    @property
    def chance(self) -> float:
        """The chance that the next case is one, by the rule of succession."""
        return (self.seen + 1) / (self.cases + 2)


@dataclass(frozen=True, slots=True)
class Profile:
    """What the graph shows of one property.

    Attributes:
        property: Its id.
        pairs: Its statements between entities.
        rules: Path rules that imply it, the surest first.
        symmetric: How many statements hold the other way round as well.
        reflexive: How many lead from a thing to itself.
        subject_types: Classes of subjects: in how many of the subjects looked at.
        value_types: The same of values.
        typed_subjects: Subjects looked at that have a class.
        typed_values: Values looked at that have a class.
        says: What the graph says of the property in OWL's words.
        inverses: Properties stated to be its inverse.
    """

    property: str
    pairs: Pairs
    rules: tuple[PathRule, ...] = ()
    symmetric: Behaviour = Behaviour()
    reflexive: Behaviour = Behaviour()
    subject_types: Mapping[str, int] = field(default_factory=dict)
    value_types: Mapping[str, int] = field(default_factory=dict)
    typed_subjects: int = 0
    typed_values: int = 0
    says: frozenset[str] = frozenset()
    inverses: tuple[str, ...] = ()

    def another(self, known: int, step: str) -> Behaviour:
        """Tell how many that have ``known`` ends by ``step`` have one more."""
        if step.startswith("^"):
            sizes = [len(found) for found in self.pairs.subjects.values()]
        else:
            sizes = list(self.pairs.counts.values())
        level = min(known, _MOST_COUNTED)
        return Behaviour(sum(n > level for n in sizes), sum(n >= level for n in sizes))

    def copies(self) -> tuple[str, ...]:
        """Return the properties that state the same the other way round: its trivial copies."""
        found = dict.fromkeys(self.inverses)
        found[self.property] = None
        for rule in self.rules:
            if len(rule.path) == 1 and rule.path[0].startswith("^") and rule.confidence >= _COPY:
                found[property_of(rule.path[0])] = None
        return tuple(found)

    def share_turned(self, name: str) -> float:
        """Return how often the property holds where another (or itself) holds the other way."""
        if name in self.inverses or (name == self.property and "symmetric" in self.says):
            return 1.0
        if name == self.property:
            return self.symmetric.chance
        paths = (rule for rule in self.rules if rule.path == (back(name),))
        return next((rule.confidence for rule in paths), 0.0)


class Profiles:
    """Makes and keeps profiles of a source's properties. Thread-safe.

    Args:
        source: The source.
        graph: Its neighbourhoods.
        mining: Whether rules are mined; without, profiles have none.
    """

    def __init__(self, source: KnowledgeSource, graph: Neighbourhoods, *, mining: bool) -> None:
        self._source = source
        self._graph = graph
        self._mining = mining
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Profile] = OrderedDict()

    def of(self, property_: str, cancel: CancelToken | None = None) -> Profile:
        """Return the profile of a property.

        Raises:
            SourceError: If the source cannot be read.
            CancelledError: If the run was cancelled.
            DeadlineExceededError: If its time is over.
        """
        with self._lock:
            found = self._kept.get(property_)
        if found is None:
            found = self._make(property_, cancel)
            with self._lock:
                self._kept[property_] = found
                while len(self._kept) > _MOST_PROFILES:
                    self._kept.popitem(last=False)
        return found

    def _make(self, property_: str, cancel: CancelToken | None) -> Profile:
        pairs = self._graph.pairs(property_, cancel)
        rules = mine(self._graph, property_, pairs, cancel) if self._mining else ()
        statements = [(s, o) for s, values in pairs.values.items() for o in values]
        turned = sum(s in pairs.values.get(o, ()) for s, o in statements if s != o)
        loops = sum(s == o for s, o in statements)
        subjects, typed_subjects = self._types(sample(list(pairs.values), _TYPED))
        values, typed_values = self._types(sample(list(pairs.subjects), _TYPED))
        stated = self._stated(property_)
        return Profile(
            property=property_,
            pairs=pairs,
            rules=rules,
            symmetric=Behaviour(turned, len(statements) - loops),
            reflexive=Behaviour(loops, len(statements)),
            subject_types=subjects,
            value_types=values,
            typed_subjects=typed_subjects,
            typed_values=typed_values,
            says=frozenset(_SAYS[id_] for id_ in stated.get("", ()) if id_ in _SAYS),
            inverses=tuple(sorted(stated.get(_INVERSE, ()))),
        )

    def _types(self, ids: Iterable[str]) -> tuple[Mapping[str, int], int]:
        found = self._source.entities(ids)
        counts: Counter[str] = Counter()
        for entity in found.values():
            counts.update(entity.types)
        return dict(counts), sum(bool(entity.types) for entity in found.values())

    def _stated(self, property_: str) -> dict[str, set[str]]:
        """Return what the graph says of a property: its classes under "", the rest by relation."""
        found: dict[str, set[str]] = {}
        try:
            statements = self._source.statements(property_, limit=200).statements
            found[""] = {
                id_
                for entity in self._source.entities((property_,)).values()
                for id_ in entity.types
            }
        except SourceError:
            return found  # what was counted is there without it
        for statement in statements:
            if isinstance(statement.value, EntityValue):
                found.setdefault(statement.property, set()).add(statement.value.id)
        return found
