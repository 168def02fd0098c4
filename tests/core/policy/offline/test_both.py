"""Two things said at once, choices put the other way round, statements asked for a yes or no.

Asked of an invented town, whose relations no lexicon is tied to, and of the embedded sample. Every
answer's query gives the same result as its program.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.errors import ConfigurationError
from robodata_core.model import Answer, AnswerStatus
from robodata_core.policy.offline.forms import read_forms
from robodata_core.sources.snapshot import SnapshotSource

from .conftest import Ask, Asker, check_query, found, small_graph

_TOWN = """\
@prefix t: <http://town.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
t:human rdfs:label "human"@en .
t:painter rdfs:label "painter"@en .
t:baker rdfs:label "baker"@en .
t:miller rdfs:label "miller"@en .
t:born rdfs:label "place of birth"@en .
t:lives rdfs:label "residence"@en .
t:died rdfs:label "place of death"@en .
t:school rdfs:label "educated at"@en .
t:job rdfs:label "occupation"@en .
t:ill rdfs:label "medical condition"@en .
t:wife rdfs:label "spouse"@en .
t:birth rdfs:label "date of birth"@en .
t:how rdfs:label "manner of death"@en .
t:instrument rdfs:label "instrument"@en .
t:Elmstead rdfs:label "Elmstead"@en .
t:Oakham rdfs:label "Oakham"@en .
t:Birchley rdfs:label "Birchley"@en .
t:Hilltop rdfs:label "Hilltop College"@en .
t:Lakeside rdfs:label "Lakeside School"@en .
t:measles rdfs:label "measles"@en .
t:gout rdfs:label "gout"@en .
t:natural rdfs:label "natural causes"@en .
t:accident rdfs:label "accident"@en .
t:fiddle rdfs:label "fiddle"@en .
t:drum rdfs:label "drum"@en .
t:Vera rdfs:label "Vera Stone"@en ; a t:human ; t:born t:Elmstead ; t:lives t:Oakham ;
  t:school t:Hilltop ; t:job t:painter ; t:ill t:measles ; t:wife t:Karl , t:Hugo ;
  t:birth "1901-02-03"^^xsd:date ; t:how t:natural ; t:instrument t:fiddle , t:drum .
t:Karl rdfs:label "Karl Brook"@en ; a t:human ; t:born t:Elmstead ; t:lives t:Birchley ;
  t:died t:Oakham ;
  t:school t:Hilltop , t:Lakeside ; t:job t:baker , t:miller ; t:wife t:Vera ;
  t:birth "1950-06-07"^^xsd:date ; t:how t:accident ; t:instrument t:drum .
t:Hugo rdfs:label "Hugo Field"@en ; a t:human ; t:born t:Oakham ; t:died t:Oakham ;
  t:job t:painter , t:baker ;
  t:wife t:Vera ; t:birth "1899-01-01"^^xsd:date .
"""
_HOME = "http://town.example/"


#: What combines several yes/no questions is read by the learned model alone.
_UNSURE = pytest.mark.xfail(
    reason="the trees are less sure of yes/no questions with several parts", strict=True
)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    """The invented town."""
    with small_graph(tmp_path_factory, "town", _TOWN) as source:
        yield source


@pytest.fixture(scope="module")
def ask_town(town: SnapshotSource, asker: Asker) -> Ask:
    """Asks the town."""
    return asker(town)


def _found(answer: Answer) -> str:
    return " ".join(sorted(found(answer, _HOME)))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # two clauses: both must hold, or one
        ("Did Vera Stone study at Hilltop College and live in Oakham?", "yes"),
        ("Was Vera Stone born in Elmstead and educated at Hilltop College?", "yes"),
        ("Was Vera Stone born in Elmstead and did she study at Hilltop College?", "yes"),
        ("Did Vera Stone study at Hilltop College and live in Birchley?", "no"),
        ("Was Vera Stone born in Oakham or educated at Hilltop College?", "yes"),
        pytest.param(
            "Was Vera Stone born in Oakham or educated at Lakeside School?", "no", marks=_UNSURE
        ),
        ("Did Karl Brook study at Hilltop College and Lakeside School?", "yes"),
        ("Did Karl Brook study at both Hilltop College and Lakeside School?", "yes"),
        ("Did Karl Brook study at Hilltop College and at Lakeside School?", "yes"),
        # several names, each asked about alone
        ("Were Vera Stone and Karl Brook born in Elmstead?", "yes"),
        ("Was Vera Stone or Hugo Field born in Oakham?", "Hugo"),
        ("Are Vera Stone and Karl Brook married?", "yes"),
        # denied
        ("Wasn't Vera Stone born in Elmstead?", "yes"),
        # statements
        ("Vera Stone was born in Elmstead, right?", "yes"),
        ("Vera Stone was born in Elmstead, wasn't she?", "yes"),
        ("Vera Stone was born in Oakham, is that correct?", "no"),
        ("Vera Stone lives in Oakham, doesn't she?", "yes"),
        # having something
        ("Did Karl Brook die of natural causes?", "no"),
        # choices in another order
        ("Who has been married more often, Vera Stone or Karl Brook?", "Vera"),
        ("Who was married fewer times, Vera Stone or Karl Brook?", "Karl"),
        ("Who was born last?", "Karl"),
        # whether any, and which
        # a name beside what it is
        # sets
        ("Who was born and died in Oakham?", "Hugo"),
        ("How many people were born and died in Oakham?", "1"),
        ("Who was born or died in Oakham?", "Hugo Karl"),
    ],
)
def test_what_is_said_at_once(
    ask_town: Ask, town: SnapshotSource, question: str, expected: str
) -> None:
    answer = ask_town(question)
    assert answer.status is AnswerStatus.ANSWERED, (answer.text, answer.missing)
    assert _found(answer) == expected
    assert answer.claims and all(claim.supported for claim in answer.claims)
    check_query(answer, town)


@pytest.mark.parametrize(
    "question",
    [
        "Did Vera Stone study at Hilltop College and fly to Oakham?",  # nothing about flying
        "Did Hugo Field live in Oakham and study at Hilltop College?",  # nothing is stated of both
        "Did Vera Stone and Karl Brook die in the same town?",
        "Who has danced more often, Vera Stone or Karl Brook?",
        "Vera Stone, right?",
        "Vera Stone was painter of which town?",
        "Is Elmstead the oldest and largest town of Vera Stone?",
        "Is Karl Brook a baker and youngest miller of Oakham?",
        "Which instruments does Vera Stone play that Karl Brook also builds?",
        "Did Vera Stone and Karl Brook have children?",
        "Who was born and raised in Elmstead?",
        "Does Vera Stone have a sister named Karl Brook?",
        "Are there people without measles? Who is the nurse?",
    ],
)
def test_what_the_graph_does_not_tell(ask_town: Ask, question: str) -> None:
    assert ask_town(question).status is not AnswerStatus.ANSWERED


def test_a_no_tells_what_is_stated_in_its_place(ask_town: Ask) -> None:
    answer = ask_town("Did Vera Stone study at Hilltop College and live in Birchley?")
    told = " ".join(claim.text for claim in answer.claims)
    assert "Hilltop College" in told and "Oakham" in told


@_UNSURE
def test_what_is_offered_is_answered_by_what_holds_of_it(ask_town: Ask) -> None:
    assert _found(ask_town("Is Karl Brook a painter, a baker or a miller?")) == "baker miller"
    assert ask_town("Is Vera Stone a baker or a miller?").status is AnswerStatus.UNKNOWN


@_UNSURE
def test_evidence_is_of_the_one_asked_about(ask_town: Ask) -> None:
    answer = ask_town("Was Vera Stone born in Oakham or educated at Lakeside School?")
    assert _found(answer) == "no"
    shown = {one.triple.subject for claim in answer.claims for one in claim.support.evidence}
    assert shown == {f"{_HOME}Vera"}


def test_a_form_gives_every_way_in_which_its_words_fit_shortest_first() -> None:
    form = next(read_forms("form\tinstead\n{a} {:on|in} {b}\tat;{a};{b}\n"))
    assert [*form.each("Cups on  trays in kitchens")] == [
        "at;Cups;trays in kitchens",
        "at;Cups on trays;kitchens",
    ]
    assert form.apply("cups under trays") == ""


def test_forms_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(ConfigurationError):
        list(read_forms("form\tinstead\n{x}, right\t{y}\n"))
