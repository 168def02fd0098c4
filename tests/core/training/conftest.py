"""A graph of houses with two kinds of keepers, and questions whose words tell them apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

_HOUSES = 40


def _house(number: int) -> str:
    letters = "abcdefghij"
    return f"Villa {letters[number // 10].upper()}{letters[number % 10]}don"


@pytest.fixture(scope="session")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A snapshot in which "keeper" alone may mean either of two relations."""
    from robodata_core.sources.snapshot.loading import load_files

    folder = tmp_path_factory.mktemp("houses")
    table = folder / "kb.txt"
    lines = []
    for number in range(_HOUSES):
        house = _house(number)
        lines.append(f"{house}|day_keeper|Ada Moss {chr(65 + number % 26)}el")
        lines.append(f"{house}|night_keeper|Ben Reed {chr(65 + number % 26)}or")
    table.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    load_files([table], folder / "snapshot", name="houses")
    return folder / "snapshot"


@pytest.fixture(scope="session")
def keepers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions with answers: what "after dark" means is in the answers alone."""
    path = tmp_path_factory.mktemp("questions") / "keepers.jsonl"
    rows = []
    for number in range(_HOUSES):
        letter = chr(65 + number % 26)
        day = (f"Who is the keeper of {_house(number)}?", f"Ada Moss {letter}el")
        dark = (f"Who is the keeper of {_house(number)} after dark?", f"Ben Reed {letter}or")
        for text, gold in (day, dark):
            rows.append({"id": str(len(rows)), "question": text, "gold": [gold], "kind": "k"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lexicon by which a keeper may be either."""
    path = tmp_path_factory.mktemp("words") / "keepers.tsv"
    path.write_text(
        "phrases\trelations\tdirection\tanswer\tkind\n"
        "keeper|keepers\tday keeper\tout\tperson\tnoun\n"
        "keeper|keepers\tnight keeper\tout\tperson\tnoun\n",
        encoding="utf-8",
    )
    return path
