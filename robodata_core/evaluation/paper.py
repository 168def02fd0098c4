"""The RoboData paper's experiments, run on whatever RoboData is opened with.

Questions and gold queries are in ``data/paper_questions.json``. Source: the paper's section
"Experimental Evaluation" (tables of batches A and B, and the consistency table).
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from robodata_core.api import RoboData
from robodata_core.errors import CancelledError
from robodata_core.evaluation.metrics import Score, score
from robodata_core.iris import WD, WDT
from robodata_core.model import Answer, AnswerStatus

__all__ = [
    "CONSISTENCY",
    "ConsistencyRow",
    "PaperQuestion",
    "PaperRow",
    "consistency",
    "paper_questions",
    "run_paper",
]

CONSISTENCY: Final = "consistency"
_PREFIXES: Final = f"PREFIX wd: <{WD}> PREFIX wdt: <{WDT}> "


@dataclass(frozen=True, slots=True)
class PaperQuestion:
    """A question of the paper.

    Attributes:
        id: ``A1`` ... ``B3``, or ``consistency``.
        question: Its words.
        gold: A SELECT with one variable that gives the expected results.
        published: The paper's own figures, as far as it gives them.
    """

    id: str
    question: str
    gold: str
    published: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One line of the table."""

    question: PaperQuestion
    answer: Answer
    expected: int
    score: Score


@dataclass(frozen=True, slots=True)
class ConsistencyRow:
    """Lowest, highest and mean of one figure over all runs."""

    name: str
    lowest: float
    highest: float
    mean: float


def paper_questions() -> tuple[PaperQuestion, ...]:
    """Return the paper's questions in its order, the consistency question last."""
    text = resources.files("robodata_core").joinpath("data/paper_questions.json").read_text("utf-8")
    return tuple(
        PaperQuestion(item["id"], item["question"], item["gold"], item["published"])
        for item in json.loads(text)["questions"]
    )


def run_paper(opener: Callable[[], RoboData]) -> Iterator[PaperRow]:
    """Ask every question of the paper on a fresh local graph and score the results."""
    for question in paper_questions():
        with opener() as robodata:
            rows = robodata.source.sparql(_PREFIXES + question.gold).rows
            gold = {row[0] for row in rows if row[0] is not None}
            answer = _asked(robodata, question)
        given = answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL)
        found = {item.value for item in answer.results} if given else set()
        yield PaperRow(question, answer, len(gold), score(found, gold))


def _asked(robodata: RoboData, question: PaperQuestion) -> Answer:
    answer = robodata.ask(question.question)
    if answer.status is AnswerStatus.CANCELLED:  # a Ctrl+C is meant for all of them
        raise CancelledError("The questions were cancelled.")
    return answer


def consistency(
    opener: Callable[[], RoboData], runs: int
) -> tuple[tuple[ConsistencyRow, ...], Sequence[Answer]]:
    """Ask the consistency question ``runs`` times, each on a fresh local graph.

    Returns:
        The paper's rows (iterations, tools, tokens, time, nodes, edges), and the answers.
    """
    question = next(item for item in paper_questions() if item.id == CONSISTENCY)
    answers = []
    for _ in range(runs):
        with opener() as robodata:
            answers.append(_asked(robodata, question))
    stats = [answer.statistics for answer in answers]
    series: dict[str, list[float]] = {
        "Iterations": [item.turns for item in stats],
        "Tools": [item.tool_calls for item in stats],
        "Tokens": [item.tokens.prompt + item.tokens.completion for item in stats],
        "Time (s)": [item.seconds for item in stats],
        "Nodes": [item.nodes for item in stats],
        "Edges": [item.edges for item in stats],
    }
    rows = tuple(
        ConsistencyRow(name, min(values), max(values), statistics.fmean(values))
        for name, values in series.items()
    )
    return rows, answers
