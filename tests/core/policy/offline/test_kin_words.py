"""Words for kin that are put together from other relations: sides of a family, steps, in-laws."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources

import pytest

from robodata_core.model import Answer
from robodata_core.policy.offline.lexicon import standard_lexicon
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot

from .conftest import Ask, Asker, small_graph

_HOUSE = """\
Ida Berg|father|Olaf Berg
Ida Berg|mother|Tora Vang
Olaf Berg|father|Nils Berg
Olaf Berg|mother|Siri Moe
Tora Vang|father|Arne Vang
Tora Vang|mother|Liv Holm
Tora Vang|sibling|Per Vang
Olaf Berg|sibling|Kari Berg
Per Vang|gender|male
Kari Berg|gender|female
Olaf Berg|spouse|Tora Vang
Olaf Berg|spouse|Gerd Lie
Gerd Lie|mother|Anna Lie
Leif Berg|father|Olaf Berg
Leif Berg|mother|Gerd Lie
Ida Berg|sibling|Rolf Berg
Rolf Berg|father|Olaf Berg
Rolf Berg|mother|Tora Vang
Leif Berg|gender|male
Rolf Berg|gender|male
Vera Berg|father|Olaf Berg
Olaf Berg|child|Ida Berg
Olaf Berg|child|Leif Berg
Olaf Berg|child|Rolf Berg
Olaf Berg|child|Vera Berg
Tora Vang|child|Ida Berg
Tora Vang|child|Rolf Berg
Gerd Lie|child|Leif Berg
Ida Berg|spouse|Jon Dahl
Jon Dahl|sibling|Odd Dahl
Odd Dahl|gender|male
Jon Dahl|sibling|Else Dahl
Else Dahl|gender|female
Else Dahl|spouse|Knut Ask
Knut Ask|gender|male
Jon Dahl|spouse|Ida Berg
Ida Berg|residence|Vik
Knut Ask|spouse|Else Dahl
Tom Ask|father|Knut Ask
Sven Ask|father|Knut Ask
"""
_PARENTS = """\
Mia Rud|parent|Eva Rud
Mia Rud|parent|Jan Rud
Eva Rud|gender|female
Jan Rud|gender|male
Eva Rud|parent|Gro Dal
Eva Rud|parent|Ole Dal
Jan Rud|parent|Ali Rud
Jan Rud|parent|Una Rud
Gro Dal|gender|female
Ole Dal|gender|male
Ali Rud|gender|male
Una Rud|gender|female
"""
_OWN = """\
Ida Fox|stepmother|Joy Fox
Ida Fox|maternal_grandfather|Max Ray
Ida Fox|mother|Kim Ray
Ida Fox|father|Ken Fox
Ken Fox|spouse|Lea Fox
Kim Ray|father|Sam Ray
"""
_BARE = """\
Ida Elm|parent|Ada Elm
Ada Elm|parent|Bo Elm
"""

_INVERSE = """\
Geir Lie|child|Ola Lie
Maja Lie|child|Ola Lie
Eva Lie|father|Geir Lie
Eva Lie|mother|Maja Lie
Kim Mo|child|Ulf Mo
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    with small_graph(tmp_path_factory, "house", _HOUSE) as source:
        yield source


@pytest.fixture(scope="module")
def ask_house(asker: Asker, house: SnapshotSource) -> Ask:
    return asker(house)


@pytest.fixture(scope="module")
def ask_parents(asker: Asker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with small_graph(tmp_path_factory, "parents", _PARENTS) as source:
        yield asker(source)


@pytest.fixture(scope="module")
def ask_own(asker: Asker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with small_graph(tmp_path_factory, "own", _OWN) as source:
        yield asker(source)


@pytest.fixture(scope="module")
def ask_bare(asker: Asker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with small_graph(tmp_path_factory, "bare", _BARE) as source:
        yield asker(source)


@pytest.fixture(scope="module")
def ask_inverse(asker: Asker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with small_graph(tmp_path_factory, "inverse", _INVERSE) as source:
        yield asker(source)


def _labels(answer: Answer) -> set[str]:
    return {item.label or str(item.value) for item in answer.results}


_SIDES = [
    ("Who is the maternal grandfather of Ida Berg?", {"Arne Vang"}),
    ("Ida Berg's maternal grandfather?", {"Arne Vang"}),
    ("Who is Ida Berg's paternal grandfather?", {"Nils Berg"}),
    ("Who are the maternal grandparents of Ida Berg?", {"Arne Vang", "Liv Holm"}),
    ("Who is the maternal uncle of Ida Berg?", {"Per Vang"}),
    ("Who is the paternal aunt of Ida Berg?", {"Kari Berg"}),
    ("Who is the grandfather of Ida Berg?", {"Nils Berg", "Arne Vang"}),
]


@pytest.mark.parametrize(("question", "expected"), _SIDES)
def test_sides_of_a_family(ask_house: Ask, question: str, expected: set[str]) -> None:
    answer = ask_house(question)
    assert _labels(answer) == expected and answer.status.value == "answered"
    assert all(claim.supported for claim in answer.claims)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the stepmother of Ida Berg?", {"Gerd Lie"}),
        ("Who is Leif Berg's stepmother?", {"Tora Vang"}),
        ("Who is the mother of Ida Berg's stepmother?", {"Anna Lie"}),
        ("Who is the half-brother of Ida Berg?", {"Leif Berg"}),
        ("Who are the half-siblings of Leif Berg?", {"Ida Berg", "Rolf Berg"}),
        ("Who is the brother-in-law of Ida Berg?", {"Odd Dahl"}),
        ("Who is the brother-in-law of Jon Dahl?", {"Rolf Berg", "Knut Ask"}),
    ],
)
def test_steps_halves_and_in_laws(ask_house: Ask, question: str, expected: set[str]) -> None:
    answer = ask_house(question)
    assert _labels(answer) == expected
    assert all(claim.supported for claim in answer.claims)


def test_both_ways_of_a_word_are_counted_and_said(ask_house: Ask, house: SnapshotSource) -> None:
    counted = ask_house("How many brothers-in-law does Jon Dahl have?")
    assert [item.value for item in counted.results] == [2]
    answer = ask_house("Who is the brother-in-law of Jon Dahl?")
    assert "sibling" in answer.program and "spouse" in answer.program
    rows = house.sparql(answer.sparql).rows
    assert {row[0] for row in rows} == {item.value for item in answer.results}


def test_who_differs_is_only_told_where_it_is_stated(ask_house: Ask) -> None:
    # Vera's mother is not stated, so nobody can tell whether she is a half-sister.
    answer = ask_house("Who are the half-siblings of Ida Berg?")
    assert _labels(answer) == {"Leif Berg"} and answer.status.value == "partial"
    # Sven's mother is not stated either, so his father's wife may be his mother.
    assert ask_house("Who is the stepmother of Sven Ask?").status.value == "unknown"
    assert ask_house("Who are the half-brothers of Sven Ask?").status.value == "unknown"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the maternal grandfather of Mia Rud?", {"Ole Dal"}),
        ("Who is the paternal grandmother of Mia Rud?", {"Una Rud"}),
        ("Who is Mia Rud's maternal grandmother?", {"Gro Dal"}),
    ],
)
def test_parts_are_narrowed_one_by_one(ask_parents: Ask, question: str, expected: set[str]) -> None:
    answer = ask_parents(question)
    assert _labels(answer) == expected and answer.status.value == "answered"


def test_a_relation_of_that_name_wins(ask_own: Ask) -> None:
    assert _labels(ask_own("Who is the stepmother of Ida Fox?")) == {"Joy Fox"}
    assert _labels(ask_own("Who is the maternal grandfather of Ida Fox?")) == {"Max Ray"}


@pytest.mark.parametrize(
    "question",
    [
        "Who is the stepmother of Ida Elm?",
        "Who is the brother-in-law of Ida Elm?",
        "Who is the half-sister of Ida Elm?",
    ],
)
def test_without_the_parts_nothing_is_said(ask_bare: Ask, question: str) -> None:
    answer = ask_bare(question)
    assert answer.status.value == "unknown" and not answer.results


def test_a_parent_is_found_by_the_child_where_it_is_shown_which(ask_inverse: Ask) -> None:
    assert _labels(ask_inverse("Who is the father of Ola Lie?")) == {"Geir Lie"}
    assert _labels(ask_inverse("Who is the mother of Ola Lie?")) == {"Maja Lie"}
    assert ask_inverse("Who is the father of Ulf Mo?").status.value == "unknown"


# -- what shows who is meant ----------------------------------------------------------------------


def test_who_is_a_mother_is_a_wife(ask_house: Ask) -> None:
    answer = ask_house("Who is the wife of Olaf Berg?")
    assert _labels(answer) == {"Tora Vang", "Gerd Lie"} and answer.status.value == "answered"
    assert any("mother" in claim.text for claim in answer.claims)
    assert ask_house("Who is the husband of Olaf Berg?").status.value == "unknown"


def test_the_only_one_is_meant_on_the_way_but_not_in_the_end(ask_house: Ask) -> None:
    onwards = ask_house("Where does the wife of Jon Dahl live?")
    assert _labels(onwards) == {"Vik"} and onwards.status.value == "answered"
    assert any("“wife”" in note for note in onwards.notes)
    assert ask_house("Who is the wife of Jon Dahl?").status.value == "partial"


# -- what stands beside a name --------------------------------------------------------------------


def test_what_stands_beside_a_name_says_who_is_meant(
    asker: Asker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from robodata_core.sources.snapshot.loading import load_files

    folder = tmp_path_factory.mktemp("names")
    (folder / "g.nt").write_text(
        "\n".join(
            f"<http://n.example/{s}> <{p}> {o} ."
            for s, p, o in (
                *((i, "http://www.w3.org/2000/01/rdf-schema#label", f'"{n}"@en') for i, n in (
                    ("k1", "Kai Ash"), ("k2", "Kai Ash"), ("a", "Lou Ash"), ("b", "Una Rud"),
                    ("v", "Vik"), ("l", "Lund"), ("father", "father"), ("birth", "place of birth"),
                )),
                ("father", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
                 "<http://www.w3.org/1999/02/22-rdf-syntax-ns#Property>"),
                ("birth", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
                 "<http://www.w3.org/1999/02/22-rdf-syntax-ns#Property>"),
                ("k1", "http://n.example/father", "<http://n.example/a>"),
                ("k2", "http://n.example/father", "<http://n.example/b>"),
                ("k1", "http://n.example/birth", "<http://n.example/v>"),
                ("k2", "http://n.example/birth", "<http://n.example/l>"),
            )
        )
        + "\n",
        encoding="utf-8",
    )  # fmt: skip
    load_files([folder / "g.nt"], folder / "snapshot", name="names")
    with open_snapshot(folder / "snapshot") as source:
        ask = asker(source)
        for question, expected in (
            ("Where was Kai Ash, the child of Lou Ash, born?", {"Vik"}),
            ("Where was Kai Ash born, the child of Una Rud?", {"Lund"}),
            ("Where was Kai Ash, Una Rud's child, born?", {"Lund"}),
            ("Where was Kai Ash, the child of Vik, born?", set()),
        ):
            assert _labels(ask(question)) == expected, question


# -- the table ------------------------------------------------------------------------------------


def test_every_row_of_the_table_is_read() -> None:
    text = (resources.files("robodata_core.language") / "lexicon" / "en" / "kin.tsv").read_text(
        "utf-8"
    )
    lines = [line.split("\t") for line in text.splitlines() if line and line[0] != "#"][1:]
    read = {phrase for row in standard_lexicon() for phrase in row.phrases}
    for words, walks, without, having in lines:
        assert set(words.split("|")) <= read
        assert all(cell.count(" + ") in (0, walks.count(" + ")) for cell in (without, having))
        assert not any(char.isdigit() for char in words + walks), "no ids of any graph"
