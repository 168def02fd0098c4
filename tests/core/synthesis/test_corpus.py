"""Instruction data: what is in an example was seen, and what a program says is its answer."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from robodata_core.cli import run
from robodata_core.errors import ProgramError
from robodata_core.model import Direction, EntityValue
from robodata_core.programs import codec
from robodata_core.programs.executor import execute
from robodata_core.programs.steps import (
    Difference,
    End,
    Extreme,
    FilterByType,
    Follow,
    Program,
    Start,
)
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import load_files
from robodata_core.synthesis.corpus import Corpus, Report, Sample, from_graph, question_for, write
from robodata_core.synthesis.grounded import Asked, Fit, from_queries, read_queries
from robodata_core.synthesis.rehearsal import TOOLS
from robodata_core.synthesis.sampling import KINDS, Drawn, Sampler

WDT = "http://www.wikidata.org/prop/direct/"


@pytest.fixture(scope="module")
def sample() -> SnapshotSource:
    return open_snapshot("wikidata-sample")


@pytest.fixture(scope="module")
def made(sample: SnapshotSource) -> tuple[list[Sample], Report]:
    report = Report()
    with Corpus(sample) as corpus:
        samples = list(from_graph(sample, corpus, examples=400, seed=3, report=report))
    return samples, report


def test_every_program_gives_its_answer_again(
    sample: SnapshotSource, made: tuple[list[Sample], Report]
) -> None:
    samples, report = made
    assert len(samples) == report.programs and report.examples >= 400
    for one in samples:
        result = execute(one.drawn.program, sample)
        assert set(result.values) == set(one.drawn.values)
        assert (result.number, result.boolean) == (one.drawn.number, one.drawn.boolean)
        assert not result.truncated
    assert len({codec.to_json(one.drawn.program) for one in samples}) == len(samples)


def test_most_kinds_come_up(made: tuple[list[Sample], Report]) -> None:
    _, report = made
    assert set(report.kinds) <= set(KINDS)
    assert len(report.kinds) >= len(KINDS) - 2


def test_a_call_uses_only_what_was_seen(
    sample: SnapshotSource, made: tuple[list[Sample], Report]
) -> None:
    samples, _ = made
    with Corpus(sample) as corpus:
        for one in samples[:60]:
            for example in corpus.examples(one):
                system, user, reply = example["messages"]
                assert [m["role"] for m in example["messages"]] == ["system", "user", "assistant"]
                call = json.loads(reply["content"])
                assert call["tool"] in TOOLS.names and call["tool"] in system["content"]
                shown = user["content"]
                assert one.question in shown
                for value in _ids(call["arguments"]):
                    assert f"({value})" in shown or f'"{value}"' in shown, (call, shown)


def _ids(arguments: Any) -> list[str]:
    """Return the ids in a call's arguments; variables are named in the history."""
    if isinstance(arguments, str):
        return [arguments] if arguments[:1] in "QP" and arguments[1:].isdigit() else []
    if isinstance(arguments, list):
        return [id_ for part in arguments for id_ in _ids(part)]
    if isinstance(arguments, dict):
        parts = [part for name, part in arguments.items() if name != "into"]
        return [id_ for part in parts for id_ in _ids(part)]
    return []


def test_the_same_seed_gives_the_same(sample: SnapshotSource) -> None:
    def once(seed: int) -> list[str]:
        with Corpus(sample) as corpus:
            samples = from_graph(sample, corpus, examples=60, seed=seed)
            return [json.dumps(corpus.record(one)) for one in samples]

    assert once(5) == once(5)
    assert once(5) != once(6)


def test_a_program_no_tool_can_do_is_refused(sample: SnapshotSource) -> None:
    given = (Start("a", (EntityValue("Q42"),)), Follow("b", "a", ("P106",)))
    lacking = Program((*given, Difference("c", "b", "b"), End("c")))
    left_out = Program((*given, End("b")), exclude_start=True)
    from_nothing = Program((FilterByType("t", "", ("Q5",)), End("t")))
    with Corpus(sample) as corpus:
        for program in (lacking, left_out, from_nothing):
            with pytest.raises(ProgramError):
                corpus.sample(Drawn("1 hop", program), "?")


def test_a_wrong_answer_is_refused(sample: SnapshotSource) -> None:
    program = Program((Start("a", (EntityValue("Q16"),)), Follow("b", "a", ("P36",)), End("b")))
    with Corpus(sample) as corpus:
        assert corpus.sample(Drawn("1 hop", program, (EntityValue("Q1930"),)), "?").made
        with pytest.raises(ProgramError, match="another answer"):
            corpus.sample(Drawn("1 hop", program, (EntityValue("Q42"),)), "?")


def test_questions_name_every_condition(sample: SnapshotSource) -> None:
    labels = {"Q16": "Canada", "P36": "capital", "P31": "instance of", "Q515": "city\x1b[0m"}
    follow = Follow("b", "a", ("P36",))
    start = Start("a", (EntityValue("Q16"),))
    label = lambda id_: labels.get(id_, "")  # noqa: E731
    chance = random.Random(0)
    text = question_for(Program((start, follow, End("b"))), label, chance)
    assert "the capital of Canada" in text
    typed = Program((start, follow, FilterByType("c", "b", ("Q515",)), End("c")))
    text = question_for(typed, label, chance)
    assert "of the kind city" in text and "\x1b" not in text
    back = Program((start, Follow("b", "a", ("P36",), Direction.IN), End("b")))
    assert "those whose capital is Canada" in question_for(back, label, chance)
    loose = Program((start, Follow("b", "a", ("P31",)), End("b")))
    assert "“instance of” for Canada" in question_for(loose, label, chance)
    with pytest.raises(ProgramError, match="no words"):
        question_for(Program((start, follow, Difference("c", "b", "a"), End("c"))), label, chance)


def test_graphs_with_values_give_extremes_and_comparisons(tmp_path: Path) -> None:
    lines = []
    for number in range(40):
        it = f"<http://www.wikidata.org/entity/Q{100 + number}>"
        lines.append(f'{it} <http://www.w3.org/2000/01/rdf-schema#label> "thing {number}"@en .')
        lines.append(f"{it} <{WDT}P1> <http://www.wikidata.org/entity/Q{1 + number % 3}> .")
        lines.append(f'{it} <{WDT}P2> "{number}"^^<http://www.w3.org/2001/XMLSchema#decimal> .')
    for number in (1, 2, 3):
        it = f"<http://www.wikidata.org/entity/Q{number}>"
        lines.append(f'{it} <http://www.w3.org/2000/01/rdf-schema#label> "group {number}"@en .')
    for number, name in ((1, "part of"), (2, "height")):
        it = f"<http://www.wikidata.org/entity/P{number}>"
        lines.append(f'{it} <http://www.w3.org/2000/01/rdf-schema#label> "{name}"@en .')
    file = tmp_path / "graph.nt"
    file.write_text("\n".join(lines) + "\n")
    load_files([file], tmp_path / "graph", name="graph")
    with open_snapshot(tmp_path / "graph") as graph:
        sampler = Sampler(graph, random.Random(1))
        extremes = [one for one in (sampler.draw("extreme") for _ in range(60)) if one]
        compared = [one for one in (sampler.draw("comparison") for _ in range(60)) if one]
        assert compared and extremes
        with Corpus(graph) as corpus:
            for one in (extremes[0], compared[0]):
                question = question_for(one.program, corpus.label, random.Random(0))
                assert corpus.sample(one, question).made
    steps = [step for one in extremes for step in one.program.steps]
    assert any(isinstance(step, Extreme) for step in steps)


def test_a_graph_without_relations_gives_nothing(tmp_path: Path) -> None:
    file = tmp_path / "graph.nt"
    file.write_text('<http://example.org/a> <http://www.w3.org/2000/01/rdf-schema#label> "a" .\n')
    load_files([file], tmp_path / "graph", name="graph")
    with open_snapshot(tmp_path / "graph") as graph, Corpus(graph) as corpus:
        assert list(from_graph(graph, corpus, examples=10)) == []


def test_queries_are_grounded_on_the_graph(sample: SnapshotSource) -> None:
    pytest.importorskip("rdflib", reason="the extra synthesis is not installed here")
    prefix = "PREFIX wd: <http://www.wikidata.org/entity/> "
    asked = [
        Asked(
            "1", "What is the capital of Canada?", f"{prefix}SELECT ?x {{ wd:Q16 <{WDT}P36> ?x }}"
        ),
        Asked("2", "Nothing there?", f"{prefix}SELECT ?x {{ wd:Q16 <{WDT}P9999> ?x }}"),
        Asked("3", "No tool?", f"{prefix}SELECT ?x ?y {{ ?x <{WDT}P36> ?y }}"),
        Asked("4", "A false yes?", f"{prefix}ASK {{ wd:Q16 <{WDT}P36> wd:Q42 }}"),
    ]
    report, fit = Report(), Fit(0, 0, {})
    with Corpus(sample) as corpus:
        samples = list(from_queries(asked, sample, corpus, report=report, fit=fit))
    assert [(one.origin, one.drawn.kind) for one in samples] == [
        ("1", "1 hop"),
        ("2", "unanswerable"),
    ]
    assert samples[0].drawn.values == (EntityValue("Q1930"),)
    assert (fit.read, fit.programs, sum(fit.unfit.values())) == (4, 3, 1)
    assert samples[1].made[-1].call.arguments == {"result": []}


def simple_questions(folder: Path) -> Path:
    """Questions as in SimpleQuestions on Wikidata: two are answered, one is not, one is strange."""
    path = folder / "simple.tsv"
    rows = (
        ("Q42", "P19", "Q350", "where was douglas adams from"),
        ("Q350", "R19", "Q42", "who is a writer that hails from cambridge"),
        ("Q42", "P54", "Q5", "which team has douglas adams played for"),
        ("Q99999999", "P19", "Q350", "where is nobody from"),
    )
    path.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    return path


def natural(
    sample: SnapshotSource, folder: Path, slips: float
) -> tuple[list[dict[str, Any]], Report]:
    report, fit = Report(), Fit(0, 0, {})
    asked = read_queries(simple_questions(folder)) * 6
    with Corpus(sample, slips=slips, seed=1) as corpus:
        samples = list(from_queries(asked, sample, corpus, report=report, fit=fit))
        return [example for one in samples for example in corpus.examples(one)], report


def test_real_questions_need_no_query_and_may_have_no_answer(
    sample: SnapshotSource, tmp_path: Path
) -> None:
    examples, report = natural(sample, tmp_path, slips=0)
    assert report.natural == report.programs and report.literal == 0
    assert report.dropped["The graph has no name for what is asked about"] == 6
    assert 1 <= report.kinds["unanswerable"] <= 0.1 * report.programs + 1
    replies = [json.loads(one["messages"][2]["content"]) for one in examples]
    given_up = [one for one in replies if one == {"tool": "end", "arguments": {"result": []}}]
    assert len(given_up) == report.kinds["unanswerable"]


def test_after_an_error_comes_what_should_have_come(sample: SnapshotSource, tmp_path: Path) -> None:
    def replies(examples: list[dict[str, Any]]) -> list[str]:
        return [one["messages"][2]["content"] for one in examples]

    plain, _ = natural(sample, tmp_path, slips=0)
    slipped, _ = natural(sample, tmp_path, slips=1)
    assert replies(slipped) == replies(plain), "no error is an example"
    calls = [
        [line for line in one["messages"][1]["content"].splitlines() if '{"tool"' in line]
        for one in slipped
    ]
    failed = [call for made in calls for call in made if not any(r in call for r in replies(plain))]
    assert failed, "an error stands before what follows it"


def test_a_common_trainer_reads_the_examples_as_they_are(
    sample: SnapshotSource, tmp_path: Path
) -> None:
    datasets = pytest.importorskip("datasets", reason="the extra trainer is not installed here")
    path = tmp_path / "examples.jsonl"
    with path.open("w", encoding="utf-8") as file, Corpus(sample, slips=0.5) as corpus:
        write(from_graph(sample, corpus, examples=30, seed=2), corpus, file.write)
    loaded = datasets.load_dataset(
        "json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert loaded.column_names == ["messages"] and len(loaded) >= 30
    for row in loaded:
        assert [message["role"] for message in row["messages"]] == ["system", "user", "assistant"]
        assert all(message["content"] for message in row["messages"])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    examples, programs = tmp_path / "examples.jsonl", tmp_path / "programs.jsonl"
    code = run(
        ["synthesize", "--output", str(examples), "--programs", str(programs), "--examples", "50",
         "--json"]
    )  # fmt: skip
    report = json.loads(capsys.readouterr().out)
    lines = examples.read_text("utf-8").splitlines()
    assert code == 0 and len(lines) == report["examples"] >= 50
    records = [json.loads(line) for line in programs.read_text("utf-8").splitlines()]
    assert len(records) == report["programs"]
    assert all(codec.from_object(record["program"]) for record in records)
    assert sum(len(record["calls"]) for record in records) == len(lines)


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["synthesize", "--output", str(tmp_path / "no" / "x"), "--examples", "1"]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert run(["synthesize", "--output", str(tmp_path / "x"), "--source", "wikidata"]) == 2
    assert "drawn from a snapshot" in capsys.readouterr().err
