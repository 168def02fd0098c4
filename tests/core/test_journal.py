"""Journals: written event by event, read back, damage found and located."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robodata_core import journal
from robodata_core.errors import ConfigurationError
from robodata_core.events import Noticed
from tests.core._runs import number, sample_run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal of the sample run."""
    path = tmp_path / "run.jsonl"
    with journal.write(path) as sink:
        for event in sample_run():
            sink(event)
    return path


def test_what_is_written_is_read(path: Path) -> None:
    assert list(journal.read(path)) == sample_run()


def test_every_event_is_on_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with journal.write(path) as sink:
        for count, event in enumerate(sample_run(), 1):
            sink(event)
            assert len(list(journal.read(path))) == count


def test_a_journal_is_plain_ascii_lines(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    text = "\x1b[31m\u2028é\ud800\n"
    with journal.write(path) as sink:
        sink(number(lambda h: Noticed(h, "info", text))[0])
    raw = path.read_bytes()
    assert raw.isascii() and raw.count(b"\n") == 2 and b"\x1b" not in raw
    assert json.loads(raw.splitlines()[0])["version"] == journal.VERSION
    (event,) = journal.read(path)
    assert isinstance(event, Noticed) and event.text == text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_a_cut_last_line_is_left_out_with_a_notice(path: Path, data: st.DataObject) -> None:
    raw = path.read_bytes()
    start = raw.index(b"\n") + 1
    cut = data.draw(st.integers(start, len(raw)))
    notices: list[str] = []
    short = path.with_name("short.jsonl")
    short.write_bytes(raw[:cut])
    events = list(journal.read(short, notice=notices.append))
    whole = raw[start:cut].count(b"\n")
    # Without its line break a line may still be whole.
    assert events in (sample_run()[:whole], sample_run()[: whole + 1])
    at_break = raw[cut - 1 : cut] == b"\n"
    assert bool(notices) == (not at_break and len(events) == whole)


def test_the_notice_goes_to_the_log_by_default(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_bytes(path.read_bytes()[:-10])
    with _propagating(), caplog.at_level(logging.WARNING, "robodata.journal"):
        assert len(list(journal.read(path))) == len(sample_run()) - 1
    assert "cut off" in caplog.text


@contextlib.contextmanager
def _propagating() -> Iterator[None]:
    """Let ``caplog`` see the project's log even after a command line turned that off."""
    logger = logging.getLogger("robodata")
    before, logger.propagate = logger.propagate, True
    try:
        yield
    finally:
        logger.propagate = before


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (b"garbage", "it is not JSON"),
        (b"\xff\xfe", "it is not text in UTF-8"),
        (b"{}", "unknown type"),
        (b'{"type":"Unheard"}', "unknown type 'Unheard'"),
        (b"[" * 100_000, "nested too deeply|it is not JSON"),
        (b"", "it is not JSON"),
    ],
)
def test_damage_is_located(path: Path, damage: bytes, reason: str) -> None:
    lines = path.read_bytes().splitlines()
    lines[4] = damage
    path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(ConfigurationError, match=f"damaged at line 5: .*({reason})"):
        list(journal.read(path))


def test_what_stands_before_the_damage_is_read(path: Path) -> None:
    lines = path.read_bytes().splitlines()
    lines[4] = b"garbage"
    path.write_bytes(b"\n".join(lines) + b"\n")
    events = []
    with pytest.raises(ConfigurationError):
        for event in journal.read(path):
            events.append(event)
    assert events == sample_run()[:3]


def test_a_broken_line_with_its_line_break_is_damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10] + b"\n")
    with pytest.raises(ConfigurationError, match=f"line {len(sample_run()) + 1}"):
        list(journal.read(path))


def test_a_missing_line_and_a_foreign_line_are_damage(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3] + lines[4:]))
    with pytest.raises(ConfigurationError, match="line 4: it is event 4, expected 3"):
        list(journal.read(path))
    path.write_bytes(b"".join(lines[:3]) + lines[3].replace(b"run-1", b"run-2"))
    with pytest.raises(ConfigurationError, match="line 4: it belongs to another run"):
        list(journal.read(path))


@pytest.mark.parametrize("content", [b"", b"\n", b"{}\n", b"[]\n", b"hello\n", b"\xff\n", b'{"for'])
def test_other_files_are_not_journals(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="is not a journal"):
        list(journal.read(path))


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_other_versions_are_refused(path: Path, version: object) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    header = {**json.loads(lines[0]), "version": version}
    path.write_bytes(json.dumps(header).encode() + b"\n" + b"".join(lines[1:]))
    with pytest.raises(ConfigurationError, match="reads version 1"):
        list(journal.read(path))


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        list(journal.read(tmp_path / "missing"))
    with pytest.raises(ConfigurationError, match="cannot be read"):
        list(journal.read(tmp_path))
    with pytest.raises(ConfigurationError, match="cannot be created"):
        journal.write(tmp_path / "no" / "folder")


def test_a_journal_replaces_no_file(path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be created: file exists"):
        journal.write(path)
    assert list(journal.read(path)) == sample_run()


def test_an_event_handed_over_twice_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with journal.write(path) as sink:
        for event in sample_run():
            sink(event)
            sink(event)
    assert list(journal.read(path)) == sample_run()


def test_nothing_is_written_after_closing(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    sink = journal.write(path)
    sink(sample_run()[0])
    sink.close()
    sink(sample_run()[1])
    sink.close()
    assert list(journal.read(path)) == sample_run()[:1]


def test_a_full_disk_ends_the_journal_and_not_the_run(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "run.jsonl"
    sink = journal.write(path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        for event in sample_run():
            sink(event)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    sink.close()
    assert "ends early" in sink.problem
    events = list(journal.read(path, notice=lambda text: None))
    assert events and events == sample_run()[: len(events)] and len(events) < len(sample_run())


def test_a_full_disk_leaves_no_empty_journal(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with journal.write(tmp_path / "run.jsonl") as sink:
            for event in sample_run():
                sink(event)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())
    assert "ends early" in caplog.text
