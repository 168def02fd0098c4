"""How people name relations and things: other words, slips of the hand, words beside it all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ConfigurationError
from robodata_core.model import Answer, AnswerStatus, Property
from robodata_core.policy.offline.lexicon import standard_lexicon
from robodata_core.policy.offline.overview import read_telling
from robodata_core.policy.offline.question import analyse
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.spelling import respelled, table_words
from robodata_core.policy.offline.words import stem
from robodata_core.sources.snapshot import SnapshotSource

from .conftest import Ask

_BELOW = pytest.mark.xfail(reason="the plain form is below the least probability of joined sets")


def _told(answer: Answer) -> list[str]:
    return sorted(result.label for result in answer.results)


# -- relations in other words ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        ("Where was Olof Palme entombed?", "Where was Olof Palme buried?"),
        ("Where did Olof Palme find his last resting place?", "Where was Olof Palme buried?"),
        ("How many people found their last resting place in Père Lachaise Cemetery?",
         "How many people are buried in Père Lachaise Cemetery?"),
        ("Who was born on 11 March, 1952?", "Who was born on 11 March 1952?"),
        ("Who was born on the 11th of March, 1952?", "Who was born on 11 March 1952?"),
        ("Who came to die in Santa Monica?", "Who died in Santa Monica?"),
        ("Who was taught at Juilliard School?", "Who was educated at Juilliard School?"),
        ("Who lectured at the University of Vienna?", "Who worked for the University of Vienna?"),
        ("Who records for Def Jam Recordings?", "Who is signed to Def Jam Recordings?"),
        ("Which artists had a deal with Motown?", "Which artists are signed to Motown?"),
        ("Who started Motown?", "Who founded Motown?"),
        ("Who was Motown started by?", "Who founded Motown?"),
        ("Which authors are counted among Romanticism?", "Which authors belong to Romanticism?"),
        ("Who is a former boyfriend of Joan Baez?", "Who was the boyfriend of Joan Baez?"),
        ("Who dated Joan Baez?", "Who was the boyfriend of Joan Baez?"),
        ("What religion does Alicia Keys's husband follow?",
         "What is the religion of the husband of Alicia Keys?"),
        ("What fields did Galileo Galilei work in?",
         "What was the field of work of Galileo Galilei?"),
        ("people with bipolar disorder", "Who suffered from bipolar disorder?"),
        ("How many people with bipolar disorder are there?",
         "How many people suffered from bipolar disorder?"),
        ("How many followers has Lars Løkke Rasmussen got on social media?",
         "How many followers does Lars Løkke Rasmussen have?"),
        ("Who gave birth to Caroline Kennedy?", "Who is the mother of Caroline Kennedy?"),
        ("Who fathered Caroline Kennedy?", "Who is the father of Caroline Kennedy?"),
        ("Who shaped Stephen King's writing?", "Who influenced Stephen King?"),
        ("Whose work inspired Stephen King?", "Who influenced Stephen King?"),
        ("Which labels released Enrique Iglesias's records?",
         "Which labels is Enrique Iglesias signed to?"),
        ("What age did Douglas Adams reach?", "At what age did Douglas Adams die?"),
    ],
)  # fmt: skip
def test_the_answer_is_that_of_the_usual_words(ask: Ask, asked: str, plain: str) -> None:
    expected = ask(plain)
    answer = ask(asked)
    assert _told(answer) == _told(expected) != []
    assert answer.status is not AnswerStatus.UNKNOWN


@pytest.mark.parametrize(
    "asked",
    [
        "Where did Douglas Adams sleep?",  # not where he lived
        "Where does Angela Merkel vote?",
        "Where did Franz Kafka holiday?",
        "When did Douglas Adams retire?",  # not when he was born
        "When was the debut of Kate Bush?",
        "When did Falco emigrate?",
        "Which instruments does Kate Bush hate?",  # not which she plays
        "Who gave birth to Michael Jackson?",  # the graph states his father alone
        "What did Franz Kafka have?",  # not what he was
        "What car does Kate Bush drive?",  # a car is no career
        "Who converted to Islam?",  # not who follows it
        "Where is the toaster repaired?",  # not where it stands
        "Did Franz Kafka have a car?",
        "Who has a beard?",
        "Does Canada have a king?",  # its head of state is no kind of king, and no no
        "Who are the former members of NATO?",
        "Which cities with a university are there?",  # not the universities
        "Who are Austria's neighbours?",  # not all that it is tied to
        "Who is the mother of Alicia Keys's husband in Paris?",
    ],
)
def test_a_word_that_says_something_else_is_not_passed_over(ask: Ask, asked: str) -> None:
    answer = ask(asked)
    assert answer.status is AnswerStatus.UNKNOWN
    assert not answer.results


def test_a_truth_does_not_rest_on_part_of_a_phrase(ask: Ask) -> None:
    # The graph has where he died, and not what of.
    assert ask("Did Falco die of natural causes?").status is AnswerStatus.UNKNOWN
    assert _told(ask("Did Olof Palme die a natural death?")) in ([], ["no"])


def test_words_of_another_root_have_another_stem() -> None:
    for one, other in [("car", "career"), ("win", "wine"), ("plan", "plane"), ("not", "note")]:
        assert stem(one) != stem(other)
    assert stem("careers") == stem("career")
    assert stem("wines") == stem("wine")


def test_an_alias_of_a_broader_relation_gives_way_to_the_relation_meant() -> None:
    child = Property("P1", "child", aliases=("gave birth to",), datatype="wikibase-item")
    mother = Property("P2", "mother", datatype="wikibase-item")
    words = analyse("Who gave birth to Ada?").tokens
    rows = standard_lexicon()

    def meant(*properties: Property) -> set[str]:
        found = RelationIndex(properties, rows).matches(words, frozenset())
        return {name for m in found if m.end - m.start == 3 for name, _ in m.reading.hops[0]}

    assert meant(child, mother) == {"P2"}
    assert meant(child) == {"P1"}


# -- classes and words beside the question --------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        pytest.param(
            "countries bordering the Baltic Sea", "Which countries border the Baltic Sea?",
            marks=_BELOW,
        ),
        pytest.param(
            "For my project: the countries bordering the Baltic Sea",
            "Which countries border the Baltic Sea?", marks=_BELOW,
        ),
        ("Atlantic Records belongs to Warner Music Group, right?",
         "Does Atlantic Records belong to Warner Music Group?"),
        ("I would like the languages spoken by Joan Baez.", "What languages does Joan Baez speak?"),
    ],
)  # fmt: skip
def test_what_stands_beside_the_question_changes_nothing(ask: Ask, asked: str, plain: str) -> None:
    expected = ask(plain)
    answer = ask(asked)
    assert _told(answer) == _told(expected) != []


def test_an_adjective_makes_a_class_of_one_word_only(ask: Ask) -> None:
    assert ask("Which of Michael Jackson's siblings are women?").status is (AnswerStatus.UNKNOWN)


def test_a_name_with_a_capital_adjective_is_no_class_of_its_own(ask: Ask) -> None:
    answer = ask("Which French writers were influenced by Fyodor Dostoyevsky?")
    assert answer.status is AnswerStatus.UNKNOWN


# -- slips of the hand ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "plain", "word"),
    [
        ("what instuments can Kate Bush play", "What instruments can Kate Bush play?",
         "instruments"),
        ("numbr of instruments Chris Cornell plays", "number of instruments Chris Cornell plays",
         "number"),
        ("what langauges does Umberto Eco speak", "What languages does Umberto Eco speak?",
         "languages"),
        ("what is the ocupation of Falco", "What is the occupation of Falco?", "occupation"),
        ("wher was Falco born", "Where was Falco born?", "where"),
        ("Wich instruments does Kate Bush play?", "Which instruments does Kate Bush play?",
         "which"),
        ("how meny instruments does Kate Bush play", "How many instruments does Kate Bush play?",
         "many"),
    ],
)  # fmt: skip
def test_an_ordinary_word_is_put_right_and_said(
    ask: Ask, asked: str, plain: str, word: str
) -> None:
    expected = ask(plain)
    answer = ask(asked)
    assert _told(answer) == _told(expected) != []
    assert any(f"was read as “{word}”" in note for note in answer.notes)


@pytest.mark.parametrize(
    "asked",
    [
        "Which horses does Alicia Keys have?",  # no houses
        "Where was Falco bron?",  # too short to be sure
        "Who is the instructor of Kate Bush?",  # a word of its own
        "Which Instuments play Kate Bush",  # written as a name
    ],
)
def test_what_may_be_another_word_is_left_alone(ask: Ask, asked: str) -> None:
    answer = ask(asked)
    assert not any("the only word like it" in note for note in answer.notes)


def test_what_is_understood_is_not_put_right(ask: Ask) -> None:
    answer = ask("What instruments can Kate Bush play?")
    assert not any("was read as" in note for note in answer.notes)


@given(word=st.sampled_from(sorted(w for w in table_words() if len(w) > 5)), at=st.integers(0, 40))
def test_words_of_the_tables_are_never_put_right(
    sample: SnapshotSource, word: str, at: int
) -> None:
    words = ["Who", "is", "that"]
    words.insert(at % 3 + 1, word)
    question = analyse(" ".join(words))
    assert respelled(question, (), frozenset(), (), sample, "en") is None


# -- who and what something is --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Who was Olof Palme?", "Stockholm"),
        ("Tell me about Douglas Adams.", "11 March 1952"),
        ("What is a knife?", "steel"),
        ("What is Canada?", "Ottawa"),
    ],
)
def test_telling_facts_stand_beside_what_something_is(ask: Ask, asked: str, told: str) -> None:
    answer = ask(asked)
    assert answer.status is AnswerStatus.ANSWERED
    assert told not in _told(answer)
    texts = [claim.text for claim in answer.claims]
    assert any(told in text for text in texts)
    assert len(texts) <= len(answer.results) + 8
    assert all(claim.supported and claim.support for claim in answer.claims)


def test_what_a_class_is_is_not_told_by_its_members(ask: Ask) -> None:
    one = ask("What is a constitutional monarchy?")
    many = ask("Which states are constitutional monarchies?")
    assert not set(_told(one)) & set(_told(many))
    assert _told(many)


def test_a_question_for_one_fact_gets_no_overview(ask: Ask) -> None:
    answer = ask("What is the capital of Canada?")
    assert len(answer.claims) == 1


def test_how_something_looks_is_told_by_how_it_looks(ask: Ask) -> None:
    answer = ask("What does Douglas Adams look like?")
    assert "brown" in _told(answer)
    assert not any("writer" in label for label in _told(answer))


@pytest.mark.parametrize("line", ["color", "\t1", "color\tmany", "|\t2"])
def test_a_line_that_tells_nothing_is_refused(line: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        list(read_telling(f"relations\tmost\n{line}\n"))
