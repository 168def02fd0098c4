"""Following relations, keeping what is of a class, comparing where two relations lead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from robodata_core.errors import ProgramError
from robodata_core.model import Direction, EntityValue, Statement, Value
from robodata_core.programs import english
from robodata_core.programs._conditions import known
from robodata_core.programs._relations import TYPE, subclass_properties
from robodata_core.programs._sparql import indented
from robodata_core.programs.fields import (
    AnyProperties,
    Classes,
    OptionalSet,
    Properties,
    SetName,
    TypeRelations,
)
from robodata_core.programs.keys import Key, key_of
from robodata_core.programs.nodes import Kept, NodeSet, Shared, entity_ids
from robodata_core.programs.phrases import ANYTHING, Phrase, Reader
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.step import Step
from robodata_core.programs.world import World
from robodata_core.store.terms import lookup_terms

__all__ = ["Chains", "Closure", "FilterBySame", "FilterByType", "Follow", "ways_down"]

Chains: TypeAlias = dict[str, tuple[Statement, ...]]
"""For every class the statements that lead from it up to a wanted one; none for that one."""


def ways_down(
    wanted: Sequence[str], below: Callable[[str], Sequence[tuple[str, Statement]]]
) -> Chains:
    """Return for every class from which a wanted one can be reached the shortest way to it."""
    chains: Chains = {class_: () for class_ in wanted}
    level = list(chains)
    while level:
        found: list[str] = []
        for class_ in level:
            for child, one in below(class_):
                if child not in chains:
                    chains[child] = (one, *chains[class_])
                    found.append(child)
        level = found
    return chains


_PLAIN = ("P31",)
_BELOW = ("P279",)
#: What classes are of classes above them.
_KIND_OF = "kind of "


@dataclass(frozen=True, slots=True)
class FilterByType(Step):
    """``get_entity_by_type``: keep what is an instance (or subclass) of a class.

    With ``source`` empty it starts a set: all instances of the class. ``via`` are the relations
    that express the type, e.g. instance of (P31) and occupation (P106); it leads to one of the
    classes, or to a subclass of one over any number of steps of subclass of. A class is not an
    instance of itself, nor of its superclass; ``via`` with P279 keeps subclasses.
    """

    out: str
    source: OptionalSet
    type_ids: Classes
    via: TypeRelations = _PLAIN

    @property
    def _above(self) -> tuple[str, ...]:
        return subclass_properties(self.type_ids, self.via)

    @property
    def along(self) -> tuple[str, ...]:
        """The first relation that expresses the type."""
        return self.via[:1]

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep the instances among a set, or look for all."""
        return self._of_type(sets[0], world) if sets else self._instances(world)

    def _of_type(self, parent: NodeSet, world: World) -> NodeSet:
        result = Kept(truncated=parent.truncated, parent=parent)
        ids = entity_ids(parent)
        typed = [
            (id_, one.value.id, one)
            for id_, one in world.statements(ids, self.via, result)
            if type(one.value) is EntityValue
        ]
        wanted = set(self.type_ids)
        direct = {id_ for id_, class_, _ in typed if class_ in wanted}
        open_ = list(dict.fromkeys(class_ for id_, class_, _ in typed if id_ not in direct))
        below: dict[str, list[tuple[str, Statement]]] = {}
        for class_, one in world.classes_from(open_, Direction.OUT, self._above, result, wanted):
            assert isinstance(one.value, EntityValue)
            below.setdefault(one.value.id, []).append((class_, one))
        chains = ways_down(self.type_ids, lambda class_: below.get(class_, ()))
        why: dict[str, tuple[Statement, ...]] = {}
        for id_, class_, one in typed:
            chain = chains.get(class_)
            if chain is not None and (id_ not in why or len(chain) + 1 < len(why[id_])):
                why[id_] = (one, *chain)
        for id_ in ids:
            if id_ in why:
                result.nodes[id_], result.why[id_] = parent.nodes[id_], why[id_]
        return result

    def _instances(self, world: World) -> NodeSet:
        result = Kept()
        chains: Chains = {class_: () for class_ in self.type_ids}
        for class_, one in world.classes_from(list(chains), Direction.IN, self._above, result):
            if one.subject not in chains:
                chains[one.subject] = (one, *chains[class_])
        for class_, one in world.statements(list(chains), self.via, result, Direction.IN):
            if one.subject in result.nodes:
                continue
            if len(result.nodes) >= world.max_nodes:
                result.truncated = True
                break
            result.nodes[one.subject] = EntityValue(one.subject)
            result.why[one.subject] = (one, *chains[class_])
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the way to the class over any number of subclasses."""
        text = query.text
        lines = query.source(self.source, node, self.via)
        above = f"{text.path(self._above)}*"
        classes = list(dict.fromkeys(text.entity(id_) for id_ in self.type_ids))
        wanted = classes[0] if len(classes) == 1 else text.variable("c")
        if len(classes) > 1:
            lines.append(text.values(wanted, classes))
        if TYPE in self.via:
            class_ = text.variable("c")
            lines += [*query.edges(node, self.via, class_), f"{class_} {above} {wanted} ."]
        else:
            lines.append(f"{node} {text.path(self.via)}/{above} {wanted} .")
        return lines + query.started(self.source, node, self.via)

    def phrase(self, reader: Reader) -> Phrase:
        """Write "any city", or "that is a city" of a set."""
        source = reader.of(self.source)
        names = reader.words.apart(self.type_ids)
        quoted = len(names) > 1 or names[0].startswith(_KIND_OF)
        names = [f"“{name}”" for name in names] if quoted else names
        classes = english.listed(names, "or")
        if self.via == _BELOW:
            return self._narrowed(source, f"{_KIND_OF}{classes}", "")
        any_kind = {*_PLAIN, *_BELOW} <= {*self.via}
        others = [id_ for id_ in self.via if not any_kind or id_ not in (*_PLAIN, *_BELOW)]
        ways = dict.fromkeys("kind" if id_ in _PLAIN else reader.relation((id_,)) for id_ in others)
        told = english.listed([*ways, *(["any kind"] if any_kind else [])], "or")
        by = "" if self.via == _PLAIN else f" by {told}" if others else " of any kind"
        return self._narrowed(source, classes, by)

    @staticmethod
    def _narrowed(source: Phrase, classes: str, by: str) -> Phrase:
        if source.kind == ANYTHING.kind:
            return Phrase(
                f"any {classes}{by}",
                restrictions=source.restrictions,
                kind=f"{english.one(classes)}{by}",
            )
        return source.narrowed(f"that is {english.one(classes)}{by}")


@dataclass(frozen=True, slots=True)
class Follow(Step):
    """``get_tail_entity`` (OUT) or ``get_head_entity`` (IN) along a property.

    OUT gives all values, literals too; IN the entities that have the node as a value (for a
    literal they are looked up with one query). Several properties mean their union. None means
    any relation: the neighbours, entities only, over relations that join entities.
    """

    out: str
    source: SetName
    properties: AnyProperties
    direction: Direction = Direction.OUT

    @property
    def spreads(self) -> bool:
        """Whether several nodes may lead to the same one: always."""
        return True

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Give all values, or the entities that have a node as a value."""
        return world.follow(sets[0], self.properties, self.direction)

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the edges from the set it follows."""
        lines, origin = self._origin(query)
        ends = (origin, node) if self.direction is Direction.OUT else (node, origin)
        if self.properties:
            return lines + query.edges(ends[0], self.properties, ends[1])
        return lines + query.neighbours(*ends)

    def known_nodes(self, query: QueryWriter, node: str) -> list[str]:
        """Return the filter that the far ends need."""
        return query.far_ends(self.properties, self.direction, node)

    def _origin(self, query: QueryWriter) -> tuple[list[str], str]:
        """Return what the relation is followed from, and the lines that bind it."""
        given = query.steps[self.source].starts
        inwards = self.direction is Direction.IN
        if given:
            query.starts[self.source] = given
            if len(given) == 1 and isinstance(given[0], EntityValue):
                return [], query.text.entity(given[0].id)
            if inwards:
                node = query.text.variable()
                return [query.text.values(node, _spellings(query, given))], node
        node = query.text.variable()
        subjects = not inwards and bool(self.properties) and query.is_wikidata(*self.properties)
        lines = query.set(self.source, node, subjects=subjects)
        if self.source in query.met_again:
            lines = [f"{{ SELECT DISTINCT {node} WHERE {{", *indented(lines), "} }"]
        return lines, node

    def phrase(self, reader: Reader) -> Phrase:
        """Write "capital of France", or "anything whose capital is Paris" the other way."""
        source = reader.of(self.source)
        about = (source.inner, self.properties, self.direction)
        inwards = self.direction is Direction.IN
        if not self.properties:
            return Phrase(f"{'what is joined to' if inwards else 'what joins'} {source.inner}")
        relation = reader.relation(self.properties)
        verb = reader.verb(self.properties)
        if not inwards:
            several = len({*self.properties}) > 1
            if verb is None or not (several or english.ends_open(relation)):
                alone = about if source.plain else None
                return self._named(relation, source, alone, whole=verb is None)
            told = f"that {source.inner} {verb}"
            return Phrase("anything", restrictions=(told,), kind="something", about=about)
        told = f"that {verb} {source.inner}" if verb else f"whose {relation} is {source.inner}"
        return Phrase("anything", restrictions=(told,), kind="something", about=about)

    def _named(
        self,
        relation: str,
        source: Phrase,
        about: tuple[str, tuple[str, ...], Direction] | None,
        *,
        whole: bool,
    ) -> Phrase:
        """Write "capital of France", or "time zone that France is located in"."""
        noun, told = relation, f"of {source.inner}"
        place = None if whole else english.named_place(relation)
        if place is not None:
            noun, told = place[0], f"that {source.inner} {english.verb(relation)}"
            told = told.removesuffix(relation) + place[1]
        elif " it " in relation and len(self.properties) == 1:
            noun = relation.replace(" it ", f" {source.inner} ")
            return Phrase(noun, source.plain, about=None)
        several = english.plural(noun) if len(self.properties) == 1 else ""
        many = f"{several} {told}" if several and source.plain else ""
        return Phrase(f"{noun} {told}", source.plain, about=about, many=many)


def _spellings(query: QueryWriter, values: tuple[Value, ...]) -> list[str]:
    terms = (term for value in values for term in lookup_terms(value))
    return list(dict.fromkeys(query.text.serialised(term) for term in terms))


@dataclass(frozen=True, slots=True)
class FilterBySame(Step):
    """Nodes for which two relations lead to a same value ("died where they were born").

    Of several properties on a side any counts. With ``source`` empty it starts a set: all
    entities of which that holds.
    """

    carries: ClassVar[frozenset[str]] = frozenset({"share"})
    out: str
    source: OptionalSet
    first: Properties
    second: Properties

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep nodes that have a same value along both."""
        near = sets[0] if sets else world.lookup.all_of(self)
        result = Kept(truncated=near.truncated, parent=sets[0] if sets else None)
        ids = entity_ids(near)
        ways: dict[tuple[str, Key], Statement] = {}
        for id_, one in world.statements(ids, self.first, result):
            key = key_of(one.value)
            if key is not None:
                ways.setdefault((id_, key), one)
        for id_, other in world.statements(ids, self.second, result):
            key = key_of(other.value)
            way = ways.get((id_, key)) if key is not None else None
            if way is not None and id_ not in result.nodes:
                result.nodes[id_] = near.nodes[id_]
                result.why[id_] = tuple(dict.fromkeys((way, other)))
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write both edges to one variable."""
        properties = (*self.first, *self.second)
        value = query.text.variable("v")
        lines = query.source(self.source, node, properties)
        for along in (self.first, self.second):
            lines += query.edges(node, along, value)
        lines.append(known(query.text, value))
        return lines + query.started(self.source, node, properties)

    def phrase(self, reader: Reader) -> Phrase:
        """Write "whose place of birth is the same as its place of death"."""
        first, second = reader.relation(self.first), reader.relation(self.second)
        return reader.of(self.source).narrowed(f"whose {first} is the same as its {second}")


@dataclass(frozen=True, slots=True)
class Closure(Step):
    """A set and all that relations reach from it in any number of steps.

    "Germany and every place in it" with IN along "country" and "located in"; with OUT what a place
    lies in. SPARQL 1.1 calls it a property path with ``*``.
    """

    out: str
    source: SetName
    properties: Properties
    direction: Direction = Direction.IN

    def check(self) -> None:
        """Refuse the relation to classes: of what a class is an instance, its instances are not."""
        if TYPE in self.properties:
            raise ProgramError("A relation to classes is not followed any number of times.")

    @property
    def spreads(self) -> bool:
        """Whether several nodes may lead to the same one: always."""
        return True

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Follow the relations as long as they lead to something new."""
        nodes: dict[Key, Value] = dict(sets[0].nodes)
        levels: list[NodeSet] = [sets[0]]
        level = sets[0]
        for _ in range(world.max_class_depth):
            reached = world.follow(level, self.properties, self.direction)
            fresh = {key: value for key, value in reached.nodes.items() if key not in nodes}
            if not fresh:
                return Shared(nodes, any(one.truncated for one in levels), tuple(levels))
            nodes.update(fresh)
            level = Shared(fresh, reached.truncated, (reached,))
            levels.append(level)
        return Shared(nodes, True, tuple(levels))

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the set, and a path of any length from it."""
        origin = query.text.variable()
        ends = (origin, node) if self.direction is Direction.OUT else (node, origin)
        # A path of no length would need its end in the graph.
        path = [
            *query.set(self.source, origin),
            f"{ends[0]} {query.text.path(self.properties)}+ {ends[1]} .",
            *query.far_ends(self.properties, self.direction, node),
        ]
        itself = indented(query.set(self.source, node))
        return ["{", *itself, "} UNION {", *indented(path), "}"]

    def phrase(self, reader: Reader) -> Phrase:
        """Write "Germany or what lies in it by country"."""
        source = reader.of(self.source)
        relation = reader.relation(self.properties)
        way = "what lies in it" if self.direction is Direction.IN else "what it lies in"
        return Phrase(f"{source.inner} or {way} by {relation}")
