"""Examples: the candidate programs of a question, each with whether it gives the gold answer.

No gold program is needed. A question is solved as the policy would solve it; the programs that
look as if they might be right are run in full, and those whose results match the gold best are
the positives. Questions of several requests are left out: their gold belongs to no one program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.errors import RoboDataError
from robodata_core.evaluation.datasets import GoldQuestion, keys_of
from robodata_core.model import EntityValue, ResultItem, Value
from robodata_core.policy.offline.candidate import Candidate, Scored
from robodata_core.policy.offline.question import analyse
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.resources import OfflineResources
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.wording import Wording
from robodata_core.programs.executor import Executor
from robodata_core.programs.result import ProgramResult
from robodata_core.sources.base import KnowledgeSource
from robodata_core.values import format_value

__all__ = ["Example", "Option", "make_example"]

_MOST_OPTIONS: Final = 30
_MAX_NODES: Final = 5_000
_SAMPLE: Final = 24
_PROMISING: Final = 0.3
_GOOD: Final = 0.5


@dataclass(frozen=True, slots=True)
class Option:
    """One candidate of a question.

    Attributes:
        walks: Names of where it leads; see ``Wording.walks``.
        groups: The word groups of the question, as seen from its starting point.
        positive: Whether no other candidate matches the gold better, and it does well.
    """

    score: float
    walks: tuple[str, ...]
    groups: tuple[str, ...]
    positive: bool


@dataclass(frozen=True, slots=True)
class Example:
    """One question with its options, best untrained score first.

    Attributes:
        options: May be empty, and may hold no positive.
        skipped: Why the question teaches nothing, or empty.
    """

    question: str
    options: tuple[Option, ...]
    skipped: str = ""


def make_example(
    question: GoldQuestion, source: KnowledgeSource, resources: OfflineResources
) -> Example:
    """Solve a question and mark the candidates that give its gold answer.

    A failure of the source, or a question that cannot be read, is a skipped example.
    """
    try:
        return _example(question, source, resources)
    except RoboDataError as error:
        return Example(question.text, (), f"failed: {error.message}")


def _example(
    question: GoldQuestion, source: KnowledgeSource, resources: OfflineResources
) -> Example:
    read = analyse(question.text)
    if len(read.requests) != 1:
        return Example(question.text, (), "it asks for several things")
    request = read.requests[0]
    solver = Solver(source, resources.index, read, weights=resources.weights, teaching=True)
    linking, matches = solver.link(request)
    scored = solver.candidates(request, linking, matches)
    wording = Wording(read.tokens, request, resources.index)
    kept = _distinct(scored, wording)
    if not kept:
        return Example(question.text, (), "no candidate was found")
    judge = _Judge(source, solver.reader, question.gold)
    quality = [judge.quality(item.candidate) for item in kept]
    best = max(quality)
    return Example(
        question.text,
        tuple(
            Option(
                item.score,
                wording.walks(item.candidate),
                wording.groups(item.candidate),
                best >= _GOOD and value >= best - 1e-9,
            )
            for item, value in zip(kept, quality, strict=True)
        ),
        "" if best >= _GOOD else "no candidate gives the gold answer",
    )


def _distinct(scored: Sequence[Scored], wording: Wording) -> list[Scored]:
    """Return the best of all candidates that do the same, as far as the ranker can tell."""
    seen = set()
    kept = []
    for item in scored:
        ids = tuple(link.ids for link in item.candidate.links)
        key = (wording.walks(item.candidate), wording.groups(item.candidate), ids)
        if key not in seen:
            seen.add(key)
            kept.append(item)
    return kept[:_MOST_OPTIONS]


class _Judge:
    """Compares the results of candidates with the gold of one question."""

    def __init__(self, source: KnowledgeSource, reader: Reader, gold: frozenset[str]) -> None:
        self._reader = reader
        self._gold = gold
        self._executor = Executor(source, max_nodes=_MAX_NODES)

    def quality(self, candidate: Candidate) -> float:
        """Return F1 of a candidate's results; 0 at once where a sample shows that it is low."""
        if candidate.final == "set" and candidate.nodes:
            keys = self._keys(candidate.nodes[:_SAMPLE])
            right = sum(bool(item & self._gold) for item in keys)
            if right < _PROMISING * len(keys):
                return 0.0
        result = self._executor.run(candidate.program())
        return self._f1(self._results(result))

    def _results(self, result: ProgramResult) -> list[frozenset[str]]:
        if result.boolean is not None:
            return [keys_of(ResultItem(result.boolean))]
        if result.number is not None:
            return [keys_of(ResultItem(result.number))]
        return self._keys(result.members)

    def _keys(self, values: Sequence[Value]) -> list[frozenset[str]]:
        ids = [value.id for value in values if isinstance(value, EntityValue)]
        known = self._reader.entities(ids)
        found = []
        for value in values:
            if isinstance(value, EntityValue):
                entity = known.get(value.id)
                label = entity.name if entity else value.id
            else:
                label = format_value(value)
            found.append(keys_of(ResultItem(value, label)))
        return found

    def _f1(self, results: Sequence[frozenset[str]]) -> float:
        if not results or not self._gold:
            return 0.0
        right = sum(bool(item & self._gold) for item in results)
        reached = len(self._gold & frozenset().union(*results))
        if not right:
            return 0.0
        precision, recall = right / len(results), reached / len(self._gold)
        return 2 * precision * recall / (precision + recall)
