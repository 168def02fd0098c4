"""Yes or no, numbers and comparisons in other words: one way alone, once, together, between two."""

from __future__ import annotations

import pytest

from robodata_core.model import AnswerStatus

from .conftest import Ask


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("did Bob Dylan and joan baez ever go out together?", "yes"),
        ("Were John Lennon and Yoko Ono husband and wife?", "yes"),
        ("Were John Lennon and Paul McCartney husband and wife?", "no"),
        ("Was Lars Løkke Rasmussen ever finance minister of Denmark?", "yes"),
        ("Do we see John Lennon in The Compleat Beatles?", "yes"),
        ("Does Olof Palme have fewer than two children?", "no"),
        ("How many times was Frank Sinatra married?", "at least 1"),
        ("Was the man who founded Motown once married to Diana Ross?", "yes"),
        ("Was Max Brod born in the same city as Franz Kafka?", "yes"),
        ("Did Ludwig Wittgenstein live and die in Vienna?", "no"),
        ("To what age did Olof Palme live?", "59"),
        ("What was Olof Palme's age at death?", "59"),
        ("How many persons are recorded as having bipolar disorder?", "at least 16"),
        (
            "Which university educated more of the people in the collection, Princeton or Yale?",
            "Princeton University",
        ),
    ],
)
def test_said_in_other_words(question: str, expected: str, ask: Ask) -> None:
    answer = ask(question)
    assert [item.label for item in answer.results] == [expected]


@pytest.mark.parametrize(
    "question",
    [
        "Did Bob Dylan and Joan Baez ever fall out?",
        "Did Kafka sleep in Prague?",
        "Was the father of Klaus Mann a writer?",
        "Was the mother of Liza Minnelli born in London?",
        "Was Harold Pinter in 10 films?",
        "Was the mother of Liza Minnelli jailed in London?",
        "Did Kafka swim in Prague?",
        "Did Richard Dawkins dance with Douglas Adams, and not the other way round?",
        "How many children did Rose Kennedy and Joseph P. Kennedy Sr. lose?",
    ],
)
def test_near_forms_are_not_taken_so(question: str, ask: Ask) -> None:
    assert ask(question).status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize(
    "question",
    [
        "Does Belgium have three official languages?",
        "Did Olof Palme have six children?",
        "Did Olof Palme have more than five children?",
        "Does Switzerland have at least four official languages?",
        "A reader claims that Olof Palme had six children. Is that correct?",
    ],
)
def test_there_may_be_more_than_the_graph_states(question: str, ask: Ask) -> None:
    answer = ask(question)
    assert answer.status is AnswerStatus.UNKNOWN and answer.results == ()
