"""What a noun asks for narrows a reading, over the embedded world: films are no actors."""

from __future__ import annotations

import pytest

from robodata_core.language import Understanding, Understood
from robodata_core.model import EntityValue
from robodata_core.programs.executor import execute
from robodata_core.sources.snapshot import open_snapshot

FILM = "Q11424"


@pytest.fixture(scope="module")
def understanding() -> Understanding:
    return Understanding(open_snapshot("world"))


def _best(understanding: Understanding, text: str) -> Understood:
    best = understanding.understand(text)[0]
    assert isinstance(best, Understood), best
    return best


@pytest.mark.parametrize(
    "question", ["which films are in the western genre", "name a film in the western genre"]
)
def test_only_what_is_asked_for_is_left(understanding: Understanding, question: str) -> None:
    view = understanding.view
    best = _best(understanding, question)
    found = [v.id for v in execute(best.program, view.source).values if isinstance(v, EntityValue)]
    kinds = view.kinds_of(found)
    assert len(found) > 10
    for id_ in found:
        assert any(FILM in view.superclasses(kind) for kind in kinds[id_]), view.label(id_)


@pytest.mark.parametrize(
    "question",
    [
        "which actors appear in the matrix",  # what the relation is called
        "what nationality was nikola tesla",  # how people call the relation
        "which singers were influenced by elvis presley",  # people, all of them
        "what religion does maria shriver practice",  # no religion is stated to be one there
        "what musical genre does depeche mode play",  # a genre, as the relation is called
    ],
)
def test_a_noun_that_says_nothing_new_narrows_nothing(
    understanding: Understanding, question: str
) -> None:
    best = _best(understanding, question)
    assert not any(step.out == "asked_kind" for step in best.program.steps[:-1])
    assert not best.unread


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("what is a museum in the science fiction genre", "museum"),
        ("which films are based on novels", "films"),
    ],
)
def test_a_reading_that_gives_none_of_them_is_misread(
    understanding: Understanding, question: str, noun: str
) -> None:
    best = _best(understanding, question)
    assert noun in best.unread
    assert best.probability <= 0.4
