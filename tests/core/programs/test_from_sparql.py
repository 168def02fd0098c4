"""SPARQL of question sets as programs: what fits, what it then means, and why others do not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ConfigurationError
from robodata_core.programs.describe import describe
from robodata_core.programs.executor import execute
from robodata_core.programs.from_sparql import UnfitQueryError, kind_of, program_from_sparql
from robodata_core.programs.keys import key_of
from robodata_core.programs.steps import Count, Difference, Extreme, FilterByType, Judge
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.synthesis.grounded import read_queries
from tests.core.programs.graphs import GraphSource, statement

pytest.importorskip("rdflib", reason="the extra synthesis is not installed here")

PREFIXES = (
    "PREFIX wd: <http://www.wikidata.org/entity/> PREFIX wdt: <http://www.wikidata.org/prop/direct/>"
    " PREFIX p: <http://www.wikidata.org/prop/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
)

#: Queries with an answer in the embedded sample, one for each shape.
FITTING = {
    "a value": "SELECT ?x WHERE { wd:Q16 wdt:P36 ?x }",
    "backwards": "SELECT ?x WHERE { ?x wdt:P36 wd:Q1930 }",
    "a path": "SELECT DISTINCT ?x WHERE { wd:Q42 wdt:P27/wdt:P30 ?x }",
    "an inverse path": "SELECT DISTINCT ?x WHERE { wd:Q1930 ^wdt:P36 ?x }",
    "a chain": "SELECT DISTINCT ?x WHERE { wd:Q42 wdt:P27 ?c . ?c wdt:P30 ?x }",
    "two conditions": "SELECT DISTINCT ?x WHERE { ?x wdt:P106 wd:Q36180 . ?x wdt:P27 wd:Q145 }",
    "classes and subclasses": (
        "SELECT DISTINCT ?x WHERE { ?y wdt:P27 wd:Q145 ; wdt:P463 ?x ."
        " ?x wdt:P31/wdt:P279* wd:Q2085381 }"
    ),
    "alternatives": (
        "SELECT DISTINCT ?x WHERE { { wd:Q42 wdt:P106 ?x } UNION { wd:Q16 wdt:P36 ?x } }"
    ),
    "not equal": "SELECT ?x WHERE { wd:Q42 wdt:P106 ?x . FILTER(?x != wd:Q36180) }",
    "minus": "SELECT DISTINCT ?x WHERE { ?x wdt:P27 wd:Q145 MINUS { ?x wdt:P106 wd:Q36180 } }",
    "a count": "SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE { ?x wdt:P27 wd:Q145 }",
    "yes": "ASK { wd:Q16 wdt:P36 wd:Q1930 }",
    "no": "ASK { wd:Q16 wdt:P36 wd:Q42 }",
    "a value within limits": "ASK { wd:Q42 wdt:P569 ?x FILTER(YEAR(?x) = 1952) }",
    "any": "ASK { ?x wdt:P27 wd:Q145 . ?x wdt:P106 wd:Q36180 }",
}

UNFIT = {
    "SELECT ?x ?y WHERE { ?x wdt:P36 ?y }": "several columns",
    "SELECT ?x WHERE { wd:Q16 ?p ?x }": "relation is a variable",
    "SELECT ?x WHERE { ?x wdt:P36 ?y }": "no condition",
    "SELECT ?x WHERE { wd:Q16 wdt:P131+ ?x }": "any number of times",
    "SELECT ?x WHERE { wd:Q16 p:P36 ?x }": "direct triples",
    "SELECT ?x WHERE { wd:Q16 wdt:P36 ?x } LIMIT 5": "cuts its rows",
    "SELECT ?x WHERE { wd:Q16 wdt:P36 ?x } ORDER BY ?x LIMIT 1": "reaches",
    "SELECT ?x WHERE { wd:Q16 wdt:P36 ?x OPTIONAL { ?x wdt:P1 ?y } }": "optional",
    "SELECT ?x WHERE { wd:Q16 wdt:P36 ?x BIND(1 AS ?y) }": "calculates",
    "SELECT ?x WHERE { ?x wdt:P36 ?y . ?y wdt:P17 ?x . wd:Q1 wdt:P1 ?x }": "no condition",
    "SELECT (AVG(?x) AS ?n) WHERE { wd:Q16 wdt:P1082 ?x }": "aggregates",
    "SELECT (COUNT(?x) + 4 AS ?n) WHERE { wd:Q42 wdt:P40 ?x }": "calculates",
    "SELECT ?x (COUNT(?y) AS ?n) WHERE { ?x wdt:P36 ?y } GROUP BY ?x": "has several columns",
    "SELECT ?x WHERE { wd:Q16 wdt:P36 ?x . FILTER(lang(?x) = 'en') }": "compares two variables",
    "SELECT ?x WHERE { wd:Q16 wdt:P36 ?x . FILTER(?x IN (wd:Q1, wd:Q2)) }": "list",
    "CONSTRUCT { ?x wdt:P36 ?y } WHERE { ?x wdt:P36 ?y }": "neither SELECT nor ASK",
    "SELECT ?x WHERE {": "can parse",
    "": "can parse",
    "ASK { wd:Q16 wdt:P36 wd:Q1930 . wd:Q42 wdt:P27 wd:Q145 }": "several things",
    "SELECT ?x WHERE { VALUES ?x { wd:Q1 } ?x wdt:P36 ?y }": "list of values",
}


@pytest.fixture(scope="module")
def sample() -> SnapshotSource:
    return open_snapshot("wikidata-sample")


@pytest.mark.parametrize("query", FITTING.values(), ids=FITTING)
def test_a_program_gives_what_its_query_gives(sample: SnapshotSource, query: str) -> None:
    program = program_from_sparql(PREFIXES + query)
    result = execute(program, sample)
    expected = sample.sparql(PREFIXES + query)
    if expected.boolean is not None:
        assert result.boolean == expected.boolean
    elif result.number is not None:
        assert result.number > 0
        assert str(result.number) == str(expected.rows[0][0].amount)  # type: ignore[union-attr]
    else:
        rows = {key_of(row[0]) for row in expected.rows if row[0] is not None}
        assert rows
        assert {key_of(value) for value in result.values} == rows


@pytest.mark.parametrize(("query", "reason"), UNFIT.items())
def test_what_does_not_fit_says_why(query: str, reason: str) -> None:
    with pytest.raises(UnfitQueryError, match=reason):
        program_from_sparql(PREFIXES + query)


def test_comparisons_and_extremes() -> None:
    before = program_from_sparql(
        PREFIXES + "SELECT ?x WHERE { ?x wdt:P27 wd:Q145 ; wdt:P569 ?d FILTER(YEAR(?d) < 1900) }"
    )
    assert "1900" in str(before) and kind_of(before) == "comparison"
    day = program_from_sparql(
        PREFIXES
        + "SELECT ?x WHERE { ?x wdt:P27 wd:Q145 ; wdt:P569 ?d"
        + ' FILTER("1900-02-01"^^xsd:date <= ?d) }'
    )
    assert "GE" in str(day) and "month=2" in str(day)
    last = program_from_sparql(
        PREFIXES + "SELECT ?x { ?x wdt:P27 wd:Q145 ; wdt:P569 ?d } ORDER BY DESC(?d) LIMIT 1"
    )
    extreme = last.steps[-2]
    assert isinstance(extreme, Extreme) and extreme.largest and extreme.property == "P569"


#: Universals by the words that tell them, given to the reader in SPARQL.
UNIVERSAL = {
    "ASK { FILTER NOT EXISTS { wd:Q1 wdt:P1 ?x FILTER NOT EXISTS { ?x wdt:P2 wd:Q2 } } }":
        "whether every P1 of Q1 is one whose P2 is Q2",
    "ASK { FILTER NOT EXISTS { wd:Q1 wdt:P1 ?x MINUS { ?x wdt:P2/wdt:P2 wd:Q2 } } }":
        "whether every P1 of Q1 is one whose P2 is (anything whose P2 is Q2)",
    "ASK { wd:Q1 wdt:P1 ?y FILTER NOT EXISTS { wd:Q1 wdt:P1 ?x FILTER(?x != wd:Q3) } }":
        "whether every P1 of Q1 is Q3",
    "ASK { wd:Q1 wdt:P1 wd:Q3 FILTER NOT EXISTS { wd:Q1 wdt:P1 ?x FILTER(?x != wd:Q3) } }":
        "whether every P1 of Q1 is Q3",
    "ASK { wd:Q3 wdt:P1 wd:Q1 FILTER NOT EXISTS { ?x wdt:P1 wd:Q1 FILTER(?x != wd:Q3) } }":
        "whether everything whose P1 is Q1 is Q3",
    "ASK { FILTER NOT EXISTS { wd:Q1 wdt:P1 ?x . ?x wdt:P2 wd:Q2 } }":
        "whether no P1 of Q1 is one whose P2 is Q2",
    "ASK { FILTER NOT EXISTS { wd:Q1 wdt:P1 ?x . wd:Q2 wdt:P2 ?x } }":
        "whether no P1 of Q1 is among the P2 of Q2",
}  # fmt: skip
_IDS = st.sampled_from(["Q1", "Q2", "Q3", "Q4"])
_FACTS = st.sets(st.tuples(_IDS, st.sampled_from(["P1", "P2"]), _IDS), max_size=14)


@pytest.mark.parametrize(("query", "told"), UNIVERSAL.items(), ids=range(len(UNIVERSAL)))
@given(facts=_FACTS)
def test_universals_hold_where_their_query_does(
    query: str, told: str, facts: set[tuple[str, str, str]]
) -> None:
    program = program_from_sparql(PREFIXES + query)
    assert describe(program, lambda id_: id_) == told
    source = GraphSource([statement(*fact) for fact in sorted(facts)])
    result = execute(program, source)
    if result.members:  # of nothing, SPARQL says yes, and a judgement takes for granted some
        assert result.boolean == source.sparql(PREFIXES + query).boolean
    else:
        assert not result.boolean


@pytest.mark.parametrize(
    ("query", "reason"),
    {
        "ASK { FILTER NOT EXISTS { wd:Q1 wdt:P1 ?x } }": "denies that there is any",
        "ASK { FILTER NOT EXISTS { wd:Q1 wdt:P1 wd:Q2 } }": "denies one statement",
        "ASK { wd:Q1 wdt:P1 wd:Q2 FILTER NOT EXISTS { wd:Q1 wdt:P1 ?x FILTER(?x != wd:Q3) } }":
            "several things",
        "ASK { ?y wdt:P2 wd:Q2 FILTER NOT EXISTS { wd:Q1 wdt:P1 ?x FILTER(?x != wd:Q3) } }":
            "several things",
        "ASK { ?y wdt:P2 wd:Q2 MINUS { wd:Q1 wdt:P1 ?x } }": "takes nothing away",
        "SELECT ?x { ?x wdt:P1 ?y . ?y wdt:P2 wd:Q2 MINUS { ?x wdt:P2 ?z . ?z wdt:P1 ?y } }":
            "tied to more",
    }.items(),
)  # fmt: skip
def test_what_is_denied_otherwise_says_why(query: str, reason: str) -> None:
    with pytest.raises(UnfitQueryError, match=reason):
        program_from_sparql(PREFIXES + query)


def test_kinds() -> None:
    kinds = {name: program_from_sparql(PREFIXES + query) for name, query in FITTING.items()}
    assert any(isinstance(step, Difference) for step in kinds["minus"].steps)
    assert any(isinstance(step, FilterByType) for step in kinds["classes and subclasses"].steps)
    assert isinstance(kinds["a count"].steps[-2], Count)
    assert isinstance(kinds["any"].steps[-2], Judge)
    assert kind_of(kinds["a value"]) == "1 hop"
    assert kind_of(kinds["a path"]) == "2 hops"
    assert kind_of(kinds["yes"]) == "yes or no"


_PARTS = [
    "SELECT", "ASK", "?x", "?y", "WHERE", "{", "}", "wd:Q1", "wdt:P1", "wdt:P31/wdt:P279*", ".",
    "FILTER(", ")", "<", "1900", "'a'", "ORDER BY", "LIMIT 1", "COUNT(?x)", "UNION", "MINUS", "*",
    "OPTIONAL", "^", "|", ";", "_:b", "YEAR(?x)", "&&", "NOT EXISTS",
]  # fmt: skip


@given(st.lists(st.sampled_from(_PARTS), max_size=14))
def test_any_text_is_a_program_or_unfit(parts: list[str]) -> None:
    for text in (" ".join(parts), "SELECT ?x WHERE { " + " ".join(parts) + " }"):
        try:
            program = program_from_sparql(PREFIXES + text)
        except UnfitQueryError as error:
            assert str(error)
        else:
            assert program.steps


def test_question_sets_are_read(tmp_path: Path) -> None:
    qald = {
        "questions": [
            {
                "id": "7",
                "question": [
                    {"language": "de", "string": "Was?"},
                    {"language": "en", "string": "What\x1b[31m?"},
                ],
                "query": {"sparql": "ASK {}"},
            }
        ]
    }
    packed = tmp_path / "set.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(qald).encode()))
    (asked,) = read_queries(packed)
    assert (asked.id, asked.query) == ("7", "ASK {}")
    assert asked.question.startswith("What") and "\x1b" not in asked.question
    lines = tmp_path / "set.jsonl"
    lines.write_text(
        '{"question": "Who?", "sparql": "ASK {}"}\n\n{"question": "A", "query": "B"}\n'
    )
    assert [one.id for one in read_queries(lines)] == ["1", "2"]


@pytest.mark.parametrize(
    "text", ["nonsense", '{"questions": 3}', '{"question": 1}', "[]", "\udcff"]
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "set.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigurationError, match="no question set"):
        read_queries(path)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_queries(tmp_path / "absent.json")
