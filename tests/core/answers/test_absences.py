"""What was looked for and not found, as a triple of its own."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core._codec import decode, encode
from robodata_core.answers.json import answer_to_json
from robodata_core.model import Answer


@pytest.mark.parametrize(
    ("question", "subject", "relation", "wanted"),
    [
        ("Did Douglas Adams die in Germany?", "Douglas Adams", "place of death", "Germany"),
        ("Is Susan Adams the mother of Douglas Adams?", "Douglas Adams", "mother", "Susan Adams"),
        ("Is Jane Belson a child of Douglas Adams?", "Douglas Adams", "child", "Jane Belson"),
    ],
)
def test_a_no_says_which_triple_is_not_stated(
    question: str, subject: str, relation: str, wanted: str
) -> None:
    with RoboData.open(source="snapshot:wikidata-sample") as robodata:
        answer = robodata.ask(question)
    (absence,) = answer_to_json(answer)["absences"]
    looked_for = absence["looked_for"]
    labels = [looked_for[part]["label"] for part in ("subject", "predicate", "object")]
    assert labels == [subject, relation, wanted]
    assert decode(encode(answer), Answer) == answer, "a journal keeps it"


def test_a_yes_lacks_nothing() -> None:
    with RoboData.open(source="snapshot:wikidata-sample") as robodata:
        answer = robodata.ask("Is Polly Adams a child of Douglas Adams?")
    assert "absences" not in answer_to_json(answer)
