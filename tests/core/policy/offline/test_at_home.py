"""Plain questions about things at home, put in several ways, alone and beside another graph."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus


@pytest.fixture(scope="module")
def household() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:household") as robodata:
        yield robodata


@pytest.fixture(scope="module")
def both() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:world,snapshot:household") as robodata:
        yield robodata


def _given(answer: Answer) -> list[object]:
    return sorted((item.label if item.id else item.value for item in answer.results), key=str)


@pytest.mark.parametrize(("question", "other"), [
    ("Can paper burn?", "Is paper burnable?"),
    ("Can an egg break?", "Is an egg breakable?"),
    ("Is an apple edible?", "Can I eat an apple?"),
    ("Can milk be frozen?", "Is milk freezable?"),
    ("What can burn?", "Which things are burnable?"),
    ("What can be cut?", "Which things are sliceable?"),
    ("Which objects in the kitchen can break?", "Which things in the kitchen are breakable?"),
    ("What can break in the kitchen?", "Which things in the kitchen are breakable?"),
    ("Which breakable things are in the kitchen?", "Which things in the kitchen are breakable?"),
    ("What can cut bread?", "What can slice bread?"),
    ("Does a knife cut bread?", "Can a knife slice bread?"),
    ("Which tools cut bread?", "Which tool cuts bread?"),
    ("How do I make tea?", "What do I need to make tea?"),
    ("My kid is asking what pillows are for, what do I tell her?", "What are pillows for?"),
    ("Tell me where the apple is", "Where is the apple?"),
    ("Where's the saucepan?", "Where are saucepans usually found?"),
    ("Why do people own umbrellas?", "What is an umbrella used for?"),
    ("My aunt gave me a toaster; whatever does one do with it?", "What is a toaster used for?"),
    ("What gadget opens tins?", "What is used for opening cans?"),
    ("What do I need to iron a shirt?", "What does ironing clothes use?"),
    ("Before I make tea, which things must be fetched?", "What does making tea use?"),
    ("What must I have at hand to do a load of laundry?", "What does doing the laundry use?"),
    ("What colour is a lemon?", "Which colour does a lemon have?"),
    ("Does meat rot?", "Is meat perishable?"), ("Can a knife cut things?", "Is a knife a slicer?"),
    ("I have milk in the fridge. Will it go bad?", "Is milk perishable?"),
    ("I found a bread knife. What's it meant for?", "What is a bread knife used for?"),
    ("Count the things in the fridge that spoil", "How many things in the fridge are perishable?"),
    ("sharp tools kept in the garage that cut wood",
     "Which sharp tools in the garage are used for cutting wood?"),
    ("Is flour needed to bake a cake?", "Does baking a cake use flour?"),
    ("Would a vase shatter if I drop it?", "Is a vase breakable?"),
    ("Which vegetables go bad?", "Which vegetables are perishable?"),
    ("What in the kitchen could shatter?", "Which things in the kitchen are breakable?"),
    ("Foods one can cut into slices", "Which foods are sliceable?"),
    ("Edible stuff you'd find in a fruit bowl", "Which foods are in the fruit bowl?"),
    ("Perishables whose place is the fridge", "Which things in the fridge are perishable?"),
    ("Where in a home would one expect to come across a pillow?", "Where is a pillow?"),
])  # fmt: skip
def test_what_is_put_otherwise_is_answered_alike(
    household: RoboData, question: str, other: str
) -> None:
    asked = _given(household.ask(question))
    assert asked
    assert asked == _given(household.ask(other))


@pytest.mark.parametrize(("question", "given"), [
    ("Which tool cuts bread?", "knife"), ("What can cut bread?", "knife"),
    ("What can I use to cut bread?", "bread knife"),
    ("What do I cut a loaf of bread with?", "bread knife"),
    ("Something to sit on?", "chair"), ("What's a good tool to tighten a bolt?", "wrench"),
    ("What can I carry groceries in?", "shopping bag"), ("pancake ingredients", "flour"),
    ("What do you hammer a nail with?", "hammer"), ("What can I chop onions with?", "knife"),
    ("What can I sit on?", "chair"),
    ("What is used for cleaning?", "soap"), ("Which cleaning tools are there?", "broom"),
    ("What belongs in the bedroom?", "pillow"),
])  # fmt: skip
def test_what_does_something_is_not_what_that_is_done_to(
    household: RoboData, question: str, given: str
) -> None:
    found = _given(household.ask(question))
    assert given in found
    assert not {"bread", "bun", "pita", "cut"} & set(found)


@pytest.mark.parametrize("question", [
    "What can I sell?", "Can a stone burn?", "Can a knife cut?", "Who can burn?",
    "Can a spoon cut bread?", "Does bread cut knives?", "What in the kitchen can slice?",
    "Which things in the kitchen can cut?", "What can scissors cut?", "How do you get to Paris?",
    "Which things can cut?",
    "Who uses a broom?", "Where do breakable dishes go?", "Which dirty things are in the kitchen?",
    "What things eat?", "Is the door open?", "Did the vase break?", "Which things burned?",
    "There is a spoon on the table. Will it break?", "Is a lawn mower needed to make tea?",
    "Does a spoon burn?", "Will a hammer go bad?", "Can I eat soap?",
    "What in the kitchen can chop?", "Is a pillow used for cutting?", "What do I win a war with?",
    "Where do dirty dishes go?", "Where do clean clothes go?",
])  # fmt: skip
def test_what_nothing_says_is_not_known(household: RoboData, question: str) -> None:
    assert not household.ask(question).results


@pytest.mark.parametrize(("question", "given"), [
    ("What's a frying pan for?", "frying"), ("What is a ladle used for?", "transferring liquids"),
    ("What is a corkscrew for?", "pulling corks"), ("What are the parts of a bicycle?", "chain"),
    ("What are the parts of a shoe?", "tongue"), ("What has a blade?", "knife"),
    ("What is cheese made of?", "curd"), ("Does a chair have legs?", True),
    ("Does a bicycle have a chain?", True), ("Does a hammer have a handle?", True),
])  # fmt: skip
def test_what_things_are_for_and_consist_of_is_known(
    household: RoboData, question: str, given: object
) -> None:
    assert given in _given(household.ask(question))


def test_what_is_left_out_by_what_it_has_is_left_out(household: RoboData) -> None:
    needed = _given(household.ask("What do I need for baking a cake?"))
    left = household.ask("What do I need for baking a cake, except for things that have a rack?")
    assert _given(left) == [one for one in needed if one != "oven"]


def test_a_verb_that_only_has_leaves_the_relation_to_its_noun(household: RoboData) -> None:
    had = household.ask("Which characteristics does a cruet or a goblet have?")
    assert _given(had) == ["breakable", "dustyable", "stainable"]


@pytest.mark.parametrize(
    "question",
    [
        "Does a broom need electricity?",
        "Does a toaster need electricity?",
        "How many legs does a table have?",
        "How many legs does a table usually have?",
    ],
)
def test_neither_a_no_nor_a_number_comes_of_what_is_not_said_of_kinds(
    household: RoboData, question: str
) -> None:
    assert not household.ask(question).results


def test_what_something_is_used_for_is_not_done_to_what_it_can_be_done_to(
    household: RoboData,
) -> None:
    found = set(_given(household.ask("What is used for cooking?")))
    assert {"pan", "oven"} <= found
    assert not {"carrot", "potato", "broccoli"} & found


def test_what_is_done_is_told_by_what_it_takes_alone(household: RoboData) -> None:
    answer = household.ask("How do I make tea?")
    assert any("not how it is done" in text for text in answer.missing)


@pytest.mark.parametrize("question", ["What is in the bedroom?", "What belongs in the bedroom?"])
def test_where_something_is_is_no_title(both: RoboData, question: str) -> None:
    assert "pillow" in _given(both.ask(question))
    assert _given(both.ask("Who directed In the Bedroom?")) == ["Todd Field"]


def test_who_asks_for_people_gets_no_furniture(both: RoboData) -> None:
    assert _given(both.ask("Who founded Apple?")) == ["Ronald Wayne", "Steve Jobs", "Steve Wozniak"]
    for thing in ("Chair", "Pear", "Table"):
        assert not both.ask(f"Who founded {thing}?").results


def test_a_name_with_a_capital_is_what_is_written_so(both: RoboData) -> None:
    answer = both.ask("Is Tokyo the capital of China?")
    assert _given(answer) == [False]
    assert "People's Republic of China" in answer.text
    for question in ("Is Beijing the capital of China?", "Is China a country?"):
        answer = both.ask(question)
        assert _given(answer) == [True]
        assert "Republic" in answer.text or "Beijing" in answer.text
    assert "porcelain" in both.ask("What is china?").text


@pytest.mark.parametrize(
    "question",
    [
        "What is a } toaster {0} used for?",
        "Where is <a toaster> kept; <n things>?",
        "What | can {a} cut; at;<n a>;{b}?",
        "For what do I need {:$tool|} a sponge; things;{n}?",
    ],
)
def test_signs_of_the_tables_mean_nothing_in_a_question(household: RoboData, question: str) -> None:
    answer = household.ask(question)
    assert answer.status is not AnswerStatus.FAILED, answer.text


def test_what_is_made_of_a_kind_of_metal_is_made_of_metal(household: RoboData) -> None:
    assert [item.value for item in household.ask("Is a fork made of metal?").results] == [True]
    assert not household.ask("Is a fork made of wood?").results


@pytest.mark.parametrize("thing", ["microwave", "vacuum cleaner", "washing machine"])
def test_what_a_thing_runs_on_is_what_it_needs(household: RoboData, thing: str) -> None:
    assert [item.value for item in household.ask(f"Does a {thing} need electricity?").results] == [
        True
    ]


def test_what_lies_in_something_is_not_where_that_is(household: RoboData) -> None:
    assert not household.ask("Where do people hang their coats?").results
    assert "drawer" in _given(household.ask("Where are spoons kept?"))
