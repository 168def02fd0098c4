"""A settings file in the working folder counts as far as nobody can be harmed, until trusted."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from robodata_core.cli._main import cli, run
from robodata_core.config import Settings, load_settings
from robodata_core.errors import ConfigurationError
from robodata_core.trust import HARMLESS, is_trusted, read_settings_file, user_settings_path

GREEDY = """\
base_url: http://198.51.100.7/v1
source: [sparql:http://198.51.100.7/q, snapshot:wikidata-sample]
record: /tmp/somewhere/important.txt
max_turns: 7
language: de
"""


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    cloned = tmp_path / "cloned"
    cloned.mkdir()
    monkeypatch.chdir(cloned)
    return cloned


def test_what_names_hosts_or_writes_is_ignored_and_said(
    folders: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folders / "robodata.yaml").write_text(GREEDY)
    settings = load_settings()
    assert (settings.base_url, settings.record) == ("", "")
    assert settings.source == Settings().source
    assert (settings.max_turns, settings.language) == (7, "de")
    (record,) = [r for r in caplog.records if r.name == "robodata.config"]
    told = record.getMessage()
    assert "base_url, record, source" in told and "robodata trust" in told
    assert "198.51.100.7" not in told


def test_trust_is_of_one_file_with_one_content(folders: Path) -> None:
    file = folders / "robodata.yaml"
    file.write_text(GREEDY)
    shown = CliRunner().invoke(cli, ["trust"])
    assert shown.exit_code == 0
    assert "base_url: http://198.51.100.7/v1" in shown.output
    assert load_settings().base_url == "http://198.51.100.7/v1"
    assert stat.S_IMODE(os.stat(user_settings_path().parent).st_mode) == 0o700
    file.write_text(GREEDY + "store: /tmp/elsewhere\n")
    assert load_settings().base_url == ""
    file.write_text(GREEDY)
    assert load_settings().base_url != ""
    assert run(["trust", "--revoke"]) == 0
    assert load_settings().base_url == ""
    other = folders / "other"
    other.mkdir()
    assert run(["trust", str(other)]) == 2


def test_the_users_own_file_flags_and_environment_are_trusted(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = user_settings_path()
    own.parent.mkdir(parents=True)
    own.write_text("base_url: http://127.0.0.1:1/v1\nlanguage: fr\ntui: {theme: nord}\n")
    (folders / "robodata.yaml").write_text(GREEDY + "tui: {ssh: true}\n")
    settings = load_settings()
    assert settings.base_url == "http://127.0.0.1:1/v1"
    assert settings.language == "de", "the folder's file comes after the user's own"
    assert (settings.tui.theme, settings.tui.ssh) == ("nord", True)
    assert load_settings("robodata.yaml").base_url == "http://198.51.100.7/v1"
    monkeypatch.setenv("ROBODATA_BASE_URL", "http://127.0.0.1:2/v1")
    assert load_settings().base_url == "http://127.0.0.1:2/v1"
    assert load_settings(base_url="http://127.0.0.1:3/v1").base_url == "http://127.0.0.1:3/v1"


def test_only_settings_that_can_harm_nobody_count_untrusted(folders: Path) -> None:
    """A setting added later is guarded until somebody has thought about it."""
    free = {name for name, field in Settings.model_fields.items() if field.annotation is str}
    assert free & HARMLESS == {"language"}, "text may name a file or a host"
    assert set(Settings.model_fields) >= HARMLESS
    sending = "policy: llm\nmodel: m\nmodels: {update: n}\ndecompose: true\nsource: wikidata\n"
    (folders / "robodata.yaml").write_text(sending + "scorer: x.npz\nlexicon: x.tsv\n")
    assert load_settings() == Settings(time_budget=60.0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: &a [x, x]\nb: *a\n", "aliases"),
        ("[" * 5_000, "nested too deeply|cannot be read"),
        ("just text", "no mapping"),
        ("max_turns: [", "cannot be read"),
        ("\x00", "cannot be read"),
    ],
)
def test_a_settings_file_that_is_none_is_told_in_a_sentence(
    folders: Path, text: str, told: str
) -> None:
    (folders / "robodata.yaml").write_text(text)
    with pytest.raises(ConfigurationError, match=told):
        load_settings()


def test_an_alias_bomb_takes_no_memory(folders: Path) -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
    for one, before in zip("bcdefghi", "abcdefgh", strict=True):
        bomb += f"{one}: &{one} [{','.join(['*' + before] * 10)}]\n"
    (folders / "robodata.yaml").write_text(bomb)
    code = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_AS, (400_000_000, 400_000_000))\n"
        "from robodata_core.config import load_settings\n"
        "from robodata_core.errors import ConfigurationError\n"
        "try:\n    load_settings()\nexcept ConfigurationError:\n    print('told')\n"
    )
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
        timeout=60,
    )
    assert done.stdout == "told\n", done.stderr
    assert resource.RLIMIT_AS


def test_a_large_settings_file_is_refused(folders: Path) -> None:
    (folders / "robodata.yaml").write_text("# " + "x" * 2_000_000)
    with pytest.raises(ConfigurationError, match="larger than"):
        load_settings()


def test_who_may_be_told_what_is_trusted(folders: Path) -> None:
    file = folders / "robodata.yaml"
    file.write_text("store: x\n")
    assert not is_trusted(file, read_settings_file(file)[1])
    user_settings_path().parent.mkdir(parents=True)
    (user_settings_path().parent / "trusted.json").write_text("[" * 100_000)
    assert not is_trusted(file, read_settings_file(file)[1])


def test_names_and_values_of_a_settings_file_steer_no_terminal(
    folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = r'"\e]0;title\a\e[2J": 1' + "\n" + r'language: "\e[31m"' + "\n"
    (folders / "robodata.yaml").write_text(names)
    assert run(["ask", "\x1b[31mWho?"]) == 2
    assert run(["ask", "--source", "snapshot:\x1b]0;title\x07x", "--language=en", "Who?"]) == 3
    told = capsys.readouterr()
    assert "Nobody has trusted that file" in told.err and "no snapshot called" in told.err
    assert (told.out + told.err).isascii() and (told.out + told.err).replace("\n", "").isprintable()


@pytest.mark.parametrize("value", ["{" * 5_000, "[" * 50_000 + "]" * 50_000])
def test_a_variable_that_is_no_json_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("ROBODATA_MODELS", value)
    with pytest.raises(ConfigurationError, match="A ROBODATA_ variable cannot be read"):
        load_settings()
