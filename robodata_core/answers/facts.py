"""Plain facts as programs: triples that share an end and a relation, told together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from robodata_core.iris import is_id, is_property_id
from robodata_core.model import Absence, Direction, EntityValue, Evidence, Value
from robodata_core.programs.steps import End, Follow, Program, Start

__all__ = ["Group", "fact_groups", "program_of_absence", "program_of_relation"]


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


def _ids(items: Any, valid: Any) -> bool:
    return (
        isinstance(items, (list, tuple))
        and bool(items)
        and all(isinstance(id_, str) and valid(id_) for id_ in items)
    )
