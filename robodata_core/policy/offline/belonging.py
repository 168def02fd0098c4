"""Everybody whom one word of origin, faith or school speaks of: "the Muslims", "who is Italian".

With a noun of its own ("Italian cities") such a word narrows what the noun names; alone it names
people, and the relation is the one it is about: a citizenship, a religion, a movement.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from robodata_core.model import Direction, EntityValue
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.kinds import Kinds
from robodata_core.policy.offline.lexicon import spoken_of
from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.question import Kind, Question, Request
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.solved import Solved
from robodata_core.policy.offline.stated import ids_of
from robodata_core.policy.offline.words import FUNCTION_WORDS
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import FilterByType, Follow, Start

__all__ = ["belonging"]

#: Labels of relations, the first that a graph has of each line; all lines that are there count.
_OF_A_PLACE: Final = (("country of citizenship", "citizenship", "nationality"),)
_HELD: Final = (
    ("religion or worldview", "religion", "faith"),
    ("movement", "art movement", "school of thought"),
    ("political ideology",),
)
_PEOPLE: Final = frozenset(["person", "persons", "people", "human", "humans", "everyone", "anyone"])
_ASKING: Final = frozenset(
    ["name", "names", "list", "give", "show", "tell", "know", "find", "count", "number", "total"]
)
_SURE: Final = 0.9


def belonging(
    question: Question, request: Request, linking: Linking, solver: Solver, executor: Executor
) -> Solved | None:
    """Return everybody whom the only content word of a request speaks of.

    Args:
        question: The question.
        request: A request for a set or its number.
        linking: Its names.
        solver: Gives the graph and its relations.
        executor: Runs programs.

    Returns:
        The people, or None where the request says more, is about something else than people, or
        the graph has nobody.
    """
    mention = _alone(question, request, linking)
    if mention is None:
        return None
    names = _relations(solver, mention)
    for entity in mention.entities if names else ():
        hop = tuple((name, Direction.IN) for name in names)
        start = Start("n0", (EntityValue(entity.id),))
        candidate = Candidate(
            (start, Follow("n1", "n0", names, Direction.IN)), "n1", (), ("n0", "n1"),
            mention.span, (EdgeUse(hop, mention.span, origin=True),),
            (Link(mention, (entity.id,), entity.quality),), typed=True,
        )  # fmt: skip
        found = Solved(
            question, replace(request, focus=frozenset()), linking, (), candidate,
            executor.run(candidate.program()), _SURE,
        )  # fmt: skip
        found = _people(found, solver, executor)
        if found.result.members:
            counted = request.kind is Kind.COUNT
            return found.then(found.candidate.counted(), executor) if counted else found
    return None


def _alone(question: Question, request: Request, linking: Linking) -> Mention | None:
    """Return the word of origin that is all a request speaks of."""
    tokens = question.tokens
    asks_for_people = request.wanted in ("person", "number", "")
    if request.kind not in (Kind.SET, Kind.COUNT) or not asks_for_people:
        return None
    inside = range(request.start, request.end)
    if request.start < request.end and tokens[request.start].norm in ("what", "where", "when"):
        return None
    words = {i for i in inside if tokens[i].word and tokens[i].norm not in FUNCTION_WORDS}
    words = {i for i in words if tokens[i].norm not in _PEOPLE | _ASKING}
    names = [m for m in linking.mentions if m.demonym and m.entities and m.span == words]
    several = request.kind is Kind.COUNT or any(tokens[i].norm.endswith("s") for i in words)
    return names[0] if names and (several or _said_of_people(question, request)) else None


def _said_of_people(question: Question, request: Request) -> bool:
    inside = question.tokens[request.start : request.end]
    return any(token.norm in _PEOPLE | {"who", "an", "a"} for token in inside)


def _relations(solver: Solver, mention: Mention) -> tuple[str, ...]:
    """Return the relations that a word is about."""
    _, held = spoken_of(mention.text.lower())
    lines = _HELD if held else _OF_A_PLACE
    named = solver.index.named
    found = [next((names for label in line if (names := named(label))), ()) for line in lines]
    return tuple(sorted({name for names in found for name in names}))


def _people(found: Solved, solver: Solver, executor: Executor) -> Solved:
    """Leave out what the graph says to be no human: a church has a religion, too."""
    kinds = Kinds(solver)
    human = kinds.of("human", ())
    things = solver.reader.entities(ids_of(found.result.members)).values()
    if not human or not any(one.types and not set(human) & set(one.types) for one in things):
        return found
    candidate = found.candidate
    steps = (*candidate.steps, FilterByType("n2", candidate.out, human, kinds.via))
    return found.then(replace(candidate, steps=steps, out="n2"), executor)
