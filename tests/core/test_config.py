"""Settings: their layers and what is said when one is wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from robodata_core.config import DEFAULT_SOURCE, load_settings
from robodata_core.errors import ConfigurationError, LoadError
from robodata_core.policy.offline.lexicon import read_lexicon
from robodata_core.sources.snapshot.loading import load_files
from robodata_core.trust import trust
from robodata_core.whole_files import file_limit, read_text


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ROBODATA_MAX_TURNS", "ROBODATA_SOURCE", "ROBODATA_POLICY"):
        monkeypatch.delenv(name, raising=False)


def test_defaults() -> None:
    settings = load_settings()
    assert settings.source == (DEFAULT_SOURCE,)
    assert settings.policy == "offline"
    assert settings.max_turns == 30
    assert not settings.metacognition


def test_naming_a_model_means_using_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings(model="m").policy == "llm"
    assert load_settings(base_url="http://127.0.0.1:1/v1").policy == "llm"
    assert load_settings(model="m", policy="offline").policy == "offline"
    (tmp_path / "robodata.yaml").write_text("model: m\n")
    trust(tmp_path / "robodata.yaml")
    assert load_settings().policy == "llm"
    monkeypatch.setenv("ROBODATA_POLICY", "offline")
    assert load_settings().policy == "offline"
    (tmp_path / "robodata.yaml").write_text("policy: offline\nmodel: m\n")
    monkeypatch.delenv("ROBODATA_POLICY")
    assert load_settings().policy == "offline"


def test_layers_override_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "robodata.yaml").write_text("max_turns: 5\nlanguage: de\nconcurrency: 2\n")
    assert load_settings().max_turns == 5
    monkeypatch.setenv("ROBODATA_MAX_TURNS", "7")
    assert load_settings().max_turns == 7
    settings = load_settings(max_turns=9, language=None)
    assert (settings.max_turns, settings.language, settings.concurrency) == (9, "de", 2)


def test_sources_may_be_chained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROBODATA_SOURCE", "snapshot:a, snapshot:b")
    assert load_settings().source == ("snapshot:a", "snapshot:b")
    assert load_settings(source=["snapshot:c"]).source == ("snapshot:c",)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"max_turns": 0}, "max_turns"),
        ({"max_turns": "many"}, "max_turns"),
        ({"policy": "magic"}, "policy"),
        ({"colour": "red"}, "colour: there is no such setting"),
        ({"time_budget": -1}, "time_budget"),
        ({"source": ""}, "source: name at least one source"),
        ({"language": "english please"}, "language"),
    ],
)
def test_a_wrong_value_is_named_in_one_sentence(overrides: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(**overrides)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ["max_turns: [", "- a\n- b\n", "max_turns: {a: b}\n", "\x00"])
def test_a_broken_file_is_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(content)
    with pytest.raises(ConfigurationError):
        load_settings(path)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no settings file"):
        load_settings(tmp_path / "nothing.yaml")


def test_one_setting_limits_every_file_that_is_read_whole(tmp_path: Path) -> None:
    """Its default holds again for who loads settings without it; packed files count unpacked."""
    words = tmp_path / "words.tsv.gz"
    words.write_bytes(gzip.compress(b"#" * 10_000_001))
    assert len(read_text(words)) == 10_000_001
    load_settings(read_bytes=10_000_000)
    try:
        with pytest.raises(ConfigurationError, match=r"larger than 10,000,000 bytes") as caught:
            read_text(words)
        assert "read_bytes" in (caught.value.hint or "")
    finally:
        load_settings()
    assert file_limit() == 100_000_000
    with pytest.raises(ConfigurationError, match="read_bytes"):
        load_settings(read_bytes=1)


def test_every_form_has_a_share_of_that_one_setting(tmp_path: Path) -> None:
    """Files as a whole, and lines of those that are read piece by piece."""
    words, table = tmp_path / "words.tsv", tmp_path / "table.tsv"
    words.write_bytes(b"#" * 2_000_001)
    table.write_bytes(b"a\tb\tc\n" + b"d" * 100_000 + b"\te\tf\n")

    def load(folder: str) -> None:
        load_files([table], tmp_path / folder, name="t")

    assert read_lexicon(words) == ()
    load("before")
    load_settings(read_bytes=10_000_000)
    try:
        with pytest.raises(ConfigurationError, match=r"larger than 2,000,000 bytes"):
            read_lexicon(words)
        with pytest.raises(LoadError, match="too long"):
            load("bounded")
    finally:
        load_settings()
    assert read_lexicon(words) == ()
    load("after")
