"""A floor for questions of one to three hops over a graph that nothing was written for.

Development questions, in part used to tune the policy: a guard against falling back, not a measure.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robodata_core.cli import run
from robodata_core.sources.snapshot import open_snapshot

_QUESTIONS = 20
_FLOOR = {1: 0.8, 2: 0.85, 3: 0.85}


def test_the_films_are_loaded(movies: Path) -> None:
    """First and alone: it takes longer than all that is asked about them."""
    with open_snapshot(movies) as source:
        assert source.search("The Godfather", limit=1)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_first_answers_are_right(movies: Path, shared_dir: Path, tmp_path: Path, hops: int) -> None:
    output = tmp_path / "rows.jsonl"
    questions = shared_dir / "metaqa" / f"qa_dev_{hops}hop_vanilla.tsv.gz"
    flags = ["--source", f"snapshot:{movies}", "--limit", str(_QUESTIONS), "--output", str(output)]
    assert run(["bench", "run", str(questions), *flags]) == 0
    lines = map(json.loads, output.read_text(encoding="utf-8").splitlines())
    rows = [line for line in lines if "hit" in line]
    assert len(rows) == _QUESTIONS
    wrong = [row["question"] for row in rows if not row["hit"]]
    assert 1 - len(wrong) / len(rows) >= _FLOOR[hops], wrong
    assert all(row["supported"] == row["claims"] for row in rows)
