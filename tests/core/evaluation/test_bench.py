"""Question sets, scores, and runs that go on where they stopped."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.cli._main import run
from robodata_core.errors import ConfigurationError
from robodata_core.evaluation.bench import read_rows, report, run_questions, summarise
from robodata_core.evaluation.datasets import GoldQuestion, keys_of, load_questions
from robodata_core.evaluation.metrics import score
from robodata_core.evaluation.paper import paper_questions
from robodata_core.model import EntityValue, QuantityValue, ResultItem, TimeValue

QUESTIONS = (
    GoldQuestion("1", "What is the capital of Canada?", frozenset({"q1930"}), "place"),
    GoldQuestion("2", "Is Ottawa the capital of Canada?", frozenset({"true"}), "boolean"),
    GoldQuestion("3", "When was Douglas Adams born?", frozenset({"1952-03-11"}), "time"),
    GoldQuestion("4", "Who is the king of Zzyzx Qwrtp?", frozenset(), "unknown"),
    GoldQuestion("5", "What is the capital of Canada?", frozenset({"q999"}), "wrong"),
)


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_scores_are_those_of_the_definition(found: set[int], gold: set[int]) -> None:
    got = score(found, gold)
    assert 0 <= got.f1 <= 1
    assert (got.f1 == 1) == (found == gold)
    if found and gold:
        assert got.precision == len(found & gold) / len(found)
        assert got.recall == len(found & gold) / len(gold)


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


def test_formats(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(
        "# a comment\nquestion\tgold\tkind\nWho?\tQ1|Douglas Adams\tx\nIs it?\tyes\ty\nNo?\t-\tz\n"
    )
    first, second, third = load_questions(tmp_path / "a.tsv")
    assert first.gold == {"q1", "douglas adams"}
    assert (second.gold, third.gold) == ({"true"}, frozenset())
    (tmp_path / "b.jsonl").write_text('{"id": 7, "question": "Who?", "gold": ["Q1"]}\n')
    assert load_questions(tmp_path / "b.jsonl")[0].id == "7"
    (tmp_path / "c.tsv").write_text(
        "question\ttopic\tanswers\tqtype\nwho acted in [X (1)]\tX\tA. B|1999\tm\n"
    )
    (question,) = load_questions(tmp_path / "c.tsv")
    assert question.text == "who acted in X (1)"
    assert "1999" in question.gold


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", ""),
        ("a.tsv", "x\ty\n1\t2\n"),
        ("b.jsonl", "[1]\n"),
        ("c.json", "{}"),
        ("d.gz", "x"),
    ],
)
def test_what_is_no_question_set_is_a_sentence(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ConfigurationError):
        load_questions(tmp_path / name)


def test_qald_answers_are_read(shared_dir: Path) -> None:
    questions = load_questions(shared_dir / "qald10" / "qald_10.json.gz")
    assert len(questions) == 394
    assert sum(question.kind == "boolean" for question in questions) == 61
    assert sum(bool(question.gold) for question in questions) >= 390


def test_a_run_is_scored_and_resumed(tmp_path: Path) -> None:
    output = tmp_path / "rows.jsonl"
    run_questions(QUESTIONS[:3], {}, output)
    with output.open("a") as file:
        file.write('{"id": "4", "cut off')
    assert len(read_rows(output)) == 3
    output.write_text("".join(line + "\n" for line in output.read_text().splitlines()[:3]))
    seen: list[str] = []
    run_questions(QUESTIONS, {}, output, progress=lambda row: seen.append(row.id))
    assert seen == ["4", "5"]
    rows = read_rows(output)
    assert [row.hit for row in rows] == [1, 1, 1, 1, 0]
    figures = summarise(rows)
    assert figures.f1 == pytest.approx(0.8)
    assert (figures.abstained, figures.wrong, figures.errors) == (0.2, 0.2, 0)
    assert figures.support == 1.0
    text = report(rows, "Title", {"ranker": "untrained"})
    assert "| all | 5 | 0.800" in text
    assert "ranker: untrained" in text


def test_a_question_that_fails_does_not_end_the_run(tmp_path: Path) -> None:
    bad = (GoldQuestion("bad", "?" * 5_000, frozenset({"x"})), QUESTIONS[0])
    run_questions(bad, {}, tmp_path / "rows.jsonl")
    first, second = read_rows(tmp_path / "rows.jsonl")
    assert first.status == "error"
    assert first.error
    assert second.hit == 1


def test_processes_give_the_same_rows(tmp_path: Path) -> None:
    run_questions(QUESTIONS, {}, tmp_path / "one.jsonl")
    run_questions(QUESTIONS, {}, tmp_path / "two.jsonl", processes=2)
    one, two = read_rows(tmp_path / "one.jsonl"), read_rows(tmp_path / "two.jsonl")
    assert [(r.id, r.found, r.f1) for r in one] == [(r.id, r.found, r.f1) for r in two]


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = tmp_path / "q.tsv"
    questions.write_text("question\tgold\tkind\nWhat is the capital of Canada?\tQ1930\tplace\n")
    output = str(tmp_path / "rows.jsonl")
    assert run(["bench", "run", str(questions), "--output", output]) == 0
    assert "| all | 1 | 1.000" in capsys.readouterr().out
    assert run(["bench", "consistency", "-n", "3"]) == 0
    out = capsys.readouterr().out
    assert "1 distinct answer(s) in 3 runs" in out
    assert run(["bench", "paper", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["id"] for row in rows] == [question.id for question in paper_questions()]
    assert all(row["expected"] > 0 for row in rows)
    assert all(row["f1"] == 1.0 for row in rows), [(r["id"], r["f1"]) for r in rows]
