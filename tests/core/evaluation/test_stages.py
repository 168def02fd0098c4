"""Where an answer went wrong, on graphs made so that it must be there."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest

from robodata_core.evaluation.bench import run_dataset
from robodata_core.evaluation.datasets import GoldQuestion, load_dataset
from robodata_core.evaluation.stages import Trail, stage_of
from robodata_core.events import GraphChanged, Header, ToolCalled, ToolReturned
from robodata_core.model import (
    Answer,
    AnswerStatus,
    EntityValue,
    Evidence,
    ResultItem,
    Triple,
)
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot

_HEAD = Header("run-1", 1, datetime(2024, 1, 1, tzinfo=timezone.utc))
_UNKNOWN = Answer("?", AnswerStatus.UNKNOWN)
_WRONG = Answer("?", AnswerStatus.ANSWERED, results=(ResultItem(EntityValue("Q5"), "human"),))


@pytest.fixture(scope="module")
def sample() -> Iterator[SnapshotSource]:
    with open_snapshot("wikidata-sample") as source:
        yield source


def _trail(*touched: str, in_vain: bool = False, found: str = "") -> Trail:
    trail = Trail()
    if touched:
        trail.see(ToolCalled(_HEAD, 1, "k1", "get_relation", {"entities": list(touched)}))
    for call, text, total in (("k2", "nobody", 0), ("k3", found, 1)):
        if (in_vain and total == 0) or (found and total):
            trail.see(ToolCalled(_HEAD, 1, call, "search_entities", {"text": text}))
            trail.see(
                ToolReturned(_HEAD, 1, call, "search_entities", True, "", total, total, False, 0.0)
            )
    return trail


def _question(*gold: str, topic: str = "", hops: int = 0) -> GoldQuestion:
    return GoldQuestion("1", "?", frozenset(gold), topic=topic, hops=hops)


def test_every_stage_is_told(sample: SnapshotSource) -> None:
    canada, ottawa, adams = "Q16", "q1930", "Q42"
    cases = [
        ("error", _question(ottawa), Answer("?", AnswerStatus.FAILED), 0.0, _trail(canada)),
        ("overreach", _question(), _WRONG, 0.0, _trail(canada)),
        ("structure", _question(ottawa), _WRONG, 0.5, _trail(canada)),
        ("missing fact", _question("q999999999"), _UNKNOWN, 0.0, _trail(canada)),
        ("missing fact", _question("nobody has this name"), _UNKNOWN, 0.0, _trail(canada)),
        ("missing fact", _question("q42", topic="Canada", hops=1), _UNKNOWN, 0.0, _trail(canada)),
        ("linking", _question(ottawa, topic="Canada"), _WRONG, 0.0, _trail(adams)),
        ("linking", _question(ottawa), _UNKNOWN, 0.0, _trail(in_vain=True)),
        ("linking", _question(ottawa), _UNKNOWN, 0.0, _trail()),
        ("relation", _question(ottawa), _UNKNOWN, 0.0, _trail(canada)),
        ("relation", _question("ottawa"), _UNKNOWN, 0.0, _trail(found="Canada")),
        ("relation", _question("1952-03-11"), _UNKNOWN, 0.0, _trail(adams)),
        ("relation", _question("q42", topic="Canada", hops=2), _WRONG, 0.0, _trail(canada)),
        ("unclear", _question("q42"), _UNKNOWN, 0.0, _trail(canada)),
        ("unclear", _question("true"), _UNKNOWN, 0.0, _trail(canada)),
    ]
    told = [stage_of(question, answer, f1, trail, sample)
            for _, question, answer, f1, trail in cases]  # fmt: skip
    assert told == [name for name, *_ in cases]
    assert len(set(told)) == 7  # of them all


def test_right_facts_in_hand_mean_that_the_structure_was_wrong(sample: SnapshotSource) -> None:
    trail = _trail("Q16")
    triple = Triple("Q16", "P36", EntityValue("Q1930"))
    evidence = Evidence("T1", triple, "s", "Canada", "capital", "Ottawa")
    trail.see(GraphChanged(_HEAD, 1, "k1", (evidence,), (), 2, 1))
    assert stage_of(_question("q1930"), _UNKNOWN, 0.0, trail, sample) == "structure"
    assert stage_of(_question("ottawa"), _UNKNOWN, 0.0, trail, sample) == "structure"


def test_relations_are_not_taken_for_entities() -> None:
    trail = Trail()
    arguments = {"entities": ["http://a/x"], "relation": ["http://a/r"], "into": "$v", "n": 3}
    trail.see(ToolCalled(_HEAD, 1, "k1", "get_tail_entity", arguments))
    assert list(trail.touched) == ["http://a/x"]


def test_a_run_tells_stages_only_where_it_is_not_right(tmp_path: Path) -> None:
    path = tmp_path / "q.tsv"
    path.write_text(
        "question\tgold\n"
        "What is the capital of Canada?\tQ1930\n"
        "What is the population of Canada?\tQ999999999\n"
        "What is the capital of Qwertzuland?\tQ1930\n"
    )
    rows = run_dataset(load_dataset(path), {}, tmp_path / "r.jsonl").rows
    assert [row.stage for row in rows] == ["", "missing fact", "linking"]
