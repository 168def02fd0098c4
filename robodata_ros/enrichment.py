"""What is known about the class of an object that a robot sees.

``ClassLookup`` links a label to an entity and gathers facts with their support, once for each
class. Labels are ``labels``' business. No ROS in here: the node turns this into messages.
"""

from __future__ import annotations

import hashlib
import itertools
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from robodata_core.belief import Call, evidence_for
from robodata_core.cancellation import CancelToken
from robodata_core.iris import EACH, RDFS, SOME, is_anonymous, member_property
from robodata_core.model import (
    Claim,
    Direction,
    EntityValue,
    Evidence,
    MatchKind,
    SupportSet,
    TruthKind,
)
from robodata_ros.labels import TABLE, LabelTable, normal_label
from robodata_ros.verification import check_triple

if TYPE_CHECKING:
    from robodata_core.model import Entity, SearchHit, Statement, Triple
    from robodata_core.sources.base import KnowledgeSource

__all__ = [
    "TABLE",
    "ClassFact",
    "ClassKnowledge",
    "ClassLookup",
    "LabelTable",
]

SUBCLASS: Final = RDFS + "subClassOf"
SUBCLASS_RELATIONS: Final = ("P279", SUBCLASS)
_EXACT: Final = (MatchKind.LABEL, MatchKind.ALIAS, MatchKind.ID)
_MOST_NEAR: Final = 5


# -- classes ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ClassFact:
    """One thing known about a class; ``key`` tells it from the others of the class."""

    key: str
    claim: Claim

    def said_after(self, text: str) -> ClassFact:
        """Return the fact with something said before it."""
        return replace(self, claim=replace(self.claim, text=text + self.claim.text))


@dataclass(frozen=True, slots=True)
class ClassKnowledge:
    """What is known about a class of objects.

    Attributes:
        label: The detector's label.
        entity: What it was linked to: what bears its name, else what its last words name; or None.
        facts: What is known about that, each with its support.
        near: Names that come close, where the label could not be linked.
    """

    label: str
    entity: Entity | None = None
    facts: tuple[ClassFact, ...] = ()
    near: tuple[SearchHit, ...] = ()

    @property
    def nothing(self) -> Claim:
        """What to say where there is no fact."""
        if self.entity is None:
            return Claim("", f"Nothing is known under the name {self.label!r}.", False)
        return Claim("", f"Nothing is known about {self.entity.name}.", False)


class ClassLookup:
    """Finds what sources know about a class, and remembers it. Thread-safe.

    Args:
        sources: Where to look; facts from all of them, and from all of a chain, are given, each
            says its own.
        table: Names of labels.
        relations: Properties whose values are wanted.
        chain: How many steps to follow from a class to what it is a kind of.
        most_values: Most values of one relation.
        verify: Whether to give a fact only if a lookup of its triple finds it again.
        refuted: Tells which triples of a source are refuted; facts of them are not given.
        most_classes: How many classes are remembered.
    """

    def __init__(
        self,
        sources: Sequence[KnowledgeSource],
        table: LabelTable,
        relations: Sequence[str],
        *,
        chain: int = 3,
        most_values: int = 5,
        verify: bool = False,
        refuted: Callable[[Triple, KnowledgeSource], bool] | None = None,
        most_classes: int = 2_000,
    ) -> None:
        self._sources = tuple(part for source in sources for part in _parts(source))
        self._table = table
        self._relations = tuple(relations)
        self._chain = chain
        self._most_values = most_values
        self._verify = verify
        self._refuted = refuted
        self._most_classes = most_classes
        self._known: OrderedDict[str, ClassKnowledge] = OrderedDict()
        self._lock = threading.Lock()
        self._run_id = f"enrichment-{secrets.token_hex(4)}"
        self._calls = itertools.count(1)

    def known(self, label: str) -> ClassKnowledge | None:
        """Return what is remembered about ``label``, without looking anything up."""
        with self._lock:
            return self._known.get(normal_label(label))

    def look_up(self, label: str) -> ClassKnowledge:
        """Return what is known about ``label``.

        Raises:
            SourceError: If no source can answer; nothing is remembered then.
        """
        found = self.known(label)
        if found is not None:
            return found
        found = self._look_up(label)
        with self._lock:
            self._known[normal_label(label)] = found
            while len(self._known) > self._most_classes:
                self._known.popitem(last=False)
        return found

    def _look_up(self, label: str) -> ClassKnowledge:
        known = self._known_as(label, self._table.names(label))
        for kind in () if known.entity else self._table.kinds(label):
            broader = self._known_as(label, (kind,))
            if broader.entity is not None:
                told = f"By its name, “{label}” is a kind of {broader.entity.name}. "
                facts = tuple(fact.said_after(told) for fact in broader.facts)
                return replace(broader, facts=facts)
        return known

    def _known_as(self, label: str, names: Sequence[str]) -> ClassKnowledge:
        """Return what is known about what bears one of some names."""
        entity: Entity | None = None
        facts: dict[str, ClassFact] = {}
        near: list[SearchHit] = []
        for source in self._sources:
            hit, close = self._link(source, names)
            near += close
            if hit is None:
                continue
            linked = source.entity(hit.id)
            entity = entity or linked
            for fact in self._facts(source, linked):
                facts.setdefault(fact.key, fact)
        near = [] if entity else sorted(near, key=lambda hit: -hit.score)[:_MOST_NEAR]
        return ClassKnowledge(label, entity, tuple(facts.values()), tuple(near))

    def _link(
        self, source: KnowledgeSource, names: Sequence[str]
    ) -> tuple[SearchHit | None, tuple[SearchHit, ...]]:
        """Return the entity that bears the first of the names there is, else what comes close."""
        near: dict[str, SearchHit] = {}
        for name in names:
            hits = source.search(name, limit=_MOST_NEAR) if name else ()
            exact = next((hit for hit in hits if hit.match in _EXACT), None)
            if exact is not None:
                return exact, ()
            for hit in hits:
                near.setdefault(hit.id, hit)
        return None, tuple(near.values())

    def _facts(self, source: KnowledgeSource, entity: Entity) -> Iterable[ClassFact]:
        yield from self._chain_facts(source, entity)
        for relation in self._relations:
            if relation in SUBCLASS_RELATIONS:
                continue
            page = source.statements(entity.id, property=relation, limit=self._most_values)
            for evidence in self._evidence(source, page.statements):
                yield _fact(entity, (evidence,))

    def _chain_facts(self, source: KnowledgeSource, entity: Entity) -> Iterable[ClassFact]:
        """Yield what the class is a kind of, near to far, each with the chain that leads there.

        What an ontology says of the members of these classes holds for those of the first, too.
        """
        paths: dict[str, tuple[Evidence, ...]] = {entity.id: ()}
        level = [entity.id]
        for step in range(self._chain + 1):
            yield from self._member_facts(source, entity, level, paths)
            if step == self._chain:
                return
            found: list[str] = []
            for relation in SUBCLASS_RELATIONS:
                if relation not in self._relations:
                    continue
                pages = source.statements_many(level, property=relation, limit=self._most_values)
                for id_ in level:
                    for evidence in self._evidence(source, pages[id_].statements):
                        target = evidence.triple.object
                        if isinstance(target, EntityValue) and _is_new(target.id, paths):
                            paths[target.id] = (*paths[id_], evidence)
                            found.append(target.id)
                            yield _fact(entity, paths[target.id])
            level = found
            if not level:
                return

    def _member_facts(
        self,
        source: KnowledgeSource,
        entity: Entity,
        classes: Iterable[str],
        paths: Mapping[str, tuple[Evidence, ...]],
    ) -> Iterable[ClassFact]:
        """Yield what is said of each member of some classes (OWL's restrictions)."""
        for class_ in classes:
            # Wikidata's items have no such properties, and asking a service costs a request.
            if ":" not in class_:
                continue
            for relation in source.relations([class_], direction=Direction.OUT):
                if not self._wants_members(relation.property):
                    continue
                page = source.statements(
                    class_, property=relation.property, limit=self._most_values
                )
                for evidence in self._evidence(source, page.statements):
                    yield _fact(entity, (*paths[class_], evidence))

    def _wants_members(self, property_: str) -> bool:
        """Tell whether a property of classes is wanted: subclass axioms are, or it by itself."""
        if not property_.startswith((SOME, EACH)) or property_ in self._relations:
            return False  # those asked for by name come like every other relation
        return SUBCLASS in self._relations or member_property(property_) in self._relations

    def _evidence(
        self, source: KnowledgeSource, statements: Iterable[Statement]
    ) -> Iterable[Evidence]:
        kept = [item for item in statements if not self._verify or _stands(item, source)]
        if self._refuted is not None:
            kept = [item for item in kept if not self._refuted(item.triple, source)]
        call = Call("enrichment", self._run_id, f"c{next(self._calls)}")
        yield from evidence_for(kept, source, call)


def _parts(source: KnowledgeSource) -> Sequence[KnowledgeSource]:
    """Return the sources of a chain: as one it gives the facts of the first that has any."""
    from robodata_core.sources.chained import ChainedSource

    return source.sources if isinstance(source, ChainedSource) else (source,)


def _is_new(id_: str, paths: Mapping[str, object]) -> bool:
    """Tell whether a class has a name and was not met before."""
    return id_ not in paths and not is_anonymous(id_)


def _stands(statement: Statement, source: KnowledgeSource) -> bool:
    return check_triple(statement.triple, source, (), CancelToken()).found


def _fact(entity: Entity, chain: tuple[Evidence, ...]) -> ClassFact:
    last = chain[-1]
    kind = TruthKind.TYPICAL
    if last.triple.predicate in SUBCLASS_RELATIONS:
        kind = TruthKind.STATED  # of every one of them
        text = f"{entity.name} is a kind of {last.object_label}."
    else:
        text = f"{entity.name}: {last.predicate_label} {last.object_label}."
    named = repr((entity.id, last.triple.predicate, last.triple.object))
    key = hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()[:12]
    return ClassFact(key, Claim(key, text, True, SupportSet(chain), kind=kind))
