"""What a draft hands in as programs: facts that share an end, and programs with another ending."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from robodata_core.iris import is_id, is_property_id
from robodata_core.model import Absence, Direction, EntityValue, Evidence, SomeValue, Triple, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.programs.steps import Count, End, Follow, Gives, Judge, JudgeKind, Program, Start

__all__ = [
    "Group",
    "ended",
    "fact_groups",
    "looked_for",
    "program_of_absence",
    "program_of_relation",
    "turned_round",
]


@dataclass(frozen=True, slots=True)
class Group:
    """Facts about one thing along one relation.

    Attributes:
        about: The end that they share.
        values: Their other ends.
        program: Follows the relation from the shared end; ``values`` are among what it gives.
        evidence: The facts.
    """

    about: Value
    values: tuple[Value, ...]
    program: Program
    evidence: tuple[Evidence, ...]


def fact_groups(facts: Iterable[Evidence]) -> list[Group]:
    """Put facts together: by subject and relation, else by relation and object."""
    kept = list(dict.fromkeys(facts))
    by_object: dict[tuple[str, Value], list[Evidence]] = {}
    by_subject: dict[tuple[str, str], list[Evidence]] = {}
    for fact in kept:
        triple = fact.triple
        by_object.setdefault((triple.predicate, triple.object), []).append(fact)
        by_subject.setdefault((triple.subject, triple.predicate), []).append(fact)
    groups: list[Group] = []
    done: set[str] = set()
    for fact in kept:
        if fact.handle in done:
            continue
        triple = fact.triple
        own = by_subject[triple.subject, triple.predicate]
        others = by_object[triple.predicate, triple.object]
        inwards = len(own) == 1 and len(others) > 1 and isinstance(triple.object, EntityValue)
        members = [one for one in (others if inwards else own) if one.handle not in done]
        done.update(one.handle for one in members)
        groups.append(_group(members, Direction.IN if inwards else Direction.OUT))
    return groups


def _group(facts: list[Evidence], way: Direction) -> Group:
    first = facts[0].triple
    outwards = way is Direction.OUT
    about: Value = EntityValue(first.subject) if outwards else first.object
    values: list[Value] = [
        one.triple.object if outwards else EntityValue(one.triple.subject) for one in facts
    ]
    program = program_of_relation(about, first.predicate, way)
    return Group(about, tuple(dict.fromkeys(values)), program, tuple(facts))


def program_of_relation(about: Value, property_: str, way: Direction = Direction.OUT) -> Program:
    """Return the program that follows one relation from one thing."""
    return Program((Start("a", (about,)), Follow("b", "a", (property_,), way), End("b")))


_WAYS = {"get_tail_entity": Direction.OUT, "get_head_entity": Direction.IN}


def program_of_absence(absence: Absence) -> Program | None:
    """Return what a look-up looked for as a program, None where it is none."""
    way = _WAYS.get(absence.tool)
    entities, relation = absence.arguments.get("entities"), absence.arguments.get("relation")
    if way is None or not (_ids(entities, is_id) and _ids(relation, is_property_id)):
        return None
    assert isinstance(entities, (list, tuple)) and isinstance(relation, (list, tuple))
    start = Start("a", tuple(EntityValue(id_) for id_ in entities))
    return Program((start, Follow("b", "a", tuple(relation), way), End("b")))


def looked_for(program: Program) -> Triple | None:
    """Return the triple that would have made a program find something, None where it takes more.

    It joins the one thing that the program begins with along the one relation that it follows:
    with the value it looks for, else with any. What that value lies in is left out.
    """
    starts = [value for step in program.steps if isinstance(step, Start) for value in step.values]
    hops = [step for step in program.steps if isinstance(step, Follow)]
    if len(starts) != 1 or len(hops) != 1 or not hops[0].properties:
        return None
    hop = hops[0]
    wanted: Value = getattr(program.final, "value", None) or SomeValue()
    ends = (starts[0], wanted) if hop.direction is Direction.OUT else (wanted, starts[0])
    if not isinstance(ends[0], EntityValue):
        return None
    return Triple(ends[0].id, hop.properties[0], ends[1])


def _ids(items: Any, valid: Any) -> bool:
    return (
        isinstance(items, (list, tuple))
        and bool(items)
        and all(isinstance(id_, str) and valid(id_) for id_ in items)
    )


def ended(program: Program, kind: AnswerKind | None, value: Value | None = None) -> Program:
    """Return a program that gives a number or a truth, where it ends with a set and may not."""
    plain = kind is None or kind is AnswerKind.THINGS
    if plain or program.final.gives is not Gives.SET:
        return program
    last = program.steps[-1]
    assert isinstance(last, End)
    name = "answer"
    while any(getattr(step, "out", "") == name for step in program.steps):
        name += "_"
    if kind is AnswerKind.NUMBER:
        added: Count | Judge = Count(name, last.source)
    else:
        judged = JudgeKind.NOT_EMPTY if value is None else JudgeKind.CONTAINS
        added = Judge(name, last.source, judged, value)
    return Program((*program.steps[:-1], added, End(name)), program.exclude_start)


def turned_round(program: Program) -> Program | None:
    """Return a judgement of one relation with the relation the other way; None for any other."""
    hops = [step for step in program.steps if isinstance(step, Follow)]
    final = program.final
    if len(hops) != 1 or not isinstance(final, Judge) or final.value is None:
        return None
    back = Direction.IN if hops[0].direction is Direction.OUT else Direction.OUT
    steps = (replace(step, direction=back) if step is hops[0] else step for step in program.steps)
    return Program(tuple(steps), program.exclude_start)
