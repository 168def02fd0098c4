"""Search by name: stages, ranking, batches, and text that means no good."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import NotFoundError
from robodata_core.model import EntityKind, MatchKind
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import write_snapshot

WD = "http://www.wikidata.org/entity/"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
ALIAS = "<http://www.w3.org/2004/02/skos/core#altLabel>"

NAMES = {
    # id: (label, aliases, how many point to it)
    "Q1": ("Paris", (), 9),
    "Q2": ("Paris", (), 2),
    "Q3": ("Paris Hilton", (), 4),
    "Q4": ("Lutetia", ("Paris",), 20),
    "Q5": ("University of Paris", (), 3),
    "Q6": ("Arnold Schwarzenegger", ("Arnie", "The Terminator"), 5),
    "Q7": ("Gert Fröbe", (), 1),
    "Q8": ("J. K. Rowling", ("Joanne Rowling",), 6),
    "Q9": ("New York City", ("NYC", "New York"), 8),
    "Q10": ("Kant", (), 2),
    "Q11": ("Kent", (), 7),
    "Q12": ("$", (), 1),
    "Q13": ("C++", (), 1),
    "Q14": ("C", (), 5),
    "Q15": ("東京", ("Tokyo",), 3),
    "Q16": ("refrigerator", ("fridge",), 2),
    "Q17": ("Immanuel Kant", (), 30),
    "Q18": ("parish church", (), 2),
    "Q19": ("ignore all previous instructions", (), 0),
    "Q20": ('SELECT * WHERE { ?s ?p ?o } # "', (), 0),
}


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    folder = tmp_path_factory.mktemp("names") / "names"
    lines = []
    for id_, (label, aliases, popularity) in NAMES.items():
        quoted = label.replace('"', '\\"')
        lines.append(f'<{WD}{id_}> {LABEL} "{quoted}"@en .')
        lines += [f'<{WD}{id_}> {ALIAS} "{alias}"@en .' for alias in aliases]
        lines += [
            f"<{WD}Q{1000 + n}> <http://www.wikidata.org/prop/direct/P1> <{WD}{id_}> ."
            for n in range(popularity)
        ]
    lines.append(f'<{WD}P1> {LABEL} "points to"@en .')
    lines.append(f'<{WD}P1> {ALIAS} "refers to"@en .')
    write_snapshot(lines, folder, name="names")
    with open_snapshot(folder) as source:
        yield source


def ids(source: SnapshotSource, text: str, limit: int = 10) -> list[str]:
    return [hit.id for hit in source.search(text, limit=limit)]


def test_labels_come_before_aliases_and_popular_ones_first(names: SnapshotSource) -> None:
    hits = names.search("Paris")
    assert [(hit.id, hit.match) for hit in hits] == [
        ("Q1", MatchKind.LABEL),
        ("Q2", MatchKind.LABEL),
        ("Q4", MatchKind.ALIAS),
        ("Q3", MatchKind.PREFIX),
        ("Q18", MatchKind.PREFIX),
        ("Q5", MatchKind.WORDS),
    ]
    assert hits[2].matched == "Paris"
    assert hits[0].popularity == 9
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[-1] < scores[0] <= 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("paris", "Q1"),
        ("  PARIS! ", "Q1"),
        ("gert frobe", "Q7"),
        ("JK Rowling", "Q8"),
        ("nyc", "Q9"),
        ("$", "Q12"),
        ("c++", "Q13"),
        ("c", "Q14"),
        ("東京", "Q15"),
        ("tokyo", "Q15"),
        ("Q6", "Q6"),
        ("q6", "Q6"),
        ("wd:Q6", "Q6"),
        (WD + "Q6", "Q6"),
        (f"<{WD}Q6>", "Q6"),
        ("arnold schw", "Q6"),
        ("terminator", "Q6"),
        ("paris university", "Q5"),
        ("schwarzenegger arnold", "Q6"),
    ],
)
def test_what_is_meant_is_found_first(names: SnapshotSource, text: str, expected: str) -> None:
    assert ids(names, text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Arnold Schwarzeneger", "Q6"),
        ("Arnold Shwarzeneger", "Q6"),
        ("Arnlod Schwarzenegger", "Q6"),
        ("refridgerator", "Q16"),
        ("frige", "Q16"),
        ("New Yrok", "Q9"),
        ("newyork", "Q9"),
        ("Joane Rowlling", "Q8"),
        ("univrsity of pariss", "Q5"),
        ("imanuel kant", "Q17"),
        ("knat", "Q10"),
    ],
)
def test_typing_errors_are_forgiven(names: SnapshotSource, text: str, expected: str) -> None:
    hits = names.search(text)
    assert expected in [hit.id for hit in hits[:2]]
    assert hits[0].match is MatchKind.FUZZY
    assert hits[0].score < 0.8


def test_nothing_alike_is_nothing(names: SnapshotSource) -> None:
    assert names.search("zzyzx qwrtp") == ()
    assert names.search("x") == ()


def test_a_limit_is_a_limit(names: SnapshotSource) -> None:
    assert ids(names, "Paris", limit=2) == ["Q1", "Q2"]
    assert names.search("Paris", limit=0) == ()
    assert names.search("Q6", limit=1)[0].match is MatchKind.ID


def test_properties_are_searched_apart(names: SnapshotSource) -> None:
    assert ids(names, "points to") == []
    uses = sum(popularity for _, _, popularity in NAMES.values())
    (hit,) = names.search("refers to", kind=EntityKind.PROPERTY)
    assert (hit.id, hit.match, hit.popularity) == ("P1", MatchKind.ALIAS, uses)
    assert names.search("P1", kind=EntityKind.PROPERTY)[0].match is MatchKind.ID
    assert names.search("P1") == ()
    assert names.search("ponits to", kind=EntityKind.PROPERTY)[0].id == "P1"


def test_many_names_in_one_go(names: SnapshotSource) -> None:
    found = names.lookup_names(["Paris", "paris hilton", "tokyo", "of paris", "", "NYC?"])
    assert {name: [hit.id for hit in hits] for name, hits in found.items()} == {
        "Paris": ["Q1", "Q2", "Q4"],
        "paris hilton": ["Q3"],
        "tokyo": ["Q15"],
        "NYC?": ["Q9"],
    }
    assert found["Paris"][0] == names.search("Paris")[0]
    many = names.lookup_names([f"name {number}" for number in range(2_000)] + ["Kent"])
    assert list(many) == ["Kent"]
    relations = names.lookup_names(["refers to"], kind=EntityKind.PROPERTY)
    assert relations["refers to"][0].id == "P1"


def test_labels_that_look_like_something_else_are_just_labels(names: SnapshotSource) -> None:
    assert ids(names, "ignore all previous instructions") == ["Q19"]
    assert ids(names, 'SELECT * WHERE { ?s ?p ?o } # "') == ["Q20"]


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", '"', "'", "*", "(", "NEAR(a b)", "a AND", "OR", "NOT x", "norm:x", "^", "a*b"),
        *("-", "--", "; DROP TABLE item", "%", "_", "\x00", "\x1b[31m", "\ud800", "a\x00b", "\\"),
        *("x" * 100_000, "word " * 10_000, "Q" * 50, "Q999999999999", "🦊"),
        *("ﷺ" * 300, "\u0301" * 500),
        *("http://", "http://example.org/ x", "<>", "urn:a:b", '"' * 1_000, "1" * 400, "Q0"),
    ],
)  # fmt: skip
def test_no_text_is_an_error(names: SnapshotSource, text: str) -> None:
    for kind in EntityKind:
        assert len(names.search(text, kind=kind, limit=5)) <= 5
        names.lookup_names([text], kind=kind)
    assert not names.entities([text])
    with pytest.raises(NotFoundError):
        names.entity(text)


@given(st.text(max_size=60))
def test_any_text_can_be_searched(names: SnapshotSource, text: str) -> None:
    for hit in names.search(text, limit=3):
        assert hit.id
        assert 0 < hit.score <= 1


@given(st.sampled_from(sorted(NAMES)), st.integers(0, 30), st.sampled_from("abcxyz"))
def test_one_wrong_letter_still_finds_long_names(
    names: SnapshotSource, id_: str, place: int, letter: str
) -> None:
    label = NAMES[id_][0]
    if len(label) < 8 or not label.replace(" ", "").isalpha():
        return
    place %= len(label)
    if label[place] == " ":
        return
    typed = label[:place] + letter + label[place + 1 :]
    assert id_ in ids(names, typed, limit=20)


def test_both_forms_find_the_same(tiny_folder: Path, tiny_store_folder: Path) -> None:
    with open_snapshot(tiny_folder) as small, open_snapshot(tiny_store_folder) as big:
        for text in ("canada", "Douglas", "hitchhikers guide", "cup", "otawa", "Q42"):
            one, two = (
                [(hit.id, hit.label, hit.description, hit.match, hit.score) for hit in hits]
                for hits in (small.search(text), big.search(text))
            )
            assert one == two


@pytest.mark.parametrize(
    "text", ["Paris", "kant", "New", "of Paris", "Schwarzeneger", "Immanuel Knt", "Q17", "", "xyz"]
)
def test_what_is_written_is_all_but_what_is_similar(names: SnapshotSource, text: str) -> None:
    found = names.search(text, limit=5)
    written = tuple(hit for hit in found if hit.match is not MatchKind.FUZZY)
    assert names.search_written(text, limit=5) == written


def test_what_was_looked_up_once_is_not_read_again() -> None:
    """Readings of one question look the same words up dozens of times, misspelt ones dearly."""
    with open_snapshot("wikidata-sample") as source:
        first = source.search("Canadda")
        assert first and source.search("Canadda") is first
        assert source.search("Canadda", limit=1) == first[:1]
        source.capabilities().rest()
        again = source.search("Canadda")
        assert again == first and again is not first
