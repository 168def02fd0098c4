"""Questions of one to three hops on films (MetaQA) as examples: a part of its development sets.

Names stand in [brackets]; half of the questions come without them, so that both are learned.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path

from language_training.examples import Example, Prepared, prepare
from robodata_core.language.lexicon import Lexicon, WordModel
from robodata_core.language.types import Reading
from robodata_core.language.view import View
from robodata_core.model import EntityValue
from robodata_core.programs.executor import Executor

__all__ = ["metaqa_examples", "metaqa_questions"]

#: Every so many questions of each development set are learned from; others measure.
EVERY = 80


def metaqa_questions(data: Path) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Yield an id, a question, and the names of its answers."""
    for hops in (1, 2, 3):
        path = data / "metaqa" / f"qa_dev_{hops}hop_vanilla.tsv.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            for number, row in enumerate(rows):
                if number % EVERY == 0:
                    question, answers = row["question"], row["answers"]
                    if number % (2 * EVERY):
                        question = question.replace("[", "").replace("]", "")
                    yield f"m{hops}.{number}", question, frozenset(answers.split("|"))


def metaqa_examples(
    questions: Iterable[tuple[str, str, frozenset[str]]],
    view: View,
    lexicon: Lexicon,
    words: WordModel,
) -> list[Example]:
    """Return examples: right are the readings that give exactly the answers."""
    prepared = Prepared(view, lexicon, words)
    executor = Executor(view.source, max_nodes=2_000)
    found = []
    for id_, question, answers in questions:
        readings, features = prepare(question, prepared, view)
        right = tuple(_is_right(reading, answers, executor, view) for reading in readings)
        found.append(Example(id_, "films", features, right, right))
    return found


def _is_right(reading: Reading, answers: frozenset[str], executor: Executor, view: View) -> bool:
    if not len(answers) <= reading.size <= len(answers) + 1:
        return False  # One more: the thing asked about, which walks lead back to.
    values = executor.run(reading.program).values
    named = {mention_id for _, c in reading.mentions for mention_id in _ids(c.value)}
    names = {
        view.label(value.id) if isinstance(value, EntityValue) else str(value)
        for value in values
        if not (isinstance(value, EntityValue) and value.id in named)
    }
    return names == answers


def _ids(value: object) -> tuple[str, ...]:
    return (value.id,) if isinstance(value, EntityValue) else ()
