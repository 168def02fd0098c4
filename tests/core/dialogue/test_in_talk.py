"""What people say in talk: of the other of two, of earlier numbers, of one named in vain."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus


def held(robodata: RoboData, *questions: str) -> list[Answer]:
    talk = robodata.conversation()
    return [talk.ask(question) for question in questions]


def labels(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


@pytest.fixture(scope="module")
def kitchen() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:household") as robodata:
        yield robodata


def test_names_without_capitals_are_names(world: RoboData) -> None:
    talk = ("who was john lennon married to", "was she born in japan?", "what city?")
    *_, city, dead = held(world, *talk, "how did he die?")
    assert city.understood_as == "In what city was Yoko Ono (Q117012) born?"
    assert dead.understood_as == "How did John Lennon (Q1203) die?"
    whose = held(world, "is berlin the capital of germany", "ok, whats the area of poland then")
    assert not whose[-1].understood_as  # It says itself of what it is asked.
    # Whoever writes capitals names no band here.
    asked = held(world, "What genre does Coldplay play?", "Who are the members of the band?")
    assert "Coldplay" in asked[-1].understood_as


def test_who_is_named_in_vain_is_spoken_of(world: RoboData) -> None:
    talk = ("What is the capital of France?", "Is Stephen Hawking like her?", "Where did he study?")
    *_, vain, study = held(world, *talk)
    assert vain.status is AnswerStatus.UNKNOWN
    assert study.understood_as == "Where did Stephen Hawking (Q17714) study?"
    # What is asked stays that of the last question that was understood.
    part = held(world, *talk[:2], "And of Spain?")[-1]
    assert part.understood_as == "What is the capital of Spain (Q29)?"


def test_the_other_is_that_of_two_which_was_not_spoken_of(world: RoboData) -> None:
    talk = ("Who wrote The Shining?", "The first one, where was he born?", "And the other?")
    first, one, other = held(world, *talk)
    names = {one.understood_as, other.understood_as}
    assert names == {f"Where was {i.label} ({i.id}) born?" for i in first.results}
    assert held(world, "Who wrote Emma?", "And the other?")[-1].status is AnswerStatus.UNKNOWN


def test_two_numbers_that_were_answered_are_compared(world: RoboData) -> None:
    talk = ("How many people live in Poland?", "And in Hungary?", "Which has more?")
    poland, hungary, more, by = held(world, *talk, "By how much?")
    assert labels(more) == {"Poland"} and labels(by) == {"28,890,565"}
    assert set(more.claims) and {c.text for c in more.claims} == {
        claim.text for one in (poland, hungary) for claim in one.claims
    }
    # Neither lakes nor ages were counted.
    for near in ("Which has more lakes?", "Which one is older?"):
        assert "38,746,310" not in held(world, *talk[:2], near)[-1].text
    alone = held(world, talk[0], "What is the capital of Hungary?", "Which has more?")
    assert alone[-1].status is AnswerStatus.UNKNOWN


def test_either_of_them_is_any_of_the_two_in_turn(world: RoboData) -> None:
    counted = ("How many people studied at Harvard University?", "And at Yale University?")
    answer = held(world, *counted, "Did Meryl Streep go to either of them?")[-1]
    assert [item.value for item in answer.results] == [True]


def test_a_verb_behind_several_is_no_noun(world: RoboData) -> None:
    talk = ("Who is in the Beatles?", "Who of them plays the sitar?")
    assert labels(held(world, *talk)[-1]) == {"George Harrison"}
    two = ("What is the capital of Spain?", "And of Italy?")
    answer = held(world, *two, "Which of the two countries has more people?")[-1]
    assert labels(answer) == {"Italy"}


def test_the_other_way_round_is_with_the_names_in_each_others_places(world: RoboData) -> None:
    there, back = held(world, "Did Nietzsche influence Freud?", "And the other way round?")
    assert [i.value for i in (*there.results, *back.results)] == [True, False]
    none = held(world, "Who influenced Freud?", "And vice versa?")[-1]
    assert none.status is AnswerStatus.UNKNOWN


def test_a_part_goes_to_the_question_that_says_as_much(world: RoboData) -> None:
    talk = ("What's the highest mountain in Nepal?", "Which other country is it in?")
    answer = held(world, *talk, "And the highest in Switzerland?")[-1]
    assert answer.understood_as == "What's the highest mountain in Switzerland (Q39)?"
    # None says as much: it is not put in the place of another name.
    none = held(world, "What is the capital of Nepal?", "And the highest in Switzerland?")[-1]
    assert "capital" not in none.understood_as


def test_a_no_and_a_new_topic_lead_to_what_is_meant(world: RoboData, kitchen: RoboData) -> None:
    talk = ("Who stars in Brazil?", "no, I meant the country. What is its capital?")
    assert labels(held(world, *talk)[-1]) == {"Brasília"}
    back = ("Where is an oven?", "Where is a sponge?", "No, back to the oven: what is it made of?")
    assert labels(held(kitchen, *back)[-1]) == {"glass", "metal"}
    led = held(world, "Where was Sean Penn born?", "How about Madonna, who was she married to?")
    assert labels(led[-1]) == {"Guy Ritchie", "Sean Penn"}
    none = held(world, "Which countries border Poland?", "No countries border Poland?")[-1]
    assert not none.results


def test_that_may_be_what_is_spoken_of(kitchen: RoboData) -> None:
    talk = ("What is a mug made of?", "And a bottle?")
    for asked, meant in (
        ("Is that breakable?", "Is a bottle breakable?"),
        ("Is that made of glass?", "Is a bottle made of glass?"),
    ):
        assert held(kitchen, *talk, asked)[-1].understood_as == meant
    kinds = held(kitchen, "Where do I find cups?", "What are they made of?")
    assert labels(kinds[-1]) == {"ceramic"}
    parts = held(kitchen, "Is a mug breakable?", "How about a bottle?")
    assert parts[-1].understood_as == "Is a bottle breakable?"


def test_what_the_last_answer_gave_is_there(kitchen: RoboData) -> None:
    talk = ("Which things are in the refrigerator?", "Is there any cheese?")
    assert held(kitchen, *talk)[-1].text == "Yes."
    assert held(kitchen, talk[0], "Is there any cup?")[-1].text != "Yes."


def test_who_is_of_the_family_and_what_is_named_again(world: RoboData) -> None:
    talk = ("Which universities did Barack Obama go to?", "And Michelle?")
    both = held(world, *talk, "Which one did they both attend?")
    assert "Michelle Obama (Q13133)" in both[1].understood_as
    assert labels(both[-1]) == {"Harvard Law School"}
    again = held(world, "What is the capital of Italy?", "Is Rome in Europe?")[-1]
    assert again.understood_as == "Is Rome (Q220) in Europe?"
    assert not held(world, "What is the capital of France?", "Is Berlin in Europe?")[
        1
    ].understood_as


def test_what_is_denied_is_asked_of_all(world: RoboData) -> None:
    talk = ("Which films did Woody Allen direct?", "In how many of those does he appear himself?")
    every, some, rest = held(world, *talk, "Which ones doesn't he appear in?")
    number = some.results[0].value
    assert isinstance(number, int) and len(rest.results) == len(every.results) - number


def test_what_two_have_is_no_one_of_them(world: RoboData) -> None:
    assert held(world, "Did John Lennon and Yoko Ono have a kid?")[0].results[0].value is True
    assert not held(world, "Do John Lennon and Yoko Ono have children?")[0].absences
    border = held(world, "Do Germany and Spain have a border?")[0]
    assert [item.value for item in border.results] == [False]


def test_a_word_that_pointed_nowhere_may_do_so_again(world: RoboData) -> None:
    paid = held(world, "What do they pay with in Japan?", "and in Germany?")[-1]
    assert paid.understood_as == "What do they pay with in Germany (Q183)?"
    assert labels(paid) == {"Euro"}
    # Typed anew it wants to be understood.
    again = held(world, "What do they pay with in Japan?", "Were they born in Germany?")[-1]
    assert again.status is not AnswerStatus.ANSWERED
