"""A second language is a folder of tables: plain German questions on a graph named in German."""

from __future__ import annotations

from pathlib import Path

import pytest

from robodata_core.language import Understanding, Understood
from robodata_core.model import EntityValue, StringValue, TimeValue
from robodata_core.programs.executor import execute
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.sources.snapshot.loading import load_files

_GRAPH = """
@prefix : <http://beispiel.de/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:goethe rdfs:label "Johann Wolfgang von Goethe"@de ; :ort :frankfurt ; :tot :weimar ;
    :tag "1749-08-28"^^xsd:date ; :partner :vulpius .
:faust rdfs:label "Faust"@de ; :autor :goethe .
:schiller rdfs:label "Friedrich Schiller"@de ; :ort :marbach ; :tag "1759-11-10"^^xsd:date .
:marbach rdfs:label "Marbach am Neckar"@de ; :land :deutschland .
:rauber rdfs:label "Die Räuber"@de ; :autor :schiller .
:wallenstein rdfs:label "Wallenstein"@de ; :autor :schiller .
:frankfurt rdfs:label "Frankfurt am Main"@de ; :land :deutschland .
:weimar rdfs:label "Weimar"@de ; :land :deutschland .
:vulpius rdfs:label "Christiane Vulpius"@de .
:deutschland rdfs:label "Deutschland"@de ; :haupt :berlin .
:frankreich rdfs:label "Frankreich"@de ; :haupt :paris .
:berlin rdfs:label "Berlin"@de . :paris rdfs:label "Paris"@de .
:ort rdfs:label "Geburtsort"@de . :tot rdfs:label "Sterbeort"@de .
:tag rdfs:label "Geburtsdatum"@de . :partner rdfs:label "Ehepartner"@de .
:autor rdfs:label "Autor"@de . :land rdfs:label "Staat"@de . :haupt rdfs:label "Hauptstadt"@de .
"""


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Understanding:
    folder: Path = tmp_path_factory.mktemp("german")
    (folder / "graph.ttl").write_text(_GRAPH, encoding="utf-8")
    load_files([folder / "graph.ttl"], folder / "snapshot", language="de")
    return Understanding(open_snapshot(folder / "snapshot"), "de")


def _ends(understanding: Understanding, text: str) -> tuple[set[str], float]:
    best = understanding.understand(text)[0]
    assert isinstance(best, Understood), best
    result = execute(best.program, understanding.view.source)
    if result.number is not None:
        return {str(result.number)}, best.probability
    values = result.values
    names = {v.id.rsplit("/", 1)[-1] for v in values if isinstance(v, EntityValue)}
    names |= {str(v.year) for v in values if isinstance(v, TimeValue)}
    names |= {v.text for v in values if isinstance(v, StringValue)}
    return names, best.probability


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was ist die Hauptstadt von Frankreich?", "paris"),
        ("Wo wurde Johann Wolfgang von Goethe geboren?", "frankfurt"),
        ("wann wurde johann wolfgang von goethe geboren", "1749"),
        ("Wo starb Johann Wolfgang von Goethe?", "weimar"),
        ("Wer hat Faust geschrieben?", "goethe"),
        ("Was schrieb Johann Wolfgang von Goethe?", "faust"),
        ("Mit wem war Johann Wolfgang von Goethe verheiratet?", "vulpius"),
    ],
)
def test_plain_questions(german: Understanding, question: str, answer: str) -> None:
    found, probability = _ends(german, question)
    assert found == {answer}
    assert probability > 0.5


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Wie viele Werke hat Friedrich Schiller geschrieben?", {"2"}),
        ("Wer wurde vor 1755 geboren?", {"goethe"}),
        ("Wer wurde nach 1755 geboren?", {"schiller"}),
        ("Wer wurde zwischen 1755 und 1760 geboren?", {"schiller"}),
        ("Wer hat Faust oder Die Räuber geschrieben?", {"goethe", "schiller"}),
        ("Was ist die Hauptstadt von Frankreich oder Deutschland?", {"paris", "berlin"}),
        ("Wer ist jünger als Johann Wolfgang von Goethe?", {"schiller"}),
        ("Wer ist älter, Johann Wolfgang von Goethe oder Friedrich Schiller?", {"goethe"}),
    ],
)
def test_operators_and_comparisons_are_tables(
    german: Understanding, question: str, answer: set[str]
) -> None:
    found, probability = _ends(german, question)
    assert found == answer
    assert probability > 0.4


def test_a_word_that_changes_the_question_counts(german: Understanding) -> None:
    _, plain = _ends(german, "Was ist die Hauptstadt von Frankreich?")
    _, changed = _ends(german, "Was ist nicht die Hauptstadt von Frankreich?")
    assert changed < 0.5 < plain
