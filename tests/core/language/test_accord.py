"""Words that repeat what the structure of a reading says, and words that say more than a hop."""

from __future__ import annotations

from pathlib import Path

import pytest

from robodata_core.language import Understanding, Understood
from robodata_core.model import EntityValue
from robodata_core.programs.executor import execute
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.sources.snapshot.loading import load_files

_FAMILY = """
@prefix : <http://family.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
:sibling a rdf:Property ; rdfs:label "sibling"@en .
:gender a rdf:Property ; rdfs:label "sex or gender"@en .
:female rdfs:label "female"@en .
:male rdfs:label "male"@en .
:Ada rdfs:label "Ada Quillfeather"@en ; :sibling :Bea , :Cid .
:Bea rdfs:label "Bea Quillfeather"@en ; :gender :female .
:Cid rdfs:label "Cid Quillfeather"@en {told}.
"""


@pytest.fixture(scope="module")
def understanding() -> Understanding:
    return Understanding(open_snapshot("wikidata-sample"))


def _best(understanding: Understanding, question: str) -> Understood:
    best = understanding.understand(question)[0]
    assert isinstance(best, Understood), best
    return best


@pytest.mark.parametrize(
    "question",
    [
        "Who plays both guitar and violin?",
        "Which organizations are both Canada and Japan members of?",
        "Who was educated at Humboldt University of Berlin and worked for Harvard University?",
        "Who was born in either Prague or Toronto?",
        "List all physicists who came into the world in Budapest.",
        "Name every university that employed Hannah Arendt.",
        "Besides Justin Bieber, who else did Selena Gomez date?",
        "How many brothers and sisters had John F. Kennedy?",
        "How many followers on social media has Lars Løkke Rasmussen?",
        "From which illness did Franz Kafka suffer?",
        "A dead language, which one is it?",
        "Which Hungarian actor has had the most different occupations?",
        "Does Elvis Presley have any children at all?",
    ],
)
def test_words_that_the_structure_says_are_read(
    understanding: Understanding, question: str
) -> None:
    best = _best(understanding, question)
    assert (best.unread, best.unexplained) == ((), ())


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Is every city the capital of Canada?", "every"),
        ("What is every capital of Canada?", "every"),
        ("Who else influenced Immanuel Kant?", "else"),
        ("Which both instruments does Kate Bush play?", "both"),
    ],
)
def test_words_that_no_structure_says_stay_unread(
    understanding: Understanding, question: str, word: str
) -> None:
    assert word in _best(understanding, question).unread


def _family(folder: Path, told: str) -> Understanding:
    written = folder / "family.ttl"
    written.write_text(_FAMILY.replace("{told}", told), encoding="utf-8")
    load_files([written], folder / "family", name="family")
    return Understanding(open_snapshot(folder / "family"))


def _found(understanding: Understanding, question: str) -> list[tuple[frozenset[str], Understood]]:
    found = []
    for one in understanding.understand(question):
        assert isinstance(one, Understood)
        values = execute(one.program, understanding.view.source).values
        labels = {understanding.view.label(v.id) for v in values if isinstance(v, EntityValue)}
        found.append((frozenset(labels), one))
    return found


def test_what_a_word_says_more_narrows_a_relation_where_it_is_stated_of_all(tmp_path: Path) -> None:
    family = _family(tmp_path, "; :gender :male ")
    narrowed = {names for names, one in _found(family, "Who are the sisters of Ada Quillfeather?")
                if not one.broader and not one.unexplained}  # fmt: skip
    assert frozenset({"Bea Quillfeather"}) in narrowed


def test_where_it_is_not_stated_the_reading_says_which_word_the_relation_does_not_hold(
    tmp_path: Path,
) -> None:
    family = _family(tmp_path, "")
    names, best = _found(family, "Who are the sisters of Ada Quillfeather?")[0]
    assert names == {"Bea Quillfeather", "Cid Quillfeather"}
    assert best.broader == ("sisters",)
