"""Questions with something round them: frames that ask nothing, and what is named or told first.

Asked of the embedded sample. A frame must change no answer; what is told before a question and
narrows it is read with it, or there is no answer.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ConfigurationError
from robodata_core.model import AnswerStatus
from robodata_core.policy.offline.framing import frames, plainly
from robodata_core.policy.offline.rephrasing import read_forms
from robodata_core.sources.snapshot import SnapshotSource

from .conftest import Ask, Asker

_WORDS = [
    "I", "need", "it", "is", "true", "that", "says", "X", "Ann", "had", "a", "dog", ".", ",", ":",
    "- ", "what", "was", "called", "his", "who", "please", "for", "my", "quiz", "which one", "?",
]  # fmt: skip


@pytest.fixture(scope="module")
def ask(sample: SnapshotSource, asker: Asker) -> Ask:
    return asker(sample)


def _plain(text: str) -> str:
    plain = plainly(text)
    return plain.text if plain else text


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        ("Nurse here - what kind of condition is gout?", "What kind of condition is gout?"),
        ("For a geography worksheet I need the rivers of Elm.", "Give me the rivers of Elm?"),
        ("As a librarian I need the names of the children of Ann.", "Give me the children of Ann?"),
        ("Pub quiz question: who founded Elm Records?", "Who founded Elm Records?"),
        ("Sorry to bother you, but who founded Elm Records?", "Who founded Elm Records?"),
        ("My daughter wants to know who founded Elm Records.", "Who founded Elm Records?"),
        ("Remind me what Ann Ash can play?", "What Ann Ash can play?"),
        ("I can't remember who founded Elm Records.", "Who founded Elm Records?"),
        ("Who founded Elm Records, by the way?", "Who founded Elm Records?"),
        ("Who founded Elm Records? I forget.", "Who founded Elm Records?"),
        ("According to the records, who founded Elm Records?", "Who founded Elm Records?"),
        ("Who founded Elm Records, as far as you know?", "Who founded Elm Records?"),
        ("What person from your list was mayor of Elm?", "What person was mayor of Elm?"),
        ("What all can Ann play, I mean instruments?", "Which instruments can Ann play?"),
        ("Are there any poets who lived in Elm, and if so, who?", "Which poets lived in Elm?"),
        ("The firm that Ann Ash set up was called what?", "Name the firm that Ann Ash set up?"),
        ("A reader claims that Ann Ash founded Elm. Is that correct?",
         "Is it true that Ann Ash founded Elm?"),
        ("It has been written that Ann was a baker; does the record bear this out?",
         "Is it true that Ann was a baker?"),
        ("Somebody wrote in our paper that Ann Ash lived in Elm - true or false?",
         "Is it true that Ann Ash lived in Elm?"),
        ("Ann Ash lived in Elm: true or false?", "Is it true that Ann Ash lived in Elm?"),
        ("My friend says Ann Ash lived in Elm. Is he right?",
         "Is it true that Ann Ash lived in Elm?"),
        ("Am I right that Ann Ash lived in Elm?", "Is it true that Ann Ash lived in Elm?"),
    ],
)  # fmt: skip
def test_a_frame_is_taken_off(asked: str, plain: str) -> None:
    assert _plain(asked) == plain


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        ("Of the poets who lived in Elm, which one died of gout?",
         "Which poets who lived in Elm died of gout?"),
        ("Among the towns that border Elm, which is the only one that is not in Oakland?",
         "Which towns that border Elm is not in Oakland?"),
        ("Out of Ann Ash's two sons, which one plays the fiddle?",
         "Which of Ann Ash's sons plays the fiddle?"),
        ("Among the people who lived in Elm, how many were poets?",
         "How many people who lived in Elm were poets?"),
    ],
)  # fmt: skip
def test_what_is_chosen_from_may_come_first(asked: str, plain: str) -> None:
    assert _plain(asked) == plain


@pytest.mark.parametrize(
    "asked",
    [
        # What narrows a question is no frame.
        "As a child, where did Ann Ash live?",
        "During the war, where did Ann Ash live?",
        "For her first film, which award did Ann Ash get?",
        "According to the Bible, who was Adam?",
        "With Ann Ash, which films did Ben Birch make?",
        "If Ann Ash is dead, who is her heir?",
        "Who claims that Ann Ash founded Elm?",
        "Which painter said that Ben Birch was right?",
        "I only know singers from Elm. Who is buried in Oakham?",
        "Besides Ann Ash, who was born in Elm?",
        "Of the towns that border Elm, which is the largest?",
        "Of Ann Ash and Ben Birch, who was born first?",
        # The pronoun may stand for another.
        "Ann Ash married Ben Birch. Where was she born?",
        "Ann Ash had a daughter. Who did she marry?",
        "Ann Ash's husband was a singer. Where was she born?",
        "Ann Ash founded a firm. Where is it based?",
        "My mother met Ann Ash. Where was she born?",
        "Ann Ash wrote a book with a friend. Who is it?",
        # Nothing stands round these.
        "Who founded Elm Records?",
        "Which one?",
        "",
    ],
)
def test_what_may_mean_more_is_left_as_it_is(asked: str) -> None:
    assert plainly(asked) is None


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        ("Quick question: who founded Motown?", "Who founded Motown?"),
        ("Selena Gomez - who is she named after?", "Who is Selena Gomez named after?"),
        pytest.param(
            "Kobe is twinned with a city in Italy. Which one?",
            "Which Italian city is Kobe twinned with?",
            marks=pytest.mark.xfail(
                reason="the learned model is not sure of its reading; kept back, not wrong"
            ),
        ),
        ("Of the composers who are buried at Père Lachaise, which one died of tuberculosis?",
         "Which composer buried at Père Lachaise died of tuberculosis?"),
        ("List all physicists who came into the world in Budapest.",
         "Which physicists were born in Budapest?"),
        ("Regarding Chopin: cause of death?", "What is Chopin's cause of death?"),
        ("capital canada", "What is the capital of Canada?"),
        ("I'm thinking of a composer who is buried at Père Lachaise and died of tuberculosis."
         " Who is it?", "Which composer buried at Père Lachaise died of tuberculosis?"),
        ("Ottawa isn't the capital of Canada, is it?", "Is Ottawa the capital of Canada?"),
        ("Will Smith's kids??", "Who are Will Smith's kids?"),
        ("will smith kids", "Who are Will Smith's kids?"),
        ("Will Smith was married to whom?", "To whom was Will Smith married?"),
    ],
)  # fmt: skip
def test_the_answer_is_that_of_the_plain_question(ask: Ask, asked: str, plain: str) -> None:
    expected = ask(plain)
    answer = ask(asked)
    assert {r.label for r in answer.results} == {r.label for r in expected.results} != set()
    assert answer.status is expected.status is AnswerStatus.ANSWERED


def test_a_claim_is_judged(ask: Ask) -> None:
    right = ask("A reader claims that Berry Gordy founded Motown. Is that correct?")
    wrong = ask("I heard that Frank Sinatra founded Motown, is that so?")
    assert [r.label for r in (*right.results, *wrong.results)] == ["yes", "no"]


def test_the_answer_says_what_was_read(ask: Ask) -> None:
    answer = ask("Nurse here - who founded Motown?")
    assert any("Who founded Motown?" in note for note in answer.notes)


def test_what_is_told_and_not_understood_leaves_no_answer(ask: Ask) -> None:
    answer = ask("Frank Sinatra had his own zeppelin. What was it called?")
    assert answer.status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize(("number", "expected"), [("two", "no"), ("four", "yes"), ("six", "")])
def test_a_number_in_a_claim_is_not_passed_over(ask: Ask, number: str, expected: str) -> None:
    answer = ask(f"I heard that Thomas Mann had {number} children - is that right?")
    # The graph states four; there may be more.
    assert [item.label for item in answer.results] == ([expected] if expected else [])


@pytest.mark.parametrize(
    "asked",
    [
        "A reader claims that Ottawa is not the capital of Canada. Is that correct?",
        "I don't think that Ottawa is the capital of Canada. Am I right?",
        "Nobody says that Ottawa is the capital of Canada, right?",
        "I think Ottawa isn't the capital of Canada, right?",
        "Is it true that Ottawa is not the capital of Canada?",
        "A reader claims that only Berry Gordy founded Motown. Is that correct?",
    ],
)
def test_a_claim_with_a_denial_is_left_open(ask: Ask, asked: str) -> None:
    assert ask(asked).status is AnswerStatus.UNKNOWN


def test_a_name_behind_a_noun_is_not_passed_over(ask: Ask) -> None:
    assert ask("physicists princeton").status is AnswerStatus.UNKNOWN


def test_a_statement_and_a_question_are_not_asked_together(ask: Ask) -> None:
    answer = ask("I only know singers from Canada. Who is buried in Rome?")
    assert "yes" not in [r.label for r in answer.results]


def test_a_name_that_begins_like_a_yes_or_no_question_may_be_asked_of(ask: Ask) -> None:
    assert [r.label for r in ask("Is Will Smith an actor?").results] == ["yes"]


@pytest.mark.parametrize("text", ["form\tinstead\n{x} there\n", "form\tinstead\n{x:$no} a\t{x}\n"])
def test_a_table_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError):
        list(read_forms(text))


def test_the_table_is_whole() -> None:
    assert len(frames()) >= 40


@given(st.text(max_size=320))
def test_any_text_may_be_looked_at(text: str) -> None:
    plain = plainly(text)
    assert plain is None or plain.note


@given(st.lists(st.sampled_from(_WORDS), max_size=40))
def test_words_of_frames_in_any_order_are_taken_off(words: list[str]) -> None:
    plain = plainly(" ".join(words))
    assert plain is None or plain.text.endswith("?")
