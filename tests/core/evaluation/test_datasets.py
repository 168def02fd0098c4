"""Data sets: every format, rows that make no sense, files that cannot be read, plug-ins."""

from __future__ import annotations

import gzip
import json
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ConfigurationError
from robodata_core.evaluation.datasets import (
    FORMATS,
    DataSet,
    GoldDialogue,
    GoldQuestion,
    GoldTriple,
    fold,
    keys_of,
    load_dataset,
    load_questions,
)
from robodata_core.model import EntityValue, QuantityValue, ResultItem, TimeValue


def _load(tmp_path: Path, name: str, text: str) -> DataSet:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return load_dataset(path)


def _questions(data: DataSet) -> list[GoldQuestion]:
    return [item for item in data.items if isinstance(item, GoldQuestion)]


@pytest.mark.parametrize(
    ("item", "key"),
    [
        (ResultItem(EntityValue("Q1930"), "Ottawa"), "q1930"),
        (ResultItem(EntityValue("Q1930"), "Ottawa"), "ottawa"),
        (ResultItem(TimeValue(1952, 3, 11)), "1952-03-11"),
        (ResultItem(QuantityValue(Decimal("1.96"), "Q11573"), "", "metre"), "1.96"),
        (ResultItem(True), "true"),
        (ResultItem(3), "3"),
    ],
)
def test_results_are_known_by_id_name_and_value(item: ResultItem, key: str) -> None:
    assert key in keys_of(item)


@given(st.text(min_size=1, max_size=40).filter(str.strip))
def test_a_name_in_gold_is_the_name_of_a_result(name: str) -> None:
    key = fold(name)
    if key and key not in ("true", "false"):
        assert key in keys_of(ResultItem(EntityValue("Q1"), name))


def test_a_table_of_questions(tmp_path: Path) -> None:
    data = _load(
        tmp_path,
        "a.tsv",
        "# a comment\nquestion\tgold\tkind\nWho?\tQ1|Douglas Adams\t2hop\n"
        "Is it?\tyes\ty\nNo?\t-\tz\n",
    )
    first, second, third = _questions(data)
    assert first.gold == {"q1", "douglas adams"}
    assert (first.hops, second.hops) == (2, 0)
    assert (second.gold, third.gold) == ({"true"}, frozenset())
    assert [item.id for item in data.items] == ["1", "2", "3"]


def test_a_table_with_commas_and_quotes(tmp_path: Path) -> None:
    data = _load(tmp_path, "a.csv", 'id,question,gold\nx,"Who, then?",Q1|Q2\n')
    assert _questions(data) == [GoldQuestion("x", "Who, then?", frozenset({"q1", "q2"}))]


def test_separators_within_a_question_end_no_row(tmp_path: Path) -> None:
    odd = "Who\u2028is\x85it?"
    data = _load(tmp_path, "a.jsonl", f'{{"question": "{odd}", "gold": ["Q1"]}}\r\n')
    assert [question.text for question in _questions(data)] == [odd]


def test_a_cell_that_is_too_long_costs_its_row(tmp_path: Path) -> None:
    text = f"question,gold\n{'x' * 200_000},Q1\nWho?,Q2\n"
    data = _load(tmp_path, "a.csv", text)
    assert [item.id for item in data.items] == ["2"]
    assert [bad.line for bad in data.bad] == [2]


def test_questions_as_objects(tmp_path: Path) -> None:
    data = _load(
        tmp_path, "b.jsonl", '{"id": 7, "question": "Who?", "gold": ["Q1", 3], "hops": 2}\n'
    )
    assert _questions(data) == [GoldQuestion("7", "Who?", frozenset({"q1", "3"}), hops=2)]


def test_metaqa_says_topic_and_hops(tmp_path: Path) -> None:
    text = "question\ttopic\tanswers\tqtype\nwho acted in [X (1)]\tX (1)\tA. B|1999\tm_to_a_to_m\n"
    (question,) = _questions(_load(tmp_path, "c.tsv", text))
    assert question.text == "who acted in X (1)"
    assert "1999" in question.gold
    assert (question.hops, question.topic, question.kind) == (2, "X (1)", "m_to_a_to_m")


def test_dialogues_keep_their_turns_in_order(tmp_path: Path) -> None:
    turns = [{"question": "Who?", "gold": ["Q1"]}, {"question": "And his wife?", "gold": ["Q2"]}]
    text = json.dumps({"id": "d", "turns": turns, "kind": "family"}) + "\n"
    data = _load(tmp_path, "d.jsonl", text)
    (dialogue,) = data.items
    assert isinstance(dialogue, GoldDialogue)
    assert data.task == "dialogues"
    assert [turn.id for turn in dialogue.turns] == ["d.1", "d.2"]
    assert [turn.gold for turn in dialogue.turns] == [{"q1"}, {"q2"}]
    assert [question.id for question in load_questions(tmp_path / "d.jsonl")] == ["d.1", "d.2"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.tsv", "label\thead\trelation\ttail\n1\tQ1\tP2\tQ3\n0\tQ1\tP2\tQ4\n"),
        ("t.csv", "subject,predicate,object,label\nQ1,P2,Q3,true\nQ1,P2,Q4,false\n"),
        (
            "t.jsonl",
            '{"subject": "Q1", "predicate": "P2", "object": "Q3", "label": 1}\n'
            '{"subject": "Q1", "predicate": "P2", "object": "Q4", "label": 0}\n',
        ),
    ],
)
def test_triples(tmp_path: Path, name: str, text: str) -> None:
    data = _load(tmp_path, name, text)
    assert data.task == "triples"
    one, other = data.items
    assert one == GoldTriple("1", "Q1", "P2", "Q3", True, "P2")
    assert isinstance(other, GoldTriple)
    assert (other.object, other.holds) == ("Q4", False)


def test_packed_files_and_byte_order_marks(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress("\ufeffquestion\tgold\nWho?\tQ1\n".encode()))
    assert len(load_dataset(path).items) == 1


def test_bad_rows_are_left_out_and_listed(tmp_path: Path) -> None:
    text = "question\tgold\nWho?\tQ1\n\tQ2\nonly one cell\nWhere?\tQ3\n"
    data = _load(tmp_path, "a.tsv", text)
    assert [item.id for item in data.items] == ["1", "4"]
    assert [bad.line for bad in data.bad] == [3, 4]
    lines = '{"question": "A?", "gold": ["Q1"]}\nnot json\n[1]\n{"question": "B?"}\n'
    data = _load(tmp_path, "a.jsonl", lines + '{"question": "C?", "gold": "Q1"}\n')
    assert len(data.items) == 1
    assert [bad.line for bad in data.bad] == [2, 3, 4, 5]
    assert all(bad.problem for bad in data.bad)


def test_an_id_counts_once(tmp_path: Path) -> None:
    data = _load(tmp_path, "a.tsv", "id\tquestion\tgold\nx\tA?\tQ1\nx\tB?\tQ2\n")
    assert len(data.items) == 1
    assert "repeats" in data.bad[0].problem


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", b""),
        ("a.tsv", b"x\ty\n1\t2\n"),
        ("a.tsv", b"question\tgold\n\xff\xfe\tQ1\n"),
        ("b.jsonl", b"[1]\n"),
        ("b.jsonl", b"[" * 100_000),
        ("c.json", b"{}"),
        ("c.json", b"{"),
        ("d.gz", b"x"),
        ("e.unknown", b"question\tgold\nWho?\tQ1\n"),
    ],
)
def test_what_is_no_data_set_is_a_sentence(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigurationError):
        load_dataset(tmp_path / name)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_dataset(tmp_path / "missing.tsv")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_dataset(tmp_path)
    with pytest.raises(ConfigurationError, match="no format 'x'"):
        _ = (tmp_path / "a.tsv").write_text("question\tgold\nWho?\tQ1\n")
        load_dataset(tmp_path / "a.tsv", "x")


@given(st.text(max_size=300), st.sampled_from(sorted(FORMATS)))
def test_no_text_brings_a_reader_down(text: str, name: str) -> None:
    try:
        items = list(FORMATS[name].read(text))
    except (KeyError, ValueError, TypeError, AttributeError):
        return  # what load_dataset turns into a sentence
    assert all(item is not None for item in items)


def test_other_packages_bring_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    info = site / "pack-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pack\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[robodata.datasets]\nlines = pack_of_lines:FORMAT\n")
    (site / "pack_of_lines.py").write_text(
        "from robodata_core.evaluation.datasets import Format, GoldQuestion\n"
        "def read(text):\n"
        "    for n, line in enumerate(text.splitlines()):\n"
        "        yield GoldQuestion(str(n), line, frozenset({'x'}))\n"
        "FORMAT = Format('lines', 'questions', read, lambda name, head: name.endswith('.lines'))\n"
    )
    monkeypatch.syspath_prepend(str(site))
    try:
        data = _load(tmp_path, "a.lines", "Who?\nWhere?\n")
    finally:
        sys.modules.pop("pack_of_lines", None)
    assert (data.format, len(data.items)) == ("lines", 2)


def test_the_sets_beside_the_checkout_are_read(shared_dir: Path) -> None:
    questions = load_questions(shared_dir / "qald10" / "qald_10.json.gz")
    assert len(questions) == 394
    assert sum(question.kind == "boolean" for question in questions) == 61
    assert sum(bool(question.gold) for question in questions) >= 390
    triples = load_dataset(shared_dir / "codex" / "codex_s_tc_valid.tsv.gz")
    assert (triples.task, len(triples.items), triples.bad) == ("triples", 3654, ())
    movies = load_dataset(shared_dir / "metaqa" / "qa_dev_3hop_vanilla.tsv.gz")
    assert len(movies.items) == 14_274
    assert {item.hops for item in movies.items if isinstance(item, GoldQuestion)} == {3}
