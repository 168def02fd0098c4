"""A source with exactly the documented methods answers as one with every capability does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from robodata_core.api import RoboData
from robodata_core.config import load_settings
from robodata_core.errors import QueryRefusedError
from robodata_core.model import AnswerStatus, EntityKind
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import (
    Capabilities,
    all_properties,
    capabilities,
    generation,
    heard_about,
    lookup_names,
    near_form,
    rest,
    search_written,
    wide_form,
)
from robodata_core.sources.chained import ChainedSource
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.store.graph import LocalGraph

DOCUMENTED = sorted(
    name for name in vars(KnowledgeSource) if not name.startswith("_") and name != "name"
)


class Plain:
    """What the protocol asks for, and nothing else."""

    def __init__(self, source: KnowledgeSource) -> None:
        self.name = source.name
        for method in DOCUMENTED:
            setattr(self, method, getattr(source, method))


@pytest.fixture(scope="module")
def sample() -> Iterator[SnapshotSource]:
    with open_snapshot("wikidata-sample") as source:
        yield source


def plain(source: KnowledgeSource) -> Any:
    return Plain(source)


def test_nothing_is_declared_by_a_plain_source(sample: SnapshotSource) -> None:
    source = plain(sample)
    assert capabilities(source) == Capabilities()
    assert near_form(source) is None and wide_form(source) is None
    assert heard_about(source, "Q16", "P36") == ()
    assert near_form(sample) is sample and wide_form(sample) is None


def test_a_source_that_rests_says_the_same_and_is_forgotten() -> None:
    query = "SELECT ?o WHERE { wd:Q16 wdt:P36 ?o }"
    with open_snapshot("wikidata-sample") as snapshot, ChainedSource((snapshot,)) as chain:
        page, entity = chain.statements("Q16"), chain.entities(["Q16"])["Q16"]
        rows, hits = chain.sparql(query).rows, chain.search("Ottawa")
        assert chain.statements("Q16") is page and page.statements and rows
        before = generation(chain)
        rest(chain)
        assert generation(chain) == generation(snapshot) == before + 1
        assert chain.statements("Q16") is not page, "it is read again"
        assert chain.statements("Q16") == page
        assert chain.entities(["Q16"])["Q16"] == entity
        assert (chain.sparql(query).rows, chain.search("Ottawa")) == (rows, hits)
    rest(plain(snapshot))  # cannot


def test_properties_are_listed_by_a_query(sample: SnapshotSource) -> None:
    listed = {item.id: item for item in all_properties(plain(sample))}
    used = {item.id: item for item in all_properties(sample) if item.uses}
    assert set(used) <= set(listed)
    assert listed["P36"] == used["P36"]


def test_names_are_looked_up_by_searches(sample: SnapshotSource) -> None:
    names = ["Canada", "Douglas Adams", "DNA", "no such name", "", "ottawa"]
    for kind, wanted in ((EntityKind.ITEM, names), (EntityKind.PROPERTY, ["capital", "author"])):
        full = lookup_names(sample, wanted, kind=kind)
        one_by_one = lookup_names(plain(sample), wanted, kind=kind)
        assert set(one_by_one) == set(full)
        for name, hits in full.items():
            assert {hit.id for hit in one_by_one[name]} >= {hit.id for hit in hits[:5]}
    assert search_written(plain(sample), "Ottawa")[0].id == search_written(sample, "Ottawa")[0].id


@pytest.mark.parametrize(
    "question",
    ["What is the capital of Canada?", "Who wrote The Hitchhiker's Guide to the Galaxy?"],
)
def test_questions_are_answered_alike(sample: SnapshotSource, question: str) -> None:
    answers = []
    for source in (sample, plain(sample)):
        robodata = RoboData(load_settings(), source, LocalGraph.in_memory())
        answer = robodata.ask(question)
        assert answer.status is AnswerStatus.ANSWERED
        answers.append({item.id for item in answer.results})
    assert answers[0] == answers[1] != set()


def test_a_source_that_lists_nothing_says_so(
    sample: SnapshotSource, caplog: pytest.LogCaptureFixture
) -> None:
    source = plain(sample)

    def refuse(*_: Any, **__: Any) -> Any:
        raise QueryRefusedError("This source has no SPARQL.")

    source.sparql = refuse
    assert all_properties(source) == ()
    assert "cannot list its properties: This source has no SPARQL." in caplog.text
