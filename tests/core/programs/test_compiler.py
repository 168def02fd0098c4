"""The text of compiled queries: readable, bounded, and closed to what stands in values."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ProgramError
from robodata_core.iris import RDFS
from robodata_core.model import (
    Direction,
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    UrlValue,
)
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.steps import (
    Comparison,
    Count,
    End,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.store.queries import check_read_only
from tests.core.programs.graphs import GraphSource, named, statement

ADAMS = Start("a", (EntityValue("Q42"),))


def _query(*steps: Step) -> str:
    return compile_sparql(Program((*steps, End(steps[-1].out))))  # type: ignore[union-attr]


def test_a_chain_reads_as_a_person_would_write_it() -> None:
    books = Follow("b", "a", ("P50",), Direction.IN)
    novels = FilterByType("c", "b", ("Q8261",))
    assert _query(ADAMS, books, novels, Count("n", "c")).splitlines() == [
        "PREFIX wd: <http://www.wikidata.org/entity/>",
        "PREFIX wdt: <http://www.wikidata.org/prop/direct/>",
        "SELECT (COUNT(DISTINCT ?x) AS ?count) WHERE {",
        "  ?x wdt:P50 wd:Q42 .",
        "  ?x wdt:P31/wdt:P279* wd:Q8261 .",
        "}",
    ]


def test_a_boolean_is_an_ask() -> None:
    contains = Judge("j", "b", JudgeKind.CONTAINS, EntityValue("Q5"))
    assert _query(ADAMS, Follow("b", "a", ("P31",)), contains).splitlines()[2:5] == [
        "ASK {",
        "  VALUES ?x { wd:Q5 }",
        "  wd:Q42 wdt:P31 ?x .",
    ]


def test_a_set_used_by_itself_too_often_is_refused() -> None:
    steps: list[Step] = [ADAMS]
    for number in range(40):
        before = "a" if number == 0 else f"i{number - 1}"
        other = Follow(f"f{number}", before, ("P31",))
        steps += [other, Union(f"i{number}", (before, f"f{number}"))]
        if len(steps) > 60:
            break
    with pytest.raises(ProgramError, match="too many times"):
        _query(*steps)


def test_a_set_named_twice_in_a_row_is_written_once() -> None:
    query = _query(ADAMS, Follow("b", "a", ("P31",)), Intersect("c", ("b", "b")))
    assert query.count("P31") == 1


@pytest.mark.parametrize("amount", ["1e30", "1.1234567890123456789", "-9e20"])
def test_numbers_no_engine_reckons_with_cannot_be_compiled(amount: str) -> None:
    value = QuantityValue(Decimal(amount))
    with pytest.raises(ProgramError, match="too large or too precise"):
        _query(ADAMS, FilterByConstraint("b", "a", "P1082", Comparison.GT, value))


def test_names_are_not_relations() -> None:
    with pytest.raises(ProgramError, match="no relation"):
        _query(ADAMS, Follow("b", "a", (RDFS + "label",)))


# -- hostile values ---------------------------------------------------------------------------

HOSTILE = [
    '"',
    "'",
    '"""',
    "\\",
    '\\"',
    "\\u0022 } INSERT DATA { <a:b> <a:b> <a:b> }",
    "\\\\u0022",
    "\\U00000022",
    '" } ; DROP ALL #',
    "# comment",
    "?x } UNION { ?x ?p ?o",
    "SERVICE <http://127.0.0.1/> { ?s ?p ?o }",
    "\n\r\t\x00\x0b\x1b",
    "{{{{",
    "\u202e\ufeff\U0010ffff",
]
texts = st.sampled_from(HOSTILE) | st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\u{}<>?\n'), max_size=12
)


@given(texts, texts)
def test_a_text_is_found_as_it_is_and_nothing_else(text: str, other: str) -> None:
    facts = [statement("Q1", "P1", StringValue(text)), statement("Q2", "P1", StringValue(other))]
    source = GraphSource(facts)
    expected = {"Q1", "Q2"} if text == other else {"Q1"}
    for steps in (
        (Start("s", (StringValue(text),)), Follow("b", "s", ("P1",), Direction.IN)),
        (FilterByConstraint("b", "", "P1", Comparison.EQ, StringValue(text)),),
    ):
        query = _query(*steps)
        check_read_only(query)
        found = source.sparql(query)
        assert set(named(row[0] for row in found.rows if row[0])) == expected


@given(texts)
def test_an_engine_that_undoes_escapes_first_reads_the_same(text: str) -> None:
    query = _query(FilterByConstraint("b", "", "P1", Comparison.EQ, StringValue(text)))
    line = next(line for line in query.split("\n") if "STR(" in line)
    # Undone before strings are looked for, as the SPARQL recommendation has it (19.2).
    undone = _without_codepoint_escapes(line)
    assert _strings(undone) == _strings(line) == 1


def _without_codepoint_escapes(text: str) -> str:
    made, place = "", 0
    while place < len(text):
        if text[place : place + 2] in ("\\u", "\\U"):
            width = 4 if text[place + 1] == "u" else 8
            made += chr(int(text[place + 2 : place + 2 + width], 16))
            place += 2 + width
        else:
            made += text[place]
            place += 1
    return made


def _strings(text: str) -> int:
    """Count string literals, taking a backslash for what hides the next character."""
    count, place, within = 0, 0, False
    while place < len(text):
        if within and text[place] == "\\":
            place += 1
        elif text[place] == '"':
            count += within
            within = not within
        place += 1
    assert not within
    return count


@given(texts)
def test_texts_with_a_datatype_or_language_stay_terms(text: str) -> None:
    values = (StringValue(text, "http://e/type"), MonolingualTextValue(text, "de-AT"))
    source = GraphSource([statement("Q1", "P1", value) for value in values])
    for value in values:
        query = _query(FilterByConstraint("b", "", "P1", Comparison.EQ, value))
        check_read_only(query)
        assert len(source.sparql(query).rows) == 1


@pytest.mark.parametrize("iri", ["http://e/a'b", "http://e/%22", "urn:x:é", "http://e/(a)?b#c"])
def test_unusual_iris_stay_iris(iri: str) -> None:
    source = GraphSource([statement(iri, "P1", iri)])
    for value in (EntityValue(iri), UrlValue(iri)):
        query = _query(Start("s", (value,)), Follow("b", "s", ("P1",), Direction.IN))
        check_read_only(query)
        assert len(source.sparql(query).rows) == 1


@pytest.mark.parametrize("id_", ["http://e/a b", "http://e/<x>", "a:\\u003e", 'a:"', "a:b}"])
def test_what_is_no_iri_never_reaches_a_query(id_: str) -> None:
    with pytest.raises(ProgramError):
        _query(Start("s", (EntityValue(id_),)))
    with pytest.raises(ProgramError):
        _query(ADAMS, Follow("b", "a", (id_,)))
