"""Candidate queries: the question's triples with vertices and predicates in their places.

From the unknown asked for the triples are followed to what is linked; every triple takes each of
the predicates really there, the better named first, so one question gives up to ``QUERY_LIMIT``
queries. Those that cannot give what is expected are left out, and where words of the question name
the relations of none of them there is nothing to choose from. A query is a meaning like any other
(``language.meaning``). Source: Chatty-KG paper, section 5.2.1 (query generator).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from robodata_core.errors import ProgramError
from robodata_core.language.meaning import (
    AllOf,
    Except,
    Given,
    Kind,
    Meaning,
    Most,
    OfKind,
    Reach,
    Where,
    flipped,
)
from robodata_core.language.types import Edge
from robodata_core.model import Direction, EntityValue, StringValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.chat.expected import fitting, kind_of
from robodata_core.policy.chat.matching import Links, Matcher
from robodata_core.policy.chat.query import (
    NAMED,
    Query,
    anded,
    best,
    distinct,
    ids_in,
    set_of,
    within,
)
from robodata_core.policy.chat.question import ASKED, Condition, Pattern, Qir, is_unknown
from robodata_core.text import clean_text
from robodata_core.tools.known_ids import ids_in_text
from robodata_core.values import format_value

__all__ = ["QUERY_LIMIT", "Generator"]

QUERY_LIMIT: Final = 40
"""Most candidate queries of one question."""

_BEAM: Final = 8
_FAR_BEAM: Final = 3
_DEPTH: Final = 4
_NEAR_ENDS: Final = 2_000
_FAR_ENDS: Final = 100
_CLASSED: Final = 20
_SHOWN: Final = 2
_FEW: Final = 8
_LONGEST: Final = 40
_MEASURED: Final = 3
_UNNAMED: Final = "No relation around what the question names is called what the question calls it."
_CHOOSING: Final = (Where, Most)
_MEASURES: Final = frozenset({"quantity", "time"})


def _bare(name: str) -> str:
    """Return a name without the ids that a conversation writes behind it."""
    return clean_text(name.partition(" (")[0] if ids_in_text(name) else name, limit=_LONGEST)


def _require(found: Sequence[Query], relation: str) -> None:
    """Raise where nothing can be compared by a relation."""
    if not found:
        raise ProgramError(
            "Nothing with numbers or dates is there for what the question calls"
            f" “{clean_text(relation, limit=80)}”."
        )


class Generator:
    """Makes the candidate queries of one question.

    Args:
        qir: What is asked.
        links: What its names stand for.
        matcher: Ranks predicates.
    """

    def __init__(self, qir: Qir, links: Links, matcher: Matcher) -> None:
        self._qir = qir
        self._links = links
        self._matcher = matcher
        self._view = matcher.view
        self._beam = _BEAM if matcher.is_near else _FAR_BEAM
        self._ends = _NEAR_ENDS if matcher.is_near else _FAR_ENDS

    def queries(self) -> tuple[Query, ...]:
        """Return at most ``QUERY_LIMIT`` queries, the likeliest first.

        Raises:
            ProgramError: If the triples do not hang together as a query can follow them, or there
                is no query that gives what is expected along relations that words name.
            SourceError: If the source fails.
        """
        if self._qir.kind is AnswerKind.YES_OR_NO and not self._has_unknown():
            return self._judgements()
        found = self._set(self._root(), None, QUERY_LIMIT, 0)
        if self._qir.kind is AnswerKind.THINGS:
            found = self._expected(found)
        found = distinct(one for one in found if one.ends or not one.is_whole)
        named = [one for one in found if one.least >= NAMED]
        if found and not named:
            raise ProgramError(_UNNAMED)
        rest = [one for one in found if one.least < NAMED]
        return tuple([*named, *rest[:_FEW]][:QUERY_LIMIT])

    def _has_unknown(self) -> bool:
        return any(is_unknown(end) for one in self._qir.patterns for end in one.ends)

    def _root(self) -> str:
        """Return the unknown to start from: the one asked for, where it stands in a triple."""
        ends = [end for one in self._qir.patterns for end in one.ends if is_unknown(end)]
        ends += [end for end, _ in self._qir.kinds if is_unknown(end)]
        return ASKED if ASKED in ends or not ends or self._qir.among else ends[0]

    # -- sets -----------------------------------------------------------------------------------

    def _set(self, unknown: str, came: Pattern | None, most: int, depth: int) -> list[Query]:
        """Return queries that end with an unknown, without the triple it was come by."""
        if depth > _DEPTH:
            raise ProgramError("The triples of the question hang together in a ring.")
        qir = self._qir
        needed = depth > 0 or self._matcher.is_near or self._is_narrowed(unknown)
        branches = [
            self._along(unknown, one, most, depth, look=needed)
            for one in qir.patterns
            if one is not came and unknown in one.ends and not self._is_loose(one, unknown)
        ]
        if qir.among and unknown == ASKED:
            ids = [id_ for name in qir.among for id_ in self._ids_of(name)]
            told = (f"{ASKED} is one of {', '.join(map(_bare, qir.among))}",)
            ends = tuple(EntityValue(id_) for id_ in ids)
            branches.append([Query(told=told, ends=ends, is_whole=True)])
        classes = self._classes_of(unknown)
        if branches:
            found = self._joined(branches, most)
        elif classes:
            found = [self._all_of(unknown, classes.pop(0))]
        else:
            raise ProgramError(f"Nothing is said of {unknown} that a query could start from.")
        return best(self._narrowed(unknown, found, classes), most)

    def _narrowed(
        self, unknown: str, found: list[Query], classes: Sequence[Sequence[str]]
    ) -> list[Query]:
        """Return queries with all else that the question says of an unknown."""
        qir = self._qir
        for ids in classes:
            found = [self._of_class(one, unknown, ids) for one in found]
        for pattern in qir.patterns:
            if unknown in pattern.ends and self._is_loose(pattern, unknown):
                found = [one for q in found for one in self._having(q, unknown, pattern)]
        for condition in qir.conditions:
            if condition.subject == unknown:
                found = [one for q in found for one in self._compared(q, condition)]
                _require(found, condition.relation)
        if qir.order is not None and qir.order.subject == unknown:
            found = [one for q in found for one in self._extreme(q)]
            _require(found, qir.order.relation)
        return self._left_of(unknown, found)

    def _left_of(self, unknown: str, found: list[Query]) -> list[Query]:
        """Return queries without what the question says that an unknown is not."""
        qir = self._qir
        for one in qir.without:
            if unknown in one.ends:
                found = [less for q in found for less in self._less(q, unknown, one)]
        for end, kind in qir.not_kinds:
            if end == unknown:
                found = [self._not_of_class(one, unknown, kind) for one in found]
        if qir.other_than and unknown == ASKED:
            found = [self._but(one) for one in found]
        return found

    def _is_loose(self, pattern: Pattern, unknown: str) -> bool:
        """Tell whether nothing else is said of the other end: that there is any such will do."""
        other = pattern.object if pattern.subject == unknown else pattern.subject
        qir = self._qir
        said = [end for one in qir.patterns if one is not pattern for end in one.ends]
        said += [one.subject for one in qir.conditions] + [end for end, _ in qir.kinds]
        said += [qir.order.subject] if qir.order else []
        return is_unknown(other) and other != ASKED and other not in said

    def _having(self, query: Query, unknown: str, pattern: Pattern) -> list[Query]:
        """Return queries for what has anything at all at the other end of a triple."""
        found = []
        ids = ids_in(query)
        forward = pattern.subject == unknown
        ranked = self._matcher.predicates(ids, pattern.relation, forward) if ids else ()
        ends = pattern.ends if forward else pattern.ends[::-1]
        for edge, score in ranked[:_MEASURED]:
            there = self._follow(query, ends, edge, score, look=False)
            back = Reach(set_of(there), flipped((edge,)))
            both = AllOf((set_of(query), back))
            kept = [id_ for id_ in ids if edge in self._view.relations(id_)] if ids else []
            some = tuple(EntityValue(id_) for id_ in kept)
            found.append(self._grown(replace(there, is_whole=query.is_whole), both, "", some))
        return found

    def _but(self, query: Query) -> Query:
        """Return a query without the things that are named as left out."""
        left_out = [id_ for name in self._qir.other_than for id_ in self._ids_of(name)]
        ends = [v for v in query.ends if getattr(v, "id", "") not in left_out]
        told = f"not {', '.join(map(_bare, self._qir.other_than))}"
        others = Given(tuple(map(EntityValue, left_out)))
        return self._grown(query, Except(set_of(query), others), told, ends)

    def _is_narrowed(self, unknown: str) -> bool:
        """Tell whether more than one thing is said of an unknown, so that samples are needed."""
        qir = self._qir
        said = [one.subject for one in qir.conditions]
        said += [qir.order.subject] if qir.order else []
        return unknown in said or sum(unknown in one.ends for one in qir.patterns) > 1

    def _along(
        self, unknown: str, pattern: Pattern, most: int, depth: int, *, look: bool
    ) -> list[Query]:
        """Return queries that follow a triple to an unknown, one for each predicate."""
        other = pattern.object if pattern.subject == unknown else pattern.subject
        if other == unknown:
            raise ProgramError("A triple of the question joins something to itself.")
        if is_unknown(other):
            starts = self._set(other, pattern, self._beam, depth + 1)
            each = max(1, most // max(1, min(len(starts), self._beam)))
        else:
            starts, each = [self._given(other)], most
        found = []
        for start in starts:
            ids = ids_in(start)
            forward = other == pattern.subject
            counted = self._qir.kind is AnswerKind.NUMBER and unknown == ASKED
            ranked = (
                self._matcher.predicates(ids, pattern.relation, forward, counted=counted)
                if ids
                else ()
            )
            for edge, score in ranked[:each]:
                found.append(self._follow(start, (other, unknown), edge, score, look=look))
        return best(found, most)

    def _given(self, name: str) -> Query:
        """Return the linked things of a name, as a query that needs no steps yet."""
        ids = self._ids_of(name)
        return Query(ends=tuple(EntityValue(id_) for id_ in ids), is_whole=True)

    def _ids_of(self, name: str) -> tuple[str, ...]:
        ids = self._links.vertices.get(name)
        if not ids:
            raise ProgramError(f"Nothing goes by the name {clean_text(name, limit=80)!r}.")
        return ids

    def _follow(
        self, start: Query, ends: tuple[str, str], edge: Edge, score: float, *, look: bool
    ) -> Query:
        ids = ids_in(start)
        found = self._view.ends(ids, edge, self._ends) if look else ()
        whole = look and start.is_whole and len(found) < self._ends
        subject, object_ = ends if edge[1] is Direction.OUT else ends[::-1]
        name = self._view.properties((edge[0],))[edge[0]].name
        told = f"{_bare(subject)} - {clean_text(name, limit=60)} - {_bare(object_)}"
        scored = replace(anded(start, score, (edge,)), is_whole=whole)
        return self._grown(scored, Reach(set_of(start), (edge,)), told, found)

    def _grown(self, query: Query, meaning: Meaning, told: str, ends: Iterable[Value]) -> Query:
        """Return a query that has come to mean more, and to find something else."""
        told_all = (*query.told, told) if told else query.told
        return replace(query, meaning=meaning, told=told_all, ends=tuple(ends))

    def _joined(self, branches: Sequence[Sequence[Query]], most: int) -> list[Query]:
        """Return every choice of one query of each branch; those that have nothing in common last.

        Samples say what two sets have in common, so nothing is left out for that alone.
        """
        if len(branches) == 1:
            return list(branches[0])
        found = []
        few = [branch[: max(2, most // len(branches))] for branch in branches]
        for chosen in itertools.islice(itertools.product(*few), most * 10):
            others = [frozenset(one.ends) for one in chosen[1:]]
            shared = [v for v in chosen[0].ends if all(v in there for there in others)]
            whole = Query(
                AllOf(tuple(set_of(one) for one in chosen)),
                tuple(edge for one in chosen for edge in one.edges),
                tuple(told for one in chosen for told in one.told),
                math.prod(one.score for one in chosen) ** (1 / len(chosen)),
                min(one.least for one in chosen),
                sum(one.passed for one in chosen) + bool(shared),
                tuple(shared),
                all(one.is_whole for one in chosen),
            )
            if whole.is_whole and not shared:
                continue
            found.append(whole)
        return best(found, most)

    # -- classes, conditions, extremes, negation --------------------------------------------------

    def _classes_of(self, end: str) -> list[tuple[str, ...]]:
        """Return the classes of each kind that an end is said to be of."""
        kinds = (kind for one, kind in self._qir.kinds if one == end)
        return [ids for kind in kinds if (ids := self._links.classes.get(kind))]

    def _of_class(self, query: Query, unknown: str, classes: Sequence[str]) -> Query:
        meaning = OfKind(set_of(query), tuple(classes), self._matcher.via(classes))
        wanted = set(classes)

        def _belongs(value: Value) -> bool:
            if not isinstance(value, EntityValue):
                return False
            kinds = self._view.kinds(value.id)
            return any(wanted & self._view.superclasses(kind) for kind in kinds)

        near = self._matcher.is_near
        kept = [v for v in query.ends[:_CLASSED] if _belongs(v)] if near else query.ends
        whole = near and query.is_whole and len(query.ends) <= _CLASSED
        told = f"{unknown} - is a - {self._view.label(classes[0])}"
        passed = query.passed + bool(kept and near)
        scored = replace(query, passed=passed, is_whole=whole)
        return self._grown(scored, meaning, told, kept)

    def _not_of_class(self, query: Query, unknown: str, kind: str) -> Query:
        ids = self._links.classes[kind]
        typed = self._of_class(query, unknown, ids)
        there = set(typed.ends)
        ends = tuple(v for v in query.ends if v not in there) if self._matcher.is_near else ()
        left = replace(typed, told=(*query.told, f"not: {typed.told[-1]}"), is_whole=False)
        return self._grown(left, Except(set_of(query), set_of(typed)), "", ends)

    def _all_of(self, unknown: str, classes: Sequence[str]) -> Query:
        via = self._matcher.via(classes)
        ends = [
            v for name in via for v in self._view.ends(classes, (name, Direction.IN), self._ends)
        ]
        told = f"{unknown} - is a - {self._view.label(classes[0])}"
        return self._grown(Query(), Kind(tuple(classes), via), told, ends)

    def _measures(self, query: Query, relation: str) -> list[tuple[str, float]]:
        """Return the predicates with numbers or times around what a query finds."""
        ids = ids_in(query)
        ranked = self._matcher.predicates(ids, relation, True) if ids else ()
        there = [(edge, score) for edge, score in ranked if edge[1] is Direction.OUT]
        types = self._view.properties(edge[0] for edge, _ in there)
        measured = [
            (edge[0], score)
            for edge, score in there
            if types[edge[0]].datatype in _MEASURES or not types[edge[0]].datatype
        ]
        return measured[:_MEASURED]

    def _compared(self, query: Query, condition: Condition) -> list[Query]:
        found = []
        for name, score in self._measures(query, condition.relation):
            sign = condition.comparison
            # The property says what the text is a value of, once it is read.
            meaning = Where(set_of(query), name, sign, StringValue(condition.value))
            label = self._label(name)
            told = f"{_bare(condition.subject)} - {label} {sign.value} {condition.value}"
            found.append(self._measuring(query, name, score, meaning, told))
        return found

    def _extreme(self, query: Query) -> list[Query]:
        order = self._qir.order
        found: list[Query] = []
        assert order is not None
        for name, score in self._measures(query, order.relation):
            if self._qir.is_contest and not self._have(ids_in(query), name):
                continue
            meaning = Most(set_of(query), name, order.largest)
            told = (
                f"{order.subject} with {'most' if order.largest else 'least'} {self._label(name)}"
            )
            found.append(self._measuring(query, name, score, meaning, told))
        return found

    def _have(self, ids: Sequence[str], name: str) -> bool:
        """Tell whether all of some things have a value: else they are not compared by it."""
        return all((name, Direction.OUT) in self._view.relations(id_) for id_ in ids)

    def _measuring(
        self, query: Query, name: str, score: float, meaning: Meaning, told: str
    ) -> Query:
        scored = replace(anded(query, score, ((name, Direction.OUT),)), is_whole=False)
        return self._grown(scored, meaning, told, query.ends)

    def _label(self, name: str) -> str:
        return clean_text(self._view.properties((name,))[name].name, limit=60)

    def _less(self, query: Query, unknown: str, pattern: Pattern) -> list[Query]:
        found = []
        for minus in self._along(unknown, pattern, _MEASURED, _DEPTH, look=False):
            told = tuple(f"not: {one}" for one in minus.told)
            whole = replace(
                anded(query, minus.score, minus.edges),
                is_whole=False,
                told=(*query.told, *told),
            )
            meaning = Except(set_of(query), set_of(minus))
            found.append(self._grown(whole, meaning, "", query.ends))
        return found

    # -- yes or no ------------------------------------------------------------------------------

    def _judgements(self) -> tuple[Query, ...]:
        """Return queries for a question whose triples name both their ends.

        Raises:
            ProgramError: If it says more than one thing: that is no single judgement.
        """
        qir = self._qir
        if len(qir.patterns) + len(qir.kinds) + len(qir.conditions) != 1 or qir.without:
            raise ProgramError("The question asks for the truth of several things at once.")
        if qir.kinds:
            return self._of_what_kind(*qir.kinds[0])
        if qir.conditions:
            given = self._given(qir.conditions[0].subject)
            return tuple(self._compared(given, qir.conditions[0]))
        pattern = qir.patterns[0]
        found = [*self._joining(pattern.ends, pattern.relation, forward=True)]
        found += self._joining(pattern.ends[::-1], pattern.relation, forward=False)
        if not any(query.passed or query.least >= NAMED for query in found):
            raise ProgramError(_UNNAMED)
        by_words = {query.told: query for query in best(found, len(found))[::-1]}
        return tuple(best([*by_words.values()], QUERY_LIMIT))

    def _joining(self, ends: tuple[str, str], relation: str, *, forward: bool) -> Iterator[Query]:
        """Yield queries whether relations of one thing lead to another one.

        Those that do, those that words name, and a few more.
        """
        start, goal = self._given(ends[0]), self._given(ends[1]).ends[0]
        assert isinstance(goal, EntityValue)
        ids = ids_in(start)
        there = self._matcher.predicates(ids, relation, forward)[:QUERY_LIMIT]
        for number, (edge, score) in enumerate(there):
            query = self._follow(start, ends, edge, score, look=self._matcher.is_near)
            joins = goal in query.ends
            if joins or score >= NAMED or number < _FEW // 2:
                yield replace(query, judged=goal.id, ends=(), passed=int(joins))

    def _of_what_kind(self, name: str, kind: str) -> tuple[Query, ...]:
        classes = self._links.classes.get(kind, ())
        ids = self._links.vertices.get(name, ())
        if not classes or not ids:
            raise ProgramError(f"Nothing goes by the name {clean_text(name or kind, limit=80)!r}.")
        things = Given(tuple(map(EntityValue, ids)))
        meaning = OfKind(things, classes, self._matcher.via(classes))
        return (self._grown(Query(), meaning, f"{name} - is a - {kind}", ()),)

    # -- the expected answer type -----------------------------------------------------------------

    def _expected(self, queries: Sequence[Query]) -> list[Query]:
        """Return the queries that can give what is expected, as well as any can.

        Raises:
            ProgramError: If none can.
        """
        wanted = fitting(self._qir.expects)
        for kinds in wanted:
            kept = [query for query in queries if self._gives(query, kinds)]
            if kept:
                return kept
        if wanted and queries:
            raise ProgramError(
                f"Nothing around what the question names gives a {self._qir.expects}."
            )
        return list(queries)

    def _gives(self, query: Query, wanted: frozenset[str]) -> bool:
        if query.ends:
            return any(kind_of(value) in wanted for value in query.ends)
        followed = (one.edges[0][0] for one in within(query) if isinstance(one, Reach))
        last = next(followed, "")
        known = self._view.properties((last,)).get(last) if last else None
        return known is None or not known.datatype or known.datatype in wanted

    def told(self, query: Query) -> str:
        """Return a query in words, with some of what it finds."""
        said = "; ".join(query.told)
        # What conditions and extremes leave of a sample is not known before they are run.
        narrowed = any(isinstance(one, _CHOOSING) for one in within(query))
        if not query.ends or narrowed or self._qir.kind is AnswerKind.YES_OR_NO:
            return said
        most = _SHOWN if query.least >= NAMED else 1
        shown = [
            clean_text(format_value(value, self._view.label), limit=_LONGEST)
            for value in query.ends[:most]
        ]
        more = ", ..." if len(query.ends) > len(shown) else ""
        return f"{said} -> {', '.join(shown)}{more}"
