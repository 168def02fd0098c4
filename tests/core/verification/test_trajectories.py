"""The memory of investigations: what ships, what is recalled, and how it is curated."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
from click.testing import CliRunner

from robodata_core.cancellation import CancelToken
from robodata_core.cli.memory import memory
from robodata_core.errors import ConfigurationError, SourceTimeoutError
from robodata_core.verification.trajectories import (
    Schema,
    Step,
    Trajectories,
    Trajectory,
    trajectory_of,
)


def made(
    relation: str, subjects: tuple[str, ...] = (), objects: tuple[str, ...] = ()
) -> Trajectory:
    step = Step("See.", 1, "kg_paths", {"entity_a": "Q1", "entity_b": "Q2"}, "No path.")
    schema = Schema(relation, subjects, objects)
    judged = ("supported", 0.9, "It was seen.")
    return trajectory_of(("a", relation, "b"), schema, ("Look.",), [step], judged, "by hand")


@pytest.fixture
def bank(tmp_path: Path) -> Trajectories:
    return Trajectories(tmp_path / "own.jsonl")


def test_at_least_fifty_ship_and_each_is_whole(bank: Trajectories) -> None:
    every = bank.all()
    assert len(every) >= 50 and len({one.id for one in every}) == len(every)
    for one in every:
        assert all(one.triple) and one.plan and one.steps and one.because
        assert one.judgement in ("supported", "refuted")
        assert (one.probability >= 0.5) == (one.judgement == "supported")
        assert all(step.ok and step.observation for step in one.steps)
    assert {one.judgement for one in every} == {"supported", "refuted"}


def test_what_ships_was_investigated_as_the_triples_asked_for(bank: Trajectories) -> None:
    every = bank.all()
    courses = {tuple(step.tool for step in one.steps) for one in every}
    tools = {tool for course in courses for tool in course}
    assert len(courses) >= 6
    assert tools == {"kg_definition", "kg_neighbours", "kg_paths", "text_evidence"}
    corrected = [one for one in every if any(step.plan_step == 0 for step in one.steps[1:])]
    empty = ("No path", "Nothing is stated", "The texts say nothing")
    assert corrected and all(one.steps[0].observation.startswith(empty) for one in corrected)
    quoting = [one for one in every for step in one.steps if "“" in step.observation]
    assert quoting
    assert len({one.schema.relation for one in every}) >= 40


def test_few_are_recalled_where_few_are_alike(bank: Trajectories) -> None:
    """The classes of one end are no likeness; the words of the relation are, however few."""
    bank.add([made("zymurgical grade", ("state",), ("state",))])
    classes = {"subject_classes": ("state",), "object_classes": ("town",)}
    assert bank.recall(Schema("quux", **classes), 9) == ()
    known = bank.recall(Schema("capital", **classes), 9)
    assert known and all("capital" in one.schema.relation for one in known)
    assert [one.schema.relation for one in bank.recall(Schema("zymurgical"), 9)] == [
        "zymurgical grade"
    ]


def test_what_is_like_the_triple_is_recalled_first(bank: Trajectories) -> None:
    bank.add(
        [
            made("place of worship", ("temple",), ("town",)),
            made("zymurgical grade", ("beer",), ("grade",)),
            made("zymurgical grade", ("wine",), ("grade",)),
        ]
    )
    found = bank.recall(Schema("zymurgical grade", ("wine",), ("grade",)), 2)
    assert [one.schema.subject_classes for one in found] == [("wine",), ("beer",)]
    by_class = bank.recall(Schema("unheard", ("temple",), ("town",)), 1)
    assert by_class[0].schema.relation == "place of worship"
    assert bank.recall(Schema("qqq", ("zzz",)), 3) == ()


def test_added_ones_are_kept_and_any_can_be_removed(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    bank = Trajectories(path)
    shipped, mine = bank.all()[0], made("zymurgical grade")
    assert bank.add([mine, shipped]) == 1
    bank.remove(shipped.id)
    again = Trajectories(path)
    assert again.get(mine.id) == mine
    with pytest.raises(ConfigurationError, match="no trajectory"):
        again.get(shipped.id)
    assert again.add([shipped]) == 1
    assert Trajectories(path).get(shipped.id).triple == shipped.triple
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["{", "[1]", '{"id": 3}', '{"removed": }', "\x00", "[" * 5_000])
def test_damaged_files_are_said_to_be(tmp_path: Path, text: str) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError):
        Trajectories(path)


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROBODATA_TRAJECTORIES", str(tmp_path / "own.jsonl"))
    mine = made("zymurgical grade")
    verdict = tmp_path / "verdict.json"
    verdict.write_text(json.dumps({"judgement": "supported", "investigation": asdict(mine)}))
    run = CliRunner().invoke
    added = run(memory, ["add", str(verdict)])
    assert (added.exit_code, added.output) == (0, "1 new.\n")
    listed = run(memory, ["list", "zymurgical", "grade"]).output.splitlines()
    assert listed[0].startswith(mine.id) and "zymurgical grade" in listed[0]
    shown = run(memory, ["show", mine.id]).output
    assert "Plan 1: Look." in shown and "kg_paths" in shown and "Judged supported" in shown
    assert run(memory, ["remove", mine.id]).exit_code == 0
    assert mine.id not in run(memory, ["list"]).output
    failed = {"judgement": "unknown", "status": "failed", "investigation": asdict(mine)}
    for useless in ({"judgement": "supported", "investigation": None}, failed):
        verdict.write_text(json.dumps(useless))
        refused = run(memory, ["add", str(verdict)])
        assert isinstance(refused.exception, ConfigurationError)


class Meanings:
    """An embedder that knows what three words mean."""

    name = "meanings"

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails

    def embed(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[array[float]]:
        if self.fails:
            raise SourceTimeoutError("The embeddings service does not answer.")
        return [array("d", (1.0, 0.0) if one in ("brewer", "zymurgist") else (0.0, 1.0))
                for one in texts]  # fmt: skip

    def close(self) -> None:
        """Nothing is held."""


def test_vectors_recall_what_shares_no_word(bank: Trajectories) -> None:
    bank.add([made("brewer"), made("painter")])
    asked = Schema("zymurgist")
    assert bank.recall(asked, 1) == ()
    assert bank.recall(asked, 1, Meanings())[0].schema.relation == "brewer"
    assert bank.recall(asked, 1, Meanings(fails=True)) == ()  # by words, as without


def test_what_is_recalled_holds_no_handles_and_no_ids_of_theirs(bank: Trajectories) -> None:
    for one in bank.all():
        shown = [line for line in one.text().splitlines() if line.startswith(("   ->", "Judged"))]
        assert not re.search(r"\bE\d+:|\([QP]\d+\)|http", "\n".join(shown))
