"""Everyday words for relations: other verbs and nouns, from either end, in one piece or in two."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.api import RoboData
from robodata_core.model import AnswerStatus, EntityValue

_SAME = {
    "What is the occupation of Isaac Asimov?": [
        "What was Isaac Asimov's calling?",
        "How did Isaac Asimov make a living?",
        "What did Isaac Asimov do professionally?",
    ],
    "What is the nationality of Albert Einstein?": [
        "Which passports did Albert Einstein hold?",
        "Which citizenships did Albert Einstein hold?",
    ],
    "Who speaks Hebrew?": ["Who has a command of Hebrew?", "Who mastered Hebrew?"],
    "Who influenced Anton Chekhov?": [
        "Who were Anton Chekhov's influences?",
        "Who did Anton Chekhov have as influences?",
        "Who did Anton Chekhov look up to?",
    ],
    "Who was influenced by Kate Bush?": [
        "Who cites Kate Bush as an influence?",
        "Whose music was shaped by Kate Bush?",
        "Who looks up to Kate Bush?",
    ],
    "Where did Frédéric Chopin die?": [
        "Where did Frédéric Chopin breathe his last?",
        "Where did Frédéric Chopin's life come to an end?",
    ],
    "Who was born in Budapest?": [
        "Who came into the world in Budapest?",
        "Who first saw the light of day in Budapest?",
    ],
    "Who died of tuberculosis?": [
        "Who fell victim to tuberculosis?",
        "Whose life was ended by tuberculosis?",
    ],
    "What are the official languages of Switzerland?": [
        "Which languages are recognised officially in Switzerland?",
        "Which languages have official status in Switzerland?",
    ],
    "Who founded Tencent?": [
        "Who brought Tencent into being?",
        "Who is behind Tencent?",
    ],
    "What is made of wood?": [
        "Which things are out of wood?",
        "What is manufactured from wood?",
    ],
    "What is a knife made of?": ["What material is a knife?", "What is a knife fabricated from?"],
    "Where is the toothbrush?": [
        "Where does the toothbrush belong?",
    ],
    "What is used for eating?": [
        "Which things are meant for eating?",
        "What is suitable for eating?",
    ],
    "What is a spoon used for?": ["A spoon - what do people do with it?"],
    "What is Kobe twinned with?": ["Which cities does Kobe have a partnership with?"],
    "Who suffered from bipolar disorder?": ["Who is known to have had bipolar disorder?"],
    "When did Constantine the Great die?": [
        "When did Constantine the Great's life end?",
    ],
    "How did Olof Palme die?": ["In what way did Olof Palme die?"],
    "When did Douglas Adams start working?": [
        "When did Douglas Adams begin his working career?",
        "When did Douglas Adams start out?",
    ],
}


@pytest.fixture(scope="module")
def robodata() -> Iterator[RoboData]:
    """The embedded sample."""
    with RoboData.open() as opened:
        yield opened


def _given(robodata: RoboData, question: str) -> set[str]:
    return {
        item.value.id if isinstance(item.value, EntityValue) else str(item.label)
        for item in robodata.ask(question).results
    }


#: What is likely, but leaves a word unexplained.
_NOT_YET = pytest.mark.xfail(reason="“music” is left unexplained (0.56)", strict=True)
_UNREAD = {"Whose music was shaped by Kate Bush?"}


@pytest.mark.parametrize(
    ("plain", "other"),
    [
        pytest.param(plain, other, marks=[_NOT_YET] if other in _UNREAD else [])
        for plain, others in _SAME.items()
        for other in others
    ],
)
def test_other_words_ask_the_same(robodata: RoboData, plain: str, other: str) -> None:
    expected = _given(robodata, plain)
    assert expected
    assert _given(robodata, other) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Did Bob Dylan and Joan Baez ever go out together?",
        "Has Olof Palme ever been prime minister of Sweden?",
    ],
)
def test_it_is_so_in_other_words(robodata: RoboData, question: str) -> None:
    assert [item.label for item in robodata.ask(question).results] == ["yes"]


@pytest.mark.parametrize(
    "question",
    [
        "Who did Einstein know?",  # not the languages that he knew
        "Who sees Kate Bush as a rival?",  # not as an influence
        "Where was the birth of Albert Einstein?",  # not where he lived
        "Who got bipolar disorder?",  # not what it is
        "Who converted to Islam?",  # not who was a Muslim
        "What did Franz Kafka have?",
        "Who was appointed by Olof Palme?",  # not what he was
        "Who counts Kate Bush among their enemies?",
        "When did Douglas Adams stop smoking?",
        pytest.param(  # not what he was
            "Who gave John Lennon his name?",
            marks=pytest.mark.xfail(reason="told as likely (0.74): his children", strict=True),
        ),
    ],
)
def test_near_forms_are_not_taken_so(robodata: RoboData, question: str) -> None:
    assert robodata.ask(question).status is AnswerStatus.UNKNOWN
