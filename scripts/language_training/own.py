"""The project's own development questions as examples: few ask for one fact, most need structure.

They keep the ranker from being sure of one fact where more was asked for. Only development parts
are read; what is kept for measuring never is.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from language_training.examples import Example, Prepared, prepare
from robodata_core.evaluation.datasets import GoldQuestion, keys_of, load_questions
from robodata_core.evaluation.metrics import marks
from robodata_core.language.lexicon import Lexicon, WordModel
from robodata_core.language.types import Reading
from robodata_core.language.view import View
from robodata_core.model import EntityValue, ResultItem, Value
from robodata_core.programs.executor import Executor

__all__ = ["OWN_SETS", "own_examples", "own_questions"]

OWN_SETS = (
    "tests/core/policy/offline/questions_dev.tsv",
    "tests/core/evaluation/data/questions_natural_dev.tsv",
)


def own_questions(root: Path) -> list[tuple[str, GoldQuestion]]:
    """Return the development questions with an id each."""
    found = []
    for number, name in enumerate(OWN_SETS):
        path = root / name
        if path.is_file():
            found += [(f"o{number}.{i}", q) for i, q in enumerate(load_questions(path))]
    return found


def own_examples(
    questions: Iterable[tuple[str, GoldQuestion]], view: View, lexicon: Lexicon, words: WordModel
) -> list[Example]:
    """Return examples: right are the readings that give exactly the gold answers."""
    prepared = Prepared(view, lexicon, words)
    executor = Executor(view.source, max_nodes=2_000)
    found = []
    for id_, question in questions:
        readings, features = prepare(question.text, prepared, view)
        right = tuple(_is_gold(reading, question, executor, view) for reading in readings)
        found.append(Example(id_, "own", features, right, right))
    return found


def _is_gold(reading: Reading, question: GoldQuestion, executor: Executor, view: View) -> bool:
    if not question.gold:
        return False
    found = executor.run(reading.program)
    if found.boolean is not None:
        names = [frozenset(("yes", "true") if found.boolean else ("no", "false"))]
    elif found.number is not None:
        names = [frozenset((str(found.number),))]
    elif reading.size > 2 * len(question.gold) + 20:
        return False
    else:
        names = [_names(value, view) for value in found.values]
    return bool(marks(names, question.gold).exact)


def _names(value: Value, view: View) -> frozenset[str]:
    label = view.label(value.id) if isinstance(value, EntityValue) else ""
    return frozenset(keys_of(ResultItem(value=value, label=label)))
