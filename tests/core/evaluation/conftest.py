"""What these tests share: a small data set over the embedded sample, and rows made by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from robodata_core.evaluation.datasets import DataSet, load_dataset
from robodata_core.evaluation.results import Header, Results, Row

TABLE = """\
question\tgold\tkind
What is the capital of Canada?\tQ1930\tplace
Is Ottawa the capital of Canada?\tyes\tboolean
When was Douglas Adams born?\t1952-03-11\ttime
Who is the king of Zzyzx Qwrtp?\t-\tunknown
What is the capital of Canada, then?\tQ999\twrong
"""

MakeRow = Callable[..., Row]


@pytest.fixture
def small(tmp_path: Path) -> DataSet:
    """Five questions: three that are answered, one without an answer, one whose gold is wrong."""
    path = tmp_path / "small.tsv"
    path.write_text(TABLE, encoding="utf-8")
    return load_dataset(path)


@pytest.fixture
def make_row() -> MakeRow:
    """A row; ``right`` sets all its marks."""

    def make(id_: str = "1", *, right: bool = True, **other: object) -> Row:
        worth = float(right)
        given = {
            **dict.fromkeys(("hit", "reciprocal_rank", "hit_at_5", "precision", "recall"), worth),
            **{"f1": worth, "exact": worth, "question": f"Question {id_}?", "kind": "k"},
            **{"status": "answered", "found": ("x",), "gold": ("x",), "expected": 1},
            **{"seconds": 0.01, "claims": 1, "supported": 1, "stage": "" if right else "unclear"},
        }
        return Row(**{"id": id_, **given, **other})  # type: ignore[arg-type]

    return make


def results_of(rows: list[Row], sha256: str = "a" * 64, **setup: object) -> Results:
    """Return results of a made-up data set."""
    return Results(Header("made.tsv", sha256, "tsv", "questions", len(rows), setup), tuple(rows))
