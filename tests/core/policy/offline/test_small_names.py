"""Names made of small words alone are names where they are written as such."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from robodata_core.api import RoboData
from robodata_core.model import Answer

_SONGS = """\
You and Me|sung_by|Ada Moss
The One|sung_by|Ben Reed
May|sung_by|Cleo Vine
"""


@pytest.fixture(scope="module")
def ask_songs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Answer]]:
    from robodata_core.sources._loader import load_files

    folder: Path = tmp_path_factory.mktemp("songs")
    (folder / "kb.txt").write_text(_SONGS, encoding="utf-8")
    load_files([folder / "kb.txt"], folder / "snapshot", name="songs")
    with RoboData.open(source=f"snapshot:{folder / 'snapshot'}") as robodata:
        yield robodata.ask


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the singer that sung You and Me?", ["Ada Moss"]),
        ("By whom was The One sung?", ["Ben Reed"]),
        ("Who is May sung by?", ["Cleo Vine"]),
        ("By whom was the one sung?", []),
        ("Who was the song sung by, you and me?", []),
    ],
)
def test_capitals_make_a_name(
    ask_songs: Callable[[str], Answer], question: str, expected: list[str]
) -> None:
    answer = ask_songs(question)
    assert [item.label for item in answer.results] == expected, answer.text
