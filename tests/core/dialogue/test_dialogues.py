"""The dialogues over the embedded sample: their gold, and how many turns are answered rightly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.evaluation.datasets import GoldDialogue, keys_of, load_dataset
from robodata_core.evaluation.metrics import marks
from robodata_core.model import AnswerStatus
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.store.graph import LocalGraph
from tests.core.evaluation.gold import computed

DEVELOPMENT = Path(__file__).with_name("dialogues_dev.jsonl")
TEST_HALF = Path(__file__).parents[1] / "evaluation" / "data" / "dialogues_test.jsonl"
_GIVEN = (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL)


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        yield from json.loads(line)["turns"]


@pytest.fixture(scope="module")
def graph() -> Iterator[SnapshotSource]:
    with open_snapshot("wikidata-sample") as source:
        yield source


@pytest.mark.parametrize("path", [DEVELOPMENT, TEST_HALF], ids=["development", "test"])
def test_gold_is_what_the_queries_give(path: Path, graph: SnapshotSource) -> None:
    drifted = 0
    for row in rows_of(path):
        gold = computed(row["query"], graph).split("|") if row["query"] else ["-"]
        drifted += set(gold) - {"-"} != set(row["gold"])
    assert drifted == 0


@pytest.mark.parametrize("path", [DEVELOPMENT, TEST_HALF], ids=["development", "test"])
def test_both_halves_are_large_and_mixed(path: Path) -> None:
    dialogues = load_dataset(path).items
    assert len(dialogues) >= 40
    kinds = {row["kind"] for row in rows_of(path)}
    assert kinds >= {"pronoun", "ellipsis", "set", "correction", "possessive", "description"}
    assert all(2 <= len(one.turns) <= 6 for one in dialogues if isinstance(one, GoldDialogue))


def test_the_halves_share_no_dialogue() -> None:
    def openings(path: Path) -> set[str]:
        items = load_dataset(path).items
        return {one.turns[0].text.lower() for one in items if isinstance(one, GoldDialogue)}

    assert openings(DEVELOPMENT).isdisjoint(openings(TEST_HALF))


def test_the_development_dialogues_are_followed() -> None:
    right = turns = stated_wrongly = 0
    with RoboData.open() as robodata:
        for dialogue in load_dataset(DEVELOPMENT).items:
            assert isinstance(dialogue, GoldDialogue)
            robodata.store.close()
            robodata.store = LocalGraph.in_memory()
            conversation = robodata.conversation()
            for turn in dialogue.turns:
                answer = conversation.ask(turn.text)
                results = answer.results if answer.status in _GIVEN else ()
                worth = marks([keys_of(item) for item in results], turn.gold)
                turns += 1
                right += worth.exact
                stated_wrongly += bool(results) and not worth.f1
    assert right / turns >= 0.95
    assert stated_wrongly <= 1
