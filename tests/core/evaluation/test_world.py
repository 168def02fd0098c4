"""Questions of the paper over the whole world, with more names and relations than the sample."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.evaluation.paper import paper_questions
from robodata_core.model import EntityValue


@pytest.mark.parametrize(
    "number",
    [
        "A3",  # a name without its small words that is another name of what is meant
        "B1",  # neighbours by any relation, of what an id names
        "B2",  # every class of a level is gone on from
    ],
)
def test_the_papers_questions_stay_answered(number: str) -> None:
    asked = next(one for one in paper_questions() if one.id == number)
    with RoboData.open(source="snapshot:world", policy="offline") as data:
        answer = data.ask(asked.question)
        gold = {row[0] for row in data.source.sparql(asked.gold).rows}
    given = {EntityValue(item.value.id) for item in answer.results if hasattr(item.value, "id")}
    assert gold
    assert given == gold
