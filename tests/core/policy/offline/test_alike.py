"""Whether two things have the same of something, with both facts for a yes and for a no."""

from __future__ import annotations

import pytest

from robodata_core.model import AnswerStatus
from robodata_core.sources.base import QueryLimits
from robodata_core.sources.snapshot import SnapshotSource

from .conftest import Ask


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Do Samuel Beckett and Oscar Wilde lie in the same cemetery?", False),
        ("Is Samuel Beckett buried in the same cemetery as Oscar Wilde?", False),
        ("Are Samuel Beckett and Jean-Paul Sartre buried in the same place?", True),
        ("Were Max Brod and Franz Kafka born in the same city?", True),
        ("Was Max Brod born in the same city as Franz Kafka?", True),
        ("Did Ludwig Wittgenstein and Karl Popper die in the same city?", False),
        ("Do Kate Bush and Douglas Adams have the same nationality?", True),
        ("Do Jim Morrison and Walt Disney have the same cause of death?", False),
        ("Do Monaco and France share an official language?", True),
        ("did karl popper and ludwig wittgenstein die in the same city", False),
    ],
)
def test_both_facts_are_cited(
    question: str, expected: bool, ask: Ask, sample: SnapshotSource
) -> None:
    answer = ask(question)
    assert [item.value for item in answer.results] == [expected]
    shown = {one.triple.subject for claim in answer.claims for one in claim.support.evidence}
    assert len(shown) >= 2
    assert sample.sparql(answer.sparql, limits=QueryLimits(10, 60.0)).boolean is expected


@pytest.mark.parametrize(
    "question",
    [
        # one of the two is not stated
        "Did Oscar Wilde and Franz Kafka study at the same university?",
        # some are the same, some are not
        "Do Belgium and Switzerland have the same official languages?",
        # nothing is known by which it could be told
        "Do Franz Kafka and Max Brod like the same food?",
    ],
)
def test_nothing_is_said_where_the_facts_do_not_tell(question: str, ask: Ask) -> None:
    assert ask(question).status is AnswerStatus.UNKNOWN


def test_those_who_share_it_are_still_named(ask: Ask) -> None:
    answer = ask("Who was born in the same city as Franz Kafka?")
    assert "Max Brod" in {item.label for item in answer.results}
