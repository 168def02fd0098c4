"""A query's pattern taken apart and written as steps; its terms as values and comparisons."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from robodata_core.errors import ProgramError
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
from robodata_core.programs.steps import (
    Comparison,
    Difference,
    End,
    Extreme,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Start,
    Step,
    Union,
)

__all__ = [
    "Builder",
    "Compared",
    "Pattern",
    "UnfitQueryError",
    "entity_of",
    "flat",
    "is_type_path",
    "is_variable",
    "property_of",
    "value_of",
]

_FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
_NUMBERS: Final = frozenset(
    XSD + name for name in ("integer", "decimal", "double", "float", "int", "nonNegativeInteger")
)


class UnfitQueryError(ProgramError):
    """A query that is no program of the toolbox; the message is the reason."""


@dataclass(slots=True)
class Compared:
    """A filter: a variable, or its year, against a constant."""

    variable: Any
    comparison: Comparison
    value: Value
    year: bool = False

    @classmethod
    def read(cls, expression: Any) -> Compared:
        """Read the expression of a FILTER; the constant may stand on either side.

        Raises:
            UnfitQueryError: If it is no comparison of one variable, or its year, with a constant.
        """
        if getattr(expression, "name", "") != "RelationalExpression":
            raise UnfitQueryError("It filters in a way no tool does")
        left, op, right = expression.expr, str(expression.op), expression.other
        if op not in _FLIPPED:
            raise UnfitQueryError("It filters by a list")
        if not is_variable(_inner(left)):
            left, op, right = right, _FLIPPED[op], left
        inner = _inner(left)
        if not is_variable(inner) or is_variable(_inner(right)):
            raise UnfitQueryError("It compares two variables")
        year = inner is not left
        value = value_of(right)
        if year:
            if not isinstance(value, QuantityValue) or value.amount % 1:
                raise UnfitQueryError("It compares a year with something else")
            value = TimeValue(int(value.amount), precision=9)
        return cls(inner, Comparison(op), value, year)


def _inner(expression: Any) -> Any:
    """Return the variable whose year is taken, or the expression itself."""
    return expression.arg if getattr(expression, "name", "") == "Builtin_YEAR" else expression


def is_variable(term: Any) -> bool:
    """Tell whether a term of a parsed query is a variable."""
    from rdflib import Variable

    return isinstance(term, Variable)


def is_type_path(path: Any) -> bool:
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


def property_of(path: Any) -> tuple[str, bool]:
    """Return the property of a path, and whether it is the path to classes.

    Raises:
        UnfitQueryError: If it is not one direct property, nor the path to classes.
    """
    from rdflib import URIRef
    from rdflib.paths import Path

    if is_type_path(path):
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


def entity_of(value: Value) -> str:
    """Return the id of a value that stands for a class.

    Raises:
        UnfitQueryError: If it is no entity.
    """
    if not isinstance(value, EntityValue):
        raise UnfitQueryError("A class is no entity")
    return value.id


def value_of(term: Any) -> Value:
    """Return an IRI or a literal of a parsed query as a value.

    Raises:
        UnfitQueryError: If it is neither an entity nor a text, a number or a time.
    """
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


@dataclass(slots=True)
class Pattern:
    """A group of a query, taken apart."""

    triples: list[tuple[Any, Any, Any]] = field(default_factory=list)
    filters: list[Any] = field(default_factory=list)
    without: list[Pattern] = field(default_factory=list)

    @property
    def variables(self) -> set[Any]:
        """The variables of its own triples and filters."""
        ends = {node for one, _, two in self.triples for node in (one, two) if is_variable(node)}
        return ends | {Compared.read(expression).variable for expression in self.filters}

    @property
    def everywhere(self) -> set[Any]:
        """All its variables, those of what it leaves out included."""
        return self.variables.union(*(part.everywhere for part in self.without))


def flat(node: Any) -> Pattern:
    """Take a group apart into triples, filters and what is subtracted.

    Raises:
        UnfitQueryError: If it has another part.
    """
    pattern = Pattern()
    subtracted: list[Pattern] = []
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
            subtracted.append(flat(one.p2))
            stack.append(one.p1)
        else:
            raise UnfitQueryError(_WHY.get(one.name, f"It has a part no tool does ({one.name})"))
    if any(pattern.variables.isdisjoint(part.variables) for part in subtracted):
        raise UnfitQueryError("It subtracts what shares no variable, which takes nothing away")
    pattern.without += subtracted
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


def _filter(expression: Any, pattern: Pattern) -> None:
    if getattr(expression, "name", "") == "ConditionalAndExpression":
        for part in (expression.expr, *expression.other):
            _filter(part, pattern)
    elif getattr(expression, "name", "") == "Builtin_NOTEXISTS":
        pattern.without.append(flat(expression.graph))
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
    if not isinstance(path, SequencePath) or is_type_path(path):
        return [(subject, path, value)]
    first, *rest = path.args
    following = SequencePath(*rest) if len(rest) > 1 else rest[0]
    between = Variable(f"between_{BNode()}")
    return [*_unfolded((subject, first, between)), *_unfolded((between, following, value))]


class Builder:
    """Writes the steps of a pattern, from its constants to the variable asked for."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._names = 0

    def start(self, name: str, value: Value) -> None:
        """Write a step that starts the set ``name`` from one value."""
        self.steps.append(Start(name, (value,)))

    def any_of(self, node: Any, asked: Any, ordered: tuple[Any, bool] | None = None) -> str:
        """Write alternatives, each a tree, and return the name of their union."""
        if node.name != "Union":
            return self.tree(flat(node), asked, ordered)
        if ordered is not None:
            raise UnfitQueryError("It sorts alternatives")
        parts = (self.any_of(node.p1, asked), self.any_of(node.p2, asked))
        return self.write(Union(self.name(), parts))

    def tree(self, pattern: Pattern, asked: Any, ordered: tuple[Any, bool] | None = None) -> str:
        """Write a tree around ``asked`` and return the name of its set."""
        tree = _Tree(self, pattern, ordered)
        name = tree.around(asked)
        tree.finish()
        for without in pattern.without:
            name = self._without(name, without, asked, pattern.variables)
        return name

    def _without(self, name: str, without: Pattern, asked: Any, shared: set[Any]) -> str:
        if asked not in without.variables or without.everywhere & shared - {asked}:
            raise UnfitQueryError("It leaves out what is tied to more than what it asks for")
        return self.write(Difference(self.name(), name, self.tree(without, asked)))

    def name(self) -> str:
        """Return a name that no set has yet."""
        self._names += 1
        return f"x{self._names}"

    def write(self, step: Step) -> str:
        """Write a step and return the name of its set."""
        assert not isinstance(step, End)
        self.steps.append(step)
        return step.out


class _Tree:
    """One pattern on the way; every triple and filter is used once."""

    def __init__(
        self, builder: Builder, pattern: Pattern, ordered: tuple[Any, bool] | None
    ) -> None:
        self._builder = builder
        self._triples = list(pattern.triples)
        self._filters = [Compared.read(expression) for expression in pattern.filters]
        self._ordered = ordered

    def finish(self) -> None:
        """Raise if something was left over."""
        if self._triples:
            raise UnfitQueryError("Its triples are no tree around what it asks for")
        if self._filters or (self._ordered is not None):
            raise UnfitQueryError("It compares or sorts what no tool reaches")

    def around(self, variable: Any) -> str:
        """Write what is known of ``variable``, or of a constant, and return the name of its set."""
        own = [one for one in self._triples if variable in (one[0], one[2])]
        self._triples = [one for one in self._triples if one not in own]
        sets: list[str] = []
        if not is_variable(variable):
            sets.append(self._builder.name())
            self._builder.start(sets[0], value_of(variable))
        later: list[Step] = []
        for subject, path, value in own:
            property_, classes = property_of(path)
            other = value if subject == variable else subject
            outward = subject != variable
            if classes and not outward and not is_variable(other):
                later.append(FilterByType("", "", (entity_of(value_of(other)),)))
            elif classes:
                raise UnfitQueryError("It follows a relation any number of times")
            elif not is_variable(other):
                self._constant(property_, value_of(other), outward, sets, later)
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
            name = self._builder.name()
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
            return builder.write(Intersect(builder.name(), tuple(sets)))
        if sets:
            return sets[0]
        for step in later:
            if isinstance(step, FilterByConstraint) and step.comparison is Comparison.EQ:
                later.remove(step)
                name = builder.name()
                builder.start(name, step.value)
                return self._follow(name, step.property, False)
        if not later or isinstance(later[0], Extreme):
            raise UnfitQueryError("It has no condition to start from")
        return self._then(later.pop(0), "")

    def _then(self, step: Step, source: str) -> str:
        out = self._builder.name()
        if isinstance(step, FilterByType):
            return self._builder.write(FilterByType(out, source, step.type_ids))
        if isinstance(step, FilterByConstraint):
            compared = FilterByConstraint(out, source, step.property, step.comparison, step.value)
            return self._builder.write(compared)
        assert isinstance(step, Extreme)
        return self._builder.write(Extreme(out, source, step.property, step.largest))

    def _follow(self, source: str, property_: str, outward: bool) -> str:
        direction = Direction.OUT if outward else Direction.IN
        return self._builder.write(Follow(self._builder.name(), source, (property_,), direction))

    def _own_filters(self, variable: Any, name: str) -> str:
        builder = self._builder
        for one in [one for one in self._filters if one.variable == variable]:
            measured = isinstance(one.value, QuantityValue | TimeValue)
            if measured or one.comparison not in (Comparison.EQ, Comparison.NE):
                raise UnfitQueryError("It compares the values it ends with")
            self._filters.remove(one)
            given = builder.name()
            builder.start(given, one.value)
            out = builder.name()
            if one.comparison is Comparison.NE:
                name = builder.write(Difference(out, name, given))
            else:
                name = builder.write(Intersect(out, (name, given)))
        return name
