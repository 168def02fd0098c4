"""SPARQL of question sets, read as reasoning programs where it fits the toolbox.

A query fits if its pattern is a tree of direct triples around the variable asked for: chains,
types, values, comparisons, differences, one extreme, one count, yes or no. What does not fit is
said with the reason, so that a data set can be counted. Reading a program out of a query can
change what it means at the edges (ties of an extreme, solutions counted instead of entities), so
callers compare the program's answer with the expected one before they use it.

Source: KG-Agent paper, section 4.2.1. Needs rdflib (extra ``synthesis``), whose parser reads the
query; nothing of it is ever executed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from robodata_core.errors import ConfigurationError, ProgramError
from robodata_core.iris import WDT, XSD, id_from_iri, is_id, is_property_id
from robodata_core.model import (
    Direction,
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.programs.check import check
from robodata_core.programs.steps import (
    Comparison,
    Count,
    Difference,
    End,
    Extreme,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    Program,
    Start,
    Step,
    Union,
)

__all__ = ["UnfitQueryError", "kind_of", "program_from_sparql"]

_MAX_QUERY: Final = 20_000
_FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
_NUMBERS: Final = frozenset(
    XSD + name for name in ("integer", "decimal", "double", "float", "int", "nonNegativeInteger")
)


class UnfitQueryError(ProgramError):
    """A query that is no program of the toolbox; the message is the reason."""


@dataclass(slots=True)
class _Pattern:
    """A group of a query, taken apart."""

    triples: list[tuple[Any, Any, Any]] = field(default_factory=list)
    filters: list[Any] = field(default_factory=list)
    without: list[_Pattern] = field(default_factory=list)


def program_from_sparql(query: str) -> Program:
    """Return the program that a SELECT or ASK query amounts to.

    Args:
        query: SPARQL 1.1 over Wikidata's direct triples.

    Raises:
        UnfitQueryError: With the reason why it is none.
        ConfigurationError: If rdflib is not installed.
    """
    algebra = _parsed(query)
    if algebra.name == "AskQuery":
        # Versions of rdflib differ in whether they project the pattern of an ASK.
        inner = algebra.p.p if algebra.p.name == "Project" else algebra.p
        program = _ask(_flat(inner))
    elif algebra.name == "SelectQuery":
        program = _select(algebra.p)
    else:
        raise UnfitQueryError("It is neither SELECT nor ASK")
    try:
        check(program)
    except ProgramError as error:
        raise UnfitQueryError(f"A step is not well formed: {error}") from None
    return program


def kind_of(program: Program) -> str:
    """Return what kind of program it is, in the words ``sampling.KINDS`` uses."""
    steps = program.steps
    found = {
        Judge: "yes or no",
        Count: "count",
        Extreme: "extreme",
        Difference: "difference",
        Union: "union",
        Intersect: "intersection",
        FilterByType: "type",
        FilterByConstraint: "comparison",
    }
    for kind, name in found.items():
        if any(isinstance(step, kind) for step in steps):
            return name
    hops = sum(isinstance(step, Follow) for step in steps)
    return f"{hops} hop" if hops == 1 else f"{hops} hops"


def _parsed(query: str) -> Any:
    try:
        from rdflib.plugins.sparql.algebra import translateQuery
        from rdflib.plugins.sparql.parser import parseQuery
    except ImportError:
        raise ConfigurationError(
            "Reading SPARQL needs rdflib.", hint="pip install 'robodata[synthesis]'"
        ) from None
    if len(query) > _MAX_QUERY:
        raise UnfitQueryError("It is too long")
    try:
        return translateQuery(parseQuery(query)).algebra
    except RecursionError:
        raise UnfitQueryError("It is nested too deeply") from None
    except Exception:
        # The parser raises many kinds of errors, and the text is anybody's.
        raise UnfitQueryError("It is not SPARQL that rdflib can parse") from None


# -- the shape of the whole -------------------------------------------------------------------


@dataclass(slots=True)
class _Shape:
    """What stands around the pattern of a SELECT."""

    pattern: Any
    asked: Any = None
    counted: Any = None
    order: Any = None


def _select(node: Any) -> Program:
    only_first = node.name == "Slice"
    if only_first:
        if node.start or node.length != 1:
            raise UnfitQueryError("It cuts its rows in a way no tool does")
        node = node.p
    shape = _shape(node)
    if only_first and shape.order is None:
        raise UnfitQueryError("It cuts its rows in a way no tool does")
    if shape.counted is not None and shape.order is not None:
        raise UnfitQueryError("It sorts a count")
    builder = _Builder()
    if shape.counted is not None:
        name = builder.any_of(shape.pattern, shape.counted)
        builder.steps += [Count("n", name), End("n")]
    else:
        ordered = _ordered(shape.order) if only_first else None
        builder.steps.append(End(builder.any_of(shape.pattern, shape.asked, ordered)))
    return Program(tuple(builder.steps))


def _shape(node: Any) -> _Shape:
    shape = _Shape(node)
    while node.name in ("Distinct", "Reduced", "Project", "OrderBy", "Extend"):
        if node.name == "Project":
            if len(node.PV) != 1:
                raise UnfitQueryError("It has several columns")
            shape.asked = node.PV[0]
        elif node.name == "OrderBy":
            shape.order = node.expr
        elif node.name == "Extend":
            if node.p.name != "AggregateJoin":
                raise UnfitQueryError("It calculates a column")
            shape.counted = _counted(node)
            node = node.p.p
            if node.expr is not None:
                raise UnfitQueryError("It groups its rows")
        node = node.p
    shape.pattern = node
    return shape


def _counted(extend: Any) -> Any:
    aggregates = extend.p.A
    if len(aggregates) != 1 or aggregates[0].name != "Aggregate_Count":
        raise UnfitQueryError("It aggregates in another way than counting")
    counted = aggregates[0].vars
    if not _is_variable(counted):
        raise UnfitQueryError("It counts rows")
    return counted


def _ordered(order: Sequence[Any]) -> tuple[Any, bool]:
    if len(order) != 1 or not _is_variable(order[0].expr):
        raise UnfitQueryError("It sorts by more than one value")
    return order[0].expr, order[0].order == "DESC"


def _ask(pattern: _Pattern) -> Program:
    builder = _Builder()
    constant = [
        one for one in pattern.triples if not (_is_variable(one[0]) or _is_variable(one[2]))
    ]
    if constant:
        if len(pattern.triples) > 1 or pattern.filters or pattern.without:
            raise UnfitQueryError("It asks for several things at once")
        subject, path, value = constant[0]
        builder.start("s", _value(subject))
        wanted = _value(value)
        property_, classes = _property(path)
        if classes:
            builder.steps.append(FilterByType("t", "s", (_entity(wanted),)))
            builder.steps += [Judge("j", "t", JudgeKind.NOT_EMPTY), End("j")]
        else:
            builder.steps.append(Follow("f", "s", (property_,)))
            builder.steps += [Judge("j", "f", JudgeKind.CONTAINS, wanted), End("j")]
        return Program(tuple(builder.steps))
    variables = {node for s, _, o in pattern.triples for node in (s, o) if _is_variable(node)}
    reason = UnfitQueryError("It has no condition to start from")
    for variable in sorted(variables):
        attempt = _Builder()
        try:
            name = attempt.tree(pattern, variable)
        except UnfitQueryError as error:
            reason = error
            continue
        attempt.steps += [Judge("j", name, JudgeKind.NOT_EMPTY), End("j")]
        return Program(tuple(attempt.steps))
    raise reason


def _flat(node: Any) -> _Pattern:
    """Take a group apart into triples, filters and what is subtracted."""
    pattern = _Pattern()
    stack = [node]
    while stack:
        one = stack.pop()
        if one.name == "BGP":
            pattern.triples += [part for triple in one.triples for part in _unfolded(triple)]
        elif one.name == "Join":
            stack += [one.p1, one.p2]
        elif one.name == "Filter":
            _filter(one.expr, pattern)
            stack.append(one.p)
        elif one.name == "Minus":
            pattern.without.append(_flat(one.p2))
            stack.append(one.p1)
        else:
            raise UnfitQueryError(_WHY.get(one.name, f"It has a part no tool does ({one.name})"))
    return pattern


_WHY: Final = {
    "LeftJoin": "It has an optional part",
    "Union": "It joins alternatives inside",
    "Extend": "It calculates a value",
    "Graph": "It names a graph",
    "ToMultiSet": "It has a query or a list of values inside",
    "Values": "It has a query or a list of values inside",
    "AggregateJoin": "It groups its rows",
    "Group": "It groups its rows",
    "Project": "It has a query or a list of values inside",
    "SelectQuery": "It has a query or a list of values inside",
}


def _filter(expression: Any, pattern: _Pattern) -> None:
    if getattr(expression, "name", "") == "ConditionalAndExpression":
        for part in (expression.expr, *expression.other):
            _filter(part, pattern)
    elif getattr(expression, "name", "") == "Builtin_NOTEXISTS":
        pattern.without.append(_flat(expression.graph))
    else:
        pattern.filters.append(expression)


def _unfolded(triple: tuple[Any, Any, Any]) -> list[tuple[Any, Any, Any]]:
    """Write a sequence of relations as triples with variables between."""
    from rdflib import BNode, Variable
    from rdflib.paths import InvPath, SequencePath

    # A blank node of a pattern is a variable nobody asks for.
    subject, path, value = (
        Variable(f"blank_{part}") if isinstance(part, BNode) else part for part in triple
    )
    if isinstance(path, InvPath):
        return _unfolded((value, path.arg, subject))
    if not isinstance(path, SequencePath) or _is_type_path(path):
        return [(subject, path, value)]
    first, *rest = path.args
    following = SequencePath(*rest) if len(rest) > 1 else rest[0]
    between = Variable(f"between_{BNode()}")
    return [*_unfolded((subject, first, between)), *_unfolded((between, following, value))]


# -- trees of triples --------------------------------------------------------------------------


class _Builder:
    """Writes the steps of a pattern, from its constants to the variable asked for."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._names = 0

    def start(self, name: str, value: Value) -> None:
        self.steps.append(Start(name, (value,)))

    def any_of(self, node: Any, asked: Any, ordered: tuple[Any, bool] | None = None) -> str:
        """Write alternatives, each a tree, and return the name of their union."""
        if node.name != "Union":
            return self.tree(_flat(node), asked, ordered)
        if ordered is not None:
            raise UnfitQueryError("It sorts alternatives")
        parts = (self.any_of(node.p1, asked), self.any_of(node.p2, asked))
        return self._write(Union(self._name(), parts))

    def tree(self, pattern: _Pattern, asked: Any, ordered: tuple[Any, bool] | None = None) -> str:
        """Write a tree around ``asked`` and return the name of its set."""
        tree = _Tree(self, pattern, ordered)
        name = tree.around(asked)
        tree.finish(asked)
        for without in pattern.without:
            name = self._without(name, without, asked)
        return name

    def _without(self, name: str, without: _Pattern, asked: Any) -> str:
        for triple in without.triples:
            if triple[0] != asked or _is_variable(triple[2]):
                raise UnfitQueryError("It leaves out what has any value of a relation")
        inner = _Tree(self, without, None)
        minus = inner.around(asked)
        inner.finish(asked)
        return self._write(Difference(self._name(), name, minus))

    def _name(self) -> str:
        self._names += 1
        return f"x{self._names}"

    def _write(self, step: Step) -> str:
        assert not isinstance(step, End)
        self.steps.append(step)
        return step.out


class _Tree:
    """One pattern on the way; every triple and filter is used once."""

    def __init__(
        self, builder: _Builder, pattern: _Pattern, ordered: tuple[Any, bool] | None
    ) -> None:
        self._builder = builder
        self._triples = list(pattern.triples)
        self._filters = [_Compared.read(expression) for expression in pattern.filters]
        self._ordered = ordered

    def finish(self, asked: Any) -> None:
        """Raise if something was left over."""
        if self._triples:
            raise UnfitQueryError("Its triples are no tree around what it asks for")
        if self._filters or (self._ordered is not None):
            raise UnfitQueryError("It compares or sorts what no tool reaches")

    def around(self, variable: Any) -> str:
        """Write what is known of ``variable`` and return the name of its set."""
        own = [one for one in self._triples if variable in (one[0], one[2])]
        self._triples = [one for one in self._triples if one not in own]
        sets: list[str] = []
        later: list[Step] = []
        for subject, path, value in own:
            property_, classes = _property(path)
            other = value if subject == variable else subject
            outward = subject != variable
            if classes and not outward and not _is_variable(other):
                later.append(FilterByType("", "", (_entity(_value(other)),)))
            elif classes:
                raise UnfitQueryError("It follows a relation any number of times")
            elif not _is_variable(other):
                self._constant(property_, _value(other), outward, sets, later)
            elif not self._literal(property_, other, outward, later):
                sets.append(self._follow(self.around(other), property_, outward))
        name = self._first(sets, later)
        for step in later:
            name = self._then(step, name)
        return self._own_filters(variable, name)

    def _constant(
        self, property_: str, value: Value, outward: bool, sets: list[str], later: list[Step]
    ) -> None:
        if outward:
            name = self._builder._name()
            self._builder.start(name, value)
            sets.append(self._follow(name, property_, True))
        else:
            later.append(FilterByConstraint("", "", property_, Comparison.EQ, value))

    def _literal(self, property_: str, other: Any, outward: bool, later: list[Step]) -> bool:
        """Take a variable that is only compared or sorted by; False if it is more than that."""
        if any(other in (one[0], one[2]) for one in self._triples):
            return False
        compared = [one for one in self._filters if one.variable == other]
        sorted_by = self._ordered is not None and self._ordered[0] == other
        if not compared and not sorted_by:
            return False
        if outward:
            raise UnfitQueryError("It compares what has a value, not the value")
        for one in compared:
            later.append(FilterByConstraint("", "", property_, one.comparison, one.value))
            self._filters.remove(one)
        if sorted_by:
            assert self._ordered is not None
            later.append(Extreme("", "", property_, self._ordered[1]))
            self._ordered = None
        return True

    def _first(self, sets: list[str], later: list[Step]) -> str:
        """Return the set to begin with, writing it where only conditions are given."""
        builder = self._builder
        if len(sets) > 1:
            return builder._write(Intersect(builder._name(), tuple(sets)))
        if sets:
            return sets[0]
        for step in later:
            if isinstance(step, FilterByConstraint) and step.comparison is Comparison.EQ:
                later.remove(step)
                name = builder._name()
                builder.start(name, step.value)
                return self._follow(name, step.property, False)
        if not later or isinstance(later[0], Extreme):
            raise UnfitQueryError("It has no condition to start from")
        return self._then(later.pop(0), "")

    def _then(self, step: Step, source: str) -> str:
        out = self._builder._name()
        if isinstance(step, FilterByType):
            return self._builder._write(FilterByType(out, source, step.type_ids))
        if isinstance(step, FilterByConstraint):
            compared = FilterByConstraint(out, source, step.property, step.comparison, step.value)
            return self._builder._write(compared)
        assert isinstance(step, Extreme)
        return self._builder._write(Extreme(out, source, step.property, step.largest))

    def _follow(self, source: str, property_: str, outward: bool) -> str:
        direction = Direction.OUT if outward else Direction.IN
        return self._builder._write(Follow(self._builder._name(), source, (property_,), direction))

    def _own_filters(self, variable: Any, name: str) -> str:
        builder = self._builder
        for one in [one for one in self._filters if one.variable == variable]:
            if one.year or one.comparison not in (Comparison.EQ, Comparison.NE):
                raise UnfitQueryError("It compares the values it ends with")
            self._filters.remove(one)
            given = builder._name()
            builder.start(given, one.value)
            out = builder._name()
            if one.comparison is Comparison.NE:
                name = builder._write(Difference(out, name, given))
            else:
                name = builder._write(Intersect(out, (name, given)))
        return name


@dataclass(slots=True)
class _Compared:
    """A filter: a variable, or its year, against a constant."""

    variable: Any
    comparison: Comparison
    value: Value
    year: bool = False

    @classmethod
    def read(cls, expression: Any) -> _Compared:
        if getattr(expression, "name", "") != "RelationalExpression":
            raise UnfitQueryError("It filters in a way no tool does")
        left, op, right = expression.expr, str(expression.op), expression.other
        if op not in _FLIPPED:
            raise UnfitQueryError("It filters by a list")
        if not _is_variable(_inner(left)):
            left, op, right = right, _FLIPPED[op], left
        inner = _inner(left)
        if not _is_variable(inner) or _is_variable(_inner(right)):
            raise UnfitQueryError("It compares two variables")
        year = inner is not left
        value = _value(right)
        if year:
            if not isinstance(value, QuantityValue) or value.amount % 1:
                raise UnfitQueryError("It compares a year with something else")
            value = TimeValue(int(value.amount), precision=9)
        return cls(inner, Comparison(op), value, year)


def _inner(expression: Any) -> Any:
    """Return the variable whose year is taken, or the expression itself."""
    return expression.arg if getattr(expression, "name", "") == "Builtin_YEAR" else expression


# -- terms -------------------------------------------------------------------------------------


def _is_variable(term: Any) -> bool:
    from rdflib import Variable

    return isinstance(term, Variable)


def _is_type_path(path: Any) -> bool:
    """Tell whether a path is ``wdt:P31/wdt:P279*``: of a class or of a subclass."""
    from rdflib import URIRef
    from rdflib.paths import MulPath, SequencePath

    if not isinstance(path, SequencePath) or len(path.args) != 2:
        return False
    first, second = path.args
    return (
        first == URIRef(WDT + "P31")
        and isinstance(second, MulPath)
        and second.path == URIRef(WDT + "P279")
        and second.mod == "*"
    )


def _property(path: Any) -> tuple[str, bool]:
    """Return the property of a path, and whether it is the path to classes."""
    from rdflib import URIRef
    from rdflib.paths import Path

    if _is_type_path(path):
        return "P31", True
    if isinstance(path, Path):
        raise UnfitQueryError("It follows a relation any number of times")
    if not isinstance(path, URIRef):
        raise UnfitQueryError("Its relation is a variable")
    text = str(path)
    if not text.startswith(WDT):
        raise UnfitQueryError("It looks at qualifiers, labels or other than direct triples")
    id_ = id_from_iri(text)
    if not is_property_id(id_):
        raise UnfitQueryError("Its relation is no property")
    return id_, False


def _entity(value: Value) -> str:
    if not isinstance(value, EntityValue):
        raise UnfitQueryError("A class is no entity")
    return value.id


def _value(term: Any) -> Value:
    from rdflib import Literal, URIRef

    if isinstance(term, URIRef):
        id_ = id_from_iri(str(term))
        if not is_id(id_):
            raise UnfitQueryError("It names something that is no entity")
        return EntityValue(id_)
    if not isinstance(term, Literal):
        raise UnfitQueryError("It filters in a way no tool does")
    if term.language:
        return MonolingualTextValue(str(term), term.language)
    datatype = str(term.datatype or "")
    if datatype in _NUMBERS:
        try:
            return QuantityValue(Decimal(str(term)))
        except InvalidOperation:
            raise UnfitQueryError("A number cannot be read") from None
    if datatype in (XSD + "dateTime", XSD + "date"):
        return _time(str(term))
    if datatype not in ("", XSD + "string"):
        raise UnfitQueryError("It has a value of a kind no tool takes")
    return StringValue(str(term))


def _time(text: str) -> TimeValue:
    year, *rest = text.partition("T")[0].removeprefix("+").rsplit("-", 2)
    try:
        month, day = (int(part) for part in rest)
        return TimeValue(int(year), month, day, precision=11)
    except ValueError:
        raise UnfitQueryError("A date cannot be read") from None
