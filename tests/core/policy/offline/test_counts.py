"""Most and fewest, the most common value, who has more, and reckoning with dates and amounts.

Asked of an invented choir (``choir.ttl``), where some things have no class and one date is known to
the year alone. Every answer's query gives the same result as its program.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from robodata_core.config import Settings
from robodata_core.model import Answer, AnswerStatus, QuantityValue
from robodata_core.policy.offline.dates import Age, Alive, Apart, Longest, Part, Turned, forms
from robodata_core.policy.offline.plan import make_plan
from robodata_core.policy.offline.policy import OfflineResources
from robodata_core.sources.snapshot import SnapshotSource

from .conftest import Ask, Asker, check_query, found, small_graph

_HOME = "http://choir.example/"


@pytest.fixture(scope="module")
def choir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    """The invented choir."""
    file = Path(__file__).with_name("choir.ttl")
    with small_graph(tmp_path_factory, "choir", file) as source:
        yield source


@pytest.fixture(scope="module")
def ask_choir(choir: SnapshotSource, asker: Asker) -> Ask:
    """Asks the choir."""
    return asker(choir)


def _found(answer: Answer) -> set[str]:
    return found(answer, _HOME)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # most and fewest, both ways, whatever the class
        ("Who plays the most instruments?", "Ann"),
        ("Who plays the largest number of different instruments?", "Ann"),
        ("Which people play the greatest number of instruments?", "Ann"),
        ("Who has the most children?", "Ann"),
        ("Who influenced the most people?", "Ann"),
        ("Who has influenced the greatest number of people?", "Ann"),
        ("Which instrument is played by the most people?", "fiddle"),
        ("Which instrument do most people play?", "fiddle"),
        ("Which instrument do the fewest people play?", "lute"),
        ("Which instrument is played by most poets?", "fiddle"),
        ("Which record label has the most artists?", "North"),
        ("Where are the most people buried?", "Hill"),
        ("Which town has the most twin towns?", "Flo"),
        ("Which film has the most actors?", "Reel"),
        # the most common value
        ("What is the most common cause of death?", "fever"),
        ("What is the most frequent cause of death?", "fever"),
        ("What is the least common cause of death?", "cold"),
        ("Which cause of death is the most common?", "fever"),
        ("Most common cause of death?", "fever"),
        ("Who has the largest number of children?", "Ann"),
        ("What is the second most common cause of death?", "cold"),
        ("What are the two most common causes of death?", "fever cold"),
        ("What do most people die of?", "fever"),
        ("What is the most played instrument?", "fiddle"),
        ("What is the most common instrument among poets?", "fiddle"),
        # one or the other
        ("Who has more children, Ann Ash or Bob Birch?", "Ann"),
        ("Who has fewer children, Ann Ash or Bob Birch?", "Bob"),
        ("Does Ann Ash or Bob Birch have more children?", "Ann"),
        ("Do more people play the drum or the fiddle?", "fiddle"),
        ("Which is played by more people, the drum or the fiddle?", "fiddle"),
        ("Did more people die of fever or of cold?", "fever"),
        ("Are more people buried in Hill Yard or in Dale Yard?", "Hill"),
        ("Are more people buried in Hill or in Dale Yard?", "Hill"),
        ("Which label has more artists, North Records or South Records?", "North"),
        ("Has Reel or Spool the bigger cast?", "Reel"),
        ("Who plays more instruments, Cy Cole, Bob Birch or Ann Ash?", "Ann"),
        ("Do more people play the harp or the drum?", "harp drum"),
        # yes or no, and by how many
        ("Do more people play the fiddle than the drum?", "yes"),
        ("Do more people play the drum than the fiddle?", "no"),
        ("Do more people play the drum than the harp?", "no"),
        ("Do as many people play the drum as the harp?", "yes"),
        ("Does Ann Ash have as many children as Bob Birch?", "no"),
        ("Does North Records have more artists than South Records?", "yes"),
        ("How many more children does Ann Ash have than Bob Birch?", "1"),
        ("How many more people play the fiddle than the drum?", "1"),
        # dates
        ("How old was Ann Ash when she died?", "69"),
        ("At what age did Bob Birch die?", "50"),
        ("How many years did Cy Cole live?", "54"),
        ("How old was Bob Birch when Ann Ash died?", "39"),
        ("How old was Cy Cole on 2 January 1950?", "15"),
        ("How many years older is Bob Birch than Cy Cole?", "4"),
        ("How many years after the death of Ann Ash did Bob Birch die?", "10"),
        ("How many years lie between the birth of Ann Ash and the birth of Bob Birch?", "30"),
        ("Who lived longer, Ann Ash or Bob Birch?", "Ann"),
        ("Did Bob Birch live longer than Ann Ash?", "no"),
        ("Did Ann Ash live longer than Bob Birch?", "yes"),
        ("Which poet lived longest?", "Ann"),
        ("Was Bob Birch still alive on 31 May 1980?", "yes"),
        ("Was Bob Birch alive in 1981?", "no"),
        ("Was Ann Ash alive when Dot Dell was born?", "yes"),
        ("Was Ann Ash dead by 1971?", "yes"),
        ("Did Ann Ash die before Bob Birch turned 40?", "yes"),
        ("Did Ann Ash die before Bob Birch turned thirty?", "no"),
        ("In which year was Ann Ash born?", "1900"),
        ("In what year did Bob Birch die?", "1980"),
        ("Cy Cole was born in which year?", "1935"),
        ("In which decade was Cy Cole born?", "1930s"),
        ("In which century did Cy Cole die?", "20th century"),
        ("In which month was Dot Dell born?", "December 1960"),
        ("What is the year of birth of Cy Cole?", "1935"),
        ("What was the year of Ann Ash's death?", "1970"),
        ("Did Ann Ash live to be 69?", "yes"),
        ("Did Ann Ash reach the age of seventy?", "no"),
        ("Who was older when he died, Bob Birch or Cy Cole?", "Cy"),
        # amounts
    ],
)
def test_what_follows_from_what_is_stated(
    ask_choir: Ask, choir: SnapshotSource, question: str, expected: str
) -> None:
    answer = ask_choir(question)
    whole = expected if expected[:1].isdigit() or "ury" in expected or " 19" in expected else None
    assert _found(answer) == ({whole} if whole else set(expected.split()) or {expected}), answer
    assert answer.claims and all(claim.supported for claim in answer.claims)
    assert answer.program
    check_query(answer, choir)


@pytest.mark.parametrize(
    "question",
    [
        "Who plays the most beautiful instruments?",
        "Which instrument do most of them play?",
        "Who has the most daughters?",
        "Who has the most children in Hill Yard?",
        "What is the most common wheel?",
        "Who has the most twin towns?",
        "Who plays the most Italian instruments?",
        "Which singer has the most wheels?",
        "Who has more children, Ann Ash or Dot Dell?",
        "Who has more daughters, Ann Ash or Bob Birch?",
        "Which of Ann Ash and Dot Dell has more children?",
        "Which of Ann Ash and Bob Birch has more daughters?",
        "How many more children does Bob Birch have than Ann Ash?",
        "How old was Dot Dell when she died?",
        "How old was Ann Ash when she married?",
        "Was Dot Dell alive in 1970?",
        "Who lived longer, Ann Ash or Dot Dell?",
        "How much taller is Ann Ash than Bob Birch?",
        "How much taller is Ann Ash than Cy Cole?",
        "What is the average height of poets?",
        "In which year was Hill Yard born?",
        "In which month was Eve Elm born?",
        "How many years after the death of Bob Birch did Ann Ash die?",
    ],
)
def test_what_does_not_follow_is_not_said(ask_choir: Ask, question: str) -> None:
    answer = ask_choir(question)
    assert answer.status is AnswerStatus.UNKNOWN, answer
    assert answer.missing
    assert not answer.results


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the most influential?", None),
        ("When was Ann Ash born?", "10 March 1900"),
        ("How many children does Ann Ash have?", "2"),
        ("Who played the fiddle or the harp?", None),
    ],
)
def test_near_forms_are_read_as_before(ask_choir: Ask, question: str, expected: str | None) -> None:
    answer = ask_choir(question)
    assert "most by" not in answer.program and "largest set" not in answer.program
    if expected is not None:
        assert _found(answer) == {expected}


def test_a_tally_says_how_many_were_compared_and_cites_them(ask_choir: Ask) -> None:
    answer = ask_choir("What is the most common cause of death?")
    assert len(answer.claims[0].support.evidence) == 3
    assert any("2 were compared; the number is 3, the next is 1" in note for note in answer.notes)


def test_both_sides_of_a_comparison_are_cited_in_full(ask_choir: Ask) -> None:
    answer = ask_choir("Do more people play the fiddle than the drum?")
    assert [len(claim.support.evidence) for claim in answer.claims] == [5]
    assert answer.notes[0] == "As the graph states: fiddle 3, drum 2."


def test_an_age_cites_both_dates(ask_choir: Ask) -> None:
    answer = ask_choir("How old was Ann Ash when she died?")
    (claim,) = answer.claims
    assert claim.text.startswith("There are 69 years from ")
    cited = {item.triple.predicate for item in claim.support.evidence}
    assert cited == {_HOME + "born", _HOME + "died"}
    assert answer.results[0].claims == (claim.id,)


def test_where_only_the_year_is_known_an_age_may_be_one_less(ask_choir: Ask) -> None:
    answer = ask_choir("How old was Eve Elm when she died?")
    assert answer.status is AnswerStatus.PARTIAL
    assert any("69 or 70 years" in text for text in answer.missing)
    assert ask_choir("In which decade was Eve Elm born?").results[0].label == "1890s"


def test_both_who_are_compared_are_cited_where_the_answer_is_yes(ask_choir: Ask) -> None:
    answer = ask_choir("Did Ann Ash die before Bob Birch turned 40?")
    cited = {item.triple.subject for claim in answer.claims for item in claim.support.evidence}
    assert cited == {_HOME + "Ann", _HOME + "Bob"}


@pytest.mark.parametrize(("day", "age"), [(30, 59), (31, 60)])
def test_todays_age_is_reckoned_with_the_clock_of_the_run(
    choir: SnapshotSource, day: int, age: int
) -> None:
    resources, settings = OfflineResources.build(choir, Settings()), Settings()
    today = date(2020, 12, day)
    plan = make_plan("How old is Dot Dell?", choir, resources, settings, None, today)
    (part,) = plan.parts
    assert part.result is not None and part.sure
    assert part.result.values == (QuantityValue(Decimal(age)),)
    assert any("does not prove a life" in note for note in part.notes)
    dead = make_plan("How old is Ann Ash?", choir, resources, settings, None, today)
    assert not dead.parts[0].sure
    assert "9 March 1970" in dead.parts[0].failure


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("How old was X when he died", Age("X", "When did X die?")),
        ("at what age did X's aunt die", Age("X's aunt", "When did X's aunt die?")),
        ("How old was X in 1990", Age("X", "1990")),
        ("How old is X", Age("X")),
        ("How many days did X live", Age("X", "When did X die?", "days")),
        ("Was X still alive on 1 May 2001", Alive("X", "1 May 2001")),
        ("Was X dead by 2001", Alive("X", "2001", False)),
        ("Did X die before Y turned 30", Turned("When did X die?", "Y", 30, True)),
        ("Was X born after Y reached the age of forty", Turned("When was X born?", "Y", 40, False)),
        ("Who lived longer, X or Y", Longest(("X", "Y"))),
        ("Who lived longer: X, Z or Y", Longest(("X", "Z", "Y"))),
        ("How many years after X's death was Y born",
         Apart("When did X die?", "When was Y born?")),
        ("How many years before the birth of X did Y die",
         Apart("When did Y die?", "When was X born?")),
        ("In which century was X founded", Part("When was X founded?", 7)),
        ("X was founded in which year", Part("When X was founded?", 9)),
    ],
)  # fmt: skip
def test_forms_of_questions_about_dates(text: str, form: object) -> None:
    assert form in list(forms(text))


@pytest.mark.parametrize(
    "text", ["How tall was X when he died", "Who lived in X", "When was X alive", "Which year"]
)
def test_other_questions_are_of_no_such_form(text: str) -> None:
    assert list(forms(text)) == []
