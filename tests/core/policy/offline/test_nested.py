"""Things that a question describes instead of naming them: "the man whom X married"."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.config import Settings
from robodata_core.model import Answer
from robodata_core.policy.offline.described import descriptions, retold
from robodata_core.policy.offline.policy import OfflineResources
from robodata_core.policy.offline.question import analyse
from robodata_core.policy.offline.solve import Solver
from robodata_core.sources.snapshot import SnapshotSource
from robodata_core.values import format_value

from .conftest import Ask, Asker, small_graph

_SAGA = """\
@prefix : <http://saga.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Person a rdfs:Class ; rdfs:label "human"@en .
:City a rdfs:Class ; rdfs:label "city"@en .
:Country a rdfs:Class ; rdfs:label "country"@en .
:King a rdfs:Class ; rdfs:label "Northern king"@en .
:School a rdfs:Class ; rdfs:label "university"@en .
:Label a rdfs:Class ; rdfs:label "record label"@en .
:spouse a rdf:Property ; rdfs:label "spouse"@en .
:father a rdf:Property ; rdfs:label "father"@en .
:mother a rdf:Property ; rdfs:label "mother"@en .
:sibling a rdf:Property ; rdfs:label "sibling"@en .
:bornin a rdf:Property ; rdfs:label "place of birth"@en .
:diedin a rdf:Property ; rdfs:label "place of death"@en .
:born a rdf:Property ; rdfs:label "date of birth"@en .
:died a rdf:Property ; rdfs:label "date of death"@en .
:lives a rdf:Property ; rdfs:label "residence"@en .
:country a rdf:Property ; rdfs:label "country"@en .
:capital a rdf:Property ; rdfs:label "capital"@en .
:tongue a rdf:Property ; rdfs:label "official language"@en .
:study a rdf:Property ; rdfs:label "educated at"@en .
:founder a rdf:Property ; rdfs:label "founded by"@en .
:parent a rdf:Property ; rdfs:label "parent organization"@en .
:Norse rdfs:label "Old Norse"@en .
:Vik a :City ; rdfs:label "Vik"@en ; :country :Norden .
:Lund a :City ; rdfs:label "Lund"@en ; :country :Sunder .
:Norden a :Country ; rdfs:label "Norden"@en ; :capital :Vik ; :tongue :Norse .
:Sunder a :Country ; rdfs:label "Sunder"@en ; :capital :Lund .
:Oak a :School ; rdfs:label "Oak College"@en .
:Reel a :Label ; rdfs:label "Reel Records"@en ; :founder :Ivar, :Gro ; :parent :Big .
:Big rdfs:label "Big Music"@en .
:Ivar a :Person, :King ; rdfs:label "Ivar Storm"@en ; :bornin :Vik ; :diedin :Lund ;
  :born "0901-02-03"^^xsd:date ; :died "0960-04-05"^^xsd:date ; :father :Olaf ; :mother :Tora .
:Olaf a :Person ; rdfs:label "Olaf Storm"@en ; :died "0930-01-01"^^xsd:date .
:Tora a :Person ; rdfs:label "Tora Vang"@en ; :born "0881-06-06"^^xsd:date .
:Astrid a :Person ; rdfs:label "Astrid Lund"@en ; :spouse :Ivar, :Hakon ; :sibling :Gro ;
  :bornin :Vik ; :study :Oak .
:Hakon a :Person ; rdfs:label "Hakon Berg"@en ; :spouse :Astrid ; :diedin :Vik ; :lives :Lund .
:Ivar :spouse :Astrid .
:Gro a :Person ; rdfs:label "Gro Lund"@en ; :study :Oak ; :lives :Vik ;
  :born "0922-07-08"^^xsd:date .
:Leif a :Person ; rdfs:label "Leif Dahl"@en ; :bornin :Lund ; :lives :Vik .
"""


@pytest.fixture(scope="module")
def saga(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    """A small graph with the relations that descriptions go along."""
    with small_graph(tmp_path_factory, "saga", _SAGA) as source:
        yield source


@pytest.fixture(scope="module")
def ask_saga(asker: Asker, saga: SnapshotSource) -> Ask:
    return asker(saga)


def _found(answer: Answer) -> set[str]:
    return {item.label or format_value(item.value) for item in answer.results}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the mother of the man who married Astrid Lund and Gro Lund?", set()),
        ("Who was the father of the Northern king who died in Lund?", {"Olaf Storm"}),
        ("Who was the father of the Northern king that died in Lund?", {"Olaf Storm"}),
        ("Who was the father of the Northern king whose mother is Tora Vang?", {"Olaf Storm"}),
        ("When did the Northern king who was born in Vik die?", {"5 April 960"}),
        ("When did the Northern king born in Vik die?", {"5 April 960"}),
        ("When was the Northern king born who died in Lund?", {"3 February 901"}),
        ("When was the Northern king who died in Lund born?", {"3 February 901"}),
        ("What is the date of death of the Northern king born in Vik?", {"5 April 960"}),
        ("What is the date of birth of the Northern king who died in Lund?", {"3 February 901"}),
        ("Who are the siblings of the woman whom Hakon Berg married?", {"Gro Lund"}),
        ("Who are the siblings of the woman that Hakon Berg married?", {"Gro Lund"}),
        ("Who are the siblings of the woman Hakon Berg married?", {"Gro Lund"}),
        ("Who lives in the city where Ivar Storm was born?", {"Gro Lund", "Leif Dahl"}),
        ("Who lives in the city in which Ivar Storm was born?", {"Gro Lund", "Leif Dahl"}),
        ("Who lives in the city that Ivar Storm was born in?", {"Gro Lund", "Leif Dahl"}),
        ("Who lives in the city Ivar Storm was born in?", {"Gro Lund", "Leif Dahl"}),
        ("What is the official language of the country where Hakon Berg died?", {"Old Norse"}),
        ("What is official language of country where died Hakon Berg?", {"Old Norse"}),
        ("What is the capital of the country Vik is in?", {"Vik"}),
        ("What is the capital of the country that Vik lies in?", {"Vik"}),
        ("Who founded the record label that Gro Lund founded?", {"Ivar Storm", "Gro Lund"}),
        ("Which company is the parent of the record label Gro Lund founded?", {"Big Music"}),
        ("Which people studied at the university where Gro Lund studied?",
         {"Gro Lund", "Astrid Lund"}),
        ("How many people live in the city where Ivar Storm was born?", {"at least 2"}),
        ("Is Vik the capital of the country where Hakon Berg died?", {"yes"}),
        ("Is Lund the capital of the country where Hakon Berg died?", {"no"}),
        ("Who is the man who died in Vik?", {"Hakon Berg"}),
        ("Apart from Ivar Storm, who else was married to the woman Ivar Storm married?",
         {"Hakon Berg"}),
        ("Who else was married to the woman Ivar Storm married?", {"Hakon Berg"}),
        ("Who was married to the woman Ivar Storm married?", {"Hakon Berg", "Ivar Storm"}),
        ("Who was born in the same city as Ivar Storm?", {"Astrid Lund"}),
        ("Which people were born in the same city as Ivar Storm?", {"Astrid Lund"}),
        ("Who studied at the same university as Gro Lund?", {"Astrid Lund"}),
    ],
)  # fmt: skip
def test_what_is_described_is_found(ask_saga: Ask, question: str, expected: set[str]) -> None:
    answer = ask_saga(question)
    assert _found(answer) == expected
    assert all(claim.supported for claim in answer.claims)
    assert bool(answer.claims) == bool(expected)


def test_words_and_query_of_a_description(ask_saga: Ask, saga: SnapshotSource) -> None:
    answer = ask_saga("When did the Northern king who was born in Vik die?")
    assert "place of birth" in answer.program and "date of death" in answer.program
    assert "date of birth" not in answer.program
    rows = saga.sparql(answer.sparql).rows
    assert {row[0] for row in rows} == {item.value for item in answer.results}
    assert rows


@pytest.mark.parametrize(
    "question",
    [
        "When was the Northern king who died in Vik born?",  # none died there
        "Who was the father of the Northern king who studied at Oak College?",
        "Where was the woman whom Leif Dahl married born?",
        "Which people founded the university where Gro Lund studied?",
        "In which country was Gro Lund born?",  # a residence is no birthplace
        "Who was the father of the Northern king who sailed to Vik?",
        "Who died in the same city as Leif Dahl?",
        "Which people founded a record label that their own songs came out on?",
    ],
)
def test_what_is_not_there_is_not_answered_by_something_else(ask_saga: Ask, question: str) -> None:
    answer = ask_saga(question)
    assert answer.status.value == "unknown" and not answer.results


@pytest.mark.parametrize(
    ("question", "inner"),
    [
        ("Who is the mother of the man whom Gro Lund married?",
         ["which man did gro lund married"]),
        ("Who lives in the city where Gro Lund was born?", ["in which city was gro lund born"]),
        ("When did the Northern king born in Vik die?", ["which northern king was born in vik"]),
        ("Where did the singer Gro Lund die?", []),
        ("Which people influenced Gro Lund?", []),
        ("Was the king born in Vik?", []),
        ("Is that Gro Lund?", []),
        ("Who influenced Gro Lund or was influenced by the man who married Leif Dahl?", []),
    ],
)  # fmt: skip
def test_descriptions_are_told_from_other_words(
    saga: SnapshotSource, question: str, inner: list[str]
) -> None:
    asked = analyse(question)
    index = OfflineResources.build(saga, Settings()).index
    linking, matches = Solver(saga, index, asked).link(asked.requests[0])
    found = descriptions(asked, asked.requests[0], linking, matches)
    assert [one.lower() for d in found[:1] for one in [retold(asked, d.inner).text]] == inner
