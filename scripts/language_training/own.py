"""The project's own development questions as examples: few ask for one fact, most need structure.

They keep the ranker from being sure of one fact where more was asked for. Only development parts
are read; what is kept for measuring never is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path

from language_training.examples import (
    Changes,
    Example,
    Prepared,
    judges_along,
    prepare,
    refused,
)
from robodata_core.evaluation.datasets import GoldQuestion, keys_of, load_questions
from robodata_core.evaluation.metrics import marks
from robodata_core.language.lexicon import Lexicon, WordModel
from robodata_core.language.types import Reading
from robodata_core.language.view import View
from robodata_core.model import EntityValue, ResultItem, Value
from robodata_core.programs.executor import Executor
from robodata_core.programs.result import ProgramResult

__all__ = ["OWN_SETS", "gives_gold", "own_examples", "own_questions"]

OWN_SETS = (
    "tests/core/policy/offline/questions_dev.tsv",
    "tests/core/evaluation/data/questions_natural_dev.tsv",
)
_QUERIES = "tests/core/evaluation/data/questions_dev_queries.tsv"
_RELATION = re.compile(r"\bP[0-9]+\b")
_JUDGED = frozenset({"yes", "no", "true", "false"})


def own_questions(root: Path) -> list[tuple[str, GoldQuestion, frozenset[str]]]:
    """Return the development questions: an id, the question, the relations of its query.

    What asks for yes or no is left out where its query is not known: half of all readings give
    the same answer.
    """
    queries: dict[str, str] = {}
    for name in (*OWN_SETS, _QUERIES):
        if (root / name).is_file():
            with (root / name).open(encoding="utf-8") as lines:
                rows = csv.DictReader((one for one in lines if one[0] != "#"), delimiter="\t",
                                      quoting=csv.QUOTE_NONE)  # fmt: skip
                queries.update((row["question"], row["query"]) for row in rows if row.get("query"))
    found = []
    for number, name in enumerate(OWN_SETS):
        path = root / name
        for i, question in enumerate(load_questions(path) if path.is_file() else ()):
            along = frozenset(_RELATION.findall(queries.get(question.text, "")))
            if along or not question.gold & _JUDGED:
                found.append((f"o{number}.{i}", question, along))
    return found


def own_examples(
    questions: Iterable[tuple[str, GoldQuestion, frozenset[str]]],
    view: View,
    lexicon: Lexicon,
    words: WordModel,
) -> list[Example]:
    """Return examples: right are the readings that give exactly the gold answers.

    A reading that gives yes or no goes along a relation of the question's query, too.
    """
    prepared = Prepared(view, lexicon, words)
    executor = Executor(view.source, max_nodes=2_000)
    questions = list(questions)
    changes = Changes(lexicon, (question.text for _, question, _ in questions))
    found = []
    for id_, question, along in questions:

        def is_right(
            reading: Reading, question: GoldQuestion = question, along: frozenset[str] = along
        ) -> bool:
            return _is_gold(reading, question, executor, view) and judges_along(reading, along)

        readings, features = prepare(question.text, prepared, view)
        right = tuple(map(is_right, readings))
        found.append(Example(id_, "own", features, right, right))
        found += refused(id_, question.text, along, prepared, view, changes, is_right)
    return found


def gives_gold(found: ProgramResult, question: GoldQuestion, view: View) -> bool:
    """Tell whether a result is what a question's gold answers say."""
    if not question.gold:
        return False
    if found.boolean is not None:
        names = [frozenset(("yes", "true") if found.boolean else ("no", "false"))]
    elif found.number is not None:
        names = [frozenset((str(found.number),))]
    else:
        names = [_names(value, view) for value in found.values]
    return bool(marks(names, question.gold).exact)


def _is_gold(reading: Reading, question: GoldQuestion, executor: Executor, view: View) -> bool:
    if not question.gold:
        return False
    found = executor.run(reading.program)
    some = found.boolean is None and found.number is None
    if some and reading.size > 2 * len(question.gold) + 20:
        return False
    return gives_gold(found, question, view)


def _names(value: Value, view: View) -> frozenset[str]:
    label = view.label(value.id) if isinstance(value, EntityValue) else ""
    return frozenset(keys_of(ResultItem(value=value, label=label)))
