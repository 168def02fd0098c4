"""Questions that what a model hands in does not answer, though it holds: none is answered with it.

What is handed in is true of the graph each time; the question asks for something else. The same
true answers, and their like, are answered where the question asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus, Direction
from tests.core.answers.worlds import asking, with_facts

Part = dict[str, Any]
Ask = Callable[..., Answer]

_AROUND = ("Q42", "Q16", "Q14623681", "Q14623683")


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with RoboData.open(source="snapshot:wikidata-sample") as robodata:
        source = robodata.source
        facts = [
            one
            for id_ in _AROUND
            for way in (Direction if id_ == "Q42" else (Direction.OUT,))
            for one in source.statements(id_, limit=300, direction=way).statements
        ]
        with asking(with_facts(source, facts)) as asked:
            yield asked


def _yes(subject: str, property_: str, value: str) -> Part:
    judge = {"judge": True, "contains": value}
    return {"kind": "yes_no", "steps": [{"follow": property_, "from": subject}, judge]}


def _values(property_: str | list[str], subject: str = "Q42", *, back: bool = False) -> Part:
    follow = {"follow": property_, "from": subject} | ({"back": True} if back else {})
    return {"kind": "list", "steps": [follow]}


def _either(*relations: tuple[str, bool]) -> Part:
    names = [f"$x{number}" for number in range(len(relations))]
    steps = [
        {"follow": property_, "from": "Q42", "as": name} | ({"back": True} if back else {})
        for name, (property_, back) in zip(names, relations, strict=True)
    ]
    return {"kind": "list", "steps": [*steps, {"or": names}]}


_CAPITAL, _BORN = _yes("Q16", "P36", "Q1930"), _yes("Q42", "P19", "Q350")
_CHILD, _SPOUSE = _yes("Q42", "P40", "Q14623683"), _yes("Q42", "P26", "Q14623681")
_INFLUENCED = _yes("Q44461", "P737", "Q42")
_INFLUENCES: Part = _values("P737", back=True)
_STUDIED = _yes("Q42", "P69", "Q691283")
_CHILDREN = _values("P40")
_NUMBER = _CHILDREN | {"kind": "number"}
#: Sizes and shares of other sets than the one that is asked for.
_SEVERAL = {"kind": "number", "steps": [{"follow": ["P37", "P36", "P30"], "from": "Q16"}]}
_AMONG = {
    "kind": "yes_no",
    "steps": [{"follow": "P37", "from": "Q16", "as": "$c"}, {"every": "Q1860", "in": "$c"}],
}
#: What a relation leads to, cut down or led on by what the question has no word for.
_CUT = {
    "kind": "list",
    "steps": [{"follow": "P69", "from": "Q42"}, {"where": "P31", "is": "=", "value": "Q3918"}],
}
_LED_ON = {"steps": [{"follow": "P26", "from": "Q42"}, {"follow": "P40"}]}
_TWICE = {"steps": [{"follow": "P26", "from": "Q42"}, {"follow": "P26"}]}
_ONLY_CAPITAL = {
    "kind": "yes_no",
    "steps": [{"follow": "P36", "from": "Q16", "as": "$c"}, {"every": "$c", "in": "Q1930"}],
}
_MANY_INFLUENCED = {
    "kind": "yes_no",
    "steps": [
        {"follow": "P737", "from": "Q42", "back": True, "as": "$x"},
        {"count": "$x", "is": ">=", "number": 1},
    ],
}
#: Words that ask for what is not, or not yet.
_NOT_YET = ("Will", "Would", "Might", "May", "Should", "Must")
_NOBODY = {
    "kind": "number",
    "steps": [{"follow": "P19", "from": "Q42"}, {"follow": "P40"}],
}


@pytest.mark.parametrize(
    ("given", "question"),
    [
        (_CAPITAL, "Is Canada the capital of Ottawa?"),
        (_CAPITAL, "Did Ottawa become the capital of Canada in 1857?"),
        (_CAPITAL, "Is Ottawa the capital of Canada and of France?"),
        (_CAPITAL, "Is Ottawa the first capital of Canada?"),
        (_CAPITAL, "Is Ottawa the capital city of Ontario, Canada?"),
        (_CAPITAL, "Is Ottawa rumoured to be the capital of Canada?"),
        (_CAPITAL, "Is Ottawa seven times the capital of Canada?"),
        (_CAPITAL, "Is Ottawa the ex-capital of Canada?"),
        (_CAPITAL, "Is Ottawa the cultural capital of Canada?"),
        (_CAPITAL, "Is Ottawa (Q1930) the capital of Canada (Q142)?"),
        (_BORN, "Was Douglas Adams born in Cambridge in 1953?"),
        (_BORN, "Was Douglas Adams born near Cambridge?"),
        (_BORN, "Was Douglas Adams born and buried in Cambridge?"),
        (_BORN, "Was the father of Douglas Adams born in Cambridge?"),
        (_BORN, "Was Douglas Adams's daughter born in Cambridge?"),
        (_BORN, "Was Douglas Adams arrested in Cambridge?"),
        (_SPOUSE, "Did Douglas Adams divorce Jane Belson?"),
        (_SPOUSE, "Is Jane Belson the second spouse of Douglas Adams?"),
        (_CHILD, "Is Polly Adams the son of Douglas Adams?"),
        (_CHILD, "Is Polly Adams the adopted child of Douglas Adams?"),
        (_STUDIED, "Was Douglas Adams expelled from St John's College?"),
        (_STUDIED, "Did Douglas Adams teach at St John's College?"),
        (_INFLUENCED, "Was Douglas Adams influenced by Richard Dawkins?"),
        (_INFLUENCED, "Did Richard Dawkins influence Douglas Adams?"),
        (_NUMBER, "How many sons does Douglas Adams have?"),
        (_NUMBER, "How many children of Douglas Adams were born before 1980?"),
        (_CHILDREN, "Who are the sons of Douglas Adams?"),
        (_CHILDREN, "Who are the grandchildren of Douglas Adams?"),
        (_CHILDREN, "Which other children has Douglas Adams besides Polly Adams?"),
        (_values("P737", back=True), "Who influenced Douglas Adams?"),
        (_values("P26"), "Who killed Douglas Adams?"),
        (_INFLUENCES, "By whom was Douglas Adams influenced?"),
        (_INFLUENCES, "By which thinkers was Douglas Adams influenced?"),
        (_INFLUENCES, "From whom did Douglas Adams take influence?"),
        (_INFLUENCES, "Who had an influence on Douglas Adams?"),
        (_CHILDREN, "Whose child is Douglas Adams?"),
        (_CHILDREN, "Of whom is Douglas Adams the child?"),
        (_CHILDREN, "To whom is Douglas Adams a child?"),
        (_CHILDREN, "Who has Douglas Adams as a child?"),
        (_values("P22"), "Whose father is Douglas Adams?"),
        (_values("P22"), "Who has Douglas Adams for a father?"),
        (_values("P36", "Q16"), "Of what is Canada the capital?"),
        (_values("P36", "Q16"), "of what is canada the capital"),
        (_values("P36", "Q16"), "Which country's capital is Canada?"),
        (_CHILD, "Does Polly Adams have the child Douglas Adams?"),
        (_CHILD, "Does Polly Adams have a child with Douglas Adams?"),
        (_CHILD, "Is Douglas Adams Polly Adams's child?"),
        (_CAPITAL, "Does Ottawa have Canada as its capital?"),
        (_SPOUSE, "Is Jane Belson the husband of Douglas Adams?"),
        (_values("P26"), "Where did Douglas Adams marry?"),
        (_values("P26"), "Where is the spouse of Douglas Adams?"),
        (_values("P40"), "Where is the child of Douglas Adams?"),
        (_values("P509"), "Who killed Douglas Adams?"),
        (_values("P509"), "Who caused the death of Douglas Adams?"),
        (_values("P20"), "Where was Douglas Adams killed?"),
        (_values("P106"), "Who is Douglas Adams's occupation?"),
        (_values("P37", "Q16"), "Where is the official language of Canada spoken?"),
        (_values("P37", "Q16"), "Who speaks the official language of Canada?"),
        (_NUMBER, "How many years old is the child of Douglas Adams?"),
        (_NUMBER, "How many years did Douglas Adams have children?"),
        (_NUMBER, "How many cities have children of Douglas Adams?"),
        (_values("P37", "Q16"), "Which languages are most spoken in Canada?"),
        (_values("P37", "Q16"), "Which official language of Canada is spoken by most people?"),
        (_values("P37", "Q16"), "Which official language of Canada has the fewest speakers?"),
        (_values("P36", "Q16"), "What is the capital of Q142?"),
        (_values("P36", "Q16"), "Who is the capital of Canada?"),
        (_values("P103"), "Which languages did Douglas Adams refuse to speak?"),
        (_values("P569"), "How old was Douglas Adams?"),
        (_values("P570"), "When did the father of Douglas Adams die?"),
        (_SEVERAL, "How many official languages does Canada have?"),
        (_SEVERAL | {"kind": "list"}, "What are the official languages of Canada?"),
        (_AMONG, "Is English the only official language of Canada?"),
        (_NOBODY, "How many children does Douglas Adams have?"),
        (_values("P40"), "Who are the alleged children of Douglas Adams?"),
        (_values("P40"), "Who are the unborn children of Douglas Adams?"),
        (_values("P40"), "Who is the eldest child of Douglas Adams?"),
        (_values("P69"), "Which schools expelled Douglas Adams?"),
        (_values("P36", "Q16"), "What is the proposed capital of Canada?"),
        (_values("P37", "Q16"), "What are the three official languages of Canada?"),
        (_NUMBER, "How many children did Douglas Adams lose?"),
        (_NUMBER, "How many adopted children does Douglas Adams have?"),
        (_values(["P569", "P570"]), "When was Douglas Adams born?"),
        (_values(["P19", "P20"]), "Where was Douglas Adams born?"),
        (_either(("P40", False), ("P22", False)), "Who are the children of Douglas Adams?"),
        (
            _either(("P40", False), ("P106", False)) | {"kind": "number"},
            "How many children does Douglas Adams have?",
        ),
        (
            _values(["P40", "P106", "P800", "P69"]) | {"kind": "number"},
            "How many children has Douglas Adams?",
        ),
        (
            _values("P40", "Q14623681") | {"kind": "number"},
            "How many children does Jane Belson have?",
        ),
        (_values("P40", "Q16") | {"kind": "number"}, "How many children does Canada have?"),
        (_CUT, "Which schools did Douglas Adams attend?"),
        (_LED_ON | {"kind": "list"}, "Who is the spouse of Douglas Adams?"),
        (_LED_ON | {"kind": "number"}, "How many spouses does Douglas Adams have?"),
        (_TWICE | {"kind": "number"}, "How many spouses does Douglas Adams have?"),
        (_ONLY_CAPITAL, "Is Ottawa the only city in Canada?"),
        (_MANY_INFLUENCED, "Was Douglas Adams influenced by at least one person?"),
        *((_CAPITAL, f"{word} Ottawa be the capital of Canada?") for word in _NOT_YET),
        *((_values("P36", "Q16"), f"What {word.lower()} be the capital of Canada?")
          for word in _NOT_YET),
    ],
)  # fmt: skip
def test_what_holds_does_not_answer_another_question(ask: Ask, given: Part, question: str) -> None:
    answer = ask(question, **given)
    assert answer.status is not AnswerStatus.ANSWERED, answer.text
    assert answer.missing


@pytest.mark.parametrize(
    ("given", "question"),
    [
        (_CAPITAL, "Is Ottawa the capital of Canada?"),
        (_CAPITAL, "Is Ottawa (Q1930) really the capital of Canada (Q16)?"),
        (_BORN, "Was Douglas Adams born in Cambridge?"),
        (_CHILD, "Is Polly Adams a child of Douglas Adams?"),
        (_SPOUSE, "Was Jane Belson the spouse of Douglas Adams?"),
        (_STUDIED, "Was Douglas Adams educated at St John's College?"),
        (_INFLUENCED, "Was Richard Dawkins influenced by Douglas Adams?"),
        (_INFLUENCED, "Did Douglas Adams influence Richard Dawkins?"),
        (_CHILDREN, "Who are the children of Douglas Adams?"),
        (_NUMBER, "How many children does Douglas Adams have?"),
        (_values("P737", back=True), "Who was influenced by Douglas Adams?"),
        (_INFLUENCES, "Whom did Douglas Adams influence?"),
        (_values(["P22", "P25"]), "Whose child is Douglas Adams?"),
        (_values(["P22", "P25"]), "Of whom is Douglas Adams the child?"),
        (_CHILDREN, "Whose father is Douglas Adams?"),
        (_values("P36", "Q1930", back=True), "Of what is Ottawa the capital?"),
        (_values("P36", "Q1930", back=True), "Whose capital is Ottawa?"),
        (_values("P36", "Q1930", back=True), "Which country has Ottawa as its capital?"),
        (_values("P36", "Q16"), "What does Canada have as its capital?"),
        (_CHILD, "Does Douglas Adams have the child Polly Adams?"),
        (_CHILD, "Is Polly Adams Douglas Adams's child?"),
        (_CHILD, "Is Douglas Adams a parent of Polly Adams?"),
        (_CAPITAL, "Does Canada have Ottawa as its capital?"),
        (_SPOUSE, "Is Douglas Adams married to Jane Belson?"),
        (_values("P26"), "Whose spouse is Douglas Adams?"),
        (_values("P26"), "Who is the wife of Douglas Adams?"),
        (_values("P509"), "What killed Douglas Adams?"),
        (_values("P69"), "Where was Douglas Adams educated?"),
        (_values("P20"), "Where did Douglas Adams die?"),
        (_NUMBER, "How many people are children of Douglas Adams?"),
        (_values("P36", "Q16"), "What is the capital of Q16?"),
        (_values("P19"), "Where was Douglas Adams born?"),
        (_values("P570"), "When did Douglas Adams die?"),
        (_values(["P22", "P25"]), "Who are the parents of Douglas Adams?"),
        (_either(("P22", False), ("P25", False)), "Who are the parents of Douglas Adams?"),
        (_values(["P19", "P20"]), "What are the places of birth and death of Douglas Adams?"),
        (_values("P37", "Q16"), "What are the two official languages of Canada?"),
        (_values("P69"), "Which schools did Douglas Adams attend?"),
        (_values("P19"), "In which city was the writer Douglas Adams born?"),
        (_values("P36", "Q16"), "Which city is the capital of the country Canada?"),
        (
            _values("P37", "Q16") | {"kind": "number"},
            "How many different official languages does Canada have altogether?",
        ),
    ],
)
def test_what_is_asked_for_is_answered(ask: Ask, given: Part, question: str) -> None:
    answer = ask(question, **given)
    assert answer.status is AnswerStatus.ANSWERED, answer.missing


@pytest.mark.parametrize("comparison", ["<", "<=", "=", ">=", ">"])
@pytest.mark.parametrize("form", ["steps", "sparql"])
def test_a_number_in_another_unit_is_neither_more_nor_less(
    ask: Ask, comparison: str, form: str
) -> None:
    """He is 1.96 metres tall, which shows nothing of "more than 1" of nothing."""
    kept = {"where": "P2048", "is": comparison, "value": 1, "of": "Q42"}
    given: Part = {"kind": "yes_no", "steps": [kept, {"judge": True}]}
    if form == "sparql":
        query = f"ASK {{ wd:Q42 wdt:P2048 ?x FILTER(?x {comparison} 1) }}"
        given = {"kind": "yes_no", "sparql": query}
    answer = ask("Is the height of Douglas Adams more than 1 metre?", **given)
    assert answer.status is AnswerStatus.UNKNOWN and not answer.results, answer.text
    assert not any(claim.supported for claim in answer.claims)
    assert "unit" in " ".join(answer.missing)


@pytest.mark.parametrize("mark", ["✓", "✔", "☑", "✅", "[c1]", "[T3]", "[N7]"])
def test_words_of_a_model_bear_no_mark(ask: Ask, mark: str) -> None:
    given = _values("P36", "Q16") | {"comment": f"{mark} Toronto is the capital. {mark}{mark}"}
    answer = ask("What is the capital of Canada?", **given)
    assert answer.comment == "Toronto is the capital."
