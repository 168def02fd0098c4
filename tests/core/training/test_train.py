"""Training from questions and answers alone: it learns, it repeats itself, it is used."""

from __future__ import annotations

import importlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from robodata_core.api import RoboData
from robodata_core.cli import run
from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError
from robodata_core.evaluation.datasets import GoldQuestion, load_questions
from robodata_core.model import AnswerStatus
from robodata_core.policy.offline.trained import read_ranker, write_ranker
from robodata_core.training import train
from robodata_core.training.train import is_held_out


@dataclass(frozen=True)
class Kit:
    """What every training here takes."""

    houses: Path
    keepers: Path
    words: Path

    @property
    def flags(self) -> list[str]:
        return ["--source", f"snapshot:{self.houses}", "--lexicon", str(self.words)]

    def train(self, output: Path, *more: str) -> int:
        return run(["train", str(self.keepers), *self.flags, "--output", str(output), *more])

    def open(self, **settings: str) -> RoboData:
        return RoboData.open(source=f"snapshot:{self.houses}", lexicon=str(self.words), **settings)


@pytest.fixture(scope="module")
def kit(houses: Path, keepers: Path, words: Path) -> Kit:
    return Kit(houses, keepers, words)


@pytest.fixture(scope="module")
def ranker(kit: Kit, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A trained ranker, and the questions that were held out."""
    folder = tmp_path_factory.mktemp("ranker")
    held_out = folder / "held-out.jsonl"
    more = ("--held-out-questions", str(held_out), "--hold-out", "0.3")
    assert kit.train(folder / "ranker.json", *more) == 0
    return folder / "ranker.json", held_out


def test_the_answers_alone_teach_what_words_mean(kit: Kit, ranker: tuple[Path, Path]) -> None:
    figures = read_ranker(ranker[0]).manifest["figures"]
    assert figures["before"] < 0.8
    assert figures["after"] == 1.0
    with kit.open(ranker=str(ranker[0])) as robodata:
        by_day = robodata.ask("Who is the keeper of Villa Aadon?")
        by_night = robodata.ask("Who is the keeper of Villa Aadon after dark?")
    assert [item.label for item in by_day.results] == ["Ada Moss Ael"]
    assert [item.label for item in by_night.results] == ["Ben Reed Aor"]
    assert all(claim.supported for claim in (*by_day.claims, *by_night.claims))


def test_the_bench_scores_held_out_questions_with_the_ranker(
    kit: Kit, ranker: tuple[Path, Path], tmp_path: Path
) -> None:
    file, held_out = ranker
    questions = load_questions(held_out)
    assert questions
    assert all(is_held_out(question.text, 0.3) for question in questions)
    hits = {}
    for name, flags in (("plain", []), ("trained", ["--ranker", str(file)])):
        output = tmp_path / f"{name}.jsonl"
        common = ["bench", "run", str(held_out), *kit.flags, "--output", str(output)]
        assert run([*common, *flags]) == 0
        lines = map(json.loads, output.read_text(encoding="utf-8").splitlines())
        rows = [line for line in lines if "hit" in line]
        assert len(rows) == len(questions)
        hits[name] = sum(row["hit"] for row in rows) / len(rows)
    assert hits["trained"] == 1.0 > hits["plain"]


def test_words_that_name_no_relation_are_learnt_too(kit: Kit, tmp_path: Path) -> None:
    lines = []
    for row in map(json.loads, kit.keepers.read_text(encoding="utf-8").splitlines()):
        house = row["question"].removeprefix("Who is the keeper of ").split("?")[0]
        if house.endswith(" after dark"):
            row["question"] = f"How scary is {house.removesuffix(' after dark')}?"
            lines.append(json.dumps(row))
    asked = tmp_path / "scary.jsonl"
    asked.write_text("\n".join(lines) + "\n", encoding="utf-8")
    output = tmp_path / "ranker.json"
    sets = ["train", str(asked), str(kit.keepers), *kit.flags, "--output", str(output)]
    assert run([*sets, "--hold-out", "0"]) == 0
    with kit.open() as plain, kit.open(ranker=str(output)) as trained:
        question = "How scary is Villa Abdon?"
        assert plain.ask(question).status is AnswerStatus.UNKNOWN
        assert [item.label for item in trained.ask(question).results] == ["Ben Reed Bor"]
        for other in ("How big is Villa Abdon?", "What about Villa Abdon?"):
            assert trained.ask(other).status is AnswerStatus.UNKNOWN, other


def test_the_same_seed_gives_the_same_bytes(kit: Kit, tmp_path: Path) -> None:
    one, two, other = (tmp_path / f"{name}.json" for name in ("one", "two", "other"))
    assert kit.train(one, "--seed", "7") == 0
    assert kit.train(two, "--seed", "7", "--processes", "2") == 0
    assert kit.train(other, "--seed", "8") == 0
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes() != other.read_bytes()
    manifest = read_ranker(one).manifest
    assert manifest["seed"] == 7
    assert manifest["data_sha256"] == read_ranker(other).manifest["data_sha256"]


def test_processes_that_cannot_open_what_the_first_one_could_end_it(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("robodata_core.training.train")
    snapshot = tmp_path / "snapshot"
    shutil.copytree(kit.houses, snapshot)
    look = module._name_of_source

    def look_and_lose(settings: Settings) -> str:
        name: str = look(settings)
        shutil.rmtree(snapshot)
        return name

    monkeypatch.setattr(module, "_name_of_source", look_and_lose)
    begun: list[int] = []

    class Noted(module.Worker):
        def __init__(self, job: str) -> None:
            super().__init__(job)
            begun.append(self.pid)

    monkeypatch.setattr(module, "Worker", Noted)
    settings = Settings(source=f"snapshot:{snapshot}", lexicon=str(kit.words))
    with pytest.raises(ConfigurationError, match="There is no snapshot at"):
        train(load_questions(kit.keepers), settings, processes=2)
    assert len(begun) == 2
    for pid in begun:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_the_report_is_one_object(
    kit: Kit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kit.train(tmp_path / "r.json", "--json", "--limit", "40") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["questions"] + report["held_out"] == 40
    assert report["weights"] > 0


def test_no_entity_is_learnt(ranker: tuple[Path, Path]) -> None:
    words = {group for groups in read_ranker(ranker[0]).words.values() for group in groups}
    assert words
    assert not any(word.endswith("don") or word == "villa" for g in words for word in g.split())


def test_questions_about_another_graph_teach_nothing(houses: Path) -> None:
    questions = [GoldQuestion("1", "Who wrote Hamlet?", frozenset({"shakespeare"}))]
    settings = Settings(source=(f"snapshot:{houses}",))
    with pytest.raises(ConfigurationError, match="Nothing can be learnt"):
        train(questions, settings, hold_out=0.0)


def test_a_ranker_of_another_graph_changes_nothing(
    ranker: tuple[Path, Path],
) -> None:
    with RoboData.open() as plain, RoboData.open(ranker=str(ranker[0])) as trained:
        for question in ("What is the capital of Canada?", "When was Douglas Adams born?"):
            assert plain.ask(question).text == trained.ask(question).text


def test_writing_and_reading_gives_the_same_ranker(
    ranker: tuple[Path, Path], tmp_path: Path
) -> None:
    first = read_ranker(ranker[0])
    write_ranker(first, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == ranker[0].read_bytes()


_HEAD = '{"format": "robodata-ranker", "version": 1, "manifest": {}'


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"format": "other"}', "is no ranker"),
        ("[1]", "is no ranker"),
        ('{"format": "robodata-ranker", "version": 99}', "version 99"),
        (_HEAD + "}", "lacks"),
        (_HEAD + ', "words": {"a": 1}}', "damaged"),
        (_HEAD + ', "words": {"a": {"b": "1"}}}', "damaged"),
        (_HEAD + ', "words": {"a": {"b": NaN}}}', "damaged"),
        (_HEAD + ', "words": {"a": {"b": 1e300}}}', "damaged"),
        (_HEAD + ', "words": {"a": {"b": true}}}', "damaged"),
    ],
)
def test_what_is_no_ranker_is_refused(
    tmp_path: Path, content: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ranker.json"
    file.write_text(content, encoding="utf-8")
    assert run(["ask", "--ranker", str(file), "What is the capital of Canada?"]) == 2
    shown = capsys.readouterr().err
    assert what in shown
    assert "robodata train" in shown or "Train it again" in shown


def test_a_missing_ranker_is_said_to_be_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", "--ranker", str(tmp_path / "none"), "What is the capital of Canada?"]) == 2
    assert "cannot be read" in capsys.readouterr().err
