"""Runs: the same however they are made, resumed where they ended, ended by no question."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from robodata_core.errors import ConfigurationError
from robodata_core.evaluation.bench import run_dataset, spread
from robodata_core.evaluation.datasets import DataSet, GoldItem, GoldQuestion, load_dataset
from robodata_core.evaluation.html import html_report
from robodata_core.evaluation.report import markdown
from robodata_core.evaluation.results import Results, Row, read_results
from robodata_core.evaluation.summary import outcome_of, summarise
from robodata_core.sources.snapshot.loading import load_files

_OF_OTHERS: set[int] = set()


def _read(path: Path) -> bytes:
    """Return what a file of ``/proc`` holds; nothing where its thread or process has ended."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def _workers() -> set[int]:
    lists = Path("/proc/self/task").glob("*/children")
    mine = [int(n) for path in lists for n in _read(path).split()]
    return {n for n in mine if b"robodata_core/worker/" in _read(Path(f"/proc/{n}/cmdline"))}


@pytest.fixture(autouse=True)
def _workers_of_others() -> None:
    """Note which workers what other tests hold open has."""
    _OF_OTHERS.clear()
    if sys.platform == "linux":
        _OF_OTHERS.update(_workers())


def children() -> set[int]:
    """The workers of this process that were begun in this test."""
    if sys.platform != "linux":
        pytest.skip("processes are looked up in /proc")
    return _workers() - _OF_OTHERS


def _timeless(results: Results) -> Results:
    return Results(results.header, tuple(replace(row, seconds=0.0) for row in results.rows))


def _many(tmp_path: Path, count: int) -> DataSet:
    path = tmp_path / "many.tsv"
    lines = "".join(f"{n}\tWhat is the capital of Canada?\tQ1930\n" for n in range(count))
    path.write_text("id\tquestion\tgold\n" + lines)
    return load_dataset(path)


def test_answers_are_marked(small: DataSet, tmp_path: Path) -> None:
    results = run_dataset(small, {}, tmp_path / "r.jsonl")
    assert [row.hit for row in results.rows] == [1, 1, 1, 1, 0]
    assert [outcome_of(row) for row in results.rows] == [*["right"] * 4, "wrong"]
    figures = summarise(results.rows)
    assert figures.f1 == pytest.approx(0.8)
    assert figures.abstained == figures.abstained_rightly == pytest.approx(0.2)
    assert (figures.wrong, figures.errors) == (pytest.approx(0.2), 0)
    assert (figures.support, figures.unsound, figures.wrong_supported) == (1.0, 0, 1)
    assert results.rows[0].claims == results.rows[0].supported == 1
    assert results.rows[0].turns > 0
    assert results.header.label == "zero-shot"


def test_processes_give_the_same_rows(small: DataSet, tmp_path: Path) -> None:
    one = run_dataset(small, {}, tmp_path / "one.jsonl")
    two = run_dataset(small, {}, tmp_path / "two.jsonl", processes=2)
    assert _timeless(one) == _timeless(two)


@pytest.mark.parametrize("after", [0, 1, 3])
def test_an_interrupted_run_that_goes_on_gives_the_same_report(
    small: DataSet, tmp_path: Path, after: int
) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_dataset(small, {}, tmp_path / "cut.jsonl", progress=interrupt)
    assert len(read_results(tmp_path / "cut.jsonl").rows) == after
    seen: list[tuple[int, int]] = []
    resumed = run_dataset(
        small, {}, tmp_path / "cut.jsonl", progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(done, 5) for done in range(after, 6)]
    whole = run_dataset(small, {}, tmp_path / "whole.jsonl")
    assert markdown(_timeless(resumed)) == markdown(_timeless(whole))
    assert html_report(_timeless(resumed)) == html_report(_timeless(whole))


def test_a_run_killed_within_a_line_goes_on(small: DataSet, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    whole = run_dataset(small, {}, path)
    path.write_bytes(path.read_bytes()[:-25])
    assert _timeless(run_dataset(small, {}, path)) == _timeless(whole)


def test_a_finished_run_asks_nothing_again(small: DataSet, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    first = run_dataset(small, {}, path)
    size = path.stat().st_size
    assert run_dataset(small, {}, path) == first
    assert path.stat().st_size == size


def test_another_set_up_is_not_added(small: DataSet, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    run_dataset(small, {}, path, limit=1)
    with pytest.raises(ConfigurationError, match="never mixed"):
        run_dataset(small, {"confidence": 0.9}, path)
    assert len(run_dataset(small, {}, path, limit=2).rows) == 2


def test_a_question_that_fails_does_not_end_the_run(small: DataSet, tmp_path: Path) -> None:
    bad = GoldQuestion("bad", "?" * 5_000, frozenset({"x"}))
    data = replace(small, items=(bad, *small.items))
    results = run_dataset(data, {}, tmp_path / "r.jsonl")
    first, *others = results.rows
    assert (first.status, first.stage) == ("error", "error")
    assert "5000 characters" in first.error
    assert len(others) == 5
    assert summarise(results.rows).errors == pytest.approx(1 / 6)


def test_errors_are_asked_again_when_that_is_wanted(small: DataSet, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    long = replace(small, items=(GoldQuestion("x", "What is the capital of Canada?" + " " * 9 + "?"
                                              * 3_000, frozenset({"q1930"})),))  # fmt: skip
    assert run_dataset(long, {}, path).rows[0].status == "error"
    good = replace(small, items=(GoldQuestion("x", "What is the capital of Canada?",
                                              frozenset({"q1930"})),))  # fmt: skip
    assert run_dataset(good, {}, path).rows[0].status == "error"
    (row,) = run_dataset(good, {}, path, retry_errors=True).rows
    assert (row.status, row.hit) == ("answered", 1)


def test_a_killed_worker_costs_its_question_and_no_more(tmp_path: Path) -> None:
    data = _many(tmp_path, 24)
    killed: list[int] = []

    def kill(done: int, total: int) -> None:
        if done == 1 and not killed:
            for child in children():
                os.kill(child, signal.SIGKILL)
                killed.append(child)

    results = run_dataset(data, {}, tmp_path / "r.jsonl", processes=2, progress=kill)
    assert killed
    assert {row.id for row in results.rows} == {str(n) for n in range(24)}
    lost = [row for row in results.rows if row.status == "error"]
    assert len(lost) <= 2
    assert all("ended (signal 9)" in row.error for row in lost)
    assert all(row.hit == 1 for row in results.rows if row not in lost)
    assert not children()


def test_a_snapshot_that_is_lost_ends_the_run_and_the_rows_are_kept(tmp_path: Path) -> None:
    snapshot = tmp_path / "snapshot"
    # A small one: workers open it again and again.
    (tmp_path / "small.txt").write_text("Canada|capital|Ottawa\nFrance|capital|Paris\n")
    load_files([tmp_path / "small.txt"], snapshot)
    data = _many(tmp_path, 12)
    settings = {"source": f"snapshot:{snapshot}"}

    def lose(done: int, of: int) -> None:
        if done == 3:
            snapshot.rename(tmp_path / "elsewhere")
            for child in children():
                os.kill(child, signal.SIGKILL)

    with pytest.raises(ConfigurationError, match="There is no snapshot at"):
        run_dataset(data, settings, tmp_path / "r.jsonl", processes=2, progress=lose)
    assert not children()
    (tmp_path / "elsewhere").rename(snapshot)
    begun: list[int] = []
    results = run_dataset(
        data, settings, tmp_path / "r.jsonl", processes=2, progress=lambda n, of: begun.append(n)
    )
    assert begun[0] >= 3, "what was answered before is not asked again"
    assert {row.found for row in results.rows if row.status == "answered"} == {("Ottawa",)}
    assert len(results.rows) == 12


def test_no_process_is_left_after_an_interruption(tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_dataset(_many(tmp_path, 50), {}, tmp_path / "r.jsonl", processes=2, progress=interrupt)
    assert not children()
    assert len(read_results(tmp_path / "r.jsonl").rows) == 2


@pytest.mark.parametrize("processes", [1, 2])
def test_what_cannot_be_opened_is_a_sentence(
    small: DataSet, tmp_path: Path, processes: int
) -> None:
    settings = {"source": f"snapshot:{tmp_path / 'none'}"}
    with pytest.raises(Exception, match="none") as caught:
        run_dataset(small, settings, tmp_path / "r.jsonl", processes=processes)
    assert type(caught.value).__module__ == "robodata_core.errors"
    assert not children()


@pytest.mark.parametrize("processes", [1, 2])
def test_a_question_that_runs_out_of_time_is_an_error(
    small: DataSet, tmp_path: Path, processes: int
) -> None:
    results = run_dataset(
        small, {}, tmp_path / "r.jsonl", timeout=1e-9, processes=processes, limit=2
    )
    assert {outcome_of(row) for row in results.rows} == {"error"}
    assert {row.stage for row in results.rows} == {"error"}


_DIALOGUE = (
    '{"id": "d", "turns": [{"question": "What is the capital of Canada?", "gold": ["Q1930"]},'
    ' {"question": "When was Douglas Adams born?", "gold": ["1952-03-11"]}]}\n'
)


_POINTING_BACK = (
    '{"id": "d", "turns": [{"question": "Who is the mother of Caroline Kennedy?",'
    ' "gold": ["Q165421"]}, {"question": "Whom did she marry?", "gold": ["Q9696"]}]}\n'
    '{"id": "e", "turns": [{"question": "Whom did she marry?", "gold": []}]}\n'
)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_dialogue_is_one_conversation_and_the_next_one_another(
    tmp_path: Path, processes: int
) -> None:
    (tmp_path / "d.jsonl").write_text(_POINTING_BACK)
    data = load_dataset(tmp_path / "d.jsonl")
    results = run_dataset(data, {}, tmp_path / "r.jsonl", processes=processes)
    assert {row.id: (row.status, row.hit) for row in results.rows} == {
        "d.1": ("answered", 1),
        "d.2": ("answered", 1),
        "e.1": ("unknown", 1),
    }
    assert "P@1 by turn: turn 1 1.000 (2), turn 2 1.000 (1)." in markdown(results)
    alone = run_dataset(data, {}, tmp_path / "a.jsonl", turns_alone=True)
    assert {row.id: row.hit for row in alone.rows}["d.2"] == 0


def test_turns_may_be_asked_each_by_itself(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text(_DIALOGUE)
    data = load_dataset(tmp_path / "d.jsonl")
    results = run_dataset(data, {}, tmp_path / "r.jsonl", turns_alone=True)
    assert [(row.id, row.task, row.hit) for row in results.rows] == [
        ("d.1", "dialogues", 1),
        ("d.2", "dialogues", 1),
    ]
    assert "each by itself" in markdown(results)


def test_triples_are_judged_unseen_and_decided(tmp_path: Path) -> None:
    rows = ["Q142\tP530\tQ183\t1", "Q16\tP17\tQ16\t0", "nobody at all\tP36\tQ1930\t0"]
    (tmp_path / "t.tsv").write_text("subject\tpredicate\tobject\tlabel\n" + "\n".join(rows))
    results = run_dataset(load_dataset(tmp_path / "t.tsv"), {}, tmp_path / "r.jsonl")
    assert [row.task for row in results.rows] == ["triples"] * 3
    assert [outcome_of(row) for row in results.rows] == ["right", "right", "error"]
    assert results.rows[0].claims > 0
    assert all(row.claims == row.supported for row in results.rows)
    assert "Triples: accuracy 0.667" in markdown(results)


def test_a_limit_spreads_over_all_items() -> None:
    items: list[GoldItem] = [GoldQuestion(str(n), "?", frozenset()) for n in range(10)]
    assert [item.id for item in spread(items, 3)] == ["0", "3", "6"]
    assert spread(items, 20) == spread(items, None) == tuple(items)


def test_rows_left_out_are_told_in_the_report(tmp_path: Path, small: DataSet) -> None:
    (tmp_path / "b.tsv").write_text("question\tgold\nWhat is the capital of Canada?\tQ1930\nx\n")
    results = run_dataset(load_dataset(tmp_path / "b.tsv"), {}, tmp_path / "r.jsonl")
    assert "1 row of the data left out: line 3" in markdown(results)


def test_support_is_looked_up_in_the_source_again(tmp_path: Path, small: DataSet) -> None:
    rows: tuple[Row, ...] = run_dataset(small, {}, tmp_path / "r.jsonl").rows
    assert all(row.claims == row.supported for row in rows)
    assert sum(row.claims for row in rows) >= 4


def test_several_processes_do_not_record_into_one_file(small: DataSet, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot record"):
        run_dataset(small, {"record": str(tmp_path / "t")}, tmp_path / "r.jsonl", processes=2)
