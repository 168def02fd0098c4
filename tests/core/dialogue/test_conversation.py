"""Conversations through their front door: what is understood, shown, remembered, and forgotten."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from robodata_core import RoboData, journal
from robodata_core.answers.json import answer_to_json
from robodata_core.answers.text import answer_lines
from robodata_core.dialogue import Conversation
from robodata_core.errors import InvalidRequestError
from robodata_core.events import QuestionUnderstood, RunEvent, RunStarted
from robodata_core.model import Answer, AnswerStatus
from robodata_core.narrate import narrate
from robodata_core.run_state import fold


def labels(answer: Answer) -> list[str]:
    return [item.label for item in answer.results]


def asked(conversation: Conversation, *questions: str) -> Answer:
    """Ask one after the other; the last answer."""
    return [conversation.ask(question) for question in questions][-1]


# -- follow-ups on the embedded sample ------------------------------------------------------------


def test_a_number_says_of_what_it_is(sample: RoboData) -> None:
    talk = sample.conversation()
    one = asked(talk, "Who is the wife of Douglas Adams?", "How many of them are there?")
    assert one.text == "1: Jane Belson." and "again: Jane Belson." in one.notes[0]
    more = asked(talk, "Who influenced Friedrich Nietzsche?", "How many of those?")
    assert re.fullmatch(r"16: ([^,]+, ){5}[^,]+ and 10 more\.", more.text)


@pytest.mark.parametrize(
    ("questions", "word"),
    [
        (("Is Douglas Adams older then Jane Belson?", "And where?"), "where"),
        (("Is Olof Palme older than Douglas Adams?", "When?"), "When"),
        (("Who is the head of state of Canada?", "Since when?"), "Since when"),
    ],
)
def test_a_question_word_that_fits_nothing_is_said_not_to_be_understood(
    sample: RoboData, questions: tuple[str, ...], word: str
) -> None:
    answer = asked(sample.conversation(), *questions)
    assert answer.understood_as == ""
    assert answer.text == (
        f"What “{word}” asks after the last question was not understood. Please ask in full."
    )


@pytest.mark.parametrize(
    ("questions", "understood"),
    [
        (
            ("Is Olof Palme older than Douglas Adams?", "And younger?"),
            "Is Olof Palme younger than Douglas Adams?",
        ),
        (
            ("Who wrote The Hitchhiker's Guide to the Galaxy?", "Who is the youngest?"),
            "Which of these 2 (Q42, Q211893) is the youngest?",
        ),
        (
            (
                "Who wrote The Hitchhiker's Guide to the Galaxy?",
                "Who is the youngest?",
                "And the oldest one?",
            ),
            "Which of these 2 (Q42, Q211893) is the oldest?",
        ),
        (
            ("Who wrote The Hitchhiker's Guide to the Galaxy?", "And the oldest?"),
            "Which of these 2 (Q42, Q211893) is the oldest?",
        ),
        (
            ("Is Ottawa the capital of Canada?", "And Toronto?"),
            "Is Toronto (Q172) the capital of Canada?",
        ),
    ],
)
def test_a_degree_or_a_name_takes_the_place_of_its_like(
    sample: RoboData, questions: tuple[str, ...], understood: str
) -> None:
    assert asked(sample.conversation(), *questions).understood_as == understood


def test_one_of_several_people_is_asked_back(sample: RoboData) -> None:
    talk = sample.conversation()
    back = asked(talk, "Who wrote The Hitchhiker's Guide to the Galaxy?", "When was he born?")
    assert back.text == "“he” may mean Douglas Adams (Q42) or Eoin Colfer (Q211893). Which one?"
    assert talk.ask("Douglas Adams").understood_as == "When was Douglas Adams (Q42) born?"


def test_another_member_is_looked_for_in_the_same_set(sample: RoboData) -> None:
    talk = sample.conversation()
    first = "What languages are spoken in Switzerland?"
    assert asked(talk, first, "Is French one of them?").text == "Yes."
    assert talk.ask("And Italian?").text == "Yes."
    assert talk.ask("And English?").text == "No."


# -- what is understood ---------------------------------------------------------------------------

FERRY = "http://town.example/Ferry"


@pytest.mark.parametrize(
    ("questions", "understood", "found"),
    [
        pytest.param(
            ("Who wrote The Night Ferry?", "When was he born?"),
            "When was Ivo Kern (<http://town.example/Ivo>) born?",
            ["20 November 1928"],
            id="pronoun",
        ),
        pytest.param(
            ("Who is the spouse of Mona Reyl?", "When was she born?"),
            "When was Mona Reyl (<http://town.example/Mona>) born?",
            ["2 April 1931"],
            id="pronoun tells a couple apart by what is stated",
        ),
        pytest.param(
            ("Where was Ivo Kern born?", "What is its population?"),
            "What is the population of Orla (<http://town.example/Orlatown>)?",
            ["40,100"],
            id="possessive",
        ),
        pytest.param(
            ("When was Mona Reyl born?", "And Paul Kern?"),
            "When was Paul Kern (<http://town.example/Paul>) born?",
            ["14 February 1949"],
            id="ellipsis of a name",
        ),
        pytest.param(
            ("When was Mona Reyl born?", "And her husband?"),
            "Who is the husband of Mona Reyl (<http://town.example/Mona>)?",
            ["Ivo Kern"],
            id="ellipsis of a relation",
        ),
        pytest.param(
            ("When was Mona Reyl born?", "Where?"),
            "Where was Mona Reyl born?",
            ["Brack"],
            id="ellipsis of all but the question word",
        ),
        pytest.param(
            ("Who are the children of Mona Reyl?", "Which of them were born before 1950?"),
            "Which of these 2 (<http://town.example/Paul>, <http://town.example/Tess>)"
            " were born before 1950?",
            ["Paul Kern"],
            id="set",
        ),
        pytest.param(
            ("Who are the children of Mona Reyl?", "Who is the oldest of them?"),
            "Which of these 2 (<http://town.example/Paul>, <http://town.example/Tess>)"
            " is the oldest?",
            ["Paul Kern"],
            id="superlative of a set",
        ),
        pytest.param(
            ("Who are the children of Mona Reyl?", "When was the second one born?"),
            "When was Tess Kern (<http://town.example/Tess>) born?",
            ["1 June 1955"],
            id="ordinal",
        ),
        pytest.param(
            ("How long is Orla?", "not the river, the city", "What is its population?"),
            "What is the population of Orla (<http://town.example/Orlatown>)?",
            ["40,100"],
            id="another thing of the same name",
        ),
        pytest.param(
            ("Who wrote The Night Ferry?", "I meant the film", "Who directed it?"),
            "Who directed The Night Ferry (<http://town.example/FerryFilm>)?",
            ["Mona Reyl"],
            id="correction, and what was corrected stays",
        ),
        pytest.param(
            ("When was Ivo Kern born?", "Sorry, I meant Mona Reyl"),
            "When was Mona Reyl (<http://town.example/Mona>) born?",
            ["2 April 1931"],
            id="correction of a name",
        ),
        pytest.param(
            ("Who is the spouse of Ivo Kern?", "When was Mona born?"),
            "",
            ["2 April 1931"],
            id="short name of the only one",
        ),
        pytest.param(
            ("Who was born before 1950?", "And after 1959?"),
            "Who was born after 1959?",
            ["Sascha Blum", "Robin Vey"],
            id="time",
        ),
    ],
)
def test_a_question_is_said_anew_with_names_and_ids(
    in_town: RoboData, questions: tuple[str, ...], understood: str, found: list[str]
) -> None:
    answer = asked(in_town.conversation(), *questions)
    assert answer.understood_as == understood
    assert sorted(labels(answer)) == sorted(found)
    assert answer.status is AnswerStatus.ANSWERED
    assert all(claim.supported and claim.support for claim in answer.claims)
    assert answer.question == questions[-1]


@pytest.mark.parametrize(
    "question",
    [
        "When was Mona Reyl born?",
        "When was Ivo Kern born, and where was he born?",
        "Who are the children of Mona Reyl?",
    ],
)
def test_what_stands_alone_is_asked_as_it_is(in_town: RoboData, question: str) -> None:
    conversation = in_town.conversation()
    conversation.ask("Who wrote The Night Ferry?")
    events: list[RunEvent] = []
    answer = conversation.ask(question, on_event=events.append)
    assert answer.understood_as == ""
    assert not any("understood as" in (narrate(event) or "") for event in events)
    assert "understood_as" not in answer_to_json(answer)
    with RoboData.open(source=in_town.settings.source) as fresh:
        assert labels(fresh.ask(question)) == labels(answer)


def test_the_number_of_a_set_and_its_members_are_told_without_looking_up(
    in_town: RoboData,
) -> None:
    conversation = in_town.conversation()
    first = conversation.ask("Who are the children of Mona Reyl?")
    count = conversation.ask("How many are they?")
    names = conversation.ask("List them")
    yes, no = (conversation.ask(f"Is {name} one of them?") for name in ("Tess Kern", "Ivo Kern"))
    assert [item.value for item in count.results] == [2]
    assert labels(names) == labels(first)
    assert [item.value for item in (*yes.results, *no.results)] == [True, False]
    for reply in (count, names, yes, no):
        assert reply.claims == first.claims
        assert not reply.trace


def test_what_was_counted_can_be_pointed_to(in_town: RoboData) -> None:
    conversation = in_town.conversation()
    assert labels(asked(conversation, "How many children does Mona Reyl have?")) == ["at least 2"]
    assert sorted(labels(conversation.ask("Who are they?"))) == ["Paul Kern", "Tess Kern"]


def test_evidence_is_shown_again_and_not_looked_up_again(in_town: RoboData) -> None:
    conversation = in_town.conversation()
    first = conversation.ask("Who wrote The Night Ferry?")
    for doubt in ("Why?", "How do you know?", "are you sure?", "Show me the evidence"):
        again = conversation.ask(doubt)
        assert again.claims == first.claims
        assert labels(again) == labels(first)
        assert again.statistics.tool_calls == 0
        assert any("not looked up again" in note for note in again.notes)


# -- what is not guessed --------------------------------------------------------------------------


def test_what_may_mean_two_is_asked_back_and_the_choice_is_followed(in_town: RoboData) -> None:
    conversation = in_town.conversation()
    conversation.ask("Who is the spouse of Sascha Blum?")
    unclear = conversation.ask("When was she born?")
    assert unclear.status is AnswerStatus.UNKNOWN
    assert not unclear.claims
    assert {hit.label for hit in unclear.suggestions} == {"Sascha Blum", "Robin Vey"}
    chosen = conversation.ask("Robin")
    assert chosen.understood_as == "When was Robin Vey (<http://town.example/Robin>) born?"
    assert labels(chosen) == ["1 January 1961"]
    other = conversation.ask("And when was he born?")
    assert labels(other) == ["1 January 1960"], "who is not she"


def test_nothing_said_before_is_said(in_town: RoboData) -> None:
    answer = in_town.conversation().ask("When was she born?")
    assert answer.status is AnswerStatus.UNKNOWN
    assert "“she”" in answer.text
    assert not answer.claims


def test_nobody_found_is_nobody_to_point_to(in_town: RoboData) -> None:
    conversation = in_town.conversation()
    conversation.ask("Who is the wife of Paul Kern?")
    answer = conversation.ask("When was she born?")
    assert answer.status is AnswerStatus.UNKNOWN
    assert not answer.results


@pytest.mark.parametrize("word", ["hi", "Thanks!", "ok", "good bye"])
def test_small_talk_gets_a_short_reply_and_no_run(in_town: RoboData, word: str) -> None:
    events: list[RunEvent] = []
    answer = in_town.conversation().ask(word, on_event=events.append)
    assert answer.text
    assert not answer.claims and not answer.results and not answer.trace
    assert [type(event).__name__ for event in events] == [
        "RunStarted", "QuestionUnderstood", "AnswerReady", "RunEnded",
    ]  # fmt: skip
    assert fold(events).answer == answer


# -- what is shown --------------------------------------------------------------------------------


def test_a_rewriting_is_an_event_that_survives_the_journal(town: Path, tmp_path: Path) -> None:
    events: list[RunEvent] = []
    with RoboData.open(source=f"snapshot:{town}", journal=str(tmp_path)) as robodata:
        conversation = robodata.conversation()
        conversation.ask("Who wrote The Night Ferry?")
        answer = conversation.ask("When was he born?", on_event=events.append)
    (path,) = tmp_path.glob(f"{answer.run_id}.jsonl")
    assert list(journal.read(path)) == events
    started, understood = events[:2]
    assert isinstance(started, RunStarted) and started.question == "When was he born?"
    assert isinstance(understood, QuestionUnderstood)
    assert understood.rewriting.reasons == ("“he” is Ivo Kern (<http://town.example/Ivo>)",)
    assert "understood as: When was Ivo Kern" in str(narrate(understood))
    assert fold(events).understood_as == answer.understood_as
    assert answer_to_json(answer)["understood_as"] == answer.understood_as
    assert next(answer_lines(answer)) == ("dim", f"understood as: {answer.understood_as}")


def test_a_large_set_is_shown_in_short_and_asked_whole(sample: RoboData) -> None:
    conversation = sample.conversation()
    conversation.ask("Which countries are in Asia?")
    answer = conversation.ask("Which of them have English as an official language?")
    assert answer.understood_as.count("Q") > 40
    (shown,) = [line for _, line in answer_lines(answer) if line.startswith("understood as")]
    assert "more)" in shown and len(shown) < 200
    assert {item.id for item in answer.results} >= {"Q928"}


# -- what is remembered ---------------------------------------------------------------------------


def test_the_history_is_bounded_and_forgotten(in_town: RoboData) -> None:
    conversation = in_town.conversation(most_turns=3)
    for _ in range(5):
        conversation.ask("Who wrote The Night Ferry?")
    assert len(conversation.turns) == 3
    assert conversation.turns[-1].standalone == conversation.turns[-1].question
    facts = in_town.store.edge_count
    conversation.reset()
    assert conversation.turns == ()
    assert in_town.store.edge_count == facts > 0
    assert "“he”" in conversation.ask("When was he born?").text


def test_conversations_on_one_graph_know_nothing_of_each_other(in_town: RoboData) -> None:
    one, other = in_town.conversation(), in_town.conversation()
    one.ask("Who wrote The Night Ferry?")
    other.ask("Who directed The Night Ferry?")
    assert "Ivo Kern" in one.ask("When was he born?").understood_as
    assert "Mona Reyl" in other.ask("When was she born?").understood_as


def test_threads_take_turns(in_town: RoboData) -> None:
    answers: list[list[str]] = []

    def talk(name: str) -> None:
        conversation = in_town.conversation()
        conversation.ask(f"Who is the spouse of {name}?")
        answers.append(labels(conversation.ask(f"When was {name} born?")))

    threads = [threading.Thread(target=talk, args=(n,)) for n in ("Mona Reyl", "Ivo Kern") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert sorted(map(str, answers)) == [*["['2 April 1931']"] * 3, *["['20 November 1928']"] * 3]


def test_a_question_must_be_one(in_town: RoboData) -> None:
    conversation = in_town.conversation()
    for bad in ("", "  ?!", "x" * 3_000):
        with pytest.raises(InvalidRequestError):
            conversation.ask(bad)
    assert conversation.turns == ()


def test_a_word_that_ties_a_question_to_the_one_before_stands_in_no_way() -> None:
    with RoboData.open() as robodata:
        talk = robodata.conversation()
        talk.ask("And when was Douglas Adams born?")
        answer = talk.ask("where?")
        assert [result.label for result in answer.results] == ["Cambridge"]
