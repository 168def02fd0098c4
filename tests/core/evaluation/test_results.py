"""Results files: what is written is read, what broke off is forgiven, what differs is refused."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError
from robodata_core.evaluation._setup import label_of, setup_of
from robodata_core.evaluation.results import (
    Header,
    Results,
    append_rows,
    pool,
    read_results,
    write_line,
)

from .conftest import MakeRow, results_of

_HEADER = Header("made.tsv", "a" * 64, "tsv", "questions", 3, {"policy": "offline"})


def _written(path: Path, make_row: MakeRow, count: int = 3) -> None:
    descriptor, old = append_rows(path, _HEADER)
    assert not old
    for number in reversed(range(count)):
        write_line(descriptor, asdict(make_row(str(number), place=number)))
    os.close(descriptor)


def test_what_was_written_is_read_in_the_order_of_the_data(
    tmp_path: Path, make_row: MakeRow
) -> None:
    path = tmp_path / "r.jsonl"
    _written(path, make_row)
    results = read_results(path)
    assert results.header == _HEADER
    assert results.rows == tuple(make_row(str(n), place=n) for n in range(3))


def test_the_last_row_of_an_id_counts(tmp_path: Path, make_row: MakeRow) -> None:
    path = tmp_path / "r.jsonl"
    _written(path, make_row)
    descriptor, old = append_rows(path, _HEADER)
    write_line(descriptor, asdict(make_row("0", right=False)))
    os.close(descriptor)
    assert len(old) == 3
    rows = read_results(path).rows
    assert len(rows) == 3
    assert rows[0].f1 == 0


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_cut_last_line_is_forgiven_and_cut_off(
    tmp_path: Path, make_row: MakeRow, cut: int
) -> None:
    path = tmp_path / "r.jsonl"
    _written(path, make_row)
    path.write_bytes(path.read_bytes()[:-cut])
    assert len(read_results(path).rows) in (2, 3)  # without its line end alone it can be read
    descriptor, old = append_rows(path, _HEADER)
    missing = {"0", "1", "2"} - {row.id for row in old}
    for id_ in missing or {"0"}:
        write_line(descriptor, asdict(make_row(id_, place=int(id_))))
    os.close(descriptor)
    assert len(read_results(path).rows) == 3
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_damage_elsewhere_is_a_sentence(tmp_path: Path, make_row: MakeRow) -> None:
    path = tmp_path / "r.jsonl"
    _written(path, make_row)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], "{broken", *lines[2:]]) + "\n")
    with pytest.raises(ConfigurationError, match="r.jsonl:3"):
        read_results(path)


@given(st.binary(max_size=200))
def test_no_file_brings_the_reader_down(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "r.jsonl"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError):
        read_results(path)


@pytest.mark.parametrize(
    "line", ['{"id": "1"}', '{"id": 1}', "[]", '{"id": "1", "f1": "x"}', '{"unknown": 1}']
)
def test_rows_of_another_shape_are_a_sentence(tmp_path: Path, make_row: MakeRow, line: str) -> None:
    path = tmp_path / "r.jsonl"
    _written(path, make_row)
    with path.open("a") as file:
        file.write(line + "\n" + json.dumps(asdict(make_row())) + "\n")
    with pytest.raises(ConfigurationError, match="not a line of results"):
        read_results(path)


def test_a_file_takes_rows_of_its_own_run_only(tmp_path: Path, make_row: MakeRow) -> None:
    path = tmp_path / "r.jsonl"
    _written(path, make_row)
    before = path.read_bytes()
    for other in (
        Header("made.tsv", "b" * 64, "tsv", "questions", 3, {"policy": "offline"}),
        Header("made.tsv", "a" * 64, "tsv", "questions", 3, {"policy": "llm"}),
        Header("made.tsv", "a" * 64, "tsv", "questions", 3, {"policy": "offline", "ranker": "r"}),
    ):
        with pytest.raises(ConfigurationError, match="never mixed"):
            append_rows(path, other)
    assert path.read_bytes() == before


def test_what_is_no_results_file_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n")
    with pytest.raises(ConfigurationError, match="no results file"):
        append_rows(path, _HEADER)
    assert path.read_text() == "my notes\n"
    with pytest.raises(ConfigurationError):
        append_rows(tmp_path, _HEADER)
    with pytest.raises(ConfigurationError, match="cannot be written"):
        append_rows(tmp_path / "no" / "folder.jsonl", _HEADER)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_a_full_disk_is_a_sentence() -> None:
    with pytest.raises(ConfigurationError, match="No space left"):
        append_rows("/dev/full", _HEADER)


def test_what_is_no_figure_is_no_row(tmp_path: Path, make_row: MakeRow) -> None:
    path = tmp_path / "r.jsonl"
    _written(path, make_row)
    text = path.read_text().replace('"f1": 1.0', '"f1": NaN', 1)
    path.write_text(text)
    with pytest.raises(ConfigurationError, match="not a line of results"):
        read_results(path)


def test_files_of_one_set_up_are_pooled(make_row: MakeRow) -> None:
    one = results_of([make_row("1"), make_row("2", right=False)], policy="offline")
    other = results_of([make_row("1")], "b" * 64, policy="offline")
    pooled = pool([one, other])
    assert len({row.id for row in pooled.rows}) == 3
    assert pooled.header.items == 3
    assert pool([one]) == one


def test_figures_of_different_code_are_pooled_only_when_that_is_wanted(make_row: MakeRow) -> None:
    one = results_of([make_row("1")], policy="offline")
    later = results_of([make_row("1"), make_row("2")], "b" * 64, policy="offline")
    header = replace(later.header, code="feed")
    later = Results(header, tuple(replace(row, code="feed") for row in later.rows))
    with pytest.raises(ConfigurationError, match="other code .*code feed.* --other-code"):
        pool([one, later])
    assert pool([one, later], other_code=True).of_other_code == 2
    assert pool([later]) == later


def test_zero_shot_and_trained_figures_are_never_pooled(make_row: MakeRow) -> None:
    one = results_of([make_row("1")], policy="offline", ranker="")
    other = results_of([make_row("1")], "b" * 64, policy="offline", ranker="r sha256:1")
    with pytest.raises(
        ConfigurationError, match="zero-shot, .* trained; ranker: none and r sha256:1"
    ):
        pool([one, other])
    with pytest.raises(ConfigurationError, match="given twice"):
        pool([one, one])


def test_a_ranker_makes_a_run_a_trained_one(tmp_path: Path) -> None:
    ranker = tmp_path / "ranker.json"
    ranker.write_text("{}")
    plain, trained = setup_of(Settings()), setup_of(Settings(ranker=str(ranker)))
    assert (label_of(plain), label_of(trained)) == ("zero-shot", "trained")
    assert label_of({"lexicon": "x"}) == "zero-shot + lexicon"
    ranker.write_text('{"other": 1}')
    assert setup_of(Settings(ranker=str(ranker))) != trained
    assert str(tmp_path) not in json.dumps(trained)


def test_only_settings_that_shape_answers_tell_runs_apart(tmp_path: Path) -> None:
    plain = setup_of(Settings())
    assert setup_of(Settings(store=str(tmp_path), journal=str(tmp_path), http_tries=2)) == plain
    assert setup_of(Settings(confidence=0.9)) != plain
    assert setup_of(Settings(max_turns=3)) != plain
