"""Sets of a program as graph patterns: what a step has to say of itself, and what writes them.

What a compiled query means, and its limits, are told in ``compiler``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from robodata_core.errors import ProgramError
from robodata_core.iris import WD, WDT, predicate_iri
from robodata_core.model import Direction, Value
from robodata_core.programs._conditions import begins, known, no_encoding
from robodata_core.programs._relations import NO_RELATION_SPACES, NO_RELATIONS, TYPE, VOCABULARIES
from robodata_core.programs._sparql import Text, indented
from robodata_core.programs.fields import Fielded
from robodata_core.sources.predicates import Role, role_of

__all__ = ["Queried", "QueryWriter"]

#: Sets are written out wherever they are used; a program that uses its own many times explodes.
_MAX_PATTERNS: Final = 500


class Queried(Fielded):
    """What a step says of itself for a query.

    One that gives a set has ``pattern``; one that gives a number or a truth has ``query``.
    """

    __slots__ = ()

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Return lines of SPARQL that bind the variable ``node`` to its nodes."""
        raise NotImplementedError

    def known_nodes(self, query: QueryWriter, node: str) -> list[str]:
        """Return the filter that its nodes need where unknown values matter, if any."""
        return []

    @property
    def starts(self) -> tuple[Value, ...]:
        """The values that it gives as they are."""
        return ()

    @property
    def is_single(self) -> bool:
        """Whether it gives one node at most, by its form alone."""
        return False

    @property
    def spreads(self) -> bool:
        """Whether several nodes may lead it to the same one."""
        return False

    def query(self, query: QueryWriter) -> list[str]:
        """Return the lines of a whole query, without its declarations."""
        raise NotImplementedError


class QueryWriter:
    """Writes sets as graph patterns, from the answer back to the start.

    Every set is a list of lines of one group graph pattern that bind one variable, apart from
    variables nobody else uses; so the lines of several sets can stand in one group.

    Attributes:
        text: Writes terms and hands out variables.
        steps: The steps of the program by the names of what they write.
        starts: Values that the sets written so far start from.
        met_again: Names of sets whose pattern may match the same node over and over.

    Args:
        steps: See above, in order.
        exclude_start: Whether values that sets start from are left out of what is kept.
    """

    def __init__(self, steps: Mapping[str, Queried], *, exclude_start: bool = False) -> None:
        self.text = Text()
        self.steps = steps
        self.starts: dict[str, tuple[Value, ...]] = {}
        self.met_again = _met_again(self.steps.values())
        self._exclude_start = exclude_start
        self._patterns = 0

    def select(self, name: str) -> list[str]:
        """Return a query for the nodes of a set."""
        return ["SELECT DISTINCT ?x WHERE {", *indented(self.kept([name], "?x")), "}"]

    def kept(self, names: Sequence[str], node: str) -> list[str]:
        """Return lines that bind ``node`` to what is in all of some sets and is not left out."""
        lines = [line for name in names for line in self.set(name, node)]
        if self._exclude_start and self.starts:
            values = [value for given in self.starts.values() for value in given]
            terms = list(dict.fromkeys(self.text.term(value) for value in values))
            lines.append(f"MINUS {{ {self.text.values(node, terms)} }}")
        return lines

    def sizes(self, *counted: tuple[Sequence[str], str]) -> list[str]:
        """Return lines that bind numbers: each of what is in all of some sets.

        Args:
            counted: Names of sets, with the variable for the number.
        """
        nodes = [self.text.variable() for _ in counted]
        for names, _ in counted if self._exclude_start else ():  # all starts have to be known
            for name in names:
                self.set(name, self.text.variable())
        lines: list[str] = []
        for (names, number), node in zip(counted, nodes, strict=True):
            lines += [
                f"{{ SELECT (COUNT(DISTINCT {node}) AS {number}) WHERE {{",
                *indented(self.kept(names, node)),
                "} }",
            ]
        return lines

    def set(self, name: str, node: str, *, subjects: bool = False) -> list[str]:
        """Return the lines that bind ``node`` to the set's nodes.

        With ``subjects`` only those matter that have Wikidata statements of their own, which
        unknown values never have.
        """
        self._patterns += 1
        if self._patterns > _MAX_PATTERNS:
            raise ProgramError("The program uses its sets too many times to be one query.")
        step = self.steps[name]
        _check_relations(step)
        return step.pattern(self, node) + ([] if subjects else step.known_nodes(self, node))

    def source(self, name: str, node: str, properties: Sequence[str]) -> list[str]:
        """Return lines for the set that a filter by properties reads; nothing where it starts."""
        return self.set(name, node, subjects=self.is_wikidata(*properties)) if name else []

    def started(self, name: str, node: str, properties: Sequence[str]) -> list[str]:
        """Return the filter that the nodes of a filter need which starts a set, if any."""
        if name or self.is_wikidata(*properties):
            return []
        return [known(self.text, node, entity=True)]

    def is_wikidata(self, *properties: str) -> bool:
        """Tell whether all of some properties are Wikidata's."""
        return all(self.text.is_wikidata(property_) for property_ in properties)

    def edges(self, subject: str, properties: Sequence[str], object_: str) -> list[str]:
        """Return patterns for statements along any of ``properties``."""
        others = [property_ for property_ in properties if property_ != TYPE]
        lines = [f"{subject} {self.text.path(others)} {object_} ."] if others else []
        if len(others) == len(properties):
            return lines
        typed = [
            f"{subject} {self.text.path((TYPE,))} {object_} .",
            no_encoding(self.text, object_),
        ]
        if not lines:
            return typed
        return ["{", *indented(lines), "} UNION {", *indented(typed), "}"]

    def neighbours(self, subject: str, object_: str) -> list[str]:
        """Return patterns for any relation between two entities."""
        text, relation = self.text, self.text.variable("p")
        direct, item = text.text(WDT), text.text(WD)
        none = ", ".join(text.iri(iri) for iri in NO_RELATIONS)
        spaces = begins(text, relation, NO_RELATION_SPACES)
        encoded = f"{relation} = {text.iri(TYPE)} && {begins(text, object_, VOCABULARIES)}"
        return [
            f"{subject} {relation} {object_} .",
            f"FILTER(isIRI({object_}))",
            f"FILTER(IF(STRSTARTS(STR({relation}), {direct}), STRSTARTS(STR({object_}), {item}), "
            f"!({spaces} || {relation} IN ({none}) || ({encoded}))))",
        ]

    def far_ends(self, properties: Sequence[str], way: Direction, node: str) -> list[str]:
        """Return the filter that the far ends of a relation need, if any."""
        if not properties:
            return [known(self.text, node, entity=True)]
        if way is Direction.OUT:
            return [known(self.text, node)]
        return [] if self.is_wikidata(*properties) else [known(self.text, node, entity=True)]


def _met_again(steps: Iterable[Queried]) -> set[str]:
    """Return the sets whose pattern may match the same node over and over.

    Those are sets reached from more than one node, and what is made from them. Without DISTINCT
    an engine would walk on from such a node once for every way that led to it.
    """
    single: set[str] = set()
    found: set[str] = set()
    for step in steps:
        if step.is_single:
            single.add(step.out)
        elif step.spreads and single.isdisjoint(step.reads) or not found.isdisjoint(step.reads):
            found.add(step.out)
    return found


def _check_relations(step: Queried) -> None:
    """Refuse predicates that no statements are made of, but names or the graph's workings."""
    for property_ in step.relations:
        if role_of(predicate_iri(property_))[0] is not Role.FACT:
            raise ProgramError(f"{property_} is no relation: it names things or describes data.")
