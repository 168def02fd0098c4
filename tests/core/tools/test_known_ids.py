from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import UnknownIdError
from robodata_core.tools.known_ids import STRUCTURAL_IDS, KnownIds, ids_in_text, refuse
from robodata_core.tools.query_ids import cypher_ids, sparql_ids

ids = st.builds("{}{}".format, st.sampled_from("QP"), st.integers(1, 10**9))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Find all subclasses of the neighbors of Q42", ("Q42",)),
        ("neighbors of q42's spouse (p26)", ("Q42", "P26")),
        ("https://www.wikidata.org/wiki/Q16?", ("Q16", "https://www.wikidata.org/wiki/Q16")),
        ("what is http://example.org/Knife, and wdt:P31?", ("P31", "http://example.org/Knife")),
        ("the R2D2 of XQ42 in Q0 and IQ42b", ()),
        ("", ()),
    ],
)
def test_ids_in_a_question(text: str, expected: tuple[str, ...]) -> None:
    assert ids_in_text(text) == expected


def test_only_what_was_shown_is_known() -> None:
    known = KnownIds("Where was Q42 born?")
    assert "Q42" in known and "Q43" not in known
    known.add(["Q43"])
    refuse(known.unknown(["Q42", "Q43"]))
    with pytest.raises(UnknownIdError, match=r"Q7, Q8 have not been shown") as caught:
        refuse(known.unknown(["Q42", "Q7", "Q8", "Q7"]))
    assert "search_entities" in caught.value.hint


def test_structure_is_known_from_the_start() -> None:
    known = KnownIds("")
    refuse(known.unknown([*STRUCTURAL_IDS, "http://www.w3.org/2000/01/rdf-schema#label"]))
    assert len(STRUCTURAL_IDS) <= 5
    assert "http://example.org/Knife" not in known


def test_many_unknown_ids_make_one_short_sentence() -> None:
    with pytest.raises(UnknownIdError) as caught:
        refuse(KnownIds("").unknown(f"Q{number}" for number in range(1, 400)))
    assert "and 394 more" in str(caught.value) and len(str(caught.value)) < 400


def test_threads_may_add_and_ask_at_once() -> None:
    known = KnownIds("")
    errors: list[Exception] = []

    def work(start: int) -> None:
        try:
            for number in range(start, start + 500):
                known.add([f"Q{number}"])
                refuse(known.unknown([f"Q{number}"]))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(1 + 500 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(known.shown) == 2_000 + len(STRUCTURAL_IDS)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT ?x { wd:Q16 wdt:P36 ?x }", {"Q16", "P36"}),
        ("SELECT ?x { <http://www.wikidata.org/entity/Q16> wdt:P31/wdt:P279* ?x }", None),
        ("PREFIX e: <http://www.wikidata.org/entity/> SELECT * { e:Q7 ?p ?o }", {"Q7"}),
        ("BASE <http://www.wikidata.org/entity/> SELECT * { <Q7> ?p ?o }", {"Q7"}),
        ("SELECT * { \\u0077d:Q7 ?p ?o }", {"Q7"}),
        ("ASK { ?s p:P36/ps:P36 wd:Q1; pq:P580 ?t }", {"P36", "Q1", "P580"}),
        ("# wd:Q1\nSELECT * { ?s ?p 'wd:Q2', \"wd:Q3\", '''wd:Q4 ' \" ''' }", set()),
        ("SELECT * { BIND(IRI('http://www.wikidata.org/entity/Q9') AS ?x) }", {"Q9"}),
        ("SELECT * { ?s <http://example.org/made-of> ?o }", {"http://example.org/made-of"}),
        ("SELECT * { FILTER(STRSTARTS(STR(?x), STR(wdt:))) wds:Q42-ab ?p ?o }", {"Q42"}),
        ("SELECT * { VALUES ?x { wd:Q1 wd:Q2 } ?x<wd:Q3 }", {"Q1", "Q2", "Q3"}),
        ("BASE <http://[> SELECT * { <Q7> ?p ?o }", {"http://["}),
        ("SELECT ?Q1 $Q2 { ?Q1 ?Q2 ?x:Q3 }", set()),
        ("no query at all", set()),
        (
            "SELECT ?x { wd:Mona wdt:capital_of ?x . ?x wdt:P31 wd:Q5 ; p:P1 ?r }",
            {
                "http://www.wikidata.org/entity/Mona",
                "http://www.wikidata.org/prop/direct/capital_of",
                *("Q5", "P31", "P1"),
            },
        ),
    ],
)
def test_ids_in_sparql(query: str, expected: set[str] | None) -> None:
    if expected is None:
        expected = {"Q16", "P31", "P279"}
    found = {id_ for id_ in sparql_ids(query) if not id_.startswith("http://www.w3.org/")}
    assert found - {"http://["} == expected - {"http://["}


@given(st.lists(ids, min_size=1, max_size=4), st.sampled_from(["wd:{}", "wdt:{}", "<{}>"]))
def test_every_id_in_a_query_is_found(wanted: list[str], form: str) -> None:
    full = "http://www.wikidata.org/entity/"
    terms = [form.format(full + id_ if form == "<{}>" else id_) for id_ in wanted]
    assert set(sparql_ids("SELECT * {" + " ?x ".join(terms) + "}")) == set(wanted)


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    sparql_ids(text)
    cypher_ids(text)
    ids_in_text(text)


def test_a_long_hostile_text_is_read_in_time() -> None:
    for text in ('"' * 10_000, "'''" * 3_000, '"\\' * 5_000, "<" * 10_000, "a." * 5_000 + ":"):
        sparql_ids(text)


def test_ids_in_cypher() -> None:
    query = "MATCH (a:Q5 {id: 'Q42'})-[r:P26|P22]->(b) WHERE b.id = \"Q14\" RETURN a.Q7, T1"
    assert set(cypher_ids(query)) == {"Q5", "Q42", "P26", "P22", "Q14"}
