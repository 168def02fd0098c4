"""The learned word model: how it is read and written, and what it must keep to."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ConfigurationError
from robodata_core.language.lexicon import WordModel, open_lexicon
from robodata_core.language.lexicon.word_model import MENTION, masked
from robodata_core.language.understanding import open_models


def _words() -> WordModel:
    words = open_models("en").words
    assert words is not None
    return words


def test_what_was_asked_for_is_likeliest() -> None:
    words, lexicon = _words(), open_lexicon("en")
    chances = words.probabilities(masked(("where", "was", "kant", "born"), 2, 3), lexicon)
    best = words.relations[max(range(len(chances)), key=chances.__getitem__)]
    assert (best.label, best.inverse) == ("place of birth", False)


@given(st.lists(st.sampled_from(["where", "was", "born", MENTION, "film", "zzz"]), max_size=8))
def test_chances_add_up(words: list[str]) -> None:
    chances = _words().probabilities(words, open_lexicon("en"))
    assert sum(chances) == pytest.approx(1.0)
    assert min(chances) >= 0.0


def test_a_model_survives_its_file(tmp_path: Path) -> None:
    words, path = _words(), tmp_path / "words.gz"
    words.write(path)
    first = path.read_bytes()
    again = WordModel.read(path)
    again.write(path)
    assert path.read_bytes() == first
    assert again.relations == words.relations


@pytest.mark.parametrize("data", [b"", b"no gzip", b"\x1f\x8b" + b"\0" * 20])
def test_a_broken_file_is_told(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "words.gz"
    path.write_bytes(data)
    with pytest.raises(ConfigurationError, match="word model"):
        WordModel.read(path)
    with pytest.raises(ConfigurationError, match="word model"):
        WordModel.read(tmp_path / "absent.gz")
