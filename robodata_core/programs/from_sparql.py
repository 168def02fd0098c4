"""SPARQL of question sets, read as reasoning programs where it fits the toolbox.

A query fits if its pattern is a tree of direct triples around the variable asked for: chains,
types, values, comparisons, differences, one extreme, one count, yes or no, every, only and no.
What does not fit is said with the reason, so that a data set can be counted. Reading a program out
of a query can change what it means at the edges (ties of an extreme, solutions counted instead of
entities, "every" of nothing), so callers compare the program's answer with the expected one before
they use it.

Source: KG-Agent paper, section 4.2.1. rdflib's parser reads the query; nothing of it is ever
executed here.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from robodata_core.errors import ProgramError
from robodata_core.programs._query_tree import (
    Builder,
    Pattern,
    UnfitQueryError,
    entity_of,
    flat,
    is_variable,
    property_of,
    value_of,
)
from robodata_core.programs._sparql import PREFIXES
from robodata_core.programs.check import check
from robodata_core.programs.steps import (
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
    JudgeShare,
    Program,
    Quantifier,
    Start,
    Step,
    Union,
)

__all__ = ["UnfitQueryError", "kind_of", "program_from_sparql"]

_MAX_QUERY: Final = 20_000


def program_from_sparql(query: str) -> Program:
    """Return the program that a SELECT or ASK query amounts to.

    Args:
        query: SPARQL 1.1 over Wikidata's direct triples.

    Raises:
        UnfitQueryError: With the reason why it is none.
    """
    algebra = _parsed(query)
    if algebra.name == "AskQuery":
        # Versions of rdflib differ in whether they project the pattern of an ASK.
        inner = algebra.p.p if algebra.p.name == "Project" else algebra.p
        program = _ask(flat(inner))
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
    logging.getLogger("rdflib").addHandler(logging.NullHandler())  # a date that it cannot read
    from rdflib.plugins.sparql.algebra import translateQuery
    from rdflib.plugins.sparql.parser import parseQuery

    if len(query) > _MAX_QUERY:
        raise UnfitQueryError("It is too long")
    try:
        return translateQuery(parseQuery(query), initNs=dict(PREFIXES)).algebra
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
    builder = Builder()
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
            if node.p.name != "AggregateJoin" or not is_variable(node.expr):
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
    if not is_variable(counted):
        raise UnfitQueryError("It counts rows")
    return counted


def _ordered(order: Sequence[Any]) -> tuple[Any, bool]:
    if len(order) != 1 or not is_variable(order[0].expr):
        raise UnfitQueryError("It sorts by more than one value")
    return order[0].expr, order[0].order == "DESC"


def _ask(pattern: Pattern) -> Program:
    if any(part.everywhere.isdisjoint(pattern.variables) for part in pattern.without):
        return _universal(pattern)
    builder = Builder()
    constant = [one for one in pattern.triples if not (is_variable(one[0]) or is_variable(one[2]))]
    if constant:
        if len(pattern.triples) > 1 or pattern.filters or pattern.without:
            raise UnfitQueryError("It asks for several things at once")
        subject, path, value = constant[0]
        builder.start("s", value_of(subject))
        wanted = value_of(value)
        property_, classes = property_of(path)
        if classes:
            builder.steps.append(FilterByType("t", "s", (entity_of(wanted),)))
            builder.steps += [Judge("j", "t", JudgeKind.NOT_EMPTY), End("j")]
        else:
            builder.steps.append(Follow("f", "s", (property_,)))
            builder.steps += [Judge("j", "f", JudgeKind.CONTAINS, wanted), End("j")]
        return Program(tuple(builder.steps))
    nodes = {node for s, _, o in pattern.triples for node in (s, o)}
    reason = UnfitQueryError("It has no condition to start from")
    # Around a constant last: of what has a value within limits the value is not asked for.
    for node in sorted(nodes, key=lambda one: (not is_variable(one), one)):
        attempt = Builder()
        try:
            name = attempt.tree(pattern, node)
        except UnfitQueryError as error:
            reason = error
            continue
        attempt.steps += [Judge("j", name, JudgeKind.NOT_EMPTY), End("j")]
        return Program(tuple(attempt.steps))
    raise reason


# -- every, only, no ------------------------------------------------------------------------------


def _universal(pattern: Pattern) -> Program:
    """Read "there is none that is not" as every, "none that is both" as no.

    What stands before the denial may only say that there is something to speak of, which the
    judgement takes for granted.
    """
    if len(pattern.without) > 1:
        raise UnfitQueryError("It denies several things at once")
    (denied,) = pattern.without
    reason = UnfitQueryError("It denies one statement; ask for it, and the answer may be no")
    for variable in sorted(denied.variables):
        builder = Builder()
        try:
            judged = _share(builder, builder.tree(denied, variable))
        except UnfitQueryError as error:
            reason = error
            continue
        if not _is_granted(replace(pattern, without=[]), builder, judged):
            raise UnfitQueryError("It asks for several things at once")
        return Program((*builder.steps, judged, End(judged.out)))
    raise reason


def _share(builder: Builder, name: str) -> JudgeShare:
    """Return the judgement that a set is empty; its last step is taken back where it is told."""
    last = builder.steps[-1]
    if isinstance(last, Difference):
        del builder.steps[-1]
        return JudgeShare("j", last.source, last.minus, Quantifier.EVERY)
    if isinstance(last, Intersect) and len(last.sources) == 2:
        del builder.steps[-1]
        return JudgeShare("j", *last.sources, Quantifier.NO)
    if isinstance(last, (FilterByType, FilterByConstraint)) and last.source:
        return JudgeShare("j", last.source, name, Quantifier.NO)
    raise UnfitQueryError("It denies that there is any; ask for it, and the answer may be no")


def _is_granted(said: Pattern, builder: Builder, judged: JudgeShare) -> bool:
    """Tell whether a pattern says no more than that what is judged has something in it."""
    from rdflib import Variable

    source = next(i for i, step in enumerate(builder.steps, 1) if step.out == judged.source)
    spoken_of = builder.steps[:source]
    if said.variables:
        return any(_written(said, variable) == spoken_of for variable in said.variables)
    if len(said.triples) != 1:
        return not said.triples and not said.filters
    # "B is one, and there is no other than B": that B is one follows where there is any.
    subject, path, value = said.triples[0]
    any_, within = Variable("any"), builder.steps[-1]
    for end, opened in ((value, (subject, path, any_)), (subject, (any_, path, value))):
        if within == Start(judged.within, (value_of(end),)):
            return _written(Pattern([opened]), any_) == spoken_of
    return False


def _written(pattern: Pattern, variable: Any) -> list[Step] | None:
    builder = Builder()
    try:
        builder.tree(pattern, variable)
    except UnfitQueryError:
        return None
    return builder.steps
