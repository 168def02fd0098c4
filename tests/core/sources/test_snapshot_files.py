"""Snapshots that are missing, broken, of another version, or cannot be written to."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import tracemalloc
from pathlib import Path

import pytest

from robodata_core.errors import SnapshotError
from robodata_core.model import Direction
from robodata_core.sources.snapshot import (
    _whole,
    cache_folder,
    embedded_snapshots,
    open_snapshot,
)
from robodata_core.whole_files import file_hash


@pytest.fixture
def small(tiny_folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(tiny_folder, tmp_path / "small")


@pytest.fixture
def big(tiny_store_folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(tiny_store_folder, tmp_path / "big")


def refused(folder: Path | str) -> str:
    with pytest.raises(SnapshotError) as caught:
        open_snapshot(folder)
    assert caught.value.exit_code == 3
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    return caught.value.message


def edit_manifest(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, **changes}))


def cut(path: Path, share: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])


def test_missing_ones_are_named(tmp_path: Path) -> None:
    assert "no snapshot called 'no-such-thing'" in refused("no-such-thing")
    assert "no snapshot at" in refused(tmp_path / "none")
    assert "no snapshot called" in refused("")
    assert "has no manifest.json" in refused(tmp_path)
    assert "\x1b" not in refused("\x1b[31mred")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "[" * 100_000, '{"format": "1"}', '{"format": 1}', "\x00\xff"]
)
def test_a_broken_manifest(small: Path, text: str) -> None:
    (small / "manifest.json").write_text(text)
    assert "is damaged: manifest.json" in refused(small)


def test_another_version(small: Path) -> None:
    edit_manifest(small, format=99)
    assert "has format 99, and this version reads 1" in refused(small)


def test_a_manifest_that_names_other_things(small: Path) -> None:
    edit_manifest(small, name="../../etc")
    assert "incomplete" in refused(small)
    edit_manifest(small, name="x", graph={"form": "parquet", "sha256": ""})
    assert "unknown kind of graph" in refused(small)


@pytest.mark.parametrize("name", ["graph.nq.gz", "index.sqlite"])
def test_missing_files(small: Path, name: str) -> None:
    (small / name).unlink()
    assert f"{name} is missing" in refused(small)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_truncated_graph_is_found_at_once(small: Path, share: float) -> None:
    cut(small / "graph.nq.gz", share)
    assert "graph.nq.gz" in refused(small)


@pytest.mark.parametrize("name", ["graph.nq.gz", "index.sqlite"])
def test_a_flipped_bit_is_found_at_once(small: Path, name: str) -> None:
    path = small / name
    whole = path.read_bytes()
    chance = random.Random(7)
    for _ in range(20):
        data = bytearray(whole)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        assert f"{name} is cut off or was changed" in refused(small)
    path.write_bytes(whole)
    open_snapshot(small).close()


def test_a_flipped_bit_of_a_store_is_found_at_once(big: Path) -> None:
    for path in (big / "oxigraph").glob("*.sst"):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 4
        path.write_bytes(data)
    assert "was changed" in refused(big)


@pytest.fixture
def large(tmp_path: Path, tiny_store_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store that counts as large, where nothing is remembered yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(_whole, "_SMALL", 10_000)
    return shutil.copytree(tiny_store_folder, tmp_path / "large")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that were compared by their content."""
    names: list[str] = []

    def hashing(path: Path) -> str:
        names.append(path.name)
        return file_hash(path)

    monkeypatch.setattr(_whole, "file_hash", hashing)
    return names


def test_a_flipped_bit_of_a_large_file_is_found_at_once(large: Path) -> None:
    open_snapshot(large).close()
    chance = random.Random(3)
    for path in (large / "index.sqlite", *(large / "oxigraph").glob("*.sst")):
        whole, before = path.read_bytes(), path.stat()
        for _ in range(5):
            data = bytearray(whole)
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            path.write_bytes(data)
            # Whatever the time of the change is said to be.
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            assert f"{path.name} is cut off or was changed" in refused(large)
        path.write_bytes(whole)
    open_snapshot(large).close()


def test_large_files_are_compared_once_a_day_and_when_they_change(
    large: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def compared() -> set[str]:
        read.clear()
        with open_snapshot(large) as source:
            assert source.search("Canada")
        return set(read)

    every = compared()
    assert {"index.sqlite", "CURRENT"} < every
    assert compared() == set()
    (large / "index.sqlite").touch()
    assert compared() == {"index.sqlite"}
    monkeypatch.setattr(_whole, "_DAY", 0.0)
    assert compared() == every


@pytest.mark.parametrize("content", ["[]", "{", "\xff", '{"a": "b"}', "[" * 100_000])
def test_what_is_remembered_wrongly_is_compared_again(
    large: Path, read: list[str], content: str
) -> None:
    open_snapshot(large).close()
    (cache_folder() / "compared.json").write_text(content)
    read.clear()
    open_snapshot(large).close()
    assert "index.sqlite" in read


def test_whoever_gives_up_goes_on_where_it_ended(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was compared is remembered, also when the rest could not be."""
    done: list[str] = []

    def hashing(path: Path) -> str:
        if len(done) == 3:
            raise OSError(5, "Input/output error")
        done.append(path.name)
        return file_hash(path)

    monkeypatch.setattr(_whole, "file_hash", hashing)
    assert "cannot be read (Input/output error)" in refused(large)
    first, done[:] = set(done), []
    assert "cannot be read (Input/output error)" in refused(large)
    assert len(first) == 3 and first.isdisjoint(done)


def test_check_sums_that_cannot_be_read_are_said(small: Path) -> None:
    (small / "checksums.txt").write_bytes(b"\xff\xfe")
    assert "checksums.txt cannot be read" in refused(small)


def test_a_changed_graph_is_found_when_it_is_read(small: Path) -> None:
    path = small / "graph.nq.gz"
    changed = gzip.decompress(path.read_bytes()).replace(b"Ottawa", b"Attowa")
    path.write_bytes(gzip.compress(changed))
    assert "graph.nq.gz is cut off or was changed" in refused(small)
    (small / "checksums.txt").unlink()
    with open_snapshot(small) as source:
        assert source.statements("Q16").total
        with pytest.raises(SnapshotError, match="not the file the manifest describes"):
            source.sparql("ASK { ?s ?p ?o }")
        assert source.problems()


@pytest.mark.parametrize("more", [b"\n", b"<urn:a> <urn:b> <urn:c> .\n", b"x"])
def test_a_graph_that_unpacks_to_more_than_it_says_is_not_read_on(small: Path, more: bytes) -> None:
    (small / "checksums.txt").unlink()
    path = small / "graph.nq.gz"
    good = path.read_bytes()
    with path.open("wb") as file:
        file.write(good)
        for _ in range(200):  # of members, as a stream without end has them
            file.write(gzip.compress(more * (4_000_000 // len(more)), 1))
    tracemalloc.start()
    try:
        with (
            open_snapshot(small) as source,
            pytest.raises(SnapshotError, match="not the file the manifest describes"),
        ):
            source.sparql("ASK { ?s ?p ?o }")
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


def test_a_graph_that_says_it_is_too_large_is_not_read(small: Path) -> None:
    manifest = json.loads((small / "manifest.json").read_text())
    manifest["graph"]["bytes"] = 1_000_000_001
    (small / "manifest.json").write_text(json.dumps(manifest))
    with open_snapshot(small) as source, pytest.raises(SnapshotError, match="read_bytes"):
        source.sparql("ASK { ?s ?p ?o }")


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.98])
def test_a_truncated_index_is_said_not_crashed_on(small: Path, share: float) -> None:
    cut(small / "index.sqlite", share)
    assert "index.sqlite is cut off" in refused(small)
    (small / "checksums.txt").unlink()
    with pytest.raises(SnapshotError, match="is damaged") as caught, open_snapshot(small) as source:
        source.search("Canada")
        source.statements("Q16")
        source.search("fuzy wrods")
        source.all_properties()
        raise SnapshotError("is damaged: the cut did not reach what was read")
    assert "\n" not in str(caught.value)


def test_an_index_of_another_graph(small: Path) -> None:
    data = json.loads((small / "manifest.json").read_text())
    edit_manifest(small, graph={**data["graph"], "sha256": "0" * 64})
    assert "belongs to another graph" in refused(small)


@pytest.mark.parametrize("pattern", ["*.sst", "MANIFEST-*", "CURRENT"])
def test_a_damaged_store(big: Path, pattern: str) -> None:
    for path in (big / "oxigraph").glob(pattern):
        cut(path, 0.3)
    assert "is cut off or was changed" in refused(big)
    (big / "checksums.txt").unlink()
    if pattern == "MANIFEST-*":
        return  # The store takes a shorter history for the whole one: only the size tells.
    with (
        pytest.raises(SnapshotError, match="cannot be (opened|read)"),
        open_snapshot(big) as source,
    ):
        source.statements("Q16")


def test_checks_find_every_changed_file(big: Path) -> None:
    with open_snapshot(big) as source:
        assert source.problems() == []
        for path in (next((big / "oxigraph").glob("*.sst")), big / "index.sqlite"):
            with path.open("r+b") as file:  # in place: it is open
                file.seek(-1, os.SEEK_END)
                last = file.read(1)[0]
                file.seek(-1, os.SEEK_END)
                file.write(bytes([last ^ 1]))
        problems = source.problems()
    assert any(".sst was changed" in problem for problem in problems)
    assert any("index.sqlite was changed" in problem for problem in problems)


READER = """
import os, sys
import robodata_core.store.queries
from robodata_core.sources.snapshot import open_snapshot
with open_snapshot(sys.argv[1]) as source:
    source.search("anything"), source.statements("Q1"), source.sparql("ASK {}")
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
assert not os.access(sys.argv[1], os.W_OK)
with open_snapshot(sys.argv[1]) as source:
    assert source.search("canda")[0].id == "Q16"
    assert source.statements("Q16").total == 6
    assert source.sparql("ASK { ?s ?p ?o }").boolean
    assert source.problems() == []
"""


@pytest.mark.parametrize("form", ["tiny_folder", "tiny_store_folder"])
@pytest.mark.skipif(sys.platform != "linux", reason="root becomes another user as Linux does")
def test_a_read_only_installation_works(request: pytest.FixtureRequest, form: str) -> None:
    # Not below pytest's own folders, which are closed to other users.
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o755)
        folder = shutil.copytree(request.getfixturevalue(form), Path(home) / "snapshot")
        everything = [folder, *folder.rglob("*")]
        for path in everything:
            path.chmod(0o555 if path.is_dir() else 0o444)
        done = subprocess.run(
            [sys.executable, "-B", "-c", READER, str(folder)],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert {*folder.rglob("*"), folder} == set(everything)
        for path in everything:
            path.chmod(0o755)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("form", ["small", "big"])
def test_many_readers_at_once(request: pytest.FixtureRequest, form: str) -> None:
    folder: Path = request.getfixturevalue(form)
    failures: list[BaseException] = []

    with open_snapshot(folder) as one, open_snapshot(folder) as other:

        def read() -> None:
            try:
                for source in (one, other):
                    for _ in range(20):
                        assert source.search("douglas adms")[0].id == "Q42"
                        assert source.statements("Q5", direction=Direction.IN).total == 4
                        assert source.entity("Q16").label == "Canada"
                assert one.sparql("ASK { ?s ?p ?o }").boolean
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


def test_the_embedded_sample_opens_by_name() -> None:
    if "wikidata-sample" not in embedded_snapshots():
        pytest.skip("the sample is not built yet")
    with open_snapshot("wikidata-sample") as source:
        assert source.name == "snapshot:wikidata-sample"
        assert source.problems() == []
        assert source.search("Douglas Adams")[0].id == "Q42"
