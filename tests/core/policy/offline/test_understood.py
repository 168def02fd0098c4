"""The learned reading beside the rules: where it answers, where it keeps back, case of letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from robodata_core import RoboData
from robodata_core.errors import QueryLimitError
from robodata_core.model import Answer, AnswerStatus, EntityValue
from robodata_core.sources.snapshot import open_snapshot

from .conftest import Asker


@pytest.fixture(scope="module")
def ask() -> Iterator[Callable[[str], Answer]]:
    with RoboData.open(source="snapshot:wikidata-sample") as robodata:
        yield robodata.ask


def _ids(answer: Answer) -> set[str]:
    return {item.value.id for item in answer.results if isinstance(item.value, EntityValue)}


@pytest.mark.parametrize(
    "question",
    [
        "Where was Douglas Adams born?",
        "Which philosophers were influenced by Kant?",
        "What are the official languages of Switzerland?",
        "Who is the mother of John F. Kennedy?",
        "Which countries are members of NATO but not of the European Union?",
        "Is Ottawa the capital of Canada?",
    ],
)
def test_letter_case_never_changes_an_answer(ask: Callable[[str], Answer], question: str) -> None:
    forms = (question, question.upper(), question.title(), question.lower())
    answers = [ask(form) for form in forms]
    assert {answer.status for answer in answers} == {answers[0].status}
    assert {frozenset(map(str, answer.results)) for answer in answers} == {
        frozenset(map(str, answers[0].results))
    }


def test_ids_keep_their_letters(ask: Callable[[str], Answer]) -> None:
    assert _ids(ask("WHAT IS THE CAPITAL OF Q16?")) == {"Q1930"}


def test_a_learned_answer_says_how_probable_it_is(ask: Callable[[str], Answer]) -> None:
    answer = ask("What Is The Capital Of Canada?")
    assert _ids(answer) == {"Q1930"}
    assert answer.probability is None or 0.8 <= answer.probability <= 1.0


def test_a_plain_question_is_read_as_its_relation(ask: Callable[[str], Answer]) -> None:
    answer = ask("What is the capital of Canada?")
    assert answer.reading == "capital of Canada"
    assert len(answer.claims) == 1
    assert len(answer.claims[0].support.evidence) == 1


def test_what_a_name_is_of_may_stand_before_it(ask: Callable[[str], Answer]) -> None:
    plain = _ids(ask("Which genre is Kate Bush?"))
    assert plain
    assert _ids(ask("Which genre does the celebrity Kate Bush perform in?")) == plain
    assert not _ids(ask("Which genre does the celebrity Kate Bush hate?"))


def test_who_somebody_is_asks_for_no_relation(ask: Callable[[str], Answer]) -> None:
    assert ask("Who is Douglas Adams?").probability is None


def test_what_is_likely_only_is_told_as_that_with_its_reading_first(
    ask: Callable[[str], Answer],
) -> None:
    answer = ask("Where was Angela Merkel educated?")
    if answer.status is AnswerStatus.ANSWERED:
        pytest.skip("the learned model is sure of it by now")
    assert answer.status is AnswerStatus.PARTIAL
    assert answer.text.startswith("If you mean ")
    assert answer.probability is not None
    assert any(f"{round(100 * answer.probability)} %" in text for text in answer.missing)
    assert all(claim.supported for claim in answer.claims)


def test_how_sure_a_learned_answer_must_be_is_set() -> None:
    question = "Which label released the records of Falco?"
    with RoboData.open(source="snapshot:wikidata-sample", sure=0.0, likely=0.0) as bold:
        assert bold.ask(question).status is not AnswerStatus.PARTIAL
    with RoboData.open(source="snapshot:wikidata-sample", sure=1.0, likely=1.0) as shy:
        assert shy.ask(question).probability is None


@pytest.mark.parametrize(
    "question",
    [
        "When was Walt Disney born?",
        "Who directed the film Zoolander?",
        "What was the horoscope of Marcel Proust?",
        "Who is the brother of the brother of Jane Belson?",
    ],
)
def test_what_nobody_states_stays_unknown(ask: Callable[[str], Answer], question: str) -> None:
    assert ask(question).status is AnswerStatus.UNKNOWN


def test_a_set_is_no_answer_to_whether_something_is_so() -> None:
    with RoboData.open(source="snapshot:household") as robodata:
        answer = robodata.ask("Does wood burn?")
        assert not any(isinstance(item.value, EntityValue) for item in answer.results)


def test_a_sure_learned_yes_answers_where_rules_are_not_sure(ask: Callable[[str], Answer]) -> None:
    answer = ask("Is any language known that G. K. Chesterton spoke?")
    assert [item.value for item in answer.results] == [True]
    assert answer.probability is not None
    assert all(claim.supported for claim in answer.claims)


def test_a_no_is_never_learned(ask: Callable[[str], Answer]) -> None:
    for text in ("Did Bob Dylan and Joan Baez ever fall out?", "Did Falco die of natural causes?"):
        assert ask(text).status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize(
    ("behind", "before"),
    [
        ("Which countries have three or more official languages?",
         "Which countries have at least three official languages?"),
        ("Which countries have two or fewer official languages?",
         "Which countries have at most two official languages?"),
    ],
)  # fmt: skip
def test_a_limit_may_stand_behind_its_number(
    ask: Callable[[str], Answer], behind: str, before: str
) -> None:
    expected = _ids(ask(before))
    assert expected
    assert _ids(ask(behind)) == expected


def test_a_likelier_learned_reading_goes_before_what_rules_put_together(
    ask: Callable[[str], Answer],
) -> None:
    answer = ask("How many different genres of music does Tito Jackson do?")
    assert answer.reading == "the number of genres of Tito Jackson"
    assert answer.probability is not None
    assert answer.probability >= 0.8


def test_a_yes_of_a_broader_relation_is_no_yes(ask: Callable[[str], Answer]) -> None:
    assert ask("Does Canada have a king?").status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize("question", ["Was he born in Paris?", "Is it in Africa?"])
def test_whom_a_pronoun_stands_for_has_to_be_said(
    ask: Callable[[str], Answer], question: str
) -> None:
    answer = ask(question)
    assert answer.status is AnswerStatus.UNKNOWN
    assert "stands for" in answer.text


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("Berry Gordy founded Motown, right?", True),
        ("Is it true that Frank Sinatra founded Motown?", False),
        ("Ottawa is the capital of Canada: true or false?", True),
        ("Norway is a member of NATO, yes or no?", True),
    ],
)
def test_a_statement_is_judged(ask: Callable[[str], Answer], statement: str, told: bool) -> None:
    assert [item.value for item in ask(statement).results] == [told]


@pytest.mark.parametrize(
    "statement",
    [
        "Is it true that Ottawa is not the capital of Canada?",
        "Is it true that only Berry Gordy founded Motown?",
        "I don't think that Ottawa is the capital of Canada. Am I right?",
        "Nobody says that Ottawa is the capital of Canada, right?",
        "I think Ottawa isn't the capital of Canada, right?",
        "A reader claims that only Berry Gordy founded Motown. Is that correct?",
    ],
)
def test_a_denied_statement_is_left_open(ask: Callable[[str], Answer], statement: str) -> None:
    assert ask(statement).status is AnswerStatus.UNKNOWN


def test_what_is_too_dear_for_the_rules_does_not_end_the_run(asker: Asker) -> None:
    source = open_snapshot("wikidata-sample")

    def sparql(*_: object, **__: object) -> None:
        raise QueryLimitError("The query was ended after 10 seconds.")

    source.sparql = sparql  # type: ignore[method-assign, assignment]
    ask = asker(source)
    for question in ("Which musicians have the most occupations?", "Who has the most awards?"):
        assert ask(question).status in (AnswerStatus.UNKNOWN, AnswerStatus.ANSWERED)
    assert _ids(ask("What is the capital of Canada?")) == {"Q1930"}
