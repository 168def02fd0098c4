"""Graphs to make claims about: a source, some of its facts in a local graph, and the bare facts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from robodata_core.answers.proof import Proof, Prover
from robodata_core.api import RoboData
from robodata_core.config import load_settings
from robodata_core.model import Answer, EntityValue, Property, Statement, Value
from robodata_core.policy.base import AnswerDraft
from robodata_core.sources.base import KnowledgeSource
from robodata_core.store.graph import Fetch, LocalGraph
from tests.core.policy.llm.scripts import submit
from tests.core.policy.llm.server import Reply, model_server

__all__ = ["NOW", "SHARED", "World", "asking", "fill", "with_facts"]

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
SHARED = Path(__file__).parents[3].parent / "shared" / "data"
_FACTS = 240


@dataclass
class World:
    """A source, some of its facts in a local graph, and all facts as bare triples."""

    source: KnowledgeSource
    graph: LocalGraph
    facts: list[Statement] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def holds(self, subject: str, property_: str, value: str) -> bool:
        page = self.source.statements(subject, property=property_, limit=1_000)
        return any(one.value == EntityValue(value) for one in page.statements)

    def values(self, subject: str, property_: str) -> set[Value]:
        """Return what is stated of something."""
        page = self.source.statements(subject, property=property_, limit=1_000)
        return {one.value for one in page.statements}

    def states(self, subject: str, property_: str, value: Value | None) -> bool:
        """Tell whether a value is stated of something, or any at all."""
        values = self.values(subject, property_)
        return bool(values) if value is None else value in values

    def prove(self, draft: AnswerDraft, question: str = "") -> Proof:
        prover = Prover(self.graph, self.source, now=NOW)
        return prover.prove(draft, question)


def with_facts(source: KnowledgeSource, facts: list[Statement]) -> World:
    """Put some facts of a source into a local graph, with the names of all that they are about."""
    ends = {one.value.id for one in facts if isinstance(one.value, EntityValue)}
    graph = LocalGraph.in_memory()
    graph.add(
        facts,
        Fetch("run", "k1", "fetch", NOW),
        entities=source.entities(ends | {one.subject for one in facts}).values(),
        properties=list(source.properties({one.property for one in facts}).values()),
    )
    return World(source, graph)


def fill(source: KnowledgeSource, seed: int, origin: str = "") -> World:
    """Put facts around things of a source into a local graph."""
    drawn = random.Random(seed)
    world = World(source, LocalGraph.in_memory())
    hits = source.sparql(
        "SELECT DISTINCT ?s WHERE { ?s ?p ?o . ?o <http://www.w3.org/2000/01/rdf-schema#label> ?l }"
        " LIMIT 900"
    )
    ids = sorted({row[0].id for row in hits.rows if isinstance(row[0], EntityValue)})
    drawn.shuffle(ids)
    for id_ in ids:
        page = source.statements(id_, limit=40)
        kept = [
            one
            for one in page.statements
            if isinstance(one.value, EntityValue) and origin in one.origin
        ]
        world.facts += kept
        if len(world.facts) >= _FACTS:
            break
    entities = {one.subject for one in world.facts}
    entities |= {one.value.id for one in world.facts if isinstance(one.value, EntityValue)}
    found = source.entities(entities)
    world.names = {id_: item.label for id_, item in found.items() if item.label}
    world.facts = [
        one
        for one in world.facts
        if isinstance(one.value, EntityValue)
        and one.value.id in world.names
        and one.subject in world.names
        and one.value.id != one.subject
    ]
    properties: list[Property] = list(
        source.properties({one.property for one in world.facts}).values()
    )
    world.names |= {item.id: item.name for item in properties}
    fetch = Fetch("run", "k1", "fetch", NOW)
    world.graph.add(world.facts, fetch, entities=found.values(), properties=properties)
    return world


class Model:
    """A model that hands in what it is told to, whatever it is asked."""

    def __init__(self) -> None:
        self.final = submit(kind="unknown")

    def __call__(self, request: dict[str, Any]) -> Reply:
        """Hand it in."""
        return self.final


@contextmanager
def asking(world: World) -> Iterator[Callable[..., Answer]]:
    """Give what asks a question and hands in an answer, over one server and one local graph."""
    model = Model()
    with model_server(model) as server:
        settings = load_settings(
            policy="llm", model="m", base_url=server.url, second_look=False, max_turns=3
        )
        robodata = RoboData(settings, world.source, world.graph)

        def ask(question: str, **given: Any) -> Answer:
            model.final = submit(**given)
            answer = robodata.ask(question)
            assert robodata.failure is None
            return answer

        yield ask
