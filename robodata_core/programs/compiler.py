"""One SPARQL 1.1 query with the same result as the executor's.

The query reads a source's plain RDF: direct triples (``wdt:``, or the source's own predicates).
Where these lose what a comparison needs, it looks at Wikibase's value nodes too: the unit of a
quantity, the precision of a time. A value without such a node has no unit, or is known to the
precision its datatype says. The result is the same as the executor's, within these limits:

- The executor has caps, the query has none: the two agree where ``truncated`` is false.
- A query gives direct values. The unit of a quantity and the precision of a time that the
  program *ends* with are not in its result.
- Statements of one entity and property whose direct values are equal share one direct triple.
  Which of their units or precisions count is then decided by all of them together.
- Numbers of a graph's own predicates that are not xsd:decimal are compared, but as nodes "5" and
  "5.0" of two datatypes are two in a query and one in the executor.
- An IRI that a Wikidata property leads to is a link unless it is Wikidata's own. A program does
  not go on from it; a query does where the graph says something of the same IRI.
- Labels, aliases and descriptions are no statements; a program that follows them as properties
  cannot be compiled.
- Engines may not reckon with very large or very precise decimals (Oxigraph: 1.7e20, 18 digits
  after the point) and skip what they cannot read. A program that holds such a number itself
  cannot be compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

from robodata_core.errors import ProgramError
from robodata_core.iris import WD, WDT, predicate_iri
from robodata_core.model import Direction, EntityValue, Value
from robodata_core.programs._conditions import begins, condition, known, measured, no_encoding
from robodata_core.programs._reckoned import ReckonWriter
from robodata_core.programs._relations import (
    NO_RELATION_SPACES,
    NO_RELATIONS,
    TYPE,
    VOCABULARIES,
    subclass_properties,
)
from robodata_core.programs._sparql import Text, extremes, indented
from robodata_core.programs.check import check, reads
from robodata_core.programs.steps import (
    Aggregate,
    Coarsen,
    Count,
    CountDifference,
    Difference,
    Elapsed,
    End,
    Extreme,
    ExtremeCount,
    ExtremeSize,
    ExtremeSpan,
    FilterByConstraint,
    FilterByCount,
    FilterBySame,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.sources.predicates import Role, role_of
from robodata_core.store._terms import lookup_terms

__all__ = ["compile_sparql"]

#: Sets are written out wherever they are used; a program that uses its own many times explodes.
_MAX_PATTERNS: Final = 500


def compile_sparql(program: Program) -> str:
    """Return a query with the same result: SELECT for a set or a number, ASK for a boolean.

    A set is bound to ``?x``, a number to ``?count``.

    Raises:
        ProgramError: If the program is not well formed, or cannot be compiled.
    """
    check(program)
    return _Compiler(program).query()


class _Compiler:
    """Writes sets as graph patterns, from the answer back to the start.

    Every set is a list of lines of one group graph pattern that bind one variable, apart from
    variables nobody else uses; so the lines of several sets can stand in one group.
    """

    def __init__(self, program: Program) -> None:
        self._text = Text()
        self._steps = {step.out: step for step in program.steps if not isinstance(step, End)}
        self._answer = self._steps[program.steps[-1].source]  # type: ignore[union-attr]
        self._exclude_start = program.exclude_start
        self._met_again = _met_again(self._steps.values())
        self._patterns = 0
        self._starts: dict[str, Start] = {}
        reckoned = ReckonWriter(self._text, self._set)
        self._writers: dict[type, Callable[[Any, str], list[str]]] = {
            Start: self._start,
            Follow: self._follow,
            FilterByType: self._by_type,
            FilterByConstraint: self._by_constraint,
            Intersect: self._intersect,
            Union: self._union,
            Difference: self._difference,
            Extreme: self._extreme,
            FilterByCount: self._by_count,
            FilterBySame: self._by_same,
            ExtremeCount: self._extreme_count,
            ExtremeSize: reckoned.extreme_size,
            ExtremeSpan: reckoned.extreme_span,
            Coarsen: reckoned.coarsen,
            Elapsed: reckoned.elapsed,
            Aggregate: reckoned.aggregate,
        }

    def query(self) -> str:
        """Return the whole query."""
        answer, node = self._answer, "?x"
        if isinstance(answer, CountDifference):
            return self._difference_of_sizes(answer)
        about = answer.source if isinstance(answer, (Count, Judge)) else answer.out
        body = self._set(about, node)
        if isinstance(answer, Judge) and answer.value is not None:
            body.insert(0, self._text.values(node, [self._text.term(answer.value)]))
        body += self._excluded(node)
        head = "ASK {" if isinstance(answer, Judge) else f"SELECT DISTINCT {node} WHERE {{"
        if isinstance(answer, Count):
            head = f"SELECT (COUNT(DISTINCT {node}) AS ?count) WHERE {{"
        return "\n".join([*self._text.prologue(), head, *indented(body), "}"])

    def _difference_of_sizes(self, answer: CountDifference) -> str:
        names = (answer.source, answer.minus)
        nodes = ("?left", "?right")
        bodies = [self._set(name, node) for name, node in zip(names, nodes, strict=True)]
        lines: list[str] = []
        for node, number, body in zip(nodes, ("?more", "?less"), bodies, strict=True):
            lines += [
                f"{{ SELECT (COUNT(DISTINCT {node}) AS {number}) WHERE {{",
                *indented([*body, *self._excluded(node)]),
                "} }",
            ]
        head = "SELECT (?more - ?less AS ?count) WHERE {"
        return "\n".join([*self._text.prologue(), head, *indented(lines), "}"])

    def _excluded(self, node: str) -> list[str]:
        """Return what leaves out the start nodes, once all sets are written."""
        if not self._exclude_start or not self._starts:
            return []
        return [f"MINUS {{ {self._text.values(node, self._start_terms())} }}"]

    def _start_terms(self) -> list[str]:
        values = [value for start in self._starts.values() for value in start.values]
        return list(dict.fromkeys(self._text.term(value) for value in values))

    def _set(self, name: str, node: str, *, subjects: bool = False) -> list[str]:
        """Return the lines that bind ``node`` to the set's nodes.

        With ``subjects`` only those matter that have Wikidata statements of their own, which
        unknown values never have.
        """
        self._patterns += 1
        if self._patterns > _MAX_PATTERNS:
            raise ProgramError("The program uses its sets too many times to be one query.")
        step = self._steps[name]
        _check_relations(step)
        lines = self._writers[type(step)](step, node)
        if isinstance(step, Follow) and not subjects:
            lines += self._known_nodes(step, node)
        return lines

    def _known_nodes(self, step: Follow, node: str) -> list[str]:
        """Return the filter that the far ends of a relation need, if any."""
        if not step.properties:
            return [known(self._text, node, entity=True)]
        if step.direction is Direction.OUT:
            return [known(self._text, node)]
        if self._is_wikidata(*step.properties):
            return []
        return [known(self._text, node, entity=True)]

    def _is_wikidata(self, *properties: str) -> bool:
        return all(self._text.is_wikidata(property_) for property_ in properties)

    # -- one writer a step --------------------------------------------------------------------

    def _start(self, step: Start, node: str) -> list[str]:
        self._starts[step.out] = step
        terms = dict.fromkeys(self._text.term(value) for value in step.values)
        return [self._text.values(node, list(terms))]

    def _follow(self, step: Follow, node: str) -> list[str]:
        lines, origin = self._origin(step)
        ends = (origin, node) if step.direction is Direction.OUT else (node, origin)
        if step.properties:
            return lines + self._edges(ends[0], step.properties, ends[1])
        return lines + self._neighbours(*ends)

    def _edges(self, subject: str, properties: Sequence[str], object_: str) -> list[str]:
        """Return patterns for statements along any of ``properties``."""
        others = [property_ for property_ in properties if property_ != TYPE]
        lines = [f"{subject} {self._text.path(others)} {object_} ."] if others else []
        if len(others) == len(properties):
            return lines
        typed = [
            f"{subject} {self._text.path((TYPE,))} {object_} .",
            no_encoding(self._text, object_),
        ]
        if not lines:
            return typed
        return ["{", *indented(lines), "} UNION {", *indented(typed), "}"]

    def _origin(self, step: Follow) -> tuple[list[str], str]:
        """Return what a relation is followed from, and the lines that bind it."""
        source = self._steps[step.source]
        inwards = step.direction is Direction.IN
        if isinstance(source, Start):
            first = source.values[0]
            self._starts[source.out] = source
            if len(source.values) == 1 and isinstance(first, EntityValue):
                return [], self._text.entity(first.id)
            if inwards:
                node = self._text.variable()
                return [self._text.values(node, self._spellings(source.values))], node
        node = self._text.variable()
        subjects = not inwards and bool(step.properties) and self._is_wikidata(*step.properties)
        lines = self._set(step.source, node, subjects=subjects)
        if step.source in self._met_again:
            lines = [f"{{ SELECT DISTINCT {node} WHERE {{", *indented(lines), "} }"]
        return lines, node

    def _spellings(self, values: tuple[Value, ...]) -> list[str]:
        terms = (term for value in values for term in lookup_terms(value))
        return list(dict.fromkeys(self._text.serialised(term) for term in terms))

    def _neighbours(self, subject: str, object_: str) -> list[str]:
        """Return patterns for any relation between two entities."""
        text, relation = self._text, self._text.variable("p")
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

    def _by_type(self, step: FilterByType, node: str) -> list[str]:
        text = self._text
        is_wikidata = self._is_wikidata(*step.via)
        lines = self._set(step.source, node, subjects=is_wikidata) if step.source else []
        above = f"{text.path(subclass_properties(step))}*"
        classes = list(dict.fromkeys(text.entity(id_) for id_ in step.type_ids))
        wanted = classes[0] if len(classes) == 1 else text.variable("c")
        if len(classes) > 1:
            lines.append(text.values(wanted, classes))
        if TYPE in step.via:
            class_ = text.variable("c")
            lines += [*self._edges(node, step.via, class_), f"{class_} {above} {wanted} ."]
        else:
            lines.append(f"{node} {text.path(step.via)}/{above} {wanted} .")
        if not step.source and not is_wikidata:
            lines.append(known(text, node, entity=True))
        return lines

    def _by_constraint(self, step: FilterByConstraint, node: str) -> list[str]:
        is_wikidata = self._is_wikidata(step.property)
        lines = self._set(step.source, node, subjects=is_wikidata) if step.source else []
        lines += condition(self._text, node, step.property, step.comparison, step.value)
        if not step.source and not is_wikidata:
            lines.append(known(self._text, node, entity=True))
        return lines

    def _extreme(self, step: Extreme, node: str) -> list[str]:
        text = self._text
        is_wikidata = self._is_wikidata(step.property)
        other, size, among = text.variable(), text.variable("v"), text.variable("k")
        inner = [
            *self._set(step.source, other, subjects=is_wikidata),
            *measured(text, other, step.property, size, among),
        ]
        best, own = text.variable("m"), text.variable("v")
        function = "MAX" if step.largest else "MIN"
        return [
            *self._set(step.source, node, subjects=is_wikidata),
            *measured(text, node, step.property, own, among),
            f"{{ SELECT {among} ({function}({size}) AS {best}) WHERE {{",
            *indented(inner),
            f"}} GROUP BY {among} }}",
            f"FILTER({own} = {best})",
        ]

    def _by_count(self, step: FilterByCount, node: str) -> list[str]:
        number = self._text.variable("n")
        lines = self._numbered(step, node, number)
        return [*lines, f"FILTER({number} {step.comparison.value} {step.number})"]

    def _by_same(self, step: FilterBySame, node: str) -> list[str]:
        is_wikidata = self._is_wikidata(*step.first, *step.second)
        value = self._text.variable("v")
        lines = self._set(step.source, node, subjects=is_wikidata) if step.source else []
        for properties in (step.first, step.second):
            lines += self._edges(node, properties, value)
        lines.append(known(self._text, value))
        if not step.source and not is_wikidata:
            lines.append(known(self._text, node, entity=True))
        return lines

    def _extreme_count(self, step: ExtremeCount, node: str) -> list[str]:
        write = partial(self._numbered, step)
        return extremes(self._text, write, node, largest=step.largest, number="n")

    def _numbered(self, step: FilterByCount | ExtremeCount, node: str, number: str) -> list[str]:
        """Return patterns that bind the nodes of a set, each with how many others it is joined to.

        A node that is joined to none has no number and is left out.
        """
        outwards = step.direction is Direction.OUT
        far = self._text.variable()
        subjects = outwards and self._is_wikidata(*step.properties)
        ends = (node, far) if outwards else (far, node)
        follow = Follow("", step.source, step.properties, step.direction)
        of = self._set(step.source, node, subjects=subjects) if step.source else []
        inner = [
            *of,
            *(self._set(step.among, far) if step.among else []),
            *self._edges(ends[0], step.properties, ends[1]),
            *self._known_nodes(follow, far),
        ]
        if not subjects:
            inner.append(known(self._text, node, entity=True))
        head = f"{{ SELECT {node} (COUNT(DISTINCT {far}) AS {number}) WHERE {{"
        return [head, *indented(inner), f"}} GROUP BY {node} }}"]

    def _intersect(self, step: Intersect, node: str) -> list[str]:
        return [line for name in dict.fromkeys(step.sources) for line in self._set(name, node)]

    def _union(self, step: Union, node: str) -> list[str]:
        lines: list[str] = []
        for name in dict.fromkeys(step.sources):
            lines += ["} UNION {" if lines else "{", *indented(self._set(name, node))]
        return [*lines, "}"]

    def _difference(self, step: Difference, node: str) -> list[str]:
        lines = self._set(step.source, node)
        return [*lines, "MINUS {", *indented(self._set(step.minus, node)), "}"]


def _met_again(steps: Iterable[Step]) -> set[str]:
    """Return the sets whose pattern may match the same node over and over.

    Those are sets reached from more than one node, and what is made from them. Without DISTINCT
    an engine would walk on from such a node once for every way that led to it.
    """
    single: set[str] = set()
    found: set[str] = set()
    for step in steps:
        assert not isinstance(step, End)
        if isinstance(step, Start) and len(step.values) == 1:
            single.add(step.out)
        from_many = isinstance(step, Follow) and step.source not in single
        if from_many or not found.isdisjoint(reads(step)):
            found.add(step.out)
    return found


def _check_relations(step: Step) -> None:
    """Refuse predicates that no statements are made of, but names or the graph's workings."""
    properties: tuple[str, ...] = ()
    if isinstance(step, (Follow, FilterByCount, ExtremeCount)):
        properties = step.properties
    elif isinstance(step, FilterByType):
        properties = step.via
    elif isinstance(step, (FilterByConstraint, Extreme, Coarsen, Aggregate)):
        properties = (step.property,)
    elif isinstance(step, ExtremeSpan):
        properties = (step.begin, step.end)
    elif isinstance(step, FilterBySame):
        properties = (*step.first, *step.second)
    for property_ in properties:
        if role_of(predicate_iri(property_))[0] is not Role.FACT:
            raise ProgramError(f"{property_} is no relation: it names things or describes data.")
