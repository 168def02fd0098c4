"""Ids and IRIs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.iris import id_from_iri, iri_of, is_id, is_property_id, predicate_iri


@pytest.mark.parametrize("text", ["Q42", "P36", "http://example.org/a", "urn:robodata:x:e:A%20B"])
def test_well_formed_ids(text: str) -> None:
    assert is_id(text)
    assert id_from_iri(iri_of(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "Q", "Q0", "Q042", "q42", "42", "Q42 ", "Q42\n", "Q٤٢", "Q1234567890123", "a b:c", "x",
     "http://a/<b>", 'http://a/"', "http://a/\n", "http://a/\ud800", "L42", "Q42|P31"],
)  # fmt: skip
def test_malformed_ids(text: str) -> None:
    assert not is_id(text)
    with pytest.raises(ValueError, match="not an id"):
        iri_of(text)


def test_predicates() -> None:
    assert predicate_iri("P36") == "http://www.wikidata.org/prop/direct/P36"
    assert id_from_iri(predicate_iri("P36")) == "P36"
    assert predicate_iri("http://example.org/p") == "http://example.org/p"
    assert is_property_id("P36")
    assert not is_property_id("Q36")
    with pytest.raises(ValueError, match="not a property id"):
        predicate_iri("Q36")


@given(st.text(max_size=60))
def test_any_text_is_judged(text: str) -> None:
    if is_id(text):
        assert id_from_iri(iri_of(text)) == id_from_iri(text)
