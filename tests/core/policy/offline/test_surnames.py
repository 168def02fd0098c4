"""People go by their surnames: what one alone bears means that person; of several, all are told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.model import AnswerStatus
from robodata_core.sources.snapshot import SnapshotSource

from .conftest import Ask, Asker, small_graph

_PEOPLE = """\
Ada Moss|place of birth|Rose Hill
Ada Moss|occupation|gardener
Ben Reed|place of birth|Low Garden
Tom Reed|place of birth|Fern House
Cleo Vine|place of birth|Rose Hill
Cleo Vine|spouse|Ada Moss
"""


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    with small_graph(tmp_path_factory, "people", _PEOPLE) as source:
        yield source


@pytest.fixture(scope="module")
def ask_people(asker: Asker, people: SnapshotSource) -> Ask:
    return asker(people)


@pytest.mark.parametrize(
    ("question", "whole", "expected"),
    [
        ("Where was Moss born?", "Ada Moss", ["Rose Hill"]),
        ("Who is Vine married to?", "Cleo Vine", ["Ada Moss"]),
        ("Is Moss a gardener?", "Ada Moss", []),
    ],
)
def test_a_surname_that_one_bears_means_that_person(
    ask_people: Ask, question: str, whole: str, expected: list[str]
) -> None:
    short = ask_people(question)
    full = ask_people(question.replace(whole.split()[1], whole))
    assert short.status is full.status is AnswerStatus.ANSWERED, short.text
    assert short.results == full.results
    assert short.reading == full.reading
    if expected:
        assert [item.label for item in short.results] == expected
    assert any(whole in note for note in short.notes), "how the name was taken is told"


def test_of_a_surname_that_two_bear_neither_is_taken_in_silence(ask_people: Ask) -> None:
    answer = ask_people("Where was Reed born?")
    told = " ".join((answer.text, *answer.notes, *answer.suggestions))
    assert "Ben Reed" in told and "Tom Reed" in told, told
