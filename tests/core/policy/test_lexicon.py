"""The lexicon of relation names is well-formed, whoever reads it."""

from __future__ import annotations

import re
from importlib import resources

import pytest

DIRECTIONS = {"out", "in", "either"}
ANSWERS = {"person", "place", "time", "number", "thing", ""}
KINDS = {"noun", "verb", "adj", "prep"}
PHRASE = re.compile(r"[a-zåäöéèőø][a-zåäöéèőø0-9 ',.\-]*")
LABEL = re.compile(r"\^?[\w][\w ()',./\-]*~?")
#: What narrows a broader relation: "[sex or gender|gender = female|woman]" behind the last hop.
CONDITION = re.compile(r" \[([^\[\]=]+) = ([^\[\]=!]+)!?\]\Z")


def rows() -> list[list[str]]:
    file = resources.files("robodata_core") / "language" / "lexicon" / "en" / "relations.tsv"
    lines = file.read_text(encoding="utf-8").splitlines()
    table = [line.split("\t") for line in lines if line and not line.startswith("#")]
    assert table[0] == ["phrases", "relations", "direction", "answer", "kind"]
    return table[1:]


def readings() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for row in rows():
        for phrase in row[0].split("|"):
            found.setdefault(phrase, []).append(row)
    return found


def test_every_row_has_five_known_columns() -> None:
    for row in rows():
        assert len(row) == 5, row
        assert row[2] in DIRECTIONS, row
        assert row[3] in ANSWERS, row
        assert row[4] in KINDS, row


def test_phrases_are_plain_lower_case_words_without_repeats() -> None:
    for row in rows():
        phrases = row[0].split("|")
        assert len(phrases) == len(set(phrases)), row[0]
        for phrase in phrases:
            assert PHRASE.fullmatch(phrase), phrase
            assert phrase == " ".join(phrase.split()), phrase


def test_relations_are_labels_in_hops() -> None:
    for row in rows():
        condition = CONDITION.search(row[1])
        for labels_of in condition.groups() if condition else ():
            for label in labels_of.split("|"):
                assert LABEL.fullmatch(label) and label[0] != "^" and label[-1] != "~", row
        for hop in CONDITION.sub("", row[1]).split(" / "):
            labels = hop.split("|")
            assert len(labels) == len(set(labels)), row
            if labels == ["*"]:
                continue
            for label in labels:
                assert LABEL.fullmatch(label), (row[0], label)
                assert label == label.strip()
                assert "_" not in label, "labels in plain words, of no particular data set"


def test_no_row_stands_twice() -> None:
    keys = [tuple(row) for row in rows()]
    assert len(keys) == len(set(keys))


def test_no_ids_of_any_graph() -> None:
    for row in rows():
        assert not re.search(r"\b[PQ]\d+\b|https?:", "\t".join(row)), row


@pytest.mark.parametrize(
    ("phrase", "relation"),
    [
        ("wrote", "author"),
        ("penned", "author"),
        ("by", "author"),
        ("starred in", "cast member"),
        ("twin cities", "twinned administrative body"),
        ("headquartered in", "headquarters location"),
        ("made of", "made from material"),
        ("used for", "has use"),
        ("born", "date of birth"),
        ("born in", "place of birth"),
        ("married", "spouse"),
        ("symptoms", "symptoms"),
        ("plays for", "member of sports team"),
        ("how tall", "height"),
    ],
)
def test_common_phrases_lead_to_their_relation(phrase: str, relation: str) -> None:
    labels = [
        label.lstrip("^")
        for row in readings()[phrase]
        for hop in row[1].split(" / ")
        for label in hop.split("|")
    ]
    assert relation in labels


def test_relatives_are_a_union_and_grandfathers_a_path() -> None:
    (relatives,) = readings()["relatives"]
    assert {"father", "mother", "spouse", "child", "sibling"} <= set(relatives[1].split("|"))
    assert all(len(walk[1].split(" / ")) == 2 for walk in readings()["grandfather"])


def test_it_covers_general_english() -> None:
    labels = {
        label.lstrip("^")
        for row in rows()
        for hop in row[1].split(" / ")
        for label in hop.split("|")
    }
    assert len(rows()) >= 200
    assert len(labels) >= 200


def test_words_of_origin_name_their_places() -> None:
    file = resources.files("robodata_core") / "language" / "lexicon" / "en" / "origins.tsv"
    lines = file.read_text(encoding="utf-8").splitlines()
    table = [line.split("\t") for line in lines if line and not line.startswith("#")]
    assert table[0] == ["words", "of", "sort"]
    places = {}
    for words, labels, sort in table[1:]:
        assert sort in ("", "held")
        for word in words.split("|"):
            assert PHRASE.fullmatch(word), word
            assert word not in places, "one row for a word"
            places[word] = labels.split("|")
    assert places["italian"][0] == "Italy"
    assert places["japanese"] == ["Japan"]
