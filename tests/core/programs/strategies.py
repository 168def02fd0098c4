"""Random graphs and random programs over the same few names, so that they meet."""

from __future__ import annotations

from decimal import Decimal

import pyoxigraph as ox
from hypothesis import strategies as st

from robodata_core.iris import RDF, RDFS
from robodata_core.model import (
    Direction,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    QuantityValue,
    SomeValue,
    Statement,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.programs.keys import key_of
from robodata_core.programs.steps import (
    Aggregate,
    Between,
    Closure,
    Coarsen,
    Comparison,
    Count,
    Difference,
    Distance,
    Elapsed,
    End,
    Extreme,
    ExtremeCount,
    ExtremeSpan,
    FilterByConstraint,
    FilterByCount,
    FilterBySame,
    FilterByType,
    Follow,
    Function,
    Intersect,
    Judge,
    JudgeKind,
    JudgeShare,
    JudgeSize,
    Nearest,
    OnSide,
    Program,
    Quantifier,
    Side,
    Start,
    Step,
    Stretch,
    Union,
    Within,
)

__all__ = [
    "AMOUNTS",
    "ENTITIES",
    "TIMES",
    "constraints",
    "counts",
    "graphs",
    "literal_graphs",
    "nearnesses",
    "placed_graphs",
    "programs",
    "reckonings",
    "sames",
    "spelled_graphs",
    "times",
    "values",
    "walks",
]

OWN = "http://example.org/own#"
OWL_CLASS = "http://www.w3.org/2002/07/owl#Class"
ENTITIES = [f"Q{number}" for number in range(1, 7)] + [OWN + "a", OWN + "b"]
LINKS = ["P1", "P2", "P31", "P279", OWN + "near", RDF + "type", RDFS + "subClassOf"]
#: Relations that may be followed any number of times.
PLACES = [name for name in LINKS if name != RDF + "type"]
TEXTS, AMOUNTS, TIMES = "P10", ["P20", OWN + "size"], ["P30", OWN + "when"]
LITERALS = [TEXTS, *AMOUNTS, *TIMES]
HOSTILE = [
    "",
    "a",
    "b",
    'x" . } SERVICE <http://e> {',
    "\\",
    "\\u0022 }",
    "\n\r\t",
    "é🔪",
    "{{}}'''",
]

entities = st.sampled_from(ENTITIES).map(EntityValue)
items = st.sampled_from(ENTITIES[:6]).map(EntityValue)
hostile = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
texts: st.SearchStrategy[Value] = st.one_of(
    hostile.map(StringValue),
    st.sampled_from(HOSTILE).map(ExternalIdValue),
    st.builds(MonolingualTextValue, st.sampled_from("ab"), st.sampled_from(["en", "de-at"])),
)
amounts = st.builds(
    QuantityValue,
    st.sampled_from([Decimal(text) for text in ("-1", "0", "1", "1.5", "2", "2.50", "100")]),
    st.sampled_from([None, None, "Q1", "Q2"]),
)


@st.composite
def times(draw: st.DrawFn) -> TimeValue:
    precision = draw(st.sampled_from([3, 5, 6, 7, 8, 9, 9, 10, 11, 11, 14]))
    year = draw(st.sampled_from([-44, 0, 1, 1900, 1901, 1950, 1952, 1959, 2000, 2001]))
    month = draw(st.sampled_from([1, 2, 12])) if precision >= 10 else 0
    day = draw(st.sampled_from([1, 28])) if precision >= 11 else 0
    second = draw(st.sampled_from([0, 59])) if precision >= 14 else 0
    return TimeValue(year, month, day, 0, 0, second, precision)


values = st.one_of(entities, texts, amounts, times())


def _value_of(property_: str, *, known: bool = False) -> st.SearchStrategy[Value]:
    if property_ == TEXTS:
        return texts
    if property_ in AMOUNTS:
        return amounts
    if property_ in TIMES:
        return times()
    # Wikidata's properties lead to nothing but Wikidata's entities; any other IRI is a link.
    near = entities if ":" in property_ else items
    if known:
        return near
    others = [SomeValue(), EntityValue(OWL_CLASS)] if ":" in property_ else [SomeValue()]
    return st.one_of(near, near, near, st.sampled_from(others))


@st.composite
def statements(draw: st.DrawFn, property_: str = "") -> Statement:
    property_ = property_ or draw(st.sampled_from(LINKS * 2 + LITERALS))
    return Statement(draw(st.sampled_from(ENTITIES)), property_, draw(_value_of(property_)))


def _direct(one: Statement) -> tuple[object, ...]:
    return (one.subject, one.property, key_of(one.value))


#: Statements that share a direct triple share their units and precisions in a query (see
#: ``compiler``), so there are none.
graphs = st.lists(statements(), max_size=25, unique_by=_direct) | st.lists(
    statements(), min_size=15, max_size=40, unique_by=_direct
)
#: Graphs of values alone, to compare and rank.
literal_graphs = st.lists(
    st.sampled_from(LITERALS).flatmap(statements), min_size=3, max_size=25, unique_by=_direct
)

_XSD = "http://www.w3.org/2001/XMLSchema#"
_SPELLED = [
    ("date", "1952-01-28"),
    ("date", "1952-01-28+02:00"),
    ("date", "-0044-01-01"),
    ("gYear", "1952"),
    ("gYear", "-0044"),
    ("gYear", "1950Z"),
    ("gYearMonth", "1952-01"),
    ("gYearMonth", "2000-12Z"),
    ("dateTime", "1952-01-28T00:00:00"),
    ("dateTime", "1952-01-28T00:00:59Z"),
    ("dateTime", "2000-01-01T01:30:00+05:30"),
    ("dateTime", "not a time"),
    ("integer", "2"),
    ("integer", "-1"),
    ("double", "2.5"),
    ("double", "1e2"),
    ("float", "1.5"),
    ("nonNegativeInteger", "100"),
    ("int", "many"),
    ("boolean", "true"),
]
#: Literals of properties of its own kind, as other graphs spell them.
spelled_graphs = st.lists(
    st.tuples(
        st.sampled_from(ENTITIES),
        st.sampled_from([AMOUNTS[1], TIMES[1]]),
        st.sampled_from(_SPELLED).map(
            lambda one: ox.Literal(one[1], datatype=ox.NamedNode(_XSD + one[0]))
        ),
    ),
    min_size=1,
    max_size=15,
)


@st.composite
def _step(draw: st.DrawFn, out: str, sets: list[str]) -> Step:
    source = draw(st.sampled_from(sets))
    other = draw(st.sampled_from(sets))
    kind = draw(st.sampled_from("ffffffttccciuudenrsl"))
    if kind in "fl":
        return draw(walks(out, source, any_number=kind == "l"))
    if kind == "t":
        via = draw(st.sampled_from([("P31",), ("P31", "P1"), (RDF + "type",), ("P279",)]))
        classes = tuple(draw(st.lists(st.sampled_from(ENTITIES), min_size=1, max_size=2)))
        return FilterByType(out, draw(st.sampled_from([source, source, ""])), classes, via)
    if kind == "c":
        return draw(constraints(out, draw(st.sampled_from([source, source, source, ""]))))
    if kind == "i":
        return Intersect(out, (source, other))
    if kind == "u":
        return Union(out, (source, other))
    if kind == "n":
        among = draw(st.sampled_from(["", "", other]))
        return draw(counts(out, draw(st.sampled_from([source, source, ""])), among))
    if kind == "r":
        return draw(reckonings(out, source, other))
    if kind == "s":
        return draw(sames(out, draw(st.sampled_from([source, source, ""]))))
    if kind == "d":
        return Difference(out, source, other)
    return Extreme(out, source, draw(st.sampled_from(AMOUNTS + TIMES)), draw(st.booleans()))


@st.composite
def walks(draw: st.DrawFn, out: str = "n", source: str = "s", any_number: bool = False) -> Step:
    """Draw a step that follows relations, once or any number of times."""
    among = st.sampled_from(PLACES if any_number else LINKS * 2 + LITERALS)
    properties = tuple(draw(st.lists(among, min_size=any_number, max_size=2)))
    kind = Closure if any_number else Follow
    return kind(out, source, properties, draw(st.sampled_from(Direction)))


@st.composite
def constraints(draw: st.DrawFn, out: str = "n", source: str = "") -> FilterByConstraint:
    property_ = draw(st.sampled_from(["P1", *LITERALS * 2]))
    value = draw(_value_of(property_, known=True))
    exact = isinstance(value, EntityValue)
    comparisons = [Comparison.EQ, Comparison.NE] if exact else list(Comparison)
    return FilterByConstraint(out, source, property_, draw(st.sampled_from(comparisons)), value)


@st.composite
def counts(draw: st.DrawFn, out: str = "n", source: str = "s", among: str = "") -> Step:
    """Draw a step that keeps nodes by how many others (of a set) they are joined to."""
    properties = tuple(
        draw(st.lists(st.sampled_from(LINKS * 2 + LITERALS), min_size=1, max_size=2))
    )
    direction = draw(st.sampled_from(Direction))
    if draw(st.booleans()):
        return ExtremeCount(out, source, properties, direction, draw(st.booleans()), among)
    comparison, number = draw(st.sampled_from(Comparison)), draw(st.integers(0, 3))
    return FilterByCount(out, source, properties, direction, comparison, number, among)


@st.composite
def sames(draw: st.DrawFn, out: str = "n", source: str = "s") -> FilterBySame:
    """Draw a step that keeps nodes for which two relations lead to a same value."""
    either = st.lists(st.sampled_from(LINKS * 2 + LITERALS), min_size=1, max_size=2).map(tuple)
    return FilterBySame(out, source, draw(either), draw(either))


@st.composite
def reckonings(draw: st.DrawFn, out: str = "n", source: str = "s", other: str = "s") -> Step:
    """Draw a step that reckons with dates, numbers or the sizes of two sets."""
    kind = draw(st.sampled_from("aaccepps"))
    if kind == "a":
        return Aggregate(
            out, source, draw(st.sampled_from(AMOUNTS)), draw(st.sampled_from(Function))
        )
    if kind == "c":
        return Coarsen(out, source, draw(st.sampled_from(TIMES)), draw(st.integers(6, 11)))
    if kind == "e":
        return Elapsed(out, source, other, draw(st.sampled_from(Stretch)))
    begin, end = (draw(st.sampled_from(TIMES)) for _ in range(2))
    return ExtremeSpan(out, source, begin, end, draw(st.booleans()))


#: Graphs of things with coordinates in one of two frames; some lack one, some have two.
placed_graphs = st.lists(
    st.one_of(
        st.builds(
            Statement,
            st.sampled_from(ENTITIES),
            st.sampled_from(AMOUNTS),
            st.sampled_from(["-1", "0", "0.25", "1", "1.5", "2", "3", "4"]).map(
                lambda text: QuantityValue(Decimal(text))
            ),
        ),
        st.builds(
            Statement,
            st.sampled_from(ENTITIES),
            st.just(TEXTS),
            st.sampled_from(["map", "map", "odom"]).map(StringValue),
        ),
    ),
    min_size=20,
    max_size=50,
    unique_by=_direct,
)


@st.composite
def nearnesses(draw: st.DrawFn, out: str = "n", source: str = "s", target: str = "t") -> Step:
    """Draw a step that reckons with places."""
    axes = draw(st.sampled_from([(AMOUNTS[0],), tuple(AMOUNTS)]))
    kind = draw(st.sampled_from(["apart", "nearest", "within", "between", "side"]))
    if kind == "between":
        return Between(out, source, target, draw(st.sampled_from([source, target])), axes, TEXTS)
    if kind == "apart":
        return Distance(out, source, target, axes, TEXTS)
    if kind == "nearest":
        return Nearest(out, source, target, axes, TEXTS, draw(st.booleans()))
    metres = QuantityValue(draw(st.decimals("0", "4", places=2)))
    if kind == "side":
        axes = (AMOUNTS[0], AMOUNTS[-1])
        side, cone = draw(st.sampled_from(Side)), QuantityValue(Decimal(draw(st.integers(1, 89))))
        facing = draw(st.sampled_from([(), axes]))
        viewer = "" if facing else draw(st.sampled_from([source, target]))
        return OnSide(out, source, target, axes, TEXTS, side, metres, cone, facing, viewer)
    return Within(out, source, target, axes, TEXTS, metres)


@st.composite
def programs(draw: st.DrawFn, most_steps: int = 5) -> Program:
    starts = draw(st.lists(st.lists(values, min_size=1, max_size=3), min_size=1, max_size=2))
    steps: list[Step] = [Start(f"s{n}", tuple(given)) for n, given in enumerate(starts)]
    sets = [f"s{n}" for n in range(len(starts))]
    for number in range(draw(st.integers(0, most_steps))):
        # The newest set twice as often: chains, not bushes.
        step = draw(_step(f"n{number}", [*sets, sets[-1], sets[-1]]))
        steps.append(step)
        sets.append(f"n{number}")
    last = sets[-1]
    kind = draw(
        st.sampled_from(["set", "set", "count", "more", "any", "contains", "share", "size"])
    )
    if kind == "more":
        steps.append(Count("r", last, draw(st.sampled_from(sets))))
    elif kind == "count":
        steps.append(Count("r", last))
    elif kind == "share":
        within, quantifier = draw(st.sampled_from(sets)), draw(st.sampled_from(Quantifier))
        steps.append(JudgeShare("r", last, within, quantifier))
    elif kind == "size":
        compared, number = draw(st.sampled_from(Comparison)), draw(st.integers(0, 3))
        steps.append(JudgeSize("r", last, compared, number, draw(st.sampled_from(["", *sets]))))
    elif kind == "any":
        steps.append(Judge("r", last, JudgeKind.NOT_EMPTY))
    elif kind == "contains":
        steps.append(Judge("r", last, JudgeKind.CONTAINS, draw(values)))
    end = End(last if kind == "set" else "r")
    return Program((*steps, end), exclude_start=draw(st.booleans()))
