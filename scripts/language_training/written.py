"""Questions written for programs that were drawn from graphs, as examples of structure.

Programs were drawn at random from the snapshots that come with the project; people who saw neither
code nor other questions put them into words, each in many voices. What a program gives is gold.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from language_training.examples import (
    Changes,
    Example,
    Prepared,
    judges_along,
    prepare,
    refused,
)
from language_training.graphs import Graphs
from robodata_core.language.lexicon import Lexicon, WordModel
from robodata_core.language.lexicon.word_model import Relation, masked
from robodata_core.language.text import words_of
from robodata_core.language.types import Reading
from robodata_core.language.view import View
from robodata_core.policy.offline.deciding import outcome
from robodata_core.programs.codec import from_object
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import Program
from robodata_core.sources.snapshot import open_snapshot

__all__ = ["Written", "wordings", "written_examples", "written_questions"]

_DATA = Path(__file__).resolve().parent / "data"
_WRITTEN = _DATA / "written_en.jsonl"
_WORDINGS = _DATA / "wordings_en.tsv"
_NAMED = "[E]"
_NODES = 4_000


@dataclass(frozen=True, slots=True)
class Written:
    """A question written for a program.

    Attributes:
        id: Its number.
        graph: Name of the snapshot.
        question: As written.
        program: What it means.
    """

    id: str
    graph: str
    question: str
    program: Program


def written_questions(path: Path = _WRITTEN) -> Iterator[Written]:
    """Yield the questions of a file, each with its program."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            program = from_object(row["program"])
            yield Written(f"t{row['id']}", row["graph"], row["question"], program)


def wordings() -> Iterator[tuple[str, tuple[str, ...], Relation]]:
    """Yield wordings of relations: an id, masked words, the relation."""
    with _WORDINGS.open(encoding="utf-8") as lines:
        rows = csv.DictReader((one for one in lines if not one.startswith("#")), delimiter="\t",
                              quoting=csv.QUOTE_NONE)  # fmt: skip
        for number, row in enumerate(rows):
            before, after = map(words_of, row["question"].split(_NAMED))
            words = masked((*before, _NAMED, *after), len(before), len(before) + 1)
            yield f"r{number}", words, Relation(row["relation"], row["way"] == "in")


def written_examples(
    questions: Iterable[Written], lexicon: Lexicon, words: WordModel, graphs: Graphs
) -> list[Example]:
    """Return examples: right are the readings that give what the program gives.

    A reading that gives yes or no goes along one of its relations, too. Where a graph lacks what
    a program gave, nothing is right.
    """
    by_graph: dict[str, list[Written]] = defaultdict(list)
    for question in questions:
        by_graph[question.graph].append(question)
    found = []
    for graph, some in sorted(by_graph.items()):
        view, less = (
            View(open_snapshot(path), roles=lexicon.role)
            for path in (graphs.path(graph), graphs.without(graph))
        )
        prepared, lacking = (Prepared(one, lexicon, words) for one in (view, less))
        executor, left = (Executor(one.source, max_nodes=_NODES) for one in (view, less))
        changes = Changes(lexicon, (question.question for question in some))
        for question in some:
            wanted = outcome(executor.run(question.program))
            along = set(question.program.along)

            def is_right(
                reading: Reading,
                wanted: object = wanted,
                along: set[str] = along,
                executor: Executor = executor,
            ) -> bool:
                return _gives(reading, wanted, executor) and judges_along(reading, along)

            readings, features = prepare(question.question, prepared, view)
            right = tuple(map(is_right, readings))
            found.append(Example(question.id, "written", features, right, right))
            if wanted and not outcome(left.run(question.program)):
                readings, features = prepare(question.question, lacking, less)
                none = (False,) * len(readings)
                found.append(Example(question.id, "without", features, none, none))
            found += refused(
                question.id, question.question, along, prepared, view, changes, is_right
            )
    return found


def _gives(reading: Reading, wanted: object, executor: Executor) -> bool:
    if isinstance(wanted, frozenset) and reading.size > 2 * len(wanted) + 20:
        return False
    return outcome(executor.run(reading.program)) == wanted
