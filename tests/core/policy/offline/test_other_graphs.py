"""The method is general: a graph with its own relations, without classes, is asked the same way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError
from robodata_core.model import Answer
from robodata_core.policy.offline.policy import OfflineResources
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.snapshot import SnapshotSource

from .conftest import Ask


def _labels(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who planted Rose Hill?", {"Ada Moss"}),
        ("Rose Hill was planted by whom?", {"Ada Moss"}),
        ("What was planted by Ada Moss?", {"Rose Hill", "Fern House"}),
        ("What did Ben Reed plant?", {"Fern House"}),
        ("Which bloom does Low Garden have?", {"Red Star"}),
        ("What are the blooms of [Rose Hill]?", {"Red Star", "Night Bell"}),
        ("What does Fern House lie near?", {"Rose Hill"}),
        ("Who was Ben Reed taught by?", {"Ada Moss"}),
        ("What are the blooms of what was planted by Ben Reed?", {"Night Bell"}),
        pytest.param(
            "Which blooms are in what Cleo Vine planted?",
            {"Red Star"},
            marks=pytest.mark.xfail(reason="the learned reading takes “blooms” for a kind (0.88)"),
        ),
        ("Who planted what has the bloom Night Bell?", {"Ada Moss", "Ben Reed"}),
    ],
)
def test_relations_are_read_from_their_labels(
    ask_gardens: Ask, question: str, expected: set[str]
) -> None:
    answer = ask_gardens(question)
    assert _labels(answer) == expected, answer.text
    assert all(claim.supported for claim in answer.claims)


def test_counting_and_judging(ask_gardens: Ask) -> None:
    assert [r.value for r in ask_gardens("How many blooms does Rose Hill have?").results] == [2]
    yes = ask_gardens("Was Rose Hill planted by Ada Moss?")
    assert [r.value for r in yes.results] == [True]
    no = ask_gardens("Was Rose Hill planted by Ben Reed?")
    assert [r.value for r in no.results] == [False]


def test_a_user_lexicon_adds_words(
    gardens: SnapshotSource,
    asker: Callable[[KnowledgeSource, OfflineResources], Ask],
    ask_gardens: Ask,
    tmp_path: Path,
) -> None:
    question = "Who is the gardener of Rose Hill?"
    assert ask_gardens(question).status.value == "unknown"
    lexicon = tmp_path / "words.tsv"
    lexicon.write_text(
        "phrases\trelations\tdirection\tanswer\tkind\n"
        "gardener|gardeners\tplanted by\tout\tperson\tnoun\n",
        encoding="utf-8",
    )
    resources = OfflineResources.build(gardens, Settings(lexicon=str(lexicon)))
    assert _labels(asker(gardens, resources)(question)) == {"Ada Moss"}


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("phrases\trelations\tdirection\tanswer\tkind\nonly one cell\n", ":2:"),
        ("phrases\trelations\tdirection\tanswer\tkind\na\tb\tsideways\t\tnoun\n", "direction"),
        ("phrases\trelations\tdirection\tanswer\tkind\n|\tb\tout\t\tnoun\n", "missing"),
    ],
)
def test_a_wrong_lexicon_is_named_with_its_line(
    gardens: SnapshotSource, tmp_path: Path, content: str, word: str
) -> None:
    lexicon = tmp_path / "words.tsv"
    lexicon.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=word):
        OfflineResources.build(gardens, Settings(lexicon=str(lexicon)))


def test_a_missing_lexicon_is_said_to_be_missing(gardens: SnapshotSource, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        OfflineResources.build(gardens, Settings(lexicon=str(tmp_path / "none.tsv")))
