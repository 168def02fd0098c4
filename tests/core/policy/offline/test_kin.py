"""Words that say more than a graph's relation: "daughters" where it has children and sexes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError
from robodata_core.iris import iri_of, predicate_iri
from robodata_core.model import Answer, EntityValue
from robodata_core.policy.offline.lexicon import read_lexicon
from robodata_core.policy.offline.policy import OfflineResources
from robodata_core.sources.snapshot import SnapshotSource

from .conftest import Ask, Asker, small_graph

_FAMILY = """\
Ada Moss|child|Bea Moss
Ada Moss|child|Cal Moss
Ada Moss|child|Dov Moss
Bea Moss|gender|female
Cal Moss|gender|male
Eve Reed|child|Fay Reed
Eve Reed|child|Gil Reed
Fay Reed|gender|female
Gil Reed|gender|male
Hal Vine|child|Ivo Vine
Ivo Vine|gender|male
Jon Hill|child|Kit Hill
Fay Reed|spouse|Leo Wood
Bea Moss|sibling|Cal Moss
Cal Moss|sibling|Bea Moss
"""
_EXACT = """\
Ida Fox|daughter|Joy Fox
Ida Fox|child|Joy Fox
Ida Fox|child|Ken Fox
"""


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    """Children, some with their sex."""
    with small_graph(tmp_path_factory, "family", _FAMILY) as source:
        yield source


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    """A graph that has daughters beside children."""
    with small_graph(tmp_path_factory, "exact", _EXACT) as source:
        yield source


@pytest.fixture(scope="module")
def ask_family(asker: Asker, family: SnapshotSource) -> Ask:
    return asker(family)


def _labels(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


# -- where the graph states what narrows ----------------------------------------------------------


def test_all_stated_is_answered_with_the_narrowing_cited(
    ask_family: Ask, family: SnapshotSource
) -> None:
    answer = ask_family("Who are the daughters of Eve Reed?")
    eve, female = (family.search(name, limit=1)[0].id for name in ("Eve Reed", "female"))
    ids = {item.label: item.id for item in family.all_properties()}
    child, gender = (predicate_iri(ids[name]) for name in ("child", "gender"))
    gold = family.sparql(
        f"SELECT ?x WHERE {{ <{iri_of(eve)}> <{child}> ?x . ?x <{gender}> <{iri_of(female)}> }}"
    )
    assert {item.value for item in answer.results} == {row[0] for row in gold.rows}
    assert answer.status.value == "answered" and not answer.missing
    assert "female" in answer.claims[0].text and answer.claims[0].supported
    assert len(answer.claims[0].support.evidence) == 2


def test_what_is_not_stated_is_left_out_and_counted(ask_family: Ask) -> None:
    answer = ask_family("Who are the sons of Ada Moss?")
    assert _labels(answer) == {"Cal Moss"}
    assert answer.status.value == "partial"
    assert "only 2 of the 3" in answer.missing[0]
    assert answer.completeness is not None and answer.completeness.reported is None


def test_a_count_of_what_is_partly_stated_is_partial(ask_family: Ask) -> None:
    answer = ask_family("How many daughters does Ada Moss have?")
    assert [item.value for item in answer.results] == [1]
    assert answer.status.value == "partial"
    assert any("larger" in text for text in answer.missing)


@pytest.mark.parametrize(
    ("question", "status", "value"),
    [
        ("Is Fay Reed the daughter of Eve Reed?", "answered", True),
        ("Is Gil Reed the daughter of Eve Reed?", "answered", False),
        ("Is Gil Reed a son of Eve Reed?", "answered", True),
        ("Is Dov Moss a son of Ada Moss?", "unknown", None),
        ("Is Kit Hill a daughter of Jon Hill?", "unknown", None),
        ("Is Bea Moss the sister of Cal Moss?", "answered", True),
        ("Is Bea Moss the brother of Cal Moss?", "answered", False),
    ],
)
def test_yes_and_no_are_of_the_word(
    ask_family: Ask, question: str, status: str, value: bool | None
) -> None:
    answer = ask_family(question)
    assert answer.status.value == status
    assert [item.value for item in answer.results] == ([] if value is None else [value])
    assert all(claim.supported for claim in answer.claims)


def test_none_that_fits_is_said(ask_family: Ask) -> None:
    answer = ask_family("Who are the daughters of Hal Vine?")
    assert answer.status.value == "unknown" and not answer.results
    assert "“daughters”" in answer.missing[0]


def test_the_narrowed_set_leads_on(ask_family: Ask) -> None:
    answer = ask_family("Who is the spouse of the daughter of Eve Reed?")
    assert _labels(answer) == {"Leo Wood"} and answer.status.value == "answered"
    assert ask_family("Who is the spouse of the son of Eve Reed?").status.value == "unknown"


def test_two_words_for_one_set_are_either(ask_family: Ask) -> None:
    answer = ask_family("Who are the sons and daughters of Eve Reed?")
    assert _labels(answer) == {"Fay Reed", "Gil Reed"} and answer.status.value == "answered"


# -- where it does not ----------------------------------------------------------------------------


def test_a_broader_relation_alone_is_partial(ask_family: Ask) -> None:
    answer = ask_family("Who are the daughters of Jon Hill?")
    assert _labels(answer) == {"Kit Hill"} and answer.status.value == "partial"
    assert "“child”" in answer.missing[0] and "“daughters”" in answer.missing[0]


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("daughters", "wdt:P40"),
        ("sons", "wdt:P40"),
        ("sisters", "wdt:P3373"),
        ("brothers", "wdt:P3373"),
        ("wife", "wdt:P26"),
        ("nieces", "wdt:P3373/wdt:P40"),
        ("grandsons", "wdt:P40/wdt:P40"),
    ],
)
@pytest.mark.parametrize("person", ["Q313696", "Q9696"])
def test_kin_of_the_sample_are_never_answered_by_the_broader_relation(
    ask: Ask, sample: SnapshotSource, word: str, path: str, person: str
) -> None:
    steps = path.replace("wdt:", "http://www.wikidata.org/prop/direct/").split("/http")
    iris = "/".join(f"<{'http' * bool(i)}{step}>" for i, step in enumerate(steps))
    gold = sample.sparql(f"SELECT DISTINCT ?x WHERE {{ <{iri_of(person)}> {iris} ?x }}").rows
    expected = {row[0] for row in gold} - {EntityValue(person)}
    name = sample.entities([person])[person].label
    for question in (f"Who are the {word} of {name}?", f"Who are {name}'s {word}?"):
        answer = ask(question)
        if not expected:
            assert answer.status.value != "answered"
            continue
        assert {item.value for item in answer.results} - {EntityValue(person)} == expected
        if word == "wife":  # each of them is somebody's mother, which is cited
            assert answer.status.value == "answered" and not answer.missing
            assert "mother" in answer.program
            continue
        assert answer.status.value == "partial"
        assert f"“{word}”" in answer.missing[0]


def test_yes_and_counts_of_the_sample(ask: Ask) -> None:
    judged = ask("Is John F. Kennedy a daughter of Joseph P. Kennedy, Sr.?")
    assert judged.status.value == "unknown" and "“daughter”" in judged.missing[0]
    counted = ask("How many sons has Joseph P. Kennedy, Sr.?")
    assert counted.status.value == "partial"
    assert any("smaller" in text for text in counted.missing)


# -- what is exact --------------------------------------------------------------------------------


def test_a_relation_labelled_by_the_word_is_exact(asker: Asker, exact: SnapshotSource) -> None:
    ask = asker(exact)
    answer = ask("Who are the daughters of Ida Fox?")
    assert _labels(answer) == {"Joy Fox"} and answer.status.value == "answered"
    assert _labels(ask("Who are the sons of Ida Fox?")) == {"Joy Fox", "Ken Fox"}
    assert ask("Who are the sons of Ida Fox?").status.value == "partial"


def test_the_broader_word_is_answered(ask_family: Ask) -> None:
    answer = ask_family("Who are the children of Ada Moss?")
    assert len(answer.results) == 3 and answer.status.value == "answered"


# -- a lexicon of one's own -----------------------------------------------------------------------

_HEAD = "phrases\trelations\tdirection\tanswer\tkind\n"


def test_a_users_lexicon_can_mark_and_narrow(
    asker: Asker, family: SnapshotSource, tmp_path: Path
) -> None:
    table = tmp_path / "words.tsv"
    table.write_text(
        f"{_HEAD}heiress|heiresses\tchild~ [gender = female]\tout\tperson\tnoun\n"
        "heir|heirs\tchild~\tout\tperson\tnoun\n",
        encoding="utf-8",
    )
    settings = Settings(lexicon=str(table))
    ask = asker(family, OfflineResources.build(family, settings))
    answer = ask("Who are the heiresses of Eve Reed?", lexicon=str(table))
    assert _labels(answer) == {"Fay Reed"} and answer.status.value == "answered"
    answer = ask("Who are the heirs of Eve Reed?", lexicon=str(table))
    assert len(answer.results) == 2 and answer.status.value == "partial"


@pytest.mark.parametrize("cell", ["child~ / child", "child [gender = female]"])
def test_a_mark_that_means_nothing_is_named_with_its_line(tmp_path: Path, cell: str) -> None:
    table = tmp_path / "words.tsv"
    table.write_text(f"{_HEAD}heiress\t{cell}\tout\tperson\tnoun\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"words\.tsv:2"):
        read_lexicon(table)
