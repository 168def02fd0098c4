"""The local graph in a folder: killed, opened twice, full, read-only, damaged, or not a store."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import pyoxigraph as ox
import pytest

from robodata_core.errors import (
    QueryRefusedError,
    QuerySyntaxError,
    StoreBusyError,
    StoreError,
    StoreFullError,
)
from robodata_core.model import EntityValue, Statement, StringValue
from robodata_core.store.graph import Fetch, LocalGraph

FETCH = Fetch("r1", "k1", "fetch_node", datetime(2026, 1, 2, tzinfo=timezone.utc))

WRITER = """
import sys
from datetime import datetime, timezone
from robodata_core.model import EntityValue, Statement
from robodata_core.store.graph import Fetch, LocalGraph

with LocalGraph.open(sys.argv[1]) as graph:
    number = graph.edge_count // 20
    while True:
        fetch = Fetch("r1", f"k{number}", "t", datetime(2026, 1, 2, tzinfo=timezone.utc))
        facts = [Statement(f"Q{number + 1}", "P1", EntityValue(f"Q{n + 1}")) for n in range(20)]
        graph.add(facts, fetch)
        number += 1
        print(graph.edge_count, flush=True)
"""


def facts(number: int, size: int = 50) -> list[Statement]:
    return [
        Statement(f"Q{number * 1_000 + n + 1}", "P1", StringValue(f"{number} {n} " * 40))
        for n in range(size)
    ]


def test_nothing_reported_as_stored_is_lost_when_killed(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    for after in (1, 3, 7, 12):
        child = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE)
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(after)]
        child.send_signal(signal.SIGKILL)
        lines += child.stdout.readlines()
        child.stdout.close()
        assert child.wait() == -signal.SIGKILL
        reported = max(int(line) for line in lines if line.endswith(b"\n"))
        with LocalGraph.open(path) as graph:
            evidence, total = graph.match(limit=100_000)
            assert total >= reported
            assert total % 20 == 0, "half a call was stored"
            assert [item.handle for item in evidence] == [f"T{n + 1}" for n in range(total)]
            assert all(item.provenance and graph.contains(item.triple) for item in evidence[-40:])


def test_a_second_opening_says_so_at_once(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    opening = (
        "import sys\n"
        "from robodata_core.errors import StoreBusyError\n"
        "from robodata_core.store.graph import LocalGraph\n"
        "try:\n"
        "    LocalGraph.open(sys.argv[1])\n"
        "except StoreBusyError as error:\n"
        "    print(error)\n"
    )
    with LocalGraph.open(path) as graph:
        graph.add(facts(1), FETCH)
        with pytest.raises(StoreBusyError, match="open elsewhere"):
            LocalGraph.open(path)
        other = subprocess.run(
            [sys.executable, "-c", opening, path], capture_output=True, text=True, check=True
        )
        assert "open elsewhere" in other.stdout
        assert graph.edge_count == 50
        graph.add(facts(2), FETCH)
    with LocalGraph.open(path) as graph:
        assert graph.edge_count == 100


@contextlib.contextmanager
def mounted(path: Path, options: str) -> Iterator[Path]:
    path.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)]
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only the superuser may mount a small file system")
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    try:
        yield path
    finally:
        # Not lazily: a file system that is still in use would stay behind without a name.
        end = time.monotonic() + 30
        while subprocess.run(["umount", str(path)], capture_output=True).returncode:
            if time.monotonic() > end:
                subprocess.run(["umount", "-l", str(path)], capture_output=True)
                pytest.fail("the file system is still in use")
            time.sleep(0.1)


def test_a_full_disk_keeps_what_was_stored(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "size=4m") as small:
        path = small / "graph"
        stored = 0
        with LocalGraph.open(path) as graph:
            with pytest.raises(StoreFullError, match="no space left"):
                for number in range(1_000):
                    graph.add(facts(number), FETCH)
                    stored += 50
            assert stored > 0
            assert graph.match(limit=0)[1] in (stored, stored + 50)
            assert all(graph.contains(fact.triple) for fact in facts(stored // 50 - 1))
            with pytest.raises(StoreFullError):
                graph.add(facts(2_000), FETCH)
        subprocess.run(["mount", "-o", "remount,size=64m", str(small)], check=True)
        with LocalGraph.open(path) as graph:
            assert graph.edge_count in (stored, stored + 50)
            graph.add(facts(3_000), FETCH)
            assert all(graph.contains(fact.triple) for fact in (*facts(0), *facts(3_000)))


def test_a_read_only_folder_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        folder = tmp_path / "mine"
        folder.mkdir(mode=0o500)
        with pytest.raises(StoreError, match="permission denied"):
            LocalGraph.open(folder / "graph")
        return
    with (
        mounted(tmp_path / "mine", "ro,size=1m") as folder,
        pytest.raises(StoreError, match="permission denied"),
    ):
        LocalGraph.open(folder / "graph")


def test_a_store_that_became_read_only_is_refused(tmp_path: Path) -> None:
    with mounted(tmp_path / "mine", "size=16m") as folder:
        with LocalGraph.open(folder / "graph") as graph:
            graph.add(facts(1), FETCH)
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        with pytest.raises(StoreError, match="cannot be written"):
            LocalGraph.open(folder / "graph")


def test_a_file_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("hello")
    with pytest.raises(StoreError, match="is a file"):
        LocalGraph.open(path)
    with pytest.raises(StoreError):
        LocalGraph.open(path / "below")
    assert path.read_text() == "hello"


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("hello")
    with pytest.raises(StoreError, match="other files"):
        LocalGraph.open(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_another_oxigraph_store_is_not_taken_over(tmp_path: Path) -> None:
    store = ox.Store(str(tmp_path / "other"))
    store.add(ox.Quad(ox.NamedNode("urn:s"), ox.NamedNode("urn:p"), ox.NamedNode("urn:o")))
    store.flush()
    del store
    with pytest.raises(StoreError, match="no local graph"):
        LocalGraph.open(tmp_path / "other")


def test_a_store_of_another_format_is_refused(tmp_path: Path) -> None:
    with LocalGraph.open(tmp_path / "graph"):
        pass
    store = ox.Store(str(tmp_path / "graph"))
    store.update(
        "DELETE { ?s ?p ?o } INSERT { ?s ?p '99' } "
        "WHERE { ?s ?p ?o FILTER(?p = <urn:robodata:term:format>) }"
    )
    store.flush()
    del store
    with pytest.raises(StoreError, match="format 99"):
        LocalGraph.open(tmp_path / "graph")


@pytest.mark.parametrize("harm", ["cut", "overwrite", "remove"])
@pytest.mark.parametrize("what", ["*.sst", "MANIFEST*", "CURRENT"])
def test_a_damaged_store_is_reported(tmp_path: Path, what: str, harm: str) -> None:
    path = tmp_path / "graph"
    with LocalGraph.open(path) as graph:
        graph.add(facts(1), FETCH)
    for file in path.glob(what):
        if harm == "remove":
            file.unlink()
        elif harm == "cut":
            os.truncate(file, file.stat().st_size // 2)
        else:
            file.write_bytes(b"\xff garbage" * (file.stat().st_size // 9 + 1))
    with pytest.raises(StoreError, match="is damaged"):
        LocalGraph.open(path)


def test_rdf_that_is_no_local_graph_any_more_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    with LocalGraph.open(path) as graph:
        graph.add([Statement("Q1", "P1", EntityValue("Q2"))], FETCH)
    store = ox.Store(str(path))
    store.update(
        "DELETE { GRAPH ?g { ?s ?p ?o } } "
        "WHERE { GRAPH ?g { ?s ?p ?o } "
        "FILTER(?p = <http://www.w3.org/1999/02/22-rdf-syntax-ns#subject>) }"
    )
    store.flush()
    del store
    with pytest.raises(StoreError, match="damaged"):
        LocalGraph.open(path)


def test_a_kept_exception_does_not_keep_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    with LocalGraph.open(path) as graph:
        graph.add(facts(1), FETCH)
        kept = [
            pytest.raises(StoreError, graph.add, [Statement("x", "y", StringValue(""))], FETCH),
            pytest.raises(QuerySyntaxError, graph.query, "SELECT * { ?s ?p }"),
            pytest.raises(QueryRefusedError, graph.query, "DROP ALL"),
            pytest.raises(QuerySyntaxError, graph.query, "SELECT * { ?s ?p*/ ?o }"),
        ]
    store = ox.Store(str(path))
    store.update("INSERT DATA { <urn:robodata:store> <urn:robodata:term:format> '2' }")
    store.flush()
    del store
    for _ in range(2):
        kept.append(pytest.raises(StoreError, LocalGraph.open, path))
    assert "format" in str(kept[-1].value)
    assert len(kept) == 6


def test_queries_of_an_on_disk_graph_may_run_in_a_child(tmp_path: Path) -> None:
    with LocalGraph.open(tmp_path / "graph") as graph:
        graph.add([Statement("Q1", "P1", EntityValue("Q2"))], FETCH)
        path_query = "SELECT ?o { wd:Q1 wdt:P1* ?o }"
        assert len(graph.query(path_query).rows) == 2
        graph.add([Statement("Q2", "P1", EntityValue("Q3"))], FETCH)
        assert len(graph.query(path_query).rows) == 3
        graph.remove_node("Q3")
        assert len(graph.query(path_query).rows) == 2
