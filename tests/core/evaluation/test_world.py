"""Questions of the paper that need the whole world: every class of a level is gone on from."""

from __future__ import annotations

from robodata_core import RoboData
from robodata_core.evaluation.paper import paper_questions
from robodata_core.model import EntityValue


def test_each_subclass_of_the_root_is_gone_on_from() -> None:
    asked = next(one for one in paper_questions() if one.id == "B2")
    with RoboData.open(source="snapshot:world", policy="offline") as data:
        answer = data.ask(asked.question)
        gold = {row[0] for row in data.source.sparql(asked.gold).rows}
    given = {EntityValue(item.value.id) for item in answer.results if hasattr(item.value, "id")}
    assert len(gold) > 100
    assert given == gold
