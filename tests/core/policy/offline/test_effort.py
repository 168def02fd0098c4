"""However a question is put together, understanding it takes a bounded number of steps."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from robodata_core.api import RoboData
from robodata_core.model import AnswerStatus
from robodata_core.policy.offline.effort import Effort, EffortSpentError

PIECES = [
    "who", "wrote", "the author of", "and", "or", "not", "the largest", "city", "in Canada",
    "born in", "before 1900", "The Hitchhiker's Guide", "how many", "is", "that", "whose",
    "mother", "of", "?", ",", "more than", "both", "Q42", "(", "'s", "in England", "countries",
    "who was born in", "the capital of", "Douglas Adams", "people", "older than",
]  # fmt: skip
#: Each four times the one before, up to the longest that is allowed.
LENGTHS = (31, 125, 500, 2_000)
#: What once took a minute, and drawn ones that once took ten seconds and more at 250 characters.
AUTHORS = [
    "The author " * n + "who wrote The Hitchhiker's Guide " * n + "was born where?"
    for n in (1, 3, 11, 44)
]
REPEATED = [
    ("Is Ottawa a city ", "or a country ", "?"),
    ("Who ", "was born in England and ", "wrote a book?"),
    ("What is ", "the capital of ", "Canada?"),
    ("What is ", "the mother of the father of ", "Douglas Adams?"),
    ("Which city ", "that is in a country ", "is the largest?"),
    ("(", "Canada (", "?"),
    ("Canada", ", Canada", "?"),
    ("How many ", "people who wrote ", "books are there?"),
    ("Which ", "not largest or first ", "city is it?"),
    ("Is ", "Q42 first The Hitchhiker's Guide more than ", "it?"),
    ("Who is the mother of ", "Douglas Adams and ", "Jane Belson?"),
    ("Is the mother of ", "the author of ", "The Hitchhiker's Guide older than Ottawa?"),
]
DRAWN = [3, 15, 19, 53, 57]
#: Seconds that the shortest question counts for at least; what explodes takes minutes.
_SHORTEST = 0.6


@pytest.fixture(scope="module")
def robodata() -> Iterator[RoboData]:
    with RoboData.open() as opened:
        opened.ask("What is the capital of Canada?")
        opened.ask("Besides the United States, which countries produced the film Zoolander?")
        yield opened


@pytest.fixture(scope="module")
def took() -> dict[str, float]:
    """Seconds of each question that was asked: a longer one is measured against it."""
    return {}


def drawn(seed: int) -> list[str]:
    chance = random.Random(seed)
    some = chance.sample(PIECES, chance.randint(2, 9))
    text = " ".join(chance.choice(some) for _ in range(600))
    return [text[:length] for length in LENGTHS]


def repeated(first: str, again: str, last: str) -> list[str]:
    around = len(first + last)
    return [first + again * max(1, (n - around) // len(again)) + last for n in LENGTHS]


@pytest.mark.parametrize(
    "questions",
    [AUTHORS, *(repeated(*form) for form in REPEATED), *map(drawn, DRAWN)],
    ids=["The author", *(form[1].strip(" ,(") for form in REPEATED), *map(str, DRAWN)],
)
@pytest.mark.parametrize("at", range(1, len(LENGTHS)))
def test_time_grows_no_faster_than_the_question_from_the_shortest_on(
    robodata: RoboData, took: dict[str, float], questions: list[str], at: int
) -> None:
    """Processor time: four times the length takes at most twice four times as long."""

    def seconds(question: str, *, again: bool = False) -> float:
        if again or question not in took:
            started = time.process_time()
            robodata.ask(question, time_budget=30.0)
            took[question] = time.process_time() - started
        return took[question]

    shorter, question = questions[at - 1], questions[at]
    most = 2.0 * len(question) / len(shorter) * max(seconds(shorter), _SHORTEST)
    if seconds(question) > most:  # what else the process did meanwhile counts, too, and only once
        seconds(question, again=True)
    assert seconds(question) <= most


def test_a_question_over_its_steps_is_unknown_and_says_so(
    robodata: RoboData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Effort.__init__, "__defaults__", (30,))
    # Of two questions, which the learned reading leaves to the rules whose steps are counted.
    answer = robodata.ask("Who wrote Hamlet? What is the capital of Canada?")
    assert answer.status is AnswerStatus.UNKNOWN
    assert "more parts" in answer.text


def test_steps_are_counted() -> None:
    effort = Effort(3)
    effort.spend(3)
    with pytest.raises(EffortSpentError):
        effort.spend()
