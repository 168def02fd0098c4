"""The on-disk store of a large snapshot: built once, noticed when broken, shared, done without."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from robodata_core.sources.snapshot import _parts, cache_folder, open_snapshot

WDT = "http://www.wikidata.org/prop/direct/"
QUERY = f"SELECT ?c WHERE {{ <http://www.wikidata.org/entity/Q16> <{WDT}P36> ?c }}"
ASK = f"""
import sys
from robodata_core.sources.snapshot import _parts, open_snapshot
_parts.LEAST_TRIPLES = 0
with open_snapshot("wikidata-sample") as source:
    print(len(source.sparql({QUERY!r}).rows), source._parts.on_disk is not None)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; even the small snapshot counts as large."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(_parts, "LEAST_TRIPLES", 0)
    return tmp_path / "cache"


def rows() -> int:
    with open_snapshot("wikidata-sample") as source:
        return len(source.sparql(QUERY).rows)


def stores() -> list[Path]:
    return [path for path in cache_folder().iterdir() if path.is_dir()]


def test_it_is_built_once_and_used_again(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "robodata.preparing")
    assert rows() == 1
    (store,) = stores()
    told = "Preparing wikidata-sample for queries, once; this takes some seconds."
    assert caplog.messages[0] == told and len(caplog.messages) == 2
    made = (store / "manifest.json").stat().st_mtime_ns
    assert rows() == 1
    assert (store / "manifest.json").stat().st_mtime_ns == made
    assert len(caplog.messages) == 2


def _without_mark(store: Path) -> None:
    (store / "manifest.json").unlink()


def _cut_off(store: Path) -> None:
    largest = max((store / "oxigraph").iterdir(), key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-7])


def _with_a_flipped_bit(store: Path) -> None:
    largest = max((store / "oxigraph").iterdir(), key=lambda path: path.stat().st_size)
    data = bytearray(largest.read_bytes())
    data[len(data) // 2] ^= 4
    largest.write_bytes(data)


def _without_check_sums(store: Path) -> None:
    (store / "checksums.txt").unlink()


def _without_a_file(store: Path) -> None:
    next(path for path in (store / "oxigraph").iterdir() if path.suffix == ".sst").unlink()


def _of_another_graph(store: Path) -> None:
    about = json.loads((store / "manifest.json").read_text())
    (store / "manifest.json").write_text(json.dumps(about | {"sha256": "0" * 64}))


def _of_another_version(store: Path) -> None:
    about = json.loads((store / "manifest.json").read_text())
    (store / "manifest.json").write_text(json.dumps(about | {"version": 0}))


@pytest.mark.parametrize(
    "harm",
    [
        _without_mark,
        _without_check_sums,
        _cut_off,
        _with_a_flipped_bit,
        _without_a_file,
        _of_another_graph,
        _of_another_version,
    ],
)
def test_what_is_not_whole_is_built_anew(home: Path, harm: Callable[[Path], None]) -> None:
    assert rows() == 1
    (store,) = stores()
    made = (store / "oxigraph" / "IDENTITY").read_text()
    harm(store)
    assert rows() == 1
    (again,) = stores()
    assert (again / "oxigraph" / "IDENTITY").read_text() != made
    assert json.loads((again / "manifest.json").read_text())["sha256"] != "0" * 64
    assert rows() == 1


def test_what_a_killed_process_left_behind_is_removed(home: Path) -> None:
    assert rows() == 1
    (store,) = stores()
    left = store.with_name(f".{store.name}.loading-abc")
    store.rename(left)
    assert rows() == 1
    assert [path.name for path in stores()] == [store.name]


def test_processes_that_open_it_first_at_once_do_not_disturb_each_other(home: Path) -> None:
    environment = os.environ | {"XDG_CACHE_HOME": str(home)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", ASK],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(3)
    ]
    ended = [process.communicate(timeout=120) for process in started]
    assert [out.split() for out, _ in ended] == [["1", "True"]] * 3, [err for _, err in ended]
    assert len(stores()) == 1


def test_where_nothing_can_be_written_the_graph_is_kept_in_memory(home: Path) -> None:
    # A file where the folder should be: nobody can write there, not even root.
    home.mkdir()
    (home / "robodata").write_text("in the way")
    with open_snapshot("wikidata-sample") as source:
        assert len(source.sparql(QUERY).rows) == 1
        assert source._parts.on_disk is None


def test_a_damaged_snapshot_is_not_cached(home: Path, tmp_path: Path) -> None:
    from robodata_core.errors import SnapshotError
    from robodata_core.sources.snapshot import find_snapshot

    copy = tmp_path / "copy"
    shutil.copytree(find_snapshot("wikidata-sample"), copy)
    graph = bytearray((copy / "graph.nq.gz").read_bytes())
    graph[len(graph) // 2] ^= 0xFF
    (copy / "graph.nq.gz").write_bytes(graph)
    (copy / "checksums.txt").unlink()  # with it, opening it says so
    with open_snapshot(copy) as source, pytest.raises(SnapshotError):
        source.sparql(QUERY)
    assert stores() == []
