"""What understanding sees of a source, with and without a source's optional abilities."""

from __future__ import annotations

from typing import Any

import pytest

from robodata_core.language import View
from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.linking import Linker
from robodata_core.language.text import read_text
from robodata_core.language.view import may_be_alike
from robodata_core.model import Direction, EntityValue
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import Capabilities, capabilities
from robodata_core.sources.snapshot import open_snapshot

_DOCUMENTED = (
    "name", "search", "entity", "entities", "property", "properties", "statements",
    "statements_many", "relations", "sparql", "close",
)  # fmt: skip


class Plain:
    """A source that has exactly what ``KnowledgeSource`` documents."""

    def __init__(self, source: KnowledgeSource) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        if name not in _DOCUMENTED:
            raise AttributeError(name)
        return getattr(self._source, name)


@pytest.fixture(scope="module")
def source() -> KnowledgeSource:
    return open_snapshot("wikidata-sample")


@pytest.fixture(params=["able", "plain"])
def view(request: pytest.FixtureRequest, source: KnowledgeSource) -> View:
    seen: Any = source if request.param == "able" else Plain(source)
    assert (capabilities(seen) != Capabilities()) == (request.param == "able")
    lexicon = open_lexicon("en")
    return View(seen, roles=lexicon.role)


def test_names_relations_and_ends(view: View) -> None:
    hits = view.names(["Canada", "no such thing at all"])
    assert list(hits) == ["Canada"]
    id_ = hits["Canada"][0].id
    assert ("P36", Direction.OUT) in view.relations(id_)
    assert view.ends([id_], ("P36", Direction.OUT)) == (EntityValue("Q1930"),)
    assert view.label("Q1930") == "Ottawa"


def test_classes(view: View) -> None:
    country = view.names(["country"])["country"][0].id
    assert view.is_class(country)
    assert not view.is_class("Q1930")
    assert "P31" in view.type_relations


def test_mentions_are_found_whatever_the_case(view: View) -> None:
    linker = Linker(view, open_lexicon("en"))
    found = [
        {(m.start, m.end, m.candidates[0].value) for m in linker.mentions(read_text(text))}
        for text in ("capital of Canada", "CAPITAL OF CANADA", "capital of canada")
    ]
    assert found[0] == found[1] == found[2]
    assert (2, 3, EntityValue("Q16")) in found[0]


def test_things_may_be_alike_by_their_classes() -> None:
    above = {"city": {"city", "place"}, "town": {"town", "place"}, "group": {"group"}}.__getitem__
    assert may_be_alike({"city"}, {"city"}, above)
    assert may_be_alike(set(), {"group"}, above)
    assert not may_be_alike({"city"}, {"town"}, above)
    assert may_be_alike({"city"}, {"place"}, lambda kind: above(kind) if kind == "city" else {kind})
