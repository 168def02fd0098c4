"""Names made of small words alone are names where they are written as such."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .conftest import Ask, Asker, small_graph

_SONGS = """\
You and Me|sung_by|Ada Moss
The One|sung_by|Ben Reed
May|sung_by|Cleo Vine
"""


@pytest.fixture(scope="module")
def ask_songs(asker: Asker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with small_graph(tmp_path_factory, "songs", _SONGS) as source:
        yield asker(source)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the singer that sung You and Me?", ["Ada Moss"]),
        ("By whom was The One sung?", ["Ben Reed"]),
        ("Who is May sung by?", ["Cleo Vine"]),
        ("By whom was the one sung?", []),
        # The learned reading knows no case: what it finds so is told as likely, with its reading.
        ("Who was the song sung by, you and me?", ["Ada Moss"]),
    ],
)
def test_capitals_make_a_name(ask_songs: Ask, question: str, expected: list[str]) -> None:
    answer = ask_songs(question)
    assert [item.label for item in answer.results] == expected, answer.text
