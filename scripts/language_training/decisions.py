"""Questions read by rules and by the learned model, as examples for the decision between them.

They are asked as users would ask them, of whole graphs and of graphs that lack many facts, and
with words put in that change what is asked. The learned model is one that has not seen them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, TypeAlias

from language_training.examples import Changes
from language_training.graphs import ASKED, Graphs
from language_training.own import gives_gold, own_questions
from language_training.questions import Asked
from language_training.written import written_questions
from robodata_core.config import Settings
from robodata_core.errors import RoboDataError
from robodata_core.evaluation.datasets import GoldQuestion
from robodata_core.language import Understanding
from robodata_core.language.lexicon import Lexicon
from robodata_core.language.understanding import Models
from robodata_core.model import Direction, EntityValue
from robodata_core.policy.offline.deciding import outcome, signals
from robodata_core.policy.offline.plan import read_twice
from robodata_core.policy.offline.resources import OfflineResources
from robodata_core.programs.executor import Executor
from robodata_core.programs.result import ProgramResult
from robodata_core.sources.snapshot import open_snapshot

__all__ = ["WEIGHT", "Decided", "decided"]

#: Tells of a result, and of the relations that lead to it, whether it is what was asked for.
_Right: TypeAlias = Callable[[ProgramResult, set[str]], bool]
#: How much a question of each form counts. The rules were made with the project's own at hand.
WEIGHT: Final = {
    "plain": 1.0, "gone": 1.0, "changed": 0.7, "own": 1.0, "written": 1.0, "without": 1.0,
}  # fmt: skip
_CHANGED: Final = 0.3
_TODAY: Final = date(2026, 1, 1)
_NODES: Final = 4_000
_OWN: Final = "wikidata-sample"


@dataclass(frozen=True, slots=True)
class Decided:
    """One question, read twice.

    Attributes:
        id: The question's.
        form: A key of ``WEIGHT``.
        values: What tells who is right.
        rules: Whether what rules found is right; None where they found nothing, or many things.
        learned: Whether the best learned reading is; None where there is none.
    """

    id: str
    form: str
    values: Mapping[str, float]
    rules: bool | None
    learned: bool | None


class _Asker:
    """Reads questions about one graph twice."""

    def __init__(self, path: str, models: Models) -> None:
        self.source = open_snapshot(path)
        self._settings = Settings()
        self.resources = OfflineResources.build(self.source, self._settings)
        self.understanding = Understanding(self.source, models=models)
        self.resources.understanding = self.understanding

    def read(self, id_: str, form: str, question: str, right: _Right) -> Iterator[Decided]:
        """Yield how a question was read, unless rules find nothing at all to say of it."""
        try:
            plan, found = read_twice(question, self.source, self.resources, self._settings, _TODAY)
        except RoboDataError:
            return  # No words at all are left of it.
        if not plan.parts:
            return
        rules = learned = None
        part = plan.parts[0]
        if len(plan.parts) == 1 and part.result is not None and part.program is not None:
            rules = right(part.result, set(part.program.along))
        if found:
            learned = right(found[0].result, set(found[0].reading.program.along))
        if form == "changed":
            # What gives the same is wrong; of what gives something else nobody knows.
            rules, learned = (False if given else None for given in (rules, learned))
        yield Decided(id_, form, signals(plan, found), rules, learned)


def decided(
    asked: Iterable[Asked],
    part: Callable[[str], bool],
    graphs: Graphs,
    lexicon: Lexicon,
    models: Models,
    share: float = 1.0,
) -> list[Decided]:
    """Return the questions of one fold, read twice.

    Args:
        asked: Questions about one fact, all of them of this fold.
        part: Tells by its id whether another question is of this fold.
        graphs: What to ask.
        lexicon: Of the language.
        models: Learned from the other folds.
        share: How many of the written questions are asked.
    """
    found = list(_of_facts(asked, graphs, lexicon, models))
    root = Path(__file__).resolve().parents[2]
    found += _of_own([one for one in own_questions(root) if part(one[0])], graphs, lexicon, models)
    chance = random.Random(0)
    texts = [one for one in written_questions() if part(one.id) and chance.random() < share]
    for graph in sorted({one.graph for one in texts}):
        whole = _Asker(graphs.path(graph), models)
        less = _Asker(graphs.without(graph), models)
        changes = Changes(lexicon, (one.question for one in texts))
        executor, left = (Executor(one.source, max_nodes=_NODES) for one in (whole, less))
        for one in texts:
            if one.graph != graph:
                continue
            wanted, along = outcome(executor.run(one.program)), set(one.program.along)
            right = _gives(wanted, along)
            found += whole.read(one.id, "written", one.question, right)
            if wanted and not outcome(left.run(one.program)):
                found += less.read(one.id, "without", one.question, _nothing)
            found += _changed(whole, one.id, one.question, changes, right)
    return found


def _of_facts(
    asked: Iterable[Asked], graphs: Graphs, lexicon: Lexicon, models: Models
) -> Iterator[Decided]:
    asked = [one for one in asked if one.property and one.target]
    whole = _Asker(graphs.path(ASKED), models)
    less = _Asker(graphs.without(ASKED), models)
    view, left = whole.understanding.view, less.understanding.view
    changes = Changes(lexicon, (one.question for one in asked))
    for one in asked:
        edge = (one.property, Direction.IN if one.inverse else Direction.OUT)
        if edge not in view.relations(one.subject):
            continue
        ends = frozenset(view.ends((one.subject,), edge, 1000))
        right = _gives_fact(ends, EntityValue(one.target))
        yield from whole.read(one.id, "plain", one.question, right)
        if edge not in left.relations(one.subject):
            yield from less.read(one.id, "gone", one.question, _nothing)
        yield from _changed(whole, one.id, one.question, changes, right)


def _of_own(
    questions: Iterable[tuple[str, GoldQuestion, frozenset[str]]],
    graphs: Graphs,
    lexicon: Lexicon,
    models: Models,
) -> Iterator[Decided]:
    questions = list(questions)
    whole = _Asker(graphs.path(_OWN), models)
    view = whole.understanding.view
    changes = Changes(lexicon, (question.text for _, question, _ in questions))
    for id_, question, along in questions:

        def right(
            result: ProgramResult,
            gone: set[str],
            question: GoldQuestion = question,
            along: frozenset[str] = along,
        ) -> bool:
            if result.boolean is not None and along and gone.isdisjoint(along):
                return False
            return gives_gold(result, question, view)

        yield from whole.read(id_, "own", question.text, right)
        yield from _changed(whole, id_, question.text, changes, right)


def _changed(
    asker: _Asker, id_: str, question: str, changes: Changes, right: _Right
) -> Iterator[Decided]:
    """Yield a question with a word put in that changes what is asked, now and then."""
    chance = random.Random(id_)
    if chance.random() < _CHANGED:
        yield from asker.read(id_, "changed", changes.change(question, chance), right)


def _nothing(result: ProgramResult, along: set[str]) -> bool:
    """Tell that nothing is right, as the graph lacks what was asked for."""
    return False


def _gives(wanted: object, along: AbstractSet[str]) -> _Right:
    def right(result: ProgramResult, gone: set[str]) -> bool:
        # Half of all readings give the right yes or no by chance.
        return outcome(result) == wanted and (result.boolean is None or bool(gone & along))

    return right


def _gives_fact(ends: AbstractSet[object], target: EntityValue) -> _Right:
    def right(result: ProgramResult, _: set[str]) -> bool:
        found = outcome(result)
        if not isinstance(found, frozenset):
            return False
        return found == ends or (target in found and len(found) <= len(ends))

    return right
